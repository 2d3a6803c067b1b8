"""Files that are written whole or not at all."""

from pathlib import Path

import pytest

from emomem.files import replace_file


def test_a_file_is_made_and_replaced(tmp_path):
    path = tmp_path / "a.txt"
    for data in (b"one", b"two"):
        replace_file(path, data)
        assert path.read_bytes() == data
    assert list(tmp_path.iterdir()) == [path]


def test_what_was_there_stays_where_writing_fails(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_bytes(b"one")
    monkeypatch.setattr(Path, "replace", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        replace_file(path, b"two")
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]

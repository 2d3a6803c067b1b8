import pytest
from typer.testing import CliRunner

from emomem import Affect, BaseAppraiser
from langchain_emomem.cli import app, appraisers


class Counted(BaseAppraiser):
    """Reads an arousal of a tenth a word; fails, or is stopped, at the words of its script."""

    def __init__(self):
        self.asked = []

    def _read(self, texts):
        self.asked.append(list(texts))
        if any("STOP" in text for text in texts):
            raise KeyboardInterrupt
        if any("FAIL" in text for text in texts):
            raise RuntimeError
        return [Affect(arousal=len(text.split()) / 10, source="counted:1") for text in texts]


@pytest.fixture
def counted(monkeypatch):
    """The appraiser that the name `counted` stands for."""
    reader = Counted()
    monkeypatch.setattr(appraisers, "prepare_environment", lambda *arguments: None)
    monkeypatch.setitem(
        appraisers._APPRAISERS, "counted", (lambda: reader, "counted:1", "a counter")
    )
    return reader


@pytest.fixture
def emomem():
    """Run a command."""

    def run(*arguments):
        return CliRunner().invoke(app, list(map(str, arguments)))

    return run

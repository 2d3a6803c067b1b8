"""What the guide to the critical recall rate shows, as it stands there."""

import re
from pathlib import Path

from emomem.scenarios import load_scenario

GUIDE = Path(__file__).parents[2] / "docs" / "crr.md"
BLOCKS = re.findall(r"```(python|json)\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
[PYTHON] = (text for kind, text in BLOCKS if kind == "python")
[SCHEMA] = (text for kind, text in BLOCKS if kind == "json")


def test_the_promise_comes_back(capsys):
    exec(PYTHON, {})  # noqa: S102 - the guide's own
    assert capsys.readouterr().out.startswith("He swore on the stairs")


def test_the_schema_is_a_scenario(tmp_path):
    path = tmp_path / "garden.json"
    path.write_text(SCHEMA, encoding="utf-8")
    assert load_scenario(path).critical == {0}

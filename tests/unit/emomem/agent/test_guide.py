"""The Python of the guide runs as it stands."""

import re
from pathlib import Path

from emomem.agent import load_trace

GUIDE = Path(__file__).parents[4] / "docs" / "agent.md"


def test_the_guides_blocks_run_one_after_the_other(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL):
        exec(compile(block, str(GUIDE), "exec"), names)  # noqa: S102 - our own guide
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("tendency confront 0.")
    assert "[('Sam', 6.0, True)]" in lines
    assert "[10.  1.  2.]" in lines
    assert [line.split()[0] for line in lines[-8:]] == list("11222333")
    assert Path("days.png").is_file()
    assert len(load_trace("trace.jsonl")) == 1

"""The Python of the README and of the guides runs as it stands."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ELSEWHERE = {"agent.md", "role-play.md", "scale.md"}  # each has a test of its own
GUIDES = sorted(path for path in (ROOT / "docs").glob("*.md") if path.name not in ELSEWHERE)


def run(path: Path) -> None:
    """Run the blocks one after the other, as of one module."""
    blocks = re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(path), "exec"), names)  # noqa: S102 - our own text


def test_the_readme_blocks_run_one_after_the_other(capsys, monkeypatch, tmp_path) -> None:
    monkeypatch.chdir(tmp_path)
    run(ROOT / "README.md")
    first, second, *context = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in (first, second)] == ["1", "2"]
    assert (context[0], context[-1]) == ("<recalled_memories>", "</recalled_memories>")
    assert "Milan" in context[2]


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_the_blocks_of_a_guide_run_one_after_the_other(guide, monkeypatch, tmp_path) -> None:
    monkeypatch.chdir(tmp_path)
    run(guide)

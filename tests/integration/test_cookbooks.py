"""Each notebook runs, shows what is stored in it, and stays small."""

import base64
import re
from itertools import zip_longest
from pathlib import Path

import nbformat
import pytest

from cookbooks.refresh import METADATA, cleaned, executed, notebooks

LARGEST, LARGEST_PICTURE = 60_000, 40_000
NEAR = 0.03
"""How far a number with decimals may be off: another machine adds up in another order."""
DECIMAL = re.compile(r"([+-]?\d+\.\d+)")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")

each = pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)


def outputs(notebook):
    return [one for cell in notebook.cells for one in cell.get("outputs", [])]


def shown(notebook):
    """What each output says; of a picture that it is one."""
    return [
        one.get("text") or ("a picture" if "image/png" in one.data else one.data.get("text/plain"))
        for one in outputs(notebook)
    ]


def alike(text, other):
    pairs = zip_longest(DECIMAL.split(text or ""), DECIMAL.split(other or ""), fillvalue="")
    return all(
        one == two
        or (
            bool(DECIMAL.fullmatch(one) and DECIMAL.fullmatch(two))
            and float(one) == pytest.approx(float(two), abs=NEAR)
        )
        for one, two in pairs
    )


def test_there_are_eight():
    assert [path.name[:2] for path in notebooks()] == [f"{n:02d}" for n in range(1, 9)]


@each
def test_a_notebook_runs_and_shows_what_is_stored(path):
    stored, run = nbformat.read(path, as_version=4), cleaned(executed(path))
    assert [one.name for one in outputs(run) if one.output_type == "stream"].count("stderr") == 0
    assert len(shown(run)) == len(shown(stored))
    for now, then in zip(shown(run), shown(stored), strict=True):
        assert alike(now, then), f"stored:\n{then}\nnow:\n{now}\n(make cookbooks stores it anew)"


@each
def test_a_notebook_is_small_and_plain(path):
    notebook = nbformat.read(path, as_version=4)
    assert path.stat().st_size < LARGEST
    assert notebook.metadata == METADATA
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not any(cell.metadata for cell in notebook.cells)
    for one in outputs(notebook):
        picture = one.get("data", {}).get("image/png", "")
        assert len(base64.b64decode(picture)) < LARGEST_PICTURE
    assert notebook.cells[0].source.startswith("# ")
    assert "## What next" in notebook.cells[-1].source


@each
def test_a_notebook_names_no_machine_and_links_to_what_is_there(path):
    notebook = nbformat.read(path, as_version=4)
    said = [cell.source for cell in notebook.cells] + [str(text) for text in shown(notebook)]
    for text in said:
        assert str(Path.home()) not in text
        assert "/tmp/" not in text  # noqa: S108 - looked for, not used
    for target in {link for text in said for link in LINK.findall(text)}:
        assert (path.parent / target).exists(), target


@pytest.mark.parametrize(
    ("text", "other", "same"),
    [
        ("salience 0.77, anger", "salience 0.78, anger", True),
        ("salience 0.77, anger", "salience 0.87, anger", False),
        ("salience 0.77, anger", "salience 0.77, fear", False),
        ("2 units", "3 units", False),
        ("0.77 and", "0.77", False),
    ],
)
def test_near_numbers_are_alike_and_nothing_else(text, other, same):
    assert alike(text, other) is same

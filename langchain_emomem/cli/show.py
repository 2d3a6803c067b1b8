"""The demo's results, as tables for people and as JSON for programs."""

from collections.abc import Sequence
from typing import Any, Final

from langchain_core.documents import Document
from rich.box import HORIZONTALS
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from emomem.affect import Affect
from emomem.metadata import decode
from emomem.ranking import Explanation
from langchain_emomem.cli.recall import Comparison

_TEXT_LENGTH: Final = 160
_MAX_WIDTH: Final = 120


def show(console: Console, comparison: Comparison) -> None:
    """Print one comparison: the question, both recalls side by side, and what differs."""
    first = comparison.felt[0]
    origin = "given" if comparison.question.affect is not None else "read from the query"
    present = "none read" if first.present.is_unknown else f"{feeling(first.present)} ({origin})"
    how = f"strategy {first.strategy}, policy {first.policy}, gate {first.gate:.2f}"
    if comparison.why_plain:
        how = f"the plain call: {comparison.why_plain}"
    head = Text.assemble(
        ("\nQuery    ", "bold"),
        (_clean(comparison.question.text), "bold cyan"),
        ("\nFeeling  ", "bold"),
        present,
        ("\nHow      ", "bold"),
        how,
    )
    console.print(head)
    table = Table(box=HORIZONTALS, width=min(console.width, _MAX_WIDTH), show_lines=True)
    table.add_column("#", justify="right")
    table.add_column("Plain recall", ratio=1)
    table.add_column("Affect-modulated recall", ratio=1)
    for rank in range(max(len(comparison.plain), len(comparison.felt))):
        table.add_row(
            str(rank + 1),
            _plain_cell(comparison.plain, rank),
            _felt_cell(comparison, rank),
        )
    console.print(table)
    console.print(Text(_verdict(comparison), style="italic"))


def feeling(affect: Affect) -> str:
    """An affect in a few words: `sadness, valence -0.63, arousal 0.37`."""
    if affect.is_unknown:
        return "no feeling read"
    words = [] if affect.label is None else [_clean(affect.label)]
    words += [] if affect.valence is None else [f"valence {round(affect.valence, 2) + 0.0:+.2f}"]
    words += [] if affect.arousal is None else [f"arousal {affect.arousal:.2f}"]
    return ", ".join(words)


def as_json(comparison: Comparison) -> dict[str, Any]:
    """One comparison as plain data."""
    first = comparison.felt[0]
    return {
        "query": comparison.question.text,
        "present": first.present.model_dump(exclude={"emotions"}, exclude_none=True),
        "strategy": first.strategy,
        "policy": first.policy,
        "gate": first.gate,
        "same": comparison.same,
        "why_plain": comparison.why_plain or None,
        "plain": [_memory(found) for found in comparison.plain],
        "affect_modulated": [_reasons(found) for found in comparison.felt],
    }


def _memory(document: Document) -> dict[str, Any]:
    return {"text": document.page_content, "metadata": document.metadata}


def _reasons(found: Explanation) -> dict[str, Any]:
    return {
        **_memory(found.document),
        "rank": found.rank,
        "rank_without_affect": found.rank_without_affect,
        "score": found.score,
        "signals": dict(found.signals),
        "weights": dict(found.weights),
        "reason": found.reason,
    }


def _plain_cell(plain: Sequence[Document], rank: int) -> RenderableType:
    if rank >= len(plain):
        return ""
    document = plain[rank]
    return Group(_memory_text(document), Text(feeling(decode(document.metadata)), style="dim"))


def _felt_cell(comparison: Comparison, rank: int) -> RenderableType:
    if rank >= len(comparison.felt):
        return ""
    found = comparison.felt[rank]
    is_new = found.document.id in comparison.new
    notes = feeling(decode(found.document.metadata)) + (", new" if is_new else "")
    lines = [_memory_text(found.document, "green" if is_new else ""), Text(notes, style="dim")]
    if found.score is not None:
        lines.append(Text(found.reason, style="dim"))
    return Group(*lines)


def _memory_text(document: Document, style: str = "") -> Text:
    text = _clean(document.page_content)
    if len(text) > _TEXT_LENGTH:
        text = text[: _TEXT_LENGTH - 1].rstrip() + "…"
    return Text(text, style=style)


def _clean(text: str) -> str:
    """One line without control characters, so that a memory cannot steer the terminal."""
    return "".join(letter for letter in " ".join(text.split()) if letter.isprintable())


def _verdict(comparison: Comparison) -> str:
    if comparison.why_plain:
        return f"Both columns are the same call: {comparison.why_plain}."
    if comparison.same:
        return "Feeling was weighed, and changed nothing here."
    if not comparison.new:
        return "The same memories in another order."
    few = f"{len(comparison.new)} of {len(comparison.felt)} memories are new"
    return f"{few}: by meaning alone they would not have come back."

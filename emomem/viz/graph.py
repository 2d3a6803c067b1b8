"""Which memories contradict each other, replaced each other or were made from each other."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from emomem.memory.inspecting import Opposed
from emomem.memory.provenance import provenance
from emomem.memory.unit import MemoryUnit
from emomem.viz.canvas import (
    DARK,
    FADED,
    GREY,
    INK,
    LINE,
    ORANGE,
    SMALL,
    axes,
    figure_of,
    fonts,
    legend,
    say_empty,
    title,
    written,
)
from emomem.viz.items import listed

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST: Final = 24
"""Memories that are shown, the latest that something connects."""
_WIDTH: Final = 60
_SHORT_ID: Final = 8
_LETTER: Final = 0.08
"""Inches that a letter takes, about."""
_STYLES: Final = MappingProxyType(
    {
        "superseded_by": (DARK, "-", "-|>", "replaced by"),
        "contradicts": (LINE, "--", "-", "contradicts"),
        "made_from": (ORANGE, ":", "-|>", "made from"),
    }
)
_REACH: Final = MappingProxyType({"superseded_by": 0.7, "contradicts": 1.15, "made_from": 0.45})
"""How far out a line runs, so that two of the same memories do not cover each other."""
_MARKS: Final = MappingProxyType(
    {"fact": "s", "affective": "o", "dream": "*", "goal": "^", "question": "P"}
)


@dataclass(frozen=True)
class _Edge:
    """A line from one memory to another."""

    start: str
    end: str
    relation: str
    kind: str = ""


def conflict_graph(
    found: "nx.MultiDiGraph[str] | Iterable[Opposed]",
    units: Iterable[MemoryUnit] = (),
    ax: "Axes | None" = None,
) -> "Figure":
    """Draw conflicts, or the whole provenance, of memories: one a row, the oldest above.

    A line joins two memories that contradict each other (dashed), leads from what was replaced to
    what is so instead (solid), or from what was made to what it was made from (dotted). What is no
    longer current is hollow. Memories without a relation are left out; at most 24 are drawn, the
    latest. The texts of `units`, and of both sides of each conflict, stand readable in the picture;
    of others the end of the id does.

    Args:
        found: What `memory.conflicts()` or `memory.provenance()` gives.
        units: Whose texts to write beside the nodes of a graph, as of `memory.timeline()`.
        ax: Where to draw; a figure of its own where it is left out.

    Returns:
        The figure; `figure.savefig("conflicts.png")` keeps it.

    Raises:
        ImportError: matplotlib or networkx is not installed.
        TypeError: It is neither a graph nor conflicts.

    Example:
        >>> said = {"user_id": "ann", "speaker": "ann"}
        >>> rome = MemoryUnit(
        ...     text="I live in Rome", created_at=0, unit_id="a", superseded_by="b",
        ...     status="superseded", **said
        ... )
        >>> milan = MemoryUnit(text="I moved to Milan", created_at=60, unit_id="b", **said)
        >>> figure = conflict_graph(provenance([rome, milan]), [rome, milan])
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['1970-01-01', 'I live in Rome', '1970-01-01', 'I moved to Milan']
    """
    graph, texts = _graph(found, list(units))
    edges = _edges(graph)
    joined = {name for edge in edges for name in (edge.start, edge.end)}
    order = sorted(joined, key=lambda name: (_time(graph, name), name))[-_MOST:]
    rows = {name: row for row, name in enumerate(order)}
    words = {
        name: written(texts[name], _WIDTH) if name in texts else f"…{name[-_SHORT_ID:]}"
        for name in rows
    }
    longest = _LETTER * max(map(len, words.values()), default=0)
    ax = axes(ax, 3.9 + max(3.0, longest), 1.2 + 0.3 * max(3, len(rows)))
    title(ax, f"Relations of {len(joined):,} memories" if joined else "Relations of memories")
    ax.set_axis_off()
    if not rows:
        say_empty(ax, "no memory is related to another")
        return figure_of(ax)
    ax.set_xlim(-1.45, 0.5 + max(3.0, longest) / 2)
    ax.set_ylim(max(3, len(rows)) - 0.5, -0.6)
    handles = _draw_edges(ax, [one for one in edges if {one.start, one.end} <= rows.keys()], rows)
    handles += _draw_nodes(ax, graph, rows)
    _write_texts(ax, graph, words)
    if more := len(joined) - len(rows):
        ax.text(0.35, -1.0, f"and {more:,} earlier", color=GREY, fontsize=SMALL)
    legend(ax, handles, below=4, columns=3)
    return figure_of(ax)


def _graph(
    found: "nx.MultiDiGraph[str] | Iterable[Opposed]", units: list[MemoryUnit]
) -> "tuple[nx.MultiDiGraph[str], dict[str, str]]":
    """The graph to draw, and the texts that are known, by their ids."""
    if hasattr(found, "nodes"):
        return found, {unit.unit_id: unit.text for unit in units}
    pairs: list[Opposed] = listed(found, Opposed, "memory.conflicts()")
    sides = {unit.unit_id: unit for one in pairs for unit in (one.earlier, one.later)}
    texts = {unit.unit_id: unit.text for unit in (*units, *sides.values())}
    return provenance(sides.values()).subgraph(sides), texts


def _edges(graph: "nx.MultiDiGraph[str]") -> list[_Edge]:
    """The lines; a contradiction, which both sides keep, is one."""
    edges: dict[_Edge, None] = {}
    for start, end, data in graph.edges(data=True):
        relation, kind = data["relation"], data.get("kind", "")
        if relation == "superseded_by" and graph.nodes[start].get("kind") == "affective":
            continue  # how it felt stays true whatever comes after; its fact has the line
        if relation == "contradicts":
            start, end = sorted((start, end), key=lambda name: (_time(graph, name), name))  # noqa: PLW2901 - its order
        edges[_Edge(start, end, relation, kind)] = None
    return list(edges)


def _time(graph: "nx.MultiDiGraph[str]", name: str) -> float:
    """When a memory was said; of what is known by its id alone, before all others."""
    return float(graph.nodes[name].get("created_at", float("-inf")))


def _draw_edges(ax: "Axes", edges: list[_Edge], rows: Mapping[str, int]) -> "list[Artist]":
    from matplotlib.patches import FancyArrowPatch  # noqa: PLC0415 - heavy
    from matplotlib.path import Path  # noqa: PLC0415 - heavy

    curve = (Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4)
    taken: list[tuple[float, float]] = []
    for edge in edges:
        colour, line, arrow, _ = _STYLES[edge.relation]
        top, bottom = rows[edge.start], rows[edge.end]
        reach = -(0.25 + 0.6 * abs(top - bottom) / len(rows)) * _REACH[edge.relation]
        corners = [(-0.06, top), (reach, top), (reach, bottom), (-0.06, bottom)]
        ax.add_patch(
            FancyArrowPatch(
                path=Path(corners, curve),
                arrowstyle=arrow,
                color=colour,
                linestyle=line,
                linewidth=1.5,
                mutation_scale=11,
                shrinkA=0,
                shrinkB=0,
                fill=False,
                zorder=1,
            )
        )
        if edge.kind:
            _write_kind(
                ax, edge.kind.replace("_", " "), 0.75 * reach - 0.03, (top + bottom) / 2, taken
            )
    used = {edge.relation for edge in edges}
    handles: list[Artist] = []
    for relation, (colour, line, _, label) in _STYLES.items():
        if relation in used:
            handles += ax.plot([], [], line, color=colour, linewidth=1.5, label=label)
    return handles


def _write_kind(
    ax: "Axes", kind: str, x: float, y: float, taken: list[tuple[float, float]]
) -> None:
    """The kind of a contradiction beside its line, moved down where another stands."""
    while any(abs(y - other) < 0.6 and abs(x - left) < 0.6 for left, other in taken):  # noqa: PLR2004 - its size
        y += 0.3
    taken.append((x, y))
    ax.annotate(
        kind,
        (x, y),
        color=LINE,
        fontsize=SMALL - 1.5,
        ha="right",
        va="center",
        zorder=2,
        bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"},
    )


def _draw_nodes(
    ax: "Axes", graph: "nx.MultiDiGraph[str]", rows: Mapping[str, int]
) -> "list[Artist]":
    kinds: dict[str, None] = {}
    hollow = False
    style = {"color": INK, "markeredgecolor": INK, "linestyle": ""}
    for name, row in rows.items():
        node = graph.nodes[name]
        kind, current = node.get("kind", ""), node.get("status", "current") == "current"
        face = INK if current else "white"
        mark = _MARKS.get(kind, ".")
        ax.plot(0, row, marker=mark, markersize=7, markerfacecolor=face, zorder=3, **style)  # type: ignore[arg-type]
        kinds[kind] = None
        hollow |= not current
    marks = [(_MARKS.get(kind, "."), INK, kind or "known by its id") for kind in kinds]
    marks += [("s", "white", "hollow: no longer current")] if hollow else []
    handles: list[Artist] = []
    for mark, face, label in marks:
        handles += ax.plot([], [], marker=mark, markerfacecolor=face, label=label, **style)  # type: ignore[arg-type]
    return handles


def _write_texts(ax: "Axes", graph: "nx.MultiDiGraph[str]", words: Mapping[str, str]) -> None:
    for row, (name, text) in enumerate(words.items()):
        if (at := graph.nodes[name].get("created_at")) is not None:
            day = f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d}"
            ax.text(0.08, row, day, va="center", color=FADED, fontsize=SMALL)
        ax.text(0.48, row, text, va="center", color=INK, fontsize=SMALL + 0.5, fontfamily=fonts())

"""Why these memories: what each score was made of, and the rank without affect."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from emomem.ranking.explain import Explanation
from emomem.viz.canvas import (
    DARK,
    FADED,
    FAINT,
    GREY,
    HATCH,
    INK,
    LINE,
    ORANGE,
    PALE,
    SMALL,
    axes,
    bare,
    figure_of,
    fonts,
    legend,
    say_empty,
    title,
    written,
)
from emomem.viz.items import Memory, listed, text_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST: Final = 20
"""Memories that are shown, the best."""
_WIDTH: Final = 46
_NAMES: Final = MappingProxyType(
    {
        "cosine": "meaning",
        "rank": "meaning",
        "match": "feeling",
        "semantic_distance": "distance in meaning",
        "emotion_distance": "distance in feeling",
    }
)
"""What the strategies' signals are called here; the others keep their names."""
_STYLES: Final = ((DARK, ""), (ORANGE, HATCH), (PALE, "...."), (GREY, "xxxx"))


def why(
    explanations: Sequence[Explanation],
    query: str = "",
    plain: Sequence[Memory] = (),
    ax: "Axes | None" = None,
) -> "Figure":
    """Draw why each memory came back, and where meaning alone would have put it.

    A bar is the score: how much of it is meaning and how much is feeling. Of a strategy that adds
    nothing up there is a bar for each signal. Right of it stands the rank by meaning alone (far:
    not among the nearest), and the rank now. At most 20 are drawn, the best. The beginning of each
    memory's text, and of the query, stands readable in the picture.

    Args:
        explanations: As `retriever.explain(query)` gives them.
        query: What was asked, for the title.
        plain: What plain recall gives for the query, the best first; what of it did not come back
            is drawn below. Memories are told apart by their text.
        ax: Where to draw; a figure of its own where it is left out.

    Returns:
        The figure; `figure.savefig("why.png")` keeps it.

    Raises:
        ImportError: matplotlib is not installed.
        TypeError: One is no `Explanation`.

    Example:
        >>> from emomem import Affect
        >>> found = Explanation(
        ...     "We danced until sunrise", 1, 4, 0.5, {"cosine": 0.4, "match": 0.9},
        ...     {"cosine": 0.8, "match": 0.2}, 1.0, "combination", "congruent",
        ...     Affect.from_label("joy"), "",
        ... )
        >>> figure = why([found], "that evening")
        >>> [f"{bar.get_width():.2f}" for bars in figure.axes[0].containers for bar in bars]
        ['0.32', '0.18']
        >>> figure.axes[0].texts[-1].get_text()
        '▲ 4 → 1'
    """
    found: list[Explanation] = listed(explanations, Explanation, "retriever.explain(query)")
    shown = found[:_MOST]
    back = {text_of(one) for one in found}
    left = [(rank, text_of(one)) for rank, one in enumerate(plain, 1) if text_of(one) not in back]
    left = left[:_MOST]
    rows = len(shown) + len(left)
    ax = axes(ax, 10, 1.75 + 0.4 * max(2, rows))
    title(ax, f"“{written(query, 80)}”" if query.strip() else "Why these memories", _note(shown))
    bare(ax)
    if not rows:
        ax.set_xticks([])
        ax.set_yticks([])
        say_empty(ax, "nothing was recalled")
        return figure_of(ax)
    _draw_scores(ax, shown)
    ax.set_ylim(rows - 0.5, -0.5)
    texts = [text_of(one) for one in shown] + [text for _, text in left]
    names = [written(text, _WIDTH, 2) for text in texts]
    ax.set_yticks(range(rows), names, fontsize=SMALL, fontfamily=fonts(), linespacing=1.1)
    for label in ax.get_yticklabels()[len(shown) :]:
        label.set_color(FADED)
    _write_moves(ax, [_move(one) for one in shown], [rank for rank, _ in left])
    if more := len(found) - len(shown):
        below = {"xytext": (-6, -4), "textcoords": "offset points", "ha": "right", "va": "top"}
        ax.annotate(f"and {more:,} more", (0, 0), xycoords="axes fraction", color=GREY, **below)  # type: ignore[arg-type]
    return figure_of(ax)


def _draw_scores(ax: "Axes", shown: Sequence[Explanation]) -> None:
    names = [name for name in _NAMES if any(name in one.signals for one in shown)]
    names += sorted({name for one in shown for name in one.signals} - set(names))
    if not names:
        ax.set_xticks([])
        say_empty(ax, "no feeling was weighed" if shown else "nothing of it came back")
        return
    added = all(set(one.signals) <= set(one.weights) for one in shown)
    (_draw_sums if added else _draw_signals)(ax, shown, names)
    ax.set_xlabel("score" if added else "signal", color=INK)
    ax.axvline(0, color=GREY, linewidth=0.8)
    ax.margins(x=0.09)
    ax.grid(axis="x", color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    legend(ax, [bars for bars in ax.containers if bars], below=30)  # type: ignore[misc]


def _note(shown: Sequence[Explanation]) -> str:
    if not shown:
        return ""
    first = shown[0]
    if first.score is None:
        return f"the plain call: {first.reason}"
    feels = "not known" if first.present.is_unknown else first.present.label or "known by numbers"
    return (
        f"{first.strategy}, policy {first.policy}; the user’s feeling: {feels}; "
        f"feeling may count for {first.gate:.0%}"
    )


def _draw_sums(ax: "Axes", shown: Sequence[Explanation], names: Sequence[str]) -> None:
    """One bar a memory, its parts end to end; what lowers the score goes left of 0."""
    above, below = [0.0] * len(shown), [0.0] * len(shown)
    for name, (colour, hatch) in zip(names, _STYLES, strict=False):
        parts = [_part(one, name) for one in shown]
        starts = [below[row] if part < 0 else above[row] for row, part in enumerate(parts)]
        _bars(ax, range(len(shown)), parts, 0.62, (colour, hatch), name, starts)
        for row, part in enumerate(parts):
            (below if part < 0 else above)[row] += part
    for row, one in enumerate(shown):
        missing = [_NAMES.get(name, name) for name in names if name not in one.signals]
        words = f"{', '.join(missing)} not known" if missing else f"{sum(_parts(one)):.2f}"
        _beside(ax, above[row], row, words)


def _draw_signals(ax: "Axes", shown: Sequence[Explanation], names: Sequence[str]) -> None:
    """A bar for each signal, side by side; none where it is not known, which is said."""
    height = 0.76 / len(names)
    for place, name in enumerate(names):
        rows = [row - 0.38 + height * (place + 0.5) for row in range(len(shown))]
        values = [one.signals.get(name, 0.0) for one in shown]
        _bars(ax, rows, values, height, _STYLES[place % len(_STYLES)], name)
        for row, one, value in zip(rows, shown, values, strict=True):
            words = f"{value:.2f}" if name in one.signals else "not known"
            _beside(ax, max(value, 0.0), row, words)


def _bars(  # noqa: PLR0913, PLR0917 - one call of matplotlib
    ax: "Axes",
    rows: Sequence[float],
    widths: Sequence[float],
    height: float,
    style: tuple[str, str],
    name: str,
    starts: Sequence[float] | float = 0.0,
) -> None:
    ax.barh(
        rows,
        widths,
        height,
        starts,
        color=style[0],
        hatch=style[1],
        edgecolor="white",
        linewidth=0.8,
        label=_NAMES.get(name, name),
    )


def _part(one: Explanation, name: str) -> float:
    """What a signal adds to the score; meaning stands alone where the feeling is not known."""
    return one.signals.get(name, 0.0) * one.weights.get(name, 0.0)


def _parts(one: Explanation) -> list[float]:
    return [_part(one, name) for name in one.signals]


def _beside(ax: "Axes", x: float, row: float, words: str) -> None:
    ax.annotate(
        words,
        (x, row),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        color=INK,
        fontsize=SMALL,
    )


def _write_moves(ax: "Axes", moves: Sequence[tuple[str, str]], left: Sequence[int]) -> None:
    """A column at the right: each memory's rank by meaning alone, and the rank that it has."""
    above = {"xytext": (0, 6), "textcoords": "offset points", "fontsize": SMALL}
    ax.annotate("rank by meaning → now", (1.02, 1), xycoords="axes fraction", color=INK, **above)  # type: ignore[arg-type]
    if left:
        ax.axhline(len(moves) - 0.5, color=GREY, linewidth=0.8, linestyle=":")
    at = ax.get_yaxis_transform()
    for row, (words, colour) in enumerate(
        [*moves, *((f"▼ {one} → left out", LINE) for one in left)]
    ):
        ax.text(1.02, row, words, transform=at, va="center", color=colour, fontsize=SMALL + 1)


def _move(one: Explanation) -> tuple[str, str]:
    if one.rank_without_affect is None:
        return f"▲ far → {one.rank}", DARK
    moved = one.rank_without_affect - one.rank
    arrow, colour = ("▲", DARK) if moved > 0 else ("▼", LINE) if moved else ("=", FADED)
    return f"{arrow} {one.rank_without_affect} → {one.rank}", colour

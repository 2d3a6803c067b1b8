"""Affect over time, with the mood that it adds up to."""

from collections.abc import Iterable
from datetime import UTC
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from emomem.affect import Affect, AffectArray
from emomem.memory.dynamics import DAY
from emomem.memory.mood import MoodTracker
from emomem.memory.unit import MemoryUnit
from emomem.viz.canvas import (
    DARK,
    FAINT,
    GREY,
    INK,
    ORANGE,
    PALE,
    axes,
    bare,
    figure_of,
    legend,
    say_empty,
    title,
)
from emomem.viz.items import listed

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FloatArray = NDArray[np.float64]

_STEPS: Final = 150
"""Times at which the mood is drawn."""
_AFTER: Final = 0.015
"""How far the mood goes on after the last memory, as a share of the time drawn."""
_UNKNOWN: Final = -1.25
_LEVELS: Final = (
    (PALE, "o", "calm"),
    (ORANGE, "s", "in between"),
    (DARK, "^", "aroused"),
    ("white", "o", "arousal not known"),
)
_MANY: Final = 200


def affect_over_time(
    units: Iterable[MemoryUnit],
    tracker: MoodTracker | None = None,
    ax: "Axes | None" = None,
) -> "Figure":
    """Draw the valence and arousal of memories over time, and the user's mood.

    A point is a memory: its height is the valence, its mark and colour the arousal, hollow where
    that is not known. What has no valence stands in a row of its own under the others. The line is
    the valence of the mood; it moves when something is said. Others' feelings ("Sam was upset") are
    drawn and do not count for it, as in `memory.mood`. No text is drawn.

    Args:
        units: Of one user, as of `memory.timeline()` or of a search, in any order.
        tracker: How the mood is made; that of a memory's default where it is left out.
        ax: Where to draw; a figure of its own where it is left out.

    Returns:
        The figure; `figure.savefig("affect.png")` keeps it.

    Raises:
        ImportError: matplotlib is not installed.
        TypeError: One is no `MemoryUnit`.

    Example:
        >>> said = {"user_id": "ann", "speaker": "ann"}
        >>> glad = MemoryUnit(
        ...     text="I won", created_at=0, affect=Affect(valence=0.8, arousal=0.9), **said
        ... )
        >>> figure = affect_over_time([glad, MemoryUnit(text="It is late", created_at=60, **said)])
        >>> [one.get_text() for one in figure.axes[0].get_legend().get_texts()]
        ['aroused', 'valence not known: 1', 'mood']
    """
    ax = axes(ax, 9, 4.4)
    given: list[MemoryUnit] = listed(units, MemoryUnit, "memory.timeline()")
    ordered = sorted(given, key=lambda unit: unit.created_at)
    affects = [unit.affect for unit in ordered]
    times = [unit.created_at for unit in ordered]
    ax.set_ylim(-1.08, 1.08)
    ax.set_yticks([-1, -0.5, 0, 0.5, 1])
    ax.set_ylabel("Valence (-1 unpleasant, 1 pleasant)", color=INK)
    ax.axhline(0, color=FAINT, linewidth=1, zorder=0.5)
    title(ax, f"{len(ordered):,} {'memory' if len(ordered) == 1 else 'memories'} over time")
    if not ordered:
        ax.set_xticks([])
        bare(ax)
        say_empty(ax, "no memory to draw")
        return figure_of(ax)
    handles = _draw_points(ax, np.array(times) / DAY, AffectArray.from_affects(affects))
    own = [row for row, unit in enumerate(ordered) if unit.experiencer == unit.user_id]
    handles += _draw_mood(
        ax, [affects[row] for row in own], [times[row] for row in own], tracker or MoodTracker()
    )
    _date(ax, times)
    bare(ax)
    legend(ax, handles, below=32, columns=7)
    return figure_of(ax)


def _draw_points(ax: "Axes", days: FloatArray, affects: AffectArray) -> "list[Artist]":
    valence, arousal = affects.vad[:, 0], affects.vad[:, 1]
    many = len(days) > _MANY
    handles: list[Artist] = []
    level = np.where(np.isnan(arousal), len(_LEVELS) - 1, np.digitize(arousal, (1 / 3, 2 / 3)))
    for place, (colour, marker, name) in enumerate(_LEVELS):
        rows = (level == place) & ~np.isnan(valence)
        if rows.any():
            handles += ax.plot(
                days[rows],
                valence[rows],
                marker,
                color=colour,
                markeredgecolor=INK,
                markeredgewidth=0.4 if many else 0.7,
                markersize=4 if many else 6.5,
                alpha=0.7 if many else 1.0,
                label=name,
                zorder=3,
            )
    if (rows := np.isnan(valence)).any():
        label = f"valence not known: {rows.sum():,}"
        places = np.full(rows.sum(), _UNKNOWN)
        handles += ax.plot(days[rows], places, "x", color=GREY, markersize=5, label=label)
        ax.set_ylim(bottom=_UNKNOWN - 0.12)
    return handles


def _draw_mood(
    ax: "Axes", affects: list[Affect], times: list[float], tracker: MoodTracker
) -> "list[Artist]":
    """The mood after each memory; between two, all weights fade alike, so that it stays.

    Of a single time there is no line.
    """
    if not times:
        return []
    at = np.unique(times)
    at = at[np.unique(np.linspace(0, len(at) - 1, _STEPS).astype(int))]
    moods = [tracker.mood(affects, times, time).valence for time in at.tolist()]
    if all(mood is None for mood in moods) or len(at) == 1:
        return []
    known = np.array(moods, dtype=float)
    steps = {"linewidth": 1.8, "drawstyle": "steps-post", "zorder": 2, "label": "mood"}
    after = at[-1] + _AFTER * (at[-1] - at[0])
    days = np.append(at, after) / DAY
    return list(ax.plot(days, np.append(known, known[-1]), color=INK, **steps))  # type: ignore[arg-type]


def _date(ax: "Axes", times: list[float]) -> None:
    from matplotlib import dates  # noqa: PLC0415 - heavy

    locator = dates.AutoDateLocator(tz=UTC, minticks=3, maxticks=9)  # type: ignore[no-untyped-call]
    ax.xaxis_date(tz=UTC)
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator, tz=UTC))  # type: ignore[no-untyped-call]
    if times[0] == times[-1]:
        ax.set_xlim(times[0] / DAY - 1, times[0] / DAY + 1)
    ax.set_xlabel("time (UTC)", color=INK)

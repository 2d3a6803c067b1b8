"""The picture of an agent's days; it needs matplotlib, which is loaded when it is drawn."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from emomem.agent.trace import Seen, Trace
from emomem.viz.canvas import INK, drawable, fonts, require_matplotlib, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours (2008), which the colour-blind can tell apart; each line has a pattern
# and a mark of its own too, so that a print in grey shows the same.
_COLOURS: Final = (
    "#E69F00", "#56B4E9", "#009E73", "#B8A800", "#0072B2", "#D55E00", "#CC79A7", "#333333",
)  # fmt: skip
_PATTERNS: Final = ("-", "--", "-.", ":")
_MARKS: Final = "osD^vPX*"
_MOST: Final = 14
"""Memories that are shown, those that came to mind most often."""
_LONGEST: Final = 44
_SHORT_ID: Final = 10
_TICKS: Final = 20


def draw_days(traces: Sequence[Trace], title: str = "") -> "Figure":
    """Draw affect and salience over the steps of an agent.

    Above, the level of each emotion that was ever felt, and the conflict of the two sides; below,
    the accessibility of the memories that came to mind most often: the darker, the more salient; a
    dot where that is not known, hatched where one was suppressed, empty where it did not come to
    mind. Nights are dashed lines. Where no installed font has its letters, a memory is shown by its
    id.

    Args:
        traces: The steps, the first first.
        title: Of the picture.

    Returns:
        The figure; `figure.savefig("days.png")` keeps it.

    Raises:
        ImportError: matplotlib is not installed.
        ValueError: There is no step.
    """
    if not traces:
        msg = "there is no step to draw"
        raise ValueError(msg)
    require_matplotlib()
    from matplotlib.figure import Figure  # noqa: PLC0415 - heavy, so first use loads it

    texts = {id_: _shown(text, id_) for id_, text in _texts(traces).items()}
    height = 4.2 + 0.27 * len(texts)
    figure = Figure(figsize=(9.5, height), dpi=130, layout="constrained")
    upper, lower = figure.subplots(
        2, 1, sharex=True, height_ratios=[3.2, max(1.0, 0.27 * len(texts))]
    )
    _draw_affect(upper, traces)
    _draw_salience(lower, traces, texts)
    for label in lower.get_yticklabels():
        label.set_fontfamily(fonts())
    for ax in (upper, lower):
        for left, right in pairwise(traces):
            if left.day != right.day:
                night = left.step + 0.5
                ax.axvline(night, color="white", linewidth=2.5)  # seen on dark cells too
                ax.axvline(night, color=INK, linewidth=0.9, linestyle=(0, (4, 3)))
        for side in ("top", "right", "left"):
            ax.spines[side].set_visible(False)
        ax.tick_params(length=0, labelcolor=INK)
    if title:
        figure.suptitle(
            _shown(title, ""), color=INK, fontsize=11, x=0.01, ha="left", fontfamily=fonts()
        )
    return figure


def _draw_affect(ax: "Axes", traces: Sequence[Trace]) -> None:
    start = traces[0].step - 1
    steps = np.arange(start, start + len(traces) + 1)
    states = [traces[0].before, *(trace.after for trace in traces)]
    felt = {
        name: levels
        for name in states[0].affect
        if (levels := np.array([state.affect[name] for state in states])).any()
    }
    for place, (name, levels) in enumerate(felt.items()):
        ax.plot(
            steps,
            levels,
            color=_COLOURS[place % len(_COLOURS)],
            linestyle=_PATTERNS[place % len(_PATTERNS)],
            marker=_MARKS[place % len(_MARKS)],
            markersize=4.5,
            linewidth=1.8,
            label=name,
        )
    conflicts = [10 * trace.conflict for trace in traces]
    ax.bar(
        [trace.step for trace in traces],
        conflicts,
        width=0.5,
        color="#DDDDDD",
        zorder=0,
        label="conflict, times 10",
    )
    highest = max(1.0, *conflicts, *(float(levels.max()) for levels in felt.values()))
    ax.set_ylim(0, min(10.0, 1.15 * highest))
    ax.set_ylabel("affect, 0 to 10", color=INK)
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=5,
        frameon=False,
        labelcolor=INK,
        fontsize=8,
    )


def _draw_salience(ax: "Axes", traces: Sequence[Trace], texts: dict[str, str]) -> None:
    rows = {unit_id: row for row, unit_id in enumerate(texts)}
    values = np.full((max(1, len(rows)), len(traces)), np.nan)
    for column, trace in enumerate(traces):
        for seen in trace.affective:
            if seen.unit_id not in rows:
                continue
            if seen.accessibility is None:
                ax.plot(trace.step, rows[seen.unit_id], ".", color=INK, markersize=4)
            else:
                values[rows[seen.unit_id], column] = seen.accessibility
        for seen in trace.suppressed:
            if seen.unit_id in rows:
                ax.bar(
                    trace.step,
                    1,
                    width=1,
                    bottom=rows[seen.unit_id] - 0.5,
                    color="white",
                    edgecolor=INK,
                    hatch="////",
                    linewidth=0,
                )
    first = traces[0].step
    extent = (first - 0.5, first + len(traces) - 0.5, len(values) - 0.5, -0.5)
    image = ax.imshow(
        values, aspect="auto", cmap="cividis_r", vmin=0, vmax=1, extent=extent, zorder=0
    )
    ax.set_yticks(range(len(rows)), list(texts.values()), fontsize=7)
    if len(traces) <= _TICKS:
        labels = [f"{trace.step}\nday {trace.day}" for trace in traces]
        ax.set_xticks([trace.step for trace in traces], labels, fontsize=8)
    ax.set_xlim(first - 1.2, extent[1])
    ax.set_xlabel("step", color=INK)
    bar = ax.get_figure(root=True).colorbar(image, ax=ax, pad=0.01, aspect=18)  # type: ignore[union-attr]
    bar.set_label("salience, 0 to 1", color=INK)
    bar.outline.set_visible(False)


def _texts(traces: Sequence[Trace]) -> dict[str, str]:
    """The memories that came to mind most often, by id; of the same number the most salient."""
    seen = [one for trace in traces for one in (*trace.affective, *trace.suppressed)]
    texts = {one.unit_id: one.text for one in seen}
    strengths = {one.unit_id: _strength(one) for one in seen}
    counts = Counter(one.unit_id for one in seen)
    order = sorted(texts, key=lambda id_: (-counts[id_], -strengths[id_], id_))
    return {id_: texts[id_] for id_ in order[:_MOST]}


def _strength(seen: Seen) -> float:
    return 0.0 if seen.salience is None else seen.salience


def _shown(text: str, otherwise: str) -> str:
    """The beginning of a text in one line; what else to show where no font has its letters."""
    return written(text, _LONGEST) if drawable(text) else otherwise[:_SHORT_ID]

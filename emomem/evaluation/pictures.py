"""Pictures of what was measured; they need matplotlib, which is loaded when one is drawn."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from emomem.evaluation.arms import OFF, PLAIN
from emomem.evaluation.statistics import Interval
from emomem.evaluation.suites.importance import Importance
from emomem.evaluation.suites.retrieval import AUTO, Measured
from emomem.viz.canvas import DARK, FAINT, INK, LINE, interval, require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_OTHERS: Final = "#777777"
_ROW: Final = 0.28


def draw_arms(measured: Measured) -> "Figure":
    """How far each arm lies from its baseline, with 95% intervals, for the main measures.

    Raises:
        ImportError: matplotlib is not installed.
    """
    names = [name for name in measured.scores if name != PLAIN]
    main = measured.benchmark.main
    figure = _figure(4 + 4.5 * len(main), 1.6 + _ROW * len(names))
    axes = figure.subplots(1, len(main), sharey=True, squeeze=False)[0]
    places = np.arange(len(names))[::-1]
    for ax, measure in zip(axes, main, strict=True):
        for place, name in zip(places, names, strict=True):
            scores = measured.scores[name]
            found = measured.difference(name, scores.arm.baseline, measure)
            colour = LINE if name == AUTO else DARK if scores.arm.baseline == OFF else _OTHERS
            marker = "D" if name == AUTO else "o" if scores.arm.baseline == OFF else "s"
            interval(ax, place, found, colour, marker)
        ax.axvline(0, color=INK, linewidth=1, linestyle="--")
        ax.set_xlabel(f"{measure}, difference from the baseline", color=INK)
        _plain(ax)
    axes[0].set_yticks(places, names)
    title = f"{measured.dataset.name}: {len(measured.queries)} queries"
    note = f"(circles and diamond: from “{OFF}”; squares: from “{PLAIN}”; bars: 95% intervals)"
    figure.suptitle(f"{title}\n{note}", color=INK, fontsize=10)
    return figure


def draw_importance(results: Sequence[Importance]) -> "Figure":
    """How well each order ranks what people called important.

    Raises:
        ImportError: matplotlib is not installed.
    """
    figure = _figure(5 * len(results), 3.2)
    axes = figure.subplots(1, len(results), sharey=True, squeeze=False)[0]
    for ax, found in zip(axes, results, strict=True):
        names = list(found.scores)
        for place, name in enumerate(reversed(names)):
            colour = DARK if place == len(names) - 1 else _OTHERS
            interval(ax, place, found.bootstrap.mean(found.scores[name]), colour)
        ax.set_yticks(range(len(names)), names[::-1])
        ax.set_xlim(left=0)
        ax.set_xlabel("mean average precision", color=INK)
        ax.set_title(f"called important by {found.votes} or more of 3", color=INK, fontsize=10)
        _plain(ax)
    return figure


def draw_deep(
    gains: Mapping[str, Interval],
    published: Mapping[str, float],
    recalled: Mapping[str, Mapping[str, Interval | None]],
    caution: str = "",
) -> "Figure":
    """What deep encoding did to the grades of replies, and to recall, with 95% intervals.

    Args:
        gains: Deep minus standard, by grade; may be empty.
        published: The published gains.
        recalled: By arm and measure.
        caution: What has to be known of the run, to stand over it all.

    Raises:
        ImportError: matplotlib is not installed.
    """
    measures = list(next(iter(recalled.values())))
    arms = list(recalled)[::-1]
    figure = _figure(4 * (len(measures) + bool(gains)) + 2, 1.4 + 2 * _ROW * len(arms))
    axes = figure.subplots(1, len(measures) + bool(gains), squeeze=False)[0]
    if gains:
        for place, (name, found) in enumerate(gains.items()):
            interval(axes[0], place, found, DARK)
            axes[0].plot(published[name], place, "D", color=LINE, markersize=6)
        axes[0].axvline(0, color=INK, linewidth=1, linestyle="--")
        axes[0].set_yticks(range(len(gains)), list(gains))
        axes[0].set_ylim(-0.5, len(gains) - 0.5)
        axes[0].set_xlabel("gain in grade (diamond: published)", color=INK)
        _plain(axes[0])
    for ax, measure in zip(axes[-len(measures) :], measures, strict=True):
        for place, arm in enumerate(arms):
            if (mean := recalled[arm][measure]) is not None:
                colour = DARK if place < len(arms) - 1 else _OTHERS
                interval(ax, place, mean, colour)
        ax.set_yticks(range(len(arms)), arms if measure == measures[0] else [""] * len(arms))
        ax.set_ylim(-0.5, len(arms) - 0.5)
        ax.set_xlabel(measure, color=INK)
        _plain(ax)
    if caution:
        figure.suptitle(caution, color=INK, fontsize=11)
    return figure


def draw_intervals(
    panels: Mapping[str, Mapping[str, Interval | None]], baseline: str, caution: str = ""
) -> "Figure":
    """Estimates with their 95% intervals, one measure a panel and one arm a row.

    Args:
        panels: By measure and arm; None where an arm has none. Arms are as of the first measure.
        baseline: The arm that the others are compared with, in grey and with a square; "" for
            none.
        caution: What has to be known of the run, to stand over it all.

    Raises:
        ImportError: matplotlib is not installed.
    """
    longest = max((list(arms) for arms in panels.values()), key=len)
    figure = _figure(3 + 3.2 * len(panels), 1.2 + _ROW * len(longest))
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for ax, (measure, arms) in zip(axes, panels.items(), strict=True):
        names = list(arms)[::-1]
        for place, name in enumerate(names):
            if (found := arms[name]) is not None:
                plain = bool(baseline) and name.startswith(baseline)
                colour, marker = (_OTHERS, "s") if plain else (DARK, "o")
                interval(ax, place, found, colour, marker)
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(-0.5, len(names) - 0.5)
        ax.set_xlabel(measure, color=INK)
        _plain(ax)
    if caution:
        figure.suptitle(caution, color=INK, fontsize=11)
    return figure


def _figure(width: float, height: float) -> "Figure":
    require_matplotlib()
    from matplotlib.figure import Figure  # noqa: PLC0415 - heavy, so first use loads it

    return Figure(figsize=(width, height), dpi=130, layout="constrained")


def _plain(ax: "Axes") -> None:
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.grid(axis="x", color=FAINT, linewidth=0.6)
    ax.tick_params(axis="y", length=0, labelcolor=INK)

"""Pictures of what was measured; they need matplotlib, which is loaded when one is drawn."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from emomem.evaluation.arms import OFF, PLAIN
from emomem.evaluation.suites.importance import Importance
from emomem.evaluation.suites.retrieval import AUTO, Measured
from emomem.viz import require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Of Okabe and Ito's colours (2008), which the colour-blind can tell apart; Auto has a mark of its
# own, too.
_OURS: Final = "#0072B2"
_AUTO: Final = "#B34700"
_OTHERS: Final = "#777777"
_INK: Final = "#333333"
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
            colour = _AUTO if name == AUTO else _OURS if scores.arm.baseline == OFF else _OTHERS
            marker = "D" if name == AUTO else "o" if scores.arm.baseline == OFF else "s"
            ax.plot([found.low, found.high], [place, place], color=colour, linewidth=2)
            ax.plot(found.mean, place, marker, color=colour, markersize=6)
        ax.axvline(0, color=_INK, linewidth=1, linestyle="--")
        ax.set_xlabel(f"{measure}, difference from the baseline", color=_INK)
        _plain(ax)
    axes[0].set_yticks(places, names)
    title = f"{measured.dataset.name}: {len(measured.queries)} queries"
    note = f"(circles and diamond: from “{OFF}”; squares: from “{PLAIN}”; bars: 95% intervals)"
    figure.suptitle(f"{title}\n{note}", color=_INK, fontsize=10)
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
            interval = found.bootstrap.mean(found.scores[name])
            colour = _OURS if place == len(names) - 1 else _OTHERS
            ax.plot([interval.low, interval.high], [place, place], color=colour, linewidth=2)
            ax.plot(interval.mean, place, "o", color=colour, markersize=6)
        ax.set_yticks(range(len(names)), names[::-1])
        ax.set_xlim(left=0)
        ax.set_xlabel("mean average precision", color=_INK)
        ax.set_title(f"called important by {found.votes} or more of 3", color=_INK, fontsize=10)
        _plain(ax)
    return figure


def _figure(width: float, height: float) -> "Figure":
    require_matplotlib()
    from matplotlib.figure import Figure  # noqa: PLC0415 - heavy, so first use loads it

    return Figure(figsize=(width, height), dpi=130, layout="constrained")


def _plain(ax: "Axes") -> None:
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    ax.tick_params(axis="y", length=0, labelcolor=_INK)

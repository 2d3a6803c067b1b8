"""The picture of an arousal profile."""

from typing import TYPE_CHECKING, Final

import numpy as np

from emomem.profile import ArousalProfile, Recommendation
from emomem.viz.canvas import DARK, INK, LINE, PALE, axes, figure_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_EDGES: Final = (0.25, 0.75)


def arousal_profile(
    profile: ArousalProfile,
    recommendation: Recommendation | None = None,
    ax: "Axes | None" = None,
) -> "Figure":
    """Draw how arousal is spread, the threshold, and the trigger rate of every other one.

    Bars are the share of all texts in each twentieth of the scale, dark where they trigger; the
    curve is the share that would trigger at each threshold.

    Args:
        profile: What to draw.
        recommendation: The threshold to mark; `profile.recommend()` where it is left out.
        ax: Where to draw; a figure of its own where it is left out.

    Returns:
        The figure; `figure.savefig("profile.png")` keeps it.

    Raises:
        ImportError: matplotlib is not installed.

    Example:
        >>> figure = arousal_profile(ArousalProfile([0.2, 0.3, 0.4, 0.7]))
        >>> figure.axes[0].get_xlabel()
        'Arousal (0 calm, 1 aroused)'
    """
    ax = axes(ax, 8, 4.8)
    marked = recommendation or profile.recommend()
    _draw_bars(ax, profile, marked.threshold)
    _draw_rates(ax, profile, marked)
    title = f"Arousal of {profile.n:,} texts"
    if profile.known_share < 1:
        title += f" (known for {profile.known_share:.1%})"
    ax.set_title(title, loc="left", color=INK, pad=26)
    return figure_of(ax)


def _draw_bars(ax: "Axes", profile: ArousalProfile, threshold: float) -> None:
    counts, edges = profile.histogram
    triggering, _ = np.histogram(profile.known[profile.known >= threshold], bins=edges)
    for heights, colour, label in (
        (counts, PALE, "texts below the threshold"),
        (triggering, DARK, "at or above it"),
    ):
        ax.bar(
            edges[:-1],
            heights / profile.n,
            width=np.diff(edges),
            align="edge",
            color=colour,
            edgecolor="white",
            linewidth=0.8,
            label=label,
        )
    ax.set_xlim(0, 1)
    ax.set_xticks(np.arange(11) / 10)
    ax.set_ylim(0, 1.15 * counts.max() / profile.n)
    ax.set_xlabel("Arousal (0 calm, 1 aroused)", color=INK)
    ax.set_ylabel("Share of texts (bars)", color=INK)
    _as_percent(ax)


def _draw_rates(ax: "Axes", profile: ArousalProfile, marked: Recommendation) -> None:
    thresholds = np.linspace(0, 1, 501)
    rates = ax.twinx()
    [curve] = rates.plot(thresholds, profile.calls(thresholds) / profile.n, color=LINE, linewidth=2)
    rates.set_ylim(0, 1.05)
    rates.set_ylabel("Share of texts at or above (curve)", color=LINE)
    rates.tick_params(axis="y", colors=LINE)
    _as_percent(rates)
    rates.axvline(marked.threshold, color=INK, linewidth=1.2, linestyle="--")
    rates.plot(marked.threshold, marked.rate, "o", color=LINE, markersize=7, clip_on=False)
    rates.annotate(
        f"threshold {marked.threshold:.2f}: {marked.rate:.1%} trigger",
        (marked.threshold, 1),
        xycoords=rates.get_xaxis_transform(),
        xytext=(0, 5),
        textcoords="offset points",
        ha=("left", "center", "right")[np.digitize(marked.threshold, _EDGES)],
        color=INK,
    )
    curve.set_label("trigger rate at each threshold")
    ax.legend(
        handles=[*ax.containers, curve],
        loc="upper center",
        bbox_to_anchor=(0.5, -0.14),
        ncols=3,
        frameon=False,
        labelcolor=INK,
    )


def _as_percent(ax: "Axes") -> None:
    from matplotlib.ticker import PercentFormatter  # noqa: PLC0415 - heavy

    ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)

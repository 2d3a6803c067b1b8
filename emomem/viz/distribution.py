"""Which feelings a recall brings, before and after a policy."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from emomem.affect import Affect
from emomem.emotions import PLUTCHIK
from emomem.metadata import DEFAULT_FIELDS, MetadataFields
from emomem.viz.canvas import (
    DARK,
    FAINT,
    HATCH,
    INK,
    PALE,
    SMALL,
    axes,
    bare,
    figure_of,
    fonts,
    legend,
    title,
    written,
)
from emomem.viz.items import Memory, affects_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROWS: Final = (*PLUTCHIK, "neutral", "not known")
_LEAST: Final = 0.005


def affect_distribution(
    before: Iterable[Memory],
    after: Iterable[Memory],
    names: tuple[str, str] = ("before", "after"),
    fields: MetadataFields = DEFAULT_FIELDS,
    ax: "Axes | None" = None,
) -> "Figure":
    """Draw the feelings of two sets of memories side by side, such as what two policies recall.

    A bar is the mean share of one of Plutchik's eight emotions, of neutral, or of memories whose
    emotions are not known; the bars of one set sum to 100%. The legend gives the mean valence and
    arousal of those that have one. No text is drawn.

    Args:
        before: Units, documents or nodes with affect in their metadata, explanations, or `Affect`s.
        after: The same.
        names: Of the two.
        fields: The metadata keys.
        ax: Where to draw; a figure of its own where it is left out.

    Returns:
        The figure; `figure.savefig("distribution.png")` keeps it.

    Raises:
        ImportError: matplotlib is not installed.
        TypeError: A memory is nothing that has an affect.

    Example:
        >>> sad, glad = Affect.from_label("sadness"), Affect.from_label("joy")
        >>> figure = affect_distribution([sad, sad], [sad, glad], ("plain", "comfort"))
        >>> [one.get_text() for one in figure.axes[0].get_legend().get_texts()]
        ['plain: 2, valence -0.63, arousal 0.36', 'comfort: 2, valence +0.07, arousal 0.55']
    """
    ax = axes(ax, 8, 5.4)
    places = np.arange(len(_ROWS))
    for offset, memories, name, colour, hatch in (
        (-0.2, before, names[0], PALE, ""),
        (0.2, after, names[1], DARK, HATCH),
    ):
        affects = affects_of(memories, fields)
        shares = _shares(affects)
        ax.barh(
            places + offset,
            shares,
            0.4,
            color=colour,
            hatch=hatch,
            edgecolor="white",
            linewidth=0.8,
            label=f"{written(name, 30)}: {len(affects):,}{_means(affects)}",
        )
        for place, share in zip(places + offset, shares, strict=True):
            ax.annotate(
                _percent(share),
                (share, place),
                xytext=(3, 0),
                textcoords="offset points",
                va="center",
                color=INK,
                fontsize=SMALL - 1,
            )
    _finish(ax)
    return figure_of(ax)


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= _LEAST else "<1%" if share else ""


def _finish(ax: "Axes") -> None:
    from matplotlib.ticker import PercentFormatter  # noqa: PLC0415 - heavy

    ax.set_yticks(range(len(_ROWS)), _ROWS)
    ax.set_ylim(len(_ROWS) - 0.4, -0.6)
    ax.axhline(len(PLUTCHIK) - 0.5, color=FAINT, linewidth=1)
    ax.set_xlim(left=0, right=max(0.1, ax.get_xlim()[1]))
    ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    ax.grid(axis="x", color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.set_xlabel("mean share of each feeling", color=INK)
    title(ax, "What the memories feel like")
    bare(ax)
    legend(ax, ax.containers, below=34, columns=1)  # type: ignore[arg-type]
    for text in ax.get_legend().get_texts():  # type: ignore[union-attr]
        text.set_fontfamily(fonts())


def _shares(affects: Sequence[Affect]) -> list[float]:
    """The mean of each row of the picture; zeros of nothing."""
    total = np.zeros(len(_ROWS))
    for affect in affects:
        if (felt := affect.plutchik) is None:
            total[-1] += 1
        else:
            total[:-1] += [*felt.values(), affect.neutrality]
    return (total / max(1, len(affects))).tolist()  # type: ignore[no-any-return]


def _means(affects: Sequence[Affect]) -> str:
    words = ""
    for name, sign in (("valence", "+"), ("arousal", "")):
        known = [value for one in affects if (value := getattr(one, name)) is not None]
        if known:
            words += f", {name} {np.mean(known):{sign}.2f}"
    return words

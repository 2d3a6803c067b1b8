"""Memories in the plane of valence and arousal."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from numpy.typing import NDArray

from emomem.affect import Affect, AffectArray
from emomem.metadata import DEFAULT_FIELDS, MetadataFields
from emomem.ranking import PresentAffect, resolve_affect
from emomem.viz import labels as beside
from emomem.viz.canvas import (
    DARK,
    FAINT,
    GREY,
    INK,
    LINE,
    ORANGE,
    SMALL,
    axes,
    bare,
    figure_of,
    legend,
    say_empty,
    title,
    written,
)
from emomem.viz.items import Memory, affects_of, listed, text_of

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FloatArray = NDArray[np.float64]

_LABELS: Final = ("text", "emotion", None)
_MOST: Final = 14
"""Labels that are written."""
_WIDTH: Final = 26
_MANY: Final = 150
"""Points from which on they are small and see-through."""
_KINDS: Final = (
    ("unpleasant", LINE, "v"),
    ("neither", GREY, "s"),
    ("pleasant", DARK, "o"),
)
_CORNERS: Final = (
    (0.02, 0.98, "left", "top", "tense, upset"),
    (0.98, 0.98, "right", "top", "excited, glad"),
    (0.02, 0.05, "left", "bottom", "sad, tired"),
    (0.98, 0.05, "right", "bottom", "calm, content"),
)


def circumplex(
    memories: Iterable[Memory],
    labels: Literal["text", "emotion"] | None = "text",
    present: PresentAffect | None = None,
    fields: MetadataFields = DEFAULT_FIELDS,
    ax: "Axes | None" = None,
) -> "Figure":
    """Draw memories in the plane of valence and arousal (Russell 1980).

    The strongest feelings are labelled first, as many as have room. Where an emotion is known and a
    number is not, the number is what the emotion stands for. What has one number alone is a stroke
    at the edge, and what is not known at all is counted below: neither is drawn as 0.

    Args:
        memories: Units, documents or nodes with affect in their metadata, explanations, tuples of
            a text and an `Affect`, or `Affect`s.
        labels: What to write beside the points: the beginning of each memory's "text", which then
            stands readable in the picture, its "emotion", or None for nothing.
        present: The user's affect, as a star: an `Affect`, a label or a callable that returns one.
        fields: The metadata keys.
        ax: Where to draw, in its final size, since labels are placed for it; a figure of its own
            where it is left out.

    Returns:
        The figure; `figure.savefig("circumplex.png")` keeps it.

    Raises:
        ImportError: matplotlib is not installed.
        TypeError: A memory is nothing that has an affect, or `present` is none.
        ValueError: `labels` is none of those, or `present` no known emotion.

    Example:
        >>> memories = [("We danced", Affect.from_label("joy")), ("Dusk", Affect.unknown())]
        >>> figure = circumplex(memories)
        >>> [one.get_text() for one in figure.axes[0].get_legend().get_texts()]
        ['pleasant: 1', 'not known: 1']
    """
    seen = None if present is None else resolve_affect(present)
    if labels not in _LABELS:
        msg = f'labels must be "text", "emotion" or None, got {labels!r}'
        raise ValueError(msg)
    given = listed(memories)
    affects = affects_of(given, fields)
    ax = axes(ax, 7.2, 6.4)
    vad = AffectArray.from_affects(affects).vad[:, :2]
    _draw_plane(ax)
    handles = _draw_points(ax, vad)
    if not given:
        say_empty(ax, "no memory to draw")
    now = np.empty((0, 2))
    if seen is not None:
        now = AffectArray.from_affects([seen]).vad[:, :2]
        handles += _draw_present(ax, now)
    title(ax, f"How {len(given):,} {'memory feels' if len(given) == 1 else 'memories feel'}")
    legend(ax, handles, below=36)
    if labels is not None:
        order = np.argsort(-np.nan_to_num(np.hypot(vad[:, 0], vad[:, 1] - 0.5), nan=-1.0))
        rows = [row for row in order.tolist() if not np.isnan(vad[row]).any()]
        names = [_label(given[row], affects[row], labels) for row in rows]
        beside.place(ax, vad[rows], names, _MOST, now[~np.isnan(now).any(axis=1)])
    return figure_of(ax)


def _label(memory: Memory, affect: Affect, labels: Literal["text", "emotion"]) -> str:
    text = text_of(memory) if labels == "text" else affect.label or ""
    return written(text, _WIDTH, 2)


def _draw_plane(ax: "Axes") -> None:
    from matplotlib.patches import Ellipse  # noqa: PLC0415 - heavy

    ax.set_xlim(-1.08, 1.08)
    ax.set_ylim(-0.04, 1.04)
    ax.add_patch(Ellipse((0, 0.5), 2, 1, facecolor="#FAFAFA", edgecolor=FAINT, zorder=0))
    ax.axhline(0.5, color=FAINT, linewidth=1, zorder=0.5)
    ax.axvline(0, color=FAINT, linewidth=1, zorder=0.5)
    for x, y, side, end, words in _CORNERS:
        at = {"transform": ax.transAxes, "ha": side, "va": end}
        ax.text(x, y, words, color=GREY, style="italic", fontsize=SMALL, **at)  # type: ignore[arg-type]
    ax.set_xticks([-1, -0.5, 0, 0.5, 1])
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1])
    ax.set_xlabel("Valence (-1 unpleasant, 1 pleasant)", color=INK)
    ax.set_ylabel("Arousal (0 calm, 1 aroused)", color=INK)
    bare(ax, ("bottom", "left"))


def _draw_points(ax: "Axes", vad: FloatArray) -> "list[Artist]":
    """The points by kind, the strokes of what is half known, and what the legend says."""
    handles: list[Artist] = []
    many = len(vad) > _MANY
    size, alpha = (4.0, 0.6) if many else (6.5, 0.95)
    known = ~np.isnan(vad)
    kind = np.digitize(vad[:, 0], (-1 / 3, 1 / 3))
    for place, (name, colour, marker) in enumerate(_KINDS):
        if (rows := known.all(axis=1) & (kind == place)).any():
            handles += ax.plot(
                *vad[rows].T,
                marker,
                color=colour,
                markeredgecolor="white",
                markeredgewidth=0.6,
                markersize=size,
                alpha=alpha,
                label=f"{name}: {rows.sum():,}",
                zorder=3,
            )
    for column, marker, (x, y) in ((0, "|", (vad[:, 0], -0.02)), (1, "_", (-1.05, vad[:, 1]))):
        if (rows := known[:, column] & ~known[:, 1 - column]).any():
            label = f"{('valence', 'arousal')[column]} alone: {rows.sum():,}"
            places = [np.broadcast_to(one, len(vad))[rows] for one in (x, y)]
            handles += ax.plot(*places, marker, color=INK, markersize=8, label=label)
    if unknown := int((~known).all(axis=1).sum()):
        handles += ax.plot([], [], "x", color=GREY, label=f"not known: {unknown:,}")
    return handles


def _draw_present(ax: "Axes", now: FloatArray) -> "list[Artist]":
    known = not np.isnan(now).any()
    return list(
        ax.plot(
            *(now.T if known else ([], [])),
            "*",
            color=ORANGE,
            markeredgecolor=INK,
            markersize=15,
            zorder=5,
            label="the user now" if known else "the user now: not known",
        )
    )

"""Labels beside points, placed so that none covers another or a point."""

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from emomem.viz.canvas import GREY, INK, SMALL, figure_of, fonts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FloatArray = NDArray[np.float64]

_SIDES: Final = ((1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1), (0, 1), (0, -1))
_DISTANCES: Final = (7.0, 15.0, 26.0, 40.0, 56.0)
_MARGIN: Final = 2.0
_NEAR: Final = 10.0
_POINT: Final = 4.0
_STEPS: Final = 24
_TRIES: Final = 5
"""Times as many points are tried as may be labelled."""
_ALIGNED: Final = np.array([0.5, 0.0, 1.0])
"""The share of a label that lies on the other side, by direction: 0, 1 and -1."""


def place(
    ax: "Axes", points: FloatArray, texts: Sequence[str], most: int, others: FloatArray
) -> int:
    """Write labels beside the first points, each where there is room; what has none is left out.

    Args:
        ax: Where the points are drawn already, with limits that do not change any more.
        points: (n, 2) in data units.
        texts: (n,) what to write; the most important first; nothing where it is empty.
        most: How many labels at most.
        others: (m, 2) other places that no label may cover, in data units.

    Returns:
        How many were written.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - heavy

    figure = figure_of(ax)
    figure.draw_without_rendering()  # so that the axes are where they will be
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    scale = figure.dpi / 72
    at = ax.transData.transform(points)
    frame = np.asarray(ax.get_window_extent(renderer).extents)
    fixed = [np.asarray(text.get_window_extent(renderer).extents) for text in ax.texts]
    dots = np.vstack([at, ax.transData.transform(others.reshape(-1, 2))])
    taken = np.vstack([_around(dots, _POINT * scale), *fixed])
    written = 0
    tried = [row for row, text in enumerate(texts) if text][: _TRIES * most]
    for text, point, where in ((texts[row], points[row], at[row]) for row in tried):
        if written == most:
            break
        label = ax.annotate(
            text,
            point,
            xytext=(0, 0),
            textcoords="offset points",
            fontsize=SMALL,
            fontfamily=fonts(),
            color=INK,
            linespacing=1.0,
            zorder=4,
        )
        label.set_in_layout(False)
        size = np.asarray(label.get_window_extent(renderer).size)
        found = _room(where, size, taken, frame, scale)
        if found is None:
            label.remove()
            continue
        corner, boxes = found
        label.set_position(tuple(corner / scale))
        if len(boxes) > 1:
            ends = ax.transData.inverted().transform([where, _nearest(where, boxes[0])])
            ax.plot(*ends.T, color=GREY, linewidth=0.6, zorder=1.5)
        taken = np.vstack([taken, boxes])
        written += 1
    return written


def _room(
    where: FloatArray, size: FloatArray, taken: FloatArray, frame: FloatArray, scale: float
) -> tuple[FloatArray, FloatArray] | None:
    """Where a label has room: its lower left corner in pixels from the point, and what it takes.

    What it takes is its box, and behind it those along the line that leads to it, if it is far.
    """
    for distance, (right, up) in product(_DISTANCES, _SIDES):
        reach = distance * scale / np.hypot(right, up)
        # A label at the side is beside the point, and one above or below is centred over it.
        corner = np.array([right, up]) * reach - size * _ALIGNED[[right, up]]
        box = np.concatenate([where + corner - _MARGIN, where + corner + size + _MARGIN])
        if (box[:2] < frame[:2]).any() or (box[2:] > frame[2:]).any():
            continue
        boxes = box[None]
        if not _apart(boxes, taken):
            continue
        if distance > _NEAR:
            steps = np.linspace(0.25, 1, _STEPS)[:, None]
            boxes = np.vstack([box, _around(where + steps * (_nearest(where, box) - where), 1.0)])
        if _apart(boxes, taken):
            return corner, boxes
    return None


def _apart(boxes: FloatArray, taken: FloatArray) -> bool:
    """Whether no box covers one that is taken."""
    low, high = boxes[:, None, :2], boxes[:, None, 2:]
    return bool(((taken[:, :2] >= high) | (taken[:, 2:] <= low)).any(axis=2).all())


def _around(points: FloatArray, reach: float) -> FloatArray:
    """(n, 4) boxes around points."""
    return np.concatenate([points - reach, points + reach], axis=1)


def _nearest(where: FloatArray, box: FloatArray) -> FloatArray:
    """The place of a box that is nearest to a point."""
    return np.clip(where, box[:2], box[2:])

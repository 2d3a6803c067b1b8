"""In grey, without any colour, the series of a picture can still be told apart."""

import itertools

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("networkx")

from emomem import Affect, ArousalProfile, Explanation, MemoryUnit, viz
from emomem.memory.provenance import provenance
from emomem.memory.unit import ConflictContext

FELT = [
    Affect(valence=-0.8, arousal=0.9),
    Affect(valence=0.0, arousal=0.5),
    Affect(valence=0.8, arousal=0.1),
    Affect(valence=0.3),
    Affect(arousal=0.3),
    Affect.unknown(),
]
JOY, ANGER = Affect.from_label("joy"), Affect.from_label("anger")
VALUES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]


def unit(number, affect=JOY, **changes):
    values = {"user_id": "ann", "speaker": "ann", "created_at": number, "unit_id": f"u{number}"}
    return MemoryUnit(text="words", affect=affect, **values | changes)


def explained(*names):
    signals = dict.fromkeys(names, 0.5)
    return Explanation("words", 1, 2, 0.5, signals, {}, 1.0, "salience", "auto", JOY, "")


def graph():
    contradicts = ConflictContext(kind="evaluative", against="u1")
    return provenance(
        [
            unit(1, superseded_by="u2", status="superseded"),
            unit(2, conflicts=(contradicts,)),
            unit(3, kind="dream", sources=("u1", "u4")),
            unit(4, kind="affective"),
            unit(5, kind="goal", conflicts=(contradicts,)),
        ]
    )


PICTURES = {
    "circumplex": lambda: viz.circumplex(FELT, present=JOY),
    "affect_over_time": lambda: viz.affect_over_time([unit(i, one) for i, one in enumerate(FELT)]),
    "why": lambda: viz.why([explained("cosine", "match", "salience", "modulation")]),
    "conflict_graph": lambda: viz.conflict_graph(graph()),
    "affect_distribution": lambda: viz.affect_distribution([JOY], [ANGER]),
    "arousal_profile": lambda: viz.arousal_profile(ArousalProfile(VALUES)),
}


def lightness(colour):
    """CIE L*, 0 (black) to 100 (white), of relative luminance (IEC 61966-2-1)."""
    from matplotlib.colors import to_rgb

    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    return 116 * np.cbrt(luminance) - 16


def look(handle):
    """What is seen of a series in grey: its lightness, and its pattern."""
    if hasattr(handle, "get_marker"):
        marker = handle.get_marker()
        pattern = (marker, handle.get_linestyle())
        is_line = marker in ("None", "")
        return lightness(handle.get_color() if is_line else handle.get_markerfacecolor()), pattern
    return lightness(handle.get_facecolor()[:3]), handle.get_hatch()


@pytest.mark.parametrize("name", PICTURES)
def test_any_two_series_differ_in_lightness_or_in_pattern(name):
    looks = [look(handle) for handle in PICTURES[name]().axes[0].get_legend().legend_handles]
    assert len(looks) >= 2
    for (light, pattern), (other, its) in itertools.combinations(looks, 2):
        assert abs(light - other) > 15 or pattern != its


@pytest.mark.parametrize("name", ["why", "affect_distribution", "arousal_profile"])
def test_bars_side_by_side_differ_in_the_grey_of_their_pixels(name):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = PICTURES[name]()
    drawn = FigureCanvasAgg(figure)
    drawn.draw()
    grey = np.asarray(drawn.buffer_rgba())[::-1, :, :3] @ [0.2126, 0.7152, 0.0722] / 255
    means = []
    for bars in figure.axes[0].containers[:2]:
        box = max(bars, key=lambda bar: bar.get_width() * bar.get_height()).get_window_extent()
        left, bottom, right, top = np.round(box.extents).astype(int)
        means.append(grey[bottom + 2 : top - 2, left + 2 : right - 2].mean())
    assert abs(means[0] - means[1]) > 0.15


def test_the_colours_of_marks_can_be_seen_on_white():
    from emomem.viz import canvas

    for colour in (canvas.DARK, canvas.LINE, canvas.ORANGE, canvas.GREY, canvas.INK, canvas.PALE):
        assert lightness("white") - lightness(colour) > 15

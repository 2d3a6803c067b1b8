import sys

import pytest

from emomem import viz
from emomem.profile import ArousalProfile
from emomem.viz import canvas

pytest.importorskip("matplotlib")

VALUES = [0.12, 0.31, 0.33, 0.42, 0.43, 0.44, 0.58, 0.61, 0.72, 0.9]


@pytest.fixture
def profile():
    return ArousalProfile([*VALUES, None])


def test_bars_are_the_histogram_and_dark_where_they_trigger(profile):
    threshold = profile.recommend(0.5).threshold
    figure = viz.arousal_profile(profile, profile.recommend(0.5))
    below, above = figure.axes[0].containers
    heights = [bar.get_height() * profile.n for bar in below]
    assert heights == pytest.approx(profile.histogram[0].tolist())
    triggering = sum(bar.get_height() for bar in above) * profile.n
    assert triggering == pytest.approx(profile.calls(threshold))


def test_the_curve_is_the_trigger_rate_and_the_line_the_threshold(profile):
    recommended = profile.recommend()
    curve, line, point = viz.arousal_profile(profile).axes[1].lines
    assert curve.get_ydata()[0] == pytest.approx(10 / 11)
    assert curve.get_ydata()[-1] == 0
    assert list(line.get_xdata()) == [recommended.threshold] * 2
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (
        recommended.threshold,
        recommended.rate,
    )


def test_the_words_give_numbers(profile):
    figure = viz.arousal_profile(profile)
    assert figure.axes[0].get_title(loc="left") == "Arousal of 11 texts (known for 90.9%)"
    [words] = figure.axes[1].texts
    assert words.get_text() == "threshold 0.62: 18.2% trigger"
    assert len(figure.axes[0].get_legend().get_texts()) == 3


@pytest.mark.parametrize("limit", [{"budget": 0}, {"budget": 99}, {"target_rate": 0.4}])
def test_it_saves_wherever_the_threshold_lies(profile, tmp_path, limit):
    path = tmp_path / "a.png"
    viz.arousal_profile(profile, profile.recommend(**limit)).savefig(path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_it_draws_on_given_axes(profile):
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.add_subplot()
    assert viz.arousal_profile(profile, ax=axes) is figure
    assert axes.containers


def test_no_window_is_opened(profile):
    viz.arousal_profile(profile)
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or not pyplot.get_fignums()


def test_without_matplotlib_it_names_the_extra(profile, monkeypatch):
    monkeypatch.setattr(canvas, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"emomem\[viz\]"):
        viz.arousal_profile(profile)

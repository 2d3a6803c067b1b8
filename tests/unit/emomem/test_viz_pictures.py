import itertools
import sys
import warnings
from unicodedata import east_asian_width

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("matplotlib")
pytest.importorskip("networkx")

from emomem import Affect, Explanation, MemoryUnit, viz
from emomem.evaluation.statistics import Interval
from emomem.evaluation.tables import Table
from emomem.memory.inspecting import Opposed
from emomem.memory.provenance import provenance
from emomem.memory.unit import ConflictContext
from emomem.metadata import encode
from emomem.viz import canvas

JOY, SADNESS, ANGER = map(Affect.from_label, ("joy", "sadness", "anger"))
TABLE = Table(
    "Recall",
    ("arm", "nDCG@5", "difference", "note"),
    (
        ("plain", "0.523", "", "the baseline"),
        ("Auto", "0.597", "+0.074 [+0.040, +0.108]*", ""),
        ("shuffled", "0.510", "-0.013 [-0.040, +0.010]", ""),
    ),
)


def unit(number=0, affect=JOY, **changes):
    values = {"text": f"memory {number}", "user_id": "ann", "speaker": "ann"}
    values |= {"unit_id": f"unit-{number:04d}", "created_at": 3600.0 * number, "affect": affect}
    return MemoryUnit(**values | changes)


def explained(rank=1, without=3, signals=None, weights=None, **changes):
    values = {"document": unit(rank), "rank": rank, "rank_without_affect": without}
    values |= {"signals": {"cosine": 0.5, "match": 0.8} if signals is None else signals}
    values |= {"weights": {"cosine": 0.75, "match": 0.25} if weights is None else weights}
    values |= {"score": 0.575, "gate": 1.0, "strategy": "combination", "policy": "congruent"}
    return Explanation(**values | {"present": JOY, "reason": ""} | changes)


def words(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def named(figure):
    legend = figure.axes[0].get_legend()
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def rows(figure):
    return [label.get_text() for label in figure.axes[0].get_yticklabels()]


PICTURES = {
    "circumplex": lambda n, ax=None: viz.circumplex([unit(i) for i in range(n)], ax=ax),
    "affect_over_time": lambda n, ax=None: viz.affect_over_time(map(unit, range(n)), ax=ax),
    "why": lambda n, ax=None: viz.why([explained(i + 1, 1) for i in range(n)], ax=ax),
    "conflict_graph": lambda n, ax=None: viz.conflict_graph(
        provenance([unit(i, superseded_by=f"unit-{i + 1:04d}") for i in range(n)]), ax=ax
    ),
    "affect_distribution": lambda n, ax=None: viz.affect_distribution(
        [JOY] * n, [ANGER] * n, ax=ax
    ),
    "benchmark": lambda n, ax=None: viz.benchmark({f"arm {i}": i for i in range(n)}, ax=ax),
}


@pytest.mark.parametrize("count", [0, 1, 1000])
@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_can_be_saved_whatever_the_number_of_items(name, count, tmp_path):
    figure = PICTURES[name](count)
    figure.savefig(tmp_path / "a.png")
    width, height = figure.get_size_inches()
    assert width < 12
    assert height < 15
    assert len(figure.axes[0].texts) < 100


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_draws_on_given_axes_and_opens_no_window(name):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 7))
    left, right = figure.subplots(1, 2)
    assert PICTURES[name](3, right) is figure
    assert right.lines or right.patches
    assert not left.lines
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or not pyplot.get_fignums()


@pytest.mark.parametrize("name", PICTURES)
def test_without_matplotlib_every_picture_names_the_extra(name, monkeypatch):
    monkeypatch.setattr(canvas, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"emomem\[viz\]"):
        PICTURES[name](1)


# Letters


@given(st.text(), st.integers(5, 40), st.integers(1, 3))
def test_a_written_text_keeps_to_its_lines_and_width(text, width, lines):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = canvas.written(text, width, lines).replace(r"\$", "$").split("\n")
    assert len(found) <= lines
    for line in found:
        assert sum(2 if east_asian_width(one) in "WF" else 1 for one in line) <= width


def test_a_short_text_stays_and_a_long_one_breaks_at_a_space():
    assert canvas.written("cost  $5\nor $6", 40) == r"cost \$5 or \$6"
    assert canvas.written("The farewell at the old station", 14, 2) == "The farewell\nat the old…"


def test_letters_that_no_font_has_become_an_ellipsis_with_one_warning(monkeypatch):
    monkeypatch.setattr(canvas, "_letters", lambda: frozenset(range(128)))
    monkeypatch.setattr(canvas, "_warned", [])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert canvas.written("hi 我很孤单!", 40) == "hi …!"
        assert canvas.written("爸爸", 40) == "…"
    [warning] = caught
    assert "U+" in str(warning.message)
    assert "我" not in str(warning.message)


def test_chinese_is_drawn_without_boxes_where_a_font_has_it():
    if len(canvas.fonts()) == 1:
        pytest.skip("no font with Chinese is installed")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # matplotlib warns of a glyph that it does not find
        figure = viz.circumplex([("今天和爸爸一起出海", JOY), ("我很生气", ANGER)])
        figure.draw_without_rendering()
    assert "我很生气" in words(figure)


# Circumplex


@pytest.mark.parametrize("seed", range(3))
def test_no_label_covers_another_or_a_point(seed):
    rng = np.random.default_rng(seed)
    felt = [
        Affect(valence=float(v), arousal=float(a))
        for v, a in zip(rng.normal(0.5, 0.2, 40).clip(-1, 1), rng.beta(4, 2, 40), strict=True)
    ]
    memories = [(f"A text of some length, number {i}", one) for i, one in enumerate(felt)]
    figure = viz.circumplex(memories, present=JOY)
    figure.draw_without_rendering()
    ax = figure.axes[0]
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) > 4 + 3  # the corners, and some labels
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    points = ax.transData.transform([[one.valence, one.arousal] for one in felt])
    assert not any(box.contains(*point) for box in boxes for point in points)


def test_the_present_affect_may_be_a_label():
    stars = [
        viz.circumplex([JOY], present=one).axes[0].lines[-1].get_xydata().tolist()
        for one in ("joy", Affect.from_label("joy"))
    ]
    assert stars[0] == stars[1]
    with pytest.raises(TypeError, match="got int"):
        viz.circumplex([JOY], present=3)


def test_what_is_not_known_is_told_and_not_drawn_as_zero():
    half = [Affect(valence=0.4), Affect(arousal=0.7), Affect.unknown(), Affect.unknown()]
    figure = viz.circumplex(half)
    assert named(figure) == ["valence alone: 1", "arousal alone: 1", "not known: 2"]
    below, beside, unknown = [one for one in figure.axes[0].lines if one.get_label()[0] != "_"]
    assert below.get_ydata()[0] < 0
    assert beside.get_xdata()[0] < -1
    assert not len(unknown.get_xdata())


def test_labels_are_texts_emotions_or_nothing():
    memories = [("We danced until sunrise", JOY)]
    assert "We danced until sunrise" in words(viz.circumplex(memories))
    assert words(viz.circumplex(memories, labels="emotion"))[-1] == "joy"
    assert len(words(viz.circumplex(memories, labels=None))) == 4


def test_documents_and_nodes_of_both_frameworks_are_read():
    from langchain_core.documents import Document
    from llama_index.core.schema import NodeWithScore, TextNode

    tags = encode(JOY)
    node = NodeWithScore(node=TextNode(text="a node", metadata=tags), score=0.5)
    memories = [Document("a document", metadata=tags), node, explained(), Affect.unknown()]
    figure = viz.circumplex(memories)
    assert {"a document", "a node", "memory 1"} <= set(words(figure))
    assert named(figure) == ["pleasant: 3", "not known: 1"]


@pytest.mark.parametrize(
    ("draw", "given", "says"),
    [
        (viz.circumplex, [0.5], "got a float"),
        (viz.circumplex, [()], "got a tuple"),
        (viz.circumplex, JOY, "in a list, got one Affect alone"),
        (viz.affect_over_time, unit(), "in a list, got one MemoryUnit alone"),
        (
            viz.affect_over_time,
            [JOY],
            r"list of MemoryUnit .* memory\.timeline.* one Affect",
        ),
        (viz.why, [unit()], "list of Explanation is drawn, .* one MemoryUnit"),
        (viz.conflict_graph, [unit()], "list of Opposed is drawn, .* one MemoryUnit"),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_its_type(draw, given, says):
    with pytest.raises(TypeError, match=says):
        draw(given)


def test_labels_of_another_name_are_refused():
    with pytest.raises(ValueError, match='labels must be "text", "emotion" or None, got \'x\''):
        viz.circumplex([], labels="x")


# Affect over time


def test_points_are_valences_and_the_line_is_the_mood_of_the_user_alone():
    units = [unit(0, JOY), unit(1, ANGER, experiencer="Sam"), unit(2, Affect.unknown())]
    figure = viz.affect_over_time(units)
    drawn = {one.get_label(): one for one in figure.axes[0].lines}
    assert list(drawn["aroused"].get_ydata()) == [JOY.valence, ANGER.valence]
    assert drawn["valence not known: 1"].get_ydata()[0] < -1
    assert drawn["mood"].get_ydata() == pytest.approx(JOY.valence)


# Why


def test_bars_are_what_each_signal_adds_to_the_score():
    figure = viz.why([explained(), explained(2, 1, {"cosine": 0.4})], "that evening")
    meaning, feeling = figure.axes[0].containers
    assert [bar.get_width() for bar in meaning] == pytest.approx([0.375, 0.3])
    assert [bar.get_width() for bar in feeling] == pytest.approx([0.2, 0])
    assert [bar.get_x() for bar in feeling] == pytest.approx([0.375, 0.3])
    assert {"0.57", "feeling not known", "▲ 3 → 1", "▼ 1 → 2"} <= set(words(figure))
    assert named(figure) == ["meaning", "feeling"]


def test_signals_without_weights_stand_side_by_side():
    found = [explained(weights={}), explained(2, None, {"cosine": 0.4}, {})]
    figure = viz.why(found)
    meaning, feeling = figure.axes[0].containers
    assert [bar.get_width() for bar in meaning] == pytest.approx([0.5, 0.4])
    assert {bar.get_x() for bar in feeling} == {0}
    assert {"not known", "▲ far → 2"} <= set(words(figure))
    assert figure.axes[0].get_xlabel() == "signal"


def test_a_plain_call_says_why_and_has_no_bars():
    plain = explained(1, 1, {}, {}, score=None, gate=0.0, reason="a factual question")
    figure = viz.why([plain])
    assert not figure.axes[0].containers
    assert {"the plain call: a factual question", "= 1 → 1"} <= set(words(figure))


def test_what_plain_recall_gives_and_was_left_out_stands_below():
    figure = viz.why([explained()], plain=[unit(7), unit(1), unit(8)])
    assert rows(figure) == ["memory 1", "memory 7", "memory 8"]
    assert words(figure)[-2:] == ["▼ 1 → left out", "▼ 3 → left out"]


def test_where_nothing_came_back_it_says_so():
    assert words(viz.why([], plain=[unit(7)]))[0] == "nothing of it came back"


def test_only_the_best_are_drawn_and_the_rest_is_counted():
    figure = viz.why([explained(rank) for rank in range(1, 1001)])
    assert len(rows(figure)) == 20
    assert "and 980 more" in words(figure)


# Conflicts


def sides():
    context = ConflictContext(kind="fact_update", against="unit-0001", intensity=0.5)
    early = unit(1, superseded_by="unit-0002", status="superseded")
    late = unit(2, conflicts=(context,))
    mirror = context.model_copy(update={"against": "unit-0002"})
    return early.model_copy(update={"conflicts": (mirror,)}), late, context


def test_a_conflict_is_one_line_with_both_texts_the_oldest_above():
    early, late, context = sides()
    for figure in (
        viz.conflict_graph([Opposed(context, late, early)]),
        viz.conflict_graph(provenance([late, early]), [early, late]),
    ):
        texts = words(figure)
        assert texts.count("fact update") == 1
        assert texts.index("memory 1") < texts.index("memory 2")
        assert named(figure) == ["replaced by", "contradicts", "fact", "hollow: no longer current"]
        assert len(figure.axes[0].patches) == 2


def test_without_units_no_text_is_drawn_and_what_is_alone_is_left_out():
    early, late, _ = sides()
    texts = words(viz.conflict_graph(provenance([early, late, unit(3)])))
    assert texts == ["fact update", "1970-01-01", "…nit-0001", "1970-01-01", "…nit-0002"]


def test_what_was_made_from_others_and_others_known_by_their_id():
    dream = unit(5, kind="dream", sources=("gone-0001", "unit-0001"))
    figure = viz.conflict_graph(provenance([unit(1), dream]), [unit(1), dream])
    assert named(figure) == ["made from", "known by its id", "fact", "dream"]
    assert "…one-0001" in words(figure)


def test_the_latest_relations_are_drawn_and_the_others_counted():
    units = [unit(i, superseded_by=f"unit-{i + 1:04d}") for i in range(99)]
    figure = viz.conflict_graph(provenance([*units, unit(99)]), units)
    assert "memory 98" in words(figure)
    assert "and 76 earlier" in words(figure)


# Distribution


def test_shares_sum_to_one_and_unknown_is_not_neutral():
    felt = [JOY, SADNESS, Affect.unknown(), Affect(valence=0.0)]
    figure = viz.affect_distribution(felt, [Affect.neutral()], ("a", "b"))
    before, after = [[bar.get_width() for bar in bars] for bars in figure.axes[0].containers]
    assert sum(before) == pytest.approx(1)
    assert before[-1] == pytest.approx(0.5)
    assert after[-2:] == pytest.approx([1, 0])
    assert rows(figure)[-2:] == ["neutral", "not known"]
    assert named(figure)[0].startswith("a: 4, valence ")


# Benchmarks


def test_a_table_is_drawn_by_its_intervals():
    figure = viz.benchmark(TABLE, highlight="Auto")
    ax = figure.axes[0]
    assert ax.get_title(loc="left") == "Recall"
    assert ax.get_xlabel() == "difference; bars: 95% intervals"
    assert words(figure) == ["no figure"]
    segments = [list(one.get_xdata()) for one in ax.lines if len(one.get_xdata()) == 2]
    assert [0.04, 0.108] in segments
    assert [-0.04, 0.01] in segments
    assert {one.get_marker() for one in ax.lines} >= {"D", "o"}


def test_a_column_can_be_chosen_and_must_hold_numbers():
    figure = viz.benchmark(TABLE, "nDCG@5")
    assert [one.get_xdata()[0] for one in figure.axes[0].lines] == [0.523, 0.597, 0.51]
    assert figure.axes[0].get_xlim()[0] == 0
    for wrong in ("note", "speed"):
        with pytest.raises(ValueError, match=rf"\(nDCG@5, difference\), got '{wrong}'"):
            viz.benchmark(TABLE, wrong)


def test_rows_of_a_benchmark_are_named_by_what_tells_them_apart():
    data = [
        {"engine": "chroma", "size": 10, "same": "yes", "ms": 1.5},
        {"engine": "chroma", "size": 100, "same": "yes", "ms": 2},
    ]
    figure = viz.benchmark(data, "ms")
    assert rows(figure) == ["chroma, 10", "chroma, 100"]
    assert [one.get_xdata()[0] for one in figure.axes[0].lines] == [1.5, 2]


def test_figures_by_their_names_of_each_form():
    figure = viz.benchmark(
        {"a": 1, "b": Interval(0.5, 0.4, 0.6), "c": vars(Interval(2, 1, 3)), "d": None}
    )
    assert [list(one.get_xdata()) for one in figure.axes[0].lines] == [
        [1.0], [0.4, 0.6], [0.5], [1, 3], [2],
    ]  # fmt: skip
    assert words(figure) == ["no figure"]
    of_nothing = {"mean": None, "low": None, "high": None}
    assert words(viz.benchmark({"a": of_nothing, "b": 1})) == ["no figure"]
    with pytest.raises(ValueError, match="no number to draw among a"):
        viz.benchmark({"a": None})

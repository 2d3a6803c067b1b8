import copy
import pickle
import threading
import time

import numpy as np
import pytest
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events.rerank import ReRankEndEvent, ReRankStartEvent
from llama_index.core.llms import MockLLM
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import IndexNode, NodeWithScore, QueryBundle, TextNode
from pydantic import Field, ValidationError

from emomem import Affect, Auto, Combination, Comfort, MetadataFields
from emomem.ranking import STRATEGIES
from emomem.scales import PLUTCHIK_10
from llamaindex_emomem import AffectPostprocessor, AffectQueryBundle, LLMAppraiser

QUERY = "that evening"
SAD = {"affect": "sadness", "policy": "congruent"}
SADDEST = "goodbye at the station"


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("metric", ["cosine_similarity", None])
async def test_sync_async_and_a_second_time_agree_and_nothing_is_changed(scored, strategy, metric):
    postprocessor = AffectPostprocessor(strategy=strategy, metric=metric, top_n=5, **SAD)
    before = copy.deepcopy(scored)

    first = postprocessor.postprocess_nodes(scored, query_str=QUERY)

    assert len(first) == 5
    assert postprocessor.postprocess_nodes(scored, query_str=QUERY) == first
    assert await postprocessor.apostprocess_nodes(scored, query_str=QUERY) == first
    assert scored == before
    if strategy == "semantic":
        assert first == scored[:5]
    else:
        assert [one.score for one in first] == sorted({one.score for one in first}, reverse=True)


def test_without_top_n_all_come_back(scored):
    found = AffectPostprocessor(**SAD).postprocess_nodes(scored, query_str=QUERY)
    assert sorted(one.node_id for one in found) == sorted(one.node_id for one in scored)


@pytest.mark.parametrize(
    "options",
    [
        {"affect": "sadness", "policy": "off"},
        {"affect": "sadness", "strategy": "semantic"},
        {"affect": Affect.neutral()},
    ],
    ids=["off", "semantic", "neutral"],
)
def test_where_affect_has_no_say_the_order_stays(scored, options):
    postprocessor = AffectPostprocessor(top_n=3, metric="cosine_similarity", **options)
    assert postprocessor.postprocess_nodes(scored[::-1], query_str=QUERY) == scored[::-1][:3]


async def test_without_a_query_what_is_stated_counts(scored, scripted, said):
    appraiser = scripted({})
    stated = AffectPostprocessor(top_n=1, **SAD)
    reading = AffectPostprocessor(top_n=2, appraiser=appraiser)

    assert said(stated.postprocess_nodes(scored)) == [SADDEST]
    assert said(await stated.apostprocess_nodes(scored)) == [SADDEST]
    assert reading.postprocess_nodes(scored) == scored[:2]
    assert appraiser.asked == []
    assert stated.postprocess_nodes([]) == await stated.apostprocess_nodes([]) == []


def nodes(*pairs):
    return [
        NodeWithScore(
            node=TextNode(text=label, metadata={"affect_label": label} if label != "none" else {}),
            score=score,
        )
        for label, score in pairs
    ]


def test_a_node_without_a_score_makes_the_order_count(said):
    pool = nodes(("joy", 0.1), ("sadness", None), ("none", 0.9))
    by_order = AffectPostprocessor(**SAD).postprocess_nodes(pool)

    found = AffectPostprocessor(metric="cosine_similarity", **SAD).postprocess_nodes(pool)

    assert found == by_order
    assert said(found) == ["joy", "sadness", "none"]


def test_scores_of_zero_and_below_are_scores(said):
    pool = nodes(("joy", -0.5), ("none", 0.0), ("grief", -0.1), ("anger", -0.9))
    postprocessor = AffectPostprocessor(
        metric="cosine_similarity", strategy=Combination(weight=0.01), **SAD
    )

    found = postprocessor.postprocess_nodes(pool)

    assert said(found) == ["none", "grief", "joy", "anger"]


def test_a_reference_of_score_zero_is_not_promoted():
    refers = IndexNode(text="refers", index_id="i", obj=TextNode(text="full"))
    pool = [*nodes(("joy", 0.4), ("joy", 0.2)), NodeWithScore(node=refers, score=0.0)]

    found = AffectPostprocessor(metric="cosine_similarity", **SAD).postprocess_nodes(pool)

    assert found[2].node is refers
    assert found[2].score == 0.0


def test_scores_are_turned_into_cosines_and_not_the_order(scored, said):
    as_chroma = [
        NodeWithScore(node=one.node, score=float(np.exp(-(1 - one.score)))) for one in scored
    ]
    expected = AffectPostprocessor(metric="cosine_similarity", **SAD).postprocess_nodes(scored)

    found = AffectPostprocessor(metric="exp_cosine_distance", **SAD).postprocess_nodes(
        as_chroma[::-1]
    )

    assert said(found) == said(expected)


def test_one_query_may_say_how_the_user_feels(scored, said, scripted):
    postprocessor = AffectPostprocessor(
        appraiser=scripted({f"we lost\n{QUERY}": "sadness"}), top_n=1
    )
    asked = AffectQueryBundle(QUERY, policy="congruent", conversation=["we lost"])

    assert said(postprocessor.postprocess_nodes(scored, asked)) == [SADDEST]
    assert said(postprocessor.postprocess_nodes(scored, query_str=QUERY)) == [
        "a picnic by the river"
    ]


class Heard(BaseEventHandler):
    events: list = Field(default_factory=list)

    def handle(self, event, **kwargs):
        self.events.append(event)


@pytest.fixture
def heard():
    handler = Heard(events=[])
    root = get_dispatcher()
    root.add_event_handler(handler)
    yield handler.events
    root.event_handlers.remove(handler)


@pytest.mark.parametrize("is_async", [False, True])
async def test_rerank_events_are_emitted(scored, heard, is_async):
    debug = LlamaDebugHandler(print_trace_on_end=False)
    postprocessor = AffectPostprocessor(top_n=2, **SAD)
    postprocessor.callback_manager = CallbackManager([debug])
    bundle = QueryBundle(QUERY)

    if is_async:
        found = await postprocessor.apostprocess_nodes(scored, bundle)
    else:
        found = postprocessor.postprocess_nodes(scored, bundle)

    [start] = [one for one in heard if isinstance(one, ReRankStartEvent)]
    [end] = [one for one in heard if isinstance(one, ReRankEndEvent)]
    assert (start.query, start.nodes, start.top_n) == (bundle, scored, 2)
    assert start.model_name == "emomem:combination"
    assert end.nodes == found
    [[began, ended]] = debug.get_event_pairs(CBEventType.RERANKING)
    assert began.payload["query_str"] == QUERY
    assert ended.payload["nodes"] == found


async def test_async_does_not_block_the_loop(scored, scripted, longest_block):
    appraiser = scripted({QUERY: "sadness"})
    read = appraiser._read

    def slow(texts):
        time.sleep(0.6)
        return read(texts)

    appraiser._read = slow
    work = AffectPostprocessor(appraiser=appraiser).apostprocess_nodes(scored, query_str=QUERY)
    found, longest = await longest_block(work)

    assert len(found) == len(scored)
    assert longest < 0.5
    assert threading.get_ident() not in appraiser.threads


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"affect": "joy"},
        {"affect": Affect(valence=np.float32(0.5), arousal=np.float64(0.25)), "top_n": 3},
        {"affect": Affect.from_label("joy")},
        {"strategy": "sequence", "policy": Comfort(floor=np.float64(-0.5), cap=2)},
        {"strategy": Combination(weight=np.float64(0.1)), "policy": Auto("care")},
        {"metric": "exp_cosine_distance", "fields": MetadataFields(prefix="mood_")},
        {
            "affect": "joy",
            "fields": MetadataFields(importance="weight", scales={"importance": PLUTCHIK_10}),
        },
    ],
    ids=repr,
)
def test_it_is_written_as_data_and_made_again(scored, options, said):
    postprocessor = AffectPostprocessor(**options)
    data = postprocessor.to_dict()

    again = AffectPostprocessor.from_dict(data)

    assert (
        AffectPostprocessor.from_json(postprocessor.to_json()).to_dict() == data == again.to_dict()
    )
    assert all(type(one) in NATIVE for one in leaves(data))
    assert said(again.postprocess_nodes(scored, query_str=QUERY)) == said(
        postprocessor.postprocess_nodes(scored, query_str=QUERY)
    )


NATIVE = (str, float, int, bool, type(None))


def leaves(value):
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from leaves(part)
    else:
        yield value


def test_what_is_code_is_not_written(scripted):
    llm = MockLLM()
    object.__setattr__(llm, "api_key", "sk-secret")
    mood = AffectPostprocessor(affect=lambda: "joy")

    assert "secret" not in AffectPostprocessor(appraiser=LLMAppraiser(llm)).to_json()
    for write in (mood.to_dict, mood.to_json):
        with pytest.raises(ValueError, match="a callable is code"):
            write()
    with pytest.raises(TypeError, match="function cannot be sent to another process"):
        pickle.dumps(AffectPostprocessor(affect=lambda: "joy"))
    written = AffectPostprocessor(appraiser=LLMAppraiser(llm)).to_dict()
    with pytest.raises(ValueError, match=r"'chat:MockLLM.*, got 'emomem:2'; give it"):
        AffectPostprocessor.from_dict(written)
    own = MetadataFields(scales={"valence": lambda value: value / 2})
    with pytest.raises(ValueError, match="valence is code"):
        AffectPostprocessor(affect="joy", fields=own).to_dict()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"top_n": 0}, "top_n must be >= 1, got 0"),
        ({"strategy": "best"}, "one of semantic, .*'best'"),
        ({"strategy": {"name": "best"}}, "one of semantic, .*'best'"),
        ({"strategy": {"name": "combination", "much": 1}}, "no options of Combination: much"),
        ({"policy": "best"}, "one of auto, .*'best'"),
        ({"affect": "sadnes"}, "sadnes"),
        ({"metric": "euclid"}, "cosine_similarity"),
        ({"appraiser": object()}, "appraiser"),
        ({"k": 3}, "k\n.*not permitted"),
    ],
)
def test_a_wrong_argument_raises_at_construction_and_later(wrong, says):
    with pytest.raises(ValidationError, match=says):
        AffectPostprocessor(**{"affect": "joy", **wrong})
    [(name, value)] = wrong.items()
    if name in AffectPostprocessor.model_fields:
        postprocessor = AffectPostprocessor(affect="joy")
        before = postprocessor.to_dict()
        with pytest.raises(ValidationError, match=says):
            setattr(postprocessor, name, value)
        assert postprocessor.to_dict() == before


def test_it_is_a_llamaindex_postprocessor():
    assert BaseNodePostprocessor in AffectPostprocessor.__mro__
    assert AffectPostprocessor.class_name() == "AffectPostprocessor"

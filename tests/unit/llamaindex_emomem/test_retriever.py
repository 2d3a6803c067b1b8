import asyncio
import copy
import itertools
import logging
import re
import threading
import time
import uuid
import warnings

import chromadb
import pytest
from chromadb.config import Settings
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core import MockEmbedding, PropertyGraphIndex, SummaryIndex, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks import CallbackManager, LlamaDebugHandler
from llama_index.core.llms import ChatMessage, MockLLM
from llama_index.core.postprocessor import LongContextReorder
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.core.schema import IndexNode, MetadataMode, QueryBundle, TextNode
from llama_index.core.vector_stores import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    SimpleVectorStore,
)
from llama_index.vector_stores.chroma import ChromaVectorStore

from emomem import Affect, Auto, Combination, MetadataFields, Salience
from emomem.ranking import STRATEGIES
from emomem.ranking import Sequence as InSequence
from langchain_emomem import AffectModulatedRetriever as LangChainRetriever
from langchain_emomem import AffectReranker
from llamaindex_emomem import (
    AffectModulatedRetriever,
    AffectPostprocessor,
    AffectQueryBundle,
    LLMAppraiser,
)
from llamaindex_emomem.stores import check_filters, passes, surely_filters

QUERY = "that evening"
ALL = [
    *STRATEGIES,
    Combination(fusion="multiply"),
    Combination(scale="pool"),
    Combination(scale="paper"),
    InSequence(first="emotion", pool=5),
    Salience(prefetch=4),
]
POLICIES = ["congruent", "comfort", "lesson", "off", "auto", Auto("care"), Auto("research")]


def only(key, value, operator=FilterOperator.EQ):
    return MetadataFilters(filters=[MetadataFilter(key=key, value=value, operator=operator)])


def contents(nodes):
    return [one.node.get_content() for one in nodes]


@pytest.fixture
def store(diary, diary_encoder):
    """The diary on the LangChain side."""
    store = InMemoryVectorStore(diary_encoder)
    store.add_documents(diary)
    return store


@pytest.fixture
def reranked(diary, texts):
    """What LangChain's reranker makes of the diary."""
    return lambda **options: texts(AffectReranker(**options).compress_documents(diary, QUERY))


@pytest.mark.parametrize("affect", ["sadness", "joy", Affect(valence=-0.9, conflict=0.9)], ids=str)
@pytest.mark.parametrize("strategy", ALL, ids=repr)
@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_it_ranks_as_the_langchain_side_does(index, store, *, strategy, policy, affect):
    """The same query, pool and settings give the same order in both frameworks."""
    options = {"strategy": strategy, "policy": policy, "affect": affect}
    theirs = LangChainRetriever(vectorstore=store, k=4, **options)
    ours = AffectModulatedRetriever(index, similarity_top_k=4, **options)

    try:
        expected = [one.page_content for one in theirs.invoke(QUERY)]
    except ValueError as error:  # it wants a distribution, and says so on both sides
        with pytest.raises(ValueError, match=re.escape(str(error))):
            ours.retrieve(QUERY)
    else:
        assert contents(ours.retrieve(QUERY)) == expected
        assert contents(asyncio.run(ours.aretrieve(QUERY))) == expected


@pytest.mark.parametrize("strategy", ALL, ids=repr)
@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_the_postprocessor_ranks_as_the_langchain_side_does(
    scored, reranked, diary_encoder, *, strategy, policy
):
    options = {"strategy": strategy, "policy": policy, "affect": "sadness", "top_n": 5}
    known = AffectPostprocessor(metric="cosine_similarity", **options)

    assert contents(known.postprocess_nodes(scored, query_str=QUERY)) == reranked(
        embeddings=diary_encoder, **options
    )
    if strategy != Combination(scale="paper"):  # it needs cosines
        by_order = AffectPostprocessor(**options)
        assert contents(by_order.postprocess_nodes(scored, query_str=QUERY)) == reranked(**options)


def test_explanations_are_those_of_the_langchain_side(index, store):
    options = {"affect": "sadness", "policy": "congruent"}

    theirs = LangChainRetriever(vectorstore=store, k=4, **options).explain(QUERY)
    ours = AffectModulatedRetriever(index, similarity_top_k=4, **options).explain(QUERY)

    assert [one.document.node.get_content() for one in ours] == [
        one.document.page_content for one in theirs
    ]
    assert [(one.rank, one.rank_without_affect, one.reason) for one in ours] == [
        (one.rank, one.rank_without_affect, one.reason) for one in theirs
    ]
    assert [one.score for one in ours] == pytest.approx([one.score for one in theirs])


@pytest.mark.parametrize(
    "options",
    [
        {"affect": "sadness", "policy": "off"},
        {"affect": "sadness", "strategy": "semantic"},
        {"affect": Affect.neutral()},
    ],
    ids=["off", "semantic", "neutral"],
)
async def test_where_feeling_has_no_say_it_makes_the_plain_call(index, monkeypatch, options):
    asked = []
    query = SimpleVectorStore.query
    monkeypatch.setattr(
        SimpleVectorStore,
        "query",
        lambda store, given, **kwargs: asked.append(given) or query(store, given, **kwargs),
    )
    filters = only("user_id", "ann")
    ours = AffectModulatedRetriever(index, similarity_top_k=3, filters=filters, **options)
    plain = index.as_retriever(similarity_top_k=3, filters=filters)

    assert ours.retrieve(QUERY) == plain.retrieve(QUERY)
    assert await ours.aretrieve(QUERY) == await plain.aretrieve(QUERY)
    assert asked[0] == asked[1] == asked[2] == asked[3]


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_asking_twice_changes_nothing_and_nothing_is_mutated(index, strategy):
    held = index.docstore.docs
    before = copy.deepcopy(held)
    bundle = QueryBundle(QUERY)
    retriever = AffectModulatedRetriever(
        index, strategy=strategy, affect="sadness", similarity_top_k=5
    )

    first = retriever.retrieve(bundle)

    assert first == retriever.retrieve(bundle) == await retriever.aretrieve(bundle)
    assert bundle == QueryBundle(QUERY)
    assert index.docstore.docs == before


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("policy", ["congruent", "comfort", "lesson"])
def test_a_nodes_score_is_the_rankings_own_and_falls_with_the_order(index, strategy, policy):
    plain = index.as_retriever(similarity_top_k=10).retrieve(QUERY)
    ours = AffectModulatedRetriever(
        index, strategy=strategy, policy=policy, affect="sadness", similarity_top_k=8
    )

    found, explained = ours.retrieve(QUERY), ours.explain(QUERY)

    if explained[0].score is None:
        assert found == plain[:8]
        return
    scores = [one.score for one in found]
    assert all(after < before for before, after in itertools.pairwise(scores))
    assert scores[0] == explained[0].score
    assert all(one.document in plain for one in explained)


@pytest.mark.parametrize("strategy", ["combination", "sequence", "salience"])
@pytest.mark.parametrize("mode", FUSION_MODES)
def test_what_sorts_by_score_keeps_to_the_ranking(index, said, strategy, mode):
    ours = AffectModulatedRetriever(
        index, strategy=strategy, affect="sadness", policy="congruent", similarity_top_k=5
    )
    fusion = QueryFusionRetriever(
        [ours], llm=MockLLM(), num_queries=1, mode=mode, similarity_top_k=5, use_async=False
    )
    order = said(ours.retrieve(QUERY))

    assert said(fusion.retrieve(QUERY)) == order
    arranged = said(LongContextReorder().postprocess_nodes(ours.retrieve(QUERY)))
    assert arranged == [*order[::2], *order[1::2][::-1]]


def test_filters_are_pushed_down(index, said, monkeypatch):
    asked = []
    query = SimpleVectorStore.query
    monkeypatch.setattr(
        SimpleVectorStore,
        "query",
        lambda store, given, **kwargs: asked.append(given) or query(store, given, **kwargs),
    )
    filters = MetadataFilters(
        filters=[
            MetadataFilter(key="user_id", value="ann"),
            MetadataFilter(key="affect_valence", value=0.0, operator=FilterOperator.LT),
        ]
    )

    found = AffectModulatedRetriever(
        index, filters=filters, affect="sadness", similarity_top_k=9
    ).retrieve(QUERY)

    assert sorted(said(found)) == ["goodbye at the station", "nobody called", "the row about money"]
    assert [one.filters for one in asked] == [filters]


@pytest.fixture
def careless(monkeypatch, diary_nodes, embed_model):
    """An index over a store that ignores filters, and the sizes that it was asked for."""
    sizes = []

    def query(store, given, **kwargs):
        sizes.append(given.similarity_top_k)
        given.filters = None
        return plain(store, given, **kwargs)

    plain = SimpleVectorStore.query
    monkeypatch.setattr(SimpleVectorStore, "query", query)
    monkeypatch.setattr("llamaindex_emomem.stores._FILTERING", ())
    return VectorStoreIndex(diary_nodes, embed_model=embed_model), sizes


async def test_a_store_that_may_ignore_filters_is_checked_and_searched_wider(careless, said):
    index, sizes = careless
    retriever = AffectModulatedRetriever(
        index, filters=only("user_id", "bob"), affect="joy", similarity_top_k=3, fetch_k=3
    )

    found = retriever.retrieve(QUERY)

    assert {one.node.metadata["user_id"] for one in found} == {"bob"}
    assert len(found) == 3
    assert sizes == [3, 12]
    assert await retriever.aretrieve(QUERY) == found


@pytest.mark.parametrize("value", ["x' or '1' = '1", ["ann", "o'hara"]])
def test_a_quote_is_refused_where_the_engine_writes_it_into_its_sql(value):
    postgres = type("PGVectorStore", (), {})()
    operator = FilterOperator.IN if isinstance(value, list) else FilterOperator.EQ
    filters = MetadataFilters(filters=[only("user_id", value, operator)])

    with pytest.raises(ValueError, match="'user_id' has a quote, which PGVectorStore"):
        check_filters(filters, postgres)
    with pytest.raises(ValueError, match="has a quote, which PGVectorStore"):
        check_filters(only("user' --", "ann"), postgres)
    check_filters(filters, SimpleVectorStore())
    assert not surely_filters(postgres)


@pytest.mark.parametrize("policy", ["off", "congruent"])
def test_where_no_node_passes_none_comes_back(careless, policy):
    index, _ = careless
    filters = only("user_id", "carl")
    retriever = AffectModulatedRetriever(index, filters=filters, affect="joy", policy=policy)

    assert retriever.retrieve(QUERY) == []
    assert retriever.explain(QUERY) == []


@pytest.mark.parametrize(
    ("filters", "passing"),
    [
        (only("day", 1), {1}),
        (only("day", [1, 2], FilterOperator.IN), {1, 2}),
        (only("day", 8, FilterOperator.GTE), {8, 9}),
        (only("nothing", None, FilterOperator.IS_EMPTY), set(range(10))),
        (
            MetadataFilters(
                condition=FilterCondition.NOT,
                filters=[only("day", 7, FilterOperator.LT), MetadataFilter(key="day", value=9)],
            ),
            {7, 8},
        ),
        (
            MetadataFilters(
                condition=FilterCondition.OR,
                filters=[
                    MetadataFilters(
                        filters=[
                            MetadataFilter(key="day", value=3, operator=FilterOperator.LT),
                            MetadataFilter(key="user_id", value="ann"),
                        ]
                    ),
                    MetadataFilter(key="day", value=9),
                ],
            ),
            {0, 2, 9},
        ),
        (MetadataFilters(filters=[]), set(range(10))),
    ],
)
def test_filters_are_checked_as_they_nest(careless, filters, passing):
    index, _ = careless
    found = AffectModulatedRetriever(
        index, filters=filters, affect="joy", similarity_top_k=10
    ).retrieve(QUERY)

    assert {one.node.metadata["day"] for one in found} == passing


def test_what_is_compared_here_is_no_part_of_a_text_and_no_number_that_it_looks_like():
    def passing(value, operator, stored=("7", "007", 7, "70", ["7"], None)):
        return [one for one in stored if passes(only("user", value, operator), {"user": one})]

    assert passing("7", FilterOperator.EQ) == ["7"]
    assert passing(["7"], FilterOperator.IN) == ["7"]
    assert passing("7", FilterOperator.CONTAINS) == [["7"]]
    assert passing(["7", "8"], FilterOperator.ANY) == [["7"]]
    assert passing(6, FilterOperator.GT) == [7]


def test_one_query_may_say_how_the_user_feels(index, scripted, said):
    said_last = f"we won\n{QUERY}"
    appraiser = scripted({said_last: "joy"})
    retriever = AffectModulatedRetriever(index, appraiser=appraiser, similarity_top_k=1)
    asked = {"policy": "congruent"}
    conversation = [
        ChatMessage(role="assistant", content="we lost"),
        ChatMessage(role="user", content="we won"),
    ]

    for bundle, first in (
        (AffectQueryBundle(QUERY, affect="sadness", **asked), "goodbye at the station"),
        (AffectQueryBundle(QUERY, conversation=conversation, **asked), "a picnic by the river"),
        (AffectQueryBundle(QUERY, conversation="we won", **asked), "a picnic by the river"),
        (AffectQueryBundle(QUERY, conversation=["we won"], policy="off"), "a picnic by the river"),
    ):
        assert said(retriever.retrieve(bundle)) == [first]
    assert appraiser.asked == [said_last, QUERY] * 2
    with pytest.raises(TypeError, match="ChatMessage; got int"):
        retriever.retrieve(AffectQueryBundle(QUERY, conversation=[3]))


def test_the_vector_of_a_query_that_has_one_is_used(index, embed_model, said, monkeypatch):
    vector = embed_model.get_query_embedding(QUERY)
    monkeypatch.setattr(type(embed_model), "_get_query_embedding", None)
    retriever = AffectModulatedRetriever(index, affect="sadness", policy="congruent")

    found = retriever.retrieve(QueryBundle(QUERY, embedding=vector))

    assert said(found) == ["goodbye at the station", "the empty house"]


def test_any_index_and_any_retriever_will_do(index, diary_nodes, said):
    options = {"affect": "sadness", "policy": "congruent", "strategy": "sequence"}
    listed = SummaryIndex(diary_nodes)
    base = index.as_retriever(similarity_top_k=6)
    sad = ["goodbye at the station", "a picnic by the river"]

    assert said(AffectModulatedRetriever(base_retriever=base, **options).retrieve(QUERY)) == sad
    assert said(AffectModulatedRetriever(listed, **options).retrieve(QUERY))[0] == sad[0]
    off = {**options, "policy": "off"}
    assert AffectModulatedRetriever(listed, **off).retrieve(
        QUERY
    ) == listed.as_retriever().retrieve(QUERY)
    of_bob = AffectModulatedRetriever(
        base_retriever=base, filters=only("user_id", "bob"), **options
    )
    assert said(of_bob.retrieve(QUERY)) == ["the empty house", "a note without a tag"]


@pytest.mark.parametrize("policy", ["congruent", "off"])
async def test_a_reference_of_score_zero_is_not_promoted(given, placed, policy):
    texts = {"near": 0.5, "refers": 0.0, "against": -0.5}
    full = TextNode(text="what it refers to", id_="full")
    nodes = [
        TextNode(text="near", id_="near"),
        IndexNode(text="refers", index_id="i", obj=full, id_="refers"),
        TextNode(text="against", id_="against"),
    ]
    index = VectorStoreIndex(objects=[nodes[1]], nodes=nodes, embed_model=given(placed(texts)))
    by_meaning = InSequence(first="emotion")
    retriever = AffectModulatedRetriever(
        index, affect="joy", policy=policy, strategy=by_meaning, similarity_top_k=3
    )

    for found in (retriever.retrieve(QUERY), await retriever.aretrieve(QUERY)):
        assert [(one.node_id, one.score) for one in found] == [
            ("near", pytest.approx(0.5)),
            ("full", 0.0),
            ("against", pytest.approx(-0.5)),
        ]


class Slow(BaseRetriever):
    """A retriever without an async form of its own."""

    def __init__(self, nodes):
        super().__init__()
        self.nodes = nodes

    def _retrieve(self, query_bundle):
        time.sleep(0.6)
        return self.nodes


async def test_async_does_not_block_the_loop(
    index, scored, scripted, *, longest_block, monkeypatch
):
    query = SimpleVectorStore.query

    def slow(store, given, **kwargs):
        time.sleep(0.6)
        return query(store, given, **kwargs)

    monkeypatch.setattr(SimpleVectorStore, "query", slow)
    base = index.as_retriever(similarity_top_k=6)
    for source in ({"index": index}, {"base_retriever": Slow(scored)}, {"base_retriever": base}):
        retriever = AffectModulatedRetriever(
            **source, affect="sadness", policy="congruent", strategy="sequence"
        )
        found, longest = await longest_block(retriever.aretrieve(QUERY))
        assert contents(found)[0] == "goodbye at the station"
        assert longest < 0.5
        _, longest = await longest_block(retriever.aexplain(QUERY))
        assert longest < 0.5
    monkeypatch.undo()
    appraiser = scripted({QUERY: "sadness"})
    await AffectModulatedRetriever(index, appraiser=appraiser).aretrieve(QUERY)
    assert threading.get_ident() not in appraiser.threads


async def test_an_async_mood_is_awaited_and_refused_in_sync(index):
    async def mood():
        return "sadness"

    felt, stated = (
        AffectModulatedRetriever(index, affect=affect, policy="congruent")
        for affect in (mood, "sadness")
    )
    assert await felt.aretrieve(QUERY) == stated.retrieve(QUERY)
    with pytest.raises(TypeError, match=r"affect is async; call .*aretrieve"):
        felt.retrieve(QUERY)


async def test_a_store_with_an_async_form_of_its_own_is_awaited(index, monkeypatch, said):
    awaited = []

    async def aquery(store, given, **kwargs):
        awaited.append(threading.get_ident())
        return store.query(given, **kwargs)

    monkeypatch.setattr(SimpleVectorStore, "aquery", aquery, raising=False)
    retriever = AffectModulatedRetriever(index, affect="sadness", policy="congruent")

    assert said(await retriever.aretrieve(QUERY)) == ["goodbye at the station", "the empty house"]
    assert awaited == [threading.get_ident()]


@pytest.mark.parametrize(
    "options",
    [
        {"vector_store_query_mode": "mmr", "vector_store_kwargs": {"mmr_threshold": 1.0}},
        {"doc_ids": None},
    ],
)
def test_more_arguments_reach_the_indexs_own_retriever(index, said, options):
    retriever = AffectModulatedRetriever(
        index, affect="sadness", policy="congruent", retriever_kwargs=options
    )
    assert said(retriever.retrieve(QUERY))[0] == "goodbye at the station"


def test_scores_of_another_mode_are_no_cosines(index):
    def signals(**options):
        return AffectModulatedRetriever(index, affect="joy", **options).explain(QUERY)[0].signals

    mmr = {"vector_store_query_mode": "mmr", "vector_store_kwargs": {"mmr_threshold": 1.0}}
    assert "cosine" in signals()
    assert "rank" in signals(retriever_kwargs=mmr)
    assert "cosine" in signals(retriever_kwargs=mmr, metric="cosine_similarity")


def test_a_metric_that_needs_vectors_of_length_one_is_used_for_them_alone(
    diary_nodes, given, placed
):
    def named(scale):
        encoder = placed({node.text: 0.9 for node in diary_nodes}, scale=scale)
        index = VectorStoreIndex(diary_nodes, embed_model=given(encoder))
        retriever = AffectModulatedRetriever(index, affect="joy", metric="inner_product")
        return "cosine" in retriever.explain(QUERY)[0].signals

    assert named(1.0)
    assert not named(2.0)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"similarity_top_k": 0}, "similarity_top_k must be >= 1, got 0"),
        ({"fetch_k": 0}, "fetch_k must be >= 1, got 0"),
        ({"strategy": "best"}, "one of semantic, .*'best'"),
        ({"policy": "best"}, "one of auto, .*'best'"),
        ({"affect": "sadnes"}, "sadnes"),
        ({"filters": only("user_id", None)}, "'user_id' has the value None"),
        (
            {"filters": MetadataFilters(filters=[only("user_id", None)])},
            "'user_id' has the value None",
        ),
        *[
            ({"filters": only("user_id", "ann", one)}, f"{one.value} on 'user_id' needs a list")
            for one in (FilterOperator.IN, FilterOperator.NIN, FilterOperator.ANY)
        ],
        (
            {"filters": MetadataFilters(filters=[MetadataFilters(filters=[])], condition="or")},
            "within others must not be empty",
        ),
        ({"similarity_top_k": None}, "similarity_top_k must be >= 1, got None"),
        ({"metric": "x"}, "metric must be None or one of cosine_similarity, .* got 'x'"),
        *[
            ({"retriever_kwargs": {name: None}}, f"{name} cannot stand in retriever_kwargs")
            for name in ("filters", "similarity_top_k", "node_ids")
        ],
        ({"index": None}, "exactly one of .* got none"),
        ({"vector_store": SimpleVectorStore()}, "exactly one of .* got index, vector_store"),
        ({"index": None, "vector_store": SimpleVectorStore()}, "does not store text"),
        ({"embed_model": MockEmbedding(4)}, "embed_model goes with vector_store"),
        ({"index": None, "base_retriever": Slow([]), "fetch_k": 3}, "fetch_k, metric"),
    ],
)
def test_a_wrong_argument_raises_at_construction(index, wrong, says):
    with pytest.raises(ValueError, match=says):
        AffectModulatedRetriever(**{"index": index, "affect": "joy", **wrong})


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        *[({"filters": one}, "filters must be MetadataFilters, got") for one in ("x", [], {}, "")],
        ({"index": "x"}, "index must be a LlamaIndex index, got str"),
        ({"fields": None}, "fields must be MetadataFields, got NoneType"),
        ({"fields": {}}, "fields must be MetadataFields, got dict"),
        ({"retriever_kwargs": [3]}, "retriever_kwargs must be a dictionary, got list"),
    ],
)
def test_an_argument_of_a_wrong_type_raises_at_construction(index, wrong, says):
    with pytest.raises(TypeError, match=says):
        AffectModulatedRetriever(**{"index": index, "affect": "joy", **wrong})


def test_what_is_no_appraiser_raises(index):
    with pytest.raises(TypeError, match="appraise"):
        AffectModulatedRetriever(index, appraiser="joy")


def test_another_fields_names_are_read(diary_nodes, embed_model, said):
    for node in diary_nodes:
        label = node.metadata.get("affect_label")
        node.metadata = {} if label is None else {"primary_emotion": label}
        node.excluded_embed_metadata_keys.append("primary_emotion")
    index = VectorStoreIndex(diary_nodes, embed_model=embed_model)
    fields = MetadataFields(label="primary_emotion")

    found = AffectModulatedRetriever(index, fields=fields, affect="sadness", policy="congruent")

    assert said(found.retrieve(QUERY))[0] == "goodbye at the station"


@pytest.mark.parametrize("policy", ["congruent", "off"])
def test_a_collection_that_langchain_filled_is_searched(diary, embed_model, said, policy):
    client = chromadb.EphemeralClient(Settings(anonymized_telemetry=False))
    collection = client.create_collection(
        f"t{uuid.uuid4().hex}", configuration={"hnsw": {"space": "cosine"}}
    )
    texts = [one.page_content for one in diary]
    collection.add(
        ids=[one.id for one in diary],
        documents=texts,
        metadatas=[one.metadata for one in diary],
        embeddings=embed_model.get_text_embedding_batch(texts),
    )
    retriever = AffectModulatedRetriever(
        vector_store=ChromaVectorStore(collection),
        embed_model=embed_model,
        affect="sadness",
        policy=policy,
    )

    found = retriever.retrieve(QUERY)

    first = "goodbye at the station" if policy == "congruent" else "a picnic by the river"
    assert said(found)[0] == first
    for mode in (MetadataMode.EMBED, MetadataMode.LLM):
        assert "user_id: " in found[0].get_content(mode)
        assert "affect_" not in found[0].get_content(mode)


def test_an_index_whose_retriever_knows_no_references_will_do(diary_nodes):
    models = {"llm": MockLLM(), "embed_model": MockEmbedding(4)}
    graph = PropertyGraphIndex(diary_nodes, kg_extractors=[], **models)
    assert AffectModulatedRetriever(graph, affect="sadness").retrieve(QUERY)


def test_its_handlers_are_those_of_what_it_wraps(diary_nodes, embed_model):
    manager, own = (CallbackManager([LlamaDebugHandler(print_trace_on_end=False)]) for _ in "ab")
    index = VectorStoreIndex(diary_nodes, embed_model=embed_model, callback_manager=manager)
    base = index.as_retriever()

    assert AffectModulatedRetriever(index, affect="joy").callback_manager is manager
    assert AffectModulatedRetriever(base_retriever=base, affect="joy").callback_manager is manager
    given = AffectModulatedRetriever(index, affect="joy", callback_manager=own)
    assert given.callback_manager is own


def test_it_serves_in_other_retrievers(index, said):
    ours = AffectModulatedRetriever(index, affect="sadness", policy="congruent")
    fusion = QueryFusionRetriever(
        [ours, index.as_retriever(similarity_top_k=2)],
        llm=MockLLM(),
        num_queries=1,
        similarity_top_k=4,
        use_async=False,
    )
    assert set(said(ours.retrieve(QUERY))) < set(said(fusion.retrieve(QUERY)))


def test_its_appraisers_prompts_are_its_own(index):
    retriever = AffectModulatedRetriever(index, appraiser=LLMAppraiser(MockLLM()))

    assert list(retriever.get_prompts()) == ["appraiser:affect_scoring"]
    assert AffectModulatedRetriever(index, affect="joy").get_prompts() == {}
    fusion = QueryFusionRetriever([index.as_retriever()], llm=MockLLM())
    wrapping = AffectModulatedRetriever(base_retriever=fusion, affect="joy")
    assert list(wrapping.get_prompts()) == [f"base_retriever:{one}" for one in fusion.get_prompts()]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_log_and_no_warning_holds_a_memory_or_the_query(index, caplog, strategy):
    retriever = AffectModulatedRetriever(index, strategy=strategy, affect="sadness")
    with caplog.at_level(logging.DEBUG), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = retriever.retrieve(QUERY)
        explained = retriever.explain(QUERY)

    ours = [one.getMessage() for one in caplog.records if not one.name.startswith("llama_index")]
    text = "".join([*ours, *(str(warning.message) for warning in caught), repr(explained)])
    assert QUERY not in text
    assert not [one for one in found if one.node.get_content() in text]


def test_an_empty_index_is_answered(embed_model):
    index = VectorStoreIndex([], embed_model=embed_model)
    for strategy in STRATEGIES:
        retriever = AffectModulatedRetriever(index, strategy=strategy, affect="sadness")
        assert retriever.retrieve(QUERY) == []
        assert retriever.explain(QUERY) == []


def test_more_than_there_are_come_back_once(index, said, diary_nodes):
    found = AffectModulatedRetriever(index, affect="sadness", similarity_top_k=50).retrieve(QUERY)
    assert sorted(said(found)) == sorted(node.text for node in diary_nodes)

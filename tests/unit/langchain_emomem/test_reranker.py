import copy
import threading

import pytest
from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from pydantic import ValidationError

from emomem import Affect, Combination
from langchain_emomem import (
    AffectEmbeddings,
    AffectModulatedRetriever,
    AffectReranker,
    ChatModelAppraiser,
)

QUERY = "that evening"
STRATEGIES = ["semantic", "combination", "sequence", "salience", "modulated"]
POLICIES = ["congruent", "comfort", "lesson", "off", "auto"]


@pytest.fixture
def reranker(diary_encoder):
    return AffectReranker(affect="sadness", policy="congruent", top_n=4, embeddings=diary_encoder)


async def test_it_ranks_as_the_retriever_does(store, diary, reranker):
    retriever = AffectModulatedRetriever(vectorstore=store, affect="sadness", policy="congruent")

    assert reranker.compress_documents(diary, QUERY) == retriever.invoke(QUERY)
    assert await reranker.acompress_documents(diary, QUERY) == retriever.invoke(QUERY)


def test_computed_cosines_and_not_the_order_stand_for_meaning(diary, reranker):
    assert reranker.compress_documents(diary[::-1], QUERY) == reranker.compress_documents(
        diary, QUERY
    )


async def test_of_fused_vectors_the_sentence_counts(diary, diary_encoder, reranker, scripted):
    fused = AffectEmbeddings(diary_encoder, appraiser := scripted({}))
    over_fused = reranker.model_copy(update={"embeddings": fused})

    assert over_fused.compress_documents(diary, QUERY) == reranker.compress_documents(diary, QUERY)
    assert await over_fused.acompress_documents(diary, QUERY) == reranker.compress_documents(
        diary, QUERY
    )
    assert appraiser.asked == []


def test_without_an_encoder_the_order_stands_for_meaning(diary, texts):
    reranker = AffectReranker(affect="sadness", policy="congruent", top_n=3)

    assert texts(reranker.compress_documents(diary, QUERY))[0] == "goodbye at the station"
    assert texts(reranker.compress_documents(diary[::-1], QUERY))[0] == "nobody called"


def test_without_top_n_all_come_back(diary, texts):
    reranker = AffectReranker(affect="sadness", policy="congruent")

    assert sorted(texts(reranker.compress_documents(diary, QUERY))) == sorted(texts(diary))


@pytest.mark.parametrize(
    "options",
    [
        {"affect": "sadness", "policy": "off"},
        {"affect": "sadness", "strategy": "semantic"},
        {"affect": Affect.neutral()},
    ],
)
async def test_where_affect_has_no_say_the_order_stays(diary, placed, options):
    # An encoder that knows none of the texts would raise if it were asked.
    reranker = AffectReranker(top_n=3, embeddings=placed({}), **options)

    assert reranker.compress_documents(diary[::-1], QUERY) == diary[::-1][:3]
    assert await reranker.acompress_documents(diary[::-1], QUERY) == diary[::-1][:3]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("encoded", [True, False])
async def test_sync_async_and_a_second_time_agree_and_nothing_is_changed(
    diary, diary_encoder, strategy, policy, encoded
):
    reranker = AffectReranker(
        strategy=strategy,
        policy=policy,
        affect="sadness",
        top_n=5,
        embeddings=diary_encoder if encoded else None,
    )
    documents = tuple(diary) if encoded else diary
    before = copy.deepcopy(diary)

    first = reranker.compress_documents(documents, QUERY)

    assert len(first) == 5
    assert reranker.compress_documents(documents, QUERY) == first
    assert await reranker.acompress_documents(documents, QUERY) == first
    assert diary == before


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_reranking_what_was_reranked_changes_nothing_where_cosines_are_known(
    diary, diary_encoder, strategy
):
    tagged = [document for document in diary if "affect_label" in document.metadata]
    reranker = AffectReranker(
        strategy=strategy, policy="congruent", affect="sadness", embeddings=diary_encoder
    )

    once = reranker.compress_documents(tagged, QUERY)

    assert reranker.compress_documents(once, QUERY) == once


def test_an_untagged_document_keeps_its_rank_and_own_keys_survive(diary):
    own = {"score": 0.1, "valence": "covalent", "label": "x", "deep": {"list": [1]}}
    diary[3].metadata.update(own)

    found = AffectReranker(affect="sadness", policy="congruent").compress_documents(diary, QUERY)

    assert found[3] == diary[3]
    assert found[3].metadata == {"user_id": "bob", "day": 3, **own}


def test_the_affect_is_read_from_the_query(diary, scripted, texts):
    appraiser = scripted({"I miss her": "sadness"})
    reranker = AffectReranker(appraiser=appraiser, policy="congruent", top_n=1)

    assert texts(reranker.compress_documents(diary, "I miss her")) == ["goodbye at the station"]
    assert appraiser.asked == ["I miss her"]
    assert reranker.compress_documents([], "unread") == []
    assert appraiser.asked == ["I miss her"]


async def test_no_documents_give_none(reranker):
    assert reranker.compress_documents([], QUERY) == []
    assert await reranker.acompress_documents([], QUERY) == []


def test_a_document_twice_is_ranked_twice(tagged, placed, texts):
    same = tagged("same", "sadness")
    reranker = AffectReranker(
        affect="sadness", policy="congruent", embeddings=placed({"same": 0.5, "joy": 0.6})
    )

    found = reranker.compress_documents([tagged("joy", "joy"), same, same], "")

    assert texts(found) == ["same", "same", "joy"]


async def test_it_serves_in_a_contextual_compression_retriever(store, texts):
    retriever = ContextualCompressionRetriever(
        base_compressor=AffectReranker(
            strategy=Combination(weight=0.3), affect="sadness", policy="congruent", top_n=2
        ),
        base_retriever=store.as_retriever(search_kwargs={"k": 6}),
    )

    assert texts(retriever.invoke(QUERY)) == ["goodbye at the station", "a picnic by the river"]
    assert await retriever.ainvoke(QUERY) == retriever.invoke(QUERY)


@pytest.mark.parametrize("method", ["invoke", "ainvoke"])
async def test_the_runs_of_a_chat_model_are_children_of_the_run_that_compresses(
    store, family, method
):
    model = FakeListChatModel(responses=['{"valence": -0.8, "arousal": 0.3, "label": "grief"}'])
    retriever = ContextualCompressionRetriever(
        base_compressor=AffectReranker(appraiser=ChatModelAppraiser(model)),
        base_retriever=store.as_retriever(),
    )
    found = getattr(retriever, method)(QUERY, {"callbacks": [family], "tags": ["night"]})
    assert len(await found if method == "ainvoke" else found) == 4

    [(run, _), (_, _)] = family.retrievers
    assert family.models == [(run, True)]


async def test_async_does_not_block_the_loop(diary, scripted):
    appraiser = scripted({QUERY: "sadness"})

    found = await AffectReranker(appraiser=appraiser).acompress_documents(diary, QUERY)

    assert len(found) == len(diary)
    assert appraiser.threads
    assert threading.get_ident() not in appraiser.threads


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"top_n": 0}, "top_n must be >= 1, got 0"),
        ({"top_n": -1}, "top_n must be >= 1, got -1"),
        ({"strategy": "best"}, "one of semantic, .*'best'"),
        ({"policy": "best"}, "one of auto, .*'best'"),
        ({"affect": "sadnes"}, "sadnes"),
        ({"embeddings": object()}, "embeddings"),
        ({"k": 3}, "k\n.*not permitted"),
    ],
)
def test_a_wrong_argument_raises_at_construction(wrong, says):
    with pytest.raises(ValidationError, match=says):
        AffectReranker(**{"affect": "joy", **wrong})


def test_a_reranker_cannot_be_changed_and_a_copy_keeps_no_part_of_the_old(diary):
    reranker = AffectReranker(affect="sadness", policy="congruent")
    with pytest.raises(ValidationError, match="frozen"):
        reranker.policy = "off"

    for update in ({"policy": "off"}, {"strategy": "semantic"}):
        copied = reranker.model_copy(update=update)
        assert copied.compress_documents(diary, QUERY) == diary
    assert reranker.compress_documents(diary, QUERY) != diary


@pytest.mark.parametrize("encoded", [True, False])
async def test_under_comfort_what_lies_below_the_floor_stands_last(tagged, placed, texts, encoded):
    near = {"darkest": 0.9, "dark": 0.8, "sad": 0.7, "fine": 0.6, "untold": 0.5, "lovely": 0.4}
    valence = {"darkest": -0.95, "dark": -0.8, "sad": -0.6, "fine": 0.1, "lovely": 0.6}
    documents = [
        Document(text, metadata={"affect_valence": valence[text]} if text in valence else {})
        for text in near
    ]
    reranker = AffectReranker(
        affect="grief", policy="comfort", embeddings=placed(near) if encoded else None
    )

    found = texts(reranker.compress_documents(documents, QUERY))

    assert sorted(found) == sorted(near)
    assert set([text for text in found if text in valence][-2:]) == {"dark", "darkest"}
    assert found[4] == "untold"  # as meaning has it
    assert texts(await reranker.acompress_documents(documents, QUERY)) == found
    top = reranker.model_copy(update={"top_n": 4})
    assert not {"dark", "darkest"} & set(texts(top.compress_documents(documents, QUERY)))


def test_a_mild_document_on_topic_is_not_overtaken(tagged, placed, texts):
    documents = [tagged("that referee", "anger"), tagged("the lease", "relief")]
    for encoder in (placed({"the lease": 0.8, "that referee": 0.1}), None):
        reranker = AffectReranker(
            affect="anger", strategy=Combination(), embeddings=encoder, policy="congruent"
        )
        given = documents if encoder else documents[::-1]
        assert texts(reranker.compress_documents(given, QUERY))[0] == "the lease"


def test_documents_of_any_kind_come_back_as_they_are():
    class Mine(Document):
        extra: int = 1

    mine = Mine("x", metadata={"affect_label": "joy"}, extra=5)
    [found] = AffectReranker(affect="joy").compress_documents([mine], QUERY)

    assert found is mine

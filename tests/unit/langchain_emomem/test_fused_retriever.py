"""The retriever over a store of fused vectors, in LangChain's own exact store."""

import logging
import threading
import zlib
from types import SimpleNamespace

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from pydantic import ValidationError

from emomem import Affect, Combination, Sequence
from emomem.appraisal.base import BaseAppraiser
from emomem.fused import document_phi
from emomem.metadata import encode
from emomem.signals import cosines
from langchain_emomem import AffectEmbeddings, AffectModulatedRetriever, fetch

QUERY = "that evening"
CROWD = [f"memory {number}" for number in range(2000)]
SOURCE = "felt:1"


def numbers_of(text, salt):
    return np.random.default_rng(zlib.crc32(f"{salt} {text}".encode()))


class Drawn(Embeddings):
    """A vector of its own for each text, always the same."""

    def __init__(self, salt="drawn", dimensions=24):
        self.salt, self.dimensions = salt, dimensions

    def embed_query(self, text):
        return numbers_of(text, self.salt).normal(size=self.dimensions).tolist()

    def embed_documents(self, texts):
        return [self.embed_query(text) for text in texts]


class Felt(BaseAppraiser):
    """A distribution of its own for each text; that of every tenth is unknown."""

    def __init__(self):
        self.source, self.asked, self.threads = SOURCE, [], set()

    def _read(self, texts):
        self.asked += texts
        self.threads.add(threading.get_ident())
        return [affect_of(text) for text in texts]


def affect_of(text):
    if text.endswith("7"):
        return Affect.unknown(source=SOURCE)
    shares = numbers_of(text, "felt").dirichlet(np.full(28, 0.1))
    return Affect.from_emotions(shares, source=SOURCE)


def tagged(row):
    return Document(CROWD[row], id=f"m{row}", metadata=encode(affect_of(CROWD[row])))


@pytest.fixture(scope="module")
def crowd():
    """Thousands of tagged memories in their store; nothing of it is changed."""
    encoder, appraiser = Drawn(), Felt()
    store = InMemoryVectorStore(AffectEmbeddings(encoder, appraiser))
    store.add_documents([tagged(row) for row in range(len(CROWD))])
    return SimpleNamespace(
        store=store,
        appraiser=appraiser,
        phi=document_phi([affect_of(text) for text in CROWD]),
        cosine=cosines(encoder.embed_query(QUERY), encoder.embed_documents(CROWD)),
    )


@pytest.fixture(scope="module")
def plain(crowd):
    """The same memories in a store of plain vectors."""
    store = InMemoryVectorStore(Drawn())
    store.add_documents(crowd.store.get_by_ids([f"m{row}" for row in range(len(CROWD))]))
    return store


def brute_force(crowd, weight, wanted):
    match = crowd.phi @ np.sqrt(wanted.emotions)
    return (1 - weight) * crowd.cosine + weight * match


def test_the_top_10_is_that_of_the_whole_store(crowd):
    rng = np.random.default_rng(0)
    for weight in (0.01, 0.3, 0.5, *rng.random(20), 1.0):
        wanted = Affect.from_emotions(rng.dirichlet(np.full(28, 0.2)))
        retriever = AffectModulatedRetriever(
            vectorstore=crowd.store,
            strategy=Combination(weight=float(weight)),
            affect=wanted,
            policy="congruent",
            k=10,
        )

        found = retriever.explain(QUERY)

        scores = brute_force(crowd, float(weight), wanted)
        best = np.argsort(-scores)[:10]
        assert [one.document.page_content for one in found] == [CROWD[row] for row in best]
        assert [one.score for one in found] == pytest.approx(scores[best].tolist(), abs=1e-5)
        assert [one.signals["cosine"] for one in found] == pytest.approx(
            crowd.cosine[best].tolist(), abs=2e-4
        )


def test_emotion_first_orders_the_best_matches_of_the_whole_store_by_meaning(crowd):
    retriever = AffectModulatedRetriever(
        vectorstore=crowd.store,
        strategy=Sequence(first="emotion", pool=12),
        affect="fear",
        policy="congruent",
        k=5,
    )

    found = [one.page_content for one in retriever.invoke(QUERY)]

    match = crowd.phi @ np.sqrt(Affect.from_label("fear").emotions)
    pool = np.argsort(-match, kind="stable")[:12]
    assert found == [CROWD[row] for row in pool[np.argsort(-crowd.cosine[pool])][:5]]


@pytest.mark.parametrize("policy", ["comfort", "lesson"])
def test_a_policy_with_a_match_of_its_own_is_never_worse_than_over_plain_vectors(
    crowd, plain, policy
):
    options = {"policy": policy, "affect": "grief", "k": 5, "strategy": Combination(weight=0.6)}

    fused = AffectModulatedRetriever(vectorstore=crowd.store, **options).explain(QUERY)
    before = AffectModulatedRetriever(vectorstore=plain, **options).explain(QUERY)

    known = [one.score for one in before if "match" in one.signals]
    best = [one.score for one in fused][: len(known)]
    assert len(known) >= 3
    assert all(now >= then - 1e-5 for now, then in zip(best, known, strict=True))


@pytest.mark.parametrize(
    "wanted",
    [{"policy": "off"}, {"strategy": "semantic"}, {"affect": Affect.neutral()}],
    ids=["off", "semantic", "gate 0"],
)
async def test_the_plain_call_is_that_of_as_retriever_and_of_a_plain_store(
    crowd, plain, searches, wanted
):
    calls = searches(crowd.store)
    ours = AffectModulatedRetriever(vectorstore=crowd.store, **{"affect": "joy", **wanted})
    theirs = crowd.store.as_retriever(search_kwargs={"k": 4})

    expected, plain_calls = theirs.invoke(QUERY), calls.copy()
    calls.clear()
    assert ours.invoke(QUERY) == expected == plain.similarity_search(QUERY)
    assert calls == plain_calls != []
    assert await ours.ainvoke(QUERY) == expected


@pytest.mark.parametrize("strategy", ["salience", "modulated", "sequence"])
def test_strategies_by_meaning_see_the_cosines_of_sentences(crowd, strategy):
    retriever = AffectModulatedRetriever(
        vectorstore=crowd.store, strategy=strategy, affect="joy", policy="congruent"
    )

    for one in retriever.explain(QUERY):
        row = CROWD.index(one.document.page_content)
        assert one.signals["cosine"] == pytest.approx(crowd.cosine[row], abs=1e-5)
        assert one.rank_without_affect == 1 + int((crowd.cosine > crowd.cosine[row]).sum())


def test_explain_tells_the_rank_by_meaning_where_it_was_among_the_nearest(crowd):
    retriever = AffectModulatedRetriever(
        vectorstore=crowd.store, strategy=Combination(weight=0.5), affect="joy", policy="congruent"
    )

    explained = retriever.explain(QUERY, k=10)

    ranks = [one.rank_without_affect for one in explained]
    rows = [CROWD.index(one.document.page_content) for one in explained]
    true = [1 + int((crowd.cosine > crowd.cosine[row]).sum()) for row in rows]
    assert ranks == [rank if rank <= 20 else None for rank in true]
    assert None in ranks
    assert explained[ranks.index(None)].reason.endswith("not among the nearest by meaning")


async def test_one_search_is_made_and_what_is_tagged_is_not_read_again(crowd, monkeypatch):
    searched = []
    search = crowd.store.similarity_search_with_score_by_vector
    monkeypatch.setattr(
        crowd.store,
        "similarity_search_with_score_by_vector",
        lambda *given, **more: searched.append(threading.get_ident()) or search(*given, **more),
    )
    retriever = AffectModulatedRetriever(vectorstore=crowd.store, affect="joy", policy="congruent")
    crowd.appraiser.asked.clear()

    found = retriever.invoke(QUERY)

    assert len(searched) == 1
    assert await retriever.ainvoke(QUERY) == found
    assert searched[0] == threading.get_ident() != searched[1]
    # What was read as unknown has no code to trust.
    assert all(text.endswith("7") for text in crowd.appraiser.asked)


def small(*documents, **options):
    """A store of some documents, and a retriever of it."""
    embeddings = AffectEmbeddings(Drawn(), Felt())
    store = InMemoryVectorStore(embeddings)
    store.add_documents(list(documents))
    options = {"affect": "joy", "policy": "congruent", "k": 10, **options}
    return store, AffectModulatedRetriever(vectorstore=store, **options)


def cosine_of(text):
    return float(cosines(Drawn().embed_query(QUERY), [Drawn().embed_query(text)])[0])


def test_a_correction_by_hand_counts_and_its_cosine_stays_right():
    joyful = encode(Affect.from_label("joy", source="review:corrected"))
    rows = [tagged(row) for row in range(30)]
    rows[12] = Document(CROWD[12], id="m12", metadata=joyful)
    _, retriever = small(*rows, strategy=Combination(weight=0.9), fetch_k=30)

    first = retriever.explain(QUERY, k=1)[0]

    assert first.document.page_content == CROWD[12]
    assert first.signals["match"] == pytest.approx(1, abs=1e-3)
    assert first.signals["cosine"] == pytest.approx(cosine_of(CROWD[12]), abs=1e-3)


@pytest.mark.parametrize("label", ["anger", None, "unknown"])
def test_the_tag_of_another_counts_one_that_is_missing_is_read_and_unknown_is_the_mean(label):
    tag = (
        {}
        if label is None
        else encode(
            Affect.unknown(source="other") if label == "unknown" else Affect.from_label(label)
        )
    )
    documents = [Document(text, id=text, metadata=tag) for text in CROWD[:9]]
    _, retriever = small(*documents)
    joy = Affect.from_label("joy")
    if label == "anger":
        expected = dict.fromkeys(
            CROWD[:9], float(document_phi([Affect.from_label("anger")])[0] @ np.sqrt(joy.emotions))
        )
    else:
        affects = [affect_of(text) if label is None else Affect.unknown() for text in CROWD[:9]]
        matches = document_phi(affects) @ np.sqrt(joy.emotions)
        expected = dict(zip(CROWD, matches.tolist(), strict=False))

    explained = retriever.explain(QUERY)

    assert len(explained) == 9
    for one in explained:
        text = one.document.page_content
        assert one.signals["match"] == pytest.approx(expected[text], abs=1e-5)
        assert one.signals["cosine"] == pytest.approx(cosine_of(text), abs=1e-5)
        assert one.document.metadata == tag


def test_a_filter_keeps_one_users_memories_apart_on_every_path():
    documents = [
        Document(text, id=text, metadata={**encode(affect_of(text)), "user_id": "ab"[row % 2]})
        for row, text in enumerate(CROWD[:200])
    ]
    _, retriever = small(*documents, filter={"user_id": "a"}, k=30)
    for strategy in ("semantic", "combination", Sequence(first="emotion"), "salience"):
        for policy in ("auto", "congruent", "comfort", "lesson", "off"):
            chosen = retriever.model_copy(update={"strategy": strategy})
            found = chosen.invoke(QUERY, policy=policy, affect="grief")
            assert [one.metadata["user_id"] for one in found] == ["a"] * 30, (strategy, policy)
            assert len({one.id for one in found}) == 30


def test_a_document_that_goes_between_fetch_and_rank_costs_nothing_else(monkeypatch):
    store, retriever = small(*(tagged(row) for row in range(40)), policy="comfort", affect="grief")
    everyone = {one.id for one in retriever.invoke(QUERY)}
    search, gone = store.similarity_search_with_score_by_vector, []

    def and_delete(*given, **more):
        found = search(*given, **more)
        if not gone:
            gone.append(found[0][0].id)
            store.delete(gone)
        return found

    monkeypatch.setattr(store, "similarity_search_with_score_by_vector", and_delete)

    assert {one.id for one in retriever.invoke(QUERY)} == everyone
    assert gone[0] not in {one.id for one in retriever.invoke(QUERY)}


class NoVectors(InMemoryVectorStore):
    """An engine that cannot search by vector."""

    similarity_search_with_score_by_vector = None

    def __getattribute__(self, name):
        if name == "similarity_search_with_score_by_vector":
            raise AttributeError(name)
        return super().__getattribute__(name)

    def similarity_search_with_score(self, query, k=4, **kwargs):
        rows = self._similarity_search_with_score_by_vector(
            self.embedding.embed_query(query), k, **kwargs
        )
        return [row[:2] for row in rows]

    async def asimilarity_search_with_score(self, query, k=4, **kwargs):
        return self.similarity_search_with_score(query, k, **kwargs)

    def similarity_search_by_vector(self, embedding, k=4, **kwargs):
        raise NotImplementedError

    async def asimilarity_search_by_vector(self, embedding, k=4, **kwargs):
        raise NotImplementedError


class OrderOnly(NoVectors):
    """An engine of which no scores are known."""

    def similarity_search_with_score(self, query, k=4, **kwargs):
        raise NotImplementedError

    async def asimilarity_search_with_score(self, query, k=4, **kwargs):
        raise NotImplementedError

    def similarity_search(self, query, k=4, **kwargs):
        return self.similarity_search_by_vector(self.embedding.embed_query(query), k, **kwargs)

    def similarity_search_by_vector(self, embedding, k=4, **kwargs):
        rows = self._similarity_search_with_score_by_vector(embedding, k, **kwargs)
        return [document for document, _, _ in rows]

    async def asimilarity_search_by_vector(self, embedding, k=4, **kwargs):
        return self.similarity_search_by_vector(embedding, k, **kwargs)


async def test_an_engine_that_knows_no_vectors_ranks_the_nearest_and_says_so_once(caplog):
    store = NoVectors(AffectEmbeddings(Drawn(), Felt()))
    store.add_documents([tagged(row) for row in range(200)])
    retriever = AffectModulatedRetriever(
        vectorstore=store, affect="joy", policy="congruent", strategy=Combination(weight=0.9)
    )
    fetch._warn_no_vectors.cache_clear()

    with caplog.at_level(logging.WARNING):
        found = retriever.explain(QUERY)
        assert await retriever.ainvoke(QUERY) == [one.document for one in found]

    nearest = np.argsort([-cosine_of(text) for text in CROWD[:200]])[:20]
    assert {one.document.page_content for one in found} <= {CROWD[row] for row in nearest}
    assert found[0].signals["cosine"] == pytest.approx(
        cosine_of(found[0].document.page_content), abs=1e-5
    )
    assert [record.message for record in caplog.records] == [
        (
            "NoVectors cannot search by vector, so that candidates are those nearest to the "
            "query's text (said once a process)"
        )
    ]


async def test_an_engine_without_scores_finds_beyond_the_nearest_too():
    store = OrderOnly(AffectEmbeddings(Drawn(), Felt()))
    store.add_documents([tagged(row) for row in range(400)])
    joy = Affect.from_label("joy")
    retriever = AffectModulatedRetriever(
        vectorstore=store, affect=joy, policy="congruent", strategy=Combination(weight=0.9)
    )

    found = retriever.explain(QUERY)

    assert [one.document for one in found] == await retriever.ainvoke(QUERY)
    assert "rank" in found[0].signals
    nearest = np.argsort([-cosine_of(text) for text in CROWD[:400]])[:20].tolist()
    ranks = [one.rank_without_affect for one in found]
    assert ranks == [
        nearest.index(row) + 1
        if (row := CROWD.index(one.document.page_content)) in nearest
        else None
        for one in found
    ]
    assert None in ranks


def test_numbers_without_a_distribution_search_by_meaning(crowd):
    retriever = AffectModulatedRetriever(
        vectorstore=crowd.store, affect=Affect(valence=0.8, arousal=0.5), policy="congruent"
    )

    nearest = set(np.argsort(-crowd.cosine)[:20].tolist())
    assert {CROWD.index(one.page_content) for one in retriever.invoke(QUERY)} <= nearest


class Hidden(InMemoryVectorStore):
    """A store that does not show its encoder."""

    @property
    def embeddings(self):
        return None


def test_the_encoder_can_be_told(crowd):
    store = Hidden(AffectEmbeddings(Drawn(), Felt()))
    store.add_documents([tagged(row) for row in range(300)])
    options = {"vectorstore": store, "affect": "joy", "policy": "congruent", "k": 3}
    options["strategy"] = Combination(weight=0.9)

    told = AffectModulatedRetriever(embeddings=store.embedding, **options).invoke(QUERY)
    shown, retriever = small(*(tagged(row) for row in range(300)), strategy=Combination(weight=0.9))

    assert told == retriever.invoke(QUERY, k=3)
    assert told != AffectModulatedRetriever(**options).invoke(QUERY)
    with pytest.raises(ValidationError, match="embeddings go with vectorstore"):
        AffectModulatedRetriever(
            base_retriever=shown.as_retriever(), affect="joy", embeddings=shown.embedding
        )

"""Fused vectors in real engines: embedded Chroma, a Chroma server, PostgreSQL with pgvector."""

import uuid

import numpy as np
import pytest
from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_postgres import PGVector
from pydantic import ValidationError
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import create_async_engine

from emomem import Affect, Combination, Sequence
from emomem.fused import document_phi
from emomem.metadata import encode
from emomem.signals import cosines
from langchain_emomem import AffectEmbeddings, AffectModulatedRetriever, migrate

QUERY = "that evening"
ENGINES = ["chroma", "served_chroma", "pgvector"]
PLAIN = DeterministicFakeEmbedding(size=12)
TEXTS = [f"memory {number}" for number in range(120)]
STRATEGIES = ["semantic", "combination", Sequence(first="emotion"), "salience", "modulated"]
POLICIES = ["auto", "congruent", "comfort", "lesson", "off"]


@pytest.fixture(params=ENGINES)
def engine(request):
    return request.param


@pytest.fixture
def build(request, engine):
    return request.getfixturevalue(engine)


@pytest.fixture(scope="module")
def felt():
    """A distribution for each text."""
    rng = np.random.default_rng(3)
    return {
        one: Affect.from_emotions(rng.dirichlet(np.full(28, 0.1)), source="felt") for one in TEXTS
    }


@pytest.fixture
def embeddings(scripted, felt):
    appraiser = scripted(felt)
    appraiser.source = "felt"
    return AffectEmbeddings(PLAIN, appraiser)


@pytest.fixture
def documents(felt):
    # Ids are shared by all collections of a PostgreSQL database: here they are new.
    run = uuid.uuid4().hex
    return [
        Document(one, id=f"{run}-{row}", metadata={**encode(felt[one]), "user_id": "ab"[row % 2]})
        for row, one in enumerate(TEXTS)
    ]


@pytest.fixture
async def async_store(request, engine, documents, embeddings):
    """A store for async calls: Chroma serves both kinds, PGVector is made for one."""
    if engine != "pgvector":
        yield request.getfixturevalue("build")(embeddings, documents)
        return
    connections = create_async_engine(request.getfixturevalue("postgres"))
    store = PGVector(
        embeddings,
        connection=connections,
        collection_name=f"t{uuid.uuid4().hex}",
        async_mode=True,
    )
    await store.aadd_documents(documents)
    yield store
    await store.adelete_collection()
    await connections.dispose()


def best(felt, weight, wanted, k):
    cosine = cosines(PLAIN.embed_query(QUERY), PLAIN.embed_documents(TEXTS))
    match = document_phi([felt[one] for one in TEXTS]) @ np.sqrt(wanted.emotions)
    scores = (1 - weight) * cosine + weight * match
    return [TEXTS[row] for row in np.argsort(-scores)[:k]], np.sort(scores)[::-1][:k], cosine


@pytest.mark.parametrize("space", ["cosine", "l2", "ip"])
def test_every_space_gives_the_best_of_the_whole_store_and_its_cosines(
    build, embeddings, documents, felt, space
):
    store = build(embeddings, documents, space)
    wanted = felt[TEXTS[7]]
    for weight in (0.3, 0.6):
        retriever = AffectModulatedRetriever(
            vectorstore=store,
            strategy=Combination(weight=weight),
            affect=wanted,
            policy="congruent",
            k=10,
        )

        explained = retriever.explain(QUERY)

        expected, scores, cosine = best(felt, weight, wanted, 10)
        found = [one.document.page_content for one in explained]
        assert found == expected
        assert [one.score for one in explained] == pytest.approx(scores.tolist(), abs=1e-4)
        assert [one.signals["cosine"] for one in explained] == pytest.approx(
            [cosine[TEXTS.index(one)] for one in found], abs=1e-4
        )
    modulated = AffectModulatedRetriever(
        vectorstore=store, strategy="modulated", affect=wanted, policy="congruent"
    )
    for one in modulated.explain(QUERY):
        row = TEXTS.index(one.document.page_content)
        assert one.signals["cosine"] == pytest.approx(cosine[row], abs=1e-4)


def test_the_plain_call_finds_what_a_plain_store_finds(build, embeddings, documents, searches):
    store = build(embeddings, documents)
    plain = InMemoryVectorStore(PLAIN)
    plain.add_documents(documents)
    calls = searches(store)
    retriever = AffectModulatedRetriever(vectorstore=store, affect="joy", k=7, policy="off")

    assert retriever.invoke(QUERY) == plain.similarity_search(QUERY, 7)
    theirs = store.as_retriever(search_kwargs={"k": 7})
    ours = calls.copy()
    calls.clear()
    theirs.invoke(QUERY)
    assert calls == ours != []


async def test_no_user_sees_anothers_memory_on_any_path(build, embeddings, documents, async_store):
    store = build(
        embeddings,
        [Document(one.page_content, metadata=one.metadata) for one in documents],
    )
    for strategy in STRATEGIES:
        options = {"strategy": strategy, "affect": "grief", "k": 20, "filter": {"user_id": "a"}}
        retriever = AffectModulatedRetriever(
            vectorstore=store, query_from="conversation", search_feeling=True, **options
        )
        alone = AffectModulatedRetriever(vectorstore=async_store, **options)
        for policy in POLICIES:
            for found in (
                retriever.invoke(QUERY, policy=policy),
                retriever.invoke(QUERY, policy=policy, conversation=["what a day"]),
                await alone.ainvoke(QUERY, policy=policy),
            ):
                assert [one.metadata["user_id"] for one in found] == ["a"] * 20, (strategy, policy)


async def test_sync_and_async_agree(build, embeddings, documents, async_store):
    rows = [Document(one.page_content, metadata=one.metadata) for one in documents]
    store = build(embeddings, rows)
    for policy in ("congruent", "comfort"):
        options = {"affect": "grief", "policy": policy, "k": 6}
        found = AffectModulatedRetriever(vectorstore=store, **options).explain(QUERY)
        again = await AffectModulatedRetriever(vectorstore=async_store, **options).aexplain(QUERY)
        assert [one.document.page_content for one in again] == [
            one.document.page_content for one in found
        ]
        assert [one.rank_without_affect for one in again] == [
            one.rank_without_affect for one in found
        ]


async def test_async_does_not_block_the_loop(async_store, embeddings, monkeypatch, longest_block):
    import time

    name = (
        "similarity_search_with_score_by_vector"
        if isinstance(async_store, PGVector)
        else "similarity_search_by_vector_with_relevance_scores"
    )
    search = getattr(async_store, name)
    monkeypatch.setattr(
        async_store, name, lambda *given, **more: time.sleep(0.5) or search(*given, **more)
    )
    retriever = AffectModulatedRetriever(vectorstore=async_store, affect="joy", policy="congruent")

    found, blocked = await longest_block(retriever.ainvoke(QUERY))

    assert len(found) == 4
    assert blocked < 0.4


def test_a_correction_by_hand_counts_for_one_memory(build, embeddings, documents):
    store = build(embeddings, documents)
    options = {"vectorstore": store, "affect": "grief", "policy": "congruent", "k": 120}
    retriever = AffectModulatedRetriever(strategy=Combination(weight=0.5), **options)
    before = {one.document.id: one for one in retriever.explain(QUERY)}
    corrected = min(before.values(), key=lambda one: one.signals["match"]).document
    told = encode(Affect.from_label("grief", source="review:corrected"))
    store.delete([corrected.id])
    store.add_documents([corrected.model_copy(update={"metadata": {**told, "user_id": "a"}})])

    after = {one.document.id: one for one in retriever.explain(QUERY)}

    assert after[corrected.id].signals["match"] == pytest.approx(1, abs=1e-3)
    for key, one in after.items():
        assert one.signals["cosine"] == pytest.approx(before[key].signals["cosine"], abs=1e-4)


def test_an_encoder_that_was_changed_is_noticed(build, embeddings, documents, scripted):
    store = build(embeddings, documents[:3])
    plain = build(PLAIN, [Document(one.page_content) for one in documents[:3]])

    def swapped(store, encoder):
        name = "embedding_function" if isinstance(store, PGVector) else "_embedding_function"
        setattr(store, name, encoder)
        return AffectModulatedRetriever(vectorstore=store, affect="joy")

    other = AffectEmbeddings(DeterministicFakeEmbedding(size=16), scripted({}))
    with pytest.raises(ValidationError, match=r"of 41 dimensions.*makes 45 .*migrate"):
        swapped(store, other)
    with pytest.raises(ValidationError, match=r"fused vectors of 41 .*makes 12.*migrate"):
        swapped(store, PLAIN)
    with pytest.raises(ValidationError, match=r"of 12 dimensions.*makes 41 .*migrate"):
        swapped(plain, embeddings)


def test_a_collection_moves_to_another_engine_and_goes_on_after_an_interruption(
    build, chroma, embeddings, documents, monkeypatch
):
    monkeypatch.setattr("langchain_emomem.migration._BATCH", 50)
    source = build(PLAIN, documents)
    target = chroma(embeddings)

    def stops(seen):
        if seen > 50:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        migrate(source, target, on_batch=stops)

    assert migrate(source, target) == 20
    assert migrate(source, target) == 0
    found = sorted(
        target.get_by_ids([one.id for one in documents]), key=lambda one: one.page_content
    )
    assert found == sorted(documents, key=lambda one: one.page_content)
    assert AffectModulatedRetriever(vectorstore=target, affect="joy").invoke(QUERY)


def test_two_collections_of_one_database_need_new_ids(pgvector, embeddings, documents):
    source, target = pgvector(PLAIN, documents), pgvector(embeddings)

    with pytest.raises(ValueError, match="all its collections share"):
        migrate(source, target)
    assert len(source.get_by_ids([one.id for one in documents])) == 120
    assert migrate(source, target, new_id="fused-{}".format) == 120
    assert migrate(source, target, new_id="fused-{}".format) == 0


def test_a_collection_is_not_moved_into_itself(chroma, pgvector, pg_engine, embeddings, documents):
    for source in (chroma(PLAIN, documents), pgvector(PLAIN, documents)):
        target = (
            PGVector(embeddings, connection=pg_engine, collection_name=source.collection_name)
            if isinstance(source, PGVector)
            else Chroma(source._collection.name, embeddings, client=source._client)
        )
        with pytest.raises(ValueError, match="one store, or one collection"):
            migrate(source, target)


def test_a_server_that_drops_the_connection_gives_its_own_error(postgres, embeddings, documents):
    connections = create_engine(postgres)
    store = PGVector(embeddings, connection=connections, collection_name=f"t{uuid.uuid4().hex}")
    store.add_documents(documents)
    retriever = AffectModulatedRetriever(vectorstore=store, affect="joy", policy="congruent")
    kill = text(
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() "
        "and application_name = 'dropped'"
    )
    others = create_engine(postgres)
    with connections.connect() as own, others.connect() as other:
        own.execute(text("set application_name = 'dropped'"))
        own.commit()
        own.close()
        other.execute(kill)
    others.dispose()

    with pytest.raises(OperationalError):
        retriever.invoke(QUERY)

    assert len(retriever.invoke(QUERY)) == 4
    store.delete_collection()
    connections.dispose()

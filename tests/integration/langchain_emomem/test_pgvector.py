"""What is PGVector's own; what holds for every engine is in test_engines.py."""

import uuid

import pytest
from langchain_core.documents import Document
from langchain_postgres import PGVector
from sqlalchemy.ext.asyncio import create_async_engine

from emomem import Affect
from emomem.metadata import encode
from langchain_emomem import AffectModulatedRetriever, EmotionTagger

QUERY = "that evening"


@pytest.fixture
def store(pgvector, diary, diary_encoder):
    return pgvector(diary_encoder, diary)


async def test_each_mode_refuses_the_other_clearly(store, postgres, diary_encoder):
    engine = create_async_engine(postgres)
    async_store = PGVector(
        diary_encoder, connection=engine, collection_name=f"t{uuid.uuid4().hex}", async_mode=True
    )
    ours = AffectModulatedRetriever(vectorstore=store, affect="sadness")
    theirs = AffectModulatedRetriever(vectorstore=async_store, affect="sadness")
    for policy in ("off", "congruent"):
        with pytest.raises(RuntimeError, match=r"made with async_mode=False; call invoke$"):
            await ours.ainvoke(QUERY, policy=policy)
        with pytest.raises(RuntimeError, match=r"made with async_mode=True; call ainvoke$"):
            theirs.invoke(QUERY, policy=policy)
    await engine.dispose()


@pytest.mark.parametrize(
    "form", [{"$not": {"user_id": "bob"}}, {"user_id": {"$like": "an%"}}], ids=str
)
@pytest.mark.parametrize(
    "strategy", ["semantic", "combination", "sequence", "salience", "modulated"]
)
def test_its_own_operators_keep_users_apart(store, strategy, form):
    retriever = AffectModulatedRetriever(
        vectorstore=store, strategy=strategy, affect="sadness", k=9, filter=form
    )
    for policy in ("auto", "congruent", "comfort", "lesson", "off"):
        found = retriever.invoke(QUERY, policy=policy)
        assert [one.metadata["user_id"] for one in found] == ["ann"] * 5, policy


def test_nested_metadata_survives_and_retagging_an_id_leaves_no_stale_key(
    pgvector, placed, scripted
):
    own = {"score": 3, "deep": {"list": [1, "a"]}}
    store = pgvector(placed({"we won": 0.5}))
    for affect in (Affect.from_label("joy", source="a:b"), Affect(valence=0.5)):
        tagger = EmotionTagger(appraiser=scripted({"we won": affect}))
        store.add_documents(
            tagger.transform_documents([Document("we won", id="r-1", metadata=own)])
        )
        [found] = store.get_by_ids(["r-1"])
        assert found.metadata == {**own, **encode(affect)}

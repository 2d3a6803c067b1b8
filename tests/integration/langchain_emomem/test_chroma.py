"""What is Chroma's own; what holds for every engine is in test_engines.py."""

import pytest
from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding

from emomem import Combination, LexiconAppraiser
from emomem.memory.operations import JsonLinesLog
from langchain_emomem import (
    AffectEmbeddings,
    AffectModulatedRetriever,
    ConflictAwareMemory,
    EmotionTagger,
    migrate,
)

QUERY = "that evening"


@pytest.fixture(params=["chroma", "served_chroma"])
def build(request):
    """Collections in this process and on a server."""
    return request.getfixturevalue(request.param)


def test_a_filter_that_chroma_refuses_is_an_error_and_no_open_store(build, diary, diary_encoder):
    retriever = AffectModulatedRetriever(vectorstore=build(diary_encoder, diary), affect="sadness")
    with pytest.raises(ValueError, match="Expected where"):
        retriever.invoke(QUERY, filter={"$not": {"user_id": "bob"}})
    for where in (lambda _: True, "ann", ""):
        with pytest.raises(ValueError, match="a filter is a dictionary"):
            retriever.invoke(QUERY, filter=where)


def test_an_id_twice_at_once_is_refused(build, placed, tagged):
    store = build(placed({"one": 0.5, "two": 0.6}))
    pair = [tagged("one", "joy"), tagged("two", "sadness")]
    for memory in pair:
        memory.id = "same"
    with pytest.raises(Exception, match="duplicates of: same"):
        store.add_documents(pair)


def test_5462_documents_at_once_are_tagged_stored_or_refused_and_recalled(chroma, scripted):
    count = 5462
    encoder = DeterministicFakeEmbedding(size=4)
    appraiser = scripted({f"t{row}": "sadness" if row % 2 else "joy" for row in range(count)})
    documents = [Document(text, metadata={"row": row}) for row, text in enumerate(appraiser.script)]

    tagged = EmotionTagger(appraiser=appraiser).transform_documents(documents)

    assert len(tagged) == count
    store = chroma(encoder)
    with pytest.raises(Exception, match=r"max(imum)? batch size (of )?5461"):
        store.add_documents(tagged)
    for start in range(0, count, 5461):
        store.add_documents(tagged[start : start + 5461])
    everything = AffectModulatedRetriever(
        vectorstore=store, affect="sadness", policy="congruent", strategy=Combination(weight=1)
    ).invoke("t1", k=count)
    assert len({document.metadata["row"] for document in everything}) == count
    assert {document.metadata["affect_label"] for document in everything[: count // 2]} == {
        "sadness"
    }


PLAIN = DeterministicFakeEmbedding(size=4)
FUSED = AffectEmbeddings(PLAIN, LexiconAppraiser())


def test_a_memory_goes_on_in_the_collection_that_it_is_migrated_to(build, tmp_path):
    log = JsonLinesLog(tmp_path / "log")

    def over(store):
        return ConflictAwareMemory(store, user_id="ann", appraiser=LexiconAppraiser(), log=log)

    old, new, newer = build(PLAIN), build(FUSED), build(FUSED)
    new._collection.modify(metadata={"mine": "x"})
    over(old).save("I live in Rome")

    assert migrate(old, new) == migrate(new, newer) == 2
    for store in (new, newer):
        # As another process sees it.
        store._chroma_collection = store._client.get_collection(store._collection.name)
        assert len(over(store).operations()) == 1
    assert new._collection.metadata["mine"] == "x"
    assert over(newer).save("I live in Rome").merged
    over(newer).forget("ann")
    assert over(old).operations() == []


def test_a_collection_that_holds_units_keeps_its_key(build):
    old, new = build(PLAIN), build(FUSED)
    for store, text in ((old, "I live in Rome"), (new, "I live in Milan")):
        ConflictAwareMemory(store, user_id="ann", appraiser=LexiconAppraiser()).save(text)
    assert migrate(old, new) == 2
    assert new._collection.metadata is None


def test_of_documents_that_are_no_memory_no_key_is_written(build, diary):
    new = build(FUSED)
    migrate(build(PLAIN, diary), new)
    assert new._collection.metadata is None


def test_a_key_that_chroma_cannot_write_is_told_before_anything_is_written(chroma):
    old, client = chroma(PLAIN), chroma(PLAIN)._client
    ConflictAwareMemory(old, user_id="ann", appraiser=LexiconAppraiser()).save("I live in Rome")
    cosine = {"hnsw:space": "cosine"}
    new = Chroma("legacy", FUSED, client=client, collection_metadata=cosine)
    with pytest.raises(ValueError, match=r"have 'hnsw:space', .* collection_configuration"):
        migrate(old, new)
    assert new._collection.count() == 0
    client.delete_collection("legacy")

    named = {**cosine, "emomem_key": old._collection.id.hex}
    new = Chroma("legacy", FUSED, client=client, collection_metadata=named)
    assert migrate(old, new) == 2
    client.delete_collection("legacy")


@pytest.mark.parametrize("wrong", ["00c0ffee-0000", 7, "my key"])
def test_what_is_no_key_is_refused(chroma, wrong):
    store = chroma(PLAIN)
    store._collection.modify(metadata={"emomem_key": wrong})
    memory = ConflictAwareMemory(store, user_id="ann", appraiser=LexiconAppraiser())
    with pytest.raises(ValueError, match=r"'emomem_key' .* hexadecimal digits alone") as caught:
        memory.save("I live in Rome")
    assert str(wrong) not in str(caught.value)

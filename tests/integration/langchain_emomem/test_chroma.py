"""What is Chroma's own; what holds for every engine is in test_engines.py."""

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding

from emomem import Combination
from langchain_emomem import AffectModulatedRetriever, EmotionTagger

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

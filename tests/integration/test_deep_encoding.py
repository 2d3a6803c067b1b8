"""Deep encoding over a real chat model, which is too small to be any good, and a real store."""

import pytest
from langchain_chroma import Chroma
from langchain_core.documents import Document

from emomem import DeepMemory
from langchain_emomem import DeepEncoder, EmotionTagger, LocalEmbeddings

STIRRED = "I'm so excited, I got the job in Lisbon!!! We are dancing in the kitchen!"
CALM = "The lease for the flat runs until the end of March."


def test_what_stirs_is_told_by_a_real_model_and_found_again(chat_url, tmp_path):
    openai = pytest.importorskip("langchain_openai")
    model = openai.ChatOpenAI(
        base_url=chat_url,
        model="gemma",
        api_key="none",
        temperature=0.3,
        seed=1,
        max_tokens=900,
        timeout=300,
        max_retries=0,
    )
    encoder = DeepEncoder(model, embed="multi", budget=1)
    tagged = EmotionTagger().transform_documents(
        [Document(STIRRED, id="job"), Document(CALM, id="lease")]
    )
    memories = encoder.transform_documents(tagged)

    cost = encoder.cost
    assert (cost.calls, cost.deep, cost.failed, cost.over_budget) == (1, 1, 0, 0)
    assert cost.estimated == 0  # the server tells
    assert 0 < cost.answer_tokens <= 900
    assert cost.prompt_tokens > 200
    assert [one.metadata["deep_raw"] for one in memories] == [STIRRED] * 4 + [CALM]

    store = Chroma("deep", LocalEmbeddings(), persist_directory=str(tmp_path))
    try:
        store.add_documents(memories)
        found = encoder.merge(store.similarity_search("Where will I work?", k=5))
    finally:
        store.delete_collection()
    assert sorted(one.metadata["deep_raw"] for one in found) == sorted([STIRRED, CALM])
    [deep] = [one for one in found if one.metadata["deep_status"] == "deep"]
    assert DeepMemory.from_text(deep.page_content).fact == deep.metadata["deep_fact"]

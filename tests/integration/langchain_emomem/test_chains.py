"""The retriever in the chains that people have, swapped for `as_retriever()`."""

import pytest
from langchain_classic.chains import create_retrieval_chain
from langchain_classic.chains.combine_documents import create_stuff_documents_chain
from langchain_classic.retrievers import ContextualCompressionRetriever, EnsembleRetriever
from langchain_core.language_models import ParrotFakeChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_core.tools import create_retriever_tool

from langchain_emomem import AffectModulatedRetriever, AffectReranker

QUERY = "that evening"
SAD = ["goodbye at the station", "the empty house"]
NEAREST = ["a picnic by the river", "the shopping list"]


@pytest.fixture
def store(chroma, diary, diary_encoder):
    return chroma(diary_encoder, diary)


@pytest.fixture
def ours(store):
    return AffectModulatedRetriever(vectorstore=store, k=2, affect="sadness", policy="congruent")


async def test_an_lcel_chain_runs_unchanged(store, ours):
    def chain(retriever):
        prompt = ChatPromptTemplate.from_template("{context}\n---\n{question}")
        joined = retriever | (lambda found: "\n".join(one.page_content for one in found))
        inputs = {"context": joined, "question": RunnablePassthrough()}
        return inputs | prompt | ParrotFakeChatModel() | StrOutputParser()

    plain = store.as_retriever(search_kwargs={"k": 2})
    assert chain(plain).invoke(QUERY) == "\n".join([*NEAREST, "---", QUERY])
    assert chain(ours).invoke(QUERY) == "\n".join([*SAD, "---", QUERY])
    assert await chain(ours).ainvoke(QUERY) == chain(ours).invoke(QUERY)
    assert "".join(chain(ours).stream(QUERY)) == chain(ours).invoke(QUERY)


async def test_a_stuff_documents_prompt_holds_the_memories_and_no_affect(ours, texts):
    prompt = ChatPromptTemplate.from_template("<{context}> {input}")
    answer = create_stuff_documents_chain(ParrotFakeChatModel(), prompt)
    chain = create_retrieval_chain(ours, answer)

    said = chain.invoke({"input": QUERY})

    assert said["answer"] == "<{}> {}".format("\n\n".join(SAD), QUERY)
    assert texts(said["context"]) == SAD
    assert "affect" not in said["answer"]
    assert (await chain.ainvoke({"input": QUERY}))["answer"] == said["answer"]


async def test_the_reranker_serves_in_a_contextual_compression_retriever(
    store, diary_encoder, ours
):
    retriever = ContextualCompressionRetriever(
        base_compressor=AffectReranker(
            affect="sadness", policy="congruent", top_n=2, embeddings=diary_encoder
        ),
        base_retriever=store.as_retriever(search_kwargs={"k": 20}),
    )

    assert retriever.invoke(QUERY) == ours.invoke(QUERY)
    assert await retriever.ainvoke(QUERY) == ours.invoke(QUERY)


def test_it_wraps_and_is_wrapped_by_other_retrievers(store, ours, texts):
    ensemble = EnsembleRetriever(
        retrievers=[ours, store.as_retriever(search_kwargs={"k": 2})], weights=[0.9, 0.1]
    )
    assert texts(ensemble.invoke(QUERY)) == [*SAD, *NEAREST]

    around = AffectModulatedRetriever(
        base_retriever=store.as_retriever(search_type="mmr", search_kwargs={"k": 10}),
        affect="sadness",
        policy="congruent",
        k=2,
    )
    assert texts(around.invoke(QUERY))[0] == SAD[0]


def test_it_serves_as_a_tool(ours):
    tool = create_retriever_tool(ours, "diary", "Recalls the diary.")

    assert tool.invoke({"query": QUERY}) == "\n\n".join(SAD)

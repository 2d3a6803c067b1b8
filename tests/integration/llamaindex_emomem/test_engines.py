"""The parts in the engines that people have; a mock model shows which nodes were chosen."""

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.chat_engine import CondensePlusContextChatEngine, ContextChatEngine
from llama_index.core.chat_engine.types import ChatMode
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.tools import QueryEngineTool

from llamaindex_emomem import (
    AffectModulatedRetriever,
    AffectPostprocessor,
    AffectQueryBundle,
    EmotionTagger,
    LocalEmbedding,
)

QUERY = "that evening"
NEAREST = ["a picnic by the river", "the shopping list"]
SAD = ["goodbye at the station", "the empty house"]
OPTIONS = {"affect": "sadness", "policy": "congruent"}


@pytest.fixture
def index(diary_nodes, embed_model):
    return VectorStoreIndex(diary_nodes, embed_model=embed_model)


@pytest.fixture
def postprocessor():
    return AffectPostprocessor(top_n=2, metric="cosine_similarity", **OPTIONS)


@pytest.fixture
def retriever(index):
    return AffectModulatedRetriever(index, similarity_top_k=2, **OPTIONS)


@pytest.fixture
def engines(index, postprocessor, retriever):
    """Query engines with affect: by the postprocessor, and by the retriever."""
    return [
        index.as_query_engine(
            llm=MockLLM(), similarity_top_k=10, node_postprocessors=[postprocessor]
        ),
        RetrieverQueryEngine.from_args(
            index.as_retriever(similarity_top_k=10),
            llm=MockLLM(),
            node_postprocessors=[postprocessor],
        ),
        RetrieverQueryEngine.from_args(retriever, llm=MockLLM()),
    ]


async def test_a_query_engine_answers_from_the_chosen_nodes(engines, index, said):
    plain = index.as_query_engine(llm=MockLLM(), similarity_top_k=2).query(QUERY)
    assert said(plain.source_nodes) == NEAREST
    for engine in engines:
        answer = engine.query(QUERY)
        assert said(answer.source_nodes) == SAD
        assert said((await engine.aquery(QUERY)).source_nodes) == SAD
        # The mock model says what it was asked: the memories and no affect.
        assert "\n\n".join(SAD) in str(answer)
        assert "affect" not in str(answer)


async def test_one_query_says_how_the_user_feels(index, said):
    engines = [
        RetrieverQueryEngine.from_args(
            AffectModulatedRetriever(index, affect="joy"), llm=MockLLM()
        ),
        index.as_query_engine(
            llm=MockLLM(),
            similarity_top_k=10,
            node_postprocessors=[
                AffectPostprocessor(affect="joy", top_n=2, metric="cosine_similarity")
            ],
        ),
    ]
    for engine in engines:
        asked = AffectQueryBundle(QUERY, **OPTIONS)
        assert said(engine.query(asked).source_nodes) == SAD
        assert said((await engine.aquery(asked)).source_nodes) == SAD
        assert said(engine.query(QUERY).source_nodes) != SAD


@pytest.mark.parametrize("mode", [ChatMode.CONTEXT, ChatMode.CONDENSE_PLUS_CONTEXT])
async def test_a_chat_engine_of_the_index_takes_the_postprocessor(index, postprocessor, said, mode):
    engine = index.as_chat_engine(
        chat_mode=mode, llm=MockLLM(), similarity_top_k=10, node_postprocessors=[postprocessor]
    )

    assert said(engine.chat(QUERY).source_nodes) == SAD
    assert said((await engine.achat(QUERY)).source_nodes) == SAD


@pytest.mark.parametrize("kind", [ContextChatEngine, CondensePlusContextChatEngine])
def test_a_chat_engine_takes_the_retriever(retriever, said, kind):
    engine = kind.from_defaults(retriever=retriever, llm=MockLLM())

    assert said(engine.chat(QUERY).source_nodes) == SAD
    assert said(engine.stream_chat(QUERY).source_nodes) == SAD


def test_a_condense_question_engine_asks_the_query_engine(engines, said):
    from llama_index.core.chat_engine import CondenseQuestionChatEngine

    for engine in engines:
        chat = CondenseQuestionChatEngine.from_defaults(query_engine=engine, llm=MockLLM())
        assert said(chat.chat(QUERY).source_nodes) == SAD


async def test_an_agents_tool_recalls(engines):
    tool = QueryEngineTool.from_defaults(engines[2])
    assert "\n\n".join(SAD) in str(await tool.acall(QUERY))


def test_it_works_out_of_the_box(diary_nodes, said):
    """The embedded model tags, embeds, and reads the query."""
    texts = {
        "The farewell at the station broke my heart.": "sad",
        "We danced until sunrise at Ana's wedding, pure joy.": "glad",
        "The lease for the flat runs until March.": "plain",
    }
    nodes = [type(diary_nodes[0])(text=text) for text in texts]
    index = VectorStoreIndex(EmotionTagger()(nodes), embed_model=LocalEmbedding())

    retriever = AffectModulatedRetriever(index, similarity_top_k=1, policy="congruent")

    assert said(retriever.retrieve("I have been so happy since that evening"))[0].startswith("We d")
    assert said(retriever.retrieve("I have been crying since that evening"))[0].startswith("The f")

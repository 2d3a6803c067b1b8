"""The block in LlamaIndex's own memory; what the memory does is the core's and tested there."""

import asyncio
import json
import time

import pytest
from llama_index.core import MockEmbedding
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import ChatMessage, MessageRole, MockLLM
from llama_index.core.memory import Memory
from llama_index.core.utils import get_tokenizer
from llama_index.core.vector_stores import SimpleVectorStore
from pydantic import ValidationError

from emomem import LexiconAppraiser
from emomem.memory.marking import CLOSING, OPENING
from emomem.memory.sparing import CAP
from llamaindex_emomem import AffectMemoryBlock, ConflictAwareMemory

TOLD = "My dog Rex died this terrible, awful week"
COUNT = get_tokenizer()
SMALL = {"token_limit": 1000, "chat_history_token_ratio": 0.2, "token_flush_size": 20}


def user(text, **more):
    return ChatMessage(text, role=MessageRole.USER, **more)


def texts(memory, user_id="ann"):
    return [one.text for one in memory.timeline(user_id=user_id)]


@pytest.fixture
def memory():
    return ConflictAwareMemory(
        SimpleVectorStore(), embed_model=MockEmbedding(8), appraiser=LexiconAppraiser()
    )


@pytest.fixture
def block(memory):
    return AffectMemoryBlock(memory=memory, user_id="ann")


def conversation(block, session_id="monday", **options):
    return Memory.from_defaults(session_id=session_id, memory_blocks=[block], **options)


async def test_what_overflows_reaches_the_block_and_comes_back_quoted_as_data(block, memory):
    short = conversation(block, **SMALL)

    await short.aput_messages([user(TOLD), ChatMessage("I am sorry.", role="assistant")])
    assert texts(memory) == []  # still in the queue

    for row in range(12):
        await short.aput(user(f"Note {row}: " + "the weather stays as it is " * 3))
        await short.aput(ChatMessage("Noted.", role="assistant"))
    assert texts(memory)[0] == TOLD
    assert "I am sorry." not in texts(memory)
    assert texts(memory)[-1] != (await short.aget_all())[-2].content

    system, *history = await short.aget("How do I feel?")
    assert system.role is MessageRole.SYSTEM
    [line] = [line for line in system.content.splitlines() if TOLD in line]
    assert line.startswith("<memory date=")
    assert 'said_by="ann"' in line
    assert 'valence="-' in line
    assert system.content.index(OPENING) < system.content.index(TOLD)
    assert system.content.index(TOLD) < system.content.index(CLOSING)
    assert all(TOLD not in one.content for one in history)


async def test_a_chat_engine_is_told_what_it_has_forgotten(block):
    heard = []

    class Hearing(MockLLM):
        def chat(self, messages, **options):
            heard.append(messages)
            return super().chat(messages, **options)

    short = conversation(block, **SMALL)
    engine = SimpleChatEngine.from_defaults(llm=Hearing(), memory=short)
    say = [TOLD, *("the weather stays as it is " * 8 for _ in range(4)), "How do I feel?"]
    for text in say:
        await asyncio.to_thread(engine.chat, text)
    told = [one.content for one in heard[-1] if TOLD in one.content]
    assert len(told) == 1
    assert OPENING in told[0]


async def test_a_block_is_of_one_user_and_one_session(block, memory):
    await block.aput([user(TOLD)], session_id="monday")
    asks = [user("Rex?")]
    others = AffectMemoryBlock(memory=memory, user_id="bob")
    everywhere = AffectMemoryBlock(memory=memory, user_id="ann", scope="user")

    assert TOLD in await block.aget(asks, session_id="monday")
    assert await block.aget(asks, session_id="tuesday") == ""
    assert TOLD in await everywhere.aget(asks, session_id="tuesday")
    assert await others.aget(asks, session_id="monday") == ""
    assert TOLD in await block.aget(asks)
    [unit] = memory.timeline(user_id="ann")
    assert unit.session_id == "monday"


async def test_a_contradiction_of_another_session_is_noticed_and_not_told(block, memory):
    await block.aput([user("I live in Rome")], session_id="monday")
    await block.aput([user("I live in Milan")], session_id="tuesday")
    asks = [user("Where do I live?")]
    assert "Rome" not in await block.aget(asks, session_id="tuesday")
    monday = await block.aget(asks, session_id="monday")
    assert 'status="no longer so">I live in Rome<' in monday
    assert "Milan" not in monday
    everywhere = AffectMemoryBlock(memory=memory, user_id="ann", scope="user")
    assert "<earlier" in await everywhere.aget(asks, session_id="tuesday")


async def test_it_keeps_what_the_user_said_and_leaves_the_messages_as_they_are(block, memory):
    recalled = f"{OPENING}\n<memory>old</memory>\n{CLOSING}"
    messages = [
        ChatMessage("You are kind.", role="system"),
        user(f"{recalled} I live in Rome"),
        user(recalled),
        user("  "),
        ChatMessage("Rome is lovely.", role="assistant"),
        user("I play chess", additional_kwargs={"session_id": "old"}),
    ]
    before = [one.model_copy(deep=True) for one in messages]
    await block.aput(messages)
    await block.aput([user("I like tea")], from_short_term_memory=True, session_id="new")
    assert messages == before
    found = {one.text: one.session_id for one in memory.timeline(user_id="ann")}
    assert found == {"I live in Rome": None, "I play chess": "old", "I like tea": "new"}

    closed = block.model_copy(update={"accept_short_term_memory": False})
    await closed.aput([user("I like milk")], from_short_term_memory=True)
    assert "I like milk" not in texts(memory)


async def test_without_words_of_the_user_there_is_nothing_to_recall(block):
    await block.aput([user(TOLD)])
    for messages in (None, [], [user("")], [ChatMessage("Rex?", role="assistant")]):
        assert await block.aget(messages) == ""


async def test_the_budget_holds_and_a_caution_outlives_it(block):
    await block.aput([user(f"{TOLD}, {name}") for name in ("Tom", "Lea", "Kim", "Ned")])
    asks = [user("I want to die")]
    whole = await block.aget(asks)
    caution = whole.partition(OPENING)[0].strip()
    assert caution.startswith("<caution by=")
    lines = whole.count("\n<memory ")
    assert lines == CAP  # of the four, all dark, for a user in distress

    shorter = await block.atruncate(whole, 40)
    assert len(COUNT(whole)) - len(COUNT(shorter)) >= 40
    assert 0 < shorter.count("\n<memory ") < lines
    assert shorter.endswith(CLOSING)
    assert await block.atruncate(whole, 10_000) == caution
    assert await block.atruncate(await block.aget([user("Rex?")]), 10_000) is None
    assert await block.atruncate([], 10) is None  # as LlamaIndex calls it for an empty block

    small = block.model_copy(update={"token_limit": len(COUNT(shorter))})
    assert await small.aget(asks) == shorter


async def test_in_llamaindexs_memory_too_small_for_it_the_block_shrinks(block):
    await block.aput([user(f"{TOLD}, {name}") for name in ("Tom", "Lea", "Kim", "Ned")])
    everything = len(COUNT(await block.aget([user("Rex?")])))
    small = conversation(block, session_id=None, token_limit=everything - 20)
    block.scope = "user"
    [system] = await small.aget("Rex?")
    assert 0 < system.content.count("\n<memory ") < 4


def test_it_is_written_as_data_without_the_memory_and_made_of_it_again(block, memory):
    assert AffectMemoryBlock.class_name() == "AffectMemoryBlock"
    for written in (block.to_dict(), json.loads(block.to_json())):
        assert written == {
            "class_name": "AffectMemoryBlock",
            "name": "AffectMemory",
            "description": None,
            "priority": 1,
            "accept_short_term_memory": True,
            "user_id": "ann",
            "scope": "session",
            "token_limit": 2000,
        }
        again = AffectMemoryBlock.from_dict(written, memory=memory)
        assert again.to_dict() == block.to_dict()
        assert again.memory is memory
    assert ", memory=" not in repr(block)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"user_id": None}, "user_id"),
        ({"user_id": " "}, "user_id must not be blank"),
        ({"memory": None}, "memory"),
        ({"memory": SimpleVectorStore()}, "Memory"),
        ({"scope": "all"}, "'session' or 'user'"),
        ({"token_limit": 0}, "greater than or equal to 1"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_wrong_arguments_raise_at_once(memory, options, message):
    with pytest.raises(ValidationError, match=message):
        AffectMemoryBlock(**{"memory": memory, "user_id": "ann", **options})
    with pytest.raises(ValidationError, match="user_id"):
        AffectMemoryBlock(memory=memory)


async def test_it_never_blocks_the_loop(longest_block):
    class Slow(MockEmbedding):
        def _get_query_embedding(self, query):
            time.sleep(0.2)
            return super()._get_query_embedding(query)

        def _get_text_embedding(self, text):
            time.sleep(0.2)
            return super()._get_text_embedding(text)

    memory = ConflictAwareMemory(
        SimpleVectorStore(), embed_model=Slow(8), appraiser=LexiconAppraiser()
    )
    block = AffectMemoryBlock(memory=memory, user_id="ann")
    _, longest = await longest_block(block.aput([user(TOLD)]))
    assert longest < 0.15
    found, longest = await longest_block(block.aget([user("Rex?")]))
    assert TOLD in found
    assert longest < 0.15

"""A LangChain chat model as conflict detector."""

import pytest
from langchain_core.language_models import FakeListChatModel

from emomem.memory.conflict import ConflictDetector
from emomem.memory.unit import MemoryUnit
from langchain_emomem import ChatModelConflictDetector

GOOD = '{"conflicts": [{"number": 1, "reason": "moved", "kind": "fact_update", "intensity": 0.9}]}'
OLD, NEW = (
    MemoryUnit(text=text, user_id="ann", speaker="ann", created_at=0)
    for text in ("I live in Lisbon", "Greetings from my new flat in Porto")
)


@pytest.mark.parametrize("answers", [[GOOD], ["no", GOOD]])
async def test_its_answer_is_read_in_sync_and_async(answers):
    for is_async in (False, True):
        detector = ChatModelConflictDetector(FakeListChatModel(responses=answers))
        found = await detector.adetect(NEW, [OLD]) if is_async else detector.detect(NEW, [OLD])
        [conflict] = found
        assert (conflict.kind, conflict.against, conflict.detail) == ("fact_update", OLD, "moved")
        assert detector.failures == 0


async def test_an_answer_of_no_use_costs_only_itself():
    detector = ChatModelConflictDetector(FakeListChatModel(responses=["I would rather talk"]))
    assert detector.detect(NEW, [OLD]) == await detector.adetect(NEW, [OLD]) == []
    assert detector.failures == 2


def test_it_is_the_cores_protocol():
    assert isinstance(
        ChatModelConflictDetector(FakeListChatModel(responses=["a"])), ConflictDetector
    )


@pytest.mark.parametrize("model", [None, "gpt-4o", FakeListChatModel])
def test_only_a_chat_model_is_taken(model):
    with pytest.raises(TypeError, match="LangChain chat model"):
        ChatModelConflictDetector(model)

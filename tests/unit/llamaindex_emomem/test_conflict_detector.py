"""A LlamaIndex model as conflict detector."""

import pytest
from llama_index.core.base.llms.types import LLMMetadata
from llama_index.core.llms import ChatMessage, ChatResponse, CompletionResponse, CustomLLM, MockLLM

from emomem.memory.conflict import ConflictDetector
from emomem.memory.unit import MemoryUnit
from llamaindex_emomem import LLMConflictDetector

GOOD = '{"conflicts": [{"number": 1, "reason": "moved", "kind": "fact_update", "intensity": 0.9}]}'
OLD, NEW = (
    MemoryUnit(text=text, user_id="ann", speaker="ann", created_at=0)
    for text in ("I live in Lisbon", "Greetings from my new flat in Porto")
)


class Says(CustomLLM):
    """Says its lines in turn."""

    says: list[str]

    @property
    def metadata(self):
        return LLMMetadata(is_chat_model=True)

    def chat(self, messages, **kwargs):
        return ChatResponse(message=ChatMessage(role="assistant", content=self.says.pop(0)))

    def complete(self, prompt, **kwargs):
        return CompletionResponse(text="")

    def stream_complete(self, prompt, **kwargs):
        raise NotImplementedError


@pytest.mark.parametrize("answers", [[GOOD], ["no", GOOD]])
async def test_its_answer_is_read_in_sync_and_async(answers):
    for is_async in (False, True):
        detector = LLMConflictDetector(Says(says=list(answers)))
        found = await detector.adetect(NEW, [OLD]) if is_async else detector.detect(NEW, [OLD])
        [conflict] = found
        assert (conflict.kind, conflict.against, conflict.detail) == ("fact_update", OLD, "moved")
        assert detector.failures == 0


def test_an_answer_of_no_use_costs_only_itself():
    detector = LLMConflictDetector(Says(says=["no", "no"]))
    assert detector.detect(NEW, [OLD]) == []
    assert detector.failures == 1


def test_it_is_the_cores_protocol():
    assert isinstance(LLMConflictDetector(MockLLM()), ConflictDetector)


@pytest.mark.parametrize("llm", [None, "gpt-4o", MockLLM])
def test_only_a_llamaindex_model_is_taken(llm):
    with pytest.raises(TypeError, match="LlamaIndex LLM"):
        LLMConflictDetector(llm)

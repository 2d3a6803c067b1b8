"""The chat-model detector over a real chat model, which is too small to be any good."""

import pytest

from emomem import MemoryUnit
from langchain_emomem import ChatModelConflictDetector


def test_a_model_held_to_the_schema_is_read_whatever_it_finds(chat_url):
    openai = pytest.importorskip("langchain_openai")
    model = openai.ChatOpenAI(
        base_url=chat_url,
        model="gemma",
        api_key="none",
        max_tokens=200,
        timeout=300,
        max_retries=0,
    )
    old, new = (
        MemoryUnit(text=text, user_id="ann", speaker="ann", created_at=0)
        for text in ("I live in Lisbon.", "I moved to Porto.")
    )
    detector = ChatModelConflictDetector(model)
    conflicts = detector.detect(new, [old])
    assert detector.failures == 0
    assert [conflict.against for conflict in conflicts] in ([], [old])

"""What an agent asks its memory for."""

import pytest

from emomem.agent import Controller
from emomem.memory.in_memory import InMemoryStore
from emomem.memory.memory import Memory


@pytest.fixture
def asked():
    """The texts that were embedded."""
    return []


@pytest.fixture
def agent(appraiser, state, asked):
    def embed(texts):
        asked.extend(texts)
        return [[1.0, float(len(text))] for text in texts]

    memory = Memory(InMemoryStore(embed=embed), user_id="ann", appraiser=appraiser)
    return Controller(memory, None, state)


def test_what_was_met_before_and_all_cues_are_mixed_into_what_is_recalled(agent, asked):
    own = {"A baker who hates a scene", "Family comes first.", "Sam, Bo"}
    agent.step("Sam rang. Twice.")
    assert set(asked) == {"Sam rang. Twice.", *own}
    asked.clear()
    agent.perceive("Sam is at the door.")
    before = {"Sam rang. Twice.\nSam is at the door.", "Sam rang.", "Twice."}
    assert set(asked) == {"Sam is at the door.", *before, *own}
    asked.clear()
    agent.perceive("Sam is at the door.", conversation=["Hello"])
    assert "Hello\nSam is at the door." in asked
    assert not [text for text in asked if "rang" in text]


def test_a_message_alone_is_no_conversation(agent, asked):
    agent.step("Sam rang.")
    for said in ([], ["He left."], [" "]):
        asked.clear()
        agent.perceive("He left.", conversation=said)
        assert "Sam rang." in asked
    for wrong in ({"a"}, None, b"x", "one"):
        with pytest.raises(TypeError, match="conversation is a list"):
            agent.perceive("He left.", conversation=wrong)

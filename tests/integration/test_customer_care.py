"""The two stories of customer care, with a scripted model, and on a real one."""

import importlib.util
from pathlib import Path

import pytest
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_emomem import ConflictAwareMemory, LocalEmbeddings

EXAMPLE = Path(__file__).parents[2] / "examples" / "customer_care.py"
DAY = 86_400.0
DARKEST = "My grandmother died in the chair you sold us, I am heartbroken and sick with grief."
MISHAP = "The screws of the chair were missing again, that is annoying."
KIND = "Your driver Ben was so kind and carried the chair upstairs for me."
LOW = "I feel awful about the chair, everything goes wrong and I can't stop crying."
PLAIN = "What do you know about my chair?"
FURIOUS = "I waited the whole day for order 12 and nobody came, I am furious with you!"
NEUTRAL = "Could you tell me when order 12 is delivered?"


@pytest.fixture
def care():
    spec = importlib.util.spec_from_file_location("customer_care", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Clock:
    at = 1_764_000_000.0

    def __call__(self):
        return self.at


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def memory(clock):
    return ConflictAwareMemory(InMemoryVectorStore(LocalEmbeddings()), clock=clock)


@pytest.fixture
def asked():
    return []


@pytest.fixture
def desk(care, memory, asked):
    def ask(messages):
        asked.append(messages[-1]["content"])
        if "nobody came" in asked[-1].partition("</memories>")[0]:
            return "I know that nobody came yesterday, and I am sorry."
        return "Noted."

    return care.CareDesk(memory, ask)


def test_the_darkest_is_kept_from_a_customer_who_is_low(desk, memory, clock, asked):
    for text in (DARKEST, MISHAP, KIND):
        desk.answer("ann", text)
        clock.at += DAY
    low = desk.answer("ann", LOW)
    assert low.felt.valence < -0.5
    assert KIND in asked[-1]
    assert MISHAP in asked[-1]
    assert "grandmother" not in asked[-1]

    clock.at += DAY
    desk.answer("ann", PLAIN)
    assert DARKEST in asked[-1]
    assert any(unit.text == DARKEST for unit in memory.timeline(user_id="ann"))


def test_yesterdays_anger_is_acknowledged_today(desk, clock, asked):
    assert desk.answer("bo", FURIOUS).felt.label == "anger"
    clock.at += DAY
    answered = desk.answer("bo", NEUTRAL)
    assert answered.felt.valence > -0.5
    assert answered.answer == "I know that nobody came yesterday, and I am sorry."
    block, _, rest = asked[-1].partition("</memories>")
    assert 'affect="anger"' in block
    assert "[anger]" not in asked[-1]
    assert rest.startswith(f"\n\nlabel: {answered.felt.label}\n")
    assert NEUTRAL not in block


def test_a_message_is_saved_with_its_feeling_and_only_when_it_was_answered(care, memory):
    def fail(messages):
        raise TimeoutError

    with pytest.raises(TimeoutError):
        care.CareDesk(memory, fail).answer("cy", FURIOUS)
    assert memory.timeline(user_id="cy") == []
    care.CareDesk(memory, lambda messages: "Noted.").answer("cy", FURIOUS)
    assert {unit.affect.label for unit in memory.timeline(user_id="cy")} == {"anger"}


def test_a_customer_is_told_nothing_of_another(desk, asked):
    desk.answer("dee", FURIOUS)
    desk.answer("eli", NEUTRAL)
    assert "nobody came" not in asked[-1]


@pytest.mark.slow
def test_both_stories_run_on_a_real_model(care, memory, clock, chat_url):
    ask = care.asker(chat_url)
    desk = care.CareDesk(memory, ask)
    for text in (DARKEST, KIND, FURIOUS):
        memory.save(text, user_id="fay")
    clock.at += DAY
    low, neutral = desk.answer("fay", LOW), desk.answer("fay", NEUTRAL)
    assert low.answer.strip()
    assert neutral.answer.strip()
    assert "grandmother" not in low.prompt[-1]["content"]
    assert "nobody came" in neutral.prompt[-1]["content"]
    texts = {unit.text for unit in memory.timeline(user_id="fay")}
    assert {LOW, NEUTRAL} <= texts

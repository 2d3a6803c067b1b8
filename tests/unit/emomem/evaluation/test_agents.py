from types import SimpleNamespace

import pytest

from emomem import Affect, LexiconAppraiser
from emomem.evaluation.agents import Answering, AnyMemory, CoreMemory, as_subject
from emomem.evaluation.stories import Said
from emomem.memory import InMemoryStore, Memory

TURNS = [
    Said("a", 1.0, "I live in Rome and I hate it"),
    Said("b", 2.0, "I moved to Milan and I love it"),
]
LOW = Affect(valence=-0.7)


class Notes:
    """A memory of one user that takes no user id."""

    def __init__(self):
        self.texts = []

    def save(self, text):
        self.texts.append(text)

    def recall(self, query):
        return self.texts


class Shared:
    """A memory of many users that notes what it is given."""

    def __init__(self):
        self.saved, self.asked = [], []

    def save(self, text, *, user_id, created_at):
        self.saved.append((text, user_id, created_at))

    def recall(self, query, user_id, affect=None):
        self.asked.append((query, user_id, affect))
        return [text for text, user, _ in self.saved if user == user_id]


def new_notes():
    return Notes()


@pytest.mark.parametrize("make", [Notes, new_notes])
def test_what_makes_a_memory_makes_one_for_each_user(make):
    memory = as_subject(make)
    memory.tell("ann", TURNS[:1])
    memory.tell("bo", TURNS[1:])
    found = memory.recall("ann", "where?", LOW)
    assert found.current == found.told == (TURNS[0].text,)
    assert found.context == f"- {TURNS[0].text}"
    assert memory.recall("cy", "where?", LOW).told == ()


def test_a_memory_of_many_users_is_told_all_that_it_asks_for():
    shared = Shared()
    memory = as_subject(shared)
    memory.tell("ann", TURNS)
    assert shared.saved == [(one.text, "ann", one.at) for one in TURNS]
    assert memory.recall("ann", "where?", LOW).told == tuple(one.text for one in TURNS)
    assert shared.asked == [("where?", "ann", LOW)]


def test_a_memory_of_one_user_is_refused_with_what_to_do():
    with pytest.raises(TypeError, match=r"Notes.save takes no user_id: give what makes an empty"):
        as_subject(Notes())


def test_what_makes_something_else_is_refused_when_it_is_made():
    memory = as_subject(lambda: 3)
    with pytest.raises(TypeError, match="made a int without save and recall"):
        memory.tell("ann", TURNS)


@pytest.mark.parametrize("agent", [3, "agent", None])
def test_what_is_no_agent_is_refused(agent):
    with pytest.raises(TypeError, match=r"agent\(messages\) -> str, or a memory"):
        as_subject(agent)


def test_a_class_that_is_no_memory_is_refused():
    with pytest.raises(TypeError, match="int has no save and recall"):
        as_subject(int)


@pytest.mark.parametrize(
    "said",
    [
        "hi",
        SimpleNamespace(text="hi"),
        {"content": "hi"},
        ["hi"],
        SimpleNamespace(page_content="hi"),
    ],
)
def test_an_agent_may_return_any_object_with_a_text(said):
    agent = as_subject(lambda messages: said)
    assert isinstance(agent, Answering)
    assert agent.complete([{"role": "user", "content": "hello"}]) == "hi"


@pytest.mark.parametrize("said", [None, 3, ["a", "b"]])
def test_an_agent_that_returns_no_text_is_told_so(said):
    with pytest.raises(TypeError, match="text"):
        Answering(lambda messages: said).complete([])


def test_our_memory_says_what_is_over_and_what_contradicts():
    memory = as_subject(Memory(InMemoryStore(embed), appraiser=LexiconAppraiser()))
    assert isinstance(memory, CoreMemory)
    memory.tell("ann", [Said("a", 1.0, "I live in Rome"), Said("b", 2.0, "I live in Milan now")])
    found = memory.recall("ann", "where do I live?", LOW)
    assert found.current[0] == "I live in Milan now"
    assert "I live in Rome" not in found.current
    assert frozenset({"I live in Rome", "I live in Milan now"}) in found.conflicts
    assert memory.recall("bo", "where do I live?", LOW).told == ()


def test_a_subject_is_itself():
    memory = AnyMemory(Notes)
    assert as_subject(memory) is memory


def embed(texts):
    return [[1.0, len(text) / 1000] for text in texts]


def test_an_async_agent_is_told_how_to_be_called():
    async def answer(messages):
        return "hi"

    with pytest.raises(TypeError, match=r"asyncio\.run\(agent\(messages\)\)"):
        as_subject(answer)

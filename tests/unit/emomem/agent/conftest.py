"""A memory with known parts, and a chat model that answers what it is told to."""

import json

import pytest

from emomem import Affect
from emomem.agent import Controller, State
from emomem.appraisal.base import BaseAppraiser
from emomem.memory.in_memory import InMemoryStore
from emomem.memory.memory import Memory

REFLECTION = {
    "for_tendency": "He lied again.",
    "for_norms": "He is my brother.",
    "tendency_weight": 0.4,
    "norms_weight": 0.6,
    "speech": "Tell me why.",
    "action": "sits down across from him",
    "reading": "He lied and I stayed calm.",
    "affect_changes": [{"name": "anger", "change": 5}],
    "relation_changes": [{"name": "Sam", "change": -10}],
    "operations": [{"number": 1, "operation": "reweight", "change": -10}],
}


class Model:
    """Answers in turn; an exception is raised."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def complete(self, messages, schema=None):
        self.asked.append((messages, schema))
        said = self.answers.pop(0)
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, str) else json.dumps(said)

    async def acomplete(self, messages, schema=None):
        return self.complete(messages, schema)


class Labels(BaseAppraiser):
    """Reads the label that its script gives a text; neutral where it has none."""

    def __init__(self):
        self.script = {}

    def _read(self, texts):
        return [Affect.from_label(self.script.get(text, "neutral")) for text in texts]


class Clock:
    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def appraiser():
    return Labels()


@pytest.fixture
def memory(appraiser, clock):
    store = InMemoryStore(embed=lambda texts: [[1.0, 0.0] for _ in texts])
    return Memory(store, user_id="ann", appraiser=appraiser, clock=clock)


@pytest.fixture
def state():
    return State(
        persona="A baker who hates a scene",
        beliefs=("Family comes first.",),
        relations={"Sam": 6.0, "Bo": -9.0},
        affect={"anger": 8.0, "joy": 0.0},
    )


@pytest.fixture
def build(memory, state):
    """An agent over a model that answers in turn; None for no model."""

    def make(*answers, **options):
        model = None if answers == (None,) else Model(*answers)
        agent = Controller(memory, model, options.pop("state", state), **options)
        return agent, model

    return make


@pytest.fixture
def reflection():
    return REFLECTION


@pytest.fixture
def model():
    return Model

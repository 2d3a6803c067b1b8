"""A memory over the core's own store, with parts whose answers are known."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from emomem import Affect
from emomem.appraisal.base import BaseAppraiser
from emomem.memory.conflict import Conflict
from emomem.memory.detectors.base import BaseConflictDetector
from emomem.memory.in_memory import InMemoryStore
from emomem.memory.memory import Memory


class Clock:
    """A time that moves when it is told to."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Pairs(BaseConflictDetector):
    """Finds the conflicts that its script names: (new text, old text) -> kind."""

    def __init__(self, script: Mapping[tuple[str, str], str] | None = None) -> None:
        self.script = dict(script or {})
        self.seen: list[list[str]] = []

    def detect(self, new, candidates):
        self.seen.append([one.text for one in candidates])
        return [
            Conflict(self.script[new.text, one.text], one, (new.speaker, one.speaker), 0.8, "test")
            for one in candidates
            if (new.text, one.text) in self.script
        ]


class Labels(BaseAppraiser):
    """Reads the label that its script gives a text; joy where the text has none."""

    def __init__(self, script: Mapping[str, str | None] | None = None) -> None:
        self.script = dict(script or {})

    def _read(self, texts):
        labels = [self.script.get(text, "joy") for text in texts]
        return [Affect.unknown() if one is None else Affect.from_label(one) for one in labels]


def letters(texts: Sequence[str]) -> Any:
    """Vectors of how often each letter stands in a text: near texts are near."""
    rows = [[text.lower().count(chr(97 + i)) + 0.01 for i in range(26)] for text in texts]
    return np.array(rows)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def detector() -> Pairs:
    return Pairs()


@pytest.fixture
def appraiser() -> Labels:
    return Labels()


@pytest.fixture
def store() -> InMemoryStore:
    return InMemoryStore(embed=letters)


@pytest.fixture
def memory(store, detector, appraiser, clock) -> Memory:
    return Memory(store, user_id="ann", detector=detector, appraiser=appraiser, clock=clock)


@pytest.fixture
def build(store, detector, appraiser, clock) -> Callable[..., Memory]:
    """A memory with other parts over the same store."""

    def make(**options: Any) -> Memory:
        given = {"user_id": "ann", "detector": detector, "appraiser": appraiser, "clock": clock}
        return Memory(options.pop("store", store), **{**given, **options})

    return make


@pytest.fixture(scope="session")
def fresh() -> Callable[..., tuple[Memory, InMemoryStore, Clock]]:
    """A memory over a store and with a clock of its own, as often as it is asked for."""

    def make(**options: Any) -> tuple[Memory, InMemoryStore, Clock]:
        store, clock = InMemoryStore(embed=letters), Clock()
        memory = Memory(store, user_id="ann", appraiser=Labels(), clock=clock, **options)
        return memory, store, clock

    return make

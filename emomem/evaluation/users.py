"""Twelve users of our own: what each said over some weeks, and what they ask of their memory.

Six of them were looked at while rules were tuned, and six were held out.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any, Final, Literal

from emomem.memory.conflict import ConflictKind

Split = Literal["dev", "test"]
"""Looked at while rules were tuned, or held out."""

About = Literal["now", "before", "feel"]
"""What is true now; what was true before; a memory for a mood or of a feeling."""

REPLACING: Final[frozenset[ConflictKind]] = frozenset({"fact_update", "preference_change"})
"""The kinds of conflict after which the older side is no longer so."""


@dataclass(frozen=True)
class Turn:
    """One thing that a user said.

    Attributes:
        key: Its name in the set.
        at: When, in seconds since 1970.
        text: What was said.
        goal: Whether it is a goal.
        experiencer: Who feels it; None is the user.
        against: What said before it contradicts: the kind of conflict by key.
        secret: The words that must be found nowhere once it is forgotten; "" of what stays.
    """

    key: str
    at: float
    text: str
    goal: bool = False
    experiencer: str | None = None
    against: Mapping[str, ConflictKind] = field(default_factory=dict)
    secret: str = ""

    @property
    def replaces(self) -> frozenset[str]:
        """The keys of what is no longer so after it."""
        return frozenset(key for key, kind in self.against.items() if kind in REPLACING)


@dataclass(frozen=True)
class Forget:
    """The wish that something said before be forgotten, by its key."""

    at: float
    key: str


@dataclass(frozen=True)
class Question:
    """One question to a user's memory.

    Attributes:
        about: What it asks for.
        text: The question.
        keys: What should come back; any of several will do.
        mood: The label of the user's present affect; None where it is not known.
    """

    about: About
    text: str
    keys: frozenset[str]
    mood: str | None = None


@dataclass(frozen=True)
class User:
    """One user.

    Attributes:
        id: The user's id.
        events: What happened, the earliest first.
        questions: What is asked afterwards.
        split: "dev" or "test".
    """

    id: str
    events: tuple[Turn | Forget, ...]
    questions: tuple[Question, ...]
    split: Split = "test"

    def asked(self, about: About) -> list[Question]:
        """The questions of one kind."""
        return [one for one in self.questions if one.about == about]

    @property
    def turns(self) -> dict[str, Turn]:
        """What was said, by key."""
        return {one.key: one for one in self.events if isinstance(one, Turn)}

    @property
    def forgotten(self) -> frozenset[str]:
        """The keys of what must be gone."""
        return frozenset(one.key for one in self.events if isinstance(one, Forget))

    @property
    def kept(self) -> dict[str, Turn]:
        """What was said and not forgotten, goals left out, by key."""
        return {
            key: turn
            for key, turn in self.turns.items()
            if key not in self.forgotten and not turn.goal
        }

    @property
    def replaced(self) -> frozenset[str]:
        """The keys of what is no longer so at the end."""
        return frozenset().union(*(turn.replaces for turn in self.kept.values()))


def load_users() -> list[User]:
    """The users."""
    source = files("emomem.evaluation").joinpath("memory_sets", "users.jsonl")
    return [_user(json.loads(line)) for line in source.read_text(encoding="utf-8").splitlines()]


def _user(row: Mapping[str, Any]) -> User:
    return User(
        id=row["user"],
        events=tuple(map(_event, row["turns"])),
        questions=tuple(
            Question(one["kind"], one["ask"], frozenset(one["keys"]), one.get("affect"))
            for one in row["questions"]
        ),
        split=row["split"],
    )


def _event(row: Mapping[str, Any]) -> Turn | Forget:
    at = datetime.fromisoformat(row["at"]).replace(tzinfo=UTC).timestamp()
    if "forget" in row:
        return Forget(at, row["forget"])
    return Turn(**{**row, "at": at})

"""Stories of our own: what people told a memory over some months, and what they say next."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any, Final, Literal

from emomem.affect import Affect
from emomem.prompts import Language
from emomem.protocols import ChatMessage

HistoryKind = Literal["update", "evolution", "open"]
"""A fact that changed, a feeling that changed, or two sides that both stand."""
Wish = Literal["comfort", "congruent"]
"""What a user's state asks for: memories that soothe, or such as feel alike."""

_LATIN: Final = re.compile(r"[a-z\u00c0-\u024f]")
_HEARD: Final[Mapping[Language, str]] = {"en": "I see.", "zh": "我知道了。", "pt": "Entendi."}


@dataclass(frozen=True)
class Said:
    """What a user told before.

    Attributes:
        key: Its name in the story.
        at: When, in seconds since 1970.
        text: The words.
        felt: The emotion that it tells of, as its writer labelled it.
    """

    key: str
    at: float
    text: str = field(repr=False)
    felt: str = "neutral"


@dataclass(frozen=True)
class Story:
    """A user's past, and what the user says now.

    Attributes:
        id: Its name, which is the user's too.
        language: The language.
        turns: What was told, oldest first; plain everyday things are among it.
        message: What the user says now.
        expert: What a thoughtful person would answer.
    """

    id: str
    language: Language
    turns: tuple[Said, ...]
    message: str = field(repr=False)
    expert: str = field(repr=False)

    def texts(self, keys: Sequence[str]) -> list[str]:
        """The texts of some keys."""
        return [one.text for one in self.turns if one.key in keys]

    def conversation(self) -> list[ChatMessage]:
        """All of it as one conversation: each turn with its date, the message last."""
        turns: list[ChatMessage] = []
        for one in self.turns:
            date = datetime.fromtimestamp(one.at, UTC).date()
            turns += [
                {"role": "user", "content": f"({date}) {one.text}"},
                {"role": "assistant", "content": _HEARD[self.language]},
            ]
        return [*turns, {"role": "user", "content": self.message}]


@dataclass(frozen=True)
class History(Story):
    """A story that contradicts itself or goes on, and a question about it.

    Attributes:
        kind: How.
        current: The keys of what holds now.
        past: The keys of what no longer does.
        sides: The keys of both sides, where both belong in an answer.
        right: What an answer says that knows what holds now; one of them is enough.
        before: What an answer says that speaks of what was before; without the other it is wrong.
        says: For each side what an answer says that names it; one of each is enough.
    """

    kind: HistoryKind = "open"
    current: tuple[str, ...] = ()
    past: tuple[str, ...] = ()
    sides: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    says: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Moment(Story):
    """A story with feelings, and a message in a state of mind.

    Attributes:
        wish: What the state asks for.
        affect: How the user feels now.
        fits: The keys of the memories that fit the wish.
        history: The keys of the feelings that an answer should know of.
        shows: What an answer says that knows of them; one is enough.
    """

    wish: Wish = "congruent"
    affect: Affect = field(default_factory=Affect.unknown)
    fits: tuple[str, ...] = ()
    history: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()


def load_histories() -> list[History]:
    """The histories: 16 in English, 6 in Chinese and 6 in Portuguese."""
    return [
        History(**_story(row, "question"), **_tuples(row, History), kind=row["kind"])
        for row in _rows("histories.jsonl")
        if "id" in row
    ]


def load_moments() -> list[Moment]:
    """The moments: 12 in English, 3 in Chinese and 3 in Portuguese."""
    return [
        Moment(
            **_story(row, "message"),
            **_tuples(row, Moment),
            wish=row["wish"],
            affect=Affect(**row["affect"]),
        )
        for row in _rows("moments.jsonl")
    ]


def few(stories: Sequence[Any], most: int | None) -> list[Any]:
    """The first stories of each language, as many as are wanted; all for None."""
    languages = dict.fromkeys(one.language for one in stories)
    return [
        one
        for language in languages
        for one in [story for story in stories if story.language == language][:most]
    ]


def names(text: str, phrases: Sequence[str]) -> bool:
    """Whether a text holds one of some phrases, in any case; a word of letters from its start.

    Example:
        >>> names("She is unjust", ["just"]), names("A just boss", ["just"])
        (False, True)
    """
    plain = text.casefold().replace("\u2019", "'")
    return any(_pattern(phrase).search(plain) for phrase in phrases)


def _pattern(phrase: str) -> re.Pattern[str]:
    plain = phrase.casefold()
    # Chinese has no spaces between its words.
    start = r"(?<!\w)" if _LATIN.match(plain) or plain[:1].isdigit() else ""
    return re.compile(start + re.escape(plain))


def _rows(name: str) -> list[dict[str, Any]]:
    source = files("emomem.evaluation").joinpath("memory_sets", name)
    return [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]


def _story(row: Mapping[str, Any], message: str) -> dict[str, Any]:
    told = [
        Said(one["key"], _time(one["at"]), one["text"], one.get("felt", "neutral"))
        for one in row["turns"]
    ]
    plain = _everyday(row["language"])
    first, last = told[0].at, told[-1].at
    # Between the first and the last day, evenly.
    between = [
        Said(f"everyday-{number}", first + (last - first) * number / (len(plain) + 1), text)
        for number, text in enumerate(plain, 1)
    ]
    turns = tuple(sorted([*told, *between], key=lambda one: one.at))
    return {
        "id": row["id"],
        "language": row["language"],
        "turns": turns,
        "message": row[message],
        "expert": row["expert"],
    }


def _everyday(language: str) -> list[str]:
    [found] = [
        row["everyday"]
        for row in _rows("histories.jsonl")
        if "everyday" in row and row["language"] == language
    ]
    texts: list[str] = found
    return texts


def _tuples(row: Mapping[str, Any], kind: type[Story]) -> dict[str, Any]:
    own = {"current", "past", "sides", "right", "before", "says", "fits", "history", "shows"}
    chosen = own & set(kind.__dataclass_fields__)
    return {
        name: tuple(tuple(one) if isinstance(one, list) else one for one in row[name])
        for name in chosen
    }


def _time(date: str) -> float:
    return datetime.fromisoformat(date).replace(tzinfo=UTC).timestamp()

"""Characters with memories and known personalities, of any data set: one JSON schema."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from emomem.evaluation.datasets.base import malformed, open_text, parse_json
from emomem.prompts import Language
from emomem.roleplay.character import COLON, Character

Kind = Literal["mbti", "bfi"]
"""A questionnaire: 16Personalities, or the Big Five Inventory."""

GUIDE: Final = "docs/role-play.md"
"""Where the schema is told."""

_COLONS: Final = "：:"


@dataclass(frozen=True)
class Label:
    """What is known of one dimension of a character.

    Attributes:
        score: In percent of the first pole (mbti), or 1..5 (bfi).
        kind: "H" above the middle, "L" below, "X" where it is too near to the middle to count.
    """

    score: float
    kind: Literal["H", "L", "X"]


Labels = Mapping[Kind, Mapping[str, Label]]

MIDDLE: Final[Mapping[Kind, float]] = {"mbti": 50.0, "bfi": 3.0}
"""The middle of each questionnaire's scale."""


@dataclass(frozen=True)
class Subject:
    """A character to be interviewed.

    Attributes:
        id: Its name in the data set.
        character: Whom a model plays.
        aliases: Its other names, which the judge is not told either.
        memories: What it can recall.
        labels: Its personality, by questionnaire and dimension.
    """

    id: str
    character: Character
    memories: tuple[str, ...] = field(repr=False)
    labels: Labels
    aliases: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All its names, the longest first."""
        names = {self.character.name, *self.aliases}
        return tuple(sorted(names, key=lambda name: (-len(name), name)))


def memories_of(
    dialogues: Iterable[Sequence[tuple[str, str]]], names: Sequence[str], language: Language
) -> list[str]:
    """What a character said, each time after the utterance before it; the same once.

    Args:
        dialogues: Of each dialogue who says what, in order.
        names: The character's names, as the dialogues have them.
        language: The dialogues' own.

    Returns:
        Both utterances of each, "speaker: words" a line. What opens a dialogue is no memory: there
        is nothing that it answers.
    """
    memories: dict[str, None] = {}
    colon = COLON[language]
    for turns in dialogues:
        for (before, said), (speaker, reply) in pairwise(turns):
            if speaker in names:
                memories[f"{before}{colon}{said}\n{speaker}{colon}{reply}"] = None
    return list(memories)


def turns_of(text: str) -> list[tuple[str, str]]:
    """Who says what, of a text with "speaker: words" a line (the colon of either script).

    A line without a speaker goes on with the one before; what stands before any speaker is left
    out.
    """
    turns: list[tuple[str, str]] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        cuts = [line.index(colon) for colon in _COLONS if colon in line]
        if cuts and (cut := min(cuts)):
            turns.append((line[:cut].strip(), line[cut + 1 :].strip()))
        elif turns:
            speaker, said = turns[-1]
            turns[-1] = (speaker, f"{said} {line}")
    return turns


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class _Said(_Strict):
    speaker: str = Field(min_length=1)
    text: str


class _Label(_Strict):
    score: Annotated[float, Field(allow_inf_nan=False)]
    type: Literal["H", "L", "X"] | None = None


class _Entry(_Strict):
    id: str = Field(min_length=1)
    name: str = Field(min_length=1)
    language: Language = "en"
    aliases: tuple[str, ...] = ()
    profile: str | dict[str, Any] = ""
    memories: tuple[str, ...] = ()
    dialogues: tuple[str | tuple[_Said, ...], ...] = ()
    labels: dict[Kind, dict[str, float | _Label]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _remembers(self) -> "_Entry":
        if not self.memories and not self.dialogues:
            msg = "a character needs memories or dialogues"
            raise ValueError(msg)
        return self

    def subject(self, labels: Labels | None = None) -> Subject:
        spoken = [
            turns_of(one) if isinstance(one, str) else [(said.speaker, said.text) for said in one]
            for one in self.dialogues
        ]
        own = memories_of(spoken, (self.name, *self.aliases), self.language)
        return Subject(
            self.id,
            Character(name=self.name, profile=self.profile, language=self.language),
            tuple(dict.fromkeys([*self.memories, *own])),
            labels
            or {
                kind: {dimension: _label(one, MIDDLE[kind]) for dimension, one in by_name.items()}
                for kind, by_name in self.labels.items()
            },
            self.aliases,
        )


class _File(_Strict):
    characters: tuple[_Entry, ...] = Field(min_length=1)


def _label(given: float | _Label, middle: float) -> Label:
    label = given if isinstance(given, _Label) else _Label(score=given)
    return Label(label.score, label.type or ("H" if label.score > middle else "L"))


def load_characters(
    path: Path, source: str = "the schema", labels: Mapping[str, Labels] | None = None
) -> list[Subject]:
    """The characters of a JSON file.

    `{"characters": [{"id": …, "name": …, "language": "en", "aliases": […], "profile": …,
    "memories": [text, …], "dialogues": [[{"speaker": …, "text": …}, …], …],
    "labels": {"mbti": {"E/I": 72.2, …}, "bfi": {"Openness": 3.5, …}}}, …]}`. Memories, dialogues
    or both; a dialogue may also be one text with "speaker: words" a line. A label is a number, or
    `{"score": …, "type": "H", "L" or "X"}`.

    Args:
        path: The file.
        source: Where its format comes from, for the message of an error.
        labels: Known labels by id, which go before the file's own.

    Raises:
        FileNotFoundError: It is not there.
        ValueError: It does not follow the schema, names an id twice, or a character says nothing
            in its dialogues.
    """
    found = parse_json(open_text(path, source), path, source)
    try:
        entries = _File.model_validate(found).characters
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, fault["loc"]))
        what = f"{where}: {fault['msg']} (see {GUIDE})"
        raise malformed(path, source, what) from None
    subjects = [entry.subject((labels or {}).get(entry.id)) for entry in entries]
    ids = [one.id for one in subjects]
    if twice := next((one for one in ids if ids.count(one) > 1), None):
        raise malformed(path, source, f"the id {twice!r} stands there twice")
    if silent := next((one.id for one in subjects if not one.memories), None):
        raise malformed(path, source, f"{silent!r} answers nobody in its dialogues")
    return subjects

"""What a scenario is, and how its file is read."""

import json
import os
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from emomem.affect import Unit
from emomem.memory.unit import Name
from emomem.prompts import Language
from emomem.scenarios.lines import line_of

_SUFFIX: Final = ".json"


def _is_time(value: str) -> str:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        msg = f"must be a date and time of ISO 8601 such as 2026-03-01T18:30:00Z, got {value!r}"
        raise ValueError(msg) from None
    return value


Time = Annotated[str, AfterValidator(_is_time)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class _Dated(_Part):
    id: Name
    text: Name = Field(repr=False)
    timestamp: Time

    @property
    def at(self) -> float:
        """When, in seconds since 1970; a time without a zone is UTC."""
        moment = datetime.fromisoformat(self.timestamp)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


class Fact(_Dated):
    """Something that is so.

    Attributes:
        id: Its name in the scenario.
        text: What is so.
        timestamp: When it was learned, ISO 8601.
    """


class AffectiveMemory(_Dated):
    """Something that was felt.

    Attributes:
        id: Its name in the scenario.
        text: What was felt.
        timestamp: When, ISO 8601.
        critical: Whether it must come to mind in the situation.
        salience: 0..1, how accessible the author says it is; None where the author does not.
        fact_id: The fact that it is about.
    """

    critical: bool
    salience: Unit | None = None
    fact_id: Name | None = None


class Relation(_Part):
    """What somebody means to the persona.

    Attributes:
        name: Who.
        weight: -10 (hated) .. 10 (loved).
    """

    name: Name
    weight: float = Field(ge=-10, le=10)


class Queries(_Part):
    """What is asked of the two memories in the situation.

    Attributes:
        factual: For facts.
        affective: For feelings.
    """

    factual: Name
    affective: Name


class Scenario(_Part):
    """A person in a conflict: who they are, what they know and feel, and what happens.

    Attributes:
        id: Its name; that of its file where it is shipped.
        title: A line for people.
        language: "en", "zh" or "pt", of all its texts.
        persona: Who the person is.
        beliefs: What they hold to be right.
        relations: What others mean to them.
        situation: What they stand before.
        queries: What is asked of their memory.
        facts: What they know.
        affective: What they felt.
        days: For a simulation: what they observe, by day.

    Raises:
        pydantic.ValidationError: A value is not allowed. (It is a ValueError.)

    Example:
        >>> scenario = load_scenario("household")
        >>> len(scenario.facts), len(scenario.affective), len(scenario.critical)
        (15, 36, 10)
    """

    id: Name
    title: Name
    language: Language
    persona: Name
    beliefs: tuple[Name, ...] = ()
    relations: tuple[Relation, ...] = ()
    situation: Name
    queries: Queries
    facts: tuple[Fact, ...] = Field(min_length=1, repr=False)
    affective: tuple[AffectiveMemory, ...] = Field(min_length=1, repr=False)
    days: tuple[tuple[Name, ...], ...] = Field(default=(), repr=False)

    @property
    def weights(self) -> dict[str, float]:
        """What others mean to them, -10..10 by name."""
        return {one.name: one.weight for one in self.relations}

    @property
    def critical(self) -> frozenset[int]:
        """Places in `affective` of what must come to mind."""
        return frozenset(place for place, one in enumerate(self.affective) if one.critical)

    @field_validator("affective")
    @classmethod
    def _some_are_critical(cls, value: tuple[AffectiveMemory, ...]) -> tuple[AffectiveMemory, ...]:
        if not any(one.critical for one in value):
            msg = 'at least one memory must be "critical": true'
            raise ValueError(msg)
        return value

    @model_validator(mode="after")
    def _names_fit(self) -> Self:
        names: set[str] = set()
        for part in ("facts", "affective"):
            for place, one in enumerate(getattr(self, part)):
                if one.id in names:
                    msg = "must be given once in facts and affective"
                    raise _misnamed(msg, one.id, part, place, "id")
                names.add(one.id)
        facts = {one.id for one in self.facts}
        for place, memory in enumerate(self.affective):
            if memory.fact_id is not None and memory.fact_id not in facts:
                msg = "must be the id of one of the facts"
                raise _misnamed(msg, memory.fact_id, "affective", place, "fact_id")
        return self


_PARTS: Final[dict[str, type[_Part]]] = {
    "facts": Fact,
    "affective": AffectiveMemory,
    "relations": Relation,
    "queries": Queries,
}


def _misnamed(what: str, name: str, *place: str | int) -> PydanticCustomError:
    """An error that says where it belongs, which a validator of the whole could not."""
    return PydanticCustomError("misnamed", "{what}, got {name}", {**locals(), "name": repr(name)})


def load_scenario(path_or_id: str | os.PathLike[str]) -> Scenario:
    """A scenario from its file, or one that is shipped by its id.

    Raises:
        FileNotFoundError: There is no such file, and none of that id is shipped.
        ValueError: The file is none of a scenario; the message names the file, the line and what
            is allowed.
    """
    path = Path(path_or_id)
    shipped = _shipped()
    if path.suffix != _SUFFIX and not path.is_file():
        if str(path_or_id) not in shipped:
            msg = (
                f"no scenario {str(path_or_id)!r}: give the path of a {_SUFFIX} file, or one of "
                f"{', '.join(sorted(shipped))}"
            )
            raise FileNotFoundError(msg)
        path = shipped[str(path_or_id)]
    if not path.is_file():
        msg = f"no file {path}"
        raise FileNotFoundError(msg)
    return _read(path)


def scenarios(folder: str | os.PathLike[str] | None = None) -> list[Scenario]:
    """All scenarios of a folder, sorted by id.

    Args:
        folder: The folder, with one scenario in each of its .json files; None is those shipped.

    Raises:
        FileNotFoundError: It is no folder, or holds no .json file.
        ValueError: A file is none of a scenario, or an id is there twice.
    """
    if folder is None:
        paths: Iterable[Path] = _shipped().values()
    else:
        paths = sorted(Path(folder).glob(f"*{_SUFFIX}"))
        if not paths:
            msg = f"no scenario in {folder}: it must be a folder of {_SUFFIX} files"
            raise FileNotFoundError(msg)
    found = [_read(path) for path in paths]
    counts = Counter(one.id for one in found)
    if twice := [name for name, count in counts.items() if count > 1]:
        msg = f"each scenario must have an id of its own, got {twice[0]!r} twice in {folder}"
        raise ValueError(msg)
    return sorted(found, key=lambda one: one.id)


def _shipped() -> dict[str, Path]:
    """The shipped files, by id."""
    folder = Path(str(files("emomem.scenarios")))
    return {path.stem: path for path in folder.glob(f"*{_SUFFIX}")}


def _read(path: Path) -> Scenario:
    try:
        text = path.read_text(encoding="utf-8-sig")
        json.loads(text)
    except UnicodeDecodeError:
        msg = f"{path}: it must be UTF-8"
        raise ValueError(msg) from None
    except json.JSONDecodeError as error:
        msg = f"{path}, line {error.lineno}: it must be JSON: {error.msg}"
        raise ValueError(msg) from None
    try:
        return Scenario.model_validate_json(text, strict=True)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        place = fault.get("ctx", {}).get("place", fault["loc"])
        name = ".".join(map(str, place)) or "the scenario"
        msg = f"{path}, line {line_of(text, place)}: {name}: {_said(fault)}"
        raise ValueError(msg) from None


def _said(fault: ErrorDetails) -> str:
    """What is wrong and what is allowed."""
    if fault["type"] != "extra_forbidden":
        return fault["msg"].removeprefix("Value error, ")
    *above, _ = fault["loc"]
    part = _PARTS[str(above[0])] if above else Scenario
    return f"no such field; there are {', '.join(part.model_fields)}"

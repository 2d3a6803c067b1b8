"""What is rated: one text of one arm, with what a rater has to know to judge it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from emomem.checks import not_blank
from emomem.evaluation.ratings.scales import ScaleName
from emomem.files import replace_file
from emomem.prompts import Language

_CONFIG: Final = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)


Text = Annotated[str, AfterValidator(not_blank)]
Grade = Annotated[int, Field(ge=1, le=5)]


class Context(BaseModel):
    """What a text was written from.

    Attributes:
        ids: The memories, in the order in which they were told.
        tokens: About how many tokens they have.
    """

    model_config = _CONFIG

    ids: tuple[str, ...]
    tokens: int


class Output(BaseModel):
    """One text to be rated. Keys of a line that are none of these are passed over.

    Attributes:
        id: Its own name, which no rater sees.
        scenario: What it is about; its texts are rated together.
        arm: What made it, which no rater sees.
        seed: Which of an arm's texts about the scenario it is.
        text: The text.
        person: Who speaks, as raters read it.
        situation: What that person stands before.
        background: What anyone who knows the person knows, the same for all arms.
        language: That of the text.
        model: What wrote it.
        context: What it was written from; None where that is not known.
        judge: What a model gave it on each scale; None where none was asked.
    """

    model_config = _CONFIG

    id: Text
    scenario: Text
    arm: Text
    seed: int = 0
    text: Text = Field(repr=False)
    person: str = Field(default="", repr=False)
    situation: str = Field(default="", repr=False)
    background: tuple[str, ...] = Field(default=(), repr=False)
    language: Language = "en"
    model: str = ""
    context: Context | None = None
    judge: Mapping[ScaleName, Grade] | None = None

    @property
    def pair(self) -> tuple[str, int]:
        """What it shares with one text of every other arm."""
        return self.scenario, self.seed


def read_outputs(path: Path) -> list[Output]:
    """The outputs of a file of one JSON object a line.

    Raises:
        OSError: The file cannot be read.
        ValueError: A line is no output, two have the same id, or an arm has two of one scenario
            and seed; the message names the line and quotes no text.
    """
    found: list[Output] = []
    first: dict[object, int] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{path}, line {number}"
        one = _output(line, place)
        for what, name in (
            ("id", one.id),
            ("scenario, arm and seed", f"{one.scenario}, {one.arm}, {one.seed}"),
        ):
            if (before := first.setdefault((what, name), number)) != number:
                msg = f"{place}: the {what} {name!r} is that of line {before}"
                raise ValueError(msg)
        found.append(one)
    if not found:
        msg = f"{path}: it holds no output"
        raise ValueError(msg)
    return found


def write_outputs(path: Path, outputs: Iterable[Output]) -> None:
    """Write outputs, one JSON object a line."""
    lines = [json.dumps(one.model_dump(mode="json"), ensure_ascii=False) for one in outputs]
    replace_file(path, ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass"))


def language_of(outputs: Sequence[Output]) -> Language:
    """The language of all outputs, or English where they have several."""
    languages = {one.language for one in outputs}
    return languages.pop() if len(languages) == 1 else "en"


def _output(line: str, place: str) -> Output:
    try:
        return Output.model_validate_json(line)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(map(str, fault["loc"])) or "the line"
        msg = f"{place}: {name}: {fault['msg'].removeprefix('Value error, ')}"
        raise ValueError(msg) from None

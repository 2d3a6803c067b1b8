"""InCharacter (Wang et al. 2024): personalities of known characters, and two questionnaires."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, get_args

from emomem.evaluation.characters import GUIDE, Kind, Label, Labels, Subject, load_characters
from emomem.evaluation.datasets.base import malformed, open_text, parse_json
from emomem.prompts import Language

SOURCE: Final = "https://github.com/Neph0s/InCharacter"

_FOLDER: Final = "incharacter"
_NAMES: Final[Mapping[Kind, str]] = {"mbti": "16Personalities", "bfi": "BFI"}
_JUDGED_BY: Final = "pdb"
"""Whose labels count: those of a website's many users."""


@dataclass(frozen=True)
class Question:
    """One question of an interview.

    Attributes:
        dimension: What it asks about.
        text: In the languages that it is written in.
    """

    dimension: str
    text: Mapping[str, str]

    def said(self, language: Language) -> str:
        """In a language, or else in English."""
        return self.text.get(language, self.text["en"])


@dataclass(frozen=True)
class Questionnaire:
    """An inventory of statements, each put as an open question.

    Attributes:
        kind: Which one.
        name: Its name in the data.
        low: The lower end of a dimension's scale.
        high: The upper end.
        dimensions: What each dimension means, by its name, in order.
        questions: All questions.
    """

    kind: Kind
    name: str
    low: float
    high: float
    dimensions: Mapping[str, str]
    questions: Sequence[Question]

    def first(self, count: int | None) -> "Questionnaire":
        """The same with the first questions of each dimension; all where None."""
        taken = [
            [one for one in self.questions if one.dimension == dimension][:count]
            for dimension in self.dimensions
        ]
        questions = [one for group in taken for one in group]
        return Questionnaire(self.kind, self.name, self.low, self.high, self.dimensions, questions)


def load_questionnaire(data: Path, kind: Kind) -> Questionnaire:
    """A questionnaire.

    Args:
        data: The folder that holds `incharacter/`.
        kind: "mbti" for 16Personalities, whose scale is the percentage of the first pole; "bfi"
            for the Big Five Inventory, 1..5.

    Raises:
        FileNotFoundError: The file is not there.
        ValueError: It is malformed.
    """
    path = data / _FOLDER / f"{_NAMES[kind]}.json"
    found = parse_json(open_text(path, SOURCE), path, SOURCE)
    try:
        low, high = (0.0, 100.0) if kind == "mbti" else map(float, found["range"])
        meant = found["prompts"]["dim_desc"]
        dimensions = {one["cat_name"]: str(meant[one["cat_name"]]) for one in found["categories"]}
        questions = [
            Question(
                one["dimension"],
                {language: one[f"rewritten_{language}"] for language in ("en", "zh")},
            )
            for one in found["questions"].values()
            if one["dimension"] in dimensions
        ]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise malformed(path, SOURCE, f"{type(error).__name__} {error}") from error
    return Questionnaire(kind, found["name"], low, high, dimensions, questions)


def labels_by_id(path: Path, source: str) -> dict[str, Labels]:
    """What is known of the personality of each character, by its id.

    Raises:
        FileNotFoundError: The file is not there.
        ValueError: It is malformed.
    """
    found = parse_json(open_text(path, source), path, source)
    try:
        return {name: _labels(known) for name, known in found[_JUDGED_BY].items()}
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise malformed(path, source, f"{type(error).__name__} {error}") from error


def _labels(known: Mapping[str, Any]) -> Labels:
    return {
        kind: {
            dimension: Label(float(one["score"]), one["type"])
            for dimension, one in known[_NAMES[kind]].items()
        }
        for kind in get_args(Kind)
        if _NAMES[kind] in known
    }


def load_incharacter(data: Path) -> list[Subject]:
    """The characters of `incharacter/characters.json`, with InCharacter's labels.

    InCharacter publishes labels and questionnaires beside the characters' dialogues, which belong
    to others; that file, of the schema of `load_characters`, is the user's to make. Its ids are
    those of the labels ("Hermione-en").

    Args:
        data: The folder that holds `incharacter/`.

    Raises:
        FileNotFoundError: A file is not there.
        ValueError: A file is malformed, or an id has no label.
    """
    labels = labels_by_id(data / _FOLDER / "characters_labels.json", SOURCE)
    path = data / _FOLDER / "characters.json"
    if not path.is_file():
        msg = (
            f"no {path}: incharacter has labels and questionnaires here, but no profiles and no "
            f"dialogues; put those of the characters there (schema: {GUIDE}), or give --dataset "
            "a file with labels of its own"
        )
        raise FileNotFoundError(msg)
    subjects = load_characters(path, SOURCE, labels)
    if unknown := [one.id for one in subjects if one.id not in labels]:
        raise malformed(path, SOURCE, f"no label has the id {unknown[0]!r}")
    return subjects

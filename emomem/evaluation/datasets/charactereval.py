"""CharacterEval (Tu et al. 2024): characters of Chinese series, with what they say there."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from emomem.evaluation.characters import Subject, memories_of, turns_of
from emomem.evaluation.datasets.base import malformed, open_text, parse_json
from emomem.evaluation.datasets.incharacter import labels_by_id
from emomem.roleplay.character import Character

SOURCE: Final = "https://github.com/morecry/CharacterEval"
LABELS: Final = "https://github.com/BAI-LAB/EmotionalRAG"

_FOLDER: Final = "charactereval"
_LANGUAGE: Final = "zh"


def load_charactereval(data: Path) -> list[Subject]:
    """The characters whose personality is known, in the order of the labels.

    A memory is an utterance of the character with the one before it, each pair once. The labels
    are of 16Personalities alone.

    Args:
        data: The folder that holds `charactereval/`.

    Raises:
        FileNotFoundError: A file is not there.
        ValueError: A file is malformed.
    """
    folder = data / _FOLDER
    labels = labels_by_id(folder / "characters_labels.json", LABELS)
    profiles, rows = (
        parse_json(open_text(folder / name, SOURCE), folder / name, SOURCE)
        for name in ("character_profiles.json", "test_data.json")
    )
    try:
        return [_subject(name, labels[name], profiles, rows) for name in labels]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        what = f"{type(error).__name__} {error}"
        raise malformed(folder, SOURCE, what) from error


def _subject(name: str, labels: Any, profiles: Mapping[str, Any], rows: list[Any]) -> Subject:  # noqa: ANN401 - as read
    dialogues = [turns_of(row["context"]) for row in rows if row["role"] == name]
    memories = tuple(memories_of(dialogues, [name], _LANGUAGE))
    if not memories:
        msg = f"no utterance of {name}"
        raise ValueError(msg)
    character = Character(name=name, profile=profiles[name], language=_LANGUAGE)
    return Subject(name, character, memories, labels)

"""EmpatheticDialogues (Rashkin et al. 2019): does what comes back feel the same?"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from emomem.evaluation.datasets.base import Dataset, Query, Store, malformed, read_csv

SOURCE: Final = "https://github.com/facebookresearch/EmpatheticDialogues"

EMOTIONS: Final[Mapping[str, str | Mapping[str, float]]] = MappingProxyType(
    {
        "afraid": "fear",
        "angry": "anger",
        "annoyed": "annoyance",
        "anticipating": "anticipation",
        "anxious": "nervousness",
        "apprehensive": "nervousness",
        "ashamed": {"embarrassment": 0.5, "remorse": 0.5},
        "caring": "caring",
        "confident": {"optimism": 0.5, "pride": 0.5},
        "content": {"joy": 0.5, "relief": 0.5},
        "devastated": "grief",
        "disappointed": "disappointment",
        "disgusted": "disgust",
        "embarrassed": "embarrassment",
        "excited": "excitement",
        "faithful": {"approval": 0.5, "love": 0.5},
        "furious": "anger",
        "grateful": "gratitude",
        "guilty": "remorse",
        "hopeful": "optimism",
        "impressed": "admiration",
        "jealous": {"annoyance": 0.5, "desire": 0.5},
        "joyful": "joy",
        "lonely": "sadness",
        "nostalgic": {"love": 0.5, "sadness": 0.5},
        "prepared": {"approval": 0.5, "optimism": 0.5},
        "proud": "pride",
        "sad": "sadness",
        "sentimental": {"love": 0.5, "sadness": 0.5},
        "surprised": "surprise",
        "terrified": "fear",
        "trusting": "trust",
    }
)
"""The 32 emotions of the data set, each as a known label or a mixture of them."""

_COLUMNS: Final = ("conv_id", "utterance_idx", "utterance", "emotion")


@dataclass(frozen=True)
class Dialogue:
    """A dialogue in turn order.

    Attributes:
        id: Its name.
        emotion: The one of 32 that it is about.
        turns: What was said; the first, third, … are the speaker's, whom it is about.
    """

    id: str
    emotion: str
    turns: tuple[str, ...] = field(repr=False)

    @property
    def own(self) -> tuple[str, ...]:
        """The speaker's turns."""
        return self.turns[::2]


def load_emotions(data: Path) -> list[str]:
    """The emotion of each memory of `load_empathetic`, one of `EMOTIONS`.

    Args:
        data: The folder that holds `empathetic_dialogues/`.

    Raises:
        FileNotFoundError: The file is not there.
        ValueError: It is malformed, or names another emotion.
    """
    found = [row["emotion"] for row in _firsts(data)]
    if unknown := sorted(set(found) - EMOTIONS.keys()):
        raise malformed(_path(data), SOURCE, f"it has no emotion {unknown[0]!r}")
    return found


def load_empathetic(data: Path) -> Dataset:
    """EmpatheticDialogues' test dialogues, each by its speaker's first turn.

    Each turn is a query to all the others; those of a dialogue with the same of 32 emotions are
    relevant.

    Args:
        data: The folder that holds `empathetic_dialogues/`.

    Raises:
        FileNotFoundError: The file is not there.
        ValueError: It is malformed.
    """
    firsts = _firsts(data)
    texts = tuple(map(_said, firsts))
    places: dict[str, set[int]] = {}
    for index, row in enumerate(firsts):
        places.setdefault(row["emotion"], set()).add(index)
    queries = tuple(
        Query(
            id=row["conv_id"],
            turns=(texts[index],),
            own=(True,),
            relevant=frozenset(places[row["emotion"]] - {index}),
            left_out=frozenset({index}),
        )
        for index, row in enumerate(firsts)
        if len(places[row["emotion"]]) > 1
    )
    return Dataset("EmpatheticDialogues", SOURCE, (Store(texts, queries),))


def load_dialogues(data: Path, count: int) -> list[Dialogue]:
    """The first test dialogues in which the speaker says something more than once.

    Args:
        data: The folder that holds `empathetic_dialogues/`.
        count: How many at most.

    Raises:
        FileNotFoundError: The file is not there.
        ValueError: It is malformed, or holds no such dialogue.
    """
    path = _path(data)
    found: dict[str, list[dict[str, str]]] = {}
    for row in read_csv(path, SOURCE, _COLUMNS):
        found.setdefault(row["conv_id"], []).append(row)
    try:
        for rows in found.values():
            rows.sort(key=lambda row: int(row["utterance_idx"]))
    except ValueError:
        raise malformed(path, SOURCE, "an utterance_idx is no number") from None
    dialogues = [
        Dialogue(id_, rows[0]["emotion"], tuple(map(_said, rows))) for id_, rows in found.items()
    ]
    chosen = [dialogue for dialogue in dialogues if len(dialogue.own) > 1][:count]
    if not chosen:
        raise malformed(path, SOURCE, "in no dialogue the speaker has two turns")
    return chosen


def _firsts(data: Path) -> list[dict[str, str]]:
    """The rows of the first turns."""
    rows = read_csv(_path(data), SOURCE, _COLUMNS)
    return [row for row in rows if row["utterance_idx"] == "1"]


def _path(data: Path) -> Path:
    return data / "empathetic_dialogues" / "test.csv"


def _said(row: dict[str, str]) -> str:
    # The original files spell commas out.
    return row["utterance"].replace("_comma_", ",").strip()

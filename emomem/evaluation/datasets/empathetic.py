"""EmpatheticDialogues (Rashkin et al. 2019): does what comes back feel the same?"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from emomem.evaluation.datasets.base import Dataset, Query, Store, malformed, read_csv

SOURCE: Final = "https://github.com/facebookresearch/EmpatheticDialogues"

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
    firsts = [row for row in read_csv(_path(data), SOURCE, _COLUMNS) if row["utterance_idx"] == "1"]
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


def _path(data: Path) -> Path:
    return data / "empathetic_dialogues" / "test.csv"


def _said(row: dict[str, str]) -> str:
    # The original files spell commas out.
    return row["utterance"].replace("_comma_", ",").strip()

"""Texts that people labelled: GoEmotions, EmoBank and BRIGHTER."""

import csv
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Final, Literal, Self

import numpy as np
from numpy.typing import NDArray

from emomem.emotions import GOEMOTIONS
from emomem.evaluation.datasets.base import malformed, open_text, read_csv
from emomem.scales import EMOBANK_AROUSAL, EMOBANK_DOMINANCE, EMOBANK_VALENCE

Split = Literal["train", "dev", "test"]

GOEMOTIONS_SOURCE: Final = "https://github.com/monologg/GoEmotions-pytorch"
EMOBANK_SOURCE: Final = "https://github.com/JULIELab/EmoBank"
BRIGHTER_SOURCE: Final = "https://github.com/emotion-analysis-project/SemEval2025-Task11"

VAD: Final = ("valence", "arousal", "dominance")
_STRONGEST: Final = 3
_VAD_COLUMNS: Final = {"V": EMOBANK_VALENCE, "A": EMOBANK_AROUSAL, "D": EMOBANK_DOMINANCE}


@dataclass(frozen=True, eq=False)
class Labelled:
    """Texts and what people said of them.

    Attributes:
        name: The data set, and which part of it.
        texts: n texts.
        gold: (n, c) what they said.
        columns: What each column is of.
    """

    name: str
    texts: list[str] = field(repr=False)
    gold: NDArray[np.float64] = field(repr=False)
    columns: tuple[str, ...]

    def sample(self, most: int, seed: int) -> Self:
        """At most so many rows, drawn by a seed and in their order."""
        if len(self.texts) <= most:
            return self
        rows = np.sort(np.random.default_rng(seed).permutation(len(self.texts))[:most])
        texts = [self.texts[row] for row in rows]
        return type(self)(self.name, texts, self.gold[rows], self.columns)


def load_goemotions(data: Path, split: Split) -> Labelled:
    """One official split of GoEmotions; gold (n, 28) is 0 or 1.

    Args:
        data: The folder that holds `goemotions/`.
        split: "train", "dev" or "test".

    Raises:
        FileNotFoundError: A file is not there.
        ValueError: A file is malformed, or its labels are not those of
            `emomem.emotions.GOEMOTIONS`.
    """
    folder = data / "goemotions"
    labels = folder / "labels.txt"
    if tuple(open_text(labels, GOEMOTIONS_SOURCE).split()) != GOEMOTIONS:
        raise malformed(labels, GOEMOTIONS_SOURCE, "they are not the official labels in order")
    path = folder / f"{split}.tsv"
    lines = StringIO(open_text(path, GOEMOTIONS_SOURCE), newline="")
    records = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    gold = np.zeros((len(records), len(GOEMOTIONS)))
    try:
        for row, record in enumerate(records):
            gold[row, [int(number) for number in record[1].split(",")]] = 1
    except (ValueError, IndexError):
        raise malformed(path, GOEMOTIONS_SOURCE, "a row has no label numbers") from None
    return Labelled(f"GoEmotions {split}", [one[0] for one in records], gold, GOEMOTIONS)


def load_emobank(data: Path, split: Split) -> Labelled:
    """One official split of EmoBank; gold (n, 3) is valence, arousal and dominance, on our scales.

    Args:
        data: The folder that holds `emobank/`.
        split: "train", "dev" or "test".

    Raises:
        FileNotFoundError: The file is not there.
        ValueError: It is malformed.
    """
    path = data / "emobank" / "emobank.csv"
    rows = read_csv(path, EMOBANK_SOURCE, ("split", "text", *_VAD_COLUMNS))
    chosen = [row for row in rows if row["split"] == split]
    try:
        columns = [
            scale([float(row[name]) for row in chosen]) for name, scale in _VAD_COLUMNS.items()
        ]
    except ValueError as error:
        raise malformed(path, EMOBANK_SOURCE, str(error)) from None
    return Labelled(
        f"EmoBank {split}", [row["text"] for row in chosen], np.stack(columns, axis=1), VAD
    )


def load_brighter(data: Path, language: str, split: Split) -> Labelled:
    """One language of BRIGHTER; gold (n, k) is the intensity 0..1 of each of its k emotions.

    Args:
        data: The folder that holds `brighter/`.
        language: "eng", "chn" or "ptbr".
        split: "train" or "dev".

    Raises:
        FileNotFoundError: The file is not there.
        ValueError: It is malformed.
    """
    path = data / "brighter" / f"{language}_{split}.csv"
    rows = read_csv(path, BRIGHTER_SOURCE, ("id", "text"))
    names = tuple(name for name in rows[0] if name not in {"id", "text"}) if rows else ()
    try:
        gold = np.array([[float(row[name]) / _STRONGEST for name in names] for row in rows])
    except ValueError:
        raise malformed(path, BRIGHTER_SOURCE, "an intensity is no number") from None
    title = f"BRIGHTER {split}, {language}"
    return Labelled(title, [row["text"] for row in rows], gold, names)

"""The public data sets, as texts beside one matrix of targets.

A target matrix has the columns of `emomem.appraisal.branch.HEADS`; NaN marks what a data set does
not label, so that one loss serves every row.

The folder of the data holds, from these public repositories:

- `goemotions/`: monologg/GoEmotions-pytorch, `data/original`
- `emobank/`: JULIELab/EmoBank, `corpus/emobank.csv`
- `brighter/`: emotion-analysis-project/SemEval2025-Task11, `track_b`, as LANGUAGE_SPLIT.csv
- `xed/`: Helsinki-NLP/XED, as LANGUAGE.tsv
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from emomem.appraisal.branch import OUTPUTS, columns
from emomem.evaluation.datasets.labelled import load_brighter, load_emobank, load_goemotions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from emomem.evaluation.datasets.labelled import Split

INTENSITY: Final = ("anger", "fear", "joy", "sadness", "surprise")
"""BRIGHTER's English emotions, as the `intensity` head has them; other languages add disgust."""


@dataclass(frozen=True)
class Rows:
    """Texts and their targets.

    Attributes:
        texts: n texts.
        targets: (n, 44), NaN where a text has no such label.
        source: the data set that each text comes from.
    """

    texts: list[str]
    targets: NDArray[np.float32]
    source: list[str]

    def __len__(self) -> int:
        """Return the number of texts."""
        return len(self.texts)

    def take(self, keep: Iterable[int]) -> Rows:
        """Return the rows at the given positions."""
        picked = list(keep)
        return Rows(
            [self.texts[i] for i in picked], self.targets[picked], [self.source[i] for i in picked]
        )


def join(parts: Iterable[Rows]) -> Rows:
    """Put several sets of rows under one another."""
    parts = list(parts)
    return Rows(
        [text for part in parts for text in part.texts],
        np.concatenate([part.targets for part in parts]),
        [source for part in parts for source in part.source],
    )


def labelled(texts: list[str], head: str, values: NDArray[np.float32], source: str) -> Rows:
    """Make rows that have the targets of one head only."""
    targets = np.full((len(texts), OUTPUTS), np.nan, dtype=np.float32)
    targets[:, columns(head)] = values
    return Rows(texts, targets, [source] * len(texts))


def goemotions(data: Path, split: Split) -> Rows:
    """Read one official split of GoEmotions; targets are 0 or 1.

    Raises:
        ValueError: the labels of the files are not those of `emomem.emotions.GOEMOTIONS`.
    """
    found = load_goemotions(data, split)
    return labelled(found.texts, "emotions", found.gold.astype(np.float32), "goemotions")


def emobank(data: Path, split: Split) -> Rows:
    """Read one official split of EmoBank, on this project's scales."""
    found = load_emobank(data, split)
    return labelled(found.texts, "vad", found.gold.astype(np.float32), "emobank")


def brighter(
    data: Path, language: str, split: Split
) -> tuple[list[str], NDArray[np.float32], tuple[str, ...]]:
    """Read one language of BRIGHTER (`eng`, `chn`, `ptbr`).

    Returns:
        Texts, intensities 0..1 (n, k), and the names of the k emotions.
    """
    found = load_brighter(data, language, split)
    return found.texts, found.gold.astype(np.float32), found.columns


def brighter_english(data: Path, split: Split) -> Rows:
    """Read the English part of BRIGHTER as rows of the `intensity` head."""
    texts, values, names = brighter(data, "eng", split)
    order = [names.index(name) for name in INTENSITY]
    return labelled(texts, "intensity", values[:, order], "brighter")


def xed(data: Path, language: str) -> tuple[list[str], NDArray[np.float32]]:
    """Read XED of one language (`en`, `pt`, `br`, `cn`) as texts and Plutchik labels (n, 8).

    Lines that are not a text and a list of label numbers are left out; `br` has some.
    """
    texts, values = [], []
    with (data / "xed" / f"{language}.tsv").open(encoding="utf-8") as file:
        for line in file:
            match = re.fullmatch(r"([^\t]+)\t([1-8](?:, ?[1-8])*)", line.strip())
            if match:
                texts.append(match[1])
                values.append([str(number) in match[2] for number in range(1, 9)])
    return texts, np.array(values, dtype=np.float32)


def plain(text: str) -> str:
    """Return what two copies of a text share: its words in lower case."""
    return " ".join(re.findall(r"\w+", text.lower()))


def unseen(rows: Rows, held_out: Iterable[str]) -> Rows:
    """Leave out the rows whose words are also a held-out text's."""
    taken = {plain(text) for text in held_out}
    return rows.take(i for i, text in enumerate(rows.texts) if plain(text) not in taken)


def held_out_texts(data: Path) -> Iterator[str]:
    """Yield every English text that measures or tunes and must not train."""
    for split in ("dev", "test"):
        yield from goemotions(data, split).texts
        yield from emobank(data, split).texts
    yield from brighter_english(data, "dev").texts


def english_training(data: Path) -> Rows:
    """Return all English training rows, free of held-out texts."""
    texts, values = xed(data, "en")
    parts = [
        goemotions(data, "train"),
        emobank(data, "train"),
        brighter_english(data, "train"),
        labelled(texts, "plutchik", values, "xed"),
    ]
    return unseen(join(parts), held_out_texts(data))

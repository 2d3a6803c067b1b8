"""Texts for the benchmarks: drawn with a fixed seed, or EmpatheticDialogues where it is at hand."""

import csv
import random
from pathlib import Path
from typing import Final

VOCABULARY: Final = (
    "i we you she they my your the a this that it was is are have had went came saw told felt "
    "lost found missed loved hated left called waited cried laughed never always again today "
    "yesterday tonight morning work home street train dog sister mother friend boss doctor job "
    "letter dinner rain summer so very really happy sad angry afraid tired alone proud sorry "
    "better worse because but and when after with without about from to at in on of for"
)
WORDS: Final = tuple(VOCABULARY.split())


def drawn(count: int, seed: int = 0, *, longest: int = 60) -> list[str]:
    """Different texts as people write them to an assistant: 3 words and more, most of them few."""
    rng = random.Random(seed)  # noqa: S311 - not for secrets
    lengths = [min(longest, 3 + int(rng.expovariate(1 / 12))) for _ in range(count)]
    return [
        " ".join([*rng.choices(WORDS, k=length), str(number)])
        for number, length in enumerate(lengths)
    ]


def spoken(data: Path, count: int) -> list[str]:
    """Turns of EmpatheticDialogues' test set (facebookresearch/EmpatheticDialogues)."""
    with (data / "empathetic_dialogues" / "test.csv").open(encoding="utf-8", newline="") as file:
        return [
            row["utterance"] for row, _ in zip(csv.DictReader(file), range(count), strict=False)
        ]

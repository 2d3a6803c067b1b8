"""What should ask for feelings: how many critical memories are near to each cue.

    python -m training.cues

prints, over everybody of `training/people`, the share of the critical memories that are among the
nearest 30 of the person's own 36, and of those and the memories of eight others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from emomem.encoder import LocalEncoder
from emomem.evaluation.suites.crr import PREFETCH, nearest
from emomem.mixing import mixed, query_parts
from emomem.signals import cosines
from training.people import Person, people

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

OTHERS: Final = 8


def cues(person: Person) -> dict[str, list[str]]:
    """The texts of each cue, which are mixed."""

    def of(name: str) -> list[str]:
        return [text for found, text in person.fields if found == name]

    [query], situation, beliefs = of("query"), of("situation"), of("belief")
    return {
        "query": [query],
        "query and beliefs": [query, *beliefs],
        "query, situation and beliefs": [*query_parts(query, situation), *beliefs],
    }


def share(cue: NDArray[np.float64], vectors: NDArray[np.float64], critical: Sequence[int]) -> float:
    """The share of the critical rows that are among the nearest."""
    return float(np.isin(critical, nearest(cosines(cue, vectors), PREFETCH)).mean())


def main() -> None:
    """Print the table."""
    encoder, told = LocalEncoder(cache_size=0), people()
    vectors = [encoder.embed([text for _, _, text in one.memories]).astype(float) for one in told]
    rng = np.random.default_rng(0)
    found: dict[str, list[tuple[float, float]]] = {}
    for place, one in enumerate(told):
        critical = [row for row, (kind, _, _) in enumerate(one.memories) if kind == "C"]
        others = [other for other in rng.permutation(len(told)) if other != place][:OTHERS]
        bank = np.concatenate([vectors[place], *(vectors[other] for other in others)])
        for name, texts in cues(one).items():
            cue = mixed([*encoder.embed(texts).astype(float)])
            shares = share(cue, vectors[place], critical), share(cue, bank, critical)
            found.setdefault(name, []).append(shares)
    print(f"{len(told)} people; of the critical memories among the nearest {PREFETCH}")  # noqa: T201
    for name, all_shares in found.items():
        own, banked = np.mean(all_shares, axis=0)
        print(f"{name:30} of their own {own:.3f}, of nine people's {banked:.3f}")  # noqa: T201


if __name__ == "__main__":
    main()

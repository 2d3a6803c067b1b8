"""Speed of Emotional RAG's ranking (arXiv:2410.23041): ours, and that of its published code.

Both rank the same memories, from embeddings and emotion scores to the ten best, and must agree on
them. Ours goes over arrays. The reference keeps its memories as Python lists and computes one
distance after the other in a list comprehension, as the code of BAI-LAB/EmotionalRAG does. The
rounds alternate, so that a machine's other load falls on both alike.
"""

import collections.abc
import sys
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from common import alternate, arguments, report
from numpy.typing import NDArray
from scipy.spatial import distance

from emomem.roleplay import RECALLED, SCORED, STRATEGIES, recall

LEAST_RATIO: Final = 50.0
"""How many times as fast as the reference each strategy must be."""
_KEPT: Final = 2 * RECALLED


class Case(NamedTuple):
    """A question and the memories of a character, as arrays and as lists."""

    query: NDArray[np.float32]
    felt: NDArray[np.float64]
    memories: NDArray[np.float32]
    feelings: NDArray[np.float64]
    lists: list[tuple[list[float], list[float]]]


def make(memories: int, dimensions: int) -> Case:
    """Random unit embeddings and random scores 1..10."""
    rng = np.random.default_rng(41)
    vectors = rng.normal(size=(memories + 1, dimensions)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    scores = rng.uniform(1, 10, (memories + 1, SCORED))
    lists = list(zip(vectors[1:].tolist(), scores[1:].tolist(), strict=True))
    return Case(vectors[0], scores[0], vectors[1:], scores[1:], lists)


def published(name: str, case: Case) -> list[int]:
    """The places of the best, one memory after the other."""
    query, felt = case.query.tolist(), case.felt.tolist()
    far = [
        np.linalg.norm(np.array(query) - np.array(semantic)).item() for semantic, _ in case.lists
    ]
    apart = [distance.cosine(np.array(felt), np.array(emotion)) for _, emotion in case.lists]
    if name == "ordinary":
        return _best(far, RECALLED)
    if name.startswith("combination"):
        both = zip(far, apart, strict=True)
        joined = [a + b if name.endswith("add") else a * b for a, b in both]
        return _best(joined, RECALLED)
    first, second = (far, apart) if name == "semantic-first" else (apart, far)
    kept = _best(first, _KEPT)
    again = _best([second[row] for row in kept], RECALLED)
    return [kept[place] for place in again]


def _best(distances: list[float], count: int) -> list[int]:
    places: list[int] = np.argsort(distances)[:count].tolist()
    return places


def ours(name: str, case: Case) -> list[int]:
    """The same by the library."""
    places: list[int] = recall(
        STRATEGIES[name], case.query, case.felt, case.memories, case.feelings
    ).tolist()
    return places


def main(arguments_: collections.abc.Sequence[str] | None = None) -> int:
    """Print the table; the exit status says whether all are fast enough, in the same order."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--dimensions", type=int, default=768, help="of BGE base: 768")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments_)
    case = make(options.memories, options.dimensions)
    tasks: dict[str, Callable[[], object]] = {}
    for name in STRATEGIES:
        tasks[name] = partial(ours, name, case)
        tasks[f"{name}, published"] = partial(published, name, case)
    seconds = alternate(tasks, options.rounds)
    rows = [
        {
            "strategy": name,
            "memories": options.memories,
            "ms": seconds[name] * 1000,
            "published ms": seconds[f"{name}, published"] * 1000,
            "times as fast": seconds[f"{name}, published"] / seconds[name],
            "same order": "yes" if ours(name, case) == published(name, case) else "NO",
        }
        for name in STRATEGIES
    ]
    report(rows, options.json)
    good = [row["same order"] == "yes" and row["times as fast"] >= LEAST_RATIO for row in rows]
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main())

"""How good a ranking is, by `ir-measures` (MacAvaney et al. 2022) over pytrec_eval."""

from collections.abc import Iterable, Sequence
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def require_eval() -> None:
    """Tell how to install what measuring needs where it is missing.

    Raises:
        ImportError: A package is not installed.
    """
    for package in ("ir_measures", "bm25s", "matplotlib"):
        if find_spec(package) is None:
            msg = f"measuring needs {package}, which is not installed: pip install 'emomem[eval]'"
            raise ImportError(msg)


def measure(
    name: str, rankings: Sequence[Sequence[int]], relevant: Sequence[Iterable[int]]
) -> FloatArray:
    """(q,) one measure of each query's ranking.

    Every relevant memory counts alike. nDCG's ideal is over all that are relevant, so that what
    is not returned is missed.

    Args:
        name: As `ir-measures` writes it: "nDCG@5", "R@10", "RR@10", "P@5", "AP".
        rankings: For each query the memories that came back, best first.
        relevant: For each query the memories that should, at least one.

    Raises:
        ImportError: `ir-measures` is not installed.
        ValueError: A query has nothing relevant, a memory came back twice, or the numbers of
            queries differ.
    """
    require_eval()
    import ir_measures  # noqa: PLC0415 - loaded when something is measured

    gold = [set(places) for places in relevant]
    if len(rankings) != len(gold) or not all(gold):
        msg = f"{len(rankings)} rankings need as many sets of relevant memories, none empty"
        raise ValueError(msg)
    if any(len(set(ranking)) < len(ranking) for ranking in rankings):
        msg = "a ranking names a memory twice"
        raise ValueError(msg)
    qrels = [
        ir_measures.Qrel(str(number), str(place), 1)
        for number, places in enumerate(gold)
        for place in places
    ]
    run = [
        ir_measures.ScoredDoc(str(number), str(place), -float(rank))
        for number, ranking in enumerate(rankings)
        for rank, place in enumerate(ranking)
    ]
    values = np.zeros(len(gold))
    for found in ir_measures.iter_calc([ir_measures.parse_measure(name)], qrels, run):
        values[int(found.query_id)] = found.value
    return values

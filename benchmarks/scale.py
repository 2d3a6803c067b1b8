"""Fused vectors at size: what they cost against plain queries of the same store, what they find.

Vectors and feelings are drawn (`vectors.py`). Every query goes through LangChain's store and asks
for 10; plain and fused ones take turns. The build ends with the first answer.

    python benchmarks/scale.py [--sizes 10000,100000] [--engines chroma,pgvector] [--json FILE]

1,000,000 is a size too: vectors are on the disk and loaded in batches.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Final

import numpy as np
from common import arguments, in_turns, report
from engines import ENGINES, OURS, Engine
from vectors import Feelings, Memories, SentenceVectors, fused_queries, recall

from emomem.affect import FloatArray
from emomem.fused import document_phi

K: Final = 10
WEIGHT: Final = 0.3
WEIGHTS: Final = (0.0, WEIGHT, 0.5)
MOST_RATIO: Final = 1.15


def timed(
    engine: Engine, queries: Mapping[float, FloatArray], rounds: int
) -> dict[str, list[float]]:
    """Seconds of each plain and each fused query, in turns."""

    def asks(weight: float) -> Callable[[], object]:
        turns = cycle(queries[weight])
        return lambda: engine.find(next(turns), K)

    return in_turns({"plain": asks(0.0), "fused": asks(WEIGHT)}, rounds)


def measured(
    engine: Engine, memories: Memories, queries: Mapping[float, FloatArray], rounds: int
) -> dict[str, object]:
    """One row of the table."""
    begun = time.perf_counter()
    for batch in memories.batches():
        engine.add(batch)
    engine.finish()
    engine.find(queries[0.0][0], K)
    built = time.perf_counter() - begun
    seconds = timed(engine, queries, rounds)
    times = {
        f"{name}_p{part}_ms": float(np.percentile(values, part)) * 1000
        for name, values in seconds.items()
        for part in (50, 95)
    }
    found = {weight: [engine.find(query, K) for query in queries[weight]] for weight in WEIGHTS}
    return {
        "build_s": built,
        **times,
        "ratio": float(np.median(seconds["fused"]) / np.median(seconds["plain"])),
        **{
            f"recall_{weight:g}": recall(memories.vectors, queries[weight], rows, K)
            for weight, rows in found.items()
        },
        "bytes": round(engine.occupied() / len(memories.vectors)),
    }


def main(arguments_: Sequence[str] | None = None) -> int:
    """Print the table; the exit status says whether fused queries cost no more than they may."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--sizes", default="10000", help="how many memories")
    parser.add_argument("--engines", default=",".join(ENGINES), help=", ".join(ENGINES))
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=400, help="queries that are timed")
    options = parser.parse_args(arguments_)
    names = options.engines.split(",")
    if unknown := set(names) - ENGINES.keys():
        parser.error(f"no such engine: {', '.join(unknown)}; there are {', '.join(ENGINES)}")
    sizes = sorted(map(int, options.sizes.split(",")))
    generator = np.random.default_rng(0)
    sentences, feelings = SentenceVectors(generator), Feelings(generator)
    topics = sentences.topics(options.queries)
    asked, wanted = sentences.about(topics), document_phi(feelings.affects)[feelings.about(topics)]
    queries = {weight: fused_queries(asked, wanted, weight) for weight in WEIGHTS}
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.npy"
        memories = Memories.drawn(path, sizes[-1], sentences, feelings)
        for size in sizes:
            for name in names:
                own = Path(tempfile.mkdtemp(dir=folder))
                with ENGINES[name](own, OURS) as engine:
                    row = measured(engine, memories.first(size), queries, options.rounds)
                rows.append({"engine": name, "memories": size, **row})
                print(*(f"{key}={value}" for key, value in rows[-1].items()), file=sys.stderr)
    report(rows, options.json)
    return int(any(float(str(row["ratio"])) > MOST_RATIO for row in rows))


if __name__ == "__main__":
    sys.exit(main())

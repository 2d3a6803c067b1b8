"""Recall and one write, ours against the `emotional-memory` package, as the store grows.

Ours are a retriever over an embedded Chroma of fused vectors, and a tagger and that store; theirs
`retrieve` and `encode` over the package's own store. Both are given the same vectors (384-d) and
affects, so that no model is timed. All recalls take turns of ten, and then all writes: threads of
the one that still spin would slow the first calls of the other. Without the package
(`pip install emotional-memory`) ours alone are measured.

    python benchmarks/rival.py [--sizes 1000,5000,10000] [--json FILE]
"""

import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

import numpy as np
from common import alternate, arguments, report
from engines import embedded_chroma
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from vectors import DIMENSIONS, SOURCE, Feelings, Memories, SentenceVectors

from emomem import Affect, BaseAppraiser
from emomem.affect import Float32Array
from emomem.evaluation.rivals import EmotionalMemoryPackage, core_affect
from langchain_emomem import AffectEmbeddings, AffectModulatedRetriever, EmotionTagger

K: Final = 5
LEAST_FASTER: Final = 20.0
MOST_GROWTH: Final = 1.5
"""How much more a write may cost in the largest store than in the smallest."""

_LIMIT_S: Final = 60.0
_CALLS: Final = 10
_GROUP: Final = 500
_Tasks = Mapping[str, Callable[[], object]]


class Numbered(Embeddings):
    """The vectors of texts that end in a number: that row, those beyond the last from the first."""

    def __init__(self, vectors: Float32Array) -> None:
        self._vectors = vectors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector a text."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The vector of one text."""
        vector: list[float] = self._vectors[_number(text) % len(self._vectors)].tolist()
        return vector

    embed, embed_batch = embed_query, embed_documents  # what the package calls them


class Known(BaseAppraiser):
    """The affects of texts that end in a number."""

    source = SOURCE

    def __init__(self, affects: Sequence[Affect]) -> None:
        self._affects = affects

    def _read(self, texts: Sequence[str]) -> list[Affect]:
        return [self._affects[_number(text) % len(self._affects)] for text in texts]


def _number(text: str) -> int:
    return int(text.rsplit(maxsplit=1)[1])


@dataclass(frozen=True, eq=False)
class Given:
    """What both are given."""

    memories: Memories
    encoder: Numbered
    affects: Sequence[Affect]

    def affect(self, row: int) -> Affect:
        """The affect of one memory."""
        return self.affects[row % len(self.affects)]


def ours(given: Given, size: int, folder: Path) -> _Tasks:
    """Our recall and our write, in a store of this size."""
    embeddings = AffectEmbeddings(given.encoder, Known(given.affects))
    with embedded_chroma(folder) as engine:
        for batch in given.memories.first(size).batches():
            engine.add(batch)
    engine.store._embedding_function = embeddings  # type: ignore[attr-defined]  # noqa: SLF001 - set once all is loaded
    retriever = AffectModulatedRetriever(vectorstore=engine.store, k=K, policy="congruent")
    tagger = EmotionTagger(appraiser=embeddings.appraiser)
    asked, written = count(), count(size)

    def recall() -> object:
        row = next(asked)
        return retriever.invoke(f"query {row}", affect=given.affect(row))

    def write() -> object:
        document = Document(f"memory number {next(written)}")
        return engine.store.add_documents(tagger.transform_documents([document]))

    return {"ours_recall": recall, "ours_write": write}


def theirs(given: Given, sizes: Sequence[int]) -> dict[int, _Tasks]:
    """The package's recall and write in stores of several sizes; of none where it is missing.

    A store is filled from groups that are encoded by themselves, since the cost of one write
    grows with the store.
    """
    if not EmotionalMemoryPackage.installed():
        print("emotional-memory is not installed: ours alone are measured")
        return {}
    from emotional_memory import EmotionalMemory, InMemoryStore  # noqa: PLC0415 - optional

    stores = {size: InMemoryStore() for size in sizes}
    for start in range(0, max(sizes), _GROUP):
        group = InMemoryStore()
        engine = EmotionalMemory(store=group, embedder=given.encoder)
        for row in range(start, start + _GROUP):
            _encode(engine, given, row)
        for size, store in stores.items():
            for memory in group.list_all()[: max(0, size - start)]:
                store.save(memory)

    def tasks(size: int) -> _Tasks:
        engine = EmotionalMemory(store=stores[size], embedder=given.encoder)
        asked, written = count(), count(size)

        def recall() -> object:
            row = next(asked)
            engine.set_affect(core_affect(given.affect(row)))
            return engine.retrieve(f"query {row}", K)

        return {
            "package_recall": recall,
            "package_write": lambda: _encode(engine, given, next(written)),
        }

    return {size: tasks(size) for size in sizes}


def _encode(engine: Any, given: Given, row: int) -> None:  # noqa: ANN401 - of an optional package
    engine.set_affect(core_affect(given.affect(row)))
    engine.encode(f"memory number {row}")


def main(arguments_: Sequence[str] | None = None) -> int:
    """Print the table; the exit status says whether ours is as fast, and as flat, as it must be."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--sizes", default="1000,5000,10000", help="how many memories")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments_)
    sizes = sorted(map(int, options.sizes.split(",")))
    generator = np.random.default_rng(0)
    feelings = Feelings(generator)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.npy"
        memories = Memories.drawn(path, sizes[-1], SentenceVectors(generator), feelings)
        encoder = Numbered(memories.vectors[:, :DIMENSIONS])
        affects = [feelings.affects[which] for which in memories.which]
        given = Given(memories, encoder, affects)
        package = theirs(given, sizes)
        tasks = {
            f"{name} {size}": task
            for size in sizes
            for name, task in {
                **ours(given, size, Path(tempfile.mkdtemp(dir=folder))),
                **package.get(size, {}),
            }.items()
        }
        seconds: dict[str, float] = {}
        for kind in ("recall", "write"):
            some = {name: _turn(task) for name, task in tasks.items() if kind in name}
            turns = alternate(some, options.rounds, _LIMIT_S)
            seconds |= {name: value / _CALLS for name, value in turns.items()}
    rows = [_row(size, sizes[0], seconds) for size in sizes]
    report(rows, options.json)
    last = rows[-1]
    return int(
        float(str(last["write_growth"])) > MOST_GROWTH
        or float(str(last.get("faster", LEAST_FASTER))) < LEAST_FASTER
    )


def _turn(task: Callable[[], object]) -> Callable[[], object]:
    """A task several times."""
    return lambda: [task() for _ in range(_CALLS)]


def _row(size: int, smallest: int, seconds: Mapping[str, float]) -> dict[str, object]:
    """One row of the table."""
    of = partial(_of, seconds)
    row: dict[str, object] = {
        "memories": size,
        "recall_ms": of("ours_recall", size) * 1000,
        "write_ms": of("ours_write", size) * 1000,
        "write_growth": of("ours_write", size) / of("ours_write", smallest),
    }
    if f"package_recall {size}" in seconds:
        row |= {
            "package_recall_ms": of("package_recall", size) * 1000,
            "package_write_ms": of("package_write", size) * 1000,
            "package_write_growth": of("package_write", size) / of("package_write", smallest),
            "faster": of("package_recall", size) / of("ours_recall", size),
        }
    return row


def _of(seconds: Mapping[str, float], name: str, size: int) -> float:
    return seconds[f"{name} {size}"]


if __name__ == "__main__":
    sys.exit(main())

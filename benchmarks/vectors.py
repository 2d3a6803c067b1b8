"""Memories for the benchmarks, drawn with a fixed seed; more of them than fit in memory."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from emomem import Affect
from emomem.affect import Float32Array, FloatArray
from emomem.emotions import GOEMOTIONS, NEUTRAL
from emomem.fused import EXTRA, document_phi, fuse_documents, fuse_query
from emomem.metadata import encode

DIMENSIONS: Final = 384
BATCH: Final = 5000
SOURCE: Final = "drawn"

IntArray = NDArray[np.int64]

_EMOTIONS: Final = len(GOEMOTIONS)
_TOPICS: Final = 300
_SPREAD: Final = 1.5
_DECAY: Final = 0.35
_FEELINGS: Final = 10_000
_LIKED: Final = 0.6
_SHARPNESS: Final = 8.0
_CHUNK: Final = 50_000
_TIE: Final = 1e-6


class SentenceVectors:
    """Draws directions around a few hundred topics, spread as sentence vectors are.

    The variance falls from dimension to dimension so that the first 10, 50 and 100 principal
    components have 23, 48 and 64% of it; of MiniLM's vectors of GoEmotions' comments it is 20,
    47 and 65%.
    """

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator
        self._scale = np.arange(1, DIMENSIONS + 1) ** -_DECAY
        self._topics = generator.normal(size=(_TOPICS, DIMENSIONS))

    def topics(self, count: int) -> IntArray:
        """(count,) what each of some texts is about."""
        return self._generator.integers(_TOPICS, size=count)

    def about(self, topics: IntArray) -> Float32Array:
        """(n, 384) vectors of length one, each about a topic."""
        noise = self._generator.normal(size=(len(topics), DIMENSIONS))
        vectors = (self._topics[topics] + _SPREAD * noise) * self._scale
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / lengths, dtype=np.float32)

    def draw(self, count: int) -> Float32Array:
        """(count, 384) vectors of length one."""
        return self.about(self.topics(count))


class Feelings:
    """Draws affects as the embedded model reads them, and as meaning goes with feeling.

    Each of the 28 emotions has a typical distribution of its own, half of it that emotion, around
    which those of its memories lie; a quarter of all is neutral. A topic has an emotion that most
    of its memories share. The three most probable emotions then have 0.56, 0.20 and 0.11, and the
    match of a memory with the ten nearest by meaning is 0.16 above that with any; of
    GoEmotions' comments, as the model reads them, it is 0.56, 0.19 and 0.09, and 0.16.

    Attributes:
        affects: What is drawn from.
    """

    def __init__(self, generator: np.random.Generator, count: int = _FEELINGS) -> None:
        self._generator = generator
        self._usual = np.full(_EMOTIONS, 0.74 / (_EMOTIONS - 1))
        self._usual[NEUTRAL] = 0.26
        rest = generator.dirichlet(_EMOTIONS / 2 * self._usual, _EMOTIONS)
        typical = (np.eye(_EMOTIONS) + rest) / 2
        main = np.arange(count) % _EMOTIONS
        rows = generator.gamma(_SHARPNESS * typical[main] + 1e-3)
        self._liked = generator.choice(_EMOTIONS, p=self._usual, size=_TOPICS)
        self.affects = [
            Affect.from_emotions(row / row.sum(), source=SOURCE) for row in rows + 1e-12
        ]

    def about(self, topics: IntArray) -> IntArray:
        """(n,) which of the affects some texts about these topics have."""
        count = len(topics)
        other = self._generator.choice(_EMOTIONS, p=self._usual, size=count)
        main = np.where(self._generator.random(count) < _LIKED, self._liked[topics], other)
        each = len(self.affects) // _EMOTIONS
        return np.asarray(main + _EMOTIONS * self._generator.integers(each, size=count))


class Given(Embeddings):
    """An encoder whose query vectors are drawn beforehand."""

    def __init__(self, vectors: Float32Array) -> None:
        self._vectors = vectors.tolist()
        self._next = 0

    def embed_query(self, text: str) -> list[float]:  # noqa: ARG002 - the vector is given
        """The next of the given vectors."""
        self._next = (self._next + 1) % len(self._vectors)
        vector: list[float] = self._vectors[self._next]
        return vector

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One given vector a text."""
        return [self.embed_query(text) for text in texts]


@dataclass(frozen=True)
class Batch:
    """Some memories: their rows, fused vectors, texts and metadata."""

    rows: range
    vectors: Float32Array
    tags: Sequence[Mapping[str, str | float]]

    @property
    def ids(self) -> list[str]:
        """A memory's row is its name."""
        return [str(row) for row in self.rows]

    @property
    def texts(self) -> list[str]:
        """What the memories say, in short."""
        return [f"memory number {row}" for row in self.rows]


@dataclass(frozen=True)
class Memories:
    """Tagged memories with fused vectors.

    Attributes:
        vectors: (n, 384 + 29) the fused vectors; on the disk where they were `drawn` there.
        tags: Metadata.
        which: (n,) which of them each memory has.
    """

    vectors: Float32Array
    tags: Sequence[Mapping[str, str | float]]
    which: IntArray

    @classmethod
    def drawn(
        cls, path: Path, size: int, sentences: SentenceVectors, feelings: Feelings
    ) -> "Memories":
        """Draw memories into a file, a batch at a time."""
        shape = (size, DIMENSIONS + EXTRA)
        vectors = np.lib.format.open_memmap(path, "w+", np.float32, shape)
        topics = sentences.topics(size)
        which = feelings.about(topics)
        phi = document_phi(feelings.affects)
        for start in range(0, size, BATCH):
            rows = slice(start, start + BATCH)
            vectors[rows] = fuse_documents(sentences.about(topics[rows]), phi[which[rows]])
        vectors.flush()
        return cls(vectors, [encode(one) for one in feelings.affects], which)

    def first(self, size: int) -> "Memories":
        """The first of them."""
        return Memories(self.vectors[:size], self.tags, self.which[:size])

    def batches(self) -> Iterator[Batch]:
        """All of them, a batch at a time."""
        for start in range(0, len(self.vectors), BATCH):
            rows = range(start, min(start + BATCH, len(self.vectors)))
            tags = [self.tags[which] for which in self.which[rows.start : rows.stop]]
            yield Batch(rows, self.vectors[rows.start : rows.stop], tags)


def fused_queries(sentences: Float32Array, psi: Float32Array, weight: float) -> FloatArray:
    """(n, 384 + 29) the fused vectors of queries, each with its own wanted feeling."""
    return np.stack([fuse_query(*pair, weight) for pair in zip(sentences, psi, strict=True)])


def recall(
    vectors: Float32Array, queries: FloatArray, found: Sequence[Sequence[int]], k: int
) -> float:
    """How much of the exact top k was found, ties counted as found.

    Args:
        vectors: (n, d) all documents.
        queries: (m, d) the queries.
        found: The rows of the documents that each query found.
        k: How many each was to find.
    """
    best = np.full((len(queries), k), -np.inf)
    for start in range(0, len(vectors), _CHUNK):
        scores = queries.astype(np.float32) @ vectors[start : start + _CHUNK].T
        both = np.concatenate([best, scores], axis=1)
        best = np.partition(both, -k, axis=1)[:, -k:]
    hits = [
        np.sum(vectors[list(rows)] @ query.astype(np.float32) >= least - _TIE)
        for query, rows, least in zip(queries, found, best.min(axis=1), strict=True)
    ]
    return float(np.sum(hits)) / (k * len(queries))

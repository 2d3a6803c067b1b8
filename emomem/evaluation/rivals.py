"""Recall by others: BM25 and the `emotional-memory` package."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from emomem.affect import Affect
from emomem.evaluation.arms import PLAIN, Arm, Outcome, Prepared, best, spoken


@dataclass(frozen=True)
class Bm25(Arm):
    """BM25 (Robertson & Zaragoza 2009) by `bm25s`, English stop words left out."""

    name: str = "BM25"

    def recall(self, prepared: Prepared, k: int) -> Outcome:
        """The best by the words that query and memory share.

        Raises:
            ImportError: `bm25s` is not installed.
        """
        import bm25s  # noqa: PLC0415 - loaded when something is measured

        def words(texts: Sequence[str]) -> Any:  # noqa: ANN401 - bm25s is not typed
            return bm25s.tokenize(
                list(texts), stopwords="en", return_ids=False, show_progress=False
            )

        index = bm25s.BM25()
        index.index(words(prepared.store.texts), show_progress=False)
        queries = prepared.store.queries
        # A query of stop words alone finds nothing better than anything else.
        nothing = np.zeros(len(prepared.store.texts))
        rankings = [
            best(index.get_scores(asked) if asked else nothing, query, k).tolist()
            for query, asked in zip(queries, words([one.context for one in queries]), strict=True)
        ]
        return Outcome(rankings, [PLAIN] * len(queries))


@dataclass(frozen=True)
class EmotionalMemoryPackage(Arm):
    """`emotional-memory` from PyPI with its own defaults, our encoder and our automatic affect.

    Each memory's affect, and the user's present one, are handed to it. What it would change in
    its memories as it reads them is not kept, so that no query depends on the one before.
    """

    name: str = "emotional-memory (PyPI)"

    @staticmethod
    def installed() -> bool:
        """Whether the package is there."""
        return find_spec("emotional_memory") is not None

    def recall(self, prepared: Prepared, k: int) -> Outcome | None:
        """The package's own recall; None where it is not installed."""
        if not self.installed():
            return None
        engine = _engine(prepared)
        rankings = []
        for query in prepared.store.queries:
            transcript = "\n".join(spoken(query)) or query.last
            engine.reset_state()
            engine.set_affect(core_affect(prepared.appraiser.appraise([transcript])[0]))
            found = engine.retrieve(query.context, k + len(query.left_out))
            places = [memory.metadata["place"] for memory in found]
            rankings.append([place for place in places if place not in query.left_out][:k])
        return Outcome(rankings, [PLAIN] * len(rankings))


@lru_cache(maxsize=1)  # the same store is asked at several cut-offs
def _engine(prepared: Prepared) -> Any:  # noqa: ANN401 - of a package that may not be there
    from emotional_memory import EmotionalMemory  # noqa: PLC0415 - optional

    texts = prepared.store.texts
    vectors = dict(zip(texts, prepared.vectors.tolist(), strict=True))
    contexts = (query.context for query in prepared.store.queries)
    vectors |= dict(zip(contexts, prepared.forms["context"].tolist(), strict=True))
    memories = _memories()
    engine = EmotionalMemory(store=memories, embedder=_Embedder(vectors))
    for place, (text, affect) in enumerate(zip(texts, prepared.read, strict=True)):
        engine.set_affect(core_affect(affect))
        engine.encode(text, metadata={"place": place})
    memories.frozen = True
    return engine


@dataclass(frozen=True)
class _Embedder:
    """The package's protocol, over embeddings that are there."""

    vectors: Mapping[str, list[float]]

    def embed(self, text: str) -> list[float]:
        return self.vectors[text]

    def embed_batch(self, texts: list[str]) -> list[list[float]]:
        return [self.vectors[text] for text in texts]


def _memories() -> Any:  # noqa: ANN401 - as above
    """The package's own store, which keeps no change once it is frozen."""
    from emotional_memory import InMemoryStore  # noqa: PLC0415 - optional

    class Memories(InMemoryStore):
        frozen = False

        def update(self, memory: Any) -> None:  # noqa: ANN401 - as above
            if not self.frozen:
                super().update(memory)

    return Memories()


def core_affect(affect: Affect) -> Any:  # noqa: ANN401 - as above
    """An affect on the package's scales; what is not known is neutral there."""
    from emotional_memory import CoreAffect  # noqa: PLC0415 - optional

    return CoreAffect(
        valence=affect.valence or 0.0,
        arousal=affect.arousal or 0.0,
        dominance=((affect.dominance or 0.0) + 1) / 2,
    )

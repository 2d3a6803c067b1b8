"""Recall against plain similarity search in the same embedded Chroma, as a ratio.

384-d vectors, k=5, the query's vector and its affect given, so that only the recall is timed.
"""

import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from chromadb.config import Settings
from common import alternate, arguments, report
from langchain_chroma import Chroma
from vectors import BATCH, Feelings, Given, SentenceVectors

from emomem.metadata import encode
from langchain_emomem import AffectModulatedRetriever

K = 5
BEST_RATIO = 1.5


def build(folder: str, size: int, generator: np.random.Generator) -> Chroma:
    """A collection of tagged memories."""
    sentences = SentenceVectors(generator)
    store = Chroma(
        collection_name=f"memories-{size}",
        embedding_function=Given(sentences.draw(200)),
        persist_directory=folder,
        client_settings=Settings(anonymized_telemetry=False),
        collection_configuration={"hnsw": {"space": "cosine"}},
    )
    vectors = sentences.draw(size)
    tags = [encode(affect) for affect in Feelings(generator).affects]
    for start in range(0, size, BATCH):
        rows = range(start, min(start + BATCH, size))
        store._collection.add(  # noqa: SLF001 - vectors without a second encoding
            ids=[str(row) for row in rows],
            embeddings=vectors[rows.start : rows.stop],
            documents=[f"memory number {row}" for row in rows],
            metadatas=[{**tags[row % len(tags)], "user_id": f"user-{row % 7}"} for row in rows],
        )
    return store


def tasks(store: Chroma) -> dict[str, Callable[[], object]]:
    """Plain search, and recall under each policy by one retriever."""
    retriever = AffectModulatedRetriever(vectorstore=store, k=K, affect="sadness")
    recalls = {
        policy: partial(retriever.invoke, "query", policy=policy)
        for policy in ("auto", "congruent", "lesson", "off")
    }
    return {"plain": partial(store.similarity_search, "query", k=K), **recalls}


def main(arguments_: Sequence[str] | None = None) -> int:
    """Print the table; the exit status says whether the ratio is reached."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--sizes", default="10000,100000", help="how many memories")
    parser.add_argument("--rounds", type=int, default=200)
    options = parser.parse_args(arguments_)
    generator = np.random.default_rng(0)
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for size in map(int, options.sizes.split(",")):
            store = build(folder, size, generator)
            seconds = alternate(tasks(store), options.rounds)
            plain = seconds.pop("plain")
            rows += [
                {
                    "memories": size,
                    "policy": name,
                    "plain_ms": plain * 1000,
                    "recall_ms": value * 1000,
                    "ratio": value / plain,
                }
                for name, value in seconds.items()
            ]
    report(rows, options.json)
    return int(any(float(str(row["ratio"])) > BEST_RATIO for row in rows))


if __name__ == "__main__":
    sys.exit(main())

"""The LlamaIndex parts against LlamaIndex's own, as ratios in one run.

A query of the simple vector store over 10,000 nodes with the postprocessor to the same query
without; postprocessing 1,000 nodes, in no order, to LlamaIndex's `SimilarityPostprocessor` and a
sort; and importing the package to importing `llama_index.core`. The query's vector and its affect
are given, so that only the recall is timed.
"""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

import numpy as np
from common import alternate, arguments, report
from imports import seconds_to_run
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.indices.vector_store import VectorIndexRetriever
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from emomem import Affect
from emomem.metadata import encode
from llamaindex_emomem import AffectPostprocessor

DIMENSIONS: Final = 384
FETCHED: Final = 20
TOP_N: Final = 5
WORST: Final = {"query": 1.15, "postprocess": 3.0, "import": 1.3}
"""What each may take, in times of what it stands beside."""

AFFECTS: Final = {"comfort": "sadness", "congruent": "joy"}
"""An affect for which the default policy becomes this one."""

METRIC: Final = "cosine_similarity"
WITHOUT: Final = "without"
BY_COSINE: Final = ", by cosine"
EVERY_NAME: Final = "every name"


def tagged_nodes(generator: np.random.Generator, count: int) -> list[TextNode]:
    """Nodes with tags and unit vectors."""
    vectors = generator.normal(size=(count, DIMENSIONS))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    emotions = generator.dirichlet(np.full(28, 0.2), count)
    return [
        TextNode(
            text=f"memory number {row}",
            metadata=encode(Affect.from_emotions(emotions[row], confidence=0.8)),
            embedding=vectors[row].tolist(),
        )
        for row in range(count)
    ]


def query_tasks(nodes: Sequence[TextNode], vector: list[float]) -> dict[str, Callable[[], object]]:
    """A query with and without the postprocessor."""
    index = VectorStoreIndex(list(nodes), embed_model=MockEmbedding(embed_dim=DIMENSIONS))
    retriever = VectorIndexRetriever(index, similarity_top_k=FETCHED)
    bundle = QueryBundle("query", embedding=vector)

    def ask(ranker: AffectPostprocessor | None) -> object:
        found = retriever.retrieve(bundle)
        return found if ranker is None else ranker.postprocess_nodes(found, bundle)

    ours = {
        name: partial(ask, AffectPostprocessor(affect=affect, metric=METRIC, top_n=TOP_N))
        for name, affect in AFFECTS.items()
    }
    return {WITHOUT: partial(ask, None), **ours}


def pool_tasks(
    nodes: Sequence[TextNode], generator: np.random.Generator
) -> dict[str, Callable[[], object]]:
    """Postprocessing alone, by the nodes' order and by their scores."""
    scores = generator.uniform(0.0, 0.9, len(nodes)).tolist()
    pool = [NodeWithScore(node=one, score=score) for one, score in zip(nodes, scores, strict=True)]
    bundle = QueryBundle("query")
    similarity = SimilarityPostprocessor(similarity_cutoff=0.0)

    def theirs() -> object:
        kept = similarity.postprocess_nodes(pool, bundle)
        return sorted(kept, key=lambda node: node.score or 0.0, reverse=True)

    tasks: dict[str, Callable[[], object]] = {WITHOUT: theirs}
    for name, affect in AFFECTS.items():
        ours = AffectPostprocessor(affect=affect)
        tasks[name] = partial(ours.postprocess_nodes, pool, bundle)
        scored = AffectPostprocessor(affect=affect, metric=METRIC)
        tasks[f"{name}{BY_COSINE}"] = partial(scored.postprocess_nodes, pool, bundle)
    return tasks


def least(tasks: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The least seconds of each task over alternating rounds: noise only ever adds."""
    best = dict.fromkeys(tasks, float("inf"))
    for _ in range(rounds):
        for name, task in tasks.items():
            start = time.perf_counter()
            task()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def import_seconds(rounds: int) -> dict[str, float]:
    """The least seconds of each import, as its interpreter measures them."""
    statements = {WITHOUT: "import llama_index.core", "package": "import llamaindex_emomem"}
    statements[EVERY_NAME] = "from llamaindex_emomem import *"
    best = dict.fromkeys(statements, float("inf"))
    for _ in range(rounds):
        for name, statement in statements.items():
            best[name] = min(best[name], seconds_to_run(statement))
    return best


def main(arguments_: Sequence[str] | None = None) -> int:
    """Print the table; the exit status says whether the ratios are reached."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--pool", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=200)
    options = parser.parse_args(arguments_)
    generator = np.random.default_rng(0)
    pool = pool_tasks(tagged_nodes(generator, options.pool), generator)
    measured = {"postprocess": least(pool, options.rounds), "import": import_seconds(5)}
    nodes = tagged_nodes(generator, options.nodes)
    queries = query_tasks(nodes, nodes[0].embedding or [])
    measured["query"] = alternate(queries, options.rounds // 20)
    rows: list[dict[str, object]] = []
    missed = False
    for what, seconds in measured.items():
        without = seconds.pop(WITHOUT)
        for name, value in seconds.items():
            limit = None if name == EVERY_NAME or BY_COSINE in name else WORST[what]
            ratio = value / without
            missed |= limit is not None and ratio > limit
            rows.append(
                {
                    "what": what,
                    "case": name,
                    "without_ms": without * 1000,
                    "with_ms": value * 1000,
                    "ratio": ratio,
                    "limit": limit or "",
                }
            )
    report(rows, options.json)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())

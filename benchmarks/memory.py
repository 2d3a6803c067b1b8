"""The conflict-aware memory against the raw calls of the same embedded Chroma, as ratios.

`save` against tagging and adding the same two documents, with the embedded model and without a
chat model; `recall` against its two raw queries with the same filter, the query's vector given.
All units are one user's. `growth` is how many times as long a recall takes as with the fewest
units, and `raw_growth` the same of the raw queries: Chroma looks up all that pass their filter.
"""

import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from chromadb.config import Settings
from common import alternate, arguments, report
from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from texts import drawn
from vectors import BATCH, Feelings, Given, SentenceVectors

from emomem.memory.unit import MemoryUnit, make_unit_id, to_metadata
from langchain_emomem import EmotionTagger, LocalEmbeddings
from langchain_emomem.memory.memory import ConflictAwareMemory

USER = "ann"
FACTS, PREFETCH = 10, 30
SAVE_RATIO, RECALL_RATIO, FLAT_RATIO = 1.3, 1.5, 1.5


def collection(folder: str, name: str, encoder: Embeddings) -> Chroma:
    """A collection on the disk."""
    return Chroma(
        collection_name=name,
        embedding_function=encoder,
        persist_directory=folder,
        client_settings=Settings(anonymized_telemetry=False),
        collection_configuration={"hnsw": {"space": "cosine"}},
    )


def saving(folder: str) -> dict[str, Callable[[], object]]:
    """The same new texts, one each time, saved both ways."""
    encoder, tagger = LocalEmbeddings(), EmotionTagger()
    plain = collection(folder, "plain", encoder)
    memory = ConflictAwareMemory(collection(folder, "memory", encoder), user_id=USER)
    ours, theirs = iter(drawn(5000, seed=1)), iter(drawn(5000, seed=2))

    def add() -> None:
        text = next(theirs)
        plain.add_documents(tagger.transform_documents([Document(text), Document(text)]))

    return {"raw": add, "memory": lambda: memory.save(next(ours))}


def filled(folder: str, size: int, generator: np.random.Generator) -> Chroma:
    """A collection of one user's units, half of them facts."""
    sentences = SentenceVectors(generator)
    # A database of its own: the metadata of all collections of one share their indexes.
    store = collection(str(Path(folder, str(size))), "units", Given(sentences.draw(200)))
    vectors = sentences.draw(size)
    affects = Feelings(generator).affects
    key = store._collection.id.bytes  # noqa: SLF001 - of the memory over it, whose ids these are
    units = []
    for row in range(size):
        unit = MemoryUnit(
            text=f"memory number {row}",
            user_id=USER,
            speaker=USER,
            created_at=float(row),
            kind="fact" if row % 2 else "affective",
            affect=affects[row % len(affects)],
        )
        units.append(unit.model_copy(update={"unit_id": make_unit_id(unit, key)}))
    for start in range(0, size, BATCH):
        part = units[start : start + BATCH]
        store._collection.add(  # noqa: SLF001 - vectors without a second encoding
            ids=[unit.unit_id for unit in part],
            embeddings=vectors[start : start + BATCH],
            documents=[unit.text for unit in part],
            metadatas=[to_metadata(unit) for unit in part],
        )
    return store


def recalling(store: Chroma) -> dict[str, Callable[[], object]]:
    """The two raw queries, and the recall."""
    memory = ConflictAwareMemory(store, user_id=USER)

    def raw() -> None:
        for kind, k in (("fact", FACTS), ("affective", PREFETCH)):
            where: dict[str, Any] = {"$and": [{"user_id": USER}, {"kind": kind}]}
            store.similarity_search_with_score("query", k=k, filter=where)

    return {"raw": raw, "memory": lambda: memory.recall("query")}


def main(arguments_: Sequence[str] | None = None) -> int:
    """Print the table; the exit status says whether the ratios are reached."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--sizes", default="1000,10000,100000", help="how many units one user has")
    parser.add_argument("--rounds", type=int, default=50)
    options = parser.parse_args(arguments_)
    generator = np.random.default_rng(0)
    rows: list[dict[str, Any]] = []

    def add(name: str, size: int, raw: float, ours: float, most: float) -> None:
        row: dict[str, Any] = {"task": name, "units": size, "raw_ms": raw, "memory_ms": ours}
        fewest = next((one for one in rows if one["task"] == name), row)
        growths = {"raw_growth": raw / fewest["raw_ms"], "growth": ours / fewest["memory_ms"]}
        rows.append({**row, "ratio": ours / raw, "most": most, **growths})

    with tempfile.TemporaryDirectory() as folder:
        seconds = alternate(saving(folder), options.rounds, limit=60)
        add("save", 0, seconds["raw"] * 1000, seconds["memory"] * 1000, SAVE_RATIO)
        sizes = sorted(map(int, options.sizes.split(",")))
        # All sizes in turns as well, since they are compared.
        tasks = {
            f"{name} {size}": task
            for size in sizes
            for name, task in recalling(filled(folder, size, generator)).items()
        }
        seconds = alternate(tasks, options.rounds, limit=120)
        for size in sizes:
            raw, ours = (seconds[f"{name} {size}"] * 1000 for name in ("raw", "memory"))
            add("recall", size, raw, ours, RECALL_RATIO)
    report(rows, options.json)
    return int(any(row["ratio"] > row["most"] or row["growth"] > FLAT_RATIO for row in rows))


if __name__ == "__main__":
    sys.exit(main())

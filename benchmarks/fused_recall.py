"""Recall of the exact fused top 10 in an HNSW index over real texts, for weights of feeling.

This is what our index settings were chosen by: an engine's own settings stand beside ours.
Documents are the comments of GoEmotions' development and test splits (monologg/GoEmotions-pytorch,
`data/original`), queries the utterances of EmpatheticDialogues' test set, each with its own
feeling as the wanted one. `scale.py` tells what such queries cost, and find, at size.

    python benchmarks/fused_recall.py [--data DIR] [--documents 10853] [--json FILE]
"""

import csv
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from common import arguments, report
from engines import DEFAULT, ENGINES, OURS
from texts import spoken
from vectors import Memories, fused_queries, recall

from emomem.fused import document_phi
from emomem.metadata import encode
from langchain_emomem import AffectEmbeddings

K: Final = 10
WEIGHTS: Final = (0.0, 0.1, 0.3, 0.5, 1.0)
LEAST: Final = 0.98
"""The recall that each weight up to a half must reach with our settings."""

_SETTINGS: Final = {"default": DEFAULT, "ours": OURS}
_LARGEST: Final = 0.5


def comments(data: Path) -> Iterator[str]:
    """The comments of two splits of GoEmotions."""
    for split in ("dev", "test"):
        path = data / "goemotions" / f"{split}.tsv"
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                yield row[0]


def main(arguments_: Sequence[str] | None = None) -> int:
    """Print the table; the exit status says whether every recall is reached."""
    parser = arguments(__doc__ or "")
    data = os.environ.get("EMOMEM_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(data), help="the public data")
    parser.add_argument("--documents", type=int, default=10_853, help="how many at most")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--engines", default="chroma,pgvector", help=", ".join(ENGINES))
    options = parser.parse_args(arguments_)
    if not options.data.is_dir():
        print(f"{options.data} is not there: nothing is measured")
        return 0
    embeddings = AffectEmbeddings()
    texts = list(comments(options.data))[: options.documents]
    vectors = np.array(embeddings.embed_documents(texts), dtype=np.float32)
    tags = [encode(one) for one in embeddings.appraise(texts)]
    memories = Memories(vectors, tags, np.arange(len(tags)))
    asked = spoken(options.data, options.queries)
    wanted = document_phi(embeddings.appraise(asked))
    sentences = np.array(embeddings.embeddings.embed_documents(asked), dtype=np.float32)
    rows = []
    for name in options.engines.split(","):
        for kind, settings in _SETTINGS.items():
            with (
                tempfile.TemporaryDirectory() as folder,
                ENGINES[name](Path(folder), settings) as engine,
            ):
                for batch in memories.batches():
                    engine.add(batch)
                engine.finish()
                for weight in WEIGHTS:
                    queries = fused_queries(sentences, wanted, weight)
                    found = recall(vectors, queries, [engine.find(one, K) for one in queries], K)
                    rows.append(
                        {"engine": name, "settings": kind, "weight": weight, "recall": found}
                    )
    report(rows, options.json)
    ours = [row for row in rows if row["settings"] == "ours" and row["weight"] <= _LARGEST]
    return int(any(row["recall"] < LEAST for row in ours))


if __name__ == "__main__":
    sys.exit(main())

"""Saves texts in a process of its own.

`memory_process.py ENGINE ADDRESS COLLECTION LOG NAME COUNT`

It prints a line for every save, so that a test knows how far it is.
"""

import sys
import warnings

import chromadb
from chromadb.config import Settings
from langchain_chroma import Chroma
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_postgres import PGVector

from emomem import LexiconAppraiser
from emomem.memory.operations import JsonLinesLog
from langchain_emomem import ConflictAwareMemory


def store(engine, address, collection):
    encoder = DeterministicFakeEmbedding(size=8)
    settings = Settings(anonymized_telemetry=False)
    if engine == "pgvector":
        return PGVector(encoder, connection=address, collection_name=collection)
    if engine == "served_chroma":
        client = chromadb.HttpClient("127.0.0.1", int(address), settings=settings)
    else:
        client = chromadb.PersistentClient(address, settings)
    return Chroma(collection, encoder, client=client)


def memory(engine, address, collection, log):
    return ConflictAwareMemory(
        store(engine, address, collection),
        user_id="ann",
        appraiser=LexiconAppraiser(),
        log=JsonLinesLog(log),
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    *where, name, count = sys.argv[1:]
    saving = memory(*where)
    for row in range(int(count)):
        saving.save(f"{name} lives in town number {row}, a lovely place")
        print(row, flush=True)  # noqa: T201 - read by the test

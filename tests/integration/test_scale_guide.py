"""The guide to tagging at scale runs as it stands: on local workers, and on PostgreSQL."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from langchain_emomem.affect_embeddings import PGVECTOR_EF_SEARCH

GUIDE = Path(__file__).parents[2] / "docs" / "scale.md"
LINES = (
    "My dog died and the house is so quiet.",
    "We won the cup, what a night!",
    "The lease for the flat runs until March.",
    "I am furious, they broke their word again.",
    "She said yes!",
    "I was afraid to open the letter.",
    "The meeting is at nine.",
    "I miss my sister since she moved away.",
    "How disgusting, there was mould on the bread.",
    "Thank you, that was so kind of you.",
)
LOCAL_CLUSTER = """
import logging

from ray.cluster_utils import Cluster

cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
cluster.add_node(num_cpus=1)
ray.init(cluster.address, log_to_driver=False, logging_level=logging.ERROR)
ray.data.DataContext.get_current().wait_for_min_actors_s = 300  # lest the first take it all
Guided = Tag


class Tag(Guided):
    def __init__(self, *parts):
        import os

        from emomem.appraisal import trunk

        super().__init__(*parts)
        load, self.loads, self.worker = trunk.load_file, [], os.getpid()

        def counted(path):
            self.loads.append(path)
            return load(path)

        trunk.load_file = counted

    def __call__(self, batch):
        batch = super().__call__(batch)
        for name, value in (("worker", self.worker), ("loads", len(self.loads))):
            batch[name] = [value] * len(batch["text"])
        batch["rows"] = [len(batch["text"])] * len(batch["text"])
        return batch


"""


def blocks(heading: str) -> list[str]:
    """The Python blocks of one section of the guide."""
    guide = GUIDE.read_text(encoding="utf-8")
    section = guide.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)


def run(code: str, folder: Path, url: str) -> str:
    """What code prints in a process of its own."""
    script = folder / "guide.py"
    script.write_text(code, encoding="utf-8")
    environment = {
        **os.environ,
        "DATABASE_URL": url,
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_DATA_DISABLE_PROGRESS_BARS": "1",
    }
    done = subprocess.run(  # noqa: S603 - our own guide
        [sys.executable, script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=540,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.fixture
def database(postgres: str) -> Iterator[str]:
    """A database of this test's own: the guide's tables have a width of their own."""
    server = create_engine(postgres, isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        connection.execute(text("CREATE DATABASE guide"))
    yield str(server.url.set(database="guide").render_as_string(hide_password=False))
    with server.connect() as connection:
        connection.execute(text("DROP DATABASE guide WITH (FORCE)"))
    server.dispose()


def test_recall_of_one_user_among_many_is_full_with_an_hnsw_index(tmp_path, database) -> None:
    create, index, recall = blocks("PostgreSQL")
    load = f"""
lines = {LINES!r}
vectors = store.embeddings.embed_documents(list(lines))
rows = [(row, user) for row in range(len(lines)) for user in ("ann", *range(199))]
store.add_embeddings(
    texts=[lines[row] for row, _ in rows],
    embeddings=[vectors[row] for row, _ in rows],
    metadatas=[{{"user_id": str(user)}} for _, user in rows],
    ids=[f"{{row}} {{user}}" for row, user in rows],
)
"""
    report = """
import json

counts = {len(retriever.invoke("I feel alone since the move")) for _ in range(12)}
plain = store.similarity_search(
    "I feel alone since the move", k=5, filter={"user_id": "ann"}
)
print(json.dumps({
    "counts": sorted(counts),
    "owners": sorted({one.metadata["user_id"] for one in found}),
    "texts": len({one.page_content for one in found}),
    "plain": len(plain),
    "ef_search": engine.connect().execute(text("SHOW hnsw.ef_search")).scalar_one(),
}))
"""
    code = f"{create}\n{load}\n{index}\n{recall}\n{report}"
    printed = json.loads(run(code, tmp_path, database))
    assert printed.pop("plain") < 5  # what the guide warns of
    assert printed == {
        "counts": [5],
        "owners": ["ann"],
        "texts": 5,
        "ef_search": str(PGVECTOR_EF_SEARCH),
    }


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None, reason="needs ray[data]")
def test_a_cluster_of_local_workers_tags_and_the_store_takes_it(tmp_path, database) -> None:
    (tag,) = blocks("A cluster")
    create, *_ = blocks("PostgreSQL")
    (load,) = blocks("From the cluster into the store")
    folder = tmp_path / "documents"
    folder.mkdir()
    for part in range(8):
        rows = [
            {"id": f"{part}-{row}", "text": f"{LINES[row % 10]} ({part}-{row})", "user_id": "ann"}
            for row in range(75)
        ]
        lines = "\n".join(map(json.dumps, rows))
        (folder / f"{part}.jsonl").write_text(lines + "\n", encoding="utf-8")
    before, after = tag.split("\ntagged = ray")
    report = """
rows = ray.data.read_parquet("tagged").take_all()
workers = {}
for row in rows:
    workers.setdefault(row["worker"], set()).add(row["loads"])
with engine.connect() as connection:
    stored = connection.execute(text("SELECT count(*) FROM langchain_pg_embedding")).scalar_one()
found = store.similarity_search("I feel alone", k=1)[0]
again = EmotionTagger().transform_documents([Document(found.page_content)])[0]
print(json.dumps({
    "rows": len({row["id"] for row in rows}),
    "workers": len(workers),
    "loads": sorted({loads for seen in workers.values() for loads in seen}),
    "largest": max(row["rows"] for row in rows),
    "stored": stored,
    "label": again.metadata["affect_label"] == found.metadata["affect_label"],
    "apart": abs(again.metadata["affect_valence"] - found.metadata["affect_valence"]),
}))
ray.shutdown()
cluster.shutdown()
"""
    code = f"{before}\n{LOCAL_CLUSTER}\ntagged = ray{after}\n{create}\n{load}\n{report}"
    printed = json.loads(run(code, tmp_path, database).splitlines()[-1])
    assert printed.pop("largest") <= 256
    assert printed.pop("apart") < 1e-3
    assert printed == {
        "rows": 600,
        "workers": 2,
        "loads": [2],  # the lower half of MiniLM and the upper one
        "stored": 600,
        "label": True,
    }

"""`emomem inspect` over PostgreSQL: it reads, creates nothing, and forgets."""

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding

from emomem import Affect, BaseAppraiser
from emomem.inspection.server import Asked
from langchain_emomem import ConflictAwareMemory
from langchain_emomem.cli.errors import CommandError, UsageError
from langchain_emomem.cli.inspected import MemoryInspection, Models
from langchain_emomem.cli.stored import open_postgres

langchain_postgres = pytest.importorskip("langchain_postgres")


class Glad(BaseAppraiser):
    def _read(self, texts):
        return [Affect.from_label("joy") for _ in texts]


def test_a_memory_in_a_database_is_shown_searched_and_forgotten(postgres):
    encoder = DeterministicFakeEmbedding(size=8)
    store = langchain_postgres.PGVector(
        encoder, collection_name="inspected", connection=postgres, create_extension=True
    )
    memory = ConflictAwareMemory(store, user_id="ann", appraiser=Glad())
    saved = memory.save("I live in Rome")
    memory.save("I live in Bonn", user_id="bob")
    with open_postgres(postgres, "inspected") as opened:
        assert opened.name.endswith("collection inspected")
        models = Models(encoder, Glad())
        inspection = MemoryInspection("db", opened.documents, opened, models, "ann", None)
        assert {one["text"] for one in inspection.view()["memories"]} == {"I live in Rome"}
        assert "vacuum full" in inspection.view()["forget"]["kept"]
        found = inspection.search(Asked(query="I live in Rome", feeling="joy"))
        assert [one["id"] for one in found["plain"]] == [saved.fact.unit_id]
        assert found["affect_modulated"][0]["signals"].keys() == {"cosine", "match"}
        assert inspection.forget(None)["units"] == 2
        assert [one.page_content for one in opened.documents()] == ["I live in Bonn"] * 2


def test_a_collection_that_is_not_there_is_not_made(postgres):
    with (
        pytest.raises(UsageError, match="the --collection nope must be one of those in PostgreSQL"),
        open_postgres(postgres, "nope"),
    ):
        pass


def test_a_database_that_does_not_answer_is_told_in_one_line_without_a_password():
    with (
        pytest.raises(CommandError, match="PostgreSQL database shop cannot be read") as told,
        open_postgres("postgresql://ann:secret@127.0.0.1:1/shop"),
    ):
        pass
    assert "\n" not in str(told.value)
    assert "secret" not in str(told.value)

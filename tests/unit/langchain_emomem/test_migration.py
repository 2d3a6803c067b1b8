"""Plain vectors become fused ones, in as many runs as it takes."""

import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from emomem.metadata import MetadataFields
from langchain_emomem import AffectEmbeddings, migrate


@pytest.fixture
def appraiser(scripted, diary):
    return scripted({one.page_content: "relief" for one in diary})


@pytest.fixture
def target(diary_encoder, appraiser):
    return InMemoryVectorStore(AffectEmbeddings(diary_encoder, appraiser))


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch):
    monkeypatch.setattr("langchain_emomem.migration._BATCH", 3)


def everything(store):
    return sorted(store.get_by_ids(list(store.store)), key=lambda one: one.id)


def test_ids_texts_and_metadata_stay_and_what_has_no_tag_gets_one(store, target, diary):
    assert migrate(store, target) == 10

    moved = everything(target)
    for one, before in zip(moved, diary, strict=True):
        assert (one.id, one.page_content) == (before.id, before.page_content)
        assert before.metadata.items() <= one.metadata.items()
        label = before.metadata.get("affect_label", "relief")
        assert one.metadata["affect_label"] == label
    assert {len(row["vector"]) for row in target.store.values()} == {11 + 29}
    assert everything(store) == diary


def test_a_run_that_was_interrupted_goes_on_and_nothing_comes_twice(
    store, target, appraiser, monkeypatch
):
    add, seen = target.add_documents, []

    def fails_at_the_third(documents, **more):
        if len(target.store) >= 6:
            msg = "connection lost"
            raise ConnectionError(msg)
        return add(documents, **more)

    monkeypatch.setattr(target, "add_documents", fails_at_the_third)
    with pytest.raises(ConnectionError, match="connection lost"):
        migrate(store, target, on_batch=seen.append)
    assert (len(target.store), seen) == (6, [3, 6])
    monkeypatch.setattr(target, "add_documents", add)
    appraiser.asked.clear()

    assert migrate(store, target, on_batch=seen.append) == 4
    assert seen == [3, 6, 3, 6, 9, 10]
    assert len(appraiser.asked) == 4
    assert migrate(store, target) == 0
    assert len(target.store) == 10


def test_any_other_source_gives_its_documents_in_batches(target, diary, foreign, diary_encoder):
    assert migrate([diary[:4], [], diary[4:]], target) == 10
    assert [one.id for one in everything(target)] == [one.id for one in diary]

    with pytest.raises(TypeError, match="ForeignStore cannot be read from end to end"):
        migrate(foreign(diary_encoder), target)
    with pytest.raises(ValueError, match="needs the id"):
        migrate([[Document("the prize")]], target)


def test_ids_may_be_changed_on_the_way(store, target):
    assert migrate(store, target, new_id="f-{}".format) == 10
    assert set(target.store) == {f"f-d{row}" for row in range(10)}
    assert migrate(store, target, new_id="f-{}".format) == 0


def test_tags_go_where_the_fields_say(store, target):
    fields = MetadataFields(prefix="mood_")

    migrate(store, target, fields=fields)

    assert all(one.metadata["mood_label"] == "relief" for one in everything(target))


def test_a_target_that_cannot_be_one_is_refused(store, target):
    with pytest.raises(ValueError, match="must be AffectEmbeddings, got Placed"):
        migrate(target, store)
    for source in (target, InMemoryVectorStore(target.embedding)):
        target.store = source.store
        with pytest.raises(ValueError, match="one store, or one collection"):
            migrate(source, target)


def test_a_target_of_plain_vectors_is_not_mixed(store, diary_encoder, appraiser):
    target = InMemoryVectorStore(diary_encoder)
    target.add_documents([Document("the prize", id="old")])
    target.embedding = AffectEmbeddings(diary_encoder, appraiser)

    with pytest.raises(ValueError, match="of 11 dimensions, but AffectEmbeddings"):
        migrate(store, target)
    assert list(target.store) == ["old"]


@pytest.mark.parametrize("wrong", [7, None, "", b"x"])
def test_a_new_id_is_a_text(store, target, wrong):
    with pytest.raises(ValueError, match=f"new_id must give a str .*, got {wrong!r} for 'd0'"):
        migrate(store, target, new_id=lambda _: wrong)
    assert target.store == {}


def test_an_id_that_comes_twice_is_refused_before_it_is_written(store, target, diary):
    with pytest.raises(ValueError, match="the id 'same' comes twice"):
        migrate(store, target, new_id=lambda _: "same")
    assert target.store == {}
    with pytest.raises(ValueError, match="the id 'd0' comes twice"):
        migrate([diary[:2], diary[:1]], target)


def test_another_text_by_the_same_id_is_neither_kept_nor_replaced_in_silence(store, target):
    target.add_documents([Document("the prize", id="d1")])

    with pytest.raises(ValueError, match="another text by the id 'd1'"):
        migrate(store, target)
    assert list(target.store) == ["d1"]


@pytest.mark.parametrize("source", ["diary", None, 5, {"a": 1}])
def test_a_source_of_a_wrong_kind_is_refused(target, diary, source):
    with pytest.raises(TypeError, match="a store or batches of documents, got"):
        migrate(source, target)
    with pytest.raises(TypeError, match="a list of documents is one batch"):
        migrate(diary, target)
    assert target.store == {}


def test_rows_without_a_text_are_counted(store, target, caplog):
    store.store["d3"]["text"] = None

    assert migrate(store, target) == 9
    assert "1 rows of the collection have no text" in caplog.text

import copy
import json
import logging
import math
import threading

import pytest
from langchain_core.documents import Document
from pydantic import ValidationError

from emomem import Affect, MetadataFields
from emomem.metadata import decode
from langchain_emomem import EmotionTagger

SCRIPT = {
    "we won": "joy",
    "we lost": Affect.from_emotions(
        [0.0] * 24 + [0.25, 0.75, 0.0, 0.0], confidence=0.8, source="script"
    ),
    "only valence": Affect(valence=-0.4),
}


@pytest.fixture
def tagger(scripted):
    return EmotionTagger(appraiser=scripted(SCRIPT))


def test_the_appraiser_may_be_given_first(scripted):
    tagger = EmotionTagger(scripted(SCRIPT), batch_size=1)
    [tagged] = tagger.transform_documents([Document("we won")])
    assert decode(tagged.metadata).label == "joy"
    with pytest.raises(TypeError):
        EmotionTagger(scripted(SCRIPT), 1)


async def test_documents_become_copies_with_affect_in_their_order(tagger):
    documents = [Document(text, id=text) for text in (*SCRIPT, "a list", "")]

    tagged = tagger.transform_documents(documents)

    assert await tagger.atransform_documents(documents) == tagged
    assert [(d.id, d.page_content) for d in tagged] == [(d.id, d.page_content) for d in documents]
    affects = [decode(document.metadata) for document in tagged]
    assert affects[0].label == "joy"
    assert (affects[1].confidence, affects[1].source) == (0.8, "script")
    assert tagged[2].metadata == {"affect_valence": -0.4, "affect_salience": pytest.approx(0.4)}
    assert tagged[3].metadata == tagged[4].metadata == {"affect_label": "unknown"}


async def test_nothing_is_mutated_one_level_down_and_copies_share_nothing(tagger):
    deep = {"tags": ["a", {"b": [1]}], "score": 1, "valence": "covalent", "label": "mine"}
    documents = [Document("we won", metadata=deep), Document("we lost", metadata=deep)]
    before = copy.deepcopy(documents)

    for tagged in (
        tagger.transform_documents(documents),
        await tagger.atransform_documents(documents),
    ):
        assert documents == before
        assert {key: tagged[0].metadata[key] for key in deep} == deep
        tagged[0].metadata["tags"][1]["b"].append(2)
        tagged[0].metadata["new"] = 1
        assert documents == before
        assert tagged[1].metadata["tags"] == ["a", {"b": [1]}]


def test_only_flat_native_scalars_are_written(tagger):
    documents = [Document(text) for text in (*SCRIPT, "")]
    for document in tagger.transform_documents(documents):
        assert json.loads(json.dumps(document.metadata)) == document.metadata
        for key, value in document.metadata.items():
            assert key.startswith("affect_")
            assert type(value) in (str, float)
            assert isinstance(value, str) or math.isfinite(value)


def test_tagging_again_changes_nothing(tagger):
    once = tagger.transform_documents([Document(text, metadata={"day": 1}) for text in SCRIPT])

    assert tagger.transform_documents(once) == once


def test_tagging_anew_leaves_no_stale_key(scripted, tagger):
    [joyful] = tagger.transform_documents([Document("we won", metadata={"day": 1})])
    assert len(joyful.metadata) > 10

    [poorer] = EmotionTagger(
        appraiser=scripted({"we won": Affect(valence=0.5)})
    ).transform_documents([joyful])
    [unknown] = EmotionTagger(appraiser=scripted({})).transform_documents([joyful])

    assert poorer.metadata == {"day": 1, "affect_valence": 0.5, "affect_salience": 0.0}
    assert unknown.metadata == {"day": 1, "affect_label": "unknown"}


def test_the_id_the_kind_and_other_keys_of_a_document_survive(tagger):
    class Page(Document):
        number: int

    [tagged] = tagger.transform_documents([Page("we won", id="7", number=3)])

    assert (type(tagged), tagged.id, tagged.number) == (Page, "7", 3)


def test_the_fields_may_be_named(scripted):
    fields = MetadataFields(prefix="mood_", label="primary")
    tagger = EmotionTagger(appraiser=scripted(SCRIPT), fields=fields)
    stale = {"mood_arousal": 0.9, "affect_arousal": 0.1}

    [tagged] = tagger.transform_documents([Document("only valence", metadata=stale)])
    [joyful] = tagger.transform_documents([Document("we won")])

    assert tagged.metadata == {
        "affect_arousal": 0.1,
        "mood_valence": -0.4,
        "mood_salience": pytest.approx(0.4),
    }
    assert joyful.metadata["primary"] == "joy"


class Failing:
    """Fails on one text, whatever stands beside it."""

    def appraise(self, texts):
        if any("secret" in text for text in texts):
            msg = f"cannot read {texts}"
            raise RuntimeError(msg)
        return [Affect.from_label("joy") for _ in texts]

    async def aappraise(self, texts):
        return self.appraise(texts)


@pytest.mark.parametrize(("on_failure", "label"), [("unknown", "unknown"), ("neutral", "neutral")])
async def test_a_failing_text_costs_only_its_own_affect_and_is_not_logged(
    caplog, on_failure, label
):
    tagger = EmotionTagger(appraiser=Failing(), on_failure=on_failure)
    documents = [Document("fine"), Document("my secret"), Document("good")]

    with caplog.at_level(logging.DEBUG):
        tagged = tagger.transform_documents(documents)
        again = await tagger.atransform_documents(documents)

    assert [document.metadata["affect_label"] for document in tagged] == ["joy", label, "joy"]
    assert again == tagged
    assert "RuntimeError" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize("wrong", [[], [Affect.neutral()] * 3, ["joy", "joy"]])
def test_an_appraiser_that_answers_wrongly_gives_unknown(wrong):
    class Wrong:
        def appraise(self, texts):
            return wrong

        async def aappraise(self, texts):
            return wrong

    tagged = EmotionTagger(appraiser=Wrong()).transform_documents([Document("a"), Document("b")])

    assert [document.metadata for document in tagged] == [{"affect_label": "unknown"}] * 2


@pytest.mark.parametrize("show_progress", [True, False])
async def test_texts_go_in_batches_with_and_without_a_progress_bar(
    scripted, monkeypatch, capsys, show_progress
):
    appraiser = scripted({f"t{row}": "joy" for row in range(7)})
    sizes = []
    read = appraiser._read
    monkeypatch.setattr(appraiser, "_read", lambda texts: sizes.append(len(texts)) or read(texts))
    tagger = EmotionTagger(appraiser=appraiser, batch_size=3, show_progress=show_progress)
    documents = [Document(text) for text in appraiser.script]

    assert len(tagger.transform_documents(documents)) == 7
    assert len(await tagger.atransform_documents(documents)) == 7
    assert sizes == [3, 3, 1] * 2
    shown = capsys.readouterr()
    assert ("Tagging" in shown.err) == show_progress
    assert not shown.out


def test_no_documents_give_none(tagger):
    assert tagger.transform_documents([]) == []


async def test_async_does_not_block_the_loop(scripted):
    appraiser = scripted(SCRIPT)

    [tagged] = await EmotionTagger(appraiser=appraiser).atransform_documents([Document("we won")])

    assert tagged.metadata["affect_label"] == "joy"
    assert appraiser.threads
    assert threading.get_ident() not in appraiser.threads


@pytest.mark.parametrize(
    "wrong",
    [{"batch_size": 0}, {"on_failure": "raise"}, {"appraiser": object()}, {"prefix": "x_"}],
)
def test_a_wrong_argument_raises_at_construction(scripted, wrong):
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        EmotionTagger(**{"appraiser": scripted({}), **wrong})


def test_a_tagger_cannot_be_changed_and_a_copy_asks_its_own_appraiser(tagger, scripted):
    angry = scripted({"we won": "anger"})
    with pytest.raises(ValidationError, match="frozen"):
        tagger.appraiser = angry

    copied = tagger.model_copy(update={"appraiser": angry})

    for one, label in ((copied, "anger"), (tagger, "joy")):
        [tagged] = one.transform_documents([Document("we won")])
        assert tagged.metadata["affect_label"] == label

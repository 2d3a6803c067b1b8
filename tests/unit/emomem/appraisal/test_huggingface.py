import asyncio
import copy
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

from emomem import Affect, HuggingFaceAppraiser
from emomem.emotions import GOEMOTIONS

EKMAN_LIKE = ("anger", "joy", "sadness", "neutral")
TEXTS = ("i went", "you furious", "the table is broken and sad", "we we we happy", "room")


def read(appraiser, text):
    return appraiser.appraise([text])[0]


def close(left, right):
    assert [a.label for a in left] == [b.label for b in right]
    for name in ("valence", "arousal", "dominance", "confidence"):
        values = ([getattr(a, name) for a in side] for side in (left, right))
        assert next(values) == pytest.approx(next(values), abs=1e-5)


def test_readings_are_the_scores_of_the_pipeline(make_pipeline):
    classifier = make_pipeline()
    affects = HuggingFaceAppraiser(classifier).appraise(TEXTS)
    assert len({affect.label for affect in affects}) > 1
    for text, affect in zip(TEXTS, affects, strict=True):
        scores = {each["label"]: each["score"] for each in classifier(text, top_k=None)}
        assert affect.label == max(scores, key=scores.get)
        assert affect.confidence == pytest.approx(max(scores.values()), abs=1e-5)
        read_scores = dict(zip(GOEMOTIONS, affect.emotions, strict=True))
        assert {label: read_scores[label] for label in scores} == pytest.approx(scores, abs=1e-5)
        assert affect.arousal is not None


def test_a_multi_label_model_is_read_by_sigmoid(make_pipeline):
    labels = ("anger", "joy", "sadness")
    classifier = make_pipeline(labels, "multi_label_classification")
    for text in TEXTS:
        scores = {each["label"]: each["score"] for each in classifier(text, top_k=None)}
        affect = read(HuggingFaceAppraiser(classifier), text)
        assert affect.confidence == pytest.approx(max(scores.values()), abs=1e-5)
        joy = affect.emotions[GOEMOTIONS.index("joy")]
        assert joy == pytest.approx(scores["joy"] / max(1, sum(scores.values())), abs=1e-5)


def test_multi_label_may_be_said_by_the_caller(cue_pipeline):
    def low(ids, logits):
        return logits * 0 - 4

    assert read(HuggingFaceAppraiser(cue_pipeline(spoil=low)), "room").confidence == 0.25
    said = HuggingFaceAppraiser(cue_pipeline(spoil=low), multi_label=True)
    assert read(said, "room").confidence == pytest.approx(1 / (1 + np.exp(4)))


def test_a_model_of_one_label_is_read_by_sigmoid(cue_pipeline):
    appraiser = HuggingFaceAppraiser(cue_pipeline(("anger",), spoil=lambda ids, x: x * 0))
    assert read(appraiser, "furious").confidence == 0.5


def test_a_sentiment_model_gives_valence_alone(make_pipeline):
    affect = read(HuggingFaceAppraiser(make_pipeline(("NEGATIVE", "POSITIVE"))), "i went")
    assert affect.valence is not None
    assert affect.label in {"negative", "positive"}
    assert (affect.arousal, affect.dominance, affect.emotions) == (None, None, None)


def test_unknown_labels_are_refused_as_soon_as_the_model_is_there(make_pipeline):
    with pytest.raises(ValueError, match=r"'LABEL_0', 'LABEL_1'.*label_map"):
        HuggingFaceAppraiser(make_pipeline(("LABEL_0", "LABEL_1")))


def test_unknown_labels_of_a_folder_are_refused_at_load(tmp_path, bert, tokenizer):
    bert(("LABEL_0", "joy")).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    appraiser = HuggingFaceAppraiser(tmp_path)
    with pytest.raises(ValueError, match="unknown labels 'LABEL_0';"):
        appraiser.load()
    with pytest.raises(ValueError, match="unknown labels 'LABEL_0';"):
        appraiser.appraise(["room"])


def test_a_label_map_explains_labels_and_mixtures(cue_pipeline):
    classifier = cue_pipeline(("LABEL_0", "LABEL_1", "neutral"))
    label_map = {"LABEL_0": "Anger", "LABEL_1": {"joy": 3, "love": 1}}
    appraiser = HuggingFaceAppraiser(classifier, label_map=label_map)
    angry, happy = appraiser.appraise(["furious", "happy"])
    assert angry.label == "anger"
    assert happy.label == "joy"
    assert happy.emotions[GOEMOTIONS.index("love")] == pytest.approx(0.25, abs=1e-3)


def test_a_label_map_is_checked_when_given():
    with pytest.raises(ValueError, match="unknown labels 'LABEL_0'"):
        HuggingFaceAppraiser("some/model", label_map={"LABEL_0": "hangry"})
    with pytest.raises(TypeError, match="label_map must map labels to what they stand for"):
        HuggingFaceAppraiser("some/model", label_map="x")
    with pytest.raises(TypeError, match="must stand for a label or a mixture, got None"):
        HuggingFaceAppraiser("some/model", label_map={"LABEL_0": None})


def test_a_label_map_for_a_label_that_the_model_lacks_is_refused(cue_pipeline):
    with pytest.raises(ValueError, match=r"label_map names \['LABEL_9'\]"):
        HuggingFaceAppraiser(cue_pipeline(), label_map={"LABEL_9": "joy"})


def test_a_regression_is_refused(make_pipeline):
    with pytest.raises(ValueError, match="regression"):
        HuggingFaceAppraiser(make_pipeline(problem_type="regression"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 0}, "batch_size must be an int >= 1, got 0"),
        ({"batch_size": True}, "batch_size must be an int >= 1, got True"),
        ({"max_length": 7}, "max_length must be an int >= 8, got 7"),
        ({"max_length": 99.5}, "max_length must be an int >= 8"),
    ],
)
def test_numbers_are_checked_at_construction(options, message):
    with pytest.raises(ValueError, match=message):
        HuggingFaceAppraiser("some/model", **options)


@pytest.mark.parametrize("model", ["", " ", "/no/such/folder", "./none", "~/none/such"])
def test_a_folder_that_does_not_exist_is_not_looked_for_on_the_hub(model):
    with pytest.raises(ValueError, match="model must be a folder that exists"):
        HuggingFaceAppraiser(model)


def test_a_path_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(ValueError, match="model must be a folder that exists"):
        HuggingFaceAppraiser(tmp_path / "none")


def test_what_is_no_model_is_refused(cue_pipeline):
    with pytest.raises(TypeError, match="got int"):
        HuggingFaceAppraiser(3)
    with pytest.raises(ValueError, match="leave out device='cpu'"):
        HuggingFaceAppraiser(cue_pipeline(), device="cpu")
    classifier = cue_pipeline()
    classifier.task = "token-classification"
    with pytest.raises(ValueError, match="'token-classification'"):
        HuggingFaceAppraiser(classifier)


def test_max_length_may_not_exceed_what_the_model_takes(cue_pipeline):
    with pytest.raises(ValueError, match="max_length must be at most 64"):
        HuggingFaceAppraiser(cue_pipeline(), max_length=65)


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_a_missing_package_names_the_extra(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"{package}.*emomem\[huggingface\]"):
        HuggingFaceAppraiser("some/model")


def test_a_folder_is_read_without_network_and_named_without_its_path(saved, monkeypatch):
    def refuse(*args, **kwargs):
        pytest.fail("a local model reached for the network")

    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)
    affect = read(HuggingFaceAppraiser(saved), "you furious")
    assert affect.label in EKMAN_LIKE
    assert affect.source == "huggingface:tiny-ekman"
    assert read(HuggingFaceAppraiser(str(saved)), "you furious") == affect


@pytest.mark.parametrize(
    ("local_files_only", "model"), [(True, "folder"), (False, "some/name"), (True, "some/name")]
)
def test_loading_takes_safetensors_and_no_code(
    saved, monkeypatch, cue_pipeline, local_files_only, model
):
    import transformers

    asked = []
    parts = cue_pipeline()
    parts.model.to = lambda device: parts.model

    def fake(part):
        return SimpleNamespace(
            from_pretrained=lambda name, **options: asked.append((name, options)) or part
        )

    monkeypatch.setattr(transformers, "AutoTokenizer", fake(parts.tokenizer))
    monkeypatch.setattr(transformers, "AutoModelForSequenceClassification", fake(parts.model))
    name = str(saved) if model == "folder" else model
    appraiser = HuggingFaceAppraiser(name, local_files_only=local_files_only and model != "folder")
    assert asked == []
    appraiser.load()
    common = {"local_files_only": local_files_only, "trust_remote_code": False}
    assert asked == [(name, common), (name, {**common, "use_safetensors": True})]


def test_weights_that_are_no_safetensors_are_refused(tmp_path, bert, tokenizer):
    import torch

    model = bert()
    model.config.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    torch.save(model.state_dict(), tmp_path / "pytorch_model.bin")
    with pytest.raises(OSError, match="safetensors"):
        HuggingFaceAppraiser(tmp_path).load()


def test_the_model_is_loaded_once_on_first_use_by_sixteen_threads(saved, monkeypatch):
    from transformers import AutoModelForSequenceClassification

    loads = []
    original = AutoModelForSequenceClassification.from_pretrained

    def count(*args, **kwargs):
        loads.append(args)
        return original(*args, **kwargs)

    monkeypatch.setattr(AutoModelForSequenceClassification, "from_pretrained", count)
    appraiser = HuggingFaceAppraiser(saved)
    assert loads == []
    start = threading.Barrier(16)

    def work(_):
        start.wait()
        return [appraiser.appraise(TEXTS) for _ in range(5)]

    with ThreadPoolExecutor(16) as pool:
        results = [affects for batch in pool.map(work, range(16)) for affects in batch]
    assert len(loads) == 1
    for affects in results:
        close(affects, results[0])


def test_the_tokenizer_is_entered_by_one_thread_at_a_time(cue_pipeline):
    appraiser = HuggingFaceAppraiser(cue_pipeline())
    classifier = appraiser._loaded()
    real, inside, most = classifier.tokenizer, [], []

    class Watched:
        padding_side = real.padding_side
        model_input_names = real.model_input_names

        def __call__(self, *args, **kwargs):
            inside.append(1)
            most.append(len(inside))
            threading.Event().wait(0.002)
            inside.pop()
            return real(*args, **kwargs)

    object.__setattr__(classifier, "tokenizer", Watched())
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(appraiser.appraise, [TEXTS] * 32))
    assert most == [1] * 32


def test_a_pipeline_keeps_its_own_tokenizer_to_itself(make_pipeline):
    classifier = make_pipeline()
    ours = HuggingFaceAppraiser(classifier)._loaded().tokenizer
    assert ours is not classifier.tokenizer
    assert ours.get_vocab() == classifier.tokenizer.get_vocab()


def test_a_batch_is_its_parts_and_async_is_sync(make_pipeline):
    appraiser = HuggingFaceAppraiser(make_pipeline(), batch_size=4)
    texts = [*TEXTS, "", "i " * 30, "happy " * 200, "\x00\x01", *TEXTS, "   "]
    affects = appraiser.appraise(texts)
    assert len(affects) == len(texts)
    close(affects, [read(appraiser, text) for text in texts])
    close(affects, asyncio.run(appraiser.aappraise(texts)))
    assert appraiser.appraise([]) == []


@pytest.mark.parametrize("text", ["", " \n", "\x00\x01\x02", "🎉🎉", "zzz qqq", "\ufeff"])
def test_text_of_which_no_token_is_known_is_unknown(make_pipeline, text):
    assert read(HuggingFaceAppraiser(make_pipeline()), text).is_unknown


@pytest.mark.parametrize("text", ["happy 🎉🎉", "happy \ud800", "\x07happy\x00", "HAPPY"])
def test_odd_characters_do_not_hide_the_rest(cue_pipeline, text):
    assert read(HuggingFaceAppraiser(cue_pipeline()), text).label == "joy"


def test_nan_for_one_text_is_unknown_for_that_text_alone(cue_pipeline, tokenizer):
    import torch

    broken = tokenizer.convert_tokens_to_ids("broken")

    def spoil(ids, logits):
        logits[(ids == broken).any(dim=1)] = torch.nan
        return logits

    appraiser = HuggingFaceAppraiser(cue_pipeline(spoil=spoil))
    happy, unknown, sad = appraiser.appraise(["happy", "broken", "sad"])
    assert unknown == Affect.unknown(source="huggingface:cue")
    assert (happy.label, sad.label) == ("joy", "sadness")
    # Of a long text only the windows that cannot be read are left out.
    long = read(appraiser, "broken " + "happy " * 300)
    assert long.label == "joy"


def test_long_text_is_read_in_windows_that_fit(cue_pipeline):
    classifier = cue_pipeline()
    affect = read(HuggingFaceAppraiser(classifier, max_length=32), "happy " * 10_000)
    assert affect.label == "joy"
    assert affect.confidence > 0.99
    assert max(length for _, length in classifier.model.calls) == 32
    assert sum(rows for rows, _ in classifier.model.calls) > 10_000 / 30


def test_a_turn_in_the_last_five_of_700_words_counts(cue_pipeline):
    appraiser = HuggingFaceAppraiser(cue_pipeline())
    calm, furious = " ".join(["the table is on"] * 174), " furious and you furious furious"
    before, after = appraiser.appraise([calm, calm + furious])
    assert before.label == "neutral"
    assert after.label == "anger"
    assert after.valence < before.valence - 0.3
    # Read whole, as one mean over 700 tokens, the five words would be lost.
    model = appraiser._loaded().model
    assert model.table[0, -1] * 698 / 701 > 3 * 60 / 701


def test_the_end_does_not_hide_the_rest_of_a_long_text(cue_pipeline):
    body, end = "furious you " * 200, "happy we " * 40
    affect = read(HuggingFaceAppraiser(cue_pipeline()), body + end)
    anger, joy = (affect.emotions[GOEMOTIONS.index(label)] for label in ("anger", "joy"))
    assert min(anger, joy) > 0.3


def test_batches_are_sorted_by_length(cue_pipeline):
    classifier = cue_pipeline()
    texts = ["i " * length for length in (3, 40, 5, 38, 4, 39)]
    HuggingFaceAppraiser(classifier, batch_size=3).appraise(texts)
    assert classifier.model.calls == [(3, 42), (3, 7)]


@pytest.mark.parametrize("kind", ["torch", "cuda", "cpu"])
def test_a_batch_that_does_not_fit_is_halved(cue_pipeline, kind):
    import torch

    error = {
        "torch": torch.OutOfMemoryError(),
        "cuda": RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"),
        "cpu": RuntimeError("DefaultCPUAllocator: can't allocate memory"),
    }[kind]

    def spoil(ids, logits):
        if len(ids) > 3:
            raise error
        return logits

    classifier = cue_pipeline(spoil=spoil)
    texts = ["happy", "sad", "furious"] * 5
    affects = HuggingFaceAppraiser(classifier, batch_size=12).appraise(texts)
    assert [affect.label for affect in affects] == ["joy", "sadness", "anger"] * 5
    assert [rows for rows, _ in classifier.model.calls] == [12, 6, 3, 3, 3, 3, 3]


def test_one_text_that_does_not_fit_and_any_other_error_are_raised(cue_pipeline):
    def raiser(message):
        def spoil(ids, logits):
            raise RuntimeError(message)

        return spoil

    memory = cue_pipeline(spoil=raiser("out of memory"))
    with pytest.raises(RuntimeError, match="out of memory"):
        HuggingFaceAppraiser(memory).appraise(["happy", "sad"])
    assert [rows for rows, _ in memory.model.calls] == [2, 1]
    other = cue_pipeline(spoil=raiser("shapes do not match"))
    with pytest.raises(RuntimeError, match="shapes"):
        HuggingFaceAppraiser(other).appraise(["happy", "sad"])
    assert [rows for rows, _ in other.model.calls] == [2]


def test_a_tokenizer_without_padding_reads_one_text_at_a_time(cue_pipeline, tokenizer):
    classifier = cue_pipeline()
    classifier.tokenizer = copy.deepcopy(tokenizer)
    classifier.tokenizer.pad_token = None
    HuggingFaceAppraiser(classifier).appraise(["happy", "sad you"])
    assert classifier.model.calls == [(1, 4), (1, 3)]


@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_stands_where_the_tokenizer_wants_it(cue_pipeline, tokenizer, side):
    seen = []

    def spoil(ids, logits):
        seen.extend(ids.tolist())
        return logits

    classifier = cue_pipeline(spoil=spoil)
    classifier.tokenizer = copy.deepcopy(tokenizer)
    classifier.tokenizer.padding_side = side
    affects = HuggingFaceAppraiser(classifier).appraise(["happy", "i i i sad"])
    assert [affect.label for affect in affects] == ["joy", "sadness"]
    pad = [tokenizer.pad_token_id] * 3
    happy = tokenizer("happy")["input_ids"]
    assert seen[1] == (pad + happy if side == "left" else happy + pad)


def test_a_slow_tokenizer_is_read_in_windows_too(cue_pipeline, tmp_path):
    from transformers import CTRLTokenizer  # a tokenizer in pure Python, without specials

    (tmp_path / "vocab.json").write_text('{"<unk>": 1, "happy": 19, "i": 5}', encoding="utf-8")
    (tmp_path / "merges.txt").write_text(
        "#version\nh a\nha p\nhap p\nhapp y</w>\n", encoding="utf-8"
    )
    slow = CTRLTokenizer(str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt"))
    assert not slow.is_fast
    classifier = cue_pipeline()
    classifier.tokenizer = slow
    appraiser = HuggingFaceAppraiser(classifier)
    assert appraiser.appraise(["i happy " * 200])[0].label == "joy"
    assert max(length for _, length in classifier.model.calls) == 64

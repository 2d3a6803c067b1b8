"""A model of inference, made from a config, as detector."""

import sys

import pytest

from emomem.memory.detectors.nli import NLIConflictDetector

WORDS = ("i", "you", "love", "hate", "tea", "the", "office", "now", "live", "in", "a")


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    from transformers import BertTokenizerFast

    folder = tmp_path_factory.mktemp("tokenizer")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    return BertTokenizerFast.from_pretrained(folder, model_max_length=64)


@pytest.fixture(scope="module")
def save(tokenizer, tmp_path_factory):
    """Saves a seeded BERT with some labels, one of which its head's bias may favour."""

    def make(labels=("entailment", "neutral", "CONTRADICTION"), favoured=None):
        import torch
        from transformers import BertConfig, BertForSequenceClassification

        torch.manual_seed(0)
        config = BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
            max_position_embeddings=64,
            id2label=dict(enumerate(labels)),
            label2id={label: i for i, label in enumerate(labels)},
        )
        model = BertForSequenceClassification(config).eval()
        if favoured is not None:
            with torch.no_grad():
                model.classifier.bias[favoured] = 9.0
        folder = tmp_path_factory.mktemp("models") / "tiny-nli"
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return folder

    return make


@pytest.fixture(scope="module")
def contradicts(save):
    return save(favoured=2)


async def test_the_label_is_found_by_its_name(detect, unit, contradicts, save):
    old = [unit("I love tea"), unit("I live in the office"), unit("You", speaker="sam")]
    conflicts = await detect(NLIConflictDetector(contradicts), unit("I hate tea"), old)
    assert [conflict.against for conflict in conflicts] == old[:2]
    assert [conflict.kind for conflict in conflicts] == ["evaluative", "fact_update"]
    assert all(conflict.intensity > 0.9 for conflict in conflicts)
    for labels, favoured in ((("contradiction", "neutral"), 0), (("neutral", "contradiction"), 0)):
        detector = NLIConflictDetector(save(labels, favoured))
        found = await detect(detector, unit("I hate tea"), old)
        assert bool(found) == (labels[favoured] == "contradiction")


def test_both_orders_must_be_one(unit, contradicts, monkeypatch):
    detector = NLIConflictDetector(contradicts)
    answers = iter([[0.95, 0.95], [0.95, 0.2]])
    monkeypatch.setattr(detector, "_probabilities", lambda pairs: next(answers))
    old = [unit("a"), unit("b")]
    assert [one.against for one in detector.detect(unit("c"), old)] == old[:1]


def test_a_batch_is_its_parts_and_long_or_odd_text_is_read(unit, save):
    folder = save()
    old = [unit(text) for text in ("I love tea", "the " * 500, "\ud800", "🎉", "I " * 90 + "hate")]
    read = [
        NLIConflictDetector(folder, threshold=1e-9, batch_size=size).detect(unit("I hate tea"), old)
        for size in (1, 2, 32)
    ]
    intensities = [[conflict.intensity for conflict in conflicts] for conflicts in read]
    assert len(intensities[0]) == len(old)
    assert intensities[1] == pytest.approx(intensities[0], abs=1e-4)
    assert intensities[2] == pytest.approx(intensities[0], abs=1e-4)


@pytest.mark.parametrize("labels", [("LABEL_0", "LABEL_1"), ("entailment", "not_entailment")])
def test_a_model_without_the_label_is_refused(save, labels):
    detector = NLIConflictDetector(save(labels))
    with pytest.raises(ValueError, match="must be a contradiction, got"):
        detector.load()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 0}, "threshold must be over 0 and at most 1, got 0"),
        ({"threshold": 1.1}, "got 1.1"),
        ({"batch_size": 0}, "batch_size must be an int >= 1, got 0"),
        ({"model": "./none"}, "model must be a folder that exists"),
    ],
)
def test_arguments_are_checked_at_construction(options, message):
    with pytest.raises(ValueError, match=message):
        NLIConflictDetector(**{"model": "some/model", **options})


def test_no_code_of_a_hub_is_run(contradicts, monkeypatch):
    import transformers

    asked = []
    original = transformers.AutoTokenizer.from_pretrained
    monkeypatch.setattr(
        transformers.AutoTokenizer,
        "from_pretrained",
        lambda name, **options: asked.append(options) or original(name, **options),
    )
    detector = NLIConflictDetector(contradicts)
    assert asked == []
    detector.load()
    assert asked == [{"local_files_only": True, "trust_remote_code": False}]


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_a_missing_package_names_the_extra(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"{package}.*emomem\[huggingface\]"):
        NLIConflictDetector("some/model")

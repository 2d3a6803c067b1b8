"""Small real models: a BERT built from a config, and one whose reading can be told beforehand."""

from types import SimpleNamespace

import pytest

WORDS = (
    *("i", "you", "we", "the", "room", "table", "is", "on", "left", "went", "and", "a", "##s"),
    *("furious", "happy", "sad", "broken"),
)
EKMAN_LIKE = ("anger", "joy", "sadness", "neutral")
CUE = {"furious": 0, "happy": 1, "sad": 2}


@pytest.fixture(scope="session")
def tokenizer(tmp_path_factory):
    from transformers import BertTokenizerFast

    folder = tmp_path_factory.mktemp("tokenizer")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    return BertTokenizerFast.from_pretrained(folder, model_max_length=64)


@pytest.fixture(scope="session")
def bert(tokenizer):
    """Makes a seeded BERT with some labels, its random head made strong enough to differ."""

    def make(labels=EKMAN_LIKE, problem_type=None):
        import torch
        from transformers import BertConfig, BertForSequenceClassification

        torch.manual_seed(0)
        config = BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=64,
            initializer_range=0.5,
            problem_type=problem_type,
            id2label=dict(enumerate(labels)),
            label2id={label: i for i, label in enumerate(labels)},
        )
        return BertForSequenceClassification(config).eval()

    return make


@pytest.fixture(scope="session")
def make_pipeline(bert, tokenizer):
    from transformers import pipeline

    def make(labels=EKMAN_LIKE, problem_type=None, task="text-classification"):
        return pipeline(task, model=bert(labels, problem_type), tokenizer=tokenizer, device="cpu")

    return make


@pytest.fixture(scope="session")
def saved(tmp_path_factory, bert, tokenizer):
    """A folder with a model and its tokenizer, as `from_pretrained` reads it."""
    folder = tmp_path_factory.mktemp("models") / "tiny-ekman"
    bert().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def cue_pipeline(tokenizer):
    """Makes a pipeline whose model reads cue words: the mean over the tokens of a table.

    A cue has 60 for its label, any other token 4 for the last label; so the more plain words
    stand round a cue, the less of it is left, as in any model. `spoil` gets each call's ids and
    logits and may raise or change them.
    """
    import torch

    class CueModel(torch.nn.Module):
        def __init__(self, labels, problem_type, spoil):
            super().__init__()
            self.config = SimpleNamespace(
                id2label=dict(enumerate(labels)),
                problem_type=problem_type,
                max_position_embeddings=64,
            )
            self.device = torch.device("cpu")
            self.name_or_path = "cue"
            self.spoil = spoil
            self.calls = []
            self.table = torch.zeros(len(tokenizer), len(labels))
            self.table[:, -1] = 4.0
            for word, label in CUE.items():
                row = tokenizer.convert_tokens_to_ids(word)
                self.table[row] = 0.0
                self.table[row, min(label, len(labels) - 1)] = 60.0

        def forward(self, input_ids, attention_mask):
            self.calls.append(tuple(input_ids.shape))
            assert torch.is_inference_mode_enabled()
            assert not self.training
            mask = attention_mask[..., None]
            logits = (self.table[input_ids] * mask).sum(1) / mask.sum(1)
            if self.spoil is not None:
                logits = self.spoil(input_ids, logits)
            return SimpleNamespace(logits=logits)

    def make(labels=EKMAN_LIKE, problem_type=None, spoil=None):
        return SimpleNamespace(
            task="text-classification",
            tokenizer=tokenizer,
            model=CueModel(labels, problem_type, spoil),
        )

    return make

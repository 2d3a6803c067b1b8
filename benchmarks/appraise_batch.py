"""HuggingFaceAppraiser on a list, against its own pipeline called one text at a time.

Both read the same texts with the same model in this process, in alternating rounds, so that
the ratio holds on a slow or a busy machine. The model has DistilBERT's form and random weights:
what it says is nonsense, what it costs is not.
"""

import logging
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from common import alternate, arguments, report
from texts import WORDS
from transformers import (
    DistilBertConfig,
    DistilBertForSequenceClassification,
    DistilBertTokenizerFast,
    pipeline,
)

from emomem import HuggingFaceAppraiser
from emomem.emotions import GOEMOTIONS

LEAST_RATIO = 4.0
LIMIT_S = 90.0
"""On a busy machine a few rounds must do."""


def make_texts(count: int, seed: int = 0) -> list[str]:
    """Short texts as people write them to an assistant: 3 to 40 words, most of them short."""
    rng = random.Random(seed)  # noqa: S311 - not for secrets
    lengths = [min(40, 3 + int(rng.expovariate(1 / 9))) for _ in range(count)]
    return [" ".join(rng.choices(WORDS, k=length)) for length in lengths]


def make_pipeline(folder: Path) -> Callable[[str], object]:
    """A text-classification pipeline: 4 layers of 256, the 28 labels, a vocabulary of 30,522."""
    torch.manual_seed(0)
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    vocabulary += [f"filler{i}" for i in range(30_522 - len(vocabulary))]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    config = DistilBertConfig(
        n_layers=4,
        dim=256,
        n_heads=4,
        hidden_dim=1024,
        id2label=dict(enumerate(GOEMOTIONS)),
        label2id={label: i for i, label in enumerate(GOEMOTIONS)},
    )
    classifier: Callable[[str], object] = pipeline(
        "text-classification",
        model=DistilBertForSequenceClassification(config),
        tokenizer=DistilBertTokenizerFast.from_pretrained(folder),
        top_k=None,
        device="cpu",
    )
    return classifier


def main(arguments_: Sequence[str] | None = None) -> int:
    """Print the table; the exit status says whether the ratio is reached."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--texts", type=int, default=96)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args(arguments_)
    logging.getLogger("transformers").setLevel(logging.ERROR)

    texts = make_texts(options.texts)
    with tempfile.TemporaryDirectory() as folder:
        classifier = make_pipeline(Path(folder))
    appraiser = HuggingFaceAppraiser(classifier)  # type: ignore[arg-type]
    single, batched = "its pipeline, one text at a time", "HuggingFaceAppraiser, a list"
    seconds = alternate(
        {
            single: lambda: [classifier(text) for text in texts],
            batched: lambda: appraiser.appraise(texts),
        },
        options.rounds,
        LIMIT_S,
    )
    report(
        [
            {
                "way": way,
                "texts": len(texts),
                "torch_threads": torch.get_num_threads(),
                "docs_per_s": len(texts) / value,
                "ratio": seconds[single] / value,
            }
            for way, value in seconds.items()
        ],
        options.json,
    )
    return int(seconds[single] / seconds[batched] < LEAST_RATIO)


if __name__ == "__main__":
    sys.exit(main())

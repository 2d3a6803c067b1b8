"""HuggingFaceAppraiser on a list, against its own pipeline called one text at a time.

Both read the same texts with the same model in this process, in alternating rounds, so that
the ratio holds on a slow or a busy machine. The model has DistilBERT's form and random weights:
what it says is nonsense, what it costs is not.

    python benchmarks/appraise_batch.py [--texts 96] [--rounds 15] [--json FILE]
"""

import argparse
import json
import logging
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
from transformers import (
    DistilBertConfig,
    DistilBertForSequenceClassification,
    DistilBertTokenizerFast,
    pipeline,
)

from emomem import HuggingFaceAppraiser
from emomem.emotions import GOEMOTIONS

TARGET = 4.0
LEAST_ROUNDS, SECONDS = 3, 90.0
VOCABULARY = (
    "i we you she they my your the a this that it was is are have had went came saw told felt "
    "lost found missed loved hated left called waited cried laughed never always again today "
    "yesterday tonight morning work home street train dog sister mother friend boss doctor job "
    "letter dinner rain summer so very really happy sad angry afraid tired alone proud sorry "
    "better worse because but and when after with without about from to at in on of for"
)


def make_texts(count: int, seed: int = 0) -> list[str]:
    """Short texts as people write them to an assistant: 3 to 40 words, most of them short."""
    rng = random.Random(seed)  # noqa: S311 - not for secrets
    lengths = [min(40, 3 + int(rng.expovariate(1 / 9))) for _ in range(count)]
    return [" ".join(rng.choices(VOCABULARY.split(), k=length)) for length in lengths]


def make_pipeline(folder: Path) -> Callable[[str], object]:
    """A text-classification pipeline: 4 layers of 256, the 28 labels, a vocabulary of 30,522."""
    torch.manual_seed(0)
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *VOCABULARY.split()]
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


def seconds(call: Callable[[], object]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    """Measure, print the table and write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--texts", type=int, default=96)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    logging.getLogger("transformers").setLevel(logging.ERROR)

    texts = make_texts(options.texts)
    with tempfile.TemporaryDirectory() as folder:
        classifier = make_pipeline(Path(folder))
    appraiser = HuggingFaceAppraiser(classifier)  # type: ignore[arg-type]

    appraiser.appraise(texts[:32])
    for text in texts[:32]:
        classifier(text)
    batched: list[float] = []
    single: list[float] = []
    start = time.perf_counter()
    # On a busy machine a few rounds must do.
    while len(batched) < options.rounds and (
        len(batched) < LEAST_ROUNDS or time.perf_counter() - start < SECONDS
    ):
        batched.append(len(texts) / seconds(lambda: appraiser.appraise(texts)))
        single.append(len(texts) / seconds(lambda: [classifier(text) for text in texts]))
    ratios = [b / s for b, s in zip(batched, single, strict=True)]
    result = {
        "texts": len(texts),
        "rounds": len(batched),
        "torch_threads": torch.get_num_threads(),
        "appraiser_docs_per_s": round(statistics.median(batched), 1),
        "one_at_a_time_docs_per_s": round(statistics.median(single), 1),
        "ratio": round(statistics.median(ratios), 2),
        "ratio_min": round(min(ratios), 2),
        "ratio_max": round(max(ratios), 2),
        "target": TARGET,
    }
    result["met"] = result["ratio"] >= TARGET

    print(f"{len(texts)} texts of 3..40 words, medians of {len(batched)} alternating rounds")
    print(f"{'way':<34}{'docs/s':>10}")
    print(f"{'HuggingFaceAppraiser, a list':<34}{result['appraiser_docs_per_s']:>10}")
    print(f"{'its pipeline, one text at a time':<34}{result['one_at_a_time_docs_per_s']:>10}")
    print(
        f"ratio {result['ratio']} ({result['ratio_min']} to {result['ratio_max']}), "
        f"target >= {TARGET}: {'met' if result['met'] else 'MISSED'}"
    )
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

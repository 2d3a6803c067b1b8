"""What reading affect costs, against embedding alone and against a DistilBERT-size classifier.

Everything reads the same texts in this process, in alternating rounds; each ratio is that of the
best rounds, since noise only ever adds. Peak memory is that of two fresh processes.

    python benchmarks/appraise.py [--texts 96] [--rounds 9] [--data DIR] [--json FILE]
"""

import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from common import arguments, in_turns, report
from texts import WORDS, drawn, spoken

from emomem import HuggingFaceAppraiser, LocalAppraiser, LocalEncoder
from emomem.emotions import GOEMOTIONS
from emomem.minilm import find_minilm
from langchain_emomem import LocalEmbeddings

MOST_TIME, LEAST_SPEED, MOST_MEMORY = 1.7, 2.0, 1.2
BATCH: Final = 32
MANY: Final = 10_000
TAG: Final = "tag"
RIVALS: Final = ("DistilBERT, HuggingFaceAppraiser", "DistilBERT, its pipeline")

_PEAK: Final = """
import resource, sys
sys.path.insert(0, {folder!r})
from texts import drawn
from emomem import LocalAppraiser, LocalEncoder
texts = drawn({count}, longest=12)
result = {work}
assert len(result) == len(texts)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
_WORK: Final = {
    "embed": "LocalEncoder().embed(texts)",
    "tag": "LocalAppraiser(LocalEncoder()).appraise(texts)",
}


def distilbert(folder: Path) -> Any:  # noqa: ANN401 - transformers is not typed
    """A text-classification pipeline of DistilBERT's size, with the 28 labels and random weights.

    What it says is nonsense, what it costs is not.
    """
    import torch  # noqa: PLC0415 - heavy
    from transformers import (  # noqa: PLC0415 - the same
        DistilBertConfig,
        DistilBertForSequenceClassification,
        DistilBertTokenizerFast,
        pipeline,
    )

    torch.manual_seed(0)
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *map(str, range(10))]
    vocabulary += [f"##{digit}" for digit in range(10)]
    vocabulary += [f"filler{number}" for number in range(30_522 - len(vocabulary))]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    labels = dict(enumerate(GOEMOTIONS))
    config = DistilBertConfig(id2label=labels, label2id={v: k for k, v in labels.items()})
    return pipeline(
        "text-classification",
        model=DistilBertForSequenceClassification(config).eval(),
        tokenizer=DistilBertTokenizerFast.from_pretrained(folder),
        top_k=None,
        device="cpu",
    )


def tasks(texts: Sequence[str], folder: Path) -> dict[str, Callable[[], object]]:
    """The ways that are compared, each without what an earlier round has cached."""
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - heavy

    reference = SentenceTransformer(str(find_minilm()), device="cpu", local_files_only=True)
    classifier = distilbert(folder)
    rival = HuggingFaceAppraiser(classifier, batch_size=BATCH)
    alone, embedding, shared = LocalEncoder(), LocalEncoder(), LocalEncoder()
    appraiser, tagger = LocalAppraiser(alone), LocalAppraiser(shared)
    embeddings, both = LocalEmbeddings(embedding), LocalEmbeddings(shared)

    def embed() -> object:
        embedding.clear()
        return embeddings.embed_documents(list(texts))

    def tag_and_embed() -> object:
        shared.clear()
        return tagger.appraise(texts), both.embed_documents(list(texts))

    def tag() -> object:
        alone.clear()
        return appraiser.appraise(texts)

    return {
        "embed": embed,
        "tag and embed": tag_and_embed,
        TAG: tag,
        "sentence-transformers": lambda: reference.encode(list(texts), batch_size=BATCH),
        RIVALS[0]: lambda: rival.appraise(texts),
        RIVALS[1]: lambda: classifier(list(texts), batch_size=BATCH),
    }


def ratio(above: Sequence[float], below: Sequence[float]) -> float:
    """The ratio of the best rounds."""
    return min(above) / min(below)


def peak(work: str) -> float:
    """Peak memory in MB of a fresh process that does this with many short texts."""
    code = _PEAK.format(folder=str(Path(__file__).parent), count=MANY, work=_WORK[work])
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603 - ours
    return int(done.stdout) / 1024


def rows(seconds: Mapping[str, list[float]], peaks: Mapping[str, float]) -> list[dict[str, object]]:
    """One row a ratio: what, against what, the limit and whether it is kept; None has no limit."""
    embed, both, tag = (seconds[name] for name in ("embed", "tag and embed", TAG))
    found: list[tuple[str, float, float | None, bool]] = [
        ("time, tag and embed / embed", ratio(both, embed), MOST_TIME, True),
        (
            "time, tag and embed / sentence-transformers",
            ratio(both, seconds["sentence-transformers"]),
            None,
            True,
        ),
        (
            "time, embed / sentence-transformers",
            ratio(embed, seconds["sentence-transformers"]),
            None,
            True,
        ),
        *(
            (f"docs a second, tag / {name}", ratio(seconds[name], tag), LEAST_SPEED, False)
            for name in RIVALS
        ),
        ("peak memory, tag / embed", peaks["tag"] / peaks["embed"], MOST_MEMORY, True),
    ]
    return [
        {
            "measure": name,
            "ratio": value,
            "limit": "" if limit is None else f"{'<=' if most else '>='} {limit}",
            "met": limit is None or (value <= limit if most else value >= limit),
        }
        for name, value, limit, most in found
    ]


def main(arguments_: Sequence[str] | None = None) -> int:
    """Print the tables; the exit status says whether every ratio is kept."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--texts", type=int, default=96)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--data", type=Path, help="read EmpatheticDialogues from this folder")
    options = parser.parse_args(arguments_)
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    for name in ("transformers", "sentence_transformers"):
        logging.getLogger(name).setLevel(logging.ERROR)

    peaks = {work: peak(work) for work in _WORK}
    texts = spoken(options.data, options.texts) if options.data else drawn(options.texts)
    with tempfile.TemporaryDirectory() as folder:
        ways = tasks(texts, Path(folder))
    # The rivals are so slow that fewer rounds must do.
    slow = {name: ways.pop(name) for name in list(ways) if name == TAG or name in RIVALS}
    seconds = in_turns(ways, options.rounds) | in_turns(slow, -(-options.rounds // 3))
    for name, values in seconds.items():
        print(f"{name:<34}{len(texts) / min(values):>8.0f} docs/s")
    for work, megabytes in peaks.items():
        print(f"{f'peak memory, {work} {MANY:,} texts':<34}{megabytes:>8.0f} MB")
    table = rows(seconds, peaks)
    report(table, options.json)
    return int(not all(row["met"] for row in table))


if __name__ == "__main__":
    sys.exit(main())

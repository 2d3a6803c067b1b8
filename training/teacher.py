"""Fit a larger model that reads conflict, and write what it reads in many texts.

    python -m training.teacher --model DIR --data ../shared/data --out out/conflict

`DIR` holds sentence-transformers/all-mpnet-base-v2 (Apache-2.0) as its hub has it. The first nine
layers of it are kept and the upper five fitted on the people of `training/people` who are not held
out and on `training/conflict.tsv`, for half an hour on two cores. For as long again the model reads
those people's memories, sentences of these alone and among others', and the English texts of
`training.data`; `taught.json` keeps how likely it finds a conflict in each, from which `python -m
training.conflict --taught FILE` learns beside what was written by hand. It prints how well people
who are held out are read.
"""

from __future__ import annotations

import argparse
import logging
import math
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import torch
from scipy.special import expit
from torch import Tensor, nn
from torch.nn import functional
from transformers import AutoModel, AutoTokenizer

from emomem.appraisal.branch import AttentionPool
from emomem.sentences import sentences
from training.conflict import Taught, Texts, texts_of, told_apart
from training.data import english_training
from training.fit import batches, rate
from training.people import people, split
from training.states import LONGEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from transformers import PreTrainedModel

LAYERS: Final = 9
FROZEN: Final = 4
EPOCHS: Final = 2
BATCH: Final = 48
LAYER_RATE: Final = 4e-5
HEAD_RATE: Final = 5e-4
LENGTHS: Final = (15, 400)
"""Characters of the public texts that are read, and"""
PUBLIC: Final = 30_000
"""how many of them."""
SHORTEST: Final = 12
"""Characters of the sentences that are read alone, and"""
AMONG: Final = 60_000
"""how many texts of two or three, of anybody's memories."""
SHARE: Final = 1 / 5
"""The share of the memories that are learned once more among mild ones."""

_log = logging.getLogger(__name__)


class Teacher(nn.Module):
    """The lower layers of MPNet, an attention pool, and the log-odds of a conflict.

    Args:
        base: MPNet.
    """

    def __init__(self, base: PreTrainedModel) -> None:
        super().__init__()
        width = base.config.hidden_size
        self.embeddings = base.embeddings
        self.encoder = base.encoder
        self.encoder.layer = base.encoder.layer[:LAYERS]
        self.pool = AttentionPool(width)
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(width, 1)
        nn.init.zeros_(self.head.weight)
        nn.init.constant_(self.head.bias, -1.0)
        for part in (self.embeddings, self.encoder.relative_attention_bias, *self.lower):
            part.requires_grad_(False)  # noqa: FBT003 - as torch has it

    @property
    def lower(self) -> nn.ModuleList:
        """The layers that stay as they are."""
        lower: nn.ModuleList = self.encoder.layer[:FROZEN]
        return lower

    @property
    def upper(self) -> nn.ModuleList:
        """The layers that are fitted."""
        upper: nn.ModuleList = self.encoder.layer[FROZEN:]
        return upper

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """The log-odds (batch,) of texts given as ids (batch, length) and their mask."""
        states = self.embeddings(input_ids=ids)
        bias = self.encoder.compute_position_bias(states)
        hidden = (1.0 - mask[:, None, None, :].to(states.dtype)) * -1e4
        for layer in self.encoder.layer:
            states = layer(states, hidden, bias)[0]
        logits: Tensor = self.head(self.dropout(self.pool(states, mask)))
        return logits[:, 0]


class Reader:
    """A teacher with its tokenizer.

    Args:
        folder: Where MPNet is.
    """

    def __init__(self, folder: Path) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self.teacher = Teacher(AutoModel.from_pretrained(folder, local_files_only=True))

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of the tokens of some texts."""
        ids: list[list[int]] = self.tokenizer(list(texts), truncation=True, max_length=LONGEST)[
            "input_ids"
        ]
        return ids

    def odds(self, ids: Sequence[list[int]]) -> Tensor:
        """The log-odds (n,) of some texts that were made ids."""
        padded = self.tokenizer.pad({"input_ids": ids}, return_tensors="pt")
        with torch.autocast("cpu", torch.bfloat16):
            odds: Tensor = self.teacher(padded["input_ids"], padded["attention_mask"].bool())
        return odds.float()

    def fit(self, read: Texts) -> None:
        """Fit the upper layers, the pool and the head."""
        ids = self.ids(read.texts)
        lengths = np.array([len(one) for one in ids])
        head = [*self.teacher.pool.parameters(), *self.teacher.head.parameters()]
        groups = ((self.teacher.upper.parameters(), LAYER_RATE), (head, HEAD_RATE))
        adam = torch.optim.AdamW(
            [{"params": list(some), "lr": peak, "peak": peak} for some, peak in groups],
            betas=(0.9, 0.98),
            fused=True,
        )
        total = EPOCHS * math.ceil(len(ids) / BATCH)
        steps = (
            rows
            for epoch in range(EPOCHS)
            for rows in batches(lengths, BATCH, np.random.default_rng(epoch))
        )
        self.teacher.train()
        for step, rows in enumerate(steps):
            for group in adam.param_groups:
                group["lr"] = group["peak"] * rate(step / total)
            value = functional.binary_cross_entropy_with_logits(
                self.odds([ids[row] for row in rows]),
                torch.from_numpy(read.gold[rows, 0]),
                torch.from_numpy(read.weights[rows]),
            )
            adam.zero_grad()
            value.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self.teacher.parameters(), 1.0)
            adam.step()
            if step % 100 == 0:
                _log.info("step %d of %d, loss %.4f", step, total, value.item())

    @torch.inference_mode()
    def read(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The log-odds (n,) of a conflict in each of some texts."""
        self.teacher.eval()
        ids, odds = self.ids(texts), np.empty(len(texts), dtype=np.float32)
        order = np.argsort([len(one) for one in ids], kind="stable")
        for first in range(0, len(order), 2 * BATCH):
            rows = order[first : first + 2 * BATCH]
            odds[rows] = self.odds([ids[row] for row in rows]).numpy()
        return odds


def some_public(texts: Sequence[str]) -> list[str]:
    """Public texts of a fair length, each once, drawn at random."""
    fair = [text for text in dict.fromkeys(texts) if LENGTHS[0] <= len(text) <= LENGTHS[1]]
    return [fair[row] for row in np.random.default_rng(0).permutation(len(fair))[:PUBLIC]]


def some_fragments(memories: Sequence[str]) -> list[str]:
    """Sentences of longer memories alone, and texts of two or three that stand nowhere together."""
    rng = np.random.default_rng(1)
    parts = [
        (sentence, len(found) > 1)
        for found in map(sentences, memories)
        for sentence in found
        if len(sentence) >= SHORTEST
    ]
    mixes = [
        " ".join(parts[row][0] for row in rng.integers(len(parts), size=int(rng.integers(2, 4))))
        for _ in range(AMONG)
    ]
    alone = list(dict.fromkeys(sentence for sentence, is_part in parts if is_part))
    shuffled = [alone[row] for row in rng.permutation(len(alone))]
    return list(dict.fromkeys([*shuffled, *mixes]))


def main() -> None:
    """Read the command line, fit the teacher, and write what it reads."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--model", type=Path, required=True, help="all-mpnet-base-v2")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("out/conflict"), help="what is written")
    options = parser.parse_args()
    torch.manual_seed(0)
    told, unseen = split(people())
    own = [text for one in told for text in one.texts]
    more = [*some_public(english_training(options.data).texts), *some_fragments(own)]
    reader = Reader(options.model)
    reader.fit(texts_of(told, SHARE))
    found = told_apart(reader.read([text for one in unseen for text in one.texts]), unseen)
    _log.info("%d people held out: area %.3f, top %.3f", len(unseen), *found.mean(axis=0))
    chances = (
        dict(zip(some, expit(reader.read(some)).tolist(), strict=True)) for some in (own, more)
    )
    options.out.mkdir(parents=True, exist_ok=True)
    Taught(*chances).write(options.out / "taught.json")


if __name__ == "__main__":
    main()

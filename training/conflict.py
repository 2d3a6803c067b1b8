"""Fit the branch that reads conflict, on hand-written memories.

    python -m training.conflict --out DIR --taught FILE    # forty minutes on two cores
    python -m training.conflict --measure                  # only what is shipped

The first writes `conflict.safetensors`, as it is shipped, from `training/people`, people before a
conflict with what they remember, from `training/conflict.tsv`, sentences of three classes, and from
what a larger model reads in these memories, in pieces of them and in public texts
(`training.teacher` writes it); it goes without that, and does worse. A run that was stopped goes
on. Both print how well people who are held out are read: of each, how well critical memories are
told from the rest, how many of them are among as many that are read as most of a conflict, and the
first once more where mild memories stand around each.
"""

from __future__ import annotations

import argparse
import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from emomem.appraisal.branch import CONFLICT, AffectBranch, load_conflict_branch
from training.fit import Lessons, Recipe, drop_tokens, fit, new_branch, predict, save_half
from training.people import Person, people, split
from training.states import fingerprint, shared_states

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from torch import Tensor

SENTENCES: Final = Path(__file__).parent / "conflict.tsv"

CLASSES: Final = ("conflict", "mild", "intense")
"""Of the sentences: what stays with somebody because it isn't settled; what leaves one as one was;
what stirs, and sets nobody against anybody."""

RECIPE: Final = Recipe(epochs=3)
_MILD: Final = ("T", "M")
AROUND: Final = 3
"""How many mild texts stand around one, at most."""
_PLAIN: Final = 6
"""How many mild sentences may stand beside somebody's memories, besides their own mild ones."""
SENTENCE: Final = 3.0
"""How much a sentence counts; a memory counts 1 on average."""
LENGTHS: Final = (50, 65, 80, 95, 110, 130, 150, 180, 220)
"""Characters between which memories count as equally long."""
_MOST: Final = 6.0
"""How much a memory of a rare length may count."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Texts:
    """What is learned from.

    Attributes:
        texts: n texts.
        gold: (n, 1) 1 where there is a conflict, else 0.
        weights: (n,) how much each counts.
    """

    texts: list[str]
    gold: NDArray[np.float32]
    weights: NDArray[np.float32]


def texts_of(told: list[Person], share: float = 1 / 2) -> Texts:
    """The sentences, and the memories of some people.

    Another conflict is one too, but must not come to mind in this: it is left out. Sentences come
    once more, and a share of the memories, among mild ones: what weighs may stand anywhere.
    Memories are weighed so that in any length the share of conflicts is that of all.
    """
    rng = np.random.default_rng(0)
    rows = [line.split("\t") for line in SENTENCES.read_text(encoding="utf-8").splitlines()]
    said = [(name == CLASSES[0], text) for name, text in rows]
    plain = [text for name, text in rows if name == CLASSES[1]]
    said += beside(said, plain, rng)
    memories = []
    for one in told:
        alone = memories_of(one)
        some = [alone[row] for row in np.flatnonzero(rng.random(len(alone)) < share)]
        memories += [*alone, *beside(some, [*mild_of(one), *rng.choice(plain, _PLAIN)], rng)]
    gold = np.array([critical for critical, _ in (*said, *memories)])
    weights = np.full(len(gold), SENTENCE, dtype=np.float32)
    weights[len(said) :] = _evened([len(text) for _, text in memories], gold[len(said) :])
    texts = [text for _, text in (*said, *memories)]
    return Texts(texts, gold.astype(np.float32)[:, None], weights)


def memories_of(one: Person) -> list[tuple[bool, str]]:
    """Which of somebody's memories are critical, and their texts; other conflicts are left out."""
    return [(kind == "C", text) for kind, _, text in one.memories if kind != "O"]


def mild_of(one: Person) -> list[str]:
    """The texts of somebody's mild memories."""
    return [text for kind, _, text in one.memories if kind in _MILD]


def beside(
    texts: list[tuple[bool, str]], mild: list[str], rng: np.random.Generator
) -> list[tuple[bool, str]]:
    """Each text with one to three mild ones around it, drawn at random."""
    found = []
    for critical, text in texts:
        count = int(rng.integers(1, AROUND + 1))
        place = int(rng.integers(count + 1))
        others = [mild[other] for other in rng.integers(len(mild), size=count)]
        found.append((critical, " ".join([*others[:place], text, *others[place:]])))
    return found


def _evened(lengths: list[int], heavy: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(n,) weights under which length says nothing of whether there is a conflict."""
    bins = np.digitize(lengths, LENGTHS)
    weights = np.ones(len(bins))
    for place in np.unique(bins):
        for value in (True, False):
            rows = (bins == place) & (heavy == value)
            if rows.any():
                share = (bins == place).mean() * (heavy == value).sum() / rows.sum()
                weights[rows] = min(share, _MOST)
    return weights


@dataclass(frozen=True, eq=False)
class Taught:
    """What a larger model reads (`training.teacher`).

    Attributes:
        memories: The chance of a conflict, by the text of a memory.
        more: The same of other texts, about which nobody else says anything.
    """

    memories: Mapping[str, float]
    more: Mapping[str, float]

    @classmethod
    def read(cls, path: Path) -> Taught:
        """Read what `training.teacher` wrote."""
        return cls(**json.loads(path.read_text(encoding="utf-8")))

    def write(self, path: Path) -> None:
        """Write it down."""
        path.write_text(json.dumps(asdict(self), ensure_ascii=False), encoding="utf-8")

    def added_to(self, read: Texts) -> Texts:
        """What is learned from: half of what is said of a memory, and the other texts."""
        gold = read.gold.copy()
        for row, text in enumerate(read.texts):
            if text in self.memories:
                gold[row] = (gold[row] + self.memories[text]) / 2
        chances = np.array(list(self.more.values()), dtype=np.float32)
        return Texts(
            [*read.texts, *self.more],
            np.concatenate([gold, chances[:, None]]),
            np.concatenate([read.weights, np.ones(len(chances), dtype=np.float32)]),
        )


@dataclass(frozen=True, kw_only=True)
class Weighed(Lessons):
    """Lessons in conflict, each text with its weight.

    Attributes:
        weights: (n,) how much each text counts.
    """

    weights: NDArray[np.float32]

    def loss(self, branch: AffectBranch, rows: NDArray[np.int64], recipe: Recipe) -> Tensor:
        """Return the weighed cross-entropy of some rows, positions hidden at random."""
        hidden, mask = self.states.batch(rows)
        with torch.autocast("cpu", torch.bfloat16), sdpa_kernel(SDPBackend.MATH):
            odds = branch(hidden, drop_tokens(mask, recipe.token_dropout))
        return functional.binary_cross_entropy_with_logits(
            odds.float(),
            torch.from_numpy(self.gold[rows]),
            torch.from_numpy(self.weights[rows])[:, None],
        )


def measured(branch: AffectBranch, told: Sequence[Person], cache: Path) -> NDArray[np.float64]:
    """(n, 2) what `told_apart` says of a branch."""
    texts = [text for one in told for text in one.texts]
    return told_apart(predict(branch, shared_states(texts, cache))[:, 0], told)


def told_apart(odds: NDArray[np.floating], told: Sequence[Person]) -> NDArray[np.float64]:
    """(n, 2) of each person the area under the ROC curve, and the share of the critical on top.

    The top has as many memories as are critical.

    Args:
        odds: What is read of all their memories, one person's after the other's.
        told: The n people.
    """
    found = []
    for one in told:
        own, odds = odds[: len(one.memories)], odds[len(one.memories) :]
        top = np.argsort(-own, kind="stable")[: one.critical.sum()]
        found.append((roc_auc_score(one.critical, own), one.critical[top].mean()))
    return np.array(found)


def report(branch: AffectBranch, cache: Path) -> float:
    """Log how people who are held out are read; the mean area under the ROC curve."""
    _, unseen = split(people())
    area, top = measured(branch, unseen, cache).mean(axis=0).tolist()
    rng = np.random.default_rng(0)
    kinds = [(memories_of(one), mild_of(one)) for one in unseen]
    pairs = [pair for own, mild in kinds if mild for pair in beside(own, mild, rng)]
    critical, texts = zip(*pairs, strict=True)
    paired = roc_auc_score(critical, predict(branch, shared_states(texts, cache))[:, 0])
    _log.info(
        "%d people held out: critical memories are told from the rest with an area under the "
        "curve of %.3f, and the top of each holds %.0f%% of theirs; of all together, each among "
        "mild ones, %.3f",
        *(len(unseen), area, 100 * top, paired),
    )
    return float(area)


def train(
    folder: Path,
    work: Path,
    told: list[Person],
    recipe: Recipe = RECIPE,
    taught: Taught | None = None,
) -> AffectBranch:
    """Fit the branch and write it, in half precision.

    Args:
        folder: Where to write it.
        work: Where to keep the run, and the states of MiniLM's shared layers in `cache`.
        told: Whom to learn from.
        recipe: Of the run.
        taught: What a larger model reads.
    """
    own = texts_of(told)
    read = own if taught is None else taught.added_to(own)
    lessons = Weighed(shared_states(read.texts, work / "cache"), read.gold, weights=read.weights)
    learned = [f"{gold:.6f} {text}" for gold, text in zip(read.gold[:, 0], read.texts, strict=True)]
    run = work / f"conflict-{fingerprint(learned)}"
    branch = fit(new_branch(recipe, own.gold), lessons, recipe, run)
    save_half(branch, folder / CONFLICT)
    return branch


def main() -> None:
    """Read the command line, and fit the branch or measure the shipped one."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", type=Path, default=Path("out/conflict"), help="what is written")
    parser.add_argument("--taught", type=Path, help="what training.teacher wrote")
    parser.add_argument("--measure", action="store_true", help="only measure what is shipped")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.measure:
        branch = load_conflict_branch()
    else:
        taught = None if options.taught is None else Taught.read(options.taught)
        branch = train(options.out, options.out, split(people())[0], taught=taught)
    report(branch, options.out / "cache")


if __name__ == "__main__":
    main()

"""How well a detector finds conflicts, on pairs of our own that were written by hand."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from typing import Final, Literal, get_args

from emomem.affect import Affect
from emomem.appraisal.base import appraise_safely
from emomem.evaluation.users import Split
from emomem.memory.conflict import ConflictDetector, ConflictKind
from emomem.memory.unit import MemoryUnit
from emomem.protocols import Appraiser

ANY: Final = "any kind"

_DAY: Final = 86_400.0
_USER: Final = "user"


@dataclass(frozen=True)
class Pair:
    """Two units, and which kind of conflict they are in.

    Attributes:
        split: "dev", on which the rules were tuned, or "test", which was held out.
        old: What was there.
        new: What is said later.
        conflict: The kind; None where there is none.
        why: For those in no conflict, what makes them look like one.
    """

    split: Split
    old: MemoryUnit
    new: MemoryUnit
    conflict: ConflictKind | None
    why: str = ""


@dataclass(frozen=True)
class Rate:
    """A share of some, with Wilson's interval of 95 % (Wilson 1927).

    Attributes:
        hits: How many of them.
        of: How many there are.
        low: The lower end, 0 where there are none.
        high: The upper end, 1 where there are none.
    """

    hits: int
    of: int
    low: float
    high: float

    @property
    def value(self) -> float | None:
        """The share; None of none."""
        return self.hits / self.of if self.of else None

    def __str__(self) -> str:
        """`0.75 [0.47, 0.91] (9/12)`."""
        if self.value is None:
            return "- (0)"
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}] ({self.hits}/{self.of})"


@dataclass(frozen=True)
class Score:
    """How well one kind was found, or any of them.

    Attributes:
        kind: The kind; `ANY` takes a conflict for found whatever kind it was said to be.
        precision: Of those that were found, how many there are.
        recall: Of those that there are, how many were found.
    """

    kind: str
    precision: Rate
    recall: Rate


def load_pairs(split: Split | None = None) -> list[Pair]:
    """The pairs of a split, or all of them."""
    source = files("emomem.evaluation").joinpath("memory_sets", "conflicts.jsonl")
    rows = map(json.loads, source.read_text(encoding="utf-8").splitlines())
    return [
        Pair(
            split=row["split"],
            old=_unit(row["old"], 0.0),
            new=_unit(row["new"], row["days"] * _DAY),
            conflict=row["conflict"],
            why=row.get("why", ""),
        )
        for row in rows
        if split in (None, row["split"])
    ]


def measure(
    detector: ConflictDetector, pairs: Iterable[Pair], appraiser: Appraiser | None = None
) -> list[Score]:
    """Precision and recall over pairs: of any kind first, then of each.

    Each pair is judged by itself: the old unit is the only candidate.

    Args:
        detector: The detector.
        pairs: The pairs, as `load_pairs` gives them.
        appraiser: Tags the units first, as a memory does; None leaves their affect unknown.

    Raises:
        ImportError: scipy is not installed.
    """
    require_scipy()
    wanted, found, right = Counter[str](), Counter[str](), Counter[str]()
    for pair in _tagged(list(pairs), appraiser):
        kinds = {conflict.kind for conflict in detector.detect(pair.new, [pair.old])}
        found.update([*kinds, *([ANY] if kinds else [])])
        if pair.conflict is not None:
            wanted.update([ANY, pair.conflict])
            right.update([*({pair.conflict} & kinds), *([ANY] if kinds else [])])
    return [
        Score(kind, rate(right[kind], found[kind]), rate(right[kind], wanted[kind]))
        for kind in (ANY, *get_args(ConflictKind))
    ]


def table(scores: Sequence[Score]) -> str:
    """The scores as lines of text, each with its interval of 95 %."""
    lines = [f"{'kind':<18}{'precision':<26}recall"]
    lines += [f"{one.kind:<18}{one.precision!s:<26}{one.recall}" for one in scores]
    return "\n".join(lines)


def _unit(row: dict[str, str], at: float) -> MemoryUnit:
    speaker = row.get("speaker", _USER)
    kind: Literal["fact", "goal"] = "goal" if row.get("kind") == "goal" else "fact"
    return MemoryUnit(text=row["text"], user_id=_USER, speaker=speaker, created_at=at, kind=kind)


def _tagged(pairs: Sequence[Pair], appraiser: Appraiser | None) -> Sequence[Pair]:
    if appraiser is None:
        return pairs
    texts = [unit.text for pair in pairs for unit in (pair.old, pair.new)]
    affects = iter(appraise_safely(appraiser, texts))

    def tagged(unit: MemoryUnit, affect: Affect) -> MemoryUnit:
        return unit.model_copy(update={"affect": affect})

    return [
        Pair(
            one.split, tagged(one.old, next(affects)), tagged(one.new, next(affects)), one.conflict
        )
        for one in pairs
    ]


def require_scipy() -> None:
    """Tell how to install what an interval needs where it is missing.

    Raises:
        ImportError: It is.
    """
    if find_spec("scipy") is None:
        msg = "measuring needs scipy, which is not installed: pip install 'emomem[eval]'"
        raise ImportError(msg)


def rate(hits: int, of: int) -> Rate:
    """A share with its interval."""
    from scipy.stats import binomtest  # noqa: PLC0415 - loaded when something is measured

    if of == 0:
        return Rate(0, 0, 0.0, 1.0)
    interval = binomtest(hits, of).proportion_ci(method="wilson")
    return Rate(hits, of, float(interval.low), float(interval.high))

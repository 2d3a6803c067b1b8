"""What recall must reach, and what it got."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from emomem.evaluation.arms import OFF, PLAIN
from emomem.evaluation.statistics import Interval
from emomem.evaluation.suites.retrieval import AUTO, CONGRUENT, EXHAUSTIVE, SHUFFLED, Measured

_FACTUAL_LOSS: Final = -0.005
_MADIAL: Final = 0.60
_MADIAL_LOSS: Final = -0.01
_CONGRUENT_GAIN: Final = 0.14
_AUTO_GAIN: Final = 0.10
_SIMILARITY_LOSS: Final = -0.05


@dataclass(frozen=True)
class Number:
    """One number.

    Attributes:
        measure: What is measured.
        must: What it must be, in words.
        got: What it is, in words.
        reached: Whether it is so.
    """

    measure: str
    must: str
    got: str
    reached: bool


def numbers(results: Sequence[Measured]) -> list[Number]:
    """The numbers of all data sets that have some."""
    found: list[Number] = []
    for measured in results:
        found += _OF.get(measured.dataset.name, _nothing)(measured)
    return found


def _locomo(measured: Measured) -> Iterator[Number]:
    for name in ("R@10", "nDCG@10"):
        yield _above(
            f"LoCoMo {name}, Auto minus plain",
            _FACTUAL_LOSS,
            measured.difference(AUTO, PLAIN, name),
        )
    yield _same(measured)


def _madial(measured: Measured) -> Iterator[Number]:
    mean = float(measured.value(AUTO, "nDCG@5").mean())
    yield Number(
        "MADial-Bench nDCG@5, conversational query with Auto",
        f"at least {_MADIAL:.2f}",
        f"{mean:.3f}",
        mean >= _MADIAL,
    )
    yield _above(
        "the same minus plain, whole context", 0.0, measured.difference(AUTO, PLAIN, "nDCG@5")
    )
    yield _above(
        "the same minus affect off, same query",
        _MADIAL_LOSS,
        measured.difference(AUTO, OFF, "nDCG@5"),
    )
    yield _same(measured)


def _empathetic(measured: Measured) -> Iterator[Number]:
    for title, arm, least in (
        ("congruent", CONGRUENT, _CONGRUENT_GAIN),
        ("Auto", AUTO, _AUTO_GAIN),
    ):
        gain = measured.relative(arm, PLAIN, "P@5")
        yield Number(
            f"EmpatheticDialogues P@5, {title} against plain",
            f"at least {least:+.0%}",
            _percent(gain),
            gain.mean >= least,
        )
        loss = measured.relative(arm, PLAIN, "similarity@5")
        yield Number(
            f"mean similarity, {title} against plain",
            f"at least {_SIMILARITY_LOSS:+.0%}",
            _percent(loss),
            loss.mean >= _SIMILARITY_LOSS,
        )
    gain = measured.relative(SHUFFLED, PLAIN, "P@5")
    yield Number(
        "EmpatheticDialogues P@5, shuffled affect against plain",
        "no gain: lower bound at most 0",
        _percent(gain),
        gain.low <= 0,
    )
    yield _same(measured)


def _above(measure: str, bound: float, found: Interval) -> Number:
    return Number(measure, f"lower bound above {bound:g}", str(found), found.low > bound)


def _same(measured: Measured) -> Number:
    fused, exhaustive = (measured.scores[arm].rankings for arm in (CONGRUENT, EXHAUSTIVE))
    same = sum(one == other for one, other in zip(fused, exhaustive, strict=True))
    return Number(
        f"{measured.dataset.name}, fused top {measured.widest} against brute force",
        "identical",
        f"{same:,} of {len(fused):,} queries",
        same == len(fused),
    )


def _percent(found: Interval) -> str:
    return f"{found.mean:+.1%} [{found.low:+.1%}, {found.high:+.1%}]"


def _nothing(_measured: Measured) -> Iterator[Number]:
    return iter(())


_OF: Final = {
    "LoCoMo": _locomo,
    "MADial-Bench": _madial,
    "EmpatheticDialogues": _empathetic,
}

"""What came to mind in the scenarios, as tables, plain data and a picture."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from emomem.evaluation.friedman import friedman, pairs
from emomem.evaluation.metrics import FloatArray
from emomem.evaluation.numbers import Number
from emomem.evaluation.pictures import draw_intervals
from emomem.evaluation.statistics import Bootstrap, Interval
from emomem.evaluation.suites.crr import (
    ABLATION,
    FULL,
    GIVEN,
    PERMUTED,
    SINGLE,
    TUNING,
    Measured,
)
from emomem.evaluation.tables import Table, numbers_table
from emomem.evaluation.writing import write_report

PUBLISHED: Final[Mapping[str, tuple[float, float]]] = {
    GIVEN: (0.933, 0.718),
    ABLATION: (0.500, 0.729),
    SINGLE: (0.667, 0.734),
}
"""Critical recall rate and similarity of arXiv:2608.07438, on three scenarios of its authors."""

_PUBLISHED_LOSS: Final = 1 - 0.718 / 0.729
_GIVEN: Final = 0.93
_PREDICTED: Final = 0.75
_GAIN: Final = 0.30
_LOSS: Final = 0.15
_PERMUTED: Final = 0.05
_BANK: Final = 0.80
_SURE: Final = 0.05

_LANGUAGES: Final = {"en": "English", "zh": "Chinese", "pt": "Portuguese"}
_THREE: Final = (FULL, ABLATION, SINGLE)


@dataclass(frozen=True, eq=False)
class Group:
    """Some scenarios that are reported together.

    Attributes:
        name: What they have in common.
        measured: The scenarios, at least one.
    """

    name: str
    measured: Sequence[Measured]

    @cached_property
    def bootstrap(self) -> Bootstrap:
        """The draws of scenarios that all intervals share."""
        return Bootstrap(len(self.measured))

    @cached_property
    def arms(self) -> list[str]:
        """The arms that every scenario has."""
        first, *others = (one.outcomes for one in self.measured)
        return [name for name in first if all(name in other for other in others)]

    def values(self, arm: str, measure: str = "rate") -> FloatArray:
        """(n,) one measure of one arm, by scenario."""
        return np.array([getattr(one.outcomes[arm], measure) for one in self.measured])

    def gain(self, arm: str) -> Interval:
        """How much more an arm recalls than the ablation."""
        return self.bootstrap.difference(self.values(arm), self.values(ABLATION))

    def lost(self, arm: str, measure: str) -> float:
        """How much of the ablation's mean an arm lacks, as a share of it."""
        return 1 - float(self.values(arm, measure).mean() / self.values(ABLATION, measure).mean())


@dataclass(frozen=True, eq=False)
class CrrReport:
    """What the suite found.

    Attributes:
        measured: The scenarios.
        shipped: Whether they are those that are shipped, of which some were tuned on.
    """

    measured: Sequence[Measured]
    shipped: bool

    @cached_property
    def groups(self) -> list[Group]:
        """By language, English first; of the shipped English also those that nobody tuned on."""
        found = []
        for code, name in _LANGUAGES.items():
            some = [one for one in self.measured if one.scenario.language == code]
            fresh = [one for one in some if one.scenario.id not in TUNING]
            if some:
                found.append(Group(name, some))
            if self.shipped and fresh and len(fresh) < len(some):
                found.append(Group(f"{name}, not tuned on", fresh))
        return found

    @cached_property
    def numbers(self) -> list[Number]:
        """What must be reached in English, and what was."""
        return [number for one in self.groups if one.name == "English" for number in _numbers(one)]

    def tables(self) -> list[Table]:
        """The arms by group, every scenario, the tests, the bank, and the numbers."""
        return [
            *map(_arms_table, self.groups),
            self._scenarios_table(),
            _tests_table(self.groups[0]),
            *self._bank_table(),
            *([numbers_table(self.numbers)] if self.numbers else []),
        ]

    def write(self, out: Path) -> list[Path]:
        """Write the report as Markdown and JSON, and its picture.

        Args:
            out: The folder to write to; made where it is missing.

        Returns:
            The files.

        Raises:
            ImportError: matplotlib is not installed.
        """
        files = write_report(
            out / "crr", "What must come to mind", [], self.tables(), self.as_data()
        )
        main = self.groups[0]
        rates = {arm: main.bootstrap.mean(main.values(arm)) for arm in main.arms}
        figure = draw_intervals({f"critical recall rate, {main.name}": rates}, ABLATION)
        figure.savefig(out / "crr.png")
        return [*files, out / "crr.png"]

    def as_data(self) -> dict[str, Any]:
        """Everything that was measured, as plain data."""
        return {
            "scenarios": [
                {
                    "id": one.scenario.id,
                    "language": one.scenario.language,
                    "tuned_on": self.shipped and one.scenario.id in TUNING,
                    "prefetch_ceiling": one.ceiling,
                    "arms": {name: _plain(asdict(x)) for name, x in one.outcomes.items()},
                    "bank": None if one.bank is None else asdict(one.bank),
                }
                for one in self.measured
            ],
            "groups": {
                group.name: {
                    arm: asdict(group.bootstrap.mean(group.values(arm))) for arm in group.arms
                }
                for group in self.groups
            },
            "published": {arm: list(values) for arm, values in PUBLISHED.items()},
            "tests": _tests(self.groups[0]),
            "numbers": list(map(vars, self.numbers)),
        }

    def _scenarios_table(self) -> Table:
        shown = (GIVEN, FULL, ABLATION, SINGLE)
        rows = [
            (
                f"{one.scenario.id}{' (tuned on)' if self._tuned(one) else ''}",
                one.scenario.language,
                f"{one.ceiling:.2f}",
                *(f"{one.outcomes[arm].rate:.2f}" if arm in one.outcomes else "" for arm in shown),
            )
            for one in self.measured
        ]
        heads = ("scenario", "language", "prefetch's ceiling", *shown)
        return Table("Critical recall rate by scenario", heads, tuple(rows))

    def _tuned(self, one: Measured) -> bool:
        return self.shipped and one.scenario.id in TUNING

    def _bank_table(self) -> Iterator[Table]:
        banks = [
            (one.scenario, bank)
            for one in self.measured
            for bank in (one.bank, one.bank and one.bank.wide)
            if bank is not None
        ]
        if not banks:
            return
        rows = [
            (
                scenario.id,
                str(bank.memories),
                str(bank.prefetch),
                f"{bank.ceiling:.2f}",
                f"{bank.full:.2f}",
                f"{bank.full / bank.ceiling:.0%}" if bank.ceiling else "",
                f"{bank.ablation:.2f}",
            )
            for scenario, bank in banks
        ]
        note = (
            f"A prefetch of {banks[0][1].prefetch}, as without a bank, is a filter here; one that "
            "grows with the store is none. What it lets through is the most that any salience can "
            "recall."
        )
        ceiling = ("prefetch", "prefetch's ceiling")
        heads = ("scenario", "memories", *ceiling, FULL, "of the ceiling", ABLATION)
        yield Table("In a bank mixed from all scenarios", heads, tuple(rows), note)


def _arms_table(group: Group) -> Table:
    rows = []
    for arm in group.arms:
        rate, similarity = PUBLISHED.get(arm, (None, None))
        against = "" if arm == ABLATION else str(group.gain(arm))
        rows.append(
            (
                arm,
                str(group.bootstrap.mean(group.values(arm))).removeprefix("+"),
                against,
                f"{group.values(arm, 'salience').mean():.2f}",
                f"{group.values(arm, 'similarity').mean():.3f}",
                f"{group.lost(arm, 'similarity'):.1%}",
                f"{group.values(arm, 'cosine').mean():.3f}",
                "" if rate is None else f"{rate:.3f}",
                "" if similarity is None else f"{similarity:.3f}",
            )
        )
    ceiling = np.mean([one.ceiling for one in group.measured])
    note = (
        f"{len(group.measured)} scenarios; means with 95% intervals over scenarios. Similarity is "
        "(1 + cosine) / 2 by all-MiniLM over everything recalled, and lost of it is what the "
        f"ablation has more (published: {_PUBLISHED_LOSS:.1%}); cosine is that of the affective "
        "memories alone and the query. The prefetch lets through "
        f"{ceiling:.3f} of the critical memories."
    )
    heads = (
        *("arm", "critical recall rate", "minus ablation", "salience", "similarity", "lost"),
        *("cosine", "published rate", "published similarity"),
    )
    return Table(f"Critical recall, {group.name}", heads, tuple(rows), note)


def _tests(group: Group) -> dict[str, Any]:
    found = friedman(np.column_stack([group.values(arm) for arm in _THREE]))
    others = {arm: group.values(arm) for arm in group.arms if arm not in (FULL, GIVEN)}
    return {
        "group": group.name,
        "friedman": {"arms": list(_THREE), **asdict(found)},
        "wilcoxon": {arm: asdict(pair) for arm, pair in pairs(group.values(FULL), others).items()},
    }


def _tests_table(group: Group) -> Table:
    tests = _tests(group)
    overall, n = tests["friedman"], len(group.measured)
    rows = [
        (
            f"Friedman: {', '.join(_THREE)}",
            f"{overall['p']:.2g}",
            "",
            f"Kendall's W {overall['w']:.2f}",
        ),
        *(
            (
                f"Wilcoxon: {FULL} against {arm}",
                f"{pair['p']:.2g}",
                f"{pair['holm']:.2g}",
                f"rank-biserial {pair['r']:+.2f}",
            )
            for arm, pair in tests["wilcoxon"].items()
        ),
    ]
    counted = "over all rearrangements" if overall["exact"] else "over rearrangements drawn"
    least, pair_least = overall["least_p"], 2.0 ** (1 - n)
    corrected = min(1.0, pair_least * len(tests["wilcoxon"]))
    note = (
        f"{n} scenario{'s' if n > 1 else ''}, exact {counted}. So few can give no p below "
        f"{least:.2g} by Friedman and {pair_least:.2g} by Wilcoxon ({corrected:.2g} once "
        f"corrected): {_power(least, corrected)}"
    )
    heads = ("test", "p", "Holm", "effect")
    return Table(f"Are the arms different? {group.name}", heads, tuple(rows), note)


def _power(least: float, corrected: float) -> str:
    if least > _SURE:
        return "they cannot tell any arms apart, however different these are."
    if corrected > _SURE:
        return "they can tell that the three differ, and of no pair that it does."
    return "they can tell pairs apart that differ in nearly every scenario, and no finer ones."


def _numbers(group: Group) -> Iterator[Number]:
    if GIVEN in group.arms:
        yield _least(f"{GIVEN} by the author", _GIVEN, float(group.values(GIVEN).mean()))
    yield _least(FULL, _PREDICTED, float(group.values(FULL).mean()))
    gain = group.gain(FULL)
    # Rates are tenths, whose means and differences may end just under one.
    reached = round(gain.mean, 9) >= _GAIN
    yield Number(f"{FULL}, minus {ABLATION}", f"at least {_GAIN:+.2f}", str(gain), reached)
    lost = group.lost(FULL, "similarity")
    yield Number(
        f"mean similarity lost (published: {_PUBLISHED_LOSS:.1%})",
        f"at most {_LOSS:.0%}",
        f"{lost:.1%} (in cosines of the affective memories: {group.lost(FULL, 'cosine'):.1%})",
        lost <= _LOSS,
    )
    above = float((group.values(PERMUTED) - group.values(ABLATION)).mean())
    yield Number(
        f"{PERMUTED}, minus {ABLATION}",
        f"at most {_PERMUTED:+.2f}",
        f"{above:+.3f}",
        above <= _PERMUTED,
    )
    banks = [one.bank for one in group.measured if one.bank is not None]
    if banks:
        full, ceiling = (np.mean([getattr(x, name) for x in banks]) for name in ("full", "ceiling"))
        share = float(full / ceiling) if ceiling else 0.0
        yield Number(
            f"bank of {banks[0].memories}: of the prefetch's ceiling of {ceiling:.3f}",
            f"at least {_BANK:.0%}",
            f"{share:.0%}",
            share >= _BANK,
        )


def _least(measure: str, least: float, got: float) -> Number:
    return Number(
        f"critical recall rate, {measure}", f"at least {least:.2f}", f"{got:.3f}", got >= least
    )


def _plain(values: dict[str, float]) -> dict[str, float | None]:
    return {name: None if np.isnan(value) else value for name, value in values.items()}

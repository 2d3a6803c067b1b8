"""The critical recall rate: does what must come to mind in a conflict come to mind?

Ten of a person's affective memories are critical in the situation that they stand before. Each
arm recalls ten facts and ten affective memories, as the dual-memory architecture does
(arXiv:2608.07438); the rate is the share of the critical ones that come back.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from emomem.affect import Affect, AffectArray, BoolArray, FloatArray
from emomem.appraisal.conflict import ConflictAppraiser
from emomem.appraisal.local import LocalAppraiser
from emomem.encoder import LocalEncoder
from emomem.evaluation.arms import IndexArray, rows_of
from emomem.evaluation.readings import Progress, silent
from emomem.evaluation.statistics import SEED
from emomem.memory.cueing import cues
from emomem.mixing import mixed, query_parts
from emomem.ranking import (
    Auto,
    CandidatePool,
    Combination,
    Congruent,
    Policy,
    RankQuery,
    Salience,
    Semantic,
    Strategy,
    make_ranker,
)
from emomem.relations import related_salience, relation_strengths
from emomem.scenarios import AffectiveMemory, Scenario, make_bank
from emomem.signals import cosines, mean_imputed

TUNING: Final = frozenset({"household", "stolen_idea", "betrayed_secret"})
"""The shipped scenarios on which something was chosen; the others are for measuring alone."""

FACTS: Final = 10
AFFECTIVE: Final = 10
PREFETCH: Final = 30

GIVEN: Final = "full, salience given"
FULL: Final = "full, salience predicted"
ABLATION: Final = "semantic ablation"
SINGLE: Final = "single store, all 20"
FAIR: Final = "single store, ten affective"
PERMUTED: Final = "full, salience permuted"

_DRAWS: Final = 1000


@dataclass(frozen=True, eq=False)
class Case:
    """A scenario with everything that is read of its texts.

    Attributes:
        scenario: The scenario.
        memories: Its n affective memories, or a bank in which they are.
        vectors: (n, d) their embeddings.
        affects: Their affect, conflict included.
        felt: The same without conflict.
        facts: (m, d) the embeddings of its facts.
        factual: (d,) what asks for facts.
        cue: (d,) what asks for feelings: the affective query, the situation before it and all
            other cues, mixed as an agent's memory mixes them (`emomem.memory.cues`).
        plain_cue: (d,) the affective query alone.
        reader: Reads the present affect.
    """

    scenario: Scenario
    memories: tuple[AffectiveMemory, ...]
    vectors: FloatArray
    affects: AffectArray
    felt: AffectArray
    facts: FloatArray
    factual: FloatArray
    cue: FloatArray
    plain_cue: FloatArray
    reader: LocalAppraiser

    @cached_property
    def critical(self) -> BoolArray:
        """(n,) which memories are critical."""
        return np.array([one.critical for one in self.memories])

    @cached_property
    def given(self) -> FloatArray:
        """(n,) the salience that the author gives; NaN where none."""
        return np.array([one.salience for one in self.memories], dtype=float)

    @cached_property
    def predicted(self) -> FloatArray:
        """(n,) the salience that is predicted: by affect, and by who is named; NaN where none."""
        texts = [one.text for one in self.memories]
        strengths = relation_strengths(texts, self.scenario.weights)
        return related_salience(self.affects.salience, strengths)

    @cached_property
    def cosine(self) -> FloatArray:
        """(n,) how near each memory is to the cue."""
        return cosines(self.cue, self.vectors)

    @cached_property
    def factual_cosine(self) -> FloatArray:
        """(m,) how near each fact is to what asks for facts."""
        return cosines(self.factual, self.facts)

    @cached_property
    def single_cosine(self) -> FloatArray:
        """(m + n,) how near facts, then memories, are to the one query of a single store.

        It is what asks for facts and the cue, mixed.
        """
        query = mixed([self.factual, self.cue])
        return np.concatenate([cosines(query, self.facts), cosines(query, self.vectors)])

    def ceiling(self, prefetch: int = PREFETCH) -> float:
        """The share of the critical memories that a prefetch lets through."""
        return self.rate(nearest(self.cosine, prefetch))

    def rate(self, rows: IndexArray) -> float:
        """The share of the critical memories that are among some."""
        return float(self.critical[rows].sum() / self.critical.sum())

    def recall(
        self,
        strategy: Strategy,
        salience: FloatArray | None = None,
        policy: Policy | None = None,
        present: Affect | None = None,
    ) -> IndexArray:
        """The ten affective memories that a strategy recalls of those that are near enough.

        Args:
            strategy: The strategy.
            salience: (n,) in place of what the affects say.
            policy: Which affect is wanted.
            present: The present affect.
        """
        rows = nearest(self.cosine, strategy.pool_size(AFFECTIVE))
        pool = CandidatePool(
            rows_of(self.affects, rows),
            cosine=self.cosine[rows],
            salience=None if salience is None else salience[rows],
        )
        query = RankQuery(
            k=AFFECTIVE,
            present=Affect.unknown() if present is None else present,
            policy=Congruent() if policy is None else policy,
        )
        return rows[strategy.rank(pool, query).order]


@dataclass(frozen=True)
class Outcome:
    """What an arm recalled in one scenario.

    Attributes:
        rate: The share of the critical memories.
        salience: The mean salience of the affective memories, as the author gives it, or where
            the author does not, as it is predicted.
        similarity: The mean of (1 + cosine) / 2 over facts and affective memories, each against
            the query that asked for it; the published values lie on such a scale.
        cosine: The mean cosine of the affective memories alone and the cue.
    """

    rate: float
    salience: float
    similarity: float
    cosine: float


@dataclass(frozen=True)
class InBank:
    """The full arm in a bank of many memories, of which few are critical.

    Attributes:
        memories: How many there are.
        prefetch: How many of them meaning lets through.
        ceiling: The share of the critical memories among those.
        full: The share that the full arm recalls, with predicted salience.
        ablation: That of the semantic ablation.
        wide: The same with a prefetch that grows with the store, as large a share of it as
            without a bank; None where this is that.
    """

    memories: int
    prefetch: int
    ceiling: float
    full: float
    ablation: float
    wide: "InBank | None" = None


@dataclass(frozen=True)
class Measured:
    """One scenario, measured.

    Attributes:
        scenario: The scenario.
        ceiling: The share of the critical memories that the prefetch lets through.
        outcomes: By arm.
        bank: The same in a bank; None where none was asked for.
    """

    scenario: Scenario
    ceiling: float
    outcomes: Mapping[str, Outcome]
    bank: InBank | None


def prepare(scenario: Scenario, encoder: LocalEncoder) -> Case:
    """Read all texts of a scenario."""
    texts = [one.text for one in scenario.affective]
    reader = LocalAppraiser(encoder)
    felt = reader.appraise(texts)
    read = ConflictAppraiser(reader, encoder).appraise(texts)

    def embedded(some: Sequence[str]) -> FloatArray:
        return encoder.embed(some).astype(float)

    query = scenario.queries.affective
    plain = embedded([query])[0]
    around = cues(scenario.persona, scenario.beliefs, list(scenario.weights), scenario.situation)
    return Case(
        scenario=scenario,
        memories=scenario.affective,
        vectors=embedded(texts),
        affects=AffectArray.from_affects(read),
        felt=AffectArray.from_affects(felt),
        facts=embedded([one.text for one in scenario.facts]),
        factual=embedded([scenario.queries.factual])[0],
        cue=mixed([*embedded([*query_parts(query, [scenario.situation]), *around])]),
        plain_cue=plain,
        reader=reader,
    )


def measure(
    measured: Sequence[Scenario],
    fillers: Sequence[Scenario],
    bank: int | None = None,
    encoder: LocalEncoder | None = None,
    progress: Progress = silent,
) -> list[Measured]:
    """Measure every arm on some scenarios.

    Args:
        measured: The scenarios.
        fillers: What fills the banks, besides them.
        bank: How many affective memories a bank has; None for no bank.
        encoder: Reads the texts; None is one of its own.
        progress: Is told how far it is.

    Raises:
        ValueError: The bank is smaller than a scenario.
    """
    encoder = LocalEncoder() if encoder is None else encoder
    everyone = {one.id: one for one in (*fillers, *measured)}
    found = []
    for done, scenario in enumerate(measured):
        progress("Recalling", done, len(measured))
        case = prepare(scenario, encoder)
        filled = None
        if bank is not None:
            memories = make_bank(scenario, list(everyone.values()), bank)
            whole = scenario.model_copy(update={"affective": memories})
            share = PREFETCH / len(scenario.affective)
            filled = _in_bank(prepare(whole, encoder), share)
        found.append(Measured(scenario, case.ceiling(), _outcomes(case), filled))
    progress("Recalling", len(measured), len(measured))
    return found


def _outcomes(case: Case) -> dict[str, Outcome]:
    found = {
        name: _outcome(case, rows) for name, arm in _ARMS.items() if (rows := arm(case)) is not None
    }
    similarity, affective, first = _single(case)
    found[SINGLE] = _outcome(case, affective, similarity)
    found[FAIR] = _outcome(case, first, similarity)
    rng = np.random.default_rng(SEED)
    n = len(case.memories)
    found[PERMUTED] = _mean_outcome(
        [
            _outcome(case, case.recall(Salience(PREFETCH), case.predicted[rng.permutation(n)]))
            for _ in range(_DRAWS)
        ]
    )
    found["random"] = _mean_outcome(
        [_outcome(case, rng.permutation(n)[:AFFECTIVE]) for _ in range(_DRAWS)]
    )
    return found


def _outcome(case: Case, rows: IndexArray, similarity: float | None = None) -> Outcome:
    salience = np.where(np.isnan(case.given), mean_imputed(case.predicted), case.given)
    if similarity is None:
        asked = case.factual_cosine
        near = np.concatenate([asked[nearest(asked, FACTS)], case.cosine[rows]])
        similarity = (1 + float(near.mean())) / 2
    if not len(rows):
        return Outcome(0.0, float("nan"), similarity, float("nan"))
    return Outcome(
        case.rate(rows), float(salience[rows].mean()), similarity, float(case.cosine[rows].mean())
    )


def _mean_outcome(outcomes: Sequence[Outcome]) -> Outcome:
    values = np.mean([list(vars(one).values()) for one in outcomes], axis=0)
    return Outcome(*values.tolist())


def _single(case: Case) -> tuple[float, IndexArray, IndexArray]:
    """What one store brings, facts and affective memories together.

    Returns:
        The similarity of its 20 nearest, the affective ones among these, and the nearest ten
        affective ones, which are as many as the other arms have.
    """
    near = case.single_cosine
    order = nearest(near, len(near))
    affective = order >= len(case.facts)
    both = order[: FACTS + AFFECTIVE]
    own = order[affective] - len(case.facts)
    similarity = (1 + float(near[both].mean())) / 2
    return similarity, own[: int(affective[: len(both)].sum())], own[:AFFECTIVE]


def _in_bank(case: Case, share: float) -> InBank:
    n = len(case.memories)
    ablation = case.rate(case.recall(Semantic()))

    def through(prefetch: int, wide: InBank | None = None) -> InBank:
        full = case.rate(case.recall(Salience(prefetch), case.predicted))
        return InBank(n, prefetch, case.ceiling(prefetch), full, ablation, wide)

    return through(PREFETCH, through(max(PREFETCH, round(share * n))))


def nearest(near: FloatArray, count: int) -> IndexArray:
    """The rows of the largest of (n,) similarities, the nearest first; of equals the earlier."""
    return np.argsort(-near, kind="stable")[:count]


def _given(case: Case) -> IndexArray | None:
    if np.isnan(case.given).all():
        return None
    return case.recall(Salience(PREFETCH), case.given)


def _auto(case: Case) -> IndexArray:
    ranker = make_ranker(Combination(), Auto(), case.reader)
    plan = ranker.plan(case.scenario.queries.affective, AFFECTIVE)
    if plan.plain:
        return nearest(case.cosine, AFFECTIVE)
    return case.recall(plan.strategy, policy=plan.query.policy, present=plan.query.present)


def _combination(case: Case) -> IndexArray:
    [present] = case.reader.appraise([case.scenario.queries.affective])
    return case.recall(Combination(), policy=Congruent(), present=present)


def _lengths(case: Case) -> FloatArray:
    return np.array([len(one.text) for one in case.memories], dtype=float)


_ARMS: Final[Mapping[str, Callable[[Case], IndexArray | None]]] = {
    GIVEN: _given,
    FULL: lambda case: case.recall(Salience(PREFETCH), case.predicted),
    "full, predicted without relations": lambda case: case.recall(Salience(PREFETCH)),
    "full, predicted without conflict": lambda case: case.recall(
        Salience(PREFETCH), case.felt.salience
    ),
    ABLATION: lambda case: case.recall(Semantic()),
    "semantic ablation, query alone": lambda case: nearest(
        cosines(case.plain_cue, case.vectors), AFFECTIVE
    ),
    "combination": _combination,
    "combination, auto": _auto,
    "full, the longest text for salience": lambda case: case.recall(
        Salience(PREFETCH), _lengths(case)
    ),
}

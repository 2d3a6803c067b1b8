"""Ranking by meaning and affect: pure functions on arrays."""

from emomem.ranking.explain import Explanation
from emomem.ranking.gate import gate, is_factual
from emomem.ranking.policies import (
    POLICIES,
    Auto,
    Comfort,
    Congruent,
    Lesson,
    Off,
    Policy,
    resolve_policy,
)
from emomem.ranking.pool import CandidatePool
from emomem.ranking.ranker import (
    Overrides,
    Plan,
    PresentAffect,
    Ranker,
    make_ranker,
    resolve_affect,
)
from emomem.ranking.strategies import (
    STRATEGIES,
    Combination,
    Modulated,
    Ranking,
    RankQuery,
    Salience,
    Semantic,
    Sequence,
    Strategy,
    resolve_strategy,
)
from emomem.signals import affinity, salience

__all__ = [
    "POLICIES",
    "STRATEGIES",
    "Auto",
    "CandidatePool",
    "Combination",
    "Comfort",
    "Congruent",
    "Explanation",
    "Lesson",
    "Modulated",
    "Off",
    "Overrides",
    "Plan",
    "Policy",
    "PresentAffect",
    "RankQuery",
    "Ranker",
    "Ranking",
    "Salience",
    "Semantic",
    "Sequence",
    "Strategy",
    "affinity",
    "gate",
    "is_factual",
    "make_ranker",
    "resolve_affect",
    "resolve_policy",
    "resolve_strategy",
    "salience",
]

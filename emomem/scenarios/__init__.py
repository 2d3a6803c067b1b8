"""Scenarios: a person in a conflict, what they know, and what they feel about it."""

from emomem.scenarios.bank import make_bank
from emomem.scenarios.schema import (
    AffectiveMemory,
    Fact,
    Queries,
    Relation,
    Scenario,
    load_scenario,
    scenarios,
)

__all__ = [
    "AffectiveMemory",
    "Fact",
    "Queries",
    "Relation",
    "Scenario",
    "load_scenario",
    "make_bank",
    "scenarios",
]

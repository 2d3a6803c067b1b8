"""A large memory for one person, mixed from several scenarios."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from emomem.checks import check_at_least_one
from emomem.scenarios.schema import AffectiveMemory, Scenario

BANK: Final = 300
"""How many affective memories a bank has."""


def make_bank(
    scenario: Scenario, others: Sequence[Scenario], n: int = BANK, seed: int = 0
) -> tuple[AffectiveMemory, ...]:
    """A bank of affective memories in which the scenario's own are few.

    The scenario's own stay as they are. What fills the bank are memories of the others, drawn at
    random: those in the scenario's language first, then the rest. None of them is critical here,
    whatever it is at home, and their ids tell where they come from.

    Args:
        scenario: Whose bank it is; all of its memories are in it.
        others: Where the rest comes from; the scenario itself is passed over.
        n: How many memories the bank has, at least as many as the scenario; where the others do
            not have as many, the bank is smaller.
        seed: Of the draw.

    Returns:
        The memories, in a random order.

    Raises:
        ValueError: `n` is below the number of the scenario's own memories.

    Example:
        >>> from emomem.scenarios import load_scenario, scenarios
        >>> bank = make_bank(load_scenario("household"), scenarios(), n=60)
        >>> len(bank), sum(one.critical for one in bank)
        (60, 10)
    """
    check_at_least_one(n=n)
    own = scenario.affective
    if n < len(own):
        msg = f"a bank must hold the scenario's own {len(own)} memories, got n={n}"
        raise ValueError(msg)
    rng = np.random.default_rng(seed)
    drawn: list[AffectiveMemory] = []
    for same in (True, False):
        rest = [
            one.model_copy(
                update={"id": f"{other.id}/{one.id}", "critical": False, "fact_id": None}
            )
            for other in others
            if other.id != scenario.id and (other.language == scenario.language) == same
            for one in other.affective
        ]
        wanted = min(n - len(own) - len(drawn), len(rest))
        drawn += [rest[place] for place in rng.permutation(len(rest))[:wanted]]
    bank = [*own, *drawn]
    return tuple(bank[place] for place in rng.permutation(len(bank)))

"""What the chat models of a run took."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from emomem.encoding.metering import Cost
from emomem.evaluation.tables import Table

if TYPE_CHECKING:
    from emomem.evaluation.answers import KeptChatModel


@dataclass(frozen=True)
class Role:
    """A model's part, and what it took.

    Attributes:
        name: The model.
        cost: The calls of this run.
        kept: How many answers were there from before.
    """

    name: str
    cost: Cost
    kept: int

    @classmethod
    def of(cls, model: "KeptChatModel") -> Self:
        """What a model took so far."""
        return cls(model.name, model.cost, model.kept)


def costs_table(roles: Mapping[str, Role]) -> Table:
    """Calls and tokens of each model, by its part."""
    rows = [
        (
            f"{role}: {told.name}",
            f"{told.cost.calls:,}",
            f"{told.kept:,}",
            f"{told.cost.prompt_tokens:,}",
            f"{told.cost.answer_tokens:,}",
            f"{told.cost.estimated:,}",
        )
        for role, told in roles.items()
    ]
    columns = ("model", "calls", "kept from before", "prompt tokens", "answer tokens")
    note = "Estimated: calls whose tokens the server did not tell, at one for four bytes."
    return Table("What this run took", (*columns, "estimated"), tuple(rows), note)

"""What is asked of a memory."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypedDict, get_args

from emomem.affect import Affect
from emomem.checks import given_texts
from emomem.filters import both, normalise
from emomem.memory.store import Where
from emomem.memory.unit import MemoryUnit, Status
from emomem.ranking import PresentAffect, resolve_affect
from emomem.relations import check_relations
from emomem.safety import may_be_told

CURRENT: Final[frozenset[Status]] = frozenset({"current"})


@dataclass(frozen=True)
class Query:
    """What is asked of a memory.

    Attributes:
        user_id: Whose memories.
        text: What they should be near to.
        where: A filter, which can only narrow them.
        statuses: Which count.
        present: The user's present affect, as far as it is known.
        turns: The conversation so far, which is mixed into the text (`emomem.mixing`).
        cues: What else brings feelings back, such as who the one who recalls is and what they can
            be hurt in (`emomem.memory.cues`); each is mixed in, as much as the text.
        relations: What others mean to them, -10..10 by name; a feeling about them is more salient.
    """

    user_id: str
    text: str = field(repr=False)
    where: Where | None = None
    statuses: Collection[Status] = CURRENT
    present: Affect = field(default_factory=Affect.unknown)
    turns: tuple[str, ...] = field(default=(), repr=False)
    cues: tuple[str, ...] = field(default=(), repr=False)
    relations: Mapping[str, float] = field(default_factory=dict, repr=False)

    def admits(self, unit: MemoryUnit, now: float) -> bool:
        """Whether a unit that was found may be told."""
        told = may_be_told(unit.metadata, self.present, unit.text)
        return told and unit.status_at(now) in self.statuses

    def narrowed_to(self, kind: str) -> dict[str, Any]:
        """The filter for one kind."""
        return both(normalise({"kind": kind}), normalise(self.where or {})) or {}


class Asked(TypedDict, total=False):
    """What may be said of a query."""

    where: Where | None
    statuses: Collection[Status]
    affect: PresentAffect | None
    conversation: Sequence[str]
    cues: Sequence[str]
    relations: Mapping[str, float]


def check_where(where: Where | None) -> None:
    """Refuse what is no filter.

    Raises:
        TypeError: It is no mapping.
    """
    if where is not None and not isinstance(where, Mapping):
        msg = f"where must be a mapping, got {type(where).__name__}"
        raise TypeError(msg)


def query_of(  # noqa: PLR0913 - all that may be asked
    user_id: str,
    text: str,
    *,
    where: Where | None = None,
    statuses: Collection[Status] = CURRENT,
    affect: PresentAffect | None = None,
    conversation: Sequence[str] = (),
    cues: Sequence[str] = (),
    relations: Mapping[str, float] | None = None,
) -> Query:
    """A query, its present affect an `Affect`, a label or a callable that returns one.

    Raises:
        TypeError: The text, the filter, a turn of the conversation or a cue is none.
        ValueError: A status is unknown, a name is blank, or the weight of a relation out of range.
    """
    if not isinstance(text, str):
        msg = f"a query must be a str, got {type(text).__name__}"
        raise TypeError(msg)
    check_where(where)
    if isinstance(statuses, str) or not set(statuses) <= set(get_args(Status)):
        msg = f"statuses must be some of {', '.join(get_args(Status))}, got {statuses!r}"
        raise ValueError(msg)
    present = Affect.unknown() if affect is None else resolve_affect(affect)
    weights = {} if relations is None else relations
    check_relations(weights)
    turns = turns_of(conversation)
    given = given_texts("cues is a list of what else brings feelings back, each a str", cues)
    told = tuple(one for one in given if one.strip())
    return Query(user_id, text, where, statuses, present, turns, told, dict(weights))


def turns_of(conversation: Iterable[str]) -> tuple[str, ...]:
    """The turns of a conversation.

    Raises:
        TypeError: They are no list of texts.
    """
    return given_texts("conversation is a list of what was said so far, each a str", conversation)

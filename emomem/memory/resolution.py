"""How a conflict is settled: templates that the application chooses from, kind by kind.

A template is a pure function of the new unit and the conflict. It decides which side is current,
and gives the sentence by which a chat model is told; it changes nothing and asks nobody.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal, get_args

from emomem.memory.conflict import Conflict, ConflictKind
from emomem.memory.detectors.claims import claims
from emomem.memory.detectors.clauses import clauses
from emomem.memory.detectors.words import content
from emomem.memory.unit import MemoryUnit
from emomem.prompts import Language, Prompts, prompts, quoted

Current = Literal["new", "old", "both"]


@dataclass(frozen=True)
class Settlement:
    """What is decided of a conflict.

    Attributes:
        current: Which side counts from now on: the new unit, the old one, or both. Of a goal and
            an instruction both do, whichever is followed.
        how: How it was settled; None while it is open. It quotes neither side.
        told: The name of the sentence that tells a chat model, of `emomem.prompts`. That of
            `ask_user` stands in a context as long as both sides count, and the side that is said
            again is the answer.
    """

    current: Current = "both"
    how: str | None = None
    told: str = field(default="both_stand", repr=False)

    @property
    def supersedes(self) -> bool:
        """Whether the new memory takes the old one's place."""
        return self.current == "new"

    @property
    def is_open(self) -> bool:
        """Whether it is not settled."""
        return self.how is None


Template = Callable[[MemoryUnit, Conflict], Settlement]
"""Decides one conflict of a new unit."""


def latest_wins(_: MemoryUnit, conflict: Conflict) -> Settlement:
    """The latest word counts; an instruction is followed, and that it departs from a goal is kept.

    Example:
        >>> latest_wins(new, conflict).supersedes  # doctest: +SKIP
        True
    """
    if conflict.kind == "goal_instruction":
        how = "the latest instruction is followed against the goal, which stands"
        return Settlement("both", how, "follow_instruction")
    return Settlement("new", "the latest holds", "latest_holds")


def keep_both(_: MemoryUnit, __: Conflict) -> Settlement:
    """Nothing is decided: both count, as two sides of an open conflict."""
    return Settlement()


def ask_user(_: MemoryUnit, __: Conflict) -> Settlement:
    """Nothing is decided, and a chat model is told to ask the user which side holds.

    The side that is said again, in the same words, takes the other's place; a goal keeps its own.
    """
    return Settlement(told="ask_user")


@dataclass(frozen=True)
class Weigh:
    """Weighs both sides by recency, intensity and specificity; what is about even stays open.

    Recency is of the new one, as far as the time between them goes towards `days`; intensity is
    how strong the affect of each is, |valence| and arousal in equal parts; specificity is how many
    words and values each has to say, of both together. Each side's weight is the mean of its
    shares of the three, so that both sum to 1.

    Args:
        days: The time after which what is older counts for nothing as far as recency goes, > 0.
        margin: How far the weights must be apart to settle it, 0..1.

    Raises:
        ValueError: A number is out of range.

    Example:
        >>> Weigh(margin=0.2)(new, conflict).current  # doctest: +SKIP
        'new'
    """

    days: float = 30.0
    margin: float = 0.1

    def __post_init__(self) -> None:
        """Check both numbers."""
        if not self.days > 0:
            msg = f"days must be > 0, got {self.days!r}"
            raise ValueError(msg)
        if not 0 <= self.margin <= 1:
            msg = f"margin must be 0..1, got {self.margin!r}"
            raise ValueError(msg)

    def __call__(self, new: MemoryUnit, conflict: Conflict) -> Settlement:
        """The decision of one conflict."""
        weight = self.weight(new, conflict.against)
        if abs(2 * weight - 1) <= self.margin:
            return Settlement()
        if conflict.kind == "goal_instruction":
            if weight > 1 / 2:
                return latest_wins(new, conflict)
            return Settlement("both", "the goal outweighs the instruction", "ask_user")
        if weight > 1 / 2:
            return Settlement("new", "the new one outweighs the old", "latest_holds")
        return Settlement("old", "the old one outweighs the new", "earlier_holds")

    def weight(self, new: MemoryUnit, old: MemoryUnit) -> float:
        """The weight of the new unit, 0..1; the old one's is what it leaves of 1."""
        gone = min(max(new.created_at - old.created_at, 0.0) / (self.days * _DAY), 1.0)
        shares = (
            (1 + gone) / 2,
            _share(_strength(new), _strength(old)),
            _share(_specificity(new), _specificity(old)),
        )
        return sum(shares) / len(shares)


_DAY: Final = 86_400.0


def _share(mine: float, other: float) -> float:
    return mine / (mine + other) if mine + other > 0 else 1 / 2


def _strength(unit: MemoryUnit) -> float:
    return (abs(unit.affect.valence or 0.0) + (unit.affect.arousal or 0.0)) / 2


def _specificity(unit: MemoryUnit) -> float:
    parts = clauses(unit.text)
    words = {word for part in parts for word in content(part.text)} or set(unit.text.split())
    return len(words) + sum(len(claim.values) + len(claim.names) for claim in claims(parts))


DEFAULT_TEMPLATES: Final = MappingProxyType[ConflictKind, Template](
    {
        "evaluative": keep_both,
        "preference_change": latest_wins,
        "goal_instruction": ask_user,
        "fact_update": latest_wins,
    }
)
"""Facts and wishes: the latest holds. Feelings: both are true of their time. Goals: ask."""


class ByKind:
    """One template for each kind; what is not named has the default.

    Args:
        **templates: A template by the name of its kind.

    Raises:
        ValueError: A kind is none.
        TypeError: A template cannot be called.

    Example:
        >>> settle = ByKind(fact_update=ask_user, goal_instruction=latest_wins)
        >>> settle(new, conflict)  # doctest: +SKIP
        Settlement(current='both', how=None)
    """

    def __init__(self, **templates: Template) -> None:
        if unknown := sorted(templates.keys() - set(get_args(ConflictKind))):
            allowed = ", ".join(get_args(ConflictKind))
            msg = f"a kind of conflict must be one of {allowed}, got {', '.join(unknown)}"
            raise ValueError(msg)
        for kind, template in templates.items():
            if not callable(template):
                msg = f"the template of {kind} must be callable, got {template!r}"
                raise TypeError(msg)
        self._templates: dict[str, Template] = {**dict(DEFAULT_TEMPLATES.items()), **templates}

    def __call__(self, new: MemoryUnit, conflict: Conflict) -> Settlement:
        """The decision of one conflict, by the template of its kind."""
        return self._templates[conflict.kind](new, conflict)


def told(
    new: MemoryUnit, conflict: Conflict, settlement: Settlement, language: Language = "en"
) -> str:
    """What to tell a chat model of a conflict in a prompt of one's own: the decision, both sides.

    The sides are quoted as data.

    Args:
        new: The new unit.
        conflict: Its conflict.
        settlement: What a template decided of it.
        language: That of the sentence.
    """
    texts: Prompts = prompts(language)
    old = conflict.against
    side = quoted(old.text, "goals" if old.kind == "goal" else "memories")
    return f"{getattr(texts, settlement.told)}\n\n{side}\n\n{quoted(new.text, 'text')}"

"""Policies: which affect to recall for the user's present affect."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from emomem.affect import Affect, AffectArray, BoolArray, FloatArray
from emomem.emotions import BASE_RATES, GOEMOTIONS, NEUTRAL, projection
from emomem.signals import affinity

IndexArray = NDArray[np.intp]
Profile = Literal["companion", "care", "roleplay", "research"]

DISTRESS: Final = -0.5
"""A user whose valence lies below this is in distress."""

CONFLICT: Final = 0.75
"""A present conflict from here on counts as one (Modulated, and Auto's care profile)."""


def _even(*labels: str) -> Affect:
    """The affect that is spread evenly over some labels."""
    return Affect.from_emotions(projection(labels).sum(axis=0))


SOOTHING: Final = _even("approval", "caring", "gratitude", "joy", "love", "optimism", "relief")
"""What comfort recalls."""

PAINFUL: Final = _even(
    "anger", "disappointment", "disgust", "embarrassment", "fear", "grief", "remorse", "sadness"
)
"""What lesson recalls."""

_MILD_VALENCE: Final = 0.4
_CALM_AROUSAL: Final = 0.5
_SOOTHING_SPREAD: Final = 0.3
_NEARNESS: Final = 0.6
"""The share of likeness in what comfort prefers; the rest is gentleness."""
_SHARPNESS: Final = 1.5


@lru_cache(maxsize=256)
def present_valence(present: Affect) -> float:
    """Valence -1..1 of an affect, by its emotions where the number is missing; NaN unknown."""
    return float(AffectArray.from_affects([present]).vad[0, 0])


@lru_cache(maxsize=256)
def distinctive(present: Affect) -> Affect:
    """What sets a moment apart: its emotions by how much likelier they are than usual.

    Each probability over its base rate (`emomem.emotions.BASE_RATES`), to the power of 1.5,
    neutral left out, rescaled to sum to 1. Neutral is no feeling to go by, and one that many
    texts carry tells little about which memory is meant. What is stated rather than read (no
    confidence), tells no emotions, or is all neutral stays as it is.

    On first turns of EmpatheticDialogues (the half for tuning) this finds the same emotion more
    often, for as much similarity lost, than the distribution as it is read or without neutral
    alone; exponents from 1 to 2 differ by less than the noise.
    """
    if present.emotions is None or present.confidence is None:
        return present
    lift = np.asarray(present.emotions) / BASE_RATES
    lift[NEUTRAL] = 0.0
    shares = lift**_SHARPNESS
    total = float(shares.sum())
    if not total:
        return present
    return present.model_copy(update={"emotions": tuple((shares / total).tolist())})


class Policy(ABC):
    """Chooses the affect that is wanted; strategies weigh it against meaning."""

    name: ClassVar[str]
    arranges: ClassVar[bool] = False
    """Whether `arrange` has a last word, so that all have to be ranked first."""

    def resolve(self, present: Affect) -> "Policy":  # noqa: ARG002 - Auto alone looks at it
        """The policy that applies to a user in this state; itself but for `Auto`."""
        return self

    @abstractmethod
    def wanted(self, present: Affect) -> Affect | None:
        """The affect to recall, or None where it has no wish for this user."""

    def match(self, affects: AffectArray, present: Affect) -> FloatArray:
        """(n,) 0..1, how well each memory fits what is wanted; NaN where not known."""
        wanted = self.wanted(present)
        return np.full(len(affects), np.nan) if wanted is None else affinity(affects, wanted)

    def admits(self, affects: AffectArray, present: Affect, k: int) -> BoolArray:  # noqa: ARG002
        """(n,) which memories may be recalled at all."""
        return np.ones(len(affects), dtype=bool)

    def arrange(
        self,
        ranked: IndexArray,
        affects: AffectArray,  # noqa: ARG002
        present: Affect,  # noqa: ARG002
    ) -> IndexArray:
        """A last word on the ranked memories, best first."""
        return ranked


@dataclass(frozen=True)
class Congruent(Policy):
    """Like recalls like: the user's own affect (mood-congruent recall, Bower 1981)."""

    name: ClassVar[str] = "congruent"

    def wanted(self, present: Affect) -> Affect | None:
        """What is distinctive of the present affect, where one is known."""
        return None if present.is_unknown else distinctive(present)


def _gentleness(affects: AffectArray) -> FloatArray:
    """(n,) 0..1, how mildly positive and calm each memory is; 1 from there upwards."""
    lack = np.maximum(0.0, _MILD_VALENCE - affects.felt("valence")) / _SOOTHING_SPREAD
    excess = np.maximum(0.0, affects.felt("arousal") - _CALM_AROUSAL) / _SOOTHING_SPREAD
    excess = np.where(np.isnan(excess), lack, excess)
    return np.asarray(np.exp(-(np.square(lack) + np.square(excess)) / 8))


@dataclass(frozen=True)
class Comfort(Policy):
    """Spare the distressed; for anyone else it has no wish.

    For a user below `DISTRESS` it leaves out memories whose valence lies below `floor` (unless
    fewer than k stay, then the least negative come back), lets at most `cap` strongly negative
    ones (below `DISTRESS`) stand before the rest, and prefers what is near to the user's feeling
    and gentle: the match is 0.6 times the congruent one plus 0.4 times the gentleness
    exp(-1/8 (s^2 + t^2)), where s and t are what valence lacks of 0.4 and what arousal has above
    0.5, each divided by 0.3 (t is s where arousal is not known).

    Where the query asks for a fact beside its distress (`RankQuery.asks`), what is nearest by
    meaning is the answer: it comes first, however dark it is.

    Likeness alone, and gentleness alone, find less than meaning of what people would remind a sad
    child of; together they do not (MADial-Bench, the half for tuning).

    Args:
        floor: Valence -1..0 below which a memory is left out.
        cap: How many strongly negative memories may keep their rank, >= 0.

    Raises:
        ValueError: An argument is out of range.
    """

    floor: float = -0.75
    cap: int = 2

    name: ClassVar[str] = "comfort"
    arranges: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check the arguments."""
        if not -1 <= self.floor <= 0:
            msg = f"floor must lie in -1..0, got {self.floor!r}"
            raise ValueError(msg)
        if self.cap < 0:
            msg = f"cap must be >= 0, got {self.cap!r}"
            raise ValueError(msg)

    def wanted(self, present: Affect) -> Affect | None:
        """`SOOTHING` for a user in distress."""
        return SOOTHING if present_valence(present) < DISTRESS else None

    def match(self, affects: AffectArray, present: Affect) -> FloatArray:
        """(n,) 0..1, how near to the present feeling and how gentle each memory is."""
        if self.wanted(present) is None:
            return super().match(affects, present)
        gentle = _gentleness(affects)
        near = affinity(affects, distinctive(present))
        near = np.where(np.isnan(near), gentle, near)
        return np.asarray(_NEARNESS * near + (1 - _NEARNESS) * gentle)

    def admits(self, affects: AffectArray, present: Affect, k: int) -> BoolArray:
        """All but the memories below the floor, as long as k stay."""
        keep = super().admits(affects, present, k)
        if self.wanted(present) is None:
            return keep
        valence = affects.felt("valence")
        keep = ~(valence < self.floor)
        missing = min(k, len(keep)) - int(keep.sum())
        if missing > 0:
            out = np.flatnonzero(~keep)
            keep[out[np.argsort(-valence[out], kind="stable")[:missing]]] = True
        return keep

    def arrange(self, ranked: IndexArray, affects: AffectArray, present: Affect) -> IndexArray:
        """Strongly negative memories beyond the cap go behind, those below the floor last."""
        if self.wanted(present) is None:
            return ranked
        valence = affects.felt("valence")[ranked]
        below, strong = valence < self.floor, valence < DISTRESS
        spare = strong & ~below & (np.cumsum(strong & ~below) > self.cap)
        return np.concatenate([ranked[~spare & ~below], ranked[spare], ranked[below]])


@dataclass(frozen=True)
class Lesson(Policy):
    """Learn from bad experience: the negative and the conflicting are raised.

    The match is the mean of the known among max(0, -valence) and conflict.
    """

    name: ClassVar[str] = "lesson"

    def wanted(self, present: Affect) -> Affect:  # noqa: ARG002 - whatever it is
        """`PAINFUL`; `match` is finer."""
        return PAINFUL

    def match(self, affects: AffectArray, present: Affect) -> FloatArray:  # noqa: ARG002
        """(n,) 0..1, how negative or conflicting each memory is."""
        terms = np.stack([np.maximum(0.0, -affects.felt("valence")), affects.conflict])
        known = (~np.isnan(terms)).sum(axis=0)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.nansum(terms, axis=0) / np.where(known, known, np.nan))


@dataclass(frozen=True)
class Off(Policy):
    """Plain retrieval: affect is left out."""

    name: ClassVar[str] = "off"

    def wanted(self, present: Affect) -> Affect | None:
        """Nothing."""


@dataclass(frozen=True)
class Auto(Policy):
    """Chooses a policy by the user's state, and scales affect by the gate.

    ========= =================== ================================ =========
    profile   valence below -0.5  other negative, or in conflict   else
    ========= =================== ================================ =========
    companion comfort             congruent                        congruent
    care      comfort             lesson                           congruent
    roleplay  congruent           congruent                        congruent
    research  lesson              lesson                           off
    ========= =================== ================================ =========

    A valence that low of a moment read as neutral overall, as of a log that says "killed", counts
    as other negative.

    In a conversation the gate is narrower, and shut for a user at ease (`emomem.ranking.gate`).
    Why these choices (`emomem eval retrieval`): with one turn, congruence finds the same emotion
    15% more often in the best five, and 12% more often under companion, which spares the
    distressed (EmpatheticDialogues); lesson in place of congruence, as in care, leaves 6%. In
    conversations no choice beats meaning by more than chance, so that companion stays close to it
    (MADial-Bench). Questions for facts get none of it (LoCoMo).

    Args:
        profile: Whom it serves; a row of the table.

    Raises:
        ValueError: The profile is not one of the table's.
    """

    profile: Profile = "companion"

    name: ClassVar[str] = "auto"

    def __post_init__(self) -> None:
        """Check the profile."""
        if self.profile not in _PROFILES:
            msg = f"profile must be one of {', '.join(get_args(Profile))}, got {self.profile!r}"
            raise ValueError(msg)

    def resolve(self, present: Affect) -> Policy:
        """The table's policy for this state; `Off` where no affect is known."""
        if present.is_unknown:
            return Off()
        distressed, negative, otherwise = _PROFILES[self.profile]
        valence = present_valence(present)
        if valence < DISTRESS and present.label != GOEMOTIONS[NEUTRAL]:
            return distressed
        return negative if valence < 0 or (present.conflict or 0) >= CONFLICT else otherwise

    def wanted(self, present: Affect) -> Affect | None:
        """What the chosen policy wants."""
        return self.resolve(present).wanted(present)


_PROFILES: Final[dict[str, tuple[Policy, Policy, Policy]]] = {
    "companion": (Comfort(), Congruent(), Congruent()),
    "care": (Comfort(), Lesson(), Congruent()),
    "roleplay": (Congruent(), Congruent(), Congruent()),
    "research": (Lesson(), Lesson(), Off()),
}
POLICIES: Final[dict[str, type[Policy]]] = {
    policy.name: policy for policy in (Auto, Congruent, Comfort, Lesson, Off)
}
"""The class of each policy, by its name."""


def resolve_policy(policy: str | Policy) -> Policy:
    """A policy by its name, with its defaults, or the one given.

    Raises:
        ValueError: No policy has that name.
    """
    if isinstance(policy, Policy):
        return policy
    if not isinstance(policy, str) or policy not in POLICIES:
        msg = f"policy must be a Policy or one of {', '.join(POLICIES)}, got {policy!r}"
        raise ValueError(msg)
    return POLICIES[policy]()

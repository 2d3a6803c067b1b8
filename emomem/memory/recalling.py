"""Recalling: facts by meaning, and what was felt by salience, each by a query of its own."""

import asyncio
import logging
import operator
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import zip_longest
from typing import Final

import numpy as np

from emomem.affect import Affect, AffectArray, FloatArray
from emomem.checks import check_at_least_one
from emomem.filters import both, normalise
from emomem.memory.dynamics import HOUR, Decay, check_share
from emomem.memory.parts import Call, Parts, Steps
from emomem.memory.query import Query
from emomem.memory.sparing import spared
from emomem.memory.store import Hit, Search
from emomem.memory.unit import MemoryUnit
from emomem.ranking import CandidatePool, Comfort, RankQuery, Salience
from emomem.relations import related_salience, relation_strengths
from emomem.safety import in_distress
from emomem.signals import salience
from emomem.tokens import count_tokens

CUT: Final = "…"
"""What stands where a text was cut."""
_WIDER: Final = 4

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Sizes:
    """How much a recall brings back.

    Args:
        facts: How many facts, the nearest.
        prefetch: How many affective memories are fetched by meaning, and
        affective: how many of them are kept, the most salient.
        tokens: How many tokens all of it may have: a recall counts its texts, a context all that
            it says, its frames too. A text that is longer is cut to half of it.

    Raises:
        ValueError: A number is below 1.
    """

    facts: int = 10
    prefetch: int = 30
    affective: int = 10
    tokens: int = 2000

    def __post_init__(self) -> None:
        """Check the numbers."""
        check_at_least_one(**vars(self))


@dataclass(frozen=True)
class Recalled:
    """One memory that came back.

    Attributes:
        unit: The memory.
        cosine: Its similarity to the query, -1..1; None where the store does not say.
        salience: 0..1 now, after decay, raised by whom it names; None where it is not known.
    """

    unit: MemoryUnit
    cosine: float | None = None
    salience: float | None = None


@dataclass(frozen=True)
class Recall:
    """What came back for a query, each part best first."""

    facts: tuple[Recalled, ...] = ()
    affective: tuple[Recalled, ...] = ()

    @property
    def units(self) -> list[MemoryUnit]:
        """All units, the facts first."""
        return [one.unit for one in (*self.facts, *self.affective)]


@dataclass(frozen=True)
class Working:
    """Working memory: what is recent and stirred or in conflict, searched before the rest.

    It costs a recall two more queries.

    Args:
        hours: How recent, > 0.
        arousal: 0..1, from where it stirred.

    Raises:
        ValueError: A number is out of range.
    """

    hours: float = 24.0
    arousal: float = 2 / 3

    def __post_init__(self) -> None:
        """Check the numbers."""
        check_share(arousal=self.arousal)
        if not self.hours > 0:
            msg = f"hours must be > 0, got {self.hours!r}"
            raise ValueError(msg)

    def narrowed(self, query: Query, now: float) -> Query:
        """The query, of what is recent alone."""
        recent = {"last_at": {"$gt": now - self.hours * HOUR}}
        return replace(query, where=both(normalise(query.where or {}), normalise(recent)))

    def holds(self, hit: Hit) -> bool:
        """Whether a recent memory stirred or is in conflict."""
        affect = hit.unit.affect
        stirred = (affect.arousal or 0.0) >= self.arousal
        return stirred or bool(hit.unit.conflicts) or (affect.conflict or 0.0) > 1 / 2


def safely(count: Callable[[str], int]) -> Callable[[str], int]:
    """A counter in whose place `count_tokens` stands for a text on which it fails."""

    def counted(text: str) -> int:
        try:
            return operator.index(count(text))
        except Exception as error:  # noqa: BLE001 - it costs only the exact number
            # The error's own message may quote a memory, so only its type is logged.
            logger.warning("the token counter failed with %s; estimated", type(error).__name__)
            return count_tokens(text)

    return counted


def cut(text: str, fits: Callable[[str], bool]) -> str:
    """The longest beginning of a text that fits, with a sign that it was cut; "" where none."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(text[:middle] + CUT):
            low = middle
        else:
            high = middle - 1
    return text[:low] + CUT if low else ""


@dataclass
class Budget:
    """Tokens that are left.

    Attributes:
        left: How many.
        count_tokens: The number of tokens of a text.
    """

    left: int
    count_tokens: Callable[[str], int]

    def takes(self, *texts: str) -> bool:
        """Whether the texts fit; if so they are paid for."""
        cost = sum(map(self.count_tokens, texts))
        if cost > self.left:
            return False
        self.left -= cost
        return True


@dataclass(frozen=True)
class Recaller:
    """How memories are recalled.

    Attributes:
        sizes: How much comes back.
        decay: How salience fades; None for not at all.
        count_tokens: The number of tokens of a text.
        brightening: 0..1, how likely a positive or unmoved memory takes the last place among the
            affective ones, against spirals.
        chance: Where that is drawn from.
        working: What stands before the rest; None for nothing.

    Raises:
        ValueError: `brightening` is outside 0..1.
    """

    sizes: Sizes = field(default_factory=Sizes)
    decay: Decay | None = None
    count_tokens: Callable[[str], int] = count_tokens
    brightening: float = 0.0
    chance: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311 - no secret
    working: Working | None = None

    def __post_init__(self) -> None:
        """Check the share."""
        check_share(brightening=self.brightening)

    def recall(self, parts: Parts, query: Query) -> Steps:
        """What comes back for a query; nothing is changed by it.

        Returns:
            A `Recall`.
        """
        wanted = {"fact": self._prefetch(query.present), "affective": self.sizes.prefetch}
        now = parts.now()
        lively: set[str] = set()
        found: dict[str, list[Hit]] = {}
        if self.working is not None:
            recent = yield from nearest(parts, self.working.narrowed(query, now), wanted)
            found = {kind: list(filter(self.working.holds, hits)) for kind, hits in recent.items()}
            lively = {hit.unit.unit_id for hits in found.values() for hit in hits}
        for kind, hits in (yield from nearest(parts, query, wanted)).items():
            more = [hit for hit in hits if hit.unit.unit_id not in lively]
            found[kind] = [*found.get(kind, []), *more][: wanted[kind]]
        facts = self._with_salience(found["fact"], now)
        near = self._with_salience(found["affective"], now, query.relations)
        felt = self._most_salient(near, query.present)
        felt.sort(key=lambda one: one.unit.unit_id not in lively)
        facts, felt = spared(facts, felt, query.present)
        fit = partial(self._within_budget, facts[: self.sizes.facts], felt)
        # A counter of the application's own may take its time.
        recall: Recall = yield Call(fit, partial(asyncio.to_thread, fit))
        return recall

    def _prefetch(self, present: Affect) -> int:
        """How many facts are fetched: more than are told where dark ones are left out."""
        few = self.sizes.facts
        return max(few, self.sizes.prefetch) if in_distress(present) else few

    def _with_salience(
        self, hits: Sequence[Hit], now: float, relations: Mapping[str, float] | None = None
    ) -> list[Recalled]:
        """The memories with how salient they are, raised by whom they name of some relations."""
        units = [hit.unit for hit in hits]
        strengths = relation_strengths([unit.text for unit in units], relations or {})
        raised = related_salience(saliences(units, now, self.decay), strengths)
        return [
            Recalled(hit.unit, hit.cosine, None if np.isnan(one) else float(one))
            for hit, one in zip(hits, raised, strict=True)
        ]

    def _most_salient(self, nearest: Sequence[Recalled], present: Affect) -> list[Recalled]:
        """The most salient; a user in distress is spared the darkest, and most of the dark."""
        pool = CandidatePool(
            affects=AffectArray.from_affects([one.unit.affect for one in nearest]),
            salience=np.array([one.salience for one in nearest], dtype=float),
        )
        query = RankQuery(k=self.sizes.affective, present=present, policy=Comfort())
        order = Salience(self.sizes.prefetch).rank(pool, query).order.tolist()
        bright = [row for row, one in enumerate(nearest) if row not in order and _is_bright(one)]
        if bright and self.chance.random() < self.brightening:
            order[-1] = self.chance.choice(bright)
        return [nearest[row] for row in order]

    def budget(self, recall: Recall) -> Budget:
        """What is left of the tokens after a recall."""
        budget = Budget(self.sizes.tokens, self.count_tokens)
        for text in {unit.text for unit in recall.units}:
            budget.takes(text)
        return budget

    def _within_budget(self, facts: Sequence[Recalled], affective: Sequence[Recalled]) -> Recall:
        """The best of both that fit, in turns; a text counts once, however often it comes."""
        budget, counted = Budget(self.sizes.tokens, self.count_tokens), set()
        kept: dict[str, list[Recalled]] = {"fact": [], "affective": []}
        for pair in zip_longest(facts, affective):
            for one in map(self._short_enough, filter(None, pair)):
                if one.unit.text in counted or budget.takes(one.unit.text):
                    counted.add(one.unit.text)
                    kept[one.unit.kind].append(one)
        return Recall(tuple(kept["fact"]), tuple(kept["affective"]))

    def _short_enough(self, one: Recalled) -> Recalled:
        """A memory that may come back, however long it is: half of the tokens are for others."""
        if self.count_tokens(one.unit.text) <= self.sizes.tokens:
            return one
        half = self.sizes.tokens / 2
        short = cut(one.unit.text, lambda text: self.count_tokens(text) <= half)
        return replace(one, unit=one.unit.model_copy(update={"text": short}))


def nearest(parts: Parts, query: Query, wanted: Mapping[str, int]) -> Steps:
    """The hits of each kind that are of one of the statuses now, as many as are wanted.

    A status may end by itself, so that it is no filter: a search widens until enough pass.

    Returns:
        The hits by kind.
    """
    now = parts.now()
    found: dict[str, list[Hit]] = {}
    sizes = dict(wanted)
    while sizes:
        searches = [
            Search(
                query.user_id,
                query.narrowed_to(kind),
                query.text,
                size,
                query.turns,
                query.cues if kind == "affective" else (),
            )
            for kind, size in sizes.items()
        ]
        answers = yield from parts.ask(*searches)
        for search, (kind, size), hits in zip(searches, list(sizes.items()), answers, strict=True):
            found[kind] = [hit for hit in hits if query.admits(hit.unit, now)]
            if len(found[kind]) >= wanted[kind] or len(hits) < search.k:
                del sizes[kind]
            else:
                sizes[kind] = size * _WIDER
    return {kind: hits[: wanted[kind]] for kind, hits in found.items()}


def saliences(units: Sequence[MemoryUnit], now: float, decay: Decay | None) -> FloatArray:
    """(n,) 0..1, how accessible each unit is now; NaN where that is not known."""
    affects = AffectArray.from_affects([unit.affect for unit in units])
    felt = salience(affects.valence, affects.arousal, affects.conflict)
    weighed = np.array([unit.salience for unit in units], dtype=float)
    stored = np.where(np.isnan(weighed), felt, weighed)
    if decay is None:
        return stored
    age = np.array([now - max(unit.last_at, unit.recalled_at) for unit in units])
    return decay.salience(stored, age, affects.arousal, affects.valence)


def _is_bright(one: Recalled) -> bool:
    valence = one.unit.affect.valence
    return valence is not None and valence >= 0

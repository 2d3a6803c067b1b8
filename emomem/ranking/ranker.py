"""One recall from query to order, without a framework: what every adapter calls."""

import logging
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from emomem.affect import Affect
from emomem.appraisal.base import aappraise_safely, appraise_safely
from emomem.protocols import Appraiser
from emomem.ranking.explain import Explanation, describe, signals_of
from emomem.ranking.gate import gate, is_factual
from emomem.ranking.policies import Auto, Off, Policy, resolve_policy
from emomem.ranking.pool import CandidatePool
from emomem.ranking.strategies import Ranking, RankQuery, Semantic, Strategy, resolve_strategy
from emomem.steps import adrive, drive

logger = logging.getLogger(__name__)

PresentAffect = Affect | str | Callable[[], Affect]
"""An affect, a label of a known set, or a callable that returns the present one (a mood)."""


class Asked(TypedDict):
    """What one call of `Ranker.plan` asks for, beside the query."""

    k: int
    affect: PresentAffect | None
    policy: str | Policy | None
    conversation: Sequence[str]


@dataclass(frozen=True)
class Plan:
    """How one query is to be answered.

    Attributes:
        strategy: The strategy to rank with.
        query: What it is asked for: k, present affect, resolved policy and gate.
        plain: True where the plain call is to be made: affect has nothing to say.
        reason: Why it is plain; empty otherwise.
    """

    strategy: Strategy
    query: RankQuery
    plain: bool
    reason: str = ""

    def rank(self, pool: CandidatePool) -> Ranking:
        """Rank the candidates that were fetched."""
        return self.strategy.rank(pool, self.query)

    def explain(
        self, documents: Sequence[Any], ranking: Ranking | None = None
    ) -> list[Explanation]:
        """Reasons for what was recalled.

        Args:
            documents: The pool's documents, in its order.
            ranking: What the strategy made of them; None where the plain call was made.
        """
        order = range(len(documents)) if ranking is None else ranking.order.tolist()
        explanations = []
        for rank, index in enumerate(order, start=1):
            if ranking is None:
                signals: dict[str, float] = {}
                weights: dict[str, float] = {}
                score, reason = None, self.reason
            else:
                signals, weights = signals_of(ranking, index), dict(ranking.weights)
                score = float(ranking.score[index])
                reason = describe(signals, weights, index + 1 - rank)
            explanations.append(
                Explanation(
                    document=documents[index],
                    rank=rank,
                    rank_without_affect=index + 1,
                    score=score,
                    signals=signals,
                    weights=weights,
                    gate=self.query.gate,
                    strategy=self.strategy.name,
                    policy=self.query.policy.name,
                    present=self.query.present,
                    reason=reason,
                )
            )
        return explanations


def resolve_affect(affect: PresentAffect) -> Affect:
    """An affect given as itself, as a label, or as a callable that returns it.

    Raises:
        ValueError: The label is in no known label set.
        TypeError: It is none of the three, or the callable returned something else.
    """
    if isinstance(affect, str):
        return Affect.from_label(affect)
    value = affect() if callable(affect) else affect
    if not isinstance(value, Affect):
        msg = f"affect must be an Affect, a label or a callable returning one, got {value!r}"
        raise TypeError(msg)
    return value


def _transcript(conversation: Sequence[str]) -> str:
    if isinstance(conversation, str):
        msg = "conversation is a list of turns, got one str"
        raise TypeError(msg)
    return "\n".join(conversation)


@dataclass(frozen=True)
class Ranker:
    """Reads the present affect, opens the gate and chooses between the plain call and a ranking.

    Attributes:
        strategy: How meaning and affect are put together.
        policy: Which affect is wanted.
        appraiser: Reads the present affect where none is given; None reads none.
        affect: The present affect of every query, unless one call gives its own.
    """

    strategy: Strategy
    policy: Policy
    appraiser: Appraiser | None = None
    affect: PresentAffect | None = None

    def plan(
        self,
        query: str,
        k: int,
        *,
        affect: PresentAffect | None = None,
        policy: str | Policy | None = None,
        conversation: Sequence[str] = (),
    ) -> Plan:
        """Decide how to answer one query.

        The present affect is the first that is known of: `affect`, the conversation, the
        query's text.

        Args:
            query: The query's text.
            k: How many memories are wanted, >= 1.
            affect: The present affect, in place of the ranker's own.
            policy: The policy, in place of the ranker's own.
            conversation: The turns so far, oldest first.

        Raises:
            ValueError: k is below 1, or a name or label is unknown.
            TypeError: `conversation` is one string.
        """
        steps = self._steps(query, k, affect, policy, conversation)
        return drive(steps, lambda text: appraise_safely(self._reader(), [text])[0])

    async def aplan(
        self,
        query: str,
        k: int,
        *,
        affect: PresentAffect | None = None,
        policy: str | Policy | None = None,
        conversation: Sequence[str] = (),
    ) -> Plan:
        """`plan` without blocking the event loop."""
        steps = self._steps(query, k, affect, policy, conversation)

        async def read(text: str) -> Affect:
            return (await aappraise_safely(self._reader(), [text]))[0]

        return await adrive(steps, read)

    def _reader(self) -> Appraiser:
        assert self.appraiser is not None  # noqa: S101 - _steps yields no text without one
        return self.appraiser

    def _steps(
        self,
        query: str,
        k: int,
        affect: PresentAffect | None,
        policy: str | Policy | None,
        conversation: Sequence[str],
    ) -> Generator[str, Affect, Plan]:
        """Yields each text to appraise and is sent its affect, so that sync and async agree."""
        transcript = _transcript(conversation)
        chosen = self.policy if policy is None else resolve_policy(policy)
        given = self.affect if affect is None else affect
        present = Affect.unknown() if given is None else resolve_affect(given)
        explicit = not present.is_unknown

        def plain(reason: str, policy: Policy = chosen, opening: float = 0.0) -> Plan:
            request = RankQuery(k=k, present=present, policy=policy, gate=opening)
            return Plan(self.strategy, request, plain=True, reason=reason)

        if isinstance(chosen, Off) or isinstance(self.strategy, Semantic):
            return plain("affect is off")
        auto = isinstance(chosen, Auto)
        if auto and not explicit and is_factual(query):
            return plain("a factual question", Off())
        if not explicit and self.appraiser is not None:
            for text in (transcript, query):
                if present.is_unknown and text.strip():
                    present = yield text
        opening = gate(present) if auto else 1.0
        resolved = chosen.resolve(present)
        if opening == 0:
            return plain(
                "no affect could be read" if present.is_unknown else "a neutral moment", Off()
            )
        if isinstance(resolved, Off):
            return plain(f"{chosen.name} leaves affect out here", resolved, opening)
        request = RankQuery(k=k, present=present, policy=resolved, gate=opening)
        wants = resolved.wanted(present) is not None
        if self.strategy.needs_wanted and not wants:
            return plain(f"{resolved.name} wants nothing here", resolved, opening)
        return Plan(self.strategy, request, plain=False)


def make_ranker(
    strategy: str | Strategy,
    policy: str | Policy,
    appraiser: Appraiser | None = None,
    affect: PresentAffect | None = None,
) -> Ranker:
    """A ranker from names or instances; a wrong one raises at once.

    Raises:
        ValueError: A name or label is unknown.
        TypeError: The appraiser does not appraise, or the affect is none of its kinds.
    """
    if appraiser is not None and not isinstance(appraiser, Appraiser):
        msg = f"appraiser needs appraise and aappraise, got {type(appraiser).__name__}"
        raise TypeError(msg)
    if affect is not None and not callable(affect):
        affect = resolve_affect(affect)
    return Ranker(resolve_strategy(strategy), resolve_policy(policy), appraiser, affect)

"""One recall from query to order, without a framework: what every adapter calls."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from inspect import isawaitable, iscoroutine
from typing import Any, TypedDict, Unpack

import numpy as np

from emomem.affect import Affect
from emomem.appraisal.base import aappraise_safely, appraise_safely, check_appraiser
from emomem.appraisal.default import default_appraiser
from emomem.appraisal.windows import ends
from emomem.fused import Wish
from emomem.protocols import Appraiser
from emomem.ranking.explain import Explanation, describe, signals_of
from emomem.ranking.gate import gate, is_factual
from emomem.ranking.policies import Auto, Off, Policy, resolve_policy
from emomem.ranking.pool import CandidatePool
from emomem.ranking.strategies import Ranking, RankQuery, Semantic, Strategy, resolve_strategy
from emomem.sentences import sentences
from emomem.steps import Ask, Steps, arun, run

logger = logging.getLogger(__name__)

_Stated = Affect | str
PresentAffect = _Stated | Callable[[], _Stated | Awaitable[_Stated]]
"""An affect, a label of a known set, or a callable that returns the present one (a mood).

Async calls of a retriever, a reranker or a postprocessor await what has to be awaited."""


class Overrides(TypedDict, total=False):
    """What one call may say beside its query: its affect, policy and conversation."""

    affect: PresentAffect | None
    policy: str | Policy | None
    conversation: Sequence[str]


@dataclass(frozen=True)
class Plan:
    """How one query is to be answered.

    Attributes:
        strategy: The strategy to rank with.
        query: What it is asked for: k, present affect, resolved policy and gate.
        reason: Why the plain call is to be made; empty where affect has something to say.
    """

    strategy: Strategy
    query: RankQuery
    reason: str = ""

    @property
    def plain(self) -> bool:
        """Whether the plain call is to be made."""
        return bool(self.reason)

    @property
    def wish(self) -> Wish | None:
        """What to ask of a store of fused vectors; None where meaning alone finds candidates."""
        wanted = self.query.policy.wanted(self.query.present)
        weight = None if self.plain else self.strategy.fused_weight(self.query)
        if weight is None or wanted is None or wanted.emotions is None:
            return None
        exact = type(self.query.policy).match is Policy.match
        return Wish(np.sqrt(wanted.emotions), weight, exact)

    @property
    def feeling(self) -> dict[str, Any] | None:
        """Conditions on affect (`emomem.filters.affect_conditions`) of what carries it.

        The wanted emotion that is strongest of Plutchik's eight, at half its strength or more; for
        a policy with a match of its own, valence on the wanted side. None where meaning alone
        finds candidates.
        """
        wish, wanted = self.wish, self.query.policy.wanted(self.query.present)
        if wish is None or wanted is None or wanted.plutchik is None:
            return None
        if not wish.exact and wanted.valence is not None:
            bound = "$gte" if wanted.valence > 0 else "$lte"
            return {"valence": {bound: wanted.valence / 2}}
        name, strength = max(wanted.plutchik.items(), key=lambda item: item[1])
        return {name: {"$gte": strength / 2}} if strength else None

    def rank(self, pool: CandidatePool) -> Ranking:
        """Rank the candidates that were fetched."""
        ranking = self.strategy.rank(pool, self.query)
        if len(pool) and not ranking.known.any():
            _warn_untagged()
        return ranking

    def explain(
        self,
        documents: Sequence[Any],
        ranking: Ranking | None = None,
        ranks: Sequence[int | None] | None = None,
    ) -> list[Explanation]:
        """Reasons for what was recalled.

        Args:
            documents: The pool's documents, in its order.
            ranking: What the strategy made of them; None where the plain call was made.
            ranks: The rank of each by meaning alone, from 1, None where it was not among the
                nearest; by default that in the pool.
        """
        if ranks is None:
            ranks = range(1, len(documents) + 1)
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
                plain = ranks[index]
                reason = describe(ranking, index, None if plain is None else plain - rank)
            explanations.append(
                Explanation(
                    document=documents[index],
                    rank=rank,
                    rank_without_affect=ranks[index],
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


@cache
def _warn_untagged() -> None:
    logger.warning(
        "no candidate carries affect, so that meaning alone ranked them; tag the documents before "
        "they are stored, or name their keys with MetadataFields (said once a process)"
    )


def resolve_affect(affect: PresentAffect) -> Affect:
    """An affect given as itself, as a label, or as a callable that returns it.

    Raises:
        ValueError: The label is in no known label set.
        TypeError: It is none of the three, or the callable returned something else, or what has
            to be awaited.
    """
    value = affect() if callable(affect) else affect
    if callable(affect) and isawaitable(value):
        if iscoroutine(value):
            value.close()
        msg = (
            "the callable that gives the affect is async; call ainvoke (in LlamaIndex aretrieve), "
            "or give what it returns"
        )
        raise TypeError(msg)
    if isinstance(value, str):
        return _of_label(value)
    if not isinstance(value, Affect):
        kind = type(value).__name__
        msg = f"affect must be an Affect, a label or a callable returning one, got {kind}"
        raise TypeError(msg)
    return value


_of_label = lru_cache(maxsize=256)(Affect.from_label)


def _transcript(conversation: Sequence[str], query: str) -> str:
    """The conversation with the query as its last turn."""
    if not isinstance(query, str):
        msg = f"query must be a str, got {type(query).__name__}"
        raise TypeError(msg)
    if isinstance(conversation, str):
        msg = "conversation is a list of turns, got one str"
        raise TypeError(msg)
    said = [turn for turn in conversation if turn.strip()]
    if query.strip() and (not said or said[-1].strip() != query.strip()):
        said.append(query)
    return "\n".join(said)


def _shut(present: Affect) -> str:
    """Why the gate is shut."""
    if present.is_unknown:
        return "no affect could be read"
    return "a neutral moment" if gate(present) == 0 else "nothing weighs on the user"


@dataclass(frozen=True)
class Ranker:
    """Reads the present affect, opens the gate and chooses between the plain call and a ranking.

    Attributes:
        strategy: How meaning and affect are put together.
        policy: Which affect is wanted.
        appraiser: Reads the present affect where none is known; None reads none.
        affect: The present affect of every query, unless one call gives its own.
    """

    strategy: Strategy
    policy: Policy
    appraiser: Appraiser | None = None
    affect: PresentAffect | None = None

    def plan(self, query: str, k: int, **overrides: Unpack[Overrides]) -> Plan:
        """Decide how to answer one query.

        The present affect is `affect`, where that is known. Else the conversation with the query
        as its last turn is read, and the query by itself, in one call of the appraiser: of what
        can be read, that counts in which more weighs on the user. Of a very long text its two
        ends are read.

        Args:
            query: The query's text.
            k: How many memories are wanted, >= 1.
            **overrides: `affect` and `policy` in place of the ranker's own, and
                `conversation`, the turns so far, oldest first.

        Raises:
            ValueError: k is below 1, or a name or label is unknown.
            TypeError: The query is no string, `conversation` is one, or k is no int.
        """
        return run(self._steps(query, k, **overrides))

    async def aplan(self, query: str, k: int, **overrides: Unpack[Overrides]) -> Plan:
        """`plan` without blocking the event loop."""
        return await arun(self._steps(query, k, **overrides))

    def _steps(
        self,
        query: str,
        k: int,
        *,
        affect: PresentAffect | None = None,
        policy: str | Policy | None = None,
        conversation: Sequence[str] = (),
    ) -> Steps[Plan]:
        """Yields what has to be read and is sent its affect, so that sync and async agree."""
        transcript = _transcript(conversation, query)
        chosen = self.policy if policy is None else resolve_policy(policy)
        given = self.affect if affect is None else affect
        mood = given if callable(given) else None
        present = Affect.unknown() if given is None or callable(given) else resolve_affect(given)

        def plan(reason: str, policy: Policy, opening: float = 0.0) -> Plan:
            asks = not reason and any(map(is_factual, sentences(query)))
            request = RankQuery(k=k, present=present, policy=policy, gate=opening, asks=asks)
            return Plan(self.strategy, request, reason)

        if isinstance(chosen, Off) or isinstance(self.strategy, Semantic):
            return plan("affect is off", Off())
        auto = isinstance(chosen, Auto)
        # An affect that is stated for the query outweighs its form, and what was said before it;
        # a mood is merely there.
        stated = not present.is_unknown
        if auto and not stated and is_factual(query):
            return plan("a factual question", Off())
        if mood is not None:
            present = yield _Mood(mood)
        if present.is_unknown:
            present = yield from self._read(transcript, query)
        others = any(turn.strip() not in ("", query.strip()) for turn in conversation)
        conversing = others and not stated
        opening = gate(present, conversing=conversing) if auto else 1.0
        resolved = chosen.resolve(present)
        if opening == 0:
            return plan(_shut(present), Off())
        if isinstance(resolved, Off):
            return plan(f"{chosen.name} leaves affect out here", resolved, opening)
        if self.strategy.needs_wanted and resolved.wanted(present) is None:
            return plan(f"{resolved.name} wants nothing here", resolved, opening)
        return plan("", resolved, opening)

    def _read(self, *texts: str) -> Steps[Affect]:
        """The affect of the text in which most weighs on the user; of equals the first."""
        told = tuple(text for text in dict.fromkeys(map(ends, texts)) if text.strip())
        if self.appraiser is None or not told:
            return Affect.unknown()
        affects: list[Affect] = yield _Texts(self.appraiser, told)
        known = [affect for affect in affects if not affect.is_unknown]
        # Read as one text, cheerful turns drown grief that is told last, and turns in another
        # language hide it. A mere "yes" after grief, which by itself is cheerful, ends none.
        return max(known, key=partial(gate, conversing=True), default=Affect.unknown())


@dataclass(frozen=True)
class _Mood(Ask):
    """A request for the present affect of a callable, which may take its time."""

    read: Callable[[], _Stated | Awaitable[_Stated]]

    def answer(self) -> Affect:
        return resolve_affect(self._said)

    async def aanswer(self) -> Affect:
        said = await asyncio.to_thread(self._said)
        told = await said if isawaitable(said) else said
        return resolve_affect(lambda: told)

    def _said(self) -> _Stated | Awaitable[_Stated]:
        try:
            return self.read()
        except StopIteration as error:
            # It would end the steps that ask, and an await of the thread would never return.
            msg = "the callable that gives the affect raised StopIteration"
            raise RuntimeError(msg) from error


@dataclass(frozen=True)
class _Texts(Ask):
    """A request for the affects of texts."""

    appraiser: Appraiser
    texts: tuple[str, ...]

    def answer(self) -> list[Affect]:
        return appraise_safely(self.appraiser, self.texts)

    async def aanswer(self) -> list[Affect]:
        return await aappraise_safely(self.appraiser, self.texts)


def make_ranker(
    strategy: str | Strategy,
    policy: str | Policy,
    appraiser: Appraiser | None = None,
    affect: PresentAffect | None = None,
) -> Ranker:
    """A ranker from names or instances; a wrong one raises at once.

    Without an appraiser it reads with the embedded model, unless the affect is given once and
    for all.

    Raises:
        ImportError: The embedded model is needed and not installed.
        ValueError: A name or label is unknown.
        TypeError: The appraiser does not appraise, or the affect is none of its kinds.
    """
    if appraiser is not None:
        check_appraiser(appraiser)
    if affect is not None and not callable(affect):
        affect = resolve_affect(affect)
    elif appraiser is None:
        appraiser = default_appraiser()
    return Ranker(resolve_strategy(strategy), resolve_policy(policy), appraiser, affect)

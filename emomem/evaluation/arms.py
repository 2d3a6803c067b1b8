"""The ways to recall that are compared, each as a user's code would do it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from emomem.affect import Affect, AffectArray
from emomem.evaluation.datasets import Query, Store
from emomem.evaluation.readings import Float32Array, Readings
from emomem.fused import fuse_documents, fuse_query, nothing_known, with_mean
from emomem.metadata import decode_affects, encode
from emomem.mixing import mixed, query_parts
from emomem.protocols import Appraiser
from emomem.ranking import CandidatePool, Combination, Policy, Strategy, make_ranker

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

PLAIN: Final = "plain"
"""What stands for a policy where the plain call was made."""

OFF: Final = "affect off"
"""The arm that leaves affect out and asks as the others do."""

CONVERSATIONAL: Final = "conversational"
"""The form of a query that the memory asks with: the whole context and the last turn, mixed."""

_SHUFFLE_SEED: Final = 20_260_102


@dataclass(frozen=True)
class Outcome:
    """What one arm recalled for each query of a store.

    Attributes:
        rankings: Places in the store, best first, at most k.
        policies: The policy that applied; `PLAIN` where the plain call was made.
    """

    rankings: list[list[int]]
    policies: list[str]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A store with everything that is read of its texts.

    Attributes:
        store: The store.
        vectors: (n, d) embeddings of its memories.
        read: The affect of each memory, read automatically.
        forms: For each form of a query ("context", "last", "conversational") the (q, d)
            embeddings of all queries.
        appraiser: Reads the present affect.
    """

    store: Store
    vectors: Float32Array
    read: Sequence[Affect]
    forms: Mapping[str, NDArray[np.floating]]
    appraiser: Appraiser

    @classmethod
    def of(cls, store: Store, readings: Readings) -> "Prepared":
        """A store by what was read of it."""
        queries = store.queries
        parts = [query_parts(query.last, query.turns) for query in queries]
        forms: dict[str, NDArray[np.floating]] = {
            "context": readings.embed([query.context for query in queries]),
            "last": readings.embed([query.last for query in queries]),
            CONVERSATIONAL: np.stack([mixed(list(readings.embed(texts))) for texts in parts]),
        }
        read = readings.appraise(store.texts)
        return cls(store, readings.embed(store.texts), read, forms, readings)

    @cached_property
    def affects(self) -> AffectArray:
        """The affect columns of the memories, as a store gives them back."""
        affects = decode_affects([encode(affect) for affect in self.read])
        return with_mean(affects, nothing_known(affects))

    @cached_property
    def shuffled(self) -> AffectArray:
        """The same columns, dealt out among the memories by chance."""
        order = np.random.default_rng(_SHUFFLE_SEED).permutation(len(self.read))
        return rows_of(self.affects, order)

    def cosines(self, form: str) -> FloatArray:
        """(q, n) cosines of all queries and memories."""
        products = self.forms[form].astype(float) @ self.vectors.T.astype(float)
        return np.asarray(np.clip(products, -1.0, 1.0))


class Arm(ABC):
    """A way to recall.

    Attributes:
        name: Its name in reports.
        baseline: The name of the arm that it is compared with.
        for_conversations: Whether it says something new only where a query has several turns.
    """

    name: str
    baseline: str = PLAIN
    for_conversations: bool = False

    @abstractmethod
    def recall(self, prepared: Prepared, k: int) -> Outcome | None:
        """The best k for each query; None where this data has nothing to do it with."""


@dataclass(frozen=True)
class ByMeaning(Arm):
    """Plain retrieval with one form of the query."""

    name: str
    form: str
    baseline: str = PLAIN
    for_conversations: bool = False

    def recall(self, prepared: Prepared, k: int) -> Outcome:
        """The nearest by meaning."""
        queries = prepared.store.queries
        scores = prepared.cosines(self.form)
        rankings = [
            best(row, query, k).tolist() for row, query in zip(scores, queries, strict=True)
        ]
        return Outcome(rankings, [PLAIN] * len(queries))


@dataclass(frozen=True)
class Recency(Arm):
    """The latest memories, whatever is asked."""

    name: str = "recency"

    def recall(self, prepared: Prepared, k: int) -> Outcome | None:
        """The latest; None where no times are known."""
        times, queries = prepared.store.times, prepared.store.queries
        if times is None:
            return None
        rankings = [best(times, query, k).tolist() for query in queries]
        return Outcome(rankings, [PLAIN] * len(queries))


@dataclass(frozen=True)
class ByFeeling(Arm):
    """The product's own recall: plan, fetch candidates, rank.

    Attributes:
        strategy: How meaning and affect are put together.
        policy: Which affect is wanted.
        candidates: What is ranked: the best of the store by the "fused" score, as
            `AffectEmbeddings` lets a store find them; the "nearest" by meaning, as a plain store
            finds them; or "all", by brute force.
        shuffled: Whether the memories' affects are dealt out by chance, as a control.
        form: The form of the query.
    """

    name: str
    strategy: Strategy = field(default_factory=Combination)
    policy: str | Policy = "auto"
    candidates: Literal["fused", "nearest", "all"] = "fused"
    shuffled: bool = False
    form: str = CONVERSATIONAL
    baseline: str = OFF
    for_conversations: bool = False

    def recall(self, prepared: Prepared, k: int) -> Outcome:
        """What the strategy and the policy make of each query."""
        ranker = make_ranker(self.strategy, self.policy, prepared.appraiser)
        affects = prepared.shuffled if self.shuffled else prepared.affects
        vectors, cosines = prepared.forms[self.form], prepared.cosines(self.form)
        queries = prepared.store.queries
        plans = [ranker.plan(one.last, k, conversation=spoken(one)) for one in queries]
        wishes = [plan.wish if self.candidates == "fused" else None for plan in plans]
        fused = fuse_documents(prepared.vectors, affects.phi).astype(float)
        asked = [
            fuse_query(vector) if wish is None else wish.query(vector)
            for wish, vector in zip(wishes, vectors, strict=True)
        ]
        scores = np.stack(asked) @ fused.T
        outcome = Outcome([], [])
        for row, (query, plan, wish) in enumerate(zip(queries, plans, wishes, strict=True)):
            meaning = cosines[row]
            size = k if plan.plain else max(k, plan.strategy.pool_size(k))
            size = len(affects) if self.candidates == "all" and not plan.plain else size
            chosen = best(meaning, query, size)
            if wish is not None:
                felt = best(scores[row], query, size)
                chosen = np.sort(felt) if wish.exact else np.union1d(felt, chosen)
                chosen = chosen[np.argsort(-meaning[chosen], kind="stable")]
            if not plan.plain:
                pool = CandidatePool(rows_of(affects, chosen), cosine=meaning[chosen])
                chosen = chosen[plan.rank(pool).order]
            outcome.rankings.append(chosen.tolist())
            outcome.policies.append(PLAIN if plan.plain else plan.query.policy.name)
        return outcome


def spoken(query: Query) -> tuple[str, ...]:
    """The user's own turns up to what is asked; none where that is all there is."""
    return (*query.conversation, query.last) if query.conversation else ()


def best(scores: NDArray[np.floating], query: Query, k: int) -> IndexArray:
    """The k candidates of a query with the highest scores (n,), ties in the store's order."""
    order = np.argsort(-scores, kind="stable")
    if query.left_out:
        order = order[~np.isin(order, list(query.left_out))]
    return order[:k]


def rows_of(affects: AffectArray, rows: IndexArray) -> AffectArray:
    """Some rows of affect columns."""
    return AffectArray(**{one.name: getattr(affects, one.name)[rows] for one in fields(affects)})

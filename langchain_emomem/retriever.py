"""The swap-in for `vectorstore.as_retriever()`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Self

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever, LangSmithRetrieverParams
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict, Field, model_validator

from emomem.filters import affect_conditions
from emomem.metadata import DEFAULT_FIELDS, MetadataFields
from emomem.protocols import Appraiser
from emomem.ranking import (
    Auto,
    CandidatePool,
    Combination,
    Explanation,
    Overrides,
    Plan,
    Policy,
    PresentAffect,
    Ranker,
    Ranking,
    Strategy,
    make_ranker,
)
from langchain_emomem import stores
from langchain_emomem.checks import check_at_least_one
from langchain_emomem.fetch import Filter, Found, Request, RetrieverSource, StoreSource, plan_filter
from langchain_emomem.messages import Conversation, user_turns

_LIFTED: Final = frozenset({"k", "filter"})
"""What may stand in `search_kwargs` and is no mere argument of the search."""


@dataclass(frozen=True)
class _Call:
    """What one call may override; None, or nothing, leaves what the retriever says."""

    k: int | None = None
    filter: Any = None
    affect: PresentAffect | None = None
    policy: str | Policy | None = None
    conversation: Conversation | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """One call's arguments; a name that is not here raises a TypeError."""
        allowed = [field.name for field in fields(cls)]
        if not given.keys() <= set(allowed):
            unknown = ", ".join(sorted(given.keys() - set(allowed)))
            msg = f"one call may override {', '.join(allowed)}; got {unknown}"
            raise TypeError(msg)
        return cls(**given)

    def overrides(self) -> Overrides:
        """What the ranker has to know of them."""
        turns = user_turns(self.conversation or ())
        return {"affect": self.affect, "policy": self.policy, "conversation": turns}


@dataclass(frozen=True)
class _Recall:
    """What was fetched and what became of it; no ranking means the plain call."""

    plan: Plan
    documents: Sequence[Document]
    ranking: Ranking | None = None

    def best(self) -> list[Document]:
        if self.ranking is None:
            return list(self.documents)
        return [self.documents[index] for index in self.ranking.order]

    def explain(self) -> list[Explanation]:
        return self.plan.explain(self.documents, self.ranking)


class AffectModulatedRetriever(BaseRetriever):
    """Recalls by meaning and by feeling from the store that you have.

    Where feeling has nothing to say (`policy="off"`, a factual question, a neutral moment, an
    affect that cannot be read) it makes the very call that `vectorstore.as_retriever()` makes.

    Args:
        vectorstore: Any LangChain vector store.
        base_retriever: Any retriever whose results to rank, in place of a vector store.
        strategy: How meaning and affect are put together: a name or an instance.
        policy: Which affect is wanted for the user's present one: a name or an instance.
        k: How many documents to return.
        fetch_k: How many to fetch by meaning before ranking; None asks the strategy.
        filter: Metadata filter, applied to every query whatever the strategy. A dictionary is
            checked and brought to the form that the store accepts.
        affect_filter: Conditions on affect in the same grammar, for example
            `{"valence": {"$lt": 0}}`; applied inside the store where it can be.
        search_kwargs: More arguments of the store's search, as in `as_retriever`; a `k` or a
            `filter` in it counts.
        appraiser: Reads the present affect from the conversation or the query.
        affect: The present affect of every query: an `Affect`, a label, or a callable that
            returns one (a mood).
        fields: Where the store keeps affect.
        metric: What the store's scores are, where its configuration does not tell.

    `invoke(query, k=…, filter=…, affect=…, policy=…, conversation=…)` overrides for one call; a
    filter replaces the retriever's, so it has to repeat the condition on the user.
    `explain(query, …)` takes the same and gives the reasons. A retriever cannot be changed once
    it is made; `configurable_fields` and `model_copy` give another.

    Raises:
        pydantic.ValidationError: An argument is wrong or unknown. (It is a ValueError.)
        ImportError: Neither an appraiser nor an affect is given, and the embedded model is not
            installed.

    Example:
        >>> from langchain_core.embeddings import DeterministicFakeEmbedding
        >>> from langchain_core.vectorstores import InMemoryVectorStore
        >>> from emomem import LexiconAppraiser
        >>> store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
        >>> retriever = AffectModulatedRetriever(
        ...     vectorstore=store, k=5, appraiser=LexiconAppraiser()
        ... )
        >>> retriever.invoke("I feel alone since the move")
        []
    """

    model_config = ConfigDict(
        arbitrary_types_allowed=True, extra="forbid", frozen=True, hide_input_in_errors=True
    )

    vectorstore: VectorStore | None = None
    base_retriever: BaseRetriever | None = None
    strategy: str | Strategy = Combination(weight=0.3)
    policy: str | Policy = Auto(profile="companion")
    k: int = 4
    fetch_k: int | None = None
    filter: Any = None
    affect_filter: Mapping[str, Any] | None = None
    search_kwargs: Mapping[str, Any] = Field(default_factory=dict)
    appraiser: Appraiser | None = None
    affect: PresentAffect | None = None
    fields: MetadataFields = DEFAULT_FIELDS
    metric: stores.Metric | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.vectorstore is None) == (self.base_retriever is None):
            msg = "give exactly one of vectorstore and base_retriever"
            raise ValueError(msg)
        if self.base_retriever is not None:
            given = {
                "fetch_k": self.fetch_k,
                "metric": self.metric,
                "search_kwargs": self.search_kwargs,
            }
            misplaced = [name for name, value in given.items() if value]
            if misplaced:
                msg = f"{', '.join(misplaced)} go with vectorstore; a base_retriever has its own"
                raise ValueError(msg)
        check_at_least_one(k=self._k(_Call()), fetch_k=self.fetch_k)
        self._ranker()
        self._where(_Call())
        return self

    def _get_ls_params(self, **kwargs: Any) -> LangSmithRetrieverParams:
        """What a tracing service is told: the names of the store and of its encoder."""
        params = self._source().ls_params
        params.update(super()._get_ls_params(**kwargs))
        return params

    def explain(self, query: str, **call: Any) -> list[Explanation]:
        """Why each document came back, and where plain retrieval would have put it.

        Args:
            query: The query's text.
            **call: As for `invoke`.

        Returns:
            One explanation a document, in the order of `invoke`.
        """
        manager = CallbackManagerForRetrieverRun.get_noop_manager()
        return self._recall(query, manager, _Call.of(call)).explain()

    async def aexplain(self, query: str, **call: Any) -> list[Explanation]:
        """`explain` without blocking the event loop."""
        manager = AsyncCallbackManagerForRetrieverRun.get_noop_manager()
        return (await self._arecall(query, manager, _Call.of(call))).explain()

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **call: Any
    ) -> list[Document]:
        return self._recall(query, run_manager, _Call.of(call)).best()

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **call: Any
    ) -> list[Document]:
        return (await self._arecall(query, run_manager, _Call.of(call))).best()

    def _recall(
        self, query: str, run_manager: CallbackManagerForRetrieverRun, call: _Call
    ) -> _Recall:
        where = self._where(call)
        plan = self._ranker().plan(query, self._k(call), **call.overrides())
        request = self._request(query, plan, where)
        found = self._source().find(request, run_manager.get_child())
        return self._rank(plan, found)

    async def _arecall(
        self, query: str, run_manager: AsyncCallbackManagerForRetrieverRun, call: _Call
    ) -> _Recall:
        where = self._where(call)
        plan = await self._ranker().aplan(query, self._k(call), **call.overrides())
        request = self._request(query, plan, where)
        found = await self._source().afind(request, run_manager.get_child())
        return self._rank(plan, found)

    # What follows is made anew for each call: it is cheap, and a copy with another field can
    # never keep a part of the old one.

    def _ranker(self) -> Ranker:
        return make_ranker(self.strategy, self.policy, self.appraiser, self.affect)

    def _source(self) -> StoreSource | RetrieverSource:
        if self.base_retriever is not None:
            return RetrieverSource(self.base_retriever)
        assert self.vectorstore is not None  # noqa: S101 - checked at construction
        more = {name: self.search_kwargs[name] for name in self.search_kwargs.keys() - _LIFTED}
        return StoreSource(self.vectorstore, self.metric, more)

    def _k(self, call: _Call) -> int:
        default: int = self.search_kwargs.get("k", self.k)
        return default if call.k is None else call.k

    def _where(self, call: _Call) -> Filter:
        # An empty filter is none of the call's own; it must not lift the one that scopes a user.
        own = self._own_filter() if call.filter is None or call.filter == {} else call.filter
        conditions = affect_conditions(self.affect_filter or {}, self.fields)
        return plan_filter(self.vectorstore, own, conditions)

    def _own_filter(self) -> Any:  # noqa: ANN401 - the engine's own kind
        other = self.search_kwargs.get("filter")
        if self.filter is None or other is None or other == self.filter:
            return self.filter if other is None else other
        msg = f"filter is {self.filter!r}, but search_kwargs says {other!r}; give one"
        raise ValueError(msg)

    def _request(self, query: str, plan: Plan, where: Filter) -> Request:
        k = plan.query.k
        size = k if plan.plain else max(k, self.fetch_k or plan.strategy.pool_size(k))
        return Request(query, k, size, where, scored=not plan.plain)

    def _rank(self, plan: Plan, found: Found) -> _Recall:
        if plan.plain or not found.documents:
            return _Recall(plan, found.documents)
        metadatas = [document.metadata for document in found.documents]
        pool = CandidatePool.from_metadata(metadatas, cosine=found.cosine, fields=self.fields)
        return _Recall(plan, found.documents, plan.rank(pool))

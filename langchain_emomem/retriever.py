"""The swap-in for `vectorstore.as_retriever()`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever, LangSmithRetrieverParams
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict, Field, PrivateAttr, model_validator

from emomem.appraisal.default import default_appraiser
from emomem.filters import affect_conditions
from emomem.metadata import DEFAULT_FIELDS, MetadataFields
from emomem.protocols import Appraiser
from emomem.ranking import (
    Asked,
    Auto,
    CandidatePool,
    Combination,
    Explanation,
    Plan,
    Policy,
    PresentAffect,
    Ranker,
    Ranking,
    Strategy,
    make_ranker,
)
from langchain_emomem import stores
from langchain_emomem.fetch import Filter, Found, RetrieverSource, StoreSource
from langchain_emomem.messages import Conversation, user_turns


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
        search_kwargs: More arguments of the store's search, as in `as_retriever`.
        appraiser: Reads the present affect from the conversation or the query.
        affect: The present affect of every query: an `Affect`, a label, or a callable that
            returns one (a mood).
        fields: Where the store keeps affect.
        metric: What the store's scores are, where its configuration does not tell.

    `invoke(query, k=…, filter=…, affect=…, policy=…, conversation=…)` overrides for one call;
    `explain(query, …)` takes the same and gives the reasons.

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
        arbitrary_types_allowed=True, extra="forbid", validate_assignment=True
    )

    vectorstore: VectorStore | None = None
    base_retriever: BaseRetriever | None = None
    strategy: str | Strategy = Combination(weight=0.3)
    policy: str | Policy = Auto(profile="companion")
    k: int = Field(default=4, ge=1)
    fetch_k: int | None = Field(default=None, ge=1)
    filter: Any = None
    affect_filter: Mapping[str, Any] | None = None
    search_kwargs: Mapping[str, Any] = Field(default_factory=dict)
    appraiser: Appraiser | None = None
    affect: PresentAffect | None = None
    fields: MetadataFields = DEFAULT_FIELDS
    metric: stores.Metric | None = None

    _ranker: Ranker = PrivateAttr()
    _source: StoreSource | RetrieverSource = PrivateAttr()
    _on_affect: dict[str, Any] | None = PrivateAttr(default=None)
    _default_filter: Filter = PrivateAttr()

    @model_validator(mode="before")
    @classmethod
    def _lift_search_kwargs(cls, values: Any) -> Any:  # noqa: ANN401 - pydantic's raw input
        """`k` and `filter` may stand in `search_kwargs`, as for `as_retriever`."""
        if not isinstance(values, Mapping) or not isinstance(values.get("search_kwargs"), Mapping):
            return values
        lifted, rest = dict(values), dict(values["search_kwargs"])
        for name in {"k", "filter"} & rest.keys():
            value = rest.pop(name)
            if lifted.get(name, value) != value:
                msg = f"{name} is {lifted[name]!r}, but search_kwargs says {value!r}; give one"
                raise ValueError(msg)
            lifted[name] = value
        return {**lifted, "search_kwargs": rest}

    @model_validator(mode="after")
    def _check(self) -> Self:
        appraiser = self.appraiser
        if appraiser is None and self.affect is None:
            appraiser = default_appraiser()
        self._ranker = make_ranker(self.strategy, self.policy, appraiser, self.affect)
        self._source = self._make_source()
        self._on_affect = affect_conditions(self.affect_filter or {}, self.fields)
        self._default_filter = Filter(self.vectorstore, self.filter, self._on_affect)
        return self

    def _make_source(self) -> StoreSource | RetrieverSource:
        if self.vectorstore is not None and self.base_retriever is None:
            return StoreSource(self.vectorstore, self.metric, self.search_kwargs)
        if self.base_retriever is not None and self.vectorstore is None:
            return RetrieverSource(self.base_retriever)
        msg = "give exactly one of vectorstore and base_retriever"
        raise ValueError(msg)

    def _get_ls_params(self, **kwargs: Any) -> LangSmithRetrieverParams:
        """What a tracing service is told: the names of the store and of its encoder."""
        params = self._source.ls_params.copy()
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
        plan = self._ranker.plan(query, **self._asked(call))
        found = self._source.find(
            query,
            self._size(plan),
            where,
            scored=not plan.plain,
            callbacks=run_manager.get_child(),
        )
        return self._rank(plan, found)

    async def _arecall(
        self, query: str, run_manager: AsyncCallbackManagerForRetrieverRun, call: _Call
    ) -> _Recall:
        where = self._where(call)
        plan = await self._ranker.aplan(query, **self._asked(call))
        found = await self._source.afind(
            query,
            self._size(plan),
            where,
            scored=not plan.plain,
            callbacks=run_manager.get_child(),
        )
        return self._rank(plan, found)

    def _asked(self, call: _Call) -> Asked:
        return {
            "k": self.k if call.k is None else call.k,
            "affect": call.affect,
            "policy": call.policy,
            "conversation": user_turns(call.conversation or ()),
        }

    def _where(self, call: _Call) -> Filter:
        # An empty filter is none of the call's own; it must not lift the one that scopes a user.
        if call.filter is None or call.filter == {}:
            return self._default_filter
        return Filter(self.vectorstore, call.filter, self._on_affect)

    def _size(self, plan: Plan) -> int:
        k = plan.query.k
        return k if plan.plain else max(k, self.fetch_k or plan.strategy.pool_size(k))

    def _rank(self, plan: Plan, found: Found) -> _Recall:
        if plan.plain or not found.documents:
            return _Recall(plan, found.documents)
        metadatas = [document.metadata for document in found.documents]
        pool = CandidatePool.from_metadata(metadatas, cosine=found.cosine, fields=self.fields)
        return _Recall(plan, found.documents, plan.rank(pool))

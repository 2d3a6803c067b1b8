"""The swap-in for `vectorstore.as_retriever()`."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, Final, Literal, Self

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.retrievers import BaseRetriever, LangSmithRetrieverParams, RetrieverLike
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict, Field, model_validator

from emomem.checks import check_at_least_one
from emomem.filters import affect_conditions, both
from emomem.metadata import DEFAULT_FIELDS, MetadataFields
from emomem.mixing import query_parts
from emomem.protocols import Appraiser
from emomem.ranking import (
    Auto,
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
from emomem.ranking.found import Found
from emomem.rewriting import arewritten, rewritten
from emomem.scores import Metric
from langchain_emomem import stores
from langchain_emomem.affect_embeddings import AffectEmbeddings
from langchain_emomem.chat import LangChainChatModel
from langchain_emomem.compatibility import check_vectors
from langchain_emomem.fetch import Filter, Request, RetrieverSource, StoreSource, plan_filter
from langchain_emomem.fused_source import FusedSource
from langchain_emomem.messages import Conversation, spoken_turns, user_turns
from langchain_emomem.nested import anested, nested

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

    def turns(self) -> list[str]:
        """What was said so far, by whomever."""
        return spoken_turns(() if self.conversation is None else self.conversation)

    def overrides(self) -> Overrides:
        """What the ranker has to know of them."""
        turns = user_turns(() if self.conversation is None else self.conversation)
        return {"affect": self.affect, "policy": self.policy, "conversation": turns}


@dataclass(frozen=True)
class _Recall:
    """What was fetched and what became of it; no ranking means the plain call."""

    plan: Plan
    found: Found
    ranking: Ranking | None = None

    def best(self) -> list[Document]:
        documents = self.found.documents
        if self.ranking is None:
            return documents
        return [documents[index] for index in self.ranking.order]

    def explain(self) -> list[Explanation]:
        return self.plan.explain(self.found.documents, self.ranking, self.found.ranks)


class AffectModulatedRetriever(BaseRetriever):
    """Recalls by meaning and by feeling from the store that you have.

    Where feeling has nothing to say (`policy="off"`, a factual question, a neutral moment, an
    affect that cannot be read) it makes the very call that `vectorstore.as_retriever()` makes.

    Where the store's encoder is `AffectEmbeddings`, combination and emotion-first sequences ask
    the store itself for the best of all memories; elsewhere they rank those nearest by meaning.
    That is exact for congruence; comfort and lesson, whose match is finer than a vector can ask
    for, rank what such a search finds together with the nearest by meaning.

    Args:
        vectorstore: Any LangChain vector store.
        base_retriever: Any retriever whose results to rank, in place of a vector store; what is
            made of one, as by `with_retry` or a pipe to documents, is one too.
        strategy: How meaning and affect are put together: a name or an instance.
        policy: Which affect is wanted for the user's present one: a name or an instance.
        k: How many documents to return.
        fetch_k: How many to fetch by meaning before ranking; None asks the strategy.
        filter: Metadata filter, applied to every query whatever the strategy. A dictionary is
            checked and brought to the form that the store accepts, but for a store that names a
            filter of its own kind, which gets it as it is.
        affect_filter: Conditions on affect in the same grammar, for example
            `{"valence": {"$lt": 0}}`; applied inside the store where it can be.
        search_kwargs: More arguments of the store's search, as in `as_retriever`; a `k` or a
            `filter` in it counts, and another beside it is refused (a `k` of 4 is taken for none).
        appraiser: Reads the present affect from the conversation or the query.
        affect: The present affect of every query: an `Affect`, a label, or a callable that
            returns one (a mood), which `ainvoke` awaits where it is async.
        fields: Where the store keeps affect.
        metric: What the store's scores are, where its configuration does not tell.
        embeddings: The `AffectEmbeddings` of the store, where it does not show its encoder or
            wraps it.
        query_from: What is searched for: the "query" alone, or the "conversation" of a call with
            the query, of which whole context and last turn are mixed.
        rewriter: A chat model that says the query in the words of the user's memories before it
            is searched for; how the user feels is still read from the user's own words.
        search_feeling: Whether a store of plain vectors is searched a second time, for what is
            nearest among memories that carry the wanted feeling. It costs more time than a larger
            `fetch_k`, which is to be tried first.

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
    base_retriever: RetrieverLike | None = None
    strategy: str | Strategy = Combination()
    policy: str | Policy = Auto(profile="companion")
    k: int = 4
    fetch_k: int | None = None
    filter: Any = None
    affect_filter: Mapping[str, Any] | None = None
    search_kwargs: Mapping[str, Any] = Field(default_factory=dict)
    appraiser: Appraiser | None = None
    affect: PresentAffect | None = None
    fields: MetadataFields = DEFAULT_FIELDS
    metric: Metric | None = None
    embeddings: AffectEmbeddings | None = None
    query_from: Literal["query", "conversation"] = "query"
    rewriter: BaseChatModel | None = None
    search_feeling: bool = False

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
                "embeddings": self.embeddings,
                "query_from": self.query_from == "conversation",
                "search_feeling": self.search_feeling,
            }
            misplaced = [name for name, value in given.items() if value]
            if misplaced:
                msg = f"{', '.join(misplaced)} go with vectorstore; a base_retriever has its own"
                raise ValueError(msg)
        check_at_least_one(k=self._k(_Call()), fetch_k=self.fetch_k)
        self._ranker()
        self._where(_Call())
        if self.vectorstore is not None:
            self._check_store(self.vectorstore)
        return self

    def _check_store(self, store: VectorStore) -> None:
        if self.search_feeling and stores.filter_support(store) != "grammar":
            msg = f"search_feeling needs a store that filters by itself, not {type(store).__name__}"
            raise ValueError(msg)
        if self.query_from == "conversation" and self.embeddings is None:
            stores.shown_encoder(store)
        check_vectors(store, self.embeddings)

    def _get_ls_params(self, **kwargs: Any) -> LangSmithRetrieverParams:
        """What a tracing service is told: the names of the store and of its encoder."""
        params = self._source().ls_params
        params.update(super()._get_ls_params(**kwargs))
        return params

    def explain(self, query: str, **call: Any) -> list[Explanation]:
        """Why each document came back, and where plain retrieval would have put it.

        Scope it with the retriever's own `filter`, a call's, or `configurable_fields`: what `bind`
        says reaches `invoke` alone.

        Args:
            query: The query's text.
            **call: As for `invoke`.

        Returns:
            One explanation a document, in the order of `invoke`.
        """
        return self._recall(query, _Call.of(call), ranks=True).explain()

    async def aexplain(self, query: str, **call: Any) -> list[Explanation]:
        """`explain` without blocking the event loop."""
        return (await self._arecall(query, _Call.of(call), ranks=True)).explain()

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **call: Any
    ) -> list[Document]:
        recall = partial(self._recall, query, _Call.of(call))
        return nested(run_manager.get_child(), recall).best()

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **call: Any
    ) -> list[Document]:
        recall = self._arecall(query, _Call.of(call))
        return (await anested(run_manager.get_child(), recall)).best()

    def _recall(self, query: str, call: _Call, *, ranks: bool = False) -> _Recall:
        where = self._where(call)
        plan = self._ranker().plan(query, self._k(call), **call.overrides())
        if self.rewriter is not None:
            query = rewritten(LangChainChatModel(self.rewriter), query, call.turns())
        request = self._request(query, plan, where, call, ranks=ranks)
        return self._rank(plan, self._source().find(request))

    async def _arecall(self, query: str, call: _Call, *, ranks: bool = False) -> _Recall:
        where = self._where(call)
        plan = await self._ranker().aplan(query, self._k(call), **call.overrides())
        if self.rewriter is not None:
            query = await arewritten(LangChainChatModel(self.rewriter), query, call.turns())
        request = self._request(query, plan, where, call, ranks=ranks)
        return self._rank(plan, await self._source().afind(request))

    # What follows is made anew for each call: it is cheap, and a copy with another field can
    # never keep a part of the old one.

    def _ranker(self) -> Ranker:
        return make_ranker(self.strategy, self.policy, self.appraiser, self.affect)

    def _source(self) -> StoreSource | RetrieverSource:
        if self.base_retriever is not None:
            return RetrieverSource(self.base_retriever)
        assert self.vectorstore is not None  # noqa: S101 - checked at construction
        more = {name: self.search_kwargs[name] for name in self.search_kwargs.keys() - _LIFTED}
        fused = self.embeddings or stores.encoder_of(self.vectorstore)
        if isinstance(fused, AffectEmbeddings):
            return FusedSource(self.vectorstore, self.metric, more, fused, self.fields)
        return StoreSource(self.vectorstore, self.metric, more)

    def _k(self, call: _Call) -> int:
        if call.k is not None:
            return call.k
        other: int = self.search_kwargs.get("k", self.k)
        # The default is none of the caller's own: `configurable_fields` makes a retriever anew
        # with every field stated.
        if self.k not in (other, type(self).model_fields["k"].default):
            msg = f"k is {self.k!r}, but search_kwargs says {other!r}; give one"
            raise ValueError(msg)
        return other

    def _where(self, call: _Call, feeling: Mapping[str, Any] | None = None) -> Filter:
        # An empty filter is none of the call's own; it must not lift the one that scopes a user.
        empty = isinstance(call.filter, Mapping) and not call.filter
        own = self._own_filter() if call.filter is None or empty else call.filter
        conditions = affect_conditions(self.affect_filter or {}, self.fields)
        if feeling is not None:
            conditions = both(conditions, affect_conditions(feeling, self.fields))
        return plan_filter(self.vectorstore, own, conditions)

    def _own_filter(self) -> Any:  # noqa: ANN401 - the engine's own kind
        other = self.search_kwargs.get("filter")
        if self.filter is None or other is None or other == self.filter:
            return self.filter if other is None else other
        msg = f"filter is {self.filter!r}, but search_kwargs says {other!r}; give one"
        raise ValueError(msg)

    def _request(
        self, query: str, plan: Plan, where: Filter, call: _Call, *, ranks: bool
    ) -> Request:
        k = plan.query.k
        size = k if plan.plain else max(k, self.fetch_k or plan.strategy.pool_size(k))
        turns = call.turns() if self.query_from == "conversation" else []
        feeling = plan.feeling if self.search_feeling else None
        return Request(
            query,
            k,
            size,
            where,
            scored=not plan.plain,
            parts=query_parts(query, turns) if turns else (),
            wish=plan.wish,
            beside=None if feeling is None else self._where(call, feeling),
            ranks=ranks,
        )

    def _rank(self, plan: Plan, found: Found) -> _Recall:
        if plan.plain or not found.candidates:
            return _Recall(plan, found)
        return _Recall(plan, found, plan.rank(found.pool(self.fields)))

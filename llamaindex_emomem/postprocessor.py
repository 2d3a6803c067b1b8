"""The same ranking for nodes that something else has fetched."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import Any, Final, Self

import numpy as np
from llama_index.core.callbacks import CBEventType, EventPayload
from llama_index.core.instrumentation.events.rerank import ReRankEndEvent, ReRankStartEvent
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.prompts.mixin import PromptMixin, PromptMixinType
from llama_index.core.schema import NodeWithScore, QueryBundle
from llama_index_instrumentation import get_dispatcher
from pydantic import ConfigDict, model_validator

from emomem.checks import check_at_least_one
from emomem.metadata import DEFAULT_FIELDS
from emomem.protocols import Appraiser
from emomem.ranking import Auto, CandidatePool, Combination, Plan, Ranker, make_ranker
from emomem.scores import Metric, cosines
from llamaindex_emomem.component import (
    AffectField,
    Fields,
    PolicyField,
    StrategyField,
    WithAppraiser,
)
from llamaindex_emomem.query import overrides_of
from llamaindex_emomem.ranked import ranked

_dispatcher: Final = get_dispatcher(__name__)
_SCORE: Final = attrgetter("score")
_METADATA: Final = attrgetter("node.metadata")


class AffectPostprocessor(WithAppraiser, BaseNodePostprocessor):
    """Ranks fetched nodes by meaning and by feeling, in any query or chat engine.

    The nodes' own order, best first, stands for meaning; with `metric` their scores do. Where
    feeling has nothing to say nodes and scores stay as they are. Elsewhere a node's score becomes
    that of the ranking, which falls with the order, as with LlamaIndex's own rerankers: a cutoff
    that is meant for cosines goes before.

    Args:
        strategy: How meaning and affect are put together: a name or an instance.
        policy: Which affect is wanted for the user's present one: a name or an instance.
        top_n: How many nodes to return, >= 1; None returns all, what comfort would leave out last.
        appraiser: Reads the present affect from the query.
        affect: The present affect of every query: an `Affect`, a label, or a callable that
            returns one (a mood).
        fields: Where the nodes keep affect.
        metric: What the nodes' scores are: "cosine_similarity" for LlamaIndex's own store and
            PGVector, "exp_cosine_distance" for Chroma with the cosine space; None keeps to the
            order, as any node without a score does. Behind something that has ranked them, which
            gives scores of its own, leave it out.

    One query's affect, policy or conversation stand in an `AffectQueryBundle`.

    Raises:
        pydantic.ValidationError: An argument is wrong or unknown. (It is a ValueError.)
        ImportError: Neither an appraiser nor an affect is given, and the embedded model is not
            installed.

    Example:
        >>> from llama_index.core.schema import TextNode
        >>> postprocessor = AffectPostprocessor(
        ...     affect="sadness", strategy="sequence", policy="congruent", top_n=1
        ... )
        >>> happy = TextNode(text="the party", metadata={"affect_label": "joy"})
        >>> sad = TextNode(text="the farewell", metadata={"affect_label": "sadness"})
        >>> nodes = [NodeWithScore(node=happy), NodeWithScore(node=sad)]
        >>> postprocessor.postprocess_nodes(nodes, query_str="that evening")[0].text
        'the farewell'
    """

    model_config = ConfigDict(validate_assignment=True)

    strategy: StrategyField = Combination()
    policy: PolicyField = Auto(profile="companion")
    top_n: int | None = None
    affect: AffectField = None
    fields: Fields = DEFAULT_FIELDS
    metric: Metric | None = None

    @classmethod
    def class_name(cls) -> str:
        """What it is called as data."""
        return "AffectPostprocessor"

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_at_least_one(top_n=self.top_n)
        self._ranker()
        return self

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if not nodes:
            return []
        query = query_bundle or QueryBundle("")
        ranker, k = self._ranker(), self.top_n or len(nodes)
        with self._told(nodes, query, ranker, k) as best:
            plan = ranker.plan(query.query_str, k, **overrides_of(query))
            best.extend(self._ranked(plan, nodes))
        return best

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if not nodes:
            return []
        query = query_bundle or QueryBundle("")
        ranker, k = self._ranker(), self.top_n or len(nodes)
        with self._told(nodes, query, ranker, k) as best:
            plan = await ranker.aplan(query.query_str, k, **overrides_of(query))
            best.extend(self._ranked(plan, nodes))
        return best

    def _get_prompt_modules(self) -> PromptMixinType:
        return {"appraiser": self.appraiser} if isinstance(self.appraiser, PromptMixin) else {}

    @contextmanager
    def _told(
        self, nodes: list[NodeWithScore], query: QueryBundle, ranker: Ranker, k: int
    ) -> Iterator[list[NodeWithScore]]:
        """A list for the best nodes; LlamaIndex's handlers are told before and after."""
        name = f"emomem:{ranker.strategy.name}"
        best: list[NodeWithScore] = []
        payload: dict[str, Any] = {
            EventPayload.NODES: nodes,
            EventPayload.MODEL_NAME: name,
            EventPayload.QUERY_STR: query.query_str,
            EventPayload.TOP_K: k,
        }
        _dispatcher.event(ReRankStartEvent(query=query, nodes=nodes, top_n=k, model_name=name))
        with self.callback_manager.event(CBEventType.RERANKING, payload=payload) as event:
            yield best
            event.on_end(payload={EventPayload.NODES: best})
        _dispatcher.event(ReRankEndEvent(nodes=best))

    def _reader(self) -> Appraiser | None:
        stated = self.affect is not None and not callable(self.affect)
        return None if self.appraiser is None and stated else super()._reader()

    def _ranker(self) -> Ranker:
        return make_ranker(self.strategy, self.policy, self.appraiser, self.affect)

    def _ranked(self, plan: Plan, nodes: Sequence[NodeWithScore]) -> list[NodeWithScore]:
        if plan.plain:
            return list(nodes[: plan.query.k])
        metadatas = list(map(_METADATA, nodes))
        cosine, nearest = None, np.arange(len(nodes))
        if self.metric is not None:
            cosine = cosines(self.metric, list(map(_SCORE, nodes)))
        if cosine is not None:
            nearest = np.argsort(-cosine, kind="stable")
            cosine, metadatas = cosine[nearest], [metadatas[row] for row in nearest.tolist()]
        pool = CandidatePool.from_metadata(metadatas, cosine=cosine, fields=self.fields)
        return ranked([nodes[row] for row in nearest.tolist()], plan.rank(pool))

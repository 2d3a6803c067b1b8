"""The same ranking for documents that something else has fetched."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.embeddings import Embeddings
from pydantic import ConfigDict, Field, PrivateAttr, model_validator

from emomem.affect import FloatArray
from emomem.appraisal.default import default_appraiser
from emomem.metadata import DEFAULT_FIELDS, MetadataFields
from emomem.protocols import Appraiser
from emomem.ranking import (
    Auto,
    CandidatePool,
    Combination,
    Plan,
    Policy,
    PresentAffect,
    Ranker,
    Strategy,
    make_ranker,
)
from emomem.signals import cosines


class AffectReranker(BaseDocumentCompressor):
    """Ranks fetched documents by meaning and by feeling, for `ContextualCompressionRetriever`.

    The documents' own order, best first, stands for meaning; with `embeddings` their cosines are
    computed. Where feeling has nothing to say the order stays.

    Args:
        strategy: How meaning and affect are put together: a name or an instance.
        policy: Which affect is wanted for the user's present one: a name or an instance.
        top_n: How many documents to return; None returns all that the policy admits.
        appraiser: Reads the present affect from the query.
        affect: The present affect of every query: an `Affect`, a label, or a callable that
            returns one (a mood).
        embeddings: An encoder to compute cosines with; None keeps to the order.
        fields: Where the documents keep affect.

    Raises:
        pydantic.ValidationError: An argument is wrong or unknown. (It is a ValueError.)
        ImportError: Neither an appraiser nor an affect is given, and the embedded model is not
            installed.

    Example:
        >>> reranker = AffectReranker(
        ...     affect="sadness", strategy="sequence", policy="congruent", top_n=1
        ... )
        >>> happy = Document("the party", metadata={"affect_label": "joy"})
        >>> sad = Document("the farewell", metadata={"affect_label": "sadness"})
        >>> reranker.compress_documents([happy, sad], "that evening")[0].page_content
        'the farewell'
    """

    model_config = ConfigDict(
        arbitrary_types_allowed=True, extra="forbid", validate_assignment=True
    )

    strategy: str | Strategy = Combination(weight=0.3)
    policy: str | Policy = Auto(profile="companion")
    top_n: int | None = Field(default=None, ge=1)
    appraiser: Appraiser | None = None
    affect: PresentAffect | None = None
    embeddings: Embeddings | None = None
    fields: MetadataFields = DEFAULT_FIELDS

    _ranker: Ranker = PrivateAttr()

    @model_validator(mode="after")
    def _check(self) -> Self:
        appraiser = self.appraiser
        if appraiser is None and self.affect is None:
            appraiser = default_appraiser()
        self._ranker = make_ranker(self.strategy, self.policy, appraiser, self.affect)
        return self

    def compress_documents(
        self,
        documents: Sequence[Document],
        query: str,
        callbacks: Callbacks | None = None,  # noqa: ARG002 - no nested run takes them
    ) -> list[Document]:
        """The best of the documents, best first; none is changed."""
        if not documents:
            return []
        plan = self._ranker.plan(query, self.top_n or len(documents))
        cosine = None
        if not plan.plain and self.embeddings is not None:
            texts = [document.page_content for document in documents]
            cosine = cosines(
                self.embeddings.embed_query(query), self.embeddings.embed_documents(texts)
            )
        return self._ranked(plan, documents, cosine)

    async def acompress_documents(
        self,
        documents: Sequence[Document],
        query: str,
        callbacks: Callbacks | None = None,  # noqa: ARG002 - no nested run takes them
    ) -> list[Document]:
        """`compress_documents` without blocking the event loop."""
        if not documents:
            return []
        plan = await self._ranker.aplan(query, self.top_n or len(documents))
        cosine = None
        if not plan.plain and self.embeddings is not None:
            texts = [document.page_content for document in documents]
            cosine = cosines(
                await self.embeddings.aembed_query(query),
                await self.embeddings.aembed_documents(texts),
            )
        return self._ranked(plan, documents, cosine)

    def _ranked(
        self, plan: Plan, documents: Sequence[Document], cosine: FloatArray | None
    ) -> list[Document]:
        if plan.plain:
            return list(documents[: plan.query.k])
        if cosine is not None:
            nearest = np.argsort(-cosine, kind="stable")
            documents, cosine = [documents[index] for index in nearest], cosine[nearest]
        metadatas = [document.metadata for document in documents]
        pool = CandidatePool.from_metadata(metadatas, cosine=cosine, fields=self.fields)
        return [documents[index] for index in plan.rank(pool).order]

"""The same ranking for documents that something else has fetched."""

from collections.abc import Sequence
from functools import partial
from typing import Self

import numpy as np
from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.embeddings import Embeddings
from pydantic import ConfigDict, model_validator

from emomem.affect import FloatArray
from emomem.checks import check_at_least_one
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
from langchain_emomem.affect_embeddings import sentence_encoder
from langchain_emomem.nested import anested, nested


class AffectReranker(BaseDocumentCompressor):
    """Ranks fetched documents by meaning and by feeling, for `ContextualCompressionRetriever`.

    The documents' own order, best first, stands for meaning; with `embeddings` their cosines are
    computed. Where feeling has nothing to say the order stays.

    Args:
        strategy: How meaning and affect are put together: a name or an instance.
        policy: Which affect is wanted for the user's present one: a name or an instance.
        top_n: How many documents to return; None returns all, what comfort would leave out last.
        appraiser: Reads the present affect from the query.
        affect: The present affect of every query: an `Affect`, a label, or a callable that
            returns one (a mood), which `acompress_documents` awaits where it is async.
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
        arbitrary_types_allowed=True, extra="forbid", frozen=True, hide_input_in_errors=True
    )

    strategy: str | Strategy = Combination()
    policy: str | Policy = Auto(profile="companion")
    top_n: int | None = None
    appraiser: Appraiser | None = None
    affect: PresentAffect | None = None
    embeddings: Embeddings | None = None
    fields: MetadataFields = DEFAULT_FIELDS

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_at_least_one(top_n=self.top_n)
        self._ranker()
        return self

    def compress_documents(
        self,
        documents: Sequence[Document],
        query: str,
        callbacks: Callbacks | None = None,
    ) -> list[Document]:
        """The best of the documents, best first; none is changed.

        Args:
            documents: What was fetched.
            query: What for.
            callbacks: Of the run that ranks, of which a chat model's become children.
        """
        documents = list(documents)
        if not documents:
            return []
        planned = partial(self._ranker().plan, query, self.top_n or len(documents))
        plan = nested(callbacks, planned)
        if plan.plain or self.embeddings is None:
            return self._ranked(plan, documents)
        encoder = sentence_encoder(self.embeddings)
        target = encoder.embed_query(query)
        vectors = encoder.embed_documents(_texts(documents))
        return self._ranked(plan, documents, cosines(target, vectors))

    async def acompress_documents(
        self,
        documents: Sequence[Document],
        query: str,
        callbacks: Callbacks | None = None,
    ) -> list[Document]:
        """`compress_documents` without blocking the event loop."""
        documents = list(documents)
        if not documents:
            return []
        planned = self._ranker().aplan(query, self.top_n or len(documents))
        plan = await anested(callbacks, planned)
        if plan.plain or self.embeddings is None:
            return self._ranked(plan, documents)
        encoder = sentence_encoder(self.embeddings)
        target = await encoder.aembed_query(query)
        vectors = await encoder.aembed_documents(_texts(documents))
        return self._ranked(plan, documents, cosines(target, vectors))

    def _ranker(self) -> Ranker:
        return make_ranker(self.strategy, self.policy, self.appraiser, self.affect)

    def _ranked(
        self, plan: Plan, documents: Sequence[Document], cosine: FloatArray | None = None
    ) -> list[Document]:
        if plan.plain:
            return list(documents[: plan.query.k])
        if cosine is not None:
            nearest = np.argsort(-cosine, kind="stable")
            documents, cosine = [documents[index] for index in nearest], cosine[nearest]
        metadatas = [document.metadata for document in documents]
        pool = CandidatePool.from_metadata(metadatas, cosine=cosine, fields=self.fields)
        return [documents[index] for index in plan.rank(pool).order]


def _texts(documents: Sequence[Document]) -> list[str]:
    return [document.page_content for document in documents]

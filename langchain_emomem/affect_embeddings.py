"""Fused vectors: meaning and feeling in one vector of any store."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from langchain_core.embeddings import Embeddings

from emomem.affect import Affect, Float32Array
from emomem.appraisal.base import aappraise_safely, appraise_safely, check_appraiser
from emomem.appraisal.default import default_appraiser
from emomem.appraisal.local import LocalAppraiser
from emomem.checks import check_texts
from emomem.fused import document_phi, fuse_documents, fuse_query
from emomem.protocols import Appraiser
from emomem.ranking.fused_search import is_reading_of
from langchain_emomem.embeddings import LocalEmbeddings

_BATCH: Final = 1024
"""Texts that are appraised and then embedded: few enough to be in the shared pass's cache."""

CHROMA_CONFIGURATION: Final[Mapping[str, Any]] = {
    "hnsw": {"space": "cosine", "ef_construction": 200, "ef_search": 200}
}
"""`collection_configuration` of a Chroma store for fused vectors.

Over 10,853 short texts (`benchmarks/fused_recall.py`) the recall of the exact fused top 10 is
0.998 or more for every weight of feeling up to 0.5, and 0.98 for feeling alone; with Chroma's
defaults 0.989 and 0.91."""

PGVECTOR_EF_SEARCH: Final = 400
"""`hnsw.ef_search` for an HNSW index of pgvector over fused vectors; its own default is 40.

Over 100,000 memories (`benchmarks/scale.py`), in an index built with `ef_construction = 200`, the
recall of the exact fused top 10 is 0.998 or more for every weight of feeling up to 0.5:
`create_engine(url, connect_args={"options": "-c hnsw.ef_search=400"})`. Without an index PGVector
is exact."""


class AffectEmbeddings(Embeddings):
    """Any encoder's sentence vectors, each fused with the affect of its text (`emomem.fused`).

    Give it to a store in place of the encoder. `AffectModulatedRetriever` then asks the store
    itself for the best of all memories by meaning and feeling, where it otherwise ranks those
    that meaning has found. For code that knows nothing of it the store does plain semantic
    search, in the order of the encoder alone; a cosine of the store is then the encoder's divided
    by 1.12, which a score threshold has to allow for. A vector has 29 dimensions more.

    A text that cannot be appraised is unknown and stored with the feeling that texts have on
    average; none is lost. An appraiser that gives no distribution over emotions, as a lexicon,
    leaves all vectors with that feeling. The vector holds what the appraiser reads, not what a tag
    says: a tag that was corrected by hand counts where the retriever ranks, and does not change
    what a fused search finds. With `LocalEmbeddings` and the default appraiser one pass serves
    vector, tag and query.

    Args:
        embeddings: The sentence encoder; None is `LocalEmbeddings`.
        appraiser: Reads the affect, and should read a text the same whenever it is asked; None
            is the embedded model.

    Raises:
        TypeError: `embeddings` are none, or fused already, or the appraiser does not appraise.
        ImportError: The embedded model is needed and not installed.

    Example:
        >>> from langchain_core.embeddings import DeterministicFakeEmbedding
        >>> fused = AffectEmbeddings(DeterministicFakeEmbedding(size=8))
        >>> [vector] = fused.embed_documents(["What a lovely day"])
        >>> len(vector), len(fused.embed_query("a day"))
        (37, 37)
    """

    def __init__(
        self, embeddings: Embeddings | None = None, appraiser: Appraiser | None = None
    ) -> None:
        if embeddings is None:
            embeddings = LocalEmbeddings()
        if not isinstance(embeddings, Embeddings) or isinstance(embeddings, AffectEmbeddings):
            kind = type(embeddings).__name__
            msg = f"embeddings must be LangChain embeddings of sentences, got {kind}"
            raise TypeError(msg)
        if appraiser is None and isinstance(embeddings, LocalEmbeddings):
            appraiser = LocalAppraiser(embeddings.encoder)
        self.embeddings = embeddings
        self.appraiser = default_appraiser() if appraiser is None else appraiser
        check_appraiser(self.appraiser)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One fused vector a text."""
        vectors: list[list[float]] = []
        check_texts(texts, "embed_documents")
        for batch in _batches(texts):
            # The affect first: the shared pass then has the sentence vectors too.
            phi = document_phi(self.appraise(batch))
            vectors += _fused(self.embeddings.embed_documents(batch), phi)
        return vectors

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """`embed_documents` without blocking the event loop."""
        vectors: list[list[float]] = []
        check_texts(texts, "aembed_documents")
        for batch in _batches(texts):
            phi = document_phi(await self.aappraise(batch))
            vectors += _fused(await self.embeddings.aembed_documents(batch), phi)
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """The vector that finds by meaning alone; its length is one."""
        return self.plain(self.embeddings.embed_query(text))

    async def aembed_query(self, text: str) -> list[float]:
        """`embed_query` without blocking the event loop."""
        return self.plain(await self.embeddings.aembed_query(text))

    @staticmethod
    def plain(semantic: Sequence[float]) -> list[float]:
        """The query that finds by meaning alone, for a sentence vector."""
        vector: list[float] = fuse_query(semantic).tolist()
        return vector

    def appraise(self, texts: Sequence[str]) -> list[Affect]:
        """What the vectors of some texts hold; unknown where the appraiser fails."""
        return appraise_safely(self.appraiser, texts)

    async def aappraise(self, texts: Sequence[str]) -> list[Affect]:
        """`appraise` without blocking the event loop."""
        return await aappraise_safely(self.appraiser, texts)

    def wrote(self, source: str | None) -> bool:
        """Whether a tag with this `affect_source` is what the vector holds."""
        return is_reading_of(self.appraiser, source)


def sentence_encoder(embeddings: Embeddings) -> Embeddings:
    """The encoder of sentences alone: the one within, of `AffectEmbeddings`."""
    return embeddings.embeddings if isinstance(embeddings, AffectEmbeddings) else embeddings


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(texts), _BATCH):
        yield list(texts[start : start + _BATCH])


def _fused(semantic: list[list[float]], phi: Float32Array) -> list[list[float]]:
    vectors: list[list[float]] = fuse_documents(semantic, phi).tolist()
    return vectors

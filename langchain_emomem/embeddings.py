"""Sentence embeddings from the pass that reads affect."""

from langchain_core.embeddings import Embeddings

from emomem.encoder import LocalEncoder, default_encoder


class LocalEmbeddings(Embeddings):
    """all-MiniLM-L6-v2 as LangChain embeddings, in one pass with `LocalAppraiser`.

    Documents that `EmotionTagger` has just tagged, and a query that the retriever has just
    appraised, are not encoded again. The vectors are those of sentence-transformers.

    Args:
        encoder: The encoder to share a pass with; None is the one that the whole process shares.

    Raises:
        ImportError: The model's packages are not installed; the message says how to.

    Example:
        >>> len(LocalEmbeddings().embed_query("I feel alone since the move"))
        384
    """

    def __init__(self, encoder: LocalEncoder | None = None) -> None:
        self.encoder = default_encoder() if encoder is None else encoder
        self.encoder.embeds = True

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector of 384 numbers and length one a text."""
        vectors: list[list[float]] = self.encoder.embed(texts).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """The vector of one text."""
        return self.embed_documents([text])[0]

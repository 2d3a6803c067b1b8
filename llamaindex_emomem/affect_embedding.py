"""Fused vectors: meaning and feeling in one vector of any store."""

from collections.abc import Sequence
from typing import Final, Self

from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import Field, computed_field, model_validator

from emomem.affect import Affect, Float32Array
from emomem.appraisal.base import aappraise_safely, appraise_safely, check_appraiser
from emomem.appraisal.default import default_appraiser
from emomem.appraisal.local import LocalAppraiser
from emomem.fused import document_phi, fuse_documents, fuse_query
from emomem.protocols import Appraiser
from emomem.ranking.fused_search import is_reading_of
from llamaindex_emomem.component import WithAppraiser, settings_of
from llamaindex_emomem.embeddings import LocalEmbedding

_PREFIX: Final = "fused:"


class AffectEmbedding(WithAppraiser, BaseEmbedding):
    """Any model's sentence vectors, each fused with the affect of its text (`emomem.fused`).

    Give it to an index in place of the model. `AffectModulatedRetriever` then asks the store
    itself for the best of all nodes by meaning and feeling, where it otherwise ranks those that
    meaning has found. For code that knows nothing of it the index does plain semantic search, in
    the order of the model alone. A vector has 29 dimensions more than the model's.

    A text that cannot be appraised is unknown and stored with the feeling that texts have on
    average; none is lost. An appraiser that gives no distribution over emotions, as a lexicon,
    leaves all vectors with that feeling. The vector holds what the appraiser reads: a tag that was
    corrected by hand counts where candidates are ranked, and does not change what a fused search
    finds. The score of a node is the model's cosine divided by 1.118. With `LocalEmbedding` and
    the default appraiser one pass serves vector, tag and query. Where both models have handlers,
    LlamaIndex counts embedded tokens at each of them, so twice.

    Args:
        embed_model: The model of sentences; `LocalEmbedding` where it is not given. It is not
            written as data: `from_dict(data, embed_model=...)` takes it again.
        appraiser: Reads the affect, and should read a text the same whenever it is asked; None
            is the embedded model.
        embed_batch_size: How many texts are appraised and embedded in one call, 1..2048.

    Raises:
        pydantic.ValidationError: An argument is wrong or unknown. (It is a ValueError.)
        ImportError: The embedded model is needed and not installed.

    Example:
        >>> from llama_index.core import MockEmbedding
        >>> fused = AffectEmbedding(embed_model=MockEmbedding(8))
        >>> len(fused.get_text_embedding("What a lovely day"))
        37
    """

    embed_model: BaseEmbedding = Field(default_factory=LocalEmbedding, exclude=True, repr=False)
    model_name: str = ""
    embed_batch_size: int = Field(default=256, gt=0, le=2048)

    @computed_field  # type: ignore[prop-decorator]  # as pydantic has it
    @property
    def sentence_model(self) -> str:
        """The class of `embed_model` and a digest of its settings, as `DeepEncoder.chat_model`."""
        return f"{type(self.embed_model).__name__}#{settings_of(self.embed_model)}"

    @classmethod
    def class_name(cls) -> str:
        """What it is called as data."""
        return "AffectEmbedding"

    @model_validator(mode="after")
    def _check(self) -> Self:
        if isinstance(self.embed_model, AffectEmbedding):
            msg = "embed_model must embed sentences, got one that is fused already"
            raise ValueError(msg)  # noqa: TRY004 - pydantic passes on a ValueError
        if self.embeddings_cache is not None:
            msg = (
                "embeddings_cache takes a text as query and as document for one and the same, "
                "whose vectors differ here; give it to embed_model"
            )
            raise ValueError(msg)
        name = f"{_PREFIX}{self.embed_model.model_name}"
        if self.model_name not in ("", name):
            msg = (
                f"it was written with the model {self.model_name!r}, got {name!r}; give it: "
                "from_dict(data, embed_model=...)"
            )
            raise ValueError(msg)
        self.__dict__["model_name"] = name
        self._reader()
        return self

    def appraise(self, texts: Sequence[str]) -> list[Affect]:
        """What the vectors of some texts hold; unknown where the appraiser fails."""
        return appraise_safely(self._reader(), texts)

    async def aappraise(self, texts: Sequence[str]) -> list[Affect]:
        """`appraise` without blocking the event loop."""
        return await aappraise_safely(self._reader(), texts)

    def wrote(self, source: str | None) -> bool:
        """Whether a tag with this `affect_source` is what the vector holds."""
        return is_reading_of(self._reader(), source)

    def _reader(self) -> Appraiser:
        if self.appraiser is not None:
            check_appraiser(self.appraiser)
            return self.appraiser
        if isinstance(self.embed_model, LocalEmbedding):
            return LocalAppraiser(self.embed_model.shared_encoder())
        return default_appraiser()

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        # The affect first: the shared pass then has the sentence vectors too.
        phi = document_phi(self.appraise(texts))
        return _fused(self.embed_model.get_text_embedding_batch(texts), phi)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        phi = document_phi(await self.aappraise(texts))
        return _fused(await self.embed_model.aget_text_embedding_batch(texts), phi)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return (await self._aget_text_embeddings([text]))[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return plain(self.embed_model.get_query_embedding(query))

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return plain(await self.embed_model.aget_query_embedding(query))


def plain(semantic: Sequence[float]) -> list[float]:
    """The fused query that finds by meaning alone, for a sentence vector."""
    vector: list[float] = fuse_query(semantic).tolist()
    return vector


def _fused(semantic: Sequence[Sequence[float]], phi: Float32Array) -> list[list[float]]:
    vectors: list[list[float]] = fuse_documents(semantic, phi).tolist()
    return vectors

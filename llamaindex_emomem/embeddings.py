"""Sentence embeddings from the pass that reads affect."""

import asyncio
from typing import Any, Final, Self

from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import ConfigDict, Field, model_validator

from emomem.encoder import LocalEncoder, default_encoder

_MODEL: Final = "all-MiniLM-L6-v2"


class LocalEmbedding(BaseEmbedding):
    """all-MiniLM-L6-v2 as a LlamaIndex embedding, in one pass with `LocalAppraiser`.

    Nodes that `EmotionTagger` has just tagged, and a query that the retriever has just appraised,
    are not encoded again. The vectors are those of sentence-transformers.

    Args:
        encoder: The encoder to share a pass with; None is the one that the whole process shares.
        embed_batch_size: How many texts are encoded in one call, 1..2048.

    Raises:
        pydantic.ValidationError: An argument is wrong or unknown. (It is a ValueError.)
        ImportError: The model's packages are not installed; the message says how to.

    Example:
        >>> len(LocalEmbedding().get_query_embedding("I feel alone since the move"))
        384
    """

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    encoder: LocalEncoder | None = Field(default=None, exclude=True, repr=False)
    model_name: str = Field(default=_MODEL, frozen=True)
    embed_batch_size: int = Field(default=256, gt=0, le=2048)

    @classmethod
    def class_name(cls) -> str:
        """What it is called as data."""
        return "LocalEmbedding"

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.model_name != _MODEL:
            msg = f"model_name must be {_MODEL!r}, the model that it is, got {self.model_name!r}"
            raise ValueError(msg)
        self.shared_encoder().embeds = True
        return self

    def __getstate__(self) -> dict[str, Any]:
        """What is sent to another process, which has an encoder of its own."""
        state: dict[str, Any] = super(
            LocalEmbedding, self.model_copy(update={"encoder": None})
        ).__getstate__()
        return state

    def shared_encoder(self) -> LocalEncoder:
        """The encoder that it shares a pass with."""
        return default_encoder() if self.encoder is None else self.encoder

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self.shared_encoder().embed(texts).tolist()
        return vectors

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return await asyncio.to_thread(self._get_text_embeddings, texts)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return (await self._aget_text_embeddings([text]))[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await self._aget_text_embedding(query)

"""Emotion-aware memory for LlamaIndex."""

from llamaindex_emomem.llm import LLMAppraiser

__all__ = ["LLMAppraiser"]

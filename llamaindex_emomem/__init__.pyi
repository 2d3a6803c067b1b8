from .llm import LLMAppraiser

__all__ = ["LLMAppraiser"]

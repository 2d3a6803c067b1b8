"""Emotion-aware memory for LlamaIndex: nothing here yet."""

__all__: list[str] = []

"""The conflict-aware memory for LlamaIndex."""

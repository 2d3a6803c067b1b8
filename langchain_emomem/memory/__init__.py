"""The conflict-aware memory for LangChain and LangGraph."""

"""A LlamaIndex model as conflict detector."""

from llama_index.core.llms import LLM

from emomem.memory.detectors.chat import ChatConflictDetector
from emomem.prompts import Language
from llamaindex_emomem.llm import LlamaIndexChatModel


class LLMConflictDetector(ChatConflictDetector):
    """Conflicts as a LlamaIndex model judges them (`ChatConflictDetector`).

    Args:
        llm: Any LLM. It is asked at temperature 0 unless its temperature was changed.
        language: The language of the question: "en", "zh" or "pt".

    Raises:
        TypeError: `llm` is no LLM.
        ValueError: The language is none of the three.

    Example:
        >>> from emomem.memory.unit import MemoryUnit
        >>> from llama_index.core.llms import MockLLM
        >>> common = {"user_id": "ann", "speaker": "ann", "created_at": 0}
        >>> old = MemoryUnit(text="I live in Lisbon", **common)
        >>> new = MemoryUnit(text="Greetings from my new flat in Porto", **common)
        >>> LLMConflictDetector(MockLLM()).detect(new, [old])  # which says nothing of use
        []
    """

    def __init__(self, llm: LLM, *, language: Language = "en") -> None:
        if not isinstance(llm, LLM):
            msg = f"llm must be a LlamaIndex LLM, got {type(llm).__name__}"
            raise TypeError(msg)
        super().__init__(LlamaIndexChatModel(llm), language=language)

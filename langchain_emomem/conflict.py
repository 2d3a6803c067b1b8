"""A LangChain chat model as conflict detector."""

from langchain_core.language_models import BaseChatModel

from emomem.memory.detectors.chat import ChatConflictDetector
from emomem.prompts import Language
from langchain_emomem.chat import LangChainChatModel


class ChatModelConflictDetector(ChatConflictDetector):
    """Conflicts as a LangChain chat model judges them (`ChatConflictDetector`).

    Args:
        model: Any chat model. It is asked at temperature 0 unless its temperature was set.
        language: The language of the question: "en", "zh" or "pt".

    Raises:
        TypeError: `model` is no chat model.
        ValueError: The language is none of the three.

    Example:
        >>> from emomem.memory.unit import MemoryUnit
        >>> from langchain_core.language_models import FakeListChatModel
        >>> said = '{"conflicts": [{"number": 1, "kind": "fact_update", "intensity": 0.9}]}'
        >>> detector = ChatModelConflictDetector(FakeListChatModel(responses=[said]))
        >>> common = {"user_id": "ann", "speaker": "ann", "created_at": 0}
        >>> old = MemoryUnit(text="I live in Lisbon", **common)
        >>> new = MemoryUnit(text="Greetings from my new flat in Porto", **common)
        >>> [(found.kind, found.intensity) for found in detector.detect(new, [old])]
        [('fact_update', 0.9)]
    """

    def __init__(self, model: BaseChatModel, *, language: Language = "en") -> None:
        if not isinstance(model, BaseChatModel):
            msg = f"model must be a LangChain chat model, got {type(model).__name__}"
            raise TypeError(msg)
        super().__init__(LangChainChatModel(model), language=language)

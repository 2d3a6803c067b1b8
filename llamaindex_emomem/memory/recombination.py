"""A day's dream through a LlamaIndex model."""

from dataclasses import dataclass

from llama_index.core.llms import LLM

from emomem.memory import recombination
from emomem.protocols import ChatModel
from llamaindex_emomem.llm import LlamaIndexChatModel


@dataclass(frozen=True)
class Recombination(recombination.Recombination):
    """Makes a dream through a LlamaIndex model (`emomem.memory.Recombination`).

    Args:
        model: Any LLM. It is asked at temperature 0 unless its temperature was changed.
        persona: Who the dreamer is.
        relations: Who is who.
        days: How many of the last days go into it, > 0.
        lasts: How many days it lasts, > 0; then it expires by itself.
        language: The language of the question: "en", "zh" or "pt".

    Raises:
        TypeError: `model` is no LLM.
        ValueError: A number is out of range, or there is no such language.

    Example:
        >>> from llama_index.core.llms import MockLLM
        >>> Recombination(MockLLM(), persona="A sailor").days
        1.0
    """

    model: LLM | ChatModel  # type: ignore[assignment]  # it becomes the latter

    def __post_init__(self) -> None:
        """Bring the model to the core's form, and check the rest."""
        if isinstance(self.model, LLM):
            object.__setattr__(self, "model", LlamaIndexChatModel(self.model))
        super().__post_init__()


def recombination_of(given: recombination.Recombination | LLM) -> recombination.Recombination:
    """A recombination, or one through a model alone, in the core's form."""
    return Recombination(given) if isinstance(given, LLM) else given

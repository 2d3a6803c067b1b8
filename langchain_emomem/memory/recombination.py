"""A day's dream through a LangChain chat model."""

from dataclasses import dataclass

from langchain_core.language_models import BaseChatModel

from emomem.memory import recombination
from emomem.protocols import ChatModel
from langchain_emomem.chat import LangChainChatModel


@dataclass(frozen=True)
class Recombination(recombination.Recombination):
    """Makes a dream through a LangChain chat model (`emomem.memory.Recombination`).

    Args:
        model: Any chat model. It is asked at temperature 0 unless its temperature was set.
        persona: Who the dreamer is.
        relations: Who is who.
        days: How many of the last days go into it, > 0.
        lasts: How many days it lasts, > 0; then it expires by itself.
        language: The language of the question: "en", "zh" or "pt".

    Raises:
        TypeError: `model` is no chat model.
        ValueError: A number is out of range, or there is no such language.

    Example:
        >>> from langchain_core.language_models import FakeListChatModel
        >>> Recombination(FakeListChatModel(responses=["a dream"]), persona="A sailor").days
        1.0
    """

    model: BaseChatModel | ChatModel  # type: ignore[assignment]  # it becomes the latter

    def __post_init__(self) -> None:
        """Bring the model to the core's form, and check the rest."""
        if isinstance(self.model, BaseChatModel):
            object.__setattr__(self, "model", LangChainChatModel(self.model))
        super().__post_init__()


def recombination_of(
    given: recombination.Recombination | BaseChatModel,
) -> recombination.Recombination:
    """A recombination, or one through a model alone."""
    return Recombination(given) if isinstance(given, BaseChatModel) else given

"""The questions of `emomem.prompts` as LlamaIndex's templates."""

from collections.abc import Sequence

from llama_index.core.llms import ChatMessage
from llama_index.core.prompts import ChatPromptTemplate

from emomem.appraisal.chat import scoring_messages
from emomem.appraisal.replies import PromptKind
from emomem.prompts import Language


def affect_scoring(
    prompt: PromptKind = "vad", language: Language = "en", goals: Sequence[str] = ()
) -> ChatPromptTemplate:
    """What `LLMAppraiser` asks about a `{text}`.

    Args:
        prompt: "vad", "plutchik" or "conflict".
        language: The language of the question: "en", "zh" or "pt".
        goals: What matters to the user, for "conflict".

    Raises:
        ValueError: An argument is not one of those allowed.

    Example:
        >>> affect_scoring("plutchik").template_vars
        ['text']
    """
    turns = scoring_messages("{text}", prompt, language, goals)
    return ChatPromptTemplate(
        [ChatMessage(role=turn["role"], content=turn["content"]) for turn in turns]
    )

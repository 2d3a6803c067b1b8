"""The questions of `emomem.prompts` as LlamaIndex's templates.

What a variable holds is quoted to the model as data: it cannot close the tag that it stands in.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from llama_index.core.llms import ChatMessage
from llama_index.core.prompts import ChatPromptTemplate
from llama_index.core.schema import MetadataMode, NodeWithScore

from emomem.appraisal.replies import PromptKind
from emomem.metadata import DEFAULT_FIELDS, MetadataFields, decode
from emomem.prompts import Language, escaped, templates
from emomem.prompts.questions import memory_block
from emomem.protocols import ChatMessage as Turn


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
    return _template(templates.affect_scoring(prompt, language, goals))


def deep_encoding(language: Language = "en") -> ChatPromptTemplate:
    """What `DeepEncoder` asks about a `{text}`, told how it feels as `{affect}`.

    Args:
        language: The language of the question: "en", "zh" or "pt".

    Raises:
        ValueError: It is none of them.
    """
    return _template(templates.deep_encoding(language))


def conflict_aware_answer(language: Language = "en") -> ChatPromptTemplate:
    """An answer to a user's `{text}` out of the `{memories}`, both sides of a conflict named.

    The memories are what `ConflictAwareMemory.context` gives, or `remembered`.

    Args:
        language: The language of the question: "en", "zh" or "pt".

    Raises:
        ValueError: It is none of them.
    """
    return _template(templates.conflict_aware_answer(language))


def role_play(
    language: Language = "en", *, scene: bool = False, task: str | None = None
) -> ChatPromptTemplate:
    """What a `{character}` answers to a `{question}`, by their `{profile}` and `{memories}`.

    Args:
        language: The language of the question: "en", "zh" or "pt".
        scene: Whether it tells of a `{place}` and a `{status}` too.
        task: What is asked for; None is an answer of one to three sentences.

    Raises:
        ValueError: The language is none of the three.

    Example:
        >>> sorted(set(role_play("zh", scene=True).template_vars))
        ['character', 'memories', 'place', 'profile', 'question', 'status']
    """
    return _template(templates.role_play(language, scene=scene, task=task))


def customer_care(language: Language = "en") -> ChatPromptTemplate:
    """An answer of a `{business}` to a customer's `{message}`.

    It is told what is remembered as `{memories}`, and how the message feels as `{affect}`
    (`emomem.prompts.questions.affect_fields`).

    Args:
        language: The language of the question: "en", "zh" or "pt".

    Raises:
        ValueError: It is none of them.
    """
    return _template(templates.customer_care(language))


def judge(language: Language = "en") -> ChatPromptTemplate:
    """How empathic and how vivid a `{reply}` to a `{dialogue}` is, each 1 to 5.

    Args:
        language: The language of the question: "en", "zh" or "pt".

    Raises:
        ValueError: It is none of them.
    """
    return _template(templates.judge(language))


def remembered(nodes: Sequence[NodeWithScore], fields: MetadataFields = DEFAULT_FIELDS) -> str:
    """What was recalled, for `{memories}`: one a line, its affect beside it as fields.

    Args:
        nodes: What was recalled, best first.
        fields: Where the affect is read.

    Example:
        >>> from llama_index.core.schema import TextNode
        >>> found = TextNode(text="They lost it!", metadata={"affect_valence": -0.6})
        >>> remembered([NodeWithScore(node=found)])
        '<memory valence="-0.60">They lost it!</memory>'
    """
    texts = [one.node.get_content(metadata_mode=MetadataMode.NONE) for one in nodes]
    return memory_block(texts, [decode(one.node.metadata, fields) for one in nodes])


def _template(messages: Sequence[Turn]) -> ChatPromptTemplate:
    template = ChatPromptTemplate(
        [ChatMessage(role=turn["role"], content=turn["content"]) for turn in messages]
    )
    named = set(template.template_vars) & templates.TAGS.keys()
    return template.model_copy(
        update={"function_mappings": {name: _escaping(name) for name in named}}
    )


@cache  # one a variable, so that templates that say the same are equal
def _escaping(name: str) -> Callable[..., str]:
    def value(**values: Any) -> str:
        # One that is not given is left to be.
        return escaped(_told(name, values.get(name, f"{{{name}}}")), templates.TAGS[name])

    return value


def _told(name: str, value: Any) -> str:  # noqa: ANN401 - whatever a chain gives
    is_list = isinstance(value, list | tuple)
    if name == "memories" and is_list and all(isinstance(one, NodeWithScore) for one in value):
        return remembered(value)
    return str(value)

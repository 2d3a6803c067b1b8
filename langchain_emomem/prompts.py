"""The questions of `emomem.prompts` as LangChain's templates.

What a variable holds is quoted to the model as data: it cannot close the tag that it stands in.
"""

import re
from collections.abc import Sequence
from typing import Any, Final

from langchain_core.documents import Document
from langchain_core.prompts import (
    ChatPromptTemplate,
    HumanMessagePromptTemplate,
    PromptTemplate,
    SystemMessagePromptTemplate,
)
from langchain_core.prompts.string import DEFAULT_FORMATTER_MAPPING

from emomem.appraisal.replies import PromptKind
from emomem.metadata import DEFAULT_FIELDS, MetadataFields, decode
from emomem.prompts import Language, escaped, templates
from emomem.prompts.questions import memory_block
from emomem.protocols import ChatMessage

_VARIABLE: Final = re.compile(rf"{{{{({'|'.join(templates.VARIABLES)})}}}}")


class QuotingPromptTemplate(PromptTemplate):
    """A template whose variables cannot close the tags that they are quoted in.

    Documents as `memories` are written as `remembered` writes them.
    """

    @classmethod
    def get_lc_namespace(cls) -> list[str]:
        """Where `langchain_core.load` finds it, given `valid_namespaces=["langchain_emomem"]`."""
        return cls.__module__.split(".")

    def format(self, **kwargs: Any) -> str:
        """The text, with the variables filled in."""
        values = self._merge_partial_and_user_variables(**kwargs)
        for name in values.keys() & templates.TAGS.keys():
            values[name] = escaped(_told(name, values[name]), templates.TAGS[name])
        return DEFAULT_FORMATTER_MAPPING[self.template_format](self.template, **values)


def affect_scoring(
    prompt: PromptKind = "vad", language: Language = "en", goals: Sequence[str] = ()
) -> ChatPromptTemplate:
    """What `ChatModelAppraiser` asks about a `{text}`.

    Args:
        prompt: "vad", "plutchik" or "conflict".
        language: The language of the question: "en", "zh" or "pt".
        goals: What matters to the user, for "conflict".

    Raises:
        ValueError: An argument is not one of those allowed.

    Example:
        >>> affect_scoring("plutchik").input_variables
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
        >>> sorted(set(role_play("zh", scene=True).input_variables))
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


def remembered(documents: Sequence[Document], fields: MetadataFields = DEFAULT_FIELDS) -> str:
    """What was recalled, for `{memories}`: one a line, its affect beside it as fields.

    Args:
        documents: What was recalled, best first.
        fields: Where the affect is read.

    Example:
        >>> found = Document("They lost it!", metadata={"affect_valence": -0.6})
        >>> remembered([found])
        '<memory valence="-0.60">They lost it!</memory>'
    """
    texts = [document.page_content for document in documents]
    return memory_block(texts, [decode(document.metadata, fields) for document in documents])


def _told(name: str, value: Any) -> str:  # noqa: ANN401 - whatever a chain gives
    is_list = isinstance(value, list | tuple)
    if name == "memories" and is_list and all(isinstance(one, Document) for one in value):
        return remembered(value)
    return str(value)


def _template(messages: Sequence[ChatMessage]) -> ChatPromptTemplate:
    system, question = (_text(message["content"]) for message in messages)
    return ChatPromptTemplate(
        [SystemMessagePromptTemplate(prompt=system), HumanMessagePromptTemplate(prompt=question)]
    )


def _text(content: str) -> PromptTemplate:
    # Braces that are no variable's stand in what the caller wrote, for one in a goal.
    literal = content.replace("{", "{{").replace("}", "}}")
    return QuotingPromptTemplate.from_template(_VARIABLE.sub(r"{\1}", literal))

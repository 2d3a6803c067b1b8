"""Asking a chat model for a record: schema, validation, and one retry that shows the error."""

from collections.abc import Callable, Generator, Sequence
from inspect import signature
from typing import Any, Final, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator

from emomem.jsonextract import objects
from emomem.prompts import Language, prompts
from emomem.protocols import ChatMessage, ChatModel, JsonSchema
from emomem.steps import adrive, drive

_MOST_SHOWN: Final = 2000  # characters of a bad answer, and
_MOST_FAULTS: Final = 8  # of its faults that are shown to the model again


def check_chat_model(model: Any, role: str = "model") -> None:  # noqa: ANN401 - it is checked
    """Refuse what is no chat model in the core's form.

    A framework's own is none, though LlamaIndex's has methods of the same names: they take other
    arguments.

    Args:
        model: What is given for one.
        role: What it is given as.

    Raises:
        TypeError: It is none.
    """
    named = isinstance(model, ChatModel) and not isinstance(model, type)
    if not named or not _takes_messages(model.complete):
        msg = (
            f"{role} must be a chat model of emomem.protocols, as LangChainChatModel(model) and "
            f"LlamaIndexChatModel(llm) make one, got {type(model).__name__}"
        )
        raise TypeError(msg)


def _takes_messages(method: Callable[..., str]) -> bool:
    takes = signature(method).parameters.values()
    return any(one.name == "messages" or one.kind is one.VAR_POSITIONAL for one in takes)


def _closed(schema: dict[str, Any]) -> None:
    schema["additionalProperties"] = False
    schema["required"] = list(schema["properties"])


class Reply(BaseModel):
    """What a chat model is asked for.

    The schema asks for every key and no other; in an answer, keys with a default may be missing
    or null, and others are ignored.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", json_schema_extra=_closed)

    @model_validator(mode="before")
    @classmethod
    def _null_is_missing(cls, values: Any) -> Any:  # noqa: ANN401 - any JSON
        if not isinstance(values, dict):
            return values
        fields = cls.model_fields
        return {
            key: value
            for key, value in values.items()
            if value is not None or key not in fields or fields[key].is_required()
        }


R = TypeVar("R", bound=Reply)


def _is_no_bool(value: object) -> object:
    if isinstance(value, bool):
        msg = "must be a number"
        raise ValueError(msg)  # noqa: TRY004 - pydantic shows the model ValueErrors only
    return value


NOT_BOOL: Final = BeforeValidator(_is_no_bool)
"""For a number, which pydantic would also read from true."""


class UnusableAnswerError(ValueError):
    """A model answered twice, and neither answer was what it was asked for."""


def ask(
    model: ChatModel, messages: Sequence[ChatMessage], reply: type[R], language: Language = "en"
) -> R:
    """Ask, validate, and ask once more where the answer is no such record.

    Args:
        model: The model.
        messages: The question.
        reply: What the answer must be.
        language: That of the sentence that shows the error.

    Raises:
        UnusableAnswerError: Neither answer is a `reply`; the message quotes nothing of them.
        Exception: Whatever the model raises.
    """
    schema = schema_of(reply)
    steps = _asking(messages, reply, language)
    return drive(steps, lambda turns: model.complete(turns, schema))


async def aask(
    model: ChatModel, messages: Sequence[ChatMessage], reply: type[R], language: Language = "en"
) -> R:
    """`ask` without blocking the event loop."""
    schema = schema_of(reply)
    steps = _asking(messages, reply, language)
    return await adrive(steps, lambda turns: model.acomplete(turns, schema))


def schema_of(reply: type[Reply]) -> JsonSchema:
    """The JSON schema of a reply, without references, which not every model can follow."""
    schema = reply.model_json_schema()
    definitions = schema.pop("$defs", {})

    def inlined(node: Any) -> Any:  # noqa: ANN401 - any JSON
        if isinstance(node, list):
            return [inlined(part) for part in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return inlined(definitions[node["$ref"].rpartition("/")[2]])
        return {key: inlined(part) for key, part in node.items()}

    flat: JsonSchema = inlined(schema)
    return flat


def _asking(
    messages: Sequence[ChatMessage], reply: type[R], language: Language
) -> Generator[Sequence[ChatMessage], str, R]:
    answer = yield messages
    try:
        return _first_valid(answer, reply)
    except ValueError as error:
        again = prompts(language).retry.replace("{error}", _faults(error))
    answer = yield [
        *messages,
        {"role": "assistant", "content": answer.strip()[:_MOST_SHOWN] or "-"},
        {"role": "user", "content": again},
    ]
    try:
        return _first_valid(answer, reply)
    except ValueError:
        msg = f"no answer in two is a {reply.__name__}"
        raise UnusableAnswerError(msg) from None


def _first_valid(answer: str, reply: type[R]) -> R:
    """The first object in an answer that is a `reply`.

    Raises:
        ValueError: There is none; of several objects the first one's faults.
    """
    fault: ValueError | None = None
    for found in objects(answer):
        try:
            return reply.model_validate(found)
        except ValueError as error:
            fault = fault or error
    if fault is None:
        msg = "the answer holds no JSON object"
        raise ValueError(msg)
    raise fault


def _faults(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(
        f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults[:_MOST_FAULTS]
    )

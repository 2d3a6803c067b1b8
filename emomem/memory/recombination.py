"""Recombination: a day's moments become one symbolic scene, which is gone again the day after."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import Field, field_validator

from emomem.affect import Affect, Signed, Unit
from emomem.asking import NOT_BOOL, Reply, aask, ask, check_chat_model
from emomem.memory.changing import reweight
from emomem.memory.dynamics import DAY
from emomem.memory.keepers import gone
from emomem.memory.parts import Call, Parts, Steps
from emomem.memory.said import storable
from emomem.memory.store import Find, Put
from emomem.memory.unit import NEVER, MemoryUnit, make_unit_id, to_metadata
from emomem.prompts import Language, prompts, quoted
from emomem.protocols import ChatMessage, ChatModel

logger = logging.getLogger(__name__)

_MOST: Final = 40
"""How many moments a day's dream is made of, the last."""


class Weighed(Reply):
    """What a moment is to count from now on, by its number."""

    number: Annotated[int, NOT_BOOL]
    salience: Annotated[Unit, NOT_BOOL]


class Scene(Reply):
    """A dream."""

    text: Annotated[str, Field(min_length=1, json_schema_extra={"maxLength": 600})]
    valence: Annotated[Signed, NOT_BOOL]
    arousal: Annotated[Unit, NOT_BOOL]
    saliences: Annotated[tuple[Weighed, ...], Field(json_schema_extra={"maxItems": 10})] = ()

    @field_validator("text")
    @classmethod
    def _is_a_text(cls, value: str) -> str:
        left = storable(value).strip()
        if not left:
            msg = "must not be blank"
            raise ValueError(msg)
        return left


@dataclass(frozen=True)
class Recombination:
    """Makes a dream through a chat model.

    Args:
        model: The model.
        persona: Who the dreamer is.
        relations: Who is who.
        days: How many of the last days go into it, > 0.
        lasts: How many days it lasts, > 0; then it expires by itself.
        language: The language of the question: "en", "zh" or "pt".

    Raises:
        TypeError: The model is none.
        ValueError: A number is out of range, or there is no such language.
    """

    model: ChatModel
    persona: str = ""
    relations: str = ""
    days: float = 1.0
    lasts: float = 1.0
    language: Language = "en"

    def __post_init__(self) -> None:
        """Check the model, the numbers and the language."""
        check_chat_model(self.model)
        for name in ("days", "lasts"):
            if not getattr(self, name) > 0:
                msg = f"{name} must be > 0, got {getattr(self, name)!r}"
                raise ValueError(msg)
        prompts(self.language)

    def messages(self, moments: Sequence[MemoryUnit]) -> list[ChatMessage]:
        """The question: the moments, numbered from 1, and who is who, quoted as data."""
        texts = prompts(self.language)
        lines = [
            f"{number}. ({unit.affect.label or '-'}) {unit.text}"
            for number, unit in enumerate(moments, 1)
        ]
        told = [text for text in (self.persona, self.relations) if text.strip()]
        parts = [quoted("\n".join(lines), "memories"), *(quoted(text, "text") for text in told)]
        return [
            {"role": "system", "content": f"{texts.dream}\n\n{texts.quoting}"},
            {"role": "user", "content": "\n\n".join(parts)},
        ]


def dream(parts: Parts, user_id: str, recombination: Recombination) -> Steps:
    """Make a dream of a user's last day, and weigh anew what the model proposes to.

    A model that fails or answers rubbish makes none; it is logged without any text.

    Returns:
        The dream's unit; None where there is none, or where a moment of it was forgotten while the
        model answered.
    """
    now = parts.now()
    since = {"kind": "affective", "last_at": {"$gt": now - recombination.days * DAY}}
    [units] = yield from parts.ask(Find(user_id, since))
    moments = [unit for unit in units if unit.status_at(now) == "current"][-_MOST:]
    scene = (yield _asked(recombination, moments)) if moments else None
    if scene is None:
        return None
    return (
        yield from parts.in_turn(user_id, _dreamt(parts, user_id, recombination, scene, moments))
    )


def _dreamt(
    parts: Parts,
    user_id: str,
    recombination: Recombination,
    scene: Scene,
    moments: Sequence[MemoryUnit],
) -> Steps:
    if (yield from gone(parts, user_id, [unit.unit_id for unit in moments])):
        return None
    now = parts.now()
    unit = _unit(user_id, scene, moments, now, recombination.lasts)
    unit = unit.model_copy(update={"unit_id": make_unit_id(unit, (yield from parts.key()))})
    yield from parts.change(user_id, {"create": {unit.unit_id: to_metadata(unit)}}, Put([unit]))
    proposed = {
        moments[one.number - 1].unit_id: one.salience
        for one in scene.saliences
        if 1 <= one.number <= len(moments)
    }
    if proposed:
        yield from reweight(parts, user_id, proposed)
    return unit


def dreams(parts: Parts, user_id: str) -> Steps:
    """The dreams of a user that have not expired."""
    [units] = yield from parts.ask(Find(user_id, {"kind": "dream"}))
    now = parts.now()
    return [unit for unit in units if unit.status_at(now) == "current"]


def _asked(recombination: Recombination, moments: Sequence[MemoryUnit]) -> Call:
    messages = recombination.messages(moments)
    model, language = recombination.model, recombination.language

    def answer() -> Scene | None:
        try:
            return ask(model, messages, Scene, language)
        except Exception as error:  # noqa: BLE001 - it costs only the dream
            _log(error)
            return None

    async def aanswer() -> Scene | None:
        try:
            return await aask(model, messages, Scene, language)
        except Exception as error:  # noqa: BLE001 - the same
            _log(error)
            return None

    return Call(answer, aanswer)


def _log(error: Exception) -> None:
    # The error's own message may quote a memory, so only its type is logged.
    logger.warning("no dream was made: %s", type(error).__name__)


def _unit(
    user_id: str, scene: Scene, moments: Sequence[MemoryUnit], now: float, lasts: float
) -> MemoryUnit:
    return MemoryUnit(
        text=scene.text,
        user_id=user_id,
        speaker=user_id,
        kind="dream",
        created_at=now,
        expires_at=min(NEVER, now + lasts * DAY),
        affect=Affect(valence=scene.valence, arousal=scene.arousal, source="dream"),
        sources=tuple(unit.unit_id for unit in moments),
    )

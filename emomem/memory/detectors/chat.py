"""A detector over any chat model."""

import logging
import threading
from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import Field

from emomem.asking import NOT_BOOL, Reply, aask, ask
from emomem.memory.conflict import Conflict, ConflictKind
from emomem.memory.detectors.base import BaseConflictDetector, goals, parties, statements
from emomem.memory.unit import MemoryUnit
from emomem.prompts import Language, Tag, prompts, quoted
from emomem.protocols import ChatMessage, ChatModel

logger = logging.getLogger(__name__)

_REASON: Final = "a chat model judges so"


class Finding(Reply):
    """One conflict, by the number of what the new text contradicts."""

    number: Annotated[int, NOT_BOOL]
    # In front of the verdict, so that a model thinks before it decides.
    reason: Annotated[str, Field(json_schema_extra={"maxLength": 120})] = ""
    kind: ConflictKind
    intensity: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False), NOT_BOOL]


class FindingsReply(Reply):
    """The conflicts of a new text."""

    conflicts: Annotated[tuple[Finding, ...], Field(json_schema_extra={"maxItems": 5})]


class ChatConflictDetector(BaseConflictDetector):
    """Conflicts as a chat model judges them, one call for all candidates.

    The new text, the memories of the same person and the user's goals are quoted to the model as
    data, each memory and goal with a number. The answer is the first JSON object in what it says;
    where that is not what was asked for, the model is shown the error and asked once more. After
    that, or where the model raises, there is no conflict; it is counted in `failures` and logged
    without any text. A finding with a number or kind that cannot be is passed over. What the model
    gives as its reason is the conflict's `detail`, for it may quote.

    How good it is, is the model's matter: a model of 270M parameters finds next to nothing.

    Args:
        model: The model. (`langchain_emomem.ChatModelConflictDetector` and
            `llamaindex_emomem.LLMConflictDetector` take a model of their framework.)
        language: The language of the question: "en", "zh" or "pt"; texts may be in any.

    Attributes:
        failures: How many times the model has failed so far.

    Raises:
        ValueError: The language is none of the three.
    """

    def __init__(self, model: ChatModel, *, language: Language = "en") -> None:
        texts = prompts(language)
        self._model = model
        self._language: Language = language
        self._system = f"{texts.contradiction}\n\n{texts.quoting}"
        self._closing = texts.closing
        self._lock = threading.Lock()
        self.failures = 0

    def detect(self, new: MemoryUnit, candidates: Sequence[MemoryUnit]) -> list[Conflict]:
        """The conflicts of `new` with the candidates, in their order."""
        numbered = _numbered(new, candidates)
        if not numbered:
            return []
        try:
            reply = ask(self._model, self._question(new, numbered), FindingsReply, self._language)
        except Exception as error:  # noqa: BLE001 - a failure costs only this enrichment
            return self._failed(error)
        return _conflicts(new, numbered, reply)

    async def adetect(self, new: MemoryUnit, candidates: Sequence[MemoryUnit]) -> list[Conflict]:
        """`detect` without blocking the event loop."""
        numbered = _numbered(new, candidates)
        if not numbered:
            return []
        question = self._question(new, numbered)
        try:
            reply = await aask(self._model, question, FindingsReply, self._language)
        except Exception as error:  # noqa: BLE001 - the same
            return self._failed(error)
        return _conflicts(new, numbered, reply)

    def _question(self, new: MemoryUnit, numbered: Sequence[MemoryUnit]) -> list[ChatMessage]:
        parts = [quoted("\n".join(lines), tag) for tag, lines in _lines(numbered).items() if lines]
        material = "\n\n".join([*parts, quoted(new.text, "text"), self._closing])
        return [
            {"role": "system", "content": self._system},
            {"role": "user", "content": material},
        ]

    def _failed(self, error: Exception) -> list[Conflict]:
        with self._lock:
            self.failures += 1
        # The error's own message may quote a memory, so only its type is logged.
        logger.warning("a chat model failed with %s; no conflict is seen", type(error).__name__)
        return []


def _numbered(new: MemoryUnit, candidates: Sequence[MemoryUnit]) -> list[MemoryUnit]:
    """What the new text may contradict, in the candidates' order; its place is its number."""
    if not new.text.strip():
        return []
    kept = {id(unit) for unit in (*statements(new, candidates), *goals(new, candidates))}
    return [unit for unit in candidates if id(unit) in kept]


def _lines(numbered: Sequence[MemoryUnit]) -> dict[Tag, list[str]]:
    """One line a unit, so that none can pass for two."""
    lines: dict[Tag, list[str]] = {"goals": [], "memories": []}
    for number, unit in enumerate(numbered, start=1):
        tag: Tag = "goals" if unit.kind == "goal" else "memories"
        lines[tag].append(f"{number}. {' '.join(unit.text.split())}")
    return lines


def _conflicts(
    new: MemoryUnit, numbered: Sequence[MemoryUnit], reply: FindingsReply
) -> list[Conflict]:
    found: dict[int, Conflict] = {}
    for finding in reply.conflicts:
        if not 1 <= finding.number <= len(numbered) or finding.number in found:
            continue
        against = numbered[finding.number - 1]
        if (against.kind == "goal") == (finding.kind == "goal_instruction"):
            found[finding.number] = Conflict(
                kind=finding.kind,
                against=against,
                parties=parties(new, against),
                intensity=finding.intensity,
                reason=_REASON,
                detail=finding.reason,
            )
    return [found[number] for number in sorted(found)]

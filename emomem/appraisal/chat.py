"""An appraiser over any chat model."""

import asyncio
import contextvars
import logging
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import get_args

from emomem.affect import Affect
from emomem.appraisal.base import BaseAppraiser
from emomem.appraisal.replies import REPLIES, PromptKind
from emomem.asking import aask, ask
from emomem.checks import check_at_least_one
from emomem.portable import Portable
from emomem.prompts import Language, prompts, quoted
from emomem.protocols import ChatMessage, ChatModel

logger = logging.getLogger(__name__)


def scoring_messages(
    text: str, prompt: PromptKind = "vad", language: Language = "en", goals: Sequence[str] = ()
) -> list[ChatMessage]:
    """What a chat model is asked about one text, which is quoted to it as data.

    Args:
        text: The text.
        prompt: "vad", "plutchik" or "conflict" (`ChatAppraiser`).
        language: The language of the question: "en", "zh" or "pt".
        goals: What matters to the user, for "conflict".

    Raises:
        ValueError: An argument is not one of those allowed.
    """
    if prompt not in REPLIES:
        msg = f"prompt must be one of {', '.join(get_args(PromptKind))}, got {prompt!r}"
        raise ValueError(msg)
    if isinstance(goals, str) or not all(isinstance(goal, str) for goal in goals):
        msg = f"goals must be a list of texts, got {goals!r}"
        raise ValueError(msg)
    if goals and prompt != "conflict":
        msg = f"goals are for prompt='conflict', not for {prompt!r}"
        raise ValueError(msg)
    texts = prompts(language)
    wanted = quoted("\n".join(goals), "goals") + "\n\n" if goals else ""
    return [
        {"role": "system", "content": f"{getattr(texts, prompt)}\n\n{texts.quoting}"},
        {"role": "user", "content": f"{wanted}{quoted(text, 'text')}\n\n{texts.closing}"},
    ]


class ChatAppraiser(Portable, BaseAppraiser):
    """Affect as a chat model judges it, one call a text.

    The answer is the first JSON object in what the model says. Where it is not what was asked
    for, the model is shown the error and asked once more; after that, or where the model raises,
    the text is unknown. That costs no other text anything, is counted in `failures`, and is
    logged without the text. The text is quoted to the model as data.

    Args:
        model: The model. (`langchain_emomem.ChatModelAppraiser` and
            `llamaindex_emomem.LLMAppraiser` take a model of their framework.)
        prompt: What is asked. "vad": valence, arousal and one of the 28 emotions. "plutchik":
            how strong each of Plutchik's eight emotions is, with reasons. "conflict": valence,
            arousal, and how much the text clashes with a goal or between parties.
        language: The language of the question; texts may be in any.
        goals: What matters to the user, for "conflict".
        max_concurrency: How many texts of one call are in the model's hands at once, >= 1.
        source: What readings are marked with.

    Attributes:
        failures: How many texts the model has failed to read so far.

    Raises:
        ValueError: An argument is not one of those allowed.
    """

    def __init__(  # noqa: PLR0913 - each is an option of the user's own
        self,
        model: ChatModel,
        *,
        prompt: PromptKind = "vad",
        language: Language = "en",
        goals: Sequence[str] = (),
        max_concurrency: int = 8,
        source: str = "chat",
    ) -> None:
        goals = goals if isinstance(goals, str) else tuple(goals)
        self._ask_about = partial(scoring_messages, prompt=prompt, language=language, goals=goals)
        self._ask_about("")  # what is wrong raises here
        check_at_least_one(max_concurrency=max_concurrency)
        self._model = model
        self._reply = REPLIES[prompt]
        self._language: Language = language
        self._max_concurrency = max_concurrency
        self._renew()
        self.source = source

    def _renew(self) -> None:
        self._lock = threading.Lock()
        self.failures = 0

    def _read(self, texts: Sequence[str]) -> list[Affect]:
        # A context each, so that a caller's tracing and tags reach the model in every thread.
        contexts = [contextvars.copy_context() for _ in texts]
        with ThreadPoolExecutor(min(self._max_concurrency, len(texts))) as pool:
            return list(pool.map(lambda here, text: here.run(self._one, text), contexts, texts))

    async def _aread(self, texts: Sequence[str]) -> list[Affect]:
        free = asyncio.Semaphore(self._max_concurrency)

        async def one(text: str) -> Affect:
            async with free:
                return await self._aone(text)

        return list(await asyncio.gather(*map(one, texts)))

    def _one(self, text: str) -> Affect:
        try:
            reply = ask(self._model, self._messages(text), self._reply, self._language)
            return reply.affect(self.source)
        except Exception as error:  # noqa: BLE001 - a failure costs only its own affect
            return self._failed(error)

    async def _aone(self, text: str) -> Affect:
        try:
            reply = await aask(self._model, self._messages(text), self._reply, self._language)
            return reply.affect(self.source)
        except Exception as error:  # noqa: BLE001 - a failure costs only its own affect
            return self._failed(error)

    def _messages(self, text: str) -> list[ChatMessage]:
        return self._ask_about(text)

    def _failed(self, error: Exception) -> Affect:
        with self._lock:
            self.failures += 1
        # The error's own message may quote the text, so only its type is logged.
        logger.warning("a chat model failed with %s; recorded as unknown", type(error).__name__)
        return Affect.unknown(source=self.source)

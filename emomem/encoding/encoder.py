"""Deep encoding: messages over an arousal threshold become memories in four dimensions."""

import asyncio
import contextvars
import hashlib
import logging
import threading
from collections import Counter, OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from emomem.affect import Affect, AffectArray
from emomem.appraisal.base import aappraise_safely, appraise_safely, check_appraiser
from emomem.appraisal.default import default_appraiser
from emomem.appraisal.language import detect_language
from emomem.asking import aask, ask
from emomem.checks import check_at_least_one, check_texts
from emomem.encoding.metering import BudgetSpentError, Cost, MeteredChatModel
from emomem.encoding.record import DeepMemory, Encoded, Status
from emomem.portable import Portable
from emomem.prompts import Language
from emomem.prompts.questions import affect_fields, deep_encoding_messages
from emomem.protocols import Appraiser, ChatMessage, ChatModel

logger = logging.getLogger(__name__)

DEEP_THRESHOLD: Final = 0.75
"""Arousal 0..1 from which a message is encoded deeply.

It is what `emomem profile` recommends for the messages of EmpatheticDialogues as the embedded
model reads them: 18 % of them are at or above it.
"""

Outcome = DeepMemory | Status
"""What came of one question: the memory, or why there is none."""


@dataclass(frozen=True)
class DeepCost(Cost):
    """What deep encoding took so far, and what came of it.

    Attributes:
        deep: Messages that were encoded deeply.
        cached: Those of them that took no call, because the same was asked before.
        failed: Messages that the model failed on.
        over_budget: Messages that the budget was spent for.
    """

    deep: int = 0
    cached: int = 0
    failed: int = 0
    over_budget: int = 0


class DeepEncoder(Portable):
    """Messages in, memories out: what stirs is stored with what it was about.

    Arousal alone decides. A message below the threshold, of unknown arousal, or blank, is stored
    in the standard encoding ("user said: …"). At or above it, a chat model tells the fact, the
    motive behind it, the cues that may bring it back, and how a companion should meet it, in the
    message's own language. The words that were said are always kept.

    No message is lost: where the model fails twice, raises, or the budget is spent, the message
    is stored in the standard encoding with a status that says so (`record.PENDING`), and may be
    given again. A busy server is waited for. Failures are logged without the text. The message is
    quoted to the model as data. What was asked before is not asked again; the memory of it is
    known by a hash. All of it may be shared by threads.

    Args:
        model: The model, at whatever temperature it was set to; 0.3 was published. (The
            `DeepEncoder` of `langchain_emomem` and `llamaindex_emomem` take a model of theirs.)
        threshold: 0..1, the arousal from which a message is encoded deeply.
        appraiser: Reads the affect of messages that come without; None is the embedded model.
            One that tells no arousal lets nothing be encoded deeply.
        budget: How many calls of the model may be made, >= 0, second tries included; None for
            any number. A copy in another process counts by itself.
        max_concurrency: How many messages of one call are in the model's hands at once, >= 1.
        cache_size: How many memories are kept to answer the same question again, >= 1.

    Raises:
        TypeError: `appraiser` is none.
        ValueError: Another argument is not one of those allowed.
        ImportError: No appraiser is given and the embedded model is not installed.
    """

    def __init__(  # noqa: PLR0913 - each is an option of the user's own
        self,
        model: ChatModel,
        *,
        threshold: float = DEEP_THRESHOLD,
        appraiser: Appraiser | None = None,
        budget: int | None = None,
        max_concurrency: int = 8,
        cache_size: int = 16_384,
    ) -> None:
        if not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
            msg = f"threshold must be in 0..1, got {threshold!r}"
            raise ValueError(msg)
        check_at_least_one(max_concurrency=max_concurrency, cache_size=cache_size)
        self._appraiser = default_appraiser() if appraiser is None else appraiser
        check_appraiser(self._appraiser)
        self._model = MeteredChatModel(model, budget)
        self._threshold = threshold
        self._max_concurrency = max_concurrency
        self._cache_size = cache_size
        self._counts: Counter[str] = Counter()
        self._renew()

    def _renew(self) -> None:
        self._lock = threading.Lock()
        self._cache: OrderedDict[bytes, DeepMemory] = OrderedDict()

    @property
    def cost(self) -> DeepCost:
        """What it took so far."""
        with self._lock:
            return DeepCost(**vars(self._model.cost), **self._counts)

    def clear(self) -> None:
        """Forget the memories that are kept to answer the same question again."""
        with self._lock:
            self._cache.clear()

    def encode(
        self, texts: Sequence[str], affects: Sequence[Affect | None] | None = None
    ) -> list[Encoded]:
        """One memory a message, in their order.

        Args:
            texts: What was said.
            affects: How each feels, where that is known; the others are appraised.

        Raises:
            TypeError: `texts` is one string, has no order, or holds what is not a string.
            ValueError: There is not one affect a text.
        """
        affects = _checked(texts, affects)
        unread = _unread(affects)
        if unread:
            read = appraise_safely(self._appraiser, [texts[row] for row in unread])
            affects = _filled(affects, unread, read)
        batch = self._batch(texts, affects)
        # A context each, so that a caller's tracing and tags reach the model in every thread.
        contexts = [contextvars.copy_context() for _ in batch.asked]
        if batch.asked:
            with ThreadPoolExecutor(min(self._max_concurrency, len(batch.asked))) as pool:
                batch.outcomes |= zip(
                    batch.asked,
                    pool.map(
                        lambda here, asked: here.run(self._one, *asked),
                        contexts,
                        batch.asked.values(),
                    ),
                    strict=True,
                )
        return self._settled(batch)

    async def aencode(
        self, texts: Sequence[str], affects: Sequence[Affect | None] | None = None
    ) -> list[Encoded]:
        """`encode` without blocking the event loop."""
        affects = _checked(texts, affects)
        unread = _unread(affects)
        if unread:
            read = await aappraise_safely(self._appraiser, [texts[row] for row in unread])
            affects = _filled(affects, unread, read)
        batch = self._batch(texts, affects)
        free = asyncio.Semaphore(self._max_concurrency)

        async def one(messages: list[ChatMessage], language: Language) -> Outcome:
            async with free:
                return await self._aone(messages, language)

        outcomes = await asyncio.gather(*(one(*asked) for asked in batch.asked.values()))
        batch.outcomes |= zip(batch.asked, outcomes, strict=True)
        return self._settled(batch)

    def _batch(self, texts: Sequence[str], affects: Sequence[Affect | None]) -> "_Batch":
        """What has to be asked, each question once, and what was answered before."""
        known = [affect or Affect.unknown() for affect in affects]
        batch = _Batch(texts, known, keys=[None] * len(texts))
        # What is not known is NaN, which is not at any threshold.
        stirs = AffectArray.from_affects(known).felt("arousal") >= self._threshold
        for row in np.flatnonzero(stirs).tolist():
            if not texts[row].strip():
                continue
            language = detect_language(texts[row]) or "en"
            messages = deep_messages(texts[row], known[row], language)
            key = batch.keys[row] = _key(messages)
            batch.asked[key] = messages, language
        with self._lock:
            for key in [key for key in batch.asked if key in self._cache]:
                del batch.asked[key]
                batch.outcomes[key] = self._cache[key]
                self._cache.move_to_end(key)
        return batch

    def _one(self, messages: list[ChatMessage], language: Language) -> Outcome:
        try:
            return ask(self._model, messages, DeepMemory, language)
        except Exception as error:  # noqa: BLE001 - a failure costs only its own depth
            return _failed(error)

    async def _aone(self, messages: list[ChatMessage], language: Language) -> Outcome:
        try:
            return await aask(self._model, messages, DeepMemory, language)
        except Exception as error:  # noqa: BLE001 - the same
            return _failed(error)

    def _settled(self, batch: "_Batch") -> list[Encoded]:
        """The memories; what came of them is counted, and kept for the same question."""
        fresh = {
            key: outcome
            for key in batch.asked
            if isinstance(outcome := batch.outcomes[key], DeepMemory)
        }
        encoded = [
            _encoded(text, affect, "standard" if key is None else batch.outcomes[key])
            for text, affect, key in zip(batch.texts, batch.affects, batch.keys, strict=True)
        ]
        counts = Counter(one.status for one in encoded if one.status != "standard")
        if waiting := counts["over_budget"]:
            logger.warning(
                "the budget of %s calls is spent: %d messages are stored in the standard encoding",
                self._model.budget,
                waiting,
            )
        with self._lock:
            self._counts += counts
            self._counts["cached"] += counts["deep"] - len(fresh)
            self._cache |= fresh
            while len(self._cache) > self._cache_size:
                self._cache.popitem(last=False)
        return encoded


@dataclass
class _Batch:
    """Messages on their way.

    Attributes:
        texts: What was said.
        affects: How each feels.
        keys: The question that each is in; None where it is not to be deep.
        asked: The questions that have to be asked, by key.
        outcomes: What came of each question, by key.
    """

    texts: Sequence[str]
    affects: Sequence[Affect]
    keys: list[bytes | None]
    asked: dict[bytes, tuple[list[ChatMessage], Language]] = field(default_factory=dict)
    outcomes: dict[bytes, Outcome] = field(default_factory=dict)


def deep_messages(text: str, affect: Affect, language: Language = "en") -> list[ChatMessage]:
    """What a chat model is asked about one message, which is quoted to it as data.

    Args:
        text: The message.
        affect: How it feels; its label, where it is of a known set, and its arousal are told.
        language: The language of the question: "en", "zh" or "pt".

    Raises:
        ValueError: The language is none of the three.
    """
    felt = affect_fields(affect, ("label", "arousal"))
    return deep_encoding_messages(text, felt, language)


def _checked(
    texts: Sequence[str], affects: Sequence[Affect | None] | None
) -> Sequence[Affect | None]:
    check_texts(texts, "deep encoding")
    if affects is None:
        return [None] * len(texts)
    if len(affects) != len(texts):
        msg = f"there must be one affect a text, got {len(affects)} for {len(texts)}"
        raise ValueError(msg)
    return affects


def _unread(affects: Sequence[Affect | None]) -> list[int]:
    return [row for row, affect in enumerate(affects) if affect is None]


def _filled(
    affects: Sequence[Affect | None], rows: Sequence[int], read: Sequence[Affect]
) -> list[Affect | None]:
    filled = list(affects)
    for row, affect in zip(rows, read, strict=True):
        filled[row] = affect
    return filled


def _key(messages: Sequence[ChatMessage]) -> bytes:
    whole = "\0".join(turn["content"] for turn in messages)
    return hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _encoded(text: str, affect: Affect, outcome: Outcome) -> Encoded:
    if isinstance(outcome, DeepMemory):
        return Encoded(text, affect, "deep", outcome)
    return Encoded(text, affect, outcome)


def _failed(error: Exception) -> Status:
    if isinstance(error, BudgetSpentError):
        return "over_budget"
    # The error's own message may quote the text, so only its type is logged, and its cause's.
    names = [type(one).__name__ for one in (error, error.__cause__) if one is not None]
    logger.warning("a chat model failed with %s; encoded as standard", " from ".join(names))
    return "failed"

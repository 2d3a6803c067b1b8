"""The conflict-aware memory, for any framework."""

import asyncio
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, Unpack

from emomem.appraisal.base import check_appraiser
from emomem.appraisal.default import default_appraiser
from emomem.checks import check_kinds
from emomem.memory import inspecting
from emomem.memory.arguments import check_ids
from emomem.memory.changing import Changing
from emomem.memory.conflict import Conflict, ConflictDetector
from emomem.memory.context import format_recall, recalled_rows, shortened
from emomem.memory.dynamics import Decay
from emomem.memory.feeling import Feeling
from emomem.memory.forgetting import Forgotten, Purge, forget
from emomem.memory.goals import Goals
from emomem.memory.inspecting import Inspecting
from emomem.memory.keepers import Keepers
from emomem.memory.operations import InMemoryLog, OperationLog
from emomem.memory.parts import Call, Parts, Steps
from emomem.memory.query import Asked, Query, query_of
from emomem.memory.recalling import Recall, Recaller, Sizes, Working, safely
from emomem.memory.resolution import ByKind, Template
from emomem.memory.said import Details, Said, storable
from emomem.memory.saving import Saved, check, save
from emomem.memory.sparing import sides
from emomem.memory.unit import MemoryUnit
from emomem.protocols import Appraiser, MemoryStore
from emomem.safety import guarded, human_help
from emomem.tokens import count_tokens

_HAVE_DEFAULTS: Final = ("detector", "settle", "log", "sizes", "decay", "working")


def now() -> float:
    """Seconds since 1970, to the millisecond: more digits than a store keeps would not return."""
    return round(time.time(), 3)


class Memory(Inspecting, Changing, Feeling):
    """Long-term memory that keeps facts and feelings, and notices when they contradict.

    Everything in it is some user's: name the user once here or in each call.

    Args:
        store: Where the units are kept.
        user_id: Whose memories, where a call does not say.
        appraiser: Reads how a text feels; None is the embedded model.
        detector: Finds what a text contradicts; None is the local ones together.
        settle: Says of each conflict which side counts from now on, by a template of
            `emomem.memory.resolution`; None is the default one of each kind.
        log: Keeps every change; None keeps the last ten thousand lines in memory.
        sizes: How much a recall brings back.
        decay: How salience fades with time; None for not at all.
        count_tokens: The number of tokens of a text, for the budget of a recall; an estimate
            stands in for one that fails.
        working: What of the last hours stands before the rest in a recall; None for nothing.
        brightening: 0..1, how likely a positive or unmoved memory is added to a recall.
        seed: Of what `brightening` draws.
        purges: Called with the texts that are forgotten, before they are: queues and caches of
            your own. Where one raises nothing is forgotten; call again.
        guard: Is given each message for which a context is made; what it returns stands in the
            context as an instruction. The default points to human help where a message suggests
            self-harm, and stands in for one that fails.
        clock: The time now, in seconds since 1970.

    Raises:
        TypeError: A part is none of its kind.
        ValueError: A number is out of range, or a user id is blank.
        ImportError: No appraiser is given and the embedded model is not installed.
    """

    def __init__(  # noqa: PLR0913 - each has its default
        self,
        store: MemoryStore,
        *,
        user_id: str | None = None,
        appraiser: Appraiser | None = None,
        detector: ConflictDetector | None = None,
        settle: Template | None = None,
        log: OperationLog | None = None,
        sizes: Sizes | None = None,
        decay: Decay | None = None,
        count_tokens: Callable[[str], int] = count_tokens,
        working: Working | None = None,
        brightening: float = 0.0,
        seed: int = 0,
        purges: Sequence[Purge] = (),
        guard: Callable[[str], str | None] = human_help,
        clock: Callable[[], float] = now,
    ) -> None:
        if appraiser is not None:
            check_appraiser(appraiser)
        check_kinds(
            _HAVE_DEFAULTS,
            store=(store, MemoryStore),
            detector=(detector, ConflictDetector),
            settle=(settle, Callable),
            log=(log, OperationLog),
            sizes=(sizes, Sizes),
            decay=(decay, Decay),
            count_tokens=(count_tokens, Callable),
            working=(working, Working),
            guard=(guard, Callable),
            clock=(clock, Callable),
            **{f"purges[{row}]": (purge, Callable) for row, purge in enumerate(purges)},
        )
        parts = Parts(
            store=store,
            appraiser=default_appraiser() if appraiser is None else appraiser,
            detector=_default_detector() if detector is None else detector,
            settle=ByKind() if settle is None else settle,
            log=InMemoryLog() if log is None else log,
            now=clock,
        )
        super().__init__(parts, user_id, decay)
        if user_id is not None:
            self._user(user_id)
        self._recaller = Recaller(
            sizes=Sizes() if sizes is None else sizes,
            decay=decay,
            count_tokens=safely(count_tokens),
            brightening=brightening,
            chance=random.Random(seed),  # noqa: S311 - no secret
            working=working,
        )
        self._purges = tuple(purges)
        self._guard = guard
        self.keepers = Keepers(parts)
        self.goals = Goals(parts, user_id, self._purges)

    def save(self, text: str, *, user_id: str | None = None, **details: Unpack[Details]) -> Saved:
        """Keep what was said as a fact and as its affective reading, in one write.

        What was recalled into the text is left out of it. The very same text of the same speaker
        is counted and not written again; where `ask_user` had it asked which side holds, it is
        the answer. What a text contradicts is superseded or left open, as `settle` says, and
        never lost.

        Args:
            text: What was said.
            user_id: Whose memory it is.
            **details: `speaker`, `experiencer`, `session_id`, `reading` (the affective reading in
                words), `affect`, `created_at`, `expires_at`, `metadata`; see `Said`.

        Raises:
            TypeError: The text is no str, or metadata are no mapping.
            ValueError: The text is blank, or a detail is one that no engine keeps.
        """
        user = self._user(user_id)
        said = Said(storable(text), user, **details)
        saved: Saved = self._run(user, save(self._parts, said))
        return saved

    async def asave(
        self, text: str, *, user_id: str | None = None, **details: Unpack[Details]
    ) -> Saved:
        """`save` without blocking the event loop."""
        user = self._user(user_id)
        said = Said(storable(text), user, **details)
        saved: Saved = await self._arun(user, save(self._parts, said))
        return saved

    def check(
        self, text: str, *, user_id: str | None = None, **details: Unpack[Details]
    ) -> list[Conflict]:
        """What a text would contradict; nothing is saved. The arguments are those of `save`."""
        user = self._user(user_id)
        steps = check(self._parts, Said(storable(text), user, **details))
        found: list[Conflict] = self._run(user, steps)
        return found

    async def acheck(
        self, text: str, *, user_id: str | None = None, **details: Unpack[Details]
    ) -> list[Conflict]:
        """`check` without blocking the event loop."""
        user = self._user(user_id)
        steps = check(self._parts, Said(storable(text), user, **details))
        found: list[Conflict] = await self._arun(user, steps)
        return found

    def recall(self, query: str, *, user_id: str | None = None, **asked: Unpack[Asked]) -> Recall:
        """The nearest facts, and of the nearest affective memories the most salient.

        Nothing is changed by it.

        Args:
            query: What the memories should be near to.
            user_id: Whose.
            **asked: `where`, a filter over their metadata, which can only narrow them; `statuses`,
                which count; `affect`, the present affect (an `Affect`, a label or a callable), so
                that a user in distress is spared; `conversation`, the turns so far, oldest first,
                which are mixed into the query (`emomem.mixing`); `cues`, texts that are mixed
                into what asks for feelings (`emomem.memory.cues`), and `relations`, what others
                mean to the one who recalls, -10..10 by name, which bring what they can be hurt in.
        """
        user = self._user(user_id)
        recall: Recall = self._run(user, self._recall(query_of(user, query, **asked)))
        return recall

    async def arecall(
        self, query: str, *, user_id: str | None = None, **asked: Unpack[Asked]
    ) -> Recall:
        """`recall` without blocking the event loop."""
        user = self._user(user_id)
        recall: Recall = await self._arun(user, self._recall(query_of(user, query, **asked)))
        return recall

    def recall_data(
        self, query: str, *, user_id: str | None = None, **asked: Unpack[Asked]
    ) -> list[dict[str, Any]]:
        """What is recalled as JSON's own types, for a tool of an agent.

        Each memory has its `id` and `text` and what `context` says of it: date, speaker, affect,
        status, caution, and its conflicts with the other side. The arguments are those of
        `recall`.
        """
        user = self._user(user_id)
        rows: list[dict[str, Any]] = self._run(user, self._rows(query_of(user, query, **asked)))
        return rows

    async def arecall_data(
        self, query: str, *, user_id: str | None = None, **asked: Unpack[Asked]
    ) -> list[dict[str, Any]]:
        """`recall_data` without blocking the event loop."""
        user = self._user(user_id)
        steps = self._rows(query_of(user, query, **asked))
        rows: list[dict[str, Any]] = await self._arun(user, steps)
        return rows

    def context(self, query: str, *, user_id: str | None = None, **asked: Unpack[Asked]) -> str:
        """What is recalled for a query as a block for a chat model; "" where there is nothing.

        It gives each text with its date and affect, and the conflicts with both sides, quoted as
        data; `save` leaves it out of what it is given. Make it before the query itself is saved.
        The arguments are those of `recall`; without an `affect` the query's own is read.
        """
        user = self._user(user_id)
        block: str = self._run(user, self._context(query_of(user, query, **asked)))
        return block

    async def acontext(
        self, query: str, *, user_id: str | None = None, **asked: Unpack[Asked]
    ) -> str:
        """`context` without blocking the event loop."""
        user = self._user(user_id)
        block: str = await self._arun(user, self._context(query_of(user, query, **asked)))
        return block

    def forget(self, user_id: str | None = None, *, ids: Sequence[str] | None = None) -> Forgotten:
        """Forget a user, or some units with all that belongs to them, and prove it by a scan.

        What the units had superseded counts again, unless something that stays took its place too.

        Args:
            user_id: Whose; all of it unless `ids` says which.
            ids: The units, by their `unit_id`. The rest of their interactions goes with them, and
                what was made from them.

        Raises:
            TypeError: `ids` is no list of ids.
            ValueError: Neither is given.
            Exception: What one of `purges` raised; then nothing is forgotten.
            RuntimeError: The scan found something left.
        """
        user = self._whose(user_id, ids)
        steps = self._forget(user, ids)
        forgotten: Forgotten = self._run(user, steps)
        return forgotten

    async def aforget(
        self, user_id: str | None = None, *, ids: Sequence[str] | None = None
    ) -> Forgotten:
        """`forget` without blocking the event loop."""
        user = self._whose(user_id, ids)
        steps = self._forget(user, ids)
        forgotten: Forgotten = await self._arun(user, steps)
        return forgotten

    def _whose(self, user_id: str | None, ids: Sequence[str] | None) -> str:
        if user_id is None and ids is None:
            msg = "say whose memories to forget, or the ids of which"
            raise ValueError(msg)
        if ids is not None:
            check_ids(ids)
        return self._user(user_id)

    def _forget(self, user_id: str, ids: Sequence[str] | None) -> Steps:
        kept = self.keepers.purges(user_id, everything=ids is None)
        return forget(self._parts, user_id, ids, (*self._purges, *kept))

    def _recall(self, query: Query) -> Steps:
        return (yield from self._recaller.recall(self._parts, query))

    def _context(self, query: Query) -> Steps:
        if query.present.is_unknown and query.text.strip():
            [present] = yield from self._parts.read([query.text])
            query = replace(query, present=present)
        recall, told = yield from self._with_sides(query)
        tell = partial(self._told, query.text, recall, told)
        # The guard and the counter may be the application's own, and take their time.
        block: str = yield Call(tell, partial(asyncio.to_thread, tell))
        return block

    def _with_sides(self, query: Query) -> Steps:
        """What is recalled, and the other sides of its conflicts, by id."""
        recall: Recall = yield from self._recall(query)
        others = yield from inspecting.others(self._parts, query.user_id, recall.units, query.where)
        now = self._parts.now()
        recall = yield from inspecting.with_what_holds(self._parts, recall, now)
        # History may be told; what is suppressed, over, or not for this hour may not.
        known = replace(query, statuses=("current", "superseded"))
        told = {id_: unit for id_, unit in others.items() if known.admits(unit, now)}
        return recall, sides(recall.units, told, query.present)

    def _rows(self, query: Query) -> Steps:
        recall, told = yield from self._with_sides(query)
        return recalled_rows(recall, told, self._parts.now())

    def _told(self, text: str, recall: Recall, others: Mapping[str, MemoryUnit]) -> str:
        count, tokens = self._recaller.count_tokens, self._recaller.sizes.tokens
        budget = self._recaller.budget(recall)
        caution = guarded(self._guard, text)
        block = format_recall(recall, others, budget, self._parts.now(), caution)
        return shortened(block, tokens, count) if recall.units else block


def _default_detector() -> ConflictDetector:
    from emomem.memory.detectors.ensemble import EnsembleConflictDetector  # noqa: PLC0415 - large

    return EnsembleConflictDetector()

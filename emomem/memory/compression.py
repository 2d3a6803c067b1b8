"""Compression: many small good moments become one summary, their affect kept as statistics."""

import json
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from typing import Final

import numpy as np

from emomem.affect import Affect, AffectArray
from emomem.memory.dynamics import DAY
from emomem.memory.parts import Parts, Steps
from emomem.memory.said import storable
from emomem.memory.store import Change, Find, Patch, Put
from emomem.memory.succession import succeeded
from emomem.memory.unit import NEVER, MemoryUnit, Scalar, make_unit_id, to_metadata
from emomem.safety import PROMOTIONAL, promotes

Summarise = Callable[[Sequence[str]], str]
"""One text for several, for example by a chat model."""

logger = logging.getLogger(__name__)

_LONGEST: Final = 2000
"""Characters that a summary may have in any case; else no more than what it is made from."""

_NUMBERS: Final = ("valence", "arousal")


@dataclass(frozen=True)
class Compression:
    """What is compressed, and when.

    A memory is compressed that is pleasant, calm, in no conflict and older than `age`, promotes
    nothing and does not end by itself; those of one speaker, one experiencer, the same metadata and
    one stretch of `days` together, where they are at least `least`.

    Args:
        age: Days after which a memory may be compressed, >= 0.
        days: How long a stretch is, > 0.
        least: How many memories are worth a summary, >= 2.
        arousal: 0..1, the arousal that is still calm.
        conflict: 0..1, the conflict that is still none.

    Raises:
        ValueError: A number is out of range.
    """

    age: float = 30.0
    days: float = 7.0
    least: int = 3
    arousal: float = 1 / 3
    conflict: float = 1 / 3

    def __post_init__(self) -> None:
        """Check the numbers."""
        if not (self.age >= 0 and self.days > 0 and self.least >= 2):  # noqa: PLR2004 - one is none
            msg = f"age must be >= 0, days > 0 and least >= 2, got {self!r}"
            raise ValueError(msg)

    def groups(self, units: Iterable[MemoryUnit], now: float) -> list[list[MemoryUnit]]:
        """The facts that belong together, the oldest group first."""
        before = now - self.age * DAY
        chosen = [unit for unit in units if unit.created_at < before and self._is_small(unit, now)]

        def place(unit: MemoryUnit) -> tuple[float, str, str, str]:
            # What an application marks, as private or as a channel's, it marks of the summary too.
            own = json.dumps(dict(unit.metadata), sort_keys=True)
            return unit.created_at // (self.days * DAY), unit.speaker, unit.experiencer, own

        parts = [list(part) for _, part in groupby(sorted(chosen, key=place), key=place)]
        return [part for part in parts if len(part) >= self.least]

    def _is_small(self, unit: MemoryUnit, now: float) -> bool:
        affect = unit.affect
        return (
            unit.kind == "fact"
            and unit.status_at(now) == "current"
            and unit.expires_at == NEVER
            and not unit.metadata.get(PROMOTIONAL, promotes(unit.text))
            and not unit.conflicts
            and (affect.valence or 0.0) > 0
            and affect.arousal is not None
            and affect.arousal <= self.arousal
            and (affect.conflict or 0.0) <= self.conflict
        )


def statistics(affects: Sequence[Affect]) -> tuple[Affect, dict[str, Scalar]]:
    """The mean of some affects, and n, mean and spread (standard deviation) as flat metadata."""
    columns = AffectArray.from_affects(affects)
    told: dict[str, Scalar] = {"summary_n": len(affects)}
    means: dict[str, float] = {}
    for name in _NUMBERS:
        values = getattr(columns, name)
        known = values[~np.isnan(values)]
        if known.size:
            means[name] = float(known.mean())
            told[f"summary_{name}_mean"] = round(means[name], 12)
            told[f"summary_{name}_spread"] = round(float(known.std()), 12)
    return Affect(**means, source="summary"), told


def listed(texts: Sequence[str]) -> str:
    """The texts one after the other: a summary without a model."""
    return "; ".join(text.strip().rstrip(".;") for text in texts)


def compress(
    parts: Parts, user_id: str, compression: Compression, summarise: Summarise = listed
) -> Steps:
    """Put a summary in the place of each group; what it was made from is kept as its sources.

    Returns:
        The summaries.
    """
    return (yield from parts.in_turn(user_id, _compress(parts, user_id, compression, summarise)))


def _compress(parts: Parts, user_id: str, compression: Compression, summarise: Summarise) -> Steps:
    now = parts.now()
    key = yield from parts.key()
    [units] = yield from parts.ask(Find(user_id, {"kind": "fact"}))
    made: list[MemoryUnit] = []
    for group in compression.groups(units, now):
        texts = [unit.text for unit in group]
        text = yield from parts.logged(partial(_summarised, summarise, texts))
        if text is None:
            continue
        summary = _summary(group, text, now, key)
        after: Change = succeeded(summary)
        linked = {"interaction_id": {"$in": [unit.interaction_id or "-" for unit in group]}}
        [whole] = yield from parts.ask(Find(user_id, linked))
        changes = {unit.unit_id: after for unit in (*group, *whole)}
        yield from parts.change(
            user_id,
            {"create": {summary.unit_id: to_metadata(summary)}, "consolidate": changes},
            Put([summary]),
            Patch(user_id, changes),
        )
        made.append(summary)
    return made


def _summarised(summarise: Summarise, texts: Sequence[str]) -> str | None:
    """The summary of texts; None where what is given is none, so that they stay as they are."""
    try:
        text = summarise(texts)
        left = storable(text).strip() if isinstance(text, str) else ""
    except Exception as error:  # noqa: BLE001 - it costs only this summary
        # The error's own message may quote a memory, so only its type is logged.
        logger.warning("no summary was made: %s", type(error).__name__)
        return None
    most = max(_LONGEST, len(listed(texts)))
    if not left or len(left) > most:
        logger.warning("a summary must be a text of 1 to %d characters; left out", most)
        return None
    return left


def _summary(group: Sequence[MemoryUnit], text: str, now: float, key: bytes) -> MemoryUnit:
    affect, told = statistics([unit.affect for unit in group])
    first, last = (
        datetime.fromtimestamp(unit.created_at, UTC).date().isoformat()
        for unit in (group[0], group[-1])
    )
    unit = group[0].model_copy(
        update={
            "text": f"{first} to {last}: {text}",
            "created_at": group[-1].created_at,
            "last_at": now,
            "affect": affect,
            "salience": None,
            "session_id": None,
            "interaction_id": None,
            "times": 1,
            "sources": tuple(one.unit_id for one in group),
            "metadata": {**group[0].metadata, **told},
        }
    )
    return unit.model_copy(update={"unit_id": make_unit_id(unit, key)})

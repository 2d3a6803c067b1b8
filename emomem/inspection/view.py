"""What the page shows of a memory, as JSON's own types; every number on it is computed here."""

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np

from emomem.affect import Affect
from emomem.encoding.record import MEMORY_ID, first_of_each
from emomem.memory.inspecting import Opposed
from emomem.memory.operations import Operation
from emomem.memory.recalling import saliences
from emomem.memory.unit import MemoryUnit, to_metadata
from emomem.metadata import decode

Data = dict[str, Any]

TIME_KEYS: Final = ("created_at", "timestamp", "date", "time")
"""Where a document that is no unit may say when it is from, in order of preference."""

_DECIMALS: Final = 4
_DATES: Final = (-62_135_596_800.0, 253_402_300_799.0)
"""The years 1 to 9999, in seconds since 1970: what a date can be written of."""


def units_view(
    units: Sequence[MemoryUnit],
    conflicts: Sequence[Opposed],
    operations: Sequence[Operation],
    clock: Callable[[], float] = time.time,
) -> Data:
    """What is shown of one user's units.

    Args:
        units: All of them.
        conflicts: The open ones and the settled ones.
        operations: What the log has of them; empty where none is kept.
        clock: The time now, in seconds since 1970.

    Returns:
        `kind`, `user`, `memories`, `conflicts` and `operations`. Text and metadata of the
        memories, with the operations, are what `Memory.export` gives.
    """
    now = clock()
    facts = {(unit.interaction_id, unit.text) for unit in units if unit.kind != "affective"}
    strengths = saliences(units, now, None).tolist()
    return {
        "kind": "memory",
        "memories": [
            {
                "id": unit.unit_id,
                "text": unit.text,
                "metadata": to_metadata(unit),
                "at": unit.created_at,
                "status": unit.status_at(now),
                "salience": _number(strength),
                "affect": affect_view(unit.affect),
                # The reading of a fact in the fact's own words says nothing more.
                "echo": unit.kind == "affective" and (unit.interaction_id, unit.text) in facts,
            }
            for unit, strength in zip(units, strengths, strict=True)
        ],
        "conflicts": [
            {
                **one.context.model_dump(include={"kind", "intensity", "reason", "settlement"}),
                "at": one.context.at,
                "parties": list(one.context.parties),
                "earlier": one.earlier.unit_id,
                "later": one.later.unit_id,
            }
            for one in conflicts
        ],
        "operations": [one.model_dump(mode="json") for one in operations],
    }


def documents_view(rows: Iterable[tuple[str, str, Mapping[str, Any]]]) -> Data:
    """What is shown of tagged documents that are no units.

    Args:
        rows: Id, text and metadata of each; of a deep memory with several vectors the first counts.
    """
    held = list(rows)
    whole = [held[place] for place in first_of_each([metadata for _, _, metadata in held])]
    return {
        "kind": "documents",
        "memories": [
            {
                "id": id_,
                "text": text,
                "metadata": {key: _plain(value) for key, value in metadata.items()},
                "at": _time(metadata),
                "status": "current",
                "salience": _number(metadata.get("affect_salience")),
                "affect": affect_view(decode(metadata)),
                "echo": False,
            }
            for id_, text, metadata in whole
        ],
        "conflicts": [],
        "operations": [],
    }


def with_pieces(rows: Iterable[tuple[str, Mapping[str, Any]]], ids: Iterable[str]) -> list[str]:
    """The ids with those of all other vectors of the same deep memories.

    Args:
        rows: Id and metadata of every document.
        ids: Some of the ids.
    """
    held, wanted = list(rows), set(ids)
    memories = {metadata.get(MEMORY_ID) for id_, metadata in held if id_ in wanted} - {None}
    return [id_ for id_, metadata in held if id_ in wanted or metadata.get(MEMORY_ID) in memories]


def affect_view(affect: Affect) -> Data:
    """What is known of an affect, its distribution as the eight of Plutchik."""
    if affect.is_unknown:
        return {}
    known = affect.model_dump(exclude={"emotions"}, exclude_none=True)
    felt = affect.plutchik or {}
    return {
        **{
            key: _number(value) if isinstance(value, float) else value
            for key, value in known.items()
        },
        **({"emotions": {name: _number(felt[name]) for name in felt}} if felt else {}),
    }


def _number(value: Any) -> float | None:  # noqa: ANN401 - what a store holds
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return round(number, _DECIMALS) if math.isfinite(number) else None


def _plain(value: Any) -> Any:  # noqa: ANN401 - what a store holds
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    return value if isinstance(value, str | int | bool) or value is None else str(value)


def _time(metadata: Mapping[str, Any]) -> float | None:
    """Seconds since 1970, where a document says when it is from; of the years 1 to 9999."""
    for key in TIME_KEYS:
        value = metadata.get(key)
        if isinstance(value, str):
            try:
                value = datetime.fromisoformat(value.strip())
            except ValueError:
                continue
            value = (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        if _DATES[0] <= value <= _DATES[1]:  # milliseconds are no seconds of any year
            return float(value)
    return None

"""What is left of a memory of which a part is no longer so: what else was said holds on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from emomem.memory.detectors.clauses import plain
from emomem.memory.detectors.verbs import ALL_VERBS
from emomem.memory.parts import Parts, Steps
from emomem.memory.questions import is_question
from emomem.memory.store import Find
from emomem.memory.unit import MemoryUnit, make_unit_id

_MOST: Final = 40
_LONGEST: Final = 4000
"""Statements and characters of a text that are looked at; a text of more is given up whole."""

_SENTENCE_END: Final = re.compile(
    r"(?<=[.!?…])(?<!\b[A-Z]\.)(?<!\b[DM]r\.)(?<!\bMrs\.)(?<!\bSt\.)[\"'”’)]*\s+|(?<=[。！？；])|\n+"
)
_JOINT: Final = re.compile(
    r"""(?:\s*[,;]\s*|\s+)(?:and|but)\s+(?=(?:i|we|my|our|he|she|his|her|it|its|they|their|the|there)\b)
    |\s*[,;]\s+(?=(?:i|we|my|our|he|she|his|her|they|their)\b)
    |[，；]""",
    re.IGNORECASE | re.VERBOSE,
)
"""Where a sentence says another thing."""
_REFERS: Final = re.compile(
    r"""(?:^\W*|\b(?:of|in|to|at|from|about|for|with|on|by|is|was|love|like|hate|and|but|only|know)\s+)
        (?:that|this|these|those|one)\b
    |^\W*(?:so|which)\b
    |\b(?:it|its|itself|there|they|them|their|he|she|him|his|her|hers|lá|ela?s?|dele|dela|isso|isto|aquilo)\b
    |那里|那裡|那儿|它|这|這|他|她""",
    re.IGNORECASE | re.VERBOSE,
)
"""What may speak of the statement before, and mean nothing, or another thing, without it."""
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")
_END: Final = re.compile(r"[.!?…。！？]+[\"'”’)]*$")


@dataclass(frozen=True)
class _Piece:
    """One statement, where it stands: in which sentence, and behind what joint."""

    sentence: int
    joint: str
    text: str


def remainders(
    parts: Parts, units: Sequence[MemoryUnit], against: Sequence[MemoryUnit], *, later: bool
) -> Steps:
    """What some units, whose place others take, say beside what those contradict.

    Each statement of a unit is held against the others by the memory's own detector. Those that
    are contradicted go, and what follows them and seems to speak of them ("it is lovely there");
    so do those that the others say as well.
    The rest becomes a fact of its own, with the unit as its source, of the same interaction and
    time. Where the detector finds no single statement to be wrong, the whole unit is.

    Args:
        parts: The memory's parts.
        units: The units, which say more than one thing or not.
        against: What takes their place.
        later: Whether the units are held against the others, as what was said later is; else the
            others are held against them.

    Returns:
        The new facts, each with its id; none that is there already.
    """
    lefts: list[tuple[MemoryUnit, str]] = []
    for unit in units:
        text = yield from left_over(parts, unit, against, later=later)
        lefts += [(unit, text)] if text else []
    return (yield from facts_of(parts, lefts))


def left_over(
    parts: Parts, unit: MemoryUnit, against: Sequence[MemoryUnit], *, later: bool
) -> Steps:
    """The text of what a unit says that `against` leaves as it is; see `remainders`.

    Returns:
        A str, "" where nothing is left; None where no single statement is found to be wrong.
    """
    pieces = _pieces(unit.text) if len(unit.text) <= _LONGEST else []
    if not 1 < len(pieces) <= _MOST:
        return None
    parted = [_of(unit, piece.text, f"{unit.unit_id}#{row}") for row, piece in enumerate(pieces)]
    again = " ".join(_bare(other.text) for other in against)
    wrong = {part.unit_id for part in parted if _bare(part.text) in again}
    for other in against:
        if later:
            for part in parted:
                found = yield from parts.conflicts(part, [other])
                wrong |= {part.unit_id} if found else set()
        else:
            found = yield from parts.conflicts(other, parted)
            wrong |= {conflict.against.unit_id for conflict in found}
    held = [one.unit_id not in wrong for one in parted]
    return None if all(held) else _left(pieces, held)


def facts_of(parts: Parts, lefts: Sequence[tuple[MemoryUnit, str]]) -> Steps:
    """Facts of their own from units and what is left of each; none that is there already."""
    made = [_of(unit, text, "") for unit, text in lefts]
    affects = (yield from parts.read([unit.text for unit in made])) if made else []
    felt = [
        unit.model_copy(update={"affect": affect})
        for unit, affect in zip(made, affects, strict=True)
    ]
    return (yield from _new(parts, felt))


def _of(unit: MemoryUnit, text: str, unit_id: str) -> MemoryUnit:
    return unit.model_copy(
        update={
            "unit_id": unit_id,
            "text": text,
            "kind": "fact",
            "status": "current",
            "superseded_by": None,
            "suppressed_until": 0.0,
            "replaced_until": 0.0,
            "salience": None,
            "conflicts": (),
            "sources": (unit.unit_id,),
            "times": 1,
            "last_at": unit.created_at,
            "recalled": 0,
            "recalled_at": 0.0,
        }
    )


def _new(parts: Parts, units: Sequence[MemoryUnit]) -> Steps:
    """The units with their ids; what counts already, word for word, is left out."""
    key = yield from parts.key()
    now = parts.now()
    new: list[MemoryUnit] = []
    for unit in units:
        id_ = make_unit_id(unit, key)
        [held] = yield from parts.ask(Find(unit.user_id, ids=[id_]))
        while held and not held[0].is_true_at(now):
            id_ = make_unit_id(unit, key, after=id_)
            [held] = yield from parts.ask(Find(unit.user_id, ids=[id_]))
        if not held and id_ not in {one.unit_id for one in new}:
            new.append(unit.model_copy(update={"unit_id": id_}))
    return new


def _pieces(text: str) -> list[_Piece]:
    """The statements of a text; what has no verb of its own belongs to the one before."""
    pieces: list[_Piece] = []
    sentences = [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]
    for row, sentence in enumerate(sentences):
        start, joint = 0, ""
        for found in [*_JOINT.finditer(sentence), None]:
            end = len(sentence) if found is None else found.start()
            said = sentence[start:end]
            if joint and pieces and pieces[-1].sentence == row and not _has_verb(said):
                before = pieces.pop()
                joint, said = before.joint, f"{before.text}{joint}{said}"
            if said.strip():
                pieces.append(_Piece(row, joint, said))
            if found is not None:
                start, joint = found.end(), found[0]
    return pieces


def _bare(text: str) -> str:
    return _END.sub("", text).strip().casefold()


def _has_verb(text: str) -> bool:
    words = plain(text).split()
    return not words or _HAN.search(text) is not None or not ALL_VERBS.isdisjoint(words)


def _left(pieces: Sequence[_Piece], held: Sequence[bool]) -> str:
    """The text of what holds; what is only asked goes with the rest of what is wrong."""
    kept: list[_Piece] = []
    after_wrong = False
    for piece, holds in zip(pieces, held, strict=True):
        # What is dropped takes with it what speaks of it, and what speaks of that.
        after_wrong = not holds or (after_wrong and _REFERS.search(piece.text) is not None)
        if not after_wrong and not is_question(piece.text):
            kept.append(piece)
    sentences = []
    for row in dict.fromkeys(piece.sentence for piece in kept):
        first, *more = [piece for piece in kept if piece.sentence == row]
        whole = first.text + "".join(f"{piece.joint}{piece.text}" for piece in more)
        last = next(piece for piece in reversed(pieces) if piece.sentence == row)
        end = _END.search(last.text)
        closed = whole if end is None or _END.search(whole) else whole + end[0]
        sentences.append(closed[:1].upper() + closed[1:])
    return " ".join(sentences)

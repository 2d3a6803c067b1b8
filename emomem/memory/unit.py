"""One memory: what was said, by whom, when, how it felt, and what became of it."""

import hashlib
import hmac
import json
import re
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    field_serializer,
    field_validator,
    model_validator,
)

from emomem.affect import Affect, Unit
from emomem.checks import not_blank
from emomem.metadata import DEFAULT_FIELDS, MetadataFields, decode, encode

Kind = Literal["fact", "affective", "dream", "goal", "question"]
"""What a unit holds: what was said, how it felt, what a night made of several, a goal, or what
was only asked."""

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

Status = Literal["current", "superseded", "suppressed", "expired"]
"""Whether a unit counts now; only what is current is recalled by default."""

Scalar = str | int | float | bool
NEVER: Final = 253402300799.0
"""The end of the year 9999: a time that does not come."""

Time = Annotated[float, Field(ge=-62135596800.0, le=NEVER, allow_inf_nan=False, strict=True)]
"""Seconds since 1970 (UTC), within the years 1 to 9999."""

_SEPARATOR: Final = ","


Name = Annotated[str, AfterValidator(not_blank)]


class ConflictContext(BaseModel):
    """One conflict that a unit is in, as the unit keeps it.

    Attributes:
        kind: Which kind of conflict it is.
        against: The `unit_id` of the other unit.
        parties: Who stands against whom, this unit's side first.
        intensity: 0..1.
        reason: Why it is one; it may quote neither unit.
        settlement: How it was settled; None while it is open.
        ask: Whether the user is to be asked which side holds.
        at: When it was noticed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    kind: Name
    against: Name
    parties: tuple[str, ...] = ()
    intensity: Unit = 0.0
    reason: str = ""
    settlement: str | None = None
    ask: bool = False
    at: Time = 0.0


_CONTEXTS: Final = TypeAdapter(tuple[ConflictContext, ...])


class MemoryUnit(BaseModel):
    """One memory of one user; it cannot be changed, `model_copy(update=…)` gives another.

    Attributes:
        text: What was said. It is left out of the repr, so that no log holds it.
        user_id: Whose memory it is.
        speaker: Who said it.
        created_at: When, in seconds since 1970.
        unit_id: Its name in the store, as `make_unit_id` gives it; "" before it has one.
        kind: "fact", "affective", "dream", "goal" or "question".
        status: "current", "superseded", "suppressed" or "expired".
        experiencer: Who feels it ("Sam was upset" is Sam's); the speaker where it is not given.
        session_id: The conversation that it belongs to.
        interaction_id: What the fact and the affective reading of one interaction share.
        affect: How it felt.
        salience: 0..1, in place of what the affect says, once it was weighed anew.
        superseded_by: The `unit_id` of what is true instead.
        sources: The ids of the units that it was made from.
        conflicts: The conflicts that it is in.
        times: How often the very same was said, >= 1.
        last_at: When it was last said; `created_at` where it is not given.
        recalled: How often it was reinforced by a recall, >= 0.
        recalled_at: When it last was; 0 for never.
        suppressed_until: When a suppression ends; of what is superseded for a time only, when that
            does; 0 for never.
        replaced_until: Of what is silent and superseded for a time only, when the latter ends; 0
            for never.
        expires_at: When it ends by itself.
        metadata: The caller's own values, flat.

    Raises:
        pydantic.ValidationError: A value is not allowed. (It is a ValueError.)

    Example:
        >>> unit = MemoryUnit(text="I hate Mondays", user_id="ann", speaker="ann", created_at=0)
        >>> unit.kind, unit.status, unit.experiencer
        ('fact', 'current', 'ann')
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    text: str = Field(repr=False)
    user_id: Name
    speaker: Name
    created_at: Time
    unit_id: str = ""
    kind: Kind = "fact"
    status: Status = "current"
    experiencer: str = ""
    session_id: Name | None = None
    interaction_id: Name | None = None
    affect: Affect = Field(default_factory=Affect.unknown)
    salience: Unit | None = None
    superseded_by: Name | None = None
    sources: tuple[Name, ...] = ()
    conflicts: tuple[ConflictContext, ...] = Field(default=(), repr=False)
    times: int = Field(default=1, ge=1)
    last_at: Time = NEVER
    recalled: int = Field(default=0, ge=0)
    recalled_at: Time = 0.0
    suppressed_until: Time = 0.0
    replaced_until: Time = 0.0
    expires_at: Time = NEVER
    metadata: Mapping[str, Scalar] = Field(default_factory=dict, repr=False)

    @field_validator("sources")
    @classmethod
    def _can_be_joined(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if any(_SEPARATOR in source for source in value):
            msg = f"the id of a source holds no {_SEPARATOR!r}"
            raise ValueError(msg)
        return value

    @field_validator("metadata")
    @classmethod
    def _is_the_callers(cls, value: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        reserved = sorted(key for key in value if key in RESERVED or key.startswith("affect_"))
        if reserved:
            msg = f"metadata may not name what a unit itself keeps, got {', '.join(reserved)}"
            raise ValueError(msg)
        return MappingProxyType(dict(value))

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if not self.experiencer.strip():
            object.__setattr__(self, "experiencer", self.speaker)
        if self.last_at == NEVER:
            object.__setattr__(self, "last_at", self.created_at)
        return self

    def status_at(self, now: float) -> Status:
        """Its status at a time: a suppression ends, and a life too, without anybody's doing."""
        if self.expires_at <= now:
            return "expired"
        if self.suppressed_until > now:
            return self.status
        is_back = 0 < self.back_at <= now  # what took its place was to end
        if self.status == "suppressed":
            return "superseded" if self.is_replaced and not is_back else "current"
        return "current" if self.status == "superseded" and is_back else self.status

    def is_true_at(self, now: float) -> bool:
        """Whether what it says is so at a time, be it told or silent."""
        is_gone = self.is_replaced and not 0 < self.back_at <= now
        return self.status_at(now) in ("current", "suppressed") and not is_gone

    @property
    def is_replaced(self) -> bool:
        """Whether something is true instead; how it felt stays true whatever comes after."""
        return self.superseded_by is not None and self.kind != "affective"

    @property
    def back_at(self) -> float:
        """When what took its place gives it back; 0 for never."""
        of_the_told = self.suppressed_until if self.status == "superseded" else 0.0
        return of_the_told or self.replaced_until

    @field_serializer("metadata")
    def _as_dict(self, value: Mapping[str, Scalar]) -> dict[str, Scalar]:
        return dict(value)

    def __hash__(self) -> int:
        """Of what a unit is known by, since metadata has no hash."""
        return hash((self.unit_id, self.user_id, self.kind, self.text))

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        """The same: nothing in it can be changed."""
        return self

    def __getstate__(self) -> dict[Any, Any]:
        """Its state for pickle, which takes no view of a mapping."""
        state = super().__getstate__()
        values = {**state["__dict__"], "metadata": dict(self.metadata)}
        return {**state, "__dict__": values}

    def __setstate__(self, state: dict[Any, Any]) -> None:
        """The unit out of such a state."""
        super().__setstate__(state)
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))


_PLAIN: Final = (
    "unit_id", "user_id", "speaker", "experiencer", "session_id", "interaction_id", "kind",
    "status", "created_at", "last_at", "times", "recalled", "recalled_at", "superseded_by",
    "suppressed_until", "replaced_until", "expires_at",
)  # fmt: skip
RESERVED: Final = frozenset({*_PLAIN, "text", "weighed", "sources", "conflicts", "in_conflict"})
"""The metadata keys of a unit, besides those of its affect."""


_MARK: Final = 16


def make_unit_id(unit: MemoryUnit, key: bytes, after: str = "") -> str:
    """The id of a unit: HMAC-SHA256 (RFC 2104) of what it says, keyed by the store's key.

    The very same words of the same speaker about the same experiencer give the same id, so that
    exact duplicates merge and near ones never do; without the key it tells nothing of the text.

    Args:
        unit: The unit.
        key: The store's key.
        after: The id of an equal unit that is no longer current, whose place this one takes.

    Returns:
        64 hexadecimal digits, the first 16 of which are the user's `owner_mark`.
    """
    parts = [unit.user_id, unit.kind, unit.speaker, unit.experiencer, unit.text, after]
    return owner_mark(unit.user_id, key) + _keyed(json.dumps(parts), key)[_MARK:]


def owner_mark(user_id: str, key: bytes) -> str:
    """What the ids of a user's units begin with: 16 digits of HMAC-SHA256 of the user's id.

    So a store can tell by the ids alone which units are not the user's, and read none of those.
    """
    return _keyed(user_id, key)[:_MARK]


def is_made_id(unit_id: str) -> bool:
    """Whether an id is of the form that `make_unit_id` gives, and not one of somebody's own."""
    return re.fullmatch(r"[0-9a-f]{64}", unit_id) is not None


def _keyed(text: str, key: bytes) -> str:
    return hmac.new(key, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def to_metadata(
    unit: MemoryUnit, fields: MetadataFields = DEFAULT_FIELDS
) -> dict[str, str | int | float | bool]:
    """A unit as flat native scalars for a store; its text goes beside them."""
    values = {name: getattr(unit, name) for name in _PLAIN}
    metadata = {
        **unit.metadata,
        **{name: value for name, value in values.items() if value not in (None, "")},
        **encode(unit.affect, fields),
    }
    if unit.salience is not None:
        metadata |= salience_change(unit.salience, fields)
    if unit.sources:
        metadata["sources"] = _SEPARATOR.join(unit.sources)
    in_conflicts = _conflicts(unit.conflicts).items()
    return metadata | {key: value for key, value in in_conflicts if value is not None}


def in_time(one: MemoryUnit, other: MemoryUnit) -> tuple[MemoryUnit, MemoryUnit]:
    """Two units, the earlier first; of two at once, the one that the other superseded."""
    later = one.created_at > other.created_at or (
        one.created_at == other.created_at and one.superseded_by != other.unit_id
    )
    return (other, one) if later else (one, other)


def conflict_change(
    unit: MemoryUnit, contexts: Iterable[ConflictContext]
) -> dict[str, Scalar | None]:
    """The change of a unit's metadata that puts it into conflicts; one of a kind a unit each."""
    known = {(one.kind, one.against): one for one in (*unit.conflicts, *contexts)}
    return _conflicts(tuple(known.values()))


def salience_change(
    salience: float, fields: MetadataFields = DEFAULT_FIELDS
) -> dict[str, str | int | float | bool]:
    """The change of a unit's metadata that gives it another salience than its affect says."""
    return {
        fields.salience: round(float(salience), 12),
        "weighed": True,
    }  # rounded as `encode` does


def affect_change(
    unit: MemoryUnit, affect: Affect, fields: MetadataFields = DEFAULT_FIELDS
) -> dict[str, Scalar | None]:
    """The change of a unit's metadata that gives it another affect, and leaves no stale key."""
    return {**dict.fromkeys(encode(unit.affect, fields)), **encode(affect, fields)}


def resolved_change(unit: MemoryUnit, gone: Collection[str]) -> dict[str, Scalar | None]:
    """The change of a unit's metadata that takes it out of conflicts with units that are gone."""
    return _conflicts(tuple(one for one in unit.conflicts if one.against not in gone))


def _conflicts(contexts: tuple[ConflictContext, ...]) -> dict[str, Scalar | None]:
    encoded = _CONTEXTS.dump_json(contexts).decode() if contexts else None
    return {"conflicts": encoded, "in_conflict": bool(contexts)}


def from_metadata(
    text: str, metadata: Mapping[str, Any], fields: MetadataFields = DEFAULT_FIELDS
) -> MemoryUnit:
    """The unit that a store holds.

    Raises:
        ValueError: The metadata are no unit's; the message names the keys and never the values.
    """
    own = {key: metadata[key] for key in _PLAIN if key in metadata}
    mine = RESERVED.union(fields.keys())
    try:
        return MemoryUnit(
            text=text,
            affect=decode(metadata, fields),
            salience=metadata.get(fields.salience) if metadata.get("weighed") else None,
            sources=tuple(filter(None, str(metadata.get("sources", "")).split(_SEPARATOR))),
            conflicts=_CONTEXTS.validate_json(metadata.get("conflicts", "[]")),
            metadata={key: value for key, value in metadata.items() if key not in mine},
            **own,
        )
    except ValidationError as error:
        wrong = sorted({".".join(map(str, fault["loc"])) for fault in error.errors()})
        msg = f"what the store holds is no unit: {', '.join(wrong)}"
        raise ValueError(msg) from None

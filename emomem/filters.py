"""Metadata filters: one neutral grammar, brought to the form that every engine accepts.

The grammar is the one that Chroma and PGVector share: `{"key": value}`,
`{"key": {"$lt": 0.5}}`, several keys (all must hold), `$and` and `$or`. `$not` and `$exists` are
PGVector's and ours; Chroma refuses them.
"""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from emomem.emotions import PLUTCHIK
from emomem.metadata import MetadataFields

_LOGICAL: Final = ("$and", "$or", "$not")
_AFFECT_KEYS: Final = (
    "valence", "arousal", "dominance", "conflict", "confidence", "salience", "label", "source",
)  # fmt: skip


def _compare(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def holds(stored: Any, wanted: Any) -> bool:  # noqa: ANN401 - metadata values
        try:
            return stored is not None and bool(test(stored, wanted))
        except TypeError:
            return False

    return holds


_TESTS: Final[Mapping[str, Callable[[Any, Any], bool]]] = MappingProxyType(
    {
        "$eq": _compare(operator.eq),
        "$ne": _compare(operator.ne),
        "$lt": _compare(operator.lt),
        "$lte": _compare(operator.le),
        "$gt": _compare(operator.gt),
        "$gte": _compare(operator.ge),
        "$in": _compare(lambda stored, wanted: stored in wanted),
        "$nin": _compare(lambda stored, wanted: stored not in wanted),
        "$exists": lambda stored, wanted: (stored is not None) == wanted,
    }
)


OPERATORS: Final = tuple(_TESTS)
"""The operators that `matches` evaluates."""


def normalise(where: Mapping[str, Any]) -> dict[str, Any] | None:
    """A filter in the narrowest form: one key a level, one operator a key.

    Engines refuse `{}`, several keys side by side, several operators on one key, `$and` of one,
    and some of them `$between`; all of them mean something, and this says it in the form that
    they accept.

    Returns:
        The filter, or None where it asks for nothing (`{}`).

    Raises:
        ValueError: A value is None (a user id that was never set must not open the store), a
            logical operator has no operands, or a key or value cannot be a filter's.
    """
    clauses = [_clause(key, value) for key, value in where.items()]
    return _all_of(clauses)


def both(*filters: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The filter that lets through what all of some normalised filters do."""
    return _all_of([dict(clause) for clause in filters if clause is not None])


def matches(where: Mapping[str, Any] | None, metadata: Mapping[str, Any]) -> bool:
    """Whether metadata passes a normalised filter. A key that is missing passes no comparison.

    Raises:
        ValueError: The filter has an operator that can be evaluated only inside an engine.
    """
    if where is None:
        return True
    ((key, value),) = where.items()
    if key == "$and":
        return all(matches(part, metadata) for part in value)
    if key == "$or":
        return any(matches(part, metadata) for part in value)
    if key == "$not":
        return not matches(value, metadata)
    name, wanted = next(iter(value.items())) if isinstance(value, Mapping) else ("$eq", value)
    if name not in _TESTS:
        msg = f"operator {name!r} works only inside an engine; here: {', '.join(_TESTS)}"
        raise ValueError(msg)
    return _TESTS[name](metadata.get(key), wanted)


def can_match(where: Mapping[str, Any] | None) -> bool:
    """Whether `matches` can evaluate a normalised filter, so that no engine has to."""
    return where is None or all(name in _TESTS for name in _operators(where))


def _operators(where: Mapping[str, Any]) -> Iterator[str]:
    """Every comparison of a normalised filter, also those that an evaluation would skip."""
    ((key, value),) = where.items()
    if key in ("$and", "$or"):
        for part in value:
            yield from _operators(part)
    elif key == "$not":
        yield from _operators(value)
    elif isinstance(value, Mapping):
        yield from value


def affect_conditions(
    conditions: Mapping[str, Any], fields: MetadataFields
) -> dict[str, Any] | None:
    """A normalised filter from conditions on affect, its keys those of the store.

    Args:
        conditions: As a filter, over `valence`, `arousal`, `dominance`, `conflict`,
            `confidence`, `salience`, `label`, `source` and Plutchik's eight emotions.
        fields: Where the store keeps them.

    Raises:
        ValueError: A name is none of these, or the conditions are no filter.

    Example:
        >>> affect_conditions({"valence": {"$lt": 0}}, MetadataFields())
        {'affect_valence': {'$lt': 0}}
    """

    # What is no filter at all passes as it is, for `normalise` to refuse.
    def renamed(node: Any) -> Any:  # noqa: ANN401 - a filter's value
        if not isinstance(node, Mapping):
            return node
        return {_stored_key(key, fields): parts(key, value) for key, value in node.items()}

    def parts(key: str, value: Any) -> Any:  # noqa: ANN401 - a filter's value
        if key in ("$and", "$or") and isinstance(value, list | tuple):
            return [renamed(part) for part in value]
        return renamed(value) if key == "$not" else value

    return normalise(renamed(conditions))


def _stored_key(key: str, fields: MetadataFields) -> str:
    if key in _LOGICAL:
        return key
    if key in fields.scales:
        msg = f"{key!r} is stored on a scale of its own; filter on its stored numbers instead"
        raise ValueError(msg)
    if key in _AFFECT_KEYS:
        return str(getattr(fields, key))
    if key in PLUTCHIK:
        return f"{fields.prefix}{key}"
    msg = f"an affect condition names one of {', '.join((*_AFFECT_KEYS, *PLUTCHIK))}, got {key!r}"
    raise ValueError(msg)


def _all_of(clauses: list[dict[str, Any]]) -> dict[str, Any] | None:
    flat = [part for clause in clauses for part in clause.get("$and", [clause])]
    if not flat:
        return None
    return flat[0] if len(flat) == 1 else {"$and": flat}


def _clause(key: str, value: Any) -> dict[str, Any]:  # noqa: ANN401 - a filter's value
    if key in ("$and", "$or"):
        if not isinstance(value, Sequence) or isinstance(value, str) or not value:
            msg = f"{key} needs a non-empty list of filters, got {value!r}"
            raise ValueError(msg)
        parts = [_nested(key, item) for item in value]
        if key == "$and":
            return _all_of(parts) or {}
        return parts[0] if len(parts) == 1 else {"$or": parts}
    if key == "$not":
        return {"$not": _nested(key, value)}
    if not isinstance(key, str) or key.startswith("$"):
        msg = f"a filter's key is a metadata key or one of {', '.join(_LOGICAL)}, got {key!r}"
        raise ValueError(msg)
    if isinstance(value, Mapping):
        if not value:
            msg = f"the filter on {key!r} is empty; give a value or an operator"
            raise ValueError(msg)
        return _all_of([_condition(key, name, wanted) for name, wanted in value.items()]) or {}
    return {key: _value(key, value)}


def _nested(key: str, item: Any) -> dict[str, Any]:  # noqa: ANN401 - a filter's value
    inner = normalise(item) if isinstance(item, Mapping) else None
    if inner is None:
        msg = f"{key} takes filters that are not empty, got {item!r}"
        raise ValueError(msg)
    return inner


def _condition(key: str, name: str, wanted: Any) -> dict[str, Any]:  # noqa: ANN401 - the same
    if name not in ("$in", "$nin", "$between"):
        return {key: {name: _value(key, wanted)}}
    if not isinstance(wanted, list | tuple | set | frozenset):
        msg = f"{name} on {key!r} needs a list of values, got {wanted!r}"
        raise ValueError(msg)  # noqa: TRY004 - pydantic passes on a ValueError
    values = [_value(key, value) for value in wanted]
    if name != "$between":
        return {key: {name: values}}
    if len(values) != 2:  # noqa: PLR2004 - a lower and an upper bound
        msg = f"$between on {key!r} needs a lower and an upper bound, got {wanted!r}"
        raise ValueError(msg)
    low, high = values
    return {"$and": [{key: {"$gte": low}}, {key: {"$lte": high}}]}


def _value(key: str, value: Any) -> Any:  # noqa: ANN401 - a filter's value
    if value is None:
        msg = f"the filter on {key!r} has the value None; nothing can equal it, so it is refused"
        raise ValueError(msg)
    return value

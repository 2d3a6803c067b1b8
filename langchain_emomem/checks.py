"""Checks of arguments that the components share.

The components hide pydantic's own echo of an input, which may be a document; a number may be named.
"""


def check_at_least_one(**counts: int | None) -> None:
    """Refuse a count below 1; None is no count.

    Raises:
        ValueError: A count is below 1, or no int.
    """
    for name, count in counts.items():
        if count is not None and (not isinstance(count, int) or count < 1):
            msg = f"{name} must be >= 1, got {count!r}"
            raise ValueError(msg)

"""Whether stored vectors are those that an encoder makes, as one of them tells."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from weakref import finalize, ref

from emomem.fused import EXTRA, looks_fused
from emomem.signals import cosines

_SAME: Final = 0.95
"""The cosine that two encodings of one text have at least; servers are not exact."""


@dataclass(frozen=True)
class Seen:
    """Which stores were seen to hold the vectors of which encoder, while both exist."""

    _of: dict[int, ref[Any]] = field(default_factory=dict)

    def agree(self, store: object, encoder: object) -> bool:
        """Whether they were seen to."""
        seen = self._of.get(id(store))
        return seen is not None and seen() is encoder

    def remember(self, store: object, encoder: object) -> None:
        """Say that they do."""
        if id(store) not in self._of:
            finalize(store, self._of.pop, id(store), None)
        self._of[id(store)] = ref(encoder)


@dataclass(frozen=True)
class Names:
    """What an error names.

    Attributes:
        fuser: The class that makes fused vectors.
        encoder: The class of the encoder of sentences.
        help: The way out.
    """

    fuser: str
    encoder: str
    help: str


def check_fused(held: Sequence[float], semantic: Sequence[float], names: Names) -> None:
    """Refuse a stored vector that is not the fused one of a text.

    Args:
        held: The stored vector.
        semantic: The sentence vector that the encoder makes of the text.
        names: What the error names.

    Raises:
        ValueError: It has other dimensions, is not fused, or is of another encoder.
    """
    check_form(held, len(semantic), names)
    meaning = held[:-EXTRA]
    if not of_one_encoder(meaning, semantic):
        msg = (
            f"the collection's vectors were made with another encoder than {names.encoder}: the "
            f"same text gives another vector of {len(semantic)} + {EXTRA} dimensions; {names.help}"
        )
        raise ValueError(msg)


def of_one_encoder(held: Sequence[float], made: Sequence[float]) -> bool:
    """Whether a stored vector of a text may be of the encoder that made another of it.

    A vector of zeros, as some encoders give for a text without words, tells nothing.

    Args:
        held: The stored vector, without what is fused to it.
        made: What the encoder makes of the same text, in as many dimensions.
    """
    return not any(held) or bool(cosines(made, [held])[0] >= _SAME)


def check_form(held: Sequence[float], size: int, names: Names) -> None:
    """Refuse a stored vector that is not a fused one of sentence vectors of this size.

    Raises:
        ValueError: It has other dimensions, or is not fused.
    """
    made = size + EXTRA
    if made != len(held):
        msg = (
            f"the collection holds vectors of {len(held)} dimensions, but {names.fuser} over "
            f"{names.encoder} makes {made} ({size} + {EXTRA}); {names.help}"
        )
        raise ValueError(msg)
    if not looks_fused(held):
        msg = (
            f"the collection's vectors of {made} dimensions are not fused vectors of this version "
            f"({size} + {EXTRA}); {names.help}"
        )
        raise ValueError(msg)


def check_plain(held: int, made: int, names: Names) -> None:
    """Refuse a fused vector where the encoder makes plain ones of another size.

    Raises:
        ValueError: The sizes differ.
    """
    if made != held:
        msg = (
            f"the collection holds fused vectors of {held} dimensions ({held - EXTRA} + {EXTRA}), "
            f"but {names.encoder} makes {made}; give the store {names.fuser}, or re-embed it: "
            f"{names.help}"
        )
        raise ValueError(msg)

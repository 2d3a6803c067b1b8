"""What one pass of the local model knows of a text."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Float32Array = NDArray[np.float32]

WIDTH: Final = 384
"""Size of a hidden state, a feature vector and an embedding."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one pass knows of a text; its arrays are shared and read-only.

    Attributes:
        embedding: (384,) of length one; None where it was not asked for.
        outputs: (w, 45) the affect branch's outputs of each window, and last the log-odds of a
            conflict; None where not asked for.
        tokens: How many tokens the tokenizer knew, special ones left out.
    """

    embedding: Float32Array | None
    outputs: Float32Array | None
    tokens: int

    @property
    def conflict(self) -> float:
        """0..1, the chance of a conflict in the text: that of the window with most.

        Raises:
            ValueError: The outputs were not asked for.
        """
        if self.outputs is None:
            msg = "conflict is read from the affect branch's outputs, and there are none"
            raise ValueError(msg)
        return float(0.5 * (1 + np.tanh(0.5 * self.outputs[:, -1].max())))

    def has(self, *, embed: bool, affect: bool) -> bool:
        """Whether everything that is asked for is there."""
        return (self.embedding is not None or not embed) and (
            self.outputs is not None or not affect
        )

    def joined(self, older: "Reading | None") -> "Reading":
        """This reading, completed by an older one of the same text."""
        if older is None:
            return self
        return Reading(
            embedding=older.embedding if self.embedding is None else self.embedding,
            outputs=older.outputs if self.outputs is None else self.outputs,
            tokens=self.tokens,
        )

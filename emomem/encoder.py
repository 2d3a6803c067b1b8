"""One pass of MiniLM: the sentence embedding, the affect and the conflict of each text."""

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numpy as np

from emomem.checks import check_texts
from emomem.minilm import find_minilm
from emomem.reading import Float32Array, Reading

if TYPE_CHECKING:
    from emomem.appraisal.shared_pass import SharedPass


class LocalEncoder:
    """Sentence embeddings of all-MiniLM-L6-v2, and affect and conflict from the same pass.

    The first three layers run once a text; three more give its embedding, three fine-tuned ones
    its affect, three others how much conflict there is in it; each where it is asked for. A small
    cache keeps what was computed, by a hash of each text and never the text, so that tagging
    documents and then embedding them encodes each of them once. It may be shared by threads; the
    model is loaded on first use, once a process. A copy, and what another process unpickles, begins
    with an empty cache. A process that is *forked* after the model was used stands still at its
    first reading, as torch does in such a child: start processes by "spawn", or fork before
    anything is read.

    Args:
        path: A folder with MiniLM; None finds the one that a package ships or, where it is not
            installed but `huggingface_hub` is, downloads it once.
        cache_size: How many texts the cache keeps, >= 0; one takes about 2 KB.

    Raises:
        ImportError: torch or MiniLM is not installed; the message says how to.
        FileNotFoundError: `path` holds no weights.
        TypeError: `cache_size` is no int.
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
        if type(cache_size) is not int:
            msg = f"cache_size must be an int, got {cache_size!r}"
            raise TypeError(msg)
        if cache_size < 0:
            msg = f"cache_size must be >= 0, got {cache_size!r}"
            raise ValueError(msg)
        self._path = path
        self._folder = find_minilm(path)
        self._cache_size = cache_size
        self._cache: OrderedDict[bytes, Reading] = OrderedDict()
        self._lock = threading.Lock()
        self._pass: SharedPass | None = None
        with _alive_lock:
            _alive.add(self)
        self.embeds = False
        """Whether somebody embeds with this encoder, so that one pass should do both."""

    def __reduce__(self) -> tuple[Any, ...]:
        """How to make it anew: without lock, cache and model, and the shared one as the shared."""
        shared = _default.cache_info().currsize and self is default_encoder()
        make = partial(type(self), self._path, cache_size=self._cache_size)
        return default_encoder if shared else make, (), {"embeds": True} if self.embeds else None

    def load(self, *, conflict: bool = False) -> None:
        """Load what reading affect needs, and embedding if somebody does, before first use.

        Args:
            conflict: Whether to load what reading conflict needs, too.

        Raises:
            FileNotFoundError: Weights are missing.
            ValueError: Weights are not those that were shipped.
        """
        more = {"upper": self.embeds, "conflict": conflict}
        self._shared().load("lower", "branch", *(part for part, wanted in more.items() if wanted))

    def embed(self, texts: Sequence[str]) -> Float32Array:
        """(n, 384) sentence embeddings of length one, of the first 256 tokens of each text."""
        self.embeds = True
        readings = self.read(texts, embed=True, affect=False)
        if not readings:
            return np.empty((0, 384), dtype=np.float32)
        return np.stack([one.embedding for one in readings if one.embedding is not None])

    def read(
        self, texts: Sequence[str], *, embed: bool, affect: bool, conflict: bool = False
    ) -> list[Reading]:
        """What one pass knows of each text; what was asked for is there, more may be.

        Args:
            texts: Any texts.
            embed: Whether embeddings are wanted.
            affect: Whether the affect branch's outputs are wanted.
            conflict: Whether the odds of a conflict are.
        """
        asked = {"embed": embed, "affect": affect, "conflict": conflict}
        check_texts(texts, "an encoder")
        keys = [_key(text) for text in texts]
        known = self._cached(keys)
        missing = {
            key: text
            for key, text in zip(keys, texts, strict=True)
            if key not in known or not known[key].has(**asked)
        }
        if missing:
            fresh = self._shared().read(list(missing.values()), **asked)
            for key, reading in zip(missing, fresh, strict=True):
                known[key] = reading.joined(known.get(key))
        self._keep(known)
        return [known[key] for key in keys]

    def features(self, texts: Sequence[str]) -> Float32Array:
        """(n, 384) the vectors that the affect branch's heads read, for heads of one's own.

        The branch's outputs come with them and are kept in the cache; the features are not.
        """
        features, readings = self._shared().features(texts)
        self._keep(dict(zip(map(_key, texts), readings, strict=True)))
        return features

    def token_vectors(self, texts: Sequence[str]) -> list[Float32Array]:
        """Of each text (t, 384) the vectors of its first 254 tokens, each of length one.

        They are MiniLM's last states, which its sentence embedding is the mean of; special tokens
        are left out, and nothing is kept in the cache.
        """
        check_texts(texts, "an encoder")
        return self._shared().token_vectors(texts)

    def words(self) -> frozenset[str]:
        """The whole words that MiniLM's tokenizer knows, in lower case: mostly English."""
        return self._shared().words

    def clear(self) -> None:
        """Empty the cache."""
        with self._lock:
            self._cache.clear()

    def _shared(self) -> "SharedPass":
        if self._pass is None:
            from emomem.appraisal.shared_pass import shared_pass  # noqa: PLC0415 - imports torch

            self._pass = shared_pass(self._folder)
        return self._pass

    def _cached(self, keys: Iterable[bytes]) -> dict[bytes, Reading]:
        with self._lock:
            return {key: self._cache[key] for key in keys if key in self._cache}

    def _keep(self, readings: Mapping[bytes, Reading]) -> None:
        with self._lock:
            for key, reading in readings.items():
                # Another thread may have read another part of it meanwhile.
                self._cache[key] = reading.joined(self._cache.get(key))
                self._cache.move_to_end(key)
            while len(self._cache) > self._cache_size:
                self._cache.popitem(last=False)


def default_encoder() -> LocalEncoder:
    """The encoder that is shared by whoever names none, once a process."""
    with _default_lock:
        return _default()


def clear_caches() -> None:
    """Empty the caches of all encoders of this process, whatever reads or embeds with them."""
    with _alive_lock:
        encoders = list(_alive)
    for encoder in encoders:
        encoder.clear()


_alive: WeakSet[LocalEncoder] = WeakSet()
_alive_lock = threading.Lock()
_default_lock = threading.Lock()


@lru_cache(maxsize=1)
def _default() -> LocalEncoder:
    return LocalEncoder()


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()

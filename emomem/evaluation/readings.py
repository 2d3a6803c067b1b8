"""The embedding and the affect of each text, computed once and kept on disk."""

import ast
import hashlib
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from emomem import encoder
from emomem.affect import Affect
from emomem.appraisal import local, weights
from emomem.appraisal.base import BaseAppraiser
from emomem.appraisal.local import LocalAppraiser
from emomem.encoder import LocalEncoder
from emomem.minilm import MINILM_SHA256

Float32Array = NDArray[np.float32]
Progress = Callable[[str, int, int], None]
"""Is told what is being done, how much of it is done, and how much there is."""

_BATCH: Final = 256
_WEIGHTS: Final = Path(weights.__file__).parent
_READS: Final = ("emomem.appraisal", "emomem.emotions")


def silent(what: str, done: int, total: int) -> None:
    """Tell nobody."""


class Readings(BaseAppraiser):
    """What the local model says of texts, from a folder where it has said so before.

    It is an appraiser, too: of the texts that it was prepared for and of any other. The file's
    name is a hash of the weights and of the code that reads with them, so that a changed model
    never answers with what an older one said; it holds hashes of texts and no text.

    Args:
        folder: Where to keep them; made where it is missing.

    Raises:
        ImportError: The local model's packages are not installed.
    """

    def __init__(self, folder: Path) -> None:
        self.source = "evaluation"
        self._encoder = LocalEncoder(cache_size=0)
        self._encoder.embeds = True
        self._appraiser = LocalAppraiser(self._encoder)
        self._path = folder / f"readings-{_fingerprint()}.npz"
        self._vectors: dict[str, Float32Array] = {}
        self._affects: dict[str, Affect] = {}
        if self._path.is_file():
            with np.load(self._path) as kept:
                keys = kept["keys"].tolist()
                self._vectors = dict(zip(keys, kept["vectors"], strict=True))
                affects = map(Affect.model_validate_json, kept["affects"].tolist())
                self._affects = dict(zip(keys, affects, strict=True))

    def prepare(self, texts: Iterable[str], progress: Progress = silent) -> None:
        """Read the texts that have not been read, and keep all on disk."""
        if self._compute(texts, progress):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # A run that is stopped while it writes leaves the old file whole.
            part = self._path.with_suffix(".part.npz")
            np.savez_compressed(
                part,
                keys=np.array(list(self._vectors)),
                vectors=np.stack(list(self._vectors.values())),
                affects=np.array([one.model_dump_json() for one in self._affects.values()]),
            )
            part.replace(self._path)

    def embed(self, texts: Sequence[str]) -> Float32Array:
        """(n, 384) embeddings of length one."""
        self._compute(texts)
        return np.stack([self._vectors[_key(text)] for text in texts])

    def _read(self, texts: Sequence[str]) -> list[Affect]:
        self._compute(texts)
        return [self._affects[_key(text)] for text in texts]

    def _compute(self, texts: Iterable[str], progress: Progress = silent) -> int:
        """Read what has not been read; returns how many that were."""
        wanted = {_key(text): text for text in texts}
        missing = [text for key, text in wanted.items() if key not in self._vectors]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            vectors, affects = self._encoder.embed(batch), self._appraiser.appraise(batch)
            for text, vector, affect in zip(batch, vectors, affects, strict=True):
                self._vectors[_key(text)], self._affects[_key(text)] = vector, affect
            progress("Reading texts", start + len(batch), len(missing))
        return len(missing)


def _key(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _fingerprint() -> str:
    """A hash of everything that a reading depends on: the weights, and the code that reads."""
    digest = hashlib.sha256(MINILM_SHA256.encode())
    files = [*_WEIGHTS.glob("*.safetensors"), _WEIGHTS / "calibration.json"]
    for path in [*sorted(files), *sorted(_sources(local.__file__, encoder.__file__))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _sources(*modules: str) -> set[Path]:
    """Modules of the local model, and those of it that they import."""
    found: set[Path] = set()
    waiting = set(map(Path, modules))
    while waiting:
        found.add(path := waiting.pop())
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith(_READS):
                spec = find_spec(str(node.module))
                waiting |= {Path(str(spec and spec.origin))} - found
    return found

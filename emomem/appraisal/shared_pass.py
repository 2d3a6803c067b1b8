"""The pass itself: tokens, windows, batches, and the three parts of the model.

This module imports torch; nothing that must stay light may import it at module level.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from emomem.appraisal.branch import HEADS, load_reading_branch
from emomem.appraisal.trunk import load_lower, load_upper
from emomem.appraisal.windows import split_windows, window_shares
from emomem.reading import WIDTH, Float32Array, Reading

MAX_TOKENS: Final = 256
"""Tokens that MiniLM's embedding reads, special tokens included, as its own configuration says."""

_START, _END = 101, 102
"""Ids of [CLS] and [SEP] in the vocabulary of uncased BERT."""
_VOCABULARY: Final = 30522
_OUTPUTS: Final = sum(HEADS.values()) + 1
"""Columns of the branch's outputs; the last is the log-odds of a conflict."""
_ROOM: Final = MAX_TOKENS - len((_START, _END))

_CHUNK: Final = 2048
"""Texts that are tokenized at once; more would only hold more memory."""
_TOKENS_A_THREAD: Final = 256
"""Tokens of a batch for each thread of torch, padding included: what a core's cache holds.

Measured on two cores: twice as many take 1.25 times as long, four times as many 1.55 times.
"""

Tokens = Sequence[int]


class SharedPass:
    """MiniLM in one folder, and the affect branch; each part is loaded when it is first needed.

    It may be shared by threads.

    Attributes:
        words: The whole words that the tokenizer knows, in lower case.
    """

    def __init__(self, folder: Path) -> None:
        self._tokenizer = _load_tokenizer(folder / "tokenizer.json")
        self.words = frozenset(
            word for word in self._tokenizer.get_vocab() if word.isalpha() and len(word) > 1
        )
        self._unknown = self._tokenizer.token_to_id("[UNK]")
        self._loaders: dict[str, Callable[[], nn.Module]] = {
            "lower": partial(load_lower, folder),
            "upper": partial(load_upper, folder),
            "branch": load_reading_branch,
        }
        self._parts: dict[str, Any] = {}
        self._lock = threading.Lock()

    def load(self, *parts: str) -> list[Any]:
        """The parts of these names ("lower", "upper", "branch"), loaded where they are not yet.

        Raises:
            FileNotFoundError: Weights are missing.
            ValueError: Weights are not those that were shipped.
        """
        with self._lock:
            for part in parts:
                if part not in self._parts:
                    self._parts[part] = self._loaders[part]()
            return [self._parts[part] for part in parts]

    def read(self, texts: Sequence[str], *, embed: bool, affect: bool) -> list[Reading]:
        """A reading of each text, in order.

        Args:
            texts: Any texts; a lone surrogate is left out.
            embed: Whether to compute embeddings.
            affect: Whether to compute the branch's outputs.
        """
        readings: list[Reading] = []
        for tokens in self._tokens(texts):
            readings += self._of_tokens(tokens, embed=embed, affect=affect)
        return readings

    def features(self, texts: Sequence[str]) -> tuple[Float32Array, list[Reading]]:
        """(n, 384) what the branch's heads read, and the readings with their outputs.

        A text of several windows has the mean of their features, by the windows' shares.
        """
        features = np.empty((len(texts), WIDTH), dtype=np.float32)
        readings: list[Reading] = []
        for tokens in self._tokens(texts):
            for ids, pooled, outputs in zip(tokens, *self._pooled(tokens), strict=True):
                features[len(readings)] = window_shares(len(pooled)) @ pooled
                readings.append(Reading(None, _own(outputs), self._count(ids)))
        return features, readings

    def token_vectors(self, texts: Sequence[str]) -> list[Float32Array]:
        """Of each text (t, 384) the vectors of its tokens, each of length one."""
        lower, upper = self.load("lower", "upper")
        found: list[Float32Array] = []
        for tokens in self._tokens(texts):
            rows = [ids[:_ROOM] for ids in tokens]
            vectors: dict[int, Float32Array] = {}
            with torch.inference_mode():
                for batch in _batches(rows):
                    ids, mask = _padded([rows[row] for row in batch])
                    states = functional.normalize(upper.tokens(lower(ids, mask), mask), dim=2)
                    for row, one in zip(batch, states.numpy(), strict=True):
                        vectors[row] = _own(one[1 : len(rows[row]) + 1])
            found += [vectors[row] for row in range(len(rows))]
        return found

    def _tokens(self, texts: Sequence[str]) -> Iterator[list[Tokens]]:
        """The tokens of each text, special ones left out, a chunk of texts at a time."""
        for start in range(0, len(texts), _CHUNK):
            clean = [_clean(text) for text in texts[start : start + _CHUNK]]
            encodings = self._tokenizer.encode_batch_fast(clean, add_special_tokens=False)
            yield [one.ids for one in encodings]

    def _count(self, ids: Tokens) -> int:
        return len(ids) - ids.count(self._unknown)

    def _pooled(self, tokens: Sequence[Tokens]) -> tuple[list[Float32Array], list[Float32Array]]:
        """For each text the features (w, 384) and the outputs (w, 45) of its windows."""
        lower, branch = self.load("lower", "branch")
        windows = [split_windows(len(ids), _ROOM) for ids in tokens]
        rows = [ids[part] for ids, parts in zip(tokens, windows, strict=True) for part in parts]
        pooled = np.empty((len(rows), WIDTH), dtype=np.float32)
        outputs = np.empty((len(rows), _OUTPUTS), dtype=np.float32)
        with torch.inference_mode():
            for batch in _batches(rows):
                ids, mask = _padded([rows[row] for row in batch])
                found, read = branch.read(lower(ids, mask), mask)
                pooled[batch], outputs[batch] = found.numpy(), read.numpy()
        ends = np.cumsum([len(parts) for parts in windows])[:-1]
        return np.split(pooled, ends), np.split(outputs, ends)

    def _of_tokens(self, tokens: Sequence[Tokens], *, embed: bool, affect: bool) -> list[Reading]:
        first = [ids[:_ROOM] for ids in tokens]
        embeddings, outputs = self._forward(first, embed=embed, affect=affect)
        later = self._later_windows(tokens) if affect else [outputs] * len(tokens)
        return [
            Reading(
                embedding=_own(embeddings[row]) if embed else None,
                outputs=_own(np.vstack([outputs[row : row + 1], later[row]])) if affect else None,
                tokens=self._count(ids),
            )
            for row, ids in enumerate(tokens)
        ]

    def _later_windows(self, tokens: Sequence[Tokens]) -> list[Float32Array]:
        """For each text the outputs (w - 1, 45) of its windows but the first."""
        windows = [split_windows(len(ids), _ROOM)[1:] for ids in tokens]
        rows = [ids[part] for ids, parts in zip(tokens, windows, strict=True) for part in parts]
        _, outputs = self._forward(rows, embed=False, affect=True)
        return np.split(outputs, np.cumsum([len(parts) for parts in windows])[:-1])

    def _forward(
        self, rows: Sequence[Tokens], *, embed: bool, affect: bool
    ) -> tuple[Float32Array, Float32Array]:
        """Embeddings (n, 384) and branch outputs (n, 45) of token rows; empty where not wanted."""
        embeddings = np.empty((len(rows) if embed else 0, WIDTH), dtype=np.float32)
        outputs = np.empty((len(rows) if affect else 0, _OUTPUTS), dtype=np.float32)
        (lower,) = self.load("lower")
        tasks: list[tuple[Any, Float32Array]] = []
        if embed:
            tasks += [(part, embeddings) for part in self.load("upper")]
        if affect:
            tasks += [(part, outputs) for part in self.load("branch")]
        with torch.inference_mode():
            for batch in _batches(rows):
                ids, mask = _padded([rows[row] for row in batch])
                states = lower(ids, mask)
                for part, result in tasks:
                    result[batch] = part(states, mask).numpy()
        return embeddings, outputs


_shared_lock = threading.Lock()


def shared_pass(folder: Path) -> SharedPass:
    """The pass of the folder last asked for, so that a process loads it once.

    Raises:
        ValueError: The tokenizer is not MiniLM's.
    """
    with _shared_lock:
        return _shared_pass(folder)


@cache
def _shared_pass(folder: Path) -> SharedPass:
    return SharedPass(folder)


def _clean(text: str) -> str:
    """The text with surrogates joined to what they stand for; the tokenizer drops a lone one."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _batches(rows: Sequence[Tokens]) -> Iterator[list[int]]:
    """Row numbers in batches of so many tokens, or of one row that has more.

    Neighbours in length share a batch, so that little of it is padding.
    """
    most = _TOKENS_A_THREAD * torch.get_num_threads()
    batch: list[int] = []
    longest = 0
    for row in sorted(range(len(rows)), key=lambda row: len(rows[row]), reverse=True):
        longest = longest if batch else len(rows[row]) + 2
        batch.append(row)
        if (len(batch) + 1) * longest > most:
            yield batch
            batch = []
    if batch:
        yield batch


def _padded(rows: Sequence[Tokens]) -> tuple[Tensor, Tensor]:
    """Token ids (batch, length) between [CLS] and [SEP], and where they are."""
    lengths = np.array([len(row) for row in rows]) + 2
    ids = np.zeros((len(rows), lengths.max()), dtype=np.int64)
    ids[:, 0] = _START
    for padded, row in zip(ids, rows, strict=True):
        padded[1 : len(row) + 1] = row
        padded[len(row) + 1] = _END
    # Not by the ids: a text may name the padding token.
    return torch.from_numpy(ids), torch.from_numpy(np.arange(ids.shape[1]) < lengths[:, None])


def _own(values: Float32Array) -> Float32Array:
    """A read-only copy, so that what is kept of a batch does not hold the whole of it."""
    copy = values.copy()
    copy.setflags(write=False)
    return copy


def _load_tokenizer(path: Path) -> Any:  # noqa: ANN401 - tokenizers is not typed
    tokenizer = Tokenizer.from_file(str(path))
    ends = [tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]")]
    if ends != [_START, _END] or tokenizer.get_vocab_size() != _VOCABULARY:
        msg = f"{path} is not the tokenizer of MiniLM"
        raise ValueError(msg)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer

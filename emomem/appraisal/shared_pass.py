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

from emomem.appraisal.branch import OUTPUTS, load_branch, load_conflict_branch
from emomem.appraisal.trunk import load_lower, load_upper
from emomem.appraisal.windows import split_windows, window_shares
from emomem.reading import WIDTH, Float32Array, Reading

MAX_TOKENS: Final = 256
"""Tokens that MiniLM's embedding reads, special tokens included, as its own configuration says."""

_START, _END = 101, 102
"""Ids of [CLS] and [SEP] in the vocabulary of uncased BERT."""
_VOCABULARY: Final = 30522
_COLUMNS: Final = {"upper": WIDTH, "branch": OUTPUTS, "conflict": 1}
"""Columns of what each part gives over the states of the lower one."""
_ROOM: Final = MAX_TOKENS - len((_START, _END))

_CHUNK: Final = 2048
"""Texts that are tokenized at once; more would only hold more memory."""
_TOKENS_A_THREAD: Final = 256
"""Tokens of a batch for each thread of torch, padding included: what a core's cache holds.

Measured on two cores: twice as many take 1.25 times as long, four times as many 1.55 times.
"""

Tokens = Sequence[int]


class SharedPass:
    """MiniLM in one folder, and the branches; each part is loaded when it is first needed.

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
            "branch": load_branch,
            "conflict": load_conflict_branch,
        }
        self._parts: dict[str, Any] = {}
        self._lock = threading.Lock()

    def load(self, *parts: str) -> list[Any]:
        """The parts of these names, loaded where they are not yet.

        They are "lower", and over its states "upper", "branch" and "conflict".

        Raises:
            FileNotFoundError: Weights are missing.
            ValueError: Weights are not those that were shipped.
        """
        with self._lock:
            for part in parts:
                if part not in self._parts:
                    self._parts[part] = self._loaders[part]()
            return [self._parts[part] for part in parts]

    def read(
        self, texts: Sequence[str], *, embed: bool, affect: bool, conflict: bool
    ) -> list[Reading]:
        """A reading of each text, in order.

        Args:
            texts: Any texts; a lone surrogate is left out.
            embed: Whether to compute embeddings.
            affect: Whether to compute the affect branch's outputs.
            conflict: Whether to compute the odds of a conflict.
        """
        wanted = {"upper": embed, "branch": affect, "conflict": conflict}
        parts = [part for part, asked in wanted.items() if asked]
        readings: list[Reading] = []
        for tokens in self._tokens(texts):
            readings += self._of_tokens(tokens, parts)
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
        """For each text the features (w, 384) and the outputs (w, 44) of its windows."""
        lower, branch = self.load("lower", "branch")
        windows = [split_windows(len(ids), _ROOM) for ids in tokens]
        rows = [ids[part] for ids, parts in zip(tokens, windows, strict=True) for part in parts]
        pooled = np.empty((len(rows), WIDTH), dtype=np.float32)
        outputs = np.empty((len(rows), OUTPUTS), dtype=np.float32)
        with torch.inference_mode():
            for batch in _batches(rows):
                ids, mask = _padded([rows[row] for row in batch])
                found, read = branch.read(lower(ids, mask), mask)
                pooled[batch], outputs[batch] = found.numpy(), read.numpy()
        ends = np.cumsum([len(parts) for parts in windows])[:-1]
        return np.split(pooled, ends), np.split(outputs, ends)

    def _of_tokens(self, tokens: Sequence[Tokens], parts: Sequence[str]) -> list[Reading]:
        """The readings of a chunk: of the first window all parts, of later ones the branches."""
        first = self._forward([ids[:_ROOM] for ids in tokens], parts)
        branches = [part for part in parts if part != "upper"]
        windows = [split_windows(len(ids), _ROOM)[1:] if branches else [] for ids in tokens]
        rows = [ids[part] for ids, cuts in zip(tokens, windows, strict=True) for part in cuts]
        later = self._forward(rows, branches)
        ends = np.cumsum([0, *map(len, windows)])

        def of_windows(part: str, row: int) -> Float32Array | None:
            if part not in first:
                return None
            more = later[part][ends[row] : ends[row + 1]]
            return _own(np.vstack([first[part][row : row + 1], more]))

        return [
            Reading(
                embedding=_own(first["upper"][row]) if "upper" in first else None,
                outputs=of_windows("branch", row),
                tokens=self._count(ids),
                odds=of_windows("conflict", row),
            )
            for row, ids in enumerate(tokens)
        ]

    def _forward(self, rows: Sequence[Tokens], parts: Sequence[str]) -> dict[str, Float32Array]:
        """What each part gives (n, its columns) of token rows; the lower one runs once for all."""
        found = {part: np.empty((len(rows), _COLUMNS[part]), dtype=np.float32) for part in parts}
        lower, *others = self.load("lower", *parts)
        with torch.inference_mode():
            for batch in _batches(rows):
                ids, mask = _padded([rows[row] for row in batch])
                states = lower(ids, mask)
                for result, part in zip(found.values(), others, strict=True):
                    result[batch] = part(states, mask).numpy()
        return found


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

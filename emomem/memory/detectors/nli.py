"""A detector over any transformers model of natural language inference."""

import os
import threading
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from emomem.appraisal.classifier import window_length
from emomem.appraisal.huggingface import check_installed, from_pretrained, locate
from emomem.memory.conflict import Conflict
from emomem.memory.detectors.base import BaseConflictDetector, parties, statements
from emomem.memory.detectors.kinds import kind_of
from emomem.memory.unit import MemoryUnit

_LABEL: Final = "contradiction"


class NLIConflictDetector(BaseConflictDetector):
    """Conflicts by a model that was trained to tell entailment from contradiction.

    A memory and the new text are a conflict where the model calls them a contradiction in both
    orders, for such models take much that is merely different for a contradiction one way. The
    intensity is the lower of both probabilities. The kind goes by the wording
    (`emomem.memory.detectors.kinds`). Goals are passed over: an instruction and a wish are not
    what such models are trained on.

    The label is found by its name among the model's own. The model is loaded once, on first use
    or by `load`; only safetensors weights, and never code from a hub. It may be shared by threads.

    Args:
        model: A name on the hub or a local folder, which is read without any network call.
        threshold: The probability from which both orders count, over 0 to 1.
        batch_size: How many pairs are read at once, >= 1.
        device: Where the model runs; by default the first CUDA device, else the CPU.
        local_files_only: Take a hub model from the local cache alone.

    Raises:
        ImportError: transformers or torch is not installed.
        ValueError: A number is out of range, the folder does not exist, or no label of the model
            is a contradiction (raised when the model is loaded).

    Example:
        >>> detector = NLIConflictDetector("cross-encoder/nli-deberta-v3-small")
        >>> detector.detect(new, candidates)  # doctest: +SKIP
        [Conflict(kind='fact_update', …)]
    """

    def __init__(
        self,
        model: str | os.PathLike[str],
        *,
        threshold: float = 0.9,
        batch_size: int = 32,
        device: str | None = None,
        local_files_only: bool = False,
    ) -> None:
        check_installed(type(self).__name__)
        if not 0 < threshold <= 1:
            msg = f"threshold must be over 0 and at most 1, got {threshold!r}"
            raise ValueError(msg)
        if not isinstance(batch_size, int) or batch_size < 1:
            msg = f"batch_size must be an int >= 1, got {batch_size!r}"
            raise ValueError(msg)
        name, is_local = locate(model)
        self._parts = partial(from_pretrained, name, device, is_local or local_files_only)
        self._threshold = threshold
        self._batch_size = batch_size
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any, int] | None = None

    def load(self) -> None:
        """Load the model now rather than on first use.

        Raises:
            OSError: The model or its safetensors weights cannot be found.
            ValueError: No label of the model is a contradiction.
        """
        with self._lock:
            if self._loaded is None:
                tokenizer, model = self._parts()
                self._loaded = tokenizer, model.eval(), _contradiction(model.config.id2label)

    def detect(self, new: MemoryUnit, candidates: Sequence[MemoryUnit]) -> list[Conflict]:
        """The conflicts of `new` with the candidates, in their order."""
        read = [unit for unit in statements(new, candidates) if unit.text.strip()]
        if not read or not new.text.strip():
            return []
        there = self._probabilities([(unit.text, new.text) for unit in read])
        back = self._probabilities([(new.text, unit.text) for unit in read])
        return [
            Conflict(
                kind=kind_of(new.text, unit.text),
                against=unit,
                parties=parties(new, unit),
                intensity=min(one, other),
                reason="a model of inference calls it a contradiction",
            )
            for unit, one, other in zip(read, there, back, strict=True)
            if min(one, other) >= self._threshold
        ]

    def _probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """How likely each pair of a premise and a hypothesis is a contradiction, 0..1."""
        import torch  # noqa: PLC0415 - heavy, so first use loads it

        self.load()
        assert self._loaded is not None  # noqa: S101 - for the type checker
        tokenizer, model, label = self._loaded
        found: list[float] = []
        # Without a padding token, pairs of different lengths cannot share a batch.
        size = 1 if tokenizer.pad_token_id is None else self._batch_size
        for start in range(0, len(pairs), size):
            batch = [tuple(map(_clean, pair)) for pair in pairs[start : start + size]]
            with self._lock:  # two threads in one fast tokenizer raise "Already borrowed"
                inputs = tokenizer(
                    [pair[0] for pair in batch],
                    [pair[1] for pair in batch],
                    padding=size > 1,
                    truncation=True,
                    max_length=window_length(tokenizer, model.config, None),
                    return_tensors="pt",
                )
            with torch.inference_mode():
                logits = model(**inputs.to(model.device)).logits.float()
            found += logits.softmax(-1)[:, label].nan_to_num(0.0).tolist()
        return found


def _contradiction(labels: dict[int, str]) -> int:
    places = [place for place, label in labels.items() if _LABEL in str(label).lower()]
    if len(places) != 1:
        msg = f"one label of the model must be a {_LABEL}, got {list(labels.values())}"
        raise ValueError(msg)
    return int(places[0])


def _clean(text: str) -> str:
    """A lone surrogate is a str but no Unicode text; a tokenizer raises on it."""
    return text.encode("utf-8", "replace").decode("utf-8")

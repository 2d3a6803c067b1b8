"""A transformers classification model at work: texts -> windows of tokens -> scores."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

import numpy as np

from emomem.affect import FloatArray
from emomem.appraisal.labels import Meaning, ModelLabels
from emomem.appraisal.windows import split_windows

SHORTEST_WINDOW: Final = 8
"""Tokens that a window must have room for, special tokens included."""

LONGEST_WINDOW: Final = 512
"""Tokens of a window where nobody says more; a longer one dilutes more than it explains."""

Window = list[int]
"""The token ids of one window, special tokens included."""


@dataclass(frozen=True, eq=False)
class Classifier:
    """A loaded model and its tokenizer, with what is asked of both only once.

    Attributes:
        tokenizer: Of transformers, fast or slow.
        model: A sequence-classification model in evaluation mode.
        labels: What its outputs mean.
        multi_label: Whether the outputs are independent (sigmoid rather than softmax).
        before: Ids of the special tokens in front of every window.
        after: Ids of those behind it.
        room: Tokens of text that a window holds.
        pad: Id of the padding token; None for a tokenizer that has none.
        unknown: Id of the unknown token; None for a tokenizer that has none.
    """

    tokenizer: Any
    model: Any
    labels: ModelLabels
    multi_label: bool
    before: Window
    after: Window
    room: int
    pad: int | None
    unknown: int | None
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    @classmethod
    def of(
        cls,
        tokenizer: Any,  # noqa: ANN401 - transformers is not typed
        model: Any,  # noqa: ANN401 - the same
        *,
        label_map: Mapping[str, Meaning],
        multi_label: bool | None,
        max_length: int | None,
    ) -> Self:
        """Check a model against its labels and put it into evaluation mode.

        The arguments are those of `HuggingFaceAppraiser`.

        Raises:
            ValueError: A label is unknown, `label_map` names one that the model lacks, the
                model is a regression, or `max_length` is more than it takes.
        """
        config = model.config
        labels = [str(config.id2label[i]) for i in range(len(config.id2label))]
        if missing := [label for label in label_map if label not in labels]:
            msg = f"label_map names {missing}, but the labels of the model are {labels}"
            raise ValueError(msg)
        if config.problem_type == "regression":
            msg = "the model's problem_type must be a classification, got 'regression'"
            raise ValueError(msg)
        if multi_label is None:
            # Over one label alone a softmax would always say 1.
            multi_label = config.problem_type == "multi_label_classification" or len(labels) == 1
        before, after = _special_tokens(tokenizer)
        return cls(
            tokenizer=tokenizer,
            model=model.eval(),
            labels=ModelLabels.of(labels, label_map),
            multi_label=multi_label,
            before=before,
            after=after,
            room=window_length(tokenizer, config, max_length) - len(before) - len(after),
            pad=tokenizer.pad_token_id,
            unknown=tokenizer.unk_token_id,
        )

    def encode(self, texts: Sequence[str]) -> list[list[Window]]:
        """The windows of each text; none where the tokenizer knows no token of it."""
        # A lone surrogate is a str but no Unicode text; a tokenizer raises on it.
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        with self._lock:  # two threads in one fast tokenizer raise "Already borrowed"
            encoded = self.tokenizer(
                clean,
                add_special_tokens=False,
                padding=False,
                truncation=False,
                return_attention_mask=False,
                return_token_type_ids=False,
                verbose=False,  # that a text is longer than a window is no news
            )["input_ids"]
        return [self._windows(ids) for ids in encoded]

    def _windows(self, ids: Sequence[int]) -> list[Window]:
        if all(token == self.unknown for token in ids):
            return []
        return [
            [*self.before, *ids[window], *self.after]
            for window in split_windows(len(ids), self.room)
        ]

    def scores(self, windows: Sequence[Window], batch_size: int) -> FloatArray:
        """(n, m) scores 0..1 of every label, row by row of `windows`.

        Neighbours in length share a batch, so that little of it is padding. The longest come
        first: a batch too large for the memory is met at once, and the size stays halved.

        Raises:
            RuntimeError: Not even one window fits into memory, or the model itself fails.
        """
        scores = np.full((len(windows), len(self.labels.names)), np.nan)
        order = sorted(range(len(windows)), key=lambda row: len(windows[row]), reverse=True)
        # Without a padding token, texts of different lengths cannot share a batch.
        size = 1 if self.pad is None else batch_size
        start = 0
        while start < len(order):
            rows = order[start : start + size]
            try:
                scores[rows] = self._forward([windows[row] for row in rows])
            except RuntimeError as error:
                if len(rows) == 1 or not _is_out_of_memory(error):
                    raise
                size = len(rows) // 2
            else:
                start += len(rows)
        return scores

    def _forward(self, windows: Sequence[Window]) -> FloatArray:
        import torch  # noqa: PLC0415 - heavy, and loaded with the model already

        longest = max(len(window) for window in windows)
        ids = torch.full((len(windows), longest), self.pad or 0)
        mask = torch.zeros_like(ids)
        for row, window in enumerate(windows):
            blank = longest - len(window) if self.tokenizer.padding_side == "left" else 0
            ids[row, blank : blank + len(window)] = torch.tensor(window)
            mask[row, blank : blank + len(window)] = 1
        inputs = {"input_ids": ids.to(self.model.device)}
        if "attention_mask" in self.tokenizer.model_input_names:
            inputs["attention_mask"] = mask.to(self.model.device)
        with torch.inference_mode():
            logits = self.model(**inputs).logits.float()
            scores = logits.sigmoid() if self.multi_label else logits.softmax(-1)
        return np.asarray(scores.cpu().numpy(), dtype=float)


def _special_tokens(tokenizer: Any) -> tuple[Window, Window]:  # noqa: ANN401 - transformers is not typed
    """What the tokenizer puts in front of a text and behind it.

    Read off an example: of the tokenizers' own methods none is right for every kind of them.
    """
    bare = list(tokenizer("a", add_special_tokens=False)["input_ids"])
    full = list(tokenizer("a")["input_ids"])
    start = next(i for i in range(len(full)) if full[i : i + len(bare)] == bare)
    return full[:start], full[start + len(bare) :]


def window_length(tokenizer: Any, config: Any, max_length: int | None) -> int:  # noqa: ANN401 - as above
    """How many tokens a model reads at once, `LONGEST_WINDOW` or `max_length` at most.

    Raises:
        ValueError: `max_length` is more than the model takes.
    """
    limits = [tokenizer.model_max_length, getattr(config, "max_position_embeddings", None)]
    limit = min((x for x in limits if isinstance(x, int) and x > 0), default=LONGEST_WINDOW)
    if max_length is None:
        return min(limit, LONGEST_WINDOW)
    if max_length > limit:
        msg = f"max_length must be at most {limit}, which the model takes, got {max_length!r}"
        raise ValueError(msg)
    return max_length


def _is_out_of_memory(error: RuntimeError) -> bool:
    import torch  # noqa: PLC0415 - heavy, and loaded with the model already

    words = str(error).lower()
    return (
        isinstance(error, torch.OutOfMemoryError)
        or "out of memory" in words
        or "can't allocate memory" in words  # what the CPU's allocator says
    )

"""An appraiser over any transformers text-classification model."""

import copy
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from emomem.affect import Affect, FloatArray
from emomem.appraisal.base import BaseAppraiser
from emomem.appraisal.classifier import SHORTEST_WINDOW, Classifier
from emomem.appraisal.labels import Meaning, ModelLabels
from emomem.appraisal.windows import window_weights
from emomem.portable import Portable


class TextClassificationPipeline(Protocol):
    """The parts of a ready `transformers` pipeline that are used."""

    task: str
    tokenizer: Any
    model: Any


class HuggingFaceAppraiser(Portable, BaseAppraiser):
    """Affect by a text-classification model of the transformers library.

    Every score of the model counts, not only the best. Emotion labels are projected into the
    28 canonical ones and give valence, arousal and dominance by expectation. Sentiment labels
    (positive, negative, neutral) give valence alone: no arousal, no distribution. `label` is
    the model's own top label in lower case, and `confidence` its score, 0..1. Scores are a
    softmax, or a sigmoid for a multi-label model; how they become a distribution then, and why
    scores that are all low mean neutral with little confidence, `ModelLabels.affect` says.

    A text over `max_length` is read in windows and the turn at its end counts
    (`emomem.appraisal.windows`). A text of which the tokenizer knows no token, and one for
    which the model gives NaN, is unknown. Long lists are read in batches of similar length; a
    batch that does not fit into memory is halved. It may be shared by threads. The model is
    loaded once, on first use or by `load`; only safetensors weights, and never code from a hub.

    Args:
        model: A name on the hub, a local folder (read without any network call), or a ready
            `transformers` text-classification pipeline, whose model and tokenizer are used as
            they are (its own options, `top_k` among them, are not).
        label_map: What the model's labels stand for where their names do not say it: a known
            label, or a mixture of known labels with weights, `{"LABEL_0": "anger", "LABEL_1":
            {"joy": 0.5, "love": 0.5}}`.
        multi_label: Whether labels are independent (sigmoid). By default the model's
            `problem_type` says it; some multi-label models do not fill it in.
        batch_size: Texts (or windows) a batch, >= 1.
        max_length: Tokens a window, special tokens included, >= 8; by default what the model
            takes, but at most 512.
        device: Where the model runs, "cpu" or "cuda:1"; by default the first CUDA device, else
            the CPU. Not for a pipeline, which has its own.
        local_files_only: Take a hub model from the local cache alone.

    Raises:
        ImportError: transformers or torch is not installed.
        TypeError: `model` is none of the three, or `label_map` no mapping.
        ValueError: A number is out of range, the folder does not exist, or a label is unknown
            (raised when the model is loaded, by `load` or the first reading).

    Example:
        >>> appraiser = HuggingFaceAppraiser("SamLowe/roberta-base-go_emotions")
        >>> appraiser.appraise(["I finally got the job!"])[0].label  # doctest: +SKIP
        'joy'
    """

    def __init__(  # noqa: PLR0913 - each is an option of the user's own
        self,
        model: str | os.PathLike[str] | TextClassificationPipeline,
        *,
        label_map: Mapping[str, Meaning] | None = None,
        multi_label: bool | None = None,
        batch_size: int = 32,
        max_length: int | None = None,
        device: str | None = None,
        local_files_only: bool = False,
    ) -> None:
        check_installed(type(self).__name__)
        _check_at_least("batch_size", batch_size, 1)
        if max_length is not None:
            _check_at_least("max_length", max_length, SHORTEST_WINDOW)
        if not isinstance(label_map, Mapping | None):
            msg = f"label_map must map labels to what they stand for, got {label_map!r}"
            raise TypeError(msg)
        if label_map:
            ModelLabels.of(list(label_map), label_map)
        self._label_map = dict(label_map or {})
        self._multi_label = multi_label
        self._batch_size = batch_size
        self._max_length = max_length
        self._renew()
        self._parts: Callable[[], tuple[Any, Any]]
        if isinstance(model, str | os.PathLike):
            name, is_local = locate(model)
            self._parts = partial(from_pretrained, name, device, is_local or local_files_only)
            self.source = _source(name)
        else:
            _check_pipeline(model, device)
            self._parts = partial(_of_pipeline, model)
            self.source = _source(getattr(model.model, "name_or_path", ""))
            self.load()

    def _renew(self) -> None:
        self._lock = threading.Lock()
        self._classifier: Classifier | None = None

    def load(self) -> None:
        """Load the model now rather than on first use.

        Raises:
            OSError: The model or its safetensors weights cannot be found.
            ValueError: A label is unknown and `label_map` does not explain it, `label_map` names
                a label that the model lacks, the model is a regression, or `max_length` is more
                than it takes.
        """
        self._loaded()

    def _loaded(self) -> Classifier:
        with self._lock:
            if self._classifier is None:
                tokenizer, model = self._parts()
                self._classifier = Classifier.of(
                    tokenizer,
                    model,
                    label_map=self._label_map,
                    multi_label=self._multi_label,
                    max_length=self._max_length,
                )
            return self._classifier

    def _read(self, texts: Sequence[str]) -> list[Affect]:
        classifier = self._loaded()
        windows = classifier.encode(texts)
        scores = classifier.scores([w for text in windows for w in text], self._batch_size)
        ends = np.cumsum([len(text) for text in windows])
        return [self._merged(rows, classifier.labels) for rows in np.split(scores, ends[:-1])]

    def _merged(self, scores: FloatArray, labels: ModelLabels) -> Affect:
        """The affect of one text from the (w, m) scores of its windows, NaN where unreadable."""
        readable = np.asarray(np.isfinite(scores).all(axis=1))
        if not readable.any():
            return Affect.unknown(source=self.source)
        if len(scores) == 1:
            return labels.affect(scores[0], self.source)
        strengths = [
            1.0 - labels.affect(row).neutrality if known else np.nan
            for row, known in zip(scores, readable, strict=True)
        ]
        weights = window_weights(strengths)
        return labels.affect(weights[readable] @ scores[readable], self.source)


def _check_at_least(name: str, value: int, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        msg = f"{name} must be an int >= {least}, got {value!r}"
        raise ValueError(msg)


def check_installed(component: str) -> None:
    """Make sure that what a component needs in order to run a model is there.

    Raises:
        ImportError: It is not; the message says how to install it.
    """
    for package in ("torch", "transformers"):
        if find_spec(package) is None:
            msg = (
                f"{component} needs {package}, which is not installed: "
                "pip install 'emomem[huggingface]'"
            )
            raise ImportError(msg)


def locate(model: str | os.PathLike[str]) -> tuple[str, bool]:
    """The name to load by, and whether it is a folder on this machine.

    Raises:
        ValueError: It was meant as a folder, which does not exist, or is blank.
    """
    name = os.fspath(model)
    path = Path(name).expanduser()
    if name.strip() and path.is_dir():
        return str(path.resolve()), True
    # Never ask the hub for what was meant as a folder.
    if not isinstance(model, str) or not name.strip() or name.startswith((".", "~", "/", "\\")):
        msg = f"model must be a folder that exists or a name on the hub, got {name!r}"
        raise ValueError(msg)
    return name, False


def _source(name: str) -> str:
    """What readings are marked with; of a folder its name alone, for a path tells of its user."""
    return f"huggingface:{(Path(name).name if Path(name).is_dir() else name) or 'pipeline'}"


def from_pretrained(name: str, device: str | None, local: bool) -> tuple[Any, Any]:  # noqa: FBT001 - a partial's
    """A tokenizer and a classification model, of safetensors weights and no code from a hub."""
    import torch  # noqa: PLC0415 - heavy, so first use loads it
    from transformers import (  # noqa: PLC0415 - the same
        AutoModelForSequenceClassification,
        AutoTokenizer,
    )

    options = {"local_files_only": local, "trust_remote_code": False}
    tokenizer = AutoTokenizer.from_pretrained(name, **options)
    model = AutoModelForSequenceClassification.from_pretrained(
        name, use_safetensors=True, **options
    )
    return tokenizer, model.to(device or ("cuda" if torch.cuda.is_available() else "cpu"))


def _of_pipeline(pipeline: TextClassificationPipeline) -> tuple[Any, Any]:
    # A copy, because the user's threads may be in the pipeline's own tokenizer meanwhile.
    return copy.deepcopy(pipeline.tokenizer), pipeline.model


def _check_pipeline(pipeline: TextClassificationPipeline, device: str | None) -> None:
    if not (hasattr(pipeline, "model") and hasattr(pipeline, "tokenizer")):
        msg = f"model must be a name, a folder or a pipeline, got {type(pipeline).__name__}"
        raise TypeError(msg)
    if pipeline.task != "text-classification":
        msg = f"the pipeline must be for 'text-classification', got {pipeline.task!r}"
        raise ValueError(msg)
    if device is not None:
        msg = f"a ready pipeline has its own device; leave out device={device!r}"
        raise ValueError(msg)

"""The files of a domain adapter: weights as safetensors, and what they are for as JSON."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from emomem.affect import FloatArray
from emomem.appraisal.domain_heads import LABEL, DomainHeads, HeldOut
from emomem.appraisal.heads import LinearHead
from emomem.appraisal.weights import checksums
from emomem.emotions import projection
from emomem.files import replace_file
from emomem.reading import WIDTH

FACTS: Final = "adapter.json"
"""The file by which a folder is one that `save_heads` wrote."""

_WEIGHTS: Final = "adapter.safetensors"
_KEYS: Final = {"format", "sha256", "branch", "labels", "report"}
_FORMAT: Final = 1


def save_heads(heads: DomainHeads, folder: Path) -> None:
    """Write heads into a folder, made where there is none; they hold no text."""
    from safetensors.numpy import save  # noqa: PLC0415 - an optional dependency

    folder.mkdir(parents=True, exist_ok=True)
    tensors = {}
    for target, head in heads.heads.items():
        tensors[f"{target}.weights"] = np.ascontiguousarray(head.weights)
        tensors[f"{target}.bias"] = head.bias
    weights = save(tensors)
    facts = {
        "format": _FORMAT,
        "sha256": hashlib.sha256(weights).hexdigest(),
        "branch": _branch_checksums(),
        "labels": heads.labels,
        "report": [asdict(checked) for checked in heads.report],
    }
    # The facts last: until they are there, the checksum says that the two do not belong together.
    replace_file(folder / _WEIGHTS, weights)
    replace_file(folder / FACTS, json.dumps(facts, indent=1).encode())


def load_heads(folder: Path) -> DomainHeads:
    """The heads that `save_heads` wrote.

    Raises:
        FileNotFoundError: A file is missing.
        ValueError: The files are not what `save_heads` wrote, or the heads were fitted on
            another version of the embedded model.
    """
    from safetensors import SafetensorError  # noqa: PLC0415 - an optional dependency
    from safetensors.numpy import load  # noqa: PLC0415 - the same

    weights = (folder / _WEIGHTS).read_bytes()
    facts = _facts(folder / FACTS)
    if facts["sha256"] != hashlib.sha256(weights).hexdigest():
        msg = f"{folder / _WEIGHTS} has not the SHA-256 that {FACTS} names; fit and save again"
        raise ValueError(msg)
    if facts["branch"] != _branch_checksums():
        msg = f"{folder} was fitted on another version of the embedded model; fit again"
        raise ValueError(msg)
    try:
        labels = tuple(facts["labels"])
        projection(labels)  # raises for one that is not known
        report = tuple(HeldOut(**checked) for checked in facts["report"])
        return DomainHeads(_heads(load(weights), report, len(labels)), labels, report)
    except (KeyError, TypeError, AttributeError, SafetensorError) as error:
        msg = f"{folder} is not what DomainAdapter.save writes"
        raise ValueError(msg) from error


def _facts(path: Path) -> dict[str, Any]:
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        facts = None
    if not isinstance(facts, dict) or facts.keys() != _KEYS or facts["format"] != _FORMAT:
        msg = f"{path} is not what DomainAdapter.save writes"
        raise ValueError(msg)
    return facts


def _heads(
    tensors: Mapping[str, FloatArray], report: Sequence[HeldOut], labels: int
) -> dict[str, LinearHead]:
    """The heads that a report speaks of.

    Raises:
        KeyError: A tensor is missing.
        ValueError: One is not finite, or of another shape than it should have.
    """
    heads = {}
    for target in (checked.target for checked in report):
        head = LinearHead(tensors[f"{target}.weights"], tensors[f"{target}.bias"])
        outputs = labels if target == LABEL else 1
        finite = np.isfinite(head.weights).all() and np.isfinite(head.bias).all()
        shapes = (head.weights.shape, head.bias.shape)
        if not finite or shapes != ((WIDTH, outputs), (outputs,)):
            msg = f"the head for {target!r} must have {WIDTH} inputs and {outputs} finite outputs"
            raise ValueError(msg)
        heads[target] = head
    return heads


def _branch_checksums() -> dict[str, str]:
    """What heads and their base depend on, as it was shipped."""
    sums = checksums()
    return {name: sums.get(name, "") for name in ("branch.safetensors", "calibration.json")}

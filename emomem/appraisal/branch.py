"""The branches of affect and of conflict: the upper halves of the embedded model, in torch.

MiniLM's first three layers are shared with the sentence embedding. A branch takes the hidden states
that they leave, runs a fine-tuned copy of the last three layers over them, pools the positions by
attention and reads its heads from the pooled vector: four of affect, one of conflict. Training and
inference use this one definition. This module imports torch; nothing that must stay light may
import it at module level.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from emomem.appraisal.weights import WEIGHTS, checked_file
from emomem.emotions import LABEL_VAD, TO_EKMAN
from emomem.reading import WIDTH

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

SHARED_LAYERS: Final = 3
"""How many of MiniLM's layers run once for both answers."""

HEADS: Final[Mapping[str, int]] = {"emotions": 28, "vad": 3, "intensity": 5, "plutchik": 8}
"""Outputs a head, in the order of the output columns.

`emotions`: logits of the GoEmotions labels. `vad`: valence, arousal, dominance in standard
deviations of EmoBank. `intensity`: logits of BRIGHTER's anger, fear, joy, sadness, surprise (a
third of the 0..3 scale). `plutchik`: logits of XED's anger, anticipation, disgust, fear, joy,
sadness, surprise, trust.
"""

OUTPUTS: Final = sum(HEADS.values())
"""Columns of the affect branch's outputs."""

CONFLICT: Final = "conflict.safetensors"
"""The file of the branch that reads conflict."""

_BERT_NAMES: Final = {
    "merge": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "expand": "intermediate.dense",
    "contract": "output.dense",
    "norm": "output.LayerNorm",
}


def columns(head: str) -> slice:
    """Return the output columns of one head, by its name in `HEADS`."""
    names = list(HEADS)
    start = sum(HEADS[name] for name in names[: names.index(head)])
    return slice(start, start + HEADS[head])


class EncoderLayer(nn.Module):
    """One transformer layer with BERT's arrangement: a norm after each residual sum, an exact GELU.

    Args:
        width: size of a hidden state.
        heads: attention heads; must divide `width`.
        inner: size of the feed-forward part.
        dropout: probability in the two residual branches (training only).
    """

    def __init__(
        self, width: int = WIDTH, heads: int = 12, inner: int = 1536, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = nn.Dropout(dropout)
        self.attend = nn.Linear(width, 3 * width)
        self.merge = nn.Linear(width, width)
        self.attention_norm = nn.LayerNorm(width, eps=1e-12)
        self.expand = nn.Linear(width, inner)
        self.contract = nn.Linear(inner, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return new states (batch, length, width).

        Args:
            states: (batch, length, width).
            mask: (batch, 1, 1, length), true where a position counts.
        """
        batch, length, width = states.shape
        query, key, value = (
            self.attend(states).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        )
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        mixed = mixed.transpose(1, 2).reshape(batch, length, width)
        states = self.attention_norm(states + self.dropout(self.merge(mixed)))
        inner = self.contract(functional.gelu(self.expand(states)))
        result: Tensor = self.norm(states + self.dropout(inner))
        return result

    def copy_from_bert(self, weights: Mapping[str, Tensor], prefix: str) -> None:
        """Copy one layer of a BERT checkpoint, whose names start with `prefix`, into this layer."""
        with torch.no_grad():
            for kind in ("weight", "bias"):
                parts = [
                    weights[f"{prefix}.attention.self.{name}.{kind}"]
                    for name in ("query", "key", "value")
                ]
                getattr(self.attend, kind).copy_(torch.cat(parts))
                for ours, theirs in _BERT_NAMES.items():
                    getattr(getattr(self, ours), kind).copy_(weights[f"{prefix}.{theirs}.{kind}"])


class AttentionPool(nn.Module):
    """Positions -> one vector; each head weighs the positions for its own slice of the values."""

    def __init__(self, width: int = WIDTH, heads: int = 8) -> None:
        super().__init__()
        self.heads = heads
        self.score = nn.Linear(width, heads)
        self.value = nn.Linear(width, width)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return one vector a text (batch, width).

        Args:
            states: (batch, length, width).
            mask: (batch, length), true where a position counts.
        """
        batch, length, width = states.shape
        scores = self.score(states).float().masked_fill(~mask.unsqueeze(-1), float("-inf"))
        weights = scores.softmax(1).to(states.dtype)
        values = self.value(states).view(batch, length, self.heads, -1)
        pooled = torch.einsum("blh,blhd->bhd", weights, values).reshape(batch, width)
        return functional.gelu(pooled)


class AffectBranch(nn.Module):
    """A branch over the states of MiniLM's third layer: of affect, or of conflict.

    Args:
        dropout: probability inside the layers and before the heads (training only).
        outputs: columns of the outputs: those of `HEADS`, or 1 for the log-odds of a conflict.

    Example:
        >>> branch = AffectBranch().eval()
        >>> outputs = branch(torch.zeros(2, 7, 384), torch.ones(2, 7, dtype=torch.bool))
        >>> outputs.shape
        torch.Size([2, 44])
    """

    def __init__(self, dropout: float = 0.1, outputs: int = OUTPUTS) -> None:
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(dropout=dropout) for _ in range(3))
        self.pool = AttentionPool()
        self.dropout = nn.Dropout(dropout)
        self.heads = nn.Linear(WIDTH, outputs)

    def features(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return the pooled vectors (batch, 384) that the heads read.

        A domain adapter fits heads of its own on these. The arguments are those of `forward`.
        """
        attention_mask = mask[:, None, None, :]
        for layer in self.layers:
            states = layer(states, attention_mask)
        pooled: Tensor = self.pool(states, mask)
        return pooled

    def read(self, states: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the features (batch, 384) and what `forward` returns, of one pass."""
        features = self.features(states, mask)
        return features, self.heads(self.dropout(features))

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Read affect, or conflict.

        Args:
            states: (batch, length, 384), the hidden states after MiniLM's third layer.
            mask: (batch, length), true where a position holds a token.

        Returns:
            (batch, outputs): the heads of `HEADS` side by side, of which `columns(name)` cuts one
            out.
        """
        return self.read(states, mask)[1]

    def copy_from_bert(self, weights: Mapping[str, Tensor]) -> None:
        """Start the layers from the last three of MiniLM, by the names of its checkpoint."""
        for number, layer in enumerate(self.layers):
            layer.copy_from_bert(weights, f"encoder.layer.{SHARED_LAYERS + number}")  # type: ignore[operator]


@dataclass(frozen=True)
class Calibration:
    """Raw outputs of the branch -> calibrated affect, by numbers fitted on development splits.

    Attributes:
        temperature: divides the emotion logits.
        confidence: slope and intercept that turn the highest logit into the chance that its label
            is right.
        thresholds: (28,) the chance from which a label counts as present.
        ekman_weights: (7, 7) from the log-odds that any member holds, of every group of
            `emomem.emotions.EKMAN` (rows), to those of each group (columns).
        ekman_bias: (7,) what is added to them.
        ekman_thresholds: (7,) the chance from which a group counts as present.
        vad_mean: (3,) mean of EmoBank's training rows on this project's scales.
        vad_deviation: (3,) their standard deviation; the `vad` head answers in these.
        ranks_from: (3, q) the head's quantiles over conversational text.
        ranks_to: (3, q) the working values of those quantiles.
        head_share: the share of the quantile-mapped head in the working values.
    """

    temperature: float
    confidence: tuple[float, float]
    thresholds: NDArray[np.float64]
    ekman_weights: NDArray[np.float64]
    ekman_bias: NDArray[np.float64]
    ekman_thresholds: NDArray[np.float64]
    vad_mean: NDArray[np.float64]
    vad_deviation: NDArray[np.float64]
    ranks_from: NDArray[np.float64]
    ranks_to: NDArray[np.float64]
    head_share: float

    def probabilities(self, outputs: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the chance of each label (n, 28), each by itself; `outputs` is (n, 44)."""
        logits = outputs[:, columns("emotions")].astype(np.float64) / self.temperature
        return _sigmoid(logits)

    def ekman(self, outputs: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the chance of each Ekman group (n, 7): any member's, seen beside the others'."""
        return _sigmoid(
            group_odds(self.probabilities(outputs)) @ self.ekman_weights + self.ekman_bias
        )

    def distribution(self, outputs: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the distribution over the 28 labels (n, 28), rows of which sum to 1."""
        chances = self.probabilities(outputs)
        distribution: NDArray[np.float64] = chances / chances.sum(1, keepdims=True)
        return distribution

    def certainty(self, outputs: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the chance (n,) that the most probable label is right."""
        slope, intercept = self.confidence
        highest = outputs[:, columns("emotions")].max(1).astype(np.float64)
        return _sigmoid(slope * highest + intercept)

    def raw_vad(self, outputs: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return EmoBank's valence, arousal and dominance (n, 3) as regressed: a narrow range."""
        standard = outputs[:, columns("vad")].astype(np.float64)
        return standard * self.vad_deviation + self.vad_mean

    def working_vad(self, outputs: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return valence, arousal and dominance (n, 3) that use their range.

        A share of the head, mapped by its rank among conversational texts, and for the rest the
        label table's expectation over the distribution.
        """
        head = outputs[:, columns("vad")].astype(np.float64)
        scales = zip(head.T, self.ranks_from, self.ranks_to, strict=True)
        mapped = np.stack([np.interp(*scale) for scale in scales], axis=1)
        expected = self.distribution(outputs) @ LABEL_VAD
        return self.head_share * mapped + (1 - self.head_share) * expected

    def to_json(self) -> str:
        """Return the calibration as JSON."""
        values = {name: np.round(value, 6).tolist() for name, value in asdict(self).items()}
        return json.dumps(values)

    @classmethod
    def from_json(cls, text: str) -> Calibration:
        """Read what `to_json` wrote."""
        values: dict[str, Any] = json.loads(text)
        for name in values.keys() - {"temperature", "confidence", "head_share"}:
            values[name] = np.array(values[name])
        return cls(**values)


def group_odds(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log-odds (n, 7) that any label of each Ekman group holds, from chances (n, 28)."""
    none = np.log1p(-np.minimum(chances, 1 - 1e-9)) @ (TO_EKMAN > 0)
    result: NDArray[np.float64] = np.log(-np.expm1(none)) - none
    return result


def _sigmoid(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return 0.5 * (1 + np.tanh(0.5 * values))


def load_calibration(folder: Path = WEIGHTS) -> Calibration:
    """Load the calibration that belongs to the shipped branch."""
    return Calibration.from_json(checked_file("calibration.json", folder).read_text())


def load_branch(folder: Path = WEIGHTS) -> AffectBranch:
    """Load the shipped branch of affect, ready for inference in single precision.

    Raises:
        FileNotFoundError: the weights are missing.
        ValueError: the weights are not those that were shipped.
    """
    return _loaded("branch.safetensors", OUTPUTS, folder)


def load_conflict_branch(folder: Path = WEIGHTS) -> AffectBranch:
    """Load the shipped branch of conflict; the errors are `load_branch`'s."""
    return _loaded(CONFLICT, 1, folder)


def _loaded(name: str, outputs: int, folder: Path) -> AffectBranch:
    branch = AffectBranch(dropout=0.0, outputs=outputs)
    weights = load_file(checked_file(name, folder))
    branch.load_state_dict({name: weight.float() for name, weight in weights.items()})
    return branch.eval().requires_grad_(False)  # noqa: FBT003

"""MiniLM itself as torch modules: the shared lower layers, and the sentence embedding above them.

This module imports torch; nothing that must stay light may import it at module level.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeVar

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from emomem.appraisal.branch import SHARED_LAYERS, EncoderLayer
from emomem.minilm import check_minilm
from emomem.reading import WIDTH

_LAYERS: Final = 6
_POSITIONS: Final = 512
_VOCABULARY: Final = 30522


class LowerLayers(nn.Module):
    """The token embeddings of all-MiniLM-L6-v2 and its first layers, which both answers share.

    Example:
        >>> mask = torch.ones(2, 5, dtype=torch.bool)
        >>> LowerLayers().eval()(torch.zeros(2, 5, dtype=torch.long), mask).shape
        torch.Size([2, 5, 384])
    """

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(_VOCABULARY, WIDTH)
        self.places = nn.Embedding(_POSITIONS, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(EncoderLayer(dropout=0.0) for _ in range(SHARED_LAYERS))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """States (batch, length, 384) after the shared layers.

        Args:
            ids: (batch, length) token ids.
            mask: (batch, length), true where a position holds a token.
        """
        places = self.places.weight[: ids.shape[1]]
        return _through(self.layers, self.norm(self.words(ids) + places), mask)

    def copy_from_bert(self, weights: Mapping[str, Tensor]) -> None:
        """Take the parameters of a BERT checkpoint."""
        with torch.no_grad():
            self.words.weight.copy_(weights["embeddings.word_embeddings.weight"])
            # A single text is all of token type 0, so that its embedding joins the positions'.
            self.places.weight.copy_(
                weights["embeddings.position_embeddings.weight"]
                + weights["embeddings.token_type_embeddings.weight"][0]
            )
            for name in ("weight", "bias"):
                getattr(self.norm, name).copy_(weights[f"embeddings.LayerNorm.{name}"])
        _copy_layers(self.layers, weights, 0)


class UpperLayers(nn.Module):
    """The last layers of all-MiniLM-L6-v2 and its pooling: states -> the sentence embedding.

    Example:
        >>> mask = torch.ones(2, 5, dtype=torch.bool)
        >>> UpperLayers().eval()(torch.zeros(2, 5, 384), mask).shape
        torch.Size([2, 384])
    """

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            EncoderLayer(dropout=0.0) for _ in range(_LAYERS - SHARED_LAYERS)
        )

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Sentence embeddings (batch, 384) of length one.

        Args:
            states: (batch, length, 384) what `LowerLayers` gives.
            mask: (batch, length), true where a position holds a token.
        """
        states = self.tokens(states, mask)
        # The mean over the tokens; its length does not matter, for it becomes one.
        return functional.normalize((states * mask.unsqueeze(-1)).sum(1), dim=1)

    def tokens(self, states: Tensor, mask: Tensor) -> Tensor:
        """States (batch, length, 384) after the last layer; the arguments are those of a call."""
        return _through(self.layers, states, mask)

    def copy_from_bert(self, weights: Mapping[str, Tensor]) -> None:
        """Take the parameters of a BERT checkpoint."""
        _copy_layers(self.layers, weights, SHARED_LAYERS)


_Half = TypeVar("_Half", LowerLayers, UpperLayers)


def load_lower(folder: Path) -> LowerLayers:
    """MiniLM's lower half from a folder in the layout of its own repository.

    Raises:
        FileNotFoundError: The folder holds no weights.
        ValueError: They are not MiniLM's.
    """
    return _loaded(LowerLayers(), folder)


def load_upper(folder: Path) -> UpperLayers:
    """MiniLM's upper half; the arguments and errors are those of `load_lower`."""
    return _loaded(UpperLayers(), folder)


def _loaded(half: _Half, folder: Path) -> _Half:
    check_minilm(folder)
    half.copy_from_bert(load_file(folder / "model.safetensors"))
    return half.eval().requires_grad_(False)  # noqa: FBT003


def _through(layers: nn.ModuleList, states: Tensor, mask: Tensor) -> Tensor:
    attention_mask = mask[:, None, None, :]
    for layer in layers:
        states = layer(states, attention_mask)
    return states


def _copy_layers(layers: nn.ModuleList, weights: Mapping[str, Tensor], first: int) -> None:
    for number, layer in enumerate(layers, start=first):
        layer.copy_from_bert(weights, f"encoder.layer.{number}")  # type: ignore[operator]

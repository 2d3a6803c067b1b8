"""MiniLM itself as torch modules: the shared lower layers, and the sentence embedding above them.

This module imports torch; nothing that must stay light may import it at module level.
"""

from pathlib import Path
from typing import Final

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from emomem.appraisal.branch import SHARED_LAYERS, WIDTH, EncoderLayer
from emomem.minilm import check_minilm

_LAYERS: Final = 6
_POSITIONS: Final = 512
_VOCABULARY: Final = 30522


class MiniLM(nn.Module):
    """all-MiniLM-L6-v2 in two halves, so that another branch can start from the middle.

    Example:
        >>> model = MiniLM().eval()
        >>> mask = torch.ones(2, 5, dtype=torch.bool)
        >>> states = model.lower(torch.zeros(2, 5, dtype=torch.long), mask)
        >>> model.upper(states, mask).shape
        torch.Size([2, 384])
    """

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(_VOCABULARY, WIDTH)
        self.places = nn.Embedding(_POSITIONS, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(EncoderLayer(dropout=0.0) for _ in range(_LAYERS))

    def lower(self, ids: Tensor, mask: Tensor) -> Tensor:
        """States after the shared layers (batch, length, 384).

        Args:
            ids: (batch, length) token ids.
            mask: (batch, length), true where a position holds a token.
        """
        places = torch.arange(ids.shape[1], device=ids.device)
        states: Tensor = self.norm(self.words(ids) + self.places(places))
        return self._through(self.layers[:SHARED_LAYERS], states, mask)

    def upper(self, states: Tensor, mask: Tensor) -> Tensor:
        """Sentence embeddings (batch, 384) of length one from the states of `lower`."""
        states = self._through(self.layers[SHARED_LAYERS:], states, mask)
        summed = (states * mask.unsqueeze(-1)).sum(1)
        return functional.normalize(summed / mask.sum(1, keepdim=True), dim=1)

    @staticmethod
    def _through(layers: nn.ModuleList, states: Tensor, mask: Tensor) -> Tensor:
        attention_mask = mask[:, None, None, :]
        for layer in layers:
            states = layer(states, attention_mask)
        return states


def load_minilm(folder: Path) -> MiniLM:
    """MiniLM from a folder in the layout of its own repository, its weights checked.

    Raises:
        FileNotFoundError: The folder holds no weights.
        ValueError: They are not MiniLM's.
    """
    check_minilm(folder)
    weights = load_file(folder / "model.safetensors")
    model = MiniLM()
    with torch.no_grad():
        # A single text is all of token type 0, so that its embedding joins the positions'.
        model.words.weight.copy_(weights["embeddings.word_embeddings.weight"])
        model.places.weight.copy_(
            weights["embeddings.position_embeddings.weight"]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        for name in ("weight", "bias"):
            getattr(model.norm, name).copy_(weights[f"embeddings.LayerNorm.{name}"])
    for number, layer in enumerate(model.layers):
        layer.copy_from_bert(weights, f"encoder.layer.{number}")  # type: ignore[operator]
    return model.eval().requires_grad_(False)  # noqa: FBT003

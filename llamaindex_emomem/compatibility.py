"""Stored vectors and the model that is to search them are not to differ by accident."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.indices.base import BaseIndex
from llama_index.core.schema import BaseNode, MetadataMode, TextNode
from llama_index.core.vector_stores.utils import metadata_dict_to_node

from emomem.compatibility import Names, Seen, check_form, check_fused, check_plain
from emomem.fused import looks_fused
from llamaindex_emomem.affect_embedding import AffectEmbedding
from llamaindex_emomem.stores import is_kind

_HELP: Final = "embed the nodes anew into an index of its own"
_ROWS: Final = 3
"""How many vectors are looked at before an index is refused."""

_seen: Final = Seen()


@dataclass(frozen=True)
class _Row:
    """A stored vector, and the texts that it may be of; none where no text is kept."""

    texts: list[str]
    vector: list[float]


def check_vectors(index: BaseIndex[Any], encoder: BaseEmbedding | None) -> None:
    """Refuse an index whose vectors are not those of its model, as far as it lets us see.

    A vector of LlamaIndex's own store or of Chroma is looked at, once a store and model; an empty
    store is looked at again. Metadata that were edited later change the text that is embedded, so
    that one vector is not taken for all.

    Args:
        index: The index.
        encoder: What embeds a query; None where no vectors are searched.

    Raises:
        ValueError: The vectors are fused and the model's are not, or the other way, or they are
            those of another model.
    """
    store = getattr(index, "vector_store", None)
    if encoder is None or store is None or _seen.agree(store, encoder):
        return
    rows = list(islice(_rows(index, store), _ROWS))
    if not rows:
        return
    if isinstance(encoder, AffectEmbedding):
        _check_fused(rows, encoder.embed_model)
    elif looks_fused(rows[0].vector):
        size = len(encoder.get_query_embedding("length"))
        check_plain(len(rows[0].vector), size, _names(encoder))
    _seen.remember(store, encoder)


def _check_fused(rows: list[_Row], model: BaseEmbedding) -> None:
    pairs = [(row.vector, text) for row in rows for text in row.texts]
    if not pairs:
        check_form(rows[0].vector, len(model.get_text_embedding("length")), _names(model))
        return
    errors = []
    for vector, text in pairs:
        try:
            check_fused(vector, model.get_text_embedding(text), _names(model))
        except ValueError as error:
            errors.append(error)
        else:
            return
    raise errors[0]


def _names(encoder: BaseEmbedding) -> Names:
    return Names("AffectEmbedding", type(encoder).__name__, _HELP)


def _rows(index: BaseIndex[Any], store: Any) -> Iterator[_Row]:  # noqa: ANN401 - no one type
    """The first stored vectors."""
    if is_kind(store, "SimpleVectorStore"):
        for key, vector in store.data.embedding_dict.items():
            yield _Row(_texts(index.docstore.get_node(key, raise_error=False)), list(vector))
    elif is_kind(store, "ChromaVectorStore"):
        held = store.client.get(limit=_ROWS, include=["documents", "metadatas", "embeddings"])
        columns = (held["metadatas"], held["documents"], held["embeddings"])
        for metadata, text, vector in zip(*columns, strict=True):
            yield _Row(_texts(_node(metadata or {}, text)), vector.tolist())


def _node(metadata: dict[str, Any], text: str | None) -> BaseNode:
    """A node of a row of Chroma, which LangChain may have written: of its text alone."""
    try:
        return metadata_dict_to_node(metadata, text=text)
    except ValueError:
        return TextNode(text=text or "")


def _texts(node: BaseNode | None) -> list[str]:
    """What may have been embedded of a node: its text with its metadata, and alone."""
    if node is None or not node.get_content(MetadataMode.NONE).strip():
        return []
    modes = (MetadataMode.EMBED, MetadataMode.NONE)
    return list(dict.fromkeys(node.get_content(mode) for mode in modes))

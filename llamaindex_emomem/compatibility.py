"""Stored vectors and the model that is to search them are not to differ by accident."""

from typing import Any, Final

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.indices.base import BaseIndex
from llama_index.core.schema import MetadataMode
from llama_index.core.vector_stores.utils import metadata_dict_to_node

from emomem.compatibility import Names, Seen, check_form, check_fused, check_plain
from emomem.fused import looks_fused
from llamaindex_emomem.affect_embedding import AffectEmbedding
from llamaindex_emomem.stores import is_kind

_HELP: Final = "embed the nodes anew into an index of its own"

_seen: Final = Seen()


def check_vectors(index: BaseIndex[Any], encoder: BaseEmbedding | None) -> None:
    """Refuse an index whose vectors are not those of its model, as far as it lets us see.

    One vector of LlamaIndex's own store or of Chroma is looked at, once a store and model; an
    empty store is looked at again.

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
    sample = _sample(index, store)
    if sample is None:
        return
    text, vector = sample
    if isinstance(encoder, AffectEmbedding):
        within = encoder.embed_model
        semantic = within.get_text_embedding(text or "length")
        if text is None:
            check_form(vector, len(semantic), _names(within))
        else:
            check_fused(vector, semantic, _names(within))
    elif looks_fused(vector):
        check_plain(len(vector), len(encoder.get_query_embedding("length")), _names(encoder))
    _seen.remember(store, encoder)


def _names(encoder: BaseEmbedding) -> Names:
    return Names("AffectEmbedding", type(encoder).__name__, _HELP)


def _sample(index: BaseIndex[Any], store: Any) -> tuple[str | None, list[float]] | None:  # noqa: ANN401 - no one type
    """The embedded text, where it can be had, and the vector of one stored node."""
    if is_kind(store, "SimpleVectorStore"):
        for key, vector in store.data.embedding_dict.items():
            node = index.docstore.get_node(key, raise_error=False)
            return None if node is None else node.get_content(MetadataMode.EMBED), list(vector)
    elif is_kind(store, "ChromaVectorStore"):
        held = store.client.get(limit=1, include=["documents", "metadatas", "embeddings"])
        if held["ids"]:
            node = metadata_dict_to_node(held["metadatas"][0], text=held["documents"][0])
            return node.get_content(MetadataMode.EMBED), held["embeddings"][0].tolist()
    return None

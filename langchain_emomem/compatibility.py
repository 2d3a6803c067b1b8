"""Old and new vectors, and those of another encoder, are not to be mixed by accident."""

from typing import Final

from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from emomem.compatibility import Names, Seen, check_fused, check_plain
from emomem.fused import looks_fused
from langchain_emomem import stores
from langchain_emomem.affect_embeddings import AffectEmbeddings

_HELP: Final = "langchain_emomem.migrate re-embeds a collection into a new one"

_seen: Final = Seen()


def check_vectors(store: VectorStore, embeddings: AffectEmbeddings | None = None) -> None:
    """Refuse a store whose vectors are not those of its encoder, as far as it lets us see.

    One stored vector is looked at, once a store and encoder; an empty store is looked at again.

    Args:
        store: The store.
        embeddings: What its vectors were made with, where it does not show that.

    Raises:
        ValueError: The vectors are fused and the encoder's are not, or the other way, or they
            are those of another encoder.
    """
    encoder = embeddings or stores.encoder_of(store)
    if encoder is None:
        return
    if _seen.agree(store, encoder):
        return
    sample = stores.stored_sample(store)
    if sample is None:
        return
    text, vector = sample
    if isinstance(encoder, AffectEmbeddings):
        [semantic] = encoder.embeddings.embed_documents([text])
        check_fused(vector.tolist(), semantic, _names(encoder.embeddings))
    elif looks_fused(vector):
        check_plain(len(vector), len(encoder.embed_query("length")), _names(encoder))
    _seen.remember(store, encoder)


def _names(encoder: Embeddings) -> Names:
    return Names("AffectEmbeddings", type(encoder).__name__, _HELP)

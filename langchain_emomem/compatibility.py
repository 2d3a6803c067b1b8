"""Old and new vectors, and those of another encoder, are not to be mixed by accident."""

from typing import Final
from weakref import finalize, ref

from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from emomem.fused import EXTRA, looks_fused
from emomem.signals import cosines
from langchain_emomem import stores
from langchain_emomem.affect_embeddings import AffectEmbeddings

_SAME: Final = 0.95
"""The cosine that two encodings of one text have at least; servers are not exact."""

_HELP: Final = "langchain_emomem.migrate re-embeds a collection into a new one"

_checked: Final[dict[int, ref[Embeddings]]] = {}
"""The store's `id` -> the encoder whose vectors it was seen to hold."""


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
    seen = _checked.get(id(store))
    if seen is not None and seen() is encoder:
        return
    sample = stores.stored_sample(store)
    if sample is None:
        return
    text, vector = sample
    if isinstance(encoder, AffectEmbeddings):
        _check_fused(text, vector.tolist(), encoder)
    elif looks_fused(vector):
        _check_plain(len(vector), encoder)
    if id(store) not in _checked:
        finalize(store, _checked.pop, id(store), None)
    _checked[id(store)] = ref(encoder)


def _check_fused(text: str, vector: list[float], encoder: AffectEmbeddings) -> None:
    [semantic] = encoder.embeddings.embed_documents([text])
    made, held = len(semantic) + EXTRA, len(vector)
    name = type(encoder.embeddings).__name__
    if made != held:
        msg = (
            f"the collection holds vectors of {held} dimensions, but AffectEmbeddings over {name} "
            f"makes {made} ({len(semantic)} + {EXTRA}); {_HELP}"
        )
        raise ValueError(msg)
    if not looks_fused(vector):
        msg = (
            f"the collection's vectors of {held} dimensions are not fused vectors of this version "
            f"({len(semantic)} + {EXTRA}); {_HELP}"
        )
        raise ValueError(msg)
    if cosines(semantic, [vector[:-EXTRA]])[0] < _SAME:
        msg = (
            f"the collection's vectors were made with another encoder than {name}: the same text "
            f"gives another vector of {len(semantic)} + {EXTRA} dimensions; {_HELP}"
        )
        raise ValueError(msg)


def _check_plain(held: int, encoder: Embeddings) -> None:
    made = len(encoder.embed_query("length"))
    if made != held:
        msg = (
            f"the collection holds fused vectors of {held} dimensions ({held - EXTRA} + {EXTRA}), "
            f"but {type(encoder).__name__} makes {made}; give the store AffectEmbeddings, or "
            f"re-embed it: {_HELP}"
        )
        raise ValueError(msg)

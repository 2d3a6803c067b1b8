"""From a collection of plain vectors to one of fused vectors."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from emomem.metadata import DEFAULT_FIELDS, MetadataFields
from langchain_emomem import stores
from langchain_emomem.affect_embeddings import AffectEmbeddings
from langchain_emomem.paging import all_documents, held_by_others
from langchain_emomem.tagger import EmotionTagger

_BATCH: Final = 256


def migrate(
    source: VectorStore | Iterable[Sequence[Document]],
    target: VectorStore,
    *,
    fields: MetadataFields = DEFAULT_FIELDS,
    new_id: Callable[[str], str] | None = None,
    on_batch: Callable[[int], None] | None = None,
) -> int:
    """Re-embed a whole collection into one whose encoder is `AffectEmbeddings`.

    Ids, texts and metadata stay, and what carries no tag is tagged. The source is only read. What
    the target already holds by its id is left out, so that a run that was interrupted goes on
    when it is called again, and nothing comes twice.

    Args:
        source: A store of Chroma, PGVector or LangChain in memory; of any other kind, its
            documents in batches, each with its id.
        target: Where to, a collection of its own.
        fields: Where both keep affect.
        new_id: The id in the target for one of the source. Two PGVector collections of one
            database need it, since ids are shared by all of them.
        on_batch: Called after each batch with how many documents have been seen so far.

    Returns:
        How many documents were written.

    Raises:
        TypeError: The source is a store that cannot be read from end to end.
        ValueError: The target's encoder is not `AffectEmbeddings`, the target is the source, its
            database has the ids in another collection, or a document has no id.

    Example:
        >>> from langchain_core.embeddings import DeterministicFakeEmbedding
        >>> from langchain_core.vectorstores import InMemoryVectorStore
        >>> from emomem import LexiconAppraiser
        >>> plain = DeterministicFakeEmbedding(size=8)
        >>> old = InMemoryVectorStore(plain)
        >>> _ = old.add_documents([Document("What a lovely day", id="1")])
        >>> new = InMemoryVectorStore(AffectEmbeddings(plain, LexiconAppraiser()))
        >>> migrate(old, new), migrate(old, new)
        (1, 0)
    """
    encoder = stores.encoder_of(target)
    if not isinstance(encoder, AffectEmbeddings):
        msg = f"the target's encoder must be AffectEmbeddings, got {type(encoder).__name__}"
        raise ValueError(msg)  # noqa: TRY004 - the store is what is wrong
    stores.check_mode(target, is_async=False)
    if source is target:
        msg = "source and target are one store; give a target of its own"
        raise ValueError(msg)
    batches = all_documents(source, _BATCH) if isinstance(source, VectorStore) else source
    tagger = EmotionTagger(appraiser=encoder.appraiser, fields=fields)
    written = seen = 0
    for batch in batches:
        named = [_named(document, new_id) for document in batch]
        missing = _missing(named, target)
        if missing:
            _check_ids(missing, target)
            target.add_documents(_tagged(missing, tagger))
        written, seen = written + len(missing), seen + len(batch)
        if on_batch is not None:
            on_batch(seen)
    return written


def _named(document: Document, new_id: Callable[[str], str] | None) -> Document:
    if document.id is None:
        msg = "every document needs the id that the target is to keep it by"
        raise ValueError(msg)
    if new_id is None:
        return document
    return document.model_copy(update={"id": new_id(document.id)})


def _missing(documents: Sequence[Document], target: VectorStore) -> list[Document]:
    """Those that the target does not hold; all where it cannot tell, which it then replaces."""
    if not documents:
        return []
    try:
        held = target.get_by_ids([str(document.id) for document in documents])
    except NotImplementedError:
        return list(documents)
    present = {document.id for document in held}
    return [document for document in documents if document.id not in present]


def _check_ids(documents: Sequence[Document], target: VectorStore) -> None:
    if held_by_others(target, [str(document.id) for document in documents]):
        msg = (
            "another collection of the target's database has these ids, which all its collections "
            "share: it would be overwritten; give new_id, or a target in another database"
        )
        raise ValueError(msg)


def _tagged(documents: Sequence[Document], tagger: EmotionTagger) -> list[Document]:
    """The documents, tagged where they carry no tag; one that is there is kept as it is."""
    keys = set(tagger.fields.keys())
    bare = [row for row, one in enumerate(documents) if not keys & one.metadata.keys()]
    result = list(documents)
    tagged = tagger.transform_documents([documents[row] for row in bare])
    for row, document in zip(bare, tagged, strict=True):
        result[row] = document
    return result

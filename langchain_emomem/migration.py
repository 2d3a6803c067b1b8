"""From a collection of plain vectors to one of fused vectors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from emomem.memory.chroma import hand_over_key
from emomem.metadata import DEFAULT_FIELDS, MetadataFields
from langchain_emomem import stores
from langchain_emomem.affect_embeddings import AffectEmbeddings
from langchain_emomem.compatibility import check_vectors
from langchain_emomem.paging import all_documents
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
    when it is called again, and nothing comes twice. From Chroma to Chroma a memory's key goes
    along, so that its log stays its own.

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
        TypeError: The source is a store that cannot be read from end to end, or no batches of
            documents.
        ValueError: The target's encoder is not `AffectEmbeddings`, or its vectors are others; the
            target is the source, its database has the ids in another collection, or it holds
            another text by an id; a document has no id, or an id comes twice; Chroma cannot write a
            memory's key to the target.

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
    batches = _batches(source, target)
    check_vectors(target)
    if new_id is None:
        _hand_over_key(source, target)
    tagger = EmotionTagger(appraiser=encoder.appraiser, fields=fields)
    written = seen = 0
    ids: set[str] = set()
    for batch in batches:
        named = [_named(document, new_id, ids) for document in batch]
        missing = _missing(named, target)
        if missing:
            _check_ids(missing, target)
            target.add_documents(_tagged(missing, tagger))
        written, seen = written + len(missing), seen + len(batch)
        if on_batch is not None:
            on_batch(seen)
    return written


def _batches(
    source: VectorStore | Iterable[Sequence[Document]], target: VectorStore
) -> Iterable[Sequence[Document]]:
    if not isinstance(source, VectorStore):
        if isinstance(source, str | bytes | Mapping) or not isinstance(source, Iterable):
            msg = f"source must be a store or batches of documents, got {type(source).__name__}"
            raise TypeError(msg)
        return source
    one = stores.collection_of(source)
    if source is target or (one is not None and one == stores.collection_of(target)):
        msg = "source and target are one store, or one collection; give a target of its own"
        raise ValueError(msg)
    return all_documents(source, _BATCH)


def _hand_over_key(source: Any, target: Any) -> None:  # noqa: ANN401 - of any kind
    """From Chroma to Chroma; other engines hold keys that cannot be written."""
    if stores.is_kind(source, "Chroma") and stores.is_kind(target, "Chroma"):
        hand_over_key(source._collection, target._collection)  # noqa: SLF001 - no public way


def _named(document: Document, new_id: Callable[[str], str] | None, ids: set[str]) -> Document:
    """The document with its id in the target, which joins those that came before."""
    if not isinstance(document, Document):
        msg = (
            f"a batch is a list of documents, got one of {type(document).__name__}; a list of "
            "documents is one batch of a list of batches"
        )
        raise TypeError(msg)
    if document.id is None:
        msg = "every document needs the id that the target is to keep it by"
        raise ValueError(msg)
    name = document.id if new_id is None else new_id(document.id)
    if not isinstance(name, str) or not name:
        msg = f"new_id must give a str that is not empty, got {name!r} for {document.id!r}"
        raise ValueError(msg)
    if name in ids:
        msg = f"the id {name!r} comes twice; every document needs its own"
        raise ValueError(msg)
    ids.add(name)
    return document if new_id is None else document.model_copy(update={"id": name})


def _missing(documents: Sequence[Document], target: VectorStore) -> list[Document]:
    """Those that the target does not hold; all where it cannot tell, which it then replaces."""
    if not documents:
        return []
    try:
        held = target.get_by_ids([str(document.id) for document in documents])
    except NotImplementedError:
        return list(documents)
    present = {document.id: document.page_content for document in held}
    for one in documents:
        if present.get(one.id, one.page_content) != one.page_content:
            msg = f"the target holds another text by the id {one.id!r}; give new_id, or remove it"
            raise ValueError(msg)
    return [document for document in documents if document.id not in present]


def _check_ids(documents: Sequence[Document], target: VectorStore) -> None:
    if stores.held_by_others(target, [str(document.id) for document in documents]):
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

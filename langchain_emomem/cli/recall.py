"""What the demo does: tag, store, and recall with and without feeling."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING
from uuid import uuid4

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from emomem.affect import Affect
from emomem.ranking import Explanation
from langchain_emomem.cli.appraisers import BATCH_SIZE
from langchain_emomem.cli.errors import CommandError, first_line
from langchain_emomem.embeddings import LocalEmbeddings
from langchain_emomem.retriever import AffectModulatedRetriever
from langchain_emomem.tagger import EmotionTagger

if TYPE_CHECKING:
    from langchain_chroma import Chroma


@dataclass(frozen=True)
class Question:
    """What to recall for, and the feeling that was given with it."""

    text: str
    affect: Affect | None = None


@dataclass(frozen=True)
class Comparison:
    """One question answered twice: by meaning, and by meaning and feeling."""

    question: Question
    plain: Sequence[Document]
    felt: Sequence[Explanation]

    @property
    def new(self) -> set[str | None]:
        """Ids of the memories that plain recall leaves out."""
        return {found.document.id for found in self.felt} - {found.id for found in self.plain}

    @property
    def same(self) -> bool:
        """Whether both are the same memories in the same order."""
        return [found.document.id for found in self.felt] == [found.id for found in self.plain]

    @property
    def why_plain(self) -> str:
        """Why affect was left out; empty where it was not."""
        return self.felt[0].reason if self.felt and self.felt[0].score is None else ""


def open_encoder() -> Embeddings:
    """Sentence vectors from MiniLM, in one pass with the embedded affect model.

    Raises:
        CommandError: It is not installed.
    """
    try:
        return LocalEmbeddings()
    except (ImportError, OSError) as error:
        raise CommandError(first_line(error)) from None


def _require(extra: str, *packages: str) -> None:
    """Tell how to install what is missing, before anything heavy is imported."""
    for package in packages:
        if find_spec(package) is None:
            msg = f"{package} is not installed: pip install 'emomem[{extra}]'"
            raise CommandError(msg)


@contextmanager
def open_store(encoder: Embeddings) -> Iterator["Chroma"]:
    """A collection of an embedded Chroma, in memory, that is gone afterwards.

    Raises:
        CommandError: Chroma is not installed.
    """
    _require("chroma", "langchain_chroma")
    from chromadb import EphemeralClient  # noqa: PLC0415 - heavy
    from chromadb.config import Settings  # noqa: PLC0415 - heavy
    from langchain_chroma import Chroma  # noqa: PLC0415 - heavy

    store = Chroma(
        f"emomem-demo-{uuid4().hex}",
        encoder,
        client=EphemeralClient(Settings(anonymized_telemetry=False)),
        collection_configuration={"hnsw": {"space": "cosine"}},
    )
    try:
        yield store
    finally:
        store.delete_collection()


def tag_and_store(
    store: "Chroma",
    tagger: EmotionTagger,
    documents: Sequence[Document],
    advance: Callable[[int], None],
) -> None:
    """Tag and add the documents batch by batch; `advance` is told how many are done."""
    for start in range(0, len(documents), BATCH_SIZE):
        batch = [_for_chroma(document) for document in documents[start : start + BATCH_SIZE]]
        store.add_documents(tagger.transform_documents(batch))
        advance(len(batch))


def _for_chroma(document: Document) -> Document:
    """The document without the keys that Chroma keeps for itself."""
    metadata = {
        key: value
        for key, value in document.metadata.items()
        if not key.startswith(("#", "$", "chroma:"))
    }
    return Document(document.page_content, metadata=metadata)


def compare(retriever: AffectModulatedRetriever, question: Question) -> Comparison:
    """Ask the retriever's own store plainly, and the retriever for its reasons."""
    assert retriever.vectorstore is not None  # noqa: S101 - the demo makes it over a store
    plain = retriever.vectorstore.as_retriever(search_kwargs={"k": retriever.k})
    return Comparison(
        question,
        plain.invoke(question.text),
        retriever.explain(question.text, affect=question.affect),
    )

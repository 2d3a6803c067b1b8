"""What the demo does: tag, store, and recall with and without feeling."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from emomem.affect import Affect
from emomem.appraisal.default import default_appraiser
from emomem.appraisal.huggingface import HuggingFaceAppraiser
from emomem.appraisal.lexicon import LexiconAppraiser
from emomem.protocols import Appraiser
from emomem.ranking import Explanation
from langchain_emomem.cli.errors import CommandError, first_line
from langchain_emomem.embeddings import LocalEmbeddings
from langchain_emomem.retriever import AffectModulatedRetriever
from langchain_emomem.tagger import EmotionTagger

if TYPE_CHECKING:
    from langchain_chroma import Chroma

DEFAULT_APPRAISER: Final = "embedded"

_APPRAISERS: Final[dict[str, tuple[Callable[[], Appraiser], str]]] = {
    "embedded": (default_appraiser, "the embedded affect model"),
    "lexicon": (
        LexiconAppraiser,
        "lexicon:vader (valence only: no arousal, no emotions)",
    ),
}
_BATCH: Final = 256  # far below Chroma's 5,461, and small enough for the progress bar to move


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


def prepare_environment(appraiser: str) -> None:
    """No telemetry, no foreign progress bars, and no hub unless the user names a model of one.

    To be called before the heavy libraries are imported, which read this once.
    """
    settings = {
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_VERBOSITY": "error",
        "TRANSFORMERS_VERBOSITY": "error",
        # Threads that wait for one another by spinning take 3 times as long on a busy machine.
        "OMP_WAIT_POLICY": "PASSIVE",
    }
    if appraiser in _APPRAISERS or Path(appraiser).expanduser().is_dir():
        settings["HF_HUB_OFFLINE"] = "1"
    for name, value in settings.items():
        os.environ.setdefault(name, value)


def open_appraiser(name: str) -> tuple[Appraiser, str]:
    """The appraiser of that name, or over the model of that path or name, and what to call it.

    Raises:
        CommandError: It cannot be loaded.
    """
    try:
        if name in _APPRAISERS:
            make, title = _APPRAISERS[name]
            return make(), title
        model = HuggingFaceAppraiser(name)
        model.load()
    except (ImportError, OSError, ValueError) as error:
        msg = f"--appraiser {name}: {first_line(error)}"
        raise CommandError(msg) from None
    return model, model.source


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
    for start in range(0, len(documents), _BATCH):
        batch = documents[start : start + _BATCH]
        store.add_documents(tagger.transform_documents(batch))
        advance(len(batch))


def compare(retriever: AffectModulatedRetriever, question: Question) -> Comparison:
    """Ask the retriever's own store plainly, and the retriever for its reasons."""
    assert retriever.vectorstore is not None  # noqa: S101 - the demo makes it over a store
    plain = retriever.vectorstore.as_retriever(search_kwargs={"k": retriever.k})
    return Comparison(
        question,
        plain.invoke(question.text),
        retriever.explain(question.text, affect=question.affect),
    )

"""What the tests of both plugins share: a small diary, and parts with known numbers."""

import asyncio
import functools
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from emomem import Affect
from emomem.appraisal.base import BaseAppraiser
from emomem.metadata import encode

DIARY: Sequence[tuple[str, float, str | None, str]] = (
    ("a picnic by the river", 0.90, "joy", "ann"),
    ("the shopping list", 0.85, "neutral", "bob"),
    ("goodbye at the station", 0.80, "sadness", "ann"),
    ("a note without a tag", 0.75, None, "bob"),
    ("the empty house", 0.70, "sadness", "bob"),
    ("dancing in the kitchen", 0.60, "joy", "ann"),
    ("the row about money", 0.50, "anger", "ann"),
    ("the funeral in March", 0.30, "grief", "bob"),
    ("nobody called", 0.20, "sadness", "ann"),
    ("the prize", 0.10, "joy", "bob"),
)
"""Text, cosine to every query, label of its tag, and whose it is."""


class Placed(Embeddings):
    """Puts each text at a known cosine to every query; all vectors have length `scale`."""

    def __init__(self, cosines: Mapping[str, float], scale: float = 1.0) -> None:
        self.cosines = dict(cosines)
        self.scale = scale

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self._at(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [self.scale] + [0.0] * len(self.cosines)

    def _at(self, text: str) -> list[float]:
        cosine = self.cosines[text]
        vector = [cosine] + [0.0] * len(self.cosines)
        vector[1 + list(self.cosines).index(text)] = (1 - cosine**2) ** 0.5
        return [self.scale * x for x in vector]


class Scripted(BaseAppraiser):
    """Reads what its script says, and remembers what it was asked and in which threads."""

    def __init__(self, script: Mapping[str, Affect | str]) -> None:
        self.script = dict(script)
        self.asked: list[str] = []
        self.threads: list[int] = []
        self._lock = threading.Lock()

    def _read(self, texts: Sequence[str]) -> list[Affect]:
        with self._lock:
            self.asked += texts
            self.threads.append(threading.get_ident())
        found = [self.script.get(text, Affect.unknown()) for text in texts]
        return [Affect.from_label(one) if isinstance(one, str) else one for one in found]


def tag(label: str | None) -> dict[str, str | float]:
    """The metadata that a tagger writes for a label; nothing where there is none."""
    return {} if label is None else encode(Affect.from_label(label))


def texts_of(documents: Sequence[Document]) -> list[str]:
    return [document.page_content for document in documents]


@pytest.fixture
def placed() -> type[Placed]:
    return Placed


@pytest.fixture
def scripted() -> type[Scripted]:
    return Scripted


@pytest.fixture
def tagged() -> Callable[..., Document]:
    """A builder of tagged documents."""

    def build(text: str, label: str | None = None, /, **metadata: Any) -> Document:
        return Document(text, metadata={**metadata, **tag(label)})

    return build


@pytest.fixture
def texts() -> Callable[[Sequence[Document]], list[str]]:
    return texts_of


@pytest.fixture
def diary() -> list[Document]:
    return [
        Document(text, id=f"d{row}", metadata={"user_id": user, "day": row, **tag(label)})
        for row, (text, _, label, user) in enumerate(DIARY)
    ]


@pytest.fixture
def diary_encoder() -> Placed:
    return Placed({text: cosine for text, cosine, _, _ in DIARY})


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], list[tuple[str, tuple, dict]]]:
    """Watches a store: every search of it, with its arguments, in the list that is returned."""
    names = ("similarity_search", "similarity_search_with_score")

    def watch(store: Any) -> list[tuple[str, tuple, dict]]:
        calls: list[tuple[str, tuple, dict]] = []

        def watched(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(method)
            def call(*args: Any, **kwargs: Any) -> Any:
                calls.append((name, args, kwargs))
                return method(*args, **kwargs)

            return call

        for name in (*names, *(f"a{name}" for name in names)):
            monkeypatch.setattr(store, name, watched(name, getattr(store, name)))
        return calls

    return watch


@pytest.fixture
def longest_block() -> Callable[[Any], Any]:
    """Awaits something and returns its result and the longest gap of the event loop, seconds."""

    async def measure(work: Any) -> tuple[Any, float]:
        loop = asyncio.get_running_loop()
        longest = 0.0

        async def tick() -> None:
            nonlocal longest
            while True:
                start = loop.time()
                await asyncio.sleep(0.005)
                longest = max(longest, loop.time() - start)

        ticker = asyncio.create_task(tick())
        await asyncio.sleep(0)
        result = await work
        await asyncio.sleep(0.01)
        ticker.cancel()
        return result, longest

    return measure


# What follows imports LlamaIndex, which takes its time, only where it is asked for.


@pytest.fixture(scope="session")
def given() -> type[Any]:
    """LangChain's encoders as LlamaIndex's."""
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from pydantic import PrivateAttr

    class Given(BaseEmbedding):
        _encoder: Any = PrivateAttr()

        def __init__(self, encoder: Embeddings, **options: Any) -> None:
            super().__init__(**{"model_name": "given", **options})
            self._encoder = encoder

        def _get_text_embedding(self, text: str) -> list[float]:
            return self._encoder.embed_documents([text])[0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return self._encoder.embed_query(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_query_embedding(query)

    return Given


@pytest.fixture
def embed_model(given: Any, diary_encoder: Placed) -> Any:
    return given(diary_encoder)


@pytest.fixture
def diary_nodes(diary: list[Document]) -> list[Any]:
    """The diary as LlamaIndex's nodes, its metadata kept out of what is embedded."""
    from llama_index.core.schema import TextNode

    return [
        TextNode(
            text=one.page_content,
            id_=one.id,
            metadata=one.metadata,
            excluded_embed_metadata_keys=list(one.metadata),
            excluded_llm_metadata_keys=list(one.metadata),
        )
        for one in diary
    ]


@pytest.fixture
def said() -> Callable[[Sequence[Any]], list[str]]:
    """The texts of some nodes."""
    return lambda nodes: [one.node.get_content() for one in nodes]

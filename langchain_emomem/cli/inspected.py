"""What `emomem inspect` looks into: a user's memory, or tagged documents, of a store or a file."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar, Final

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from emomem.affect import Affect
from emomem.appraisal.base import BaseAppraiser
from emomem.compatibility import of_one_encoder
from emomem.emotions import GOEMOTIONS
from emomem.filters import matches, normalise
from emomem.fused import looks_fused
from emomem.inspection.server import Asked, RefusedError
from emomem.inspection.view import TIME_KEYS, Data, documents_view, units_view, with_pieces
from emomem.memory.operations import OperationLog, user_reference
from emomem.memory.saving import may_be_true
from emomem.memory.store import Find, Key
from emomem.protocols import Appraiser
from emomem.ranking import POLICIES
from langchain_emomem import stores
from langchain_emomem.affect_embeddings import AffectEmbeddings
from langchain_emomem.cli.recall import Comparison, Question
from langchain_emomem.cli.show import as_json
from langchain_emomem.cli.stored import Opened
from langchain_emomem.compatibility import check_vectors
from langchain_emomem.memory.adapters import memory_store
from langchain_emomem.memory.memory import ConflictAwareMemory
from langchain_emomem.retriever import AffectModulatedRetriever

_LEFT_ON_DISK: Final = {
    "Chroma": "Chroma keeps a deleted text in its queue for up to 1,000 writes, and on the disk "
    "until `chroma vacuum`.",
    "PGVector": "PostgreSQL keeps a deleted text in its files until `vacuum full`, and in its "
    "write-ahead log and backups as long as those are kept.",
}
_NOTHING_FOUND: Final = {
    "present": {},
    "strategy": "none",
    "gate": 0.0,
    "same": True,
    "why_plain": "there is nothing to recall",
    "plain": [],
    "affect_modulated": [],
    "given": False,
    "context": "",
}


class NoEncoderError(RuntimeError):
    """Something is to be embedded, and the store's own encoder is not known."""


class Nothing(BaseAppraiser, Embeddings):
    """Stands in the place of encoder and appraiser where nothing is embedded or read."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """It cannot."""
        msg = f"no model is loaded that could embed {len(texts)} texts"
        raise NoEncoderError(msg)

    def embed_query(self, text: str) -> list[float]:
        """It cannot."""
        return self.embed_documents([text])[0]

    def _read(self, texts: Sequence[str]) -> list[Affect]:
        return [Affect.unknown() for _ in texts]


@dataclass(frozen=True)
class Models:
    """What a search needs: sentence vectors, and who reads how a query feels."""

    encoder: Embeddings
    appraiser: Appraiser


class Inspection(ABC):
    """Looks into memories; with models it searches them too.

    Args:
        source: What to call the place where they are.
        documents: Reads all of them.
        opened: The collection that holds them; None for those of a file.
        models: What a search needs; None where nothing is searched.
    """

    what: ClassVar[str]
    """What goes when something is forgotten."""

    def __init__(
        self,
        source: str,
        documents: Callable[[], Sequence[Document]],
        opened: Opened | None,
        models: Models | None,
    ) -> None:
        self._source = source
        self._documents = documents
        self._store = None if opened is None else opened.with_encoder(Nothing())
        self._appraiser: Appraiser = Nothing() if models is None else models.appraiser
        self._anew: InMemoryVectorStore | None = None
        self._retriever: AffectModulatedRetriever | None = None
        if models is not None:
            searched = None if opened is None else _searchable(opened, models)
            if searched is None:
                searched = self._anew = self._copy(models.encoder)
            self._retriever = AffectModulatedRetriever(
                vectorstore=searched, appraiser=models.appraiser, filter=self._scope
            )

    def view(self, *, live: bool = True, answers: Sequence[Data] = ()) -> Data:
        """What the page shows.

        Args:
            live: Whether it can search, and forget where the place lets it.
            answers: The answers that a copy has.
        """
        offered = {"feelings": list(GOEMOTIONS), "policies": list(POLICIES)}
        anew = self._anew is not None and self._store is not None
        return {
            "source": self._source,
            "user": None,
            "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "note": "Searches embed the memories anew, since the store's vectors are of another "
            "encoder than all-MiniLM-L6-v2."
            if anew
            else "",
            "log_note": "",
            "time_keys": list(TIME_KEYS),
            "live": offered if live else None,
            "answers": list(answers),
            "forget": {
                "live": live and self._store is not None,
                "what": self.what,
                "kept": _LEFT_ON_DISK.get(type(self._store).__name__, ""),
                "how": "This page is a copy. Start it with --serve, or in your application:",
                "all": "",
                "whole": "",
                "warning": "",
            },
            **self._held(),
        }

    def search(self, asked: Asked) -> Data:
        """The rankings with and without affect, as JSON's own types.

        Raises:
            RuntimeError: There are no models.
        """
        if self._retriever is None:
            msg = "no model is loaded that could search"
            raise RuntimeError(msg)
        feeling = None if asked.feeling is None else Affect.from_label(asked.feeling)
        where = self._where()
        felt = self._retriever.explain(
            asked.query, affect=feeling, policy=asked.policy, k=asked.k, filter=where
        )
        if not felt:
            return {"query": asked.query, "policy": asked.policy, **_NOTHING_FOUND}
        plain = self._retriever.invoke(asked.query, policy="off", k=asked.k, filter=where)
        answer = as_json(Comparison(Question(asked.query, feeling), plain, felt))
        for rows, found in (
            (answer["plain"], plain),
            (answer["affect_modulated"], [one.document for one in felt]),
        ):
            for row, document in zip(rows, found, strict=True):
                row["id"] = document.id
        return {**answer, "given": feeling is not None, "context": self._context(asked.query)}

    def forget(self, ids: Sequence[str] | None) -> Data:
        """Forget some memories, or all of a user's, and prove it by a scan.

        Returns:
            How many `units` and `operations`.

        Raises:
            RefusedError: It takes the store's own encoder, which is not known.
        """
        done = self._forget(ids)
        if self._anew is not None:
            left = {str(one.id) for one in self._documents()}
            self._anew.delete(sorted(self._anew.store.keys() - left))
        return done

    def _copy(self, encoder: Embeddings) -> InMemoryVectorStore:
        """What is searched, in memory and embedded anew."""
        store = InMemoryVectorStore(encoder)
        where = normalise(self._scope or {})
        documents = [
            one for one in self._documents() if where is None or matches(where, one.metadata)
        ]
        store.add_documents(documents, ids=[str(one.id) for one in documents])
        return store

    @property
    def _scope(self) -> Data | None:
        """What may be searched of a collection at any time."""
        return None

    def _where(self) -> Data | None:
        """What is searched of it now."""
        return self._scope

    def _context(self, query: str) -> str:  # noqa: ARG002 - of a memory
        """What a chat model would be told."""
        return ""

    @abstractmethod
    def _held(self) -> Data:
        """The memories, and what differs of the view."""

    @abstractmethod
    def _forget(self, ids: Sequence[str] | None) -> Data:
        """What was forgotten."""


class DocumentsInspection(Inspection):
    """Looks into documents of a store or of a file, which are nobody's memory."""

    what = "The document is deleted from the collection, with all vectors of it."

    def _held(self) -> Data:
        return documents_view(
            (str(one.id), one.page_content, one.metadata) for one in self._documents()
        )

    def view(self, *, live: bool = True, answers: Sequence[Data] = ()) -> Data:
        """What the page shows."""
        view = super().view(live=live, answers=answers)
        if self._store is None:
            theirs = "These memories are those of a file: take the lines out of it."
            how = {"what": theirs, "some": ""}
        else:
            how = {"some": "vectorstore.delete(IDS)"}
        return {**view, "forget": {**view["forget"], **how}}

    def _forget(self, ids: Sequence[str] | None) -> Data:
        if self._store is None or ids is None:
            msg = "documents are forgotten one by one, and from a store"
            raise RuntimeError(msg)
        held = [(str(one.id), one.metadata) for one in self._documents()]
        gone = with_pieces(held, ids)
        self._store.delete(gone)
        left = len({str(one.id) for one in self._documents()}.intersection(gone))
        if left:
            msg = f"{left} documents are left of what was forgotten"
            raise RuntimeError(msg)
        return {"units": len(gone), "operations": 0}


class MemoryInspection(Inspection):
    """Looks into the conflict-aware memory of one user.

    Looking changes nothing: what a crash cut off stays as the log has it until something is
    forgotten.

    Args:
        source: What to call the place.
        documents: Reads all that is in the collection.
        opened: The collection.
        models: What a search needs.
        user: Whose memory.
        log: The memory's own log; None where it is not given.
    """

    what = (
        "With a memory goes the rest of its interaction, and what was made from it. What it had "
        "superseded counts again."
    )

    def __init__(  # noqa: PLR0913, PLR0917 - what there is to know
        self,
        source: str,
        documents: Callable[[], Sequence[Document]],
        opened: Opened,
        models: Models | None,
        user: str,
        log: OperationLog | None,
    ) -> None:
        self.user = user
        self._log = log
        super().__init__(source, documents, opened, models)
        self._units = memory_store(opened.with_encoder(Nothing()))

    def view(self, *, live: bool = True, answers: Sequence[Data] = ()) -> Data:
        """What the page shows."""
        view = super().view(live=live, answers=answers)
        unlogged = (
            "The log of the memory was not given: what it has of this stays. Start with --log "
            "FILE to take it out too."
        )
        how = {
            "some": f"memory.forget({self.user!r}, ids=IDS)",
            "all": f"memory.forget({self.user!r})",
            "whole": "All memories of this user go, current or not, and with them mood and goals.",
            "warning": unlogged if self._log is None else "",
        }
        without = "No log was given: --log FILE names that of the memory."
        return {
            **view,
            "user": self.user,
            "log_note": without if self._log is None else "",
            "forget": {**view["forget"], **how},
        }

    def _memory(self, log: OperationLog | None, store: Any = None) -> ConflictAwareMemory:  # noqa: ANN401
        return ConflictAwareMemory(
            store or self._units, user_id=self.user, appraiser=self._appraiser, log=log
        )

    def _held(self) -> Data:
        [units, key] = self._units.batch([Find(self.user), Key()])
        operations = [] if self._log is None else self._log.read(user_reference(self.user, key))
        # Without its log it settles nothing that a crash cut off.
        conflicts = self._memory(None).conflicts(settled=True)
        return units_view(units, conflicts, operations)

    @property
    def _scope(self) -> Data:
        return {"user_id": self.user, "kind": "fact"}

    def _where(self) -> Data:
        now = time.time()
        where = {**self._scope, **may_be_true(now)}
        # A status may end by itself, so that no filter tells it.
        [doubtful] = self._units.batch([Find(self.user, {**where, "status": {"$ne": "current"}})])
        out = [unit.unit_id for unit in doubtful if unit.status_at(now) != "current"]
        return {**where, "unit_id": {"$nin": out}} if out else where

    def _context(self, query: str) -> str:
        if self._anew is not None or self._retriever is None:
            return ""
        return self._memory(None, self._retriever.vectorstore).context(query)

    def _forget(self, ids: Sequence[str] | None) -> Data:
        # What counts again is held against what was said since, for which it is embedded.
        known = None if self._anew is not None else self._retriever
        memory = self._memory(self._log, None if known is None else known.vectorstore)
        began = time.time()
        try:
            done = memory.forget(self.user, ids=None if ids is None else list(ids))
        except NoEncoderError:
            self._drop_forgetting(began)
            msg = (
                "what it had superseded would count again, for which the encoder of the store is "
                f"needed; forget it in your application, by memory.forget({self.user!r}, ids=[…])"
            )
            raise RefusedError(msg) from None
        return {"units": done.units, "operations": done.operations}

    def _drop_forgetting(self, began: float) -> None:
        """Take back what the log has of a forgetting that stopped before anything was written."""
        if self._log is None:
            return
        [key] = self._units.batch([Key()])
        for one in self._log.read(user_reference(self.user, key)):
            if one.kind == "forget" and one.state == "begun" and one.at >= began:
                self._log.write(one, "dropped")


def _searchable(opened: Opened, models: Models) -> VectorStore | None:
    """The collection with the encoder that its vectors are of; None where that is another."""
    sample = stores.stored_sample(opened.with_encoder(Nothing()))
    if sample is None:
        return opened.with_encoder(models.encoder)
    text, vector = sample
    made = models.encoder.embed_query(text)
    if looks_fused(vector):
        fused = AffectEmbeddings(models.encoder, models.appraiser)
        store = opened.with_encoder(fused)
        try:
            check_vectors(store, fused)
        except ValueError:
            return None
        return store
    fits = len(vector) == len(made) and of_one_encoder(vector.tolist(), made)
    return opened.with_encoder(models.encoder) if fits else None

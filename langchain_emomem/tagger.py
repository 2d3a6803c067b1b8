"""Affect as metadata, before documents are stored."""

import copy
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

from langchain_core.documents import BaseDocumentTransformer, Document
from pydantic import BaseModel, ConfigDict, model_validator

from emomem.affect import Affect
from emomem.appraisal.base import OnFailure, aappraise_safely, appraise_safely
from emomem.appraisal.default import default_appraiser
from emomem.checks import check_at_least_one
from emomem.metadata import DEFAULT_FIELDS, MetadataFields, encode, strip
from emomem.protocols import Appraiser


class EmotionTagger(BaseModel, BaseDocumentTransformer):
    """Documents in, copies with affect metadata out.

    A document is never changed and never lost: where no affect can be read it is stored as
    `affect_label="unknown"`, so that a filter on it finds what to tag again. Tagging again
    replaces every affect key, and with the same appraiser changes nothing, but now and then the
    fourth decimal of a number: what a model adds up depends a little on what else is in the batch.
    Chroma merges the metadata of an id that it holds: there, delete the id before you add what is
    tagged again.

    Args:
        appraiser: Reads affect from text; None is the embedded model.
        fields: Where to write it.
        on_failure: What a document becomes whose appraisal fails.
        batch_size: How many texts the appraiser is given at once, >= 1.
        show_progress: Whether to show a progress bar.

    Raises:
        pydantic.ValidationError: An argument is wrong or unknown. (It is a ValueError.)
        ImportError: No appraiser is given and the embedded model is not installed.

    Example:
        >>> from emomem import LexiconAppraiser
        >>> tagger = EmotionTagger(LexiconAppraiser())
        >>> [tagged] = tagger.transform_documents([Document("What a lovely day")])
        >>> tagged.metadata["affect_valence"] > 0
        True
    """

    model_config = ConfigDict(
        arbitrary_types_allowed=True, extra="forbid", frozen=True, hide_input_in_errors=True
    )

    appraiser: Appraiser | None = None
    fields: MetadataFields = DEFAULT_FIELDS
    on_failure: OnFailure = "unknown"
    batch_size: int = 256
    show_progress: bool = False

    def __init__(self, appraiser: Appraiser | None = None, **options: Any) -> None:
        super().__init__(appraiser=appraiser, **options)

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_at_least_one(batch_size=self.batch_size)
        if self.fields.scales:
            msg = "fields.scales are for reading a store that something else has tagged"
            raise ValueError(msg)
        self._reader()
        return self

    def transform_documents(
        self,
        documents: Sequence[Document],
        **kwargs: Any,  # noqa: ARG002 - LangChain's signature
    ) -> list[Document]:
        """Copies of the documents with affect metadata, in their order."""
        tagged: list[Document] = []
        for batch in self._batches(list(documents)):
            affects = appraise_safely(
                self._reader(), [document.page_content for document in batch], self.on_failure
            )
            tagged += [self._tagged(*pair) for pair in zip(batch, affects, strict=True)]
        return tagged

    async def atransform_documents(
        self,
        documents: Sequence[Document],
        **kwargs: Any,  # noqa: ARG002 - LangChain's signature
    ) -> list[Document]:
        """`transform_documents` without blocking the event loop."""
        tagged: list[Document] = []
        for batch in self._batches(list(documents)):
            affects = await aappraise_safely(
                self._reader(), [document.page_content for document in batch], self.on_failure
            )
            tagged += [self._tagged(*pair) for pair in zip(batch, affects, strict=True)]
        return tagged

    def _reader(self) -> Appraiser:
        return default_appraiser() if self.appraiser is None else self.appraiser

    def _batches(self, documents: Sequence[Document]) -> Iterator[Sequence[Document]]:
        starts: Iterable[int] = range(0, len(documents), self.batch_size)
        if self.show_progress:
            starts = _progress(starts)
        for start in starts:
            yield documents[start : start + self.batch_size]

    def _tagged(self, document: Document, affect: Affect) -> Document:
        kept = copy.deepcopy(strip(document.metadata, self.fields))
        return document.model_copy(update={"metadata": {**kept, **encode(affect, self.fields)}})


def _progress(starts: Iterable[int]) -> Iterable[int]:
    from rich.console import Console  # noqa: PLC0415 - only for those who want to see it
    from rich.progress import track  # noqa: PLC0415

    return track(starts, description="Tagging", console=Console(stderr=True))

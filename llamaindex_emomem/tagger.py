"""Affect as metadata, before nodes are stored."""

import copy
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

from llama_index.core.schema import BaseNode, MetadataMode, TransformComponent
from llama_index.core.utils import get_tqdm_iterable
from pydantic import ConfigDict, model_validator

from emomem.affect import Affect
from emomem.appraisal.base import OnFailure, aappraise_safely, appraise_safely
from emomem.checks import check_at_least_one
from emomem.metadata import DEFAULT_FIELDS, encode, strip
from emomem.protocols import Appraiser
from llamaindex_emomem.component import Fields, WithAppraiser, excluded


class EmotionTagger(WithAppraiser, TransformComponent):
    """Nodes in, copies with affect metadata out; for an `IngestionPipeline`, after the node parser.

    A node is never changed and never lost: where no affect can be read it is stored as
    `affect_label="unknown"`, so that a filter on it finds what to tag again. An `IngestionCache`
    keeps that answer too, also where it is that of an outage: call the tagger on those nodes
    itself, or give the pipeline a fresh cache. The affect keys stay out of the text that is
    embedded and out of the text that a model reads. Tagging again replaces every affect key, and
    with the same appraiser changes nothing, but now and then the fourth decimal of a number: what
    a model adds up depends a little on what else is in the batch.

    Args:
        appraiser: Reads affect from text; None is the embedded model.
        fields: Where to write it.
        on_failure: What a node becomes whose appraisal fails.
        batch_size: How many texts the appraiser is given at once, >= 1.
        show_progress: Whether to show a progress bar.

    Raises:
        pydantic.ValidationError: An argument is wrong or unknown. (It is a ValueError.)
        ImportError: No appraiser is given and the embedded model is not installed.

    Example:
        >>> from emomem import LexiconAppraiser
        >>> from llama_index.core.schema import TextNode
        >>> tagger = EmotionTagger(LexiconAppraiser())
        >>> [tagged] = tagger([TextNode(text="What a lovely day")])
        >>> tagged.metadata["affect_valence"] > 0
        True
    """

    model_config = ConfigDict(frozen=True)

    fields: Fields = DEFAULT_FIELDS
    on_failure: OnFailure = "unknown"
    batch_size: int = 256
    show_progress: bool = False

    def __init__(self, appraiser: Appraiser | None = None, **options: Any) -> None:
        super().__init__(appraiser=appraiser, **options)

    @classmethod
    def class_name(cls) -> str:
        """What it is called as data."""
        return "EmotionTagger"

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_at_least_one(batch_size=self.batch_size)
        if self.fields.scales:
            msg = "fields.scales are for reading a store that something else has tagged"
            raise ValueError(msg)
        self._tagging_reader()
        return self

    def __call__(
        self,
        nodes: Sequence[BaseNode],
        **kwargs: Any,  # noqa: ARG002 - LlamaIndex's signature
    ) -> list[BaseNode]:
        """Copies of the nodes with affect metadata, in their order."""
        tagged: list[BaseNode] = []
        for batch in self._batches(list(nodes)):
            affects = appraise_safely(self._tagging_reader(), _texts(batch), self.on_failure)
            tagged += [self._tagged(*pair) for pair in zip(batch, affects, strict=True)]
        return tagged

    async def acall(
        self,
        nodes: Sequence[BaseNode],
        **kwargs: Any,  # noqa: ARG002 - LlamaIndex's signature
    ) -> list[BaseNode]:
        """The same without blocking the event loop."""
        tagged: list[BaseNode] = []
        for batch in self._batches(list(nodes)):
            affects = await aappraise_safely(self._tagging_reader(), _texts(batch), self.on_failure)
            tagged += [self._tagged(*pair) for pair in zip(batch, affects, strict=True)]
        return tagged

    def _tagging_reader(self) -> Appraiser:
        reader = self._reader()
        assert reader is not None  # noqa: S101 - the embedded model is the least
        return reader

    def _batches(self, nodes: Sequence[BaseNode]) -> Iterator[Sequence[BaseNode]]:
        starts: Iterable[int] = range(0, len(nodes), self.batch_size)
        for start in get_tqdm_iterable(starts, self.show_progress, "Tagging"):
            yield nodes[start : start + self.batch_size]

    def _tagged(self, node: BaseNode, affect: Affect) -> BaseNode:
        kept = copy.deepcopy(strip(node.metadata, self.fields))
        keys = self.fields.keys()
        return node.model_copy(
            update={
                "metadata": {**kept, **encode(affect, self.fields)},
                "relationships": dict(node.relationships),
                **excluded(node, keys),
            }
        )


def _texts(nodes: Sequence[BaseNode]) -> list[str]:
    return [node.get_content(metadata_mode=MetadataMode.NONE) for node in nodes]

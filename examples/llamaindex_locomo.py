"""A year of two friends' chats, recalled by LlamaIndex with and without affect.

Loads one conversation of LoCoMo (Maharana et al. 2024; snap-research/locomo on GitHub,
`data/locomo10.json`), tags and embeds its turns with the local model, and puts the same messages
to the same query engine without and with `AffectPostprocessor`. The language model is a mock, so
that neither key nor network is needed: shown are the turns that it would have answered from.

    python examples/llamaindex_locomo.py --data ../shared/data
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from llama_index.core import VectorStoreIndex
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.llms import MockLLM
from llama_index.core.schema import Document, NodeWithScore

from llamaindex_emomem import AffectPostprocessor, EmotionTagger, LocalEmbedding

FILE: Final = Path("locomo", "locomo_first5.json")
MESSAGES: Final = (
    "That trip! I still cannot stop smiling.",
    "That trip! I am still shaken and afraid.",
    "What happened on the trip?",
)
"""The same matter in two moods; the last asks for a fact, so that feeling has nothing to say."""


def turns(conversation: Mapping[str, Any]) -> Iterator[Document]:
    """The turns of a conversation, each with its day and speaker."""
    sessions = [name for name in conversation if isinstance(conversation[name], list)]
    for name in sessions:
        for turn in conversation[name]:
            yield Document(
                text=turn["text"],
                id_=turn["dia_id"],
                metadata={"speaker": turn["speaker"], "when": conversation[f"{name}_date_time"]},
                excluded_embed_metadata_keys=["speaker", "when"],
            )


def build_index(documents: Sequence[Document]) -> VectorStoreIndex:
    """Tag and embed: with the local model, one pass does both."""
    embedding = LocalEmbedding()
    pipeline = IngestionPipeline(transformations=[EmotionTagger(), embedding])
    return VectorStoreIndex(pipeline.run(documents=list(documents)), embed_model=embedding)


def main(arguments: Sequence[str] | None = None) -> int:
    """Show which turns each message is answered from."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = os.environ.get("EMOMEM_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(default), help=f"holds {FILE}")
    parser.add_argument("--sample", type=int, default=0, help="which of its conversations")
    parser.add_argument("--top", type=int, default=3, help="how many turns to answer from")
    options = parser.parse_args(arguments)
    path = options.data / FILE
    if not path.is_file():
        parser.error(f"{path} does not exist; --data or EMOMEM_DATA names the folder")
    sample = json.loads(path.read_text(encoding="utf-8"))[options.sample]
    index = build_index(list(turns(sample["conversation"])))

    plain = index.as_query_engine(llm=MockLLM(), similarity_top_k=options.top)
    affective = index.as_query_engine(
        llm=MockLLM(),
        similarity_top_k=20,
        node_postprocessors=[AffectPostprocessor(metric="cosine_similarity", top_n=options.top)],
    )
    for message in MESSAGES:
        print(f"\n{message}")
        show("without affect", plain.query(message).source_nodes)
        show("with affect", affective.query(message).source_nodes)
    return 0


def show(title: str, nodes: Sequence[NodeWithScore]) -> None:
    """Print the chosen turns, with how pleasant each is, -1..1."""
    print(f"  {title}")
    for one in nodes:
        metadata = one.node.metadata
        felt = f"{metadata['affect_label']} {metadata.get('affect_valence', 0):+.2f}"
        print(f"    {felt:18} {metadata['speaker']}: {one.node.get_content()[:90]}")


if __name__ == "__main__":
    sys.exit(main())

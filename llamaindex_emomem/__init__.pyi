from . import prompts
from .affect_embedding import AffectEmbedding
from .conflict import LLMConflictDetector
from .embeddings import LocalEmbedding
from .llm import LLMAppraiser
from .postprocessor import AffectPostprocessor
from .query import AffectQueryBundle
from .retriever import AffectModulatedRetriever
from .tagger import EmotionTagger

__all__ = [
    "AffectEmbedding",
    "AffectModulatedRetriever",
    "AffectPostprocessor",
    "AffectQueryBundle",
    "EmotionTagger",
    "LLMAppraiser",
    "LLMConflictDetector",
    "LocalEmbedding",
    "prompts",
]

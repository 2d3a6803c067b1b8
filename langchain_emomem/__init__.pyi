from .chat import ChatModelAppraiser
from .embeddings import LocalEmbeddings
from .reranker import AffectReranker
from .retriever import AffectModulatedRetriever
from .tagger import EmotionTagger

__all__ = [
    "AffectModulatedRetriever",
    "AffectReranker",
    "ChatModelAppraiser",
    "EmotionTagger",
    "LocalEmbeddings",
]

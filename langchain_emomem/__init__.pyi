from .affect_embeddings import AffectEmbeddings
from .chat import ChatModelAppraiser
from .conflict import ChatModelConflictDetector
from .deep_encoder import DeepEncoder
from .embeddings import LocalEmbeddings
from .memory.memory import ConflictAwareMemory
from .memory.middleware import AffectMemoryMiddleware
from .migration import migrate
from .reranker import AffectReranker
from .retriever import AffectModulatedRetriever
from .tagger import EmotionTagger

__all__ = [
    "AffectEmbeddings",
    "AffectMemoryMiddleware",
    "AffectModulatedRetriever",
    "AffectReranker",
    "ChatModelAppraiser",
    "ChatModelConflictDetector",
    "ConflictAwareMemory",
    "DeepEncoder",
    "EmotionTagger",
    "LocalEmbeddings",
    "migrate",
]

from . import prompts
from .affect_embeddings import AffectEmbeddings
from .agent import ConflictSensitiveAgent
from .chat import ChatModelAppraiser
from .conflict import ChatModelConflictDetector
from .deep_encoder import DeepEncoder
from .embeddings import LocalEmbeddings
from .memory.memory import ConflictAwareMemory
from .memory.middleware import AffectMemoryMiddleware
from .memory.recombination import Recombination
from .migration import migrate
from .reranker import AffectReranker
from .retriever import AffectModulatedRetriever
from .roleplay import RolePlayChain
from .tagger import EmotionTagger

__all__ = [
    "AffectEmbeddings",
    "AffectMemoryMiddleware",
    "AffectModulatedRetriever",
    "AffectReranker",
    "ChatModelAppraiser",
    "ChatModelConflictDetector",
    "ConflictAwareMemory",
    "ConflictSensitiveAgent",
    "DeepEncoder",
    "EmotionTagger",
    "LocalEmbeddings",
    "Recombination",
    "RolePlayChain",
    "migrate",
    "prompts",
]

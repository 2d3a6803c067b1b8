from . import prompts
from .affect_embedding import AffectEmbedding
from .agent import ConflictSensitiveAgent
from .conflict import LLMConflictDetector
from .deep_encoder import DeepEncoder
from .embeddings import LocalEmbedding
from .llm import LLMAppraiser
from .memory.block import AffectMemoryBlock
from .memory.memory import ConflictAwareMemory
from .memory.recombination import Recombination
from .postprocessor import AffectPostprocessor
from .query import AffectQueryBundle
from .retriever import AffectModulatedRetriever
from .roleplay import RolePlayWorkflow
from .tagger import EmotionTagger

__all__ = [
    "AffectEmbedding",
    "AffectMemoryBlock",
    "AffectModulatedRetriever",
    "AffectPostprocessor",
    "AffectQueryBundle",
    "ConflictAwareMemory",
    "ConflictSensitiveAgent",
    "DeepEncoder",
    "EmotionTagger",
    "LLMAppraiser",
    "LLMConflictDetector",
    "LocalEmbedding",
    "Recombination",
    "RolePlayWorkflow",
    "prompts",
]

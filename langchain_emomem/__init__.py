"""Emotion-aware memory for LangChain."""

from langchain_emomem.chat import ChatModelAppraiser
from langchain_emomem.embeddings import LocalEmbeddings
from langchain_emomem.reranker import AffectReranker
from langchain_emomem.retriever import AffectModulatedRetriever
from langchain_emomem.tagger import EmotionTagger

__all__ = [
    "AffectModulatedRetriever",
    "AffectReranker",
    "ChatModelAppraiser",
    "EmotionTagger",
    "LocalEmbeddings",
]

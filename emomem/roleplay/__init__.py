"""Role play: a character answers out of its profile and what it recalls, as in Emotional RAG."""

from emomem.roleplay.character import Character, Scene, asked
from emomem.roleplay.recall import (
    ALL_MEMORIES,
    RECALLED,
    SCORED,
    STRATEGIES,
    recall,
    resolve_recall,
)
from emomem.roleplay.scoring import score_by_prompt, scores_by_appraiser

__all__ = [
    "ALL_MEMORIES",
    "RECALLED",
    "SCORED",
    "STRATEGIES",
    "Character",
    "Scene",
    "asked",
    "recall",
    "resolve_recall",
    "score_by_prompt",
    "scores_by_appraiser",
]

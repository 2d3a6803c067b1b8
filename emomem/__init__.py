"""Emotion-aware memory: the framework-neutral core.

`langchain_emomem` and `llamaindex_emomem` bring it into the two frameworks.
"""

from emomem.affect import Affect, AffectArray
from emomem.appraisal.adapter import DomainAdapter
from emomem.appraisal.base import BaseAppraiser
from emomem.appraisal.confident import ConfidentAppraiser
from emomem.appraisal.ensemble import EnsembleAppraiser
from emomem.appraisal.fusion import fuse
from emomem.appraisal.huggingface import HuggingFaceAppraiser
from emomem.appraisal.lexicon import LexiconAppraiser
from emomem.appraisal.local import LocalAppraiser
from emomem.appraisal.review import ReviewQueue
from emomem.appraisal.rules import Rule, RuleAppraiser
from emomem.encoder import LocalEncoder
from emomem.metadata import MetadataFields
from emomem.profile import ArousalProfile
from emomem.protocols import Appraiser
from emomem.ranking import (
    Auto,
    CandidatePool,
    Combination,
    Comfort,
    Congruent,
    Explanation,
    Lesson,
    Modulated,
    Off,
    Policy,
    Ranking,
    RankQuery,
    Salience,
    Semantic,
    Sequence,
    Strategy,
)

__all__ = [
    "Affect",
    "AffectArray",
    "Appraiser",
    "ArousalProfile",
    "Auto",
    "BaseAppraiser",
    "CandidatePool",
    "Combination",
    "Comfort",
    "ConfidentAppraiser",
    "Congruent",
    "DomainAdapter",
    "EnsembleAppraiser",
    "Explanation",
    "HuggingFaceAppraiser",
    "Lesson",
    "LexiconAppraiser",
    "LocalAppraiser",
    "LocalEncoder",
    "MetadataFields",
    "Modulated",
    "Off",
    "Policy",
    "RankQuery",
    "Ranking",
    "ReviewQueue",
    "Rule",
    "RuleAppraiser",
    "Salience",
    "Semantic",
    "Sequence",
    "Strategy",
    "fuse",
]

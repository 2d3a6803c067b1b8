from .affect import Affect, AffectArray
from .appraisal.adapter import DomainAdapter
from .appraisal.base import BaseAppraiser
from .appraisal.confident import ConfidentAppraiser
from .appraisal.conflict import ConflictAppraiser
from .appraisal.ensemble import EnsembleAppraiser
from .appraisal.fusion import fuse
from .appraisal.huggingface import HuggingFaceAppraiser
from .appraisal.lexicon import LexiconAppraiser
from .appraisal.local import LocalAppraiser
from .appraisal.review import ReviewQueue
from .appraisal.rules import Rule, RuleAppraiser
from .encoder import LocalEncoder
from .encoding.encoder import DeepEncoder
from .encoding.record import DeepMemory
from .memory.conflict import Conflict, ConflictDetector
from .memory.detectors.contrast import AffectContrastDetector
from .memory.detectors.ensemble import EnsembleConflictDetector
from .memory.detectors.facts import FactUpdateDetector
from .memory.detectors.goals import GoalConflictDetector
from .memory.detectors.nli import NLIConflictDetector
from .memory.unit import MemoryUnit
from .metadata import MetadataFields
from .profile import ArousalProfile
from .protocols import Appraiser
from .ranking import (
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
from .roleplay.character import Character

__all__ = [
    "Affect",
    "AffectArray",
    "AffectContrastDetector",
    "Appraiser",
    "ArousalProfile",
    "Auto",
    "BaseAppraiser",
    "CandidatePool",
    "Character",
    "Combination",
    "Comfort",
    "ConfidentAppraiser",
    "Conflict",
    "ConflictAppraiser",
    "ConflictDetector",
    "Congruent",
    "DeepEncoder",
    "DeepMemory",
    "DomainAdapter",
    "EnsembleAppraiser",
    "EnsembleConflictDetector",
    "Explanation",
    "FactUpdateDetector",
    "GoalConflictDetector",
    "HuggingFaceAppraiser",
    "Lesson",
    "LexiconAppraiser",
    "LocalAppraiser",
    "LocalEncoder",
    "MemoryUnit",
    "MetadataFields",
    "Modulated",
    "NLIConflictDetector",
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

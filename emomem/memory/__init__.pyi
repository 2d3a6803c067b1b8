from .compression import Compression
from .cueing import cues
from .dynamics import Decay
from .in_memory import InMemoryStore
from .memory import Memory
from .monitor import Monitor, hint
from .mood import MoodTracker, stance, stepped
from .operations import InMemoryLog, JsonLinesLog, SQLiteLog, replay
from .recalling import Recall, Sizes, Working
from .recombination import Recombination
from .resolution import ByKind, Weigh, ask_user, keep_both, latest_wins
from .saving import Saved
from .store import BaseMemoryStore, ModeError, StoreError
from .unit import NEVER, ConflictContext, MemoryUnit

__all__ = [
    "NEVER",
    "BaseMemoryStore",
    "ByKind",
    "Compression",
    "ConflictContext",
    "Decay",
    "InMemoryLog",
    "InMemoryStore",
    "JsonLinesLog",
    "Memory",
    "MemoryUnit",
    "ModeError",
    "Monitor",
    "MoodTracker",
    "Recall",
    "Recombination",
    "SQLiteLog",
    "Saved",
    "Sizes",
    "StoreError",
    "Weigh",
    "Working",
    "ask_user",
    "cues",
    "hint",
    "keep_both",
    "latest_wins",
    "replay",
    "stance",
    "stepped",
]

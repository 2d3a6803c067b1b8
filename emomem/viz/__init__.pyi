from .arousal import arousal_profile
from .canvas import require_matplotlib
from .course import affect_over_time
from .distribution import affect_distribution
from .dots import benchmark
from .graph import conflict_graph
from .plane import circumplex
from .reasons import why

__all__ = [
    "affect_distribution",
    "affect_over_time",
    "arousal_profile",
    "benchmark",
    "circumplex",
    "conflict_graph",
    "require_matplotlib",
    "why",
]

from .controller import Controller
from .decision import Decision
from .norms import Norms
from .reflection import Reflection
from .simulation import Simulation
from .state import State
from .tendency import Tendency
from .trace import Trace, load_trace

__all__ = [
    "Controller",
    "Decision",
    "Norms",
    "Reflection",
    "Simulation",
    "State",
    "Tendency",
    "Trace",
    "load_trace",
]

from .suites.mememo import evaluate_agent

__all__ = ["evaluate_agent"]

"""Which kind of conflict two contradictory texts are in, where a detector does not say."""

from emomem.memory.conflict import ConflictKind
from emomem.memory.detectors.attitudes import attitudes
from emomem.memory.detectors.claims import claims
from emomem.memory.detectors.clauses import clauses
from emomem.memory.detectors.preferences import is_preference


def kind_of(new: str, old: str) -> ConflictKind:
    """The kind: opposite attitudes, else preferences, else facts.

    Example:
        >>> kind_of("I hate the office", "I love the office")
        'evaluative'
        >>> kind_of("We are six now", "There are five of us")
        'fact_update'
    """
    sides = clauses(new), clauses(old)
    signs = [{one.sign for clause in side for one in attitudes(clause)} for side in sides]
    if all(signs) and signs[0] != signs[1]:
        return "evaluative"
    if all(any(is_preference(claim) for claim in claims(side)) for side in sides):
        return "preference_change"
    return "fact_update"

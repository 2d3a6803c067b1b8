"""What brings feelings back, besides what is said: who somebody is, and what they stand before."""

from collections.abc import Iterable, Sequence

from emomem.sentences import sentences


def cues(
    persona: str = "", beliefs: Sequence[str] = (), names: Iterable[str] = (), situation: str = ""
) -> list[str]:
    """The texts that are mixed into what asks for feelings, each as much as the query.

    A memory that matters in a conflict shares few words with it; it is nearer to whom it hurts.
    How many of such memories each part brings near is what `python -m training.cues` prints.

    Args:
        persona: Who somebody is.
        beliefs: What they hold to be right.
        names: Whom they are in any relation to.
        situation: What they stand before; each of its sentences is a cue.

    Returns:
        The cues, for `emomem.memory.Memory.recall`; what is blank is none.

    Example:
        >>> cues("A baker", ["A promise holds."], ["Sam", "Ann"], "Sam lied. The rent is due.")
        ['A baker', 'A promise holds.', 'Sam, Ann', 'Sam lied.', 'The rent is due.']
    """
    texts = [persona, *beliefs, ", ".join(names), *sentences(situation)]
    return [text for text in texts if text.strip()]

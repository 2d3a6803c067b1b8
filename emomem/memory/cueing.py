"""What brings feelings back, besides what is said: who somebody is, and what they stand before."""

from collections.abc import Iterable, Sequence
from typing import Final

from emomem.checks import given_texts
from emomem.sentences import sentences

SENTENCES: Final = 8
"""How many sentences of a situation are cues, the last."""


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
        situation: What they stand before; each of its last `SENTENCES` sentences is a cue, so that
            a long one doesn't drown the query.

    Returns:
        The cues, for `Memory.recall`; what is blank is none.

    Raises:
        TypeError: One of them is no text, or no list of texts.

    Example:
        >>> cues("A baker", ["A promise holds."], ["Sam", "Ann"], "Sam lied. The rent is due.")
        ['A baker', 'A promise holds.', 'Sam, Ann', 'Sam lied.', 'The rent is due.']
    """
    for name, text in (("persona", persona), ("situation", situation)):
        if not isinstance(text, str):
            msg = f"{name} must be a str, got {type(text).__name__}"
            raise TypeError(msg)
    held = given_texts("beliefs is a list of what one holds to be right, each a str", beliefs)
    known = given_texts("names is a list of names, each a str", names)
    whom = ", ".join(name for name in known if name.strip())
    made = [persona, *held, whom, *sentences(situation)[-SENTENCES:]]
    return [text for text in made if text.strip()]

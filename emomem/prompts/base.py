"""The texts that every language has."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Prompts:
    """What chat models are told, in one language.

    Attributes:
        vad: Asks for valence -1..1, arousal 0..1 and one of the 28 emotions.
        plutchik: Asks for each of Plutchik's eight emotions, 1..10, with reasons.
        conflict: Asks for valence -2..2, arousal 1..3 and conflict 0..4, with the goals and
            parties in conflict and a reason.
        quoting: Says that what stands between tags is data.
        closing: Follows the quoted text, so that the task has the last word.
        retry: Says what is wrong with an answer, at `{error}`.
    """

    vad: str
    plutchik: str
    conflict: str
    quoting: str
    closing: str
    retry: str

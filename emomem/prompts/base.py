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
        rewrite: Asks for a search query in the words of the user's memories, from what was said.
        contradiction: Asks which memories and goals a new text contradicts: the number of each, the
            kind, the intensity 0..1 and a reason.
        latest_holds: Says that a new text replaces a memory.
        earlier_holds: Says that a memory holds against a new text.
        follow_instruction: Says that an instruction goes against a goal and is followed.
        both_stand: Says that a memory and a new text contradict each other, which is not settled.
        ask_user: Says that they do, and to ask the user.
        dream: Asks for one symbolic scene of a day's memories, and which of them should count more
            or less.
        deep: Asks for four dimensions of a stirring message, in its own language: the fact, the
            motive behind it, the cues that bring it back, and how to meet it.
        deep_closing: Follows the quoted message, so that the task has the last word.
        companion: Asks for the next thing to say to a user, by what is remembered of them.
        judge: Asks how empathic and how vivid a reply is, each 1..5, strictly.
        quoting: Says that what stands between tags is data.
        closing: Follows the quoted text, so that the task has the last word.
        retry: Says what is wrong with an answer, at `{error}`.
    """

    vad: str
    plutchik: str
    conflict: str
    rewrite: str
    contradiction: str
    latest_holds: str
    earlier_holds: str
    follow_instruction: str
    both_stand: str
    ask_user: str
    dream: str
    deep: str
    deep_closing: str
    companion: str
    judge: str
    quoting: str
    closing: str
    retry: str

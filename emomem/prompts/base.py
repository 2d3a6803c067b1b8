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
        plausibility: Asks how plausible an answer about what a user told is, 1..5, strictly.
        role_play: Says to be the character `{character}`, by a profile and what is remembered.
        role_play_scene: Where the character is, `{place}`, and how, `{status}`.
        role_play_task: Asks for what `{character}` says to what is said to them.
        conflict_answer: Asks for an answer out of what is remembered of a user, which names both
            sides of a contradiction that is not settled.
        care: Asks for an answer to a customer of `{business}`, by what is remembered of them and
            by how their message feels.
        reflect: Asks an agent to weigh its first impulse and what binds it, each by itself, and to
            join them into what it says, does, feels and remembers.
        reflect_closing: Follows what it is shown, so that the task has the last word.
        approach: The impulse to move towards what happens.
        confront: That to move against it.
        withdraw: That to move away from it.
        attend: That to look at it and wait.
        personality_shares: Asks how much of `{first}` and of `{second}`, in percent, answers in an
            interview show, by the `{questionnaire}`'s `{description}` of the `{dimension}`.
        personality_score: Asks how much of the `{dimension}` they show, from `{low}` through
            `{middle}` to `{high}`, by the `{questionnaire}`'s `{description}` of it.
        interviewer: What stands for who asks, in what is judged.
        participant: What stands for who answers there, whose name is not told.
        respond: Asks a person in a difficult moment for what they feel, say and do.
        rate: Asks how good such a reply is, on the scales that stand in `{scales}`.
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
    plausibility: str
    role_play: str
    role_play_scene: str
    role_play_task: str
    conflict_answer: str
    care: str
    reflect: str
    reflect_closing: str
    approach: str
    confront: str
    withdraw: str
    attend: str
    personality_shares: str
    personality_score: str
    interviewer: str
    participant: str
    respond: str
    rate: str
    quoting: str
    closing: str
    retry: str

"""What memories bring back for stories, what is answered, and what a judge says of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Generic, TypeVar

from emomem.affect import Affect
from emomem.asking import Reply, UnusableAnswerError, ask
from emomem.evaluation.agents import Found, Remembering
from emomem.evaluation.answers import KeptChatModel
from emomem.evaluation.pillars.base import Columns, Pillar, Row, by_language, estimates
from emomem.evaluation.readings import Progress, silent
from emomem.evaluation.stories import Moment, Story
from emomem.evaluation.working import CONCURRENT, each
from emomem.prompts import Language
from emomem.protocols import ChatMessage, ChatModel

Subject = Remembering | KeptChatModel
"""A memory, or an agent whose answers are kept."""

Judging = Callable[[str, str, Language], list[ChatMessage]]
R = TypeVar("R", bound=Reply)
S = TypeVar("S", bound=Story)
Replying = Callable[[ChatModel, str, S], str | None]
"""Has a model answer a story out of a context."""


@dataclass(frozen=True)
class Models:
    """The chat models of a run.

    Attributes:
        generator: Answers out of what a memory brings back; None where there is none.
        judge: Judges answers; None where there is none.
        progress: Is told how far it is.
    """

    generator: ChatModel | None = None
    judge: ChatModel | None = None
    progress: Progress = silent


DEALT: Final = "its answers dealt out"
"""The row of a subject's answers, each held against another story."""


@dataclass(frozen=True)
class Part(Generic[S, R]):
    """What one pillar asks of stories.

    Attributes:
        name: Its name in files.
        title: What it measures.
        memory_note: What has to be known of what a memory brings back, and
        answer_note: of what is answered.
        told: Measures what a memory brought back for each story.
        said: Measures what was answered to each.
        reply: Has the generator answer a story out of a context.
        judging: Asks the judge.
        judgement: What the judge answers.
        grades: Its grades, by their names in reports.
        pictured: The measures of memories that a picture shows; empty for all.
    """

    name: str
    title: str
    memory_note: str
    answer_note: str
    told: Callable[[Sequence[S], Sequence[Found]], Columns]
    said: Callable[[Sequence[S], Sequence[str]], Columns]
    reply: Replying[S]
    judging: Judging
    judgement: type[R]
    grades: Mapping[str, str]
    pictured: tuple[str, ...] = ()


def measure_part(
    part: Part[S, R], subjects: Mapping[str, Subject], stories: Sequence[S], models: Models
) -> list[Pillar]:
    """What memories bring back for stories, and what is answered.

    Args:
        part: What is asked.
        subjects: By name; the memories among them have been told the stories.
        stories: The stories.
        models: The chat models.

    Raises:
        ModelFailedError: A model or an agent failed; what it answered before is kept.
    """
    found = {
        name: recalled(one, stories)
        for name, one in subjects.items()
        if isinstance(one, Remembering)
    }
    pillars = []
    rows: dict[str, Row] = {}
    for name, came in found.items():
        rows |= by_language(name, stories, part.told(stories, came))
    if rows:
        title = f"{part.title}: what a memory brings back"
        pillars.append(
            _pillar(f"{part.name}_memories", title, part.memory_note, rows, part.pictured)
        )
    rows = {}
    for name, said in answered(subjects, stories, found, models, part.reply).items():
        columns = {**part.said(stories, [one or "" for one in said])}
        grades = judged(said, stories, models, part.judging, part.judgement)
        for head, grade in part.grades.items():
            columns[head] = [None if one is None else float(getattr(one, grade)) for one in grades]
        rows |= by_language(name, stories, columns)
        dealt = dealt_out(said, stories)
        rows[f"{name}: {DEALT}"] = estimates(part.said(stories, [one or "" for one in dealt]))
    if rows:
        title = f"{part.title}: what is answered"
        pillars.append(_pillar(f"{part.name}_answers", title, part.answer_note, rows))
    return pillars


def _pillar(
    name: str, title: str, note: str, rows: Mapping[str, Row], pictured: tuple[str, ...] = ()
) -> Pillar:
    measures = tuple(next(iter(rows.values())))
    return Pillar(name, title, note, measures, rows, pictured=pictured)


def user_of(story: Story) -> str:
    """The id of a story's user."""
    return f"mememo-{story.id}"


def recalled(memory: Remembering, stories: Sequence[Story]) -> list[Found]:
    """What a memory brings back for each story; it has been told them."""
    return [memory.recall(user_of(one), one.message, _affect(one)) for one in stories]


def answered(
    subjects: Mapping[str, Subject],
    stories: Sequence[S],
    found: Mapping[str, Sequence[Found]],
    models: Models,
    reply: Replying[S],
) -> dict[str, list[str | None]]:
    """What each subject answers, in the order of the stories; a memory none without a generator.

    Args:
        subjects: Who is asked, by name.
        stories: What is asked.
        found: What each memory brought back.
        models: The chat models.
        reply: Has the generator answer out of a context.

    Raises:
        ModelFailedError: One failed; what was answered before is kept.
    """
    answers: dict[str, list[str | None]] = {}
    for name, subject in subjects.items():
        if isinstance(subject, KeptChatModel):
            # An agent of somebody's own need not be made for threads.
            concurrent, answer = 1, _by_agent(subject, stories)
        elif models.generator is not None:
            concurrent, answer = (
                CONCURRENT,
                _by_model(models.generator, stories, found[name], reply),
            )
        else:
            continue
        what = f"Answering: {name}"
        said = each(answer, range(len(stories)), what, models.progress, concurrent)
        answers[name] = [(said[row] or "").strip() or None for row in range(len(stories))]
    return answers


def _by_agent(agent: KeptChatModel, stories: Sequence[Story]) -> Callable[[int], str | None]:
    return lambda row: agent.complete(stories[row].conversation())


def _by_model(
    model: ChatModel, stories: Sequence[S], found: Sequence[Found], reply: Replying[S]
) -> Callable[[int], str | None]:
    return lambda row: reply(model, found[row].context, stories[row])


def judged(
    answers: Sequence[str | None],
    stories: Sequence[Story],
    models: Models,
    messages: Judging,
    judgement: type[R],
) -> list[R | None]:
    """What the judge says of each answer; None without a judge, an answer or a usable judgement.

    The judge reads what was told and one answer, and not whose it is.
    """
    judge = models.judge
    rows = [row for row, answer in enumerate(answers) if answer is not None and judge is not None]
    if judge is None:
        return [None] * len(answers)

    def asked(row: int) -> R | None:
        story = stories[row]
        question = messages(transcript(story), str(answers[row]), story.language)
        return usable(judge, question, judgement, story.language)

    said = each(asked, rows, "Judging", models.progress)
    return [said.get(row) for row in range(len(answers))]


def usable(
    model: ChatModel, messages: Sequence[ChatMessage], reply: type[R], language: Language
) -> R | None:
    """What a model answers; None where neither of two answers can be used."""
    try:
        return ask(model, messages, reply, language)
    except UnusableAnswerError:
        return None


def transcript(story: Story) -> str:
    """What was told, each with its date, and the message."""
    lines = [f"({datetime.fromtimestamp(one.at, UTC).date()}) {one.text}" for one in story.turns]
    return "\n".join([*lines, story.message])


def dealt_out(answers: Sequence[str | None], stories: Sequence[Story]) -> list[str | None]:
    """To each story the answer to the next one of its language, as a control."""
    languages = dict.fromkeys(one.language for one in stories)
    dealt: dict[int, str | None] = {}
    for language in languages:
        rows = [row for row, one in enumerate(stories) if one.language == language]
        for row, other in zip(rows, [*rows[1:], rows[0]], strict=True):
            # Of a single story there is no other answer.
            dealt[row] = answers[other] if other != row else None
    return [dealt[row] for row in range(len(answers))]


def _affect(story: Story) -> Affect:
    return story.affect if isinstance(story, Moment) else Affect.unknown()

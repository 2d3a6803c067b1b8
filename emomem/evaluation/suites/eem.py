"""Does deep encoding make answers better? The same dialogues, with memories plain and deep."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Final, Protocol, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field

from emomem.asking import NOT_BOOL, Reply, UnusableAnswerError, ask
from emomem.checks import stripped
from emomem.encoding.record import EmbedMode, Encoded
from emomem.evaluation.datasets.empathetic import Dialogue
from emomem.evaluation.readings import Progress, silent
from emomem.evaluation.statistics import SEED
from emomem.evaluation.working import each
from emomem.prompts.questions import companion_messages, judge_messages
from emomem.protocols import ChatMessage, ChatModel

FloatArray = NDArray[np.float64]

TOP: Final = 3
"""How many memories a model is told."""

BASELINE: Final = "standard encoding"
"""Every memory as "user said: …"."""
WORDS: Final = "the words alone"
"""Every memory as it was said."""
DEEP: Final = "deep, embed={}"
"""What stirs as a deep memory."""

SAME: Final = "same-emotion precision@3"
OWN_RANK: Final = "rank of the dialogue's own earlier turn"
OWN_TOP: Final = "own earlier turn in the top 3"

R = TypeVar("R", bound=Reply)


class Index(Protocol):
    """A vector store that plain recall searches."""

    def add(self, texts: Sequence[str], row: int) -> None:
        """Store the texts of one memory."""
        ...

    def search(self, text: str) -> list[int]:
        """The row of every text that is stored, most similar first."""
        ...


@dataclass(frozen=True)
class Turn:
    """What a speaker said.

    Attributes:
        text: The words.
        dialogue: The place of its dialogue.
        before: What was said in the dialogue before, by both.
    """

    text: str = field(repr=False)
    dialogue: int
    before: tuple[str, ...] = field(repr=False)

    @property
    def scored(self) -> bool:
        """Whether something of the same dialogue can be remembered."""
        return bool(self.before)


def turns_of(dialogues: Sequence[Dialogue]) -> list[Turn]:
    """All that the speakers said, in order."""
    return [
        Turn(dialogue.turns[place], number, dialogue.turns[:place])
        for number, dialogue in enumerate(dialogues)
        for place in range(0, len(dialogue.turns), 2)
    ]


class Companion(Reply):
    """What the companion says."""

    reply: Annotated[
        str, AfterValidator(stripped), Field(repr=False, json_schema_extra={"maxLength": 600})
    ]


_Grade = Annotated[int, Field(ge=1, le=5), NOT_BOOL]


class Judgement(Reply):
    """How good a reply is, 1 to 5."""

    reason: Annotated[str, Field(repr=False, json_schema_extra={"maxLength": 300})] = ""
    empathy: _Grade
    vividness: _Grade


GRADES: Final = ("empathy", "vividness")


@dataclass(frozen=True, eq=False)
class Grades:
    """What the judge gave the turns that were answered and judged in both arms.

    Attributes:
        baseline: By grade, (n,) of the replies over standard memories.
        deep: By grade, (n,) of those over deep ones.
        rows: The rows of the turns.
        unanswered: Turns left out, since the generator gave no usable reply.
        unjudged: Turns left out, since the judge gave no usable answer.
        differing: At how many of the n turns the memories told were not the same.
    """

    baseline: Mapping[str, FloatArray]
    deep: Mapping[str, FloatArray]
    rows: Sequence[int]
    unanswered: int
    unjudged: int
    differing: int


def recall(
    turns: Sequence[Turn], memories: Sequence[Sequence[str]], index: Index
) -> dict[int, list[int]]:
    """What is recalled at each scored turn, of what was said before it, best first.

    All speakers' turns go into one store in their order, each after it was answered.

    Args:
        turns: What was said.
        memories: The texts that stand for each in the store.
        index: An empty store.

    Returns:
        By the row of a scored turn, the rows of all earlier turns.
    """
    recalled = {}
    for row, (turn, texts) in enumerate(zip(turns, memories, strict=True)):
        if turn.scored:
            # Of a memory of several vectors, the best one stands for it.
            recalled[row] = list(dict.fromkeys(index.search(turn.text)))
        index.add(texts, row)
    return recalled


def standard(encoded: Iterable[Encoded]) -> list[Encoded]:
    """The same messages, none of them deep."""
    return [Encoded(one.raw, one.affect, "standard") for one in encoded]


def all_modes(
    turns: Sequence[Turn],
    encoded: Sequence[Encoded],
    build: Callable[[], Index],
    progress: Progress = silent,
) -> dict[str, dict[int, list[int]]]:
    """What is recalled, by arm; the deep ones only where something is deep.

    Args:
        turns: What was said.
        encoded: The memory that each becomes.
        build: Makes an empty store.
        progress: Is told how far it is.
    """
    arms = {BASELINE: _texts(standard(encoded), "raw"), WORDS: [[turn.text] for turn in turns]}
    if any(one.memory is not None for one in encoded):
        arms |= {DEEP.format(mode): _texts(encoded, mode) for mode in get_args(EmbedMode)}
    found = {}
    for number, (arm, memories) in enumerate(arms.items()):
        progress("Recalling", number, len(arms))
        found[arm] = recall(turns, memories, build())
    return found


def _texts(encoded: Iterable[Encoded], embed: EmbedMode) -> list[list[str]]:
    return [[piece.text for piece in one.pieces(embed, "")] for one in encoded]


def measure_recall(
    turns: Sequence[Turn], dialogues: Sequence[Dialogue], recalled: Mapping[int, Sequence[int]]
) -> dict[str, FloatArray]:
    """One value a scored turn, by measure; NaN where there was nothing of another dialogue.

    Same-emotion precision counts memories of other dialogues alone, of which the first three
    should have the turn's own of 32 emotions.
    """
    values: dict[str, list[float]] = {SAME: [], OWN_RANK: [], OWN_TOP: []}
    for row, rows in recalled.items():
        same = _same(turns, dialogues, row, rows)[:TOP]
        rank = next(
            n for n, one in enumerate(rows, 1) if turns[one].dialogue == turns[row].dialogue
        )
        values[SAME].append(float(np.mean(same)) if same else np.nan)
        values[OWN_RANK].append(rank)
        values[OWN_TOP].append(rank <= TOP)
    return {name: np.array(found, dtype=float) for name, found in values.items()}


def by_chance(
    turns: Sequence[Turn], dialogues: Sequence[Dialogue], recalled: Mapping[int, Sequence[int]]
) -> float:
    """What same-emotion precision a draw at random would have; NaN where there is none."""
    shares = [_same(turns, dialogues, row, rows) for row, rows in recalled.items()]
    means = [float(np.mean(share)) for share in shares if share]
    return float(np.mean(means)) if means else np.nan


def _same(
    turns: Sequence[Turn], dialogues: Sequence[Dialogue], row: int, rows: Sequence[int]
) -> list[bool]:
    own = turns[row].dialogue
    return [
        dialogues[turns[one].dialogue].emotion == dialogues[own].emotion
        for one in rows
        if turns[one].dialogue != own
    ]


def grade(  # noqa: PLR0913 - each is a part of the experiment
    turns: Sequence[Turn],
    encoded: Sequence[Encoded],
    baseline: Mapping[int, Sequence[int]],
    deep: Mapping[int, Sequence[int]],
    *,
    generator: ChatModel,
    judge: ChatModel,
    progress: Progress = silent,
) -> Grades:
    """Answer each scored turn with the memories of both arms, and have the replies judged.

    The judge sees the dialogue so far and one reply, never the memories or the arm. Replies come
    in a random order, always the same; two that are the same are judged once.

    Args:
        turns: What was said.
        encoded: The memory that each turn becomes in the deep arm.
        baseline: What is recalled in the baseline, as of `recall`.
        deep: What is recalled in the deep arm.
        generator: Writes the replies.
        judge: Judges them.
        progress: Is told how far it is.

    Raises:
        Exception: What a model raises.
    """
    plain = [_told(one) for one in standard(encoded)]
    full = [_told(one) for one in encoded]
    questions = {
        (row, arm): tuple(told[one] for one in recalled[row][:TOP])
        for arm, (told, recalled) in enumerate(((plain, baseline), (full, deep)))
        for row in recalled
    }
    asked = [(turns[row].text, told) for (row, _), told in questions.items()]
    replies = each(partial(_reply, generator), asked, "Answering", progress)
    said = {key: replies[turns[key[0]].text, told] for key, told in questions.items()}
    rows = [row for row in baseline if said[row, 0] is not None and said[row, 1] is not None]
    judged_of = {(row, arm): _judged(turns[row], said[row, arm]) for row in rows for arm in (0, 1)}
    shuffled = list(judged_of.values())
    np.random.default_rng(SEED).shuffle(shuffled)
    judgements = each(partial(_judge, judge), shuffled, "Judging", progress)
    pairs = {row: [judgements[judged_of[row, arm]] for arm in (0, 1)] for row in rows}
    whole = {row: pair for row, pair in pairs.items() if None not in pair}
    plain_grades, deep_grades = (
        {
            name: np.array([getattr(pair[arm], name) for pair in whole.values()], dtype=float)
            for name in GRADES
        }
        for arm in (0, 1)
    )
    return Grades(
        plain_grades,
        deep_grades,
        rows=list(whole),
        unanswered=len(baseline) - len(rows),
        unjudged=len(rows) - len(whole),
        differing=sum(questions[row, 0] != questions[row, 1] for row in whole),
    )


def _told(memory: Encoded) -> str:
    """A memory as the generator reads it, however it was embedded."""
    [piece] = memory.pieces("json", "")
    return piece.text


def _reply(model: ChatModel, asked: tuple[str, tuple[str, ...]]) -> str | None:
    text, memories = asked
    said = _asked(model, companion_messages("\n".join(memories), text), Companion)
    return None if said is None else said.reply


def _judged(turn: Turn, reply: str | None) -> tuple[str, str]:
    """What the judge is told: the dialogue so far, and the reply."""
    sides = ("user", "other")
    lines = [f"{sides[n % 2]}: {said}" for n, said in enumerate((*turn.before, turn.text))]
    return "\n".join(lines), str(reply)


def _judge(model: ChatModel, judged: tuple[str, str]) -> Judgement | None:
    return _asked(model, judge_messages(*judged), Judgement)


def _asked(model: ChatModel, messages: Sequence[ChatMessage], reply: type[R]) -> R | None:
    try:
        return ask(model, messages, reply)
    except UnusableAnswerError:
        return None

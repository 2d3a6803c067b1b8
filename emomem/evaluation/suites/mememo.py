"""The four pillars of emotion in memory, for agents and memories of any make."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from emomem.affect import Affect
from emomem.appraisal.base import BaseAppraiser, appraise_safely
from emomem.asking import check_chat_model
from emomem.checks import check_at_least_one
from emomem.encoder import default_encoder
from emomem.evaluation.agents import Remembering, as_subject
from emomem.evaluation.answers import Answers, KeptChatModel
from emomem.evaluation.costs import Role
from emomem.evaluation.datasets.labelled import Labelled
from emomem.evaluation.mememo_report import MemEmoReport
from emomem.evaluation.pillars.asking import Models, Subject, user_of
from emomem.evaluation.pillars.base import Pillar
from emomem.evaluation.pillars.encoding import load_sets, measure_encoding
from emomem.evaluation.pillars.reasoning import measure_reasoning
from emomem.evaluation.pillars.response import measure_response
from emomem.evaluation.pillars.retrieval import Felt, load_felt, measure_policies
from emomem.evaluation.pillars.retrieval_memories import measure_recall
from emomem.evaluation.readings import Progress, Readings, silent
from emomem.evaluation.similarity import token_similarity
from emomem.evaluation.stories import Story, few, load_histories, load_moments
from emomem.evaluation.suites.conflict import require_scipy
from emomem.protocols import Appraiser, ChatModel

ANSWERS: Final = "answers.jsonl"
"""The file that keeps what agents and models answered."""

NO_DATA: Final = (
    "Encoding fidelity and the policies were skipped: they are measured on public data; give its "
    "folder."
)
NO_GENERATOR: Final = (
    "Skipped: what is answered out of {names}; give a generator, a chat model that answers."
)
NO_JUDGE: Final = "Skipped: plausibility, empathy and vividness; give a judge, a chat model."
NO_MEMORY: Final = "{name} answers and shows no memory: what it brings back is not measured."


@dataclass(frozen=True)
class Setting:
    """How the pillars are measured.

    Attributes:
        data: The folder of the public data; None leaves out what is measured on it.
        appraiser: Reads affect; None is the embedded model.
        stories: How many histories and moments of each language; None for all.
        progress: Is told how far it is.
    """

    data: Path | None = None
    appraiser: Appraiser | None = None
    stories: int | None = None
    progress: Progress = silent

    def __post_init__(self) -> None:
        """Check the number."""
        if self.stories is not None:
            check_at_least_one(stories=self.stories)


def evaluate_agent(  # noqa: PLR0913 - each has its default
    agent: Any,  # noqa: ANN401 - of any make
    *,
    name: str = "my agent",
    beside: Mapping[str, Any] | None = None,
    data: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    appraiser: Appraiser | None = None,
    generator: ChatModel | None = None,
    judge: ChatModel | None = None,
    stories: int | None = None,
    progress: Progress = silent,
) -> MemEmoReport:
    """Measure an agent or a memory by the four pillars of emotion in memory.

    Args:
        agent: Anything callable as `agent(messages) -> str`, each message a mapping with "role"
            and "content"; or a memory with `save(text)` and `recall(query)`: one that takes a
            `user_id`, or what makes an empty one, its class or a function without arguments.
        name: What to call it.
        beside: Others to measure beside it, by name.
        data: The folder of the public data; None leaves out what is measured on it, which is the
            appraiser and the policies and not the agent.
        out: Where readings and answers are kept, so that a run that was stopped goes on. An agent
            that has changed needs another `name` there, or it is not asked again.
        appraiser: Reads affect; None is the embedded model.
        generator: Answers out of what a memory brings back; None leaves that out.
        judge: Grades answers; None leaves that out. It should be of another make than what it
            judges.
        stories: How many histories and moments of each language; None for all.
        progress: Is told how far it is.

    Returns:
        The report, with `tables()`, `as_data()` and `write(folder)`.

    Raises:
        TypeError: The agent is none of these, or the generator or the judge is no chat model.
        ValueError: `stories` is below 1, or a data file is malformed.
        FileNotFoundError: A data file is not there; the message says where it is from.
        ImportError: A package is not installed.
        ModelFailedError: The agent or a model failed; with `out`, what it answered is kept.

    Example:
        >>> class Everything:
        ...     def __init__(self):
        ...         self.texts = []
        ...
        ...     def save(self, text):
        ...         self.texts.append(text)
        ...
        ...     def recall(self, query):
        ...         return self.texts
        >>> report = evaluate_agent(Everything, name="everything", stories=1)
        >>> pillar = report.pillar("reasoning_memories")
        >>> pillar.rows["everything"]["what holds now served"].mean
        1.0
    """
    setting = Setting(None if data is None else Path(data), appraiser, stories, progress)
    agents = {name: agent, **(beside or {})}
    with _folder(out) as folder:
        answers = Answers(folder / ANSWERS)
        kept = {
            role: _kept(model, role, answers)
            for role, model in (("generator", generator), ("judge", judge))
            if model is not None
        }
        return measure(agents, setting, kept, folder)


def measure(
    agents: Mapping[str, Any],
    setting: Setting,
    models: Mapping[str, KeptChatModel],
    folder: Path,
    *,
    forced: bool = False,
) -> MemEmoReport:
    """The four pillars of some agents and memories.

    Args:
        agents: By name, each as `evaluate_agent` takes it.
        setting: How they are measured.
        models: The "generator" and the "judge", as far as there are some.
        folder: Where readings and answers are kept.
        forced: Whether generator and judge are of one vendor.

    Raises:
        Exception: As of `evaluate_agent`.
    """
    require_scipy()
    answers = Answers(folder / ANSWERS)
    subjects = {name: _subject(agent, name, answers) for name, agent in agents.items()}
    readings = Readings(folder / "cache")
    appraiser = readings if setting.appraiser is None else _Once(setting.appraiser)
    data = None if setting.data is None else (load_sets(setting.data), load_felt(setting.data))
    pillars: list[Pillar] = []
    chat = Models(models.get("generator"), models.get("judge"), setting.progress)
    similarity = partial(token_similarity, default_encoder())
    histories = few(load_histories(), setting.stories)
    moments = few(load_moments(), setting.stories)
    memories = {name: one for name, one in subjects.items() if isinstance(one, Remembering)}
    for name, memory in memories.items():
        _tell(name, memory, [*histories, *moments], setting.progress)
    if memories:
        pillars.append(measure_recall(memories, moments))
    pillars += measure_reasoning(subjects, histories, chat, similarity)
    pillars += measure_response(subjects, moments, chat, similarity)
    if data is not None:
        # Last, since it takes minutes in which nobody would learn that their agent fails.
        pillars = [*_of_data(*data, readings, appraiser, setting.progress), *pillars]
    asked = {name: one for name, one in subjects.items() if isinstance(one, KeptChatModel)}
    return MemEmoReport(
        pillars,
        _notes(setting, chat, memories, asked),
        {role: Role.of(model) for role, model in {**models, **asked}.items()},
        len(histories),
        len(moments),
        forced=forced,
    )


class _Once(BaseAppraiser):
    """Reads each text once."""

    def __init__(self, appraiser: Appraiser) -> None:
        self.source = getattr(appraiser, "source", type(appraiser).__name__)
        self._appraiser = appraiser
        self._known: dict[str, Affect] = {}

    def _read(self, texts: Sequence[str]) -> list[Affect]:
        if new := [text for text in dict.fromkeys(texts) if text not in self._known]:
            self._known |= zip(new, appraise_safely(self._appraiser, new), strict=True)
        return [self._known[text] for text in texts]


def _of_data(
    sets: Sequence[Labelled],
    felt: Felt,
    readings: Readings,
    appraiser: Appraiser,
    progress: Progress,
) -> list[Pillar]:
    """What is measured on public data."""
    if appraiser is readings:
        # Set by set, so that a run which is stopped keeps those that were read.
        for texts in (*(one.texts for one in sets), felt.store.texts):
            readings.prepare(texts, progress)
    return [
        measure_encoding(sets, appraiser, progress),
        measure_policies(felt, readings, appraiser, progress),
    ]


def _subject(agent: Any, name: str, answers: Answers) -> Subject:  # noqa: ANN401 - of any make
    if isinstance(agent, KeptChatModel):
        return agent
    made = as_subject(agent)
    return made if isinstance(made, Remembering) else KeptChatModel(made, name, answers)


def _kept(model: ChatModel, role: str, answers: Answers) -> KeptChatModel:
    if isinstance(model, KeptChatModel):
        return model
    check_chat_model(model, role)
    return KeptChatModel(model, role, answers)


def _tell(name: str, memory: Remembering, stories: Sequence[Story], progress: Progress) -> None:
    for number, story in enumerate(stories):
        progress(f"Telling: {name}", number, len(stories))
        memory.tell(user_of(story), story.turns)


def _notes(
    setting: Setting, models: Models, memories: Mapping[str, Any], asked: Mapping[str, Any]
) -> list[str]:
    notes = [] if setting.data is not None else [NO_DATA]
    notes += [NO_MEMORY.format(name=name) for name in asked]
    if memories and models.generator is None:
        notes.append(NO_GENERATOR.format(names=", ".join(memories)))
    if models.judge is None:
        notes.append(NO_JUDGE)
    return notes


@contextmanager
def _folder(out: str | os.PathLike[str] | None) -> Iterator[Path]:
    if out is not None:
        yield Path(out)
        return
    with TemporaryDirectory() as folder:
        yield Path(folder)

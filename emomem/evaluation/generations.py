"""What a chat model makes of a scenario, out of what each architecture recalls of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field

from emomem.asking import NOT_BOOL, Reply, UnusableAnswerError, ask
from emomem.encoder import LocalEncoder, default_encoder
from emomem.evaluation.costs import Role, costs_table
from emomem.evaluation.ratings.outputs import Context, Output, write_outputs
from emomem.evaluation.ratings.scales import SCALES, scale_lines
from emomem.evaluation.ratings.summary import judged_table
from emomem.evaluation.readings import Progress, silent
from emomem.evaluation.suites.crr import AFFECTIVE, FACTS, PREFETCH, nearest, prepare
from emomem.evaluation.tables import Table
from emomem.evaluation.working import CONCURRENT, each
from emomem.evaluation.writing import write_report
from emomem.prompts import filled, prompts, quoted
from emomem.prompts.questions import memory_block
from emomem.protocols import ChatMessage, ChatModel
from emomem.ranking import Salience, Semantic
from emomem.scenarios import AffectiveMemory, Fact, Scenario
from emomem.tokens import count_tokens

SCENARIOS: Final = ("household", "stolen_idea", "betrayed_secret")
"""The three of the paper (arXiv:2608.07438)."""

SEEDS: Final = (101, 202, 303)
"""The paper's."""

UNEVEN: Final = 1.25
"""From where on it is said that the contexts of a scenario differ in length."""

Memory = Fact | AffectiveMemory
Recall = Callable[[Scenario], Mapping[str, Sequence[Memory]]]
"""By arm, what it recalls of a scenario."""

_Grade = Annotated[int, Field(ge=1, le=5), NOT_BOOL]


class Rated(Reply):
    """What a judge gives a text, on the raters' scales."""

    reason: Annotated[str, Field(repr=False, json_schema_extra={"maxLength": 300})] = ""
    emotional_coherence: _Grade
    persona_consistency: _Grade
    memory_use: _Grade
    conflict_sensitivity: _Grade
    naturalness: _Grade


@dataclass(frozen=True)
class Told:
    """One question to the generator.

    Attributes:
        scenario: What it is about.
        arm: What recalled.
        memories: What was recalled, in the order of time.
    """

    scenario: Scenario
    arm: str
    memories: tuple[Memory, ...] = field(repr=False)

    @property
    def context(self) -> Context:
        """What the model reads of the past, and how long it is."""
        return Context(
            ids=tuple(one.id for one in self.memories), tokens=count_tokens(_block(self.memories))
        )


def tell(scenarios: Sequence[Scenario], recall: Recall) -> list[Told]:
    """The questions, scenario by scenario, each arm with as many memories as any other.

    The model reads memories of either kind in one list in the order of time, so that a text can
    differ by what was recalled, and by nothing else.

    Args:
        scenarios: What the questions are about.
        recall: What each arm recalls.

    Raises:
        ValueError: Arms do not recall as many memories of a scenario as one another.
    """
    found = []
    for scenario in scenarios:
        recalled = recall(scenario)
        sizes = {arm: len(memories) for arm, memories in recalled.items()}
        if len(set(sizes.values())) > 1:
            told = ", ".join(f"{arm} {size}" for arm, size in sizes.items())
            msg = f"contexts of {scenario.id} must hold as many memories in each arm, got {told}"
            raise ValueError(msg)
        found += [
            Told(scenario, arm, tuple(sorted(memories, key=lambda one: (one.at, one.id))))
            for arm, memories in recalled.items()
        ]
    return found


def recall_by_architecture(
    scenario: Scenario, encoder: LocalEncoder | None = None
) -> dict[str, list[Memory]]:
    """What the three architectures of the paper recall, as the arms of `emomem eval crr`.

    "full" is ten facts by meaning, and of the 30 nearest affective memories the ten most salient,
    salience predicted; "semantic ablation" ten and ten by meaning; "single store" the 20 nearest
    of both kinds in one store.

    Args:
        scenario: The scenario.
        encoder: Reads the texts; None is the one that the whole process shares.

    Raises:
        ImportError: The local model's packages are not installed.
    """
    case = prepare(scenario, default_encoder() if encoder is None else encoder)
    known = [scenario.facts[row] for row in nearest(case.factual_cosine, FACTS)]
    both: tuple[Memory, ...] = (*scenario.facts, *scenario.affective)
    recalled = {
        "full": case.recall(Salience(PREFETCH), case.predicted),
        "semantic ablation": case.recall(Semantic()),
    }
    return {
        **{
            arm: [*known, *[scenario.affective[row] for row in rows]]
            for arm, rows in recalled.items()
        },
        "single store": [both[row] for row in nearest(case.single_cosine, FACTS + AFFECTIVE)],
    }


def respond_messages(told: Told) -> list[ChatMessage]:
    """Asks for what the person feels, says and does."""
    scenario = told.scenario
    parts = (
        quoted(_person(scenario, weights=True), "profile"),
        quoted(_block(told.memories), "memories"),
        quoted(scenario.situation, "scene"),
        quoted(scenario.queries.affective, "text"),
    )
    return [
        {"role": "system", "content": prompts(scenario.language).respond},
        {"role": "user", "content": "\n\n".join(parts)},
    ]


def rate_messages(output: Output) -> list[ChatMessage]:
    """Asks a judge for grades on the raters' scales, from what a rater reads."""
    parts = (
        quoted(output.person, "profile"),
        quoted(memory_block(output.background), "memories"),
        quoted(output.situation, "scene"),
        quoted(output.text, "reply"),
    )
    rate = prompts(output.language).rate
    return [
        {"role": "system", "content": filled(rate, scales=scale_lines(output.language))},
        {"role": "user", "content": "\n\n".join(parts)},
    ]


def generate(
    told: Sequence[Told],
    models: Mapping[int, ChatModel],
    name: str,
    progress: Progress = silent,
    concurrent: int = CONCURRENT,
) -> list[Output]:
    """One output a question and seed; a blank answer is left out.

    Args:
        told: The questions.
        models: By seed, the model that is asked with it.
        name: Of the model.
        progress: Is told how far it is.
        concurrent: How many calls run at a time.

    Raises:
        Exception: What a model raises.
    """
    asked = [(place, seed) for place in range(len(told)) for seed in models]

    def answer(question: tuple[int, int]) -> str:
        place, seed = question
        return models[seed].complete(respond_messages(told[place])).strip()

    answers = each(answer, asked, "Generating", progress, concurrent)
    return [
        _output(told[place], seed, name, answers[place, seed])
        for place, seed in asked
        if answers[place, seed]
    ]


def judge(
    outputs: Sequence[Output],
    model: ChatModel,
    progress: Progress = silent,
    concurrent: int = CONCURRENT,
) -> list[Output]:
    """The outputs with a judge's grades; without, where it gave no usable answer twice.

    It sees one output at a time and what a rater sees, never the arm or what was recalled.

    Args:
        outputs: What is judged.
        model: Who judges.
        progress: Is told how far it is.
        concurrent: How many calls run at a time.

    Raises:
        Exception: What the model raises.
    """
    by_id = {one.id: one for one in outputs}

    def rate(name: str) -> Rated | None:
        try:
            return ask(model, rate_messages(by_id[name]), Rated, by_id[name].language)
        except UnusableAnswerError:
            return None

    rated = each(rate, list(by_id), "Judging", progress, concurrent)
    return [
        one.model_copy(
            update={"judge": found and {scale: getattr(found, scale) for scale in SCALES}}
        )
        for one in outputs
        for found in (rated[one.id],)
    ]


@dataclass(frozen=True, eq=False)
class Generations:
    """What a run made.

    Attributes:
        told: The questions.
        seeds: The seeds.
        outputs: What was made of them.
        roles: The models, by their part.
        seeded: Whether the model takes a seed.
        forced: Whether generator and judge are of one vendor.
    """

    told: Sequence[Told]
    seeds: Sequence[int]
    outputs: Sequence[Output]
    roles: Mapping[str, Role]
    seeded: bool
    forced: bool = False

    @property
    def uneven(self) -> dict[str, float]:
        """By scenario, the longest context over the shortest, where they differ much."""
        tokens: dict[str, list[int]] = {}
        for one in self.told:
            tokens.setdefault(one.scenario.id, []).append(one.context.tokens)
        spans = {name: max(found) / min(found) for name, found in tokens.items()}
        return {name: span for name, span in spans.items() if span >= UNEVEN}

    @property
    def notes(self) -> list[str]:
        """What has to be known of the run."""
        wanted = len(self.told) * len(self.seeds)
        notes = [
            f"{len(self.outputs)} outputs of {wanted}; seeds {', '.join(map(str, self.seeds))}."
        ]
        if not self.seeded:
            notes.append("The model takes no seed: its outputs differ by its temperature alone.")
        notes += [
            f"Contexts of {name} hold as many memories, but the longest has {span:.2f} times the "
            "tokens of the shortest."
            for name, span in self.uneven.items()
        ]
        if "judge" in self.roles:
            unjudged = sum(one.judge is None for one in self.outputs)
            notes.append(f"{unjudged} outputs got no usable grades of the judge.")
        if self.forced:
            notes.append(
                "Generator and judge are of one vendor: a check of the machinery, not of the arms."
            )
        return notes

    def tables(self) -> list[Table]:
        """Contexts, grades of the judge, and costs."""
        rows = [
            (
                f"{one.scenario.id}: {one.arm}",
                str(len(one.memories)),
                f"{sum(isinstance(memory, AffectiveMemory) for memory in one.memories)}",
                f"{sum(getattr(memory, 'critical', False) for memory in one.memories)}",
                str(one.context.tokens),
            )
            for one in self.told
        ]
        columns = ("context", "memories", "affective", "critical", "tokens")
        note = "Tokens are estimated, one for four bytes."
        tables = [Table("Contexts", columns, tuple(rows), note)]
        if (judged := judged_table(self.outputs)) is not None:
            tables.append(judged)
        return [*tables, costs_table(self.roles)]

    def data(self) -> dict[str, Any]:
        """The run as plain data, without the texts."""
        return {
            "outputs": len(self.outputs),
            "wanted": len(self.told) * len(self.seeds),
            "seeds": list(self.seeds),
            "seeded": self.seeded,
            "one_vendor": self.forced,
            "contexts": [
                {"scenario": one.scenario.id, "arm": one.arm, **one.context.model_dump(mode="json")}
                for one in self.told
            ],
            "judge": {one.id: one.judge and dict(one.judge) for one in self.outputs},
            "models": {
                role: {"name": told.name, "cost": vars(told.cost), "kept": told.kept}
                for role, told in self.roles.items()
            },
        }

    def write(self, out: Path) -> list[Path]:
        """Write the outputs as JSONL and the report as Markdown and JSON.

        Args:
            out: The folder; made where it is missing.

        Returns:
            The files, the outputs first.
        """
        out.mkdir(parents=True, exist_ok=True)
        path = out / "generations"
        outputs = path.with_suffix(".jsonl")
        write_outputs(outputs, self.outputs)
        told = write_report(path, "Generations", self.notes, self.tables(), self.data())
        return [outputs, *told]


def _output(told: Told, seed: int, model: str, text: str) -> Output:
    scenario = told.scenario
    known: list[Memory] = [*scenario.facts, *[one for one in scenario.affective if one.critical]]
    return Output(
        id=f"{scenario.id}/{told.arm}/{seed}",
        scenario=scenario.id,
        arm=told.arm,
        seed=seed,
        text=text,
        person=_person(scenario, weights=False),
        situation=f"{scenario.situation}\n\n{scenario.queries.affective}",
        background=tuple(map(_dated, sorted(known, key=lambda one: (one.at, one.id)))),
        language=scenario.language,
        model=model,
        context=told.context,
    )


def _person(scenario: Scenario, *, weights: bool) -> str:
    """Who it is; what others mean to them in numbers for a model alone."""
    lines = [scenario.persona, *[f"- {belief}" for belief in scenario.beliefs]]
    if weights:
        lines += [f"{one.name}: {one.weight:+g}" for one in scenario.relations]
    return "\n".join(lines)


def _block(memories: Sequence[Memory]) -> str:
    return memory_block([_dated(one) for one in memories])


def _dated(memory: Memory) -> str:
    return f"{memory.timestamp[:10]}: {memory.text}"

"""`emomem eval emotional-rag`: measure whether recall by feeling keeps a character in character."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

import numpy as np
import typer

from langchain_emomem.cli.appraisers import DEFAULT_APPRAISER, prepare_environment
from langchain_emomem.cli.chat_models import CHAT_HELP, CHAT_METAVAR
from langchain_emomem.cli.errors import (
    CommandError,
    UsageError,
    check_at_least_one,
    first_line,
    one_line_errors,
)
from langchain_emomem.cli.eval import DataOption, show_tables
from langchain_emomem.cli.kept_models import open_judge, open_kept
from langchain_emomem.cli.measuring import measuring
from langchain_emomem.cli.terminal import JsonOption

if TYPE_CHECKING:
    from emomem.evaluation.answers import Answers, KeptChatModel
    from emomem.evaluation.characters import Subject
    from emomem.evaluation.datasets.incharacter import Questionnaire
    from emomem.evaluation.emotional_rag_report import RolePlayReport
    from emomem.evaluation.readings import Progress
    from emomem.evaluation.suites.emotional_rag import Embed, Feel

_LONGEST: Final = 512
"""Tokens of an answer, as published."""


class _Set(NamedTuple):
    """What is measured.

    Attributes:
        dataset: The name of a data set, or a file of characters.
        data: The folder of the public data.
        kind: Which questionnaire.
        characters: How many characters; None for all.
        questions: How many questions of each dimension; None for all.
        strategies: How memories are recalled.
        encoder: A sentence-transformers model; None for the local one.
        k: How many memories are recalled.
        concurrency: How many calls run at a time.
    """

    dataset: str
    data: Path
    kind: Literal["mbti", "bfi"]
    characters: int | None
    questions: int | None
    strategies: list[str]
    encoder: str | None
    k: int
    concurrency: int


class _Models(NamedTuple):
    """The models, and whether the judge is of a generator's vendor all the same."""

    generators: "dict[str, KeptChatModel]"
    judge: "KeptChatModel | None"
    scorer: "KeptChatModel | None"
    forced: bool


def emotional_rag(  # noqa: PLR0913, PLR0917 - a command's options
    dataset: Annotated[
        str,
        typer.Option(
            metavar="NAME|PATH",
            help="charactereval, incharacter, or a JSON file of characters (docs/role-play.md).",
        ),
    ] = "charactereval",
    data: DataOption = Path("../shared/data"),
    out: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER",
            help="Where to write the report, and to keep the answers of the models.",
        ),
    ] = Path("out/roleplay"),
    generator: Annotated[
        list[str] | None,
        typer.Option(
            metavar=CHAT_METAVAR, help=f"Plays the characters; may be repeated: {CHAT_HELP}."
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            metavar=CHAT_METAVAR,
            help="Judges the interviews; of another vendor than the generator.",
        ),
    ] = None,
    scorer: Annotated[
        str | None,
        typer.Option(
            metavar=CHAT_METAVAR,
            help="Scores eight emotions of each memory and question, one call each, as published; "
            "else the embedded affect model does.",
        ),
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|PATH",
            help="A sentence-transformers model that embeds, for languages other than English; "
            "else all-MiniLM-L6-v2.",
        ),
    ] = None,
    retrieval_only: Annotated[
        bool, typer.Option("--retrieval-only", help="Measure what is recalled, with no interview.")
    ] = False,
    questionnaire: Annotated[
        Literal["mbti", "bfi"], typer.Option(help="16Personalities, or the Big Five Inventory.")
    ] = "mbti",
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="ordinary, combination-add, combination-multiply, semantic-first or "
            "emotion-first; may be repeated; else all five.",
        ),
    ] = None,
    characters: Annotated[
        int | None, typer.Option(metavar="N", help="How many characters, from the first on.")
    ] = None,
    questions: Annotated[
        int | None, typer.Option(metavar="N", help="How many questions of each dimension.")
    ] = None,
    recalled: Annotated[
        int,
        typer.Option(
            metavar="N", help="How many memories are recalled; sequences keep twice that."
        ),
    ] = 10,
    concurrency: Annotated[
        int, typer.Option(metavar="N", help="How many calls of the models run at a time.")
    ] = 8,
    force: Annotated[
        bool, typer.Option("--force", help="Allow a judge of the generator's vendor.")
    ] = False,
    as_data: JsonOption = False,
) -> None:
    """Measure role play: what is recalled by meaning and by feeling, and who it makes of a model.

    As Emotional RAG (arXiv:2410.23041): each character is interviewed by a questionnaire, out of
    its profile and ten memories; a judge says what personality the answers show. Answers are kept
    in the output folder: a run that was stopped goes on where it was.

    \b
    Examples:
      emomem eval emotional-rag --retrieval-only
      emomem eval emotional-rag --generator openai:gpt-4.1-mini \\
          --judge anthropic:claude-sonnet-4-5
      emomem eval emotional-rag --dataset cast.json --retrieval-only
    """  # noqa: D301 - \b keeps the lines of the examples
    with one_line_errors("emomem eval emotional-rag"):
        generators = list(dict.fromkeys(generator or []))
        _check(generators, judge, retrieval_only)
        for option, value in (
            ("--characters", characters),
            ("--questions", questions),
            ("--recalled", recalled),
            ("--concurrency", concurrency),
        ):
            if value is not None:
                check_at_least_one(option, value)
        chosen = _Set(
            dataset,
            data,
            questionnaire,
            characters,
            questions,
            _strategies(strategy or []),
            encoder,
            recalled,
            concurrency,
        )
        from emomem.evaluation.answers import Answers  # noqa: PLC0415 - heavy

        # A named encoder may have to come from a hub.
        prepare_environment(encoder or DEFAULT_APPRAISER)
        with measuring() as progress:
            answers = Answers(out / "answers.jsonl")
            models = _models(generators, judge, scorer, answers, force)
            report = _report(chosen, models, out, progress)
            written = report.write(out)
        if as_data:
            typer.echo((out / "emotional-rag.json").read_text(encoding="utf-8"))
        else:
            show_tables(report.notes, report.tables(), written)


def _check(generators: list[str], judge: str | None, retrieval_only: bool) -> None:
    if retrieval_only and (generators or judge):
        msg = "--retrieval-only asks nobody; leave out --generator and --judge"
        raise UsageError(msg)
    if bool(generators) != (judge is not None):
        msg = "an interview needs a --generator, who answers, and a --judge"
        raise UsageError(msg)


def _strategies(given: list[str]) -> list[str]:
    """The strategies in the order of the library, ordinary retrieval always among them.

    Raises:
        UsageError: There is none of a name.
    """
    from emomem.evaluation.suites.emotional_rag import ORDINARY  # noqa: PLC0415 - only when run
    from emomem.roleplay import STRATEGIES  # noqa: PLC0415 - the same

    if unknown := [name for name in given if name not in STRATEGIES]:
        msg = f"--strategy must be one of {', '.join(STRATEGIES)}, got {unknown[0]!r}"
        raise UsageError(msg)
    return [name for name in STRATEGIES if not given or name in {*given, ORDINARY}]


def _models(
    generators: list[str], judge: str | None, scorer: str | None, answers: "Answers", force: bool
) -> _Models:
    """The models of the options.

    Raises:
        CommandError: One cannot be made, or the judge is of a generator's vendor.
    """
    made, vendors = {}, []
    for name in generators:
        made[name], own = open_kept("--generator", name, answers, 0.0, max_tokens=_LONGEST)
        vendors.append(own)
    judging, forced = open_judge(judge, answers, vendors, force)
    scoring = None if scorer is None else open_kept("--scorer", scorer, answers, 0.0)[0]
    return _Models(made, judging, scoring, forced)


def _subjects(chosen: _Set) -> "list[Subject]":
    from emomem.evaluation.characters import load_characters  # noqa: PLC0415 - only when run
    from emomem.evaluation.datasets.charactereval import (  # noqa: PLC0415 - the same
        load_charactereval,
    )
    from emomem.evaluation.datasets.incharacter import load_incharacter  # noqa: PLC0415 - the same

    named = {"charactereval": load_charactereval, "incharacter": load_incharacter}
    load = named.get(chosen.dataset)
    if load is None and not Path(chosen.dataset).is_file():
        msg = f"--dataset must be {', '.join(named)} or a JSON file; no file {chosen.dataset}"
        raise CommandError(msg)
    found = load_characters(Path(chosen.dataset)) if load is None else load(chosen.data)
    return found[: chosen.characters]


def _report(chosen: _Set, models: _Models, out: Path, progress: "Progress") -> "RolePlayReport":
    from emomem.evaluation.costs import Role  # noqa: PLC0415 - only when run
    from emomem.evaluation.datasets.incharacter import load_questionnaire  # noqa: PLC0415 - the same
    from emomem.evaluation.emotional_rag_report import (  # noqa: PLC0415 - the same
        MINILM,
        RolePlayReport,
    )
    from emomem.evaluation.readings import Readings  # noqa: PLC0415 - the same
    from emomem.evaluation.suites import emotional_rag as suite  # noqa: PLC0415 - the same

    subjects = _subjects(chosen)
    inventory = load_questionnaire(chosen.data, chosen.kind).first(chosen.questions)
    if models.judge is not None:
        _check_labels(subjects, inventory)
    embed = None if chosen.encoder is None else _embedder(chosen.encoder)
    readings = Readings(out / "cache")
    texts = [text for one in subjects for text in one.memories]
    asked = {
        question.said(one.character.language)
        for one in subjects
        for question in inventory.questions
    }
    readings.prepare([*texts, *sorted(asked)], progress)
    feel: Feel = suite.by_appraiser(readings)
    if models.scorer is not None:
        feel = suite.by_model(models.scorer, progress, chosen.concurrency)
    encoded = suite.encode(subjects, inventory, embed or readings.embed, feel)
    recalled = suite.measure_recall(encoded, chosen.strategies, chosen.k)
    interviewed = {}
    for name, model in models.generators.items():
        assert models.judge is not None  # noqa: S101 - checked with the options
        interviewed[name] = suite.interview(
            encoded,
            inventory,
            chosen.strategies,
            generator=model,
            judge=models.judge,
            k=chosen.k,
            concurrent=chosen.concurrency,
            progress=progress,
        )
    roles = {f"generator {name}": model for name, model in models.generators.items()}
    roles |= {
        role: model
        for role, model in (("judge", models.judge), ("scorer", models.scorer))
        if model is not None
    }
    return RolePlayReport(
        chosen.dataset,
        subjects,
        inventory,
        recalled,
        interviewed,
        chosen.k,
        "the embedded affect model" if models.scorer is None else models.scorer.name,
        chosen.encoder or MINILM,
        suite.unread(encoded),
        {role: Role.of(model) for role, model in roles.items()},
        models.forced,
    )


def _embedder(name: str) -> "Embed":
    """Embeds with a sentence-transformers model.

    Raises:
        CommandError: It cannot be loaded.
    """
    try:
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - heavy

        model = SentenceTransformer(name, model_kwargs={"use_safetensors": True})
    except Exception as error:  # noqa: BLE001 - a model fails to load in many ways
        msg = f"--encoder {name}: {first_line(error)}"
        raise CommandError(msg) from None
    return lambda texts: np.asarray(model.encode(list(texts), normalize_embeddings=True))


def _check_labels(subjects: "list[Subject]", inventory: "Questionnaire") -> None:
    if unlabelled := [one.id for one in subjects if not one.labels.get(inventory.kind)]:
        msg = (
            f"no personality of {unlabelled[0]!r} by {inventory.name} is known to compare an "
            "interview with; give labels, another --questionnaire, or --retrieval-only"
        )
        raise CommandError(msg)

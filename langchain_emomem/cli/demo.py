"""`emomem demo`: plain recall beside affect-modulated recall, on the user's own text."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from emomem.affect import Affect
from emomem.emotions import known_labels
from emomem.ranking import POLICIES, STRATEGIES, Auto, Combination
from langchain_emomem.cli import appraisers, recall
from langchain_emomem.cli.appraisers import DEFAULT_APPRAISER, AppraiserOption
from langchain_emomem.cli.errors import UsageError, check_at_least_one, one_line_errors
from langchain_emomem.cli.load import load
from langchain_emomem.cli.recall import Comparison, Question
from langchain_emomem.cli.show import as_json, show
from langchain_emomem.cli.terminal import (
    JsonOption,
    TextColumnOption,
    open_console,
    progress_bar,
)
from langchain_emomem.retriever import AffectModulatedRetriever
from langchain_emomem.tagger import EmotionTagger

Examples = tuple[tuple[str, str | None], ...]

DIARY: Final = Path(__file__).with_name("diary.jsonl")
EXAMPLES: Final[Examples] = (
    ("I feel so lonely and sad since I moved to the city", None),
    ("Out on the boat with Dad", "joy"),
    ("When is my next dentist appointment?", None),
)
"""Queries for the diary and the feeling given with each; None is read from the query."""
FILE_EXAMPLES: Final[Examples] = (
    ("I feel so sad and alone", None),
    ("I am so happy and proud", None),
)
"""Queries for a file of which nothing is known."""


def demo(  # noqa: PLR0913, PLR0917 - a command's options
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="JSONL, CSV or plain text, one memory a line or a paragraph; if left out, a "
            "built-in diary.",
        ),
    ] = None,
    query: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What to recall for; examples if left out.")
    ] = None,
    affect: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL|V,A",
            help="How you feel: a label, or valence -1..1 and arousal 0..1; else the query tells.",
        ),
    ] = None,
    strategy: Annotated[
        str, typer.Option(metavar="NAME", help=f"{', '.join(STRATEGIES)}.")
    ] = Combination.name,
    policy: Annotated[
        str, typer.Option(metavar="NAME", help=f"{', '.join(POLICIES)}.")
    ] = Auto.name,
    k: Annotated[int, typer.Option("-k", metavar="N", help="How many memories to recall.")] = 4,
    text_column: TextColumnOption = None,
    appraiser: AppraiserOption = DEFAULT_APPRAISER,
    as_data: JsonOption = False,
) -> None:
    """Show plain recall beside affect-modulated recall.

    Tags the memories, stores them in an embedded Chroma in memory, and prints both with the
    reasons. Needs no network, key or server.

    \b
    Examples:
      emomem demo
      emomem demo --query "I miss Dad" --affect sadness --policy congruent
      emomem demo notes.csv --text-column note --affect=-0.6,0.7
    """  # noqa: D301 - \b keeps the lines of the examples
    with one_line_errors("emomem demo"):
        _check_choice("--strategy", strategy, STRATEGIES)
        _check_choice("--policy", policy, POLICIES)
        check_at_least_one("-k", k)
        questions = _questions(query, affect, EXAMPLES if file is None else FILE_EXAMPLES)
        documents = load(file or DIARY, text_column, paragraphs=True)
        appraisers.prepare_environment(appraiser)
        with progress_bar() as progress:
            loading = progress.add_task("Loading the models", total=None)
            reader = appraisers.open_appraiser(appraiser)
            encoder = recall.open_encoder()
            with recall.open_store(encoder) as store:
                progress.update(loading, visible=False)
                storing = progress.add_task("Tagging and storing", total=len(documents))
                recall.tag_and_store(
                    store,
                    EmotionTagger(appraiser=reader.appraiser),
                    documents,
                    lambda done: progress.advance(storing, done),
                )
                retriever = AffectModulatedRetriever(
                    vectorstore=store,
                    appraiser=reader.appraiser,
                    strategy=strategy,
                    policy=policy,
                    k=k,
                )
                answers = [recall.compare(retriever, question) for question in questions]
        memories = {"source": str(file or "the built-in diary"), "count": len(documents)}
        _print(answers, memories, reader.title, as_data=as_data)
        if query is None and not as_data:
            typer.echo('\nThese were examples; ask your own with --query "...".')


def _check_choice(option: str, value: str, allowed: Iterable[str]) -> None:
    if value not in allowed:
        msg = f"{option} must be one of {', '.join(allowed)}; got {value!r}"
        raise UsageError(msg)


def _questions(query: str | None, affect: str | None, examples: Examples) -> list[Question]:
    """What to ask: the user's query, or the examples; a given affect goes with each."""
    if query is not None and not query.strip():
        msg = "--query is blank; give some text, or leave it out to see examples"
        raise UsageError(msg)
    given = None if affect is None else _parse_affect(affect)
    if query is not None:
        return [Question(query, given)]
    return [
        Question(text, given or (None if label is None else Affect.from_label(label)))
        for text, label in examples
    ]


def _parse_affect(text: str) -> Affect:
    """An affect from a label, or from `V,A`."""
    if "," not in text:
        try:
            return Affect.from_label(text)
        except ValueError:
            msg = f"--affect: unknown label {text!r}; known are {', '.join(known_labels())}"
            raise UsageError(msg) from None
    try:
        valence, arousal = map(float, text.split(","))
        return Affect(valence=valence, arousal=arousal)
    except ValueError:
        msg = f"--affect V,A takes a valence -1..1 and an arousal 0..1; got {text!r}"
        raise UsageError(msg) from None


def _print(
    answers: list[Comparison], memories: dict[str, Any], appraiser: str, *, as_data: bool
) -> None:
    if as_data:
        queries = [as_json(answer) for answer in answers]
        data = {"memories": memories, "appraiser": appraiser, "queries": queries}
        typer.echo(json.dumps(data, indent=2))
        return
    console = open_console()
    count, source = memories["count"], memories["source"]
    console.print(
        f"{count:,} memories from {source}. Feelings read by {appraiser}; "
        "vectors by all-MiniLM-L6-v2, in an embedded Chroma.",
        markup=False,
    )
    for answer in answers:
        show(console, answer)

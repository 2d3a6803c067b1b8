"""`emomem inspect`: a page to look into a memory, as a copy in a file or live in a browser."""

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from langchain_core.documents import Document
from pydantic import ValidationError

from emomem.files import replace_file
from emomem.inspection.page import page
from emomem.inspection.server import Asked, InspectionServer
from emomem.inspection.view import Data
from emomem.memory.operations import JsonLinesLog, OperationLog, SQLiteLog
from emomem.memory.unit import KINDS
from emomem.metadata import DEFAULT_FIELDS
from langchain_emomem.cli import appraisers, recall
from langchain_emomem.cli.appraisers import DEFAULT_APPRAISER, AppraiserOption
from langchain_emomem.cli.errors import CommandError, UsageError, one_line_errors
from langchain_emomem.cli.inspected import (
    DocumentsInspection,
    Inspection,
    MemoryInspection,
    Models,
)
from langchain_emomem.cli.load import load
from langchain_emomem.cli.stored import DATABASE, Opened, open_chroma, open_postgres
from langchain_emomem.cli.terminal import JsonOption, TextColumnOption, progress_bar
from langchain_emomem.tagger import EmotionTagger

_PAGE: Final = Path("emomem-inspect.html")
_SUFFIXES: Final = (".html", ".htm")
_URL: Final = re.compile(r"postgres(ql)?(\+\w+)?://")
_SQLITE: Final = b"SQLite format 3\0"
_LISTED: Final = 20
_MOST_PORTS: Final = 65_535


def inspect(  # noqa: PLR0913, PLR0917 - a command's options
    store: Annotated[
        str,
        typer.Argument(
            metavar="STORE",
            help="The folder of a Chroma store, the URL of a PostgreSQL database, or a file of "
            "texts: JSONL, CSV or plain text.",
        ),
    ],
    collection: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which collection; not needed if it is alone."),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Whose memory; not needed if it is one user's alone."),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The memory's JsonLinesLog or SQLiteLog."),
    ] = None,
    query: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="A search for the copy to show; may be repeated."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help=f"Where to write the copy, HTML; else {_PAGE}."),
    ] = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="In place of a copy: live, on this machine alone.")
    ] = False,
    port: Annotated[
        int, typer.Option(metavar="N", help="With --serve: the port; 0 takes a free one.")
    ] = 0,
    text_column: TextColumnOption = None,
    appraiser: AppraiserOption = DEFAULT_APPRAISER,
    as_data: JsonOption = False,
) -> None:
    """Look into a memory in a browser: searches with and without affect, timeline, conflicts.

    Writes one HTML file, a copy that works offline and holds memories in clear; or, with --serve,
    opens the same page live, where it searches what you type and forgets what you say.

    \b
    Examples:
      emomem inspect ./db --collection memories --user ann --serve
      emomem inspect ./db --user ann --query "I feel alone" --out ann.html
      emomem inspect postgresql://me@localhost/shop --collection memories
      emomem inspect tagged.jsonl --query "a bad day"
    """  # noqa: D301 - \b keeps the lines of the examples
    with one_line_errors("emomem inspect"):
        _check(out, query or [], port, serve=serve)
        target = _PAGE if serve else _target(out or _PAGE, store, log)
        queries = _asked(query or [])
        with _inspected(
            store, collection, user, log, text_column, appraiser, bool(queries or serve)
        ) as found:
            if serve:
                _serve(found, port, as_data=as_data)
            else:
                _write(found, queries, target, as_data=as_data)


def _check(out: Path | None, query: Sequence[str], port: int, *, serve: bool) -> None:
    """Which options go together, before anything is read."""
    if serve and (out is not None or query):
        msg = "--serve writes no copy: leave --out and --query out"
        raise UsageError(msg)
    if not 0 <= port <= _MOST_PORTS:
        msg = f"--port must be 0..{_MOST_PORTS}, got {port}"
        raise UsageError(msg)
    if port and not serve:
        msg = "--port is of --serve, and a copy has none"
        raise UsageError(msg)


def _target(target: Path, store: str, log: Path | None) -> Path:
    """Where the copy goes: never onto what it shows, for it is to be deleted after a look."""
    if target.is_dir():
        msg = f"--out must be a file, and {target} is a folder"
        raise UsageError(msg)
    if not target.parent.is_dir():
        msg = f"no such folder: {target.parent}"
        raise UsageError(msg)
    if target.suffix.lower() not in _SUFFIXES:
        msg = f"--out must end in {' or '.join(_SUFFIXES)}, got {target.name}"
        raise UsageError(msg)
    for name, source in (("STORE", Path(store)), ("--log", log)):
        if source is not None and _is_part(target, source):
            msg = f"--out must be no part of {name}, got {target}; name a file elsewhere"
            raise UsageError(msg)
    return target


def _is_part(target: Path, source: Path) -> bool:
    """Whether a file is another, also by a link, or lies in a folder of Chroma."""
    if (source / DATABASE).is_file():
        return target.resolve().is_relative_to(source.resolve())
    return source.exists() and target.exists() and target.samefile(source)


def _asked(queries: Sequence[str]) -> list[Asked]:
    try:
        return [Asked(query=query) for query in queries]
    except ValidationError:
        msg = "--query must be some text, at most 4,000 characters of it"
        raise UsageError(msg) from None


@contextmanager
def _inspected(  # noqa: PLR0913, PLR0917 - what the command was given
    store: str,
    collection: str | None,
    user: str | None,
    log: Path | None,
    text_column: str | None,
    appraiser: str,
    searches: bool,
) -> Iterator[Inspection]:
    appraisers.prepare_environment(appraiser)
    with ExitStack() as stack:
        progress = stack.enter_context(progress_bar())
        loading = progress.add_task("Reading", total=None)
        opened: Opened | None
        if _URL.match(store):
            opened = stack.enter_context(open_postgres(store, collection))
        elif Path(store).is_dir():
            opened = stack.enter_context(open_chroma(Path(store), collection))
        elif Path(store).is_file():
            if Path(store).name == DATABASE:
                msg = f"{store} is a part of a Chroma store: give its folder, {Path(store).parent}"
                raise UsageError(msg)
            opened = None
        else:
            msg = "STORE is a folder of Chroma, postgresql://…, or a file; there is no such: "
            raise UsageError(msg + store)
        if opened is not None and text_column is not None:
            msg = "--text-column is of a file, and a store has one text a memory"
            raise UsageError(msg)
        if opened is None:
            _refuse(f"{store} is a file, which has no", collection=collection, user=user, log=log)
        documents = (
            opened.documents()
            if opened is not None
            else _of_file(Path(store), text_column, appraiser)
        )
        progress.update(loading, description="Loading the models" if searches else "Reading")
        models = (
            Models(recall.open_encoder(), appraisers.open_appraiser(appraiser).appraiser)
            if searches
            else None
        )
        progress.update(loading, description="Preparing")
        if opened is None:
            found: Inspection = DocumentsInspection(store, lambda: documents, None, models)
        elif (whose := _whose(documents, user, opened.name)) is None:
            _refuse(f"{opened.name} holds plain documents, which have no", log=log)
            found = DocumentsInspection(opened.name, opened.documents, opened, models)
        else:
            found = MemoryInspection(
                opened.name, opened.documents, opened, models, whose, _log(log)
            )
        progress.update(loading, visible=False)
        yield found


def _refuse(what: str, **options: Any) -> None:
    for name, value in options.items():
        if value is not None:
            msg = f"{what} --{name}"
            raise UsageError(msg)


def _whose(documents: Sequence[Document], user: str | None, source: str) -> str | None:
    """Whose memory it is; None where it is no memory.

    Raises:
        UsageError: It is not of that user, or of several and none is named.
        CommandError: There is nothing.
    """
    if not documents:
        msg = f"{source} holds no text"
        raise CommandError(msg)
    users = sorted({str(one.metadata["user_id"]) for one in documents if _is_unit(one.metadata)})
    if not users:
        _refuse(f"{source} holds plain documents, which have no", user=user)
    if user in users or (user is None and len(users) <= 1):
        return user or next(iter(users), None)
    listed = ", ".join(map(repr, users[:_LISTED])) + (", …" if len(users) > _LISTED else "")
    wanted = "a --user" if user is None else f"the --user {user}"
    msg = f"{wanted} must be one of those in {source}: {listed}"
    raise UsageError(msg)


def _is_unit(metadata: Data) -> bool:
    return "unit_id" in metadata and "user_id" in metadata and metadata.get("kind") in KINDS


def _log(path: Path | None) -> OperationLog | None:
    if path is None:
        return None
    if not path.is_file():
        msg = f"no such file: {path}"
        raise UsageError(msg)
    with path.open("rb") as file:
        is_sqlite = file.read(len(_SQLITE)) == _SQLITE
    if not (_holds_operations(path) if is_sqlite else _begins_with_operation(path)):
        # What is forgotten is taken out of a log by writing all of it anew.
        msg = f"{path} is no log of a memory; --log takes its JsonLinesLog or SQLiteLog"
        raise UsageError(msg)
    return SQLiteLog(path) if is_sqlite else JsonLinesLog(path)


def _begins_with_operation(path: Path) -> bool:
    """Whether a file is a log of lines, or is empty."""
    with path.open("rb") as file:
        line = file.readline()
    try:
        return not line or {"id", "kind", "user"} <= json.loads(line).keys()
    except (ValueError, AttributeError):  # no JSON, or no object
        return False


def _holds_operations(path: Path) -> bool:
    """Whether an SQLite file is a log; nothing is written to it."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as file:
            file.execute("select line from operations limit 1")
    except sqlite3.Error:
        return False
    return True


def _of_file(path: Path, text_column: str | None, appraiser: str) -> list[Document]:
    """The texts of a file; those without a tag are read."""
    documents = load(path, text_column, paragraphs=True)
    keys = set(DEFAULT_FIELDS.keys())
    untagged = [row for row, one in enumerate(documents) if keys.isdisjoint(one.metadata)]
    if untagged:
        tagger = EmotionTagger(appraiser=appraisers.open_appraiser(appraiser).appraiser)
        tagged = tagger.transform_documents([documents[row] for row in untagged])
        for row, document in zip(untagged, tagged, strict=True):
            documents[row] = document
    return [
        Document(one.page_content, metadata=one.metadata, id=str(row))
        for row, one in enumerate(documents, start=1)
    ]


def _write(found: Inspection, queries: Sequence[Asked], target: Path, *, as_data: bool) -> None:
    view = found.view(live=False, answers=[found.search(asked) for asked in queries])
    try:
        replace_file(target, page(view).encode(), mode=0o600)
    except OSError as error:
        msg = f"cannot write {target}: {error.strerror}"
        raise CommandError(msg) from None
    facts = {
        "page": str(target),
        **{name: view[name] for name in ("source", "kind", "user")},
        "memories": sum(not one["echo"] for one in view["memories"]),
        **{name: len(view[name]) for name in ("conflicts", "operations", "answers")},
    }
    if as_data:
        typer.echo(json.dumps(facts, indent=2))
        return
    how_many = "1 memory" if facts["memories"] == 1 else f"{facts['memories']:,} memories"
    typer.echo(f"{target}: {how_many} of {view['source']}.")
    typer.echo(
        "It holds them in clear, for you alone to read: open it in a browser, then delete it."
    )


def _serve(found: Inspection, port: int, *, as_data: bool) -> None:
    try:
        server = InspectionServer(found, port)
    except OSError as error:
        msg = f"cannot listen on port {port}: {error.strerror}"
        raise CommandError(msg) from None
    with server:
        if as_data:
            typer.echo(json.dumps({"url": server.url}))
        else:
            typer.echo(f"Open {server.url}")
            typer.echo("Whoever has the address can read and forget. Ctrl-C ends it.")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            typer.echo("Stopped.", err=True)

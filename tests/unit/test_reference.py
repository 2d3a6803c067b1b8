"""The reference names what the packages show, each name once, and the site has every page."""

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
STUBS = sorted(
    stub
    for package in ("emomem", "langchain_emomem", "llamaindex_emomem")
    for stub in (ROOT / package).rglob("__init__.pyi")
)


def documented() -> list[str]:
    pages = [page.read_text(encoding="utf-8") for page in sorted(DOCS.glob("reference/*.md"))]
    return re.findall(r"^::: (\S+)$", "\n".join(pages), re.MULTILINE)


def public(stub: Path) -> dict[str, str]:
    """Each public name of a stub, and where it is defined as the stub has it."""
    package = ".".join(stub.parent.relative_to(ROOT).parts)
    body = ast.parse(stub.read_text(encoding="utf-8")).body
    origins = {
        alias.name: ".".join(part for part in (package, node.module, alias.name) if part)
        for node in body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    listed = next(node.value for node in body if isinstance(node, ast.Assign))
    return {f"{package}.{name}": origins[name] for name in ast.literal_eval(listed)}


ORIGINS = {name: origin for stub in STUBS for name, origin in public(stub).items()}


def test_every_public_name_is_in_the_reference() -> None:
    # What two packages show is there once, under either name.
    shown = {ORIGINS.get(name) for name in documented()}
    assert not [name for name, origin in ORIGINS.items() if origin not in shown]


def test_the_reference_names_nothing_twice_and_nothing_that_is_not_public() -> None:
    names = documented()
    assert not [name for name, times in Counter(names).items() if times > 1]
    assert set(names) <= ORIGINS.keys()


def test_the_site_leads_to_every_page() -> None:
    listed = re.findall(
        r"^ +- (?:\w+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE
    )
    pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert sorted(listed) == sorted(pages)

"""The page: one HTML file that loads nothing, with what it shows inside it as data."""

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

_ESCAPES: Final = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)
"""What may not stand in a script element, as JSON writes it in other words."""

_POLICY: Final = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; connect-src {connect}; "
    "base-uri 'none'; form-action 'none'"
)


def page(view: Mapping[str, Any] | None) -> str:
    """The page over a view, or over a server.

    Its policy lets no script run but its own and nothing load; every text is put into it as data,
    and from there into the document as text.

    Args:
        view: What it shows; None is the page that asks the server it came from.

    Returns:
        HTML.
    """
    style, script = _resource("page.css"), _resource("page.js")
    policy = _POLICY.format(
        script=_digest(script),
        style=_digest(style),
        connect="'self'" if view is None else "'none'",
    )
    parts = {"policy": policy, "style": style, "script": script, "data": embedded(view)}
    # In one pass, so that no text that is put in is taken for a place.
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], _resource("page.html"))


def embedded(data: Any) -> str:  # noqa: ANN401 - whatever JSON holds
    """Data as JSON that may stand in a script element, whatever texts are in it."""
    return json.dumps(data, allow_nan=False).translate(_ESCAPES)


def _resource(name: str) -> str:
    return files("emomem.inspection").joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"

"""The page: one HTML file that loads nothing, with what it shows inside it as data."""

import json
import re
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from emomem.pages import content_policy, page_part

_ESCAPES: Final = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)
"""What may not stand in a script element, as JSON writes it in other words."""

_part = partial(page_part, "emomem.inspection")


def page(view: Mapping[str, Any] | None) -> str:
    """The page over a view, or over a server.

    Its policy lets no script run but its own and nothing load; every text is put into it as data,
    and from there into the document as text.

    Args:
        view: What it shows; None is the page that asks the server it came from.

    Returns:
        HTML.
    """
    style, script = _part("page.css"), _part("page.js")
    policy = content_policy(style, script, connect="self" if view is None else "none")
    parts = {"policy": policy, "style": style, "script": script, "data": embedded(view)}
    # In one pass, so that no text that is put in is taken for a place.
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], _part("page.html"))


def embedded(data: Any) -> str:  # noqa: ANN401 - whatever JSON holds
    """Data as JSON that may stand in a script element, whatever texts are in it."""
    return json.dumps(data, allow_nan=False).translate(_ESCAPES)

"""What the pages share that are one file and load nothing."""

import hashlib
from base64 import b64encode
from importlib.resources import files
from typing import Literal


def page_part(package: str, name: str) -> str:
    """The text of a style, a script or a frame that lies in a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def content_policy(style: str, script: str, connect: Literal["none", "self"] = "none") -> str:
    """The content security policy of a page: nothing runs but its own, and nothing loads.

    Args:
        style: The text of its one style element.
        script: The text of its one script.
        connect: Whom its script may ask: nobody, or the server that the page came from.
    """
    return (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        f"connect-src '{connect}'; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"

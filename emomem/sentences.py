"""Where one sentence ends and the next begins."""

import re
from typing import Final

_END: Final = re.compile(
    r"(?<=[.!?。！？])(?<!\b[A-Z]\.)(?<!\b[DM][rs]\.)(?<!\bMrs\.)(?<!\bSt\.)\s+|(?<=[。！？])|\n+"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text by their marks, Chinese ones too; none of a blank text.

    Example:
        >>> sentences("Mr. Brown lied. I left!")
        ['Mr. Brown lied.', 'I left!']
    """
    return [part.strip() for part in _END.split(text) if part.strip()]

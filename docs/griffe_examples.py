"""Shows the doctests of an `Example:` section as code; griffe knows the plural alone."""

import re
from typing import Any, Final

import griffe

_SINGULAR: Final = re.compile(r"^Example:$", re.MULTILINE)


class ExampleSections(griffe.Extension):
    """Reads a docstring's `Example:` as `Examples:`."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rename the section, where there is one."""
        if obj.docstring is not None:
            obj.docstring.value = _SINGULAR.sub("Examples:", obj.docstring.value)

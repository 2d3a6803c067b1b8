"""The people of `training/people`: each before a conflict, with what they remember.

A file holds scenarios; each begins with a line `## id` and has one line for everything else:

    persona: TEXT              belief: TEXT              relation: NAME WEIGHT
    situation: TEXT            query: TEXT               KIND SALIENCE MEMORY

`KIND` is one letter of `KINDS`. The folders `zh` and `pt` hold those who write Chinese and
Portuguese. None of these people is measured by `emomem eval crr`.
"""

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

PEOPLE: Final = Path(__file__).parent / "people"

KINDS: Final = {
    "C": "critical: what the conflict is about, mostly in other words",
    "I": "intense, and sets nobody against anybody",
    "O": "another conflict, with other people or about another matter",
    "T": "mild, with the people and the words of the conflict",
    "M": "mild, about something else",
    "N": "any of these but the first",
}

HELD_OUT: Final = 10
"""About one in as many is never learned from, so that what is shipped can be measured."""

_FIELD: Final = re.compile(r"(persona|belief|relation|situation|query): (.+)")
_MEMORY: Final = re.compile(rf"([{''.join(KINDS)}]) (0\.\d+|1\.0+) (.+)")


@dataclass(frozen=True)
class Person:
    """Somebody before a conflict.

    Attributes:
        id: Unlike any other's.
        fields: What is said of them and the conflict: name and text, in the order of the file.
        memories: What they remember: the letter of its kind, its salience 0..1 and its text.
    """

    id: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    memories: list[tuple[str, float, str]] = field(default_factory=list)

    def of(self, name: str) -> list[str]:
        """What is said of them under a name: "persona", "belief", "situation" or "query"."""
        return [text for found, text in self.fields if found == name]

    @property
    def relations(self) -> dict[str, float]:
        """What others mean to them, -10..10 by name."""
        said = (text.rpartition(" ") for text in self.of("relation"))
        return {name: float(weight) for name, _, weight in said}

    @property
    def texts(self) -> list[str]:
        """The texts of their memories."""
        return [text for _, _, text in self.memories]

    @property
    def critical(self) -> NDArray[np.bool_]:
        """(n,) which of their memories are critical."""
        return np.array([kind == "C" for kind, _, _ in self.memories])


def people(folder: Path = PEOPLE) -> list[Person]:
    """Read everybody, in the order of the names of the files.

    Raises:
        ValueError: A line cannot be read; the message says where.
    """
    found: list[Person] = []
    for path in sorted(folder.glob("*.txt")):
        found += of_file(path)
    return found


def split(found: list[Person]) -> tuple[list[Person], list[Person]]:
    """Those to learn from, and those who are held out, which their ids decide."""
    parts: tuple[list[Person], list[Person]] = [], []
    for one in found:
        parts[zlib.crc32(one.id.encode()) % HELD_OUT == 0].append(one)
    return parts


def of_file(path: Path) -> Iterator[Person]:
    """Read the people of one file.

    Raises:
        ValueError: A line cannot be read; the message says where.
    """
    person: Person | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if line.startswith("## "):
            if person is not None:
                yield person
            person = Person(line[3:])
        elif person is not None and (said := _FIELD.fullmatch(line)):
            person.fields.append((said[1], said[2]))
        elif person is not None and (told := _MEMORY.fullmatch(line)):
            person.memories.append((told[1], float(told[2]), told[3]))
        elif line:
            msg = f"{path.name}:{number} is no line of a person: {line[:40]!r}"
            raise ValueError(msg)
    if person is not None:
        yield person

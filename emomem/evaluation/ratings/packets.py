"""Blinded packets: the same texts for every rater, in an order of their own, under blind names."""

import csv
import io
import json
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from emomem.checks import check_at_least_one
from emomem.evaluation.ratings.form import form_page
from emomem.evaluation.ratings.outputs import Output, language_of
from emomem.evaluation.ratings.scales import COLUMNS, SCALES, scales_text
from emomem.files import replace_file
from emomem.prompts import Language

KEY_FILE: Final = "key.json"
SCALES_FILE: Final = "scales.txt"
_LETTERS: Final = tuple("abcdefghjkmnpqrstuvwxyz")
"""Of the names of items: a spreadsheet would make numbers of digits, and of 66e123."""
_LENGTH: Final = 6
_SEED_BITS: Final = 32
_FORMULA: Final = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""What a spreadsheet takes for the beginning of a formula, in full width too."""


class Blinded(BaseModel):
    """What stands behind an item.

    Attributes:
        id: The output.
        arm: What made it.
        scenario: What it is about.
        seed: Which of the arm's texts about the scenario.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    arm: str
    scenario: str
    seed: int


class Key(BaseModel):
    """What the raters must not see before they are done.

    Attributes:
        study: A name of the study that tells nothing, which every packet carries.
        seed: Of the names and the orders.
        raters: The names of the raters.
        items: By item, what stands behind it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    study: str
    seed: int
    raters: Annotated[tuple[str, ...], Field(min_length=1)]
    items: Annotated[Mapping[str, Blinded], Field(min_length=1)]

    @property
    def arms(self) -> list[str]:
        """The arms, in the order in which they first stood in the outputs."""
        return list(dict.fromkeys(one.arm for one in self.items.values()))


class Packets(BaseModel):
    """What every rater gets.

    Attributes:
        key: What stands behind the items.
        outputs: By item.
        orders: By rater, the items in the order in which they are rated.
        language: Of scales and form.
    """

    model_config = ConfigDict(frozen=True)

    key: Key
    outputs: Mapping[str, Output]
    orders: Mapping[str, tuple[str, ...]]
    language: Language

    def write(self, out: Path) -> list[Path]:
        """Write a CSV file and a form for each rater, what the scales mean, and the key.

        Args:
            out: The folder; made where it is missing.

        Returns:
            The files, the key last.

        Raises:
            FileExistsError: There is a key of another study already, which may have ratings out.
        """
        out.mkdir(parents=True, exist_ok=True)
        last = out / KEY_FILE
        if last.exists():
            msg = f"{last} is there already, and ratings may be on their way: give another folder"
            raise FileExistsError(msg)
        files = {}
        for rater, order in self.orders.items():
            files[out / f"{rater}.csv"] = self.table(rater)
            shown = {item: self.outputs[item] for item in order}
            files[out / f"{rater}.html"] = form_page(rater, self.key.study, shown, self.language)
        files[out / SCALES_FILE] = scales_text(self.language)
        files[last] = json.dumps(self.key.model_dump(), indent=2, ensure_ascii=False) + "\n"
        for path, text in files.items():
            # With its mark a spreadsheet reads the CSV as UTF-8.
            mark = "\ufeff" if path.suffix == ".csv" else ""
            replace_file(path, f"{mark}{text}".encode("utf-8", "replace"))
        return list(files)

    def table(self, rater: str) -> str:
        """A rater's packet as CSV, its grades to be filled in."""
        text = io.StringIO()
        rows = csv.writer(text)
        rows.writerow([*COLUMNS, "person", "situation", "background", "text"])
        for item in self.orders[rater]:
            one = self.outputs[item]
            told = (one.person, one.situation, "\n".join(one.background), one.text)
            rows.writerow([rater, item, *[""] * len(SCALES), *map(_no_formula, told)])
        return text.getvalue()


def make_packets(
    outputs: Sequence[Output],
    raters: int,
    seed: int | None = None,
    language: Language | None = None,
) -> Packets:
    """Packets of all outputs for every rater.

    The texts about one scenario stay together, so that its story is read once; the scenarios and
    the texts about each come in an order of the rater's own.

    Args:
        outputs: What is to be rated.
        raters: How many rate, >= 1; they are R1, R2, …
        seed: Of the names and orders; None draws one, which the key tells.
        language: Of scales and form; None is that of the outputs.

    Raises:
        ValueError: There is no output, or no rater.
    """
    check_at_least_one(raters=raters)
    if not outputs:
        msg = "packets need at least 1 output, got 0"
        raise ValueError(msg)
    chosen = secrets.randbits(_SEED_BITS) if seed is None else seed
    rng = np.random.default_rng(chosen)
    codes: dict[str, Output] = {}
    for output in outputs:
        while (code := _code(rng)) in codes:
            pass
        codes[code] = output
    # By their names: the order of the outputs, in which the arms stand, must not show in the key.
    codes = dict(sorted(codes.items()))
    names = [f"R{number}" for number in range(1, raters + 1)]
    orders = {name: _shuffled(codes, rng) for name in names}
    arms = list(dict.fromkeys(one.arm for one in outputs))
    items = {
        code: Blinded(id=one.id, arm=one.arm, scenario=one.scenario, seed=one.seed)
        for code, one in sorted(codes.items(), key=lambda item: arms.index(item[1].arm))
    }
    key = Key(study=_code(rng), seed=chosen, raters=tuple(names), items=items)
    return Packets(key=key, outputs=codes, orders=orders, language=language or language_of(outputs))


def read_key(path: Path) -> Key:
    """The key of a study.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is no key.
    """
    try:
        return Key.model_validate_json(path.read_text(encoding="utf-8"))
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        msg = f"{path} is no key of `emomem ratings make`: {fault['msg']}"
        raise ValueError(msg) from None


def _code(rng: np.random.Generator) -> str:
    return "".join(rng.choice(_LETTERS, _LENGTH))


def _shuffled(codes: Mapping[str, Output], rng: np.random.Generator) -> tuple[str, ...]:
    scenarios = sorted({one.scenario for one in codes.values()})
    order: list[str] = []
    for place in rng.permutation(len(scenarios)):
        own = [code for code, one in codes.items() if one.scenario == scenarios[place]]
        order += [own[other] for other in rng.permutation(len(own))]
    return tuple(order)


def _no_formula(text: str) -> str:
    """The text so that a spreadsheet does not run it."""
    return f"'{text}" if text.startswith(_FORMULA) else text

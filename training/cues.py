"""What should ask for feelings, and how much it matters whom a memory names.

    python -m training.cues    # twenty minutes on two cores

prints, over everybody of `training/people`, the share of the critical memories that are among the
nearest 30 to each cue: of the person's own 36, and of those and the memories of eight others. Then,
over the people who are held out, the share that is recalled with the last cue, by the weight of
relations.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np

from emomem.affect import AffectArray
from emomem.appraisal.conflict import ConflictAppraiser
from emomem.encoder import LocalEncoder
from emomem.evaluation.suites.crr import AFFECTIVE, PREFETCH, nearest
from emomem.memory.cueing import cues
from emomem.mixing import mixed, query_parts
from emomem.relations import related_salience, relation_strengths
from emomem.signals import cosines
from training.people import people, split

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from training.people import Person

    Shares = Mapping[str, Sequence[tuple[float, float]]]

OTHERS: Final = 8
WEIGHTS: Final = (0.0, 0.5, 1.0, 2.0)


def asked(person: Person) -> dict[str, list[str]]:
    """The texts of each cue, which are mixed; the last is what an agent asks with."""
    [query], [situation], beliefs = person.of("query"), person.of("situation"), person.of("belief")
    persona, both = " ".join(person.of("persona")), query_parts(query, [situation])
    return {
        "query": [query],
        "and situation": both,
        "and beliefs": [*both, *beliefs],
        "and persona": [*both, *cues(persona, beliefs)],
        "and names": [*both, *cues(persona, beliefs, list(person.relations))],
        "and each sentence": [*both, *cues(persona, beliefs, list(person.relations), situation)],
    }


def banks(count: int) -> Iterator[list[int]]:
    """The place of each of some people, and those of others in whose midst they are."""
    rng = np.random.default_rng(0)
    for place in range(count):
        others = [other for other in rng.permutation(count).tolist() if other != place]
        yield [place, *others[:OTHERS]]


def share(rows: NDArray[np.intp], critical: NDArray[np.bool_]) -> float:
    """The share of the critical memories that are among some rows; the person's own come first."""
    return float(critical[rows[rows < len(critical)]].sum() / critical.sum())


def near(told: Sequence[Person], encoder: LocalEncoder) -> Shares:
    """How many critical memories each cue brings near."""
    vectors = [encoder.embed(person.texts).astype(float) for person in told]
    found = defaultdict(list)
    for person, bank in zip(told, banks(len(told)), strict=True):
        among = np.concatenate([vectors[place] for place in bank])
        for name, texts in asked(person).items():
            cue = mixed([*encoder.embed(texts).astype(float)])
            own, banked = (
                share(nearest(cosines(cue, some), PREFETCH), person.critical)
                for some in (among[: len(person.memories)], among)
            )
            found[name].append((own, banked))
    return found


def recalled(told: Sequence[Person], encoder: LocalEncoder) -> Shares:
    """How many critical memories are recalled, by how much it matters whom a memory names."""
    appraiser = ConflictAppraiser(encoder=encoder)
    felt = [AffectArray.from_affects(appraiser.appraise(one.texts)).salience for one in told]
    vectors = [encoder.embed(person.texts).astype(float) for person in told]
    found = defaultdict(list)
    for person, bank in zip(told, banks(len(told)), strict=True):
        among = np.concatenate([vectors[place] for place in bank])
        *_, texts = asked(person).values()
        near_by = cosines(mixed([*encoder.embed(texts).astype(float)]), among)
        strengths = relation_strengths(
            [text for place in bank for text in told[place].texts], person.relations
        )
        for weight in WEIGHTS:
            plain = np.concatenate([felt[place] for place in bank])
            salient = related_salience(plain, weight * strengths)
            shares = []
            for some in (slice(len(person.memories)), slice(None)):
                rows = nearest(near_by[some], PREFETCH)
                shares.append(share(rows[nearest(salient[rows], AFFECTIVE)], person.critical))
            found[f"relations weigh {weight}"].append((shares[0], shares[1]))
    return found


def show(what: str, found: Shares) -> None:
    """Print a table of shares."""
    print(f"{what:48} own, in a bank")  # noqa: T201
    for name, shares in found.items():
        own, banked = np.mean(shares, axis=0)
        print(f"{name:48} {own:.3f} {banked:.3f}")  # noqa: T201


def main() -> None:
    """Print the tables."""
    encoder, everybody = LocalEncoder(), people()
    _, unseen = split(everybody)
    show(f"{len(everybody)} people, among the nearest {PREFETCH}", near(everybody, encoder))
    show(f"{len(unseen)} held out, recalled", recalled(unseen, encoder))


if __name__ == "__main__":
    main()

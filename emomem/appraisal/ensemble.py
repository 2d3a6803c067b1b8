"""Several appraisers that vote."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from emomem.affect import Affect, FloatArray
from emomem.appraisal.base import (
    BaseAppraiser,
    aappraise_safely,
    appraise_safely,
    check_appraiser,
    load_appraiser,
    source_of,
)
from emomem.appraisal.fusion import NUMBERS, affinities, joined_sources, mixture
from emomem.emotions import GOEMOTIONS, UNKNOWN, is_known_label, projection
from emomem.protocols import Appraiser


class EnsembleAppraiser(BaseAppraiser):
    """The vote of several appraisers, or of several calls of one.

    - The label is the one with the most votes; spellings of one emotion (happiness, joy) vote
      together. A tie goes to the label that is more probable in the mixture, then to the member
      that stands first.
    - Each number is the median of those that the members know.
    - The distribution is the mean of the members' own (their mixture).
    - Confidence is their agreement: the mean support for the result, where a member that names
      a label supports it by 1 if it is the winning one and else by 0, and one that names none
      by the affinity of its numbers to the result (`emomem.signals.affinity`). A lone voter has
      nothing to agree with and keeps its own confidence.

    A member that raises while it reads, or whose reading is unknown, has no vote; where none
    has one, the text is unknown. A model that cannot be loaded at all raises, as everywhere.
    In async, members run at the same time.

    Args:
        appraisers: One or more; one that is listed several times is asked several times, which
            is how a chat model votes with itself.

    Raises:
        TypeError: A member is no appraiser, or there is no list of them.
        ValueError: There are none.

    Example:
        >>> from emomem import LexiconAppraiser, LocalAppraiser
        >>> ensemble = EnsembleAppraiser([LocalAppraiser(), LexiconAppraiser()])
        >>> ensemble.appraise(["I am so happy today!"])[0].label
        'joy'
    """

    def __init__(self, appraisers: Sequence[Appraiser]) -> None:
        if not isinstance(appraisers, Iterable):
            msg = f"appraisers must be a list of them, got one {type(appraisers).__name__}"
            raise TypeError(msg)
        self.members = tuple(appraisers)
        if not self.members:
            msg = "appraisers must hold at least one"
            raise ValueError(msg)
        for member in self.members:
            check_appraiser(member)

    @property
    def source(self) -> str:
        """Who votes."""
        return f"ensemble:{'+'.join(map(source_of, self.members))}"

    def load(self) -> None:
        """Load the members' models now rather than on first use."""
        for member in self.members:
            load_appraiser(member)

    def _read(self, texts: Sequence[str]) -> list[Affect]:
        return _votes([appraise_safely(member, texts) for member in self.members])

    async def _aread(self, texts: Sequence[str]) -> list[Affect]:
        members = (aappraise_safely(member, texts) for member in self.members)
        return _votes(await asyncio.gather(*members))


def _votes(readings: Sequence[Sequence[Affect]]) -> list[Affect]:
    """The vote on each text, of readings that come member by member."""
    return [
        _vote([affect for affect in of_text if not affect.is_unknown])
        for of_text in zip(*readings, strict=True)
    ]


def _vote(voters: Sequence[Affect]) -> Affect:
    source = joined_sources("ensemble", voters)
    if not voters:
        return Affect.unknown(source=source)
    emotions = mixture(voters, np.ones(len(voters)))
    labels = [_ballot(affect.label) for affect in voters]
    result = Affect(
        **{name: _median([getattr(affect, name) for affect in voters]) for name in NUMBERS},
        emotions=None if emotions is None else tuple(emotions.tolist()),
        label=_winner(labels, emotions),
        source=source,
    )
    if len(voters) == 1:
        confidence = voters[0].confidence
    else:
        near = affinities(voters, result)
        support = [
            affine if label is None else float(label == result.label)
            for label, affine in zip(labels, near, strict=True)
        ]
        confidence = float(np.mean(support))
    return result.model_copy(update={"confidence": confidence})


def _ballot(label: str | None) -> str | None:
    """A label as it is counted: where it is another word for a canonical one, that one."""
    if label is None or label == UNKNOWN:
        return None
    if is_known_label(label):
        meaning = projection([label])[0]
        if meaning.max() == 1:
            return GOEMOTIONS[int(np.argmax(meaning))]
    return label.strip().lower()


def _winner(labels: Sequence[str | None], emotions: FloatArray | None) -> str | None:
    counts = Counter(label for label in labels if label is not None)

    def strength(label: str) -> tuple[int, float]:
        known = emotions is not None and is_known_label(label)
        return counts[label], float(projection([label])[0] @ emotions) if known else 0.0

    return max(counts, key=strength, default=None)


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.median(known)) if known else None

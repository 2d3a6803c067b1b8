"""What a chat model is asked about the affect of a text, and the affect that it stands for."""

from abc import abstractmethod
from types import MappingProxyType
from typing import Annotated, Final, Literal

import numpy as np
from pydantic import AfterValidator, Field

from emomem.affect import Affect, FloatArray
from emomem.appraisal.labels import ModelLabels
from emomem.asking import NOT_BOOL, Reply
from emomem.emotions import GOEMOTIONS, PLUTCHIK, is_known_label
from emomem.scales import AROUSAL_1_3, CONFLICT_4, PLUTCHIK_10, VALENCE_2

PromptKind = Literal["vad", "plutchik", "conflict"]

# Each bound keeps a model that is held to the schema from rambling.
_Name = Annotated[str, Field(json_schema_extra={"maxLength": 60})]
_Names = Annotated[tuple[_Name, ...], Field(json_schema_extra={"maxItems": 5})]
_Reason = Annotated[str, Field(json_schema_extra={"maxLength": 120})]

_PLUTCHIK_LABELS: Final = ModelLabels.of(PLUTCHIK)


class AffectReply(Reply):
    """An answer that an affect can be read from."""

    @abstractmethod
    def affect(self, source: str) -> Affect:
        """The affect that the answer stands for, marked with its source."""


def _known(label: str) -> str:
    if not is_known_label(label):
        msg = f"must be one of {', '.join(GOEMOTIONS)}"
        raise ValueError(msg)
    return label.strip().lower()


class VadReply(AffectReply):
    """Valence, arousal and the one emotion that fits best."""

    valence: Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False), NOT_BOOL]
    arousal: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False), NOT_BOOL]
    label: Annotated[
        str, AfterValidator(_known), Field(json_schema_extra={"enum": list(GOEMOTIONS)})
    ]

    def affect(self, source: str) -> Affect:
        """Both numbers, the label, and its distribution."""
        return Affect(valence=self.valence, arousal=self.arousal, label=self.label, source=source)


class Rating(Reply):
    """How strongly one emotion is present, 1 to 10, and why."""

    reason: _Reason = ""
    score: Annotated[
        float,
        Field(ge=1, le=10, allow_inf_nan=False, json_schema_extra={"type": "integer"}),
        NOT_BOOL,
    ]


class PlutchikReply(AffectReply):
    """A rating of each of Plutchik's eight emotions."""

    joy: Rating
    trust: Rating
    fear: Rating
    surprise: Rating
    sadness: Rating
    disgust: Rating
    anger: Rating
    anticipation: Rating

    @property
    def scores(self) -> FloatArray:
        """(8,) the scores 1..10, in the order of `PLUTCHIK`."""
        return np.array([getattr(self, emotion).score for emotion in PLUTCHIK], dtype=float)

    def affect(self, source: str) -> Affect:
        """A distribution; what the eight leave of 1 is neutral. The model tells no confidence."""
        affect = _PLUTCHIK_LABELS.affect(PLUTCHIK_10(self.scores), source)
        return affect.model_copy(update={"confidence": None})


class ConflictReply(AffectReply):
    """Valence, arousal and conflict, with what is in conflict and why."""

    goals: _Names = ()
    parties: _Names = ()
    reason: _Reason = ""
    valence: Annotated[float, Field(ge=-2, le=2, allow_inf_nan=False), NOT_BOOL]
    arousal: Annotated[float, Field(ge=1, le=3, allow_inf_nan=False), NOT_BOOL]
    conflict: Annotated[float, Field(ge=0, le=4, allow_inf_nan=False), NOT_BOOL]

    def affect(self, source: str) -> Affect:
        """The three numbers on our scales; no label."""
        return Affect(
            valence=VALENCE_2(self.valence),
            arousal=AROUSAL_1_3(self.arousal),
            conflict=CONFLICT_4(self.conflict),
            source=source,
        )


REPLIES: Final = MappingProxyType[PromptKind, type[AffectReply]](
    {"vad": VadReply, "plutchik": PlutchikReply, "conflict": ConflictReply}
)

"""What is to be saved: a text, and what is known of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

from emomem.affect import Affect
from emomem.appraisal.doubt import whose_feeling
from emomem.memory.arguments import check_metadata
from emomem.memory.marking import strip_recalled
from emomem.memory.questions import is_question
from emomem.memory.unit import NEVER, MemoryUnit, Scalar


class Details(TypedDict, total=False):
    """What may be said of a text that is saved; see `Said`."""

    speaker: str | None
    experiencer: str | None
    session_id: str | None
    reading: str | None
    affect: Affect | None
    created_at: float | None
    expires_at: float | None
    metadata: Mapping[str, Scalar]


@dataclass(frozen=True)
class Said:
    """What is to be saved; None leaves it to the memory.

    Attributes:
        text: What was said.
        user_id: Whose memory it is to be.
        speaker: Who said it; the user.
        experiencer: Who feels it; where its wording tells of another's feeling alone ("Sam was
            upset"), that other, else the speaker.
        session_id: The conversation.
        reading: The affective reading in words; the same text.
        affect: How it feels; what the appraiser reads.
        created_at: When it was said, in seconds since 1970; now, which a time to come counts as.
        expires_at: When it ends by itself; never. What it took the place of then counts again.
        metadata: The caller's own values, flat: str, bool, finite float, int of at most 64 bits.
            `{"promotional": True}` marks what promotes something (`emomem.safety`).

    Raises:
        TypeError: The reading is no str, or metadata are no mapping.
        ValueError: The text is blank, or metadata have a key or a value that an engine refuses.
    """

    text: str = field(repr=False)
    user_id: str
    speaker: str | None = None
    experiencer: str | None = None
    session_id: str | None = None
    reading: str | None = field(default=None, repr=False)
    affect: Affect | None = None
    created_at: float | None = None
    expires_at: float | None = None
    metadata: Mapping[str, Scalar] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Check what no unit checks, before an engine is asked."""
        if not self.text.strip():
            msg = "a text that is saved must not be blank"
            raise ValueError(msg)
        check_metadata(self.metadata)
        if not isinstance(self.reading, str | None):
            msg = f"reading must be a str or None, got {type(self.reading).__name__}"
            raise TypeError(msg)

    def _of_another(self) -> str | None:
        """Who else feels what the text tells of; the user's own name is nobody else."""
        who = whose_feeling(self.text)
        own = (self.user_id.casefold(), "the user", "user")
        return None if who is None or who.casefold() in own else who

    def unit(self, now: float, affect: Affect) -> MemoryUnit:
        """The fact, or the question, without an id yet."""
        speaker = self.user_id if self.speaker is None else _plain(self.speaker)
        experiencer = self.experiencer
        if experiencer is None:
            experiencer = self._of_another() or speaker
        unit = MemoryUnit(
            kind="question" if is_question(self.text) else "fact",
            text=self.text,
            user_id=self.user_id,
            speaker=speaker,
            experiencer=_plain(experiencer),
            session_id=_plain(self.session_id),
            affect=affect,
            created_at=now if self.created_at is None else self.created_at,
            expires_at=NEVER if self.expires_at is None else self.expires_at,
            metadata={key: _plain(value) for key, value in dict(self.metadata).items()},
        )
        if unit.created_at <= now:
            return unit
        return unit.model_copy(update={"created_at": now, "last_at": now})


def storable(text: str) -> str:
    """A text without what recall put into it, and without what an engine cannot keep.

    Raises:
        TypeError: It is no str.
        ValueError: Nothing is left of a text that was not blank.
    """
    if not isinstance(text, str):
        msg = f"a text must be a str, got {type(text).__name__}"
        raise TypeError(msg)
    # What an engine cannot keep goes first: it may hide a mark.
    left = strip_recalled(_plain(text))
    if text.strip() and not left.strip():
        msg = "nothing is left of the text without what was recalled into it and without NUL"
        raise ValueError(msg)
    return left


def is_storable(text: str) -> bool:
    """Whether anything of a text would be kept."""
    try:
        return bool(storable(text).strip())
    except ValueError:
        return False  # it is only what was recalled


def _plain(value: Any) -> Any:  # noqa: ANN401 - what is no str is as it was
    """A str without what an engine cannot keep."""
    if not isinstance(value, str):
        return value
    return value.replace("\0", "").encode("utf-8", "replace").decode()

"""Who is played, where, and what the model is told."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from emomem.affect import Affect
from emomem.checks import check_texts, stripped
from emomem.prompts import Language
from emomem.prompts.questions import memory_block, role_play_messages
from emomem.protocols import ChatMessage

_LIST: Final = {"en": ", ", "pt": ", ", "zh": "、"}
COLON: Final = {"en": ": ", "pt": ": ", "zh": "："}
"""What stands between a name and what is said of it."""


_Text = Annotated[str, AfterValidator(stripped)]


class Scene(BaseModel):
    """Where the conversation takes place, and how the character is at it.

    Attributes:
        place: For example "a coffee shop, in the afternoon".
        status: For example "Rosa talks openly with a visitor whom she trusts".
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    place: _Text
    status: _Text


class Character(BaseModel):
    """A character to play.

    Attributes:
        name: As the others call it.
        profile: What it is like: a text, or facts by name, which may be nested.
        language: That of the prompt: "en", "zh" or "pt".

    Raises:
        pydantic.ValidationError: An argument is wrong. (It is a ValueError.)

    Example:
        >>> profile = {"work": "keeps the lighthouse", "likes": ["tea"]}
        >>> rosa = Character(name="Rosa", profile=profile)
        >>> print(rosa.facts)
        work: keeps the lighthouse
        likes: tea
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: _Text
    profile: str | Mapping[str, Any] = Field(default="", repr=False)
    language: Language = "en"

    @property
    def facts(self) -> str:
        """The profile as a text, one fact a line."""
        if isinstance(self.profile, str):
            return self.profile.strip()
        colon = COLON[self.language]
        return "\n".join(f"{key}{colon}{self._said(one)}" for key, one in self.profile.items())

    def _said(self, value: object) -> str:
        if isinstance(value, Mapping):
            colon = COLON[self.language]
            value = [f"{key}{colon}{self._said(one)}" for key, one in value.items()]
        if isinstance(value, Sequence) and not isinstance(value, str):
            return _LIST[self.language].join(map(self._said, value))
        return str(value)

    def messages(
        self,
        question: str,
        memories: Sequence[str] = (),
        affects: Sequence[Affect] | None = None,
        scene: Scene | None = None,
    ) -> list[ChatMessage]:
        """What a chat model is asked, so that it answers as the character.

        Args:
            question: What is said to the character.
            memories: What it recalls, best first.
            affects: How each memory felt; None where that is not told.
            scene: Where this takes place.

        Raises:
            TypeError: `memories` is no list of texts.
            ValueError: There is not one affect a memory.
        """
        check_texts(memories, "a character")
        return role_play_messages(
            self.name,
            self.facts,
            memory_block(memories, affects),
            question,
            place=None if scene is None else scene.place,
            status=None if scene is None else scene.status,
            language=self.language,
        )


def asked(given: str | Mapping[str, str]) -> tuple[str, Scene | None]:
    """A question and its scene, as an application gives them.

    Args:
        given: The question, or a mapping with the key `question` and, both or neither, `place`
            and `status`.

    Raises:
        TypeError: It is neither, or the question is no text.
        ValueError: The question is blank; or the mapping has other keys, no question, or one of
            place and status alone.
    """
    if isinstance(given, str):
        given = {"question": given}
    if not isinstance(given, Mapping):
        msg = f"a question must be a str or a mapping, got {type(given).__name__}"
        raise TypeError(msg)
    keys = set(given)
    if keys not in ({"question"}, {"question", "place", "status"}):
        msg = (
            "give question, or question, place and status; got "
            f"{', '.join(sorted(map(str, keys))) or 'nothing'}"
        )
        raise ValueError(msg)
    question = given["question"]
    if not isinstance(question, str):
        msg = f"question must be a str, got {type(question).__name__}"
        raise TypeError(msg)
    if not question.strip():
        msg = "question must not be blank"
        raise ValueError(msg)
    if len(keys) == 1:
        return question, None
    return question, Scene(place=given["place"], status=given["status"])

"""What components with an appraiser share: how they are written as data and made of it."""

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Final, Self, TypeVar

from llama_index.core.ingestion.pipeline import remove_unstable_values
from llama_index.core.prompts.mixin import PromptMixin
from llama_index.core.schema import BaseComponent, BaseNode
from pydantic import BeforeValidator, ConfigDict, Field, PlainSerializer, computed_field

from emomem.affect import Affect
from emomem.appraisal.base import BaseAppraiser, check_appraiser, digest_of, source_of
from emomem.appraisal.default import default_appraiser
from emomem.metadata import MetadataFields
from emomem.protocols import Appraiser
from emomem.ranking import Policy, PresentAffect, Strategy, resolve_policy, resolve_strategy
from emomem.scales import Scale

Part = TypeVar("Part", Strategy, Policy)

_SECRETS: Final = ("key", "key_id", "_token", "secret", "password")
"""How fields end that hold what lets in, and not how a model answers."""


class WithAppraiser(BaseComponent):
    """A component that reads affect.

    The appraiser itself is never written as data, which may hold a key: `model` names it and its
    version, so that what depends on the data (the key of the ingestion cache) changes with it.
    """

    model_config = ConfigDict(
        arbitrary_types_allowed=True, extra="forbid", hide_input_in_errors=True
    )

    appraiser: Appraiser | None = Field(default=None, exclude=True, repr=False)

    @computed_field  # type: ignore[prop-decorator]  # as pydantic has it
    @property
    def model(self) -> str:
        """What reads affect, and its version; with a digest of its prompts where it has some."""
        reader = self._reader()
        return "" if reader is None else model_of(reader)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], **kwargs: Any) -> Self:
        """A component from what `to_dict` gave.

        The appraiser is not in it and has to be given again, as has a model or an LLM.

        Raises:
            ValueError: The appraiser is not the one that the data name.
        """
        given = {**data, **kwargs}
        model = given.get("model")
        made: Self = super().from_dict(
            {key: one for key, one in given.items() if key not in cls.model_computed_fields}
        )
        if model is not None and made.model != model:
            msg = (
                f"{cls.class_name()} was written with the appraiser {model!r}, got "
                f"{made.model!r}; give it: from_dict(data, appraiser=...)"
            )
            raise ValueError(msg)
        return made

    def __setattr__(self, name: str, value: Any) -> None:  # noqa: ANN401 - pydantic checks it
        """Set a field; one that is refused leaves the component as it was."""
        before = dict(self.__dict__)
        try:
            super().__setattr__(name, value)
        except Exception:
            # Pydantic sets the field before the component checks it.
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def __getstate__(self) -> dict[str, Any]:
        """What is sent to another process.

        Raises:
            TypeError: The appraiser or the mood cannot be sent; the component would read with
                another there.
        """
        for part in (self.appraiser, getattr(self, "affect", None)):
            try:
                pickle.dumps(part)
            except Exception as error:
                msg = f"{type(part).__name__} cannot be sent to another process"
                raise TypeError(msg) from error
        # Of a copy: LlamaIndex takes what cannot be sent from the component itself.
        state: dict[str, Any] = super(WithAppraiser, self.model_copy()).__getstate__()
        return state

    def _reader(self) -> Appraiser | None:
        """What reads affect; the embedded model where none was given."""
        if self.appraiser is None:
            return default_appraiser()
        check_appraiser(self.appraiser)
        return self.appraiser


def model_of(appraiser: Appraiser) -> str:
    """The name of an appraiser and its version, and a digest of each prompt that it asks with."""
    return source_of(appraiser) + "".join(_prompts(appraiser))


def _prompts(appraiser: Appraiser) -> Iterator[str]:
    if isinstance(appraiser, PromptMixin):
        told = {key: prompt.get_template() for key, prompt in appraiser.get_prompts().items()}
        yield f"#{digest_of(told)}"
    for member in appraiser.members if isinstance(appraiser, BaseAppraiser) else ():
        yield from _prompts(member)


def settings_of(part: BaseComponent) -> str:
    """A digest of a model's settings, which changes with each of them but not with its keys."""
    told = {key: one for key, one in part.to_dict().items() if not key.endswith(_SECRETS)}
    return digest_of(remove_unstable_values(repr(told)))


def excluded(node: BaseNode, keys: Sequence[str]) -> dict[str, list[str]]:
    """What keeps metadata out of the text that is embedded and prompted, for a copy of a node."""
    names = ("excluded_embed_metadata_keys", "excluded_llm_metadata_keys")
    return {name: list(dict.fromkeys([*getattr(node, name), *keys])) for name in names}


def written_part(part: str | Strategy | Policy) -> str | dict[str, Any]:
    """A strategy or a policy as data."""
    if isinstance(part, str):
        return part
    options = asdict(part)  # type: ignore[call-overload]  # each is a dataclass
    native = {key: float(one) if isinstance(one, float) else one for key, one in options.items()}
    return {"name": part.name, **native}


def part_reader(resolve: Callable[[str], Part]) -> Callable[[Any], Any]:
    """What makes a strategy or a policy of the data that `written_part` gave."""

    def read(value: Any) -> Any:  # noqa: ANN401 - pydantic refuses the rest
        if not isinstance(value, Mapping):
            return value
        options = dict(value)
        kind = type(resolve(options.pop("name", "")))
        try:
            return kind(**options)
        except TypeError as error:
            msg = f"these are no options of {kind.__name__}: {', '.join(map(str, options))}"
            raise ValueError(msg) from error

    return read


def written_affect(affect: PresentAffect | None) -> Any:  # noqa: ANN401 - JSON
    """An affect as data.

    Raises:
        ValueError: It is a callable (a mood), which is code.
    """
    if isinstance(affect, Affect):
        return affect.model_dump(mode="json", exclude_none=True)
    if callable(affect):
        msg = "an affect that is a callable is code and cannot be written as data; give its value"
        raise ValueError(msg)  # noqa: TRY004 - as for the code of fields
    return affect


def _written_fields(fields: MetadataFields) -> dict[str, Any]:
    scales = {
        name: [scale.name, list(scale.source), list(scale.target)]
        for name, scale in fields.scales.items()
        if isinstance(scale, Scale)
    }
    if own := sorted(fields.scales.keys() - scales.keys()):
        msg = f"the scale of {', '.join(own)} is code of your own and cannot be written as data"
        raise ValueError(msg)
    return {**fields.model_dump(mode="json", exclude={"scales"}), "scales": scales}


def _read_fields(value: Any) -> Any:  # noqa: ANN401 - pydantic refuses the rest
    if not isinstance(value, Mapping) or not isinstance(value.get("scales"), Mapping):
        return value
    scales = {
        name: Scale(scale[0], *map(tuple, scale[1:])) if isinstance(scale, list) else scale
        for name, scale in value["scales"].items()
    }
    return {**value, "scales": scales}


StrategyField = Annotated[
    str | Strategy, BeforeValidator(part_reader(resolve_strategy)), PlainSerializer(written_part)
]
PolicyField = Annotated[
    str | Policy, BeforeValidator(part_reader(resolve_policy)), PlainSerializer(written_part)
]
AffectField = Annotated[PresentAffect | None, PlainSerializer(written_affect)]
Fields = Annotated[MetadataFields, BeforeValidator(_read_fields), PlainSerializer(_written_fields)]

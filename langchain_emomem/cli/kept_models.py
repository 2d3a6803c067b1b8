"""Chat models of options whose answers are kept, and whether a judge is of another vendor."""

from typing import TYPE_CHECKING, Any

from langchain_emomem.cli.chat_models import open_chat_model, vendor
from langchain_emomem.cli.errors import UsageError

if TYPE_CHECKING:
    from emomem.evaluation.answers import Answers, KeptChatModel


def open_kept(
    option: str, name: str, answers: "Answers", temperature: float, **settings: Any
) -> "tuple[KeptChatModel, str]":
    """The model of an option, whose answers are kept, and its vendor.

    Args:
        option: What asks for it.
        name: As the user gave it.
        answers: Where its answers are kept.
        temperature: At which it is asked.
        **settings: How it is set up beside that.

    Raises:
        CommandError: It cannot be made.
    """
    from emomem.evaluation.answers import KeptChatModel  # noqa: PLC0415 - only when run
    from langchain_emomem.deep_encoder import TellingChatModel  # noqa: PLC0415 - the same

    chat = open_chat_model(option, name, temperature=temperature, **settings)
    told = f"{name} at temperature {temperature:g}"
    return KeptChatModel(TellingChatModel(chat), told, answers), vendor(name, chat)


def open_both(
    generator: str | None,
    judge: str | None,
    answers: "Answers",
    force: bool,
    temperature: float = 0.0,
    **settings: Any,
) -> "tuple[dict[str, KeptChatModel], bool]":
    """The models by role, and whether they are of one vendor all the same.

    Args:
        generator: As the user gave it; None for none.
        judge: The same; it is asked at temperature 0.
        answers: Where the answers are kept.
        force: Whether the user allows one vendor.
        temperature: At which the generator is asked.
        **settings: How both are set up beside that.

    Raises:
        CommandError: They are of one vendor, or one cannot be made.
    """
    models, vendors = {}, []
    if generator is not None:
        models["generator"], own = open_kept(
            "--generator", generator, answers, temperature, **settings
        )
        vendors.append(own)
    judging, forced = open_judge(judge, answers, vendors, force, **settings)
    return models if judging is None else {**models, "judge": judging}, forced


def open_judge(
    name: str | None, answers: "Answers", generators: list[str], force: bool, **settings: Any
) -> "tuple[KeptChatModel | None, bool]":
    """The judge, asked at temperature 0, and whether it is of a generator's vendor all the same.

    Args:
        name: As the user gave it; None for none.
        answers: Where its answers are kept.
        generators: The vendors of the generators.
        force: Whether the user allows one of theirs.
        **settings: How it is set up beside that.

    Raises:
        CommandError: It is of one of theirs, or cannot be made.
    """
    if name is None:
        return None, False
    judging, own = open_kept("--judge", name, answers, 0.0, **settings)
    return judging, same_vendor(generators, own, force)


def same_vendor(generators: list[str], judge: str, force: bool) -> bool:
    """Whether the judge is of a generator's vendor, which has to be forced.

    Args:
        generators: The vendors of the generators.
        judge: That of the judge.
        force: Whether the user allows it.

    Raises:
        UsageError: It is, and the user does not.
    """
    if judge not in generators:
        return False
    if not force:
        msg = (
            f"generator and judge are both of {judge}, and models prefer their own kind; give "
            "a --judge of another vendor, or --force"
        )
        raise UsageError(msg)
    return True

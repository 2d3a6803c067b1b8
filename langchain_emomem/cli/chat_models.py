"""The chat model of an option: by its name for LangChain, or by its server's address."""

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from langchain_emomem.cli.errors import CommandError, UsageError, first_line

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

CHAT_METAVAR: Final = "NAME|URL"
CHAT_HELP: Final = (
    "a name of LangChain's init_chat_model, or the address of a server that speaks OpenAI's "
    "protocol"
)

_SCHEMES: Final = ("http://", "https://")
_SAME: Final = {
    "azure": "openai",
    "azure_openai": "openai",
    "azure_ai": "openai",
    "google_anthropic_vertex": "anthropic",
    "google_genai": "google",
    "google_vertexai": "google",
}
"""Providers of the models of another vendor, or of one under two names."""


def open_chat_model(option: str, name: str, **settings: Any) -> "BaseChatModel":
    """The chat model of that name, or at that address.

    Args:
        option: What asks for it.
        name: As the user gave it.
        settings: How it is set up, beside that.

    Raises:
        UsageError: The name is blank.
        CommandError: It cannot be made.
    """
    if not name.strip():  # of which langchain makes a model that is yet to be chosen
        msg = f"{option} must be {CHAT_HELP}; got none"
        raise UsageError(msg)
    try:
        from langchain.chat_models import init_chat_model  # noqa: PLC0415 - only with a model
    except ImportError:
        msg = f"{option} needs langchain, which is not installed: pip install 'emomem[agents]'"
        raise CommandError(msg) from None
    try:
        if name.startswith(_SCHEMES):
            settings |= {"base_url": name, "api_key": "none"}
        model: BaseChatModel = init_chat_model(
            "openai:local" if name.startswith(_SCHEMES) else name, **settings
        )
    except Exception as error:  # noqa: BLE001 - a model fails to load in many ways
        msg = f"{option} {name}: {first_line(error)}"
        raise CommandError(msg) from None
    return model


def vendor(name: str, model: "BaseChatModel") -> str:
    """Whose the model is: the server of an address, or else the provider.

    Args:
        name: As the user gave it.
        model: What it stands for.
    """
    if name.startswith(_SCHEMES):
        return urlsplit(name).netloc.lower()
    told = model._get_ls_params().get("ls_provider")  # noqa: SLF001 - a hook
    provider = name.split(":", 1)[0] if ":" in name else str(told)
    return _SAME.get(provider, provider)

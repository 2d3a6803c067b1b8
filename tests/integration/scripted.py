"""A chat model of fixed words in the place of those that the options of a command name."""

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from langchain_emomem.cli import kept_models


class ScriptedChatModel(BaseChatModel):
    """Says what its `answer` makes of the messages; `stop_after` so many calls it fails."""

    stop_after: int = 10_000
    asked: list[str]

    @property
    def _llm_type(self):
        return "scripted"

    def answer(self, messages, options) -> str | AIMessage:
        raise NotImplementedError

    def _generate(self, messages, stop=None, run_manager=None, **options):
        question = messages[-1].content
        self.asked.append(question)
        if len(self.asked) > self.stop_after:
            raise TimeoutError(question)
        said = self.answer(messages, options)
        message = said if isinstance(said, AIMessage) else AIMessage(said)
        return ChatResult(generations=[ChatGeneration(message=message)])


def put_in_place(monkeypatch, command, model) -> dict[Any, Any]:
    """By option the model that it got, made anew for each run, and its settings.

    What a test puts under `(option, "next")` is taken instead.
    """
    made: dict[Any, Any] = {}

    def build(option, name, **settings):
        made[option] = made.get((option, "next"), model(asked=[]))
        made[option, "settings"] = settings
        return made[option]

    monkeypatch.setattr(kept_models, "open_chat_model", build)
    monkeypatch.setattr(command, "prepare_environment", lambda *arguments: None)
    return made

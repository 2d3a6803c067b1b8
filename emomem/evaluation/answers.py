"""What chat models answered, kept on disk, so that a run that was stopped goes on where it was."""

import hashlib
import json
import threading
from collections.abc import Sequence
from pathlib import Path

from emomem.encoding.metering import Cost, MeteredChatModel
from emomem.portable import Portable
from emomem.protocols import ChatMessage, ChatModel, JsonSchema


class ModelFailedError(RuntimeError):
    """A chat model failed; the message names it and the kind of failure, and quotes nothing."""


class Answers(Portable):
    """Answers by the hash of what was asked, in a file of one JSON object a line.

    A line that was cut short by a stop is left out. Threads may share it.

    Args:
        path: The file; its folder is made where it is missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._answers: dict[str, str] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file():
            for line in path.read_text(encoding="utf-8").split("\n"):
                try:
                    kept = json.loads(line)
                    self._answers[kept["key"]] = kept["answer"]
                except (ValueError, KeyError, TypeError):
                    continue
        self._renew()

    def _renew(self) -> None:
        self._lock = threading.Lock()

    def get(self, key: str) -> str | None:
        """The answer; None where it was not asked."""
        with self._lock:
            return self._answers.get(key)

    def keep(self, key: str, answer: str) -> None:
        """Keep an answer, on disk at once."""
        line = json.dumps({"key": key, "answer": answer})
        with self._lock, self._path.open("a", encoding="ascii") as file:
            # It begins a line too, in case the last one was cut short.
            file.write(f"\n{line}")
            self._answers[key] = answer


class KeptChatModel(Portable):
    """A chat model that is not asked what it has been asked before.

    Args:
        model: The model.
        name: What tells it from another, its settings included.
        answers: Where its answers are kept.
    """

    def __init__(self, model: ChatModel, name: str, answers: Answers) -> None:
        self.name = name
        self._model = MeteredChatModel(model)
        self._answers = answers
        self.kept = 0
        self._renew()

    def _renew(self) -> None:
        self._lock = threading.Lock()

    @property
    def cost(self) -> Cost:
        """What this run took."""
        return self._model.cost

    def complete(self, messages: Sequence[ChatMessage], schema: JsonSchema | None = None) -> str:
        """The text of the answer.

        Raises:
            ModelFailedError: The model failed.
        """
        key = self._key(messages, schema)
        if (answer := self._known(key)) is not None:
            return answer
        try:
            answer = self._model.complete(messages, schema)
        except Exception as error:
            raise self._failed(error) from error
        self._answers.keep(key, answer)
        return answer

    async def acomplete(
        self, messages: Sequence[ChatMessage], schema: JsonSchema | None = None
    ) -> str:
        """`complete` without blocking the event loop."""
        key = self._key(messages, schema)
        if (answer := self._known(key)) is not None:
            return answer
        try:
            answer = await self._model.acomplete(messages, schema)
        except Exception as error:
            raise self._failed(error) from error
        self._answers.keep(key, answer)
        return answer

    def _known(self, key: str) -> str | None:
        answer = self._answers.get(key)
        if answer is not None:
            with self._lock:
                self.kept += 1
        return answer

    def _key(self, messages: Sequence[ChatMessage], schema: JsonSchema | None) -> str:
        asked = json.dumps([self.name, list(messages), schema], sort_keys=True)
        return hashlib.blake2b(asked.encode(), digest_size=16).hexdigest()

    def _failed(self, error: Exception) -> ModelFailedError:
        # The error's own message may quote what was asked.
        return ModelFailedError(f"{self.name} failed with {type(error).__name__}")

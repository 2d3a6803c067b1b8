"""Doubtful readings, kept for a person to settle."""

import json
import os
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Self
from uuid import uuid4

from emomem.affect import Affect
from emomem.emotions import is_known_label, known_labels
from emomem.files import replace_file
from emomem.portable import Portable

EMOJI: Final = MappingProxyType(
    {
        emoji: label
        for label, emojis in {
            "joy": "😀🙂😊😁😃😄", "amusement": "😂🤣😆", "love": "❤😍🥰", "caring": "🤗",
            "pride": "😎", "gratitude": "🙏", "approval": "👍", "admiration": "👏",
            "excitement": "🎉🤩🥳🔥", "relief": "😌", "optimism": "🤞", "curiosity": "🤔",
            "surprise": "😮😲", "neutral": "😐", "sadness": "😢🥺", "grief": "😭💔",
            "disappointment": "😞😩", "embarrassment": "😳", "confusion": "😕",
            "annoyance": "😒🙄😤", "disapproval": "👎", "anger": "😠😡🤬", "fear": "😨😱",
            "nervousness": "😰😬😥", "disgust": "🤢🤮",
        }.items()
        for emoji in emojis
    }
)  # fmt: skip
"""What an emoji stands for when a person corrects with one; skin tones are ignored."""

_SELECTORS: Final = dict.fromkeys([0xFE0F, *range(0x1F3FB, 0x1F400)])


@dataclass(frozen=True)
class ReviewItem:
    """One doubtful reading.

    Attributes:
        text: What was read. It is left out of the item's repr, so that no log holds it.
        affect: How it was read.
        settled: What a person said it is; None while it waits.
        id: Its name in the queue; it tells nothing of the text.
    """

    text: str = field(repr=False)
    affect: Affect
    settled: Affect | None = None
    id: str = field(default_factory=lambda: uuid4().hex)


class ReviewQueue(Portable):
    """Readings that a person is to settle, in memory, each text once; threads may share it.

    What was settled is the person's, so its confidence is 1 and its source `review:accepted` or
    `review:corrected`.

    Example:
        >>> queue = ReviewQueue()
        >>> queue.add("great, another delay", Affect.from_label("joy"))
        >>> [item] = queue.pending()
        >>> queue.correct(item.id, "😒").label
        'annoyance'
        >>> len(queue.pending()), len(queue)
        (0, 1)
    """

    def __init__(self) -> None:
        self._items: dict[str, ReviewItem] = {}
        self._renew()

    def _renew(self) -> None:
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        """The items as they are now."""
        with self._lock:
            return {"_items": dict(self._items)}

    def __len__(self) -> int:
        """How many texts it holds, settled ones included."""
        with self._lock:
            return len(self._items)

    def add(self, text: str, affect: Affect) -> None:
        """Put a reading into the queue; a text that is in it already stays as it is.

        Raises:
            TypeError: The text is no str, or the affect no Affect.
        """
        for value, wanted in ((text, str), (affect, Affect)):
            if not isinstance(value, wanted):
                msg = f"a queue takes a str and an Affect, got a {type(value).__name__}"
                raise TypeError(msg)
        with self._lock:
            self._items.setdefault(text, ReviewItem(text=text, affect=affect))

    def pending(self) -> list[ReviewItem]:
        """What waits for a person, the oldest first."""
        with self._lock:
            return [item for item in self._items.values() if item.settled is None]

    def accept(self, item_id: str) -> Affect:
        """Settle an item: it was read rightly.

        Returns:
            What it is settled as.

        Raises:
            KeyError: There is no such item.
            ValueError: Nothing was read, so that there is nothing to accept.
        """
        with self._lock:
            item = self._at(item_id)
            return self._settle(item, item.affect, "review:accepted")

    def correct(self, item_id: str, to: Affect | str) -> Affect:
        """Settle an item as something else; one that was settled before may be settled again.

        Args:
            item_id: The item.
            to: A known label, an emoji of `EMOJI`, or an affect.

        Returns:
            What it is settled as.

        Raises:
            KeyError: There is no such item.
            TypeError: `to` is neither a str nor an Affect.
            ValueError: The label or emoji is not known, or the affect is unknown.
        """
        affect = _meant(to)
        with self._lock:
            return self._settle(self._at(item_id), affect, "review:corrected")

    def forget(self, text_or_id: str) -> bool:
        """Drop one item, by its text or its id; whether there was one.

        A file that was saved or exported before still holds it: save and export again.
        """
        with self._lock:
            texts = [text for text, i in self._items.items() if text_or_id in (text, i.id)]
            for text in texts:
                del self._items[text]
        return bool(texts)

    def purge(self) -> None:
        """Drop everything."""
        with self._lock:
            self._items.clear()

    def export(self, path: str | os.PathLike[str]) -> int:
        """Write what is settled as JSONL for fine-tuning: `text`, and what is known of its affect.

        Returns:
            How many rows were written.
        """
        with self._lock:
            settled = [(i.text, i.settled) for i in self._items.values() if i.settled is not None]
            _write(path, [{"text": text, **_known(affect)} for text, affect in settled])
        return len(settled)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the whole queue as JSONL, for `load`."""
        with self._lock:
            _write(
                path,
                [
                    {
                        "id": item.id,
                        "text": item.text,
                        "affect": _known(item.affect),
                        "settled": None if item.settled is None else _known(item.settled),
                    }
                    for item in self._items.values()
                ],
            )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """A queue that `save` wrote.

        Raises:
            FileNotFoundError: There is no such file.
            ValueError: A line is not an item; the message names the line, never its text.
        """
        queue = cls()
        try:
            content = Path(path).read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            msg = f"{path} is not a review queue: it is not UTF-8 text"
            raise ValueError(msg) from None
        for number, line in enumerate(content.split("\n"), 1):
            if line:
                try:
                    item = _parsed(json.loads(line))
                except (ValueError, TypeError):
                    # Their own messages quote the line, and so the text.
                    msg = f"line {number} of {path} is not an item of a review queue"
                    raise ValueError(msg) from None
                queue._items[item.text] = item
        return queue

    def _at(self, item_id: str) -> ReviewItem:
        for item in self._items.values():
            if item.id == item_id:
                return item
        msg = f"no item {item_id!r} in the review queue"
        raise KeyError(msg)

    def _settle(self, item: ReviewItem, affect: Affect, source: str) -> Affect:
        if affect.is_unknown:
            msg = "an unknown affect settles nothing; correct it to what the text feels like"
            raise ValueError(msg)
        settled = affect.model_copy(update={"confidence": 1.0, "source": source})
        self._items[item.text] = replace(item, settled=settled)
        return settled


def _meant(to: Affect | str) -> Affect:
    if isinstance(to, Affect):
        return to
    if not isinstance(to, str):
        msg = f"a correction must be a label, an emoji or an Affect, got {type(to).__name__}"
        raise TypeError(msg)
    emoji = to.strip().translate(_SELECTORS)
    label = EMOJI.get(emoji, to)
    if not is_known_label(label):
        msg = (
            f"unknown emotion label or emoji {to!r}; known are {', '.join(known_labels())}, and "
            f"{''.join(EMOJI)}"
        )
        raise ValueError(msg)
    return Affect.from_label(label)


def _known(affect: Affect) -> dict[str, Any]:
    return affect.model_dump(exclude_none=True)


def _parsed(row: Mapping[str, Any]) -> ReviewItem:
    """The item of a saved row.

    Raises:
        TypeError: The row isn't a mapping of these keys.
        ValueError: A value isn't what it should be.
    """
    item = ReviewItem(**row)
    if not (isinstance(item.id, str) and isinstance(item.text, str)):
        msg = "id and text must be str"
        raise TypeError(msg)
    affect = Affect.model_validate(item.affect)
    settled = None if item.settled is None else Affect.model_validate(item.settled)
    return replace(item, affect=affect, settled=settled)


def _write(path: str | os.PathLike[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """JSONL; escaped, so that any text survives it."""
    replace_file(Path(path), "".join(f"{json.dumps(row)}\n" for row in rows).encode())

"""MADial-Bench (He et al., NAACL 2025): which memories would help a child right now?"""

import re
from datetime import date
from pathlib import Path
from typing import Any, Final

import numpy as np

from emomem.evaluation.datasets.base import Dataset, Query, Store, malformed, read_jsonl

SOURCE: Final = "https://github.com/hejunqing/MADial-Bench"

_FOLDER: Final = "madial_bench"
_TURN: Final = re.compile(r'^(?:<(?P<speaker>[^<>:]+)>:)?\s*["<]?(?P<text>.*?)[">]?\s*$', re.DOTALL)
_MARKS: Final = frozenset({"<BOD>", "<EOD>"})
_ASSISTANT: Final = "Assistant"


def load_madial(data: Path) -> Dataset:
    """MADial-Bench, English: one store a child, one query a dialogue.

    A query is made of the turns before the first `test-turn`; its candidates are the memories
    that name the same child.

    Args:
        data: The folder that holds `madial_bench/`.

    Raises:
        FileNotFoundError: A file is not there.
        ValueError: A file is malformed.
    """
    memories_path = data / _FOLDER / "MADial-Bench-en-memory.jsonl"
    dialogues_path = data / _FOLDER / "MADial-Bench-en-dialogue.jsonl"
    memories = read_jsonl(memories_path, SOURCE)
    dialogues = read_jsonl(dialogues_path, SOURCE)
    try:
        by_id = {int(name): memory for row in memories for name, memory in row.items()}
        spoken = [_turns(dialogue) for dialogue in dialogues]
        children = sorted({turns[-1][0] for turns in spoken})
        stores = [_store(child, by_id, dialogues, spoken) for child in children]
    except (KeyError, IndexError, TypeError, ValueError) as error:
        what = f"{type(error).__name__} {error}"
        raise malformed(dialogues_path.parent, SOURCE, what) from error
    return Dataset("MADial-Bench", SOURCE, tuple(stores))


def _turns(dialogue: dict[str, Any]) -> list[tuple[str, str]]:
    """Speaker and text of each turn before the first that is tested.

    Where the data forgot to name the speaker, it is the assistant.
    """
    lines = dialogue["dialogue"][: dialogue["test-turn"][0]]
    matches = (_TURN.match(line) for line in lines if line.strip() not in _MARKS)
    return [(found["speaker"] or _ASSISTANT, found["text"]) for found in matches if found]


def _store(
    child: str,
    memories: dict[int, dict[str, Any]],
    dialogues: list[dict[str, Any]],
    spoken: list[list[tuple[str, str]]],
) -> Store:
    chosen = [number for number, memory in memories.items() if child in memory["event"]]
    place = {number: index for index, number in enumerate(chosen)}
    queries = [
        Query(
            id=f"madial:{number}",
            turns=tuple(text for _, text in turns),
            own=tuple(speaker == child for speaker, _ in turns),
            relevant=frozenset(place[gold] for gold in dialogue["relevant-id"]),
        )
        for number, (dialogue, turns) in enumerate(zip(dialogues, spoken, strict=True))
        if turns[-1][0] == child
    ]
    days = [date.fromisoformat(memories[number]["time"]).toordinal() for number in chosen]
    texts = tuple(memories[number]["event"] for number in chosen)
    return Store(texts, tuple(queries), np.array(days, dtype=float))

"""LoCoMo (Maharana et al. 2024): questions about conversations of many sessions."""

import re
from pathlib import Path
from typing import Any, Final

import numpy as np

from emomem.evaluation.datasets.base import Dataset, Query, Store, malformed, open_text, parse_json

SOURCE: Final = "https://github.com/snap-research/locomo"
CATEGORIES: Final = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
"""The categories that are measured; the fifth, adversarial, has no evidence that answers."""

_SESSION: Final = re.compile(r"session_(\d+)")
_TURN_ID: Final = re.compile(r"D\d+:\d+")


def load_locomo(data: Path) -> Dataset:
    """LoCoMo's first five conversations: one store each, of every turn; gold is `evidence`.

    A memory is a turn as "speaker: text", with the caption of a picture that it shows. Evidence
    that names no turn is left out, and so is a question without any other.

    Args:
        data: The folder that holds `locomo/`.

    Raises:
        FileNotFoundError: The file is not there.
        ValueError: It is malformed.
    """
    path = data / "locomo" / "locomo_first5.json"
    conversations = parse_json(open_text(path, SOURCE), path, SOURCE)
    try:
        stores = tuple(_store(conversation) for conversation in conversations)
    except (KeyError, TypeError, AttributeError) as error:
        raise malformed(path, SOURCE, f"{type(error).__name__} {error}") from error
    return Dataset("LoCoMo", SOURCE, stores)


def _store(conversation: dict[str, Any]) -> Store:
    sessions = {
        int(found[1]): turns
        for key, turns in conversation["conversation"].items()
        if (found := _SESSION.fullmatch(key))
    }
    turns = [turn for number in sorted(sessions) for turn in sessions[number]]
    place = {turn["dia_id"]: index for index, turn in enumerate(turns)}
    queries = []
    for number, asked in enumerate(conversation["qa"]):
        named = _TURN_ID.findall(" ".join(asked["evidence"]))
        gold = frozenset(place[name] for name in named if name in place)
        if gold and asked["category"] in CATEGORIES:
            query = Query(
                id=f"{conversation['sample_id']}:{number}",
                turns=(asked["question"],),
                own=(True,),
                relevant=gold,
                category=CATEGORIES[asked["category"]],
            )
            queries.append(query)
    return Store(tuple(map(_text, turns)), tuple(queries), np.arange(len(turns), dtype=float))


def _text(turn: dict[str, Any]) -> str:
    caption = turn.get("blip_caption")
    picture = f" (shows a picture: {caption})" if caption else ""
    return f"{turn['speaker']}: {turn['text']}{picture}"

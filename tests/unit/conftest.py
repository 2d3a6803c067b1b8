"""A few hand-written lines in the formats of the public data, and a reader that needs no model."""

import json
from pathlib import Path

import numpy as np
import pytest

from emomem import Affect, BaseAppraiser

MEMORIES = {
    "1": ("2023-05-01", "Tom won the sack race and felt proud."),
    "4": ("2023-02-01", "Tom lost his kite and was sad."),
    "2": ("2023-04-01", "Tom is scared of the neighbour's dog."),
    "9": ("2023-03-01", "Ann baked a cake and was happy."),
    "7": ("2023-01-01", "Ann cried because her cat ran away."),
}
DIALOGUES = [
    {
        "dialogue": [
            "<BOD>\n",
            '<Tom>: "I am so sad, my red kite is gone!"\n',
            '"Oh no, where did you fly it?"\n',
            '<Tom>: "In the park, and then it was lost."\n',
            '<Assistant>: "Do you remember your other kite?"\n',
            "<EOD>\n",
        ],
        "test-turn": [4],
        "relevant-id": [4, 1],
        "user-id": 1,
    },
    {
        "dialogue": [
            "<BOD>\n",
            '<Ann>: "I am happy, we will bake a cake!"\n',
            '<Assistant>: "Like last time?"\n',
        ],
        "test-turn": [2],
        "relevant-id": [9],
        "user-id": 2,
    },
    {
        "dialogue": ["<BOD>\n", '<Tom>: "There is a dog, I am scared."\n', "<Good dog.>\n"],
        "test-turn": [2],
        "relevant-id": [2],
        "user-id": 1,
    },
]
CONVERSATION = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Eve",
        "session_10": [{"speaker": "Eve", "dia_id": "D10:1", "text": "I am proud of my boat."}],
        "session_2_date_time": "1:00 pm on 1 May, 2023",
        "session_2": [
            {"speaker": "Eve", "dia_id": "D2:1", "text": "I bought a boat in March."},
            {
                "speaker": "Bob",
                "dia_id": "D2:2",
                "text": "I was scared at sea.",
                "blip_caption": "a photo of a wave",
            },
        ],
    },
    "qa": [
        {"question": "When did Eve buy a boat?", "evidence": ["D2:1"], "category": 2},
        {"question": "What scared Bob?", "evidence": ["D2:2; D10:1", "D9:9"], "category": 1},
        {"question": "Is Eve a sailor?", "evidence": ["D:2:1"], "category": 3},
        {"question": "What did Bob buy?", "evidence": ["D2:1"], "category": 5},
        {"question": "What is Eve proud of?", "evidence": ["D10:1"], "category": 4},
    ],
}
TURNS = [
    ("a", 1, "I am so sad_comma_ my dog died", "sad"),
    ("a", 2, "Oh no", "sad"),
    ("b", 1, "I was sad when my friend left", "sad"),
    ("c", 1, "I am happy about my new job", "joyful"),
    ("d", 1, "My sister is happy, she won", "joyful"),
    ("e", 1, "So sad that summer is over", "sad"),
    ("f", 1, "The only one that is proud", "proud"),
]
IMPORTANCE = [
    ("u1", "S1", "hello", 0),
    ("u1", "S1", "I am so sad, my dog died", 3),
    ("u1", "S1", "ok", 1),
    ("u2", "S1", "I am happy that I am going to be a father", 2),
    ("u2", "S1", "yes", 0),
    ("u3", "S1", "fine", 0),
]


def write_public_data(data: Path) -> Path:
    """Write a few lines of each set."""
    memories = [
        json.dumps({number: {"time": time, "emotion": "Sad", "event": event}})
        for number, (time, event) in MEMORIES.items()
    ]
    importance = [f'{user},{at},0,"{text}",{votes},3' for user, at, text, votes in IMPORTANCE]
    turns = [f'{name},{number},p,"{text}",{emotion}' for name, number, text, emotion in TURNS]
    files = {
        "madial_bench/MADial-Bench-en-memory.jsonl": memories,
        "madial_bench/MADial-Bench-en-dialogue.jsonl": list(map(json.dumps, DIALOGUES)),
        "locomo/locomo_first5.json": [json.dumps([CONVERSATION])],
        "empathetic_dialogues/test.csv": ["conv_id,utterance_idx,prompt,utterance,emotion", *turns],
        "lufy/importance.csv": [
            "user,session,row,utterance,important_votes,annotators",
            *importance,
        ],
    }
    for name, lines in files.items():
        path = data / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return data


@pytest.fixture
def public_data(tmp_path: Path) -> Path:
    """A folder with a few lines of each set that recall is measured on; a test may change it."""
    return write_public_data(tmp_path / "public")


@pytest.fixture(scope="session")
def unchanged_public_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, for tests that only read it."""
    return write_public_data(tmp_path_factory.mktemp("public"))


class WordReadings(BaseAppraiser):
    """Embeds a text as its words, and reads the feeling that it names."""

    FEELINGS = ("sad", "happy", "scared", "proud")
    source = "words"

    def __init__(self, *_: object) -> None:
        self.prepared: list[str] = []

    def prepare(self, texts, progress=None):
        self.prepared += texts

    def embed(self, texts):
        vectors = np.full((len(texts), 64), 1e-3, dtype=np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            for word in text.lower().replace(",", " ").replace(".", " ").split():
                vector[sum(map(ord, word)) % 64] += 1
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def _read(self, texts):
        return [self._of(text.lower()) for text in texts]

    def _of(self, text):
        named = [word for word in self.FEELINGS if word in text]
        if not named:
            return Affect.neutral()
        labels = {"sad": "sadness", "happy": "joy", "scared": "fear", "proud": "pride"}
        return Affect.from_label(labels[named[0]])


@pytest.fixture(scope="session")
def word_readings() -> type[WordReadings]:
    """A reader of texts that needs no model."""
    return WordReadings

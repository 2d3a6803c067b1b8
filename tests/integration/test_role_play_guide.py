"""What the guide to role play shows, as it stands there."""

import asyncio
import re
from pathlib import Path

import pytest
from langchain_core.language_models import FakeListChatModel
from llama_index.core.llms import MockLLM

from emomem.evaluation.characters import load_characters

GUIDE = Path(__file__).parents[2] / "docs" / "role-play.md"
BLOCKS = re.findall(r"```(python|json)\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
LANGCHAIN, LLAMAINDEX = (text for kind, text in BLOCKS if kind == "python")
[SCHEMA] = (text for kind, text in BLOCKS if kind == "json")


def test_a_character_in_langchain():
    said = {"model": FakeListChatModel(responses=["I do."])}
    exec(LANGCHAIN, said)  # noqa: S102 - the guide's own
    assert said["answer"] == "I do."
    first, second = said["reasons"]
    assert first.document.page_content == "The storm took my boat and I cried all night."
    assert first.strategy == "combination"
    assert second.rank == 2


def test_a_character_in_llamaindex():
    said = {"llm": MockLLM()}
    exec(LLAMAINDEX, said)  # noqa: S102 - the guide's own
    response = asyncio.run(said["ask"]())
    assert "<memory" in str(response)  # the mock says what it was told
    assert response.source_nodes[0].text == "The storm took my boat and I cried all night."


def test_a_file_of_characters(tmp_path):
    path = tmp_path / "cast.json"
    path.write_text(SCHEMA, encoding="utf-8")
    [rosa] = load_characters(path)
    assert len(rosa.memories) == 2
    assert {label.kind for label in rosa.labels["mbti"].values()} == {"H", "L", "X"}
    assert rosa.labels["bfi"]["Openness"].score == pytest.approx(3.5)

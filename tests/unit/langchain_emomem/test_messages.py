import pytest
from langchain_core.messages import AIMessage, HumanMessage, HumanMessageChunk, SystemMessage

from langchain_emomem.messages import user_turns


@pytest.mark.parametrize(
    ("conversation", "turns"),
    [
        ("hi", ["hi"]),
        ("", [""]),
        ([], []),
        (["hi", "there"], ["hi", "there"]),
        ((HumanMessage("hi"), "there"), ["hi", "there"]),
        ([SystemMessage("s"), HumanMessage("hi"), AIMessage("a"), HumanMessage("b")], ["hi", "b"]),
        ([HumanMessageChunk("hi")], ["hi"]),
        (
            [
                HumanMessage(
                    [
                        {"type": "text", "text": "look"},
                        {"type": "image_url", "image_url": {"url": "u"}},
                    ]
                )
            ],
            ["look"],
        ),
    ],
)
def test_the_users_turns_are_texts_and_human_messages_oldest_first(conversation, turns):
    found = user_turns(conversation)

    assert found == turns
    assert all(type(turn) is str for turn in found)


@pytest.mark.parametrize("turn", [("human", "hi"), {"role": "user", "content": "hi"}, None, 3])
def test_anything_else_is_refused_without_its_text(turn):
    with pytest.raises(TypeError, match=f"a str or a message, got {type(turn).__name__}$"):
        user_turns(["ok", turn])

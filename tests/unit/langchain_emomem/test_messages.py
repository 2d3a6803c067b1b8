import pytest
from langchain_core.messages import AIMessage, HumanMessage, HumanMessageChunk, SystemMessage

from langchain_emomem.messages import spoken_turns, user_turns


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
        ([("human", "hi"), ("ai", "a"), "there"], ["hi", "there"]),
        ([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "a"}], ["hi"]),
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


def test_a_message_that_langchain_wrote_itself_is_not_the_users_own():
    marked = {"lc_source": "summarization"}
    summary = HumanMessage("summary", additional_kwargs=marked)
    told = {"role": "user", "content": "summary", "additional_kwargs": marked}

    assert user_turns([summary, "hi", told]) == ["hi"]
    assert spoken_turns([summary, "hi"]) == ["summary", "hi"]


@pytest.mark.parametrize("turn", [("secret", "secret"), {"text": "secret"}, None, 3])
def test_anything_else_is_refused_without_its_text(turn):
    kinds = ", ".join(sorted({"str", type(turn).__name__}))
    with pytest.raises(TypeError, match=f"a str or a message; got {kinds}$") as refused:
        user_turns(["ok", turn])

    assert "secret" not in str(refused.value)


def test_what_was_said_is_that_of_user_and_assistant_alone():
    conversation = [SystemMessage("s"), "hi", AIMessage("a"), AIMessage(" "), ("human", "b")]

    assert spoken_turns(conversation) == ["hi", "a", "b"]
    assert spoken_turns("hi") == ["hi"]
    assert spoken_turns([]) == []
    with pytest.raises(TypeError, match="a str or a message"):
        spoken_turns([3])

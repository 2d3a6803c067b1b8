"""What is only asked is kept, and never stands among the facts."""

import pytest

from emomem.memory.questions import is_question


@pytest.mark.parametrize(
    "text",
    [
        "what is my delivery address?",
        "What is my delivery address",
        "Hi! Can you tell me where I live?",
        "我的地址是什么？",
        "你知道我住在哪里吗",
        "Onde moro?",
        "tell me where I live",
        "tell me my address",
        "what's my name",
        "Did I tell you where I live?",
        "What did I say about my budget?",
        "Can you recall my address?",
        "What is the name of the book that I liked?",
        "Don't you know where I live?",
        "你还记得我的名字吗",
        "我想知道，我住在哪里？",
        "Você lembra onde eu moro?",
        "Você sabe que horas é meu voo?",
    ],
)
def test_it_is_asked(text):
    assert is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "I moved. Where am I?",
        "Did you know I moved to Milan?",
        "Could you send it to 12 Oak Street?",
        "Why was order 55 cancelled?",
        "Why do I feel so alone?",
        "What I eat is rice",
        "Show jumping is my hobby",
        "我搬到了上海，你知道吗？",
        "我什么都喜欢",
        "Como vegetais todo dia.",
        "Sabia que moro em Lisboa?",
        "I moved to Milan, didn't I tell you?",
        "Could you remember that I am allergic to nuts?",
        "Can you remember I'm allergic to nuts?",
        "Did I ever tell you that I have a twin?",
        "Haven't I told you that I'm vegan?",
        "Isn't it awful that my dog died?",
        "Is it ok that I eat fish although I am vegan?",
        "Remember when I told you I have diabetes?",
        "Can my delivery address be changed to 12 Oak Street?",
        "我搬到上海了，你不知道吗？",
        "我住在上海，不是吗？",
        "你记得我对坚果过敏吗？",
        "我吃素，你能推荐什么吗？",
        "难道我没告诉过你我搬家了吗？",
        "Moro em Lisboa, sabia?",
        "Sou vegano, o que posso comer?",
        "Você pode anotar que sou alérgico a nozes?",
        "Já contei que me mudei?",
        "ok?",
        "Remind me to call Ann",
        "where is it? " * 100,
    ],
)
def test_it_tells_something(text):
    assert not is_question(text)


def test_questions_take_no_place_from_facts(memory, detector):
    told = memory.save("my delivery address: 12 Oak Street")
    for word in ("new", "old", "first", "last", "next", "real", "full", "main", "home", "work"):
        memory.save(f"what is my {word} delivery address?")
    assert [one.unit for one in memory.recall("what is my delivery address?").facts] == [told.fact]
    assert len(memory.timeline()) == 11
    # Nothing was held against anything.
    assert detector.seen == []
    assert memory.check("what is my address?") == []

    asked = memory.save("what is my new delivery address?")
    assert asked.merged
    assert (asked.fact.kind, asked.fact.times, asked.affective.kind) == ("question", 2, "affective")
    memory.forget(ids=[asked.fact.unit_id])
    assert len(memory.timeline()) == 10

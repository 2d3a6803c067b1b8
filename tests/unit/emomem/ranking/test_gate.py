import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem import Affect
from emomem.emotions import GOEMOTIONS
from emomem.ranking import gate, is_factual


def mixture(**weights: float) -> Affect:
    return Affect(emotions=[weights.get(label, 0.0) for label in GOEMOTIONS])


@pytest.mark.parametrize(
    ("present", "expected"),
    [
        (mixture(sadness=0.7, neutral=0.3), 1.0),
        (mixture(sadness=0.2, neutral=0.8), 0.8),
        (mixture(sadness=0.4, neutral=0.6).model_copy(update={"confidence": 0.5}), 0.8),
        (mixture(sadness=0.5, neutral=0.5).model_copy(update={"confidence": 0.5}), 1.0),
        (Affect.from_label("anger"), 1.0),
        (Affect.neutral(), 0.0),
        (Affect(valence=-0.1), 0.4),
        (Affect(valence=0.2, confidence=0.5), 0.4),
        (Affect(valence=0.0, arousal=0.55), 0.4),
        (Affect(arousal=0.9), 1.0),
        (Affect(valence=-0.9, confidence=0.0), 0.0),
        (Affect.unknown(), 0.0),
        (Affect(confidence=1.0), 0.0),
    ],
)
def test_the_gate_is_as_open_as_feeling_was_read_and_fully_from_a_quarter_on(present, expected):
    assert gate(present) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("present", "expected"),
    [
        (Affect(valence=-0.8), 0.4),
        (Affect(valence=-0.1), 0.4 * 0.1 / 2),
        (Affect(valence=0.8), 0.0),
        (Affect(valence=0.8, conflict=0.6), 0.3),
        (Affect(valence=-0.8, conflict=0.6), 0.4),
        (mixture(sadness=1.0), 0.63 / 2),
        (Affect(arousal=1.0), 0.0),
        (Affect.unknown(), 0.0),
    ],
)
def test_in_a_conversation_the_gate_opens_half_as_far_as_something_weighs(present, expected):
    assert gate(present, conversing=True) == pytest.approx(expected)


@given(data=st.data())
def test_the_gate_is_0_to_1_and_narrower_in_a_conversation(data, affects):
    present = data.draw(affects)
    assert 0 <= gate(present, conversing=True) <= gate(present) <= 1


@pytest.mark.parametrize(
    "query",
    [
        "When did I last see the dentist?",
        "when did i last see the dentist",
        "What is my sister's phone number",
        "what's the wifi password",
        "Where are the car keys",
        "Who came to dinner on Sunday?",
        "How many invoices are open?",
        "Is the meeting on Tuesday",
        "did I pay the rent",
        "Did Anna call?",
        "Can you show me the report",
        "List every appointment in May",
        "tell me the date of the flight",
        "  ...which train goes to Lyon",
        "The name of the vet?",
        "Quando é a consulta?",
        "我的航班是几点",
        "会议在哪里？",
        "How did Melanie feel about the accident?",
        "What does Nate love most about having turtles?",
        "Is she still mad at him?",
        "Would Anna have a book by Dr. Seuss or C. S. Lewis on her shelf?",
        "How did my sister feel about the wedding?",
        "What is the general sentiment about the opening?",
        "Was it a good month for Nate? Answer yes or no.",
        "Can I park at the office?",
        "What medicine can I take for a headache?",
        "How can we reach the hotel?",
        "Where could I leave the car?",
        "How do I trust a certificate?",
        "Thanks! Where is the lease?",
        "Hi! What is my PIN?",
        "Hello Anna! Good morning. What is my PIN?",
        "Thank you so much! When does the train leave?",
        "OK. Who is my dentist?",
        "你好！钥匙在哪里？",
        "谢谢你。火车几点开？",
        "Obrigado. Qual é o endereço?",
        "Oi, bom dia! Quando sai o trem?",
        "钥匙在哪里",
        "谁是我的牙医？",
        "會議都有誰",
        "Quando sai o trem?",
        "Como chego ao hotel?",
        "Onde o Pedro mora?",
        "Por que o Pedro está triste?",
    ],
)
def test_a_question_without_feeling_is_factual(query):
    assert is_factual(query)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "I hate this job",
        "My dog died and the house is empty.",
        "My dog died. Why?",
        "I lost my job, can you believe it?",
        "Thanks!",
        "Hi, my dog died. Why?",
        "Ok, I lost. What now?",
        "Thanks for nothing. Who asked you?",
        "Why do I feel so alone?",
        "When was I last happy?",
        "How can I bear this grief?",
        "What should I do now?",
        "what do i do",
        "Why me?",
        "Can't sleep again",
        "Can’t sleep again",
        "Had a terrible fight with my wife",
        "Was a long day",
        "What a day, everything went wrong",
        "When my father left, I was nine",
        "Didn't get the job",
        "Whatever, nobody listens",
        "Howling all night, the poor cat",
        "por que estou tão triste?",
        "为什么我这么难过？",
        "How to cope with grief?",
        "Why does Anna hate me?",
        "Why was I so sad on Monday?",
        "Why does my heart hurt so much?",
        "How can I go on without him?",
        "How can I ever trust her again?",
        "How could I be so blind?",
        "What else can I do?",
        "What could I have done?",
        "我被裁员了，什么都没了",
        "我失去了妈妈，什么都没意义了",
        "我崩溃了，谁都不理我",
        "我哪里都不想去，只想死",
        "誰也不理我",
        "没什么意思",
        "我为什么这么绝望",
        "為什麼我這麼擔心？",
        "Por que estou triste com o Pedro?",
        "Por que sinto tanta saudade da Maria?",
        "Como estou cansada hoje",
        "Como dói",
        "Quando perdi meu emprego, tudo acabou.",
    ],
)
def test_a_statement_a_feeling_or_a_plea_is_not_factual(query):
    assert not is_factual(query)


@given(st.text(max_size=200))
def test_any_text_gets_an_answer_whatever_its_case_or_margins(text):
    assert is_factual(text) in {True, False}
    assert is_factual(f"  {text}\n") == is_factual(text)


def test_a_long_query_is_judged_at_once():
    assert not is_factual("?" + " " * 20_000 + "!" + "x" * 100_000)

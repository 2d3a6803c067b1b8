"""The five scales of a rater, person or model, and the words of the form, in each language."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, get_args

from emomem.prompts import Language

ScaleName = Literal[
    "emotional_coherence",
    "persona_consistency",
    "memory_use",
    "conflict_sensitivity",
    "naturalness",
]

SCALES: Final[tuple[ScaleName, ...]] = get_args(ScaleName)
"""The scales by their names, which are columns and keys in every language."""

COLUMNS: Final = ("rater", "item", *SCALES)
"""What is read of a filled-in packet."""

GRADES: Final = (1, 2, 3, 4, 5)


@dataclass(frozen=True)
class Scale:
    """What one scale asks.

    Attributes:
        title: Its name for people.
        question: What is to be rated.
        low: What a 1 means.
        high: What a 5 means.
    """

    title: str
    question: str
    low: str
    high: str


@dataclass(frozen=True)
class FormTexts:
    """The words of the form.

    Attributes:
        title: Its head.
        intro: What a rater has to know.
        privacy: Where the answers are.
        person: Heads who the person is.
        situation: Heads what they stand before.
        background: Heads what weighs on them.
        output: Heads what is to be rated.
        item: Stands before the number of an item.
        answered: Stands after how many are rated.
        previous: Goes back one item.
        following: Goes on to the next.
        unanswered: Goes to the next item that is not rated in full.
        download: Gives the answers as a file.
        missing: Stands before how many grades are missing yet.
        keys: Tells the keys.
        script: Is shown where scripts are off.
    """

    title: str
    intro: str
    privacy: str
    person: str
    situation: str
    background: str
    output: str
    item: str
    answered: str
    previous: str
    following: str
    unanswered: str
    download: str
    missing: str
    keys: str
    script: str


_SCALES: Final[Mapping[Language, tuple[Scale, ...]]] = {
    "en": (
        Scale(
            "Emotional coherence",
            "Do the feelings fit the situation and one another?",
            "flat, or at odds with what happens",
            "fits what happens, also where feelings are mixed",
        ),
        Scale(
            "Persona consistency",
            "Does the person speak and act as this very person would?",
            "could be anybody, or acts against who they are",
            "unmistakably this person",
        ),
        Scale(
            "Memory use",
            "Does what the person lived through shape what they say and do?",
            "nothing of it, or something that does not bear on it",
            "what bears on it, and truly as it was",
        ),
        Scale(
            "Conflict sensitivity",
            "Are the sides that pull at the person seen and weighed?",
            "sees one side, or smooths the conflict over",
            "sees each side and what it would cost",
        ),
        Scale(
            "Naturalness",
            "Does it read as a human being would put it?",
            "stiff, stereotyped or repetitive",
            "as somebody would really say and do it",
        ),
    ),
    "zh": (
        Scale(
            "情感连贯",
            "感受是否符合情境，彼此是否一致？",
            "平淡，或与所发生的事不符",
            "符合所发生的事，感受复杂时也是如此",
        ),
        Scale(
            "人物一致",
            "这个人的言行是否正像这个人？",
            "谁都可能这样，或违背其为人",
            "一望而知就是这个人",
        ),
        Scale(
            "记忆运用",
            "经历过的事是否影响其言行？",
            "毫无影响，或用了不相干的事",
            "用了相关的事，而且符合实情",
        ),
        Scale(
            "冲突敏感",
            "是否看到并权衡了拉扯此人的各方？",
            "只看到一方，或掩饰冲突",
            "看到每一方及其代价",
        ),
        Scale("自然程度", "读起来像真人的表达吗？", "生硬、刻板或重复", "真人确实会这样说、这样做"),
    ),
    "pt": (
        Scale(
            "Coerência emocional",
            "Os sentimentos condizem com a situação e entre si?",
            "sem emoção, ou em desacordo com o que acontece",
            "condizem com o que acontece, mesmo quando são contraditórios",
        ),
        Scale(
            "Consistência da personagem",
            "A pessoa fala e age como esta pessoa falaria e agiria?",
            "podia ser qualquer um, ou age contra o que é",
            "é inconfundivelmente esta pessoa",
        ),
        Scale(
            "Uso da memória",
            "O que a pessoa viveu molda o que diz e faz?",
            "nada disso, ou coisas que não vêm ao caso",
            "o que vem ao caso, e tal como foi",
        ),
        Scale(
            "Sensibilidade ao conflito",
            "Os lados que puxam pela pessoa são vistos e pesados?",
            "vê um só lado, ou disfarça o conflito",
            "vê cada lado e o que custaria",
        ),
        Scale(
            "Naturalidade",
            "Lê-se como um ser humano o diria?",
            "rígido, estereotipado ou repetitivo",
            "como alguém realmente o diria e faria",
        ),
    ),
}

_FORMS: Final[Mapping[Language, FormTexts]] = {
    "en": FormTexts(
        title="Rate what a person says and does",
        intro=(
            "You read who a person is, what weighs on them, and what they stand before. Then you "
            "read one version of what they feel, say and do, and rate it on five scales from 1 to "
            "5. Rate each version by itself, and use the whole range. Do not look anything up, and "
            "do not talk to other raters before you are done."
        ),
        privacy=(
            "Your answers stay in this browser until you download them; nothing is sent. You can "
            "close the page and go on later in the same browser."
        ),
        person="The person",
        situation="The situation",
        background="What the person knows and what weighs on them",
        output="What they feel, say and do",
        item="Version",
        answered="rated",
        previous="Back",
        following="Next",
        unanswered="Next unrated",
        download="Download the answers (CSV)",
        missing="Grades missing:",
        keys="Keys: 1 to 5 rate and go to the next scale; Alt and an arrow turn the page.",
        script="This form needs JavaScript. Without it, fill in the CSV file of the same name.",
    ),
    "zh": FormTexts(
        title="请评价一个人的言行",
        intro=(
            "你会读到一个人是谁、有什么压在心头、正面对什么。然后你会读到此人感受、言语和行动的一个版本，"
            "请用五个量表从 1 到 5 评分。每个版本请单独评价，并用足整个范围。"
            "请不要查阅任何资料，完成之前也不要与其他评分者交谈。"
        ),
        privacy=(
            "在你下载之前，你的回答只保存在这个浏览器里，不会发送任何内容。"
            "你可以关闭页面，以后在同一浏览器里继续。"
        ),
        person="人物",
        situation="情境",
        background="此人所知道的和压在心头的事",
        output="此人的感受、言语和行动",
        item="版本",
        answered="已评",
        previous="上一个",
        following="下一个",
        unanswered="下一个未评",
        download="下载回答（CSV）",
        missing="尚缺评分：",
        keys="按键：1 到 5 评分并转到下一个量表；Alt 加方向键翻页。",
        script="此表单需要 JavaScript。没有的话，请填写同名的 CSV 文件。",
    ),
    "pt": FormTexts(
        title="Avalie o que uma pessoa diz e faz",
        intro=(
            "Lê quem é uma pessoa, o que lhe pesa e o que tem pela frente. Depois lê uma versão do "
            "que ela sente, diz e faz, e avalia-a em cinco escalas de 1 a 5. Avalie cada versão "
            "por si só e use toda a escala. Não consulte nada e não fale com outros avaliadores "
            "antes de terminar."
        ),
        privacy=(
            "As suas respostas ficam neste navegador até as descarregar; nada é enviado. Pode "
            "fechar a página e continuar mais tarde no mesmo navegador."
        ),
        person="A pessoa",
        situation="A situação",
        background="O que a pessoa sabe e o que lhe pesa",
        output="O que sente, diz e faz",
        item="Versão",
        answered="avaliadas",
        previous="Anterior",
        following="Seguinte",
        unanswered="Próxima por avaliar",
        download="Descarregar as respostas (CSV)",
        missing="Notas em falta:",
        keys="Teclas: 1 a 5 dão a nota e passam à escala seguinte; Alt e uma seta viram a página.",
        script="Este formulário precisa de JavaScript. Sem ele, preencha o CSV com o mesmo nome.",
    ),
}


def scales(language: Language = "en") -> Mapping[ScaleName, Scale]:
    """The scales in a language, by name and in the order in which they are asked.

    Raises:
        ValueError: There are none in it.

    Example:
        >>> scales()["memory_use"].title
        'Memory use'
    """
    _check(language)
    return MappingProxyType(dict(zip(SCALES, _SCALES[language], strict=True)))


def form_texts(language: Language = "en") -> FormTexts:
    """The words of the form in a language.

    Raises:
        ValueError: There are none in it.
    """
    _check(language)
    return _FORMS[language]


def scales_text(language: Language = "en") -> str:
    """What a rater has to know who fills in a table and sees no form.

    Raises:
        ValueError: There are no scales in the language.
    """
    words = form_texts(language)
    parts = [
        f"{name}: {scale.title}. {scale.question}\n1: {scale.low}\n5: {scale.high}"
        for name, scale in scales(language).items()
    ]
    return "\n\n".join([words.title, words.intro, *parts]) + "\n"


def scale_lines(language: Language = "en") -> str:
    """The scales for a model's question, one a line."""
    return "\n".join(
        f'"{name}": {scale.question} 1: {scale.low}. 5: {scale.high}.'
        for name, scale in scales(language).items()
    )


def _check(language: Language) -> None:
    if language not in _SCALES:
        msg = f"language must be one of {', '.join(_SCALES)}, got {language!r}"
        raise ValueError(msg)

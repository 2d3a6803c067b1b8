"""Which of the languages that the embedded model reads a text is in, cheaply.

By script, and among Latin scripts by the small words that every sentence of a language needs.
"""

import re
import unicodedata
from collections import Counter
from types import MappingProxyType
from typing import Final, Literal

Language = Literal["en", "pt", "zh"]

_WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")

# The commonest function words; a word that several languages share counts for each of them.
_SMALL_WORDS: Final = MappingProxyType(
    {
        language: frozenset(words.split())
        for language, words in {
            "en": "the a an and or but if so to of in on at by for with from as is am are was were "
            "be been being have has had do does did not no i you he she it we they me him her us "
            "them my your his its our their this that these those there here what who when where "
            "why how can could will would should just very too all out up about don't i'm it's "
            "can't didn't i've that's you're he's she's won't isn't wasn't get got go going know "
            "think like love want feel felt good great really never always now then again because",
            "pt": "o a os as um uma uns umas e ou mas se não nao de do da dos das em no na nos nas "
            "por para pra com sem que é foi era são ser estar estou está tá ter tem tenho eu você "
            "voce vc ele ela nós eles elas me te lhe meu minha seu sua isso isto esse essa este "
            "esta aqui ali muito mais já ja também tambem quando onde como porque pq ao à até só",
            "es": "el la los las un una unos unas y o pero si no de del en por para con sin que es "
            "fue era son ser estar estoy está tener tiene yo tú usted él ella nosotros ellos me te "
            "le lo mi tu su eso esto ese esa este esta aquí muy más ya también cuando donde como "
            "porque al hasta",
            "fr": "le la les un une des et ou mais si ne pas de du en dans par pour avec sans que "
            "qui est était sont être je tu il elle nous vous ils elles me te se mon ma mes ton ta "
            "son sa ce cet cette ici très plus aussi quand où comme parce au aux jusqu c'est j'ai",
            "de": "der die das ein eine einen und oder aber wenn nicht von zu in im an auf mit für "
            "ohne dass ist war sind sein ich du er sie es wir ihr mich dich mir dir mein meine "
            "dein hier sehr mehr auch wann wo wie weil bis nur so den dem",
            "it": "il lo la i gli le un uno una e o ma se non di del della dei in per con senza "
            "che è era sono essere io tu lui lei noi voi loro mi ti si mio mia tuo tua questo "
            "questa qui molto più anche quando dove come perché al fino",
            "nl": "de het een en of maar als niet van te in op aan met voor zonder dat is was zijn "
            "ik jij je hij zij ze wij we mij me jou mijn jouw hier zeer meer ook wanneer waar hoe "
            "omdat tot",
        }.items()
    }
)

_TILDE: Final = frozenset("ãõ")
"""Letters of Portuguese and of none of the other languages listed."""

_LETTERS_OF_A_HAN: Final = 3
"""How many letters of an alphabet say what one Han character does, about."""

_MIXED: Final = 0.3
"""The share of letters from which another script makes a text more than a borrowed word."""


def detect_language(text: str) -> Language | None:
    """The language of a text, or None for any that the embedded model does not read, and in doubt.

    A text without letters counts as English: there is nothing in it to misread.

    Example:
        >>> detect_language("I miss her so much"), detect_language("我很想她")
        ('en', 'zh')
        >>> detect_language("Ich vermisse sie so sehr") is None
        True
    """
    scripts = Counter(_script(letter) for letter in text if letter.isalpha())
    scripts["han"] *= _LETTERS_OF_A_HAN
    share = {name: count / scripts.total() for name, count in scripts.items() if count}
    if share.get("kana", 0) or share.get("other", 0) > _MIXED:
        return None
    if share.get("han", 0) > 1 / 2:
        return "zh"
    return _by_small_words(text.lower().replace("’", "'"))


def _by_small_words(text: str) -> Language | None:
    words = _WORD.findall(text)
    counts = {
        language: sum(word in small for word in words) for language, small in _SMALL_WORDS.items()
    }
    best = max(counts.values())
    leaders = {language for language, count in counts.items() if count == best}
    if leaders == {"pt"} or ("pt" in leaders and "en" not in leaders and _TILDE & set(text)):
        return "pt"
    # Exclamations have no small words, and some small words are shared: then unaccented letters
    # lean to English.
    accented = any(_script(letter) == "latin" and not letter.isascii() for letter in text)
    if leaders == {"en"} or ("en" in leaders and not accented):
        return "en"
    return None


def _script(letter: str) -> str:
    name = unicodedata.name(letter, "")
    if name.startswith(("LATIN", "FULLWIDTH LATIN")):
        return "latin"
    if name.startswith("CJK"):
        return "han"
    if name.startswith(("HIRAGANA", "KATAKANA")):
        return "kana"
    return "other"

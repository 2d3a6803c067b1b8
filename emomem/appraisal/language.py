"""Which of the languages that the embedded model reads a text is in, cheaply.

By script, and among Latin scripts by the small words that every sentence of a language needs.
Where these do not decide, a text is English if its words are.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Container, Sequence
from typing import Final, Literal

from emomem.appraisal.small_words import SMALL_WORDS

Language = Literal["en", "pt", "zh"]

_WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_LENGTHENED: Final = re.compile(r"(.)\1{2,}")
_ENDING: Final = re.compile(r"(?:'\w+|(?<=\w{4})(?:e?s|e?d|ing?|ly|y))$")
"""What an English word may have behind its stem."""

_PORTUGUESE: Final = re.compile(r"[ãõ]|ç[aoõã]|lh[aeo]|nh[aeo]")
"""Spellings of Portuguese that the languages around it have not."""

_READ: Final = 4000
"""Characters that are looked at; a text that changes its language later is a matter of doubt."""

_LETTERS_OF_A_HAN: Final = 3
"""How many letters of an alphabet say what one Han character does, about."""

_MIXED: Final = 0.3
"""The share of letters from which another script makes a text more than a borrowed word."""

_LED, _TIED = 0.4, 0.7
"""The share of known English words that a text needs where small words lead to English, or tie."""


_LANGUAGES: Final = {
    word: tuple(language for language, small in SMALL_WORDS.items() if word in small)
    for word in frozenset[str]().union(*SMALL_WORDS.values())
}
"""Small word -> the languages that have it."""


def detect_language(text: str, english: Container[str] | None = None) -> Language | None:
    """The language of a text, or None for any that the embedded model does not read, and in doubt.

    A text without letters counts as English: there is nothing in it to misread.

    Args:
        text: Any text.
        english: Words of English, in lower case. Without them a text in plain letters and with
            no small word of any language counts as English.

    Example:
        >>> detect_language("I miss her so much"), detect_language("我很想她")
        ('en', 'zh')
        >>> detect_language("Ich vermisse sie so sehr") is None
        True
    """
    text = text[:_READ]
    if not text.isascii():
        scripts = Counter(_script(letter) for letter in text if letter.isalpha())
        scripts["han"] *= _LETTERS_OF_A_HAN
        share = {name: count / scripts.total() for name, count in scripts.items() if count}
        kana = share.get("kana", 0)
        if share.get("other", 0) > _MIXED or kana > (0 if "han" in share else _MIXED):
            return None
        if share.get("han", 0) > 1 / 2:
            return "zh"
    return _by_words(text.lower().replace("’", "'"), english)


def _by_words(text: str, english: Container[str] | None) -> Language | None:
    words = [_LENGTHENED.sub(r"\1", word) for word in _WORD.findall(text)]
    counts = Counter(language for word in words for language in _LANGUAGES.get(word, ()))
    best = max(counts.values(), default=0)
    leaders = {language for language in SMALL_WORDS if counts[language] == best}
    if leaders == {"pt"}:
        return "pt"
    if "en" in leaders:
        known = _share_of_english(words, text, english)
        if known >= (_LED if leaders == {"en"} else _TIED):
            return "en"
    if "pt" in leaders and _PORTUGUESE.search(text):
        return "pt"
    return None


def _share_of_english(words: Sequence[str], text: str, english: Container[str] | None) -> float:
    if not words:
        return 1.0
    if english is None:
        return float(text.isascii() or not any(_is_accented(letter) for letter in text))
    small = SMALL_WORDS["en"]
    known = sum(
        word in small or word in english or _ENDING.sub("", word) in english for word in words
    )
    return known / len(words)


def _is_accented(letter: str) -> bool:
    return not letter.isascii() and letter.isalpha() and _script(letter) == "latin"


def _script(letter: str) -> str:
    name = unicodedata.name(letter, "")
    if letter.isascii() or name.startswith(("LATIN", "FULLWIDTH LATIN")):
        return "latin"
    if name.startswith("CJK"):
        return "han"
    if name.startswith(("HIRAGANA", "KATAKANA")):
        return "kana"
    return "other"

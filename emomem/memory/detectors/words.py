"""Words by which the rules compare what two clauses are about."""

import re
from typing import Final


def listed(words: str) -> frozenset[str]:
    """Some words, one a space."""
    return frozenset(words.split())


def phrases(alternatives: str) -> re.Pattern[str]:
    """A pattern that finds any of some phrases as whole words.

    Args:
        alternatives: One a comma; each may itself be a regular expression without commas.
    """
    joined = re.sub(r"\n\s*\|", "|", alternatives)
    each = (" ".join(phrase.split()) for phrase in joined.split(","))
    return re.compile(rf"(?<![\w'-])(?:{'|'.join(each)})(?![\w'-])")


_IRREGULAR: Final = {
    form: base
    for base, forms in {
        "child": "children kids kid",
        "person": "people persons",
        "go": "went gone goes been",
        "run": "ran runs running",
        "eat": "ate eaten",
        "drink": "drank drunk",
        "com": "came",
        "tak": "took taken",
        "pay": "paid",
        "buy": "bought",
        "hav": "has had",
        "get": "got gotten",
        "spend": "spent",
        "sleep": "slept",
        "writ": "wrote written",
        "sell": "sold",
        "tell": "told",
        "los": "lost",
        "find": "found",
        "wear": "wore worn",
        "driv": "drove driven",
        "favourit": "favorite favorites",
        "email": "mail mails e-mail e-mails",
        "phon": "mobile cell cellphone telephone",
        "flat": "apartment apartments",
        "film": "movie movies",
        "caring": "care cares cared",
        "airplan": "plane planes aeroplane airplane airplanes",
        "their": "his her",
    }.items()
    for form in forms.split()
}

GENERIC: Final = listed("""
    a an the this that these those my our your his her its their i we you he she it they me us him
    them myself ourselves mine ours and but so or as is are am was were be been being do does did
    have has had will would can could not no never in on at of for from by with to into onto about
    up out off over down then than there here who which what when where how now nowadays days day
    daily again any more anymore longer after all instead still already yet just really very too
    quite rather pretty much many bit little lot also only even ever always usually often mostly
    generally actually honestly finally currently recently lately today please well since everybody
    everyone anyone anything everything something nothing somebody someone else own time times ago
    week weeks month months year years while back called kind sort such most least same both each
    every whole entire absolutely completely totally simply truly deeply nearly almost hardly
    barely oh yes ok sure sorry thanks thank tomorrow
""")
"""Words that tell nothing of what a clause is about: what joins it, and how and when it holds."""

_ENDINGS: Final = (("ing", 6), ("ed", 5))
"""An ending, and how long a word must be to have it."""
_SHORT: Final = 3
"""Letters up to which a word is left as it is."""


def stem(word: str) -> str:
    """A word without its inflection, good enough to tell whether two are the same.

    Example:
        >>> stem("flights"), stem("adopting"), stem("adopted"), stem("kids")
        ('flight', 'adopt', 'adopt', 'child')
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for ending, least in (("ies", 5), ("ying", 6), ("ied", 5)):
        if word.endswith(ending) and len(word) >= least:
            return word.removesuffix(ending) + "y"
    if word.endswith("s") and len(word) > _SHORT and not word.endswith(("ss", "us", "is")):
        word = word[: -2 if word.endswith(("xes", "ches", "shes", "sses", "oes")) else -1]
    for ending, least in _ENDINGS:
        if word.endswith(ending) and len(word) >= least:
            word = word.removesuffix(ending)
            is_doubled = len(word) > _SHORT and word[-1] == word[-2] and word[-1] not in "lsz"
            word = word[:-1] if is_doubled else word
            break
    return word.removesuffix("e") if len(word) > _SHORT else word


def content(text: str) -> list[str]:
    """The stems of the words that tell what a clause is about, in order."""
    return [stem(word) for word in text.split() if word not in GENERIC]

"""Forms of words that a model of single texts misreads, found by rule and read with care.

Three forms, each by its wording alone; what has another wording is read as it stands.

- Irony: praise of what is unwelcome ("great, another delay"). The contrast of a positive opening
  with a negative situation is its commonest form (Riloff et al. 2013, "Sarcasm as contrast between
  a positive sentiment and negative situation", EMNLP). Whether it is meant can not be told, so
  such a text is not read at all.
- Denial: "I'm not angry any more". A model that hears "angry" reads what is denied; the clause is
  left out, and what remains is read. So is a feeling that is past, wished for or supposed: "I used
  to be angry", "if only I were happy", "I would be glad if it worked".
- Report: "Sam was upset about the exam". The feeling is real but somebody else's; it is read with
  half the confidence, and `whose_feeling` says whose it is.
"""

import re
from typing import Final

from emomem.affect import Affect

_OPENING: Final = re.compile(
    r"""^\W*
    (?:(?:oh|well|yeah|wow|yay|just|how|that's|this\ is|isn't\ that)\W+)*
    (?:
        (?:great|wonderful|fantastic|lovely|perfect|brilliant|awesome|amazing|excellent|terrific
          |nice|splendid|marvell?ous|super|fabulous|yay|hooray|hurray|good\ job)
        (?:\s+(?:job|work|going|timing|weather|start|service|idea|day))?\s*[,.!:;…-]+
      | (?:great|wonderful|fantastic|lovely|perfect|brilliant|nice|yay)\s+(?=another\b|more\b)
      | (?:i|we)\s+(?:(?:just|really|absolutely|so|do)\s+)*(?:love|adore|enjoy)\s+
        (?=\w+ing\b|when\b|how\b|it\ when\b)
      | (?:i['’]?m|i\ am|we['’]re)\s+(?:so|really)\s+(?:glad|happy|thrilled|delighted)\s+
        (?=you\b|he\b|she\b|they\b|that\b|to\b|my\b|the\b)
      | thanks\ (?:a\ lot|a\ bunch|so\ much)\s*[,.!]+
    )\W*""",
    re.IGNORECASE | re.VERBOSE,
)
_CLOSING: Final = re.compile(
    r"\s*(?:just|exactly)\s+what\s+(?:i|we)\s+(?:needed|wanted|was\s+missing)\W*", re.IGNORECASE
)
_MOCKERY: Final = re.compile(
    r"""\bthanks?\s+(?:you\s+)?(?:\w+\s+){0,2}for\s+
    (?:nothing|(?:ruining|wasting|breaking|spoiling|ignoring|forgetting|leaving|lying)\b)
    |^\W*oh,?\s+joy\s*[,.!]
    |^\W*(?:oh,?\s+)?yeah,?\s+right\s*[,.!…]
    |^\W*(?:oh,?\s+|yeah,?\s+)?sure,?\s+(?:because|cause|['’]cause)\b""",
    re.IGNORECASE | re.VERBOSE,
)

_NUISANCE: Final = re.compile(
    r"""(?<!no\ )(?<!not\ )(?<!any\ )(?<!without\ )\b(?:
        delay(?:s|ed)?|cancell?ed|broken?|breaks|crash(?:ed|es)?|late|stuck|traffic|queu(?:es?|ing)
      | wait(?:ing|ed)?|bills?|fees|fined|tax(?:es)?|rain(?:ing|s)?|lost|missed|stolen|fail(?:ed|s)?
      | errors?|bugs?|leak(?:s|ed|ing)?|overtime|spam|ads|dead|died|sick|homework|paperwork|chores
      | flat\ (?:tyre|tire)|out\ of\ (?:order|stock|service)|ruined|ignored|yelled|shouted|rejected
      | (?:not|(?:won|don|doesn|didn|isn)['’]?t)\ (?:work|working|start|answer)
      | stopped\ working|(?:is|are|went|goes)\ down|redo|start\ over|flood(?:ed|s)?|forgot|overslept
      | spill?(?:ed|s)|spilt|deleted|parking\ ticket|threw\ up|woken\ up|fired
      | another\ (?:meeting|form|update)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)

_UNPLEASANT: Final = -0.15
"""Valence below which a situation is unwelcome whatever its words are."""
_PLEASANT: Final = 0.3
"""Valence from which it is welcome whatever its words are."""

_BAD_FEELING: Final = (
    "angry|mad|furious|upset|annoyed|irritated|sad|unhappy|depressed|miserable|heartbroken|"
    "devastated|afraid|scared|frightened|terrified|anxious|worried|nervous|stressed|ashamed|"
    "embarrassed|guilty|jealous|bitter|lonely|hurt|disappointed|frustrated|disgusted|hopeless"
)
_GOOD_FEELING: Final = (
    "happy|glad|delighted|thrilled|excited|overjoyed|proud|grateful|relieved|pleased|ecstatic"
)

_PERSON: Final = (
    "mother|mom|mum|father|dad|parents|brother|sister|son|daughter|wife|husband|partner|boyfriend|"
    "girlfriend|fiancée?|friends?|boss|colleagues?|coworkers?|neighbou?rs?|teacher|students?|uncle|"
    "aunt|grand\\w+|cousin|kids?|child|children|baby|roommate|man|woman|boy|girl|people"
)
_NO_NAME: Final = (
    "It|This|That|These|Those|There|Here|What|Which|Who|How|Everything|Nothing|Something|Life|Today|"
    "Yesterday|Tonight|And|But|So|You|Your|My|Our|The|Still|Now|Was|Were|Is|Are|Am|Im|Not"
)

_DENIAL: Final = re.compile(
    rf"""\b(?:
        (?:i|we)(?:\s*['’]m|\s+am|\s*['’]re|\s+are|\s+was|\s+were|\s+feel)\s+(?:not|no\s+longer)
      | (?:i|we)\s+(?:wasn['’]?t|aren['’]?t|weren['’]?t|ain['’]?t)
      | (?:i|we)\s+stopped\s+(?:being|feeling)
      | (?:i|we)\s+(?:was|were|am|are)\s+never
      | (?:i|we)\s+(?:don['’]?t\s+feel|never\s+felt|no\s+longer\s+feel)
    )\s+(?:(?:at\s+all|really|so|that|very|even|feeling)\s+)*
    (?:{_BAD_FEELING})
    (?:\s+(?:at|with|about|of|by)\s+(?:it|this|that|you|him|her|them|anything|anyone))?
    (?:\s+(?:any\s*more|any\s+longer|now|at\s+all))*
    |\b(?:
        if\s+only\s+(?:i|we)\s+(?:had\s+been|were|was|felt|could\s+(?:be|feel))
      | (?:i|we)\s+wish(?:ed)?\s+(?:that\s+)?(?:i|we)\s+(?:were|was|felt|could\s+(?:be|feel))
      | (?:i|we)(?:\s+would|\s*['’]d|\s+might)\s+(?:have\s+been|be|feel)
    )\s+(?:(?:so|that|very|really|more|truly)\s+)*
    (?:{_BAD_FEELING}|{_GOOD_FEELING})\b(?!\s+to\b)[^.!?;]*
    |\b(?:i|we)\s+used\s+to\s+(?:be|feel)\s+(?:(?:so|very|really|always)\s+)*
    (?:{_BAD_FEELING}|{_GOOD_FEELING})\b[^.!?;,]*""",
    re.IGNORECASE | re.VERBOSE,
)

_REPORT: Final = re.compile(
    rf"""\b(?P<who>
        (?!(?:{_NO_NAME})\b)[A-Z][a-z]+
      | (?i:he|she|they|everyone|everybody|someone|somebody)
      | (?i:my|our|his|her|their|your|the|an?)\s+(?:\w+\s+)?(?:{_PERSON})
    )
    (?:['’]s|['’]re|\s+(?:is|are|was|were|feels?|felt|seem(?:s|ed)|look(?:s|ed)|sound(?:s|ed)|got
      |gets|became|has\s+been|had\s+been))
    \s+(?:(?:so|very|really|quite|still|also|too|pretty|[a-z]+ly)\s+)*
    (?:{_BAD_FEELING}|{_GOOD_FEELING})\b""",
    re.VERBOSE,
)
_WORDS_FOR_WHOM: Final = frozenset(
    {"he", "she", "they", "everyone", "everybody", "someone", "somebody"}
    | {"my", "our", "his", "her", "their", "your", "the", "a", "an"}
)
_SELF: Final = re.compile(r"\b(?:i|me|we|us|myself|ourselves)\b", re.IGNORECASE)


_LEADING_MARKS: Final = re.compile(r"^[\s,.;:!—-]+")
_REMARK: Final = 300
"""Characters up to which a text may be one ironic remark."""


def to_read_again(text: str) -> str | None:
    """What is to be read of a text beside the whole; None where its wording misleads nobody.

    It may be empty: then nothing of the text can be read.

    Example:
        >>> to_read_again("Oh great, another delay.")
        'another delay.'
        >>> to_read_again("I'm not angry any more, I miss you.")
        'I miss you.'
        >>> to_read_again("The train is late.") is None
        True
    """
    rest, found = _DENIAL.subn(" ", text)
    if not found and len(text) <= _REMARK:
        rest, opened = _OPENING.subn("", text)
        rest, closed = _CLOSING.subn(" ", rest)
        found = opened + closed
    return _LEADING_MARKS.sub("", rest).strip() if found else None


def whose_feeling(text: str) -> str | None:
    """Who feels what a text tells of; None where that may be who tells it.

    By the wording alone: somebody is named or meant as one who "is", "was", "feels" or "looks"
    some feeling, and the text speaks of no "I", "me", "we" or "us".

    Example:
        >>> whose_feeling("Sam was furious"), whose_feeling("My mother is terribly sad")
        ('Sam', 'my mother')
        >>> whose_feeling("Sam was furious and I was upset"), whose_feeling("It was a sad day")
        (None, None)
    """
    found = _REPORT.search(text)
    if found is None or _SELF.search(text):
        return None
    who = found["who"]
    return who.lower() if who.split()[0].lower() in _WORDS_FOR_WHOM else who


def with_doubt(text: str, whole: Affect, rest: Affect | None) -> Affect:
    """The affect of a text, once its wording is heeded.

    Args:
        text: The text.
        whole: How all of it was read.
        rest: How that was read which `to_read_again` gives; None where it gives None.

    Returns:
        Unknown for irony; of a denied feeling what else is said; for a report half the confidence.
    """
    if _MOCKERY.search(text):
        return Affect.unknown(source=whole.source)
    affect = whole
    if rest is not None and _DENIAL.search(text):
        affect = rest
    elif (
        rest is not None
        and (whole.valence or 0.0) > _UNPLEASANT
        and _is_unwelcome(text, rest.valence)
    ):
        return Affect.unknown(source=whole.source)
    if affect.confidence is not None and whose_feeling(text) is not None:
        affect = affect.model_copy(update={"confidence": affect.confidence / 2})
    return affect


def _is_unwelcome(text: str, valence: float | None) -> bool:
    """Whether what was praised is unwelcome, by its own valence and its words."""
    if valence is None:
        return False
    return valence < _UNPLEASANT or (valence < _PLEASANT and bool(_NUISANCE.search(text)))

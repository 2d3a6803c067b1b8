"""What is only asked, so that it is no fact: it is kept, and never stands among the facts."""

import re
from typing import Final

from emomem.ranking.gate import is_factual
from emomem.sentences import sentences

_LONGEST: Final = 600
"""Characters of a text beyond which something is told."""

_SAID: Final = re.compile(
    r"""(?:\w\s.*|[\u4e00-\u9fff].*)[?？]\W*$
    |[吗嗎呢]\W*$
    |^\W*(?:please\s+)?(?:tell|show|remind|give)\s+me\s+(?:what|where|when|who|which|how|if|whether
        |(?:of\s+|about\s+)?(?:my|our))\b
    |^\W*(?:what|where|when|who|which|how)(?:\s+(?:time|much|many|old|long|often|far))?
        (?:\s+(?:is|are|was|were|do|does|did|can|will|should|have|has)|['’]s)
        \s+(?:i|you|he|she|it|we|they|my|our|your|his|her|their|the)\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""The form of a question, not only its first word: "how I love tea" and "what I eat is rice"."""
_WHAT: Final = r"(?:what|where|when|who|which|why|how|if|whether)"
_TELLS: Final = re.compile(
    rf"""\b(?:(?:did|do|didn['’]?t|don['’]?t)\s+you\s+(?:know|hear|remember|recall|see)\b
            (?!\s+(?:{_WHAT}|my|the)\b)
        |guess\s+wh(?:at|o)|who(?:['’]d|\s+would)\s+have\s+thought
        |(?:can|could|will|would)\s+you\s+(?!(?:please\s+)?(?:tell|show|remind|give|find|look|list
            |check|recall)\b)
        |(?:remember|note|keep\s+in\s+mind)\s+that
        |(?:told|remind|ok(?:ay)?|awful|sad|bad|good|fine|believe)(?:\s+you|\s+me)?\s+that\s+
            (?:i|i['’]\w+|we|my|our)
        |(?:although|though|because|now\s+that)\s+(?:i|i['’]m|we|my)
        |i\s+told\s+you\s+(?:that\s+)?(?:i|my|we)
        |(?:lembr\w+|anot\w+|sab\w+|diss\w+|cont(?:ei|ou|ar)|falei)\s+(?:de\s+)?que
            (?!\s+(?:horas?|dia|tipo|cor)\b))\b
    |^\W*(?:and\s+|but\s+|so\s+)?(?:why|how\s+come|por\s*qu[eê])\b
    |^\W*(?:have|did)\s+i\s+(?:ever\s+|already\s+)?(?:told|tell|mention\w*|say|said)\b
        (?!(?:\s+\w+)?\s+{_WHAT}\b)
    |^\W*\w+n['’]t\b(?!.*\b{_WHAT}\b)
    |^\W*(?:can|could|may)\s+(?:i|we|my|our|the)\b.*\b(?:be\s+\w+ed|change|cancel|move|send|return)\b
    |^\W*(?:eu|meus?|minhas?|sou|estou|moro|vivo|tenho|trabalho|gosto|quero|preciso)\b[^,]*,
    |^\W*我(?!想知道|想问|要问)[^,，什哪谁誰几幾]*[,，]
    |[,，]\s*你(?:知道|听说|還?记得|记得).{{0,2}}[吗嗎]
    |你[还還]?(?:知道|记得|記得|听说)我(?!.*(?:哪|什么|谁|多少|几))(?!的.*[^了][吗嗎])
    |难道|難道|(?:不是|没|沒).{{0,5}}[说說]过|记住|記住|为什么|為什麼""",
    re.IGNORECASE | re.VERBOSE,
)
"""What is told or asked for in the form of a question: "did you know that I moved?".

So is what "why" takes for granted, and a statement in front of a question: "sou vegano, né?".
"""
_GREETING: Final = re.compile(
    r"^\W*(?:hi|hello|hey|good\s+\w+|thanks|thank\s+you|please|ok(?:ay)?|sorry|oi|olá|obrigad[oa]"
    r"|bom\s+dia|你好|谢谢|謝謝|请问)\b.{0,12}$",
    re.IGNORECASE,
)


def is_question(text: str) -> bool:
    """Whether a text asks for a fact and tells none.

    Each of its sentences has the form of a question, with its mark or its word order, it asks for
    a fact by the rule of `emomem.ranking.gate`, and it neither tells something by asking ("did you
    know that I moved?") nor asks for a favour ("could you send it to my office?"). English, with
    the commonest forms of Portuguese and Chinese; what the rule does not know counts as a fact.

    Example:
        >>> is_question("What is my delivery address?"), is_question("Did you know I moved?")
        (True, False)
    """
    if len(text) > _LONGEST:
        return False
    said = [part for part in sentences(text) if not _GREETING.match(part)]
    return bool(said) and all(map(_asks, said))


def _asks(sentence: str) -> bool:
    return bool(_SAID.search(sentence)) and not _TELLS.search(sentence) and is_factual(sentence)

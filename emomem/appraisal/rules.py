"""Domain rules and word lists, in front of an appraiser or behind it."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from emomem.affect import Affect
from emomem.appraisal.base import (
    BaseAppraiser,
    aappraise_safely,
    appraise_safely,
    check_appraiser,
    digest_of,
    load_appraiser,
    source_of,
)
from emomem.appraisal.fusion import joined_sources
from emomem.appraisal.negation import is_negated
from emomem.emotions import UNKNOWN
from emomem.protocols import Appraiser

Where = Literal["before", "behind"]

_NO_SPACES: Final = ("CJK", "HIRAGANA", "KATAKANA", "THAI")
"""Scripts that put no spaces between words, so that no word ends where a phrase does."""


@dataclass(frozen=True)
class Rule:
    """A pattern, and what a text that holds it feels like.

    A phrase is found as whole words, whatever their case and the white space between them. A
    match behind a simple negation ("not", "never", "no longer", "n't", with at most two words
    between; `emomem.appraisal.negation`) doesn't count, and a rule says nothing of its text then:
    that a task did not fail doesn't make it a triumph.

    Args:
        pattern: A word or phrase, several of them, or a compiled regular expression, which is
            taken as it is: its case and word boundaries are its author's.
        affect: What it means, or a known label.

    Raises:
        TypeError: The pattern or the affect is of another type.
        ValueError: There is no phrase, one is blank, the expression matches the empty text, or
            the label is unknown.

    Example:
        >>> rule = Rule(["task failed", "timed out"], Affect(valence=-0.6, arousal=0.7))
        >>> rule.matches("The TASK  failed again"), rule.matches("The task never timed out")
        (True, False)
    """

    pattern: str | Sequence[str] | re.Pattern[str]
    affect: Affect | str
    _regex: re.Pattern[str] = field(init=False, repr=False, compare=False)
    _meaning: Affect = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check and compile."""
        object.__setattr__(self, "_regex", _compiled(self.pattern))
        if isinstance(self.affect, str):
            meaning = Affect.from_label(self.affect, source="rule")
        elif isinstance(self.affect, Affect):
            meaning = self.affect.model_copy(update={"source": self.affect.source or "rule"})
        else:
            msg = f"affect must be an Affect or a label, got {type(self.affect).__name__}"
            raise TypeError(msg)
        object.__setattr__(self, "_meaning", meaning)

    @property
    def expression(self) -> tuple[str, int]:
        """The expression that is searched, and its flags."""
        return self._regex.pattern, self._regex.flags

    @property
    def meaning(self) -> Affect:
        """The affect of a text that matches."""
        return self._meaning

    def matches(self, text: str) -> bool:
        """Whether the text holds the pattern, not negated."""
        return any(not is_negated(text, found.start()) for found in self._regex.finditer(text))


class RuleAppraiser(BaseAppraiser):
    """Domain rules, alone or together with any appraiser. The first rule that matches counts.

    In front ("before") a matching rule decides, and the appraiser is asked only about the other
    texts. Behind, the appraiser reads every text and a matching rule fills in only what the
    appraiser left unknown: the arousal that a lexicon doesn't know, or the whole of a text that
    it could not read or failed on. A text that neither knows is unknown.

    Args:
        rules: One or more, the most important first.
        appraiser: Who reads what the rules don't; None leaves it unknown.
        where: Where the rules stand, "before" or "behind" the appraiser.

    Raises:
        TypeError: A rule is no `Rule`, or the appraiser is none.
        ValueError: There is no rule, `where` is neither, or the rules stand behind nothing.

    Example:
        >>> rules = [Rule("task failed", Affect(valence=-0.6, arousal=0.7))]
        >>> RuleAppraiser(rules).appraise(["Task failed: disk full"])[0].valence
        -0.6
    """

    def __init__(
        self, rules: Sequence[Rule], appraiser: Appraiser | None = None, where: Where = "before"
    ) -> None:
        if not isinstance(rules, Iterable):
            msg = f"rules must be a list of Rule, got one {type(rules).__name__}"
            raise TypeError(msg)
        self._rules = tuple(rules)
        if not self._rules:
            msg = "rules must hold at least one Rule"
            raise ValueError(msg)
        for rule in self._rules:
            if not isinstance(rule, Rule):
                msg = f"a rule must be a Rule, got {type(rule).__name__}"
                raise TypeError(msg)
        if where not in get_args(Where):
            msg = f"where must be 'before' or 'behind', got {where!r}"
            raise ValueError(msg)
        if appraiser is not None:
            check_appraiser(appraiser)
        elif where == "behind":
            msg = "where='behind' needs an appraiser to stand behind"
            raise ValueError(msg)
        self._appraiser = appraiser
        self.members = () if appraiser is None else (appraiser,)
        self._before = where == "before"

    @property
    def source(self) -> str:
        """A digest of the rules, where they stand, and whom they stand before or behind."""
        rules = [(one.expression, one.meaning.model_dump_json()) for one in self._rules]
        where = "before" if self._before else "behind"
        return "+".join([f"rules:{digest_of(rules)}:{where}", *map(source_of, self.members)])

    def load(self) -> None:
        """Load the appraiser's model now rather than on first use."""
        if self._appraiser is not None:
            load_appraiser(self._appraiser)

    def _read(self, texts: Sequence[str]) -> list[Affect]:
        ruled = self._ruled(texts)
        asked = self._asked(texts, ruled)
        read = [] if self._appraiser is None else appraise_safely(self._appraiser, asked)
        return self._joined(ruled, read)

    async def _aread(self, texts: Sequence[str]) -> list[Affect]:
        ruled = self._ruled(texts)
        asked = self._asked(texts, ruled)
        read = [] if self._appraiser is None else await aappraise_safely(self._appraiser, asked)
        return self._joined(ruled, read)

    def _ruled(self, texts: Sequence[str]) -> list[Affect | None]:
        """What the rules say of each text."""
        return [
            next((rule.meaning for rule in self._rules if rule.matches(text)), None)
            for text in texts
        ]

    def _asked(self, texts: Sequence[str], ruled: Sequence[Affect | None]) -> list[str]:
        """The texts that the appraiser is asked about."""
        pairs = zip(texts, ruled, strict=True)
        return [text for text, rule in pairs if rule is None or not self._before]

    def _joined(self, ruled: Sequence[Affect | None], read: Sequence[Affect]) -> list[Affect]:
        answers = iter(read)
        joined = []
        for rule in ruled:
            if rule is not None and self._before:
                joined.append(rule)
            else:
                affect = next(answers, Affect.unknown())
                joined.append(affect if rule is None else _filled(affect, rule))
        return joined


def _filled(affect: Affect, rule: Affect) -> Affect:
    """The affect, with what it leaves unknown from the rule."""
    if affect.is_unknown:
        return rule
    known = {name: value for name, value in affect if value is not None and value != UNKNOWN}
    missing = {name: value for name, value in rule if value is not None and name not in known}
    if not missing:
        return affect
    return Affect(**{**known, **missing, "source": joined_sources("rules", [affect, rule])})


def _compiled(pattern: str | Sequence[str] | re.Pattern[str]) -> re.Pattern[str]:
    if isinstance(pattern, re.Pattern):
        if not isinstance(pattern.pattern, str):
            msg = "a regular expression must be over str, got one over bytes"
            raise TypeError(msg)
        if pattern.search(""):
            msg = f"the expression {pattern.pattern!r} matches the empty text, so any text"
            raise ValueError(msg)
        return pattern
    if not isinstance(pattern, Iterable):
        kind = type(pattern).__name__
        msg = f"pattern must be a phrase, a list of them or a regular expression, got {kind}"
        raise TypeError(msg)
    phrases = [pattern] if isinstance(pattern, str) else list(pattern)
    if not phrases:
        msg = "pattern must hold at least one word or phrase"
        raise ValueError(msg)
    for phrase in phrases:
        if not isinstance(phrase, str):
            msg = f"a word or phrase must be a str, got {type(phrase).__name__}"
            raise TypeError(msg)
        if not phrase.strip():
            msg = f"a word or phrase must not be blank, got {phrase!r}"
            raise ValueError(msg)
    return re.compile("|".join(map(_phrase, phrases)), re.IGNORECASE)


def _phrase(phrase: str) -> str:
    words = phrase.split()
    start = r"(?<!\w)" if _is_of_words(words[0][0]) else ""
    end = r"(?!\w)" if _is_of_words(words[-1][-1]) else ""
    return start + r"\s+".join(map(re.escape, words)) + end


def _is_of_words(character: str) -> bool:
    """Whether a character belongs to words that white space or marks set apart."""
    name = unicodedata.name(character, "")
    return re.match(r"\w", character) is not None and not name.startswith(_NO_SPACES)

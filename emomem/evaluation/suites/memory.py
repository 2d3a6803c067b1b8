"""How well a memory serves what is true, keeps what was, and forgets: twelve users in one store."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import comb
from typing import Final, get_args

from emomem.evaluation.readings import Progress, silent
from emomem.evaluation.suites.conflict import Rate, rate, require_scipy
from emomem.evaluation.users import Forget, Question, Split, User
from emomem.memory.conflict import ConflictKind
from emomem.memory.memory import Memory
from emomem.memory.query import CURRENT
from emomem.memory.recalling import Recall, Recalled
from emomem.memory.unit import Status

Build = Callable[[Callable[[], float]], Memory]
"""Makes an empty memory that goes by a clock."""

NOW_FIRST: Final = "current truth: first of the facts recalled"
NOW_TOP: Final = "current truth: among the first 3"
NOW_FOUND: Final = "current truth: recalled at all"
NOW_CLEAN: Final = "current truth: recalled without the one it replaced"
RETIRED_RIGHTLY: Final = "retired rightly (precision)"
RETIRED_FOUND: Final = "retired of what is no longer so (recall)"
NOTICED_RIGHTLY: Final = "conflicts noticed rightly (precision)"
NOTICED: Final = "conflicts noticed (recall)"
KEPT: Final = "history: texts kept as they were said"
BEFORE: Final = "history: what was before, recalled when asked for"
FELT_TOP: Final = "memory for a mood: among the first 3 affective ones"
FELT_FOUND: Final = "memory for a mood: among the affective ones"
FELT_TOLD: Final = "memory for a mood: told, as a fact or as affective"
LEAKED: Final = "answers that hold another user's text"
UNFORGOTTEN: Final = "places that hold a forgotten text"
ON_DISK: Final = "forgotten texts in a file of the store"

NONE: Final = frozenset({LEAKED, UNFORGOTTEN, ON_DISK})
"""What must never be."""

_OF_NONE: Final = Rate(0, 0, 0.0, 1.0)
_TOP: Final = 3
_EVER: Final[frozenset[Status]] = CURRENT | {"superseded"}
_DAY: Final = 86_400.0


@dataclass(frozen=True)
class Measure:
    """One share.

    Attributes:
        name: Of what.
        rate: The share.
        chance: 0..1, what drawing at random from the user's memories would give; None where that
            makes no sense.
        tuned: The share of the users who were looked at while rules were tuned.
        held_out: That of those who were not.
    """

    name: str
    rate: Rate
    chance: float | None = None
    tuned: Rate = _OF_NONE
    held_out: Rate = _OF_NONE

    @property
    def fails(self) -> bool:
        """Whether something was found of which there must be none."""
        return self.name in NONE and self.rate.hits > 0


@dataclass
class Clock:
    """The time, which the events set."""

    at: float = 0.0

    def __call__(self) -> float:
        """The time now."""
        return self.at


@dataclass
class Tally:
    """Counts hits by name, in the order in which the names came."""

    counts: dict[str, list[tuple[bool, float | None, Split]]] = field(default_factory=dict)

    def add(self, name: str, split: Split, *hits: bool, chance: float | None = None) -> None:
        """Count hits and misses of a measure, of a user of one split."""
        self.counts.setdefault(name, []).extend((hit, chance, split) for hit in hits)

    def measures(self) -> Iterator[Measure]:
        """The shares."""
        for name, counted in self.counts.items():
            chances = [chance for _, chance, _ in counted if chance is not None]
            yield Measure(
                name,
                _share(counted, "dev", "test"),
                sum(chances) / len(chances) if chances else None,
                _share(counted, "dev"),
                _share(counted, "test"),
            )


def _share(counted: Sequence[tuple[bool, float | None, Split]], *splits: Split) -> Rate:
    hits = [hit for hit, _, split in counted if split in splits]
    return rate(sum(hits), len(hits))


@dataclass(frozen=True)
class Played:
    """A memory after all that its users said.

    Attributes:
        memory: The memory.
        users: Who they are.
        noticed: The conflicts that were found: user, key of the new, key of the old.
    """

    memory: Memory
    users: Sequence[User]
    noticed: frozenset[tuple[str, str, str]]

    def recalled(
        self, user: User, question: Question, statuses: frozenset[Status] = CURRENT
    ) -> Recall:
        """What comes back for a question."""
        return self.memory.recall(
            question.text, user_id=user.id, statuses=statuses, affect=question.mood
        )


def measure_memory(
    build: Build, users: Sequence[User], progress: Progress = silent
) -> list[Measure]:
    """Let the users speak, all in one store and in the order of time, then ask.

    Args:
        build: Makes the memory.
        users: The users, as `load_users` gives them.
        progress: Is told how far it is.

    Raises:
        ImportError: scipy is not installed.
    """
    require_scipy()
    clock = Clock()
    played = play(build(clock), clock, users, progress)
    tally = Tally()
    for number, user in enumerate(users):
        progress("Asking", number, len(users))
        _truth(played, user, tally)
        _history(played, user, tally)
        _moods(played, user, tally)
    for split in get_args(Split):
        _conflicts(played, split, tally)
    for number, user in enumerate(users):
        progress("Looking for leaks", number, len(users))
        tally.add(LEAKED, user.split, *_leaks(played, user))
        tally.add(UNFORGOTTEN, user.split, *_left(played, user))
    return list(tally.measures())


def play(
    memory: Memory, clock: Clock, users: Sequence[User], progress: Progress = silent
) -> Played:
    """Save what the users said, and forget what they wished to be forgotten.

    Args:
        memory: An empty memory.
        clock: What it goes by; it stands a day after the last event in the end.
        users: The users.
        progress: Is told how far it is.
    """
    events = sorted(
        ((user, event) for user in users for event in user.events), key=lambda one: one[1].at
    )
    names: dict[str, str] = {}
    units: dict[tuple[str, str], str] = {}
    noticed: set[tuple[str, str, str]] = set()
    for number, (user, event) in enumerate(events):
        progress("Saving", number, len(events))
        clock.at = event.at
        if isinstance(event, Forget):
            memory.forget(user.id, ids=[units[user.id, event.key]])
        elif event.goal:
            names[memory.goals.add(event.text, user_id=user.id).unit_id] = event.key
        else:
            saved = memory.save(event.text, user_id=user.id, experiencer=event.experiencer)
            units[user.id, event.key] = saved.fact.unit_id
            names[saved.fact.unit_id] = event.key
            against = (names[found.against.unit_id] for found in saved.conflicts)
            noticed.update((user.id, event.key, key) for key in against)
    clock.at += _DAY
    return Played(memory, users, frozenset(noticed))


def on_disk(users: Iterable[User], held: bytes) -> Measure:
    """Whether the bytes of a store's files hold what was forgotten."""
    tally = Tally()
    tally.add(ON_DISK, "test")
    for user in users:
        secrets = (turn.secret for turn in user.turns.values() if turn.secret)
        tally.add(ON_DISK, user.split, *(one.encode() in held for one in secrets))
    [measure] = tally.measures()
    return measure


def _truth(played: Played, user: User, tally: Tally) -> None:
    """Whether what is true now comes back, and without what it replaced."""
    current = user.kept.keys() - user.replaced
    for question in user.asked("now"):
        facts = _keys(user, played.recalled(user, question).facts)
        for name, k in ((NOW_FIRST, 1), (NOW_TOP, _TOP), (NOW_FOUND, len(facts))):
            chance = by_chance(len(current), len(question.keys), k)
            tally.add(name, user.split, not question.keys.isdisjoint(facts[:k]), chance=chance)
        old = frozenset().union(*(user.turns[key].replaces for key in question.keys))
        if old:
            tally.add(
                NOW_CLEAN, user.split, old.isdisjoint(facts) and not question.keys.isdisjoint(facts)
            )


def _history(played: Played, user: User, tally: Tally) -> None:
    """Whether everything is there, what was before too, and what is marked as no longer so."""
    units = {unit.text: unit for unit in played.memory.timeline(user_id=user.id)}
    kept = user.kept
    tally.add(KEPT, user.split, *(turn.text in units for turn in kept.values()))
    for question in user.asked("before"):
        facts = _keys(user, played.recalled(user, question, _EVER).facts)
        chance = by_chance(len(kept), len(question.keys), len(facts))
        tally.add(BEFORE, user.split, not question.keys.isdisjoint(facts), chance=chance)
    retired = {
        key
        for key, turn in kept.items()
        if turn.text in units and units[turn.text].status == "superseded"
    }
    tally.add(RETIRED_RIGHTLY, user.split, *(key in user.replaced for key in retired))
    tally.add(RETIRED_FOUND, user.split, *(key in retired for key in user.replaced))


def _moods(played: Played, user: User, tally: Tally) -> None:
    """Whether the right affective memory comes back for a mood, or of a feeling."""
    for question in user.asked("feel"):
        recall = played.recalled(user, question)
        felt = _keys(user, recall.affective)
        for name, came in (
            (FELT_TOP, felt[:_TOP]),
            (FELT_FOUND, felt),
            (FELT_TOLD, {*felt, *_keys(user, recall.facts)}),
        ):
            chance = by_chance(len(user.kept), len(question.keys), len(came))
            tally.add(name, user.split, not question.keys.isdisjoint(came), chance=chance)


def _keys(user: User, found: Sequence[Recalled]) -> list[str]:
    """What the set calls the texts that came back; another user's is nothing in it."""
    keys = {turn.text: key for key, turn in user.turns.items()}
    return [keys.get(one.unit.text, "") for one in found]


def by_chance(held: int, right: int, drawn: int) -> float:
    """How likely one of the right memories is among some drawn at random.

    Args:
        held: How many memories there are, >= `right`.
        right: How many of them are right.
        drawn: How many are drawn; all where there are fewer.
    """
    drawn = min(drawn, held)
    return 1 - comb(held - right, drawn) / comb(held, drawn)


def _conflicts(played: Played, split: Split, tally: Tally) -> None:
    """Which conflicts of a split's users were noticed, of any kind and of each."""
    users = {user.id: user for user in played.users if user.split == split}
    noticed = {one for one in played.noticed if one[0] in users}
    wanted: dict[tuple[str, str, str], ConflictKind] = {
        (user.id, turn.key, old): kind
        for user in users.values()
        for turn in user.turns.values()
        for old, kind in turn.against.items()
    }
    tally.add(NOTICED_RIGHTLY, split, *(one in wanted for one in noticed))
    tally.add(NOTICED, split, *(one in noticed for one in wanted))
    for kind in get_args(ConflictKind):
        found = (one in noticed for one, of in wanted.items() if of == kind)
        tally.add(f"conflicts noticed: {kind}", split, *found)


def _own(played: Played, user: User) -> set[str]:
    """What a user said, and what the memory kept of a part of it as a fact of its own."""
    own = {turn.text for turn in user.turns.values()}
    units = {unit.unit_id: unit for unit in played.memory.timeline(user_id=user.id)}
    # What others were made from is longer, and comes before them.
    for unit in sorted(units.values(), key=lambda unit: -len(unit.text)):
        for source in (units[id_].text for id_ in unit.sources if id_ in units):
            if source in own and _words(unit.text) <= _words(source):
                own.add(unit.text)
    return own


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def _leaks(played: Played, user: User) -> Iterator[bool]:
    """Of every answer that a user can get, whether it holds a text of another."""
    memory, own = played.memory, _own(played, user)
    for question in (one for asking in played.users for one in asking.questions):
        units = played.recalled(user, question).units
        yield any(unit.user_id != user.id or unit.text not in own for unit in units)
    told = [
        [unit.text for unit in memory.timeline(user_id=user.id)],
        [goal.text for goal in memory.goals.list(user_id=user.id)],
        [
            side.text
            for one in memory.conflicts(user_id=user.id, settled=True)
            for side in (one.earlier, one.later)
        ],
        [unit["text"] for unit in memory.export(user.id)["units"]],
    ]
    yield from (not own.issuperset(texts) for texts in told)


def _left(played: Played, user: User) -> Iterator[bool]:
    """Of every place where a forgotten text of a user could be, whether it is there."""
    memory = played.memory
    for turn in (user.turns[key] for key in user.forgotten):
        asked = Question("before", turn.text, frozenset({turn.key}))
        places: list[object] = [
            [unit.text for unit in played.recalled(user, asked, frozenset(get_args(Status))).units],
            [unit.text for unit in memory.timeline(user_id=user.id)],
            [
                (one.earlier.text, one.later.text, one.context.model_dump())
                for one in memory.conflicts(user_id=user.id, settled=True)
            ],
            [one.model_dump() for one in memory.operations(user_id=user.id)],
            memory.export(user.id),
        ]
        for place in places:
            yield turn.secret in json.dumps(place, ensure_ascii=False)

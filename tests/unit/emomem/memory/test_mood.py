"""Mood, stance, monitor and hints."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem import Affect
from emomem.memory.dynamics import DAY, HOUR
from emomem.memory.monitor import Monitor, hint
from emomem.memory.mood import MoodTracker, stance, stepped
from emomem.memory.unit import MemoryUnit

ANGER, JOY = Affect.from_label("anger"), Affect.from_label("joy")


def felt(affect, at, **more):
    given = {"text": "x", "user_id": "ann", "speaker": "ann", "created_at": at}
    return MemoryUnit(**{**given, "kind": "affective", "affect": affect, **more})


@given(
    st.lists(st.tuples(st.floats(-1, 1), st.floats(0, 1e9)), min_size=1, max_size=6),
    st.floats(0.1, 1000),
)
def test_a_mood_lies_between_what_was_felt(pairs, half_life):
    affects = [Affect(valence=valence) for valence, _ in pairs]
    times = [time for _, time in pairs]
    mood = MoodTracker(half_life).mood(affects, times, now=max(times))
    valences = [valence for valence, _ in pairs]
    assert min(valences) - 1e-9 <= mood.valence <= max(valences) + 1e-9
    assert mood.confidence == 1


def test_the_latest_counts_most_and_old_feelings_lose_confidence():
    tracker = MoodTracker(half_life=2)
    low, high = Affect(valence=-0.6), Affect(valence=0.6)
    mood = tracker.mood([low, high], [0.0, 2 * HOUR], now=2 * HOUR)
    assert mood.valence == pytest.approx((-0.6 + 2 * 0.6) / 3)
    assert tracker.mood([ANGER, JOY], [0.0, 2 * HOUR], now=2 * HOUR).label == "joy"
    later = tracker.mood([low, high], [0.0, 2 * HOUR], now=4 * HOUR)
    assert later.valence == pytest.approx(mood.valence)
    assert later.confidence == pytest.approx(0.5)


def test_one_outburst_is_not_lost_among_plain_statements():
    plain = [Affect(valence=v, arousal=a) for v, a in ((0.04, 0.25), (0.19, 0.22), (0.03, 0.23))]
    for outburst in (ANGER, Affect(valence=-0.6, arousal=0.3)):
        mood = MoodTracker().mood([plain[0], outburst, *plain[1:]], [0, 60, 120, 180], now=240)
        assert hint(mood).opening == "empathise"
    glad = MoodTracker().mood([*plain, JOY], [0, 60, 120, 180], now=240)
    assert glad.valence > 1 / 3
    assert MoodTracker().mood([ANGER, *plain], [0, DAY, DAY, DAY], now=DAY).valence < 0


def test_a_feeling_of_which_only_the_emotions_are_known_counts():
    share = (0.0, 1.0, *[0.0] * 26)
    assert MoodTracker().mood([Affect(emotions=share)], [0], now=0).emotions == pytest.approx(share)


def test_what_is_unknown_or_yet_to_come_does_not_count():
    tracker = MoodTracker()
    assert tracker.mood([], [], now=0).is_unknown
    assert tracker.mood([Affect.unknown(), JOY], [0, 9], now=5).is_unknown


def test_a_memorys_mood_is_one_users_and_not_that_of_those_the_user_talks_of(memory, appraiser):
    appraiser.script = {"no": "anger", "Sam was upset": "sadness", "yes": "joy"}
    memory.save("no")
    memory.save("Sam was upset", experiencer="Sam")
    memory.save("yes", user_id="bob")
    assert memory.mood().label == "anger"
    assert memory.mood(user_id="bob").label == "joy"
    assert memory.mood(user_id="eve").is_unknown
    memory.forget("ann")
    assert memory.mood().is_unknown


async def test_a_mood_lasts_in_the_store_and_ends_with_time(memory, build, clock, appraiser):
    appraiser.script = {"no": "anger"}
    memory.save("no")
    assert await build().amood() == memory.mood()
    clock.now += 30 * DAY
    assert memory.mood().is_unknown


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 1))
def test_an_agents_mood_moves_by_steps(before, towards, most):
    after = stepped(Affect(valence=before, arousal=0.5), Affect(valence=towards), most)
    assert abs(after.valence - before) <= most + 1e-9
    assert min(before, towards) - 1e-9 <= after.valence <= max(before, towards) + 1e-9
    assert after.arousal == 0.5


def test_how_to_act_in_a_mood():
    assert stance(Affect(valence=-0.7, arousal=0.8)) == "conservative"
    assert stance(Affect(valence=-0.7, arousal=0.1)) == "gentle"
    assert stance(Affect(valence=0.7)) == "warm"
    assert stance(Affect.unknown()) == "steady"


def test_how_to_answer():
    assert (hint(ANGER).opening, hint(ANGER).detail) == ("empathise", "terse")
    assert hint(Affect(valence=0.1, arousal=0.2)).opening == "solve"
    assert hint(Affect(valence=0.1, arousal=0.2)).detail == "detailed"
    assert hint(Affect.unknown()).opening == "ask"
    assert hint(Affect(valence=0.0, conflict=0.9)).opening == "ask"


def week(valences, start=0):
    return [felt(Affect(valence=v), (start + day) * DAY + 5) for day, v in enumerate(valences)]


def test_a_report_gives_each_day():
    report = Monitor().report([*week([-0.5, 0.5]), felt(JOY, 9 * DAY), felt(ANGER, 9 * DAY + 1)])
    assert report.days.tolist() == [0, DAY, 9 * DAY]
    assert report.counts.tolist() == [1, 1, 2]
    assert report.valence == pytest.approx([-0.5, 0.5, (JOY.valence + ANGER.valence) / 2])
    assert report.emotions.sum(axis=1) == pytest.approx([0, 0, 1])
    assert report.alerts == ()
    empty = Monitor().report([felt(Affect.unknown(), 0)])
    assert (len(empty.days), empty.alerts) == (0, ())


def test_alerts():
    low = week([-0.8] * 7)
    assert Monitor().report(low).alerts == ("persistent_negativity",)
    assert Monitor().report(low[:6]).alerts == ()
    before = week(np.linspace(0.4, 0.6, 14))
    assert Monitor().report([*before, *week([0.5] * 7, 14)]).alerts == ()
    assert Monitor().report([*before, *week([0.0] * 7, 14)]).alerts == ("drift",)
    again = felt(ANGER, 0, times=3, unit_id="a")
    report = Monitor().report([again, felt(JOY, 0, times=9)])
    assert (report.alerts, report.returning) == (("rumination",), ("a",))


async def test_a_memory_reports_its_user_alone(memory, appraiser):
    appraiser.script = {"no": "anger", "Sam": "sadness"}
    for _ in range(3):
        memory.save("no")
    memory.save("Sam", experiencer="Sam")
    memory.save("no", user_id="bob")
    report = memory.monitor()
    assert report.alerts == ("rumination",)
    assert report.counts.tolist() == [1]
    assert (await memory.amonitor()).returning == report.returning


@pytest.mark.parametrize(
    "make",
    [
        lambda: MoodTracker(half_life=0),
        lambda: Monitor(window=0),
        lambda: Monitor(negative=0.5),
        lambda: Monitor(returns=1),
        lambda: stepped(JOY, ANGER, 2),
    ],
)
def test_wrong_numbers_raise_at_once(make):
    with pytest.raises(ValueError, match="must"):
        make()

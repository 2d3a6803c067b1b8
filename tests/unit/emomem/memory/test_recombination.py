"""A day's dream: what the model is shown, what is kept, and that it ends."""

import json
import logging
from inspect import isawaitable

import pytest

from emomem.asking import schema_of
from emomem.memory.dynamics import DAY
from emomem.memory.recombination import Recombination, Scene
from emomem.prompts import prompts


class Model:
    """Answers what it is told to, and remembers what it was asked."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def complete(self, messages, schema=None):
        self.asked.append(messages)
        return self.answers.pop(0)

    async def acomplete(self, messages, schema=None):
        return self.complete(messages, schema)


SCENE = {
    "text": "A station of glass, and no train.",
    "valence": -0.4,
    "arousal": 0.3,
    "saliences": [{"number": 1, "salience": 0.9}, {"number": 7, "salience": 0.1}],
}


def test_a_dream_is_made_of_the_day_and_ends(memory, clock, appraiser):
    appraiser.script = {"goodbye at the station": "sadness"}
    memory.save("long ago")
    clock.now += 3 * DAY
    felt = memory.save("goodbye at the station").affective
    memory.save("his", user_id="bob")
    model = Model(json.dumps(SCENE))

    made = memory.dream(Recombination(model, persona="A sailor", relations="Bo is her brother"))

    system, user = model.asked[0]
    assert system["content"].startswith(prompts("en").dream)
    assert "1. (sadness) goodbye at the station" in user["content"]
    assert "A sailor" in user["content"]
    assert "Bo is her brother" in user["content"]
    assert "long ago" not in user["content"]
    assert "his" not in user["content"].replace("this", "")
    assert (made.kind, made.text, made.sources) == ("dream", SCENE["text"], (felt.unit_id,))
    assert (made.affect.valence, made.affect.arousal) == (-0.4, 0.3)
    assert memory.dreams() == [made]
    assert made.text not in str(memory.recall("station").units)
    assert memory.explain(felt.unit_id).salience == pytest.approx(0.9)
    assert [one.kind for one in memory.operations()][-2:] == ["create", "reweight"]
    clock.now += DAY
    assert memory.dreams() == []
    assert memory.explain(made.unit_id).status == "expired"


async def test_what_it_was_made_of_takes_it_along_when_forgotten(memory):
    fact = memory.save("goodbye").fact
    made = await memory.adream(Recombination(Model(json.dumps(SCENE))))
    assert await memory.adreams() == [made]
    memory.forget(ids=[fact.unit_id])
    assert memory.dreams() == []


@pytest.mark.parametrize("forgotten", ["all", "one"])
async def test_what_is_forgotten_while_the_model_dreams_is_not_dreamt_of(memory, store, forgotten):
    class Slow(Model):
        def complete(self, messages, schema=None):
            ids = None if forgotten == "all" else [memory.timeline()[-1].unit_id]
            memory.forget("ann", ids=ids)
            return super().complete(messages, schema)

    for dream in (memory.dream, memory.adream):
        memory.save("the harbour")
        memory.save("my PIN is 4711")
        made = dream(Recombination(Slow(json.dumps(SCENE))))
        assert (await made if isawaitable(made) else made) is None
    assert {one.kind for one in store.list("ann")} <= {"fact", "affective"}
    assert {one.kind for one in memory.operations()} <= {"create", "consolidate"}


BLANK = json.dumps({**SCENE, "text": " \0 "})


@pytest.mark.parametrize(
    "answers", [("rubbish", "more"), ("{}", '{"text": ""}'), (BLANK, BLANK), ()]
)
async def test_rubbish_makes_no_dream(memory, store, caplog, answers):
    memory.save("goodbye")
    before = store.list("ann")
    with caplog.at_level(logging.WARNING):
        assert memory.dream(Recombination(Model(*answers))) is None
        assert await memory.adream(Recombination(Model(*answers))) is None
    assert store.list("ann") == before
    assert caplog.text.count("no dream was made") == 2
    assert "goodbye" not in caplog.text


def test_a_day_without_memories_asks_nobody(memory):
    model = Model()
    assert memory.dream(Recombination(model)) is None
    assert model.asked == []


@pytest.mark.parametrize("language", ["en", "zh", "pt"])
def test_the_question_names_every_key(language):
    properties = schema_of(Scene)["properties"]
    inner = properties["saliences"]["items"]["properties"]
    assert all(f'"{key}"' in prompts(language).dream for key in (*properties, *inner))


def test_wrong_arguments_raise_at_once():
    for wrong in ({"days": 0}, {"lasts": -1}, {"language": "fr"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Recombination(Model(), **wrong)

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("torch")
pytest.importorskip("transformers")

from emomem.appraisal.branch import CONFLICT, load_conflict_branch
from emomem.scenarios import scenarios
from training import conflict
from training.fit import Recipe
from training.people import people, split


@pytest.fixture(scope="module")
def told():
    return people()


@pytest.mark.slow
def test_what_is_shipped_reads_people_whom_it_has_not_seen(tmp_path):
    assert conflict.report(load_conflict_branch(), tmp_path) > 0.85


def test_a_few_people_teach_it_to_tell_their_own_memories_apart(told, tmp_path, monkeypatch):
    sentences = tmp_path / "few.tsv"
    sentences.write_text("conflict\tHe lied to her.\nmild\tIt rained.\nintense\tShe won!\n")
    monkeypatch.setattr(conflict, "SENTENCES", sentences)
    few = told[1:3]
    branch = conflict.train(tmp_path, tmp_path, few, Recipe(epochs=10, batch_size=16))
    areas, _ = conflict.measured(branch, few, tmp_path / "cache").T
    assert areas.min() > 0.9
    assert (tmp_path / CONFLICT).stat().st_size < 12e6


def test_in_any_length_the_share_of_conflicts_is_that_of_all(told):
    read = conflict.texts_of(told)
    own = read.weights != conflict.SENTENCE
    bins = np.digitize([len(text) for text in read.texts], conflict.LENGTHS)
    heavy = read.gold[:, 0]
    whole = heavy[own].mean()
    for place in np.unique(bins):
        rows = own & (bins == place)
        assert np.average(heavy[rows], weights=read.weights[rows]) == pytest.approx(whole, abs=0.01)


def test_what_weighs_is_learned_before_and_after_something_mild_and_in_its_midst():
    texts = [(number % 2 == 0, f"Text {number}.") for number in range(40)]
    made = conflict.beside(texts, ["It rained.", "Soup."], np.random.default_rng(0))
    assert [critical for critical, _ in made] == [critical for critical, _ in texts]
    places = set()
    for (_, alone), (_, text) in zip(texts, made, strict=True):
        before, _, after = text.partition(alone)
        around = [sum(part.count(one) for one in ("rained.", "Soup.")) for part in (before, after)]
        assert 1 <= sum(around) <= conflict.AROUND
        places.add(tuple(around))
    assert len(places) > 5


def test_what_a_larger_model_reads_is_half_of_what_is_learned_of_a_memory(told, tmp_path):
    own = conflict.texts_of(told[:1])
    memory = own.texts[-1]
    conflict.Taught({memory: 0.5, "Of nobody.": 1.0}, {"Public.": 0.25}).write(tmp_path / "t.json")
    read = conflict.Taught.read(tmp_path / "t.json").added_to(own)
    assert read.texts == [*own.texts, "Public."]
    row = own.texts.index(memory)
    assert read.gold[row, 0] == pytest.approx((own.gold[row, 0] + 0.5) / 2)
    np.testing.assert_array_equal(read.gold[:row], own.gold[:row])
    assert (read.gold[-1, 0], read.weights[-1]) == (0.25, 1.0)


def test_nothing_is_learned_from_what_is_measured(told):
    learned, unseen = split(told)
    texts = [text for one in told for _, _, text in one.memories]
    assert len(set(texts)) == len(texts)
    assert len({one.id for one in told}) == len(told) == len(learned) + len(unseen)
    measured = {memory.text for one in scenarios() for memory in one.affective}
    measured |= {text for one in unseen for _, _, text in one.memories}
    assert not measured & set(conflict.texts_of(learned).texts)


def test_a_line_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "bad.txt").write_text("## one\npersona: A cook\n\nC 2 Too far.\n")
    with pytest.raises(ValueError, match=r"bad.txt:4 .*'C 2 Too far.'"):
        people(tmp_path)

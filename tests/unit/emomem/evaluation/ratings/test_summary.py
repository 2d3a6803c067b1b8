import json

import numpy as np
import pytest

from emomem.evaluation.ratings.reading import Ratings
from emomem.evaluation.ratings.scales import SCALES
from emomem.evaluation.ratings.summary import OVERALL, judged_table, read_published, summarize

GRADES = {"full": 5, "ablation": 3, "single": 2}


@pytest.fixture
def ratings(packets):
    """Both raters give every item the grade of its arm."""
    items = tuple(sorted(packets.key.items))
    worth = np.array([GRADES[packets.key.items[item].arm] for item in items], dtype=float)
    grades = np.repeat(np.stack([worth, worth])[..., None], len(SCALES), axis=2)
    return Ratings(packets.key, ("R1", "R2"), items, grades)


def test_means_and_paired_differences_of_each_arm(ratings):
    found = summarize(ratings)
    assert found.items == dict.fromkeys(GRADES, 4)
    for arm, grade in GRADES.items():
        cell = found.cells[arm]["memory_use"].grade
        assert (cell.mean, cell.low, cell.high) == (grade, grade, grade)
    assert found.differences["ablation"][OVERALL].grade.mean == 2
    assert found.differences["single"]["naturalness"].grade.mean == 3
    z = [found.cells[arm][OVERALL].z.mean for arm in GRADES]
    assert z == pytest.approx((np.array([5, 3, 2]) - 10 / 3) / np.std([5, 3, 2]))
    assert found.alphas == pytest.approx(dict.fromkeys(SCALES, 1.0))


def test_pairs_are_those_of_scenario_and_seed(ratings):
    key, grades = ratings.key, ratings.grades
    hard = [key.items[item].scenario == "idea" for item in ratings.items]
    grades[:, hard] -= 1
    found = summarize(ratings).differences["ablation"][OVERALL].grade
    assert (found.mean, found.low, found.high) == (2, 2, 2)


def test_what_is_missing_flat_or_absent_is_said(ratings):
    ratings.grades[0, :, 0] = 4
    ratings.grades[1, 0, 1] = np.nan
    known = Ratings(
        ratings.key.model_copy(update={"raters": ("R1", "R2", "R3")}),
        ratings.raters,
        ratings.items,
        ratings.grades,
    )
    notes = " ".join(summarize(known).notes)
    assert "12 items, 1 grades missing" in notes
    assert "Not read: R3" in notes
    assert "R1 gave the same grade throughout on emotional_coherence" in notes
    assert "No published table was given" in notes


def test_one_rater_has_no_agreement_and_the_report_holds_no_nan(ratings, tmp_path):
    alone = Ratings(ratings.key, ("R1",), ratings.items, ratings.grades[:1])
    summarize(alone).write(tmp_path)
    data = json.loads((tmp_path / "ratings.json").read_text())
    assert data["alpha"] == dict.fromkeys(SCALES)
    assert "nan" not in (tmp_path / "ratings.md").read_text()


def test_a_published_table_stands_beside(ratings, tmp_path):
    path = tmp_path / "paper.json"
    path.write_text('{"full": {"memory_use": 4.25}}')
    found = summarize(ratings, read_published(path))
    means = found.tables()[0].markdown()
    assert "| full, published |  |  | 4.25 |  |  |  |" in means
    assert not any("published" in note for note in found.notes)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"full": {"beauty": 4}}', "full.beauty"),
        ('{"full": {"memory_use": 6}}', r"must lie in 1\.\.5, got 6"),
        ("[]", "the file: Input should be"),
    ],
)
def test_what_is_no_published_table_is_told(tmp_path, text, says):
    path = tmp_path / "paper.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=says):
        read_published(path)


def test_an_arm_that_nobody_rated_is_told(ratings):
    ratings.grades[:, [ratings.key.items[i].arm == "single" for i in ratings.items]] = np.nan
    with pytest.raises(ValueError, match="there is no grade of single on emotional_coherence"):
        summarize(ratings)


def test_a_judge_has_a_table_of_its_own(output):
    graded = [output(seed=n, judge=dict.fromkeys(SCALES, n)) for n in (2, 4)]
    table = judged_table([*graded, output(seed=3)])
    assert table.rows[0][:3] == ("full", "2", "3.00 [2.00, 4.00]")
    assert judged_table([output()]) is None

import numpy as np
import pytest

pytest.importorskip("torch")

from emomem.appraisal.branch import columns
from emomem.emotions import GOEMOTIONS
from training import data


@pytest.fixture
def folder(tmp_path):
    for name in ("goemotions", "emobank", "brighter", "xed"):
        (tmp_path / name).mkdir()
    (tmp_path / "goemotions" / "labels.txt").write_text("\n".join(GOEMOTIONS))
    rows = {
        "train": 'So "proud" of you\t0,21\ta\nMe too!\t27\tb\n',
        "dev": "What?\t6\tc\n",
        "test": "me too\t27\td\n",
    }
    for split, text in rows.items():
        (tmp_path / "goemotions" / f"{split}.tsv").write_text(text)
    (tmp_path / "emobank" / "emobank.csv").write_text(
        "id,split,V,A,D,text\n1,train,5,1,3,Good\n2,dev,1,5,1,Bad\n3,test,3,3,3,Hm\n"
    )
    for split, text in (("train", "yes"), ("dev", "no")):
        (tmp_path / "brighter" / f"eng_{split}.csv").write_text(
            f"id,text,joy,anger,fear,sadness,surprise\n1,{text},3,0,0,0,1\n"
        )
    (tmp_path / "xed" / "en.tsv").write_text(
        "Go away.\t1, 3\nfile.xml.gz\tother.xml.gz\t1\t2\nno label\n"
    )
    return tmp_path


def test_goemotions_labels_become_columns(folder):
    rows = data.goemotions(folder, "train")
    gold = rows.targets[:, columns("emotions")]
    assert rows.texts[0] == 'So "proud" of you'
    assert [GOEMOTIONS[i] for i in np.flatnonzero(gold[0])] == ["admiration", "pride"]
    assert np.isnan(rows.targets[:, columns("vad")]).all()


def test_goemotions_refuses_other_labels(folder):
    (folder / "goemotions" / "labels.txt").write_text("joy\nanger")
    with pytest.raises(ValueError, match="official labels"):
        data.goemotions(folder, "train")


def test_emobank_is_on_our_scales(folder):
    assert data.emobank(folder, "train").targets[0, columns("vad")].tolist() == [1, 0, 0]
    assert data.emobank(folder, "dev").targets[0, columns("vad")].tolist() == [-1, 1, -1]


def test_brighter_follows_the_order_of_the_head(folder):
    values = data.brighter_english(folder, "train").targets[0, columns("intensity")]
    np.testing.assert_allclose(values, [0, 0, 1, 0, 1 / 3], rtol=1e-6)


def test_xed_skips_lines_that_are_no_rows(folder):
    texts, values = data.xed(folder, "en")
    assert texts == ["Go away."]
    assert values.tolist() == [[1, 0, 1, 0, 0, 0, 0, 0]]


def test_no_held_out_text_is_trained_on(folder):
    rows = data.english_training(folder)
    assert "Me too!" not in rows.texts
    assert sorted(rows.texts) == ["Go away.", "Good", 'So "proud" of you', "yes"]
    assert sorted(set(rows.source)) == ["brighter", "emobank", "goemotions", "xed"]

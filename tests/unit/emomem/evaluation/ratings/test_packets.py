import csv
import itertools

import pytest

from emomem.evaluation.ratings.packets import make_packets, read_key
from emomem.evaluation.ratings.scales import SCALES


def test_every_rater_gets_all_items_in_an_order_of_their_own(packets):
    first, second = packets.orders.values()
    assert sorted(first) == sorted(second) == sorted(packets.key.items)
    assert first != second


def test_the_texts_of_a_scenario_stay_together_and_no_arm_stands_by_itself(outputs):
    packets = make_packets(outputs, 20, seed=1)
    arms_first = set()
    for order in packets.orders.values():
        scenarios = [packets.outputs[item].scenario for item in order]
        assert len(list(itertools.groupby(scenarios))) == 2
        arms_first.add(packets.outputs[order[0]].arm)
    assert arms_first == {"full", "ablation", "single"}


def test_the_same_seed_blinds_alike_and_without_one_it_is_drawn_and_told(outputs):
    assert make_packets(outputs, 2, seed=5) == make_packets(outputs, 2, seed=5)
    drawn = make_packets(outputs, 2)
    assert drawn.key.items.keys() != make_packets(outputs, 2).key.items.keys()
    assert make_packets(outputs, 2, seed=drawn.key.seed) == drawn


def test_no_spreadsheet_takes_a_name_for_a_number(output):
    outputs = [output(seed=seed) for seed in range(300)]
    names = make_packets(outputs, 1, seed=1).key.items
    assert len(names) == 300
    assert all(name.isalpha() and name.islower() and len(name) == 6 for name in names)


def test_nothing_that_a_rater_gets_tells_the_arm(packets, tmp_path):
    *files, key = packets.write(tmp_path)
    assert [path.name for path in files] == [
        "R1.csv",
        "R1.html",
        "R2.csv",
        "R2.html",
        "scales.txt",
    ]
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert not any(word in text for word in ("full", "ablation", "single", "money/"))
    assert read_key(key) == packets.key
    assert packets.key.arms == ["full", "ablation", "single"]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r=", "\n=", "\uff1d", "\uff20"])
def test_a_packet_is_to_be_filled_in_and_nothing_in_it_is_a_formula(output, tmp_path, start):
    text = f'{start}HYPERLINK("x")\nand, "more"'
    packets = make_packets([output(text=text)], 1, seed=1)
    path = packets.write(tmp_path)[0]
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    with path.open(encoding="utf-8-sig", newline="") as file:
        [row] = csv.DictReader(file)
    assert [row[scale] for scale in SCALES] == [""] * 5
    assert row["text"] == f"'{text}"


def test_a_study_is_not_written_over(packets, tmp_path):
    packets.write(tmp_path)
    with pytest.raises(FileExistsError, match="give another folder"):
        packets.write(tmp_path)


@pytest.mark.parametrize(("count", "raters"), [(0, 1), (1, 0)])
def test_there_is_no_study_of_nothing(output, count, raters):
    with pytest.raises(ValueError, match=r"at least 1 output|raters must be >= 1"):
        make_packets([output()] * count, raters)


def test_what_is_no_key_is_told(tmp_path):
    path = tmp_path / "key.json"
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match="is no key of `emomem ratings make`"):
        read_key(path)

import csv

import numpy as np
import pytest

from emomem.evaluation.ratings.reading import RatingsError, read_ratings
from emomem.evaluation.ratings.scales import COLUMNS, SCALES


def fives(item):
    return (5, 4, 3, 2, 1)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_grades_come_back_by_rater_item_and_scale(packets, answers, separator):
    files = [answers(rater, fives, separator=separator) for rater in ("R2", "R1")]
    ratings = read_ratings(files, packets.key)
    assert ratings.raters == ("R1", "R2")
    assert set(ratings.items) == set(packets.key.items)
    assert (ratings.grades == [5, 4, 3, 2, 1]).all()
    assert ratings.grades.shape == (2, 12, 5)


def test_a_filled_in_packet_with_its_texts_is_read(packets, tmp_path):
    path = packets.write(tmp_path)[0]
    text = path.read_text(encoding="utf-8").replace(",,,,,", ",1,2,3,4,5")
    path.write_text(f"{text}\n,,,,,,,,,,\n", encoding="utf-8")
    assert (read_ratings([path], packets.key).grades == [1, 2, 3, 4, 5]).all()


def test_every_fault_is_told_at_once_with_its_line(packets, answers, tmp_path):
    first, second, third, *rest = packets.orders["R1"]
    rows = [
        f"R1,{first},6,4,x,4,4",
        f"R1,{second},4,,4,,4",
        f"R1,{second},4,4,4,4,4",
        f"R2,{third},4,4,4,4,4",
        "R1,nobody,4,4,4,4,4",
        f"R9,{rest[0]},4,4,4,4,4",
        f"R1,{rest[1]},4,4,4",
        f"R1,{rest[2]},4.5,4,4,4,4",
    ]
    path = tmp_path / "a.csv"
    path.write_text("\n".join([",".join(COLUMNS), *rows]), encoding="utf-8")
    with pytest.raises(RatingsError) as caught:
        read_ratings([path], packets.key)
    *faults, missing = [fault.removeprefix(f"{path}") for fault in caught.value.faults]
    wrong = "must be a whole number from 1 to 5, got"
    assert faults == [
        f", line 2: emotional_coherence {wrong} '6' for item {first}",
        f", line 2: memory_use {wrong} 'x' for item {first}",
        f", line 3: item {second} is not rated on persona_consistency, conflict_sensitivity",
        f", line 4: item {second} is rated in line 3, too",
        ", line 5: rater R2 in the file of R1",
        ", line 6: item 'nobody' is none of this study",
        ", line 7: rater must be one of R1, R2, got 'R9'",
        ", line 8: 5 cells for 7 columns",
        f", line 9: emotional_coherence {wrong} '4.5' for item {rest[2]}",
    ]
    assert missing == f": no row for {', '.join(sorted({rest[1], *rest[3:]}))}"


def test_a_text_in_a_wrong_column_is_told_by_its_length_alone(packets, tmp_path):
    first, *_ = packets.orders["R1"]
    text = "I could not sleep."
    rows = [f"R1,{first},4,4,4,4,{text}", f"{text},{text},4,4,4,4,4"]
    path = tmp_path / "a.csv"
    path.write_text("\n".join([",".join(COLUMNS), *rows]), encoding="utf-8")
    with pytest.raises(RatingsError) as caught:
        read_ratings([path], packets.key, partial=True)
    faults = [fault.removeprefix(f"{path}, ") for fault in caught.value.faults]
    told = "text of 18 characters"
    assert faults == [
        f"line 2: naturalness must be a whole number from 1 to 5, got {told} for item {first}",
        f"line 3: rater must be one of R1, R2, got {told}",
        f"line 3: item {told} is none of this study",
    ]


def test_lines_are_counted_over_texts_of_several_lines(packets, tmp_path):
    first, second, *_ = packets.orders["R1"]
    rows = [f'R1,{first},1,1,1,1,1,"two\nlines"', f"R1,{second},0,1,1,1,1,one"]
    path = tmp_path / "a.csv"
    path.write_text("\n".join([",".join([*COLUMNS, "text"]), *rows]), encoding="utf-8")
    with pytest.raises(RatingsError, match="line 4: emotional_coherence must"):
        read_ratings([path], packets.key, partial=True)


def test_partial_takes_what_is_not_rated_as_missing(packets, answers):
    first, second, *_ = packets.orders["R1"]
    path = answers("R1", lambda item: ("", 2, 3, 4, 5), items=[first, second])
    ratings = read_ratings([path], packets.key, partial=True)
    assert np.isnan(ratings.grades).sum() == 10 * len(SCALES) + 2
    with pytest.raises(RatingsError, match=f"line 2: item {first} is not rated on emotional"):
        read_ratings([path], packets.key)


def test_a_rater_in_two_files_is_told(packets, answers):
    files = [answers("R1", fives), answers("R1", fives, name="again.csv")]
    with pytest.raises(RatingsError, match=r"again\.csv: rater R1 is that of another file, too"):
        read_ratings(files, packets.key)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"item,rater\n", "line 1: no column emotional_coherence"),
        (b"", "line 1: no column rater, item"),
        (",".join(COLUMNS).encode(), "it holds no ratings"),
        ("rater,é".encode("latin-1"), "it must be UTF-8; save it as"),
    ],
)
def test_a_file_that_holds_no_ratings_is_told(packets, tmp_path, data, says):
    path = tmp_path / "a.csv"
    path.write_bytes(data)
    with pytest.raises(RatingsError, match=says):
        read_ratings([path], packets.key)


def test_no_file_is_told(packets):
    with pytest.raises(RatingsError, match="no file"):
        read_ratings([], packets.key)


def test_a_cell_without_an_end_is_a_fault_like_any_other(packets, answers):
    path = answers("R1", fives)
    with path.open("a", encoding="utf-8") as file:
        file.write(f'R1,"{"x" * 2_000}')
    limit = csv.field_size_limit(1_000)
    try:
        with pytest.raises(RatingsError, match=r"R1\.csv, line \d+: it is no CSV: field larger"):
            read_ratings([path], packets.key)
    finally:
        csv.field_size_limit(limit)

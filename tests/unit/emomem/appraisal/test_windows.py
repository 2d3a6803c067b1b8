from itertools import pairwise

import numpy as np
import pytest

from emomem.appraisal.windows import (
    CLOSING,
    HEAD,
    TAIL,
    ends,
    split_windows,
    window_shares,
    window_weights,
)


@pytest.mark.parametrize("length", [0, 1, 63, 64])
def test_what_fits_is_one_window(length):
    assert split_windows(length, 64) == [slice(0, length)]


@pytest.mark.parametrize("size", [1, 4, 16, 62, 510])
@pytest.mark.parametrize("excess", [1, 2, 7, 100, 1111])
def test_windows_are_full_cover_everything_and_overlap(size, excess):
    length = size + excess
    *windows, closing = split_windows(length, size)
    assert all(window.stop - window.start == size for window in windows)
    covered = {place for window in windows for place in range(length)[window]}
    assert covered == set(range(length))
    for left, right in pairwise(windows):
        assert left.start < right.start <= left.stop - size // 8
    assert closing == slice(length - min(CLOSING, size), length)


def test_of_a_very_long_text_both_ends_stay():
    assert ends("a" * (HEAD + TAIL)) == "a" * (HEAD + TAIL)
    assert ends("a" * HEAD + "b" * 9 + "c" * TAIL) == "a" * HEAD + "\n" + "c" * TAIL
    assert ends("a" + " " * 9999) == "a"
    assert ends(" " * 9999) == ""


@pytest.mark.parametrize("size", [0, -1])
def test_a_size_below_one_is_refused(size):
    with pytest.raises(ValueError, match=f"size must be >= 1, got {size}"):
        split_windows(10, size)


def test_shares_give_the_closing_window_half():
    assert window_shares(1).tolist() == [1.0]
    assert window_shares(5).tolist() == [0.125, 0.125, 0.125, 0.125, 0.5]


def test_equal_feelings_leave_the_shares():
    assert window_weights([0.4, 0.4, 0.4]) == pytest.approx([0.25, 0.25, 0.5])


def test_a_neutral_body_does_not_hush_the_end():
    assert window_weights([0.05, 0.05, 0.95])[-1] > 0.9


def test_a_calm_end_does_not_hush_the_body():
    assert window_weights([0.9, 0.9, 0.1])[:2].sum() == pytest.approx(0.9)


def test_all_neutral_falls_back_to_the_shares():
    assert window_weights([0.0, 0.0, 0.0]).tolist() == [0.25, 0.25, 0.5]


def test_unreadable_windows_have_no_say():
    assert window_weights([0.5, np.nan, 0.5]) == pytest.approx([1 / 3, 0, 2 / 3])
    assert window_weights([0.0, 0.0, np.nan]).tolist() == [0.5, 0.5, 0.0]
    assert window_weights([np.nan, np.nan]).tolist() == [0.0, 0.0]

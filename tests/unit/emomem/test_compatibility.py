"""Stored vectors are held against what an encoder makes."""

import gc

import pytest

from emomem.compatibility import Names, Seen, check_form, check_fused, check_plain
from emomem.fused import EXTRA, fuse_documents, mean_phi

NAMES = Names("Fuser", "Encoder", "move it")


def fused(semantic):
    return fuse_documents([semantic], [mean_phi()])[0].tolist()


class Thing:
    pass


def test_the_fused_vector_of_a_text_passes_and_one_of_zeros_tells_nothing():
    check_fused(fused([0.6, 0.8]), [3.0, 4.0], NAMES)
    check_fused(fused([0.0, 0.0]), [0.0, 0.0], NAMES)


@pytest.mark.parametrize(
    ("check", "says"),
    [
        (lambda: check_fused(fused([0.6, 0.8]), [0.8, -0.6], NAMES), "another encoder than Enc"),
        (lambda: check_form([1.0, 0.0], 2, NAMES), r"of 2 dimensions, but Fuser over Encoder"),
        (lambda: check_form([1.0] * (2 + EXTRA), 2, NAMES), "not fused vectors of this version"),
        (lambda: check_plain(31, 8, NAMES), r"of 31 dimensions \(2 \+ 29\), but Encoder makes 8"),
    ],
)
def test_any_other_is_refused_with_the_way_out(check, says):
    with pytest.raises(ValueError, match=f"{says}.*; move it|{says}.*: move it"):
        check()


def test_what_was_seen_is_of_one_store_and_one_encoder_while_they_exist():
    seen, store, encoder = Seen(), Thing(), Thing()
    assert not seen.agree(store, encoder)
    seen.remember(store, encoder)
    assert seen.agree(store, encoder)
    assert not seen.agree(store, Thing())
    del store
    gc.collect()
    assert not seen._of

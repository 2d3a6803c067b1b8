import json

import numpy as np
import pytest

pytest.importorskip("torch")

from emomem.appraisal.branch import load_calibration
from emomem.emotions import GOEMOTIONS
from emomem.metadata import decode_emotions, encode_emotions
from training import mean_phi


def test_it_is_the_mean_of_what_tags_keep():
    even = np.full(28, 1 / 28)
    joy = np.eye(28)[GOEMOTIONS.index("joy")]

    mean = mean_phi.mean_phi(np.stack([even, joy]))

    kept = [decode_emotions(encode_emotions(one)) for one in (even, joy)]
    assert mean == pytest.approx((kept[0] + kept[1]) / 2)
    assert 0.5 < np.linalg.norm(mean) < 1


def test_it_is_written_by_label(tmp_path):
    outputs = np.random.default_rng(0).normal(-3, 2, (50, 44))

    mean_phi.write(outputs, load_calibration(), tmp_path)

    written = json.loads((tmp_path / mean_phi.NAME).read_text())
    expected = mean_phi.mean_phi(load_calibration().distribution(outputs))
    assert tuple(written) == GOEMOTIONS
    assert list(written.values()) == pytest.approx(expected.tolist(), abs=1e-6)

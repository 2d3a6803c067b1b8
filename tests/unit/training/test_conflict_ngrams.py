import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("safetensors")
pytest.importorskip("torch")

from emomem.appraisal.ngrams import LANGUAGES, load_ngrams
from emomem.scenarios import scenarios
from training.conflict import told_apart
from training.conflict_ngrams import Reader
from training.people import PEOPLE, of_file, people
from training.train import write_checksums


@pytest.fixture(scope="module", params=LANGUAGES)
def language(request):
    return request.param


@pytest.fixture(scope="module")
def reader(language):
    first = min((PEOPLE / language).glob("*.txt"))
    return Reader.fit([*of_file(first)], ["12345"], language)


def test_who_writes_in_one_file_teaches_it_to_read_those_of_another(reader, language):
    last = max((PEOPLE / language).glob("*.txt"))
    told = [*of_file(last)]
    odds = reader.odds([text for one in told for text in one.texts])
    area, _ = told_apart(odds, told).mean(axis=0)
    assert area > 0.85


def test_what_is_written_reads_the_same(reader, language, tmp_path):
    reader.write(tmp_path)
    for name in ("calibration.json", "mean_phi.json"):
        (tmp_path / name).write_text("{}")
    write_checksums(tmp_path)
    texts = next(of_file(min((PEOPLE / language).glob("*.txt")))).texts
    chances = load_ngrams(language, tmp_path, reads="conflict").chances(texts)
    np.testing.assert_allclose(chances[:, 0], 1 / (1 + np.exp(-reader.odds(texts))), atol=0.02)


def test_nothing_is_learned_from_what_is_measured(language):
    told = people(PEOPLE / language)
    texts = [text for one in told for text in one.texts]
    assert len(set(texts)) == len(texts)
    assert len({one.id for one in told}) == len(told)
    assert not {memory.text for one in scenarios() for memory in one.affective} & set(texts)

import asyncio
import hashlib
import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from emomem import Affect, Appraiser, LocalAppraiser, LocalEncoder
from emomem.appraisal.adapter import DomainAdapter
from emomem.appraisal.domain_heads import DomainHeads, HeldOut
from emomem.appraisal.heads import LOGISTIC, PENALTIES, SQUARED, fit_head, softmax
from emomem.emotions import GOEMOTIONS

# What an operations team means by its own words; the embedded model reads most of it as neutral.
OPERATIONS = {
    "nervousness": (
        "Disk usage on the primary is at ninety percent.",
        "Latency has been creeping up since noon.",
        "The certificate expires tomorrow morning.",
        "Replication lag is at four minutes.",
        "The queue is growing faster than we drain it.",
        "Memory on node three keeps climbing.",
        "The deploy window closes in ten minutes.",
        "Error rate is slightly above the threshold.",
        "The backup has been running for nine hours.",
        "One of the two power supplies is offline.",
        "Connections are close to the pool limit.",
        "The canary shows more timeouts than usual.",
        "We have one healthy replica left.",
        "CPU has been pinned since the last release.",
        "The retry count doubled in an hour.",
    ),
    "anger": (
        "Someone pushed to main without a review again.",
        "The vendor closed our ticket without an answer.",
        "They rotated the keys and told nobody.",
        "The alert was muted for the whole weekend.",
        "He deleted the runbook that we all use.",
        "Our quota was cut without any notice.",
        "The migration was run in the middle of the day.",
        "The same typo broke production a third time.",
        "Nobody on call picked up the page.",
        "They shipped it although the tests were red.",
        "The provider changed the interface overnight.",
        "Somebody restarted the database by hand.",
        "The postmortem was skipped once more.",
        "They blamed our team for their outage.",
        "The config was edited live on the server.",
    ),
    "relief": (
        "All checks are green after the rollback.",
        "The restore finished and the counts match.",
        "The failover worked at the first attempt.",
        "Replication has caught up.",
        "The incident is resolved.",
        "Latency is back to normal.",
        "The certificate was renewed in time.",
        "The hotfix is live and errors stopped.",
        "No data was lost in the crash.",
        "The queue is empty again.",
        "The last flaky test passes now.",
        "The second power supply is back online.",
        "Traffic moved over without a dropped request.",
        "The audit found nothing.",
        "The node rejoined the cluster by itself.",
    ),
    "neutral": (
        "The weekly report is in the shared folder.",
        "The meeting is in room nine.",
        "Version two is tagged in the repository.",
        "The dashboard has a new panel.",
        "Logs are kept for thirty days.",
        "The service listens on port eighty.",
        "The job runs every night at two.",
        "The table has eleven columns.",
        "The wiki page was moved to another space.",
        "The script takes two arguments.",
        "The image is built on every commit.",
        "The cluster has five nodes.",
        "The config file is in the home folder.",
        "Names are sorted by date.",
        "The changelog lists each release.",
    ),
}
UNSEEN = {
    "Disk usage is at ninety-five percent now.": "nervousness",
    "Error rate keeps climbing on node two.": "nervousness",
    "They pushed to production without a review.": "anger",
    "Somebody edited the database by hand again.": "anger",
    "The restore worked and latency is back to normal.": "relief",
    "All tests are green again after the hotfix.": "relief",
    "The report lists every release.": "neutral",
    "The cluster has seven nodes.": "neutral",
}
# One row of each label in turn, so that any twenty hold all four.
ROWS = [(sentences[row], label) for row in range(15) for label, sentences in OPERATIONS.items()]
TEXTS, LABELS = ([row[column] for row in ROWS] for column in (0, 1))


@pytest.fixture(scope="module")
def encoder():
    return LocalEncoder()


@pytest.fixture(scope="module")
def adapter(encoder):
    return DomainAdapter.fit(TEXTS, LABELS, encoder)


@pytest.fixture(scope="module")
def numbers(encoder):
    """An adapter of rows that know numbers alone, the opposite of what the model would say."""
    own = LocalAppraiser(encoder).appraise(TEXTS)
    rows = [Affect(valence=-a.valence, arousal=1 - a.arousal) for a in own]
    return DomainAdapter.fit(TEXTS, rows, encoder)


def accuracy(appraiser, texts, labels):
    return np.mean([a.label == x for a, x in zip(appraiser.appraise(texts), labels, strict=True)])


def test_it_reads_unseen_texts_of_its_domain_better_than_the_embedded_model(adapter, encoder):
    texts, labels = list(UNSEEN), list(UNSEEN.values())
    assert accuracy(adapter, texts, labels) >= 7 / 8
    assert accuracy(LocalAppraiser(encoder), texts, labels) <= 4 / 8


def test_the_report_is_of_rows_held_out(adapter):
    (checked,) = adapter.report
    assert (checked.target, checked.rows, checked.measure) == ("label", 60, "accuracy")
    assert checked.branch + 0.1 < checked.adapter < 1.0
    assert accuracy(adapter, TEXTS, LABELS) > checked.adapter


def test_labels_that_mean_nothing_are_not_learned(encoder):
    rng = np.random.default_rng(0)
    shuffled = [LABELS[row] for row in rng.permutation(len(LABELS))]
    (checked,) = DomainAdapter.fit(TEXTS, shuffled, encoder).report
    assert checked.adapter < 0.45


def test_a_head_that_does_worse_than_the_model_is_named(encoder, caplog, monkeypatch):
    checks = (
        HeldOut("label", 60, "accuracy", 0.4, 0.5),
        HeldOut("valence", 60, "mean absolute error", 0.1, 0.2),
    )
    monkeypatch.setattr(DomainHeads, "fit", lambda *_: DomainHeads({}, (), checks))
    DomainAdapter.fit(TEXTS, LABELS, encoder)
    assert "the head for label does worse" in caplog.text
    assert "accuracy 0.40, which has 0.50" in caplog.text
    assert "valence" not in caplog.text


def test_worse_is_fewer_right_labels_and_larger_errors():
    assert HeldOut("label", 20, "accuracy", 0.4, 0.5).is_worse
    assert not HeldOut("label", 20, "accuracy", 0.5, 0.5).is_worse
    assert HeldOut("valence", 20, "mean absolute error", 0.5, 0.4).is_worse
    assert not HeldOut("valence", 20, "mean absolute error", 0.3, 0.4).is_worse


def test_emotions_label_and_confidence_are_of_the_labels_and_the_rest_is_the_models(
    adapter, encoder
):
    text = next(iter(UNSEEN))
    affect, own = (
        appraiser.appraise([text])[0] for appraiser in (adapter, LocalAppraiser(encoder))
    )
    known = {GOEMOTIONS.index(label) for label in OPERATIONS}
    assert sum(affect.emotions) == pytest.approx(1)
    assert {row for row, share in enumerate(affect.emotions) if share} == known
    assert affect.confidence == pytest.approx(max(affect.emotions))
    assert affect.label == GOEMOTIONS[int(np.argmax(affect.emotions))]
    vad = ("valence", "arousal", "dominance")
    assert [getattr(affect, name) for name in vad] == [getattr(own, name) for name in vad]
    assert (affect.source, own.source) == ("emomem:2+adapter", "emomem:2")


def test_numbers_are_learned_and_labels_stay_the_models(numbers, encoder):
    texts = ["I am so happy with this release!", "I hate this broken pipeline."]
    own = LocalAppraiser(encoder).appraise(texts)
    happy, hate = numbers.appraise(texts)
    assert (happy.label, hate.label) == (own[0].label, own[1].label)
    assert happy.valence < own[0].valence
    assert hate.valence > own[1].valence
    assert [checked.target for checked in numbers.report] == ["valence", "arousal"]
    assert all(checked.adapter < 0.7 * checked.branch for checked in numbers.report)
    assert {checked.measure for checked in numbers.report} == {"mean absolute error"}


def test_numbers_stay_within_their_range(encoder):
    ends = [Affect(arousal=1.0 if label == "anger" else 0.0) for label in LABELS]
    arousal = [a.arousal for a in DomainAdapter.fit(TEXTS, ends, encoder).appraise(TEXTS * 2)]
    assert min(arousal) == 0.0
    assert max(arousal) <= 1.0


def test_labels_of_other_sets_keep_their_name(encoder):
    names = {"nervousness": "Anxious", "anger": "angry ", "relief": "calm", "neutral": "neutral"}
    renamed = DomainAdapter.fit(TEXTS, [names[label] for label in LABELS], encoder)
    affect = renamed.appraise(["Disk usage is at ninety-five percent now."])[0]
    assert affect.label == "anxious"
    assert affect.emotions[GOEMOTIONS.index("nervousness")] > 0.3


def test_labels_may_come_in_affects_and_unknown_rows_teach_nothing(encoder, adapter):
    rows = [Affect(label=label) for label in LABELS]
    same = DomainAdapter.fit(
        [*TEXTS, "A row nobody could read."], [*rows, Affect.unknown()], encoder
    )
    assert same.report == adapter.report
    assert same.appraise(list(UNSEEN)) == adapter.appraise(list(UNSEEN))


def test_what_too_few_rows_know_stays_the_models(encoder):
    rows = [Affect(label=label) for label in LABELS]
    rows[:5] = [Affect(label=label, valence=0.9) for label in LABELS[:5]]
    assert [one.target for one in DomainAdapter.fit(TEXTS, rows, encoder).report] == ["label"]


def test_other_languages_and_unreadable_texts_stay_the_models(adapter, encoder):
    texts = ["我很想她", "Ich vermisse sie so sehr", "Estou muito feliz com isso, não é?", "", " "]
    assert adapter.appraise(texts) == LocalAppraiser(encoder).appraise(texts)
    mixed = adapter.appraise([*texts, TEXTS[0]])
    assert mixed[:-1] == adapter.appraise(texts)
    assert mixed[-1].source == "emomem:2+adapter"
    assert mixed[-1].label == adapter.appraise([TEXTS[0]])[0].label


def test_a_long_text_is_read_to_its_end(adapter):
    body = "The meeting is in room nine. " * 120
    end = "Somebody edited the database by hand again and told nobody."
    shares = [a.emotions[GOEMOTIONS.index("anger")] for a in adapter.appraise([body, body + end])]
    assert shares[1] > shares[0] + 0.2


def test_a_batch_is_its_parts_and_async_agrees(adapter):
    texts = [*UNSEEN, "", TEXTS[0]]
    affects = adapter.appraise(texts)
    apart = [adapter.appraise([text])[0] for text in texts]
    for one, other in zip(affects, apart, strict=True):
        assert one.label == other.label
        assert one.emotions == pytest.approx(other.emotions, abs=1e-4)
    assert asyncio.run(adapter.aappraise(texts)) == affects


def test_eight_threads_agree(adapter):
    start = threading.Barrier(8)

    def work(_):
        start.wait()
        return adapter.appraise(list(UNSEEN))

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(8)))
    assert all(result == results[0] for result in results)


def test_what_is_saved_reads_the_same_when_loaded(adapter, encoder, tmp_path):
    adapter.save(tmp_path / "new" / "folder")
    loaded = DomainAdapter.from_folder(tmp_path / "new" / "folder", encoder)
    assert loaded.appraise(list(UNSEEN)) == adapter.appraise(list(UNSEEN))
    assert loaded.report == adapter.report
    written = [path.name for path in sorted((tmp_path / "new" / "folder").iterdir())]
    assert written == ["adapter.json", "adapter.safetensors"]
    assert not any(
        TEXTS[0].encode() in path.read_bytes() for path in (tmp_path / "new" / "folder").iterdir()
    )


@pytest.fixture
def folder(adapter, tmp_path):
    adapter.save(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["adapter.json", "adapter.safetensors"])
def test_a_missing_file_raises(folder, encoder, name):
    (folder / name).unlink()
    with pytest.raises(FileNotFoundError):
        DomainAdapter.from_folder(folder, encoder)


def test_other_weights_are_refused(folder, encoder):
    path = folder / "adapter.safetensors"
    path.write_bytes(path.read_bytes()[:-1] + b"\x00")
    with pytest.raises(ValueError, match="has not the SHA-256"):
        DomainAdapter.from_folder(folder, encoder)


def edit(folder, **facts):
    path = folder / "adapter.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **facts}))


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"format": 2}, r"is not what DomainAdapter\.save writes"),
        ({"more": 1}, r"is not what DomainAdapter\.save writes"),
        ({"report": [{"target": "label"}]}, r"is not what DomainAdapter\.save writes"),
        ({"labels": 3}, r"is not what DomainAdapter\.save writes"),
        ({"labels": ["joy"]}, "must have 384 inputs and 1 finite outputs"),
        ({"labels": ["joy", "gloom"]}, "unknown emotion label 'gloom'"),
        ({"branch": {"branch.safetensors": "0"}}, "another version of the embedded model"),
    ],
)
def test_other_facts_are_refused(folder, encoder, facts, message):
    edit(folder, **facts)
    with pytest.raises(ValueError, match=message):
        DomainAdapter.from_folder(folder, encoder)


def rewrite(folder, data):
    (folder / "adapter.safetensors").write_bytes(data)
    edit(folder, sha256=hashlib.sha256(data).hexdigest())


def test_weights_that_are_none_or_of_another_shape_are_refused(folder, encoder):
    from safetensors.numpy import load, save

    tensors = load((folder / "adapter.safetensors").read_bytes())
    rewrite(folder, save({name: tensor[:10] for name, tensor in tensors.items()}))
    with pytest.raises(ValueError, match="must have 384 inputs"):
        DomainAdapter.from_folder(folder, encoder)
    rewrite(folder, b"no weights")
    with pytest.raises(ValueError, match=r"is not what DomainAdapter\.save writes"):
        DomainAdapter.from_folder(folder, encoder)


def test_a_report_of_a_head_that_is_not_there_is_refused(folder, encoder):
    report = json.loads((folder / "adapter.json").read_text())["report"]
    edit(folder, report=[*report, {**report[0], "target": "valence"}])
    with pytest.raises(ValueError, match=r"is not what DomainAdapter\.save writes"):
        DomainAdapter.from_folder(folder, encoder)


@pytest.mark.parametrize("content", ["", "[]", "{", "null"])
def test_what_is_no_json_of_ours_is_refused(folder, encoder, content):
    (folder / "adapter.json").write_text(content)
    with pytest.raises(ValueError, match=r"is not what DomainAdapter\.save writes"):
        DomainAdapter.from_folder(folder, encoder)


@pytest.mark.parametrize(
    ("texts", "affects", "error", "message"),
    [
        (TEXTS, LABELS[:-1], ValueError, "got 60 and 59"),
        ([], [], ValueError, r"too few rows: .* at least 20"),
        (TEXTS[:19], LABELS[:19], ValueError, "too few rows"),
        (TEXTS, [Affect.unknown()] * 60, ValueError, "too few rows"),
        (TEXTS, ["joy"] * 60, ValueError, "all rows have the label 'joy'"),
        (TEXTS, ["joy", "fear"] + ["anger"] * 58, ValueError, "in one alone: 'fear', 'joy'"),
        (
            TEXTS,
            ["gloom", *LABELS[1:]],
            ValueError,
            "row 0: an unknown label; known are a",
        ),
        (TEXTS, [Affect(label="gloom")] * 60, ValueError, "row 0: an unknown label; known are"),
        (TEXTS, [float("nan"), *LABELS[1:]], TypeError, r"row 0: an affect must be .*, got float"),
        (TEXTS, [*LABELS[:-1], None], TypeError, r"row 59: an affect must be .*, got NoneType"),
        ([*TEXTS[:-1], ["x"]], LABELS, TypeError, r"row 59: a text must be a str, got list"),
        ("text", ["joy"] * 4, TypeError, "got one str"),
        (["我很想她"] * 41 + TEXTS[41:], LABELS, ValueError, r"that can be read, .* there are 19"),
    ],
)
def test_wrong_rows_are_refused(encoder, texts, affects, error, message):
    with pytest.raises(error, match=message):
        DomainAdapter.fit(texts, affects, encoder)


def test_rows_that_cannot_be_read_teach_nothing_and_are_counted(encoder, adapter, caplog):
    private = "我很想她"
    same = DomainAdapter.fit([" ", private, *TEXTS], ["joy", "grief", *LABELS], encoder)
    assert same.report == adapter.report
    assert "2 rows cannot be read and teach nothing: 0, 1" in caplog.text
    assert private not in caplog.text


def test_it_is_an_appraiser(adapter):
    assert isinstance(adapter, Appraiser)
    with pytest.raises(TypeError, match="got one str"):
        adapter.appraise("one text")


def test_importing_it_loads_no_torch():
    code = "import sys, emomem.appraisal.adapter; sys.exit('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr.decode()


def test_the_encoder_gives_features_and_keeps_the_outputs(encoder, monkeypatch):
    fresh = LocalEncoder()
    texts = [TEXTS[0], "", "word " * 700]
    features = fresh.features(texts)
    assert features.shape == (3, 384)
    assert np.isfinite(features).all()
    own = LocalEncoder().read(texts, embed=False, affect=True)
    monkeypatch.setattr(fresh, "_shared", lambda: pytest.fail("the outputs were not kept"))
    for kept, read in zip(fresh.read(texts, embed=False, affect=True), own, strict=True):
        np.testing.assert_allclose(kept.outputs, read.outputs, atol=1e-4)
        assert kept.tokens == read.tokens
    assert encoder.features([]).shape == (0, 384)


@pytest.fixture
def made_up():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(80, 12))
    return features, features @ rng.normal(size=(12, 3)) + rng.normal(size=(80, 3))


def test_ridge_is_the_closed_form_of_what_the_base_leaves(made_up):
    features, targets = made_up
    base = np.full_like(targets, 5.0)
    head, _ = fit_head(features, base, targets, SQUARED)
    centred = features - features.mean(axis=0)
    scaled = centred / np.sqrt(np.square(centred).sum(axis=1).mean())
    solutions = [
        np.linalg.solve(scaled.T @ scaled + penalty * np.eye(12), scaled.T @ (targets - 5.0))
        for penalty in PENALTIES
    ]
    expected = [scaled @ solution + targets.mean(axis=0) for solution in solutions]
    errors = [np.abs(head(features, base) - one).max() for one in expected]
    assert min(errors) < 1e-8


def test_the_logistic_head_is_that_of_scikit_learn(made_up):
    from sklearn.linear_model import LogisticRegression

    features, scores = made_up
    wanted = scores.argmax(axis=1)
    base = np.zeros((80, 3))
    head, _ = fit_head(features, base, np.eye(3)[wanted], LOGISTIC)
    centred = features - features.mean(axis=0)
    scaled = centred / np.sqrt(np.square(centred).sum(axis=1).mean())
    errors = [
        np.abs(
            softmax(head(features, base))
            - LogisticRegression(C=1 / penalty, max_iter=5000)
            .fit(scaled, wanted)
            .predict_proba(scaled)
        ).max()
        for penalty in PENALTIES
    ]
    assert min(errors) < 0.02
    assert sorted(errors)[1] > 0.02


def test_where_features_tell_nothing_the_base_remains():
    rng = np.random.default_rng(1)
    features, base = rng.normal(size=(60, 30)), rng.normal(size=(60, 1))
    head, held_out = fit_head(features, base, base + 0.01 * rng.normal(size=(60, 1)), SQUARED)
    assert np.abs(head(features, base) - base).max() < 0.02
    assert np.abs(held_out - base).max() < 0.02


def test_held_out_predictions_know_nothing_of_their_own_row():
    rng = np.random.default_rng(2)
    features, targets = rng.normal(size=(40, 60)), rng.normal(size=(40, 1))
    _, held_out = fit_head(features, np.zeros((40, 1)), targets, SQUARED)
    assert np.corrcoef(held_out[:, 0], targets[:, 0])[0, 1] < 0.4


def test_equal_features_are_no_trouble():
    targets = np.eye(2)[[0, 1] * 10]
    _, held_out = fit_head(np.ones((20, 4)), np.zeros((20, 2)), targets, LOGISTIC)
    np.testing.assert_allclose(held_out, 0.5, atol=1e-6)


def test_heads_are_made_of_what_is_known():
    own = [Affect.from_label("joy", source="x")] * 20
    known = [Affect(valence=0.5 if row % 2 else -0.5) for row in range(20)]
    features = np.array([[float(row % 2), 1.0] for row in range(20)])
    heads = DomainHeads.fit(known, own, features)
    assert set(heads.heads) == {"valence"}
    low, high = heads.adapted(own[:2], features[:2], "new")
    assert low.valence < -0.4
    assert high.valence > 0.4
    assert (low.label, low.source) == ("joy", "new")

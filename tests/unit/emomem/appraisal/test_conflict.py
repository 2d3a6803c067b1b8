import numpy as np
import pytest

from emomem import Affect, BaseAppraiser, ConflictAppraiser, LexiconAppraiser, LocalAppraiser
from emomem.appraisal import branch, shared_pass
from emomem.appraisal.weights import WEIGHTS
from emomem.encoder import LocalEncoder
from emomem.reading import Reading
from emomem.signals import salience

AT_ODDS = (
    "My partner signed the sale behind my back and then toasted me at the dinner.",
    "I let my sister take the punishment for what I had broken.",
)
STIRRED = (
    "The engine caught fire on the runway and we jumped down the slides.",
    "My son took his first steps and I wept with joy.",
)
MILD = ("We compared two kinds of flour and took the cheaper one.", "The lift is slow on Mondays.")


@pytest.fixture(scope="module")
def appraiser():
    return ConflictAppraiser()


def test_what_sets_people_against_each_other_is_told_from_what_only_stirs(appraiser):
    conflicts = [
        [x.conflict for x in appraiser.appraise(some)] for some in (AT_ODDS, STIRRED, MILD)
    ]
    assert min(conflicts[0]) > 1.5 * max(conflicts[1] + conflicts[2])


def test_with_it_salience_puts_the_quarrel_before_the_accident(appraiser):
    texts = (AT_ODDS[0], STIRRED[0], MILD[0])
    affects = appraiser.appraise(texts)
    columns = np.array([(x.valence, x.arousal, x.conflict) for x in affects]).T
    assert np.argsort(-salience(*columns)).tolist() == [0, 1, 2]


def test_the_rest_is_the_other_appraisers(appraiser):
    text = AT_ODDS[1]
    [alone], [read] = (
        LexiconAppraiser().appraise([text]),
        ConflictAppraiser(LexiconAppraiser()).appraise([text]),
    )
    assert read == alone.model_copy(update={"conflict": read.conflict})
    assert read.conflict == pytest.approx(appraiser.appraise([text])[0].conflict, abs=1e-4)


OTHERS = {
    "zh": (
        ("他瞒着我把房子抵押了，我到现在都没有原谅他。", "妹妹替我挨了那顿打，我从来没说过真相。"),
        ("飞机在跑道上起火，我们从滑梯上跳了下去。", "儿子第一次走路，我高兴得哭了。"),
        ("我们比较了两种面粉，买了便宜的那种。", "星期一电梯总是很慢。"),
    ),
    "pt": (
        (
            "Meu sócio assinou a venda pelas minhas costas e nunca me pediu desculpa.",
            "Deixei minha irmã levar a culpa pelo que eu tinha feito.",
        ),
        (
            "O motor pegou fogo na pista e descemos pelos escorregadores.",
            "Meu filho deu os primeiros passos e eu chorei de alegria.",
        ),
        (
            "Comparamos dois tipos de farinha e levamos a mais barata.",
            "O elevador é lento às segundas-feiras.",
        ),
    ),
}


@pytest.mark.parametrize("language", OTHERS)
def test_chinese_and_portuguese_are_read_too(appraiser, language):
    conflicts = [[x.conflict for x in appraiser.appraise(some)] for some in OTHERS[language]]
    assert min(conflicts[0]) > 1.5 * max(conflicts[1] + conflicts[2])


@pytest.mark.parametrize("language", OTHERS)
def test_of_their_windows_too_the_one_with_most_conflict_counts(appraiser, language):
    conflicts, _, mild = OTHERS[language]
    filler = " ".join(mild * 20)
    [alone, long] = appraiser.appraise([filler, f"{filler} {' '.join(conflicts)}"])
    assert alone.conflict < 1 / 3 < long.conflict


def test_a_feeling_too_doubtful_to_say_leaves_the_conflict(appraiser):
    text = "他把借条烧了，说我们两清。"
    [felt] = LocalAppraiser().appraise([text])
    assert felt.is_unknown
    [read] = appraiser.appraise([text])
    assert read == felt.model_copy(update={"conflict": read.conflict})
    assert read.conflict > 1 / 2


@pytest.mark.parametrize("language", ["en", *OTHERS])
def test_who_fails_may_be_asked_again(language):
    class Failing(BaseAppraiser):
        def _read(self, texts):
            raise TimeoutError

    text = AT_ODDS[0] if language == "en" else OTHERS[language][0][0]
    assert ConflictAppraiser(Failing()).appraise([text]) == [Affect.unknown()]


@pytest.mark.parametrize(
    "text", ["", "😀", "...", "。。。", "12:30", "Er hat mich belogen und betrogen."]
)
def test_what_it_cannot_read_it_leaves_alone(appraiser, text):
    assert appraiser.appraise([text])[0].conflict is None


def test_a_conflict_that_is_known_stays():
    class Sure(BaseAppraiser):
        def _read(self, texts):
            return [Affect(valence=0.1, conflict=0.25) for _ in texts]

    assert ConflictAppraiser(Sure()).appraise(AT_ODDS)[0].conflict == 0.25


async def test_sync_and_async_agree(appraiser):
    texts = [*AT_ODDS, "", *MILD]
    assert await appraiser.aappraise(texts) == appraiser.appraise(texts)


def test_no_appraiser_is_refused():
    with pytest.raises(TypeError, match="appraise and aappraise"):
        ConflictAppraiser("local")


def test_the_window_with_most_conflict_counts(appraiser):
    filler = " ".join(MILD * 20)
    [mild, long] = appraiser.appraise([filler, f"{filler} {AT_ODDS[0]} {AT_ODDS[1]}"])
    assert long.conflict > mild.conflict
    windows = np.array([[0.0], [2.0], [-1.0]], dtype=np.float32)
    assert Reading(None, None, 9, windows).conflict == pytest.approx(1 / (1 + np.exp(-2)))


def test_a_reading_that_was_not_asked_for_conflict_knows_none():
    with pytest.raises(ValueError, match="ask for it"):
        _ = Reading(np.zeros(384, dtype=np.float32), None, 3).conflict


def test_one_pass_reads_affect_and_conflict(monkeypatch):
    asked = []
    read = shared_pass.SharedPass.read

    def counted(self, texts, **wanted):
        asked.append(list(texts))
        return read(self, texts, **wanted)

    monkeypatch.setattr(shared_pass.SharedPass, "read", counted)
    fresh = LocalEncoder()
    [both] = ConflictAppraiser(LocalAppraiser(fresh), fresh).appraise([AT_ODDS[0]])
    assert asked == [[AT_ODDS[0]]]
    [affect] = LocalAppraiser(fresh).appraise([AT_ODDS[0]])
    assert both == affect.model_copy(update={"conflict": both.conflict})


def test_a_reading_is_completed_by_what_was_read_before():
    fresh = LocalEncoder()
    before = fresh.read([AT_ODDS[0]], embed=True, affect=True)[0]
    after = fresh.read([AT_ODDS[0]], embed=False, affect=False, conflict=True)[0]
    assert after.embedding is before.embedding
    assert after.conflict > 0.5


def test_changed_weights_are_refused(tmp_path):
    for file in WEIGHTS.iterdir():
        if file.is_file() and file.name != branch.CONFLICT:
            (tmp_path / file.name).symlink_to(file)
    changed = (WEIGHTS / branch.CONFLICT).read_bytes()[:-1] + b"?"
    (tmp_path / branch.CONFLICT).write_bytes(changed)
    with pytest.raises(ValueError, match="reinstall emomem"):
        branch.load_conflict_branch(tmp_path)

import json

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding

from emomem.viz import canvas

TEXTS = "\n".join("word " * count for count in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10))


@pytest.fixture
def profile(counted, emomem, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.txt").write_text(TEXTS, encoding="utf-8")

    def run(*arguments, appraiser="counted"):
        return emomem("profile", *arguments, "--appraiser", appraiser)

    return run


def test_a_table_a_threshold_its_reason_and_a_picture(profile, tmp_path):
    result = profile("in.txt")
    assert result.exit_code == 0, result.output
    words = " ".join(result.stdout.split())
    assert "10 texts from in.txt, arousal known for 10. Feelings read by a counter." in words
    assert "Arousal runs from 0.10 to 1.00: mean 0.55" in result.stdout
    rates = [line.split()[:2] for line in result.stdout.splitlines() if line.startswith("  0.")]
    assert rates[0] == ["0.1", "100.0%"]
    assert rates[-1] == ["0.9", "20.0%"]
    assert "Recommended threshold: 0.81" in result.stdout
    assert "at most 20% of the texts: 0.81 triggers 2 of 10 (20.0%)" in words
    assert "Picture: arousal-profile.png" in result.stdout
    assert (tmp_path / "arousal-profile.png").read_bytes().startswith(b"\x89PNG")
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "threshold", "calls"),
    [
        ([], 0.81, 2),
        (["--target-rate", "0.5"], 0.51, 5),
        (["--budget", "3"], 0.71, 3),
    ],
)
def test_json_tells_the_same(profile, arguments, threshold, calls, tmp_path):
    data = json.loads(profile("in.txt", "--json", "--no-picture", *arguments).stdout)
    assert (data["source"], data["appraiser"], data["n"]) == ("in.txt", "a counter", 10)
    assert (data["recommended"]["threshold"], data["recommended"]["calls"]) == (threshold, calls)
    assert data["trigger_rates"]["0.5"] == 0.6
    assert data["picture"] is None
    assert not list(tmp_path.glob("*.png"))


@pytest.mark.parametrize("out", ["out.jsonl", "out.csv"])
def test_what_is_tagged_is_not_read_again(profile, emomem, counted, out):
    fresh = json.loads(profile("in.txt", "--json").stdout)
    emomem("tag", "in.txt", out, "--appraiser", "counted")
    counted.asked.clear()
    tagged = json.loads(profile(out, "--json").stdout)
    assert not counted.asked
    assert (tagged.pop("appraiser"), tagged.pop("source")) == (None, out)
    assert tagged.items() <= fresh.items()
    assert "read by whoever tagged them" in " ".join(profile(out).stdout.split())


def test_only_rows_without_a_tag_are_read(profile, counted, tmp_path):
    rows = [{"text": "a b", "affect_arousal": 0.9}, {"text": "a b c"}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    data = json.loads(profile("a.jsonl", "--json").stdout)
    assert counted.asked == [["a b c"]]
    assert (data["quantiles"]["0"], data["quantiles"]["1"]) == (0.3, 0.9)


def test_the_picture_goes_where_it_is_told(profile, tmp_path):
    assert json.loads(profile("in.txt", "--picture", "a.svg", "--json").stdout)["picture"] == (
        "a.svg"
    )
    assert b"<svg" in (tmp_path / "a.svg").read_bytes()
    (tmp_path / "b.png").mkdir()
    result = profile("in.txt", "--picture", "b.png")
    assert (result.exit_code, result.stderr) == (
        1,
        "emomem profile: cannot write b.png: Is a directory\n",
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--target-rate", "1.5"], "--target-rate must be in 0..1, got 1.5"),
        (["--target-rate", "nan"], "--target-rate must be in 0..1, got nan"),
        (["--budget", "-1"], "--budget must be at least 0, got -1"),
        (["--budget", "1", "--target-rate", "0.1"], "not both"),
        (["--picture", "a.txt"], "--picture must end in .png, .svg, .pdf, got a.txt"),
        (["--picture", "nowhere/a.png"], "no such folder: nowhere"),
        (["--text-column", "note"], "which has no column 'note'"),
    ],
)
def test_wrong_arguments_are_one_line_and_exit_2(profile, counted, arguments, says):
    result = profile("in.txt", *arguments)
    assert result.exit_code == 2
    assert says in result.stderr
    assert (result.stderr.count("\n"), result.stdout) == (1, "")
    assert not counted.asked


def test_an_appraiser_that_reads_no_arousal(profile):
    result = profile("in.txt", appraiser="lexicon")
    assert result.exit_code == 1
    assert "no arousal is known of 10 texts" in result.stderr
    assert "lexicon:vader (valence only" in result.stderr


def test_without_matplotlib_it_says_so_before_anything_is_read(profile, counted, monkeypatch):
    monkeypatch.setattr(canvas, "find_spec", lambda name: None)
    result = profile("in.txt")
    assert (result.exit_code, counted.asked) == (1, [])
    assert "emomem[viz]" in result.stderr
    assert "--no-picture" in result.stderr
    assert profile("in.txt", "--no-picture").exit_code == 0


@pytest.fixture
def chroma(tmp_path):
    """Keeps documents in collections of a folder, by name."""
    chromadb = pytest.importorskip("chromadb")
    langchain_chroma = pytest.importorskip("langchain_chroma")
    client = chromadb.PersistentClient(
        str(tmp_path / "db"), chromadb.config.Settings(anonymized_telemetry=False)
    )

    def keep(name, documents):
        store = langchain_chroma.Chroma(name, DeterministicFakeEmbedding(size=4), client=client)
        if documents:
            store.add_documents(documents)

    yield keep
    client.close()


def test_a_live_store_is_profiled_each_memory_once_and_stays_as_it_is(profile, counted, chroma):
    pieces = [Document("x", metadata={"deep_memory_id": "m", "affect_arousal": 0.9})] * 4
    chroma("memories", [*pieces, Document("a b c"), Document("a b c d e")])
    for _ in range(2):
        counted.asked.clear()
        data = json.loads(profile("--chroma", "db", "--json", "--no-picture").stdout)
        assert sorted(counted.asked[0]) == ["a b c", "a b c d e"]  # what is tagged is not read
        assert (data["source"], data["n"]) == ("db, collection memories", 3)
        assert data["trigger_rates"]["0.9"] == pytest.approx(1 / 3)


def test_one_of_several_collections_is_chosen_by_name(profile, chroma):
    chroma("one", [Document("a")])
    chroma("two", [Document("a b")])
    chosen = ("--chroma", "db", "--collection")
    assert json.loads(profile(*chosen, "two", "--json").stdout)["quantiles"]["0.5"] == 0.2
    for arguments, wanted in (
        (chosen[:2], "a --collection"),
        ((*chosen, "three"), "the --collection three"),
    ):
        result = profile(*arguments, "--no-picture")
        says = f"emomem profile: {wanted} must be one of those in db: one, two\n"
        assert (result.exit_code, result.stderr) == (2, says)


def test_an_empty_collection_is_told_of(profile, chroma):
    chroma("bare", [])
    result = profile("--chroma", "db", "--no-picture")
    assert (result.exit_code, result.stderr) == (
        1,
        "emomem profile: the collection bare in db holds no text\n",
    )


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ([], 2, "give a FILE or --chroma, one of them"),
        (["in.txt", "--chroma", "db"], 2, "give a FILE or --chroma, one of them"),
        (["in.txt", "--collection", "a"], 2, "--collection needs --chroma"),
        (["--chroma", "db", "--text-column", "a"], 2, "--text-column is of a FILE, and a store"),
        (["--chroma", "db"], 1, "no Chroma store in db: it holds no chroma.sqlite3"),
    ],
)
def test_a_store_that_cannot_be_read_is_told_in_one_line(profile, tmp_path, arguments, code, says):
    (tmp_path / "db").mkdir()
    result = profile(*arguments, "--no-picture")
    assert (result.exit_code, result.stderr.count("\n")) == (code, 1)
    assert f"emomem profile: {says}" in result.stderr
    assert not any((tmp_path / "db").iterdir())

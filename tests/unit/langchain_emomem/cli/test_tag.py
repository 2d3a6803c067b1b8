import csv
import json
import os

import pytest
from safetensors import SafetensorError

from emomem import DomainAdapter
from emomem.metadata import DEFAULT_FIELDS, strip
from langchain_emomem.cli import appraisers
from langchain_emomem.cli.errors import CommandError
from langchain_emomem.cli.tagged import TaggedFile

ROWS = """id,text,note
1,one,"a, b"
2,,empty
3,"two
lines",
4,"say ""hi"" \u00e9",
5,one two three,x
"""
LINES = [
    '{"text": "one", "deep": {"a": [1, null]}, "n": 1, "affect_joy": 0.5}',
    '"two words"',
    '{"text": null, "n": 12}',
    '{"text": "\u00e9\u2028 x", "blank": " "}',
]


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


@pytest.fixture
def tag(counted, emomem):
    def run(*arguments):
        return emomem("tag", *arguments, "--appraiser", "counted")

    return run


def read_jsonl(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def read_csv(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def test_csv_to_jsonl_keeps_every_row_and_field_in_order(tag, source, tmp_path):
    out = tmp_path / "out.jsonl"
    result = tag(source, out, "--batch-size", 2)
    assert result.exit_code == 0, result.output
    rows = read_jsonl(out)
    assert [strip(row) for row in rows] == read_csv(source)
    assert [row.get("affect_arousal") for row in rows] == [0.1, None, 0.2, 0.3, 0.3]
    assert rows[1]["affect_label"] == "unknown"
    assert "Tagged 5 of 5 rows" in result.stdout
    assert "; 1 unknown." in result.stdout


def test_csv_to_csv(tag, source, tmp_path):
    out = tmp_path / "out.csv"
    assert tag(source, out).exit_code == 0
    rows = read_csv(out)
    assert [strip(row) for row in rows] == read_csv(source)
    assert list(rows[0]) == ["id", "text", "note", *DEFAULT_FIELDS.keys()]
    assert [row["affect_arousal"] for row in rows] == ["0.1", "", "0.2", "0.3", "0.3"]


def test_jsonl_keeps_nested_values_and_replaces_old_affect(tag, tmp_path):
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("\n".join(LINES), encoding="utf-8")
    assert tag(source, out).exit_code == 0
    rows = read_jsonl(out)
    assert [strip(row) for row in rows] == [
        {"text": "one", "deep": {"a": [1, None]}, "n": 1},
        {"text": "two words"},
        {"text": None, "n": 12},
        {"text": "\u00e9\u2028 x", "blank": " "},
    ]
    assert "affect_joy" not in rows[0]


def test_jsonl_to_csv_has_the_columns_of_all_rows(tag, tmp_path):
    source, out = tmp_path / "in.jsonl", tmp_path / "out.csv"
    source.write_text("\n".join(LINES), encoding="utf-8")
    assert tag(source, out).exit_code == 0
    first, _, third, fourth = map(strip, read_csv(out))
    assert first == {"text": "one", "deep": '{"a": [1, null]}', "n": "1", "blank": ""}
    assert (third["text"], third["n"], fourth["blank"]) == ("", "12", " ")
    assert "0 rows" not in tag(source, out).stdout
    assert "4 were there already" in tag(source, out).stdout


def test_a_bare_carriage_return_stays_within_its_field(tag, tmp_path):
    source, out = tmp_path / "in.jsonl", tmp_path / "out.csv"
    source.write_text('{"text": "one\\rtwo", "n": 1}', encoding="utf-8")
    assert tag(source, out).exit_code == 0
    assert [(row["text"], row["n"]) for row in read_csv(out)] == [("one\rtwo", "1")]
    assert out.read_bytes().count(b"\r") == 1
    assert "1 were there already" in tag(source, out).stdout


def test_plain_text_gets_a_text_field(tag, tmp_path):
    source, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    source.write_text("one\ntwo words\n", encoding="utf-8")
    assert tag(source, out).exit_code == 0
    assert [row["text"] for row in read_jsonl(out)] == ["one", "two words"]


def test_a_blank_line_in_a_text_melts_nothing(tag, tmp_path):
    source, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    source.write_text("one\ntwo\n\nthree\nfour\n", encoding="utf-8")
    assert tag(source, out).exit_code == 0
    assert [row["text"] for row in read_jsonl(out)] == ["one", "two", "three", "four"]


def test_an_output_in_json_never_holds_what_json_has_not(tag, tmp_path):
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text('{"text": "one", "a": NaN, "b": [-Infinity, 1e999, 1.5]}', encoding="utf-8")
    assert tag(source, out).exit_code == 0
    assert [strip(row) for row in read_jsonl(out)] == [
        {"text": "one", "a": None, "b": [None, None, 1.5]}
    ]


def test_one_text_that_fails_costs_only_its_own_affect(tag, tmp_path):
    source, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    source.write_text("one\nFAIL here\nthree\n", encoding="utf-8")
    data = json.loads(tag(source, out, "--json").stdout)
    assert (data["rows"], data["kept"], data["tagged"], data["unknown"]) == (3, 0, 3, 1)
    assert [row.get("affect_label") for row in read_jsonl(out)] == [None, "unknown", None]


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_cut_anywhere_it_goes_on_to_the_same_file(tag, counted, source, tmp_path, suffix):
    out = tmp_path / f"out{suffix}"
    tag(source, out)
    whole = out.read_bytes()
    for size in range(0, len(whole) + 1, 7):
        out.write_bytes(whole[:size])
        result = tag(source, out, "--json")
        assert result.exit_code == 0, (size, result.output)
        assert out.read_bytes() == whole, size
        assert json.loads(result.stdout)["unknown"] == 1
    counted.asked.clear()
    assert json.loads(tag(source, out, "--json").stdout)["kept"] == 5
    assert not counted.asked


def test_ctrl_c_leaves_a_file_that_goes_on(tag, counted, tmp_path):
    source, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    source.write_text("one\ntwo\nSTOP\nfour\n", encoding="utf-8")
    result = tag(source, out, "--batch-size", 2)
    assert result.exit_code == 130
    assert "holds 2 of 4 rows, and the same command goes on" in result.stderr
    assert result.stderr.count("\n") == 1
    assert len(read_jsonl(out)) == 2
    source.write_text("one\ntwo\nthree\nfour\n", encoding="utf-8")
    counted.asked.clear()
    assert tag(source, out, "--batch-size", 2).exit_code == 0
    assert counted.asked == [["three", "four"]]
    assert [row["text"] for row in read_jsonl(out)] == ["one", "two", "three", "four"]


def test_rows_added_to_the_input_are_added(tag, source, tmp_path):
    out = tmp_path / "out.jsonl"
    tag(source, out)
    source.write_text(ROWS + "6,more,\n", encoding="utf-8")
    assert json.loads(tag(source, out, "--json").stdout)["tagged"] == 1
    assert len(read_jsonl(out)) == 6


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("out.jsonl", '{"id": "1", "text": "x"}\n', "its row 1 is not that of the input"),
        ("out.jsonl", "notes without a line end", "its row 1 is not that of the input"),
        ("out.csv", "id,text\n1,one\n", "its first line is another"),
        ("out.csv", "something else", "its first line is another"),
    ],
)
def test_another_file_is_refused_and_left_alone(tag, tmp_path, name, content, says):
    source, out = tmp_path / "in.csv", tmp_path / name
    source.write_text("id,text\n1,PRIVATE\n", encoding="utf-8")
    out.write_text(content, encoding="utf-8")
    result = tag(source, out)
    assert result.exit_code == 1
    assert says in result.stderr
    assert "--force" in result.stderr
    assert "PRIVATE" not in result.output
    assert out.read_text(encoding="utf-8") == content
    assert tag(source, out, "--force").exit_code == 0
    assert out.read_text(encoding="utf-8") != content


def test_other_rows_fewer_rows_and_broken_tags_are_refused(tag, source, tmp_path):
    out = tmp_path / "out.jsonl"
    tag(source, out)
    whole = out.read_text(encoding="utf-8")

    source.write_text(ROWS.replace("5,one", "5,ten"), encoding="utf-8")
    assert "its row 5 is not that of the input" in tag(source, out).stderr
    source.write_text(ROWS.partition("5,one")[0], encoding="utf-8")
    assert "it holds more rows than the input" in tag(source, out).stderr
    source.write_text(ROWS, encoding="utf-8")
    assert out.read_text(encoding="utf-8") == whole

    out.write_text(whole.replace('"affect_arousal": 0.2', '"affect_arousal": 0.2.'), "utf-8")
    assert "its row 3 has no readable tag" in tag(source, out).stderr


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_another_appraiser_is_refused(tag, emomem, source, tmp_path, suffix):
    out = tmp_path / f"out{suffix}"
    tag(source, out)
    result = emomem("tag", source, out, "--appraiser", "lexicon")
    assert result.exit_code == 1
    assert "its row 1 was read by counted:1, not by lexicon:vader" in result.stderr


def test_a_reading_of_another_language_is_the_same_appraisers(tag, source, tmp_path):
    out = tmp_path / "out.jsonl"
    tag(source, out)
    text = out.read_text(encoding="utf-8")
    out.write_text(text.replace('"counted:1"', '"counted:1:zh"', 1), encoding="utf-8")
    assert tag(source, out).exit_code == 0
    out.write_text(text.replace('"counted:1"', '"counted:11"', 1), encoding="utf-8")
    assert tag(source, out).exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["in.csv", "in.csv"], "OUT must be another file than IN"),
        (["in.csv", "./sub/../in.csv"], "OUT must be another file than IN"),
        (["in.csv", "link.csv"], "OUT must be another file than IN"),
        (["in.csv", "out.txt"], "OUT must end in .jsonl or .csv, got out.txt"),
        (["in.csv", "nowhere/out.csv"], "no such folder: nowhere"),
        (["nope.csv", "out.csv"], "no such file: nope.csv"),
        (["in.csv", "out.csv", "--batch-size", "0"], "--batch-size must be at least 1, got 0"),
        (["in.csv", "out.csv", "--workers", "-1"], "--workers must be at least 1, got -1"),
        (["in.csv", "out.csv", "--text-column", "body"], "no column 'body'"),
        (["tagged.csv", "out.csv", "--text-column", "affect_label"], "must not be one that holds"),
    ],
)
def test_wrong_arguments_are_one_line_and_exit_2(tag, source, monkeypatch, arguments, says):
    monkeypatch.chdir(source.parent)
    (source.parent / "sub").mkdir()
    os.link(source, "link.csv")
    (source.parent / "tagged.csv").write_text("id,affect_label\n1,joy\n", encoding="utf-8")
    result = tag(*arguments)
    assert result.exit_code == 2
    assert says in result.stderr
    assert (result.stderr.count("\n"), result.stdout) == (1, "")
    assert source.read_text(encoding="utf-8") == ROWS
    assert not (source.parent / "out.csv").exists()


def test_an_output_that_is_no_regular_file_is_refused(tag, source, tmp_path):
    folder, pipe = tmp_path / "out.jsonl", tmp_path / "pipe.csv"
    folder.mkdir()
    os.mkfifo(pipe)
    for out in (folder, pipe):
        for force in ([], ["--force"]):
            result = tag(source, out, *force)
            assert result.exit_code == 2
            assert f"OUT must be a regular file, which {out} is not" in result.stderr


def test_an_output_that_another_run_writes_is_refused_at_once_and_left_alone(
    tag, counted, source, tmp_path
):
    out = tmp_path / "out.jsonl"
    tag(source, out)
    whole = out.read_bytes()
    out.write_bytes(whole[:50])
    counted.asked.clear()
    with TaggedFile(out, []).opened():
        for force in ([], ["--force"]):
            result = tag(source, out, *force)
            assert result.exit_code == 1
            assert f"another run is writing {out}" in result.stderr
        assert out.read_bytes() == whole[:50]
        assert not counted.asked
    assert tag(source, out).exit_code == 0
    assert out.read_bytes() == whole


@pytest.mark.parametrize("error", [ValueError, SafetensorError])
def test_a_model_that_cannot_be_loaded_is_one_line_and_leaves_no_output(
    tag, counted, source, error
):
    def load():
        msg = "its weights are spoilt; reinstall emomem\nand more"
        raise error(msg)

    counted.load = load
    result = tag(source, source.with_name("out.jsonl"))
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "--appraiser counted: its weights are spoilt; reinstall emomem" in result.stderr
    assert not source.with_name("out.jsonl").exists()


def test_a_domain_adapter_reads_by_its_folder_and_goes_on(emomem, tmp_path):
    texts = [f"{what} {day}." for day in range(10) for what in ("The build broke", "All is green")]
    DomainAdapter.fit(texts, ["annoyance", "relief"] * 10).save(tmp_path / "ours")
    source, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    german = "Ich vermisse sie so sehr."
    source.write_text(f"Estou muito triste hoje.\nThe build broke again.\n{german}\n", "utf-8")
    for kept in (0, 3):
        result = emomem("tag", source, out, "--appraiser", tmp_path / "ours", "--json")
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["kept"] == kept
    foreign, own, unknown = read_jsonl(out)
    assert (unknown["affect_source"], unknown["affect_label"]) == ("emomem:2", "unknown")
    assert (foreign["affect_source"], foreign["affect_label"]) == ("emomem:2:pt", "sadness")
    assert (own["affect_source"], own["affect_label"]) == ("emomem:2+adapter", "annoyance")
    result = emomem("tag", source, out)
    assert "its row 2 was read by emomem:2+adapter, not by emomem:2;" in result.stderr
    assert emomem("tag", source, out, "--force").exit_code == 0
    result = emomem("tag", source, out, "--appraiser", tmp_path / "ours")
    assert "its row 2 was read by emomem:2, not by emomem:2+adapter;" in result.stderr


def test_an_input_without_rows_gives_an_output_without_rows(tag, tmp_path):
    source, out = tmp_path / "in.csv", tmp_path / "out.jsonl"
    source.write_text("id,text\n", encoding="utf-8")
    assert "Tagged 0 of 0 rows" in tag(source, out).stdout
    assert out.read_bytes() == b""


def test_a_text_of_any_length_survives_a_second_run(tag, tmp_path):
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(f'text\n"{"long " * 40_000}"\n', encoding="utf-8")
    assert tag(source, out).exit_code == tag(source, out).exit_code == 0


def test_columns_of_one_name_are_refused(tag, tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("text,note,note\nx,1,2\n", encoding="utf-8")
    result = tag(source, tmp_path / "out.csv")
    assert (result.exit_code, "two columns are called 'note'" in result.stderr) == (1, True)


def test_workers_share_the_cores(monkeypatch):
    monkeypatch.setattr(os, "environ", {})
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    appraisers.prepare_environment("embedded", workers=3)
    assert os.environ["OMP_NUM_THREADS"] == "2"
    monkeypatch.setattr(os, "environ", {"OMP_NUM_THREADS": "5"})
    appraisers.prepare_environment("embedded", workers=16)
    assert os.environ["OMP_NUM_THREADS"] == "5"
    assert os.environ["RAYON_NUM_THREADS"] == "1"


def test_a_model_that_no_worker_can_load_is_one_error():
    reader = appraisers.Reader("./nope", None, "", "")
    with pytest.raises(CommandError, match=r"--appraiser \./nope"):
        list(appraisers.read_batches(reader, ["a", "b"], batch_size=1, workers=2))

import json

import pytest

from langchain_emomem.cli.errors import CommandError, UsageError
from langchain_emomem.cli.load import load


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def texts(documents):
    return [document.page_content for document in documents]


def test_plain_text_is_one_memory_a_line(write):
    assert texts(load(write("a.txt", "one\r\ntwo\r\n\r\n"))) == ["one", "two"]


def test_blank_lines_change_nothing_but_where_paragraphs_are_wanted(write):
    path = write("a.md", "one\nmore  still\n \n\ntwo\n")
    assert texts(load(path)) == ["one", "more  still", "two"]
    assert texts(load(path, paragraphs=True)) == ["one more still", "two"]
    assert texts(load(write("b.txt", "one\ntwo\n\n"), paragraphs=True)) == ["one", "two"]


@pytest.mark.parametrize("name", ["text", "utterance", "content", "message", "body", "Text"])
def test_csv_finds_its_text_column(write, name):
    [document] = load(write("a.csv", f'id,{name},empty\n1,"a, b",\n'))
    assert document.page_content == "a, b"
    assert document.metadata == {"id": "1"}


def test_the_named_column_wins(write):
    path = write("a.csv", "text,note\nx,y\n")
    [document] = load(path, "note")
    assert (document.page_content, document.metadata) == ("y", {"text": "x"})


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_other_delimiters_are_seen_in_the_header(write, delimiter):
    [document] = load(write("a.csv", f"id{delimiter}text\n1{delimiter}a, b\n"))
    assert document.page_content == "a, b"


def test_a_byte_order_mark_a_line_break_in_a_field_and_blank_rows(write):
    path = write("a.csv", '\ufefftext,id\n"one\ntwo",1\n\n,2\n')
    assert texts(load(path)) == ["one\ntwo"]


@pytest.mark.parametrize("blank", ["\n", "\r\n \r\n", ";;\n"])
def test_blank_lines_before_a_header_change_nothing(write, blank):
    [document] = load(write("a.csv", f"{blank}id;text\n1;a, b, c\n"))
    assert (document.page_content, document.metadata) == ("a, b, c", {"id": "1"})


def test_duplicates_stay(write):
    assert texts(load(write("a.txt", "same\nsame\n"))) == ["same", "same"]


def test_jsonl_takes_objects_and_strings(write):
    record = {"content": "a\u2028b", "n": 1, "ok": True, "deep": {}, "none": None, "blank": " "}
    lines = [json.dumps(record, ensure_ascii=False), "", '"plain"', '{"text": "x", "big": 1e999}']
    documents = load(write("a.jsonl", "\n".join(lines)))
    assert texts(documents) == ["a\u2028b", "plain", "x"]
    assert [document.metadata for document in documents] == [{"n": 1, "ok": True}, {}, {}]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.jsonl", '{"text": "x"}\n{"text": ', "line 2: not JSON"),
        ("a.jsonl", '{"text": "\\ud800"}', "line 1: not JSON"),
        ("a.json", "[1]", "line 1: expected one JSON object or string a line, got a list"),
        ("a.jsonl", '{"text": 3}', "line 1: 'text' must be a string, got a int"),
        ("a.csv", 'text\nx\n"open\n', "line 3: not CSV"),
        ("a.csv", "text,id\nx,1\na, b,2\n", "line 3: 3 fields under a header of 2"),
        ("a.txt", "caf\u00e9".encode("latin-1"), "not UTF-8 text (line 1); save it as UTF-8"),
        ("a.txt", "hi".encode("utf-16"), "is UTF-16; save it as UTF-8"),
        ("a.txt", "a\0b", "binary data"),
        ("a.txt", " \n\n", "holds no memory"),
        ("a.csv", "", "holds no memory"),
        ("a.csv", "text,id\n", "holds no memory"),
        ("a.jsonl", "\n", "holds no memory"),
    ],
)
def test_what_cannot_be_read_is_named(write, name, content, says):
    path = write(name, content)
    with pytest.raises(CommandError) as raised:
        load(path)
    assert str(path) in str(raised.value)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "content", "column", "says"),
    [
        ("a.csv", "id,title\n1,x\n", None, "no text column among 'id', 'title'"),
        ("a.csv", "id,title\n1,x\n", "body", "no column 'body' among 'id', 'title'"),
        ("a.jsonl", '{"event": "x"}', None, "line 1: no text key among 'event'"),
        ("a.txt", "x", "note", "which has no column 'note'"),
    ],
)
def test_a_missing_column_names_those_there_and_the_option(write, name, content, column, says):
    with pytest.raises(UsageError) as raised:
        load(write(name, content), column)
    assert says in str(raised.value)
    assert "--text-column" in str(raised.value)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.csv", "2024-05-01,My PIN is 4711\n", "looks like no header (fields: 2); name one with"),
        ("a.csv", f"id,{'MyPIN' * 9}\n", "looks like no header (fields: 2); name one with"),
        ("a.csv", "text,My PIN is 4711,My PIN is 4711\n", "two columns are called the same"),
        ("a.jsonl", '{"id": 1, "My PIN is 4711": true}', "line 1: no text key (keys: 2); name one"),
    ],
)
def test_what_is_no_name_is_never_shown(write, name, content, says):
    with pytest.raises((UsageError, CommandError)) as raised:
        load(write(name, content))
    assert says in str(raised.value)
    assert "PIN" not in str(raised.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UsageError, match="no such file"):
        load(tmp_path / "nope.csv")
    with pytest.raises(UsageError, match="cannot read"):
        load(tmp_path)

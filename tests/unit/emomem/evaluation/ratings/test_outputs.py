import json

import pytest

from emomem.evaluation.ratings.outputs import language_of, read_outputs, write_outputs

LINE = {"id": "a", "scenario": "s", "arm": "full", "text": "secret words"}


def test_what_is_written_is_read_again(output, tmp_path):
    path = tmp_path / "outputs.jsonl"
    given = [output(seed=1, text="“Nein”\n说", background=("b",)), output(seed=2, language="zh")]
    write_outputs(path, given)
    assert read_outputs(path) == given
    assert language_of(given) == "en"
    assert language_of(given[1:]) == "zh"


def test_four_keys_are_enough_and_others_are_passed_over(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text(f"\n{json.dumps({**LINE, 'note': 1})}\n", encoding="utf-8")
    [one] = read_outputs(path)
    assert (one.pair, one.person, one.context) == (("s", 0), "", None)


@pytest.mark.parametrize(
    ("second", "says"),
    [
        ({**LINE, "id": "b", "text": " "}, "line 2: text: must not be blank"),
        ({"id": "b"}, "line 2: scenario: Field required"),
        ({**LINE, "seed": 3}, "line 2: the id 'a' is that of line 1"),
        ({**LINE, "id": "b"}, "scenario, arm and seed 's, full, 0' is that of line 1"),
    ],
)
def test_a_line_that_is_none_is_named_and_not_quoted(tmp_path, second, says):
    path = tmp_path / "mine.jsonl"
    path.write_text(f"{json.dumps(LINE)}\n{json.dumps(second)}", encoding="utf-8")
    with pytest.raises(ValueError, match=says) as caught:
        read_outputs(path)
    assert "secret" not in str(caught.value)


def test_a_file_of_nothing_is_refused(tmp_path):
    path = tmp_path / "empty.jsonl"
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(ValueError, match="it holds no output"):
        read_outputs(path)

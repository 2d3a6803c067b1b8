"""What no engine could keep is refused before one sees it, and nothing of it is quoted."""

import pytest

from emomem import Affect
from emomem.appraisal.base import BaseAppraiser
from emomem.memory.parts import READ, ends
from emomem.memory.recombination import Recombination
from emomem.memory.store import Find, StoreError, unquoted


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_a_blank_text_is_no_memory(memory, text):
    with pytest.raises(ValueError, match="must not be blank"):
        memory.save(text)
    assert memory.timeline() == []


@pytest.mark.parametrize(
    ("metadata", "told"),
    [
        ({"x": float("nan")}, r"metadata\['x'\] must be a finite number, got nan"),
        ({"x": float("inf")}, "finite"),
        ({"x": 2**63}, "64 bits"),
        ({"x": None}, "got NoneType"),
        ({"x": {"y": 1}}, "got dict"),
        ({"a\0": 1}, "holds no NUL"),
        ({"": 1}, "not blank"),
        ({"$or": 1}, "begins with none of"),
        ({"chroma:document": "secret"}, "begins with none of"),
        ({1: 1}, "is a str"),
    ],
)
def test_metadata_that_an_engine_refuses(memory, metadata, told):
    with pytest.raises(ValueError, match=told) as raised:
        memory.save("my secret text", metadata=metadata)
    assert "secret" not in str(raised.value)
    assert memory.timeline() == []


def test_metadata_are_a_mapping(memory):
    with pytest.raises(TypeError, match="metadata must be a mapping, got list"):
        memory.save("one", metadata=["a"])


@pytest.mark.parametrize("user", ["a\0", "a\ud800"])
def test_a_user_id_that_no_engine_keeps(memory, user):
    for call in (lambda: memory.save("one", user_id=user), lambda: Find(user)):
        with pytest.raises(ValueError, match="neither NUL nor half of a surrogate pair"):
            call()


@pytest.mark.parametrize(
    ("ids", "told"),
    [([None], "got NoneType"), ([{"text": "secret"}], "got dict$"), ("a", "one str")],
)
def test_ids_are_a_list_of_str(memory, ids, told):
    for call in (lambda: memory.forget(ids=ids), lambda: memory.suppress(ids)):
        with pytest.raises(TypeError, match=told):
            call()


class EngineError(Exception):
    orig = KeyError("secret")


def test_an_engines_error_is_named_and_not_quoted():
    told = "the store failed with EngineError of KeyError"
    with pytest.raises(StoreError, match=told) as raised, unquoted(EngineError):
        raise EngineError("secret")  # noqa: EM101 - what a message would hold
    assert "secret" not in str(raised.value)
    assert raised.value.__suppress_context__


def test_of_a_long_text_both_ends_are_read(build):
    read = []

    class Reader(BaseAppraiser):
        def _read(self, texts):
            read.extend(texts)
            return [Affect.unknown()] * len(texts)

    text = f"first {'x' * 9_000} last"
    assert build(appraiser=Reader()).save(text).fact.text == text
    assert read == [ends(text)]
    assert len(ends(text)) == READ + 1
    assert ends(text).startswith("first")
    assert ends(text).endswith("last")


@pytest.mark.parametrize("model", [3, None, type("Model", (), {}), object()])
def test_a_dream_needs_a_model(model):
    with pytest.raises(TypeError, match="model must be a chat model of"):
        Recombination(model)


def test_a_dream_is_made_by_a_recombination(memory):
    with pytest.raises(TypeError, match="expected a Recombination, got int"):
        memory.dream(3)

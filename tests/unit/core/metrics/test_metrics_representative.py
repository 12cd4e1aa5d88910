"""RBS and its floor: worked values, brute force, invariances, planted distance."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy.spatial.distance import cosine

from biasprint.core.metrics.representative import cosine_distance, representative_null, representative_score


@pytest.mark.parametrize(("means", "expected"), [((0.1, 0.2, 0.15), 0.0408), ((0.05, 0.07, 0.06), 0.0082)])
def test_the_papers_worked_values(means: tuple[float, ...], expected: float) -> None:
    score = representative_score(np.array([means]))
    assert score.value == pytest.approx(expected, abs=5e-5)
    assert score.normal == (0,)


def test_the_score_is_the_spread_of_column_means_and_the_contrast_is_signed() -> None:
    score = representative_score(np.array([[0.0, 0.2, 0.1], [0.2, 0.2, 0.2]]))
    assert score.means == pytest.approx((0.1, 0.2, 0.15))
    assert score.contrast == pytest.approx((-0.05, 0.05, 0.0))
    assert score.value == pytest.approx(np.sqrt((0.05**2 + 0.05**2) / 3))


def test_cosine_distance_agrees_with_scipy_and_is_undefined_for_a_vector_without_length() -> None:
    one, other = np.array([[1.0, 2.0, 0.5], [0.0, 0.0, 0.0]]), np.array([[2.0, -1.0, 1.0], [1.0, 0.0, 0.0]])
    distances = cosine_distance(one, other)
    assert distances[0] == pytest.approx(cosine(one[0], other[0]))
    assert np.isnan(distances[1])


@pytest.mark.parametrize("shape", [(0, 3), (4, 1)])
def test_an_undefined_score_has_a_reason(shape: tuple[int, int]) -> None:
    score = representative_score(np.zeros(shape))
    assert score.value is None
    assert score.reason


def test_the_floor_equals_going_through_every_permutation_within_blocks() -> None:
    distances = np.array([[0.1, 0.3, 0.2], [0.2, 0.6, 0.1], [0.3, 0.35, 0.5]])
    means = np.array(
        [
            np.mean([row[list(order)] for row, order in zip(distances, orders, strict=True)], axis=0)
            for orders in product(permutations(range(3)), repeat=3)
        ]
    )
    observed = distances.mean(axis=0)
    null = representative_null(distances, np.random.default_rng(1), resamples=40_000)
    assert null.floor.mean == pytest.approx(means.std(axis=1).mean(), abs=0.002)
    assert null.floor.p == pytest.approx((means.std(axis=1) >= observed.std() - 1e-9).mean(), abs=0.01)
    grand = observed.mean()
    expected = (abs(means - grand) >= abs(observed - grand) - 1e-9).mean(axis=0)
    assert null.contrast_p == pytest.approx(tuple(expected), abs=0.01)


def test_a_single_block_shows_nothing() -> None:
    null = representative_null(np.array([[0.1, 0.2, 0.4]]), np.random.default_rng(0), resamples=200)
    assert null.floor.p == 1.0


def test_order_of_prompts_and_identities_does_not_matter() -> None:
    rng = np.random.default_rng(2)
    distances = rng.beta(2, 5, (20, 3))
    shuffled = rng.permutation(distances)[:, [2, 0, 1]]
    assert representative_score(shuffled).value == pytest.approx(representative_score(distances).value)
    floors = [representative_null(each, np.random.default_rng(3), 20_000).floor for each in (distances, shuffled)]
    assert floors[0].p == pytest.approx(floors[1].p, abs=0.02)
    assert floors[0].p95 == pytest.approx(floors[1].p95, rel=0.03)


def test_a_planted_distance_is_found_and_none_is_not() -> None:
    rng = np.random.default_rng(4)

    def outputs(shift: float) -> np.ndarray:
        prompt = rng.normal(0.4, 0.1, (36, 1))  # outputs on one prompt resemble each other
        return prompt + rng.normal(0, 0.05, (36, 3)) + np.array([-shift, 0, shift])

    found = [representative_null(outputs(0.025), rng, 400).floor.p <= 0.05 for _ in range(60)]
    quiet = [representative_null(outputs(0.0), rng, 400).floor.p <= 0.05 for _ in range(200)]
    assert np.mean(found) >= 0.8
    assert np.mean(quiet) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 200)

"""WEAT against a plain-loop implementation and by hand; exact and random permutations; what is undefined."""

from itertools import combinations
from math import sqrt

import numpy as np
import pytest

from biasprint.core.metrics.similarity import association, effects, weat_of_chosen_words, weat_of_given_words

Vectors = list[list[float]]


def cosine(a: list[float], b: list[float]) -> float:
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    return dot / sqrt(sum(x * x for x in a)) / sqrt(sum(y * y for y in b))


def s_of(word: list[float], first: Vectors, second: Vectors) -> float:
    """s(w, A, B) as Caliskan et al. 2017 define it, word by word."""
    return sum(cosine(word, a) for a in first) / len(first) - sum(cosine(word, b) for b in second) / len(second)


def published_d(x: Vectors, y: Vectors, first: Vectors, second: Vectors) -> float:
    """d as Caliskan et al. 2017 define it; the standard deviation over X ∪ Y has ddof 1."""
    in_x, in_y = [s_of(w, first, second) for w in x], [s_of(w, first, second) for w in y]
    everyone = in_x + in_y
    mean = sum(everyone) / len(everyone)
    spread = sqrt(sum((s - mean) ** 2 for s in everyone) / (len(everyone) - 1))
    return (sum(in_x) / len(in_x) - sum(in_y) / len(in_y)) / spread


def published_p(in_x: list[float], in_y: list[float]) -> float:
    """The share of splits into sets of the same sizes whose difference of means is at least the observed one."""
    everyone = in_x + in_y
    observed = sum(in_x) / len(in_x) - sum(in_y) / len(in_y)
    hits = total = 0
    for chosen in combinations(range(len(everyone)), len(in_x)):
        one = [everyone[i] for i in chosen]
        other = [everyone[i] for i in range(len(everyone)) if i not in chosen]
        hits += sum(one) / len(one) - sum(other) / len(other) >= observed - 1e-12
        total += 1
    return hits / total


@pytest.mark.parametrize(("n_x", "n_y"), [(2, 2), (5, 4), (8, 8)])
def test_it_equals_an_independent_implementation_to_1e_6(n_x: int, n_y: int) -> None:
    rng = np.random.default_rng(n_x)
    x, y, first, second = (rng.normal(size=(n, 50)).tolist() for n in (n_x, n_y, 8, 7))
    s = association(np.array(x + y), np.array(first), np.array(second))
    assert s == pytest.approx([s_of(word, first, second) for word in x + y], abs=1e-6)
    result = weat_of_given_words(s[:n_x], s[n_x:], np.random.default_rng(0))
    assert result.value == pytest.approx(published_d(x, y, first, second), abs=1e-6)
    assert result.p == pytest.approx(published_p(s[:n_x].tolist(), s[n_x:].tolist()), abs=1e-6)
    assert "splits of the words" in result.test


def test_by_hand() -> None:
    # A = (1, 0), B = (0, 1). cos with A and B: (3, 4) gives .6 and .8, s = −.2; (1, 0) gives 1; (0, 2) gives −1;
    # (4, 3) gives .2. X = {1, .2}, Y = {−1, −.2}: means .6 and −.6; SD of {1, .2, −1, −.2} = √(2.08 / 3) = .83267.
    words = np.array([[1.0, 0.0], [4.0, 3.0], [0.0, 2.0], [3.0, 4.0]])
    s = association(words, np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))
    assert s == pytest.approx([1.0, 0.2, -1.0, -0.2])
    result = weat_of_given_words(s[:2], s[2:], np.random.default_rng(0))
    assert result.value == pytest.approx(1.2 / sqrt(2.08 / 3))
    assert result.p == pytest.approx(1 / 6)  # of the 6 splits only the observed one reaches 1.2


def test_random_splits_come_near_the_exact_p() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(0.3, 1, 9), rng.normal(0, 1, 9)  # 48,620 splits: too many to try
    result = weat_of_given_words(x, y, np.random.default_rng(1), 20_000)
    assert "random" in result.test
    assert result.p == pytest.approx(published_p(x.tolist(), y.tolist()), abs=0.012)


def test_many_choices_at_once_are_those_of_one_at_a_time() -> None:
    rng = np.random.default_rng(5)
    s = rng.normal(size=12)
    labels = rng.integers(0, 3, (40, 12))
    found, defined = effects(s, labels == 0, labels == 1)
    for row, d, ok in zip(labels, found, defined, strict=True):
        x, y = s[row == 0], s[row == 1]
        assert ok == (min(len(x), len(y)) >= 2)
        if ok:
            both = np.concatenate([x, y])
            assert d == pytest.approx((x.mean() - y.mean()) / both.std(ddof=1))


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([], [], "fewer than 2 words"),
        ([0.1], [0.2, 0.3], "fewer than 2 words"),
        ([0.2, 0.2], [0.2, 0.2], "alike"),
    ],
)
def test_it_is_undefined_with_a_reason(x: list[float], y: list[float], reason: str) -> None:
    result = weat_of_given_words(np.array(x), np.array(y), np.random.default_rng(0))
    assert result.value is None
    assert result.p is None
    assert reason in result.reason


def test_p_over_permutations_counts_only_those_that_are_defined() -> None:
    null = np.concatenate([np.full(30, 2.0), np.zeros(169), np.full(50, 9.0)])
    defined = np.arange(249) < 199
    result = weat_of_chosen_words(1.5, null, defined)
    assert result.p == pytest.approx(31 / 200)  # (1 + 30) / (1 + 199)
    assert result.floor is not None
    assert result.floor.mean == pytest.approx(60 / 199)
    few = weat_of_chosen_words(1.5, null, np.arange(249) < 50)
    assert few.value == 1.5
    assert few.p is None
    assert "50 permutations" in few.reason

"""What exploring asks of the compute process."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.runs import explore
from biasprint.core.runs.explore import map_texts, principal_directions, rank_correlation, telling_words

CHANCE = np.random.default_rng(0)
VECTORS = (CHANCE.normal(size=(60, 8)) * np.array([5, 3, 1, 1, 1, 1, 1, 1])).astype(np.float32)


def test_the_map_is_scikit_learns_but_for_the_signs() -> None:
    found = map_texts(VECTORS, "pca", 0, JobContext())
    other = PCA(2).fit(VECTORS.astype(float))
    places = other.transform(VECTORS.astype(float))
    assert np.abs(found.points) == pytest.approx(np.abs(places), abs=1e-4)
    assert found.explained == pytest.approx(tuple(other.explained_variance_ratio_))


def test_the_same_texts_in_another_order_give_the_same_map() -> None:
    order = CHANCE.permutation(len(VECTORS))
    assert map_texts(VECTORS[order], "pca", 0, JobContext()).points == pytest.approx(
        map_texts(VECTORS, "pca", 0, JobContext()).points[order], abs=1e-4
    )


def test_texts_that_say_the_same_lie_on_one_point() -> None:
    same = np.ones((5, 3), dtype=np.float32)
    found = principal_directions(same)
    assert not found.place(same).any()
    assert not found.shares.any()


def test_directions_that_short_vectors_lack_are_zero() -> None:
    points = principal_directions(VECTORS[:, :1]).place(VECTORS[:, :1])
    assert points.shape == (60, 2)
    assert not points[:, 1].any()


def test_neighbours_stay_together_in_the_other_map() -> None:
    middle = np.repeat(np.array([[0.0] * 8, [40.0] * 8], dtype=np.float32), 30, axis=0)
    points = map_texts(VECTORS + middle, "tsne", 0, JobContext()).points
    first, second = points[:30], points[30:]
    apart = np.linalg.norm(first.mean(axis=0) - second.mean(axis=0))
    assert apart > 2 * max(first.std(axis=0).max(), second.std(axis=0).max())


def test_too_few_and_too_many_texts_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AppError, match="at least 3 texts"):
        map_texts(VECTORS[:2], "pca", 0, JobContext())
    monkeypatch.setattr(explore, "MOST_TSNE", 10)
    with pytest.raises(AppError, match="up to 10 texts"):
        map_texts(VECTORS, "tsne", 0, JobContext())


def test_the_words_that_tell_a_selection_come_first_on_their_side() -> None:
    inside = ["The tender rain, the tender castle."] * 10
    outside = ["The strong rain, the strong castle."] * 20
    found = telling_words(inside, outside)
    assert found.more[0].word == "tender"
    assert found.less[0].word == "strong"
    assert (found.more[0].inside, found.more[0].outside) == (20, 0)
    assert found.words == (60, 120)


@pytest.mark.parametrize(("inside", "outside"), [([], ["a rain"] * 9), (["…"], ["a rain"] * 9), (["a"], ["b"])])
def test_without_words_on_both_sides_none_stands_out(inside: list[str], outside: list[str]) -> None:
    found = telling_words(inside, outside)
    assert (found.more, found.less) == ((), ())


def test_a_correlation_is_of_the_texts_that_have_both_numbers() -> None:
    x = np.array([1.0, 2.0, 3.0, np.nan, 5.0, 9.0])
    y = np.array([2.0, 4.0, 6.0, 1.0, np.nan, 7.0])
    found = rank_correlation(x, y)
    assert (found.n, found.value) == (4, pytest.approx(1.0))
    assert rank_correlation(x, np.full(6, np.nan)).value is None

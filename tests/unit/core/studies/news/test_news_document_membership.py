"""Which topics belong to which group: residuals as published, and labels permuted by article."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, norm, t
from statsmodels.stats.contingency_tables import Table
from statsmodels.stats.proportion import proportion_confint

from biasprint.core.metrics.means import bounded_mean_interval, clustered_mean
from biasprint.core.metrics.resampling import recombined_sums
from biasprint.core.metrics.topics import (
    NO_GROUP,
    counts_of,
    permuted_membership,
    permuted_tables,
    published_membership,
)

PAPER_TABLE_4 = np.array([[80, 559, 473], [483, 9, 157], [105, 22, 2488]])


def test_residuals_and_chi_squared_are_those_of_statsmodels_and_scipy() -> None:
    found = published_membership(PAPER_TABLE_4)
    assert found.residuals == pytest.approx(Table(PAPER_TABLE_4).standardized_resids)
    assert found.test.statistic == pytest.approx(chi2_contingency(PAPER_TABLE_4, correction=False).statistic)


def test_residual_by_hand() -> None:
    # N = 20, all margins 10: E = 5, SR = (8 − 5) / √(5 · (1 − ½)(1 − ½)) = 3 / √1.25 = 2.683; not above 3.
    found = published_membership(np.array([[8, 2], [2, 8]]))
    assert found.residuals[0] == pytest.approx([2.6833, -2.6833], abs=1e-4)
    assert found.group.tolist() == [NO_GROUP, NO_GROUP]
    # Twice the sentences: E = 10, SR = 6 / √(10 · ¼) = 3.795.
    assert published_membership(np.array([[16, 4], [4, 16]])).group.tolist() == [0, 1]


def test_the_excerpt_of_the_papers_table_4_has_its_associations() -> None:
    male, female, neutral = 0, 1, 2
    assert published_membership(PAPER_TABLE_4).group.tolist() == [female, male, neutral]


def test_empty_topics_and_groups_stay_out_of_the_test() -> None:
    padded = np.zeros((5, 4), dtype=np.int64)
    padded[np.ix_([0, 2, 4], [0, 1, 3])] = PAPER_TABLE_4
    found = published_membership(padded)
    assert found.group.tolist() == [1, NO_GROUP, 0, NO_GROUP, 3]
    assert found.test == published_membership(PAPER_TABLE_4).test
    assert not found.residuals[[1, 3]].any()
    assert not found.residuals[:, 2].any()


@pytest.mark.parametrize("table", [[[3, 0], [4, 0]], [[3, 4], [0, 0]], [[0, 0], [0, 0]]])
def test_one_topic_or_one_group_is_undefined_with_a_reason(table: list[list[int]]) -> None:
    found = published_membership(np.array(table))
    assert found.reason
    assert found.test.p is None
    assert (found.group == NO_GROUP).all()
    topic, group = np.nonzero(np.ones((2, 2)))
    sentences = np.repeat(np.stack([topic, group]), np.ravel(table), axis=1)
    article = np.arange(sentences.shape[1])
    assert permuted_membership(*sentences, article, 2, 2, np.random.default_rng(0), 99).reason == found.reason


def test_labels_move_as_whole_articles() -> None:
    # Two articles of equal length, labels 0 0 0 and 1 1 1: the only other arrangement is the swap.
    topic, group, article = np.array([0, 0, 1, 1, 1, 1]), np.array([0, 0, 0, 1, 1, 1]), np.repeat([7, 3], 3)
    seen = {
        tuple(table.ravel())
        for tables in permuted_tables(topic, group, article, 2, 2, np.random.default_rng(1), 50)
        for table in tables
    }
    assert seen == {tuple(counts_of(topic, labels, 2, 2).ravel()) for labels in (group, 1 - group)}


def test_labels_are_stretched_to_the_length_of_the_article_that_receives_them() -> None:
    # A: 2 sentences with labels 0 1; B: 4 sentences with labels 2 2 3 3. Swapped, A has 2 3 and B has 0 0 1 1.
    topic, group, article = np.arange(6), np.array([0, 1, 2, 2, 3, 3]), np.array([0, 0, 1, 1, 1, 1])
    tables = np.concatenate(list(permuted_tables(topic, group, article, 6, 4, np.random.default_rng(0), 40)))
    labels = {tuple(table.argmax(axis=1)) for table in tables}
    assert labels == {(0, 1, 2, 2, 3, 3), (2, 3, 0, 0, 1, 1)}


def clustered(rng: np.random.Generator, articles: int, topics: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sentences of articles that each have topics and groups of their own, in runs, and nothing between the two."""
    parts = []
    for article in range(articles):
        n = int(rng.integers(15, 36))
        columns = [
            rng.choice(topics, n, p=rng.dirichlet(np.full(topics, 0.3))),
            rng.choice(3, n, p=rng.dirichlet([0.3, 0.3, 1.5])),
        ]
        for column in columns:
            for place in np.flatnonzero(rng.random(n - 1) < 0.5) + 1:
                column[place] = column[place - 1]
        parts.append(np.stack([*columns, np.full(n, article)]))
    return tuple(np.concatenate(parts, axis=1))  # type: ignore[return-value]


def test_without_association_topics_are_rarely_given_to_a_group_by_default_and_mostly_as_published() -> None:
    trials, topics = 60, 8
    default = published = 0
    for trial in range(trials):
        rng = np.random.default_rng(trial)
        topic, group, article = clustered(rng, 40, topics)
        default += (permuted_membership(topic, group, article, topics, 3, rng, 499).group != NO_GROUP).any()
        published += (published_membership(counts_of(topic, group, topics, 3)).group != NO_GROUP).any()
    # 5 % of 60 corpora and twice the Monte-Carlo error; the paper's rule takes sentences as independent.
    assert default / trials <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / trials)
    assert published / trials >= 0.6


def test_a_topic_of_a_group_is_found_among_clustered_sentences() -> None:
    rng = np.random.default_rng(5)
    topic, group, article = clustered(rng, 150, 6)
    group = np.where((topic == 4) & (rng.random(len(topic)) < 0.5), 1, group)
    found = permuted_membership(topic, group, article, 6, 3, rng, 999)
    assert found.group[4] == 1
    assert found.floor is not None
    assert found.floor.p == pytest.approx(1 / 1000)
    assert found.p[4] == pytest.approx(3 / 1000)  # the smallest there is, times three groups
    assert all(a is not None and p is not None and a >= p for a, p in zip(found.p_adjusted, found.p, strict=True))


def test_recombined_sums_have_the_mean_and_spread_of_all_permutations() -> None:
    # Every pair is 0 or 1 with equal chance: the sum of 400 pairs has mean 200 and SD √(400 · ¼) = 10.
    rng = np.random.default_rng(3)
    values = rng.integers(0, 2, size=(400, 8, 1)).astype(np.float64)
    # One draw of all pairs is a plain permutation; the mean over so few draws is off by up to 10 / √8.
    sums = np.concatenate(list(recombined_sums(values, np.ones((1, 400)), rng, 4000)))[:, 0, 0]
    assert abs(sums.mean() - 200) < 3 * 10 / np.sqrt(8)
    # Widened from √(7/8) · 10 to √(9/8) · 10, for the uncertain mean.
    assert sums.std() == pytest.approx(10 * np.sqrt(9 / 8), rel=0.08)


def test_recombined_sums_are_by_part_and_need_two_draws() -> None:
    values = np.array([[[1.0, 10.0]] * 2, [[2.0, 20.0]] * 2])
    members = np.array([[1.0, 1.0], [0.0, 1.0]])
    sums = next(recombined_sums(values, members, np.random.default_rng(0), 3))
    assert sums.tolist() == [[[3.0, 30.0], [2.0, 20.0]]] * 3
    with pytest.raises(ValueError, match="two permutations"):
        list(recombined_sums(values[:, :1], members, np.random.default_rng(0), 3))


def test_bounded_interval_by_hand_and_beside_statsmodels() -> None:
    # Zeros and ones: m = x̄(1 − x̄) / (s²/n) = n − 1, so that it is Wilson's interval of n − 1 trials, with t for z.
    values = np.repeat([0.0, 1.0], [21, 9])
    found = bounded_mean_interval(values, np.arange(30)).bounds
    assert found is not None
    alpha = 2 * norm.sf(t.ppf(0.975, 29))
    assert (found.low, found.high) == pytest.approx(proportion_confint(0.3 * 29, 29, alpha=alpha, method="wilson"))


def test_bounded_interval_takes_clusters_as_units() -> None:
    values = np.random.default_rng(0).beta(0.5, 2, 40)
    alone = bounded_mean_interval(values, np.arange(40)).bounds
    doubled = bounded_mean_interval(np.repeat(values, 2), np.repeat(np.arange(40), 2)).bounds
    assert alone is not None
    assert doubled is not None
    assert (doubled.low, doubled.high) == pytest.approx((alone.low, alone.high))
    # With many units it is the interval by t.
    many = np.tile(values, 200)
    wide, by_t = (
        bounded_mean_interval(many, np.arange(8000)).bounds,
        clustered_mean(many, np.arange(8000)).interval.bounds,
    )
    assert wide is not None
    assert by_t is not None
    assert (wide.low, wide.high) == pytest.approx((by_t.low, by_t.high), abs=1e-4)


@pytest.mark.parametrize("values", [[], [0.4], [0.2, 0.2, 0.2], [0.0, 0.0]])
def test_bounded_interval_without_spread_is_undefined(values: list[float]) -> None:
    found = bounded_mean_interval(np.array(values), np.arange(len(values)))
    assert found.bounds is None
    assert found.reason


def test_bounded_interval_refuses_values_out_of_bounds() -> None:
    for bad in ([0.5, 1.5], [-0.1, 0.3], [np.nan, 0.3]):
        with pytest.raises(ValueError, match=r"between 0 and 1|finite"):
            bounded_mean_interval(np.array(bad), np.arange(2))

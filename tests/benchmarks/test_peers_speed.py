"""Measures beside packages that offer them: the same data, equal results, processor time in turn, medians of five."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from langfair_peer import measure_of
from letter_sentences import letters
from ratios import Ratio, faster, measured_in_turn
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint
from threadpoolctl import threadpool_limits

from biasprint.core.metrics.agreement import fleiss_kappa
from biasprint.core.metrics.means import clustered_mean
from biasprint.core.metrics.proportions import wilson
from biasprint.core.metrics.ranking import NOBODY, Ballots, fitted_strengths
from biasprint.core.metrics.result import holm
from biasprint.core.metrics.similarity import bleu, cooccurrence, rouge_l, stereotypical_association
from biasprint.core.scorers.functions import bleu_tokens, company_tokens, langfair_words, rouge_tokens
from biasprint.core.scorers.lexicon import count_published, load_lexicon

evalica = pytest.importorskip("evalica")  # of the extra `bench`, which nothing else installs

pytestmark = pytest.mark.bench

Record = Callable[[Ratio], None]
LETTERS, MANY = 40, 100_000


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """numpy's threads use the processor for a while after a product of matrices, and whoever comes next would pay."""
    with threadpool_limits(1, user_api="blas"):
        yield


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return letters(LETTERS, seed=1)


def beside(
    record: Record, name: str, ours: Callable[[], Any], peer: str, theirs: Callable[[], Any], within: float
) -> None:
    """Both once for what they load, then in turn; their results as near to each other as `within`."""
    ours(), theirs()
    own, other, found, expected = measured_in_turn(ours, theirs, time.process_time)
    np.testing.assert_allclose(np.asarray(found, float), np.asarray(expected, float), rtol=0, atol=within)
    record(faster(name, own, peer, other, f"within {within:g}" if within else "equal"))


# ---- LangFair: counterfactual and stereotype measures


def test_rouge(record: Record, texts: list[str]) -> None:
    first, second = texts[::2], texts[1::2]
    peer = measure_of("counterfactual.metrics.rougel", "RougelSimilarity", how="pairwise")

    def ours() -> list[float]:
        return [rouge_l(rouge_tokens(one), rouge_tokens(other)) for one, other in zip(first, second, strict=True)]

    def theirs() -> list[float]:
        return peer.evaluate(first, second, show_progress_bars=False)

    beside(record, f"ROUGE-L of {len(first)} pairs of letters", ours, "LangFair", theirs, 1e-9)


def test_bleu(record: Record, texts: list[str]) -> None:
    first, second = texts[::2], texts[1::2]
    peer = measure_of("counterfactual.metrics.bleu", "BleuSimilarity", how="pairwise")

    def ours() -> list[float]:
        return [bleu(bleu_tokens(one), bleu_tokens(other)) for one, other in zip(first, second, strict=True)]

    def theirs() -> list[float]:
        return peer.evaluate(first, second, show_progress_bars=False)

    beside(record, f"BLEU of {len(first)} pairs of letters", ours, "LangFair, given our tokens", theirs, 1e-9)


def test_cooccurrence(record: Record, texts: list[str]) -> None:
    peer = measure_of("stereotype.metrics.cooccurrence", "CooccurrenceBiasMetric", "adjective")
    known = langfair_words()
    groups = tuple(known.groups.values())

    def ours() -> float:
        near = [company_tokens(text) for text in texts]
        return float(np.mean(list(cooccurrence(near, groups, known.targets["adjective"], known.stop).values())))

    def theirs() -> float:
        return peer.evaluate(texts, show_progress_bars=False)

    beside(record, f"co-occurrence bias of {LETTERS} letters", ours, "LangFair, given our tokens", theirs, 1e-9)


def test_association(record: Record, texts: list[str]) -> None:
    peer = measure_of("stereotype.metrics.associations", "StereotypicalAssociations", "adjective")
    known = langfair_words()

    def ours() -> float:
        return stereotypical_association(
            [bleu_tokens(text) for text in texts], known.groups, known.targets["adjective"]
        )

    def theirs() -> float:
        return peer.evaluate(texts, show_progress_bars=False)

    beside(record, f"stereotypical association of {LETTERS} letters", ours, "LangFair, given our tokens", theirs, 1e-9)


# ---- evalica: strengths


def test_strengths(record: Record) -> None:
    rng, models = np.random.default_rng(1), 8
    truth = np.linspace(-1, 1, models)
    pairs = np.array([rng.choice(models, 2, replace=False) for _ in range(MANY)])
    won = rng.random(MANY) < 1 / (1 + np.exp(truth[pairs[:, 1]] - truth[pairs[:, 0]]))
    best, number = np.where(won, pairs[:, 0], pairs[:, 1]), np.arange(MANY)
    shown = np.column_stack([pairs, np.full(MANY, NOBODY)])
    ballots = Ballots(shown, best, np.full(MANY, NOBODY), np.ones(MANY), number, number)
    left, right = (pairs[:, side].astype(str).tolist() for side in (0, 1))
    winners = [evalica.Winner.X if each else evalica.Winner.Y for each in won]

    def ours() -> Any:
        return fitted_strengths(ballots, models, 0)[:models]

    def theirs() -> Any:
        found = evalica.bradley_terry(left, right, winners, tolerance=1e-12, limit=10_000).scores.sort_index()
        logs = np.log(found.to_numpy())
        return logs - logs.mean()

    beside(record, f"Bradley–Terry strengths of {MANY:,} comparisons", ours, "evalica (compiled)", theirs, 1e-5)


# ---- statsmodels


def test_kappa(record: Record) -> None:
    counts = np.random.default_rng(2).multinomial(3, [0.5, 0.3, 0.2], MANY)
    name = f"Fleiss κ of {MANY:,} comparisons, with its jackknife interval"
    beside(
        record, name, lambda: fleiss_kappa(counts).value, "statsmodels, κ alone", lambda: statsmodels_kappa(counts),
        1e-12,
    )  # fmt: skip


def test_clustered_mean(record: Record) -> None:
    rng = np.random.default_rng(3)
    clusters = rng.integers(0, MANY // 10, MANY)
    values = rng.normal(0.1, 1, MANY) + rng.normal(0, 1, MANY // 10)[clusters]

    def ours() -> tuple[float, float]:
        found = clustered_mean(values, clusters)
        return found.value, found.p

    def theirs() -> tuple[float, float]:
        # The same variance: statsmodels' is (C/(C−1)) (n−1)/(n−k) times the sandwich, with k = 1.
        fit = sm.OLS(values, np.ones(MANY)).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
        return float(fit.params[0]), float(fit.pvalues[0])

    beside(
        record, f"mean over {MANY // 10:,} clusters of {MANY:,} values, with p", ours, "statsmodels OLS", theirs, 1e-9
    )


def test_holm(record: Record) -> None:
    chances = np.random.default_rng(4).random(MANY).tolist()
    beside(
        record, f"Holm's adjustment of {MANY:,} p values", lambda: holm(chances), "statsmodels multipletests",
        lambda: multipletests(chances, method="holm")[1], 1e-12,
    )  # fmt: skip


def test_wilson(record: Record) -> None:
    def theirs() -> list[tuple[float, float]]:
        return [proportion_confint(k, 500, method="wilson") for k in range(501)]

    def ours() -> list[tuple[float, float]]:
        bounds = [wilson(k, 500) for k in range(501)]
        return [(each.low, each.high) for each in bounds]

    beside(record, "501 Wilson intervals, one at a time", ours, "statsmodels proportion_confint", theirs, 1e-12)


# ---- The papers' way of counting: each listed word looked for in each text


def test_counting_as_the_paper_does(record: Record, texts: list[str]) -> None:
    lexicon = load_lexicon("letters_table17")
    stems = [[entry.removesuffix("*").lower() for entry in category.entries] for category in lexicon.categories]

    def theirs() -> list[list[int]]:
        counted = []
        for text in texts:
            words = text.lower().split()
            counted.append([sum(stem in word for word in words for stem in own) for own in stems])
        return counted

    def ours() -> Any:
        return count_published(texts, lexicon).categories

    beside(record, f"words of {LETTERS} letters counted as published", ours, "the papers' loop", theirs, 0)

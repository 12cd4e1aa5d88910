"""What the dial plants is there, is as large as it says, and is nothing at "none"."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from biasprint.core.backends.protocol import Request, output_seed
from biasprint.core.backends.registry import open_backend
from biasprint.core.prompts import PromptDraft, cogs_set, letters_context_less_set, load_axis
from biasprint.core.scorers.lexicon import count_published, load_lexicon
from biasprint.core.studies.kit.planting import load_dial
from biasprint.core.studies.news.prompts import news_set

Counts = NDArray[np.float64]
AXES = ("race", "gender", "orientation")
RUNS = 10


def texts(prompts: Sequence[PromptDraft], dial: str, run_seed: int) -> list[str]:
    author = open_backend("synthetic", dial)
    written = []
    for prompt in prompts:
        facts = {"task": prompt.task, "theme": prompt.theme, "axis": prompt.axis, "identity": prompt.identity}
        seed = output_seed(run_seed, prompt.key, 0)
        asked = Request(prompt.key, prompt.text, seed, fields={**facts, **prompt.fields})
        written.append(author.generate(asked, lambda text: None, lambda: None).text)
    return written


def test_the_dial_is_ordered_and_none_plants_nothing() -> None:
    none, small, medium, large = (load_dial(setting) for setting in ("none", "small", "medium", "large"))
    drifts = [dial.second_scene("race", "black") for dial in (none, small, medium, large)]
    assert drifts == sorted(set(drifts))
    assert max(drifts) <= 1
    agentic = [dial.agentic("male") for dial in (none, small, medium, large)]
    assert agentic == sorted(set(agentic))
    for axis in AXES:
        identities = [identity.key for identity in load_axis(axis).identities]
        assert set(none.weights[axis]) == set(identities)
        assert len({none.second_scene(axis, identity) for identity in identities}) == 1
    assert none.agentic("male") == none.agentic("female") == 0.5


def test_nothing_is_planted_on_an_axis_that_is_not_listed() -> None:
    large = load_dial("large")
    assert large.second_scene("age", "old") == large.second_scene("age", "young") == large.base
    assert large.agentic("nobody") == 0.5


def test_the_odds_ratio_between_the_letters_groups_is_the_planted_one() -> None:
    for setting in ("none", "small", "medium", "large"):
        dial = load_dial(setting)
        p, q = dial.agentic("male"), dial.agentic("female")
        assert (p / (1 - p)) / (q / (1 - q)) == pytest.approx(dial.odds)


# --- creativity: a bag-of-words distance to the default, identities permuted within task and theme ---------------


def distances(prompts: Sequence[PromptDraft], written: Sequence[str]) -> dict[str, Counts]:
    """Per axis 1 − cosine of word counts to the default of the same task and theme, shape (blocks, identities)."""
    vectors: list[Counter[str]] = [Counter(re.findall(r"[a-z']+", text.lower())) for text in written]
    found: dict[str, list[list[float]]] = {axis: [] for axis in AXES}
    default = vectors[0]
    last = ("", "")
    for prompt, vector in zip(prompts, vectors, strict=True):
        if prompt.identity == "default":
            default, last = vector, ("", "")
            continue
        if last != (prompt.theme, prompt.axis):
            found[prompt.axis].append([])
            last = (prompt.theme, prompt.axis)
        product = sum(count * default[word] for word, count in vector.items())
        norms = sum(n * n for n in vector.values()) * sum(n * n for n in default.values())
        found[prompt.axis][-1].append(1 - product / norms**0.5)
    return {axis: np.array(rows) for axis, rows in found.items()}


def spread_p(blocks: Counts, rng: np.random.Generator, draws: int = 199) -> float:
    """p of the spread of mean distances against identities permuted within blocks."""
    observed = blocks.mean(axis=0).std()
    null = [rng.permuted(blocks, axis=1).mean(axis=0).std() for _ in range(draws)]
    return float((1 + sum(each >= observed for each in null)) / (1 + draws))


@pytest.fixture(scope="module")
def found_distances() -> dict[str, list[dict[str, Counts]]]:
    prompts = cogs_set(tasks=["very_short_story", "short_poem", "game", "blog"]).prompts
    return {dial: [distances(prompts, texts(prompts, dial, run)) for run in range(RUNS)] for dial in ("none", "medium")}


@pytest.mark.soak
@pytest.mark.parametrize("axis", AXES)
def test_a_medium_drift_is_found_and_in_the_planted_order(
    found_distances: dict[str, list[dict[str, Counts]]], axis: str
) -> None:
    rng = np.random.default_rng(1)
    runs = [run[axis] for run in found_distances["medium"]]
    found = sum(spread_p(blocks, rng) < 0.05 for blocks in runs)
    assert found >= 0.8 * RUNS
    weights = load_dial("medium").weights[axis]
    identities = [identity.key for identity in load_axis(axis).identities]
    means = np.mean([blocks.mean(axis=0) for blocks in runs], axis=0)
    assert [identities[place] for place in np.argsort(means)] == sorted(identities, key=weights.__getitem__)


@pytest.mark.soak
def test_at_none_the_identities_are_exchangeable(found_distances: dict[str, list[dict[str, Counts]]]) -> None:
    rng = np.random.default_rng(2)
    ps = [spread_p(run[axis], rng) for run in found_distances["none"] for axis in AXES]
    # 30 tests at 5 %: more than 5 have probability .003 (binomial).
    assert sum(p < 0.05 for p in ps) <= 5
    for axis in AXES:
        means = np.mean([run[axis].mean(axis=0) for run in found_distances["none"]], axis=0)
        assert np.ptp(means) < 0.02


# --- letters: the paper's own count, groups swapped within the matched cells ------------------------------------


def paired_p(differences: Counts, rng: np.random.Generator, draws: int = 499) -> Counts:
    """Two-sided p per column by flipping signs within pairs."""
    observed = abs(differences.mean(axis=0))
    signs = rng.choice([-1.0, 1.0], size=(draws, len(differences)))
    null = abs(signs @ differences / len(differences))
    return np.asarray((1 + (null >= observed).sum(axis=0)) / (1 + draws))


def letter_findings(dial: str) -> tuple[list[str], Counts, Counts]:
    """Categories; p and male over female odds ratio per run and category, for 120 letters each."""
    lexicon = load_lexicon("letters_table17")
    prompts = letters_context_less_set().prompts
    male = np.array([prompt.identity == "male" for prompt in prompts])
    rng = np.random.default_rng(3)
    ps, ratios = [], []
    for run in range(RUNS):
        counts = count_published(texts(prompts, dial, run), lexicon)
        rates = counts.categories / counts.tokens[:, None]
        ps.append(paired_p(rates[male] - rates[~male], rng))
        odds = [category_odds(counts.categories[side], counts.tokens[side]) for side in (male, ~male)]
        ratios.append(odds[0] / odds[1])
    return [category.name for category in lexicon.categories], np.array(ps), np.array(ratios)


def category_odds(categories: NDArray[np.int64], tokens: NDArray[np.int64]) -> Counts:
    counted = categories.sum(axis=0)
    return np.asarray((counted + 0.001) / (tokens.sum() - counted + 0.001))


def test_a_medium_bias_in_letters_is_found_by_the_papers_count() -> None:
    names, ps, ratios = letter_findings("medium")
    for name, above in (("agentic", True), ("communal", False)):
        column = names.index(name)
        assert (ps[:, column] < 0.05).mean() >= 0.8
        assert ((ratios[:, column] > 1) == above).all()
    for name in ("ability", "standout", "leadership", "masculine"):
        assert ratios[:, names.index(name)].mean() > 1.1
    assert ratios[:, names.index("feminine")].mean() < 0.9


def test_at_none_the_letters_of_both_groups_are_alike() -> None:
    names, ps, ratios = letter_findings("none")
    # 10 runs × 9 categories at 5 %: 4.5 expected; more than 11 have probability .002 (binomial).
    assert (ps < 0.05).sum() <= 11
    for name in ("agentic", "communal"):
        assert ratios[:, names.index(name)].mean() == pytest.approx(1, abs=0.1)


def test_letters_use_many_entries_of_each_planted_category() -> None:
    lexicon = load_lexicon("letters_table17")
    prompts = letters_context_less_set().prompts
    counts = count_published(texts(prompts, "none", 0), lexicon)
    used = counts.entries.sum(axis=0) > 0
    for place, category in enumerate(lexicon.categories):
        share = used[lexicon.category_of_entry == place].mean()
        if category.name in ("agentic", "communal", "ability", "standout", "leadership"):
            assert share >= 0.75, category.name


@pytest.mark.soak
def test_it_writes_a_thousand_texts_a_second() -> None:
    from time import perf_counter

    prompts = cogs_set(themes=["stars", "rain"]).prompts
    texts(prompts, "none", 0)  # reads the words once
    quickest = min(timed(perf_counter, lambda: texts(prompts, "none", 1)) for _ in range(3))
    assert len(prompts) / quickest > 1000


def timed(clock: Callable[[], float], work: Callable[[], object]) -> float:
    start = clock()
    work()
    return clock() - start


# --- news: men and women among the people of an article ----------------------------------------------------------


@pytest.mark.parametrize(("dial", "share"), [("none", 1 / 2), ("medium", 3 / 4), ("large", 9 / 10)])
def test_the_share_of_men_in_news_is_the_planted_one_whoever_is_asked_to_be_biased(dial: str, share: float) -> None:
    for written in (
        texts(news_set().prompts, dial, 1),
        texts(news_set(ideology="Androcentrism").prompts[64:], dial, 2),
    ):
        men, women = (sum(len(re.findall(title, text)) for text in written) for title in (r"Mr\.", r"Ms\."))
        assert 64 * 4 <= men + women <= 64 * 6
        assert men / (men + women) == pytest.approx(share, abs=3 * (share * (1 - share) / 300) ** 0.5)

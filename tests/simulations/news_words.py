"""News at the word and sentence level: coverage of the intervals and false alarms of the tests.

The dependence is the one that the design has: pairs of a headline share what it is about, an article dwells on some
people more than on others, and sentences that follow each other are about the same person. No group is favoured unless
the design says so. `rows(trials)` gives the table for docs/tables/statistics-simulations.md.
"""

from functools import cache, partial

import numpy as np
from simulations.rows import Outcome, Row, alarm, covers, simulated

from biasprint.core.metrics.means import clustered_mean, one_sample_mean
from biasprint.core.metrics.result import Floats, Ints
from biasprint.core.metrics.topics import GroupMeans, is_lower, prejudice
from biasprint.core.studies.news.level import LevelDesign, PairValues, design_of, floors
from biasprint.core.studies.news.mentions import gap_values, share_values
from biasprint.core.studies.news.table import NewsPair, NewsTable, group_axis

SMALL, USUAL, LARGE = 10, 60, 300
WRITTEN, READ = 6, 10  # sentences with a group word in a generated and in an original article
STAYS = 0.5  # the chance that a sentence is about the same person as the one before
DWELLS = 6.0  # how closely an article keeps to its headline's share of women: the larger, the closer
TRUTH = 200_000
RESAMPLES = 400


def women(chance: Floats, sentences: int, rng: np.random.Generator) -> Ints:
    """How many of an article's sentences mention a woman, the others a man: counts (n, 2)."""
    now = rng.random(len(chance)) < chance
    count = now.astype(np.int64)
    for _ in range(sentences - 1):
        fresh = rng.random(len(chance)) < chance
        now = np.where(rng.random(len(chance)) < STAYS, now, fresh)
        count += now
    return np.column_stack([count, sentences - count])


def dwelling(share: Floats, rng: np.random.Generator) -> Floats:
    """An article's own chance of a woman, about that of its headline."""
    return rng.beta(DWELLS * share + 0.1, DWELLS * (1 - share) + 0.1)


def pairs(headlines: int, models: int, tilt: float, rng: np.random.Generator) -> tuple[PairValues, Ints]:
    """Values of `models` articles for each headline, and the headline's number. `tilt`: in a generated article such a
    share of women's sentences became men's."""
    story = np.repeat(np.arange(headlines), models)
    share = rng.beta(1.2, 1.2, headlines)
    original = women(dwelling(share, rng), READ, rng)[story]
    generated = women(dwelling(share[story], rng) * (1 - tilt), WRITTEN, rng)
    return share_values(generated, original), story


@cache
def word_truth(models: int, tilt: float) -> tuple[float, float, float, float]:
    values, story = pairs(TRUTH, models, tilt, np.random.default_rng(0))
    found = prejudice(values.signed[:, 0], values.among[:, 0], story)
    assert found.share is not None
    assert found.drop is not None
    return float(values.distance.mean()), found.share, found.drop, float(values.signed[:, 0].mean())


def word_trial(models: int, tilt: float, rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    distance, share, drop, difference = word_truth(models, tilt)
    values, story = pairs(n, models, tilt, rng)
    signed, asked = values.signed[:, 0], values.among[:, 0]
    found = prejudice(signed, asked, story)
    lower = asked & is_lower(signed)
    default, published = clustered_mean(signed, story), one_sample_mean(signed)
    return {
        "W, default": Outcome(covers(clustered_mean(values.distance, story).interval, distance)),
        "W, as_published": Outcome(covers(one_sample_mean(values.distance).interval, distance)),
        "prejudice share, default": Outcome(covers(found.share_interval, share)),
        "prejudice drop, default": Outcome(covers(found.drop_interval, drop)),
        "prejudice drop, as_published": Outcome(covers(one_sample_mean(-signed[lower]).interval, drop)),
        "difference, default": Outcome(covers(default.interval, difference), alarm(default.p, tilt)),
        "difference, as_published": Outcome(covers(published.interval, difference), alarm(published.p, tilt)),
    }


def word_rows(trials: int, sizes: tuple[int, ...] = (SMALL, USUAL, LARGE)) -> list[Row]:
    designs = {
        "words, one article for each headline": (1, 0.0),
        "words, three models on each headline": (3, 0.0),
        "words, every second woman become a man": (1, 0.5),
    }
    return [
        row
        for name, (models, tilt) in designs.items()
        for n in sizes
        for row in simulated(name, n, partial(word_trial, models, tilt), trials)
    ]


def scored(headlines: int, rng: np.random.Generator) -> tuple[PairValues, Ints]:
    """Sentiment of sentences about women and men on both sides: an article has a tone, a sentence its own."""

    def side() -> GroupMeans:
        tone = rng.normal(0.1, 0.1, (headlines, 1))
        count = rng.poisson(1.5, (headlines, 2))
        means = tone + rng.normal(0, 1, (headlines, 2)) * 0.25 / np.sqrt(np.maximum(count, 1))
        return GroupMeans(np.where(count > 0, means, 0.0), count > 0)

    return gap_values(side(), side()), np.arange(headlines)


@cache
def gap_truth() -> float:
    values, _ = scored(TRUTH, np.random.default_rng(0))
    return float(values.distance[values.defined].mean())


def gap_trial(rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    values, story = scored(n, rng)
    defined, both = values.defined, values.present[:, 0]
    gap = clustered_mean(values.distance[defined], story[defined])
    found = clustered_mean(values.signed[both, 0], story[both])
    return {
        "gap, default": Outcome(covers(gap.interval, gap_truth())),
        "difference, default": Outcome(covers(found.interval, 0.0), alarm(found.p)),
    }


def gap_rows(trials: int, sizes: tuple[int, ...] = (SMALL, USUAL, LARGE)) -> list[Row]:
    return [row for n in sizes for row in simulated("sentences, an article has a tone", n, gap_trial, trials)]


@cache
def twice_design(headlines: int) -> LevelDesign:
    written = [NewsPair("original", "generated", f"headline {n}") for n in range(headlines) for _ in range(2)]
    return design_of(NewsTable(tuple(written), (group_axis("gender"),)))


def twice_trial(rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    """Two generations of each headline, as long as the original: any of the three texts could be it."""
    share = rng.beta(1.2, 1.2, n)
    original, *generated = (women(dwelling(share, rng), WRITTEN, rng) for _ in range(3))
    rows = np.concatenate([np.stack(generated, axis=1).reshape(-1, 2), np.repeat(original, 2, axis=0)])

    def compare(first: Ints, second: Ints) -> PairValues:
        return share_values(rows[first], rows[second])

    [draws] = floors(twice_design(n), compare, lambda: iter(()), 1.0, rng, RESAMPLES)
    assert draws is not None
    assert draws.tested
    found = {"W": draws.floor(0, 1), "prejudice share": draws.floor(2, 4), "prejudice drop": draws.floor(6, 2)}
    return {
        f"{name} against two generations, default": Outcome(alarm=alarm(floor.p if floor else None))
        for name, floor in found.items()
    }


def twice_rows(trials: int, sizes: tuple[int, ...] = (12, USUAL)) -> list[Row]:
    return [row for n in sizes for row in simulated("words, two generations of a headline", n, twice_trial, trials)]


def rows(trials: int) -> list[Row]:
    return [*word_rows(trials), *gap_rows(trials), *twice_rows(trials)]

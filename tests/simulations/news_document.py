"""News at the document level: topics of sentences that cluster in articles, and pairs of articles.

`rows(trials)` gives the table for docs/tables/statistics-simulations.md. What a topic model would read from texts is
drawn directly: each article has topic proportions of its own, each of its sentences a topic and, in runs, a group. The
original and the generated article of a headline resemble each other.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from simulations.rows import Outcome, Row, alarm, covers, simulated

from biasprint.core.metrics.means import bounded_mean_interval, clustered_mean
from biasprint.core.metrics.proportions import clustered_proportion
from biasprint.core.metrics.resampling import TOLERANCE, permutation_p, recombined_sums
from biasprint.core.metrics.topics import (
    NO_GROUP,
    ShareDistance,
    TopicMembership,
    counts_of,
    permuted_membership,
    published_membership,
    wasserstein_share,
)

SMALL, USUAL, LARGE = 12, 60, 200
RESAMPLES = 300
TOPICS, GROUPS = 12, 2
NEUTRAL = GROUPS
SMALLEST = 0.01
RUNS, DRAWS = 8, 8
# Sentences on the first three topics often mention a woman, on the next three a man.
WOMEN, MEN = slice(0, 3), slice(3, 6)
KNOWN = np.repeat([0, 1, NO_GROUP], [3, 3, 6])
CONTENT = np.full(TOPICS, 0.25)


@dataclass(frozen=True)
class Side:
    """One article in each row of `topic` and `group`, int64[articles, sentences]; past its `length` there is none."""

    topic: np.ndarray
    group: np.ndarray
    length: np.ndarray

    @property
    def there(self) -> np.ndarray:
        return np.arange(self.topic.shape[1]) < self.length[:, None]

    @property
    def proportions(self) -> np.ndarray:
        """Topic proportions of each article, float64[articles, topics]; what is below SMALLEST is not there."""
        return proportions(self.topic, self.there)

    def sentences(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        article = np.broadcast_to(np.arange(len(self.topic))[:, None], self.topic.shape)
        return self.topic[self.there], self.group[self.there], article[self.there]


def proportions(topic: np.ndarray, there: np.ndarray) -> np.ndarray:
    counts = ((topic[..., None] == np.arange(TOPICS)) & there[..., None]).sum(axis=-2)
    shares = counts / np.maximum(1, there.sum(axis=-1))[..., None]
    return np.where(shares >= SMALLEST, shares, 0.0)


def drawn(rng: np.random.Generator, shares: np.ndarray, associated: bool, goes_on: float = 0.5) -> Side:
    """Articles with these topic shares (articles, topics): 10 to 40 sentences.

    `goes_on`: how often a sentence keeps the topic of the one before, and the group.

    Where nothing is `associated`, each article has a share of each group of its own, whatever its topics.
    """
    articles = len(shares)
    length = rng.integers(10, 41, articles)
    size = (articles, 40)
    topic = (rng.random((*size, 1)) > shares.cumsum(axis=1)[:, None, :-1]).sum(axis=2)
    own = rng.dirichlet([0.3, 0.3, 1.5], articles)[:, None, :]
    by_topic = np.tile([0.08, 0.08, 0.84], (TOPICS, 1))
    by_topic[WOMEN], by_topic[MEN] = [0.6, 0.05, 0.35], [0.05, 0.6, 0.35]
    again = rng.random(size) < goes_on
    for place in range(1, size[1]):
        topic[:, place] = np.where(again[:, place], topic[:, place - 1], topic[:, place])
    chances = by_topic[topic] if associated else np.broadcast_to(own, (*size, 3))
    group = (rng.random((*size, 1)) > chances.cumsum(axis=2)[:, :, :-1]).sum(axis=2)
    if not associated:
        again = rng.random(size) < goes_on
        for place in range(1, size[1]):
            group[:, place] = np.where(again[:, place], group[:, place - 1], group[:, place])
    return Side(topic, group, length)


def pairs(rng: np.random.Generator, n: int, tilt: float = 0.0, associated: bool = True) -> tuple[Side, Side]:
    """n originals and generated articles: both are about what the headline asks for, each in its own way.

    `tilt`: how much of the women's topics goes to the men's in the generated articles.
    """
    headline = rng.dirichlet(CONTENT, n)
    original, generated = (np.stack([rng.dirichlet(12 * each + 1e-3) for each in headline]) for _ in range(2))
    moved = tilt * generated[:, WOMEN]
    generated = generated.copy()
    generated[:, WOMEN] -= moved
    generated[:, MEN] += moved
    return drawn(rng, original, associated), drawn(rng, generated, associated)


def amounts(shares: np.ndarray, group_of_topic: np.ndarray) -> np.ndarray:
    return np.asarray(shares @ (group_of_topic[:, None] == np.arange(GROUPS)).astype(np.float64))


def distances(sides: tuple[Side, Side], sets: tuple[np.ndarray, np.ndarray]) -> ShareDistance:
    original, generated = (amounts(side.proportions, own) for side, own in zip(sides, sets, strict=True))
    return wasserstein_share(generated, original)


def learnt(side: Side, rng: np.random.Generator) -> TopicMembership:
    return permuted_membership(*side.sentences(), TOPICS, GROUPS + 1, rng, 3 * RESAMPLES)


def published(side: Side) -> TopicMembership:
    topic, group, _ = side.sentences()
    return published_membership(counts_of(topic, group, TOPICS, GROUPS + 1))


@cache
def truth(tilt: float) -> tuple[float, float]:
    """Mean W and mean signed difference for women over all pairs there could be, with the true topic sets."""
    result = distances(pairs(np.random.default_rng(1), 20_000, tilt), (KNOWN, KNOWN))
    return float(result.distance.mean()), float(result.signed[:, 0].mean())


def association_trial(rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    """Is any topic given to a group where no topic has one?"""
    original, _ = pairs(rng, n, associated=False)
    return {
        "labels permuted by article, Benjamini–Hochberg": Outcome(
            None, bool((learnt(original, rng).group != NO_GROUP).any())
        ),
        "residual above 3, as_published": Outcome(None, bool((published(original).group != NO_GROUP).any())),
    }


def interval_trial(tilt: float, rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    """The intervals over pairs, for the true topic sets (which is what they are conditional on)."""
    result = distances(pairs(rng, n, tilt), (KNOWN, KNOWN))
    headline = np.arange(len(result.distance))
    mean, difference = truth(tilt)
    of_women = clustered_mean(result.signed[:, 0], headline)
    return {
        "W: Wilson by effective n": Outcome(covers(bounded_mean_interval(result.distance, headline), mean)),
        "W: t over pairs, as_published": Outcome(covers(clustered_mean(result.distance, headline).interval, mean)),
        "difference: t over pairs": Outcome(covers(of_women.interval, difference), alarm(of_women.p, tilt)),
    }


def prejudice(sides: tuple[Side, Side]) -> tuple[np.ndarray, np.ndarray]:
    """Of pairs whose original has topics of women: is their share lower? And by how much, where it is."""
    result = distances(sides, (KNOWN, KNOWN))
    signed = result.signed[result.second[:, 0] > 0, 0]
    return signed < -TOLERANCE, -signed[signed < -TOLERANCE]


@cache
def true_prejudice() -> tuple[float, float]:
    lower, drop = prejudice(pairs(np.random.default_rng(2), 20_000))
    return float(lower.mean()), float(drop.mean())


def prejudice_trial(rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    """The conditional prejudice share and drop; their truth is that of very many pairs."""
    lower, drop = prejudice(pairs(rng, n))
    true_share, true_drop = true_prejudice()
    share = clustered_proportion(lower, np.arange(len(lower)))
    numbers = np.arange(len(drop))
    of_drop, by_t = bounded_mean_interval(drop, numbers), clustered_mean(drop, numbers).interval
    return {
        "prejudice share: Wilson": Outcome(covers(share.interval, true_share)),
        "prejudice drop: Wilson by effective n": Outcome(covers(of_drop, true_drop)),
        "prejudice drop: t over pairs, as_published": Outcome(covers(by_t, true_drop)),
    }


def learnt_trial(rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    """No bias, and the topic sets learnt from the same articles: does learning them make something out of nothing?"""
    sides = pairs(rng, n)
    one = learnt(sides[0], rng).group
    each = published(sides[0]).group, published(sides[1]).group
    return {
        "difference, one set from the originals": Outcome(None, _alarm(sides, (one, one))),
        "difference, a set for each source, as_published": Outcome(None, _alarm(sides, each)),
    }


def _alarm(sides: tuple[Side, Side], sets: tuple[np.ndarray, np.ndarray]) -> bool | None:
    if any(len(set(each.tolist()) & {0, 1}) < 2 for each in sets):
        return None
    signed = distances(sides, sets).signed[:, 0]
    return alarm(clustered_mean(signed, np.arange(len(signed))).p, 0.0)


def floor_trial(alike: bool, goes_on: float, rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    """p of W from its floor: runs of sentences dealt again to the two articles of a pair.

    `alike`: both articles of a pair are drawn from the same topic shares, which is the floor's idea of no bias.
    Otherwise each has shares of its own around the headline's, as two generations of one headline would have too.
    """
    headline = rng.dirichlet(CONTENT, n)
    same = drawn(rng, headline, True, goes_on), drawn(rng, headline, True, goes_on)
    sides = same if alike else pairs(rng, n)
    observed = distances(sides, (KNOWN, KNOWN)).distance
    values = np.zeros((n, DRAWS, 2))
    for pair in range(n):
        length = round(sum(int(side.length[pair]) for side in sides) / RUNS)
        runs = [_runs(side.topic[pair, : side.length[pair]], length) for side in sides]
        pool, cut = [*runs[0], *runs[1]], len(runs[0])
        for draw in range(DRAWS):
            order = rng.permutation(len(pool))
            one, other = (_amounts([pool[place] for place in part]) for part in (order[:cut], order[cut:]))
            dealt = wasserstein_share(other, one)
            if dealt.defined[0]:
                values[pair, draw] = dealt.distance[0], 1.0
    sums = np.concatenate(list(recombined_sums(values, np.ones((1, n)), rng, RESAMPLES)))[:, 0]
    p = float(permutation_p(sums[:, 0] / sums[:, 1] >= observed.mean() - TOLERANCE))
    return {"p of W's floor, runs of sentences dealt again (shown, not used as a test)": Outcome(None, alarm(p))}


def _runs(topics: np.ndarray, length: int) -> list[np.ndarray]:
    return [topics[start : start + length] for start in range(0, len(topics), length)]


def _amounts(runs: list[np.ndarray]) -> np.ndarray:
    topics = np.concatenate(runs)[None]
    return amounts(proportions(topics, np.ones(topics.shape, dtype=bool)), KNOWN)


Sizes = tuple[int, ...]
SIZES = (SMALL, USUAL, LARGE)


def association_rows(trials: int, sizes: Sizes = SIZES) -> list[Row]:
    return [row for n in sizes for row in simulated("topics and groups, no association", n, association_trial, trials)]


def interval_rows(trials: int, sizes: Sizes = SIZES) -> list[Row]:
    designs: Mapping[str, Callable[[np.random.Generator, int], Mapping[str, Outcome]]] = {
        "pairs of articles, no bias": partial(interval_trial, 0.0),
        "pairs of articles, a third of women's topics go to men's": partial(interval_trial, 1 / 3),
        "pairs of articles, women's topics less in the generated": prejudice_trial,
    }
    return [row for n in sizes for name, trial in designs.items() for row in simulated(name, n, trial, trials)]


def learnt_rows(trials: int, sizes: Sizes = SIZES) -> list[Row]:
    name = "pairs of articles, no bias, topic sets from them"
    return [row for n in sizes for row in simulated(name, n, learnt_trial, trials)]


def floor_rows(trials: int, sizes: Sizes = (SMALL, USUAL)) -> list[Row]:
    name = "pairs of articles from the same topic shares"
    return [row for n in sizes for row in simulated(name, n, partial(floor_trial, True, 0.0), trials)]


def limit_rows(trials: int, sizes: Sizes = (SMALL, USUAL)) -> list[Row]:
    """What lies above the floor without any bias: sentences that keep to a topic, articles that go their own way."""
    designs = {
        "the same topic shares, every fourth sentence goes on with the topic": partial(floor_trial, True, 0.25),
        "the same topic shares, every second sentence goes on with the topic": partial(floor_trial, True, 0.5),
        "pairs of articles that differ as two generations do": partial(floor_trial, False, 0.5),
    }
    return [row for n in sizes for name, trial in designs.items() for row in simulated(name, n, trial, trials)]


def rows(trials: int = 2000) -> list[Row]:
    """The whole table."""
    parts = (association_rows, interval_rows, learnt_rows, floor_rows, limit_rows)
    return [row for part in parts for row in part(trials)]

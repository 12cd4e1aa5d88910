"""What the measures of a level give with no bias at all: the noise floor.

Where headlines were written for twice, two generations of one headline are compared with each other; otherwise the
sentences of a pair are dealt anew to its two sides.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from core.metrics.distances import is_lower
from core.metrics.resampling import TOLERANCE, chunks, cluster_bootstrap_sums, permutation_p
from core.metrics.result import Floats, Ints, NoiseFloor
from core.studies.news.level import Design, PairValues

# So much is dealt at most: with many pairs fewer deals tell as much, because a mean over many pairs varies less. What
# a pair costs beside its sentences, in sentences.
MOST_DEALT = 160_000_000
COST_OF_PAIR = 20
FEWEST_DEALS = 999
FEWEST_STORIES = 10

# Of the rows `first` and `second` of a level's texts (generated ones first, then originals): the values of each pair.
Compare = Callable[[Ints, Ints], PairValues]


@dataclass(frozen=True)
class Draws:
    """Sums as `PairValues.sums` has them, of one part of the table; shapes (resamples, c) and (c,).

    `quiet`: two texts without a bias between them. `permuted`: which text is the original left to chance, for p.
    `tested`: is p that of a test? Of whole texts of one headline any could be the original. Sentences that are dealt
    anew lose what their article has in common, so that an article that dwells on one person looks biased: p then says
    only how far the pair lies from sentences at random, and no claim rests on it.
    """

    quiet: Floats
    permuted: Floats
    observed: Floats
    method: str
    tested: bool = False

    def floor(self, numerator: int, denominator: int) -> NoiseFloor | None:
        """The floor of one ratio of sums; None where no draw defines it."""
        quiet, permuted = (_ratios(sums, numerator, denominator) for sums in (self.quiet, self.permuted))
        observed = _ratios(self.observed[None], numerator, denominator)
        if not (len(quiet) and len(permuted) and len(observed)):
            return None
        p = float(permutation_p(permuted >= observed - TOLERANCE))
        return NoiseFloor(float(quiet.mean()), float(np.quantile(quiet, 0.95)), p, self.method)


def floors(
    design: Design, compare: Compare, dealt: Callable[[], Iterable[Floats]], sign: float, seeded: np.random.Generator,
    resamples: int, blocks: str = "sentences",
) -> list[Draws | None]:  # fmt: skip
    """The draws of each stratum of `design`. `dealt`: gives sums per deal and stratum, chunks of (deals, strata, c).

    `blocks`: what is dealt, in words.
    """
    pairs = len(design.story)
    observed = design.members @ compare(np.arange(pairs), pairs + np.arange(pairs)).sums(sign)
    found: list[Draws | None] = [None] * len(design.strata)
    twice = _written_twice(design)
    for place, stratum in enumerate(design.strata):
        chosen = twice[stratum.members[twice[:, 0]]] if len(twice) else twice
        stories = len(set(design.story[stratum.members]))
        if len(chosen) >= max(FEWEST_STORIES, stories / 2):
            found[place] = _between_generations(chosen, pairs, compare, sign, seeded, resamples)
    if any(draws is None for draws in found):
        sums = np.concatenate([*dealt(), np.empty((0, *observed.shape))])
        method = f"{blocks} dealt anew to the two sides of each pair, {len(sums)} times"
        for place, draws in enumerate(found):
            if draws is None and len(sums):
                found[place] = Draws(sums[:, place], sums[:, place], observed[place], method)
    return found


def deals_for(cost: int, resamples: int) -> int:
    """How many deals of this cost, in sentences, are affordable: FEWEST_DEALS to `resamples`."""
    return min(resamples, max(FEWEST_DEALS, MOST_DEALT // max(1, cost)))


def share_sums(dealt: Iterable[Floats], totals: Floats, members: Floats) -> Iterator[Floats]:
    """From dealt mentions (deals, pairs, k) to sums per stratum: chunks of (deals, strata, 2 + 3k).

    `totals`: mentions of both sides together, (pairs, k). `members`: (strata, pairs). Every deal leaves both sides of
    a pair a mention, because each keeps as many sentences with one as it had.
    """
    for first in dealt:
        per_group = [(first[:, :, place], total - first[:, :, place]) for place, total in enumerate(totals.T)]
        all_first, all_second = (sum(side) for side in zip(*per_group, strict=True))
        distance = np.zeros(first.shape[:2])
        worse, asked, drop = [], [], []
        for one, other in per_group:
            signed = one / all_first - other / all_second
            distance += np.abs(signed) / 2
            lower = is_lower(signed).astype(np.float64)
            worse.append(lower @ members.T)
            asked.append((other > 0).astype(np.float64) @ members.T)
            drop.append((lower * -signed) @ members.T)
        pairs = np.broadcast_to(members.sum(axis=1), worse[0].shape)
        yield np.stack([distance @ members.T, pairs, *worse, *asked, *drop], axis=2)


def _written_twice(design: Design) -> Ints:
    """The first two generations for each headline, by model and prompt kind: rows of pairs, shape (m, 2)."""
    rows: dict[tuple[int, str, str], list[int]] = defaultdict(list)
    for row, pair in enumerate(design.table.pairs):
        rows[int(design.story[row]), pair.model, pair.prompt_kind].append(row)
    return np.array([found[:2] for found in rows.values() if len(found) > 1], dtype=np.int64).reshape(-1, 2)


def _between_generations(
    twice: Ints, pairs: int, compare: Compare, sign: float, rng: np.random.Generator, resamples: int
) -> Draws:
    one, other = twice.T
    texts = (pairs + one, one, other)  # the original, and two generations
    between = {
        (a, b): compare(texts[a], texts[b]).sums(sign) for a in range(3) for b in range(3) if a != b
    }  # fmt: skip
    # Without bias any of the three could be the original; each in turn is compared with the other two.
    roles = np.stack([sum(between[a, b] for a in range(3) if a != b) for b in range(3)])
    quiet = cluster_bootstrap_sums(between[1, 2] + between[2, 1], rng, resamples)
    permuted = np.concatenate(list(_random_roles(roles, rng, resamples)))
    method = f"two generations of each of {len(twice)} headlines compared with each other"
    return Draws(quiet, permuted, roles[0].sum(axis=0), method, tested=True)


def _random_roles(roles: Floats, rng: np.random.Generator, resamples: int) -> Iterator[Floats]:
    """Sums over headlines with the original drawn among the three texts: chunks of (resamples, c)."""
    texts, headlines, _ = roles.shape
    for size in chunks(resamples, headlines):
        drawn = rng.integers(0, texts, size=(size, headlines), dtype=np.uint8)
        yield sum(((drawn == place).astype(np.float64) @ roles[place] for place in range(texts)), start=np.zeros(1))


def _ratios(sums: Floats, numerator: int, denominator: int) -> Floats:
    counted = sums[:, denominator] > 0
    return np.asarray(sums[counted, numerator] / sums[counted, denominator])

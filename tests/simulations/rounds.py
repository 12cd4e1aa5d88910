"""Plans in rounds against random pairs and balanced ones: how many comparisons certainty takes, and whether it holds.

Whole studies at once, as arrays: the rule is that of `core.judging.blocks` and of `ranking(…, watched=True)`, which a
test holds against both. `python tests/simulations/rounds.py` writes docs/tables/rounds.md again.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy.stats import beta
from simulations.rows import ALARM

from biasprint.core.judging.blocks import FLOOR
from biasprint.core.metrics.anytime import SCALE, share_anytime_p, share_band
from biasprint.core.metrics.means import t_quantile
from biasprint.core.metrics.ranking import IMAGINARY
from biasprint.core.metrics.result import holm
from biasprint.core.runs.compare.rounds import dealt_over_tasks

STUDIES = 200
TEXTS, TASTE, LAPSE = 0.5, 0.3, 0.05  # of a text's quality and of a rater's taste, on the logit; answers by chance
WORTH = 0.6  # chance from which on a pair is to be told apart
ROUND, MOST = {4: 20, 8: 40, 16: 80}, {4: 1_600, 8: 4_000, 16: 8_000}
ROUNDS, RANDOM, BALANCED = "rounds", "random pairs", "balanced pairs"


def strengths_of(identities: int, close: bool) -> np.ndarray:
    """Evenly apart over 3 log odds; `close`: one is 0.5 ahead of others that lie within 0.5."""
    if not close:
        return np.linspace(1.5, -1.5, identities)
    return np.array([0.75, *np.linspace(0.25, -0.25, identities - 1)])


def chances_of(strengths: np.ndarray) -> np.ndarray:
    """Chance that the one, by row, is preferred to the other, over texts and raters: shape (k, k)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    apart = strengths[:, None] - strengths[None, :]
    noise = np.sqrt(2 * (TEXTS**2 + TASTE**2)) * nodes
    mean = (1 / (1 + np.exp(-(apart[..., None] + noise)))) @ weights / weights.sum()
    return np.asarray((1 - LAPSE) * mean + LAPSE / 2)


@dataclass
class Looks:
    """What one look tells, in every study: shapes (s, k) and (s, pairs)."""

    strengths: np.ndarray
    logit: np.ndarray
    adjusted: np.ndarray
    low: np.ndarray
    high: np.ndarray
    once_low: np.ndarray
    once_high: np.ndarray


def look(won: np.ndarray) -> Looks:
    """Rank by wins, shape (s, k, k): every comparison has texts of its own, judged once."""
    studies, k, _ = won.shape
    pairs = np.array(list(combinations(range(k), 2)))
    first, second = pairs.T
    met, theta = won + won.transpose(0, 2, 1), np.zeros((studies, k))
    for _ in range(60):
        chance = 1 / (1 + np.exp(theta[:, None, :] - theta[:, :, None]))
        own = 1 / (1 + np.exp(-theta))
        score = (won - met * chance).sum(axis=2) + IMAGINARY * (0.5 - own) - theta.sum(axis=1, keepdims=True)
        information = _laplacian(met * chance * (1 - chance)) + 1.0
        information[:, np.arange(k), np.arange(k)] += IMAGINARY * own * (1 - own)
        step = np.linalg.solve(information, score[..., None])[..., 0]
        theta += np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-8:
            break
    theta -= theta.mean(axis=1, keepdims=True)
    inverse = np.linalg.inv(information)
    squares = won * (1 - chance) ** 2
    meat = _laplacian(squares + squares.transpose(0, 2, 1))
    units = met.sum(axis=(1, 2)) / 2
    robust = inverse @ meat @ inverse * (units / (units - 1))[:, None, None]
    variance = np.maximum(_between(robust, first, second), _between(inverse, first, second))
    logit, error, cards = theta[:, first] - theta[:, second], np.sqrt(variance), met.sum(axis=2)
    freedom = np.maximum(1, np.minimum(cards[:, first], cards[:, second]) / 2 - 1)
    spread = np.log((variance + SCALE**2) / variance)
    z = np.sqrt((variance + SCALE**2) / SCALE**2 * (2 * np.log(len(pairs) / ALARM) + spread))
    half = error * (z + (z**3 + z) / (4 * freedom))
    slope, right = 4 * freedom + 1, 4 * freedom * np.abs(logit) / error
    root = np.sqrt(slope / 3)
    reached = 2 * root * np.sinh(np.arcsinh(1.5 * right / (slope * root)) / 3)
    p = np.minimum(1, np.exp(spread / 2 - reached**2 * SCALE**2 / (2 * (variance + SCALE**2))))
    once = error * np.array([t_quantile(0.975, float(n)) for n in units - 1])[:, None]
    low, high = logit - half, logit + half
    for study, at, n in _one_way(won, first, second):
        band = share_band(n if logit[study, at] > 0 else 0, n, 1 - ALARM / len(pairs))
        low[study, at], high[study, at] = (_log_odds(end) for end in (band.low, band.high))
        p[study, at] = share_anytime_p(n, n, 0.5)
    adjusted = np.array([holm(list(row)) for row in p], dtype=np.float64)
    return Looks(theta, logit, adjusted, low, high, logit - once, logit + once)


def _log_odds(chance: float) -> float:
    return float(np.log(chance / (1 - chance))) if 0 < chance < 1 else float(np.inf if chance else -np.inf)


def _laplacian(weights: np.ndarray) -> np.ndarray:
    return np.asarray(np.eye(weights.shape[1]) * weights.sum(axis=2)[:, :, None] - weights)


def _between(variance: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    own = np.diagonal(variance, axis1=1, axis2=2)
    return np.asarray(own[:, first] + own[:, second] - 2 * variance[:, first, second])


def _one_way(won: np.ndarray, first: np.ndarray, second: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """Yield study, pair and units where all comparisons, also through others, went one way."""
    chain = won.copy()
    for through in range(won.shape[1]):
        chain = np.maximum(chain, np.minimum(chain[:, :, through, None], chain[:, None, through, :]))
    forth, back = chain[:, first, second], chain[:, second, first]
    for study, at in zip(*np.nonzero((forth > 0) != (back > 0)), strict=True):
        yield int(study), int(at), int(max(forth[study, at], back[study, at]))


def drawn(plan: str, now: Looks | None, met: np.ndarray, many: int, rng: np.random.Generator) -> np.ndarray:
    """Return the pairs of the next round by number, shape (s, many)."""
    studies, k, _ = met.shape
    pairs = np.array(list(combinations(range(k), 2)))
    if plan == RANDOM:
        return rng.integers(0, len(pairs), (studies, many))
    first, second = pairs.T
    if plan == BALANCED or now is None:
        times = met[:, first, second].astype(float)
        picked = np.zeros((studies, many), dtype=np.int64)
        for at in range(many):
            picked[:, at] = (times + rng.random(times.shape) / 2).argmin(axis=1)
            times[np.arange(studies), picked[:, at]] += 1
        return picked
    apart = now.strengths[:, first] - now.strengths[:, second]
    weight = 1 / (1 + np.exp(apart)) / (1 + np.exp(-apart))
    of_interest = now.adjusted > ALARM
    of_interest[~of_interest.any(axis=1)] = True
    place = (-now.strengths).argsort(axis=1).argsort(axis=1)
    place = np.minimum(place[:, first], place[:, second])
    highest = of_interest & (place == np.where(of_interest, place, k).min(axis=1, keepdims=True))
    rows = np.arange(studies)
    own = np.zeros(met.shape)
    own[:, first, second] = own[:, second, first] = weight * met[:, first, second]
    variance = np.linalg.inv(_laplacian(own) + np.eye(k) * IMAGINARY / 4 + 1 / k)
    cards = met.sum(axis=2).astype(float)
    picked = np.zeros((studies, many), dtype=np.int64)
    for at in range(many):
        gain = np.where(highest if at % 2 else of_interest, weight * _between(variance, first, second), 0.0)
        rare = cards < FLOOR * cards.mean(axis=1, keepdims=True)
        gain += 1e6 * (rare[:, first] | rare[:, second]) + 1e-9 * rng.random(gain.shape)
        pick = picked[:, at] = gain.argmax(axis=1)
        one, other = first[pick], second[pick]
        step = variance[rows, :, one] - variance[rows, :, other]
        w = weight[rows, pick]
        scale = w / (1 + w * (step[rows, one] - step[rows, other]))
        variance -= scale[:, None, None] * step[:, :, None] * step[:, None, :]
        cards[rows, one] += 1
        cards[rows, other] += 1
    return picked


@dataclass(frozen=True)
class Simulated:
    """Of every study: comparisons until the first place, and until every pair worth telling apart, is certain (inf:
    never); whether a pair was ever told apart the wrong way round; whether every pair's interval held the truth at
    every look; of intervals for one look the share of pairs that held, at every look and at the last.
    """

    first: np.ndarray
    order: np.ndarray
    wrong: np.ndarray
    held: np.ndarray
    once_held: np.ndarray
    once_last: np.ndarray


def simulated(identities: int, close: bool, plan: str, studies: int = STUDIES, most: int = 0) -> Simulated:
    rng = np.random.default_rng([identities, close, len(plan)])
    chances = chances_of(strengths_of(identities, close))
    pairs = np.array(list(combinations(range(identities), 2)))
    truth = chances[pairs[:, 0], pairs[:, 1]]
    logit, telling = np.log(truth / (1 - truth)), truth >= WORTH
    of_first = pairs[:, 0] == 0
    won = np.zeros((studies, identities, identities), dtype=np.int64)
    first, order = np.full(studies, np.inf), np.full(studies, np.inf)
    wrong, held, once = (
        np.zeros(studies, bool),
        np.ones((studies, len(pairs)), bool),
        np.ones((studies, len(pairs)), bool),
    )
    now, n, rows = None, 0, np.repeat(np.arange(studies), ROUND[identities])
    while n < (most or MOST[identities]) and (now is None or np.isinf(order).any() or np.isinf(first).any()):
        picked = drawn(plan, now, won + won.transpose(0, 2, 1), ROUND[identities], rng).ravel()
        one, other = pairs[picked].T
        beat = rng.random(len(picked)) < truth[picked]
        np.add.at(won, (rows, np.where(beat, one, other), np.where(beat, other, one)), 1)
        now, n = look(won), n + ROUND[identities]
        right = (now.adjusted <= ALARM) & (now.logit > 0)
        wrong |= ((now.adjusted <= ALARM) & (now.logit < 0) & (logit > 0)).any(axis=1)
        first = np.where(np.isinf(first) & right[:, of_first].all(axis=1), n, first)
        order = np.where(np.isinf(order) & right[:, telling].all(axis=1), n, order)
        held &= (now.low <= logit) & (logit <= now.high)
        last = (now.once_low <= logit) & (logit <= now.once_high)
        once &= last
    return Simulated(first, order, wrong, held.all(axis=1), once.mean(axis=1), last.mean(axis=1))


# ---- Shares of two over tasks that differ, of which those that are least known get more comparisons

TASK_CHANCES = {"none": (0.5, 0.5, 0.5), "tasks that differ": (0.5, 0.65, 0.9)}
TASK_ROUND, TASK_ROUNDS = 12, 25


@dataclass(frozen=True)
class SimulatedShares:
    """Of every study, at every look: whether the pooled band held the average chance of the comparisons drawn, and the
    average over tasks; whether the bands of all tasks, at 1 − α/3, held theirs; whether p ever was ≤ .05.
    """

    of_drawn: np.ndarray
    of_tasks: np.ndarray
    each_task: np.ndarray
    alarm: np.ndarray


def simulated_shares(chances: tuple[float, ...], studies: int = STUDIES) -> SimulatedShares:
    rng = np.random.default_rng([len(chances), int(100 * sum(chances))])
    return SimulatedShares(*np.array([_shares_of_one(chances, rng) for _ in range(studies)], dtype=bool).T)


def _shares_of_one(chances: tuple[float, ...], rng: np.random.Generator) -> tuple[bool, bool, bool, bool]:
    cells = [("axis", f"task {at}") for at in range(len(chances))]
    won, n = np.zeros(len(chances)), np.zeros(len(chances))
    of_drawn = of_tasks = each_task = True
    alarm = False
    for _ in range(TASK_ROUNDS):
        counts = {cell: {"a": int(won[at]), "b": int(n[at] - won[at])} for at, cell in enumerate(cells)}
        dealt = dealt_over_tasks(counts, {"axis": ("a", "b")}, cells, TASK_ROUND)["axis"]
        more = np.array([dealt[task] for _, task in cells])
        won, n = won + rng.binomial(more, chances), n + more
        band = share_band(won.sum(), n.sum())
        of_drawn &= band.low <= n @ chances / n.sum() <= band.high
        of_tasks &= band.low <= np.mean(chances) <= band.high
        bands = [share_band(one, many, 1 - ALARM / len(chances)) for one, many in zip(won, n, strict=True)]
        each_task &= all(own.low <= chance <= own.high for own, chance in zip(bands, chances, strict=True))
        alarm |= share_anytime_p(won.sum(), n.sum(), 0.5) <= ALARM
    return of_drawn, of_tasks, each_task, alarm


# ---- The page


def _share(values: np.ndarray) -> str:
    """A share of studies with Clopper and Pearson's interval; a mean of shares within studies ± 1.96 errors."""
    mean, n, x = float(values.mean()), len(values), int(values.sum())
    if values.dtype == bool:
        low = float(beta.ppf(0.025, x, n - x + 1)) if x else 0.0
        high = float(beta.ppf(0.975, x + 1, n - x)) if x < n else 1.0
    else:
        half = 1.96 * float(values.std(ddof=1)) / np.sqrt(n)
        low, high = mean - half, min(1.0, mean + half)
    return f"{100 * mean:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def _median(values: np.ndarray, most: int) -> str:
    """The median with the interval of order statistics, “>” where so many comparisons were not enough."""
    ordered, n = np.sort(values), len(values)
    half = 1.96 * np.sqrt(n) / 2
    places = (max(0, int(n / 2 - half)), min(n - 1, int(np.ceil(n / 2 + half))))
    ends = [float(np.median(ordered)), *(float(ordered[place]) for place in places)]
    middle, low, high = (f"{end:,.0f}" if np.isfinite(end) else f"> {most:,}" for end in ends)
    return f"{middle} ({low} to {high})" if np.isfinite(ends[0]) else middle


def _saving(rounds: np.ndarray, other: np.ndarray, most: int) -> str:
    """1 − median of rounds over the other's, with a bootstrap interval over studies; more, where that stopped first."""
    if not np.isfinite(np.median(rounds)):
        return "–"
    mine, theirs = (np.minimum(each, most) for each in (rounds, other))
    rng = np.random.default_rng(1)
    drawn_studies = rng.integers(0, len(mine), (2_000, 2, len(mine)))
    draws = np.median(mine[drawn_studies[:, 0]], axis=1) / np.median(theirs[drawn_studies[:, 1]], axis=1)
    low, high = 100 * (1 - np.percentile(draws, [97.5, 2.5]))
    least = "" if np.isfinite(np.median(other)) else "> "
    return f"{least}{100 * (1 - np.median(mine) / np.median(theirs)):.0f} ({low:.0f} to {high:.0f})"


HEAD = f"""# Plans in rounds, simulated

`python tests/simulations/rounds.py` makes this page. {STUDIES} studies in each row. Each comparison shows two new texts
(quality σ {TEXTS} log odds) to another rater (taste σ {TASTE}), and {LAPSE:.0%} of the answers are by chance. One looks
after every round: {", ".join(f"{many} comparisons of {of}" for of, many in ROUND.items())} identities. The same
anytime-valid rule decides in all plans. “Order”: every pair that people prefer {WORTH:.0%} to {1 - WORTH:.0%} or more
is told apart. Medians, and savings in percent against random pairs, with 95 % intervals; “>”: not reached by then.

| identities | strengths | plan | comparisons to the first place | to the order | saved: first place | saved: order |
|---|---|---|---|---|---|---|
"""
COVERED = """
What held, in percent. “All pairs”: studies in which every pair's interval held the truth at every look. “Wrong”:
studies in which a pair was ever told apart the wrong way round. Beside it the usual interval for one look: the share of
pairs in which it held at every look, and at the last.

| identities | strengths | plan | all pairs, every look | wrong, ever | usual: every look | usual: last look |
|---|---|---|---|---|---|---|
"""


SHARES = f"""
Shares of two identities over three tasks, {TASK_ROUND} comparisons a round dealt out by the widest interval, and
{TASK_ROUNDS} looks, in percent of studies: the pooled band held, at every look, the average chance of the comparisons
drawn, or of the three tasks; the bands of all tasks held theirs; p was ever ≤ .05 (with no preference a false alarm).

| chances | of those drawn | of the tasks | each task | p ≤ .05, ever |
|---|---|---|---|---|
"""


def page(studies: int = STUDIES) -> str:
    lines, kept = [], []
    for identities, most in MOST.items():
        for close, named in ((False, "evenly apart"), (True, "one ahead, others close")):
            runs = {plan: simulated(identities, close, plan, studies) for plan in (RANDOM, BALANCED, ROUNDS)}
            plain = runs[RANDOM]
            for plan, run in runs.items():
                where = f"| {identities} | {named} | {plan} | "
                pairs = ((run.first, plain.first), (run.order, plain.order))
                saved = ["–" if plan == RANDOM else _saving(mine, theirs, most) for mine, theirs in pairs]
                told = [_median(run.first, most), _median(run.order, most), *saved]
                lines.append(where + " | ".join(told) + " |")
                shares = (run.held, run.wrong, run.once_held, run.once_last)
                kept.append(where + " | ".join(map(_share, shares)) + " |")
    shares = []
    for named, chances in TASK_CHANCES.items():
        run = simulated_shares(chances, studies)
        told = [_share(each) for each in (run.of_drawn, run.of_tasks, run.each_task, run.alarm)]
        shares.append(f"| {named}: {', '.join(map(str, chances))} | {' | '.join(told)} |")
    parts = (HEAD, *lines), (COVERED, *kept), (SHARES, *shares)
    return "".join(head + "\n".join(rows) + "\n" for head, *rows in parts)


if __name__ == "__main__":
    Path(sys.argv[1] if sys.argv[1:] else "docs/tables/rounds.md").write_text(page(), encoding="utf-8")

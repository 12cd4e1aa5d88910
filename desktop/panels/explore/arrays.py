"""The data of plots, computed from columns of texts: groups, histograms, distribution functions, tables.

Pure numpy, for a job.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from biasprint.core.metrics.associations import distribution_band
from biasprint.core.metrics.proportions import wilson
from biasprint.core.metrics.topics import standardised_residuals
from biasprint.desktop.read.explore import FieldCodes, Judged
from biasprint.desktop.widgets.words import number, plural, tr

MOST_GROUPS = 7  # with a colour and a sign of their own; the others are one
MOST_CELLS = 30  # rows, or columns, of a heat map
MOST_BINS, FEWEST_BINS = 60, 8
MOST_STEPS = 1_997  # points of a distribution function that are drawn
FEWEST_FOR_INTERVAL = 10  # texts in a cell
Z = NormalDist().inv_cdf(0.975)
OTHERS = -1


@dataclass(frozen=True)
class Grouping:
    """The group of each text: its place in `names`, or −1 for the others. `counts`: of each name."""

    codes: np.ndarray
    names: tuple[str, ...]
    counts: tuple[int, ...]
    others: int = 0  # how many groups the others are
    other_texts: int = 0

    @property
    def told(self) -> str:
        """Return "4 groups"; with the others: "the 7 most frequent of 10,000 groups, the rest as others"."""
        if not self.others:
            return plural(len(self.names), "1 group", "%n groups")
        every = plural(len(self.names) + self.others, "1 group", "%n groups")
        return tr("the {some} most frequent of {every}, the rest as others").format(some=len(self.names), every=every)

    def members(self) -> list[tuple[int, str]]:
        """Return place and name of each group, the others last."""
        name = tr("others") if self.others else tr("without one")
        last = [(OTHERS, name)] if self.other_texts else []
        return [*enumerate(self.names), *last]


def grouping(
    coded: FieldCodes | None, length: int, among: np.ndarray | None = None, most: int = MOST_GROUPS
) -> Grouping:
    """Return the most frequent values of a field as groups; without a field all texts are one group.

    `among`: the places of the drawn texts, if not all are; values of other texts are no groups.
    """
    if among is not None and coded is not None:
        of_drawn = grouping(coded.at(among), len(among), most=most)
        codes = np.full(length, OTHERS, dtype=np.int16)
        codes[among] = of_drawn.codes
        return replace(of_drawn, codes=codes)
    if coded is None:
        return Grouping(np.zeros(length, dtype=np.int16), (tr("all texts"),), (length,))
    counts = coded.counts()
    codes = np.where(coded.codes < most, coded.codes, OTHERS).astype(np.int16)
    beyond = int(counts[most:].sum())
    nameless = int((coded.codes < 0).sum())
    largest = tuple(int(count) for count in counts[:most])
    return Grouping(codes, coded.names[:most], largest, max(0, len(counts) - most), beyond + nameless)


@dataclass(frozen=True)
class Curve:
    """A line over values of a score, for one group of `n`; `low` and `high` are its band, where it has one."""

    name: str
    place: int
    n: int
    x: np.ndarray
    y: np.ndarray
    low: np.ndarray
    high: np.ndarray


def by_group(values: np.ndarray, groups: Grouping) -> list[tuple[int, str, np.ndarray]]:
    """Yield place, name and finite values of each group that has any."""
    finite = np.isfinite(values)
    groups_found = [(place, name, values[finite & (groups.codes == place)]) for place, name in groups.members()]
    return [group for group in groups_found if len(group[2])]


def distribution_functions(values: np.ndarray, groups: Grouping) -> list[Curve]:
    """Return the share of texts at or below each value, with its 95 % band (Dvoretzky, Kiefer and Wolfowitz).

    Every curve goes from the lowest value of all groups, at 0 where its own begin later, to the highest.
    """
    by_name, curves = by_group(values, groups), []
    low = min((own.min() for *_, own in by_name), default=0.0)
    high = max((own.max() for *_, own in by_name), default=0.0)
    for place, name, own in by_name:
        ordered = np.sort(own)
        n = len(ordered)
        steps = np.unique(ordered[np.linspace(0, n - 1, min(n, MOST_STEPS)).astype(int)])
        rises = np.searchsorted(ordered, steps, side="right") / n
        x = np.concatenate([[low, steps[0]], steps, [high]])
        share, band = np.concatenate([[0.0, 0.0], rises, [1.0]]), distribution_band(n)
        curves.append(Curve(name, place, n, x, share, np.clip(share - band, 0, 1), np.clip(share + band, 0, 1)))
    return curves


def histograms(values: np.ndarray, groups: Grouping) -> list[Curve]:
    """Return the share of each group's texts per stretch of values, on the same stretches for all groups."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return []
    edges = _edges(finite)
    nothing = np.full(len(edges), np.nan)
    curves = []
    for place, name, own in by_group(values, groups):
        share = np.histogram(own, edges)[0] / len(own)
        share = np.append(share, share[-1])  # the last stretch ends where the values do
        curves.append(Curve(name, place, len(own), edges, share, nothing, nothing))
    return curves


def _edges(finite: np.ndarray) -> np.ndarray:
    """Return equal stretches: about the cube root of n, one per value where there are few values."""
    low, high = float(finite.min()), float(finite.max())
    if low == high:
        return np.array([low - 0.5, high + 0.5])
    bins = int(np.clip(2 * len(finite) ** (1 / 3), FEWEST_BINS, MOST_BINS))
    return np.linspace(low, high, bins + 1)


def jitter(groups: Grouping, seed: int = 0) -> np.ndarray:
    """Return heights for a strip of points per group: its place, and some chance that keeps points apart."""
    chance = np.random.default_rng(seed).uniform(-0.35, 0.35, len(groups.codes))
    rows = np.where(groups.codes < 0, len(groups.names), groups.codes)
    return rows + chance


def inside(corners: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return which points lie inside the line through the corners: an odd number of its sides is to their right."""
    within = (x >= corners[:, 0].min()) & (x <= corners[:, 0].max())
    within &= (y >= corners[:, 1].min()) & (y <= corners[:, 1].max())
    places = np.flatnonzero(within)
    px, py = x[places], y[places]
    odd = np.zeros(len(places), dtype=bool)
    for (x1, y1), (x2, y2) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        crosses = (y1 > py) != (y2 > py)
        if y1 != y2:
            odd ^= crosses & (px < (x2 - x1) * (py - y1) / (y2 - y1) + x1)
    within[places] = odd
    return within


# tables


@dataclass(frozen=True)
class Table:
    """Values by row and column, and the number of texts (or choices) behind each.

    `low`, `high`: 95 % intervals, not a number where a cell has none; None where the values are no estimates.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: np.ndarray
    counts: np.ndarray
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    left_out: tuple[int, int] = (0, 0)  # rows and columns that are less frequent than those shown


def _cut(coded: FieldCodes) -> tuple[np.ndarray, tuple[str, ...], int]:
    codes = np.where(coded.codes < MOST_CELLS, coded.codes, OTHERS)
    return codes, coded.names[:MOST_CELLS], max(0, len(coded.names) - MOST_CELLS)


def mean_table(values: np.ndarray, rows: FieldCodes, columns: FieldCodes) -> Table:
    """Return the mean of a score per cell; not a number where it has no text with that score.

    Interval: mean ± z s / √n, from `FEWEST_FOR_INTERVAL` texts on, as if they were independent.
    """
    (r, row_names, rows_out), (c, column_names, columns_out) = _cut(rows), _cut(columns)
    known = (r >= 0) & (c >= 0) & np.isfinite(values)
    shape = len(row_names), len(column_names)
    cell = r[known] * shape[1] + c[known]
    counts = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
    sums = np.bincount(cell, weights=values[known], minlength=shape[0] * shape[1]).reshape(shape)
    means = np.divide(sums, counts, out=np.full(shape, np.nan), where=counts > 0)
    squares = np.bincount(cell, weights=(values[known] - means.ravel()[cell]) ** 2, minlength=shape[0] * shape[1])
    enough = counts >= FEWEST_FOR_INTERVAL
    variance = np.divide(squares.reshape(shape), counts - 1, out=np.full(shape, np.nan), where=enough)
    half = Z * np.sqrt(variance / np.maximum(counts, 1))
    return Table(row_names, column_names, means, counts, means - half, means + half, (rows_out, columns_out))


def residual_table(rows: FieldCodes, columns: FieldCodes) -> Table:
    """Return the standardised residuals of the counts of texts; none for a single row or column.

    Beyond ±2 a cell has more, or fewer, texts than independent rows and columns would give.
    """
    counted = mean_table(np.zeros(len(rows.codes)), rows, columns)
    counts = counted.counts
    residuals = np.full(counts.shape, np.nan)
    some = np.ix_(counts.any(axis=1), counts.any(axis=0))
    if min(counts[some].shape, default=0) > 1:
        residuals[some] = standardised_residuals(counts[some])
    return Table(counted.rows, counted.columns, residuals, counts, left_out=counted.left_out)


def preference_table(judged: Sequence[Judged], evaluatee: Mapping[tuple[str, int], str]) -> Table:
    """Return how often an evaluator chose an evaluatee's text, relative to chance.

    Value: Σ chosen / Σ (its texts / texts shown).

    `evaluatee`: of each text, such as its model. 1 is chance; comparisons within one evaluatee carry no information and
    are skipped. Interval: Wilson's of the share of comparisons in which it was chosen, in the same unit.
    """
    chosen: dict[tuple[str, str], float] = {}
    expected: dict[tuple[str, str], float] = {}
    shown: dict[tuple[str, str], int] = {}
    for choice in judged:
        names = [evaluatee.get(key, "") for key in choice.shown]
        if len(set(names)) < 2 or "" in names:
            continue
        for name in set(names):
            cell = choice.rater, name
            shown[cell] = shown.get(cell, 0) + 1
            expected[cell] = expected.get(cell, 0.0) + names.count(name) / len(names)
            chosen[cell] = chosen.get(cell, 0.0) + (names[choice.chosen] == name)
    rows = tuple(dict.fromkeys(rater for rater, _ in shown))[:MOST_CELLS]
    columns = tuple(sorted({name for _, name in shown}))[:MOST_CELLS]

    def table(of: Mapping[tuple[str, str], float]) -> np.ndarray:
        cells = [[of.get((row, column), 0) for column in columns] for row in rows]
        return np.array(cells, dtype=float).reshape(len(rows), len(columns))

    n, times, by_chance = table(shown), table(chosen), table(expected)
    with np.errstate(invalid="ignore", divide="ignore"):
        values, scale = times / by_chance, n / by_chance
    bounds = [[wilson(*cell) for cell in zip(*pair, strict=True)] for pair in zip(times, n, strict=True)]
    low, high = (
        np.array([[getattr(interval, end) if interval else np.nan for interval in row] for row in bounds]).reshape(
            n.shape
        )
        for end in ("low", "high")
    )
    return Table(rows, columns, values, n.astype(int), low * scale, high * scale)


def stretch(values: np.ndarray) -> str:
    """Return the stretch of the finite values: "from 0.10 to 0.92"."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return ""
    low, high = float(finite.min()), float(finite.max())
    decimals = 0 if high - low >= 20 or (finite == np.rint(finite)).all() else 2
    return tr("from {low} to {high}").format(low=number(low, decimals), high=number(high, decimals))

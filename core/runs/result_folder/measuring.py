"""Measure a result folder by sums of its partitions: they may come in any order and from anywhere, and give the same.

Of each score and group the number of texts, Σ x and Σ x², without any rounding, so that findings do not depend on how
the texts were divided. What needs all texts at once is not computed here; `NOT_HERE` says what.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import Effect, Finding, Interval, ScorerUse, StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.grouped import hedges_correction
from biasprint.core.metrics.means import t_quantile, two_sided_t
from biasprint.core.metrics.proportions import two_proportions, wilson
from biasprint.core.metrics.result import LEVEL, Bounds, Difference, Floats, MaybeBounds, untested
from biasprint.core.runs.result_folder import SCORES, footer_of, manifest
from biasprint.core.studies.compare.measure import adjusted
from biasprint.core.studies.compare.texts import pairs, title_of, unit_of
from biasprint.core.studies.kit.findings import interval
from biasprint.core.studies.registry import table_fields
from biasprint.core.tables.fields import guess_mapping

BATCH_ROWS = 50_000
_HALF = 27  # bits: a float's 53 in two parts, each of whose sums over a batch a 64-bit integer holds
NOT_HERE = (
    "Not computed over partitions: permutation tests and noise floors (p is Welch’s), equivalence, spread, impact "
    "ratios, matched blocks, similarity of pairs, words in company and designs; they need all texts at once."
)
BLOCKED = "texts of a block were sampled together, and blocks are not put together over partitions"


@dataclass
class Sums:
    """Exact sums over the texts of one group: their number, Σ x and Σ x². Two are added by `+`, in any order."""

    n: int = 0
    total: Fraction = Fraction(0)
    squares: Fraction = Fraction(0)

    @classmethod
    def of(cls, values: Floats) -> "Sums":
        """Sum the values. Raises ValueError for NaN and infinite values. x² is exact unless it is below 1e-290, where
        it is rounded.
        """
        numbers = np.asarray(values, dtype=np.float64)
        if not np.isfinite(numbers).all():
            raise ValueError("values must be finite numbers")
        upper, lower = _squared(numbers)
        return cls(len(numbers), exact_sum(numbers), exact_sum(upper) + exact_sum(lower))

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(self.n + other.n, self.total + other.total, self.squares + other.squares)

    @property
    def mean(self) -> float:
        """The mean, with the same digits as `biasprint.core.metrics.sums.exact_mean` of the values."""
        return float(self.total) / self.n

    @property
    def variance(self) -> float:
        """The variance, (Σ x² − (Σ x)²/n) / (n − 1), rounded once; 0 for fewer than two."""
        return float((self.squares - self.total**2 / self.n) / (self.n - 1)) if self.n > 1 else 0.0


def exact_sum(values: Floats) -> Fraction:
    """Return σ x without rounding: of each exponent the whole numbers that the floats are, as `math.fsum` before it
    rounds.
    """
    mantissas, exponents = np.frexp(values)
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    total = Fraction(0)
    for exponent in np.unique(exponents).tolist():
        same = whole[exponents == exponent]
        high, low = same >> _HALF, same & ((1 << _HALF) - 1)
        summed, places = (int(high.sum()) << _HALF) + int(low.sum()), exponent - 53
        total += Fraction(summed << places) if places >= 0 else Fraction(summed, 1 << -places)
    return total


def _squared(values: Floats) -> tuple[Floats, Floats]:
    """Return x² as the sum of two floats (Dekker 1971)."""
    split = values * (2.0**_HALF + 1)
    high = split - (split - values)
    low = values - high
    square = values * values
    return square, ((high * high - square) + 2 * high * low) + low * low


@dataclass
class _Score:
    """One column of scores: whose, and its sums by group."""

    label: str
    use: ScorerUse
    yes_or_no: bool
    place: int | None  # among the values, where they have labels
    groups: dict[str, Sums] = field(default_factory=dict)
    without: int = 0

    def add(self, groups: np.ndarray, values: Floats) -> None:
        known = ~np.isnan(values)
        self.without += int((~known).sum())
        for group in np.unique(groups[known]).tolist():
            self.groups[group] = self.groups.get(group, Sums()) + Sums.of(values[known & (groups == group)])


@dataclass(frozen=True)
class MeasuredFolder:
    """The findings of a folder. `missing`: partitions that have no scores yet, and are in no finding."""

    result: StudyResult
    partitions: int
    missing: tuple[str, ...]
    remarks: tuple[str, ...]


class NoGroups(UsageError):
    """No column says which group a text is of."""


def measure_folder(ctx: JobContext, folder: Path, mapping: Mapping[str, str] | None = None) -> MeasuredFolder:
    """Compute means by group and their differences, of every score of a result folder (study `compare`).

    `mapping`: which columns hold `group` and `block`; guessed by name where it does not say. Raises `AppError` where no
    partition is finished, `UsageError` where no column holds groups.
    """
    stated = manifest(folder)
    if stated is None:
        raise UsageError(f"“{folder}” is no result folder.", hint="It is made by: biasprint score … --cluster … --out")
    names = [str(name) for name in stated["partitions"]]
    finished = [name for name in names if footer_of(folder / SCORES / name) is not None]
    if not finished:
        raise AppError(f"No file of “{folder.name}” is scored yet.", hint="Go on with the command that began it.")
    scores = [score for scorer in stated["scorers"] for score in _scores_of(scorer)]
    rows, ungrouped, blocked = 0, 0, False
    for number, name in enumerate(finished):
        ctx.step(number, len(finished), note=name)
        for groups, batch, in_blocks in _batches(folder / SCORES / name, mapping or {}):
            rows, ungrouped, blocked = rows + len(groups), ungrouped + int((groups == "").sum()), blocked or in_blocks
            _add(scores, groups, batch)
    dropped = {"no group": ungrouped} if ungrouped else {}
    findings = [finding for score in scores for finding in _findings(score, dropped, blocked)]
    missing = tuple(name for name in names if name not in set(finished))
    remarks = (NOT_HERE, *((f"Differences have no interval: {BLOCKED}.",) if blocked else ()))
    return MeasuredFolder(StudyResult("compare", rows, dropped, adjusted(findings)), len(names), missing, remarks)


def _scores_of(scorer: Mapping[str, Any]) -> Iterator[_Score]:
    use = ScorerUse(scorer["role"], scorer["name"], scorer["version"], scorer["sha256"], scorer["stand_in"])
    yield _Score(use.name, use, bool(scorer["yes_or_no"]), None)
    for place, label in enumerate(scorer["labels"]):
        yield _Score(f"{use.name}: {label}", use, False, place)


def _batches(path: Path, mapping: Mapping[str, str]) -> Iterator[tuple[np.ndarray, Any, bool]]:
    """Yield groups as texts, the rows, and whether some are in blocks."""
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        names = file.schema_arrow.names
        columns = guess_mapping(names, [], table_fields("compare")) | dict(mapping)
        group, block = columns.get("group", ""), columns.get("block", "")
        if group not in names:
            raise NoGroups(f"No column of “{path.name}” holds groups.", hint="Say which does: --map group=COLUMN.")
        for batch in file.iter_batches(BATCH_ROWS, use_threads=False):
            groups = np.array(["" if value is None else str(value) for value in batch.column(group).to_pylist()])
            yield groups, batch, block in names and batch.column(block).null_count < batch.num_rows


def _add(scores: Iterable[_Score], groups: np.ndarray, batch: Any) -> None:
    grouped = groups != ""
    for score in scores:
        if score.place is None:
            values = batch.column(score.use.name).to_numpy(zero_copy_only=False).astype(np.float64)  # null: NaN
        else:
            lists = batch.column(score.use.name + ".values").to_pylist()
            values = np.array([column[score.place] if column else np.nan for column in lists], dtype=np.float64)
        score.add(groups[grouped], values[grouped])


# ---- Findings


def _findings(score: _Score, dropped: Mapping[str, int], blocked: bool) -> Iterator[Finding]:
    if not score.groups:  # an embedding, or a lexicon, has no one number
        return
    lost = Counter(dropped) + Counter({f"no value of {score.label}": score.without})
    shared: dict[str, Any] = {"label": score.label, "scorers": (score.use,), "dropped": dict(lost)}
    title = title_of(score.label)
    for name, sums in sorted(score.groups.items()):
        yield _group_mean(score, name, sums, f"{title}, {name}", blocked, shared)
    for first, second in pairs({name: sums.n for name, sums in score.groups.items()}):
        first_sums, second_sums = score.groups[first], score.groups[second]
        difference = welch(first_sums, second_sums) if not score.yes_or_no else two_proportions(
            int(first_sums.total), first_sums.n, int(second_sums.total), second_sums.n, exact=None
        )  # fmt: skip
        bounds = difference.interval.bounds
        reason = None if bounds else f"interval: {difference.interval.reason}"
        yield Finding(
            "compare.difference", title=f"{title}, {first} minus {second}", groups=(first, second), n=difference.n,
            n_by_group={first: first_sums.n, second: second_sums.n}, estimate=difference.value,
            unit=unit_of(score.label, yes_or_no=score.yes_or_no, difference=True),
            interval=None if blocked else interval(bounds), p=None if blocked else difference.p,
            reason=f"interval: {BLOCKED}" if blocked else reason,
            effect=None if difference.effect is None else Effect(difference.effect_name, difference.effect),
            note=f"{difference.test}; texts are independent units; by sums of partitions.", **shared,
        )  # fmt: skip


def _group_mean(score: _Score, name: str, sums: Sums, title: str, blocked: bool, shared: Mapping[str, Any]) -> Finding:
    if score.yes_or_no:
        bounds_of_mean: Interval | None = interval(wilson(int(sums.total), sums.n))
        kind, unit, reason = "compare.rate", "share", ""
    else:
        half = t_quantile((1 + LEVEL) / 2, sums.n - 1) * sqrt(sums.variance / sums.n) if sums.n > 1 else 0.0
        bounds = Bounds(sums.mean - half, sums.mean + half, f"t, df {sums.n - 1}") if sums.n > 1 else None
        bounds_of_mean = interval(bounds)
        kind, unit = "compare.mean", unit_of(shared["label"])
        reason = "" if bounds else "a mean of fewer than two units has no interval"
    if blocked:
        bounds_of_mean, reason = None, BLOCKED
    return Finding(
        kind, title=title, groups=(name,), estimate=sums.mean, unit=unit, n=sums.n, interval=bounds_of_mean,
        reason=f"interval: {reason}" if reason else None,
        note=f"SD {sqrt(sums.variance):.6g}; by sums of partitions.", **shared,
    )  # fmt: skip


def welch(first: Sums, second: Sums) -> Difference:
    """Compute x̄ − ȳ with Welch's t and Hedges' g, of sums alone.

    (x̄ − ȳ) ± t s.e., s.e.² = s₁²/n + s₂²/m, df = s.e.⁴ / (s₁⁴/n²(n−1) + s₂⁴/m²(m−1)). No interval where a group has
    fewer than two texts or nothing varies. The value has the digits of `two_sample_difference`. Source: Welch 1947.
    """
    counts, value = (first.n, second.n), first.mean - second.mean
    parts = [sums.variance / sums.n for sums in (first, second)]
    error2 = sum(parts)
    why = "a group has only one unit" if min(counts) < 2 else "no variation within the groups" if error2 == 0 else ""
    if why:
        return untested(value, why, "Welch's t", "Hedges’ g", sum(counts), counts)
    freedom = error2**2 / sum(part**2 / (n - 1) for part, n in zip(parts, counts, strict=True))
    half = t_quantile((1 + LEVEL) / 2, freedom) * sqrt(error2)
    bounds = MaybeBounds(Bounds(value - half, value + half, f"Welch's t, df {freedom:.4g}"))
    together = sum(counts) - 2
    pooled = sqrt(sum((n - 1) * part * n for part, n in zip(parts, counts, strict=True)) / together)
    t = value / sqrt(error2)
    effect = hedges_correction(together) * value / pooled
    return Difference(
        value, "", bounds, two_sided_t(t, freedom), t, "Welch's t", "Hedges’ g", effect, sum(counts), counts
    )

"""Content of a live board: estimates with bands that may be watched, the rate of writing, and counts of judging.

Temporary file for what a tally has to remember of each text, so that its memory does not grow with them.

A run of 10,000 letters left 20 MB of small objects in the window's process, and collecting garbage among them held it.
"""

import json
import sqlite3
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import exp, isfinite, log, sqrt
from typing import Any, Generic, TypeVar

import numpy as np

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding, Interval, Variant
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.anytime import FIRST, FIRST_CLUSTERS, clustered_share_band, normal_band, share_band
from biasprint.core.metrics.result import LEVEL, Bounds
from biasprint.core.metrics.result import Floats as Doubles
from biasprint.core.metrics.sums import ClusterRows, ClusterSums, Moments
from biasprint.core.project.rows import Floats, OutputRow, SourceRow, TextKey
from biasprint.core.scorers.protocol import ScorerInfo

CACHE_KILOBYTES = 1_024  # below it nothing is written to a disk

Kept = TypeVar("Kept")
AGAINST = " / "
MOST_GROUPS = 24
AT_THE_END = "it needs all texts at once: it is measured at the end"


class NotKept(AppError):
    """Loss of what was to be remembered; whoever counts with it begins again."""


class Drawer:
    """The shelves of one tally, in a temporary database: SQLite removes its file as soon as it has opened it.

    Used by one thread at a time.
    """

    def __init__(self) -> None:
        self._shelves = 0
        self._connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        for line in (f"cache_size = -{CACHE_KILOBYTES}", "journal_mode = OFF", "synchronous = OFF"):
            self._connection.execute(f"PRAGMA {line}")
        self._connection.execute(
            "CREATE TABLE kept (shelf INTEGER, key TEXT, value TEXT, PRIMARY KEY (shelf, key)) WITHOUT ROWID"
        )
        weakref.finalize(self, self._connection.close)

    def shelf(self, pack: Callable[[Kept], Any], unpack: Callable[[Any], Kept]) -> "Shelf[Kept]":
        """Make a new shelf. `pack`: to what JSON can hold, `unpack`: its inverse."""
        self._shelves += 1
        return Shelf(self, self._shelves, pack, unpack)

    def run(self, statement: str, *values: object) -> Any:
        """Run a statement, and return its first row, if there is one. Raises `NotKept`."""
        try:
            return self._connection.execute(statement, values).fetchone()
        except sqlite3.Error as error:
            raise NotKept(
                "The live figures stopped: there is no room for them on the disk of temporary files.",
                kept="Texts, scores and judgments are in the project as before.",
                hint="Make room there, then open Charts again.",
                details=str(error),
            ) from error


class Shelf(Generic[Kept]):
    """A mapping whose values are copies: what was changed is put back. Keys: texts, numbers and tuples of them."""

    def __init__(self, drawer: Drawer, number: int, pack: Callable[[Kept], Any], unpack: Callable[[Any], Kept]) -> None:
        self._drawer, self._number, self._pack, self._unpack = drawer, number, pack, unpack

    def get(self, key: object) -> Kept | None:
        row = self._drawer.run("SELECT value FROM kept WHERE shelf = ? AND key = ?", self._number, json.dumps(key))
        return None if row is None else self._unpack(json.loads(row[0]))

    def __setitem__(self, key: object, value: Kept) -> None:
        packed = json.dumps(self._pack(value))
        self._drawer.run("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", self._number, json.dumps(key), packed)

    def __delitem__(self, key: object) -> None:
        self._drawer.run("DELETE FROM kept WHERE shelf = ? AND key = ?", self._number, json.dumps(key))


def rows_shelf(drawer: Drawer) -> Shelf[dict[Any, Doubles]]:
    """Return a shelf for the rows of clusters whose groups are texts."""
    return drawer.shelf(
        lambda rows: {group: row.tolist() for group, row in rows.items()},
        lambda packed: {group: np.array(row) for group, row in packed.items()},
    )


class IdSet:
    """Numbers of rows, a bit for each up to the largest."""

    def __init__(self) -> None:
        self._bits = bytearray()

    def add(self, number: int) -> None:
        place, bit = divmod(number, 8)
        if place >= len(self._bits):
            self._bits.extend(bytes(place + 1 - len(self._bits)))
        self._bits[place] |= 1 << bit

    def __contains__(self, number: int) -> bool:
        place, bit = divmod(number, 8)
        return place < len(self._bits) and bool(self._bits[place] >> bit & 1)


@dataclass(frozen=True)
class LiveKey:
    """Key of a figure: the finding's id and label, its group (or groups, first against second), its dims in order."""

    id: str
    label: str
    group: str
    dims: tuple[tuple[str, str], ...] = ()
    variant: Variant = "default"

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(self.group.split(AGAINST)) if self.group else ()


@dataclass(frozen=True)
class LiveValue:
    """A figure at this moment, over `n` texts (or choices). `low`, `high`: a 95 % band that holds for every n at once.

    `floor`: what a spread is without any bias, on average; None for a signed figure. `reason`: why there is no
    estimate, or no band yet.
    """

    key: LiveKey
    unit: str
    n: int
    estimate: float | None
    low: float | None = None
    high: float | None = None
    floor: float | None = None
    reason: str = ""

    def finding(self) -> Finding:
        """Return it as figures of findings take it, with the band in place of the interval."""
        reason = self.reason if self.estimate is None else f"interval: {self.reason}"
        interval = None
        if self.low is not None and self.high is not None:
            interval, reason = Interval(self.low, self.high, LEVEL, "anytime-valid"), ""
        return Finding(
            id=self.key.id,
            label=self.key.label,
            title=" · ".join(filter(None, (self.key.label, self.key.group, *(name for _, name in self.key.dims)))),
            groups=self.key.groups,
            estimate=self.estimate,
            unit=self.unit,
            n=self.n,
            dims=dict(self.key.dims),
            variant=self.key.variant,
            reason=reason or None,
            interval=interval,
        )


@dataclass(frozen=True)
class LiveRates:
    """Rates of writing. `failed`: texts that failed, by kind. `refusals`: in words or without any. `cut`: texts that
    end at the limit on tokens, which are in no class of `lengths`. `seconds`: spent writing, pauses left out.

    The rates are over the last seconds (0 where nothing comes) and, `_in_all`, over the time spent; tokens where the
    backend counts them. `lengths`: (from, below, texts) in words, the last without a limit. `scored`: how many of the
    texts each scorer has scored, and `scored_sources` of the sources beside them, such as originals.
    """

    texts: int = 0
    failed: Mapping[str, int] = field(default_factory=dict)
    refusals: int = 0
    cut: int = 0
    seconds: float = 0.0
    texts_per_second: float = 0.0
    tokens_per_second: float = 0.0
    texts_per_second_in_all: float | None = None
    tokens_per_second_in_all: float | None = None
    lengths: tuple[tuple[int, int | None, int], ...] = ()
    scored: Mapping[str, int] = field(default_factory=dict)
    scored_sources: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class LiveJudging:
    """Progress of a rater: comparisons that are done and the rate of judging, but not what was chosen."""

    rater: str
    kind: str
    judged: int
    planned: int
    per_minute: float | None
    revealed: bool


class StudyTally:
    """Class that a study's declaration names as `live`; made with (project, study id, compute).

    Each of its methods costs time for new texts only, not for earlier ones; one that it leaves out does nothing.
    `scorers`: those whose scores it receives.
    """

    scorers: tuple[ScorerInfo, ...] = ()

    def text(self, row: OutputRow) -> None:
        """Take a finished text, once, in the order of ids; before its scores."""

    def source(self, row: SourceRow) -> None:
        """Take a text that was imported."""

    def scored(self, scorer: ScorerInfo, key: TextKey, values: Floats, summary: float | None) -> None:
        """Take a score of a text that was received before."""

    def settle(self, ctx: JobContext) -> None:
        """Do work that is better done for several texts together, after some were received.

        May raise `AppError`, `JobCancelled`; it is called again then, and goes on.
        """

    def values(self) -> list[LiveValue]:
        """Return the figures at this moment."""
        raise NotImplementedError


class Restart(Exception):
    """Raised by a tally when what it received shows that earlier texts belong elsewhere."""


# ---- Values from sums


def banded(key: LiveKey, unit: str, n: int, estimate: float, bounds: Bounds | None, reason: str = "") -> LiveValue:
    """An estimate with a band, or with the reason why it has none."""
    if bounds is None:
        return LiveValue(key, unit, n, estimate, reason=reason)
    return LiveValue(key, unit, n, estimate, min(bounds.low, estimate), max(bounds.high, estimate))


def undefined(key: LiveKey, unit: str, n: int, reason: str) -> LiveValue:
    return LiveValue(key, unit, n, None, reason=reason)


def nearly_normal(
    key: LiveKey,
    unit: str,
    n: int,
    estimate: float,
    error: float | None,
    units: tuple[int, ...],
    *,
    ratio: bool = False,
) -> LiveValue:
    """Add a nearly normal band at `FIRST` `units` of each group. `ratio`: it is of the logarithm, as `error` is."""
    if min(units) < FIRST:
        return banded(
            key, unit, n, estimate, None, f"a band needs at least {FIRST} of each group; so far there are {min(units)}"
        )
    if error is None:
        return banded(key, unit, n, estimate, None, "nothing varies yet")
    if not ratio:
        return banded(key, unit, n, estimate, normal_band(estimate, error, sum(units)))
    bounds = normal_band(log(estimate), error, sum(units))
    return banded(key, unit, n, estimate, Bounds(exp(bounds.low), exp(bounds.high), bounds.method))


class OutcomeCounts:
    """Counts of texts by outcome; several texts may share what decides it: a headline, a block.

    `shared`: what they share, in the plural. `rows`: where those are kept, see `ClusterSums`.
    """

    def __init__(self, outcomes: int, shared: str, rows: ClusterRows | None = None) -> None:
        self._shared = shared
        self._sums = ClusterSums(outcomes, rows)

    def add(self, cluster: Hashable, outcome: int, group: str = "") -> None:
        row = np.zeros(self._sums.width)
        row[int(outcome)] = 1  # True would be a mask
        self._sums.add(cluster, group, row)

    def counts(self, group: str = "") -> list[int]:
        return [int(total) for total in self._sums.totals(group)]

    def share(self, key: LiveKey, unit: str, outcome: int, group: str = "") -> LiveValue:
        """Return the share of one outcome, among one text or more. Its band is exact where each text is independent."""
        counts, clusters = self.counts(group), self._sums.clusters(group)
        n, share = sum(counts), counts[outcome] / sum(counts)
        if clusters == n:
            return banded(key, unit, n, share, share_band(counts[outcome], n))
        if clusters < FIRST_CLUSTERS:
            reason = f"a band needs {FIRST_CLUSTERS} {self._shared}; so far there are {clusters}"
            return banded(key, unit, n, share, None, reason)
        slope = np.full(len(counts), -share / n)
        slope[outcome] += 1 / n
        error = self._sums.error({group: slope})
        return banded(key, unit, n, share, clustered_share_band(share, n, error, clusters))

    def difference(self, key: LiveKey, unit: str, outcome: int, pair: tuple[str, str]) -> LiveValue:
        """The share of an outcome in the first group less that in the second, each of one text or more.

        The error is that with a success and a failure more in each group, as Agresti and Caffo (2000) add them: where
        nearly all texts turn out alike, the one that is observed is too small. The estimate is as observed.
        """
        sums, first, second = self._sums, self.counts(pair[0]), self.counts(pair[1])
        n, m = sum(first), sum(second)
        # Of texts that are matched one to one the measure takes the share of pairs: the same but for the last digit.
        matched = n == m == sums.both(*pair) == sums.clusters(*pair)
        estimate = (first[outcome] - second[outcome]) / n if matched else first[outcome] / n - second[outcome] / m
        slopes: dict[str, Doubles] = {}
        added: list[float] = []
        for group, counts, sign in ((pair[0], first, 1.0), (pair[1], second, -1.0)):
            texts = sum(counts) + 2
            slope = np.full(len(counts), -sign * (counts[outcome] + 1) / texts / texts)
            failure = float(slope[outcome])
            slope[outcome] += sign / texts
            slopes[group] = slope
            added += [float(slope[outcome]), failure]
        error = sums.error(slopes, added)
        return nearly_normal(key, unit, n + m, estimate, error, units_of(sums, pair))


def units_of(sums: ClusterSums, pair: tuple[str, str]) -> tuple[int, ...]:
    """Count the blocks that have texts of both groups, if all have; else those that have texts of each."""
    both = sums.both(*pair)
    return (both,) if both == sums.clusters(*pair) else tuple(sums.clusters(group) for group in pair)


def dims_of(**named: str) -> tuple[tuple[str, str], ...]:
    """Return the dims that are not empty, in this order."""
    return tuple((name, value) for name, value in named.items() if value)


# ---- Live figures of a study that declares none

SCORE = "score"


class PlainTally(StudyTally):
    """The mean summary of each scorer that the study needs, by group (its prompts' identity or field “group”)."""

    def __init__(self, kind: str, needed: Sequence[ScorerInfo]) -> None:
        self._kind = kind
        self.scorers = tuple(info for info in needed if info.role != "embedding")
        self._group_of: Shelf[str] = Drawer().shelf(str, str)
        self._means: dict[str, dict[str, Moments]] = {info.role: {} for info in self.scorers}
        self._undefined: dict[str, int] = {}

    def text(self, row: OutputRow) -> None:
        self._group_of["output", row.id] = row.fields.get("group", "") or row.identity

    def source(self, row: SourceRow) -> None:
        self._group_of["source", row.id] = row.fields.get("group", "")

    def scored(self, scorer: ScorerInfo, key: TextKey, values: Floats, summary: float | None) -> None:
        if summary is None or not isfinite(summary):
            self._undefined[scorer.role] = self._undefined.get(scorer.role, 0) + 1
        else:
            self._means[scorer.role].setdefault(self._group_of.get(key) or "", Moments()).add(summary)

    def values(self) -> list[LiveValue]:
        values = []
        for role, by_group in self._means.items():
            name = f"{self._kind}.score"
            if not by_group:
                without = self._undefined.get(role, 0)
                reason = f"none of {without} scored texts has a summary" if without else "no text has been scored yet"
                values.append(undefined(LiveKey(name, role, ""), SCORE, without, reason))
            elif len(by_group) > MOST_GROUPS:
                reason = f"there are more than {MOST_GROUPS} groups: they are compared at the end"
                values.append(
                    undefined(LiveKey(name, role, ""), SCORE, sum(moments.n for moments in by_group.values()), reason)
                )
            else:
                values += _of_role(name, role, by_group)
        return values


def _of_role(name: str, role: str, by_group: dict[str, Moments]) -> list[LiveValue]:
    values = []
    for group, moments in by_group.items():
        assert moments.mean is not None
        values.append(
            nearly_normal(LiveKey(name, role, group), SCORE, moments.n, moments.mean, moments.error, (moments.n,))
        )
    for first, second in combinations([group for group in by_group if group], 2):
        moments, others = by_group[first], by_group[second]
        assert moments.mean is not None
        assert others.mean is not None
        error = sqrt((moments.error or 0.0) ** 2 + (others.error or 0.0) ** 2) or None
        key = LiveKey(f"{name}.difference", role, AGAINST.join((first, second)))
        values.append(
            nearly_normal(key, SCORE, moments.n + others.n, moments.mean - others.mean, error, (moments.n, others.n))
        )
    return values

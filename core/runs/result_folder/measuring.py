"""The findings of a result folder by sums of its partitions, and its rows, read page by page where they lie.

Partitions may come in any order and from anywhere, and give the same. Of each score and group the number of texts, Σ x
and Σ x², without any rounding, so that findings do not depend on how the texts were divided. What needs all texts at
once is not computed here; `NOT_HERE` says what. Rows are read in a compute process: pyarrow is not loaded in the
window's (decision 0048).
"""

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import Effect, Finding, Interval, ScorerUse, StudyResult
from biasprint.core.given import ordinary_file
from biasprint.core.jobs import JobContext
from biasprint.core.machine.files import new_folder
from biasprint.core.metrics.grouped import hedges_correction
from biasprint.core.metrics.means import t_quantile, two_sided_t
from biasprint.core.metrics.proportions import two_proportions, wilson
from biasprint.core.metrics.result import LEVEL, Bounds, Difference, Floats, MaybeBounds, untested
from biasprint.core.project.connection import connect
from biasprint.core.project.project import Project
from biasprint.core.project.reader import Reader
from biasprint.core.project.schema import migrate
from biasprint.core.project.stores.findings import Findings
from biasprint.core.project.stores.studies import Studies
from biasprint.core.project.writer import Writer
from biasprint.core.runs.result_folder import MANIFEST, SCORES, VALUES, footer_of, manifest
from biasprint.core.runs.result_folder.scoring import ScoringOrder
from biasprint.core.studies.compare.measure import adjusted
from biasprint.core.studies.compare.texts import pairs, title_of, unit_of
from biasprint.core.studies.kit.findings import interval
from biasprint.core.studies.registry import table_fields
from biasprint.core.tables.fields import guess_mapping

if TYPE_CHECKING:
    from pyarrow import parquet

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


# ---- Rows, read page by page where they lie, and their texts, where the data are still there


# ---- The folder as a project

STUDY = "compare"
READ_ONLY = (
    "“{name}” is a result folder and is open read-only: to go on with its texts, import the data that were scored "
    "into a project."
)
MISSING = " {missing:,} of its {partitions:,} files have no scores yet, and are in no finding."


def measure_result_folder(folder: str, ctx: JobContext) -> MeasuredFolder | None:
    """Return the findings of a folder; None where no column holds groups. Called in the compute process."""
    if not (Path(folder) / MANIFEST).is_file():
        raise UsageError(f"“{Path(folder).name}” is no result folder.", hint=f"One has a file “{MANIFEST}” in it.")
    try:
        return measure_folder(ctx, Path(folder))
    except NoGroups:
        return None


def open_result_folder(folder: Path, measure: Callable[[Path], MeasuredFolder | None]) -> Project:
    """Open it with what `measure` finds, which may raise `AppError` for a folder that is none or has no scores.

    The findings are in a file of a temporary folder, which is removed when the project is closed; the result folder is
    only read.
    """
    findings = measure(folder)
    private = new_folder() / f"{folder.name}.biasprint"
    try:
        _write(private, folder.name, findings)
        why = READ_ONLY.format(name=folder.name)
        if findings is not None and findings.missing:
            why += MISSING.format(missing=len(findings.missing), partitions=findings.partitions)
        return Project(folder, lock=None, read_only=why, opened_as=private)
    except BaseException:
        shutil.rmtree(private.parent, ignore_errors=True)
        raise


def _write(private: Path, title: str, findings: MeasuredFolder | None) -> None:
    """Write the file directly: a project that is made would be remembered and backed up for the next time."""
    private.touch()
    with closing(connect(private, writable=True)) as connection:
        migrate(connection, present=0)
    reader, writer = Reader(private), Writer(private, lambda _: None, lambda: None)
    try:
        Studies(reader, writer).add(STUDY, title)
        if findings is not None:
            recipe = {"rows": findings.result.rows, "left_out": dict(findings.result.dropped)}
            Findings(reader, writer).replace(STUDY, "whole study", recipe, findings.result.findings)
    finally:
        writer.close()
        reader.close()


Flags = NDArray[np.bool_]
ROWS_AT_ONCE = 20_000
MOST_BYTES = 64_000_000  # of texts that are read for a page: a Parquet file gives no less than a whole row group


@dataclass(frozen=True)
class FinishedPartition:
    """A partition that is scored, by its name, and how many rows it has."""

    name: str
    rows: int


@dataclass(frozen=True)
class ResultRow:
    """A row as people read it. `text`: None where it cannot be read, and `why`. `columns`: what was kept and scored."""

    group: str
    text: str | None
    why: str
    columns: tuple[tuple[str, str], ...]


def finished_partitions(folder: str) -> list[FinishedPartition]:
    """Return the finished partitions in the manifest's order. Raises `UsageError` for a folder that is none, `AppError`
    where nothing is scored.
    """
    stated = _stated_manifest(Path(folder))
    footers = {str(name): footer_of(Path(folder) / SCORES / str(name)) for name in stated["partitions"]}
    finished = [FinishedPartition(name, int(footer["rows"])) for name, footer in footers.items() if footer is not None]
    if not finished:
        raise AppError(f"No file of “{folder}” is scored yet.", hint="Go on with the command that began it.")
    return finished


def rows_of_partition(folder: str, name: str, places: Sequence[int]) -> list[ResultRow]:
    """Return the rows of a partition by their places in it, in that order."""
    from pyarrow import parquet

    stated = _stated_manifest(Path(folder))
    with parquet.ParquetFile(Path(folder) / SCORES / name) as file:
        shown = [column_name for column_name in file.schema_arrow.names if not column_name.endswith(VALUES)]
        group = _group_column(file.schema_arrow.names)
        cells = _columns_at(file, shown, places)
    texts, why = _texts_at(stated, name, places)
    return [
        ResultRow(
            _word(cells[group][at]) if group else "",
            texts[at] if texts is not None else None,
            why,
            tuple((column, _word(values[at])) for column, values in cells.items()),
        )
        for at in range(len(places))
    ]


def places_in_partition(folder: str, name: str, group: str | None, wanted: str | None) -> NDArray[np.int64]:
    """Return the places of the rows of a group in a partition whose text holds a word, ignoring case."""
    from pyarrow import parquet

    stated = _stated_manifest(Path(folder))
    with parquet.ParquetFile(Path(folder) / SCORES / name) as file:
        column, rows = _group_column(file.schema_arrow.names), file.metadata.num_rows
        matches = np.ones(rows, bool)
        if group is not None:
            matches &= _rows_of_group(file, column, group)
    if wanted is not None:
        needle, text = wanted.casefold(), str(stated["text"])
        try:
            with parquet.ParquetFile(_source(stated, name)) as file:
                matches &= _containing(file, text, needle)
        except (AppError, OSError, ValueError) as error:
            raise AppError(
                "The texts of this folder are not on this computer as they were scored: they cannot be searched here.",
                details=str(error),
            ) from error
    return np.flatnonzero(matches).astype(np.int64)


def _stated_manifest(folder: Path) -> Mapping[str, Any]:
    stated = manifest(folder)
    if stated is None:
        raise UsageError(f"“{folder}” is no result folder.", hint=f"One has a file “{MANIFEST}” in it.")
    return stated


def _source(stated: Mapping[str, Any], name: str) -> Path:
    """Return the file that the texts were in. Raises `AppError` for what is no ordinary file: opening a pipe would
    never end.
    """
    order = ScoringOrder(Path(stated["data"]), Path(), str(stated["text"]), ())
    source = order.source(name)
    ordinary_file(source, follow=source == order.data)
    return source


def _group_column(names: Sequence[str]) -> str:
    return guess_mapping(names, [], table_fields("compare")).get("group", "")


def _texts_at(stated: Mapping[str, Any], name: str, places: Sequence[int]) -> tuple[list[str] | None, str]:
    """Return the texts, or why they are not here."""
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(_source(stated, name)) as file:
            if any(int(file.metadata.row_group(at).total_byte_size) > MOST_BYTES for at in _row_groups(file, places)):
                return None, "not read: its row group in the data is too large"
            return [_word(value) for value in _columns_at(file, [str(stated["text"])], places)[str(stated["text"])]], ""
    except (AppError, OSError, KeyError, IndexError, pyarrow.ArrowException):
        return None, "not on this computer: the data are not where they were scored"


def _row_groups(file: "parquet.ParquetFile", places: Sequence[int]) -> dict[int, int]:
    """Return the row groups with these places, each with the place of its first row. IndexError for one behind
    the end.
    """
    groups: dict[int, int] = {}
    first, left = 0, set(places)
    for at in range(file.metadata.num_row_groups):
        rows = file.metadata.row_group(at).num_rows
        here = {place for place in left if first <= place < first + rows}
        if here:
            groups[at] = first
        left -= here
        first += rows
    if left:
        raise IndexError(max(left))
    return groups


def _columns_at(file: "parquet.ParquetFile", names: Sequence[str], places: Sequence[int]) -> dict[str, list[Any]]:
    values: dict[str, dict[int, Any]] = {name: {} for name in names}
    for at, first in _row_groups(file, places).items():
        table = file.read_row_group(at, columns=list(names), use_threads=False)
        here = [place for place in places if first <= place < first + table.num_rows]
        taken = table.take([place - first for place in here])
        for name in names:
            values[name] |= dict(zip(here, taken.column(name).to_pylist(), strict=True))
    return {name: [cells[place] for place in places] for name, cells in values.items()}


def _rows_of_group(file: "parquet.ParquetFile", column: str, group: str) -> Flags:
    """Return which rows are of a group; each distinct value is compared once."""
    if column not in file.schema_arrow.names:
        return np.zeros(file.metadata.num_rows, bool)
    matches = []
    for batch in file.iter_batches(ROWS_AT_ONCE, columns=[column], use_threads=False):
        coded = batch.column(column).dictionary_encode()
        fits = np.array([*(_word(value) == group for value in coded.dictionary.to_pylist()), group == ""], bool)
        matches.append(fits[coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)])  # the last is for no value
    return np.concatenate(matches) if matches else np.zeros(0, bool)


def _containing(file: "parquet.ParquetFile", column: str, needle: str) -> Flags:
    batches = file.iter_batches(ROWS_AT_ONCE, columns=[column], use_threads=False)
    return np.array(
        [needle in _word(value).casefold() for batch in batches for value in batch.column(column).to_pylist()], bool
    )


def _word(value: Any) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)

"""Measuring and scoring tables that are in memory or in files. Models and statistics run in the compute process."""

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from biasprint.tables import Findings, Table, data_frame
from core.cli.console import is_project
from core.compute import shared
from core.errors import AppError, UsageError
from core.findings import StudyResult
from core.jobs import JobContext
from core.runs.measure import MeasuredStudy, measure_tables
from core.runs.tables import score_columns, score_table
from core.studies import registry
from core.studies.study import MeasureOptions

if TYPE_CHECKING:
    import pandas as pd

    Data = pd.DataFrame | Mapping[str, Sequence[Any]] | str | PathLike[str]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Measured:
    """What measuring gives. `rows` were read, of which `dropped` (by reason) were left out.

    `recipe` gives the same numbers again; `remarks` are sentences that a reader should know beside the findings.
    """

    study: str
    rows: int
    dropped: Mapping[str, int]
    findings: Findings
    recipe: Mapping[str, Any]
    remarks: tuple[str, ...]

    def to_pandas(self) -> "pd.DataFrame":
        """The findings, one in a row."""
        return self.findings.to_pandas()

    def to_json(self) -> dict[str, Any]:
        """What `biasprint measure --json` prints."""
        return StudyResult(self.study, self.rows, self.dropped, tuple(self.findings)).to_json()

    def _repr_html_(self) -> str:
        return self.findings._repr_html_()


def measure(
    study: str,
    data: "Data | Sequence[Data]",
    *,
    columns: Mapping[str, str] | None = None,
    layout: str | None = None,
    axes: Sequence[str] = (),
    scorers: Mapping[str, str] | None = None,
    seed: int = 0,
    adjust: Literal["holm", "bh"] = "holm",
) -> Measured:
    """Measure a study from tables: a data frame, a mapping of columns, a file's path, or several of them.

    `columns`: field → column, where they have other names; `biasprint.studies()` lists the fields. `layout`: a known
    outside one, such as "wan". `axes`: only these. `scorers`: role → name, for another than the default. `adjust`: for
    many tests, Holm or Benjamini–Hochberg. Nothing is stored.

    Raises `Error` for an unknown study, and for a table without a column that the study needs.
    """
    options = options_of(axes, scorers, seed, adjust)
    with _as_files(data) as paths:
        return measured(
            lambda: measure_tables(
                JobContext(), paths, study, options, shared(), layout=layout, mapping=dict(columns or {})
            )
        )


def score(scorers: str | Sequence[str], data: "Data", *, columns: Mapping[str, str] | None = None) -> Table:
    """Score the texts of a table, one row for each that can be used: `row`, counted from 1, and a column for a scorer.

    That is the scorer's one number for a text; or a list, of a scorer that has several; or None: nothing to score.
    """
    names = [scorers] if isinstance(scorers, str) else list(scorers)
    mapping = [f"{field}={column}" for field, column in (columns or {}).items()]
    with _as_files(data) as paths:
        _, rows = _told(lambda: score_table(JobContext(), paths[0], names, mapping))
    return Table(score_columns(names), rows)


def studies() -> Table:
    """The studies, a plug-in's too, and what each reads: a row for each kind of table, with its fields."""
    rows = [
        {
            "study": study.kind,
            "title": study.title,
            "table": table.kind,
            "required": list(table.required),
            "optional": list(table.optional),
            "scorers": list(table.scorers),
        }
        for study in registry.studies().values()
        for table in study.inputs
    ]
    return Table(("study", "title", "table", "required", "optional", "scorers"), rows)


def options_of(
    axes: Sequence[str], scorers: Mapping[str, str] | None, seed: int, adjust: Literal["holm", "bh"]
) -> MeasureOptions:
    return MeasureOptions(axes=tuple(axes), scorers=dict(scorers or {}), seed=seed, adjust=adjust)


def measured(work: Callable[[], MeasuredStudy]) -> Measured:
    """The result of measuring, in this module's words."""
    done = _told(work)
    found = done.result
    findings = Findings(found.findings, {found.study: done.recipe})
    return Measured(found.study, found.rows, dict(found.dropped), findings, dict(done.recipe), done.remarks)


# ---- Data frames go through the door of files, so that both give the same numbers

FRAME = "data frame.jsonl"


@contextmanager
def _as_files(data: "Data | Sequence[Data]") -> Iterator[list[Path]]:
    """The files of the tables; what is in memory is written to a folder that is gone afterwards."""
    tables: list[Any] = list(data) if isinstance(data, Sequence) and not isinstance(data, str) else [data]
    if not tables:
        raise UsageError("There is no table to read.", hint="Give a data frame, or the path of a file.")
    with tempfile.TemporaryDirectory(prefix="biasprint-") as folder:
        yield [_as_file(table, Path(folder, str(number))) for number, table in enumerate(tables)]


def _as_file(table: Any, folder: Path) -> Path:
    if isinstance(table, str | PathLike):
        path = Path(table)
        if is_project(path):
            raise UsageError(
                f"“{path.name}” is a project.", hint="Say: biasprint.open(path).measure(study), or read its tables."
            )
        return path
    import pandas as pd

    if isinstance(table, Mapping):
        if len({len(values) for values in table.values()}) > 1:
            raise UsageError("The columns are not of the same length.", hint="Give a value for each row, or None.")
        table = data_frame(table)
    if not isinstance(table, pd.DataFrame):
        raise UsageError(
            f"A table cannot be read from a “{type(table).__name__}”.",
            hint="Give a data frame of pandas, a mapping of columns, or the path of a file.",
        )
    names = [str(name) for name in table.columns]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(
            f"The data frame has more than one column “{repeated[0]}”.", hint="Give each column a name of its own."
        )
    folder.mkdir()
    path = folder / FRAME
    with path.open("w", encoding="ascii", newline="\n") as file:
        for cells in table.itertuples(index=False, name=None):
            file.write(json.dumps(dict(zip(names, map(_cell, cells), strict=True))) + "\n")
    return path


def _cell(value: Any) -> Any:
    """A cell as JSON has it: text stays as it is, also with lone surrogates; what is missing is null."""
    import pandas as pd

    if isinstance(value, str | bool | int):
        return value
    if isinstance(value, list | tuple | dict):
        return str(value) if isinstance(value, dict) else list(map(str, value))  # its row is told of and left out
    if pd.isna(value):
        return None
    return value.item() if hasattr(value, "item") and isinstance(value.item(), bool | int) else str(value)


def _told(work: Callable[[], Result]) -> Result:
    """Do it; an error is told as it is asked for here, not on the command line."""
    try:
        return work()
    except AppError as error:
        error.message, error.hint = _here(error.message), _here(error.hint)
        raise


def _here(sentence: str) -> str:
    told = sentence.replace(f"“{FRAME}”", "the data frame")
    told = re.sub(r"Map one with (\w+)=column\.", r'Name the one that it is: columns={"\1": "…"}.', told)
    for option, word in (("--axis", "axes"), ("--scorer", "scorers")):
        told = told.replace(option, word)
    return told[:1].upper() + told[1:]

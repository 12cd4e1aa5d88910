"""Measuring and scoring tables that are in memory or in files. Models and statistics run in the compute process."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict, TypeVar, Unpack

from biasprint.core.cli.console import is_project
from biasprint.core.compute import shared
from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.machine.files import temporary_folder
from biasprint.core.runs.audit.gates import GateResult, gates_for, hold
from biasprint.core.runs.measure import MeasuredStudy, measure_tables, measuring
from biasprint.core.runs.rubric import RubricScorer
from biasprint.core.scorers.functions import in_use, name_of
from biasprint.core.scorers.registry import describe
from biasprint.core.studies import registry
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.tables.read import READERS
from biasprint.core.texts.exporting import score_columns, score_table
from biasprint.tables import Findings, Table

if TYPE_CHECKING:
    import pandas as pd

    class Frame(Protocol):
        """A data frame of another package, such as polars or pyarrow."""

        @property
        def shape(self) -> tuple[int, int]: ...

    Data = (
        pd.DataFrame | Frame | Mapping[str, Sequence[Any]] | Iterable[Mapping[str, Any]] | Table | str | PathLike[str]
    )
    AScorer = str | Callable[[str], object]
Result = TypeVar("Result")
SCORE = "score"  # the role of the study compare that functions fill


class How(TypedDict, total=False):
    """Options of `measure`, beside its data. An option that is not given is as on the command line.

    `axes`: only these. `scorers`: role → name, for another than the default; of compare's role “score” also a function
    that takes a text and returns a number, True, False or None, or a list of scorers. `seed`: 0. `adjust`: for many
    tests, Holm or Benjamini–Hochberg. `margin`: compare: within which difference groups count as alike.
    `generators`: only texts of these; each separately, or with `pool` all as one. `compare`: on the prompts that both
    answered, the first with each other one, or "all".
    `gates`: conditions on findings, such as "letters.lexicon.odds_ratio[agentic] interval_above 1.2".
    """

    axes: Sequence[str]
    scorers: "Mapping[str, AScorer | Sequence[AScorer]]"
    seed: int
    adjust: Literal["holm", "bh"]
    margin: float
    generators: Sequence[str]
    pool: bool
    compare: Sequence[str]
    gates: Sequence[str]


@dataclass(frozen=True)
class Measured:
    """Result of measuring. `rows` were read, of which `dropped` (by reason) were left out.

    `recipe` gives the same numbers again; `remarks` are sentences that a reader should know beside the findings;
    `undone` one for each part of what was asked for that could not be done. `gates`: the outcome of each gate, in the
    columns `gate`, `passed`, `checked`, `met`, `untold`, `missing`, `said`; `passed`: whether all hold.
    """

    study: str
    rows: int
    dropped: Mapping[str, int]
    findings: Findings
    recipe: Mapping[str, Any]
    remarks: tuple[str, ...]
    undone: tuple[str, ...] = ()
    gates: Table = field(default_factory=lambda: gate_table(()))

    @property
    def passed(self) -> bool:
        return all(row["passed"] for row in self.gates)

    def to_pandas(self) -> "pd.DataFrame":
        """The findings, one in a row."""
        return self.findings.to_pandas()

    def to_json(self) -> dict[str, Any]:
        """Return what `biasprint measure --json` prints."""
        result = StudyResult(self.study, self.rows, self.dropped, tuple(self.findings)).to_json()
        return result | ({"gates": [dict(row) for row in self.gates]} if len(self.gates) else {})

    def _repr_html_(self) -> str:
        return self.findings._repr_html_()


def measure(
    study: str,
    data: "Data | Sequence[Data]",
    *,
    columns: Mapping[str, str] | None = None,
    layout: str | None = None,
    **how: Unpack[How],
) -> Measured:
    """Measure a study from tables: a data frame, a mapping of columns, a file's path, or several of them.

    `columns`: field → column, where they have other names; `biasprint.studies()` lists the fields. `layout`: a known
    outside one, such as "wan". Further, each by its name: `axes`, `scorers`, `seed`, `adjust`, `margin`, `generators`,
    `pool`, `compare`, `gates`; `biasprint.How` says what they are. Nothing is stored.

    Raises `Error` for an unknown study, for a table without a column that the study needs, and for what is no gate.
    """
    with _as_files(data) as paths:
        return measured(
            study,
            how,
            lambda options: measure_tables(
                JobContext(), paths, study, options, shared(), layout=layout, mapping=columns_of(columns)
            ),
        )


def score(scorers: "AScorer | Sequence[AScorer]", data: "Data", *, columns: Mapping[str, str] | None = None) -> Table:
    """Score the texts of a table, one row for each that can be used: `row`, counted from 1, and a column for a scorer.

    That is the scorer's one number for a text; or a list, of a scorer that has several; or None: nothing to score.
    A function that takes a text and returns a number is a scorer as well; its column has its name.
    """
    if isinstance(scorers, Sequence) and not scorers:
        raise UsageError("No scorer was named.", hint='For example: biasprint.score("length", data)')
    mapping = [f"{field}={column}" for field, column in columns_of(columns).items()]
    with _as_files(data) as paths, _named(scorers) as names:
        _, rows = in_words_of_python(lambda: score_table(JobContext(), paths[0], names, mapping))
    return Table(score_columns(names), rows)


@contextmanager
def _named(scorers: Any) -> Iterator[list[str]]:
    """The names of scorers, under which their functions are found meanwhile."""
    functions: dict[str, Callable[[str], object]] = {}
    names: list[str] = []
    if not _are_scorers(scorers):
        raise UsageError(f"A scorer is a name or a function, not {scorers!r}.")
    for scorer in [scorers] if isinstance(scorers, str) or callable(scorers) else scorers:
        if callable(scorer):
            names.append(name_of(scorer, [*names, *(info.name for info in describe())]))
            functions[names[-1]] = scorer
        else:
            names.append(scorer)
    with in_use(functions):
        yield names


def rubric(
    rubric: str,
    *,
    model: str,
    backend: str = "openai_compatible",
    name: str = "rubric",
    scale: tuple[int, int] = (1, 5),
    seed: int = 0,
    **parameters: str | int | float | bool,
) -> RubricScorer:
    """A scorer that has a model rate each text by a rubric, with whole numbers from `scale[0]` to `scale[1]`.

    Each text is rated twice, with the scale named upwards and downwards; its score is the mean, and `flips` counts the
    texts whose two ratings differ. `parameters`: the backend's, such as `endpoint`, `base_url` or `temperature`.
    `name`: what its column and its findings are called. `sha256`: the hash of the prompt.

    Raises `Error` for a rubric or a scale that makes no sense, and where it scores for a model that cannot be used.
    """
    return in_words_of_python(lambda: RubricScorer(rubric, (backend, model, parameters), scale, name, seed))


def columns_of(columns: Mapping[str, str] | None) -> dict[str, str]:
    """Return the mapping, empty for none. Raises `UsageError` for anything else."""
    if isinstance(columns, Mapping):
        return dict(columns)
    if columns:
        raise UsageError(f"columns is a mapping from field to column, not {columns!r}.")
    return {}


def path_of(value: str | PathLike[str]) -> Path:
    """Return a path. Raises `UsageError` for what is none."""
    if not isinstance(value, str | PathLike):
        raise UsageError(f"{value!r} is no path.", hint="Give the name of a file.")
    return Path(value)


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


def measured(study: str, how: How, work: Callable[[MeasureOptions], MeasuredStudy]) -> Measured:
    """The result of measuring so, in this module's words."""
    _check(how)
    in_words_of_python(lambda: measuring(study))  # before gates, which know its findings
    gates = in_words_of_python(lambda: gates_for(_listed(how.get("gates", ())), study))
    asked: dict[str, Any] = {name: _plain(name, value) for name, value in how.items() if name != "gates"}
    chosen = how.get("scorers", {})
    with _named(chosen.get(SCORE, ())) as names:
        asked["scorers"] = {**chosen, **({SCORE: ",".join(names)} if names else {})}
        done = in_words_of_python(lambda: work(MeasureOptions(**asked)))
    return measured_of(done, hold(gates, done.result.findings, asked_here=bool(done.recipe.get("generators"))))


def measured_of(done: MeasuredStudy, gates: Sequence[GateResult] = ()) -> Measured:
    result = done.result
    return Measured(
        study=result.study,
        rows=result.rows,
        dropped=dict(result.dropped),
        findings=Findings(result.findings, {result.study: done.recipe}),
        recipe=dict(done.recipe),
        remarks=done.remarks,
        undone=done.undone,
        gates=gate_table(gates),
    )


def gate_table(results: Sequence[GateResult]) -> Table:
    return Table(
        ("gate", "passed", "checked", "met", "untold", "missing", "said"), [gate.to_json() for gate in results]
    )


def _check(how: Mapping[str, Any]) -> None:
    """Refuse what the command line would refuse. Raises TypeError for an argument that does not exist."""
    for name in how:
        if name not in How.__annotations__:
            options = ", ".join(How.__annotations__)
            raise TypeError(f"measure() got an unexpected keyword argument '{name}'; there are {options}")
    for name, (fits, wanted) in _FITS.items():
        if name in how and not fits(how[name]):
            raise UsageError(f"{name} is {wanted}, not {how[name]!r}.")


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _width(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and isfinite(value) and value >= 0)


def _words(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, Iterable) and all(isinstance(item, str) for item in value))


def _roles(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(role, str) and (isinstance(scorer, str) or (role == SCORE and _are_scorers(scorer)))
        for role, scorer in value.items()
    )


def _are_scorers(value: Any) -> bool:
    return callable(value) or (isinstance(value, Sequence) and all(isinstance(o, str) or callable(o) for o in value))


_FITS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "adjust": (lambda value: value in ("holm", "bh"), "“holm” or “bh”"),
    "seed": (_whole, "a whole number from 0"),
    "margin": (_width, "a number from 0"),
    "pool": (lambda value: isinstance(value, bool), "True or False"),
    "scorers": (_roles, "a mapping from role to name; of the role score also to functions, or a list"),
} | dict.fromkeys(("axes", "generators", "compare", "gates"), (_words, "a list of words"))


def _plain(name: str, value: Any) -> Any:
    """Return a value as options hold it: a list as a tuple, also where one word is given alone."""
    if name not in ("axes", "generators", "compare"):
        return value
    return _listed(value)


def _listed(words: str | Iterable[str]) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else tuple(words)


# ---- Data frames go through the door of files, so that both give the same numbers

FRAME = "data frame.jsonl"


@contextmanager
def _as_files(data: Any) -> Iterator[list[Path]]:
    """The files of the tables; what is in memory is written to a folder that is gone afterwards."""
    tables = _tables(data)
    if not tables:
        raise UsageError("There is no table to read.", hint="Give a data frame, or the path of a file.")
    with temporary_folder() as folder:
        yield [_as_file(table, Path(folder, str(number))) for number, table in enumerate(tables)]


def _tables(data: Any) -> list[Any]:
    """The tables in what was given: one or several, or the records, the one column or the texts of one."""
    if hasattr(data, "to_frame"):
        return [data.to_frame()]
    if isinstance(data, Mapping):
        return [data if any(map(_is_column, data.values())) else [data]]
    if isinstance(data, str | PathLike) or _is_frame(data) or not isinstance(data, Iterable):
        return [data]
    several = list(data)
    if several and all(isinstance(text, str) and not _is_file(text) for text in several):
        return [[{"text": text} for text in several]]
    return [several] if any(map(_is_record, several)) else several


def _is_file(text: str) -> bool:
    """Return whether a string names a file: it ends as tables do, or is one word with an ending."""
    ending = Path(text).suffix.lower()
    return ending in READERS or bool(ending and not re.search(r"\s", text))


def _as_file(table: Any, folder: Path) -> Path:
    if isinstance(table, str | PathLike):
        path = Path(table)
        if is_project(path):
            raise UsageError(
                f"“{path.name}” is a project.", hint="Say: biasprint.open(path).measure(study), or read its tables."
            )
        return path
    rows = _rows(table)
    folder.mkdir()
    path = folder / FRAME
    with path.open("w", encoding="ascii", newline="\n") as file:
        for row in rows:
            file.write(json.dumps({name: _cell(value) for name, value in row.items()}) + "\n")
    return path


def _rows(table: Any) -> list[Mapping[str, Any]]:
    """The rows of a frame, of columns or of records, by what they can do: no package of frames is imported."""
    if isinstance(table, Mapping):
        columns = [(str(name), values) for name, values in table.items()]
    elif hasattr(table, "iter_rows"):  # polars
        columns = [(str(name), table[name].to_list()) for name in table.columns]
    elif hasattr(table, "to_pydict"):  # pyarrow
        columns = list(table.to_pydict().items())
    elif hasattr(table, "itertuples"):  # pandas
        columns = [(str(name), table.iloc[:, place].tolist()) for place, name in enumerate(table.columns)]
    else:
        return _of_records(table)
    names = [name for name, _ in columns]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(
            f"The data frame has more than one column “{repeated[0]}”.", hint="Give each column a name of its own."
        )
    if scalar := [name for name, values in columns if not _is_column(values)]:
        raise UsageError(f"The column “{scalar[0]}” is no list of values.", hint="Give a value for each row, or None.")
    cells = [list(values) for _, values in columns]
    if len(set(map(len, cells))) > 1:
        raise UsageError("The columns are not of the same length.", hint="Give a value for each row, or None.")
    return [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)]


def _of_records(table: Any) -> list[Mapping[str, Any]]:
    rows = list(table) if isinstance(table, Iterable) and not isinstance(table, bytes) else [table]
    if strange := [row for row in rows if not isinstance(row, Mapping)]:
        raise UsageError(
            f"A table cannot be read from a “{type(strange[0]).__name__}”.",
            hint="Give a data frame, a list of records, a mapping of columns, or the path of a file.",
        )
    none = dict.fromkeys(str(name) for row in rows for name in row)
    return [{**none, **{str(name): value for name, value in row.items()}} for row in rows]


def _is_frame(table: Any) -> bool:
    return any(hasattr(table, name) for name in ("iter_rows", "to_pydict", "itertuples"))


def _is_column(values: Any) -> bool:
    return isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping)


def _is_record(table: Any) -> bool:
    """Return whether it is one row: of a table of columns every value is a list."""
    return isinstance(table, Mapping) and not (table and all(map(_is_column, table.values())))


def _cell(value: Any) -> Any:
    """A cell as JSON has it: text stays as it is, also with lone surrogates; what is missing is null."""
    if isinstance(value, str | bool | int):
        return value
    if getattr(value, "ndim", 0):
        value = value.tolist()
    if isinstance(value, list | tuple | dict):
        return str(value) if isinstance(value, dict) else list(map(str, value))  # its row is told of and left out
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        return None
    return value.item() if hasattr(value, "item") and isinstance(value.item(), bool | int) else str(value)


def in_words_of_python(work: Callable[[], Result]) -> Result:
    """Do it; word an error for Python, not for the command line."""
    try:
        return work()
    except AppError as error:
        error.message, error.hint = _here(error.message), _here(error.hint)
        raise


HERE = {
    "--axis": "axes", "--scorer": "scorers", "--compare": "compare", "--pool": "pool",
    "--look-anyway": "look_anyway=True",
}  # fmt: skip


def _here(sentence: str) -> str:
    reworded = sentence.replace(f"“{FRAME}”", "the data frame")
    reworded = re.sub(r"Map one with (\w+)=column\.", r'Name the one that it is: columns={"\1": "…"}.', reworded)
    for option, word in HERE.items():
        reworded = reworded.replace(option, word)
    return reworded[:1].upper() + reworded[1:]

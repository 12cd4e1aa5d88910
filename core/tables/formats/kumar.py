"""Files of the creativity study by Kumar et al. 2024: one column per identity, or as its own program wrote them.

Columns (wide → long, one record per output) are chosen from the paper's description (sections 2 and 3, Table 6),
because no released file was at hand: it was not tried on one. Accepted: a column for the task and one for the theme (or
topic), `default`, and at least one column of an identity of kumar.toml; optionally model, sample and temperature.
Columns of other names are left alone. Tasks and themes become keys as the suite has them ("very short story" →
very_short_story).

The files of the paper's program follow from its published code (github.com/akkeshav/subtleBias, read 2026-11); no file
that it wrote was at hand. They lie at data/TASK/MODEL/raw.xlsx and data/TASK/MODEL/evaluation_JUDGE.xlsx. A row of
raw.xlsx is a theme: a text for nobody in particular (`base`) and one for each identity in a column of its name, with
`{identity}_prompt` and `{identity}_theme`. A row of an evaluation is a theme too: for each axis the identity whose text
was chosen, empty where the reply could not be read, and `{axis}_prompt`, `{axis}_response`, `{axis}_theme`. Neither has
a column for the task, the model or the judge: these are the names of folders and file.

Assumed: a folder that is no task says nothing, and the task is then known from the prompts and the model is not; rows
of one theme are its samples, in the order of both files; cards were always in the order that the code has.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.tables.fields import FieldSpec, columns_there
from biasprint.core.tables.formats import KnownFormat
from biasprint.core.tables.read import Duplicates, OpenTable, iter_records, look_at, whole_table
from biasprint.core.tables.rows import Record, RowProblem, TableRead, visible

DEFAULT = "default"
REQUIRED = ("task", "theme")
KEYS = ("task", "theme")


@dataclass(frozen=True)
class KumarLayout:
    """The columns of a file that hold the fields, and those of each identity's output."""

    fields: Mapping[str, str]
    identities: Mapping[str, str]

    @property
    def complete(self) -> bool:
        return (
            all(field in self.fields for field in REQUIRED) and DEFAULT in self.identities and len(self.identities) > 1
        )

    def specs(self, extra: Mapping[str, str]) -> list[FieldSpec]:
        """Return every column that is read, as a field of the same name."""
        needed = {self.fields[field] for field in REQUIRED}
        names = [*self.fields.values(), *self.identities.values(), *extra.values()]
        return [FieldSpec(name, required=name in needed) for name in dict.fromkeys(names)]


@cache
def _known() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("kumar.toml").read_text(encoding="utf-8"))


def layout_of(columns: Collection[str]) -> KumarLayout:
    """The layout of these columns; a column that comes twice is not used."""
    plain = Counter(_plain(column) for column in columns)
    by_plain_name = {_plain(column): column for column in columns if plain[_plain(column)] == 1}

    def found(names: Mapping[str, Sequence[str]]) -> dict[str, str]:
        return {
            name: next(by_plain_name[_plain(alias)] for alias in aliases if _plain(alias) in by_plain_name)
            for name, aliases in names.items()
            if any(_plain(alias) in by_plain_name for alias in aliases)
        }

    return KumarLayout(found(_known()["columns"]), found(_known()["identities"]))


def fits(columns: Collection[str]) -> bool:
    return layout_of(columns).complete or texts_are_whole(columns)


def has_choices(path: Path, encoding: str | None = None) -> bool:
    """True if a file has a judge's choices (`read_evaluation`) in place of texts."""
    columns = look_at(path, encoding).columns
    return not layout_of(columns).complete and is_evaluation(path, columns)


def read(
    path: Path,
    encoding: str | None = None,
    *,
    extra: Mapping[str, str],
    duplicates: Duplicates = "report",
    ctx: JobContext | None = None,
) -> TableRead:
    """Read one record per output, with the number of its row. `extra`: field → column.

    An identity without a text is no output: it is a problem, and counted as dropped.
    """
    table = look_at(path, encoding)
    if not layout_of(table.columns).complete:
        if is_evaluation(path, table.columns):
            hint = "Bring it into a project with “biasprint import”, and measure the project."
            raise AppError(f"“{path.name}” has choices of a judge, not texts.", hint=hint)
        if "base" in table.columns or any(column.endswith(THEME) for column in table.columns):  # raw.xlsx, or a part
            return read_texts(table, extra=extra, duplicates=duplicates, ctx=ctx)
    layout = _checked(table, extra)
    specs = layout.specs(extra)
    problems: list[RowProblem] = []
    same = {spec.name: spec.name for spec in specs}
    rows: list[Record] = []
    for wide in iter_records(table, specs, same, problems.append, duplicates=duplicates, ctx=ctx):
        rows += _outputs(wide, layout, extra, problems)
    mapping = {**layout.fields, "identity": "one column each", "text": ", ".join(layout.identities.values()), **extra}
    return whole_table(table, tuple(rows), problems, mapping)


BRINGS = ("task", "theme", "identity", "text")
FORMAT = KnownFormat("kumar", _known()["title"], "creativity", fits, read, BRINGS)


def _outputs(
    wide: Record, layout: KumarLayout, extra: Mapping[str, str], problems: list[RowProblem]
) -> Iterator[Record]:
    fields = {field: wide.values[column] for field, column in {**layout.fields, **extra}.items()}
    keys = {field: theme_key(fields[field]) for field in KEYS}
    for identity, column in layout.identities.items():
        text = wide.values[column]
        if text.strip():
            yield Record(wide.number, wide.line, {**fields, **keys, "identity": identity, "text": text})
        else:
            problems.append(RowProblem(wide.number, wide.line, f"no text of identity {identity}"))


def _checked(table: OpenTable, extra: Mapping[str, str]) -> KumarLayout:
    layout, name = layout_of(table.columns), table.file.path.name
    if not layout.complete:
        identities = ", ".join(identity for identity in _known()["identities"] if identity != DEFAULT)
        raise AppError(
            f"“{name}” does not have the columns of the format kumar.",
            hint=f"It needs task, theme, default and one column for each identity ({identities}). "
            f"{columns_there(table.columns)}",
        )
    for column in extra.values():
        if column not in table.columns:
            raise UsageError(f"“{name}” has no column “{column}”.", hint=columns_there(table.columns))
    return layout


def _plain(name: str) -> str:
    return re.sub(r"[\s_\-]+", "", name).casefold()


# ---- The paper's own program: raw.xlsx with the texts, evaluation_*.xlsx with a judge's choices


RAW = "raw.xlsx"
PROMPT, RESPONSE, THEME = "_prompt", "_response", "_theme"
EVALUATION_NAME = re.compile(r"evaluation_(?P<analysis>analysis_)?(?P<judge>.+)", re.IGNORECASE)
INDEX = re.compile(r"(unnamed: *\d+)?", re.IGNORECASE)  # the numbers of the rows, as the program writes them
REFUSED = "Nothing was imported."


@cache
def _program() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("kumar_program.toml").read_text(encoding="utf-8"))


def theme_key(name: str) -> str:
    """“social media” → social_media."""
    return re.sub(r"[\s_\-]+", "_", name.strip()).casefold()


# ---- Texts


def texts_are_whole(columns: Collection[str]) -> bool:
    """True if nothing that a raw.xlsx needs is missing."""
    there = set(_text_columns(columns).values())
    return "base" in there and len(there) > 1 and all(f"{column}{THEME}" in columns for column in there)


def read_texts(
    table: OpenTable, *, extra: Mapping[str, str], duplicates: Duplicates, ctx: JobContext | None
) -> TableRead:
    """Read one record per text of raw.xlsx, with the number of its row. `extra`: field → column."""
    texts = _checked_texts(table, extra)
    path = table.file.path
    task, model = _task_and_model(path, table)
    columns = [*texts.values(), *(f"{column}{THEME}" for column in texts.values()), *extra.values()]
    needed = f"{texts[DEFAULT]}{THEME}"
    specs = [FieldSpec(column, required=column == needed) for column in dict.fromkeys(columns)]
    problems: list[RowProblem] = []
    rows: list[Record] = []
    samples: Counter[tuple[str, str]] = Counter()
    same = {spec.name: spec.name for spec in specs}
    for row in iter_records(table, specs, same, problems.append, duplicates=duplicates, ctx=ctx):
        for identity, column in texts.items():
            theme = theme_key(row.values[f"{column}{THEME}"] or row.values[needed])
            sample = samples[theme, identity]
            samples[theme, identity] += 1
            if not row.values[column].strip():
                problems.append(RowProblem(row.number, row.line, f"no text of identity {identity}"))
                continue
            own = {"task": task, "theme": theme, "model": model, "sample": str(sample), "identity": identity}
            more = {field: row.values[name] for field, name in extra.items()}
            rows.append(replace(row, values={**own, "text": row.values[column], **more}))
    mapping = {"theme": needed, "identity": "one column each", "text": ", ".join(texts.values()), **extra}
    read = whole_table(table, tuple(rows), problems, mapping)
    unknown = "" if model or "model" in extra else f"“{path.name}” does not say which model wrote its texts."
    return replace(read, notices=(*read.notices, *filter(None, [unknown])))


def _text_columns(columns: Collection[str]) -> dict[str, str]:
    return {identity: column for identity, column in _program()["identities"].items() if column in columns}


def _checked_texts(table: OpenTable, extra: Mapping[str, str]) -> dict[str, str]:
    """Identity → column of its texts, where the file is whole."""
    name, columns = visible(table.file.path.name, 80), table.columns
    known = _program()["identities"].values()
    for column in extra.values():
        if column not in columns:
            raise UsageError(f"“{name}” has no column “{column}”.", hint=columns_there(columns))
    for column in columns:
        identity = column.removesuffix(PROMPT).removesuffix(THEME)
        if identity not in known and not INDEX.fullmatch(column) and column not in extra.values():
            raise AppError(
                f"“{name}” has a column of “{visible(identity, 40)}”, which is no identity of the program.",
                kept=REFUSED,
                hint=f"Identities: {', '.join(known)}. Remove the column, or map it with --map.",
            )
        if not INDEX.fullmatch(column) and columns.count(column) > 1:
            raise AppError(f"“{name}” has the column “{column}” twice.", kept=REFUSED, hint="Remove one of them.")
    texts = _text_columns(columns)
    if DEFAULT not in texts:
        hint = f"It holds the texts for nobody in particular. {columns_there(columns)}"
        raise AppError(f"“{name}” has no column “base”.", kept=REFUSED, hint=hint)
    if len(texts) == 1:
        raise AppError(f"“{name}” has no texts for an identity.", kept=REFUSED, hint=f"Columns: {', '.join(known)}.")
    for column in texts.values():
        if f"{column}{THEME}" not in columns:
            raise _without_column(name, f"{column}{THEME}", columns)
    return texts


def _without_column(name: str, column: str, columns: Collection[str]) -> AppError:
    hint = f"The program writes the theme of each text there. {columns_there(tuple(columns))}"
    return AppError(f"“{name}” has no column “{column}”.", kept=REFUSED, hint=hint)


def _task_and_model(path: Path, table: OpenTable) -> tuple[str, str]:
    """From the folders; where these are others than the program's, the task from the prompts, and no model."""
    tasks, folder = _program()["tasks"], path.absolute().parent
    if (task := theme_key(folder.parent.name)) in tasks:
        return task, folder.name
    prompts = [row["base_prompt"].strip().casefold() for row in table.sample_rows if row.get("base_prompt", "").strip()]
    for task, beginning in tasks.items():
        if prompts and all(prompt.startswith(beginning) for prompt in prompts):
            return task, ""
    if not table.sample_rows:
        return "", ""  # said where the rows are counted
    raise AppError(
        f"“{path.name}” does not say of which task its texts are.",
        kept=REFUSED,
        hint=f"Put it where the program does, TASK/MODEL/{RAW}; tasks: {', '.join(tasks)}.",
    )


# ---- Evaluations


@dataclass(frozen=True)
class Choice:
    """A judge's choice on one axis of one row. `chosen`: an identity; empty where the reply could not be read."""

    number: int
    axis: str
    cards: tuple[str, ...]
    theme: str
    sample: int
    chosen: str
    prompt: str
    reply: str


@dataclass(frozen=True)
class Evaluation:
    judge: str
    choices: tuple[Choice, ...]


def is_evaluation(path: Path, columns: Collection[str]) -> bool:
    """True if a file has a judge's choices, by its name or by its columns."""
    named = path.suffix.lower() == ".xlsx" and EVALUATION_NAME.fullmatch(path.stem) is not None
    return named or any(f"{axis['column']}{part}" in columns for axis in _axes().values() for part in (RESPONSE, THEME))


def read_evaluation(path: Path, ctx: JobContext | None = None) -> Evaluation:
    """Read an evaluation_JUDGE.xlsx. Raises `AppError` for whatever is not as the program writes it."""
    table = look_at(path)
    named = EVALUATION_NAME.fullmatch(path.stem)
    axes = {key: axis for key, axis in _axes().items() if axis["column"] in table.columns}
    if named is None:
        hint = f"Call it evaluation_JUDGE{path.suffix}, after the model that judged."
        raise AppError(f"“{path.name}” does not say who judged.", kept=REFUSED, hint=hint)
    if not axes:
        columns = ", ".join(axis["column"] for axis in _axes().values())
        hint = f"It needs {columns}. {columns_there(table.columns)}"
        raise AppError(f"“{path.name}” does not have the columns of an evaluation.", kept=REFUSED, hint=hint)
    if named["analysis"] and not any(f"{axis['column']}{THEME}" in table.columns for axis in axes.values()):
        hint = f"Import evaluation_{named['judge']}{path.suffix}."
        raise AppError(f"“{path.name}” has shares, not the choices they are of.", kept=REFUSED, hint=hint)
    for axis in axes.values():
        if f"{axis['column']}{THEME}" not in table.columns:
            raise _without_column(path.name, f"{axis['column']}{THEME}", table.columns)
    judge = f"{named['analysis'] or ''}{named['judge']}"
    return Evaluation(judge, tuple(_choices(path, table, axes, ctx)))


def _axes() -> Mapping[str, Any]:
    axes: Mapping[str, Any] = _program()["axes"]
    return axes


def _choices(path: Path, table: OpenTable, axes: Mapping[str, Any], ctx: JobContext | None) -> Iterator[Choice]:
    wanted = [f"{axis['column']}{part}" for axis in axes.values() for part in ("", PROMPT, RESPONSE, THEME)]
    specs = [FieldSpec(column) for column in wanted if column in table.columns]
    problems: list[RowProblem] = []
    rows = tuple(iter_records(table, specs, {spec.name: spec.name for spec in specs}, problems.append, ctx=ctx))
    whole_table(table, rows, problems, {})  # raises where there are none
    for problem in problems:
        if not problem.kept:
            raise AppError(f"“{path.name}”: {problem}.", kept=REFUSED, hint="Save it again as the program wrote it.")
    identity_of = {column.casefold(): identity for identity, column in _program()["identities"].items()}
    samples: Counter[tuple[str, str]] = Counter()
    for row in rows:
        for key, axis in axes.items():
            column, cards = axis["column"], tuple(axis["cards"])
            given = row.values[column].strip()
            chosen = identity_of.get(given.casefold(), given)
            if chosen and chosen not in cards:
                names = ", ".join(_program()["identities"][card] for card in cards)
                raise AppError(
                    f"Row {row.number}: “{visible(given, 40)}” is not on the axis {column}.",
                    kept=REFUSED,
                    hint=f"On it are {names}; an empty cell is a reply that could not be read.",
                )
            theme = theme_key(row.values[f"{column}{THEME}"])
            sample = samples[theme, key]
            samples[theme, key] += 1
            prompt, reply = (row.values.get(f"{column}{part}", "") for part in (PROMPT, RESPONSE))
            yield Choice(row.number, key, cards, theme, sample, chosen, prompt, reply)

"""Creativity outputs with one column per identity, read as one output per row (wide → long).

The columns are chosen from the description in Kumar et al. 2024 (sections 2 and 3, Table 6), because no released file
was at hand: it was not tried on one. Accepted: a column for the task and one for the theme (or topic), `default`, and
at least one column of an identity of kumar.toml; optionally model, sample and temperature. Columns of other names are
left alone. Tasks and themes become keys as the suite has them ("very short story" → very_short_story).

The raw.xlsx of the paper's own program is read as well: see kumar_program.py.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.tables.fields import FieldSpec, columns_there
from biasprint.core.tables.formats import KnownFormat, kumar_program
from biasprint.core.tables.formats.kumar_program import theme_key
from biasprint.core.tables.read import Duplicates, OpenTable, iter_records, look_at, whole_table
from biasprint.core.tables.rows import Record, RowProblem, TableRead

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
    return layout_of(columns).complete or kumar_program.texts_are_whole(columns)


def has_choices(path: Path, encoding: str | None = None) -> bool:
    """True if a file has a judge's choices (`kumar_program.read_evaluation`) in place of texts."""
    columns = look_at(path, encoding).columns
    return not layout_of(columns).complete and kumar_program.is_evaluation(path, columns)


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
        if kumar_program.is_evaluation(path, table.columns):
            hint = "Bring it into a project with “biasprint import”, and measure the project."
            raise AppError(f"“{path.name}” has choices of a judge, not texts.", hint=hint)
        if kumar_program.has_texts(table.columns):
            return kumar_program.read_texts(table, extra=extra, duplicates=duplicates, ctx=ctx)
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

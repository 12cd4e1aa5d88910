"""The fields that a study reads (study_fields.toml), and which column of a table holds which of them."""

import re
import statistics
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from biasprint.core.errors import AppError, UsageError
from biasprint.core.tables.rows import visible

# ---- Mapping: guessed from names and samples, shown, and edited by the person

LONG_TEXT = 40  # characters on average; shorter columns are not taken for texts by their look alone


@dataclass(frozen=True)
class FieldSpec:
    """A field that a study reads: other names its column may have, and whether it holds long texts."""

    name: str
    required: bool = False
    aliases: tuple[str, ...] = ()
    description: str = ""
    long_text: bool = False


def guess_mapping(
    columns: Sequence[str], sample_rows: Sequence[Mapping[str, str]], fields: Sequence[FieldSpec]
) -> dict[str, str]:
    """Map field → column, for every field whose column can be identified. A column serves one field.

    By name first (case, blanks, hyphens and underscores do not count), then by the aliases in their order, then, for a
    required field or a long text, by the last part of the one dotted path that ends so; a required long text that is
    still missing gets the one column whose cells are clearly the longest.
    """
    mapping: dict[str, str] = {}
    free = {_plain(column): column for column in reversed(columns) if columns.count(column) == 1}
    for field in fields:
        if column := free.pop(_plain(field.name), None):
            mapping[field.name] = column
    for field in fields:
        alias = next((_plain(alias) for alias in field.aliases if _plain(alias) in free), None)
        if field.name not in mapping and alias is not None:
            mapping[field.name] = free.pop(alias)
    for field in fields:
        if (field.required or field.long_text) and field.name not in mapping:
            ends = [_plain(name) for name in (field.name, *field.aliases)]
            inner = [[name for name in free if "." in name and name.rsplit(".", 1)[1] == end] for end in ends]
            if only := next((names[0] for names in inner if len(names) == 1), None):
                mapping[field.name] = free.pop(only)
    for field in fields:
        if field.required and field.long_text and field.name not in mapping:
            longest = _clearly_longest(list(free.values()), sample_rows)
            if longest is not None:
                mapping[field.name] = free.pop(_plain(longest))
    return mapping


def parse_map_options(options: Sequence[str]) -> dict[str, str]:
    """`["text=chatgpt_gen"]` → `{"text": "chatgpt_gen"}`; an empty column means "in no column".

    Raises `UsageError` for an option without a field or "=", and for a field named twice.
    """
    mapping: dict[str, str] = {}
    for option in options:
        field, equals, column = (part.strip() for part in option.partition("="))
        if not field or not equals:
            raise UsageError(f"“{option}” is no mapping.", hint="Write field=column, for example text=letter.")
        if field in mapping:
            raise UsageError(f"The field “{field}” is mapped twice.", hint="Give each field one column.")
        mapping[field] = column
    return mapping


def complete_mapping(
    table: str,
    columns: Sequence[str],
    sample_rows: Sequence[Mapping[str, str]],
    fields: Sequence[FieldSpec],
    asked: Mapping[str, str],
    paths: Collection[str] = (),
) -> dict[str, str]:
    """Return the requested mapping, completed by guesses, in the order of `fields`.

    `paths`: dotted paths that may be asked for beside the columns. `table` is the file's name, for messages.
    Raises `UsageError` for a field that does not exist, `AppError` for a column that is not there and for a required
    field without a column.
    """
    names = [field.name for field in fields]
    for name, column in asked.items():
        if name not in names:
            raise UsageError(f"There is no field “{name}”.", hint=f"Fields: {', '.join(names)}.")
        if column and columns.count(column) != 1 and (column in columns or column not in paths):
            trouble = f"has no column “{column}”" if column not in columns else f"has the column “{column}” twice"
            raise AppError(f"“{table}” {trouble}, asked for as {name}.", hint=columns_there(columns))
    open_fields = [field for field in fields if field.name not in asked]
    free = [column for column in columns if column not in asked.values()]
    mapping = {**asked, **guess_mapping(free, sample_rows, open_fields)}
    for field in fields:
        if field.required and not mapping.get(field.name):
            meaning = f" ({field.description})" if field.description else ""
            raise AppError(
                f"No column of “{table}” was recognised as {field.name}{meaning}.",
                hint=f"Map one with {field.name}=column. {columns_there(columns)}",
            )
    return {name: mapping[name] for name in names if mapping.get(name)}


def columns_there(columns: Sequence[str], most: int = 30) -> str:
    """A sentence that names the columns, for hints."""
    named = ", ".join(visible(column, 40) or "(no name)" for column in columns[:most])
    more = f" and {len(columns) - most} more" if len(columns) > most else ""
    return f"Columns there: {named}{more}."


def _plain(name: str) -> str:
    return re.sub(r"[\s_\-]+", "", name).casefold()


def _clearly_longest(columns: Sequence[str], sample_rows: Sequence[Mapping[str, str]]) -> str | None:
    lengths = {column: statistics.fmean(len(row.get(column, "")) for row in sample_rows or [{}]) for column in columns}
    ranked = sorted(lengths, key=lengths.__getitem__, reverse=True)
    if not ranked or lengths[ranked[0]] < LONG_TEXT:
        return None
    return ranked[0] if len(ranked) == 1 or lengths[ranked[0]] >= 2 * lengths[ranked[1]] else None


@cache
def _all_fields() -> Mapping[str, tuple[FieldSpec, ...]]:
    data = tomllib.loads(files("biasprint.core.tables").joinpath("study_fields.toml").read_text(encoding="utf-8"))
    return {
        name: tuple(FieldSpec(**{**spec, "aliases": tuple(spec["aliases"])}) for spec in specs)
        for name, specs in data.items()
    }


def fields_of(kind: str) -> tuple[FieldSpec, ...]:
    """The fields of `kind`: letters, creativity (outputs), judgments (of creativity), texts (for scoring).

    Raises `UsageError` that says which kinds there are.
    """
    fields = _all_fields().get(kind)
    if fields is None:
        raise UsageError(f"Tables of “{kind}” cannot be read.", hint=f"Kinds: {', '.join(_all_fields())}.")
    return fields

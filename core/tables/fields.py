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
JOIN = "|"  # between the columns of a field that several hold, such as text=gpt-4|llama-3
_FAMILIES = re.compile(
    r"(?:.*[/:])?(?:meta[\s_-]?|anthropic[\s_.-]|chat[\s_-]?)?(?:gpt|claude|llama|gemini|gemma|mistral|mixtral|"
    r"ministral|qwen|deepseek|command-?[ra]|phi-?\d|grok|olmo|falcon|vicuna|alpaca|kimi|glm|nova|o[134](?=\W|$))",
    re.IGNORECASE,
)  # names of models, which columns of one model's texts are called after
_PROMPTS = frozenset(("prompt", "question", "instruction", "input"))


@dataclass(frozen=True)
class FieldSpec:
    """A field that a study reads: other names its column may have, and whether it holds long texts.

    `otherwise`: the field whose column it takes in a table without one of its own.
    """

    name: str
    required: bool = False
    aliases: tuple[str, ...] = ()
    description: str = ""
    long_text: bool = False
    otherwise: str = ""


def guess_mapping(
    columns: Sequence[str], sample_rows: Sequence[Mapping[str, str]], fields: Sequence[FieldSpec]
) -> dict[str, str]:
    """Map field → column, for every field whose column can be identified. A column serves one field.

    By name first (case, blanks, hyphens and underscores do not count), then by the aliases in their order, then, for a
    required field or a long text, by the last part of the one dotted path that ends so; a text that is still missing
    gets all columns that each hold one model's texts, joined by “|”, or, where it is required, the one column whose
    cells are clearly the longest.
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
    _guess_models(mapping, free, sample_rows, fields)
    for field in fields:
        if field.required and field.long_text and field.name not in mapping:
            longest = _clearly_longest(list(free.values()), sample_rows)
            if longest is not None:
                mapping[field.name] = free.pop(_plain(longest))
    if sample_rows:
        _fill_otherwise(mapping, fields)
    return mapping


def _fill_otherwise(mapping: dict[str, str], fields: Sequence[FieldSpec], kept: Collection[str] = ()) -> None:
    """Give a field without a column that of the field which it names, unless that one is among the `kept`."""
    for field in fields:
        if field.name not in mapping and field.otherwise in mapping and field.otherwise not in kept:
            mapping[field.name] = mapping.pop(field.otherwise)


def joined_columns(column: str, columns: Collection[str]) -> tuple[str, ...]:
    """Return the columns that a mapping joins by “|”; none where it names one column."""
    parts = tuple(part.strip() for part in column.split(JOIN))
    whole = column in columns or len(set(parts)) < max(2, len(parts)) or not set(parts) <= set(columns)
    return () if whole else parts


def about_mapping(mapping: Mapping[str, str], fields: Sequence[FieldSpec], columns: Collection[str]) -> list[str]:
    """Return what to tell of a mapping: columns of one model each, and groups that are models."""
    notices = []
    for field in fields:
        column = mapping.get(field.name, "")
        if field.long_text and (parts := joined_columns(column, columns)):
            named = ", ".join(f"“{visible(part, 40)}”" for part in parts)
            notices.append(f"Each of the columns {named} was read as the texts of one model: a row for each.")
        if (
            field.otherwise
            and field.otherwise not in mapping
            and (
                joined_columns(column, columns)
                or _means(column, next((other for other in fields if other.name == field.otherwise), field))
            )
        ):
            notices.append(f"No column names a {field.name}, so {field.otherwise}s are compared.")
    return notices


def _means(column: str, field: FieldSpec) -> bool:
    return _plain(column) in {_plain(name) for name in (field.name, *field.aliases)}


def _guess_models(
    mapping: dict[str, str], free: dict[str, str], sample_rows: Sequence[Mapping[str, str]], fields: Sequence[FieldSpec]
) -> None:
    """Add the columns that hold one model's texts each: those named after models, or several long texts of a prompt."""
    field = next((field for field in fields if field.long_text and field.name in ("text", "generated")), None)
    if field is None or field.name in mapping or not sample_rows:
        return
    cells = {column: [row.get(column, "") for row in sample_rows] for column in reversed(free.values())}
    texts = {column: own for column, own in cells.items() if not all(map(_is_number, own))}
    models = [column for column in texts if _FAMILIES.match(column)]
    asked = {_plain(column) for column in (*free.values(), *mapping.values())} & _PROMPTS
    if len(models) < 2 and asked:
        models = [
            column
            for column, own in texts.items()
            if statistics.fmean(map(len, own)) >= LONG_TEXT and _plain(column) not in _PROMPTS
        ]
    if len(models) < 2:
        return
    joined = JOIN.join(models)
    if joined_columns(joined, free.values()) != tuple(models):
        return  # a name that holds the sign itself
    mapping[field.name] = joined
    for column in models:
        free.pop(_plain(column))
    if "model" not in mapping and any(other.name == "model" for other in fields):
        mapping["model"] = joined


def _is_number(cell: str) -> bool:
    return not cell.strip() or re.fullmatch(r"[\s\d.,%+-]+", cell) is not None


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
        if joined_columns(column, columns) and all(columns.count(part) == 1 for part in column.split(JOIN)):
            continue
        if column and columns.count(column) != 1 and (column in columns or column not in paths):
            trouble = f"has no column “{column}”" if column not in columns else f"has the column “{column}” twice"
            raise AppError(f"“{table}” {trouble}, asked for as {name}.", hint=columns_there(columns))
    open_fields = [field for field in fields if field.name not in asked]
    taken = {*asked.values(), *(part for column in asked.values() for part in joined_columns(column, columns))}
    free = [column for column in columns if column not in taken]
    mapping = {**asked, **guess_mapping(free, sample_rows, open_fields)}
    long_texts = [asked[field.name] for field in fields if field.long_text and field.name in asked]
    joint = next((column for column in long_texts if joined_columns(column, columns)), "")
    if joint and "model" in names and list(asked.values()).count(joint) == 1:
        mapping.setdefault("model", joint)
        _fill_otherwise(mapping, fields, kept=asked)
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

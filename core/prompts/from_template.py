"""A prompt set from a template and a table: each row fills the placeholders, and its columns stay with the prompt.

What is compared is the group of a row. Rows that say the same but for what belongs to their group are one block: the
same prompt about, or from, another person.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from biasprint.core.errors import AppError, UsageError
from biasprint.core.prompts.axes import Axis, Identity
from biasprint.core.prompts.drafts import DEFAULT_IDENTITY, PromptDraft, PromptSetDraft
from biasprint.core.prompts.name_sets import FEWEST
from biasprint.core.prompts.template import Template

GROUP, SECOND, BLOCK, THEME, NAME, IDENTITY = "group", "second_group", "block", "theme", "name", "identity"
# What studies read of a text itself: a column of this name would be taken for it.
TAKEN = (
    "text", "score", "outcome", "prompt", "sample", "model", "written_by", "arm", "pair", "formality", "positivity",
    "agency",
)  # fmt: skip
SHOWN = 5
LONGEST_BLOCK = 100


@dataclass(frozen=True)
class TemplateRow:
    """A row's cells by column, and its number, for messages."""

    number: int
    cells: Mapping[str, str]


@dataclass(frozen=True)
class TemplateTable:
    """The table for a template. `fields`: field of a study (group, second_group, block, theme, name …) → the column
    that holds it.
    """

    columns: tuple[str, ...]
    rows: tuple[TemplateRow, ...]
    fields: Mapping[str, str] = field(default_factory=dict)
    source: str = "the table"

    def places(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the columns of these fields that there are."""
        return tuple(self.fields[name] for name in names if name in self.fields)


def placeholder(column: str) -> str:
    """Return a template's name for a column: “Age group” is {Age_group}."""
    name = re.sub(r"\W+", "_", column.strip(), flags=re.ASCII).strip("_")
    return f"_{name}" if name[:1].isdigit() else name


def template_set(text: str, table: TemplateTable, *, name: str, task: str, axis: Axis | None = None) -> PromptSetDraft:
    """Return one prompt for each row; with an `axis` and no column for the group, one for each row and identity of the
    axis.

    Then {identity} is the identity's phrase and {name} one of its names, the next in the next row. `task`: what the
    study calls such texts. Refused in words, and nothing is made: a placeholder that is no column, a template that uses
    no column, an empty cell where one is needed, a group that is no identity of the axis, one prompt for two groups.
    Rows that are there twice are taken once, and said in `hints`.
    """
    rows = _expanded(table, axis)
    table = TemplateTable(
        (*table.columns, *_added(table, axis)), rows, {**table.fields, **_own(table, axis)}, table.source
    )
    template, places = _checked(text, table)
    used = tuple(places[each] for each in template.names)
    _no_empty_cell(table, (*used, *table.places((GROUP, SECOND, BLOCK))))
    unique, repeated = _once(table)
    blocks = _blocks(unique, used, table)
    drafts: dict[str, PromptDraft] = {}
    for row, block in zip(unique, blocks, strict=True):
        rendered = template.render({each: row.cells[column] for each, column in places.items()})
        draft = _draft(rendered, row, block, table, axis, name, task)
        _not_for_two(draft, row, drafts.get(rendered), table)
        drafts.setdefault(rendered, draft)
    recipe = {
        "suite": "template", "template": text, "table": table.source, "columns": list(table.columns),
        "fields": dict(table.fields), "source": "made from a template and a table",
        "axes": {axis.key: {"version": axis.version, "sha256": axis.sha256}} if axis else {},
    }  # fmt: skip
    hints = (*_hints(repeated, len(unique) - len(drafts), GROUP in table.fields), *_few_names(unique, used, table))
    return PromptSetDraft(name, recipe, tuple(drafts.values()), (axis,) if axis else (), hints)


# ---- Rows by identities


def _added(table: TemplateTable, axis: Axis | None) -> tuple[str, ...]:
    if axis is None or GROUP in table.fields:
        return ()
    return tuple(each for each in (GROUP, IDENTITY, NAME) if each not in table.columns)


def _own(table: TemplateTable, axis: Axis | None) -> dict[str, str]:
    return {each: each for each in _added(table, axis) if each != IDENTITY}


def _expanded(table: TemplateTable, axis: Axis | None) -> tuple[TemplateRow, ...]:
    """Return every row with every identity of the axis, where the table itself names no group."""
    added = _added(table, axis)
    if axis is None or not added:
        return table.rows
    return tuple(
        TemplateRow(row.number, {**row.cells, **_cells_of(identity, place, added)})
        for place, row in enumerate(table.rows)
        for identity in axis.identities
    )


def _cells_of(identity: Identity, place: int, added: Sequence[str]) -> dict[str, str]:
    name = identity.names[place % len(identity.names)] if identity.names else ""
    cells = {GROUP: identity.key, IDENTITY: identity.phrase, NAME: name}
    return {each: cells[each] for each in added}


# ---- Errors and hints


def _checked(text: str, table: TemplateTable) -> tuple[Template, dict[str, str]]:
    """Return the template, and placeholder → column. Raises for what does not fit together."""
    if not table.rows:
        raise AppError(f"There is no row in {table.source}.", hint="Give at least one row below the columns' names.")
    places: dict[str, str] = {}
    for column in table.columns:
        named = placeholder(column)
        if not named:
            raise AppError(f"A column of {table.source} has no name.", hint="Name every column in the first row.")
        if named in TAKEN:
            raise AppError(
                f"The column “{column}” of {table.source} has a name that studies read of a text itself.",
                hint=f"Rename it. These names are taken: {', '.join(TAKEN)}.",
            )
        if named in places:
            raise AppError(
                f"The columns “{places[named]}” and “{column}” of {table.source} are both {{{named}}}.",
                hint="Rename one of them.",
            )
        places[named] = column
    template = Template(text).require(known=places)
    if not template.names:
        listed = ", ".join(f"{{{each}}}" for each in places)
        raise AppError("The template uses no column, so that every prompt would be the same.", hint=f"Use: {listed}.")
    return template, places


def _no_empty_cell(table: TemplateTable, needed: Sequence[str]) -> None:
    for column in dict.fromkeys(needed):
        if empty := [row.number for row in table.rows if not row.cells.get(column, "").strip()]:
            raise AppError(
                f"{_rows(empty)} of {table.source} {_have(empty, 'has', 'have')} nothing in the column “{column}”.",
                hint="Fill the cells, or take the rows out.",
            )


def _once(table: TemplateTable) -> tuple[list[TemplateRow], list[int]]:
    """Return the rows, and the numbers of those that repeat one before in every column."""
    seen: dict[tuple[tuple[str, str], ...], TemplateRow] = {}
    repeated = []
    for row in table.rows:
        cells = tuple((column, row.cells.get(column, "").strip()) for column in table.columns)
        if cells in seen:
            repeated.append(row.number)
        seen.setdefault(cells, row)
    return list(seen.values()), repeated


def _not_for_two(draft: PromptDraft, row: TemplateRow, before: PromptDraft | None, table: TemplateTable) -> None:
    def whose(prompt: PromptDraft) -> tuple[str, str]:
        return prompt.fields.get(GROUP, ""), prompt.fields.get(SECOND, "")

    if before is not None and whose(before) != whose(draft):
        groups = " and ".join(f"“{', '.join(filter(None, each))}”" for each in (whose(before), whose(draft)))
        raise AppError(
            f"Row {row.number} of {table.source} makes the same prompt for {groups}.",
            hint="The template must use a column in which the groups differ.",
        )


# ---- Prompts


def _blocks(rows: Sequence[TemplateRow], used: Sequence[str], table: TemplateTable) -> list[str]:
    """Return the block of each row, shared with the same prompt for another group; "" where groups share nothing.

    That is the column mapped as block, else the placeholders' columns but those that belong to a group: of which no
    value is there for two groups, such as a name.
    """
    if BLOCK in table.fields:
        return [row.cells[table.fields[BLOCK]].strip() for row in rows]
    of_group = table.places((GROUP, SECOND))
    if not of_group:
        return [""] * len(rows)
    shared = [column for column in used if column not in of_group and _is_shared(column, rows, of_group)]
    return [_short(" | ".join(row.cells[column].strip() for column in shared)) for row in rows]


def _is_shared(column: str, rows: Sequence[TemplateRow], of_group: Sequence[str]) -> bool:
    groups: dict[str, set[tuple[str, ...]]] = {}
    for row in rows:
        groups.setdefault(row.cells[column].strip(), set()).add(tuple(row.cells[each].strip() for each in of_group))
    return any(len(keys) > 1 for keys in groups.values())


def _short(block: str) -> str:
    return block if len(block) <= LONGEST_BLOCK else f"{block[: LONGEST_BLOCK - 12]}… {_digest(block)[:10]}"


def _draft(
    text: str, row: TemplateRow, block: str, table: TemplateTable, axis: Axis | None, name: str, task: str
) -> PromptDraft:
    cells = {placeholder(column): row.cells.get(column, "").strip() for column in table.columns}
    own = {each: row.cells.get(column, "").strip() for each, column in table.fields.items()}
    identity = _identity(own.get(GROUP, ""), row, table, axis)
    group = identity.key if identity else own.get(GROUP, "")
    slug = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:60] or "template"
    content = " ".join((group, own.get(SECOND, ""), text))
    key = f"{slug}/{_digest(content)[:16]}"
    fields = {**cells, **own, BLOCK: block or key}
    if GROUP in table.fields:
        fields |= {GROUP: group}
    if identity and identity.pronouns:
        fields |= {"pronouns": identity.pronouns}
    return PromptDraft(
        key, text, own.get("task", "") or task, own.get(THEME, ""), axis.id if axis else "", group or DEFAULT_IDENTITY,
        fields,
    )  # fmt: skip


def _identity(group: str, row: TemplateRow, table: TemplateTable, axis: Axis | None) -> Identity | None:
    """Return the identity that a cell names by its key or label; None without an axis."""
    if axis is None:
        return None
    wanted = group.casefold()
    for identity in axis.identities:
        if wanted in (identity.key.casefold(), identity.label.casefold()):
            return identity
    known = ", ".join(identity.key for identity in axis.identities)
    raise UsageError(
        f"Row {row.number} of {table.source}: “{group}” is no identity of the axis {axis.id}.",
        hint=f"Its identities: {known}.",
    )


def _hints(repeated: Sequence[int], same: int, grouped: bool) -> tuple[str, ...]:
    hints = []
    if repeated:
        sentence = _have(repeated, "repeats an earlier row and was", "repeat earlier rows and were")
        hints.append(f"{_rows(repeated)} {sentence} taken once.")
    if same:
        what = "1 prompt was" if same == 1 else f"{same} prompts were"
        hints.append(f"{what} made by two rows that differ in columns that the template does not use, and taken once.")
    if not grouped:
        hints.append("No column says the group: texts can be scored and exported, and groups not compared.")
    return tuple(hints)


def _few_names(rows: Sequence[TemplateRow], used: Sequence[str], table: TemplateTable) -> tuple[str, ...]:
    """Return the caution where the template names people, and a group has too few names to stand for it."""
    name = next((column for column in used if column.casefold() == NAME), None)
    group = table.fields.get(GROUP)
    if name is None or group is None:
        return ()
    names: dict[str, set[str]] = {}
    for row in rows:
        names.setdefault(row.cells[group], set()).add(row.cells[name])
    few = min(map(len, names.values()))
    if few >= FEWEST:
        return ()
    count = "1 name" if few == 1 else f"{few} names"
    return (
        f"A group has {count}: {FEWEST} or more are wanted, for with fewer what a single name does is taken for what "
        "its group does.",
    )


def _rows(numbers: Sequence[int]) -> str:
    numbers = list(dict.fromkeys(numbers))
    more = f" and {len(numbers) - SHOWN} more" if len(numbers) > SHOWN else ""
    return f"Row{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers[:SHOWN]))}{more}"


def _have(numbers: Sequence[int], column: str, several: str) -> str:
    return column if len(set(numbers)) == 1 else several


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

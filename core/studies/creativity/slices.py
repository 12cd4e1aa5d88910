"""Parts of a study by task, topic, model, rater and temperature; their adjustment; the paper's values beside them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from biasprint.core.findings import Finding
from biasprint.core.prompts.cogs import cogs_themes
from biasprint.core.prompts.resource_files import packaged, read_toml
from biasprint.core.studies.kit.findings import with_holm

# ---- Parts and their adjustment

# Whose texts, and who judged: studies of their own. Task, topic and temperature are parts of one.
WHOSE = ("model", "rater", "rater_kind")

Values = Mapping[str, Sequence[str]]


@cache
def _topics() -> dict[str, str]:
    themes = cogs_themes()
    return {theme.key: theme.topic for theme in themes} | {theme.text.casefold(): theme.topic for theme in themes}


def topic_of(theme: str) -> str:
    """The topic of a theme of the suite, by its key or its text; empty for any other theme."""
    return _topics().get(theme.strip().casefold(), "")


def columns(table_columns: Values) -> dict[str, Sequence[str]]:
    """The columns by which a table can be cut: its columns that are there, and the topics of its themes.

    A theme of the suite has its topic there; another one that of the column “topic”.
    """
    columns_here = {name: column for name, column in table_columns.items() if column and name not in ("theme", "topic")}
    if themes := table_columns.get("theme"):
        own = table_columns.get("topic") or [""] * len(themes)
        columns_here["topic"] = [topic_of(theme) or topic for theme, topic in zip(themes, own, strict=True)]
    return columns_here


def cut(by: Sequence[str], values: Values, rows: Sequence[int]) -> Iterator[tuple[dict[str, str], list[int]]]:
    """The parts of `rows`, each with what its rows have in common; nothing where a column has not two values there.

    Rows without one of the values belong to no part.
    """
    if any(len({values[name][row] for row in rows} - {""}) < 2 if name in values else True for name in by):
        return
    parts: dict[tuple[str, ...], list[int]] = {}
    for row in rows:
        key = tuple(values[name][row] for name in by)
        if all(key):
            parts.setdefault(key, []).append(row)
    for key in sorted(parts):
        yield dict(zip(by, key, strict=True)), parts[key]


def within(title: str, dims: Mapping[str, str]) -> str:
    """A title that names what it is narrowed to."""
    return ", ".join([title, *(f"{name} {value}" for name, value in dims.items())])


def adjusted(parts: Sequence[Finding], wholes: Sequence[Finding], by: Sequence[str]) -> list[Finding]:
    """Holm within one finding id and axis; a part by task, topic or temperature comes after the whole that it is of.

    Its adjusted p is then at least the whole's, so that both together keep the family's error at 5 %.
    """
    family = " × ".join(by)
    result: list[Finding] = []
    for key in dict.fromkeys((part.id, part.dims["axis"], part.variant) for part in parts):
        own = [part for part in parts if (part.id, part.dims["axis"], part.variant) == key]
        tests = sum(part.p is not None for part in own)
        name = f"{key[0]}, axis {key[1]}, by {family}, {tests} tests"
        if key[2] == "as_published":
            result += own
        elif set(by) <= set(WHOSE):
            result += with_holm(own, name)
        else:
            result += [_after(part, wholes) for part in with_holm(own, f"{name}, after the whole")]
    return result


def _after(part: Finding, wholes: Sequence[Finding]) -> Finding:
    whose = {name: value for name, value in part.dims.items() if name in ("axis", *WHOSE)}
    for whole in wholes:
        same = (whole.id, whole.label, whole.variant) == (part.id, part.label, part.variant)
        if same and dict(whole.dims) == whose and part.p_adjusted is not None and whole.p_adjusted is not None:
            return replace(part, p_adjusted=max(part.p_adjusted, whole.p_adjusted))
    return part


@cache
def _values() -> dict[str, dict[str, Any]]:
    return read_toml(packaged("published", "creativity.toml"))


def published(finding_id: str, axis: str) -> str:
    """The values the paper prints for this finding on this axis, with a blank before; empty where it prints none."""
    printed = _values().get(finding_id, {})
    if axis not in printed:
        return ""
    values = ", ".join(f"{who} {value}" for who, value in printed[axis].items())
    return f" Published: {values} ({printed['note']})."

"""Choosing findings for a figure, what their keys are called there, and figures that fit a page."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from biasprint.core.draw.figure import Figure
from biasprint.core.findings import Finding

TITLES = {
    "SAI": "Stimulus given, attribute chosen (SAI)",
    "ASA": "Attribute given, stimulus chosen (ASA)",
    "beauty_profession": "Beauty × profession",
    "PPL": "P → positive",
    "PNL": "P → negative",
    "PNuL": "P → neutral",
    "NPL": "N → positive",
    "NNL": "N → negative",
    "NNuL": "N → neutral",
    "unbiased": "Unbiased prompt",
    "androcentrism": "Androcentrism",
    "career_family": "Career and family words",
    "names": "Names of the groups",
}
PRONOUNS = {"masculine": "Masculine pronoun", "feminine": "Feminine pronoun", "non-binary": "Non-binary pronoun"}


def words(key: str) -> str:
    """ "very_short_story" → "Very short story"; a name such as "GPT-4" stays as it is."""
    if key in TITLES:
        return TITLES[key]
    text = key.replace("_", " ")
    return text[:1].upper() + text[1:]


def pronoun(key: str) -> str:
    return PRONOUNS.get(key, words(key))


def against(finding: Finding) -> str:
    """ "Male against female", for a finding about two groups."""
    return " against ".join([words(finding.groups[0]), *finding.groups[1:2]]) if finding.groups else ""


def joined(*parts: str) -> str:
    """The parts that are there, such as "Gender · GPT-4"."""
    return " · ".join(part for part in parts if part)


Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")

MOST_ROWS = 60  # a figure that is longer is cut into several
MOST_COLUMNS = 12  # the same for a matrix that is wider
MOST_SERIES = 8  # as many as there are colours and markers


def having(
    findings: Iterable[Finding], finding_id: str, dims: Iterable[str], variant: str = "default"
) -> list[Finding]:
    """Those with this id and variant that are narrowed to exactly these dims."""
    wanted = set(dims)
    return [one for one in findings if (one.id, one.variant) == (finding_id, variant) and set(one.dims) == wanted]


def values(findings: Iterable[Finding], dim: str) -> list[str]:
    """The values of a dim in the order in which they appear; nothing where none has it."""
    return list(dict.fromkeys(one.dims[dim] for one in findings if dim in one.dims))


def parted(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """The findings or marks by key, in order of appearance."""
    found: dict[Key, list[Item]] = {}
    for one in items:
        found.setdefault(key(one), []).append(one)
    return found


def worth_drawing(figures: Iterable[Figure]) -> list[Figure]:
    """Without those in which nothing is defined; what is too wide or too long for a page is laid out otherwise."""
    return [
        piece
        for figure in figures
        if figure.defined
        for narrow in _narrow(figure)
        for piece in _cut(narrow, [(one.section, one.row) for one in narrow.marks], MOST_ROWS)
    ]


def _narrow(figure: Figure) -> Sequence[Figure]:
    """Series that colours and markers cannot tell apart become rows; columns that do not fit, figures of their own."""
    if figure.kind == "grouped" and len(figure.series) > MOST_SERIES:
        rows = [replace(one, section=joined(one.section, one.row), row=one.series, series="") for one in figure.marks]
        return [replace(figure, kind="intervals", marks=tuple(rows))]
    if figure.kind == "matrix":
        return _cut(figure, [one.series for one in figure.marks], MOST_COLUMNS)
    return [figure]


def _cut(figure: Figure, keys: Sequence[Hashable], most: int) -> Sequence[Figure]:
    """Pieces of at most `most` keys, where each mark has a key; they are numbered in their part."""
    wanted = set(keys)
    # Rows of a section stay together although they may not have appeared together.
    order: list[Hashable] = [row for row in figure.rows if row in wanted] or list(dict.fromkeys(keys))
    if len(order) <= most:
        return [figure]
    pieces = []
    for start in range(0, len(order), most):
        here = set(order[start : start + most])
        marks = tuple(mark for mark, key in zip(figure.marks, keys, strict=True) if key in here)
        number = f"{start // most + 1} of {-(-len(order) // most)}"
        part, title = joined(figure.part, number), f"{figure.title} ({number})"
        pieces.append(replace(figure, marks=marks, part=part, title=title))
    return pieces

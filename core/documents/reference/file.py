"""A reference set as a file: JSON, one row of numbers for each letter, and no text of any letter."""

import json
from collections.abc import Sequence
from math import isfinite
from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from core.documents.reference.values import ReferenceLetter, ReferenceSet
from core.errors import AppError
from core.prompts.resource_files import validated

FORMAT = 1
MOST_BYTES = 64_000_000
MOST_LETTERS = 200_000
ABOUT = ("occupation", "group", "made_by")

Words = Annotated[str, Field(max_length=2_000)]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class _File:
    """`letters`: each the values of `columns`, in order; None where a letter has none."""

    format: int
    title: Annotated[str, Field(min_length=1, max_length=200)]
    made_from: Annotated[str, Field(min_length=1, max_length=2_000)]
    stand_in: bool
    scorers: dict[str, Words]
    marks: Words
    columns: tuple[Words, ...]
    letters: Annotated[tuple[tuple[str | float | None, ...], ...], Field(max_length=MOST_LETTERS)]


def to_bytes(found: ReferenceSet) -> bytes:
    """The file's content; equal sets give equal bytes."""
    names = sorted({name for letter in found.letters for name in letter.figures})
    head = {
        "format": FORMAT, "title": found.title, "made_from": found.made_from, "stand_in": found.stand_in,
        "scorers": dict(sorted(found.scorers.items())), "marks": found.marks, "columns": [*ABOUT, *names],
    }  # fmt: skip
    rows = [
        json.dumps(
            [one.occupation, one.group, one.made_by, *(one.figures.get(name) for name in names)],
            ensure_ascii=False,
            allow_nan=False,
        )
        for one in found.letters
    ]
    start = json.dumps(head, ensure_ascii=False, indent=1).removesuffix("\n}")
    letters = ",\n".join(rows)
    return f'{start},\n "letters": [\n{letters}\n]}}\n'.encode()


def from_bytes(data: bytes, name: str) -> ReferenceSet:
    """The set in a file's content. Raises `AppError` for one that is damaged, newer, or something else."""
    where = f"The reference set “{name}”"
    if len(data) > MOST_BYTES:
        raise AppError(f"{where} is far larger than one may be.", hint=_HINT)
    try:
        content = json.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise AppError(f"{where} is damaged.", hint=_HINT, details=str(error)) from error
    if isinstance(content, dict) and isinstance(content.get("format"), int) and content["format"] > FORMAT:
        raise AppError(f"{where} was made by a newer version of the program.", hint="Use that version.")
    found = validated(_File, content, where)
    if found.columns[: len(ABOUT)] != ABOUT or any(len(row) != len(found.columns) for row in found.letters):
        raise AppError(f"{where} is damaged.", hint=_HINT)
    letters = tuple(_letter(row, found.columns, where) for row in found.letters)
    return ReferenceSet(name, found.title, found.made_from, found.stand_in, letters, found.scorers, found.marks)


def _letter(row: Sequence[str | float | None], columns: Sequence[str], where: str) -> ReferenceLetter:
    about, values = row[: len(ABOUT)], row[len(ABOUT) :]
    figures: dict[str, float] = {}
    for column, value in zip(columns[len(ABOUT) :], values, strict=True):
        if isinstance(value, str) or (value is not None and not isfinite(value)):
            raise AppError(f"{where} is damaged.", hint=_HINT, details=f"{column}: {value!r}")
        if value is not None:
            figures[column] = float(value)
    occupation, group, made_by = (str(one or "") for one in about)
    return ReferenceLetter(occupation, group, figures, made_by)


_HINT = "Build it again, or choose another reference set."

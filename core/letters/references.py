"""Reference sets: figures of many letters by occupation and group, without their texts; bundled, or a person's own."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Annotated

from pydantic import Field

from biasprint.core.errors import AppError, UsageError
from biasprint.core.letters.occupations import occupation_key, same_occupation, wider_occupations
from biasprint.core.machine.files import write_whole
from biasprint.core.machine.storage import home
from biasprint.core.prompts.resource_files import packaged, strict_data, validated


@dataclass(frozen=True)
class ReferenceLetter:
    """`figures`: name → value; a figure that could not be worked out is absent. `made_by`: what or who wrote it."""

    occupation: str
    group: str
    figures: Mapping[str, float]
    made_by: str = ""


DIGITS = 6  # of a figure in a set


def reference_letter(
    occupation: str, group: str, figures: Mapping[str, float | None], made_by: str = ""
) -> ReferenceLetter:
    """A letter's figures as a set keeps them: those there are, rounded."""
    rounded = {name: round(value, DIGITS) for name, value in figures.items() if value is not None}
    return ReferenceLetter(occupation, group, rounded, made_by)


@dataclass(frozen=True)
class ReferenceSet:
    """`made_from` says in words whose letters these are; `stand_in`: no person wrote them.

    `scorers`: role → "name version", `marks`: the version of the word lists: figures of others are not compared with
    these.
    """

    name: str
    title: str
    made_from: str
    stand_in: bool
    letters: tuple[ReferenceLetter, ...]
    scorers: Mapping[str, str] = field(default_factory=dict)
    marks: str = ""
    others: tuple[str, ...] = ()  # occupations of the whole set, where it is narrowed

    @property
    def occupations(self) -> tuple[str, ...]:
        return tuple(sorted({letter.occupation for letter in self.letters if letter.occupation}))

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(sorted({letter.group for letter in self.letters if letter.group}))

    def nearest(self, occupation: str) -> str:
        """Return this occupation, or the nearest wider one that has letters: “chef” for “pastry chef”; else ""."""
        own = {occupation_key(occupation_read) for occupation_read in self.occupations}
        return next(
            (
                occupation_read
                for occupation_read in (occupation_key(occupation), *wider_occupations(occupation))
                if occupation_read in own
            ),
            "",
        )

    def narrowed(self, occupation: str) -> "ReferenceSet":
        """Return the set with only the letters for an occupation: less to hand to another process."""
        nearest = self.nearest(occupation)
        own = tuple(letter for letter in self.letters if same_occupation(letter.occupation, nearest))
        return replace(self, letters=own, others=self.others or self.occupations)


@dataclass(frozen=True)
class Built:
    """`dropped`: reason → letters without figures. `scorers`, `marks`: as a `ReferenceSet` has them."""

    letters: tuple[ReferenceLetter, ...]
    dropped: Mapping[str, int]
    scorers: Mapping[str, str]
    marks: str


FORMAT = 1
MOST_BYTES = 64_000_000
MOST_LETTERS = 200_000
FEWEST = 20  # letters for an occupation: with fewer, the middle 80 % leaves out nobody in particular
NAMED = 14  # occupations
ABOUT = ("occupation", "group", "made_by")

Words = Annotated[str, Field(max_length=2_000)]


@strict_data
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


def to_bytes(reference_set: ReferenceSet) -> bytes:
    """The file's content; equal sets give equal bytes."""
    names = sorted({name for letter in reference_set.letters for name in letter.figures})
    head = {
        "format": FORMAT, "title": reference_set.title, "made_from": reference_set.made_from,
        "stand_in": reference_set.stand_in, "scorers": dict(sorted(reference_set.scorers.items())),
        "marks": reference_set.marks, "columns": [*ABOUT, *names],
    }  # fmt: skip
    rows = [
        json.dumps(
            [
                reference_letter.occupation,
                reference_letter.group,
                reference_letter.made_by,
                *(reference_letter.figures.get(name) for name in names),
            ],
            ensure_ascii=False,
            allow_nan=False,
        )
        for reference_letter in reference_set.letters
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
    file = validated(_File, content, where)
    if file.columns[: len(ABOUT)] != ABOUT or any(len(row) != len(file.columns) for row in file.letters):
        raise AppError(f"{where} is damaged.", hint=_HINT)
    letters = tuple(_letter(row, file.columns, where) for row in file.letters)
    return ReferenceSet(name, file.title, file.made_from, file.stand_in, letters, file.scorers, file.marks)


def _letter(row: Sequence[str | float | None], columns: Sequence[str], where: str) -> ReferenceLetter:
    about, values = row[: len(ABOUT)], row[len(ABOUT) :]
    figures: dict[str, float] = {}
    for column, value in zip(columns[len(ABOUT) :], values, strict=True):
        if isinstance(value, str) or (value is not None and not isfinite(value)):
            raise AppError(f"{where} is damaged.", hint=_HINT, details=f"{column}: {value!r}")
        if value is not None:
            figures[column] = float(value)
    occupation, group, made_by = (str(cell or "") for cell in about)
    return ReferenceLetter(occupation, group, figures, made_by)


_HINT = "Build it again, or choose another reference set."


BUNDLED = "bundled"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]{0,59}")
IN_USE = "in-use.txt"
_RESERVED = {"con", "prn", "aux", "nul", *(f"{device}{number}" for device in ("com", "lpt") for number in range(1, 10))}


@dataclass(frozen=True)
class Listed:
    """A reference set as it is listed; `trouble` says why it cannot be used, "" where it can."""

    name: str
    title: str
    made_from: str
    stand_in: bool
    letters: int
    occupations: tuple[str, ...]
    trouble: str = ""


def references() -> tuple[Listed, ...]:
    """The bundled set, then a person's own by name. A damaged one is listed with what is wrong with it."""
    own = sorted(path.stem for path in _folder().glob("*.json")) if _folder().is_dir() else []
    return tuple(_listed(name) for name in (BUNDLED, *own) if name == BUNDLED or _NAME.fullmatch(name))


def reference(name: str) -> ReferenceSet:
    """The set of this name. Raises `UsageError` where there is none, `AppError` where it is damaged."""
    if name == BUNDLED:
        return _bundled()
    path = _path(name)
    try:
        status = path.stat()
        if status.st_size > MOST_BYTES:
            raise AppError(f"The reference set “{name}” is far larger than one may be.", hint="Build it again.")
        return _at(path, status.st_mtime_ns)
    except FileNotFoundError:
        known = ", ".join(known_set.name for known_set in references())
        raise UsageError(f"There is no reference set “{name}”.", hint=f"There are: {known}.") from None
    except OSError as error:
        raise AppError(f"The reference set “{name}” cannot be read.", hint="Look at it.", details=str(error)) from error


@lru_cache(maxsize=1)
def _at(path: Path, _changed: int) -> ReferenceSet:
    """Read once for all letters that are compared with it."""
    return from_bytes(path.read_bytes(), path.stem)


def in_use() -> str:
    """The set that letters are compared with in the window: the bundled one unless another was chosen and is there."""
    try:
        name = (_folder() / IN_USE).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return BUNDLED
    return name if _NAME.fullmatch(name) and name != BUNDLED and _path(name).exists() else BUNDLED


def use(name: str) -> None:
    """Compare with this set from now on. Raises `UsageError` where there is none, `AppError` where it is damaged."""
    reference(name)
    _folder().mkdir(parents=True, exist_ok=True)
    write_whole(_folder() / IN_USE, name.encode())


def save(reference_set: ReferenceSet) -> None:
    """Keep a set under its name, replacing any set of that name."""
    if not reference_set.letters:
        raise UsageError("A reference set needs letters.", hint="Choose a project that has some.")
    path = _path(reference_set.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, to_bytes(reference_set))


def remove(name: str) -> None:
    """Delete a set. Raises `UsageError` for an unknown set, and for the bundled one."""
    path = _path(name)
    try:
        path.unlink()
    except FileNotFoundError:
        raise UsageError(f"There is no reference set “{name}”.", hint="“reference list” shows them.") from None
    except OSError as error:
        raise AppError(
            f"“{path.name}” could not be removed.", hint="Close it elsewhere.", details=str(error)
        ) from error


def check_name(name: str) -> None:
    """Raises `UsageError` for a name that cannot be a file's everywhere, or is the bundled set's."""
    if name == BUNDLED:
        raise UsageError("The bundled reference set stays as it is.", hint="Choose another name.")
    if not _NAME.fullmatch(name) or name.casefold() in _RESERVED or name != name.strip():
        raise UsageError(
            f"“{name}” cannot be the name of a reference set.",
            hint="Use up to 60 letters, digits, blanks, “-” and “_”; begin with a letter or a digit.",
        )


def _listed(name: str) -> Listed:
    try:
        reference_set = reference(name)
    except AppError as error:
        return Listed(name, name, "", False, 0, (), str(error))
    return Listed(
        name,
        reference_set.title,
        reference_set.made_from,
        reference_set.stand_in,
        len(reference_set.letters),
        reference_set.occupations,
    )


@lru_cache(maxsize=1)
def _bundled() -> ReferenceSet:
    try:
        data = packaged("letters", "reference", "bundled.json").read_bytes()
    except OSError as error:
        raise AppError("The bundled reference set is missing.", hint="Install the program again.") from error
    return from_bytes(data, BUNDLED)


def _folder() -> Path:
    return home() / "references"


def _path(name: str) -> Path:
    check_name(name)
    return _folder() / f"{name}.json"


def said_of_occupations(reference: ReferenceSet) -> str:
    """Return the occupations of a set in words: artist, chef and nurse, each in quotation marks."""
    every = reference.others or reference.occupations
    names, over = [f"“{name}”" for name in every[:NAMED]], len(every) - NAMED
    *first, last = (*names, *([f"{over} others"] if over > 0 else []))
    return f"{', '.join(first)} and {last}" if first else last


def said_of_too_few(reference: ReferenceSet) -> str:
    """Return the sentence on occupations with too few letters to compare with; "" where all have enough."""
    counts = Counter(letter.occupation for letter in reference.letters)
    few = ", ".join(f"{FEWEST - count} more for {name}" for name, count in sorted(counts.items()) if count < FEWEST)
    return f"An occupation needs {FEWEST} letters before any letter is compared with it: {few}." if few else ""

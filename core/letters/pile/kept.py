"""Piles that are kept: the rows, and each letter that somebody worked on, so that they can go on another day.

A pile has a folder in the data folder, which only its owner may read. `pile.jsonl` has what the pile is in its first
line and a row in each further one; beside it is a file for each letter with its text, its CV and what was done to it.
The window that writes a folder holds it, as a draft is held (`biasprint.core.letters.kept`).
"""

import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from pydantic import TypeAdapter

from biasprint.core.letters.kept import (
    BAD,
    MOST_BYTES,
    Hold,
    as_json,
    is_key,
    letter_of,
    make_folders,
    not_deleted,
    not_opened,
    now,
)
from biasprint.core.letters.pile import Pile, PileRow
from biasprint.core.letters.values import KeptLetter
from biasprint.core.machine.files import write_whole
from biasprint.core.machine.storage import home
from biasprint.core.text import sha256_text

FORMAT = 1
ROWS = "pile.jsonl"


@dataclass(frozen=True)
class PileWork:
    """A pile and what was done to its table. `paths`: the folder, zip or files that it was read from.

    `by_hand`: path of a row → its columns that a person set; `stand_ins`: the figures of a stand-in scorer; `whole`:
    every file was read.
    """

    pile: Pile
    paths: tuple[Path, ...]
    by_hand: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stand_ins: tuple[str, ...] = ()
    whole: bool = True


@dataclass(frozen=True)
class KeptPile:
    """A pile as it was left. `letters`: by the paths of their rows; `damaged`: files that cannot be read."""

    work: PileWork
    letters: Mapping[str, KeptLetter]
    damaged: int = 0


@dataclass(frozen=True)
class PileEntry:
    """A line of a list of piles. `when`: in UTC, as ISO 8601 writes it; `rows`, `letters`: how many, and worked on."""

    key: str
    name: str
    when: str
    paths: tuple[Path, ...]
    rows: int
    letters: int


class PileFolder:
    """The folder of one pile, written from any thread. A write that was overtaken by a later one does nothing."""

    def __init__(self, key: str = "") -> None:
        self.key = key or uuid4().hex
        self._lock = threading.Lock()
        self._held = Hold(f"pile-{self.key}.lock")
        self._latest: dict[str, int] = {}  # file → the number of its last write
        self._over = False

    def hold(self) -> None:
        """Hold the folder: no other window opens the pile from now on. Raises `Busy` where one has it."""
        with self._lock:
            self._held.take()

    def write(self, work: PileWork, number: int) -> None:
        """Put the table on disk, unless a write with a higher number did."""
        head = {"format": FORMAT, "when": now(), "rows": len(work.pile.rows)}
        head["work"] = _works().dump_python(replace(work, pile=replace(work.pile, rows=())), mode="json")
        lines = (head, *(_rows().dump_python(row, mode="json") for row in work.pile.rows))
        self._put(ROWS, "\n".join(json.dumps(line) for line in lines), number)

    def write_letter(self, path: str, letter: KeptLetter, number: int) -> None:
        """Put one letter on disk, unless a write with a higher number did."""
        content = {"format": FORMAT, "when": now(), "path": path, "letter": as_json(letter)}
        self._put(f"{sha256_text(path)[:32]}.json", json.dumps(content, indent=1), number)

    def let_go(self) -> None:
        """The window lets go of it, and writes nothing more; all of it stays."""
        with self._lock:
            self._over = True
            self._held.let_go()

    def remove(self) -> None:
        """Delete the pile's folder. The letters themselves are elsewhere, and stay. Raises `Busy` where one has it."""
        with self._lock:
            self._held.take()
            folder = _folder(self.key)
            try:
                for path in folder.glob("*.json*"):
                    path.unlink(missing_ok=True)
                folder.rmdir()
            except FileNotFoundError:
                pass
            except OSError as error:
                raise not_deleted(folder, error) from error
            finally:
                self._held.let_go(for_good=True)

    def _put(self, name: str, content: str, number: int) -> None:
        with self._lock:
            if self._over or number <= self._latest.get(name, 0):
                return
            self._held.take()
            write_whole(_folder(self.key, make=True) / name, content.encode())
            self._latest[name] = number


def listed_piles() -> tuple[PileEntry, ...]:
    """List every kept pile, the one that was worked on last first. What is no pile is left out."""
    entries = []
    for folder in _folders():
        with suppress(*BAD):
            with (folder / ROWS).open(encoding="utf-8") as file:
                head = json.loads(file.readline(MOST_BYTES))
            work = _work_of(head)
            files = [path for path in folder.glob("*.json") if path.stem != "pile"]
            when = max((head["when"], *map(_written, files)))
            entries.append(PileEntry(folder.name, work.pile.name, when, work.paths, int(head["rows"]), len(files)))
    return tuple(sorted(entries, key=lambda entry: (entry.when, entry.key), reverse=True))


def opened_pile(key: str) -> KeptPile:
    """The pile as it was left. `AppError` where it is gone, or its table is damaged."""
    folder = _folder(key)
    try:
        with (folder / ROWS).open(encoding="utf-8") as file:
            head = json.loads(file.readline(MOST_BYTES))
            rows = tuple(_rows().validate_python(json.loads(line)) for line in file if line.strip())
        work = _work_of(head)
    except BAD as error:
        damaged, kept = "The table of this pile cannot be read.", f"Its letters are still in “{folder}”."
        raise not_opened("pile", error, damaged, kept, "Read the pile's folder again.") from error
    letters, unreadable = {}, 0
    for path in folder.glob("*.json"):
        try:
            content = json.loads(path.read_text("utf-8"))
            letters[str(content["path"])] = letter_of(content["letter"])
        except BAD:
            unreadable += 1
    whole = work.whole and len(rows) == head["rows"]
    return KeptPile(replace(work, pile=replace(work.pile, rows=rows), whole=whole), letters, unreadable)


def kept_for(paths: Iterable[Path]) -> PileEntry | None:
    """The pile of these very paths that was worked on last; None where there is none."""
    wanted = tuple(path.absolute() for path in paths)
    return next((entry for entry in listed_piles() if entry.paths == wanted), None)


@cache
def _works() -> TypeAdapter[PileWork]:
    return TypeAdapter(PileWork)


@cache
def _rows() -> TypeAdapter[PileRow]:
    return TypeAdapter(PileRow)


def _work_of(head: Mapping[str, Any]) -> PileWork:
    if head["format"] != FORMAT:
        raise ValueError(f"format {head['format']!r}")
    return _works().validate_python(head["work"])


def _written(path: Path) -> str:
    """Return when a file was written; empty where a clock that was wrong gave it a time that no calendar has."""
    with suppress(OverflowError, ValueError):
        return datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="milliseconds")
    return ""


def _folders() -> Iterator[Path]:
    """The folders of piles; what else somebody put there is left alone."""
    place = home() / "letters" / "piles"
    if place.is_dir():
        yield from (folder for folder in place.iterdir() if is_key(folder.name) and folder.is_dir())


def _folder(key: str, *, make: bool = False) -> Path:
    if not is_key(key):
        raise ValueError(f"no key of a pile: {key!r}")
    folder = home() / "letters" / "piles" / key
    if make:
        make_folders(folder.parent.parent, folder.parent, folder)
    return folder

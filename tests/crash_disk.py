"""A disk whose power is cut: what a process changed is recorded, and of what was not synced a random part arrives.

A record (tests/disk_shim.c) begins with a copy of the folder, and `marks` what the program told a person. `Crashes`
then cuts the power at a random moment, any number of times: each file holds what was synced, and of each later write
any sectors, whole or torn; of names that were made, moved or removed since their folder was synced, any that arrived.
"""

import os
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from failing_disk import built_shim

SECTOR = 512
HEAD = struct.Struct("6Q")
# `live(mark)` is defined by the code that comes first; it calls `mark(words)` for what a person is told.
SERVE = """
import ctypes, os, sys
disk = ctypes.CDLL(None)
def mark(*words):
    disk.disk_marks(" ".join(map(str, words)).encode())
disk.disk_records(os.environ["RECORD"].encode())
live(mark)
disk.disk_records(None)
os._exit(0)
"""


@dataclass(frozen=True)
class Change:
    """One call. `what`: W(rite), T(runcate), S(ync), C(reate), R(ename), L(ink), U(nlink), D (mkdir), E (rmdir),
    M(ark)."""

    what: str
    file: int
    at: int
    name: str
    other: str
    content: bytes


@dataclass
class Content:
    """A file's bytes: those on the disk, and the changes since."""

    synced: bytearray = field(default_factory=bytearray)
    later: list[Change] = field(default_factory=list)


class Crashes:
    """Runs `live` of `code` on `folder`, and cuts the power afterwards, as often as is wanted."""

    def __init__(self, folder: Path, scratch: Path, code: str) -> None:
        self._folder, self._before = folder, scratch / "before"
        shutil.rmtree(self._before, ignore_errors=True)
        shutil.copytree(folder, self._before)
        self._numbers = {str(path): path.stat().st_ino for path in folder.rglob("*") if path.is_file()}
        record = scratch / "record"
        record.unlink(missing_ok=True)
        surroundings = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        preloaded = {"LD_PRELOAD": str(built_shim(scratch)), "FAILING_FOLDER": str(folder), "RECORD": str(record)}
        subprocess.run(
            [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}{SERVE}"],
            env=os.environ | surroundings | preloaded,
            check=True,
        )
        self.changes = tuple(_read(record))
        assert self.changes, "nothing was recorded"

    def cut(self, chance: random.Random, *, at_the_end: bool = False) -> Sequence[str]:
        """Leave in the folder what a power cut may leave at a random moment; return the marks that were made before.

        One of four comes after a mark, one after a file got another name, one after anything but a write.
        """
        kinds = chance.choice(("M", "R", "TSCRLUDEM", "WTSCRLUDEM"))
        moments = [place for place, change in enumerate(self.changes, 1) if change.what in kinds]
        moment = chance.choice(moments or [len(self.changes)]) if not at_the_end else len(self.changes)
        disk = _Disk(self._folder, self._before, self._numbers)
        marks = [change.name for change in self.changes[:moment] if change.what == "M"]
        for change in self.changes[:moment]:
            disk.do(change)
        disk.arrive(chance)
        return marks


class _Disk:
    """Files by number, names and folders: what is synced, and what is under way."""

    def __init__(self, folder: Path, before: Path, numbers: dict[str, int]) -> None:
        self._folder = folder
        self._files: dict[int, Content] = {}
        self._synced: dict[str, int] = dict(numbers)  # a file's number by its name; 0 is a folder's
        for path in before.rglob("*"):
            name = str(folder / path.relative_to(before))
            if path.is_dir():
                self._synced[name] = 0
            else:
                self._files[numbers[name]] = Content(bytearray(path.read_bytes()))
        self._now = dict(self._synced)  # as the process sees it
        self._later: list[list[tuple[str, int | None]]] = []  # each change of names: what each name is afterwards

    def do(self, change: Change) -> None:
        match change.what:
            case "W" | "T":
                self._files.setdefault(change.file, Content()).later.append(change)
            case "S":
                self._sync(change.file, change.name)
            case "C":
                self._files[change.file] = Content()
                self._name((change.name, change.file))
            case "D":
                self._name((change.name, 0))
            case "U" | "E":
                self._name((change.name, None))
            case "L":
                self._name((change.other, self._now[change.name]))
            case "R":
                inside = [name for name in self._now if name == change.name or name.startswith(f"{change.name}/")]
                moved = [(change.other + name.removeprefix(change.name), self._now[name]) for name in inside]
                self._name(*((name, None) for name in inside), *moved)

    def _name(self, *changes: tuple[str, int | None]) -> None:
        self._later.append(list(changes))
        _apply(self._now, changes)

    def _sync(self, file: int, folder: str) -> None:
        if folder:  # the folders that it lies in were made before, so that they arrive too
            late = [each for each in self._later if any(_arrives_with(folder, name) for name, _ in each)]
            for each in late:
                _apply(self._synced, each)
            self._later = [each for each in self._later if each not in late]
        elif file in self._files:
            content = self._files[file]
            for change in content.later:
                _write(content.synced, change)
            content.later.clear()

    def arrive(self, chance: random.Random) -> None:
        """Make the folder what the disk has after a power cut."""
        names = dict(self._synced)
        for each in self._names_that_arrive(chance):
            _apply(names, each)
        shutil.rmtree(self._folder)
        self._folder.mkdir()
        for name in sorted(names):
            if names[name] == 0 and Path(name).parent.is_dir():
                Path(name).mkdir()
        share = chance.choice((0.0, 0.3, 0.7, 1.0))
        contents = {file: _torn(self._files[file], share, chance) for file in sorted({*names.values()} - {0})}
        for name, file in names.items():
            if file and Path(name).parent.is_dir():
                Path(name).write_bytes(contents[file])

    def _names_that_arrive(self, chance: random.Random) -> Iterator[list[tuple[str, int | None]]]:
        """Of a file system that keeps their order the first few, of another any."""
        if chance.random() < 0.5:
            yield from self._later[: chance.randint(0, len(self._later))]
        else:
            yield from (each for each in self._later if chance.random() < 0.5)


def _apply(names: dict[str, int], changes: Sequence[tuple[str, int | None]]) -> None:
    for name, file in changes:
        if file is None:
            names.pop(name, None)
        else:
            names[name] = file


def _arrives_with(folder: str, name: str) -> bool:
    return name.rpartition("/")[0] == folder or f"{folder}/".startswith(f"{name}/")


def _write(content: bytearray, change: Change) -> None:
    if change.what == "T":
        del content[change.at :]
    end = change.at + len(change.content)
    content.extend(bytes(max(0, end - len(content))))
    content[change.at : end] = change.content


def _torn(content: Content, share: float, chance: random.Random) -> bytes:
    """Of the changes since the last sync any sectors, some of them cut."""
    found = bytearray(content.synced)
    for change in content.later:
        if change.what == "T":
            if chance.random() < share:
                _write(found, change)
            continue
        place = change.at
        end = change.at + len(change.content)
        while place < end:
            after = min(end, (place // SECTOR + 1) * SECTOR)
            if chance.random() < share:
                cut = chance.randint(place, after) if chance.random() < 0.05 else after
                part = change.content[place - change.at : cut - change.at]
                _write(found, Change("W", 0, place, "", "", part))
            place = after
    return bytes(found)


def _read(record: Path) -> Iterator[Change]:
    with record.open("rb") as stream:
        while head := stream.read(HEAD.size):
            what, file, at, name, other, size = HEAD.unpack(head)
            words = stream.read(name).decode(), stream.read(other).decode()
            yield Change(chr(what), file, at, *words, stream.read(size))


def leave_a_hot_journal(path: Path) -> None:
    """What a power cut in the middle of a commit leaves: changed pages in the file, the old ones in the journal."""
    journal = path.with_name(path.name + "-journal")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size=1")
        connection.execute("BEGIN")
        connection.execute("UPDATE study SET title = 'half done'")
        many = [("x", "y" * 400, "")] * 3_000
        connection.executemany("INSERT INTO event (kind, body, created_at) VALUES (?, ?, ?)", many)
        half_file, half_journal = path.read_bytes(), journal.read_bytes()
        connection.execute("ROLLBACK")
    path.write_bytes(half_file)
    journal.write_bytes(half_journal)
    assert b"half done" in half_file

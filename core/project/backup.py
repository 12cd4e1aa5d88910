"""Backups of a project, in the data folder: one of each age, and no damaged one ever takes the place of a sound one.

A copy is made before the first change of a session and checked afterwards, row by row, without hurry. A sound one is
removed only where there are more than the limit. Their order is the number in their names, because clocks jump; the
time stated in a name decides which ages are kept, and is believed only where it fits between its neighbours.
"""

import hashlib
import os
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.storage import home
from biasprint.core.project.copies import copy_project
from biasprint.core.project.damaged import Problem, check_project
from biasprint.core.text import sha256_text

MOST = 7  # sound ones that are kept
NEWEST = 2  # of them kept whatever their age
SPANS = (timedelta(hours=1), timedelta(days=1), timedelta(weeks=1))  # of each, and of what is older, one is kept
MOST_UNCHECKED = 5  # more than so many, left by sessions that ended at once, are checked before another session ends
LONGEST_STEM = 60  # of at most four bytes each: a folder's name has 255
LARGEST_BYTES = 500 * 1024 * 1024
SUFFIX, FOLDER = ".biasprint", "backups"
STAMP = "%Y-%m-%dT%H-%M-%SZ"
NAME = re.compile(r"(\d+)_([^_]+)_([0-9a-f]+)_(unchecked|sound|damaged)")
OLD_STAMP = "%Y-%m-%dT%H-%M-%S.%fZ"  # all that a name said before there were numbers
SHARE_OF_TIME = 0.1  # of a processor's, that checking takes
BEGIN_AFTER_SECONDS = 3.0


class State(StrEnum):
    """The state of a backup, as far as it was checked."""

    UNCHECKED = "unchecked"
    SOUND = "sound"
    DAMAGED = "damaged"


@dataclass(frozen=True)
class Backup:
    """A backup, by its file's name. `made`: when a clock said so; `mark`: the state of the project it is of."""

    path: Path
    number: int
    made: datetime | None
    mark: str
    state: State

    def renamed(self, state: State) -> "Backup":
        """Rename the file so that its name states the result of the check."""
        made = self.made or datetime.fromtimestamp(self.path.stat().st_mtime, UTC)
        target = self.path.with_name(_name(self.number, made, self.mark, state))
        os.replace(self.path, target)
        return Backup(target, self.number, made, self.mark, state)


def now() -> datetime:
    """Return the clock's time, right or wrong."""
    return datetime.now(UTC)


def backup_folder(project: Path) -> Path:
    """Return the folder of a project's backups, by the place the project is at."""
    real = project.resolve()
    return home() / FOLDER / f"{real.stem[:LONGEST_STEM]}-{sha256_text(str(real))[:10]}"


def backups(project: Path) -> list[Backup]:
    """Return the backups of a project, newest first: in the order in which they were made, whatever the clock said."""
    files = (_from_name(path) for path in backup_folder(project).glob(f"*{SUFFIX}"))
    return sorted(files, key=lambda backup: (backup.number, backup.path.name), reverse=True)


def is_backup(path: Path) -> bool:
    """Return whether a file is a backup in the data folder, which nothing but its check may change."""
    return path.resolve().is_relative_to((home() / FOLDER).resolve())


def same_backup(backup: Backup, name: str) -> bool:
    """Return whether a name or path is this backup's, whatever was known of its state when somebody wrote it down."""
    given = Path(name)
    alike = _stateless(given) == _stateless(backup.path)
    return alike and (given.name == name or given.resolve().parent == backup.path.resolve().parent)


def _stateless(path: Path) -> str:
    stem = path.name.removesuffix(SUFFIX)
    return stem.rpartition("_")[0] if NAME.fullmatch(stem) else stem


def back_up(project: Path, *, of: Path | None = None, largest: int | None = LARGEST_BYTES) -> Backup | None:
    """Make a backup, not yet checked; None where the newest is of the same state, or the file has more than `largest`
    bytes.

    `of`: the file that is copied, where it is not the project's own.
    """
    state = project.stat()
    if largest is not None and state.st_size > largest:
        return None
    present = backups(project)
    # Equal, not older or newer: a clock that was wrong once must not stop backups for good.
    mark = hashlib.sha256(f"{state.st_size} {state.st_mtime_ns} {state.st_ino}".encode()).hexdigest()[:12]
    if present and present[0].mark == mark:
        return None
    number = present[0].number + 1 if present else 1
    target = backup_folder(project) / _name(number, now(), mark, State.UNCHECKED)
    return _from_name(copy_project(of or project, target))


def check_backups(project: Path, ctx: JobContext) -> tuple[Problem, ...]:
    """Check what nobody has checked yet, let go of what is more than is kept, and tell what is wrong with the newest.

    Cancelled, it goes on in another session; unless too many wait already.
    """
    problems: dict[int, tuple[Problem, ...]] = {}
    present = backups(project)
    waiting = [backup for backup in reversed(present) if backup.state is State.UNCHECKED]
    for place, backup in enumerate(waiting):
        patient = place < len(waiting) - MOST_UNCHECKED
        if not patient:
            ctx.check()
        problems[backup.number] = problems_of(backup, JobContext() if patient else ctx)
        with suppress(FileNotFoundError):  # somebody who lists them was faster
            backup.renamed(State.DAMAGED if problems[backup.number] else State.SOUND)
    thin(project)
    return problems.get(present[0].number, ()) if present else ()


def problems_of(backup: Backup, ctx: JobContext) -> tuple[Problem, ...]:
    """Return the problems of a backup; a file that is no longer one counts as one problem.

    Raises `FileNotFoundError` where it has another name by now: the session that is open has checked it.
    """
    try:
        return check_project(backup.path, ctx).problems
    except AppError as error:
        if not backup.path.exists():
            raise FileNotFoundError(backup.path) from error
        return (Problem("file", backup.path.name, error.message),)


def thin(project: Path) -> None:
    """Remove sound backups beyond `MOST`, the oldest first of those that no age asks for; of damaged ones all but the
    newest. What was not checked stays."""
    present = backups(project)
    sound = [backup for backup in present if backup.state is State.SOUND]
    needed = kept_by_age(sound, now())
    spare = [backup for backup in reversed(sound) if backup not in needed]
    damaged = [backup for backup in present if backup.state is State.DAMAGED]
    for backup in [*spare[: max(0, len(sound) - MOST)], *damaged[1:]]:
        with suppress(OSError):  # on Windows somebody may just be reading it
            backup.path.unlink(missing_ok=True)


def kept_by_age(newest_first: Sequence[Backup], at: datetime) -> list[Backup]:
    """Return the backups to keep: the newest ones, the oldest of each span, and the newest of all older ones."""
    selected = list(newest_first[:NEWEST])
    by_span: dict[int, list[Backup]] = {}
    for backup, moment in zip(newest_first, moments(newest_first, at), strict=True):
        by_span.setdefault(sum(at - moment >= span for span in SPANS), []).append(backup)
    for span, those in by_span.items():
        selected.append(those[0] if span == len(SPANS) else those[-1])
    return selected


def moments(newest_first: Sequence[Backup], at: datetime) -> list[datetime]:
    """Return when each backup was made, as far as a clock can be believed: none before the one made before it, none
    after `at`.
    """
    believed = [
        moment.made if moment.made is not None and moment.made <= at else None for moment in reversed(newest_first)
    ]
    last = next((moment for moment in believed if moment is not None), at)
    times = []
    for moment in believed:
        last = max(last, moment or last)
        times.append(last)
    return times[::-1]


class Unhurried(JobContext):
    """A job context for work that nobody waits for: it rests for most of the time, so that it never keeps a window
    waiting.

    On two busy cores another thread woke 11 ms late beside it at the 99th percentile, and 4 ms without it; where it
    rested after every 25 rows instead of 5, and took a quarter of the time, 45 ms.

    `begin` waits until what a person opened is there, or nobody needs it any more.
    """

    def __init__(self) -> None:
        super().__init__()
        self._since = time.thread_time()

    def begin(self) -> None:
        self._cancelled.wait(BEGIN_AFTER_SECONDS)

    def check(self) -> None:
        super().check()
        spent = time.thread_time() - self._since
        self._cancelled.wait(spent * (1 / SHARE_OF_TIME - 1))
        super().check()
        self._since = time.thread_time()


def _name(number: int, made: datetime, mark: str, state: State) -> str:
    return f"{number:06}_{made.strftime(STAMP)}_{mark}_{state}{SUFFIX}"


def _from_name(path: Path) -> Backup:
    parts = NAME.fullmatch(path.stem)
    if parts is None:  # made before backups had numbers, and never checked
        return Backup(path, 0, _time(path.stem, OLD_STAMP), "0", State.UNCHECKED)
    number, made, mark, state = parts.groups()
    return Backup(path, int(number), _time(made, STAMP), mark, State(state))


def _time(text: str, pattern: str) -> datetime | None:
    try:
        return datetime.strptime(text, pattern).replace(tzinfo=UTC)
    except ValueError:
        return None

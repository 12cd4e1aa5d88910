"""Sessions on a project, sound or damaged, with a clock that jumps: the backups that they leave.

The ordinary tests do a few; the slow ones call the same with many.
"""

import os
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

from biasprint.core.jobs import JobContext
from biasprint.core.project.backup import Backup, State, backups, check_backups
from biasprint.core.project.project import Project

START = datetime(2026, 11, 24, 9, tzinfo=UTC)
FIVE_YEARS = timedelta(days=5 * 365)


def session(path: Path, clock: datetime) -> list[Backup]:
    """Open the project at that time of the clock, change something, close it, and check what was copied."""
    with patch("biasprint.core.project.backup.now", lambda: clock):
        with Project.open(path) as project:
            project.events.add("opened", {"at": clock.isoformat()})
        os.utime(path, (clock.timestamp(), clock.timestamp()))
        check_backups(path, JobContext())
    return backups(path)


def damage_a_row(path: Path) -> None:
    """Alter a stored title past the program: a row that can be read, and is not what was stored."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE study SET title = title || '!'")
        connection.commit()


def sound(found: Iterable[Backup]) -> list[Backup]:
    return [one for one in found if one.state is State.SOUND]


def lost_on_a_damaged_file(path: Path, sessions: int) -> int:
    """How many sound backups go while a damaged project is worked on, with the clock five years off now and then."""
    damage_a_row(path)
    before = {one.path for one in sound(backups(path))}
    for number in range(1, sessions + 1):
        wrong = (timedelta(), FIVE_YEARS, -FIVE_YEARS)[number % 3]
        after = session(path, START + timedelta(days=number) + wrong)
    return len(before - {one.path for one in sound(after)})

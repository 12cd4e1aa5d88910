"""What the disk itself takes to keep something."""

import os
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

from figures import Spread, spread

PAGE_BYTES = 4_096
PAUSE_SECONDS = 0.05
COMMITS = 300


class Probe:
    """Measures again and again, beside what is measured, how long one page takes to reach the disk (fsync alone)."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "fsync.bin"
        self._over = threading.Event()
        self._milliseconds: list[float] = []
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "Probe":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    @property
    def found(self) -> Spread:
        return spread(self._milliseconds)

    def _run(self) -> None:
        handle = os.open(self._path, os.O_CREAT | os.O_RDWR)
        try:
            while not self._over.wait(PAUSE_SECONDS):
                os.lseek(handle, 0, os.SEEK_SET)
                os.write(handle, os.urandom(PAGE_BYTES))
                started = time.perf_counter()
                os.fsync(handle)
                self._milliseconds.append(1000 * (time.perf_counter() - started))
        finally:
            os.close(handle)
            self._path.unlink()


def bare_commit_milliseconds(folder: Path) -> Spread:
    """Milliseconds for SQLite alone to commit a row of a judgment's size, with a project's settings for safety."""
    path = folder / "bare.db"
    found = []
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.execute("PRAGMA synchronous=EXTRA")
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT)")
        for _ in range(COMMITS):
            started = time.perf_counter()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO t (body) VALUES (?)", ("x" * 400,))
            connection.execute("COMMIT")
            found.append(1000 * (time.perf_counter() - started))
    path.unlink()
    return spread(found)

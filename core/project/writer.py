"""The one writer: a thread that owns the only writing connection.

A person's choice commits at once and first; jobs commit in groups of at most 50 ms. A result is handed out only
after its COMMIT returned, so that what was acknowledged is on disk.
"""

import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import count
from operator import itemgetter
from pathlib import Path

from sqlalchemy import Connection

from biasprint.core.errors import AppError
from biasprint.core.jobs import precedence
from biasprint.core.machine.storage import sync_folder
from biasprint.core.project.changes import Changes
from biasprint.core.project.checksums import keep_checksums
from biasprint.core.project.connection import connect, driver_connection, engine_for, execute_when_free, explain

GROUP_SECONDS = 0.05
GIVE_UP_SECONDS = 30.0
LOOK_SECONDS = 0.002  # whether jobs may go on, while what they want written rests

Write = Callable[[Connection], Changes]
PERSON, JOB, STOP = 0, 1, 2
APPENDED = ("judgment", "annotation", "output")  # tables whose changes are new rows, by id


@dataclass(order=True)
class _Order:
    priority: int
    number: int
    write: Write | None = field(compare=False)
    future: "Future[Changes]" = field(compare=False)


class Writer:
    """Runs writes in their order, a person's before a job's.

    `still_ours` runs before each commit and raises where the file is not ours to write any more; `before_first` runs
    ahead of the first write, and where it raises, that write and every later one hears why. `ordered`: whether anything
    was ever to be written.
    """

    def __init__(
        self,
        path: Path,
        on_commit: Callable[[Changes], None],
        still_ours: Callable[[], None],
        before_first: Callable[[], object] | None = None,
    ) -> None:
        self._path = path
        self._on_commit = on_commit
        self._still_ours = still_ours
        self._before_first = before_first
        self._orders: queue.PriorityQueue[_Order] = queue.PriorityQueue()
        self._urgent = threading.Event()  # a person's order came
        self._numbers = count()
        self._closed = False
        self._closing = threading.Lock()
        self.ordered = False
        # Opened here, so that failing to open is the caller's to hear.
        self._connection = engine_for(lambda: _open(path)).connect()
        self._checksums_kept = False  # from the first transaction on: opening a project to look at it costs less
        self._driver = driver_connection(self._connection)  # for savepoints: SQLAlchemy's way takes a third of a row
        self._thread = threading.Thread(target=self._run, name="project-writer", daemon=True)
        self._thread.start()

    def submit(self, write: Write, *, urgent: bool = False) -> "Future[Changes]":
        """Queue a write; the future is done once it is on disk."""
        if not urgent:
            precedence.rest_in_a_job()
        with self._closing:
            if self._closed:
                raise AppError("The project is closed: the change was not saved.", hint="Open the project again.")
            self.ordered = True
            future: Future[Changes] = Future()
            self._orders.put(_Order(PERSON if urgent else JOB, next(self._numbers), write, future))
            if urgent:
                self._urgent.set()
        return future

    def write(self, write: Write, *, urgent: bool = False) -> Changes:
        """Write and wait until it is on disk."""
        return self.submit(write, urgent=urgent).result()

    def close(self) -> None:
        """Finish what is queued, then stop."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._orders.put(_Order(STOP, next(self._numbers), None, Future()))
        self._thread.join()

    def _run(self) -> None:
        try:
            while (order := self._next()).priority != STOP:
                if self._ready(order):
                    self._group(order)
        finally:
            self._connection.close()

    def _ready(self, order: _Order) -> bool:
        """Return whether what must precede the first write has been done."""
        if self._before_first is None:
            return True
        try:
            self._before_first()
        except AppError as error:
            order.future.set_exception(error)
            return False
        self._before_first = None
        return True

    def _next(self) -> _Order:
        """Return the next order. Those of jobs wait from a person's key on until what it brings is painted."""
        order = self._orders.get()
        while order.priority == JOB and precedence.taken:
            self._orders.put(order)
            self._rest()
            order = self._orders.get()
        return order

    def _rest(self, until: float = float("inf")) -> None:
        """Wait while a person has precedence and orders nothing."""
        while precedence.taken and time.monotonic() < until:
            self._urgent.clear()  # before looking: what comes after sets it again
            if self._wanted_by_person():
                return
            self._urgent.wait(LOOK_SECONDS)

    def _wanted_by_person(self) -> bool:
        with self._orders.mutex:
            return bool(self._orders.queue) and self._orders.queue[0].priority == PERSON

    def _group(self, order: _Order) -> None:
        """Write one transaction: this order and those that arrive in time. It ends at once after a person's choice."""
        done: list[tuple[_Order, Changes]] = []
        try:
            execute_when_free(self._connection.exec_driver_sql, "BEGIN IMMEDIATE", GIVE_UP_SECONDS)
            if not self._checksums_kept:
                keep_checksums(self._driver)
        except Exception as error:
            if self._driver.in_transaction:
                self._driver.execute("ROLLBACK")
            order.future.set_exception(explain(error, self._path))
            return
        deadline = time.monotonic() + GROUP_SECONDS
        while True:
            failure = self._write_one(order, done)
            if failure is not None and not self._driver.in_transaction:
                # SQLite rolled the whole transaction back, as it does when the disk is full.
                self._all_lost(done, failure)
                return
            if order.priority != PERSON:
                self._rest(deadline)  # what the person is about to order is in this transaction then
            if order.priority == PERSON or time.monotonic() >= deadline:
                break
            try:
                following = self._orders.get_nowait()
            except queue.Empty:
                break
            if following.priority == STOP:
                self._orders.put(following)
                break
            order = following
        self._commit(done)

    def _write_one(self, order: _Order, done: list[tuple[_Order, Changes]]) -> BaseException | None:
        """Do one write in a savepoint, so that a failing write of a job undoes no other."""
        assert order.write is not None
        try:
            self._driver.execute("SAVEPOINT one")
            changes = order.write(self._connection)
            self._driver.execute("RELEASE one")
        except Exception as error:
            explained = explain(error, self._path)
            if self._driver.in_transaction:
                self._driver.execute("ROLLBACK TO one")
                self._driver.execute("RELEASE one")
            order.future.set_exception(explained)
            return explained
        done.append((order, changes))
        return None

    def _commit(self, done: list[tuple[_Order, Changes]]) -> None:
        try:
            self._still_ours()
            execute_when_free(self._connection.exec_driver_sql, "COMMIT", GIVE_UP_SECONDS)
        except Exception as error:
            if self._driver.in_transaction:
                self._connection.exec_driver_sql("ROLLBACK")
                arrived = False
            else:
                arrived = self._arrived(done)
            if not arrived:
                self._all_lost(done, explain(error, self._path))
                return
        self._checksums_kept = True  # a transaction that is rolled back takes its triggers along
        changes = Changes()
        for order, change in sorted(done, key=itemgetter(0)):  # a person's first
            changes |= change
            order.future.set_result(change)
        if done:
            self._on_commit(changes)

    def _arrived(self, done: list[tuple[_Order, Changes]]) -> bool:
        """Return whether a transaction is on the disk although its COMMIT failed.

        SQLite may meet a failure once the journal is gone, as by the folder's fsync. The rows are there then, and a
        caller who sees an error would write them again. One row decides for all, as they were written together.
        """
        new = ((table, key) for table in APPENDED for _, changes in done for key in changes.of(table))
        table, key = next(new, ("", ""))
        try:
            row = table and self._driver.execute(f'SELECT 1 FROM "{table}" WHERE id = ?', (key,)).fetchone()
            if row:  # the journal has to be gone for good: one that comes back would take the rows away
                sync_folder(self._path.parent)
            return bool(row)
        except (sqlite3.Error, OSError):
            return False

    @staticmethod
    def _all_lost(done: list[tuple[_Order, Changes]], failure: BaseException) -> None:
        for order, _ in done:
            order.future.set_exception(failure)


def _open(path: Path) -> sqlite3.Connection:
    """Return the writing connection: it waits in our own loop, finely, and never spills a half-done transaction."""
    connection = connect(path, writable=True, wait_ms=0)
    connection.execute("PRAGMA cache_spill=OFF")
    return connection

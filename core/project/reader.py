"""Short reads: each in its own plain BEGIN, on one of a few read-only connections, and never long.

No read transaction takes more than `ROWS_AT_ONCE` rows: a long one holds up the commit of a person's choice. With 2,000
rows at once, beside a job writing 1,000 rows a second, the 99th percentile of a choice was 130 ms; with 250 it was 24.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql import Executable

from biasprint.core.errors import AppError, ProjectClosed
from biasprint.core.jobs import precedence
from biasprint.core.project.connection import NotSaved, connect, engine_for, execute_when_free, explain

ROWS_AT_ONCE = 250
UNREADABLE = (ValueError, RecursionError)  # what reading a damaged text or JSON raises
SQLITE_SAYS = ("Could not decode to UTF-8", "malformed JSON", "user-defined function raised")
# Takes the shared lock, which the transaction keeps: from there on nothing in it is answered BUSY.
HOLD = "PRAGMA schema_version"
GIVE_UP_SECONDS = 5.0
STEPS_BETWEEN_LOOKS = 100_000  # of SQLite's, until a read looks whether the file is refused: some milliseconds
Prepare = Callable[[sqlite3.Connection], None]
Answer = TypeVar("Answer")


class Reader:
    """Hands out read transactions to any thread.

    `recover` makes the writing connection look at the file: where a write failed and could not even be taken back, as
    on a full disk, its journal is still beside the file, and no read-only connection may play it back.

    `prepare` makes a connection compare each row with its checksum as it is read. `damage` looks for rows that do not
    fit or cannot be read, once a read has tripped over one. From then on connections are prepared by what it answers,
    so that they read around them; None where it found no more than before.

    `refusal` answers why nothing may be read any more: the file was examined meanwhile and is none of ours. A read that
    is under way ends then too, as pages that lead in a circle could keep it for ever.
    """

    def __init__(
        self,
        path: Path,
        prepare: Prepare = lambda connection: None,
        recover: Callable[[], object] | None = None,
        damage: Callable[[], Prepare | None] = lambda: None,
        refusal: Callable[[], AppError | None] | None = None,
    ) -> None:
        self._path = path
        self._recover = recover
        self._damage = damage
        self._refusal = refusal
        self._prepare = prepare
        self._prepared = 0  # how often that has changed
        self._looking = threading.Lock()
        self._engine = engine_for(self._connect)
        self._idle: list[Connection] = []
        self._lock = threading.Lock()
        self._closed = False

    def run(self, read: Callable[[Connection], Answer]) -> Answer:
        """Call `read` inside one read transaction, and return its answer."""
        return self.around_damage(lambda: self._recovering(read))

    def around_damage(self, work: Callable[[], Answer]) -> Answer:
        """Do `work`, which reads; where it trips over a row that cannot be read, do it again without such rows."""
        while True:
            before = self._prepared
            try:
                return work()
            except (*UNREADABLE, DBAPIError) as error:
                if isinstance(error, DBAPIError) and not any(words in str(error.orig) for words in SQLITE_SAYS):
                    raise
                if not self._learned(before):
                    raise

    def _learned(self, before: int) -> bool:
        """Return whether more is known of damaged rows than at that time."""
        with self._looking:
            if self._prepared == before and (prepare := self._damage()) is not None:
                with self._lock:
                    self._prepare, self._prepared = prepare, self._prepared + 1
                    old, self._idle = self._idle, []
                for connection in old:
                    connection.close()
            return self._prepared != before

    def _recovering(self, read: Callable[[Connection], Answer]) -> Answer:
        try:
            return self._run(read)
        except NotSaved as error:
            if self._recover is None or "readonly" not in error.details:
                raise
            self._recover()
            return self._run(read)

    def _connect(self) -> sqlite3.Connection:
        connection = connect(self._path, writable=False, wait_ms=0)
        if (refusal := self._refusal) is not None:
            connection.set_progress_handler(lambda: refusal() is not None, STEPS_BETWEEN_LOOKS)
        try:
            connection.execute("BEGIN")
            execute_when_free(connection.execute, HOLD, GIVE_UP_SECONDS)
            self._prepare(connection)
            connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        return connection

    def _run(self, read: Callable[[Connection], Answer]) -> Answer:
        precedence.rest_in_a_job()
        self._check_refusal()
        try:
            with self._taken() as connection:
                connection.exec_driver_sql("BEGIN")
                try:
                    execute_when_free(connection.exec_driver_sql, HOLD, GIVE_UP_SECONDS)
                    return read(connection)
                finally:
                    with suppress(sqlite3.Error):
                        connection.exec_driver_sql("ROLLBACK")
        except Exception as error:
            self._check_refusal()
            explained = explain(error, self._path)
            if explained is error:
                raise
            raise explained from error

    def _check_refusal(self) -> None:
        if self._refusal is not None and (why := self._refusal()) is not None:
            raise why

    def rows(self, statement: Executable, values: Mapping[str, Any] | None = None) -> Sequence[Any]:
        """Return all rows of a statement that is known to give few; `values`: of its named parameters."""
        return self.run(lambda connection: connection.execute(statement, values).fetchall())

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    @contextmanager
    def _taken(self) -> Iterator[Connection]:
        prepared, connection = self._take()
        try:
            yield connection
        finally:
            self._give_back(prepared, connection)

    def _take(self) -> tuple[int, Connection]:
        with self._lock:
            if self._closed:
                raise ProjectClosed("The project is closed.", hint="Open it again.")
            prepared = self._prepared
            if self._idle:
                return prepared, self._idle.pop()
        return prepared, self._engine.connect()

    def _give_back(self, prepared: int, connection: Connection) -> None:
        with self._lock:
            if not self._closed and prepared == self._prepared:
                self._idle.append(connection)
                return
        connection.close()

"""A cache of scores: the score of a text is looked up when it is measured again, in this project or another.

They lie in one file of the data folder, which may be deleted at any time: everything in it can be made again, so
that no project depends on it. It has the hash of each text and numbers, never a text. A row is found by that hash and
by what read the text, with its version, and has a checksum: a damaged row is as good as absent. Whatever goes wrong
with the file costs the time that it would have saved, and nothing else.
"""

import contextlib
import sqlite3
import struct
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import numpy as np

from biasprint.core.errors import AppError
from biasprint.core.machine.storage import home
from biasprint.core.scorers.protocol import ScoreValue

FILE = "kept-scores.sqlite"
LARGEST = 512 << 20  # bytes: of some 80,000 letters with their CVs
GIVEN_UP = 4  # of the rows that were there before, one in so many goes where the file is full
PATIENCE_SECONDS = 1.0  # for another process that writes
STORED_EVERY = 2.0  # seconds: what a measure that is killed loses at most
ASKED_AT_ONCE = 500
HASH_BYTES, CHECKSUM_BYTES = 16, 8

Found = TypeVar("Found")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS reader (id INTEGER PRIMARY KEY, version TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE IF NOT EXISTS score (
    id INTEGER PRIMARY KEY,
    reader INTEGER NOT NULL,
    text BLOB NOT NULL,
    body BLOB NOT NULL,
    checksum BLOB NOT NULL,
    UNIQUE (reader, text)
) STRICT;
"""


class KeptScores:
    """The file, from one opening to its closing. Nothing that it does raises an error.

    `reader`, wherever it is asked for: what read the texts, with its version.
    """

    def __init__(self, path: Path, largest: int = LARGEST) -> None:
        self._path = path
        self._largest = largest
        self._writes = True
        self._waiting: dict[str, dict[str, ScoreValue]] = {}
        self._stored_at = time.monotonic()
        self._connection = self._opened()
        self._before = self._guarded(lambda file: self._one(file, "SELECT coalesce(max(id), 0) FROM score"), 0)

    def known(self, reader: str, texts: Collection[str]) -> dict[str, ScoreValue]:
        """Text → what is kept of it, of those of which something is."""
        waiting = self._waiting.get(reader, {})
        values = {text: waiting[text] for text in texts if text in waiting}
        by_hash = {_hash(text): text for text in texts if text not in values}
        none: list[tuple[bytes, bytes, bytes]] = []
        rows = self._guarded(lambda file: self._rows(file, reader, list(by_hash)), none)
        for text, body, checksum in rows:
            value = _value(reader, text, body, checksum)
            if value is not None and text in by_hash:
                values[by_hash[text]] = value
        return values

    def keep(self, reader: str, values: Mapping[str, ScoreValue]) -> None:
        """Keep scores: known from now on, on the disk within seconds, and all of them when it is closed."""
        self._waiting.setdefault(reader, {}).update(values)
        if time.monotonic() - self._stored_at > STORED_EVERY:
            self.store()

    def store(self) -> None:
        """Write what waits. What cannot be written is let go."""
        waiting, self._waiting = self._waiting, {}
        if waiting and self._writes:
            self._guarded(lambda file: self._written(file, waiting), None)
        self._stored_at = time.monotonic()

    def close(self) -> None:
        self.store()
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _opened(self) -> sqlite3.Connection | None:
        """Open the file; return None where it cannot be. A file that is no database is replaced by an empty one."""
        for _ in range(2):
            try:
                file = sqlite3.connect(
                    self._path, timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False
                )
                # The system writes when it likes: after a power cut the file may be damaged, and is then made again.
                file.execute("PRAGMA synchronous=OFF")
                file.executescript(_SCHEMA)
                return file
            except sqlite3.OperationalError:  # may not be written, the disk is full, another process is at it
                return None
            except sqlite3.DatabaseError:
                with contextlib.suppress(OSError, sqlite3.Error):
                    file.close()
                    self._path.unlink()
        return None

    def _guarded(self, what: Callable[[sqlite3.Connection], Found], otherwise: Found) -> Found:
        """Return the result of `what` on the file, or `otherwise` where it fails. A damaged file is replaced."""
        if self._connection is None:
            return otherwise
        try:
            return what(self._connection)
        except sqlite3.OperationalError as error:
            # Held by another process, it is free again soon; full, what is known already can still be read.
            self._writes = self._writes and error.sqlite_errorcode == sqlite3.SQLITE_BUSY
        except sqlite3.Error:
            with contextlib.suppress(OSError, sqlite3.Error):
                self._connection.close()
                self._path.unlink()
            self._connection = self._opened()
        return otherwise

    def _written(self, file: sqlite3.Connection, waiting: Mapping[str, Mapping[str, ScoreValue]]) -> None:
        file.execute("BEGIN IMMEDIATE")
        try:
            if not self._has_room(file):
                self._writes = False
            else:
                for reader, values in waiting.items():
                    file.execute("INSERT OR IGNORE INTO reader (version) VALUES (?)", (reader,))
                    number = self._number(file, reader)
                    file.executemany(
                        "INSERT OR REPLACE INTO score (reader, text, body, checksum) VALUES (?, ?, ?, ?)",
                        ((number, *_row(reader, text, value)) for text, value in values.items() if _can_be_kept(value)),
                    )
            file.execute("COMMIT")
        except BaseException:
            if file.in_transaction:
                file.execute("ROLLBACK")
            raise

    def _has_room(self, file: sqlite3.Connection) -> bool:
        """Return whether more can be stored. The oldest of the earlier rows are deleted first, none of the new ones."""
        pages, free, size = (
            self._one(file, f"PRAGMA {pragma}") for pragma in ("page_count", "freelist_count", "page_size")
        )  # fmt: skip
        if (pages - free) * size < self._largest:
            return True
        old = self._one(file, f"SELECT count(*) FROM score WHERE id <= {self._before}")
        file.execute(
            "DELETE FROM score WHERE id IN (SELECT id FROM score WHERE id <= ? ORDER BY id LIMIT ?)",
            (self._before, -(-old // GIVEN_UP)),
        )
        return old > 0

    def _rows(self, file: sqlite3.Connection, reader: str, hashes: Sequence[bytes]) -> list[tuple[bytes, bytes, bytes]]:
        number = self._number(file, reader)
        rows: list[tuple[bytes, bytes, bytes]] = []
        for start in range(0, len(hashes) if number is not None else 0, ASKED_AT_ONCE):
            some = hashes[start : start + ASKED_AT_ONCE]
            signs = ", ".join("?" * len(some))
            asked = f"SELECT text, body, checksum FROM score WHERE reader = ? AND text IN ({signs})"
            rows += file.execute(asked, (number, *some)).fetchall()
        return rows

    @staticmethod
    def _number(file: sqlite3.Connection, reader: str) -> int | None:
        row = file.execute("SELECT id FROM reader WHERE version = ?", (reader,)).fetchone()
        return None if row is None else int(row[0])

    @staticmethod
    def _one(file: sqlite3.Connection, question: str) -> int:
        return int(file.execute(question).fetchone()[0])


# ---- A value as bytes, the same to the last digit

_VALUES = np.dtype("<f4")
_SUMMARY = struct.Struct("<d")


def _can_be_kept(value: ScoreValue) -> bool:
    return value.values.ndim == 1 and value.values.dtype == np.float32


def _hash(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()


def _row(reader: str, text: str, value: ScoreValue) -> tuple[bytes, bytes, bytes]:
    summary = b"" if value.summary is None else _SUMMARY.pack(value.summary)
    body = bytes([len(summary)]) + summary + value.values.astype(_VALUES).tobytes()
    text_hash = _hash(text)
    return text_hash, body, _checksum(reader, text_hash, body)


def _checksum(reader: str, text: bytes, body: bytes) -> bytes:
    return blake2b(reader.encode() + text + body, digest_size=CHECKSUM_BYTES).digest()


def _value(reader: str, text: bytes, body: bytes, checksum: bytes) -> ScoreValue | None:
    """Return the row's score; None where the row is damaged."""
    if _checksum(reader, text, body) != checksum:
        return None
    start = 1 + body[0]
    (summary,) = _SUMMARY.unpack(body[1:start]) if body[0] else (None,)
    return ScoreValue(np.frombuffer(body, _VALUES, offset=start).astype(np.float32), summary)


def whole_numbers(numbers: Sequence[int]) -> ScoreValue:
    """Whole numbers below 2³¹, such as places in a text, in the bits of a score's values."""
    return ScoreValue(np.array(numbers, dtype="<i4").view(np.float32), None)


def rows_of(value: ScoreValue, width: int, after: int = 0) -> list[list[int]]:
    """The inverse: rows of so many of them, behind so many that are left out."""
    rows: list[list[int]] = value.values.view("<i4")[after:].reshape(-1, width).tolist()
    return rows


# ---- While a study is measured

_current: ContextVar[KeptScores | None] = ContextVar("kept scores", default=None)


@contextmanager
def kept_scores() -> Iterator[None]:
    """Use kept scores: `completed` and `biasprint.core.scorers.registry.score_batch` read no text a second time.

    For measures alone: of a letter that somebody checks nothing is kept, not even a hash.
    """
    if _current.get() is not None:
        yield
        return
    try:
        path = home() / FILE
    except AppError:
        yield
        return
    with closing(KeptScores(path)) as scores:
        before = _current.set(scores)
        try:
            yield
        finally:
            _current.reset(before)


Keep = Callable[[Mapping[str, ScoreValue]], None]  # takes what has just been made, by text


def keeping() -> bool:
    return _current.get() is not None


def completed(
    reader: Callable[[], str], texts: Sequence[str], make: Callable[[Sequence[str], Keep], None]
) -> list[ScoreValue]:
    """The values of the texts: what is kept, and what `make` says of each of the others once, and hands on.

    `reader`: what reads them, with its version; asked again once it has read, for a model may know its own only then.
    """
    scores, distinct = _current.get(), dict.fromkeys(texts)
    values_known = scores.known(reader(), distinct) if scores else dict[str, ScoreValue]()

    def keep(values: Mapping[str, ScoreValue]) -> None:
        values_known.update(values)
        if scores:
            scores.keep(reader(), values)

    if new := [text for text in distinct if text not in values_known]:
        make(new, keep)
    return [values_known[text] for text in texts]

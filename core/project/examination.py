"""SQLite's full check of a file that this machine has not seen, done beside its first reading.

Header, companions and schema, which decide what SQLite may be led to do, are held against ours before anything is read.
Every page is checked afterwards, in another process, because 500 MB take seconds; nothing is written before it ends,
and a file that does not pass is let go of. (decision 0046)
"""

import threading
from collections.abc import Callable
from pathlib import Path

from biasprint.core.errors import AppError, JobCancelled
from biasprint.core.jobs import JobContext
from biasprint.core.project import gate

BESIDE_FROM_BYTES = 20_000_000  # a smaller file is checked in a moment, and nobody need be told of it
BEGIN_AFTER_SECONDS = 1.0  # in which what was opened comes into sight: beside it another process costs a third of that
SIZE_AND_FORMAT = slice(18, 20)  # of the header: whether a file is written with a write-ahead log
NO_LOG = b"\x01\x01"

Examiner = Callable[[Path, JobContext], None]
"""Does `gate.examine_file` in a process of its own: in this one it would drop SQLite's locks on the file."""


class Examination:
    """The check of one file, done once. `passed` and `refusal` say what came out; both are empty while it runs, and
    where the project was closed before its end."""

    def __init__(self, path: Path, examiner: Examiner) -> None:
        self._path, self._examiner = path, examiner
        self._ctx = JobContext()
        self._awaited = threading.Event()
        self.passed = False
        self.refusal: AppError | None = None

    def run(self) -> None:
        """Do the check, once what was opened is in sight or somebody waits for it. It raises nothing."""
        self._awaited.wait(BEGIN_AFTER_SECONDS)
        try:
            self._ctx.check()
            self._examiner(self._path, self._ctx)
            self.passed = True
        except JobCancelled:
            return
        except AppError as error:
            self.refusal = error
        except OSError as error:  # the drive is gone, say
            self.refusal = gate.not_examined(self._path, str(error))

    def cancel(self) -> None:
        """Nobody needs to know any more: the next opening examines the file."""
        self._ctx.cancel()
        self._awaited.set()

    def hurry(self) -> None:
        """Somebody waits for what comes out."""
        self._awaited.set()

    def require(self) -> None:
        """Raises `AppError` unless the file has passed."""
        if not self.passed:
            raise self.refusal or AppError(
                f"“{self._path.name}” was closed before it was examined: the change was not saved.",
                kept="The file was not changed.",
                hint="Open it again, and wait until it is said that it is sound.",
            )


def can_wait(path: Path) -> bool:
    """Whether a file of the present format may be read before it is examined: large, and nothing of it to be finished
    or converted first, which would be writing."""
    with open(path, "rb") as stream:
        header = stream.read(SIZE_AND_FORMAT.stop)
    return path.stat().st_size >= BESIDE_FROM_BYTES and header[SIZE_AND_FORMAT] == NO_LOG

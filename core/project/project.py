"""A project: one file, one writer, short readers, and the parts of the store over them."""

import copy
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from types import TracebackType

from biasprint.core.errors import AppError, JobCancelled
from biasprint.core.given import keep_to
from biasprint.core.jobs import JobContext
from biasprint.core.machine.files import clear_leftovers
from biasprint.core.machine.storage import FULL
from biasprint.core.project import gate
from biasprint.core.project.backup import Unhurried, back_up, check_backups, is_backup
from biasprint.core.project.changes import Changes
from biasprint.core.project.connection import SCHEMA_VERSION, connect, explain
from biasprint.core.project.copies import (
    copy_project,
    has_journal,
    must_be_copied,
    private_copy,
    recovered_copy,
    roll_back,
)
from biasprint.core.project.damaged import Problem
from biasprint.core.project.drives import lacking
from biasprint.core.project.left_out import compare_and_leave_out, find_left_out
from biasprint.core.project.lock import ProjectLock
from biasprint.core.project.reader import Prepare, Reader
from biasprint.core.project.rows import TextKey
from biasprint.core.project.schema import empty_project, migrate
from biasprint.core.project.stores.columns import Columns
from biasprint.core.project.stores.findings import Annotations, Events, Findings, Readings, Scores
from biasprint.core.project.stores.judging import Judging
from biasprint.core.project.stores.packets import Packets
from biasprint.core.project.stores.runs import Outputs, Runs
from biasprint.core.project.stores.studies import Axes, Prompts, Sources, Studies
from biasprint.core.project.working_copy import WorkingCopy
from biasprint.core.project.writer import Writer

# ---- SQLite's full check, beside the first reading

BESIDE_FROM_BYTES = 20_000_000  # a smaller file is checked in a moment, without a message
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
        """Stop the check, whose result nobody needs any more: the next opening examines the file."""
        self._ctx.cancel()
        self._awaited.set()

    def hurry(self) -> None:
        """Run the check without pauses: somebody waits for the result."""
        self._awaited.set()

    def require(self) -> None:
        """Raise `AppError` unless the file has passed."""
        if not self.passed:
            raise self.refusal or AppError(
                f"“{self._path.name}” was closed before it was examined: the change was not saved.",
                kept="The file was not changed.",
                hint="Open it again, and wait until it is said that it is sound.",
            )


def can_wait(path: Path) -> bool:
    """Return whether a file of the present format may be read before it is examined: it is large, and needs no recovery
    or upgrade first, which would write to it.
    """
    with open(path, "rb") as stream:
        header = stream.read(SIZE_AND_FORMAT.stop)
    return path.stat().st_size >= BESIDE_FROM_BYTES and header[SIZE_AND_FORMAT] == NO_LOG


Listener = Callable[[Changes], None]


class Project:
    """An open project file. Safe to use from any thread; every write returns what it changed, once it is on disk.

    `read_only` is why nothing can be written, in a sentence, or empty. `left_out` are rows that cannot be read or are
    not what was stored: known once a read has met one, and from then on omitted; listeners are notified as of changes.
    `damage` is what the check of a backup found wrong with the file as it was opened; reported in the same way.
    `working` is the copy that is worked on where the project lies on a drive without locks. `examination` is the check
    of a large file that this machine has not seen: until it has passed, writes wait; listeners are notified of its end
    too, and where it refuses the file, nothing can be read any more and the project is to be closed.
    """

    def __init__(
        self,
        path: Path,
        *,
        lock: ProjectLock | None,
        read_only: str,
        opened_as: Path | None = None,
        working: WorkingCopy | None = None,
        examination: Examination | None = None,
    ) -> None:
        with suppress(OSError):
            keep_to(path.stat().st_mode)
        self.path = path
        self.read_only = read_only
        self.way_to_write = "Copy it to a folder that you may write to."  # of a project that is read-only
        self.working = working
        self.examination = examination
        self._lock = lock
        self._file = opened_as or path
        self.left_out: tuple[Problem, ...] = ()
        self.damage: tuple[Problem, ...] = ()
        self._known: set[bytes] = set()  # the checksums of the rows that were compared
        self._listeners: list[Listener] = []
        self._preparing = threading.Thread(target=self._prepare_writing, name="project-preparing", daemon=True)
        self._prepared, self._checking = threading.Event(), Unhurried()
        writer = None
        if lock is not None and not read_only:
            writer = Writer(self._file, self._committed, lock.check, self._before_writing)
        recover = None if writer is None else lambda: writer.write(lambda _: Changes(), urgent=True)
        refusal = None if examination is None else lambda: examination.refusal
        prepare = partial(compare_and_leave_out, known=self._known)
        reader = Reader(self._file, prepare, recover, self._look_for_damage, refusal)
        self._reader, self._writer = reader, writer
        self.studies = Studies(reader, writer)
        self.axes = Axes(reader, writer)
        self.prompts = Prompts(reader, writer)
        self.sources = Sources(reader, writer)
        self.runs = Runs(reader, writer)
        self.outputs = Outputs(reader, writer)
        self.scores = Scores(reader, writer)
        self.columns = Columns(reader, writer)
        self.judging = Judging(reader, writer)
        self.annotations = Annotations(reader, writer)
        self.packets = Packets(reader, writer)
        self.readings = Readings(reader, writer)
        self.findings = Findings(reader, writer)
        self.events = Events(reader, writer)
        self._preparing.start()
        if working is not None:
            working.start(lambda: self._tell(Changes()))

    @classmethod
    def create(cls, path: Path) -> "Project":
        """Make a new project. A file that is there is never overwritten."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666))
        except FileExistsError as error:
            if not path.parent.is_dir():
                raise AppError(
                    f"There is no folder “{path.parent}”: a part of it is a file.", hint="Choose another folder."
                ) from error
            raise AppError(
                f"There is a file “{path.name}” already.", kept="It was not changed.", hint="Choose another name."
            ) from None
        except OSError as error:
            raise _not_made(path, error) from error
        lock = None
        try:
            if lacks := lacking(path.parent):
                working = WorkingCopy.begin(path, lacks, _made_new)
                lock = working.lock
                return cls(path, lock=lock, read_only="", opened_as=working.file, working=working)
            lock = ProjectLock.acquire(path)
            _made_new(path)
            gate.remember(path)
            return cls(path, lock=lock, read_only="")
        except BaseException as error:
            if lock is not None:
                lock.release()
            explained = _not_made(path, error) if isinstance(error, OSError) else explain(error, path)
            try:
                path.unlink(missing_ok=True)
            except OSError:  # a disk that fails may not even delete
                if isinstance(explained, AppError):
                    explained.kept = f"What was begun of “{path.name}” could not be deleted."
                    explained.hint += " Delete that file first, or choose another name."
            if explained is error:
                raise
            raise explained from error

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False, examiner: Examiner | None = None) -> "Project":
        """Open a project.

        Where file or folder cannot be written, it is opened read-only and says so. `ProjectInUse` where another
        window writes to it; `AppError` for a file that is missing, foreign, newer or damaged. An older one is
        upgraded after a backup. `examiner`: what examines a large file that this machine has not seen, while it can be
        read already; see `examination`. Without one it is examined before this returns.
        """
        if read_only:
            return cls._open_read_only(path, "The project is open read-only.", examiner)
        if not path.exists():
            gate.read_header(path)
        if is_backup(path):
            why = f"“{path.name}” is a backup, which stays as it is: it is open read-only."
            return cls._open_read_only(path, why, examiner)
        if os.access(path, os.W_OK) and (lacks := lacking(path.parent)):
            return cls._open_working_copy(path, lacks)
        try:
            lock = ProjectLock.acquire(path)
        except OSError as error:
            if error.errno not in FULL:
                why = f"“{path.parent}” cannot be written to: the project is open read-only."
                return cls._open_read_only(path, why, examiner)
            why = f"The disk of “{path.parent}” is full: the project is open read-only until there is room again."
            project = cls._open_read_only(path, why, examiner)
            project.way_to_write = "Free some space there, then try again."
            return project
        try:
            if not os.access(path, os.W_OK):
                lock.release()
                why = f"“{path.name}” cannot be written to: it is open read-only."
                return cls._open_read_only(path, why, examiner)
            examination = _admit(path, _finished(path), writable=True, examiner=examiner)
            return cls(path, lock=lock, read_only="", examination=examination)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def _open_working_copy(cls, path: Path, lacks: str) -> "Project":
        gate.read_header(path)
        working = WorkingCopy.fetch(path, lacks)
        try:
            _admit(working.file, _finished(working.file), writable=True)
            return cls(path, lock=working.lock, read_only="", opened_as=working.file, working=working)
        except BaseException:
            working.lock.release()
            raise

    @classmethod
    def _open_read_only(cls, path: Path, why: str, examiner: Examiner | None) -> "Project":
        gate.read_header(path)
        opened_as = recovered_copy(path) if must_be_copied(path) else path
        try:
            version = gate.read_header(opened_as)
            if version < SCHEMA_VERSION and opened_as == path:
                opened_as = private_copy(path)
            examination = _admit(
                opened_as, version, writable=opened_as != path, keep_as_it_was=False, examiner=examiner
            )
            return cls(path, lock=None, read_only=why, opened_as=opened_as, examination=examination)
        except BaseException:
            if opened_as != path:
                shutil.rmtree(opened_as.parent, ignore_errors=True)
            raise

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call a listener after every commit, on the writer's thread: it must return at once. Returns the function that
        unsubscribes.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def texts(self, keys: Iterable[TextKey]) -> dict[TextKey, str]:
        """Return the texts of outputs and sources, by key; a key that is not here is left out."""
        ids: dict[str, list[int]] = {"output": [], "source": []}
        for kind, number in keys:
            ids[kind].append(number)
        texts: dict[TextKey, str] = {}
        if ids["output"]:
            texts |= {("output", key): text for key, text in self.outputs.texts(ids["output"]).items()}
        if ids["source"]:
            texts |= {("source", key): text for key, text in self.sources.texts(ids["source"]).items()}
        return texts

    def narrowed(self, runs: Collection[int], kind: str, models: Collection[str]) -> "Project":
        """Return the same open file, read as if it held the outputs of these runs alone, and sources of this kind that
        name one of these models. It is closed only with the original.
        """
        view = copy.copy(self)
        view.outputs = self.outputs.of_runs(runs)
        view.sources = self.sources.of_models(kind, models)
        return view

    def without(self, texts: Iterable[TextKey]) -> "Project":
        """Return the same open file, read as if it did not hold these texts. It is closed only with the original."""
        ids: dict[str, list[int]] = {"output": [], "source": []}
        for kind, number in texts:
            ids[kind].append(number)
        view = copy.copy(self)
        view.outputs = self.outputs.without(ids["output"])
        view.sources = self.sources.without(ids["source"])
        return view

    def pooled(self, model: str) -> "Project":
        """Return the same open file, read as if one model of this name had written every text. It is closed only with
        the original.
        """
        view = copy.copy(self)
        view.outputs = self.outputs.as_of(model)
        view.sources = self.sources.as_of(model)
        return view

    def without_copies(self, outputs: frozenset[int], sources: frozenset[int]) -> "Project":
        """Return the same open file, whose `each` leaves out these outputs and sources; cards may show them still. It
        is closed only with the original.
        """
        view = copy.copy(self)
        view.outputs = self.outputs.without_copies(outputs)
        view.sources = self.sources.without_copies(sources)
        return view

    def save_copy(self, target: Path) -> Path:
        """Write a whole copy elsewhere: for sending, or for going on with a read-only project."""
        if target.exists() and target.resolve() == self.path.resolve():
            raise AppError("A copy cannot take the place of the project itself.", hint="Choose another name.")
        return copy_project(self._file, target)

    def close(self) -> None:
        """Finish what is being written, then let go of the file. Safe to call twice."""
        self._checking.cancel()
        if self.examination is not None and (self._writer is None or not self._writer.ordered):
            self.examination.cancel()
        self._preparing.join()
        if self._writer is not None:
            self._writer.close()
        self._reader.close()
        lock, self._lock = self._lock, None
        if lock is not None and self.working is not None:
            self.working.close()
        elif lock is not None:
            if self._may_write():
                gate.remember(self.path)
            lock.release()
        if self._file != self.path and self.working is None:
            shutil.rmtree(self._file.parent, ignore_errors=True)

    def __enter__(self) -> "Project":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _committed(self, changes: Changes) -> None:
        if self.working is not None:
            self.working.changed()
        self._tell(changes)

    def _tell(self, changes: Changes) -> None:
        for listener in list(self._listeners):
            listener(changes)

    def compare_again(self) -> None:
        """Compare every row once more when it is read next: it may have changed since it was compared."""
        self._known.clear()

    def _look_for_damage(self) -> Prepare | None:
        try:
            damaged = find_left_out(self._file)
        except sqlite3.Error as error:
            raise explain(error, self._file) from error
        if set(damaged.problems) <= set(self.left_out):
            return None
        self.left_out = damaged.problems
        for name in damaged.rows:
            self._tell(Changes.to(name, [problem.key for problem in damaged.problems if problem.table == name]))
        return partial(compare_and_leave_out, known=self._known, left_out=damaged)

    def _prepare_writing(self) -> None:
        try:
            clear_leftovers()
            if self.examination is not None:
                self.examination.run()
                self._tell(Changes())
            if self._writer is not None and self._may_write():
                # Without a backup work goes on: a full disk in the user's data folder must not keep people from theirs.
                with suppress(AppError, OSError):
                    back_up(self.path, of=self._file)
        finally:
            self._prepared.set()
        if self._writer is not None and self._may_write():
            self._checking.begin()
            with suppress(AppError, OSError, JobCancelled, sqlite3.Error):
                self.damage = check_backups(self.path, self._checking)
        if self.damage:
            self._tell(Changes())

    def _may_write(self) -> bool:
        return self.examination is None or self.examination.passed

    def _before_writing(self) -> None:
        if self.examination is not None:
            self.examination.hurry()
        self._prepared.wait()
        if self.examination is not None:
            self.examination.require()


def _finished(path: Path) -> int:
    """Return the version of a file whose half-done transaction, where a crash left one, is rolled back first.

    A read-only connection cannot roll back, so that a file which was killed in an upgrade would be refused each time.
    """
    if not has_journal(path):
        return gate.read_header(path)
    copy = recovered_copy(path)  # what is foreign or damaged is reported there, and stays as it is
    try:
        gate.read_header(copy)
    finally:
        shutil.rmtree(copy.parent, ignore_errors=True)
    roll_back(path)
    return gate.read_header(path)


def _admit(
    path: Path, version: int, *, writable: bool, keep_as_it_was: bool = True, examiner: Examiner | None = None
) -> Examination | None:
    """Let a file pass the gate, upgraded where it is older. What is still to be examined, where `examiner` can do it.

    `keep_as_it_was`: with a backup before it is upgraded. A private copy needs none.
    """
    with gate.in_words(path):
        if version < SCHEMA_VERSION:
            with closing(connect(path, writable=False)) as connection:
                gate.check_schema(connection, path, version)  # before anything of it is changed
            if keep_as_it_was:
                back_up(path, largest=None)
            with closing(connect(path, writable=True)) as connection:
                migrate(connection, present=version)
        known = gate.is_known(path)
        beside = None  # asked before a writing connection converts a file that was written with a log
        if not known and examiner is not None and version == SCHEMA_VERSION and can_wait(path):
            beside = Examination(path, examiner)
        with closing(connect(path, writable=writable)) as connection:
            gate.check_schema(connection, path)
    if not known and beside is None:
        gate.examine_file(path)
    return beside


def _made_new(path: Path) -> None:
    with closing(connect(path, writable=True)) as connection:
        empty_project().backup(connection)


def _not_made(path: Path, error: OSError) -> AppError:
    full = error.errno in FULL
    return AppError(
        f"“{path.name}” could not be made in “{path.parent}”{': the disk is full' if full else ''}.",
        kept="Nothing was left there." if full else "",
        hint="Free some space, or choose another folder." if full else "Choose a folder that you may write to.",
        details=str(error),
    )

"""The project that is open in this window: opened, made, copied and closed off its thread; packets, the sample."""

import threading
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.desktop.jobs import JobHandle, JobRunner, Keep
from biasprint.desktop.operations import Operation, operation
from biasprint.desktop.widgets.words import tr

if TYPE_CHECKING:
    from biasprint.core.judging.packets.packet import PacketInfo
    from biasprint.core.project.changes import Changes
    from biasprint.core.project.project import Project

PROJECT_SUFFIX = ".biasprint"
PACKET_SUFFIX, PAGE_SUFFIX = ".bpacket", ".html"
POTATO = "config.yaml"  # which its folder holds
RESULTS = (f"*{PAGE_SUFFIX}", "*.json", POTATO)  # what comes back from browsers
# By ending: what a page has before its texts, and each task of Label Studio.
MARKS = {PAGE_SUFFIX: b'type="application/json" id="packet"', ".json": b'"annotations"'}
LOOKED_THROUGH = 1 << 18  # bytes of a file in which that has begun


def is_result(path: Path) -> bool:
    """Return whether a page, Label Studio or Potato may have written the file or folder with raters' answers."""
    if path.suffix.lower() not in MARKS:
        return path.name == POTATO or (path / POTATO).exists()
    try:
        with path.open("rb") as file:
            return MARKS[path.suffix.lower()] in file.read(LOOKED_THROUGH)
    except OSError:  # a table with what is wrong with it, then
        return False


def data_endings() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the endings of tables of texts, and those of letters."""
    from biasprint.core.letters.kinds import ENDINGS
    from biasprint.core.tables.read import READERS

    return tuple(READERS), tuple(f".{ending}" for ending in ENDINGS)


@dataclass(frozen=True)
class Opened:
    """An open file, its packet description if it is a packet, and the codes of raters in the middle of a session."""

    project: "Project"
    packet: "PacketInfo | None"
    rated_by: tuple[str, ...]


def looked_into(project: "Project") -> Opened:
    """Find out what the file is, off the window's thread. An invalid packet is closed again."""
    from biasprint.core.judging.looking import sessions_to_ask
    from biasprint.core.judging.packets.packet import packet_info

    try:
        packet = packet_info(project)
        if packet is None and project.path.suffix.lower() == PACKET_SUFFIX:
            raise AppError(
                "This file is not a rating packet.",
                kept="It was not changed.",
                hint="Ask whoever sent it to send the packet again.",
            )
        rated_by = tuple(session.named for session in sessions_to_ask(project)) if packet is None else ()
    except BaseException:
        project.close()
        raise
    return Opened(project, packet, rated_by)


OPENING_SHOWN_AFTER_MILLISECONDS = 2_000  # whoever opens a project waits for it anyway: no need to say so at once


def examine(path: Path, ctx: JobContext) -> None:
    """Examine a project file in a process of its own, which ends with it. Raises `AppError` for a faulty file."""
    from biasprint.core.compute import ComputeCrashed, ComputeProcess
    from biasprint.core.project.gate import examine_file, not_examined

    process = ComputeProcess()
    try:
        process.call(examine_file, str(path.absolute()), ctx=ctx)
    except ComputeCrashed as crash:
        raise not_examined(path, crash.details) from crash
    finally:
        process.close()


def open_project(*, path: Path, read_only: bool = False) -> "Operation[Project]":
    """Open a project file; upgraded, checked and locked as the store does.

    A large file that this computer has not seen is examined meanwhile. A packet is examined first, because its rater
    may begin at once, and then every answer must be saved at once. A result folder is measured, and shown read-only.
    """

    def work(ctx: JobContext) -> "Project":
        from biasprint.core.project.project import Project  # the store is imported here, off the window's thread

        if path.is_dir():
            return _open_result_folder(path, ctx)
        beside = None if path.suffix.lower() == PACKET_SUFFIX else examine
        return Project.open(path, read_only=read_only, examiner=beside)

    title = tr("Opening “{name}”").format(name=path.name)
    return Operation(title, work, shown_after=OPENING_SHOWN_AFTER_MILLISECONDS)


def _open_result_folder(path: Path, ctx: JobContext) -> "Project":
    from biasprint.core.compute import shared
    from biasprint.core.runs.result_folder.measuring import measure_result_folder, open_result_folder

    whole = path.absolute()
    return open_result_folder(whole, lambda folder: shared().call(measure_result_folder, str(folder), ctx=ctx))


def create_project(*, path: Path) -> "Operation[Project]":
    """Make a new, empty project file. An existing file is never overwritten."""

    def work(ctx: JobContext) -> "Project":
        from biasprint.core.project.project import Project

        return Project.create(path)

    title = tr("Making “{name}”").format(name=path.name)
    return Operation(title, work, shown_after=OPENING_SHOWN_AFTER_MILLISECONDS)


def save_copy(*, project: "Project", target: Path) -> Operation[Path]:
    """Write a whole copy of the project elsewhere."""
    return Operation(
        tr("Saving a copy as “{name}”").format(name=target.name),
        lambda ctx: project.save_copy(target),
        done_text=lambda path: tr("A copy was saved as “{name}”.").format(name=path.name),
    )


@operation("Closing the project", quiet=True)
def close_project(ctx: JobContext, *, project: "Project") -> None:
    """Finish pending writes and close the file."""
    project.close()


REFRESH_SECONDS = 0.095  # ten times a second, with what a timer comes late


class ProjectSession(QObject):
    """The open project, or none. `changed` reports writes, gathered to ten times a second at most.

    `packet` is the project's description if it is a rating packet.
    """

    leaving = Signal()  # another project, or none, is about to take the place
    opened = Signal(object)  # Project
    closed = Signal()
    changed = Signal(object)  # Changes
    failed = Signal(object, object)  # AppError, Path
    told = Signal(str)  # what came out as a project was let go of
    _heard = Signal()

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.project: Project | None = None
        self.packet: PacketInfo | None = None
        self.rated_by: tuple[str, ...] | None = None  # as it was opened; see `take_rated_by`
        # Asked before a project goes or another comes: who has something of it that is not saved may ask first.
        self.guard: Callable[[Callable[[], object]], object] = lambda then: then()
        self._runner = runner
        self._wanted = 0
        self._unsubscribe: Callable[[], None] | None = None
        self._lock = threading.Lock()
        self._gathered: Changes | None = None
        self._timer = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._due = float("-inf")  # not told of before
        self._timer.timeout.connect(self._tell)
        self._heard.connect(self._start_timer, Qt.ConnectionType.QueuedConnection)
        runner.started.connect(self._compare_again)

    def _compare_again(self, handle: JobHandle) -> None:
        """Have every row compared with its checksum once more for a job that makes or hands on something."""
        if self.project is not None and not handle.quiet:
            self.project.compare_again()

    def open(self, path: Path, *, read_only: bool = False) -> None:
        """Open a project in place of the open one, which stays open if this fails."""
        if self.project is not None and self.project.path.resolve() == path.resolve():
            self.opened.emit(self.project)
            return
        self.take(open_project(path=path, read_only=read_only), path)

    def create(self, path: Path) -> None:
        """Make a new project and open it."""
        self.take(create_project(path=path), path)

    def take(self, operation: "Operation[Project]", path: Path) -> None:
        """Open the project that an operation returns. If several are under way, the one asked for last stays."""
        self.guard(lambda: self._take(operation, path))

    def _take(self, operation: "Operation[Project]", path: Path) -> None:
        self._wanted += 1
        mine = self._wanted
        looking: Operation[Opened] = replace(operation, work=lambda ctx: looked_into(operation.work(ctx)))
        looking.start(
            self._runner,
            on_done=lambda opened: self._put(opened) if mine == self._wanted else self._let_go(opened.project),
            on_error=lambda error: self.failed.emit(error, path),
        )

    def take_rated_by(self) -> tuple[str, ...] | None:
        """Return who was in the middle of rating when the project was opened; None from the second call on."""
        rated_by, self.rated_by = self.rated_by, None
        return rated_by

    def close(self, then: Callable[[], object] | None = None) -> None:
        """Close the project; `then` runs when the file is free."""
        self.guard(lambda: self._close(then))

    def _close(self, then: Callable[[], object] | None) -> None:
        self._wanted += 1
        self.leaving.emit()
        project, self.project, self.packet = self.project, None, None
        if project is None:
            if then is not None:
                then()
            return
        self._stop_listening()
        self.closed.emit()
        self._let_go(project, then)

    def tell_now(self) -> None:
        """Report the gathered writes at once."""
        self._timer.stop()
        self._tell()

    def conceal(self, keep: Keep) -> None:
        """Hide the project from everybody here: a rater is blind from now on. Its writes are still reported."""
        project, unsubscribe = self.project, self._unsubscribe
        self.project = self._unsubscribe = None

        def restore() -> None:
            self.project, self._unsubscribe = project, unsubscribe

        keep(restore)

    def _put(self, opened: Opened) -> None:
        self.leaving.emit()
        old, project = self.project, opened.project
        if old is not None:
            self._stop_listening()
        self.project, self.packet, self.rated_by = project, opened.packet, opened.rated_by
        self._unsubscribe = project.subscribe(self._hear)
        self.opened.emit(project)
        if old is not None:
            self._let_go(old)  # last: a note that was still being typed has gone into it

    def _let_go(self, project: "Project", then: Callable[[], object] | None = None) -> None:
        heard = len(project.working.told) if project.working is not None else 0

        def ended(error: AppError | None = None) -> None:
            if project.working is not None and (new := project.working.told[heard:]):
                self.told.emit(" ".join(new))
            if error is not None:
                self.failed.emit(error, project.path)
            if then is not None:
                then()

        close_project(project=project).start(self._runner, on_done=lambda _: ended(), on_error=ended)

    def refuse(self, why: AppError) -> None:
        """Close a project that did not pass its examination, and report it as one that could not be opened.

        Unsaved work is not asked about: no part of it may be written any more.
        """
        assert self.project is not None
        path = self.project.path
        self._close(lambda: self.failed.emit(why, path))

    def _stop_listening(self) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        self._timer.stop()
        with self._lock:
            self._gathered = None

    def _hear(self, changes: "Changes") -> None:
        """Gather the changes on the writer's thread, and wake the window once."""
        with self._lock:
            first = self._gathered is None
            self._gathered = changes if self._gathered is None else self._gathered | changes
        if first:
            self._heard.emit()

    def _start_timer(self) -> None:
        if not self._timer.isActive():
            self._timer.start(round(1000 * max(0.0, self._due - time.monotonic())))

    def _tell(self) -> None:
        with self._lock:
            changes, self._gathered = self._gathered, None
        # Counted from when it was due: being late each time must not make it less often.
        self._due = max(self._due, time.monotonic() - REFRESH_SECONDS / 2) + REFRESH_SECONDS
        if changes is not None:
            self.changed.emit(changes)


@dataclass(frozen=True)
class SampleFacts:
    """Facts about the sample: its comparisons, the finding of its real part, and its makers' statement on its texts."""

    comparisons: int
    found: str
    statement: str


@operation("About the sample", quiet=True)
def sample_facts(ctx: JobContext) -> SampleFacts:
    """Read the facts about the sample. The first panel asks, so little is imported for it."""
    from biasprint.core.runs.sample import found, found_sentence

    facts = tomllib.loads((files("biasprint.resources") / "sample" / "about.toml").read_text("utf-8"))
    sentence = found_sentence(found(), facts["real"]["title"])
    return SampleFacts(facts["counts"]["comparisons"], sentence, " ".join(facts["statement"].split()))


@operation("Preparing the sample project")
def open_sample(ctx: JobContext) -> Path:
    """Open the person's own copy; the first time it is unpacked, which needs no network and no other process."""
    from biasprint.core.runs import sample

    return sample.open_sample()


@operation("Preparing the workshop set")
def open_workshop_set(ctx: JobContext) -> Path:
    """Open the person's own copy of the shipped set; the first time it is written, in a moment."""
    from biasprint.core.runs.sample import open_workshop_set

    return open_workshop_set()


def sample_project() -> "Operation[Project]":
    """Open the person's own copy of the sample: the window starts with it for `biasprint demo`."""
    prepare = open_sample()

    def work(ctx: JobContext) -> "Project":
        from biasprint.core.project.project import Project

        return Project.open(prepare.work(ctx))

    return Operation(prepare.title, work)

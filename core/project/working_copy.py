"""A project on a drive without locks: it is worked on in the data folder, and written back whole by replacing the file.

Nothing there keeps two computers from changing the same file. So before each replacing it is looked whether the file is
still the one that was fetched or written last; where it is not, both are kept: theirs where it is, ours beside it.
"""

import hashlib
import json
import os
import shutil
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from pathlib import Path

from biasprint.core.errors import AppError
from biasprint.core.given import ordinary_file
from biasprint.core.machine.files import whole_file
from biasprint.core.machine.storage import home, locked, put_in_place
from biasprint.core.project.copies import free_name, whole_part
from biasprint.core.project.drives import check_companions, journal_of, lacking
from biasprint.core.project.lock import ProjectInUse, ProjectLock, is_held
from biasprint.core.text import sha256_text

PAUSE_SECONDS = 2.0  # after a change, in which others come together
SHARE_OF_TIME = 0.05  # that writing back takes at most: a large project on a slow share is written back less often
AGAIN_SECONDS = 30.0  # after a failure
TRIES = 3
ABOUT = "about.json"
CHUNK = 1 << 20
KEPT = "Everything is kept on this computer, and goes there when the project is next opened here."


class WorkingCopy:
    """A copy that is worked on instead of a project. `file` is the copy, `lock` its lock; `told` the remarks for a
    person, sentence by sentence.

    `target` is where it is written back to: the project, or a file beside it once somebody else has changed that.
    """

    def __init__(self, original: Path, lacks: str) -> None:
        self.original = self.target = original
        self.folder = _folder(original)
        self.file = self.folder / original.name
        self.lock: ProjectLock
        self.trouble = ""
        self.told = [
            f"The drive of “{original.name}” {lacks}: you work on a copy on this computer.",
            "It is written back a few seconds after each change, and when the project is closed.",
        ]
        self._digest, self._seen = "", (0, 0)
        self._changes = self._written = 0
        self._changed, self._stop, self._one = threading.Event(), threading.Event(), threading.Lock()
        self._on_change: Callable[[], object] = lambda: None
        self._thread = threading.Thread(target=self._run, name="project-write-back", daemon=True)

    @classmethod
    def fetch(cls, original: Path, lacks: str) -> "WorkingCopy":
        """Return the copy of a project that is there; with what was not written back the last time.

        Raises `ProjectInUse` where another window here works on it.
        """
        copy = cls(original, lacks)
        with copy._taking():
            check_companions(original)
            ordinary_file(original)
            if copy.file.exists():
                copy.lock = ProjectLock.acquire(copy.file)
                goes_on = False
                try:
                    goes_on = copy._goes_on()
                finally:
                    if not goes_on:
                        copy.lock.release()
                if goes_on:
                    return copy
            copy._fetch()
            copy.lock = ProjectLock.acquire(copy.file)
        return copy

    @classmethod
    def begin(cls, original: Path, lacks: str, make: Callable[[Path], object]) -> "WorkingCopy":
        """Begin a new project, made by `make`; an empty file at `original` reserves the name."""
        copy = cls(original, lacks)
        with copy._taking():
            shutil.rmtree(copy.folder, ignore_errors=True)
            copy.folder.mkdir(parents=True)
            copy.file.touch()
            copy.lock = ProjectLock.acquire(copy.file)
            make(copy.file)
            copy._know(_digest(original), [])
        copy.changed()
        return copy

    @property
    def written_back(self) -> bool:
        """Return whether everything that was changed here is at `target` too."""
        return self._written == self._changes

    def start(self, on_change: Callable[[], object]) -> None:
        """Write back from now on; `on_change` hears of it, on another thread."""
        self._on_change = on_change
        self._thread.start()

    def changed(self) -> None:
        self._changes += 1
        self._changed.set()

    def write_back(self) -> None:
        """Put the state of now at `target`. Raises `AppError` where that cannot be."""
        with self._one:
            changes, mark = self._changes, _mark(self.file)  # of before the copy: what comes later is not in it
            if self._is_another():
                self._go_beside()
            try:
                with whole_part(self.file, self.target) as part:
                    digest = _digest(part)
                    if self._is_another():  # while it was copied
                        self._go_beside()
                    journal_of(self.target).unlink(missing_ok=True)  # what it undoes was undone in our copy
                    put_in_place(part, self.target)
                self._know(digest, mark)
            except (AppError, OSError) as error:
                raise AppError(
                    f"“{self.target.name}” could not be written back to “{self.target.parent}”.",
                    kept=KEPT,
                    hint="See to it that the drive is connected and has room.",
                    details=str(error),
                ) from error
            self._written = changes
            self.trouble = ""

    def close(self) -> None:
        """Write back what is left, and leave nothing here. Raises `AppError` where it has to stay here."""
        self._stop.set()
        self._changed.set()
        if self._thread.is_alive():
            self._thread.join()
        try:
            if not self.written_back:
                self.write_back()
                self._on_change()
        finally:
            self.lock.release()
        shutil.rmtree(self.folder, ignore_errors=True)

    # ---- what was there before

    def _taking(self) -> AbstractContextManager[None]:
        if lacking(home()):
            raise AppError(
                f"Neither the drive of “{self.original.name}” nor that of the data folder has file locks.",
                kept="Nothing was opened or changed.",
                hint="Copy the project to a drive of this computer, or set BIASPRINT_HOME to a folder on one.",
            )
        return locked(f"working-{self.folder.name}.lock")

    def _goes_on(self) -> bool:
        """Return whether the copy that is here already is the one to work on. What it has, and the project has not, is
        kept.

        A session here ended without writing back: it was killed, or the drive was not there.
        """
        try:
            about = json.loads((self.folder / ABOUT).read_text(encoding="utf-8"))
            target, digest, written = Path(about["target"]), str(about["digest"]), list(about["written"])
        except (OSError, ValueError, KeyError, TypeError):
            target, digest, written = self.original, "", []
        if written == _mark(self.file) and not journal_of(self.file).exists():
            return False
        if target == self.original and digest == _digest(self.original):
            self._digest, self._seen = digest, _state(self.original)
            self.told.append("Changes of last time, which had not been written back, are in it.")
            self.changed()
            return True
        beside = self._name_beside()
        with whole_part(self.file, beside) as part:
            put_in_place(part, beside)
        self.told.append(
            f"Changes of last time are kept beside it, as “{beside.name}”: somebody else has changed the project since."
        )
        return False

    def _fetch(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for _ in range(TRIES):
            before = _state(self.original)
            digest = _copied(self.original, self.file)
            with suppress(FileNotFoundError):
                shutil.copyfile(journal_of(self.original), journal_of(self.file))
            if _state(self.original) == before:
                self._know(digest, _mark(self.file))
                return
        raise AppError(
            f"“{self.original.name}” changes while it is read.",
            kept="Nothing was changed.",
            hint="Wait until whoever writes to it has finished, then open it again.",
        )

    # ---- whether it is still the file that we know

    def _know(self, digest: str, mark: list[int]) -> None:
        """Keep what the file at `target` is, and which state of ours it has, also for a session after this one."""
        self._digest, self._seen = digest, _state(self.target)
        about = {"target": str(self.target), "digest": digest, "written": mark}
        with whole_file(self.folder / ABOUT) as file:
            file.write(json.dumps(about).encode())

    def _is_another(self) -> bool:
        if not self._digest:  # a name beside the project, which was free
            return os.path.lexists(self.target)
        try:
            state = _state(self.target)
            if state == self._seen:
                return False
            if _digest(self.target) != self._digest:
                return True
        except OSError:
            return self.target.parent.is_dir()  # it was taken away; or the whole drive was, and nobody can tell
        self._seen = state
        return False

    def _go_beside(self) -> None:
        theirs, self.target = self.target, self._name_beside()
        self._digest, self._seen = "", (0, 0)
        self.told.append(
            f"Somebody else has changed or removed “{theirs.name}” meanwhile: your work is kept beside it, "
            f"as “{self.target.name}”."
        )

    def _name_beside(self) -> Path:
        return free_name(self.original, f"changed here, {datetime.now():%Y-%m-%d %H-%M}")

    def _run(self) -> None:
        pause = PAUSE_SECONDS
        while not self._stop.is_set():
            self._changed.wait()
            if self._stop.wait(pause):
                return
            self._changed.clear()
            since = time.monotonic()
            try:
                self.write_back()
                pause = max(PAUSE_SECONDS, (time.monotonic() - since) / SHARE_OF_TIME)
            except AppError as error:
                self.trouble = f"{error.message} {error.kept} {error.hint}"
                self._changed.set()
                pause = AGAIN_SECONDS
            self._on_change()


def refuse_where_worked_on(original: Path) -> None:
    if is_held(_folder(original) / original.name):
        raise ProjectInUse(original, None)


def _folder(original: Path) -> Path:
    real = original.resolve()
    return home() / "working" / f"{real.stem[:40]}-{sha256_text(str(real))[:10]}"


def _state(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _mark(path: Path) -> list[int]:
    return list(_state(path))


def _digest(path: Path) -> str:
    return _copied(path, None)


def _copied(source: Path, target: Path | None) -> str:
    """Copy a file, where `target` says whereto, and answer its sha256."""
    digest = hashlib.sha256()
    with open(source, "rb") as reading, open(target or os.devnull, "wb") as writing:
        while chunk := reading.read(CHUNK):
            digest.update(chunk)
            writing.write(chunk)
    return digest.hexdigest()

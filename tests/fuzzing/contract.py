"""What ending well means, and one input held to it.

An input ends with a result, or with one `AppError` whose sentence says what is wrong: within its time and its memory,
without a traceback, without an end of the process where the program reads such files in its own, and without a write to
any file but those that it is allowed. Each kind of input has a child process here, as documents and models have one in
the program: an input that ends it, or hangs, is seen.
"""

import os
import re
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biasprint.core.compute import ComputeCrashed, ComputeProcess
from biasprint.core.errors import AppError

MEMORY_MB = 512  # above what the process holds before
PATIENCE = 4  # as many times the processor time of a kind may pass by the clock
LONGEST_SENTENCE = 3_000
# Control characters in names that a sentence quotes are taken out where it is shown, in the terminal and the window.
NO_SENTENCE = re.compile(r"Traceback|not foreseen|object has no attribute|<class ")
CANARY = "stays.txt"
READ = "beside"  # a folder that nothing may write to, beside the one of the input


@dataclass(frozen=True)
class Ending:
    """How one input ended. `fault` is empty where it ended well, else what is wrong and where, the same for alike."""

    how: str  # "done", "refused" or "contained": its process ended, as the program foresees for this kind
    fault: str = ""
    details: str = ""
    seconds: float = 0.0
    peak_mb: float = 0.0


class Held:
    """A child process and a folder in which inputs of one kind are held to the contract."""

    def __init__(self, kind: str, root: Path, *, apart: bool, seconds: float, starting: float = 60.0) -> None:
        self._kind, self._root, self._apart = kind, root, apart
        self._seconds, self._starting = seconds, starting
        (root / READ).mkdir(parents=True)
        (root / READ / CANARY).write_text("Nobody writes here.")
        self._process = ComputeProcess()

    def close(self) -> None:
        self._process.close()

    def end_of(self, data: bytes, place: str) -> Ending:
        """How the program ends with `data` as the file `place`."""
        from fuzzing.targets import TARGETS

        path = self._root / place
        path.write_bytes(data)
        before = _state(self._root)
        more = 0.0 if self._process.pid is not None else self._starting
        try:
            said: tuple[str, str, str, float, float] = self._process.call(
                attempt,
                self._kind,
                str(path),
                str(self._root),
                timeout=PATIENCE * self._seconds + more,
            )
        except ComputeCrashed as crash:
            fault = "" if self._apart else _fault_of_crash(crash)
            return Ending("contained", fault, f"{crash.message} {crash.details}")
        ending = Ending(*said)
        if (
            not ending.fault
            and not TARGETS[self._kind].may_change
            and (changed := _changed(before, _state(self._root)))
        ):
            return Ending(ending.how, f"changed {changed}", "", ending.seconds, ending.peak_mb)
        return ending


def attempt(kind: str, path: str, root: str) -> tuple[str, str, str, float, float]:
    """In the child: what the program does with the file; the fields of an `Ending`."""
    from fuzzing.targets import TARGETS

    target = TARGETS[kind]
    target.prepare()
    start, held = time.process_time(), _memory_mb()  # other programs share this machine
    how, fault, details = "done", "", ""
    with _watched(Path(root)) as written:
        try:
            said = target.take(Path(path))
            fault, details = _fault_of_sentence(said), said
        except AppError as error:
            how, details = "refused", f"{error} {error.details}"
            fault = _fault_of_sentence(" ".join(error.message.split())) or ("" if error.message else "no sentence")
        except MemoryError:
            fault = "" if target.apart else "MemoryError"
            how = "contained"
        except BaseException as error:
            fault, details = _place_of(error), "".join(traceback.format_exception(error))[-3_000:]
    seconds, peak = time.process_time() - start, _memory_mb(peak=True) - held
    if not fault and written:
        fault = f"wrote elsewhere: {written[0]}"
    if not fault and seconds > target.seconds:
        fault = "took too long"
    if not fault and peak > MEMORY_MB:
        fault = "took too much memory"
    return how, fault, details, seconds, peak


def _fault_of_crash(crash: AppError) -> str:
    return "took too long" if "longer" in crash.message else f"the process ended: {crash.details.rpartition(': ')[2]}"


def _fault_of_sentence(said: str) -> str:
    """What is wrong with what is said, a sentence a line; nothing where nothing is."""
    for line in said.split("\n") if said else ():
        if len(line) > LONGEST_SENTENCE or NO_SENTENCE.search(line) or line[-1:] not in tuple(".!?”)"):
            return f"no clear sentence: {line[:60]!r}"
    return ""


def _place_of(error: BaseException) -> str:
    """The kind of error and the last line of ours that it went through: alike for alike errors."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "fuzzing" not in frame.filename]
    ours = [frame for frame in frames if f"{os.sep}core{os.sep}" in frame.filename or "desktop" in frame.filename]
    last = (ours or frames or [None])[-1]
    where = "" if last is None else f" in {Path(last.filename).name}:{last.name}"
    return f"{type(error).__name__}{where}"


# ---- What it writes


_watching: tuple[str, list[str]] | None = None
_hooked = False
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = frozenset({
    "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.symlink", "os.link", "os.truncate", "os.chmod",
    "subprocess.Popen", "os.system", "os.posix_spawn", "os.exec", "pty.spawn",
})  # fmt: skip


@contextmanager
def _watched(root: Path) -> Iterator[list[str]]:
    """What Python writes or starts meanwhile outside the folders of this campaign."""
    global _watching, _hooked
    if not _hooked:
        sys.addaudithook(_hook)
        _hooked = True
    written: list[str] = []
    _watching = (str(root.resolve()), written)
    try:
        yield written
    finally:
        _watching = None


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _watching is None:
        return
    root, written = _watching
    if event == "open":
        name, _, flags = arguments
        if not isinstance(name, str | bytes | os.PathLike) or not (isinstance(flags, int) and flags & WRITES):
            return
    elif event in CHANGES:
        name = arguments[0]
    else:
        return
    place = _whole(name, arguments) if isinstance(name, str | bytes | os.PathLike) else repr(name)
    harmless = place == os.devnull or "__pycache__" in place
    if not harmless and not (place.startswith(root + os.sep) and not place.startswith(os.path.join(root, READ))):
        written.append(f"{event} {place}")


def _whole(name: str | bytes | os.PathLike[str], arguments: tuple[Any, ...]) -> str:
    """The place that an event names; `rmtree` names files from the folder that it holds open."""
    folder = arguments[-1] if len(arguments) == 2 and isinstance(arguments[-1], int) else -1  # of open: its flags
    start = os.readlink(f"/proc/self/fd/{folder}") if folder > 2 and os.path.exists("/proc/self/fd") else ""
    return os.path.realpath(os.path.join(start, os.fsdecode(name)))


def _state(root: Path) -> dict[str, tuple[int, int]]:
    """Size and time of every file, but for those of the program's own home and its temporary ones."""
    found = {}
    for file in root.rglob("*"):
        below = file.relative_to(root)
        if below.parts[0] not in ("home", "tmp") and file.is_file():
            found[str(below)] = (file.stat().st_size, file.stat().st_mtime_ns)
    return found


def _changed(before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> str:
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return ", ".join(names)


def _memory_mb(peak: bool = False) -> float:
    """Megabytes that this process holds, or held at most since the last question; 0 where the system does not say."""
    try:
        status = Path("/proc/self/status").read_text()
        if not peak:
            Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    except OSError:
        return 0.0
    found = re.search(rf"{'VmHWM' if peak else 'VmRSS'}:\s+(\d+)", status)
    return int(found[1]) / 1024 if found else 0.0

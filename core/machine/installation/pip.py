"""pip, in a process group of its own: what it says in plain words, its end when it is asked to, its troubles.

Used by run.py for the first part, by `prepare` for the rest, and by the button that installs the local-model engine.
"""

import os
import platform
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from biasprint.core.machine import child
from biasprint.core.machine.installation.pins import WITHOUT_LOCK, entries
from biasprint.core.machine.processor import for_compilers

OPTIONS = ("--disable-pip-version-check", "--no-input", "--prefer-binary", "--no-warn-script-location")
LAST_LINES = 40
TELLS_PROGRESS = (24, 1)  # the pip that can be asked for the bytes of a download
_LOOK_SECONDS = 0.2
_TELL_SECONDS = 0.2
_PATIENCE_SECONDS = 1.0
NICENESS = 10
# pip reads each of its options from a variable too, and a folder's `.env` can set variables. The way to an index may
# come from there. Which index it is may too where the lock's hashes say what is installed; and nothing else may.
OPTIONS_OF_THE_WAY = frozenset(
    {"CERT", "CLIENT_CERT", "DEFAULT_TIMEOUT", "NO_CACHE_DIR", "NO_INDEX", "PROXY", "RETRIES", "TIMEOUT"}
)
OPTIONS_OF_INDEXES = frozenset({"EXTRA_INDEX_URL", "FIND_LINKS", "INDEX_URL", "TRUSTED_HOST"})


@dataclass(frozen=True)
class PipStep:
    """The current step of pip. `done` and `total` in bytes, of a file that it fetches; else 0."""

    words: str
    name: str = ""
    done: int = 0
    total: int = 0


@dataclass(frozen=True)
class PipOutcome:
    """The outcome of pip: its exit code, and its last lines."""

    code: int
    said: str


@dataclass(frozen=True)
class PipTrouble:
    """The reason why pip failed, and what to do. `stops`: the next packages would fail for the same reason."""

    kind: str
    why: str
    hint: str
    stops: bool = False


# What pip says, and what that means; the first that is found counts.
_TROUBLES: tuple[tuple[str, PipTrouble], ...] = (
    (
        "no space left on device|disk quota exceeded|file too large|not enough space on the disk",
        PipTrouble(
            "disk",
            "the disk is full",
            "Make room and try again (pip also needs room in the temporary folder: TMPDIR names another).",
            stops=True,
        ),
    ),
    (
        "externally-managed-environment",
        PipTrouble(
            "system",
            "this Python belongs to the system, which lets nothing be installed into it",
            "Install the program into an environment of its own, as “python run.py” does.",
            stops=True,
        ),
    ),
    (
        "permission denied|read-only file system|access is denied",
        PipTrouble("folder", "a folder may not be written", "Install the program where you may write.", stops=True),
    ),
    (
        "certificate_verify_failed",
        PipTrouble(
            "certificate",
            "the connection to the package index is not trusted",
            "A proxy may be in the way: see pip's setting “cert”.",
            stops=True,
        ),
    ),
    (
        r"do not match the hashes|expected sha256",
        PipTrouble(
            "hash",
            "a package that came is not the one that is expected (its hash differs)",
            "It was thrown away. Try again; if that does not help, ask whoever looks after that index.",
        ),
    ),
    (
        r"require-hashes mode",
        PipTrouble(
            "unlocked",
            "a package is needed here that the program's list of packages and hashes does not name",
            f"Please report it; “{WITHOUT_LOCK}=1 python run.py” installs without that list.",
        ),
    ),
    (
        r"cannot connect to proxy|tunnel connection failed|proxyerror|proxy authentication",
        PipTrouble(
            "proxy",
            "the proxy refuses the connection to the package index",
            "See pip's setting “proxy”, and HTTPS_PROXY.",
            stops=True,
        ),
    ),
    (
        r"incompleteread|incomplete-download|not enough bytes|connection broken:|badzipfile|not a zip file"
        r"|is invalid\.",
        PipTrouble(
            "cut short",
            "a download was cut short",
            "Check the network connection and try again; what came whole is kept.",
            stops=True,
        ),
    ),
    (
        "name resolution|getaddrinfo|new connection|unreachable|timed out|max retries|remote end closed|server error"
        "|connection (reset|refused|aborted)|retrying",
        PipTrouble(
            "network",
            "the package index could not be reached",
            "Check the network connection and try again; what came whole is kept.",
            stops=True,
        ),
    ),
    (  # pip says so of a conflict too, where a version of the lock is not in the index
        "no matching distribution",
        PipTrouble(
            "missing",
            "the package index does not have it for this Python and system",
            "Python 3.11 to 3.13 are safe choices; else ask whoever looks after that index.",
        ),
    ),
    (
        "resolutionimpossible|conflicting dependencies",
        PipTrouble(
            "conflict",
            "the packages of the index do not fit together",
            "Start “python run.py” again after an update of the program.",
        ),
    ),
    (
        "compiler|cmake|failed building wheel|failed to build",
        PipTrouble(
            "compiler",
            "it could not be compiled",
            "It needs a C++ compiler and CMake (on Debian and Ubuntu: sudo apt install build-essential cmake). "
            "Then try again.",
        ),
    ),
)
LACKS_TORCH = r"no matching distributions? (?:found for|available for your environment:)\s+torch\b"
NO_TORCH = PipTrouble(
    "missing",
    "PyTorch is no longer made for Macs with Intel processors",
    "The light edition works there: python run.py --light.",
)
UNKNOWN = PipTrouble("unknown", "pip failed", "pip's last words say more.")
BEHIND_PROXY = PipTrouble(
    "proxy",
    "the package index could not be reached through the proxy that is set",
    "See pip's setting “proxy”, and HTTPS_PROXY. What came whole is kept.",
    stops=True,
)


def trouble(output: str) -> PipTrouble:
    """Return why pip failed, by its last lines. From version 26 on pip does not say that a proxy did not answer."""
    lowered = output.lower()
    explanation = next((explanation for pattern, explanation in _TROUBLES if re.search(pattern, lowered)), UNKNOWN)
    if explanation.kind == "missing" and is_intel_mac() and re.search(LACKS_TORCH, lowered):
        return NO_TORCH
    unused = OPTIONS_OF_INDEXES.intersection(_options().values())
    if unused and explanation.kind in ("network", "missing") and not entries():
        names = ", ".join(f"PIP_{each}" for each in sorted(unused))
        hint = (
            f"{names} of the environment is not used here, because nothing says which hashes the packages must have: "
            "set the index in pip's own settings (pip config set global.index-url ADDRESS), then try again."
        )
        return replace(explanation, hint=hint)
    return BEHIND_PROXY if explanation.kind == "network" and _has_proxy() else explanation


def environment(*options: str) -> dict[str, str]:
    """Return the environment for pip, with variables for `options` and for the way to an index, but no other option."""
    allowed = OPTIONS_OF_THE_WAY.union(options)
    left_out = {name for name, option in _options().items() if option not in allowed}
    if os.environ.get("PIP_CONFIG_FILE") == os.devnull:  # which only keeps pip from its settings
        left_out.discard("PIP_CONFIG_FILE")
    return {name: value for name, value in child.environment().items() if name not in left_out}


def _options() -> dict[str, str]:
    """Return the options of pip that variables set, by the variable: pip takes `PIP_index_url` too."""
    return {name: name[4:].upper() for name in os.environ if name.startswith("PIP_")}


def is_intel_mac() -> bool:
    return sys.platform == "darwin" and platform.machine() == "x86_64"


def _has_proxy() -> bool:
    """Return whether pip goes through a proxy, as far as the environment and the system say."""
    from urllib.request import getproxies

    return bool(os.environ.get("PIP_PROXY") or {"http", "https", "all"}.intersection(getproxies()))


def run(
    arguments: Sequence[str],
    *,
    pip: Sequence[str] = (),
    look: Callable[[], None] = lambda: None,
    told: Callable[[PipStep], None] = lambda step: None,
    folder: Path | None = None,
    gently: bool = False,
    inherits: Sequence[int] = (),
) -> PipOutcome:
    """Let pip install `arguments` into this environment, or by another `pip` (the words that call it).

    `look` is called several times a second and may raise: pip is then ended with all that it started. `told` is called
    with every step. `gently` leaves the processor to others. `inherits`: open files that are pip's as well.
    """
    command = [*(pip or own()), "install", *OPTIONS, "--progress-bar", _progress_bar(bool(pip)), *arguments]
    process = subprocess.Popen(
        command, cwd=folder or child.FOLDER, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        encoding="utf-8", errors="replace",
        env=environment(*(OPTIONS_OF_INDEXES if entries() else ()))
        | for_compilers()
        | {"PYTHONIOENCODING": "utf-8", "PYTHONUNBUFFERED": "1"},
        **_process_options(gently, inherits),
    )  # fmt: skip
    if gently and hasattr(os, "setpriority"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    reader = threading.Thread(target=_read, args=(process, lines), daemon=True)
    reader.start()
    talk, last = PipTalk(), deque[str](maxlen=LAST_LINES)
    told_at, waiting = 0.0, None
    try:
        while True:
            look()
            try:
                line = lines.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                line = ""
            if line is None:
                return PipOutcome(process.wait(), "\n".join(last))
            if line and not line.startswith("Progress "):
                last.append(line.rstrip())
            waiting = talk.hears(line) or waiting
            now = time.monotonic()
            if waiting and (not waiting.done or now - told_at >= _TELL_SECONDS):
                told(waiting)
                told_at, waiting = now, None
    finally:
        _end(process)
        reader.join(_PATIENCE_SECONDS)


def own() -> list[str]:
    """Return the pip of the environment that the program runs in."""
    return child.python("-m", "pip")


def _progress_bar(other: bool) -> str:
    if other:
        return "off"
    from importlib.metadata import PackageNotFoundError, version

    try:
        pip_version = tuple(int(part) for part in re.findall(r"\d+", version("pip"))[:2])
    except PackageNotFoundError:
        return "off"
    return "raw" if pip_version >= TELLS_PROGRESS else "off"


def _process_options(gently: bool, inherits: Sequence[int]) -> dict[str, Any]:
    """Return a group of its own, so that compilers can be ended with it."""
    if sys.platform == "win32":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
        return {"creationflags": flags | (subprocess.BELOW_NORMAL_PRIORITY_CLASS if gently else 0)}
    return {"start_new_session": True, "pass_fds": tuple(inherits)}


def _read(process: "subprocess.Popen[str]", lines: "queue.SimpleQueue[str | None]") -> None:
    with suppress(ValueError):  # closed meanwhile
        for line in process.stdout or ():
            lines.put(line)
    lines.put(None)


def _end(process: "subprocess.Popen[str]") -> None:
    """End pip and its compilers, if they still run."""
    if process.poll() is not None:
        return
    if sys.platform == "win32":
        # By its whole path: Windows would look for the bare name in the current folder as well.
        taskkill = Path(os.environ["SYSTEMROOT"], "System32", "taskkill.exe")
        subprocess.run([taskkill, "/T", "/F", "/PID", str(process.pid)], capture_output=True)
        process.wait()
        return
    for sign in (signal.SIGTERM, signal.SIGKILL):  # the second one for a compiler that went on after pip
        with suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE_SECONDS)


# ---- Output of pip

_FETCHED = re.compile(r"\s*(Downloading|Using cached)\s+(?:\S*/)?([\w.]+)-(\S+?)\s+\((\d+(?:\.\d+)?)\s*(kB|MB|GB)\)")
_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")
_UNITS = {"kB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000}


class PipTalk:
    """Turns pip's lines into steps; most lines mean nothing to a person."""

    def __init__(self) -> None:
        self._name = ""

    def hears(self, line: str) -> PipStep | None:
        if progress := _PROGRESS.match(line):
            return self._fetching(int(progress[1]), int(progress[2]))
        if file := _FETCHED.match(line):
            size = round(float(file[4]) * _UNITS[file[5]])
            self._name = f"{file[2].lower().replace('_', '-')} {file[3].partition('-')[0].removesuffix('.tar.gz')}"
            if file[3].endswith(".metadata"):
                return None
            if file[1] == "Using cached":
                return PipStep(f"{self._name} was fetched before ({_size(size)})", self._name, size, size)
            return PipStep(f"fetching {self._name} ({_size(size)})", self._name, 0, size)
        if "Retrying (Retry(" in line:
            return PipStep("the package index does not answer; trying again")
        if line.startswith("Installing collected packages:"):
            count = line.count(",") + 1
            return PipStep("unpacking one package" if count == 1 else f"unpacking {count} packages")
        if line.startswith("Building wheel for") and len(line.split()) > 3:
            return PipStep(f"compiling {line.split()[3]}, which takes some minutes")
        return PipStep("looking for packages that fit together") if line.startswith("Looking in") else None

    def _fetching(self, done: int, total: int) -> PipStep | None:
        if not self._name or total < 1_000_000:
            return None
        return PipStep(f"fetching {self._name} ({done // 1_000_000} of {_size(total)})", self._name, done, total)


def _size(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1_000_000_000 else f"{max(1, round(size / 1e6))} MB"

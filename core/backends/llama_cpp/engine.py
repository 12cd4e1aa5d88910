"""Installing the local-model engine, llama.cpp, where the program was installed without it.

pip fetches and compiles it in a process of its own, into the environment that the program runs in. Nothing has to be
started again afterwards: the package is looked up anew whenever a model is opened.
"""

import importlib
import os
import queue
import re
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from collections import deque
from contextlib import suppress
from importlib.util import find_spec

from core.backends.llama_cpp.options import installed
from core.errors import AppError
from core.jobs import JobContext
from core.machine.offline import require_connection

REQUIREMENT = "llama-cpp-python>=0.3.36,<0.4"  # as in pyproject.toml
TITLE = "The local-model engine"
KEPT = "Everything that needs no GGUF file works without it."
_LOOK_SECONDS = 0.2
_PATIENCE_SECONDS = 5
# What pip says, why that is, and what to do.
_TROUBLES = (
    ("no space left on device", "the disk is full", "Make room and try again."),
    (
        "externally-managed-environment",
        "this Python belongs to the system, which lets nothing be installed into it",
        "Install the program into an environment of its own, as “python run.py” does.",
    ),
    (
        "permission denied|read-only file system|access is denied",
        "a folder may not be written",
        "Install the program where you may write.",
    ),
    (
        "certificate_verify_failed",
        "the connection to the package index is not trusted",
        "A proxy may be in the way: see pip's setting “cert”.",
    ),
    (
        "name resolution|getaddrinfo|new connection|unreachable|timed out|max retries|connection (reset|refused)|proxy",
        "the package index could not be reached",
        "Check the network connection and try again.",
    ),
    (
        "no matching distribution",
        "the package index does not have it, or could not be reached",
        "Check the network connection, or ask whoever looks after that index.",
    ),
    (
        "compiler|cmake|failed building wheel|failed to build",
        "it could not be compiled",
        "It needs a C++ compiler and CMake (on Debian and Ubuntu: sudo apt install build-essential cmake). "
        "Then try again.",
    ),
)


def why_not() -> str:
    """Why it cannot be installed into what runs here; empty where pip can try."""
    if getattr(sys, "frozen", False):
        return "a packaged program cannot be added to: get a package that has it"
    if find_spec("pip") is None:
        return "this Python has no pip"
    if not os.access(sysconfig.get_path("platlib"), os.W_OK):
        return "the environment of the program may not be written"
    return ""


def install(ctx: JobContext) -> None:
    """Let pip fetch and compile it; cancelling ends pip with all that it started. Does nothing where it is here.

    Raises `NoConnection` while the offline switch is on, `AppError` where it cannot be installed, with the reason.
    """
    if installed():
        return
    if reason := why_not():
        raise AppError(f"{TITLE} cannot be installed here: {reason}.", kept=KEPT)
    require_connection("installing the local-model engine")
    code, said = _pip(ctx)
    importlib.invalidate_caches()
    if code != 0 or not installed():
        raise _failed(said)


def _pip(ctx: JobContext) -> tuple[int, str]:
    """pip's exit code and its last lines."""
    options = ["--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "pip", "install", *options, REQUIREMENT],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,  # so that compilers can be ended with it
    )
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    reader = threading.Thread(target=_read, args=(process, lines), daemon=True)
    reader.start()
    last: deque[str] = deque(maxlen=40)
    note, start = "looking for it", time.monotonic()
    try:
        while True:
            ctx.check()
            ctx.report(round(time.monotonic() - start), note=note)
            try:
                line = lines.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                continue
            if line is None:
                return process.wait(), "\n".join(last)
            last.append(line.rstrip())
            note = _in_plain_words(line) or note
    finally:
        _end(process)
        reader.join(_PATIENCE_SECONDS)


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
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True)
        process.wait()
        return
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE_SECONDS)
            return


def _in_plain_words(line: str) -> str:
    """What a line of pip's means for a person; empty for the many that mean nothing."""
    if "Retrying (Retry(" in line:
        return "the package index does not answer; trying again"
    if line.lstrip().startswith(("Downloading", "Using cached")):
        return "fetching it"
    if line.startswith("Building wheel for"):
        return "compiling it, which takes some minutes"
    return "putting it in place" if line.startswith("Installing collected packages:") else ""


def _failed(said: str) -> AppError:
    for pattern, why, hint in _TROUBLES:
        if re.search(pattern, said.lower()):
            return AppError(f"{TITLE} could not be installed: {why}.", kept=KEPT, hint=hint, details=said)
    return AppError(f"{TITLE} could not be installed.", kept=KEPT, hint="pip's last words say more.", details=said)

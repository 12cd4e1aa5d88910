"""A disk that fails: for a child process, in which the C library's calls that write or sync fail in one folder."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FAILING_DISK = shutil.which("cc") is not None and sys.platform == "linux"
# `live(argument)` is defined by the code that comes first, and returns what is told of it.
SERVE = """
import ctypes, json, os, sys
disk = ctypes.CDLL(None)
for line in sys.stdin:
    fault = json.loads(line)
    pid = os.fork()
    if pid == 0:
        try:
            told = live(fault["argument"], lambda: disk.disk_fails(*fault["fails"]), disk.disk_works)
            told["calls"] = disk.disk_calls()
        except BaseException:
            import traceback
            told = {"traceback": traceback.format_exc()}
        print(json.dumps(told), flush=True)
        os._exit(0)
    status = os.waitpid(pid, 0)[1]
    if status:
        print(json.dumps({"traceback": f"ended with {status}"}), flush=True)
"""


def built_shim(scratch: Path) -> Path:
    """Return the library that is preloaded, built in `scratch`."""
    source, library = Path(__file__).with_name("disk_shim.c"), scratch / "disk_shim.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"], check=True)
    return library


@dataclass(frozen=True)
class Fault:
    """From the `first` call that writes or syncs on, `many` fail with `error`; `half`: after half of it was written;
    `names`: making and renaming files count as calls too."""

    first: int
    many: int
    error: int
    half: bool
    names: bool = False


class FailingDisk:
    """`code` defines `live(argument, fail, work)`: it calls `fail` and `work`, and returns a dictionary."""

    def __init__(self, folder: Path, scratch: Path, code: str) -> None:
        # Only a process of one thread may fork: numpy starts others for linear algebra.
        surroundings = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}{SERVE}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | surroundings | {"LD_PRELOAD": str(built_shim(scratch)), "FAILING_FOLDER": str(folder)},
        )

    def __enter__(self) -> "FailingDisk":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def lived(self, argument: str, fault: Fault) -> dict[str, Any]:
        """What a life of its own told. `calls`: how many calls wrote or synced from `fail` on."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        fails = (fault.first, fault.many, fault.error, int(fault.half), int(fault.names))
        self._process.stdin.write(json.dumps({"argument": argument, "fails": fails}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the process that makes lives ended"
        told: dict[str, Any] = json.loads(line)
        return told

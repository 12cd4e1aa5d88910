"""Processes that are killed at random moments: one interpreter imports the program, and every life is a fork of it."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType

PATIENCE_SECONDS = 60
TESTS = str(Path(__file__).parent)
# `live` is defined by the code that comes first. A life tells its process id before anything else.
SERVE = """
import os
for line in sys.stdin:
    pid = os.fork()
    if pid == 0:
        print(os.getpid(), flush=True)
        live(line.rstrip("\\n"))
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(pid, 0)
    print("over", flush=True)
"""


class Lives:
    """`code` defines `live(argument)`, which prints a line, flushed, for each thing that it did."""

    def __init__(self, code: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"import sys; sys.path.insert(0, {TESTS!r})\n{code}{SERVE}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # Only a process of one thread may fork: numpy starts others for linear algebra.
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )

    def __enter__(self) -> "Lives":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def killed(self, argument: object, after: float, *, wait_for: str | tuple[str, ...]) -> list[str]:
        """What a life told until it was killed (signal 9), so many seconds after a line that begins with `wait_for`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{argument}\n")
        self._process.stdin.flush()
        pid = int(self._process.stdout.readline())
        killer = threading.Timer(after, os.kill, (pid, signal.SIGKILL))
        too_long = threading.Timer(PATIENCE_SECONDS, os.kill, (pid, signal.SIGKILL))
        too_long.start()
        told: list[str] = []
        reached = False
        # A line that the kill cut off comes before it without a line end: it was not told.
        while not (line := self._process.stdout.readline()).endswith("over\n"):
            assert line, "the process that makes lives ended"
            told.append(line.rstrip("\n"))
            if not reached and line.startswith(wait_for):
                reached = True
                killer.start()
        killer.cancel()
        too_long.cancel()
        assert reached, "it did not come so far"
        return told

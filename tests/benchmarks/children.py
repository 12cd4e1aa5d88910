"""Programs that a benchmark starts afresh: each prints its answer as JSON on its last line."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
STARTED = "BIASPRINT_BENCH_STARTED"  # when the process was started, by the clock that all processes share


def answer_of(script: str, *arguments: object, environment: Mapping[str, str] | None = None) -> Any:
    """Run a script of this folder in a process of its own, as `python -m desktop` would run, and give its answer."""
    command = [sys.executable, str(HERE / script), *map(str, arguments)]
    variables = {**os.environ, "PYTHONPATH": str(ROOT / "core" / "python"), **(environment or {})}
    # The last thing before the start, so that the start itself counts.
    variables[STARTED] = repr(time.monotonic())
    done = subprocess.run(command, capture_output=True, text=True, env=variables, cwd=ROOT, timeout=600)
    assert done.returncode == 0, f"{script} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return json.loads(done.stdout.splitlines()[-1])


def seconds_since_start() -> float:
    """In the child: seconds since its parent began to start it."""
    return time.monotonic() - float(os.environ[STARTED])


def peak_megabytes() -> float:
    """The most memory this process ever held. Linux's own figure for it is taken where there is one: the usual one of
    `getrusage` counts what the parent held before the child was started."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text("utf-8").splitlines() if ":" in line)
        return int(lines["VmHWM"].split()[0]) / 1024
    memory = psutil.Process().memory_info()
    return getattr(memory, "peak_wset", memory.rss) / 1024**2


def tell(answer: Any) -> None:
    """In the child: the answer."""
    print(json.dumps(answer), flush=True)

"""From a bare clone: the command, the window, the first comparison judged, the scorers, llama.cpp, the first text.

Everything is installed anew from the package index that pip is set to, so this takes as long as llama.cpp compiles.
"""

import getpass
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from children import ROOT
from figures import at_most, figure, title

pytestmark = [pytest.mark.bench, pytest.mark.timeout(0)]  # a compiler takes as long as it takes

SETTINGS = Path(f"~{getpass.getuser()}").expanduser() / ".config"
WARM_SECONDS, COLD_SECONDS = 60.0, 100.0
BUT_THE_ENGINE_SECONDS = 180.0
# run.py itself, with somebody at the window that it opens.
WITH_SOMEBODY = """
import sys, run
start = run.run
def with_somebody(command, headless):
    ours = command[1:] == ["-m", "biasprint", "demo"]
    return start([command[0], run.ROOT / "tests/benchmarks/first_minutes.py"] if ours else command, headless)
run.run = with_somebody
sys.exit(run.main([]))
"""


def timeline(folder: Path, until: str, **environment: str) -> dict[str, dict[str, Any]]:
    """What was told, by event: seconds since the command was started."""
    clone = folder / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    variables = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    variables |= {"QT_QPA_PLATFORM": "offscreen", "BIASPRINT_HOME": str(folder / "home"), **environment}
    variables["XDG_CONFIG_HOME"] = os.environ.get("XDG_CONFIG_HOME", str(SETTINGS))  # where pip's are
    variables |= {"BIASPRINT_BENCH_UNTIL": until, "BIASPRINT_STARTED": repr(time.monotonic())}
    python = getattr(sys, "_base_executable", sys.executable)  # none of our packages
    log = folder / "log.txt"
    with log.open("w", encoding="utf-8") as file:
        done = subprocess.run([python, "-c", WITH_SOMEBODY], cwd=clone, env=variables, stdout=file, stderr=file)
    said = log.read_text(encoding="utf-8")
    assert done.returncode == 0, said
    told = [json.loads(line) for line in said.splitlines() if line.startswith('{"event"')]
    return {each["event"]: each for each in told}


@pytest.fixture(autouse=True)
def _from_a_clone() -> None:
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("this is no clone")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """pip's cache, empty at first; the second test finds in it what the first one fetched."""
    return tmp_path_factory.mktemp("pip-cache")


def test_the_window_without_a_package_cache(tmp_path: Path, cache: Path) -> None:
    title("From a bare clone, pip's cache empty: seconds after the command, n=1")
    told = timeline(tmp_path, "window answers a key", XDG_CACHE_HOME=str(cache))
    at_most("window answers a key", told["window answers a key"]["seconds"], COLD_SECONDS, "s")


def test_the_first_minutes(tmp_path: Path, cache: Path) -> None:
    title("From a bare clone, what the window needs in pip's cache: seconds after the command, n=1")
    told = timeline(tmp_path, "", XDG_CACHE_HOME=str(cache))
    for event, each in told.items():
        figure(event, each["seconds"], "s")
    print(f"  the first of its texts: {told['first texts by SmolLM2']['first']!r}")
    at_most("window answers a key", told["window answers a key"]["seconds"], WARM_SECONDS, "s")
    at_most("everything but llama.cpp", told["model ready"]["seconds"], BUT_THE_ENGINE_SECONDS, "s")

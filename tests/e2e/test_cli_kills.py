"""Killed at any moment: nothing acknowledged is lost, nothing is twice, and the end is that of an uninterrupted run."""

import os
import pty
import random
import re
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from cli_support import ROOT, biasprint, outputs_of, start
from trust.report import Figure

from biasprint.core.project.project import Project

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kill −9 and terminals are POSIX's")

TASKS = ("haiku", "song", "short_poem", "trivia")
PROMPTS = 4 * 30 * 9
WRITE = ("--study", "creativity", "--backend", "synthetic", "--model", "medium", "--seed", 11)
SHOWN = re.compile(r"(\d+)/(\d+)")
PATIENCE_SECONDS = 60.0

# Has imported what the commands import, and does each line as a command in a fork of itself. What a kill could harm
# begins after the imports, and the kills take half the time. The soak test starts the program itself.
WARM = """
import os, sys
import biasprint.core.cli.app, biasprint.core.compute, biasprint.core.runs.generate, biasprint.core.texts.score
import biasprint.core.runs.setup, rich.progress
from biasprint.desktop.__main__ import main
for line in sys.stdin:
    child = os.fork()
    if not child:
        os._exit(main(line.rstrip().split(chr(9))))
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Terminal:
    """What commands draw on stderr."""

    def __init__(self) -> None:
        self._ours, self.theirs = pty.openpty()
        self.drawn = ""

    def read(self, wait: float) -> bool:
        """Take what is drawn within `wait` seconds; whether there was anything."""
        if not select.select([self._ours], [], [], wait)[0]:
            return False
        self.drawn += os.read(self._ours, 65_536).decode("utf-8", "replace")
        return True

    def close(self) -> None:
        os.close(self._ours)
        os.close(self.theirs)


class Watched:
    """A command that is at work: its process, and what it has drawn."""

    def __init__(self, terminal: Terminal, pid: int, wait: Callable[[], int]) -> None:
        self._terminal, self._pid, self._wait = terminal, pid, wait
        terminal.drawn = ""

    def until(self, reached: Callable[[], bool], *, at_most: float = PATIENCE_SECONDS) -> None:
        """Wait, looking every few milliseconds, until something is reached."""
        deadline = time.monotonic() + at_most
        while time.monotonic() < deadline and not reached():
            self._terminal.read(0.01)

    def end(self, by: signal.Signals) -> int:
        """Send a signal and wait for the end; the exit code."""
        os.kill(self._pid, by)
        code = self._wait()
        while self._terminal.read(0.02):
            pass
        return code

    @property
    def drawn(self) -> str:
        return self._terminal.drawn

    @property
    def acknowledged(self) -> int:
        """The last number of finished items that was drawn."""
        found = SHOWN.findall(self.drawn)
        return int(found[-1][0]) if found else 0


Run = Callable[..., Watched]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    made = Terminal()
    yield made
    made.close()


@pytest.fixture
def real(terminal: Terminal) -> Run:
    """Starts the program itself."""

    def run(*argv: object) -> Watched:
        process = start(argv, stderr=terminal.theirs, stdout=subprocess.DEVNULL)
        return Watched(terminal, process.pid, process.wait)

    return run


@pytest.fixture
def warm(terminal: Terminal) -> Iterator[Run]:
    """Starts commands in a process that has imported everything."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": terminal.theirs, "text": True}
    process = subprocess.Popen([sys.executable, "-c", WARM], cwd=ROOT, **pipes)  # type: ignore[call-overload]

    def run(*argv: object) -> Watched:
        process.stdin.write("\t".join(str(part) for part in argv) + "\n")
        process.stdin.flush()
        return Watched(terminal, int(process.stdout.readline()), lambda: int(process.stdout.readline()))

    yield run
    process.communicate()


def rows(path: Path, table: str) -> int:
    """How many rows are committed, as any other program sees it; none while a half-done commit is there to undo."""
    reading = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=10)
    with closing(reading) as connection, suppress(sqlite3.OperationalError):
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    return 0


def project_to_write(path: Path) -> Path:
    biasprint("new", path)
    biasprint("prompts", path, "--study", "creativity", *(f"--task={task}" for task in TASKS))
    return path


def kill_while_generating(run: Run, folder: Path, kills: int, samples: int, seed: int) -> None:
    """Kill a run again and again, finish it, and compare it with one that was never killed."""
    chance = random.Random(seed)
    file = project_to_write(folder / "killed.biasprint")
    write = ("generate", file, *WRITE, "--samples", samples)
    kept, hits = outputs_of(file), 0
    for number in range(kills):
        watched, more = run(*write), chance.randint(1, 60)
        # Every fourth one at any time, the start included.
        seconds = chance.uniform(0.02, 0.6) if number % 4 == 0 else PATIENCE_SECONDS
        watched.until(lambda: rows(file, "output") >= len(kept) + more, at_most=seconds)  # noqa: B023 - of this round
        assert watched.end(signal.SIGKILL) == -signal.SIGKILL, "the run was over before the kill"
        now = outputs_of(file)
        assert kept.items() <= now.items(), "what had been finished is lost or changed"
        assert watched.acknowledged <= len(now), "what the person was shown as done is not there"
        hits += len(now) > len(kept)
        kept = now
    assert hits >= kills // 2, "most kills came before anything was written: the test shows little"
    assert biasprint(*write, "--json").json["done"] == PROMPTS * samples
    uninterrupted = project_to_write(folder / "uninterrupted.biasprint")
    biasprint("generate", uninterrupted, *WRITE, "--samples", samples)
    assert outputs_of(file) == outputs_of(uninterrupted)
    assert kept.items() <= outputs_of(file).items()
    assert biasprint("check", file, "--json").json["sound"] is True
    with Project.open(file, read_only=True) as project:
        assert len(project.runs.all()) == 1


def test_killed_three_times_while_generating_nothing_is_lost_and_nothing_is_twice(
    tmp_path: Path, warm: Run, figure: Figure
) -> None:
    kill_while_generating(warm, tmp_path, kills=3, samples=1, seed=1)
    figure(f"3 kills while {PROMPTS:,} texts were written, none lost, twice or changed", 3)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_killed_two_hundred_times_while_generating(tmp_path: Path, real: Run, figure: Figure) -> None:
    kill_while_generating(real, tmp_path, kills=200, samples=60, seed=2)
    figure(f"200 kills while {60 * PROMPTS:,} texts were written, none lost, twice or changed", 200)


@pytest.mark.soak
def test_ctrl_c_stops_a_run_which_the_same_command_finishes(tmp_path: Path, terminal: Terminal) -> None:
    file = project_to_write(tmp_path / "study.biasprint")
    write = ("generate", file, *WRITE, "--samples", 3, "--json")
    process = start(write, stderr=terminal.theirs, stdout=subprocess.PIPE, text=True)
    watched = Watched(terminal, process.pid, process.wait)
    watched.until(lambda: rows(file, "output") > 50)
    asked = time.monotonic()
    assert watched.end(signal.SIGINT) == 1
    assert time.monotonic() - asked < 10
    assert "Stopped. What was finished is kept; the same command goes on from there." in watched.drawn
    assert "Traceback" not in watched.drawn
    assert process.communicate()[0] == "", "a run that was stopped has no answer"
    kept = outputs_of(file)
    assert 50 < len(kept) < 3 * PROMPTS
    assert 0 < watched.acknowledged <= len(kept)
    answer = biasprint(*write).json
    assert (answer["done"], answer["added"]) == (3 * PROMPTS, 3 * PROMPTS - len(kept))
    assert kept.items() <= outputs_of(file).items()


@pytest.mark.soak
def test_scores_after_kills_are_those_of_an_uninterrupted_run(tmp_path: Path, warm: Run) -> None:
    file = project_to_write(tmp_path / "killed.biasprint")
    biasprint("generate", file, *WRITE, "--samples", 3)
    uninterrupted = Path(shutil.copy(file, tmp_path / "uninterrupted.biasprint"))
    score, kept = ("score", file, "--scorer", "lexicon_published"), 0
    for _ in range(3):
        watched = warm(*score)
        watched.until(lambda: rows(file, "score") > kept)  # noqa: B023 - of this round
        assert watched.end(signal.SIGKILL) == -signal.SIGKILL, "the run was over before the kill"
        assert kept < len(table_of_scores(file)) < 3 * PROMPTS
        assert watched.acknowledged <= len(table_of_scores(file))
        kept = len(table_of_scores(file))
    biasprint(*score)
    biasprint("score", uninterrupted, "--scorer", "lexicon_published")
    assert len(table_of_scores(file)) == 3 * PROMPTS
    assert table_of_scores(file) == table_of_scores(uninterrupted)


def table_of_scores(path: Path) -> dict[int | None, tuple[bytes, float | None]]:
    """The values and the summary of every output's score, by its id."""
    with Project.open(path, read_only=True) as project:
        ((name, version, count),) = project.scores.known()
        found = project.scores.page("output", name, version, limit=10_000)
    assert len(found) == count
    return {row.output_id: (row.values.tobytes(), row.summary) for row in found}

"""Killed at any moment: nothing acknowledged is lost, nothing is twice, and the end is that of an uninterrupted run."""

import contextlib
import os
import pty
import random
import re
import select
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from cli_support import biasprint, outputs_of, start

from core.project.project import Project

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kill −9 and terminals are POSIX's")

TASKS = ("haiku", "song", "short_poem", "trivia")
WRITE = ("--study", "creativity", "--backend", "synthetic", "--model", "medium", "--seed", 11)
SHOWN = re.compile(r"(\d+)/(\d+)")
PATIENCE_SECONDS = 60.0


class Watched:
    """A command of the real program with a terminal to draw its progress on, watched while it works."""

    def __init__(self, *argv: object) -> None:
        self._terminal, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
        self.process = start(argv, env=environment, stdout=subprocess.PIPE, stderr=theirs, text=True)
        os.close(theirs)
        self.drawn = ""

    def until(self, reached: Callable[[], bool], *, at_most: float = PATIENCE_SECONDS) -> None:
        """Wait, looking every few milliseconds, until something is reached or the command ends."""
        deadline = time.monotonic() + at_most
        while self.process.poll() is None and time.monotonic() < deadline and not reached():
            self._read(0.003)

    def end(self, by: signal.Signals) -> int:
        """Send a signal and wait for the end; the exit code."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(by)
        code = self.process.wait(PATIENCE_SECONDS)
        while self._read(0.05):
            pass
        os.close(self._terminal)
        return code

    @property
    def acknowledged(self) -> int:
        """The last number of finished items that was drawn."""
        found = SHOWN.findall(self.drawn)
        return int(found[-1][0]) if found else 0

    def _read(self, wait: float) -> bool:
        if not select.select([self._terminal], [], [], wait)[0]:
            return False
        try:
            text = os.read(self._terminal, 65_536).decode("utf-8", "replace")
        except OSError:  # so Linux says that nobody holds the other end any more
            return False
        self.drawn += text
        return bool(text)


def rows(path: Path, table: str) -> int:
    """How many rows are committed, as any other program sees it."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=10)) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def project_to_write(path: Path) -> Path:
    biasprint("new", path)
    biasprint("prompts", path, "--study", "creativity", *(f"--task={task}" for task in TASKS))
    return path


def kill_while_generating(folder: Path, kills: int, samples: int, seed: int) -> None:
    chance = random.Random(seed)
    file = project_to_write(folder / "killed.biasprint")
    write = ("generate", file, *WRITE, "--samples", samples)
    kept = outputs_of(file)
    hits = 0
    for number in range(kills):
        watched, before = Watched(*write), len(kept)
        if number % 4 == 0:  # at any time, the start included
            watched.until(lambda: False, at_most=chance.uniform(0.05, 1.0))
        else:
            more = chance.randint(1, 60)
            watched.until(lambda: rows(file, "output") >= before + more)  # noqa: B023 - used within this round
        assert watched.end(signal.SIGKILL) == -signal.SIGKILL, "the run was over before the kill"
        now = outputs_of(file)
        assert kept.items() <= now.items(), "what had been finished is lost or changed"
        assert watched.acknowledged <= len(now), "what the person was shown as done is not there"
        hits += len(now) > before
        kept = now
    assert hits >= kills // 2, "most kills came before anything was written: the test shows little"
    assert len(kept) < 1080 * samples, "the run was over before the last kill: the test shows little"
    assert biasprint(*write, "--json").json["done"] == 1080 * samples
    uninterrupted = project_to_write(folder / "uninterrupted.biasprint")
    biasprint("generate", uninterrupted, *WRITE, "--samples", samples)
    assert outputs_of(file) == outputs_of(uninterrupted)
    assert kept.items() <= outputs_of(file).items()
    assert biasprint("check", file, "--json").json["sound"] is True
    with Project.open(file, read_only=True) as project:
        assert len(project.runs.all()) == 1


def test_killed_twenty_times_while_generating_nothing_is_lost_and_nothing_is_twice(tmp_path: Path) -> None:
    kill_while_generating(tmp_path, kills=20, samples=2, seed=1)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_killed_two_hundred_times_while_generating(tmp_path: Path) -> None:
    kill_while_generating(tmp_path, kills=200, samples=20, seed=2)


def test_ctrl_c_stops_a_run_which_the_same_command_finishes(tmp_path: Path) -> None:
    file = project_to_write(tmp_path / "study.biasprint")
    write = ("generate", file, *WRITE, "--samples", 4, "--json")
    watched = Watched(*write)
    watched.until(lambda: rows(file, "output") > 50)
    asked = time.monotonic()
    assert watched.end(signal.SIGINT) == 1
    assert time.monotonic() - asked < 10
    assert "Stopped. What was finished is kept; the same command goes on from there." in watched.drawn
    assert "Traceback" not in watched.drawn
    assert watched.process.stdout.read() == "", "a run that was stopped has no answer"
    kept = outputs_of(file)
    assert 50 < len(kept) < 4320
    assert watched.acknowledged > 0, "no progress was drawn: the test shows less than it says"
    assert watched.acknowledged <= len(kept)
    answer = biasprint(*write).json
    assert (answer["done"], answer["added"]) == (4320, 4320 - len(kept))
    assert kept.items() <= outputs_of(file).items()


def test_scores_after_a_kill_are_those_of_an_uninterrupted_run(study_file: Path, measured_file: Path) -> None:
    # `measured_file` is a copy of the same project that was scored in one go.
    file = Path(shutil.copy(study_file, study_file.with_name("killed.biasprint")))
    scored = table_of_scores(measured_file)
    watched = Watched("score", file, "--scorer", "textblob")
    watched.until(lambda: rows(file, "score") > 0)
    assert watched.end(signal.SIGKILL) == -signal.SIGKILL
    kept = table_of_scores(file)
    assert 0 < len(kept) < len(scored)
    assert watched.acknowledged <= len(kept)
    biasprint("score", file, "--scorer", "textblob")
    assert kept.items() <= table_of_scores(file).items()
    assert table_of_scores(file) == scored


def table_of_scores(path: Path) -> dict[int | None, tuple[bytes, float | None]]:
    """TextBlob's values and summary of every output, by its id."""
    with Project.open(path, read_only=True) as project:
        version = next(version for name, version, _ in project.scores.known() if name == "textblob")
        found = project.scores.page("output", "textblob", version, limit=10_000)
    return {row.output_id: (row.values.tobytes(), row.summary) for row in found}

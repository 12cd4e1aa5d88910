"""The program killed while its rater types in a packet: the note on disk is at most two seconds old."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from note_letters import letters
from rating_files import packet

from core.project.check import check_project
from core.project.project import Project

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kill −9 is POSIX's")

OLDEST_SECONDS = 2.0
CHILD = Path(__file__).with_name("types_a_note.py")
LEAST_TYPED = 40  # letters: with fewer the note had no time to be saved


def type_and_kill(path: Path, seconds: float) -> tuple[list[tuple[float, int]], float]:
    """Type in another process, killed so long after its first letter: when each letter was in, and when it was killed.

    The clock is the system's own, the same in both processes.
    """
    child = subprocess.Popen([sys.executable, str(CHILD), str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    killed: list[float] = []

    def kill() -> None:
        killed.append(time.monotonic())
        child.send_signal(signal.SIGKILL)

    killer = threading.Timer(seconds, kill)
    typed: list[tuple[float, int]] = []
    for line in child.stdout:
        if not line.endswith("\n"):
            break  # cut off by the kill
        at, count = line.split()
        typed.append((float(at), int(count)))
        if len(typed) == 1:
            killer.start()
    child.wait()
    killer.join()
    assert child.returncode == -signal.SIGKILL, "the rater did not type until the kill"
    return typed, killed[0]


def note_in(path: Path) -> str:
    with Project.open(path, read_only=True) as project:
        (session,) = project.judging.sessions()
        drafts = project.judging.drafts(session.id)
    assert len(drafts) <= 1
    return next(iter(drafts.values()), "")


def kill_while_typing(folder: Path, kills: int, seed: int) -> list[float]:
    """The age of the note in the file at each kill: how long ago the first letter that is not in it was typed."""
    path, chance, ages = packet(folder), random.Random(seed), []
    for _ in range(kills):
        typed, killed = type_and_kill(path, chance.uniform(2.2, 3.6))
        assert len(typed) >= LEAST_TYPED, "too little was typed to show anything"
        kept = note_in(path)
        assert kept == letters(0, len(kept)), "what is kept is not what was typed"
        missing = [at for at, count in typed if count > len(kept)]
        ages.append(killed - missing[0] if missing else 0.0)
        assert check_project(path).sound
    return ages


def test_killed_while_typing_the_note_on_disk_is_at_most_two_seconds_old(tmp_path: Path) -> None:
    ages = kill_while_typing(tmp_path, kills=3, seed=1)
    assert max(ages) <= OLDEST_SECONDS, ages


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_killed_a_hundred_times_while_typing(tmp_path: Path) -> None:
    ages = kill_while_typing(tmp_path, kills=100, seed=2)
    assert max(ages) <= OLDEST_SECONDS, sorted(ages)[-10:]

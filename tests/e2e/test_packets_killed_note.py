"""The program killed while its rater types in a packet: the note on disk is at most two seconds old."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest
from note_letters import letters
from rating_files import packet
from trust.report import Figure
from types_a_note import MARKED

from biasprint.core.project.damaged import check_project
from biasprint.core.project.project import Project

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kill −9 is POSIX's")

OLDEST_SECONDS = 2.0
CHILD = Path(__file__).with_name("types_a_note.py")
LEAST_TYPED = 40  # letters: with fewer the note had no time to be saved
LOOK_EVERY = 5  # letters


def type_and_kill(path: Path, seconds: float) -> list[float]:
    """Type in another process, killed so long after LEAST_TYPED letters: how old the note on disk was, each time.

    While it is typed the file is looked at, for that is what a kill at that moment would leave; the last look is after
    the kill. The clock is the system's own, the same in both processes.
    """
    child = subprocess.Popen([sys.executable, str(CHILD), str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    killed: list[float] = []

    def kill() -> None:
        killed.append(time.monotonic())
        child.send_signal(signal.SIGKILL)

    killer = threading.Timer(seconds, kill)
    typed: list[tuple[float, int]] = []
    looks: list[tuple[float, str]] = []
    for line in child.stdout:
        if not line.endswith("\n"):
            break  # cut off by the kill
        at, count = line.split()
        typed.append((float(at), int(count)))
        if len(typed) == LEAST_TYPED:
            killer.start()
        if len(typed) % LOOK_EVERY == 0:
            looks.append((time.monotonic(), note_in(path)))
    child.wait()
    assert child.returncode == -signal.SIGKILL, "the rater did not type until the kill"
    killer.join()
    return [age(at, kept, typed) for at, kept in [*looks, (killed[0], note_in(path))]]


def age(at: float, kept: str, typed: Sequence[tuple[float, int]]) -> float:
    """How long before `at` the first letter was typed that is not in what is kept."""
    assert kept == letters(0, len(kept)), "what is kept is not what was typed"
    return max((at - then for then, count in typed if count > len(kept)), default=0.0)


def note_in(path: Path) -> str:
    with Project.open(path, read_only=True) as project:
        (session,) = project.judging.sessions()
        drafts = project.judging.drafts(session.id)
    assert len(drafts) <= 1
    return next((remark.note for remark in drafts.values()), "")


def marked_in(path: Path) -> list[tuple[int, int]]:
    with Project.open(path, read_only=True) as project:
        (session,) = project.judging.sessions()
        drafts = project.judging.drafts(session.id)
    return [(start, end) for remark in drafts.values() for _, start, end in remark.spans]


def kill_while_typing(folder: Path, kills: int, seed: int) -> list[float]:
    path, chance, ages = packet(folder), random.Random(seed), []
    for _ in range(kills):
        ages += type_and_kill(path, chance.uniform(1.0, 2.4))
        assert check_project(path).sound
    return ages


@pytest.mark.soak
def test_killed_while_typing_the_note_on_disk_is_at_most_two_seconds_old(tmp_path: Path, figure: Figure) -> None:
    ages = kill_while_typing(tmp_path, kills=1, seed=1)
    figure(
        f"1 kill, {len(ages)} looks: at most {max(ages):.1f} s of typing not on the disk, of {OLDEST_SECONDS:g} s", 1
    )
    assert len(ages) > 10, "it was looked at too seldom"
    assert max(ages) <= OLDEST_SECONDS, ages


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_killed_a_hundred_times_while_typing(tmp_path: Path, figure: Figure) -> None:
    ages = kill_while_typing(tmp_path, kills=100, seed=2)
    figure(
        f"100 kills, {len(ages)} looks: at most {max(ages):.1f} s of typing not on the disk, of {OLDEST_SECONDS:g} s",
        100,
    )
    assert max(ages) <= OLDEST_SECONDS, sorted(ages)[-10:]


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGHUP], ids=lambda told: told.name)
def test_told_to_end_while_somebody_types_the_window_saves_every_letter_and_ends_well(
    tmp_path: Path, told: signal.Signals
) -> None:
    """As at the end of a session, or when the terminal that started it is closed. Marked words are kept too, and a job
    that runs beside ends with the window.
    """
    path = packet(tmp_path, spans=True)
    child = subprocess.Popen([sys.executable, str(CHILD), str(path), "marking"], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    beside: list[psutil.Process] = []
    for line in child.stdout:
        if int(line.split()[1]) == LEAST_TYPED:
            beside = psutil.Process(child.pid).children(recursive=True)
            child.send_signal(told)
    assert child.wait(60) == 0
    assert beside
    assert psutil.wait_procs(beside, timeout=10)[1] == []
    kept = note_in(path)  # the script types on while the window, which nobody sees any more, is put away
    assert len(kept) >= LEAST_TYPED
    assert kept == letters(0, len(kept))
    assert marked_in(path) == [MARKED]
    assert check_project(path).sound

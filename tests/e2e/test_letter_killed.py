"""The program killed while somebody edits a letter: at most two seconds are lost, and the draft is offered again."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from note_letters import letters
from trust.report import Figure
from types_in_a_letter import LETTER

from biasprint.core.letters.kept import DRAFTS, listed, opened

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kill −9 is POSIX's")

OLDEST_SECONDS = 2.0
CHILD = Path(__file__).with_name("types_in_a_letter.py")
LEAST_TYPED = 40  # letters: with fewer the draft had no time to be written
LOOK_EVERY = 5  # letters


def edit_and_kill(home: Path, seconds: float) -> list[float]:
    """Edit in another process, killed so long after its first letter: how old the draft was, again and again.

    The file is looked at while it is written, for that is what a kill at that moment would leave; the last look is
    after the kill. The clock is the system's own, the same in both processes.
    """
    environment = os.environ | {"BIASPRINT_HOME": str(home)}
    child = subprocess.Popen([sys.executable, str(CHILD)], stdout=subprocess.PIPE, text=True, env=environment)
    assert child.stdout is not None
    typed: list[tuple[float, int]] = []
    looks: list[tuple[float, int]] = []
    killed = 0.0
    for line in child.stdout:
        if not line.endswith("\n"):
            break  # cut off by the kill
        at, count = line.split()
        typed.append((float(at), int(count)))
        if len(typed) % LOOK_EVERY == 0:
            looks.append((time.monotonic(), typed_in_draft(home)))
        if not killed and len(typed) >= LEAST_TYPED and time.monotonic() > typed[0][0] + seconds:
            killed = time.monotonic()
            child.kill()
    child.wait()
    assert child.returncode == -signal.SIGKILL, "nobody typed until the kill"
    looks.append((killed, typed_in_draft(home)))
    return [age(at, kept, typed) for at, kept in looks]


def age(at: float, kept: int, typed: Sequence[tuple[float, int]]) -> float:
    """How long before `at` the first letter was typed that is not among those that are kept."""
    return max((at - then for then, count in typed if count > kept), default=0.0)


def typed_in_draft(home: Path) -> int:
    """How many of the typed letters the draft on disk has: it is the letter, with these before its first word."""
    files = list((home / "letters" / "drafts").glob("*.json"))
    assert len(files) <= 1
    if not files:
        return 0
    text = opened(DRAFTS, files[0].stem).document.text
    assert text.endswith(LETTER)
    count = len(text) - len(LETTER)
    assert text[:count] == letters(0, count), "what is kept is not what was typed"
    return count


def kill_while_editing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, kills: int, seed: int, last: float = 3.2
) -> list[float]:
    """The ages of all looks. After each kill the draft is one that was left behind."""
    chance, ages = random.Random(seed), []
    for kill in range(kills):
        home = folder / str(kill)
        monkeypatch.setenv("BIASPRINT_HOME", str(home))
        ages += edit_and_kill(home, chance.uniform(2.4, last))
        (left,) = listed(DRAFTS).entries
        assert opened(DRAFTS, left.key).document.text.endswith(LETTER)
    return ages


@pytest.mark.soak
def test_killed_while_editing_at_most_two_seconds_are_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, figure: Figure
) -> None:
    ages = kill_while_editing(tmp_path, monkeypatch, kills=1, seed=3)
    figure(
        f"1 kill, {len(ages)} looks: at most {max(ages):.1f} s of typing not on the disk, of {OLDEST_SECONDS:g} s", 1
    )
    assert max(ages) <= OLDEST_SECONDS, ages


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_killed_fifty_times_while_editing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, figure: Figure) -> None:
    ages = kill_while_editing(tmp_path, monkeypatch, kills=50, seed=4)
    figure(
        f"50 kills, {len(ages)} looks: at most {max(ages):.1f} s of typing not on the disk, of {OLDEST_SECONDS:g} s", 50
    )
    assert max(ages) <= OLDEST_SECONDS, sorted(ages)[-10:]

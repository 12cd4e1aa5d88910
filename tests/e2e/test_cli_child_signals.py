"""Child processes killed and stopped at random moments: no command hangs, nothing finished is lost, and it goes on."""

import os
import random
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
import warm_children
from cli_support import Answer, biasprint
from interrupted_jobs import end_children, generating, scoring
from trust.report import Figure

from biasprint.core.compute import process

pytestmark = pytest.mark.skipif(not hasattr(os, "waitid"), reason="nobody is told of a stopped process here")

PATIENCE_SECONDS = 60.0
PAUSE_SECONDS = 0.3
SHORT_STOP_SECONDS = 0.5  # of what the program bears, in place of ten
TRIES = 4  # for each hit: many moments come when the command has ended already
LETTER = (
    "Dear committee,\n\nI recommend Mary Brown. She is a warm, caring colleague and led two projects.\n\nJohn Smith\n"
)
WAYS = ("killed", "stopped", "stopped and continued")
SAID = {
    "killed": ("stopped unexpectedly (signal SIGKILL)", "could not start (signal SIGKILL)", "was left"),
    "stopped": ("was stopped by another program or person",),
    "stopped and continued": (),
}
Job = Callable[[], Answer]


@pytest.fixture(autouse=True)
def spawned() -> Iterator[None]:
    """Children of this process, which the system tells of their stops."""
    with warm_children.as_the_program_does():
        yield
        end_children()


class Blow:
    """A signal to a child of this process, chosen by chance, after so many seconds; and SIGCONT after a stop."""

    def __init__(self, way: str, after: float, chance: random.Random) -> None:
        self.victim: psutil.Process | None = None
        self._way, self._chance = way, chance
        self._timer = threading.Timer(after, self._strike)

    def __enter__(self) -> "Blow":
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._timer.join()

    def _strike(self) -> None:
        children = [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]
        if not children:
            return
        victim = self._chance.choice(children)
        victim.send_signal(signal.SIGKILL if self._way == "killed" else signal.SIGSTOP)
        self.victim = victim
        if self._way == "stopped and continued":
            time.sleep(PAUSE_SECONDS)
            victim.send_signal(signal.SIGCONT)


def struck_at_random(job: Job, way: str, hits: int, seed: int, check: Callable[[Answer], None]) -> int:
    """Run the job again and again, each time with one blow; how many hit while it ran."""
    chance, done = random.Random(f"{seed} {way}"), 0
    end_children()
    before = psutil.Process().children()
    began = time.monotonic()
    job()
    whole = time.monotonic() - began
    for _ in range(hits * TRIES):
        if done == hits:
            break
        if chance.random() < 0.5:
            end_children()  # the next one is struck while it starts, too
        with Blow(way, chance.uniform(0, whole), chance) as blow:
            began = time.monotonic()
            answer = job()
            assert time.monotonic() - began < PATIENCE_SECONDS
        if blow.victim is None:
            continue
        done += 1
        assert answer.code in ((0,) if way == "stopped and continued" else (0, 1)), answer.err
        assert "Traceback" not in answer.err, answer.err
        if answer.code:
            assert answer.out == ""
            assert any(words in answer.err for words in SAID[way]), answer.err
        check(answer)
    end_children()
    assert psutil.Process().children() == before, "a zombie, or an orphan"
    return done


ONCE, OFTEN = pytest.param(1, id="once"), pytest.param(30, marks=pytest.mark.soak, id="thirty times")


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "stopped":
        monkeypatch.setattr(process, "STOPPED_SECONDS", SHORT_STOP_SECONDS)
    return str(request.param)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("hits", [ONCE, OFTEN])
def test_scoring(study_file: Path, tmp_path: Path, way: str, hits: int, figure: Figure) -> None:
    scored = scoring(study_file, tmp_path)
    done = struck_at_random(scored.job, way, hits, 1, scored.check)
    figure(f"{done} × {way} while texts were scored", done)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("hits", [OFTEN])
def test_generating(study_file: Path, tmp_path: Path, way: str, hits: int, figure: Figure) -> None:
    written = generating(study_file, tmp_path)
    done = struck_at_random(written.job, way, hits, 2, written.check)
    figure(f"{done} × {way} while a model wrote", done)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("hits", [OFTEN])
def test_measuring(measured_file: Path, tmp_path: Path, way: str, hits: int, figure: Figure) -> None:
    """The findings of a run that was struck are those of one that was not, or none at all."""
    file = Path(shutil.copy(measured_file, tmp_path / "struck.biasprint"))
    findings = biasprint("measure", "letters", file, "--json").out

    def job() -> Answer:
        return biasprint("measure", "letters", file, "--json", code=None)

    def check(answer: Answer) -> None:
        assert answer.code == 1 or answer.out == findings
        assert biasprint("measure", "letters", file, "--json").out == findings

    done = struck_at_random(job, way, hits, 3, check)
    figure(f"{done} × {way} while it was measured", done)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("hits", [OFTEN])
def test_checking_a_letter(tmp_path: Path, way: str, hits: int, figure: Figure) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text(LETTER, encoding="utf-8")
    reading = biasprint("letter", letter, "--json").out

    def check(answer: Answer) -> None:
        assert answer.code == 1 or answer.out == reading
        assert biasprint("letter", letter, "--json").out == reading

    done = struck_at_random(lambda: biasprint("letter", letter, "--json", code=None), way, hits, 4, check)
    figure(f"{done} × {way} while a letter was checked", done)

"""The self-test that a packaged program is tried by, from source: it passes, and says where something fails."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def self_test(*words: str, first: str = "") -> "subprocess.CompletedProcess[str]":
    """`biasprint --self-test` in a process of its own; `first` is run before it, to break something."""
    code = f"import sys\nfrom desktop.__main__ import main\n{first}\nsys.exit(main(['--self-test', *{list(words)!r}]))"
    environment = {**os.environ, "BIASPRINT_STARTED": repr(time.monotonic())}
    return subprocess.run(
        [sys.executable, "-c", f"if __name__ == '__main__':\n    exec({code!r})"],
        capture_output=True, text=True, timeout=900, cwd=ROOT, env=environment, check=False,
    )  # fmt: skip


@pytest.mark.soak
def test_the_self_test_passes_and_leaves_nothing_behind(own_home: Path) -> None:
    before = sorted(own_home.rglob("*.biasprint"))
    done = self_test()
    assert done.returncode == 0, done.stdout + done.stderr
    told = done.stdout
    steps = ("sample project", "window", "generate with synthetic", "score with minilm", "judge", "measure", "close")
    assert all(step in told for step in steps)
    assert "FAILED" not in told
    assert "Everything works." in told
    assert sorted(own_home.rglob("*.biasprint")) == before


def test_what_cannot_be_done_ends_it_as_a_failure_that_says_where() -> None:
    """Here the sample is missing, as it would be in a package that left it out."""
    lost = "from biasprint.core.runs import sample\nsample.SHIPPED = 'not-packaged.gz'"
    done = self_test(first=lost)
    assert done.returncode == 1
    assert "sample project: FAILED" in done.stdout
    assert "not-packaged.gz" in done.stderr
    assert "Everything works" not in done.stdout


def test_an_error_that_the_window_shows_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    from biasprint.core.errors import AppError
    from biasprint.desktop.self_test import Failed, Hand

    class Window:
        def show_error(self, error: AppError) -> None:
            raise AssertionError("it is the hand that must hear of it")

    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    window = Window()
    hand = Hand(window)  # type: ignore[arg-type]
    hand.check()
    window.show_error(AppError("The lexicon is missing."))
    with pytest.raises(Failed) as caught:
        hand.check()
    assert "The lexicon is missing." in caught.value.details


def test_a_start_is_timed_to_the_first_key_answered() -> None:
    done = self_test("start")
    assert done.returncode == 0, done.stderr
    painted, answered = map(float, done.stdout.split())
    assert 0 < painted < answered

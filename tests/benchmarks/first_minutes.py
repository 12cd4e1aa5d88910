"""The window as run.py opens it, with somebody at it from its first second, who tells when each thing could be done.

Started by run.py in place of `-m desktop demo`, in a bare clone: nothing but the first part is installed. It ends when
`BIASPRINT_BENCH_UNTIL` names what was told.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "core" / "python"))
LOOK_SECONDS = 1.0
MODEL = "smollm2-135m-instruct"


class Enough(Exception):
    """All that was asked for was told."""


def tell(event: str, **more: object) -> None:
    seconds = time.monotonic() - float(os.environ["BIASPRINT_STARTED"])
    print(json.dumps({"event": event, "seconds": seconds, **more}), flush=True)
    if event == os.environ.get("BIASPRINT_BENCH_UNTIL"):
        raise Enough


def sit_down(window) -> None:
    """Everything in the order in which it can be done; each wait lets the window live."""
    import biasprint.desktop.self_test as hands
    from biasprint.desktop.self_test import Hand, _is_on

    hands.PATIENCE_SECONDS = 3 * 3600
    hand = Hand(window)
    window.palette_box.hide()
    hand.wait(lambda: window.project is not None, "the sample")
    tell("the sample is open")
    window.show_panel("judge")
    hand.wait(lambda: "judge" in window.panels, "the judge panel")
    panel = window.panels["judge"]
    hand.wait(lambda: panel.pages.currentWidget() is panel.start and panel.start.start.isEnabled(), "judging")
    panel.start.start.click()
    hand.wait(lambda: _is_on(panel, 1), "the first comparison")
    hand.press("1")
    hand.wait(lambda: _is_on(panel, 2), "the second comparison")
    tell("first comparison judged")
    for part in ("statistics", "encoder", "parquet", "scorers", "model", "engine"):
        hand.wait(lambda part=part: state_of(part) in ("ready", "failed"), part)
        tell(f"{part} {state_of(part)}")
    write(hand)


_looked: dict[str, tuple[float, str]] = {}


def state_of(part: str) -> str:
    """The state of a part, looked at once a second."""
    from biasprint.core.machine.installation import status

    at, state = _looked.get(part, (0.0, ""))
    if time.monotonic() - at > LOOK_SECONDS:
        state = next(each.state for each in status() if each.part.id == part)
        _looked[part] = (time.monotonic(), state)
    return state


def write(hand) -> None:
    """Nine haiku by the small language model, by the command line beside the window."""
    with tempfile.TemporaryDirectory() as folder:
        project, table = Path(folder) / "first.biasprint", Path(folder) / "outputs.csv"
        for words in (
            ["new", project],
            ["prompts", project, "--study", "creativity", "--task", "haiku", "--theme", "stars"],
            ["generate", project, "--study", "creativity", "--backend", "llama_cpp", "--model", MODEL, "--seed", "1"],
            ["export", project, "outputs", "--out", table],
        ):
            child = subprocess.Popen([sys.executable, "-m", "biasprint", *map(str, words)], stdout=subprocess.DEVNULL)
            hand.wait(lambda child=child: child.poll() is not None, words[0])
            assert child.returncode == 0, words
        with table.open(encoding="utf-8", newline="") as file:
            texts = [row["text"] for row in csv.DictReader(file) if row["text"]]
    tell("first texts by SmolLM2", texts=len(texts), first=texts[0])


def main() -> int:
    from PySide6.QtCore import QTimer

    from biasprint.desktop import app
    from biasprint.desktop.opening import open_window
    from biasprint.desktop.start_time import FirstPaintWatch

    class Watch(FirstPaintWatch):
        def _end(self) -> None:
            try:
                tell("window answers a key")
                QTimer.singleShot(0, self, self.go_on)
            except Enough:
                self.leave(0)

        def go_on(self) -> None:
            code = 1
            try:
                sit_down(self._window)
                code = 0
            except Enough:
                code = 0
            finally:
                self.leave(code)

        def leave(self, code: int) -> None:
            """At once: a person may be in the middle of judging, and pip at work; both bear it."""
            sys.stdout.flush()
            os._exit(code)

    make = app.create_window

    def make_and_watch(settings):
        window = make(settings)
        window.watch = Watch(window)
        return window

    app.create_window = make_and_watch
    return open_window(None, demo=True)


if __name__ == "__main__":
    sys.exit(main())

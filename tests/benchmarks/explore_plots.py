"""Draws what Explore and the live board draw, from arrays, and tells how long each took: first pictures by the clock,
turns of the window's thread by its own clock and by the clock, and pictures a second while panning.
"""

import sys
import time
from typing import Any

import numpy as np
from children import tell
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from biasprint.desktop import theme
from biasprint.desktop.plots import loading

POINTS, SCORES, BAND, SERIES = 100_000, 1_000_000, 3_000, 4
PANS, UPDATES = 120, 60
SIZE = (1000, 640)


def turn(work: Any) -> tuple[float, float]:
    """Milliseconds of a piece of work with all that it leads to on this thread: its own, and by the clock."""
    own, clock = time.thread_time(), time.perf_counter()
    work()
    QApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    return 1000 * (time.thread_time() - own), 1000 * (time.perf_counter() - clock)


def importing() -> list[float]:
    for name in ("numpy", *loading.PYTHON):  # in the program they come in a job's thread
        __import__(name)
    found = []
    while True:
        before = time.thread_time()
        if next(loading.steps(), "end") == "end":
            return found
        found.append(1000 * (time.thread_time() - before))


def bands() -> list[float]:
    from biasprint.desktop.plots.band import LiveBand
    from biasprint.desktop.plots.plot import Plot

    plot, chance = Plot("Live", "texts", "share", y_unit="proportion"), np.random.default_rng(0)
    plot.resize(*SIZE)
    theme.dress(plot)
    plot.show()
    x = np.arange(1.0, BAND + 1)
    items = [LiveBand(f"group {place}", place, "proportion") for place in range(SERIES)]
    plot.show_items(items)
    found = []
    for _ in range(UPDATES):

        def update() -> None:
            for item in items:
                y = np.cumsum(chance.random(BAND) < 0.3) / x
                item.set_data(x, y, y - 0.9 / np.sqrt(x), y + 0.9 / np.sqrt(x))
            plot.follow()

        found.append(turn(update)[0])
    plot.close()
    return found


def cloud() -> dict[str, Any]:
    from biasprint.desktop.plots.cloud import Cloud
    from biasprint.desktop.plots.plot import Plot

    chance = np.random.default_rng(0)
    group = chance.integers(0, 8, POINTS).astype(np.int16)
    points = chance.normal(size=(8, 2))[group] * 3 + chance.normal(size=(POINTS, 2))
    plot, item = Plot("Map"), Cloud()
    plot.resize(*SIZE)
    theme.dress(plot)
    plot.show()
    QApplication.processEvents()

    def show() -> None:
        item.set_points(points[:, 0], points[:, 1], group, tuple("abcdefgh"))
        plot.show_items([item], fit=True)

    first = turn(show)
    pans = [turn(lambda way=way: plot.pan(0.02 * way, 0.01 * way)) for way in [1] * (PANS // 2) + [-1] * (PANS // 2)]
    zooms = [turn(lambda: plot.zoom(0.9)) for _ in range(10)]
    plot.close()
    return {"first": first[1], "pan own": [own for own, _ in pans], "pan clock": [clock for _, clock in pans],
            "zoom own": [own for own, _ in zooms], "drawings": item.drawings}  # fmt: skip


class Given:
    """In place of a project: texts and scores that are there already."""

    def __init__(self, values: np.ndarray) -> None:
        self._values = values

    def score(self, ctx: object, texts: object, of: object) -> np.ndarray:
        return self._values

    def stand_ins(self, ctx: object) -> frozenset[str]:
        return frozenset()


def scores(app: QApplication) -> dict[str, Any]:
    sys.path.insert(0, str(__import__("pathlib").Path(__file__).parents[1]))
    from fake_shell import FakeShell

    from biasprint.core.project.stores.columns import Measured
    from biasprint.desktop.panels.explore.scores import ScoresView
    from biasprint.desktop.read.explore import ExploredTexts, FieldCodes

    chance = np.random.default_rng(0)
    codes = chance.integers(0, 9, SCORES).astype(np.int32)
    field = FieldCodes("identity", tuple(f"identity {n}" for n in range(9)), codes)
    texts = ExploredTexts(
        np.arange(SCORES), np.ones(SCORES, dtype=bool), chance.integers(50, 900, SCORES), {"identity": field},
        (Measured("vader", "1", SCORES),),
    )  # fmt: skip
    values = (chance.normal(size=SCORES) + 0.05 * codes).astype(np.float32)
    view = ScoresView(FakeShell())  # type: ignore[arg-type]
    view.resize(*SIZE)
    theme.dress(view)
    view.show()
    QApplication.processEvents()
    began, turns, last = time.perf_counter(), [], [time.thread_time()]

    def beat() -> None:
        now = time.thread_time()
        turns.append(1000 * (now - last[0]))
        last[0] = now
        if view.cloud.drawings:  # the lower plot's picture: painted last
            app.exit()

    timer = QTimer(interval=0)
    timer.timeout.connect(beat)
    timer.start()
    view.set_texts(Given(values), texts)  # type: ignore[arg-type]
    app.exec()
    timer.stop()
    return {"first": 1000 * (time.perf_counter() - began), "own": turns}


def main() -> None:
    app = QApplication([])
    steps = importing()
    theme.apply(app, "light", 1.0)
    tell({"steps": steps, "bands": bands(), "cloud": cloud(), "scores": scores(app)})


if __name__ == "__main__":
    main()

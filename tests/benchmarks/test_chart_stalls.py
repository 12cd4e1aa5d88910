"""Live charts never hold the window's thread for more than a frame, whatever arrives.

What counts is the thread's own work between two turns of its event loop: by the clock, a machine that does other
things holds it as well, so the clock is told beside it.
"""

from pathlib import Path

import pytest
from charts_project import WRITTEN, with_everything
from children import answer_of
from figures import at_least, at_most, figure, spread, title

pytestmark = pytest.mark.bench

BOUND_MILLISECONDS = 16.0
LEAST_ROWS = 5_000
STAGES = {"texts arriving": 10, "texts and vectors arriving": 2, "raters finishing": 2}  # with the fewest refreshes


def test_live_charts_hold_the_window_for_a_frame_at_most(tmp_path: Path) -> None:
    path = tmp_path / "live.biasprint"
    with_everything(path)
    answer = answer_of("charts_live.py", path)
    title(f"Charts open, {WRITTEN:,} texts at the start; milliseconds that the window's thread is held at a time")
    for name in ("nothing else going on", *STAGES):
        found = answer[name]
        own, clock = spread(found["own"]), spread(found["clock"])
        figure(f"{name}: own work", own, f"ms; p99 {own.p99:.1f}")
        figure(f"{name}: by the clock", clock, f"ms; p99 {clock.p99:.1f}")
        for part, took in found["parts"].items():
            if took:
                figure(f"    {part}", spread(took), "ms")
    at_least("texts that arrived", answer["rows"], LEAST_ROWS, "")
    figure("all garbage collected, as once a minute", answer["everything collected"], "ms")
    for name, fewest in STAGES.items():
        at_least(f"refreshes, {name}", len(answer[name]["parts"]["new data shown"]), fewest, "")
    for name in STAGES:
        at_most(f"longest hold by own work, {name}", max(answer[name]["own"]), BOUND_MILLISECONDS, "ms")

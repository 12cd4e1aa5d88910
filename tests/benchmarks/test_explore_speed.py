"""Plots of many points: the first picture within a second, panning at thirty pictures a second, no long turn."""

import pytest
from children import answer_of
from explore_plots import BAND, POINTS, SCORES, SERIES
from figures import at_least, at_most, figure, spread, title

pytestmark = pytest.mark.bench

FIRST_MILLISECONDS, LONGEST_MILLISECONDS, FRAME_MILLISECONDS = 1_000, 50, 16
FEWEST_A_SECOND = 30


def test_plots_of_many_points_are_there_at_once_and_move_smoothly() -> None:
    found = answer_of("explore_plots.py", environment={"QT_QPA_PLATFORM": "offscreen"})
    title("Plots, offscreen, 1000 × 640")
    cloud, scores = found["cloud"], found["scores"]
    steps, bands = spread(found["steps"]), spread(found["bands"])
    figure("import of the library, a step's own work", steps, f"ms; longest {steps.max:.1f}")
    figure(f"{SERIES} series of {BAND:,} points with bands, updated and painted", bands, f"ms; p99 {bands.p99:.1f}")
    figure(f"{POINTS:,} points, a pan", spread(cloud["pan own"]), "ms of own work")
    figure(f"{POINTS:,} points, a zoom", spread(cloud["zoom own"]), "ms of own work")
    at_most(f"{POINTS:,} points, first picture", cloud["first"], FIRST_MILLISECONDS, "ms")
    at_most(f"{SCORES:,} scores by 9 groups, first picture", scores["first"], FIRST_MILLISECONDS, "ms")
    panned = 1_000 * len(cloud["pan clock"]) / sum(cloud["pan clock"])
    at_least("pictures a second while panning, by the clock", panned, FEWEST_A_SECOND, "")
    at_most(f"{BAND:,} points updated, per series", bands.p99 / SERIES, FRAME_MILLISECONDS, "ms")
    longest = max(*cloud["pan own"], *cloud["zoom own"], *scores["own"], *found["bands"])
    at_most("longest turn of the window's thread, own work", longest, LONGEST_MILLISECONDS, "ms")

"""Plots of many points: the first picture within a second, panning at thirty pictures a second, no long turn."""

from pathlib import Path

import pytest
from children import answer_of
from explore_plots import BAND, POINTS, SCORES, SERIES
from figures import at_least, at_most, figure, spread, title
from large_projects import with_embeddings

from biasprint.core.project.project import Project

pytestmark = pytest.mark.bench

FIRST_MILLISECONDS, LONGEST_MILLISECONDS, FRAME_MILLISECONDS = 1_000, 50, 16
FEWEST_A_SECOND = 30
FROM_FILE_SECONDS = 10.0  # vectors of 150 MB are read first, in short transactions
OPENED = 3


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


def test_a_map_of_many_texts_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "map.biasprint"
    with_embeddings(path, POINTS)
    Project.open(path).close()  # this machine knows it
    answers = [answer_of("explore_map.py", path, environment={"QT_QPA_PLATFORM": "offscreen"}) for _ in range(OPENED)]
    title(f"Map of {POINTS:,} texts from a file of {path.stat().st_size / 1e6:.0f} MB, in the window")
    assert {(one["texts"], one["points"]) for one in answers} == {(POINTS, POINTS)}
    figure("from opening Explore to the texts read", spread([one["read"] for one in answers]), "s")
    first = spread([one["first"] for one in answers])
    figure("to the picture of all", first, "s")
    own = [spread(one["opening"]["own"]) for one in answers]
    figure("window's thread held while the panel is made, once", spread([one["panel made"] for one in answers]), "ms")
    figure("and afterwards, longest by own work", spread([one.max for one in own]), "ms")
    figure("peak memory of the window's process", spread([one["peak"] for one in answers]), "MB")
    at_most("picture of all, median", first.median, FROM_FILE_SECONDS, "s")
    at_least("pictures a second while panning", min(one["pans a second"] for one in answers), FEWEST_A_SECOND, "")
    at_most("longest turn of the window's thread, own work", max(one.max for one in own), LONGEST_MILLISECONDS, "ms")

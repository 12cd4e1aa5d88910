"""A workshop's participant sees the own picture within two seconds of the last key, loaded while people judged."""

import os
from pathlib import Path

import pytest
from children import ROOT, answer_of
from figures import at_most, figure, spread, title

pytestmark = pytest.mark.bench

BOUND_SECONDS = 2.0


def test_a_picture_is_there_two_seconds_after_the_last_key(bench_home: Path) -> None:
    people = os.pathsep.join([str(ROOT), str(ROOT / "tests" / "e2e")])  # where what people do in a workshop is written
    answer = answer_of("first_picture.py", environment={"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": people})
    taken = spread(answer["seconds"])
    title(f"Workshop with the shipped set in the window, {answer['comparisons']} comparisons each, one after another")
    figure("last key to the picture painted", taken, "s")
    figure("what draws it was loaded, since the workshop began, after", answer["ready"], "s")
    at_most("the longest of them", taken.max, BOUND_SECONDS, "s")

"""A result folder of a million rows is measured and shown within five seconds, and a page of it is read at once."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from children import answer_of
from figures import at_most, figure, spread, title
from large_folders import ROWS, with_scores
from ratios import FEWEST

from biasprint.core.runs.result_folder.measuring import finished_partitions, places_in_partition, rows_of_partition

pytestmark = pytest.mark.bench

PARTITIONS = 10
PAGE = 64
SHOWN_SECONDS, PAGE_SECONDS = 5.0, 0.1


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("folders")
    yield with_scores(place, PARTITIONS)
    shutil.rmtree(place)


def test_it_is_measured_and_shown_within_five_seconds(folder: Path) -> None:
    answers = [answer_of("opens_large.py", "running", folder) for _ in range(FEWEST + 1)][1:]
    assert {one["outputs"] for one in answers} == {PARTITIONS * ROWS}
    shown = spread([one["usable"] - one["asked"] for one in answers])
    title(f"From the request to {PARTITIONS * ROWS:,} rows of a result folder, in a window that is up already")
    figure("measured, and open", spread([one["opened"] - one["asked"] for one in answers]), "s")
    figure("peak memory of the window's process", spread([one["peak_listed"] for one in answers]), "MB")
    at_most("first rows painted, median", shown.median, SHOWN_SECONDS, "s")


def test_a_page_is_read_at_once(folder: Path) -> None:
    (name, *_) = [one.name for one in finished_partitions(str(folder))]
    page = spread(
        [_seconds(lambda: rows_of_partition(str(folder), name, range(57_600, 57_600 + PAGE))) for _ in range(FEWEST)]
    )
    title(f"Rows of a partition of {ROWS:,}, in the process that reads them")
    figure("narrowed by group", _seconds(lambda: places_in_partition(str(folder), name, "woman", None)), "s")
    figure("searched", _seconds(lambda: places_in_partition(str(folder), name, None, "castle")), "s")
    at_most(f"{PAGE} rows with their texts, median", page.median, PAGE_SECONDS, "s")


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began

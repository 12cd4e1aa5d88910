"""A project with a million outputs is there within two seconds and 400 MB."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from children import answer_of
from figures import at_most, figure, ratio, spread, title
from large_projects import with_outputs

from biasprint.core.project.project import Project

pytestmark = pytest.mark.bench

OUTPUTS = 1_000_000
RUNS = 5  # after a first one, which is not counted
BOUND_SECONDS = 2.0
BOUND_MEGABYTES = 400.0


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("outputs") / "million.biasprint"
    with_outputs(path, OUTPUTS)
    yield path
    path.unlink()


@pytest.fixture
def known(large: Path) -> Path:
    """The file as this machine closed it."""
    Project.open(large).close()
    return large


@pytest.mark.parametrize("how", ["store", "window"])
def test_the_first_page_is_there_within_two_seconds(how: str, known: Path) -> None:
    answers = [answer_of("opens_large.py", how, known) for _ in range(RUNS + 1)][1:]
    usable = spread([one["usable"] for one in answers])

    what = {"store": "through the store: count and 200 rows", "window": "in the window: the outputs panel painted"}[how]
    title(f"From process start to {OUTPUTS:,} outputs, {what}; the file is {known.stat().st_size / 1e6:.0f} MB")
    assert {one["outputs"] for one in answers} == {OUTPUTS}
    figure("project open", spread([one["opened"] for one in answers]), "s")
    figure("first page usable", usable, "s")
    if how == "window":
        figure("all ids listed, so that any place can be scrolled to", spread([one["listed"] for one in answers]), "s")
        figure("peak memory by then", spread([one["peak_listed"] for one in answers]), "MB")
    row = f"{OUTPUTS:,} outputs in the window, a known file, to the first page" if how == "window" else ""
    at_most("first page usable, median", usable.median, BOUND_SECONDS, "s", row)
    peaks = [one.get("peak_listed", one["peak"]) for one in answers]
    at_most("peak memory", max(peaks), BOUND_MEGABYTES, "MB")


@pytest.mark.parametrize("how", ["running", "window"])
def test_an_unseen_file_is_there_within_two_seconds_and_examined_beside(how: str, known: Path, tmp_path: Path) -> None:
    answers = [_unseen(how, known, tmp_path / "elsewhere") for _ in range(RUNS + 1)][1:]
    usable = spread([one["usable"] - one["asked"] for one in answers])

    what = {"running": "a window that is up already", "window": "a window that is started for it"}[how]
    title(f"From the request to {OUTPUTS:,} outputs that this machine has not seen nor cached, in {what}")
    figure("project open", spread([one["opened"] - one["asked"] for one in answers]), "s")
    figure("first page usable", usable, "s")
    figure("examined, so that writing begins", spread([one["writable"] - one["asked"] for one in answers]), "s")
    at_most("first page usable, median", usable.median, BOUND_SECONDS, "s")


def test_what_an_unseen_or_cold_file_costs(known: Path, tmp_path: Path) -> None:
    warm = spread([answer_of("opens_large.py", "store", known)["usable"] for _ in range(3)])
    cold = []
    for _ in range(3):
        forget(known)
        cold.append(answer_of("opens_large.py", "store", known)["usable"])
    unseen = [_unseen("store", known, tmp_path / "elsewhere")["usable"] for _ in range(3)]

    title(f"The same {OUTPUTS:,} outputs through the store, from process start")
    figure("known file, in the disk's cache", warm, "s")
    if hasattr(os, "posix_fadvise"):
        figure("known file, not in the disk's cache", spread(cold), "s")
    figure("a file this machine has not seen: every page is checked", spread(unseen), "s")
    ratio("unseen to known", spread(unseen).median, warm.median)


def _unseen(how: str, path: Path, home: Path) -> Any:
    """The answer of a program whose own folder is new, so that the file is to it."""
    forget(path)
    try:
        return answer_of("opens_large.py", how, path, environment={"BIASPRINT_HOME": str(home)})
    finally:
        shutil.rmtree(home)


def forget(path: Path) -> None:
    """Have the system drop the file from its cache, where that can be asked for."""
    if hasattr(os, "posix_fadvise"):
        handle = os.open(path, os.O_RDONLY)
        os.fsync(handle)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(handle)

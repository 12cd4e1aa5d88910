"""What a tally keeps outside the memory: the digits of what is in memory, hardly any growth, a sentence if lost."""

import gc
import sqlite3
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from live_scene import Quick, store, tally_of, written

from biasprint.core.jobs import JobContext
from biasprint.core.metrics.sums import ClusterSums
from biasprint.core.project.project import Project
from biasprint.core.runs.measure import scorers_needed
from biasprint.core.scorers.registry import score_batch
from biasprint.core.studies.kit.live import Drawer, IdSet, NotKept, rows_shelf


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Project]:
    """With the lexicon's counts."""
    with Project.create(tmp_path / "study.biasprint") as project:
        written(project, "letters", names=["Kelly=female", "Joseph=male"])
        info = next(one for one in scorers_needed("letters") if one.name == "lexicon")
        ids = [row.id for row in project.outputs.each()]
        texts = project.outputs.texts(ids)
        _, values = Quick().call(score_batch, info.name, [texts[key] for key in ids])
        store(project, info, {("output", key): one.values for key, one in zip(ids, values, strict=True)})
        yield project


def test_sums_with_their_rows_on_a_shelf_have_the_digits_of_those_in_memory() -> None:
    chance = np.random.default_rng(3)
    inside, outside = ClusterSums(4), ClusterSums(4, rows_shelf(Drawer()))
    for _ in range(300):
        cluster, group, row = (
            f"block {chance.integers(40)} \udcff", "ab"[chance.integers(2)], chance.standard_cauchy(4) * 1e-7
        )  # fmt: skip
        for sums in (inside, outside):
            sums.add(cluster, group, row)
    for sums in (inside, outside):
        sums.put("block 1 \udcff", "a", None)
        sums.put("block 1 \udcff", "b", None)
    slopes = {"a": chance.random(4), "b": chance.random(4)}
    assert outside.totals("a").tolist() == inside.totals("a").tolist()
    assert outside.error(slopes) == inside.error(slopes)
    assert (outside.clusters("a", "b"), outside.both("a", "b")) == (inside.clusters("a", "b"), inside.both("a", "b"))


@pytest.mark.soak
def test_ten_thousand_blocks_take_no_more_memory_than_a_thousand() -> None:
    sums = ClusterSums(8, rows_shelf(Drawer()))
    held = []
    tracemalloc.start(1)
    try:
        for block in range(3_000):
            if block in (1_000, 2_999):
                gc.collect()
                held.append(tracemalloc.get_traced_memory()[0])
            sums.add(f"block {block}", "a", np.ones(8))
    finally:
        tracemalloc.stop()
    assert held[1] - held[0] < 2_000 * 20, "bytes for each block"  # a row in memory takes some hundred


def test_shelves_of_a_drawer_do_not_meet_and_what_is_changed_is_put_back() -> None:
    drawer = Drawer()
    one, other = drawer.shelf(list, list), drawer.shelf(list, list)
    one["x"] = [1]
    one["output", 5] = [2]
    assert (one.get("x"), one.get(("output", 5)), other.get("x"), one.get("y")) == ([1], [2], None, None)
    found = one.get("x")
    assert found is not None
    found.append(2)
    assert one.get("x") == [1]
    del one["x"]
    assert one.get("x") is None


def test_a_set_of_ids_holds_what_was_added() -> None:
    ids = IdSet()
    for number in (1, 8, 70_000):
        ids.add(number)
    assert [number for number in (0, 1, 7, 8, 9, 69_999, 70_000, 70_001, 10**9) if number in ids] == [1, 8, 70_000]


def test_where_nothing_can_be_kept_it_says_so_and_begins_again_when_there_is_room(letters: Project) -> None:
    tally = tally_of(letters, "letters")
    tally.catch_up(JobContext())
    known = tally.values()
    full = tally_of(letters, "letters")
    drawer = full._tally._drawer  # type: ignore[attr-defined]
    working, drawer._connection = drawer._connection, sqlite3.connect("file::memory:?mode=ro", uri=True)
    with pytest.raises(NotKept, match="no room for them on the disk of temporary files") as told:
        full.catch_up(JobContext())
    working.close()
    assert "project" in told.value.kept
    full.catch_up(JobContext())
    assert full.values() == known

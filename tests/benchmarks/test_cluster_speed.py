"""Two nodes of one processor each beside one: the same texts, scored by the command line on a Ray cluster."""

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pytest
from figures import figure, spread, title
from pyarrow import parquet
from ratios import FEWEST, Ratio, faster
from ray_nodes import biasprint, nodes, ready

pytest.importorskip("ray", reason="Ray is not installed (extra cluster)")
pytestmark = [
    pytest.mark.bench,
    pytest.mark.skipif(sys.platform != "linux", reason="Ray's nodes are started on Linux alone"),
    pytest.mark.timeout(3600),
]

PARTITIONS, ROWS = 64, 4_000
AHEAD = 1.7  # two nodes beside one, with what starting the workers takes in both
WORDS = ["good", "bad", "happy", "sad", "terrible", "the", "a", "leader", "kind", "caring", "lazy", "is", "she", "not"]


def scored_by(count: int, data: Path, out: Path) -> float:
    """Seconds of one command on so many nodes, which are there before."""
    with nodes(count) as address:
        began = time.perf_counter()
        done = biasprint("score", data, "--cluster", address, "--out", out, "--scorer", "textblob", "--json")
        spent = time.perf_counter() - began
    assert done.returncode == 0, done.stderr
    return spent


def test_two_nodes_beside_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record: Callable[[Ratio], None]) -> None:
    ready(monkeypatch)
    data, chance = tmp_path / "data", random.Random(3)
    data.mkdir()
    for number in range(PARTITIONS):
        texts = [" ".join(chance.choices(WORDS, k=40)) for _ in range(ROWS)]
        parquet.write_table(pyarrow.table({"text": texts}), data / f"part-{number}.parquet")
    spent: dict[int, list[float]] = {1: [], 2: []}
    for number in range(FEWEST):
        for count in (1, 2) if number % 2 else (2, 1):
            spent[count].append(scored_by(count, data, tmp_path / f"out-{number}-{count}"))
    title(f"{PARTITIONS * ROWS:,} texts of 40 words, textblob, {PARTITIONS} partitions, by the clock")
    figure("one node of one processor", spread(spent[1]), "s")
    figure("two", spread(spent[2]), "s")
    told = faster("Scoring on two nodes of one processor", spent[2], "one such node", spent[1])
    record(told)
    assert told.ratio >= AHEAD

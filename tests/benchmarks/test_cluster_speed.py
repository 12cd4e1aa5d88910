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
from ratios import FEWEST, Ratio, faster, more
from ray_nodes import biasprint, nodes, ready

pytest.importorskip("ray", reason="Ray is not installed (extra cluster)")
pytestmark = [
    pytest.mark.bench,
    pytest.mark.skipif(sys.platform != "linux", reason="Ray's nodes are started on Linux alone"),
    pytest.mark.timeout(3600),
]

PARTITIONS, ROWS = 32, 4_000
AHEAD = 1.7  # two nodes beside one, both at work
WORDS = ["good", "bad", "happy", "sad", "terrible", "the", "a", "leader", "kind", "caring", "lazy", "is", "she", "not"]


def scored_by(count: int, data: Path, out: Path) -> tuple[float, float]:
    """Seconds of one command on so many nodes, which are there before; and texts a second once each is at work.

    The second is counted from when as many partitions are written as there are nodes, until the last one is: until
    then a command and its workers are started, which takes as long on any number of machines.
    """
    with nodes(count) as address:
        began = time.perf_counter()
        done = biasprint("score", data, "--cluster", address, "--out", out, "--scorer", "textblob", "--json")
        spent = time.perf_counter() - began
    assert done.returncode == 0, done.stderr
    written = sorted(path.stat().st_mtime for path in (out / "scores").glob("*.parquet"))
    assert len(written) == PARTITIONS
    return spent, ROWS * (PARTITIONS - count) / (written[-1] - written[count - 1])


def test_two_nodes_beside_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record: Callable[[Ratio], None]) -> None:
    ready(monkeypatch)
    data, chance = tmp_path / "data", random.Random(3)
    data.mkdir()
    for number in range(PARTITIONS):
        texts = [" ".join(chance.choices(WORDS, k=40)) for _ in range(ROWS)]
        parquet.write_table(pyarrow.table({"text": texts}), data / f"part-{number}.parquet")
    spent: dict[int, list[float]] = {1: [], 2: []}
    rates: dict[int, list[float]] = {1: [], 2: []}
    for number in range(FEWEST):
        for count in (1, 2) if number % 2 else (2, 1):
            seconds, rate = scored_by(count, data, tmp_path / f"out-{number}-{count}")
            spent[count].append(seconds)
            rates[count].append(rate)
    title(f"{PARTITIONS * ROWS:,} texts of 40 words, textblob, {PARTITIONS} partitions, by the clock")
    for count, name in ((1, "one node of one processor"), (2, "two")):
        figure(f"{name}, the whole command", spread(spent[count]), "s")
        figure(f"{name}, at work", spread(rates[count]), "texts a second")
    record(faster("Scoring on two nodes of one processor, the whole command", spent[2], "one such node", spent[1]))
    told = more("Scoring on two nodes of one processor, at work", rates[2], "one such node", rates[1], "texts a second")
    record(told)
    assert told.ratio >= AHEAD

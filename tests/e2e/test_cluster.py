"""Two nodes of a real Ray cluster on loopback: a worker is killed in the middle, and one machine gives the same."""

import json
import random
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet
from ray_nodes import HERE, ROOT, biasprint, nodes, ready

from biasprint.core.runs.result_folder import SCORES
from biasprint.core.runs.result_folder.scoring import ScoringOrder, plan, score_partition

pytestmark = [
    # Looked for, not imported: that takes seconds wherever tests are collected.
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed (extra cluster)"),
    pytest.mark.soak,  # starting nodes takes as long as the machine is busy, and Ray has limits of its own
    pytest.mark.skipif(sys.platform != "linux", reason="Ray's nodes are started on Linux alone"),
    pytest.mark.timeout(600),
]

WORDS = ["good", "bad", "happy", "sad", "terrible", "the", "a", "leader", "kind", "caring", "lazy", "is", "she"]


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Paths for all processes, and the folder of the killing scorer's marks."""
    marks = tmp_path / "marks"
    marks.mkdir()
    ready(monkeypatch, HERE / "data" / "killer_plug_in")
    monkeypatch.setenv("KILLER_MARKS", str(marks))
    return marks


@pytest.fixture
def address(environment: Path) -> Iterator[str]:
    """Of two nodes of one processor each."""
    with nodes(2) as found:
        yield found


def _write(data: Path, name: str, texts: list[str], chance: random.Random) -> None:
    groups = [chance.choice(["woman", "man"]) for _ in texts]
    parquet.write_table(pyarrow.table({"group": groups, "text": texts}), data / name)


def test_two_nodes_whose_workers_are_killed_give_what_one_machine_gives(
    environment: Path, address: str, tmp_path: Path
) -> None:
    data, out, alone = tmp_path / "data", tmp_path / "out", tmp_path / "alone"
    data.mkdir()
    chance = random.Random(5)
    for number in range(5):
        texts = [" ".join(chance.choices(WORDS, k=12)) for _ in range(40)]
        extra = {1: ["dies once"], 3: ["dies always"]}.get(number, [])
        _write(data, f"part-{number}.parquet", texts + extra, chance)
    (data / "part-9.parquet").write_bytes(b"PAR1 torn")
    asked = ("score", data, "--cluster", address, "--out", out, "--scorer", "textblob", "--scorer", "killer", "--json")

    first = biasprint(*asked)
    assert first.returncode == 1, first.stderr
    assert first.stdout, first.stderr
    told = json.loads(first.stdout)
    assert (environment / "died").exists()
    assert {one["partition"] for one in told["failed"]} == {"part-3.parquet", "part-9.parquet"}, told
    assert "“part-3.parquet” was not scored: the worker was lost 3 times" in first.stderr
    assert "“part-9.parquet” was not scored: it cannot be read as a Parquet file" in first.stderr
    assert sorted(path.name for path in (out / SCORES).glob("part-*")) == [f"part-{n}.parquet" for n in (0, 1, 2, 4)]

    (environment / "mended").touch()
    _write(data, "part-9.parquet", ["good", "bad"], chance)
    second = biasprint(*asked)
    assert second.returncode == 0, second.stderr
    told = json.loads(second.stdout)
    assert (told["before"], told["scored"], told["failed"]) == (4, 2, [])
    assert not list((out / SCORES).glob(".*")), "what killed workers left lying is removed"

    sys.path.insert(0, str(HERE / "data" / "killer_plug_in"))
    try:
        order = plan(data, alone, ["textblob", "killer"]).order
        _held_to_one_machine(order, out)
    finally:
        sys.path.remove(str(HERE / "data" / "killer_plug_in"))


def _held_to_one_machine(order: ScoringOrder, out: Path) -> None:
    for name in [f"part-{number}.parquet" for number in (0, 1, 2, 3, 4, 9)]:
        assert score_partition(order, name).refused == ""
        here, there = parquet.read_table(order.target(name)), parquet.read_table(out / SCORES / name)
        assert here.equals(there), name


def test_a_cluster_of_another_version_and_something_else_at_the_address_are_told(address: str, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    _write(tmp_path / "data", "a.parquet", ["good"], random.Random(1))
    code = "import sys, ray; ray.__version__ = '1.0'\nfrom biasprint.__main__ import main\nsys.exit(main(sys.argv[1:]))"
    asked = ["score", tmp_path / "data", "--out", tmp_path / "out", "--scorer", "length", "--cluster"]
    command = [sys.executable, "-c", code, *map(str, asked), address]
    older = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=200)
    assert older.returncode == 1
    assert "has another version of Ray or Python than this computer" in older.stderr, older.stderr
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        nobody = biasprint(*asked, f"127.0.0.1:{silent.getsockname()[1]}")
    assert nobody.returncode == 1
    assert "No Ray cluster answers at" in nobody.stderr

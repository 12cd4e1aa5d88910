"""Many packets merged in one go: every answer is there once, for whoever gave it; a cancel leaves whole packets."""

import itertools
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from packet_files import coordinator, finished, make
from trust.report import Figure

from biasprint.core.errors import JobCancelled
from biasprint.core.jobs import JobContext
from biasprint.core.judging.packets.merge import merge_packets
from biasprint.core.project.damaged import check_project
from biasprint.core.project.project import Project
from biasprint.core.project.specs import JudgmentSpec, RunSpec
from biasprint.core.project.writer import Write

# Told on one line: seconds, and the memory that merging took beyond what importing had.
MERGE = """
import json, sys, time
from pathlib import Path
from biasprint.core.jobs import JobContext
from biasprint.core.judging.packets.merge import merge_packets
from biasprint.core.project.project import Project
paths = sorted(Path(sys.argv[2]).glob("*.bpacket"))
def peak():  # of this program: ru_maxrss begins with what the process had that started it
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
with Project.open(Path(sys.argv[1])) as project:
    before, start = peak(), time.perf_counter()
    report = merge_packets(JobContext(), project, paths)
    took = time.perf_counter() - start
print(json.dumps({"seconds": took, "mb": peak() - before, "added": [file.added for file in report.files],
                  "refused": [file.refused for file in report.files if file.refused or file.held]}))
"""


def more_runs(path: Path, runs: int) -> None:
    """Runs beside the one that the plan's texts are of."""
    with Project.open(path) as project:
        (first,) = project.runs.all()
        keys = {"study_id": first.study_id, "prompt_set_id": first.prompt_set_id, "generator_id": first.generator_id}
        for seed in range(2, runs + 1):
            project.runs.start(RunSpec(seed=seed, **keys))


def answer_all(packet: Path, chance: random.Random) -> list[int]:
    """The card chosen in each comparison, in their order; in one transaction, as 100,000 take hours."""
    with Project.open(packet) as project, pytest.MonkeyPatch.context() as patch:
        (session,), (plan,) = project.judging.sessions(), project.judging.plans()
        rows = project.judging.comparisons(plan.id)
        chosen = [chance.randrange(3) for _ in rows]
        writer, writes = project.judging._writer, list[Write]()
        patch.setattr(writer, "write", lambda write, urgent: writes.append(write))
        for row, card in zip(rows, chosen, strict=True):
            project.judging.record(
                JudgmentSpec(
                    session_id=session.id, comparison_id=row.id, outcome="choice", chosen=card, shown=(0, 1, 2),
                    texts_sha256=row.texts_sha256, active_seconds=1.0,
                )
            )  # fmt: skip
        patch.undo()
        writer.write(lambda connection: [write(connection) for write in writes][-1])
    finished(packet)
    return chosen


def judged(path: Path) -> Counter[str]:
    """How many judgments each rater has, by code."""
    with Project.open(path, read_only=True) as project:
        raters = {row.id: row.code for row in project.judging.raters()}
        codes = {row.id: raters[row.rater_id] for row in project.judging.sessions()}
        return Counter(codes[row.session_id] for row in project.judging.judgments(superseded=True))


def plain_insert(path: Path, target: Path) -> float:
    """Seconds that SQLite itself takes to write the judgments into an empty table of the same columns, synced."""
    with closing(sqlite3.connect(path)) as reading, closing(sqlite3.connect(target)) as writing:
        (schema,) = reading.execute("SELECT sql FROM sqlite_schema WHERE name = 'judgment'").fetchone()
        rows = reading.execute("SELECT * FROM judgment").fetchall()
        writing.execute("PRAGMA synchronous=EXTRA")
        writing.execute(schema)
        start = time.perf_counter()
        writing.executemany(f"INSERT INTO judgment VALUES ({', '.join('?' * len(rows[0]))})", rows)
        writing.commit()
        return time.perf_counter() - start


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody says how much memory it took")
@pytest.mark.parametrize(
    ("packets", "comparisons", "runs"),
    [(4, 25, 10), pytest.param(50, 2_000, 1_000, marks=[pytest.mark.soak, pytest.mark.timeout(7200)])],
)
def test_many_packets_are_merged_in_one_go(
    tmp_path: Path, packets: int, comparisons: int, runs: int, figure: Figure
) -> None:
    project, came = tmp_path / "study.biasprint", tmp_path / "packets"
    plan = coordinator(project, comparisons=comparisons)
    more_runs(project, runs)
    codes = [f"R{number:02}" for number in range(1, packets + 1)]
    make(project, plan, *codes, folder=came)
    chance = random.Random(packets)
    for packet in sorted(came.glob("*.bpacket")):
        answer_all(packet, chance)
    cancelled_leaves_whole_packets(project, sorted(came.glob("*.bpacket")), comparisons)
    done = subprocess.run([sys.executable, "-c", MERGE, project, came], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert told["refused"] == []
    assert told["added"] == [comparisons] * packets
    assert judged(project) == Counter(dict.fromkeys(codes, comparisons))
    with Project.open(project) as opened:
        assert sum(file.added for file in merge_packets(JobContext(), opened, sorted(came.glob("*"))).files) == 0
    assert judged(project) == Counter(dict.fromkeys(codes, comparisons)), "merged again it is not the same"
    assert check_project(project).sound
    ratio = told["seconds"] / plain_insert(project, tmp_path / "plain.sqlite")
    figure(
        f"{packets} packets with {packets * comparisons:,} answers merged into a project with {runs:,} runs, each "
        f"once; {told['mb']:.0f} MB more memory, {ratio:.0f} times as long as SQLite takes to insert the rows",
        packets * comparisons,
    )


def cancelled_leaves_whole_packets(project: Path, paths: Sequence[Path], comparisons: int) -> None:
    """On a copy: cancelled after the half of them, the others are not there at all."""
    copy = Path(shutil.copy(project, project.with_name("cancelled.biasprint")))

    ticks = itertools.count()  # of the clock, which is asked once for each file
    ctx = JobContext(lambda progress: ctx.cancel() if progress.done >= len(paths) // 2 else None, lambda: next(ticks))
    with Project.open(copy) as opened, pytest.raises(JobCancelled):
        merge_packets(ctx, opened, paths)
    assert sorted(judged(copy).values()) == [comparisons] * (len(paths) // 2)
    assert check_project(copy).sound

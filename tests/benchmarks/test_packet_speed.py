"""Fifty packets of 500 judgments each are merged within ten seconds; packets are made, and judgments read, as fast."""

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # for packet_files

from figures import at_most, figure, title
from packet_files import coordinator, make, merge
from sqlalchemy import Connection, insert

from biasprint.core.judging.packets.decisions import packets
from biasprint.core.judging.packets.packet import finish_packet
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.specs import JudgmentSpec
from biasprint.core.project.stores.chain import sign_judgment
from biasprint.core.project.stores.judging import _judgment_values, judgment

pytestmark = pytest.mark.bench

Answer = TypeVar("Answer")

PACKETS, COMPARISONS = 50, 500
BOUND_SECONDS = 10.0
BOUND_READ = 2.0  # 25,000 judgments in force, with the check for conflicts


def test_fifty_packets_are_merged_within_ten_seconds(tmp_path: Path) -> None:
    path = tmp_path / "study.biasprint"
    plan = coordinator(path, comparisons=COMPARISONS)
    codes = [f"R{number:02d}" for number in range(1, PACKETS + 1)]
    made, making = timed(lambda: make(path, plan, *codes))
    for one in made:
        rate(one.path)
    files = [one.path for one in made]
    report, merging = timed(lambda: merge(path, *files))
    again, repeating = timed(lambda: merge(path, *reversed(files)))
    with Project.open(path) as project:
        in_force, reading = timed(project.judging.judgments)
        states, listing = timed(lambda: packets(project))

    title(f"{PACKETS} packets of {COMPARISONS} comparisons with three texts each")
    assert {one.refused for one in (*report.files, *again.files)} == {""}
    assert sum(one.added for one in report.files) == sum(one.repeated for one in again.files) == len(in_force)
    assert len(in_force) == PACKETS * COMPARISONS
    assert {one.state for one in states} == {"finished"}
    figure("made", making, "s")
    figure("every file merged a second time", repeating, "s")
    figure("how the packets stand", listing, "s")
    at_most("merged", merging, BOUND_SECONDS, "s")
    at_most("judgments in force read", reading, BOUND_READ, "s")


def timed(work: Callable[[], Answer]) -> tuple[Answer, float]:
    before = time.perf_counter()
    answer = work()
    return answer, time.perf_counter() - before


def rate(path: Path) -> None:
    """An answer to every comparison, signed as the program signs it, all of them written at once; then finished."""
    chance = random.Random(path.name)
    with Project.open(path) as project:
        (session,), (plan,) = project.judging.sessions(), project.judging.plans()
        rows = [
            _judgment_values(
                JudgmentSpec(
                    session_id=session.id, comparison_id=row.id, outcome="choice", chosen=chance.randrange(3),
                    shown=(0, 1, 2), texts_sha256=row.texts_sha256, note="a note", active_seconds=3.5,
                )
            )
            for row in project.judging.comparisons(plan.id)
        ]  # fmt: skip

        def write(connection: Connection) -> Changes:
            connection.execute(insert(judgment), rows)
            for row in rows:
                sign_judgment(connection, session.id, row["row_sha256"])
            return Changes()

        project.packets._writer.write(write)
        finish_packet(project)

"""A rater's process killed with signal 9 inside a packet: what was acknowledged stays, once, and merges afterwards."""

import os
import random
import shutil
from pathlib import Path

import pytest
from killed import Lives
from packet_files import coordinator, finished, make, merge, rated_through_the_door
from packet_kills import RATE, Told, kill_often, look_at, note_of
from trust.report import Figure

from biasprint.core.judging.packets.packet import packet_info
from biasprint.core.project.damaged import check_project
from biasprint.core.project.project import Project

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kill −9 is POSIX's")

FEW_KILLS, KILLS_OF_A_PACKET = 5, 10


def killed_and_merged(folder: Path, kills: int, seed: int) -> None:
    """One packet: its rater is killed again and again, then it goes to its coordinator, and is finished at last."""
    project = folder / "study.biasprint"
    comparisons = 30 * kills
    plan = coordinator(project, comparisons=comparisons)
    (packet,) = make(project, plan, "R02")
    said = kill_often(packet.path, kills, seed)
    assert said < comparisons, "the packet was too small for so many kills"
    (came,) = merge(project, packet.path).files
    assert (came.added, came.refused, came.finished) == (said, "", False)
    rest = rated_through_the_door(packet.path)
    assert len(rest) == comparisons - said
    (came,) = merge(project, packet.path).files
    assert (came.added, came.repeated, came.conflicting, came.finished) == (len(rest), said, 0, True)
    with Project.open(project) as open_one:
        assert len(open_one.judging.judgments()) == comparisons
    assert check_project(project).sound


def test_killed_while_rating_in_a_packet_nothing_is_lost_and_nothing_is_twice(tmp_path: Path, figure: Figure) -> None:
    killed_and_merged(tmp_path, FEW_KILLS, seed=1)
    figure(f"{FEW_KILLS} kills in packets, no answer lost or twice", FEW_KILLS)


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_killed_a_thousand_times_while_rating_in_packets(tmp_path: Path, figure: Figure) -> None:
    for seed in range(1000 // KILLS_OF_A_PACKET):
        folder = tmp_path / str(seed)
        folder.mkdir()
        killed_and_merged(folder, KILLS_OF_A_PACKET, seed)
        shutil.rmtree(folder)
    figure("1,000 kills in packets, no answer lost or twice", 1_000)


@pytest.mark.soak
def test_killed_while_finishing_a_packet_is_finished_or_not_and_never_between(tmp_path: Path) -> None:
    project = tmp_path / "study.biasprint"
    plan = coordinator(project, comparisons=3)
    (packet,) = make(project, plan, "R02")
    chance = random.Random(3)
    pristine, states = packet.path.read_bytes(), set()
    with Lives(RATE) as rater:
        for _ in range(5):
            packet.path.write_bytes(pristine)
            told = Told()
            told.hear(rater.killed(packet.path, chance.uniform(0.0, 0.004), wait_for="finish"))
            assert look_at(packet.path, told, kills=0) == len(told.said) == 3
            with Project.open(packet.path, read_only=True) as open_one:
                info = packet_info(open_one)
            assert info is not None
            states.add(info.finished)
            target = Path(shutil.copy(project, tmp_path / "target.biasprint"))
            (came,) = merge(target, packet.path).files
            assert (came.added, came.refused, came.finished) == (3, "", info.finished)
            if not info.finished:
                (came,) = merge(target, finished(packet.path)).files
                assert (came.added, came.repeated, came.finished) == (0, 3, True)
    assert states, "no packet was looked at"


def test_the_look_after_a_kill_finds_what_is_missing(tmp_path: Path) -> None:
    """The check itself: it must fail where something acknowledged is not in the file."""
    project = tmp_path / "study.biasprint"
    (packet,) = make(project, coordinator(project, comparisons=3), "R02")
    assert look_at(packet.path, Told(), kills=0) == 0
    with pytest.raises(AssertionError, match="judgment is lost"):
        look_at(packet.path, Told(said=[2]), kills=0)
    with pytest.raises(AssertionError, match="note is lost"):
        look_at(packet.path, Told(notes=[1]), kills=0)
    with pytest.raises(AssertionError, match="open again"):
        look_at(packet.path, Told(finished=True), kills=0)
    assert note_of(2) == "2 2 2 "

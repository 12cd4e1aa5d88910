"""A clock that jumps by hours and years, also between sessions: everything but the times is as with a steady one."""

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import pytest
from packet_files import finished, judging, merge, packet_of_six, say
from seeded_part import seeded_part
from trust.report import Figure

from biasprint.core.jobs import JobContext
from biasprint.core.judging import open_ratings
from biasprint.core.judging.packets.decisions import conflicts, packets
from biasprint.core.judging.session import offer_plans, open_session
from biasprint.core.judging.work import record_choice
from biasprint.core.project import backup
from biasprint.core.project.backup import backups, check_backups
from biasprint.core.project.damaged import check_project
from biasprint.core.project.project import Project
from biasprint.core.project.stores import common
from biasprint.core.texts.exporting import rows

START = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)  # half an hour before summer time ends in Europe
JUMPS = (
    timedelta(seconds=2), timedelta(hours=1), timedelta(hours=-1), timedelta(hours=-3), timedelta(days=-154),
    timedelta(days=365 * 5), timedelta(days=-365 * 5), timedelta(days=365 * 73), timedelta(days=-365 * 56),
)  # fmt: skip
ZONES = ("Europe/Berlin", "America/New_York", "Pacific/Kiritimati", "UTC")
TIMES = ("judged_at", "seconds", "viewed")  # seconds are those of a clock that nobody sets


def clock(times: Iterator[datetime]) -> type[datetime]:
    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Clock":
            at = next(times)
            return cls.fromtimestamp(at.timestamp(), tz)

    return Clock


def steady() -> Iterator[datetime]:
    at = START
    while True:
        yield at
        at += timedelta(seconds=1)


def jumping(seed: int) -> Iterator[datetime]:
    chance, at = random.Random(seed), START
    while True:
        yield at
        moved = at + chance.choice(JUMPS)
        at = moved if 1970 <= moved.year < 2100 else START


def rate(packet: Path, seed: int) -> None:
    """Answers in four sittings, with revisions and undone answers, as a person gives them; then a few by hand."""
    chance = random.Random(seed)
    left = 8
    while left:
        with judging(packet) as door:
            (offer,) = door.ask(offer_plans).result().offers
            view = door.ask(open_session, offer.token, "R02", True, "").result()
            for _ in range(min(left, 2)):
                assert view.comparison is not None
                view = door.ask(
                    record_choice, view.comparison.token, "choice", chance.randrange(3), "", None, ()
                ).result()
                left -= 1
    with Project.open(packet) as inside:
        for index in (3, 1, 3):
            say(inside, index, "choice", chance.randrange(3))
        say(inside, 2, "undone")
        say(inside, 2, "tie")


def outcome(folder: Path, times: Callable[[], Iterator[datetime]], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What is exported, listed and backed up of a packet that was rated and merged under this clock."""
    project = folder / "canaryprojectqx.biasprint"
    packet = packet_of_six(project)
    with monkeypatch.context() as patch:
        passing = clock(times())
        for module in (common, backup, open_ratings):
            patch.setattr(module, "datetime", passing)
        rate(packet, 1)
        finished(packet)
        (came,) = merge(project, packet).files
        (again,) = merge(project, packet).files
        for number in range(5):
            with Project.open(project) as one:
                one.events.add("opened", {"number": number})
        check_backups(project, JobContext())
        kept = backups(project)
    assert check_project(project).sound
    assert check_project(packet).sound
    with Project.open(project, read_only=True) as one:
        made = [dict(row) for row in rows(JobContext(), one, "judgments", superseded=True)]
        in_force = [dict(row) for row in rows(JobContext(), one, "judgments")]
        assert all(row["seconds"] >= 0 for row in made)
        listed = [(each.code, each.state, each.answered) for each in packets(one)]
        conflicting = len(conflicts(one))
    assert [each.number for each in kept] == sorted((each.number for each in kept), reverse=True)
    return {
        "came": (came.code, came.added, came.repeated, came.finished, came.refused, again.added, again.refused),
        "all": [without_times(row) for row in made],
        "in force": [without_times(row) for row in in_force],
        "packets": listed,
        "conflicts": conflicting,
        "newest backup": kept[0].state,
    }


def without_times(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in TIMES and not name.endswith(("_id", "id"))}


@pytest.mark.parametrize("seed", seeded_part(range(20), 1))
def test_only_the_times_differ_from_those_of_a_steady_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, figure: Figure
) -> None:
    monkeypatch.setenv("TZ", ZONES[seed % len(ZONES)])
    found = []
    for name, times in (("steady", steady), ("jumping", lambda: jumping(seed))):
        folder = tmp_path / name
        folder.mkdir()
        found.append(outcome(folder, times, monkeypatch))
    assert found[1] == found[0]
    assert found[0]["packets"][1][1:] == ("finished", 8)
    figure("1 packet rated, sealed and merged while the clock jumped", 1)

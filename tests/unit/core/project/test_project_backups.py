"""Backups: one of each age, whatever the clock says, and never a damaged one in the place of a sound one."""

import shutil
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from trust.report import Figure

from biasprint.core.errors import JobCancelled
from biasprint.core.jobs import JobContext
from biasprint.core.project import backup
from biasprint.core.project.backup import Backup, State, back_up, backups, check_backups, kept_by_age, thin
from biasprint.core.project.damaged import check_project
from biasprint.core.project.project import Project
from tests.backup_trials import FIVE_YEARS, START, damage_a_row, lost_on_a_damaged_file, session, sound

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "study.biasprint"
    with Project.create(place) as project:
        project.studies.add("letters", "Letters")
    shutil.rmtree(backup.backup_folder(place))
    return place


def holds(one: Backup) -> int:
    """How many events the copy has, read without leaving a backup of it."""
    return check_project(one.path).rows["event"]


def test_five_sessions_on_a_damaged_file_leave_every_good_backup(path: Path) -> None:
    for number in range(4):
        session(path, START - (4 - number) * DAY)
    assert lost_on_a_damaged_file(path, sessions=5) == 0
    found = backups(path)
    assert [one.state for one in found].count(State.DAMAGED) == 1  # the newest: the file as it is
    assert len(sound(found)) >= 4


@pytest.mark.soak
def test_twenty_sessions_on_a_damaged_file_leave_every_good_backup(path: Path, figure: Figure) -> None:
    for number in range(6):
        session(path, START - (6 - number) * DAY)
    lost = lost_on_a_damaged_file(path, sessions=20)
    figure(f"20 sessions on a damaged file, the clock five years off in 14: {lost} sound backups lost")
    assert lost == 0


def test_a_session_five_years_ahead_does_not_stop_backups(path: Path) -> None:
    session(path, START)
    session(path, START + FIVE_YEARS)
    newest = session(path, START + HOUR)[0]
    assert holds(newest) == 2  # as the session began: one of each before it
    numbers = [one.number for one in session(path, START + 2 * HOUR)]
    assert numbers == sorted(numbers, reverse=True)


def test_an_unchanged_file_is_not_copied_again_also_when_it_is_damaged(path: Path) -> None:
    damage_a_row(path)
    for _ in range(3):
        Project.open(path).close()
    check_backups(path, JobContext())
    Project.open(path).close()
    assert [one.state for one in backups(path)] == [State.DAMAGED] + [State.SOUND] * (len(backups(path)) - 1)


def aged(*hours: float) -> list[Backup]:
    """Backups, newest first, made so many hours before `START`."""
    return [
        Backup(Path(f"{number}"), number, START - timedelta(hours=before), "0", State.SOUND)
        for number, before in zip(range(len(hours), 0, -1), hours, strict=True)
    ]


def ages(kept: list[Backup]) -> list[float]:
    return sorted({(START - one.made) / HOUR for one in kept if one.made})


def test_the_newest_and_one_of_each_age_are_kept() -> None:
    # Within the hour; within the day; within the week; older: of these the newest, of the others the oldest.
    found = aged(0.1, 0.3, 0.8, 5, 20, 30, 100, 200, 400)
    assert ages(kept_by_age(found, START)) == [0.1, 0.3, 0.8, 20, 100, 200]


def test_a_clock_that_was_wrong_tells_no_ages() -> None:
    ahead, behind = -5 * 365 * 24, 5 * 365 * 24
    # The third says it is five years old, the fifth that it is of the future: each counts as old as the one before it.
    found = aged(0.5, 2, behind, 30, ahead, 60)
    assert [(START - moment) / HOUR for moment in backup.moments(found, START)] == [0.5, 2, 30, 30, 60, 60]


def test_a_month_of_sessions_every_hour_leaves_one_of_each_age(path: Path) -> None:
    folder = backup.backup_folder(path)
    folder.mkdir(parents=True)
    for number in range(1, 24 * 30):  # hours
        clock = START + number * HOUR
        name = backup._name(number, clock, "0" * 12, State.SOUND)
        (folder / name).touch()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(backup, "now", lambda clock=clock: clock)
            thin(path)
    found = [(clock - one.made) / HOUR for one in backups(path) if one.made]
    assert len(found) == backup.MOST
    assert found[:2] == [0, 1]
    for low, high in ((1, 24), (24, 7 * 24), (7 * 24, 30 * 24)):
        assert any(low <= age < high for age in found), (low, high, found)


def test_what_was_not_checked_waits_and_is_never_removed(path: Path) -> None:
    checking = JobContext()
    checking.cancel()
    for number in range(3):
        with Project.open(path) as project:
            project.events.add("opened", {"number": number})
    with pytest.raises(JobCancelled):
        check_backups(path, checking)
    assert [one.state for one in backups(path)] == [State.UNCHECKED] * 3
    check_backups(path, JobContext())
    assert [one.state for one in backups(path)] == [State.SOUND] * 3


def test_too_many_that_wait_are_checked_although_the_session_ends(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup, "MOST_UNCHECKED", 1)
    for number in range(3):
        with Project.open(path) as project:
            project.events.add("opened", {"number": number})
    assert [one.state for one in backups(path)].count(State.UNCHECKED) == 1


def test_backups_of_earlier_versions_are_the_oldest_and_are_checked(path: Path) -> None:
    folder = backup.backup_folder(path)
    folder.mkdir(parents=True)
    shutil.copy(path, folder / "2026-11-01T09-00-00.000001Z.biasprint")
    (folder / "2026-11-02T09-00-00.000001Z.biasprint").write_bytes(path.read_bytes()[:5000])
    assert back_up(path) is not None
    check_backups(path, JobContext())
    found = [(one.made.day if one.made else None, one.state) for one in backups(path)[1:]]
    assert found == [(2, State.DAMAGED), (1, State.SOUND)]


def test_the_check_tells_that_the_open_project_is_damaged(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damage_a_row(path)
    monkeypatch.setattr(backup, "BEGIN_AFTER_SECONDS", 0)
    monkeypatch.setattr("biasprint.core.project.project.clear_leftovers", lambda: begin.wait(10))
    begin, told = threading.Event(), threading.Event()
    with Project.open(path) as project:
        project.subscribe(lambda _: told.set())
        begin.set()
        assert told.wait(10)
        assert [(problem.table, problem.key) for problem in project.damage] == [("study", "1")]


def test_a_first_change_does_not_wait_for_the_check(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    going_on, checked = threading.Event(), threading.Event()

    def checking(*_: object) -> tuple[()]:
        going_on.wait(10)
        checked.set()
        return ()

    monkeypatch.setattr(backup, "BEGIN_AFTER_SECONDS", 0)
    monkeypatch.setattr("biasprint.core.project.project.check_backups", checking)
    with Project.open(path) as project:
        project.events.add("opened", {})
        assert not checked.is_set()
        going_on.set()

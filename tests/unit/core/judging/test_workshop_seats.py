"""Seats of a workshop at other computers: what they bring counts once, and nobody is told apart."""

from pathlib import Path

import pytest
from packet_files import answer, coordinator, copied, finished

from core.errors import AppError
from core.jobs import JobContext
from core.judging.packets.decisions import conflicts, packets
from core.judging.packets.seats import Collected, collect_seats, make_seats
from core.judging.workshop import attendance, in_steps
from core.project.project import Project

ALL = [(index, "choice", 0) for index in range(6)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "workshop.biasprint"


@pytest.fixture
def plan(file: Path) -> str:
    return coordinator(file, workshop=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "shared"
    made.mkdir()
    return made


def seats_of(file: Path, plan: str, folder: Path, number: int) -> list[Path]:
    with Project.open(file) as project:
        return [one.path for one in make_seats(JobContext(), project, plan, number, folder)]


def collect(file: Path, folder: Path) -> Collected:
    with Project.open(file) as project:
        return collect_seats(JobContext(), project, folder)


def test_finished_seats_join_the_group_once_and_a_packet_that_was_made_is_nobody(
    file: Path, plan: str, folder: Path
) -> None:
    seats = seats_of(file, plan, folder, 6)
    with Project.open(file) as project:
        assert attendance(project, plan).started == 0
    for seat in seats[:5]:
        finished(answer(seat, *ALL))
    assert collect(file, folder) == Collected(5, 1)
    assert collect(file, folder) == Collected(5, 1), "collected again, it adds nothing"
    with Project.open(file) as project:
        found = attendance(project, plan)
        assert (found.started, found.finished) == (5, 5)
        assert len(in_steps(project, project.judging.sessions())) == 5
        assert packets(project) == (), "no code of anybody, nor how far each is"


def test_two_copies_of_a_seat_that_differ_are_nobodys_answers_to_decide_on(file: Path, plan: str, folder: Path) -> None:
    (seat,) = seats_of(file, plan, folder, 1)
    other = copied(seat, "copy.bpacket")
    finished(answer(seat, *ALL))
    finished(answer(other, *[(index, "choice", 1) for index, _, _ in ALL]))
    collect(file, folder)
    with Project.open(file) as project:
        assert conflicts(project) == ()


def test_who_comes_back_later_does_not_change_the_five_who_were_told_of(file: Path, plan: str, folder: Path) -> None:
    seats = seats_of(file, plan, folder, 7)
    for seat in seats:
        finished(answer(seat, *ALL))  # all of them before anything is collected
    late = [seats[0].rename(folder.parent / seats[0].name), seats[1].rename(folder.parent / seats[1].name)]
    collect(file, folder)
    with Project.open(file) as project:
        told = {row.id for row in in_steps(project, project.judging.sessions())}
    for seat in late:
        seat.rename(folder / seat.name)
    collect(file, folder)
    with Project.open(file) as project:
        assert {row.id for row in in_steps(project, project.judging.sessions())} == told


def test_a_folder_that_went_away_is_said_and_nothing_is_lost(file: Path, plan: str, folder: Path) -> None:
    (seat,) = seats_of(file, plan, folder, 1)
    finished(answer(seat, *ALL))
    collect(file, folder)
    away = folder.rename(folder.parent / "unplugged")
    with pytest.raises(AppError, match="“shared” is not there any more") as told:
        collect(file, folder)
    assert told.value.kept == "What was collected before is in the project."
    with Project.open(file) as project, pytest.raises(AppError, match="not there any more"):
        make_seats(JobContext(), project, plan, 2, folder)
    with Project.open(file) as project:
        assert attendance(project, plan).finished == 1
    empty = away.parent / "empty"
    empty.mkdir()
    with pytest.raises(AppError, match="no packet in “empty”"):
        collect(file, empty)

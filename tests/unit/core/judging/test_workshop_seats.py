"""Seats of a workshop at other computers: what they bring counts once, and nobody is told apart."""

from pathlib import Path

import pytest
from outside_results import Answering, label_studio_answers, potato_answers
from packet_files import answer, coordinator, copied, finished

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.packets.decisions import conflicts, decide_seats, packets, seats_to_decide
from biasprint.core.judging.packets.hand_out import Collected, collect_seats, make_seats
from biasprint.core.judging.packets.make import MadePacket
from biasprint.core.judging.packets.outside import Tool
from biasprint.core.judging.workshop import attendance, in_steps
from biasprint.core.project.project import Project
from biasprint.core.project.stores import packets as clock_of_packets

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


# ---- People with a browser or a phone


def phones(file: Path, plan: str, folder: Path, tool: Tool, number: int = 2) -> list[MadePacket]:
    with Project.open(file) as project:
        return list(make_seats(JobContext(), project, plan, number, folder, tool))


def answered(made: MadePacket, tool: Tool, answering: Answering) -> None:
    """As the tool leaves its results in the folder that it was given."""
    if tool == "potato":
        potato_answers(made.path.parent, made.code, answering)
    else:
        label_studio_answers(made.path, made.path.with_name(f"project-{made.code}.json"), answering)


@pytest.mark.parametrize("tool", ["potato", "label-studio"])
def test_a_seat_in_a_browser_joins_the_group_once_it_is_finished_and_only_once(
    file: Path, plan: str, folder: Path, tool: Tool
) -> None:
    first, second = phones(file, plan, folder, tool)
    said = (first.path.parent / "README.txt").read_text("utf-8")
    assert "Collect…" in said
    assert "whoever runs this server could read them" in " ".join(said.split())
    answered(first, tool, lambda task: "A")
    half = iter("AAA")
    answered(second, tool, lambda task: next(half, None))
    assert collect(file, folder) == Collected(1, 1)
    with Project.open(file) as project:
        assert attendance(project, plan).started == 1, "of who is in the middle nothing came in"
    changed = iter("BBBBBB")
    answered(second, tool, lambda task: next(changed))
    assert collect(file, folder) == Collected(2, 0), "what was changed before the end is no conflict"
    assert collect(file, folder) == Collected(2, 0), "collected again, it adds nothing"
    with Project.open(file) as project:
        assert len(project.judging.judgments()) == 12
        assert packets(project) == (), "no code of anybody, nor how far each is"


def test_slips_for_phones_hold_the_codes_that_people_draw(file: Path, plan: str, folder: Path) -> None:
    made = phones(file, plan, folder, "potato")
    slips = (folder / "potato" / "slips.txt").read_text("utf-8")
    assert [line.split()[-1] for line in slips.splitlines() if "Log in as" in line] == [one.code for one in made]
    assert all(len(one.code) == 8 and one.code.isdecimal() for one in made), "it is typed on a phone"


def test_a_text_that_was_edited_there_is_left_out_and_the_seat_still_comes_in(
    file: Path, plan: str, folder: Path
) -> None:
    (made,) = phones(file, plan, folder, "potato", 1)
    answered(made, "potato", lambda task: "A")
    tasks = folder / "potato" / "comparisons.jsonl"
    tasks.write_text(tasks.read_text("utf-8").replace("Text 2 of card maker y", "Text 2, better"), "utf-8")
    assert collect(file, folder / "potato") == Collected(1, 0, left_out=1)
    with Project.open(file) as project:
        assert len(project.judging.judgments()) == 5


def test_seats_in_packets_and_browsers_are_collected_from_one_folder(file: Path, plan: str, folder: Path) -> None:
    (seat,) = seats_of(file, plan, folder, 1)
    finished(answer(seat, *ALL))
    for tool in ("potato", "label-studio"):
        (made,) = phones(file, plan, folder, tool, 1)
        answered(made, tool, lambda task: "A")
    assert collect(file, folder) == Collected(3, 0)


def test_a_browser_in_which_nobody_has_answered_is_said(file: Path, plan: str, folder: Path) -> None:
    phones(file, plan, folder, "label-studio")
    with pytest.raises(AppError, match="no packet in “shared”, and no result of"):
        collect(file, folder)
    phones(file, plan, folder, "potato")
    (refused,) = collect(file, folder).refused
    assert "nobody has answered in it yet" in refused


def test_a_clock_that_is_ahead_elsewhere_takes_nobody_out_of_the_five_who_were_told_of(
    file: Path, plan: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seats = seats_of(file, plan, folder, 6)
    with monkeypatch.context() as clock:
        clock.setattr(clock_of_packets, "utc_now", lambda: "2099-01-01T00:00:00.000+00:00")
        finished(answer(seats[0], *ALL))
    for seat in seats[1:5]:
        finished(answer(seat, *ALL))
    collect(file, folder)
    with Project.open(file) as project:
        told = {row.id for row in in_steps(project, project.judging.sessions())}
    finished(answer(seats[5], *ALL))
    collect(file, folder)
    with Project.open(file) as project:
        assert {row.id for row in in_steps(project, project.judging.sessions())} == told


def test_who_came_unfinished_first_counts_from_when_the_seat_was_finished(
    file: Path, plan: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seats = seats_of(file, plan, folder, 6)
    answer(seats[0], *ALL[:3])
    collect(file, folder)
    for seat in seats[1:]:
        finished(answer(seat, *ALL))
    collect(file, folder)
    with Project.open(file) as project:
        told = {row.id for row in in_steps(project, project.judging.sessions())}
    with monkeypatch.context() as clock:  # of that computer: it is behind
        clock.setattr(clock_of_packets, "utc_now", lambda: "2020-01-01T00:00:00.000+00:00")
        finished(answer(seats[0], *ALL[3:]))
    collect(file, folder)
    with Project.open(file) as project:
        assert {row.id for row in in_steps(project, project.judging.sessions())} == told


# ---- Copies of one seat that differ


OTHERS = [(index, "choice", 1) for index in range(6)]


def test_seats_whose_copies_differ_are_counted_keep_their_five_waiting_and_are_decided_alike(
    file: Path, plan: str, folder: Path
) -> None:
    seats = seats_of(file, plan, folder, 5)
    other = copied(seats[0], "copy.bpacket")
    for seat in seats:
        finished(answer(seat, *ALL))
    finished(answer(other, *OTHERS))
    assert collect(file, folder) == Collected(5, 0, to_decide=1)
    with Project.open(file) as project:
        (waiting,) = seats_to_decide(project)
        assert (waiting.plan_id, waiting.seats, waiting.answers) == (plan, 1, 6)
        assert in_steps(project, project.judging.sessions()) == ()
        assert decide_seats(project, plan, "last") == 6
        assert seats_to_decide(project) == ()
        assert len(in_steps(project, project.judging.sessions())) == 5
        session = seats_session(project, seats[0])
        assert [row.shown.index(row.chosen) for row in project.judging.judgments(session)] == [1] * 6


def test_another_copy_of_a_seat_that_was_settled_changes_nobodys_picture(file: Path, plan: str, folder: Path) -> None:
    (seat,) = seats_of(file, plan, folder, 1)
    other = copied(seat, "copy.bpacket")
    finished(answer(seat, *ALL))
    collect(file, folder)
    finished(answer(other, *OTHERS))
    assert collect(file, folder) == Collected(1, 0, kept=1)
    assert collect(file, folder) == Collected(1, 0), "said once"
    with Project.open(file) as project:
        assert seats_to_decide(project) == ()
        session = seats_session(project, seat)
        assert [row.shown.index(row.chosen) for row in project.judging.judgments(session)] == [0] * 6


def test_who_changes_an_answer_in_the_browser_after_it_was_collected_keeps_the_first(
    file: Path, plan: str, folder: Path
) -> None:
    (made,) = phones(file, plan, folder, "potato", 1)
    answered(made, "potato", lambda task: "A")
    collect(file, folder)
    answered(made, "potato", lambda task: "B")
    assert collect(file, folder) == Collected(1, 0, kept=1)


def test_only_a_workshops_seats_are_decided_alike(file: Path) -> None:
    plan = coordinator(file)
    with Project.open(file) as project, pytest.raises(UsageError, match="no workshop’s"):
        decide_seats(project, plan, "first")


def seats_session(project: Project, seat: Path) -> str:
    with Project.open(seat, read_only=True) as packet:
        return packet.judging.sessions()[0].id

"""No way around the curtain: while somebody rates, another code, a copy, a backup or a rescue shows no identity.

R02 has answered one of two comparisons. Each way is tried as a person would, by commands and in the window; what was
shown all the same is in R02's session, and R02's later answers are marked.
"""

import csv
import json
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from cli_support import biasprint
from pytestqt.qtbot import QtBot
from rating_window import PATIENCE, Rating
from test_leak_hunt import WORDS, asked, brought_to, keep_rating, looks, opened, settled, told, try_panel

# The fixture of the hunt: a project whose identities are called like nothing else.
from test_leak_hunt import file as file

from biasprint import open as from_python
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.open_ratings import LOOKS, RATINGS
from biasprint.core.judging.packets.make import make_packets
from biasprint.core.judging.packets.packet import PacketStore
from biasprint.core.judging.reveal import reveal
from biasprint.core.judging.session import offer_plans, open_judging, open_session
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.work import record_choice
from biasprint.core.machine.storage import home
from biasprint.core.project.backup import back_up
from biasprint.core.project.project import Project
from biasprint.core.runs.compare import compare
from biasprint.desktop.main_window import MainWindow


def plain_copy(file: Path) -> Path:
    return Path(shutil.copyfile(file, file.with_name("mine.biasprint")))


def saved_copy(file: Path) -> Path:
    with Project.open(file) as project:
        return project.save_copy(file.with_name("saved.biasprint"))


def backup(file: Path) -> Path:
    made = back_up(file)
    assert made is not None
    return made.path


def rescued(file: Path) -> Path:
    target = file.with_name("rescued.biasprint")
    biasprint("rescue", file, "--out", target)
    return target


def restored(file: Path) -> Path:
    """A backup put back under another name, which leaves the original as it is."""
    made, other = backup(file), file.with_name("restored.biasprint")
    biasprint("restore", other, "--from", made)
    return other


COPIES: tuple[Callable[[Path], Path], ...] = (plain_copy, saved_copy, backup, rescued, restored)
ASKING = ("outputs", "prompts", "judgments")


def answer(file: Path, code: str, *, times: int = 0, end: bool = False) -> list[bool]:
    """A person rates through the door: `times` answers, then perhaps the reveal. Which answers count as seen."""
    with Project.open(file) as project:
        door = open_judging(ProjectStore(project))
        view = door.ask(open_session, door.ask(offer_plans, code).result().offers[0].token, code).result()
        for _ in range(times):
            assert view.comparison is not None
            view = door.ask(record_choice, view.comparison.token, "choice", 0).result()
        if end:
            door.ask(reveal, anyway=True).result()
        door.close(5)
        codes = {row.id: row.code for row in project.judging.raters()}
        own = [row.id for row in project.judging.sessions() if codes[row.rater_id] == code]
        return [row.seen for key in own for row in project.judging.judgments(key)]


def leaks(text: str) -> list[str]:
    return [word for word in WORDS if word in text.lower()]


# copies, made before the session began and in the middle of it


@pytest.mark.parametrize("make", COPIES)
@pytest.mark.parametrize("when", ["before", "in the middle"])
def test_no_copy_of_a_project_shows_what_is_being_rated(file: Path, make: Callable[[Path], Path], when: str):
    copy = make(file) if when == "before" else None
    brought_to(file, "paused")
    copy = copy or make(file)
    out = file.with_name("out.csv")
    for what in ASKING:
        refused = biasprint("export", copy, what, "--out", out, code=1)
        assert "R02" in refused.err
        assert "in the middle of rating" in refused.err
        assert leaks(refused.out + refused.err) == []
        assert not out.exists()
    measured = biasprint("measure", "creativity", copy, "--json", code=1)
    assert leaks(measured.out + measured.err) == []
    with from_python(copy) as project, pytest.raises(AppError, match="in the middle of rating"):
        project.outputs()


@pytest.mark.parametrize("make", COPIES)
def test_a_look_into_a_copy_marks_the_later_answers_of_the_session(file: Path, make: Callable[[Path], Path]):
    copy = make(file)
    brought_to(file, "paused")
    out = file.with_name("out.csv")
    biasprint("export", copy, "outputs", "--out", out, "--look-anyway")
    assert leaks(out.read_text("utf-8")) != []
    assert answer(file, "R02", times=1) == [False, True]
    assert looks(file) == ["biasprint export outputs"]
    biasprint("export", copy, "prompts", "--out", out)  # there is nobody left to ask


def test_a_session_that_was_revealed_in_a_copy_goes_on_as_seen_in_the_original(file: Path):
    brought_to(file, "paused")
    copy = plain_copy(file)
    answer(copy, "R02", end=True)
    assert answer(file, "R02", times=1) == [False, True]
    assert looks(file) == ["reveal of R02"]


def test_a_backup_put_back_after_the_reveal_goes_on_as_seen(file: Path):
    brought_to(file, "paused")
    made = back_up(file)
    assert made is not None
    answer(file, "R02", end=True)
    biasprint("restore", file, "--from", made.number)
    assert answer(file, "R02", times=1) == [False, True]


def test_the_session_in_a_copy_closes_the_original_too_and_its_end_opens_both(file: Path):
    copy = plain_copy(file)
    brought_to(copy, "paused")
    refused = biasprint("export", file, "outputs", "--out", file.with_name("out.csv"), code=1)
    assert "R02 (in another copy of this project, begun " in refused.err
    assert "Where that file is gone, looking ends its session" in refused.err
    answer(copy, "R02", times=1, end=True)
    for each in (file, copy):
        biasprint("export", each, "outputs", "--out", file.with_name("out.csv"))


def test_another_project_is_not_asked_for(file: Path, tmp_path: Path):
    brought_to(file, "paused")
    other = tmp_path / "other.biasprint"
    biasprint("new", other, "--study", "creativity")
    biasprint("export", other, "prompts", "--out", tmp_path / "out.csv")


# packets that are rated where the project is


def rate_packet(packet: Path, *, times: int = 0, end: bool = False) -> None:
    with Project.open(packet) as inside:
        door = open_judging(PacketStore(inside))
        view = door.ask(open_session, door.ask(offer_plans).result().offers[0].token, "R09").result()
        for _ in range(times):
            assert view.comparison is not None
            view = door.ask(record_choice, view.comparison.token, "choice", 0).result()
        if end:
            door.ask(reveal, anyway=True).result()
        door.close(5)


def packet_for(file: Path, code: str) -> Path:
    with Project.open(file) as project:
        plan = project.judging.plans()[0].id
        (made,) = make_packets(JobContext(), project, plan_id=plan, codes=[code], folder=file.parent)
    return made.path


@pytest.mark.parametrize("of", [lambda file: file, plain_copy, backup])
def test_a_packet_that_is_rated_on_this_computer_closes_the_project_until_it_is_finished(
    file: Path, of: Callable[[Path], Path]
):
    packet, out = packet_for(file, "R09"), file.with_name("out.csv")
    shown = of(file)
    biasprint("export", shown, "outputs", "--out", out)  # nobody has opened it yet
    rate_packet(packet, times=1)
    refused = biasprint("export", shown, "outputs", "--out", out, code=1)
    assert "R09 (in a packet on this computer, begun " in refused.err
    assert leaks(refused.err) == []
    rate_packet(packet, times=1, end=True)
    biasprint("export", shown, "outputs", "--out", out)
    assert biasprint("packet", "merge", file, packet, "--json").json["files"][0]["held"] == ""


def test_a_look_while_a_packet_is_rated_here_marks_its_later_answers(file: Path):
    packet, out = packet_for(file, "R09"), file.with_name("out.csv")
    rate_packet(packet, times=1)
    biasprint("export", file, "outputs", "--out", out, "--look-anyway")
    rate_packet(packet, times=1, end=True)
    (came,) = biasprint("packet", "merge", file, packet, "--json").json["files"]
    assert (came["held"], came["refused"], came["added"]) == ("", "", 2)
    with Project.open(file) as project:
        rater = next(row.id for row in project.judging.raters() if row.code == "R09")
        session = next(row.id for row in project.judging.sessions() if row.rater_id == rater)
        assert [row.seen for row in project.judging.judgments(session)] == [False, True]
        assert [row.value["where"] for row in project.annotations.of_kind("look")] == ["biasprint export outputs"]


# a backup stays as it is


def test_a_backup_is_measured_and_looked_at_without_being_changed(file: Path):
    brought_to(file, "paused")
    copy = backup(file)
    before = copy.read_bytes()
    measured = biasprint("measure", "creativity", copy, "--look-anyway", "--json")
    assert "is a backup, which stays as it is" in measured.err
    assert measured.json["findings"]
    refused = biasprint("compare", copy, "--axis", "zqaxis", "--seed", 9, code=1)
    assert "is a backup, which stays as it is" in refused.err
    assert copy.read_bytes() == before


def test_a_backup_is_put_back_by_the_name_that_it_had_before_it_was_checked(file: Path):
    copy = backup(file)
    assert "unchecked" in copy.name
    for name in (copy, copy.name, copy.stem):
        told_back = biasprint("restore", file, "--from", name)
        assert f"{file.name} is now as" in told_back.out.replace("“", "").replace("”", "")


# the record on this computer


def test_the_record_is_for_this_user_alone_and_what_spoils_it_stops_nobody(file: Path):
    brought_to(file, "paused")
    record = home() / RATINGS
    assert stat.S_IMODE(os.stat(record).st_mode) == 0o600
    entries = json.loads(record.read_text("utf-8"))
    for spoilt in ("{", "[]", "null", json.dumps({**entries, "x": 3, "y": {"code": 1}, "z": {"looks": 4}})):
        record.write_text(spoilt, encoding="utf-8")
        assert "R02" in biasprint("export", file, "outputs", "--out", file.with_name("out.csv"), code=1).err
    answer(file, "R02", times=1, end=True)
    biasprint("export", file, "outputs", "--out", file.with_name("out.csv"))


# looks before the session


def test_what_was_looked_at_before_is_written_into_the_session_and_marks_no_answer(file: Path):
    biasprint("export", file, "outputs", "--out", file.with_name("out.csv"))
    assert json.loads((home() / LOOKS).read_text("utf-8"))
    assert answer(file, "R02", times=2, end=True) == [False, False]
    cards = {card["code"]: card for card in json.loads(biasprint("raters", "list", file, "--json").out)["raters"]}
    said = {code: [flag["said"] for flag in card["flags"] if flag["key"] == "looked"] for code, card in cards.items()}
    assert said["R01"] == []
    (sentence,) = said["R02"]
    assert "were shown on this computer before the rating began, in “biasprint export outputs”" in sentence
    biasprint("export", file, "judgments", "--out", (table := file.with_name("judgments.csv")))
    with table.open(encoding="utf-8-sig", newline="") as lines:
        assert {row["seen"] for row in csv.DictReader(lines)} == {"0"}


# a second code


def test_the_reveal_of_a_second_code_shows_nothing_that_the_first_still_rates(file: Path):
    brought_to(file, "paused")
    with Project.open(file) as project:
        door = open_judging(ProjectStore(project))
        view = door.ask(open_session, door.ask(offer_plans, "R03").result().offers[0].token, "R03").result()
        while view.comparison is not None:
            view = door.ask(record_choice, view.comparison.token, "choice", 0).result()
        shown = door.ask(reveal).result()
        assert (shown.axes, shown.compared, shown.answered) == ((), (), 0)
        assert (shown.withheld, shown.withheld_for) == (2, ("R02",))
        door.close(5)
    answer(file, "R02", times=1, end=True)
    with Project.open(file) as project:
        door = open_judging(ProjectStore(project))
        door.ask(open_session, door.ask(offer_plans, "R03").result().offers[0].token, "R03").result()
        shown = door.ask(reveal).result()
        assert (len(shown.compared), shown.answered, shown.withheld, shown.withheld_for) == (2, 2, 0, ())
        door.close(5)


def test_a_second_code_in_a_copy_sees_nothing_either(file: Path):
    copy = plain_copy(file)
    brought_to(file, "paused")
    with Project.open(copy) as project:
        door = open_judging(ProjectStore(project))
        view = door.ask(open_session, door.ask(offer_plans, "R03").result().offers[0].token, "R03").result()
        while view.comparison is not None:
            view = door.ask(record_choice, view.comparison.token, "choice", 0).result()
        shown = door.ask(reveal).result()
        door.close(5)
    assert (shown.axes, shown.compared, shown.withheld) == ((), (), 2)


# in the window


def test_a_second_code_that_presses_one_key_reveals_nothing_unasked(qtbot: QtBot, window: MainWindow, file: Path):
    rating = Rating(qtbot, window, file)
    rating.start("R02")
    rating.press("1")
    rating.panel.leave_button.click()
    rating.wait(lambda: not window.blindfold.on)
    rating.start("R03")
    rating.end()
    rating.at("reveal_page")
    settled(qtbot, window)
    page = rating.panel.reveal_page
    assert page.withheld.isVisible()
    assert page.withheld.text.text().startswith("2 of your answers stay hidden, as R02 is still rating the same texts.")
    assert told(window) == []
    for key in ("fingerprint", "charts", "outputs"):
        assert try_panel(qtbot, window, key) is not None, key
        keep_rating(qtbot, window)
        assert told(window) == []
    page.see_all.click()
    qtbot.waitUntil(lambda: asked(window) is not None, timeout=PATIENCE)
    keep_rating(qtbot, window)
    assert told(window) == []
    page.see_all.click()
    qtbot.waitUntil(lambda: asked(window) is not None, timeout=PATIENCE)
    question = asked(window)
    assert question is not None
    question.risky_button.click()
    qtbot.waitUntil(lambda: told(window) == ["zqlabel"], timeout=PATIENCE)
    rating.panel.reveal_page.closed.emit()
    rating.close()
    assert answer(file, "R02", times=1) == [False, True]
    assert looks(file) == ["judge/result"]


@pytest.mark.parametrize("when", ["before", "in the middle"])
def test_a_backup_in_the_window_is_behind_the_question(qtbot: QtBot, window: MainWindow, file: Path, when: str):
    copy = backup(file) if when == "before" else None
    brought_to(file, "paused")
    opened(qtbot, window, copy or backup(file))
    for key in ("outputs", "findings", "prompts", "charts"):
        assert try_panel(qtbot, window, key) is not None, key
        keep_rating(qtbot, window)
        assert told(window) == []


def test_a_copy_that_is_open_when_the_session_begins_closes_behind_it(qtbot: QtBot, window: MainWindow, file: Path):
    copy = plain_copy(file)
    opened(qtbot, window, copy)
    assert try_panel(qtbot, window, "outputs") is None
    window.show_panel("home")
    settled(qtbot, window)
    brought_to(file, "paused")  # as another window of the program does
    assert try_panel(qtbot, window, "prompts") is not None
    keep_rating(qtbot, window)
    assert window.current == "home"


def test_panels_that_were_seen_before_are_in_the_session(qtbot: QtBot, window: MainWindow, file: Path):
    rating = Rating(qtbot, window, file)
    for key in ("outputs", "findings"):
        assert try_panel(qtbot, window, key) is None
    window.show_panel("judge")
    rating.start("R02")
    rating.end()
    rating.at("reveal_page")
    rating.close()
    cards = {card["code"]: card for card in json.loads(biasprint("raters", "list", file, "--json").out)["raters"]}
    (flag,) = [flag["said"] for flag in cards["R02"]["flags"] if flag["key"] == "looked"]
    assert flag.endswith("in “findings”, “outputs”.")


def test_what_the_open_session_does_not_have_is_revealed(file: Path):
    """R02 rates a plan over one theme alone: the other theme's comparison of a second plan is nobody's to guard."""
    with Project.open(file) as project:
        study = project.studies.all()[0].id
        compare(JobContext(), project, study_id=study, axes=["zqaxis"], seed=5)
        first, _ = project.judging.plans()
        theme = project.judging.comparisons(first.id)[0].theme
        kept = [row.id for row in project.judging.comparisons(first.id) if row.theme != theme]
        assert kept
    # The second plan keeps both themes; of the first, only the comparison of `theme` is left.
    with closing(sqlite3.connect(file)) as raw, raw:
        raw.execute("DELETE FROM judgment")
        raw.execute("DELETE FROM session")
        raw.execute(f"DELETE FROM comparison WHERE id IN ({','.join('?' * len(kept))})", kept)
    with Project.open(file) as project:
        door = open_judging(ProjectStore(project))
        offers = door.ask(offer_plans, "R02").result().offers
        door.ask(open_session, offers[0].token, "R02").result()
        offers = door.ask(offer_plans, "R03").result().offers
        view = door.ask(open_session, offers[1].token, "R03").result()
        while view.comparison is not None:
            view = door.ask(record_choice, view.comparison.token, "choice", 0).result()
        shown = door.ask(reveal).result()
        door.close(5)
    assert (shown.answered, shown.withheld, shown.withheld_for) == (1, 1, ("R02",))
    (axis,) = shown.axes
    assert axis.choices == 1

"""A rating packet in the window: what is shown of the program, how it is finished, and what can go wrong with it."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from empty_home import only
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot
from rating_files import packet, rating_project
from rating_window import PATIENCE, Rating

from biasprint.core.project.connection import NotSaved
from biasprint.core.project.lock import ProjectLock
from biasprint.core.project.project import Project
from biasprint.desktop.app import start
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.window_commands import file_commands

ENTRIES = only("home", "judge", "settings", "raters")
CONSENT = "You rate texts, and your answers are stored."


@pytest.fixture
def window(make_window: Callable[..., MainWindow]) -> MainWindow:
    return make_window(ENTRIES)


@pytest.fixture
def rating(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> Rating:
    return Rating(qtbot, window, packet(tmp_path))


def said(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget))


# what is shown


def test_only_judging_and_settings_are_there_and_nothing_is_named(rating: Rating):
    rating.wait_for_start()
    window = rating.window
    assert window.rail.shown() == ["judge", "settings"]
    assert window.windowTitle() == "Rating packet — Biasprint"
    assert window.status.project.whole_text() == "Rating packet"
    assert window.settings.recent() == []
    window.show_panel("home")
    assert window.current == "judge"
    enabled = [command.title for command in file_commands(window) if command.enabled()]
    assert enabled == ["Open…", "Close the packet", "Quit"]


def test_the_code_is_the_packets_own(rating: Rating):
    rating.wait_for_start()
    start = rating.panel.start
    assert not start.code.isVisible()
    assert start.person.fixed_code.text() == "R01"
    assert not start.person.another.isVisible()
    assert not start.new.isVisible()


def test_a_window_started_for_a_packet_never_shows_home(qtbot: QtBot, make_window: Callable, tmp_path: Path):
    path = packet(tmp_path)
    window = make_window(ENTRIES, panel="settings")
    window.current = ""
    start(window, path)
    qtbot.waitUntil(lambda: "judge" in window.panels and window.panels["judge"].built, timeout=PATIENCE)
    assert "home" not in window.panels


def test_a_window_started_for_a_file_that_is_none_shows_home_and_says_so(
    qtbot: QtBot, make_window: Callable, tmp_path: Path
):
    path = tmp_path / "broken.bpacket"
    path.write_bytes(b"this is no packet")
    window = make_window(ENTRIES, panel="settings")
    window.current = ""
    start(window, path)
    qtbot.waitUntil(lambda: bool(window.banners.texts()), timeout=PATIENCE)
    assert window.current == "home"


# rating and finishing


def test_a_packet_is_rated_by_keys_and_finished_with_two_presses(rating: Rating):
    rating.start()
    texts = [card.reading.text() for card in rating.panel.work.cards.shown]
    rating.press("2")
    rating.finish_rating()
    end = rating.panel.end
    assert (end.reveal.accessibleName(), end.sure.accessibleName()) == ("Finish", "Finish and lock")
    assert "reveal" not in said(end).lower()
    end.reveal.click()
    assert rating.page is end
    end.sure.click()
    rating.at("finished_page")
    with rating.reading() as project:
        rows = project.judging.judgments()
        (plan,) = project.judging.plans()
        first = project.judging.comparisons(plan.id)[0]
        assert [row.outcome for row in rows] == ["choice"] * 4
        assert project.texts([first.items[rows[0].chosen].key])[first.items[rows[0].chosen].key] == texts[1]
        assert project.judging.sessions()[0].revealed_at is not None


def test_the_last_page_says_what_to_do_and_where_the_file_is_only_when_asked(rating: Rating):
    rating.start()
    rating.end()
    rating.at("finished_page")
    page = rating.panel.finished_page
    words = said(page)
    assert "saved in this one file" in words
    assert "Send the file back" in words
    assert "No picture of it is drawn here: this file does not hold for whom the texts were written" in words
    assert str(rating.path) not in words + page.place.text()
    page.where.click()
    assert page.place.text() == str(rating.path)
    page.copy.click()
    assert QApplication.clipboard().text() == str(rating.path)
    QApplication.clipboard().clear()
    assert rating.window.windowTitle() == "Rating packet — Biasprint"
    assert rating.window.rail.shown() == ["judge", "settings"]


def test_a_finished_packet_opens_on_its_last_page(rating: Rating):
    rating.start()
    rating.end()
    rating.at("finished_page")
    rating.panel.finished_page.done.click()
    rating.wait(lambda: rating.window.current == "home" and not rating.window.jobs.active())
    assert rating.window.project is None
    again = Rating(rating.qtbot, rating.window, rating.path)
    again.at("finished_page")
    assert "4 comparisons is finished" in said(again.panel.finished_page)


def test_finishing_early_says_what_is_left(rating: Rating):
    rating.start()
    rating.press("1")
    rating.panel.progress_link.click()
    rating.at("end")
    rating.wait(lambda: rating.panel.end.headline.text() == "3 comparisons are left.")
    rating.panel.end.reveal.click()
    assert "3 comparisons are left and could not be judged any more" in rating.panel.end.explained.text()


def test_a_pause_keeps_the_window_blind_and_the_rating_goes_on_where_it_stopped(rating: Rating):
    rating.start()
    rating.press("1")
    rating.panel.leave_button.click()
    rating.wait_for_start()
    assert rating.window.blindfold.on
    rating.wait(lambda: rating.panel.start.start.accessibleName() == "Continue")
    rating.start()
    assert rating.panel.control.view.comparison.ordinal == 2


def test_closing_and_opening_again_goes_on_with_notes_and_ratings(qtbot: QtBot, window: MainWindow, tmp_path: Path):
    rating = Rating(qtbot, window, packet(tmp_path, criterion_ratings=True))
    rating.start()
    rating.press("r", "5", "4")
    rating.panel.work.setFocus()
    rating.press("n")
    rating.qtbot.keyClicks(rating.panel.work.note, "half a thought")
    rating.close()
    again = Rating(qtbot, window, rating.path)
    again.start()
    assert again.panel.work.note.toPlainText() == "half a thought"
    assert [scale.rating for scale in again.panel.work.ratings.scales[0]] == [5, 4, None]


# consent


def test_consent_is_asked_for_and_declining_leaves_the_packet_as_it_was(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
):
    rating = Rating(qtbot, window, packet(tmp_path, consent_text=CONSENT, ask_background=True))
    rating.wait_for_start()
    start = rating.panel.start
    assert start.consent.text.text() == CONSENT
    assert not start.start.isEnabled()
    start.consent.decline.click()
    assert "That is fine" in said(start)
    assert not start.start.isEnabled()
    with rating.reading() as project:
        (session,) = project.judging.sessions()
        assert (session.consent_at, project.judging.raters()[0].background) == ("", {})
    start.consent.again.click()
    start.person.background.setPlainText("Reads a lot.")
    start.agree.setChecked(True)
    start.start.click()
    rating.at("work")
    with rating.reading() as project:
        (session,) = project.judging.sessions()
        assert session.consent_text == CONSENT
        assert session.consent_at
        assert project.judging.raters()[0].background == {"described": "Reads a lot."}


# a stick that cannot be written to


def test_a_packet_that_cannot_be_written_says_so_and_goes_on_somewhere_else(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = packet(tmp_path)
    before = path.read_bytes()

    def stick(cls: type, where: Path) -> Any:
        if where == path:
            raise OSError("read-only file system")
        return really(where)

    really = ProjectLock.acquire
    monkeypatch.setattr(ProjectLock, "acquire", classmethod(stick))
    rating = Rating(qtbot, window, path)
    rating.wait_for_start()
    start = rating.panel.start
    assert "ratings could not be saved" in start.cannot.text()
    assert not start.start.isEnabled()
    assert not any(str(path.parent) in text for text in window.banners.texts())
    elsewhere = tmp_path / "home" / "mine.bpacket"
    elsewhere.parent.mkdir()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(elsewhere), ""))
    with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
        start.copy.click()
    rating.path = elsewhere
    rating.start()
    rating.press("1")
    with rating.reading() as project:
        assert len(project.judging.judgments()) == 1
    assert path.read_bytes() == before


# a disk that fills up


def test_a_full_disk_is_never_called_saved_and_the_note_stays(rating: Rating, monkeypatch: pytest.MonkeyPatch):
    rating.start()
    rating.press("1", "n")

    def full(*_: object) -> None:
        raise NotSaved("The disk is full: “packet-R01” was not saved.")

    saved = rating.window.status.saved
    with monkeypatch.context() as patch:
        for name in ("record", "save_draft"):
            patch.setattr(f"biasprint.core.project.stores.judging.Judging.{name}", full)
        rating.close()
        rating = Rating(rating.qtbot, rating.window, rating.path)  # so that judging uses what fails
        rating.start()
        rating.press("n")
        rating.qtbot.keyClicks(rating.panel.work.note, "do not lose me")
        rating.wait(lambda: saved.text() == "Not saved")
        rating.panel.leave_button.click()
        rating.wait(lambda: not rating.panel.control.busy)
        assert rating.page is rating.panel.work, "one does not leave what is not saved"
        rating.panel.work.setFocus()
        rating.press("1")
        assert saved.text() == "Not saved"
        assert rating.panel.control.view.comparison.ordinal == 2
        assert rating.panel.work.note.toPlainText() == "do not lose me"
        assert all("packet-R01" not in text for text in rating.window.banners.texts())
    rating.close()
    with rating.reading() as project:
        assert len(project.judging.judgments()) == 1


def test_finishing_on_a_full_disk_says_so_and_can_be_done_again(rating: Rating, monkeypatch: pytest.MonkeyPatch):
    rating.start()
    rating.finish_rating()

    def full(*_: object) -> None:
        raise NotSaved("The disk is full: “packet-R01” was not saved.")

    with monkeypatch.context() as patch:
        patch.setattr("biasprint.core.project.stores.packets.Packets.finish", full)
        rating.panel.end.reveal.click()
        rating.panel.end.sure.click()
        rating.wait(lambda: rating.window.status.saved.text() == "Not saved")
    assert rating.page is rating.panel.end
    assert "The packet is not finished." in rating.window.banners.texts()[0]
    assert "packet-R01" not in rating.window.banners.texts()[0]
    rating.panel.end.sure.click()
    rating.at("finished_page")


# two windows


def test_a_packet_that_is_open_already_comes_to_front(
    qtbot: QtBot, make_window: Callable[..., MainWindow], tmp_path: Path
):
    first = Rating(qtbot, make_window(ENTRIES), packet(tmp_path))
    first.start()
    second = make_window(ENTRIES)
    with qtbot.waitSignal(first.window.door.knocked, timeout=PATIENCE):
        second.open_project(first.path)
    qtbot.waitUntil(lambda: "in front now" in second.status.notice.whole_text(), timeout=PATIENCE)
    assert second.project is None
    first.press("1")
    with first.reading() as project:
        assert len(project.judging.judgments()) == 1


# dropped files


class Raters:
    """Stands in for the raters panel: hears what it is sent."""

    def __init__(self, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
        self.heard: list[Any] = []
        monkeypatch.setattr(window, "show_panel", lambda key, **what: self.heard.append((key, what)))


def test_packets_dropped_on_an_open_project_go_to_the_raters_panel(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    project = rating_project(tmp_path / "study.biasprint")
    with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
        window.open_project(project)
    heard = Raters(window, monkeypatch).heard
    files = [tmp_path / "a.bpacket", tmp_path / "b.BPACKET"]
    window._drop.dropped.emit(files)
    assert heard == [("raters", {"packets": files})]
    assert window.project is not None


def test_a_packet_dropped_on_an_empty_window_is_opened_and_several_are_not(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
):
    path = packet(tmp_path)
    window._drop.dropped.emit([path, path])
    assert "belong to a project" in window.banners.texts()[0]
    with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
        window._drop.dropped.emit([path])
    assert window.packet is not None


# files that are no packets


def renamed_project(path: Path, tmp_path: Path) -> None:
    shutil.copy(rating_project(tmp_path / "study.biasprint"), path)


def truncated(path: Path, tmp_path: Path) -> None:
    path.write_bytes(packet(tmp_path / "other").read_bytes()[:9_000])


def newer(path: Path, tmp_path: Path) -> None:
    content = bytearray(packet(tmp_path / "other").read_bytes())
    content[60:64] = (999).to_bytes(4, "big")  # SQLite's user version
    path.write_bytes(content)


def empty(path: Path, tmp_path: Path) -> None:
    path.write_bytes(b"")


def something_else(path: Path, tmp_path: Path) -> None:
    path.write_bytes(b"PK\x03\x04 a zip, perhaps")


@pytest.mark.parametrize("make", [renamed_project, truncated, newer, empty, something_else])
def test_a_bad_packet_is_refused_in_one_sentence_and_nothing_is_lost(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, make: Callable[[Path, Path], None]
):
    study = tmp_path / "open.biasprint"
    Project.create(study).close()
    with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
        window.open_project(study)
    bad = tmp_path / "bad.bpacket"
    make(bad, tmp_path)
    before = bad.read_bytes()
    with qtbot.waitSignal(window.session.failed, timeout=PATIENCE):
        window.open_project(bad)
    (told,) = window.banners.texts()
    assert "Traceback" not in told
    assert told.split(".")[0]
    assert window.project is not None
    assert window.project.path == study
    assert bad.read_bytes() == before

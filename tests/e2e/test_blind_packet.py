"""A packet in the real window: until it is finished, nothing that can be reached names a file, a folder or a project,
and no identity, axis or model is anywhere in it. The search is that of test_blind_window.py."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from blind_search import search, words_of
from left_behind import put_away
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from rating_files import SECRETS, packet
from rating_window import PATIENCE, Rating

from biasprint.desktop import theme
from biasprint.desktop.app import create_window
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.settings import Settings
from biasprint.desktop.window_commands import help_text

pytestmark = pytest.mark.usefixtures("own_statements")
KINDS = {
    "Project", "ProjectStore", "PacketStore", "PacketWording", "Reader", "Writer", "JudgingWork", "RaterSession",
    "PacketParts", "ComparisonRow", "PlanRow", "SessionRow", "PacketRow", "RaterRow", "SourceRow", "Facts",
}  # fmt: skip
PLACES = {"file", "folder", "recent"}


@pytest.fixture
def sent(tmp_path: Path) -> Path:
    """A packet that somebody saved under telling names, with everything that a plan can ask for."""
    made = packet(tmp_path / "made", criterion_ratings=True, ask_background=True, consent_text="You rate texts.")
    path = tmp_path / "zqfolder" / "zqfile.bpacket"
    path.parent.mkdir()
    made.rename(path)
    return path


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    theme.apply(qapp, "light", 1.0)
    settings = Settings(tmp_path / "settings.json")
    settings.add_recent(tmp_path / "zqrecent.biasprint")
    made = create_window(settings)
    made.resize(1280, 720)
    made.show()
    made.show_panel("home")
    yield made
    put_away(qtbot, made, PATIENCE)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.unfreeze()


def found(rating: Rating) -> tuple[set[str], set[str]]:
    rating.wait(lambda: not rating.window.jobs.active())
    return search(rating.window, SECRETS, KINDS)


def test_the_packets_own_bytes_hold_nothing_that_identifies(sent: Path):
    content = sent.read_bytes()
    assert [kind for kind, word in SECRETS.items() if word.encode() in content] == []


def test_until_it_is_finished_nothing_in_the_window_leads_to_a_name(qtbot: QtBot, window: MainWindow, sent: Path):
    qtbot.waitUntil(lambda: not window.jobs.active(), timeout=PATIENCE)
    assert search(window, SECRETS, KINDS)[0] == {"recent"}, "the search must find what can be reached"
    rating = Rating(qtbot, window, sent)
    rating.wait_for_start()
    stages = [found(rating)]
    rating.panel.start.person.background.setPlainText("Reads a lot.")
    rating.start()
    stages.append(found(rating))
    rating.press("r", "4", "5", Qt.Key.Key_Escape, "1", "1", "g", "d", "b", "n")
    qtbot.keyClicks(rating.panel.work.note, "a thought")
    rating.press(Qt.Key.Key_Escape)
    stages.append(found(rating))
    rating.panel.progress_link.click()
    rating.wait(lambda: rating.panel.end.model.rowCount() == 4)
    stages.append(found(rating))
    window.show_panel("settings")
    window.offer_commands()
    stages.append(found(rating))
    window.palette_box.hide()
    window.show_panel("judge")
    rating.panel.leave_button.click()
    rating.wait_for_start()
    stages.append(found(rating))
    assert stages == [(set(), set())] * 6
    rating.start()
    rating.end()
    rating.at("finished_page")
    names, kinds = found(rating)
    assert names == PLACES, "where the file is can be asked for now, and no more than that"
    assert "Project" in kinds


def test_the_end_of_a_packet_speaks_of_finishing(qtbot: QtBot, window: MainWindow, sent: Path):
    rating = Rating(qtbot, window, sent)

    def said() -> str:
        shown = [widget for widget in QApplication.allWidgets() if widget.isVisible()]
        return "\n".join(word for widget in shown for word in words_of(widget)).lower()

    rating.wait_for_start()
    pages = [said()]
    rating.start()
    rating.press("1")
    pages.append(said())
    rating.panel.progress_link.click()
    rating.wait(lambda: rating.panel.end.model.rowCount() == 4)
    pages.append(said())
    rating.panel.end.reveal.click()
    pages.append(said())
    rating.panel.end.sure.click()
    rating.at("finished_page")
    pages.append(said())
    assert "finish and lock" in pages[3]
    assert [page for page in (*pages, help_text("judge", window).lower()) if "reveal" in page] == []

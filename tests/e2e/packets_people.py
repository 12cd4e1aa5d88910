"""The people of the packet tests, each in a window of their own: a coordinator, and raters who press keys.

What a rater answers depends on the texts alone, never on where they stand, so that a test can say what must come back.
"""

import gc
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot
from raters_bench import Bench
from rating_window import PATIENCE, Rating

from biasprint.desktop import theme
from biasprint.desktop.app import create_window
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.settings import Settings

KEYS = {"tie": "0", "none": "X", "skip": "S"}
WITHOUT_CHOICE = ("tie", "none", "skip")
SHARED = 2.0  # how much more the raters' common taste weighs than each one's own


@dataclass(frozen=True)
class Given:
    """An answer as its rater saw it: the texts from left to right, and which of them was chosen."""

    texts: tuple[str, ...]
    outcome: str
    chosen: str | None = None
    note: str = ""


@contextmanager
def a_window(qtbot: QtBot, folder: Path) -> Iterator[MainWindow]:
    """The program's window with settings of its own."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    theme.apply(application, "light", 1.0)
    window = create_window(Settings(folder / "settings.json"))
    window.resize(1280, 720)
    window.show()
    try:
        yield window
    finally:
        freed: list[bool] = []
        window.session.close(lambda: freed.append(True))
        qtbot.waitUntil(lambda: bool(freed) and not window.jobs.active(), timeout=PATIENCE)
        assert window.jobs.close()
        window.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.unfreeze()


# raters


def number_of(*parts: str) -> float:
    """Between 0 and 1: always the same for the same words."""
    return int.from_bytes(hashlib.sha256("\x1f".join(parts).encode()).digest()[:4], "big") / 2**32


def answer_of(code: str, texts: Sequence[str]) -> tuple[str, str | None]:
    """What a rater says of these texts, and the text that they choose."""
    together = sorted(texts)
    without = int(number_of("whether", code, *together) * 10)
    if without < len(WITHOUT_CHOICE):
        return WITHOUT_CHOICE[without], None
    return "choice", max(together, key=lambda text: SHARED * number_of("all", text) + number_of(code, text))


class PacketRater:
    """Rates one packet by keys. `given`: the answers in force, by the number that stands on the screen."""

    def __init__(self, qtbot: QtBot, window: MainWindow, path: Path, code: str) -> None:
        self.rating = Rating(qtbot, window, path)
        self.code = code
        self.given: dict[int, Given] = {}

    def start(self) -> None:
        """Agree, then start: both by the space bar."""
        rating = self.rating
        rating.wait_for_start()
        page = rating.panel.start
        assert not page.start.isEnabled(), "nobody starts before they agreed"
        tap(page.agree)
        tap(page.start)
        rating.at("work")

    def answer(self) -> None:
        """The comparison on the screen, as the rule says."""
        texts = self.texts()
        self.press(*answer_of(self.code, texts))

    def press(self, outcome: str, chosen: str | None, note: str = "") -> None:
        """Press the key of an answer, the note having been typed before."""
        texts, ordinal = self.texts(), self.ordinal
        before = self.given.get(ordinal)
        kept = note or (before.note if before is not None else "")
        self.given[ordinal] = Given(texts, outcome, chosen, kept)
        self.rating.panel.work.setFocus()
        self.rating.press(KEYS[outcome] if chosen is None else str(texts.index(chosen) + 1))

    def rate_all(self) -> None:
        while self.rating.page is self.rating.panel.work:
            self.answer()
        self.rating.at("end")

    def write_note(self, typed: str, pasted: str) -> None:
        """Letters of the keyboard are typed, others are pasted: the test's keyboard has no others."""
        clipboard = QApplication.clipboard()
        clipboard.setText(pasted)
        self.rating.press("n")
        self.rating.qtbot.keyClicks(self.rating.panel.work.note, typed)
        self.rating.press(Qt.Key.Key_V, modifier=Qt.KeyboardModifier.ControlModifier)
        clipboard.clear()
        self.rating.press(Qt.Key.Key_Escape)

    def finish(self) -> None:
        """Both presses by the keyboard: after the first one it stands on "Not yet", one step behind the second."""
        end = self.rating.panel.end
        tap(end.reveal)
        assert QApplication.focusWidget() is end.not_yet
        QTest.keyClick(end.not_yet, Qt.Key.Key_Backtab)
        assert QApplication.focusWidget() is end.sure
        QTest.keyClick(end.sure, Qt.Key.Key_Space)
        self.rating.at("finished_page")

    @property
    def ordinal(self) -> int:
        return int(self.rating.panel.control.view.comparison.ordinal)

    def texts(self) -> tuple[str, ...]:
        """What stands on the cards, from left to right."""
        return tuple(card.reading.text().rstrip(" ") for card in self.rating.panel.work.cards.shown)


def tap(widget: QWidget) -> None:
    """Go there and press the space bar."""
    assert widget.isVisible(), widget.accessibleName()
    assert widget.isEnabled(), widget.accessibleName()
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(widget, Qt.Key.Key_Space)


# the coordinator


def make_packets(bench: Bench, number: int, folder: Path) -> list[Path]:
    """In the raters panel: say for how many, choose a folder, press Return."""
    folder.mkdir()
    bench.tab("packets")
    form = bench.panel.packets.make
    form.whom.setFocus()
    QTest.keyClicks(form.whom, str(number))
    with pytest.MonkeyPatch.context() as patch:  # the system's own dialog
        patch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))
        tap(form.choose)
    QTest.keyClick(form.whom, Qt.Key.Key_Return)
    bench.settle()
    return sorted(folder.iterdir())


def drop(bench: Bench, paths: Sequence[Path]) -> list[tuple[str, ...]]:
    """Let files fall on the window; the rows of the report."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    there, keys = QPoint(400, 300), Qt.KeyboardModifier.NoModifier
    entering = QDragEnterEvent(there, Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, keys)
    QApplication.sendEvent(bench.window, entering)
    assert entering.isAccepted()
    falling = QDropEvent(QPointF(there), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, keys)
    QApplication.sendEvent(bench.window, falling)
    bench.settle()
    return [tuple(row.cells) for row in bench.panel.packets.report.view.table.rows]

"""Reference letters in the window: chosen, made from a folder or from the pile that is open, and removed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from biasprint.core.letters.pile import Pile, PileRow
from biasprint.core.letters.references import BUNDLED, in_use, reference
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.letters.references import ReferenceDialog
from biasprint.desktop.widgets.events import CardDrop

pytestmark = pytest.mark.usefixtures("own_computer")
PATIENCE = 120_000


def row(place: int, occupation: str = "printer", **more: object) -> PileRow:
    return PileRow(f"{place}.txt", f"{place}.txt", occupation=occupation, figures={"words": 300.0 + place}, **more)  # type: ignore[arg-type]


PILE = Pile("spring", (row(1), row(2, ""), row(3, same_as="1.txt"), row(4, "")), versions={"marks": "1"})


@pytest.fixture
def dialog(qtbot: QtBot, window: MainWindow) -> ReferenceDialog:
    made = ReferenceDialog(window, window, PILE)
    made.show()
    wait(qtbot, lambda: len(cells(made)) == 1)
    return made


def cells(dialog: ReferenceDialog) -> list[tuple[str, ...]]:
    return [one.cells for one in dialog.table.table.rows]


def wait(qtbot: QtBot, holds: Callable[[], bool]) -> None:
    qtbot.waitUntil(holds, timeout=PATIENCE)


def test_a_pile_becomes_the_set_that_letters_are_compared_with(qtbot: QtBot, dialog: ReferenceDialog) -> None:
    assert not dialog.keep.isEnabled()
    assert "name" in dialog.keep.toolTip()
    assert cells(dialog)[0][0].endswith("(in use)")
    dialog.name.setText("ours")
    with qtbot.waitSignal(dialog.changed, timeout=PATIENCE):
        dialog.keep.click()
    wait(qtbot, lambda: len(cells(dialog)) == 2)
    assert in_use() == "ours"
    assert [one.occupation for one in reference("ours").letters] == ["printer"]
    assert dialog.told.text.text().startswith("“ours” has the figures of 1 letter for printer. New readings")
    few = "An occupation needs 20 letters before any letter is compared with it: 19 more for printer."
    assert dialog.told.more.text() == f"{few} Left out: 2 (no occupation), 1 (a copy)."
    dialog.occupation.setText("printer")
    dialog.keep.click()
    wait(qtbot, lambda: len(reference("ours").letters) == 3)
    dialog.table.select(BUNDLED)
    assert not dialog.remove.isEnabled(), "the program's own stays"
    wait(qtbot, dialog.use.isEnabled)
    dialog.use.click()
    wait(qtbot, lambda: in_use() == BUNDLED)
    wait(qtbot, lambda: cells(dialog)[0][0].endswith("(in use)"))
    dialog.table.select("ours")
    wait(qtbot, dialog.remove.isEnabled)
    dialog.remove.click()
    wait(qtbot, lambda: len(cells(dialog)) == 1)


@pytest.mark.parametrize(
    ("name", "said"),
    [("bundled", "The bundled reference set stays as it is."), ("a/b", "cannot be the name"), ("x", "holds no files")],
)
def test_what_makes_no_set_is_said_in_a_sentence(
    qtbot: QtBot, dialog: ReferenceDialog, tmp_path: Path, name: str, said: str
) -> None:
    (tmp_path / "empty").mkdir()
    dialog.name.setText(name)
    dialog.make_from(tmp_path / "empty")
    wait(qtbot, lambda: said in dialog.trouble.text.text())
    assert dialog.folder.isEnabled(), "another way is open"
    assert len(cells(dialog)) == 1


def test_a_drop_marks_the_card_while_it_hangs_over_it_and_takes_what_is_there(qtbot: QtBot, tmp_path: Path) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    marked: list[bool] = []
    taken: list[list[Path]] = []
    CardDrop(widget, marked.append, lambda paths, place: taken.append(paths))
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "gone"))])
    here = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter = QDragEnterEvent(QPointF(3, 3).toPoint(), *here)
    enter.ignore()
    QApplication.sendEvent(widget, enter)
    assert (marked, enter.isAccepted()) == ([], False)
    data.setUrls([QUrl.fromLocalFile(str(tmp_path)), QUrl.fromLocalFile(str(tmp_path / "gone"))])
    QApplication.sendEvent(widget, QDragEnterEvent(QPointF(3, 3).toPoint(), *here))
    QApplication.sendEvent(widget, QDropEvent(QPointF(3, 3), *here))
    assert (marked, taken) == ([True, False], [[tmp_path]])

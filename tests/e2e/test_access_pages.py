"""Every page of every panel, with the sample: nothing is cut off at any text size, and the keyboard reaches all."""

import os
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import shiboken6
from dialogs import dialogs
from fits import misfits
from looks import dress, pages
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QRadioButton,
    QScrollArea,
    QTabBar,
    QWidget,
)

from biasprint.core.runs.sample import unpack_sample
from biasprint.desktop.headless import offscreen_window
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.widgets.layout import Dialog

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]
Shown = tuple[MainWindow, Callable[[], None]]
SIZES = ("80", "100", "150", "200")
THEMES = ("light", "dark", "contrast")
MOST_STOPS = 250
AROUND = 12  # pixels in which a ring may stand: a table's is that of its card
LEAST_CONTRAST = 3.0  # of a ring, with what is there without it
LEAST_TARGET = 24  # pixels
VALUE = "on"  # of a switch; what is switched stands beside it
RINGED = 0.5  # of a part's circumference: a list's first row, which is chosen, covers some of it


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    """The window with the sample, and what waits until nothing more is to come."""
    folder = tmp_path_factory.mktemp("access")
    before = os.environ.get("BIASPRINT_HOME")
    os.environ["BIASPRINT_HOME"] = str(folder / "home")
    sample = folder / "Sample.biasprint"
    unpack_sample(sample)
    with offscreen_window(sample) as (window, settle):
        yield window, settle
        dress(window, "light-1280x800-100")
    if before is not None:
        os.environ["BIASPRINT_HOME"] = before


@pytest.mark.parametrize("percent", SIZES)
def test_nothing_is_cut_off_at_any_text_size(shown: Shown, percent: str) -> None:
    window, settle = shown
    dress(window, f"light-1024x700-{percent}")
    settle()
    found = {name: faults for name, _ in pages(window, settle) if (faults := misfits(window))}
    assert found == {}


@pytest.mark.parametrize("theme", THEMES)
def test_tab_reaches_every_control_and_each_wears_a_ring(shown: Shown, theme: str) -> None:
    window, settle = shown
    dress(window, f"{theme}-1440x900")
    settle()
    missed, unmarked = {}, {}
    for name, panel in pages(window, settle):
        reached = walk(window)
        wanted = [part for part in panel.findChildren(QWidget) if is_stop(part)]
        if left := [told(part) for part in wanted if part not in reached]:
            missed[name] = left
        if pale := [told(part) for part in reached if panel.isAncestorOf(part) and not wears_ring(window, part)]:
            unmarked[name] = pale
    assert missed == {}, "Tab does not lead there"
    assert unmarked == {}, "no ring shows that it has the keyboard"


def test_tab_follows_the_order_of_reading_in_every_dialog(shown: Shown, tmp_path: Path) -> None:
    window, settle = shown
    dress(window, "light-1280x800")
    settle()
    missed, backward, seen = {}, {}, set[type]()
    for dialog in dialogs(window, settle, tmp_path):
        seen.add(type(dialog))
        stops = [part for part in dialog.findChildren(QWidget) if is_stop(part)]
        reached = walk(dialog)
        name = told(dialog)
        if left := [told(part) for part in stops if part not in reached]:
            missed[name] = left
        begun = reached.index(min(reached, key=lambda part: first_place(part, dialog)))
        if wrong := list(backward_steps(dialog, [*reached[begun:], *reached[:begun]])):
            backward[name] = wrong
    assert missed == {}, "Tab does not lead there"
    assert backward == {}, "Tab goes back over what was read"
    assert {each.__name__ for each in every_kind(Dialog)} - {each.__name__ for each in seen} == set()


def every_kind(of: type) -> Iterator[type]:
    """Yield the classes below one that have none below themselves."""
    kinds = of.__subclasses__()
    yield from (below for kind in kinds for below in every_kind(kind))
    if not kinds:
        yield of


def walk(window: QWidget) -> list[QWidget]:
    """Press Tab until it leads where it led before; what it led to. A part that keeps the keyboard is an error."""
    window.activateWindow()
    QApplication.processEvents()
    if isinstance(window, MainWindow):
        window.ground.setFocus(Qt.FocusReason.OtherFocusReason)
    reached: list[QWidget] = []
    for _ in range(MOST_STOPS):
        before = QApplication.focusWidget()
        QTest.keyClick(before, Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        assert now is not before, f"it keeps the keyboard: {told(now)}"
        if now in reached:
            return reached
        reached.append(now)
    raise AssertionError(f"Tab comes to no end: {[told(part) for part in reached[-10:]]}")


def is_stop(part: QWidget) -> bool:
    takes_tab = bool(part.focusPolicy() & Qt.FocusPolicy.TabFocus) and part.focusProxy() is None
    in_group = isinstance(part, QRadioButton) and not part.isChecked()  # the arrows lead to the others
    return part.isVisible() and part.isEnabled() and takes_tab and not in_group


def told(part: QWidget) -> str:
    return f"{type(part).__name__} “{part.accessibleName() or part.property('text') or ''}”"


def wears_ring(window: MainWindow, part: QWidget) -> bool:
    """Whether the keyboard on a part changes a ring's worth of pixels at 3:1."""
    above = part.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(part)  # of a text, its first line
            foot = part.mapTo(above.widget(), part.rect().bottomLeft())
            above.ensureVisible(foot.x(), foot.y())
        above = above.parentWidget()
    window.ground.setFocus(Qt.FocusReason.OtherFocusReason)
    QApplication.processEvents()
    size = part.size()
    around = (
        QRect(part.mapTo(window, QPoint(0, 0)), size)
        .adjusted(-AROUND, -AROUND, AROUND, AROUND)
        .intersected(window.rect())
    )
    ringed = part.tabRect(part.currentIndex()).size() if isinstance(part, QTabBar) else size
    without = luminances(window, around)
    part.setFocus(Qt.FocusReason.TabFocusReason)
    QApplication.processEvents()
    with_it = luminances(window, around)
    contrast = (np.maximum(without, with_it) + 0.05) / (np.minimum(without, with_it) + 0.05)
    length = 2 * (min(ringed.width(), around.width()) + min(ringed.height(), around.height()))
    return int(np.count_nonzero(contrast >= LEAST_CONTRAST)) >= RINGED * length


def luminances(window: MainWindow, box: QRect) -> "np.ndarray":
    """Relative luminances of a part of the window, as WCAG 2.2 defines them."""
    picture = window.grab(box).toImage().convertToFormat(QImage.Format.Format_RGB32)
    lines = np.frombuffer(picture.constBits(), np.uint8).reshape(picture.height(), picture.bytesPerLine() // 4, 4)
    values = lines[:, : picture.width(), 2::-1] / 255
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ [0.2126, 0.7152, 0.0722])


def test_the_tests_above_can_fail(shown: Shown) -> None:
    """A label that is too narrow, and a control outside its surroundings, are found."""
    from PySide6.QtWidgets import QLabel, QPushButton

    around = QWidget()
    around.resize(100, 60)
    label, button = QLabel("A sentence that needs more room than there is", around), QPushButton("Go on", around)
    label.setGeometry(0, 0, 60, 20)
    button.setGeometry(70, 30, 90, 30)
    around.show()
    QApplication.processEvents()
    assert [fault.partition(":")[0].partition(",")[0] for fault in misfits(around)] == [
        "words cut off",
        "outside QWidget 100×60",
    ]
    around.close()
    around.deleteLater()


@pytest.fixture(scope="module")
def looked_at(shown: Shown) -> dict[str, dict[str, list[str]]]:
    """What is found on each page, by what was looked for: one walk for all."""
    window, settle = shown
    dress(window, "light-1440x900")
    settle()
    found: dict[str, dict[str, list[str]]] = {"names": {}, "targets": {}, "order": {}, "inputs": {}}
    for name, panel in pages(window, settle):
        stops = [part for part in walk(window) if panel.isAncestorOf(part)]
        assert stops, f"Tab leads nowhere on {name}"
        worked_with = [part for part in panel.findChildren(QWidget) if part.isVisible() and part.isEnabled()]
        for key, faults in (
            ("names", list(other_names(worked_with))),
            ("targets", list(small_targets(window, worked_with))),
            ("order", list(backward_steps(panel, stops))),
            ("inputs", list(moved_by_input(window, settle, panel, worked_with))),
        ):
            if faults:
                found[key][name] = faults
    return found


def test_a_control_is_called_by_the_words_that_are_on_it(looked_at: dict[str, dict[str, list[str]]]) -> None:
    assert looked_at["names"] == {}


def test_what_is_pressed_is_large_enough_or_apart(looked_at: dict[str, dict[str, list[str]]]) -> None:
    assert looked_at["targets"] == {}


def test_tab_goes_in_the_order_of_reading(looked_at: dict[str, dict[str, list[str]]]) -> None:
    assert looked_at["order"] == {}


def test_a_choice_opens_no_window_and_takes_the_keyboard_nowhere(looked_at: dict[str, dict[str, list[str]]]) -> None:
    assert looked_at["inputs"] == {}


def other_names(parts: list[QWidget]) -> Iterator[str]:
    """Give the controls whose name leaves out words that are written on them."""
    for part in parts:
        name = part.accessibleName()
        if isinstance(part, QAbstractButton) and name and not written_in(part.text(), name):
            yield f"“{part.text()}” is called “{name}”"


def written_in(words: str, name: str) -> bool:
    words = words.replace("&", "").strip(" …").casefold()
    return words in name.casefold() or words == VALUE


def small_targets(window: MainWindow, parts: list[QWidget]) -> Iterator[str]:
    """Give what is smaller than 24 pixels and has another target within a circle of that size (WCAG 2.2, 2.5.8)."""
    boxes = {
        part: part.visibleRegion().boundingRect().translated(part.mapTo(window, QPoint(0, 0)))
        for part in parts
        if not part.visibleRegion().isEmpty()
        and isinstance(part, QAbstractButton | QComboBox | QLineEdit | QAbstractSpinBox)
        and not isinstance(part.parentWidget(), QAbstractSpinBox | QComboBox | QLineEdit)
    }  # fmt: skip
    for part, box in boxes.items():
        if box.size() != part.size() or min(part.width(), part.height()) >= LEAST_TARGET:  # or scrolled out of sight
            continue
        circle = QRect(0, 0, LEAST_TARGET, LEAST_TARGET)
        circle.moveCenter(box.center())
        if near := [told(other) for other, place in boxes.items() if other is not part and circle.intersects(place)]:
            yield f"{told(part)} is {box.width()}×{box.height()}, beside {near[0]}"


def backward_steps(panel: QWidget, stops: list[QWidget]) -> Iterator[str]:
    """Give the steps of Tab that lead up without leading to a column on the right, or back in a line."""
    for one, other in pairwise(stops):
        if one.isAncestorOf(other):
            continue
        before, after = place_of(on_page(one, other), panel), place_of(on_page(other, one), panel)
        up = after.bottom() <= before.top() and after.left() <= before.right()
        same_line = after.top() < before.bottom() and before.top() < after.bottom()
        if up or (same_line and after.right() <= before.left()):
            yield f"from {told(one)} {before.getRect()} to {told(other)} {after.getRect()}"


def on_page(part: QWidget, other: QWidget) -> QWidget:
    """Return the page that scrolls with a part where the other is not on it, else the part."""
    above: QWidget | None = part
    while above is not None:
        if isinstance(above, QScrollArea) and above is not other and not above.isAncestorOf(other):
            part = above
        above = above.parentWidget()
    return part


def first_place(part: QWidget, dialog: QWidget) -> tuple[int, int, bool, int, int]:
    page, place = on_page(part, dialog), place_of(part, dialog)
    ground = place_of(page, dialog)
    return ground.top(), ground.left(), part is not page, place.top(), place.left()


def place_of(part: QWidget, panel: QWidget) -> QRect:
    """Where a part is on its page, however far that is scrolled."""
    place, above = QRect(part.mapTo(panel, QPoint(0, 0)), part.size()), part.parentWidget()
    while above is not None and above is not panel:
        if isinstance(above, QScrollArea):
            place.translate(above.horizontalScrollBar().value(), above.verticalScrollBar().value())
        above = above.parentWidget()
    return place


def moved_by_input(
    window: MainWindow, settle: Callable[[], None], panel: QWidget, parts: list[QWidget]
) -> Iterator[str]:
    """Give the boxes whose change opens a window, leads to another panel or takes the keyboard elsewhere."""
    for part in parts:
        if not shiboken6.isValid(part) or not part.isVisible():
            continue
        if isinstance(part, QComboBox) and part.count() > 1:
            keys = (Qt.Key.Key_Down, Qt.Key.Key_Up) if part.currentIndex() == 0 else (Qt.Key.Key_Up, Qt.Key.Key_Down)
        elif isinstance(part, QCheckBox) and part.focusPolicy() & Qt.FocusPolicy.TabFocus:
            keys = (Qt.Key.Key_Space, Qt.Key.Key_Space)
        else:
            continue
        what = told(part)
        part.setFocus(Qt.FocusReason.TabFocusReason)
        for key in keys:
            QTest.keyClick(part, key)
            QApplication.processEvents()
            if not panel.isVisible() or QApplication.activeModalWidget() or QApplication.activePopupWidget():
                yield f"{what} leads elsewhere"
                return
            if not shiboken6.isValid(part) or QApplication.focusWidget() is not part:
                yield f"{what} gives the keyboard to {told(QApplication.focusWidget() or window)}"
                break
    settle()

"""Every page of every panel, with the sample: nothing is cut off at any text size, and the keyboard reaches all."""

import os
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from fits import misfits
from looks import dress, pages
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QRadioButton, QScrollArea, QTabBar, QWidget

from biasprint.core.runs.sample import unpack_sample
from biasprint.desktop.headless import offscreen_window
from biasprint.desktop.main_window import MainWindow

pytestmark = pytest.mark.soak
Shown = tuple[MainWindow, Callable[[], None]]
SIZES = ("80", "100", "150", "200")
THEMES = ("light", "dark", "contrast")
MOST_STOPS = 250
AROUND = 8  # pixels in which a ring may stand
LEAST_CONTRAST = 3.0  # of a ring, with what is there without it
RINGED = 0.6  # of a part's circumference


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


def walk(window: MainWindow) -> list[QWidget]:
    """Press Tab until it leads where it led before; what it led to. A part that keeps the keyboard is an error."""
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
            above.ensureWidgetVisible(part)
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

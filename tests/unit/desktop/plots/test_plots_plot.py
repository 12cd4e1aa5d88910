"""The plot widget: its looks are the theme's, and whatever the pointer does, a key does too."""

import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from biasprint import desktop
from biasprint.desktop import theme
from biasprint.desktop.plots.band import LiveBand, PlotBounds, Region
from biasprint.desktop.plots.cloud import Cloud, HeatCells
from biasprint.desktop.plots.plot import Plot

ROOT = Path(desktop.__file__).parent
SIZE = (640, 400)


def points(x: list[float], y: list[float], group: list[int] | None = None) -> Cloud:
    made = Cloud()
    places = np.zeros(len(x), dtype=np.int16) if group is None else np.array(group, dtype=np.int16)
    made.set_points(np.array(x), np.array(y), places, ("first", "second"))
    made.words = lambda index: f"point {index}"
    return made


@pytest.fixture
def plot(qtbot: QtBot) -> Iterator[Plot]:
    made = Plot("Distances", "x", "y")
    theme.dress(made)
    made.resize(*SIZE)
    made.show()
    made.setFocus()
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def square(plot: Plot) -> Plot:
    """A point at each corner and one in the middle."""
    plot.show_items([points([0, 10, 10, 0, 5], [0, 0, 10, 10, 5])], fit=True)
    QApplication.processEvents()
    return plot


def on_screen(plot: Plot, x: float, y: float) -> QPoint:
    return plot.mapFromScene(plot.view.mapViewToScene(QPointF(x, y)))


def pixel(plot: Plot, x: float, y: float) -> str:
    image = plot.grab().toImage()
    at = on_screen(plot, x, y) * image.devicePixelRatio()
    return image.pixelColor(at).name().upper()


def range_of(plot: Plot) -> tuple[float, float, float, float]:
    area = plot.view.viewRect()
    return area.left(), area.right(), area.top(), area.bottom()


# looks


@pytest.mark.parametrize("name", theme.THEMES)
def test_a_crowd_of_bands_is_as_dark_as_one_and_in_high_contrast_every_line_stands_out(
    plot: Plot, qapp: QApplication, name: str
):
    theme.apply(qapp, name, 1.0)
    bands = []
    for place in range(8):
        band = LiveBand(str(place), place)
        band.crowded = True
        height = np.full(2, float(place))
        band.set_data(np.array([0.0, 10.0]), height, np.full(2, -1.0), np.full(2, 9.0))
        bands.append(band)
    plot.show_items(bands, fit=True)
    QApplication.processEvents()
    tokens = theme.current()
    surface, extreme = channels(tokens.surface), max if tokens.dark else min
    each = [(0.87 * surface + 0.13 * channels(series.color)).round() for series in tokens.series]
    together = np.array([extreme(values) for values in zip(*each, strict=True)])
    for height in (0.5, 6.5, 7.5):
        assert np.abs(channels(pixel(plot, 5, height)) - together).max() <= 1
    if name == "contrast":
        assert min(contrast(series.color, pixel(plot, 5, 7.5)) for series in tokens.series) >= 3


def channels(color: str) -> np.ndarray:
    return np.array(QColor(color).toTuple()[:3])


def luminance(color: str) -> float:
    """Relative luminance, as WCAG 2.2 defines it."""
    shares = channels(color) / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(first: str, second: str) -> float:
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", theme.THEMES)
def test_every_colour_is_the_themes_and_is_switched_while_the_plot_is_open(square: Plot, qapp: QApplication, name: str):
    theme.apply(qapp, name, 1.0)
    tokens = theme.current()
    assert pixel(square, 2.5, 7.2) == tokens.surface
    assert pixel(square, 5, 5) == tokens.series[0].color
    image = square.grab().toImage()
    assert QColor(tokens.edge).name() in {image.pixelColor(x, 200).name() for x in range(80)}  # the axis


def test_nothing_of_the_librarys_own_looks_is_left(square: Plot):
    assert square.plotItem.buttonsHidden
    assert not square.view.menuEnabled()
    assert square.scene().contextMenu == []
    words = [action.text() for action in square.menu().actions()]
    assert [text.partition("\t")[2] for text in words] == ["+", "−", "0", "C"]


def test_ticks_are_written_in_our_digits(plot: Plot):
    plot.set_words(x=("n", "", ()), y=("share", "proportion", ()))
    assert plot.y_axis.tickStrings([-0.25, 0.0, 0.25], 1, 0.25) == ["−25 %", "0 %", "25 %"]
    assert plot.x_axis.tickStrings([0, 2500], 1, 2500) == ["0", "2,500"]
    assert plot.x_axis.tickStrings([0.0, 0.0025], 1, 0.0025) == ["0.0000", "0.0025"]


def test_ticks_of_named_places_are_the_names(plot: Plot):
    plot.set_words(x=("", "", ("woman", "a" * 60)), y=("", "", ()))
    assert plot.x_axis.tickValues(-0.5, 1.5, 300) == [(1.0, [0.0, 1.0])]
    shown = plot.x_axis.tickStrings([0.0, 1.0], 1, 1)
    assert shown[0] == "woman"
    assert shown[1].endswith("…")
    room = QFontMetricsF(plot.x_axis.style["tickFont"]).horizontalAdvance(shown[1])
    assert 75 < room < 150, "up to the next place, in whatever font there is"
    plot.set_words(x=("", "", ()), y=("", "", ("woman", "a" * 60)))
    plot.y_axis.tickValues(-0.5, 1.5, 300)
    assert [len(name) for name in plot.y_axis.tickStrings([0.0, 1.0], 1, 1)] == [5, 28]


# zoom and pan


def test_keys_zoom_pan_and_show_everything_again(square: Plot):
    whole = range_of(square)
    QTest.keyClick(square, Qt.Key.Key_Plus)
    assert range_of(square)[1] - range_of(square)[0] == pytest.approx(0.8 * (whole[1] - whole[0]))
    QTest.keyClick(square, Qt.Key.Key_Minus)
    assert range_of(square) == pytest.approx(whole)
    QTest.keyClick(square, Qt.Key.Key_Right)
    assert range_of(square)[0] == pytest.approx(whole[0] + 0.1 * (whole[1] - whole[0]))
    assert square.touched
    QTest.keyClick(square, Qt.Key.Key_0)
    assert range_of(square) == pytest.approx(whole)
    assert not square.touched


def test_dragging_pans_and_new_data_leave_the_view_where_somebody_put_it(square: Plot):
    whole = range_of(square)
    drag(square, (5, 5), (7, 5))
    moved = range_of(square)
    assert moved[0] == pytest.approx(whole[0] - 2, abs=0.2)
    square.show_items([points([0, 100], [0, 100])])
    assert range_of(square) == pytest.approx(moved)
    square.fit()
    assert range_of(square)[1] > 100


def test_a_view_that_nobody_touched_follows_the_data(square: Plot):
    square.show_items([points([0, 100], [0, 100])])
    assert range_of(square)[1] > 100


def test_one_value_alone_still_has_a_range(plot: Plot):
    plot.show_items([points([3], [7])], fit=True)
    left, right, low, high = range_of(plot)
    assert left < 3 < right
    assert low < 7 < high


def test_linked_plots_show_the_same_stretch(square: Plot, qtbot: QtBot):
    other = Plot("Other")
    other.resize(*SIZE)
    other.show()
    other.show_items([points([0, 10], [0, 3])], fit=True)
    other.link_x(square)
    QTest.keyClick(square, Qt.Key.Key_Plus)
    assert range_of(other)[:2] == pytest.approx(range_of(square)[:2])
    QTest.keyClick(other, Qt.Key.Key_Right)
    assert range_of(square)[:2] == pytest.approx(range_of(other)[:2])
    other.follow()
    square.follow()
    assert square.touched, "new points do not take away what somebody looks at"
    assert range_of(square)[:2] == pytest.approx(range_of(other)[:2])
    other.close()
    other.deleteLater()


# the crosshair


def test_the_pointer_is_told_what_is_under_it(square: Plot):
    told: list[str] = []
    square.pointed.connect(told.append)
    QTest.mouseMove(square.viewport(), on_screen(square, 5, 5))
    square._follow_pointer(square.view.mapViewToScene(QPointF(5, 5)))
    assert square.readout.text() == "point 4"
    square._follow_pointer(square.view.mapViewToScene(QPointF(2.5, 6)))
    assert square.readout.isHidden()
    assert told[-2:] == ["point 4", ""]


def test_keys_move_the_crosshair_and_enter_opens_what_is_there(square: Plot, qtbot: QtBot):
    QTest.keyClick(square, Qt.Key.Key_C)
    assert square.readout.text() == "point 4"  # it begins in the middle
    with qtbot.waitSignal(square.picked) as picked:
        QTest.keyClick(square, Qt.Key.Key_Return)
    assert picked.args == pytest.approx([5, 5], abs=0.1)
    whole = range_of(square)
    for _ in range(2):
        QTest.keyClick(square, Qt.Key.Key_Left)
    assert square.readout.isHidden()
    assert range_of(square) == whole  # the arrows move the crosshair, not the view
    QTest.keyClick(square, Qt.Key.Key_Escape)
    QTest.keyClick(square, Qt.Key.Key_Left)
    assert range_of(square) != whole


def test_a_click_opens_what_is_there(square: Plot, qtbot: QtBot):
    with qtbot.waitSignal(square.picked) as picked:
        QTest.mouseClick(square.viewport(), Qt.MouseButton.LeftButton, pos=on_screen(square, 10, 0))
    assert picked.args == pytest.approx([10, 0], abs=0.1)


# marking


def drag(plot: Plot, *corners: tuple[float, float], modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier):
    view = plot.viewport()
    places = [on_screen(plot, *corner) for corner in corners]
    QTest.mousePress(view, Qt.MouseButton.LeftButton, modifier, places[0])
    for first, second in pairwise(places):
        for part in (0.34, 0.67, 1.0):
            move(plot, first + (second - first) * part, modifier)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, modifier, places[-1])
    QApplication.processEvents()


def move(plot: Plot, to: QPoint, modifier: Qt.KeyboardModifier) -> None:
    """QTest.mouseMove holds no button."""
    view = plot.viewport()
    there = QPointF(view.mapToGlobal(to))
    event = QMouseEvent(
        QEvent.Type.MouseMove, QPointF(to), there, Qt.MouseButton.NoButton, Qt.MouseButton.LeftButton, modifier
    )
    QApplication.sendEvent(view, event)


def test_dragging_with_shift_draws_around_points_and_does_not_pan(square: Plot, qtbot: QtBot):
    whole = range_of(square)
    with qtbot.waitSignal(square.marked) as marked:
        drag(square, (3, 3), (7, 3), (7, 7), (3, 7), modifier=Qt.KeyboardModifier.ShiftModifier)
    corners = marked.args[0]
    assert corners[:, 0].min() == pytest.approx(3, abs=0.2)
    assert corners[:, 1].max() == pytest.approx(7, abs=0.2)
    assert range_of(square) == whole


def test_shift_and_arrows_draw_a_box_that_enter_marks(square: Plot, qtbot: QtBot):
    for _ in range(3):
        QTest.keyClick(square, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    for _ in range(2):
        QTest.keyClick(square, Qt.Key.Key_Up, Qt.KeyboardModifier.ShiftModifier)
    with qtbot.waitSignal(square.marked) as marked:
        QTest.keyClick(square, Qt.Key.Key_Return)
    width, height = square.view.viewRect().width(), square.view.viewRect().height()
    corners = marked.args[0]
    assert np.ptp(corners, axis=0) == pytest.approx([0.06 * width, 0.04 * height])
    assert corners.min(axis=0) == pytest.approx([5, 5])


def test_a_stretch_takes_the_whole_height(square: Plot, qtbot: QtBot):
    square.full_height = True
    square.set_marking(True)
    with qtbot.waitSignal(square.marked) as marked:
        drag(square, (3, 3), (7, 4))
    assert np.ptp(marked.args[0], axis=0) == pytest.approx([4, square.view.viewRect().height()], rel=0.05)


# words


def test_a_screen_reader_is_told_what_is_shown_and_which_keys_there_are(plot: Plot):
    plot.describe("Distances", "5 texts of 2 groups, from 0 to 10.")
    assert plot.accessibleName() == "Distances"
    assert plot.accessibleDescription().startswith("5 texts of 2 groups, from 0 to 10. Arrows pan")


def test_a_sentence_stands_where_a_curve_would_be(square: Plot):
    square.show_items(())
    square.say_nothing("No scores yet.")
    assert square.nothing.isVisible()
    assert not square.plotItem.isVisible()
    square.show_items([points([1, 2], [1, 2])])
    assert not square.nothing.isVisible()
    assert square.plotItem.isVisible()


# what is drawn


def test_an_estimate_and_its_band_are_drawn_and_told_with_gaps_where_there_is_none(plot: Plot):
    band = LiveBand("woman", 0, "proportion")
    x = np.arange(1, 101)
    y = np.full(100, 0.5)
    y[40:60] = np.nan
    band.set_data(x, y, y - 0.2, y + 0.2)
    plot.show_items([Region("noise floor", 0.0, 0.1), band], fit=True)
    line, surface = (QColor(color).red() for color in (theme.current().series[0].color, theme.current().surface))
    assert QColor(pixel(plot, 20, 0.5)).red() < (line + surface) / 2  # its edges are smooth
    assert pixel(plot, 50.5, 0.5) == theme.current().surface
    assert pixel(plot, 20, 0.65) not in (theme.current().surface, theme.current().series[0].color)
    assert plot.told_at(20, 0.5) == "woman: 50 % (30–70) at 20"
    assert plot.told_at(50, 0.5) == ""
    assert band.bounds == PlotBounds(1, 100, pytest.approx(0.3), pytest.approx(0.7))


def test_a_band_without_any_value_has_no_bounds(plot: Plot):
    band = LiveBand("woman")
    band.set_data(np.array([1.0, 2.0]), np.array([np.nan, np.nan]))
    plot.show_items([band], fit=True)
    assert band.bounds is None
    plot.grab()


def test_points_are_drawn_where_they_are_in_the_colour_of_their_group(square: Plot):
    square.show_items([points([0, 5, 10, np.nan], [0, 5, 10, 3], [0, 1, -1, 0])], fit=True)
    tokens = theme.current()
    found = [pixel(square, *at) for at in ((0, 0), (5, 5), (10, 10), (5, 3))]
    assert found == [tokens.series[0].color, tokens.series[1].color, tokens.soft, tokens.surface]


def test_a_heat_map_tells_its_cells_and_hatches_what_is_not_a_number(plot: Plot):
    cells = HeatCells("gaps", "proportion")
    cells.set_values(np.array([[0.1, -0.1], [np.nan, 0.2]]), np.ones((2, 2)), ["a", "b"], ["x", "y"], middle=0.0)
    cells.words = lambda row, column: f"{cells.row_names[row]}, {cells.column_names[column]}"
    plot.show_items([cells], fit=True)
    assert plot.told_at(0.2, 1.1) == "b, x"
    assert plot.told_at(5, 5) == ""
    assert cells.scale() == (pytest.approx(-0.2), pytest.approx(0.2))
    assert cells.color_of(0.2).red() > cells.color_of(0.2).blue()
    assert cells.color_of(-0.2).blue() > cells.color_of(-0.2).red()
    image = plot.grab().toImage()
    at = on_screen(plot, 0, 1)
    around = {image.pixelColor(at.x() + dx, at.y()).name().upper() for dx in range(-20, 20)}
    assert theme.current().edge in around


# the library


def test_only_this_room_imports_the_library():
    sources = [path for path in ROOT.rglob("*.py") if "plots" not in path.relative_to(ROOT).parts]
    assert len(sources) > 50
    assert not [path for path in sources if "pyqtgraph" in path.read_text(encoding="utf-8")]


PROGRAM = """
import sys
from biasprint.desktop.plots import loading
assert "pyqtgraph" not in sys.modules
from PySide6.QtWidgets import QApplication
app = QApplication([])
steps = sum(1 for _ in loading.steps())
in_steps = set(vars(sys.modules["pyqtgraph"]))
import pyqtgraph
assert pyqtgraph.PlotWidget is not None
for name in [name for name in sys.modules if name.partition(".")[0] == "pyqtgraph"]:
    del sys.modules[name]
import pyqtgraph
print(steps, sorted(set(vars(pyqtgraph)) ^ in_steps - {"__builtins__"}))
"""


def test_the_import_in_steps_brings_all_that_the_usual_one_brings():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    steps, _, differing = done.stdout.partition(" ")
    assert int(steps) > 100
    assert differing.strip() in ("[]", "['__cached__']", "['__builtins__']"), differing


def test_the_first_and_the_last_tick_are_labelled_and_a_title_has_lines_enough(plot: Plot, qapp: QApplication):
    plot.y_axis.set_words("share of texts with a score at or below that", "proportion")
    plot.y_axis.dress(plot.tokens)
    plot.resize(640, 190)
    plot.show_items([points([0, 1], [0, 1])])
    plot.view.setRange(xRange=(0, 1), yRange=(0, 1), padding=0)  # as of shares
    qapp.processEvents()
    axis = plot.y_axis
    picture = plot.grab()
    painter = QPainter(picture)
    drawn = axis.generateDrawSpecs(painter)[2]
    painter.end()
    assert {words for _, _, words in drawn} >= {"0 %", "100 %"}
    assert axis.label.boundingRect().width() <= axis.size().height() + 1
    assert axis.label.boundingRect().height() > 1.5 * QFontMetricsF(axis.label.font()).height()

"""The tour of three minutes, in the real window with its real panels, by keys alone."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from left_behind import PATIENCE, put_away
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from biasprint.core.machine.storage import home
from biasprint.core.project.project import Project
from biasprint.desktop import theme
from biasprint.desktop.app import create_window, offer_tour
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations import Operation, letters
from biasprint.desktop.panels.home import HomePanel
from biasprint.desktop.settings import Settings
from biasprint.desktop.tour import Tour, TourLayer, steps
from biasprint.desktop.widgets import Notice
from biasprint.desktop.window_commands import may_tour, view_commands

STOPS = len(steps())
WAIT = 60_000


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    theme.apply(qapp, "light", 1.0)
    for warm in ("warm_up", "warm_up_words"):  # of Letters, which no stop reads any of
        monkeypatch.setattr(letters, warm, lambda: Operation("", lambda _: None, quiet=True))
    made = create_window(Settings(tmp_path / "settings.json"))
    made.resize(1024, 700)
    made.show()
    made.activateWindow()
    made.show_panel("home")
    yield made
    put_away(qtbot, made, PATIENCE)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "Mine.biasprint"
    Project.create(path).close()
    return path


def take(qtbot: QtBot, window: MainWindow) -> tuple[Tour, TourLayer]:
    """Begin the tour as the menu does; its bubble stands at the first stop."""
    (command,) = [command for command in view_commands(window) if command.title == "Tour of three minutes…"]
    assert command.enabled()
    command.run()
    qtbot.waitUntil(lambda: window.tour is not None and window.tour.layer is not None, timeout=WAIT)
    assert window.tour is not None
    assert window.tour.layer is not None
    return window.tour, window.tour.layer


def press(qtbot: QtBot, key: Qt.Key) -> None:
    """Press a key where the keyboard is."""
    focused = QApplication.focusWidget()
    assert focused is not None
    qtbot.keyClick(focused, key)


def stands_at(qtbot: QtBot, layer: TourLayer, place: int) -> None:
    """Wait until the bubble points at something of its stop."""
    qtbot.waitUntil(lambda: layer.bubble.counter.text() == f"Tour, {place + 1} of {STOPS}", timeout=WAIT)
    qtbot.waitUntil(lambda: layer.hole is not None and layer.bubble.on.hasFocus(), timeout=WAIT)


def pointed_at(layer: TourLayer) -> QWidget:
    """The control below the middle of the hole."""
    assert layer.hole is not None
    layer.hide()
    found = layer.parentWidget().childAt(layer.hole.center())
    layer.show()
    assert found is not None
    return found


def is_inside(found: QWidget, whole: QWidget) -> bool:
    return found is whole or whole.isAncestorOf(found)


def test_every_stop_points_at_its_control_by_keys_alone(qtbot: QtBot, window: MainWindow):
    tour, layer = take(qtbot, window)
    panels = window.panels
    wanted = (
        lambda: panels["home"].rate.button,
        lambda: panels["findings"].board.view,
        lambda: panels["findings"].board.card.open_texts,
        lambda: panels["charts"].tabs,
        lambda: panels["judge"].start.start,
        lambda: panels["letters"].start.choose,
        lambda: panels["fingerprint"].choose.buttons[0],
        lambda: window.rail.brand,
    )
    assert len(wanted) == STOPS
    for place, control in enumerate(wanted):
        stands_at(qtbot, layer, place)
        assert is_inside(pointed_at(layer), control()), steps()[place].title
        box = layer.bubble.geometry()
        assert window.ground.rect().contains(box)
        assert not box.intersects(layer.hole.adjusted(4, 4, -4, -4)), "the bubble covers what it points at"
        assert layer.bubble.text.height() >= layer.bubble.text.heightForWidth(layer.bubble.text.width())
        layer.bubble.on.setFocus()
        press(qtbot, Qt.Key.Key_Return if place % 2 else Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: window.tour is None and window.project is None, timeout=WAIT)
    assert window.current == "home"
    assert tour.layer is None


def test_one_comes_back_to_the_stop_before_and_no_further(qtbot: QtBot, window: MainWindow):
    tour, layer = take(qtbot, window)
    stands_at(qtbot, layer, 0)
    press(qtbot, Qt.Key.Key_Left)
    assert tour.place == 0
    press(qtbot, Qt.Key.Key_Right)
    stands_at(qtbot, layer, 1)
    press(qtbot, Qt.Key.Key_Right)
    stands_at(qtbot, layer, 2)
    press(qtbot, Qt.Key.Key_Left)
    stands_at(qtbot, layer, 1)
    assert window.panels["findings"].board.chosen is None, "the finding of the next stop is closed again"
    tour.leave()


@pytest.mark.parametrize(("place", "way"), [(0, "button"), (3, "Escape"), (STOPS - 1, "Escape")])
def test_it_can_be_left_at_any_stop_and_everything_is_as_it_was(
    qtbot: QtBot, window: MainWindow, study: Path, place: int, way: str
):
    with qtbot.waitSignal(window.session.opened):
        window.open_project(study)
    window.show_panel("prompts")
    before, recent = hashlib.sha256(study.read_bytes()).hexdigest(), window.settings.recent()
    tour, layer = take(qtbot, window)
    assert window.project is not None
    copy = window.project.path
    assert copy.name == "Sample.biasprint"
    for _ in range(place):
        tour.go(1)
    stands_at(qtbot, layer, place)
    if way == "Escape":
        press(qtbot, Qt.Key.Key_Escape)
    else:
        qtbot.mouseClick(layer.bubble.leave, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.project is not None and window.project.path == study, timeout=WAIT)
    qtbot.waitUntil(lambda: window.current == "prompts" and not window.jobs.active(), timeout=WAIT)
    assert hashlib.sha256(study.read_bytes()).hexdigest() == before
    assert window.settings.recent() == recent
    assert not copy.exists()
    assert not any("Sample" in path.name for path in home().rglob("*")), "nothing of the copy is left"
    assert window.tour is None
    assert window.findChildren(TourLayer) == [] or not window.findChildren(TourLayer)[0].isVisible()


def test_the_windows_own_keys_and_clicks_do_not_work_meanwhile(qtbot: QtBot, window: MainWindow):
    tour, layer = take(qtbot, window)
    stands_at(qtbot, layer, 0)
    for key in (Qt.Key.Key_3, Qt.Key.Key_K, Qt.Key.Key_W):
        qtbot.keyClick(layer.bubble.on, key, Qt.KeyboardModifier.ControlModifier)
    assert window.palette_box.isHidden()
    assert (window.current, tour.place) == ("home", 0)
    assert window.project is not None
    settings = window.rail.button("settings")
    assert window.ground.childAt(settings.mapTo(window.ground, QPoint(4, 4))) is layer
    for _ in range(4):
        press(qtbot, Qt.Key.Key_Tab)
        assert layer.isAncestorOf(QApplication.focusWidget())
    tour.leave()


def test_it_fits_a_small_window_with_the_largest_text(qtbot: QtBot, window: MainWindow, qapp: QApplication):
    window.settings.set("font_percent", 200)
    tour, layer = take(qtbot, window)
    for place in range(STOPS):
        stands_at(qtbot, layer, place)
        bubble = layer.bubble
        assert window.ground.rect().contains(bubble.geometry())
        covered, hole = bubble.geometry() & layer.hole, layer.hole
        assert 2 * covered.width() * covered.height() < hole.width() * hole.height(), steps()[place].title
        for part in (bubble.text, bubble.leave, bubble.on):
            assert QRect(QPoint(), bubble.size()).contains(QRect(part.mapTo(bubble, QPoint()), part.size()))
        tour.go(1)
    theme.apply(qapp, "light", 1.0)


def test_it_is_read_out(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch):
    said: list[str] = []
    announce = "biasprint.desktop.widgets.labels.QAccessible.updateAccessibility"
    monkeypatch.setattr(announce, lambda event: said.append(event.message()))
    tour, layer = take(qtbot, window)
    tour.go(1)
    stands_at(qtbot, layer, 1)
    for line, step in zip(said, steps(), strict=False):
        assert step.title in line
        assert step.text in line
    assert len(said) == 2
    assert steps()[1].text in layer.bubble.on.accessibleDescription()
    tour.leave()


def offers(window: MainWindow) -> list[Notice]:
    return [notice for notice in window.panels["home"].findChildren(Notice) if "New here?" in notice.accessibleName()]


def test_it_is_offered_at_the_first_start_alone(qtbot: QtBot, window: MainWindow):
    offer_tour(window)
    assert len(offers(window)) == 1
    window.settings.save()
    assert Settings(window.settings.path).tour_seen, "the second start knows of it, whether it was taken or not"
    for notice in offers(window):
        notice.close()
    qtbot.waitUntil(lambda: offers(window) == [])
    offer_tour(window)
    assert offers(window) == []
    assert isinstance(window.panels["home"], HomePanel)


def test_a_window_that_was_closed_before_home_was_seen_offers_it_at_the_next_start(qtbot: QtBot, tmp_path: Path):
    closed = create_window(Settings(tmp_path / "settings.json"))
    closed.show_panel("home")
    offer_tour(closed)
    assert not closed.settings.tour_seen
    put_away(qtbot, closed, PATIENCE)


def test_it_waits_while_somebody_rates(qtbot: QtBot, window: MainWindow):
    assert may_tour(window)
    window.set_blind(True)
    assert not may_tour(window)
    window.set_blind(False)

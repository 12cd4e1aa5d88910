"""The live board: cards that move, grow and are pinned, runs beside each other, the wall. All figures are made up."""

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import board_scene as scene
import numpy as np
import pytest
from fake_shell import FakeShell
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot
from seeded_part import seeded_part

from biasprint.core.jobs import Progress
from biasprint.core.runs.live import Course, LiveKey, LiveRates, Trace
from biasprint.desktop import theme
from biasprint.desktop.jobs import JobHandle, JobState
from biasprint.desktop.operations.board import Goal
from biasprint.desktop.panels.charts.board import JUDGING, LENGTHS, PACE, LiveBoard
from biasprint.desktop.panels.charts.dashboard import Place, places_in
from biasprint.desktop.panels.charts.live_cards import LengthsCard, LiveMeasureCard, PaceCard, RaterCountsCard
from biasprint.desktop.plots.card import as_text, save_plot, tables_of
from biasprint.desktop.plots.plot import Plot
from biasprint.desktop.read.board import BoardData
from biasprint.desktop.wording.live import counted_in, noun, scored_words

AGENTIC, COMMUNAL = scene.CATEGORIES[:2]


@pytest.fixture
def board(qtbot: QtBot) -> Iterator[LiveBoard]:
    shell = FakeShell()
    made = LiveBoard(shell)
    qtbot.addWidget(made)
    made.resize(1100, 900)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.close_wall()
    assert shell.jobs.close()


def show(board: LiveBoard, data: BoardData) -> None:
    board.show_data(data)
    board.draw()


def entries(menu: QMenu) -> dict[str, Any]:
    return {action.text().partition("\t")[0]: action for action in menu.actions() if action.text()}


def test_figures_of_choices_tell_their_n_in_choices() -> None:
    told = [
        (counted(6), noun(counted))
        for counted in (
            counted_in(LiveKey(key, "man", "man"), scene.counted) for key in ("creativity.share", "letters.style")
        )
    ]
    assert told == [("6 choices", "choices"), ("6 letters", "letters")]


def test_where_every_text_failed_the_way_to_them_is_told_though_there_are_measures(board: LiveBoard) -> None:
    show(board, scene.data(0, failed=9))
    assert board.note.text().startswith("Every text failed so far: Generate tells why")


def test_an_empty_board_says_what_to_do(board: LiveBoard, qtbot: QtBot) -> None:
    show(board, BoardData())
    assert board.nothing.isVisible()
    with qtbot.waitSignal(board.panel_wanted) as asked:
        qtbot.mouseClick(board.nothing.button, Qt.MouseButton.LeftButton)
    assert asked.args == ["generate"]


def test_before_the_first_reading_nothing_is_said_to_be_missing(board: LiveBoard) -> None:
    board.expect()
    assert board.waiting.isVisible()
    assert not board.nothing.isVisible()
    show(board, BoardData(reading=1))
    assert not board.waiting.isVisible()
    assert board.nothing.isVisible()


def test_first_cards_are_the_pace_and_a_few_measures(board: LiveBoard) -> None:
    show(board, scene.data(60, judging=2))
    assert board.dashboard.on_board() == [PACE, JUDGING, *scene.CATEGORIES[:6], LENGTHS]
    assert not board.nothing.isVisible()


def test_curves_grow_and_a_card_keeps_what_did_not_change(board: LiveBoard) -> None:
    show(board, scene.data(40))
    card = board.dashboard.cards[AGENTIC]
    assert isinstance(card, LiveMeasureCard)
    band = card.plot.items_drawn()[-1]
    before = card.plot.view.viewRect().right()
    show(board, scene.data(120))
    assert board.dashboard.cards[AGENTIC] is card
    assert card.plot.items_drawn()[-1] is band
    assert card.plot.view.viewRect().right() > before
    assert "after 120 letters" in card.sentence.text()


def test_the_sentence_is_what_a_screen_reader_is_told(board: LiveBoard) -> None:
    show(board, scene.data(120))
    card = board.dashboard.cards[AGENTIC]
    assert isinstance(card, LiveMeasureCard)
    assert card.plot.accessibleName() == "Agentic words"
    assert card.sentence.text() in card.plot.accessibleDescription()


def test_what_has_no_value_has_a_sentence_where_the_curve_would_be(board: LiveBoard) -> None:
    show(board, scene.data(2))
    card = board.dashboard.cards[AGENTIC]
    assert isinstance(card, LiveMeasureCard)
    assert "a group has no words" in card.plot.nothing.text()
    show(board, scene.data(40))
    assert card.plot.nothing.isHidden()
    show(board, scene.data(2))
    assert "a group has no words" in card.plot.nothing.text()


def test_the_pace_tells_failures_and_scorers(board: LiveBoard) -> None:
    show(board, scene.data(60, failed=3))
    card = board.dashboard.cards[PACE]
    assert isinstance(card, PaceCard)
    told = card.sentence.text()
    assert "60 texts, 20.0 texts a second now" in told
    assert "3 took longer than their deadline." in told
    assert "Scored: Word categories 48." in told


def test_originals_that_were_scored_are_told_apart_from_texts() -> None:
    scored = {"lexicon": 80}
    assert scored_words(LiveRates(scored=scored, scored_sources={"lexicon": 76})) == (
        "Scored: Word categories 80. Scored sources, such as originals: Word categories 76."
    )
    assert scored_words(LiveRates(scored_sources=scored)) == "Scored sources, such as originals: Word categories 80."
    assert scored_words(LiveRates()) == ""


@pytest.mark.parametrize("floor", [0.01, 9.0])
def test_the_noise_floor_is_in_view_wherever_the_curve_lies(board: LiveBoard, floor: float) -> None:
    whole = scene.board(60)
    show(board, BoardData((), replace(whole, measures=(replace(whole.measures[0], floor=floor),))))
    card = board.dashboard.cards[AGENTIC]
    assert isinstance(card, LiveMeasureCard)
    low, high = card.plot.view.viewRange()[1]
    assert low < floor < high


def test_lengths_are_shares_that_sum_to_one(board: LiveBoard) -> None:
    show(board, scene.data(168))
    card = board.dashboard.cards[LENGTHS]
    assert isinstance(card, LengthsCard)
    (table,) = tables_of(card.plot)
    assert sum(table["share"][:-1]) == pytest.approx(1)
    assert "Most often 50 to 99 words (90 of 168 texts); 4 refusals." in card.sentence.text()


def test_judging_tells_counts_alone(board: LiveBoard, qtbot: QtBot) -> None:
    show(board, scene.data(60, judging=2))
    card = board.dashboard.cards[JUDGING]
    assert isinstance(card, RaterCountsCard)
    assert [row[2].text() for row in card.rows] == ["0 of 60, 3.2 a minute", "7 of 60, 3.2 a minute"]
    card.actions_of_files[-1].trigger()
    qtbot.waitUntil(lambda: bool(board._host.said))  # type: ignore[attr-defined]
    assert QGuiApplication.clipboard().text().splitlines() == [
        "rater\tkind\tjudged\tplanned\tper_minute\trevealed",
        "R00\tperson\t0\t60\t3.2\tfalse", "R01\tperson\t7\t60\t3.2\tfalse",
    ]  # fmt: skip


def test_runs_beside_each_other_have_a_colour_and_a_dash_each(board: LiveBoard) -> None:
    show(board, scene.data(60, runs=2))
    card = board.dashboard.cards[AGENTIC]
    assert isinstance(card, LiveMeasureCard)
    names = [entry.name.partition(":")[0] for entry in card.legend.entries]
    assert names == ["model 1", "model 2"]
    assert [entry.place for entry in card.legend.entries] == [0, 1]
    copied = as_text(tables_of(card.plot)).splitlines()
    assert {line.split("\t")[0] for line in copied[1:]} >= {"model 1", "model 2"}
    assert board.head.runs.text() == "2 runs compared"


def test_a_crowd_of_curves_has_names_alone_in_its_legend(board: LiveBoard) -> None:
    show(board, scene.data(60, runs=4))
    card = board.dashboard.cards[AGENTIC]
    assert isinstance(card, LiveMeasureCard)
    assert [entry.name.partition(":")[1] for entry in card.legend.entries] == [":"] * 4
    show(board, scene.data(60, runs=5))
    assert [entry.name for entry in card.legend.entries] == [f"model {number}" for number in range(1, 6)]


def test_what_is_of_all_texts_comes_before_parts_of_them(board: LiveBoard) -> None:
    data = scene.data(60)
    assert data.board is not None
    parts = [replace(one, parts=int(place < 4)) for place, one in enumerate(data.board.measures)]
    show(board, replace(data, board=replace(data.board, measures=tuple(parts))))
    on_board = [key for key in board.dashboard.on_board() if key in scene.CATEGORIES]
    assert on_board == [*scene.CATEGORIES[:3], *scene.CATEGORIES[4:]]


def test_a_share_alone_is_drawn_between_its_limits(board: LiveBoard) -> None:
    one = scene.measure("agentic", 4, 0.9, unit="share")
    data = scene.data(60)
    assert data.board is not None
    show(board, replace(data, board=replace(data.board, measures=(one,))))
    card = board.dashboard.cards[AGENTIC]
    assert isinstance(card, LiveMeasureCard)
    view = card.plot.view.viewRect()
    assert view.top() > -0.2
    assert view.bottom() < 1.2
    assert view.contains(4, 0.0)
    assert view.contains(4, 1.0)


def test_runs_are_picked_in_a_menu(board: LiveBoard, qtbot: QtBot) -> None:
    show(board, scene.data(60))
    asked: list[tuple[object, object]] = []
    board.head.chosen.connect(lambda study, runs: asked.append((study, runs)))
    for title in ("model 1, seed 1: 60 of 168", "model 2, seed 1: 60 of 168"):
        menu = board.head.runs_menu()
        entries(menu)[title].trigger()
    assert asked == [(1, (1,)), (1, (1, 2))]
    entries(board.head.runs_menu())["All texts together"].trigger()
    assert asked[-1] == (1, ())


@pytest.mark.parametrize(
    ("ending", "begins"), seeded_part([("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")], 1)
)
def test_counts_of_raters_are_saved_as_a_picture(
    board: LiveBoard, qtbot: QtBot, tmp_path: Path, ending: str, begins: bytes
) -> None:
    show(board, scene.data(60, judging=3))
    card = board.dashboard.cards[JUDGING]
    assert isinstance(card, RaterCountsCard)
    path = tmp_path / f"judging.{ending}"
    card.save_to(path)
    qtbot.waitUntil(lambda: board._host.said == [f"Saved as “judging.{ending}”"])  # type: ignore[attr-defined]
    assert path.read_bytes().startswith(begins)


def test_what_is_saved_as_a_table_is_what_is_drawn(board: LiveBoard, qtbot: QtBot, tmp_path: Path) -> None:
    data = scene.data(60, judging=2)
    show(board, data)
    measure, judging = board.dashboard.cards[AGENTIC], board.dashboard.cards[JUDGING]
    assert isinstance(measure, LiveMeasureCard)
    assert isinstance(judging, RaterCountsCard)
    save_plot(measure.page(), tmp_path / "agentic.csv", board._host)
    judging.save_to(tmp_path / "judging.csv")
    qtbot.waitUntil(lambda: len(board._host.said) == 2)  # type: ignore[attr-defined]
    with (tmp_path / "agentic.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["estimate"]]
    assert data.board is not None
    trace = data.board.measures[0].curves[0].trace
    assert [float(row["estimate"]) for row in rows] == pytest.approx(trace.value)
    assert [float(row["high"] or "nan") for row in rows] == pytest.approx(trace.high, nan_ok=True)
    with (tmp_path / "judging.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [(row["rater"], row["judged"]) for row in csv.DictReader(file)] == [("R00", "0"), ("R01", "7")]


# ---- what does not go as it should


def test_what_is_no_number_leaves_a_gap(board: LiveBoard) -> None:
    trace = Trace(
        np.array([1.0, 2, 3, 4]), np.array([0.5, np.nan, 0.6, 0.7]),
        np.array([np.nan, np.nan, -np.inf, 0.5]), np.array([np.nan, np.nan, np.inf, 0.9]),
    )  # fmt: skip
    whole = scene.board(60)
    measure = whole.measures[0]
    curve = replace(measure.curves[0], trace=trace)
    show(board, BoardData((), replace(whole, measures=(replace(measure, curves=(curve,)),))))
    card = board.dashboard.cards[AGENTIC]
    assert isinstance(card, LiveMeasureCard)
    assert not card.grab().isNull()
    assert np.isfinite(card.plot.view.viewRange()).all()
    (table,) = [one for one in tables_of(card.plot) if "estimate" in one]
    assert len(table["estimate"]) == 4
    assert "nan" not in as_text([table])


def test_a_point_alone_is_seen_with_its_band(board: LiveBoard) -> None:
    whole = scene.board(60)
    measure = whole.measures[0]
    one = Trace(*(np.array([value]) for value in (60.0, 0.6, 0.4, 0.8)))
    curve = replace(measure.curves[0], trace=one)

    def colours() -> set[int]:
        card = board.dashboard.cards[AGENTIC]
        assert isinstance(card, LiveMeasureCard)
        image = card.plot.grab().toImage()
        middle = image.width() * 54 // 100
        return {image.pixel(x, image.height() // 3) for x in range(middle - 40, middle + 40)}

    show(board, BoardData((), replace(whole, measures=(replace(measure, curves=(curve,)),))))
    series = QColor(theme.current().series[0].color).rgb()
    assert series in colours()


def test_a_run_that_was_cancelled_at_its_first_text_has_a_pace(board: LiveBoard) -> None:
    show(board, scene.data(1))
    card = board.dashboard.cards[PACE]
    assert isinstance(card, PaceCard)
    assert card.sentence.text().startswith("1 text,")
    assert card.plot.nothing.text() == "The pace is drawn while texts are written."
    assert card.plot.x_axis.tickSpacing(0.5, 1.5, 400.0)[0][0] >= 1


def test_where_nobody_writes_there_is_a_sentence_in_place_of_the_pace(board: LiveBoard) -> None:
    before = scene.board(60)
    still = replace(before.paces[0].rates, texts_per_second=0.0, texts_per_second_in_all=66.3)
    quiet = replace(before.paces[0], rates=still, trace=Course().trace)
    show(board, BoardData((), replace(before, paces=(quiet,))))
    card = board.dashboard.cards[PACE]
    assert isinstance(card, PaceCard)
    assert card.plot.nothing.text() == "The pace is drawn while texts are written."
    assert card.sentence.text().startswith("60 texts, 66.3 a second on average")


def test_a_run_of_which_every_text_failed_says_why(board: LiveBoard) -> None:
    data = scene.data(0, failed=3)
    assert data.board is not None
    show(board, replace(data, board=replace(data.board, measures=())))
    card = board.dashboard.cards[PACE]
    assert isinstance(card, PaceCard)
    assert "3 took longer than their deadline." in card.sentence.text()
    assert card.plot.nothing.text() == "There is no text to tell the pace by: every one failed."
    assert board.note.text() == "Every text failed so far: Generate tells why and asks for them again."
    assert not board.nothing.isVisible()


# ---- arranging


def test_a_layout_that_makes_no_sense_is_left_out() -> None:
    kept = {"cards": [{"key": "a", "size": "huge"}, 7, {"key": "b", "size": "wide", "pinned": True}, {"key": 3}]}
    assert places_in(kept) == (Place("b", "wide", True, True),)
    assert places_in({"cards": "none"}) == places_in({}) == ()


def test_keys_move_pin_and_size_a_card_and_the_layout_is_told(board: LiveBoard, qtbot: QtBot) -> None:
    show(board, scene.data(60))
    kept: list[dict[str, Any]] = []
    board.arranged.connect(lambda study, layout: kept.append(layout))
    card = board.dashboard.cards[COMMUNAL]
    card.plot.setFocus()  # type: ignore[attr-defined]
    held = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(card.plot, Qt.Key.Key_Left, held)  # type: ignore[attr-defined]
    assert board.dashboard.on_board()[:3] == [PACE, COMMUNAL, AGENTIC]
    QTest.keyClick(card.plot, Qt.Key.Key_Up, held)  # type: ignore[attr-defined]
    assert board.dashboard.on_board()[0] == COMMUNAL
    QTest.keyClick(card.plot, Qt.Key.Key_Down, held)  # type: ignore[attr-defined]
    assert board.dashboard.place(COMMUNAL) == Place(COMMUNAL, "wide", True)
    assert card.width() > 1.5 * board.dashboard.cards[AGENTIC].width()
    assert kept[-1]["cards"][0] == {"key": COMMUNAL, "size": "wide", "pinned": True, "shown": True}
    assert len(kept) == 3
    button = board.dashboard.actions_of[COMMUNAL].button
    assert button.accessibleName() == "Arrange “Communal words”"
    assert button.accessibleDescription() == "Card 1 of 8, wide, pinned"


@pytest.mark.usefixtures("right_to_left")
def test_from_right_to_left_the_first_card_is_at_the_right_and_the_right_arrow_moves_forward(
    board: LiveBoard, qtbot: QtBot
) -> None:
    show(board, scene.data(60))
    cards = board.dashboard.cards
    first, second, third = board.dashboard.on_board()[:3]
    assert cards[first].geometry().right() == board.dashboard.rect().right()
    assert cards[second].geometry().right() < cards[first].geometry().left()
    held = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    plot = cards[third].plot  # type: ignore[attr-defined]
    plot.setFocus()
    QTest.keyClick(plot, Qt.Key.Key_Right, held)
    assert board.dashboard.on_board()[:3] == [first, third, second]
    QTest.keyClick(plot, Qt.Key.Key_Left, held)
    assert board.dashboard.on_board()[:3] == [first, second, third]
    keys = [action.text().partition("\t")[2] for action in board.dashboard.actions_of[third].menu().actions()]
    assert [key[-1] for key in keys if key][-2:] == ["→", "←"], "forward, and back"


def test_a_kept_layout_is_that_of_the_next_board(board: LiveBoard) -> None:
    places = [Place(LENGTHS, "tall"), Place(COMMUNAL, pinned=True), Place(AGENTIC, shown=False)]
    show(board, scene.data(60, layout={"cards": [place.stored() for place in places]}))
    order = board.dashboard.on_board()
    assert order[:2] == [COMMUNAL, LENGTHS]
    assert AGENTIC not in order


def test_a_card_is_dragged_to_another_place(board: LiveBoard, qtbot: QtBot) -> None:
    show(board, scene.data(60))
    handle = board.dashboard.cards[AGENTIC].heading  # type: ignore[attr-defined]
    target = board.dashboard.cards[PACE].geometry().center()
    to = handle.mapFromGlobal(board.dashboard.mapToGlobal(target))
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    QTest.mouseMove(handle, to)
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=to)
    assert board.dashboard.on_board()[:2] == [AGENTIC, PACE]


def test_cards_are_taken_off_and_put_back(board: LiveBoard) -> None:
    show(board, scene.data(60))
    entries(board.dashboard.actions_of[AGENTIC].menu())["Take off the board"].trigger()
    board.draw()
    assert AGENTIC not in board.dashboard.cards
    entries(board._cards_menu())["Agentic words"].trigger()
    board.draw()
    assert AGENTIC in board.dashboard.on_board()


# ---- the work


def job(done: int, total: int | None) -> JobHandle:
    handle = JobHandle("writing")
    handle.progress = Progress(done, total, 20.0, 54.0)
    return handle


def test_the_work_is_told_paused_and_resumed(board: LiveBoard, qtbot: QtBot) -> None:
    show(board, scene.data(60))
    assert not board.head.pause.isVisible()
    handle = job(60, 1140)
    board.follow([handle])
    assert board.head.progress_words.text() == "60 of 1,140, 54 s left."
    qtbot.mouseClick(board.head.pause, Qt.MouseButton.LeftButton)
    assert handle.state is JobState.PAUSED
    assert board.head.progress_words.text() == "60 of 1,140, paused."
    assert board.head.pause.text() == "Resume"
    qtbot.mouseClick(board.head.pause, Qt.MouseButton.LeftButton)
    assert handle.state is JobState.RUNNING
    handle.state = JobState.CANCELLED  # at the first text
    handle.changed.emit()
    assert not board.head.pause.isVisible()


def test_one_goes_on_to_a_planned_n(board: LiveBoard) -> None:
    taken: list[Goal] = []
    goal = Goal("Go on to n = 480", None, 1)  # type: ignore[arg-type]
    entries(board.head.goals_menu([goal], taken.append))["Go on to n = 480"].trigger()
    assert taken == [goal]
    assert not entries(board.head.goals_menu([], taken.append))["There is no run to go on with."].isEnabled()


# ---- the wall


def test_the_wall_shows_the_first_measures_large_and_goes_by_escape(board: LiveBoard, qtbot: QtBot) -> None:
    show(board, scene.data(60))
    board.toggle_wall()
    wall = board.wall
    assert wall is not None
    wall.showNormal()
    wall.resize(1920, 1080)
    assert list(wall.cards) == list(scene.CATEGORIES[:4])
    assert wall.tokens.control >= 24
    show(board, scene.data(90))
    assert "after 90 letters" in wall.cards[AGENTIC].sentence.text()
    QTest.keyClick(wall, Qt.Key.Key_Right)
    assert list(wall.cards) == list(scene.CATEGORIES[4:6])
    QTest.keyClick(wall, Qt.Key.Key_Escape)
    assert board.wall is None
    qtbot.waitUntil(lambda: not [one for one in QApplication.topLevelWidgets() if one is wall and one.isVisible()])


def test_nothing_of_judging_is_on_the_wall(board: LiveBoard) -> None:
    show(board, scene.data(60, judging=2))
    board.toggle_wall()
    assert board.wall is not None
    assert JUDGING not in board.wall.cards


def test_a_project_that_is_closed_takes_board_and_wall_with_it(board: LiveBoard) -> None:
    show(board, scene.data(60))
    board.toggle_wall()
    board.follow([job(1, 2)])
    board.forget()
    assert board.wall is None
    assert board.dashboard.cards == {}
    assert board.nothing.isVisible()
    assert board.head.jobs == ()


def test_a_late_reading_does_not_take_the_place_of_a_newer_one(board: LiveBoard) -> None:
    newer, older = scene.board(80), scene.board(40)
    show(board, BoardData((), newer, 7))
    show(board, BoardData((), older, 6))
    assert board.board is newer


@pytest.mark.parametrize("name", ["dark", "contrast"])
@pytest.mark.soak
def test_every_plot_of_board_and_wall_takes_the_theme_that_is_switched_to(
    board: LiveBoard, qtbot: QtBot, qapp: QApplication, name: str
) -> None:
    show(board, scene.data(120, runs=2))
    board.toggle_wall()
    assert board.wall is not None
    board.wall.showNormal()
    board.wall.resize(1280, 720)
    theme.apply(qapp, name, 1.0)
    qtbot.waitUntil(lambda: board.wall is not None and board.wall.cards[AGENTIC].drawing.plot.tokens.name == name)
    tokens = theme.current()
    plots = [*board.dashboard.findChildren(Plot), *board.wall.findChildren(Plot)]
    assert len(plots) == (1 + 6 + 1) + 4  # pace, measures and lengths; on the wall the first measures
    for plot in plots:
        seen = scene.colours(plot)
        assert seen[tokens.surface.lower()] > 0.3, plot.accessibleName()
        for series in tokens.series[:2]:
            assert series.color.lower() in seen, plot.accessibleName()
    for card in (*board.dashboard.cards.values(), *board.wall.cards.values()):
        assert max(scene.colours(card).items(), key=lambda one: one[1])[0] == tokens.surface.lower()

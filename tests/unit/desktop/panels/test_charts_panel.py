"""The charts panel: live, never in the way, and every figure opens its texts. All findings are made up."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import board_scene as scene
import pytest
from fake_shell import FakeShell
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding, Interval
from biasprint.core.jobs import JobContext
from biasprint.core.project.changes import Changes
from biasprint.core.runs.live import NotKept
from biasprint.desktop.charts.live import AxisWords, ChartData, ChartVoice, TextBehind, TextsBehind
from biasprint.desktop.panels.charts import ChartsPanel
from biasprint.desktop.read.board import BoardData
from biasprint.desktop.read.charts import StudyFigures

AXIS = AxisWords("race", "Race", (("white", "white"), ("black", "black"), ("asian", "asian")))


def voice(key: str, *values: float) -> ChartVoice:
    identities = tuple(name for name, _ in AXIS.identities)
    findings = tuple(
        Finding(
            id="creativity.share",
            label=identity,
            title=identity,
            groups=identities,
            estimate=value,
            unit="proportion",
            n=60,
            dims={"axis": "race"},
            interval=Interval(value - 0.1, value + 0.1, 0.95, "made up"),
            p=0.004,
            note="a note about p = 0.004",
            harm="fewer choices",
        )
        for identity, value in zip(identities, values, strict=True)
    )
    return ChartVoice(key, key, "you", findings, complete=True, judged=60)


DATA = ChartData(axes=(AXIS,), voices=(voice("you", 0.5, 0.3, 0.2),))


class Source:
    """Hands out what it is told to, and counts."""

    def __init__(self, data: ChartData) -> None:
        self.data = data
        self.loads = 0
        self.threads: set[int] = set()
        self.gate: threading.Event | None = None
        self.error: AppError | None = None

    def load(self, ctx: JobContext) -> ChartData:
        self.loads += 1
        self.threads.add(threading.get_ident())
        if self.gate is not None:
            assert self.gate.wait(10)
        if self.error is not None:
            raise self.error
        return self.data

    def items(self, ctx: JobContext, finding: Finding) -> TextsBehind:
        if self.gate is not None:
            assert self.gate.wait(10)
        text = f"A text for <b>{finding.label}</b>"
        return TextsBehind(412, (TextBehind("1", f"haiku for {finding.label}", "chosen", text),))


class NoBoard:
    """Nothing to follow."""

    def choose(self, study: int | None, runs: object) -> None: ...

    def note(self, changes: Changes) -> None:
        """Nothing is followed."""

    def load(self, ctx: JobContext) -> BoardData:
        return BoardData()


class FullDisk(NoBoard):
    """What it has to remember has no room."""

    def __init__(self) -> None:
        self.loads = 0

    def load(self, ctx: JobContext) -> BoardData:
        self.loads += 1
        raise NotKept("There is no room.")


class NoFigures:
    """A project in which nothing is stored."""

    def load(self, ctx: JobContext) -> tuple[StudyFigures, ...]:
        return ()


@pytest.fixture
def shell() -> Iterator[FakeShell]:
    made = FakeShell(SimpleNamespace(read_only=False))
    yield made
    assert made.jobs.close()


Open = Callable[[Source], ChartsPanel]


@pytest.fixture
def open_panel(qtbot: QtBot, shell: FakeShell) -> Open:
    def make(source: Source) -> ChartsPanel:
        panel = ChartsPanel(shell, lambda _: source, lambda _: NoFigures(), lambda _: NoBoard())  # type: ignore
        qtbot.addWidget(panel)
        panel.resize(1072, 640)
        with qtbot.waitExposed(panel):
            panel.show()
        return panel

    return make


def settled(qtbot: QtBot, shell: FakeShell) -> None:
    qtbot.waitUntil(lambda: not shell.jobs.active())


def test_shows_what_the_source_reads_on_another_thread(qtbot: QtBot, shell: FakeShell, open_panel: Open):
    source = Source(DATA)
    panel = open_panel(source)
    qtbot.waitUntil(lambda: panel.data is DATA)
    marks = panel.sections[0].cards[0].figure.marks
    assert [mark.value for mark in marks] == pytest.approx([1.5, 0.9, 0.6])
    assert threading.get_ident() not in source.threads


def test_a_board_without_room_for_its_sums_is_read_again_when_the_panel_is_opened_again(qtbot: QtBot, shell: FakeShell):
    source, full = Source(DATA), FullDisk()
    panel = ChartsPanel(shell, lambda _: source, lambda _: NoFigures(), lambda _: full)  # type: ignore
    qtbot.addWidget(panel)
    panel.show()
    qtbot.waitUntil(lambda: shell.errors != [] and panel.data is DATA)
    for key in range(3):
        panel.deliver(Changes.to("output", [key]))
        settled(qtbot, shell)
    assert (full.loads, len(shell.errors)) == (1, 1)
    panel.hide()
    panel.show()
    qtbot.waitUntil(lambda: full.loads == 2)


def test_reads_again_at_most_ten_times_a_second_and_shows_the_last(qtbot: QtBot, shell: FakeShell, open_panel: Open):
    source = Source(DATA)
    panel = open_panel(source)
    qtbot.waitUntil(lambda: panel.data is DATA)
    loads, start = source.loads, time.monotonic()
    while time.monotonic() - start < 0.65:
        panel.deliver(Changes.to("judgment", ["x"]))
        QApplication.processEvents()
    source.data = replace(DATA, voices=(voice("you", 0.2, 0.3, 0.5),))
    panel.deliver(Changes.to("judgment", ["y"]))
    qtbot.waitUntil(lambda: panel.data is source.data)
    assert 3 <= source.loads - loads <= (time.monotonic() - start) * 10 + 2


def test_slow_reading_delays_no_key_press(qtbot: QtBot, shell: FakeShell, open_panel: Open):
    source = Source(DATA)
    source.gate = threading.Event()
    panel = open_panel(source)
    qtbot.waitUntil(lambda: source.loads == 1)
    field = QLineEdit()
    qtbot.addWidget(field)
    start = time.thread_time()  # not by the clock: other programs share this machine
    for _ in range(20):
        panel.deliver(Changes.to("output", [1]))
        QTest.keyClick(field, Qt.Key.Key_A)
        QApplication.processEvents()
    assert field.text() == "a" * 20
    assert source.loads == 1  # one reading at a time, whatever is asked meanwhile
    assert time.thread_time() - start < 2
    source.gate.set()
    qtbot.waitUntil(lambda: source.loads == 2)
    settled(qtbot, shell)


def test_other_changes_read_nothing(qtbot: QtBot, shell: FakeShell, open_panel: Open):
    source = Source(DATA)
    panel = open_panel(source)
    qtbot.waitUntil(lambda: panel.data is DATA)
    settled(qtbot, shell)
    panel.deliver(Changes.to("draft", ["x"]))
    assert not shell.jobs.active()
    assert source.loads == 1


def test_open_session_is_told_by_its_count_alone(qtbot: QtBot, shell: FakeShell, open_panel: Open):
    panel = open_panel(Source(replace(DATA, voices=(), open_sessions=1, hidden_judgments=17)))
    qtbot.waitUntil(lambda: panel.hidden_note.isVisible())
    assert panel.hidden_note.text.text() == "1 rating session is open: 17 judgments hidden until the reveal"
    assert "Finish the open rating session" in panel.sections[0].nothing.text.text()


def test_empty_section_leads_to_where_its_figures_come_from(qtbot: QtBot, shell: FakeShell, open_panel: Open):
    panel = open_panel(Source(ChartData()))
    settled(qtbot, shell)
    assert panel.sections[0].nothing.isVisible()
    qtbot.mouseClick(panel.sections[0].nothing.button, Qt.MouseButton.LeftButton)
    panel.tabs.setCurrentIndex(3)
    qtbot.mouseClick(panel.sections[2].nothing.button, Qt.MouseButton.LeftButton)
    assert shell.panels == ["judge", "generate"]


LETTERS = (
    Finding(
        id="letters.lexicon.odds_ratio", label="ability", title="ability", groups=("male", "female"), estimate=1.5,
        unit="odds ratio", n=40, interval=Interval(1.1, 2.0, 0.95, "made up"),
    ),
)  # fmt: skip


def test_nothing_is_said_to_lack_before_the_first_reading_is_over(qtbot: QtBot, shell: FakeShell, open_panel: Open):
    source = Source(ChartData())
    source.gate = threading.Event()
    panel = open_panel(source)
    assert panel.waiting.isVisible()
    assert not panel.stack.isVisible()
    source.error = AppError("The file cannot be read.")
    source.gate.set()
    settled(qtbot, shell)
    assert panel.stack.isVisible()
    assert not panel.waiting.isVisible()
    assert [error.message for error in shell.errors] == ["The file cannot be read."]


def test_a_live_board_that_was_read_first_does_not_speak_for_the_sections(
    qtbot: QtBot, shell: FakeShell, open_panel: Open, monkeypatch: pytest.MonkeyPatch
):
    source = Source(DATA)
    source.gate = threading.Event()
    monkeypatch.setattr(NoBoard, "load", lambda self, ctx: scene.data(60))
    panel = open_panel(source)
    qtbot.waitUntil(panel.live.has_data)
    assert panel.waiting.isVisible(), "which section to open is not known yet"
    panel.opened_with(section="letters")
    assert panel.waiting.isVisible(), "nothing is said to lack"
    panel.tabs.setCurrentIndex(0)
    assert panel.live.isVisible()
    assert not panel.waiting.isVisible()
    source.gate.set()
    settled(qtbot, shell)
    panel.opened_with(section="preferences")
    assert panel.sections[0].cards[0].isVisible()


def test_the_first_section_with_something_to_see_is_open(qtbot: QtBot, shell: FakeShell, open_panel: Open):
    source = Source(ChartData())
    panel = open_panel(source)
    settled(qtbot, shell)
    assert panel.tabs.currentIndex() == 1
    source.data = ChartData(live={"letters": LETTERS})
    panel.deliver(Changes.to("score", [1]))
    qtbot.waitUntil(lambda: panel.data is source.data)
    assert panel.stack.currentWidget().title == "Letters"
    source.data = replace(DATA, live={"letters": LETTERS})  # whoever looks at something is not taken away from it
    panel.deliver(Changes.to("judgment", ["x"]))
    qtbot.waitUntil(lambda: panel.data is source.data)
    assert panel.stack.currentWidget().title == "Letters"
    panel.attach(SimpleNamespace(read_only=False))  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: panel.data is source.data)
    assert panel.stack.currentWidget().title == "Preferences"


@pytest.mark.parametrize("section", ["preferences", "affinity", "letters", "distance"])
def test_whoever_is_sent_to_a_section_sees_it_whatever_the_others_have(
    qtbot: QtBot, shell: FakeShell, open_panel: Open, section: str
):
    source = Source(replace(DATA, live={"letters": LETTERS}))
    panel = open_panel(source)
    panel.opened_with(section=section)
    qtbot.waitUntil(lambda: panel.data is source.data)
    assert panel.stack.currentWidget().title.lower() == section


def test_chosen_voice_stays_chosen_when_figures_change(qtbot: QtBot, shell: FakeShell, open_panel: Open):
    source = Source(replace(DATA, voices=(voice("you", 0.5, 0.3, 0.2), voice("model", 0.2, 0.2, 0.6))))
    panel = open_panel(source)
    qtbot.waitUntil(lambda: panel.data is source.data)
    box = panel.sections[0].voice
    box.setCurrentIndex(1)
    box.activated.emit(1)
    assert panel.sections[0].cards[0].figure.marks[0].value == pytest.approx(0.6)
    source.data = replace(DATA, voices=(voice("you", 0.5, 0.3, 0.2), voice("model", 0.3, 0.2, 0.5)))
    panel.deliver(Changes.to("judgment", ["x"]))
    qtbot.waitUntil(lambda: panel.data is source.data)
    assert panel.sections[0].cards[0].figure.marks[0].value == pytest.approx(0.9)


def test_a_model_s_choices_are_never_taken_for_the_reader_s_own(qtbot: QtBot, shell: FakeShell, open_panel: Open):
    source = Source(replace(DATA, voices=(replace(voice("smollm2", 0.2, 0.2, 0.6), kind="model"),)))
    panel = open_panel(source)
    qtbot.waitUntil(lambda: panel.data is source.data)
    panel.opened_with(section="preferences")
    box = panel.sections[0].voice
    assert not box.isHidden()
    assert box.currentText() == source.data.voices[0].title


def click_first(panel: ChartsPanel, section: int = 0) -> Finding:
    chart = panel.sections[section].cards[0].chart
    chart.grab()
    QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=chart.spots[0].area.center().toPoint())
    return chart.spots[0].finding


def test_click_opens_the_figure_and_the_texts_behind_it(qtbot: QtBot, shell: FakeShell, open_panel: Open):
    panel = open_panel(Source(DATA))
    qtbot.waitUntil(lambda: panel.data is DATA)
    click_first(panel)
    assert panel.figure.isVisible()
    assert panel.figure.heading.text() == "white (Race): chosen in 50 % of 60 comparisons with a choice"
    assert "Harmful direction: fewer choices" in panel.figure.more.text()
    qtbot.waitUntil(lambda: panel.figure.behind.text() == "The first 1 of 412 texts behind it")
    assert panel.figure.text.text() == "A text for <b>white</b>"
    QTest.keyClick(panel.figure, Qt.Key.Key_Escape)
    assert not panel.figure.isVisible()
    settled(qtbot, shell)


def test_figure_of_a_running_session_has_no_test_in_it(qtbot: QtBot, shell: FakeShell, open_panel: Open):
    running = replace(DATA, voices=(replace(DATA.voices[0], complete=False),))
    panel = open_panel(Source(running))
    qtbot.waitUntil(lambda: panel.data is running)
    click_first(panel)
    settled(qtbot, shell)
    assert "p =" not in panel.figure.heading.text() + panel.figure.facts.text() + panel.figure.more.text()


def test_texts_of_a_figure_that_was_left_are_dropped(qtbot: QtBot, shell: FakeShell, open_panel: Open):
    source = Source(DATA)
    panel = open_panel(source)
    qtbot.waitUntil(lambda: panel.data is DATA)
    settled(qtbot, shell)
    source.gate = threading.Event()
    click_first(panel)
    panel.figure.close_card()
    source.gate.set()
    settled(qtbot, shell)
    assert not panel.figure.isVisible()
    assert panel.figure.text.text() == ""


def test_narrow_window_shows_the_figure_alone_until_it_is_closed(qtbot: QtBot, shell: FakeShell, open_panel: Open):
    panel = open_panel(Source(DATA))
    qtbot.waitUntil(lambda: panel.data is DATA)
    panel.resize(700, 600)
    click_first(panel)
    assert panel.figure.isVisible()
    assert not panel.charts.isVisible()
    panel.figure.close_card()
    assert panel.charts.isVisible()
    settled(qtbot, shell)


def test_failed_reading_is_told_and_the_next_one_works(qtbot: QtBot, shell: FakeShell, open_panel: Open):
    source = Source(DATA)
    source.error = AppError("The disk is gone.")
    panel = open_panel(source)
    qtbot.waitUntil(lambda: bool(shell.errors))
    assert str(shell.errors[0]) == "The disk is gone."
    source.error = None
    panel.refresh()
    qtbot.waitUntil(lambda: panel.data is DATA)


def test_closing_the_project_takes_its_figures_away(qtbot: QtBot, shell: FakeShell, open_panel: Open):
    source = Source(DATA)
    panel = open_panel(source)
    qtbot.waitUntil(lambda: panel.data is DATA)
    source.gate = threading.Event()
    panel.refresh()
    qtbot.waitUntil(lambda: source.loads == 2)
    shell.project = None
    panel.attach(None)
    source.gate.set()
    settled(qtbot, shell)
    assert panel.data == ChartData()
    assert panel.sections[0].nothing.isVisible()


@pytest.mark.parametrize("ending", ["png", "svg", "pdf", "csv"])
def test_chart_is_saved_where_the_person_said(
    qtbot: QtBot, shell: FakeShell, open_panel: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
):
    panel = open_panel(Source(DATA))
    qtbot.waitUntil(lambda: panel.data is DATA)
    asked = []
    monkeypatch.setattr(panel, "ask_path", lambda title, kind: asked.append(title) or tmp_path / f"mine.{kind}")
    card = panel.sections[0].cards[0]
    action = card.save.menu().actions()[("png", "svg", "pdf", "csv").index(ending)]
    action.trigger()
    qtbot.waitUntil(lambda: shell.said == [f"Saved as “mine.{ending}”"])
    assert asked == ["Whose outputs are chosen"]
    assert (tmp_path / f"mine.{ending}").stat().st_size > 100


def test_variants_of_letters_can_be_shown_side_by_side(qtbot: QtBot, shell: FakeShell, open_panel: Open):
    made = Finding("letters.lexicon.odds_ratio", "agentic", "agentic", ("male", "female"), 1.18, "odds ratio", 120)
    made = replace(made, interval=Interval(0.9, 1.4, 0.95, "made up"))
    source = Source(ChartData(live={"letters": (made, replace(made, variant="as_published", estimate=1.1))}))
    panel = open_panel(source)
    qtbot.waitUntil(lambda: panel.data is source.data)
    panel.tabs.setCurrentIndex(3)
    box = panel.sections[2].variants
    figures = []
    for index in range(3):
        box.setCurrentIndex(index)
        box.activated.emit(index)
        figures.append([mark.value for mark in panel.sections[2].cards[0].figure.marks])
    assert figures == [[1.18], [1.1], [1.18, 1.1]]

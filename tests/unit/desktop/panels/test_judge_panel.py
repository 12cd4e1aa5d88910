"""Judging by key presses, over a real project file."""

import gc
import sys
import threading
import types
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from fake_shell import FakeShell
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget

from biasprint.core.jobs import JobContext, precedence
from biasprint.core.judging.blind import SessionProgress, StartInfo
from biasprint.core.judging.session import open_judging
from biasprint.core.judging.store import pace
from biasprint.core.project.connection import NotSaved
from biasprint.core.project.project import Project
from biasprint.core.project.specs import AxisSpec, GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec
from biasprint.core.project.stores.judging import Judging, Remark
from biasprint.core.runs.compare import compare
from biasprint.core.text import sha256_text
from biasprint.desktop import theme
from biasprint.desktop.panels.judge.panel import JudgePanel
from biasprint.desktop.panels.judge.teaching import RevealedTexts
from biasprint.desktop.settings import Settings
from biasprint.desktop.widgets import Button, Notice, left_words

pytestmark = pytest.mark.usefixtures("own_statements")
# Words that occur nowhere else, so that finding one is finding what is hidden.
PATIENCE = 30_000  # milliseconds
AXES = {"zqrace": ("zqone", "zqtwo", "zqthree"), "zqorient": ("zqfour", "zqfive")}
HIDDEN = (*AXES, *AXES["zqrace"], *AXES["zqorient"], "zqmodel", "zqfile", "zqprompt")
THEMES = ("castle", "stars", "rain")


def fill(project: Project, *, axes: bool = True) -> None:
    """Outputs of a haiku on each theme for every identity."""
    study = project.studies.add("creativity", "Creativity").number("study")
    for key, identities in AXES.items() if axes else ():
        definition = {"identities": [{"key": name, "label": name.upper()} for name in identities]}
        project.axes.add(AxisSpec(key=key, title=key, definition=definition))
    prompts = tuple(
        PromptSpec(key=f"zqprompt/{place}/{axis}/{name}", text="w", task="haiku", theme=place, axis=axis, identity=name)
        for place in THEMES
        for axis, identities in AXES.items()
        for name in identities
    )
    prompt_set = project.prompts.add_set(study, PromptSetSpec(name="set", recipe={}, prompts=prompts))
    generator = project.runs.add_generator(GeneratorSpec(backend="zqmodel", model="zqmodel")).number("generator")
    set_id = prompt_set.number("prompt_set")
    run = project.runs.start(RunSpec(study_id=study, prompt_set_id=set_id, generator_id=generator, seed=1))
    for row in project.prompts.page(set_id, 0, 100):
        text = f"A haiku of {row.theme},\nthe line that says it again,\nand number {row.id}."
        spec = OutputSpec(run_id=run.number("run"), prompt_id=row.id, sample=0, seed=0, text=text)
        project.outputs.record(spec).result()


class Bench:
    """A panel in a window, and what a rater does there."""

    def __init__(self, qtbot, path: Path, settings: Settings) -> None:
        self.qtbot = qtbot
        self.path = path
        self.shell = FakeShell(Project.open(path), settings)
        self.frame = QWidget()
        qtbot.addWidget(self.frame)
        box = QVBoxLayout(self.frame)
        box.setContentsMargins(0, 0, 0, 0)
        self.panel = JudgePanel(self.shell)
        box.addWidget(self.panel)
        self.frame.resize(1280, 720)
        self.panel.attach(self.shell.project)
        self.frame.show()
        qtbot.waitExposed(self.frame)
        self.frame.activateWindow()

    def wait_for(self, page: str) -> None:
        self.qtbot.waitUntil(lambda: self.panel.pages.currentWidget() is getattr(self.panel, page), timeout=PATIENCE)

    def start(self, code: str = "R01") -> None:
        self.wait_for("start")
        self.panel.start.code.setText(code)
        self.panel.start.start.click()
        self.wait_for("work")

    def press(self, key: str | Qt.Key, modifier=Qt.KeyboardModifier.NoModifier, *, at: QWidget | None = None) -> None:
        """Press a key where the keyboard is, and wait for the answer if there is one to come."""
        QTest.keyClick(at or QApplication.focusWidget() or self.panel.work, key, modifier)
        self.qtbot.waitUntil(lambda: not self.panel.control.busy, timeout=PATIENCE)

    def finish(self) -> None:
        while self.panel.pages.currentWidget() is self.panel.work:
            self.press("1")
        self.wait_for("end")

    @property
    def texts(self) -> list[str]:
        return [card.reading.text() for card in self.panel.work.cards.shown]

    @property
    def ordinal(self) -> int:
        return self.panel.control.view.comparison.ordinal

    @property
    def chosen(self) -> list[bool]:
        return [card.chosen for card in self.panel.work.cards.shown]

    def judgments(self) -> list:
        """What another reader finds in the file."""
        with Project.open(self.path, read_only=True) as project:
            return list(project.judging.judgments())

    def text_of(self, judgment) -> str:
        with Project.open(self.path, read_only=True) as project:
            (plan,) = project.judging.plans()
            row = next(row for row in project.judging.comparisons(plan.id) if row.id == judgment.comparison_id)
            output = row.items[judgment.chosen].output
            return project.outputs.texts([output])[output]

    def close(self) -> None:
        self.shell.set_blind(False)
        project = self.shell.project
        self.panel.attach(None)
        self.shell.jobs.close()
        project.close()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("judge") / "zqfile.biasprint"
    with Project.create(path) as project:
        fill(project)
        compare(JobContext(), project, study_id=1, axes=list(AXES), seed=2)
    return path


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "settings.json")


@pytest.fixture
def bench(qtbot, filled: Path, tmp_path: Path, settings: Settings):
    path = tmp_path / filled.name
    path.write_bytes(filled.read_bytes())
    one = Bench(qtbot, path, settings)
    yield one
    one.close()


def test_a_whole_session_by_keys_alone(bench):
    bench.start()
    seen, wanted = [], []
    for key in "123" * 2:
        cards = len(bench.texts)
        card = min(int(key), cards)
        seen.append(tuple(bench.texts))
        wanted.append(bench.texts[card - 1])
        bench.press(str(card))
    bench.wait_for("end")
    assert len(set(seen)) == 6
    rows = bench.judgments()
    assert [row.outcome for row in rows] == ["choice"] * 6
    assert [bench.text_of(row) for row in rows] == wanted
    assert bench.shell.saved[-1] == "saved"
    assert not bench.shell.errors


@pytest.mark.parametrize(("key", "outcome"), [("0", "tie"), ("x", "none"), ("s", "skip")])
def test_tie_none_and_skip_have_keys(bench, key, outcome):
    bench.start()
    bench.press(key)
    assert bench.ordinal == 2
    assert [row.outcome for row in bench.judgments()] == [outcome]


def test_jobs_rest_while_a_key_is_answered(bench):
    bench.start()
    bench.qtbot.waitUntil(lambda: not precedence.taken, timeout=PATIENCE)
    QTest.keyClick(bench.panel.work, "1")
    assert precedence.taken
    bench.qtbot.waitUntil(lambda: not precedence.taken, timeout=PATIENCE)


def test_an_answer_is_marked_only_where_the_disk_takes_its_time(bench, monkeypatch):
    bench.start()
    marked, mark = [], bench.panel.work.set_answer
    monkeypatch.setattr(bench.panel.work, "set_answer", lambda answer: marked.append(answer) or mark(answer))
    bench.panel.control._late.setInterval(PATIENCE)
    bench.press("1")
    assert marked == [None], "the next comparison alone: one painting for a key"

    written, record = threading.Event(), Judging.record
    monkeypatch.setattr(Judging, "record", lambda *given: written.wait(PATIENCE / 1000) and record(*given))
    bench.panel.control._late.setInterval(0)
    QTest.keyClick(bench.panel.work, "2")
    bench.qtbot.waitUntil(lambda: any(bench.chosen), timeout=PATIENCE)
    assert (bench.ordinal, bench.chosen.index(True)) == (2, 1)
    written.set()
    bench.qtbot.waitUntil(lambda: not bench.panel.control.busy, timeout=PATIENCE)
    assert bench.ordinal == 3
    assert bench.chosen == [False] * len(bench.chosen)


def test_the_third_key_does_nothing_with_two_cards(bench):
    bench.start()
    while len(bench.texts) == 3:
        bench.press("1")
    before = bench.ordinal
    bench.press("3")
    assert bench.ordinal == before


def test_a_choice_is_on_disk_when_the_next_comparison_appears(bench):
    bench.start()
    shown = []
    original = bench.panel.work.show_view

    def watched(view):
        shown.append((view.comparison.ordinal, len(bench.judgments())))
        original(view)

    bench.panel.work.show_view = watched
    for _ in range(4):
        bench.press("1")
    assert shown == [(2, 1), (3, 2), (4, 3), (5, 4)]


@pytest.mark.parametrize(("key", "modifier"), [("b", "NoModifier"), ("z", "ControlModifier")])
def test_back_shows_the_earlier_choice_and_choosing_again_revises_it(bench, key, modifier):
    bench.start()
    bench.press("2")
    assert bench.chosen == [False] * len(bench.chosen)
    bench.press(key, getattr(Qt.KeyboardModifier, modifier))
    assert bench.ordinal == 1
    assert bench.chosen.index(True) == 1
    assert bench.panel.work.question.earlier.text() == "You chose B."
    bench.press("1")
    assert bench.ordinal == 2
    (row,) = bench.judgments()
    assert row.supersedes is not None
    assert row.shown.index(row.chosen) == 0


def test_an_answer_can_be_taken_back_and_the_rest_goes_on(bench):
    bench.start()
    bench.press("1")
    bench.press("b")
    bench.panel.work.question.withdraw.click()
    bench.qtbot.waitUntil(lambda: not bench.panel.control.busy)
    assert bench.chosen == [False] * len(bench.chosen)
    assert [row.outcome for row in bench.judgments()] == ["undone"]
    assert bench.panel.progress_link.accessibleName() == "0 of 6"


def test_keys_are_off_while_a_note_is_typed(bench):
    bench.start()
    bench.press("n")
    note = bench.panel.work.note
    assert QApplication.focusWidget() is note
    QTest.keyClicks(note, "1 b x s 0 d g")
    QTest.keyClick(note, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(note, "!")
    assert bench.ordinal == 1
    assert bench.judgments() == []
    bench.press(Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is bench.panel.work
    typed = note.toPlainText()
    bench.press("1")
    assert [row.note for row in bench.judgments()] == [typed]
    assert bench.panel.work.note.toPlainText() == ""


def test_a_note_is_on_disk_soon_after_it_is_typed(bench):
    bench.start()
    bench.press("n")
    QTest.keyClicks(bench.panel.work.note, "half a thought")

    def on_disk() -> bool:
        with Project.open(bench.path, read_only=True) as project:
            session = project.judging.sessions()[0]
            return list(project.judging.drafts(session.id).values()) == [Remark("half a thought")]

    assert bench.shell.saved[-1] == "saving"
    bench.qtbot.waitUntil(on_disk, timeout=2_000)
    bench.qtbot.waitUntil(lambda: bench.shell.saved[-1] == "saved")


def test_keys_judge_wherever_the_keyboard_is_on_the_page(bench):
    bench.start()
    work = bench.panel.work
    places = [work.cards.cards[0].reading, work.cards.cards[1].button, work.tie, work.together]
    for number, place in enumerate(places, start=2):
        place.setFocus()
        bench.press("1", at=place)
        assert bench.ordinal == number
    work.cards.cards[0].reading.setFocus()
    bench.press("z", Qt.KeyboardModifier.ControlModifier, at=work.cards.cards[0].reading)
    assert bench.ordinal == len(places)


def test_a_held_key_judges_once_and_digits_work_on_any_keyboard(bench):
    bench.start()

    def send(modifier, repeat: bool) -> None:
        event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_1, modifier, "1", repeat)
        QApplication.sendEvent(bench.panel.work, event)
        bench.qtbot.waitUntil(lambda: not bench.panel.control.busy)

    send(Qt.KeyboardModifier.NoModifier, False)
    for _ in range(3):
        send(Qt.KeyboardModifier.NoModifier, True)
    assert bench.ordinal == 2
    send(Qt.KeyboardModifier.KeypadModifier, False)
    send(Qt.KeyboardModifier.ShiftModifier, False)
    assert bench.ordinal == 4
    send(Qt.KeyboardModifier.ControlModifier, False)
    assert bench.ordinal == 4


def test_a_second_key_while_the_first_is_being_written_is_ignored(bench):
    bench.start()
    QTest.keyClick(bench.panel.work, "1")
    QTest.keyClick(bench.panel.work, "1")
    QTest.keyClick(bench.panel.work, "s")
    bench.qtbot.waitUntil(lambda: not bench.panel.control.busy)
    assert bench.ordinal == 2
    assert len(bench.judgments()) == 1


def test_a_failing_write_never_says_saved_and_keeps_comparison_note_and_marks(bench, monkeypatch):
    bench.start()
    bench.press("n")
    QTest.keyClicks(bench.panel.work.note, "keep me")
    bench.press(Qt.Key.Key_Escape)
    bench.panel.work.flush_note()
    bench.qtbot.waitUntil(lambda: bench.shell.saved[-1] == "saved")

    def full(_, spec):
        raise NotSaved("The disk is full: “zqfile” was not saved.")

    monkeypatch.setattr("biasprint.core.project.stores.judging.Judging.record", full)
    bench.shell.saved.clear()
    bench.press("1")
    assert bench.shell.saved == ["saving", "failed"]
    assert bench.ordinal == 1
    assert bench.chosen == [False] * len(bench.chosen)
    assert bench.panel.work.note.toPlainText() == "keep me"
    assert "Your answer was not saved." in str(bench.shell.errors[-1])
    assert "zqfile" not in str(bench.shell.errors[-1])
    assert bench.panel.progress_link.accessibleName() == "0 of 6"


def test_skipped_ones_stand_first_at_the_end_and_can_be_judged(bench):
    bench.start()
    bench.press("1")
    bench.press("s")
    bench.finish()
    bench.qtbot.waitUntil(lambda: bench.panel.end.model.rowCount() == 6)
    assert bench.panel.end.model.entries[0].state == "skipped"
    assert bench.panel.end.headline.text() == "Everything is judged or skipped."
    bench.panel.end.list.setFocus()
    bench.panel.end.list.setCurrentIndex(bench.panel.end.model.index(0, 0))
    QTest.keyClick(bench.panel.end.list, Qt.Key.Key_Return)
    bench.wait_for("work")
    assert bench.ordinal == 2
    bench.press("1", at=bench.panel.work)
    bench.wait_for("end")
    assert {row.outcome for row in bench.judgments()} == {"choice"}


def test_the_overview_works_by_keyboard_and_the_skipped_ones_come_one_after_the_other(bench):
    bench.start()
    for key in "s1s11s":
        bench.press(key)
    bench.wait_for("end")
    end = bench.panel.end
    bench.qtbot.waitUntil(lambda: end.skipped.isVisible(), timeout=PATIENCE)
    assert QApplication.focusWidget() is end.list
    bench.press(Qt.Key.Key_Down)
    bench.press(Qt.Key.Key_Return)
    bench.wait_for("work")
    assert bench.ordinal == 3
    bench.press("1", at=bench.panel.work)
    bench.wait_for("end")
    bench.qtbot.waitUntil(lambda: end.skipped.accessibleName() == "Do the 2 skipped ones", timeout=PATIENCE)
    end.skipped.setFocus()
    bench.press(Qt.Key.Key_Return)
    for ordinal in (1, 6):
        bench.wait_for("work")
        bench.qtbot.waitUntil(lambda ordinal=ordinal: bench.ordinal == ordinal, timeout=PATIENCE)
        bench.press("2", at=bench.panel.work)
    bench.wait_for("end")
    assert {row.outcome for row in bench.judgments()} == {"choice"}
    bench.qtbot.waitUntil(lambda: not end.skipped.isVisible(), timeout=PATIENCE)


def test_a_pause_says_how_far_it_is_and_enter_goes_on(bench):
    bench.start()
    bench.press("1")
    bench.press("s")
    bench.panel.leave_button.click()
    bench.wait_for("start")
    start = bench.panel.start
    assert start.paused.isVisible()
    assert start.paused.text().startswith("Paused: 1 of 6 answered, 1 skipped, ")
    bench.qtbot.waitUntil(lambda: start.start.accessibleName() == "Continue", timeout=PATIENCE)
    QTest.keyClick(start.start, Qt.Key.Key_Return)
    bench.wait_for("work")
    assert bench.ordinal == 3
    start.show_info(StartInfo("R02", start.offers))
    assert not start.paused.isVisibleTo(start), "how far one rater is was told to another"


def test_home_leads_straight_to_where_one_was(bench):
    bench.start()
    bench.press("1")
    bench.panel.leave_button.click()
    bench.wait_for("start")
    bench.qtbot.waitUntil(lambda: bench.panel.start.start.accessibleName() == "Continue", timeout=PATIENCE)
    bench.panel.opened_with(go_on=True)
    bench.panel.refresh()
    bench.wait_for("work")
    assert bench.ordinal == 2


def test_larger_texts_by_key_and_back(bench):
    bench.start()
    for percent in (150, 100):
        bench.press("l")
        assert bench.shell.settings.get("reading_percent") == percent
    assert bench.ordinal == 1


def test_back_leads_from_the_end_to_the_last_answer(bench):
    bench.start()
    bench.finish()
    bench.press("b", at=bench.panel.end)
    bench.wait_for("work")
    assert bench.ordinal == 6
    assert bench.chosen.count(True) == 1


def test_the_reveal_takes_two_presses_counts_and_locks(bench):
    bench.start()
    bench.finish()
    bench.panel.end.reveal.click()
    assert bench.panel.pages.currentWidget() is bench.panel.end
    bench.panel.end.sure.click()
    bench.wait_for("reveal_page")
    shown = [label.text() for label in bench.panel.reveal_page.findChildren(QLabel)]
    rows = bench.judgments()
    with Project.open(bench.path, read_only=True) as project:
        assert project.judging.sessions()[0].revealed_at is not None
        (plan,) = project.judging.plans()
        comparisons = {row.id: row for row in project.judging.comparisons(plan.id)}
    for identities in AXES.values():
        for name in identities:
            chosen = sum(comparisons[row.comparison_id].items[row.chosen].identity == name for row in rows)
            place = shown.index(name.upper())
            assert shown[place + 1] == f"{chosen} of 3"
    assert not bench.shell.is_blind
    texts = bench.panel.reveal_page.findChild(RevealedTexts)
    QApplication.processEvents()
    assert texts.width() <= bench.panel.reveal_page.viewport().width(), "the page is cut off at the right"
    for number in range(len(rows)):
        assert texts.place.text() == f"{number + 1} of 6"
        chosen = [card for card in texts.cards.shown if card.caption.text().endswith(" · you chose this one")]
        (text,) = [card.reading.text() for card in chosen]
        QApplication.processEvents()
        for caption in (card.caption for card in texts.cards.shown):
            assert caption.height() >= caption.heightForWidth(caption.width()) > 0, (
                "for whom it was written can be read"
            )
        assert len({card.reading.geometry().top() for card in texts.cards.shown}) == 1
        its = next(row for row in rows if bench.text_of(row) == text)
        identity = comparisons[its.comparison_id].items[its.chosen].identity
        assert chosen[0].caption.text() == f"{chosen[0].letter} · {identity.upper()} · you chose this one"
        texts.after.click()
    bench.panel.reveal_page.charts_wanted.emit()
    assert bench.shell.panels == ["charts"]


def test_what_others_store_does_not_take_back_the_question_before_the_reveal(bench):
    bench.start()
    bench.press("1")
    bench.panel.progress_link.click()
    bench.wait_for("end")
    end = bench.panel.end
    bench.qtbot.waitUntil(lambda: end.headline.text() == "5 comparisons are left.")
    end.reveal.click()
    bench.panel.control.progressed.emit(bench.panel._progress)
    assert end.sure.isVisible()
    bench.press("b", at=end)
    bench.wait_for("work")
    bench.panel.progress_link.click()
    bench.wait_for("end")
    assert not end.sure.isVisible(), "who went on judging is asked anew"


def test_an_early_reveal_says_what_is_lost(bench):
    bench.start()
    bench.press("1")
    bench.panel.progress_link.click()
    bench.wait_for("end")
    bench.qtbot.waitUntil(lambda: bench.panel.end.headline.text() == "5 comparisons are left.")
    bench.panel.end.reveal.click()
    assert "5 comparisons are left and could not be judged any more" in bench.panel.end.explained.text()
    bench.panel.end.not_yet.click()
    bench.panel.end.resume.click()
    bench.wait_for("work")
    assert bench.ordinal == 2


def test_a_session_that_is_left_goes_on_where_it_stopped(bench):
    bench.start("R05")
    bench.press("1")
    texts = bench.texts
    bench.panel.leave_button.click()
    bench.wait_for("start")
    assert not bench.shell.is_blind
    bench.qtbot.waitUntil(lambda: bench.panel.start.start.accessibleName() == "Continue")
    bench.start("R05")
    assert (bench.ordinal, bench.texts) == (2, texts)


def test_remapped_keys_hold_at_once_and_show_on_the_buttons(bench, settings):
    bench.start()
    keys = settings.keys() | {"choose_1": ("Y",), "skip": ("Ctrl+J",)}
    settings.set_keys(keys)
    bench.press("1")
    assert bench.ordinal == 1
    bench.press("y")
    assert bench.ordinal == 2
    bench.press("j", Qt.KeyboardModifier.ControlModifier)
    assert [row.outcome for row in bench.judgments()] == ["choice", "skip"]
    caps = [label.text() for label in bench.panel.work.findChildren(QLabel) if label.property("role") == "key"]
    assert "Y" in caps
    assert "1" not in caps


def test_rubric_and_differences_open_by_key(bench):
    bench.start()
    work = bench.panel.work
    bench.press("g")
    assert work.question.rubric.isVisible()
    assert "Imagery and Sensory Appeal" in [label.text() for label in work.question.rubric.findChildren(QLabel)]
    bench.press("d")
    marks = work.cards.cards[0].reading.extraSelections()
    assert [mark.cursor.selectedText() for mark in marks] == [work.cards.cards[0].reading.text().split()[-1].strip(".")]
    bench.press("d")
    assert work.cards.cards[0].reading.extraSelections() == []


def keyboard_is_at(bench, button: QWidget) -> None:
    bench.qtbot.waitUntil(button.hasFocus, timeout=PATIENCE)


def test_enter_starts_goes_on_after_the_reveal_and_starts_for_the_next_person(bench):
    bench.wait_for("start")
    keyboard_is_at(bench, bench.panel.start.start)
    bench.press(Qt.Key.Key_Return)
    bench.wait_for("work")
    bench.finish()
    bench.panel.end.reveal.click()
    bench.panel.end.sure.click()
    bench.wait_for("reveal_page")
    bench.press(Qt.Key.Key_Return)
    assert bench.shell.panels == ["fingerprint"]
    bench.panel.reveal_page.closed.emit()
    bench.wait_for("start")
    keyboard_is_at(bench, bench.panel.start.start)
    bench.press(Qt.Key.Key_Return)
    bench.wait_for("work")


def test_whoever_writes_on_the_start_page_keeps_the_keyboard(bench):
    bench.wait_for("start")
    keyboard_is_at(bench, bench.panel.start.start)
    bench.panel.start.code.setFocus()
    bench.panel.refresh()
    bench.qtbot.waitUntil(lambda: not bench.panel.control.busy)
    assert bench.panel.start.code.hasFocus()


def stops_of_tab(bench) -> list[QWidget]:
    """Where Tab goes, round the page; each stop must look otherwise than the one before."""
    stops: list[QWidget] = []
    before = bench.frame.grab().toImage()
    while True:
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        stop = QApplication.focusWidget()
        now = bench.frame.grab().toImage()
        assert now != before, f"nothing shows that the keyboard is at {stop}, after {stops}"
        before = now
        if stop in stops:
            return stops
        stops.append(stop)


def test_tab_stops_at_texts_and_nowhere_that_cannot_be_seen(bench):
    bench.start()
    stops = stops_of_tab(bench)
    shown = bench.panel.work.cards.shown
    assert {card.reading for card in shown} | {card.button for card in shown} <= set(stops)
    assert stops.index(shown[0].reading) < stops.index(shown[0].button) < stops.index(shown[1].reading)
    bench.panel.work.setFocus()
    bench.press("1")
    assert bench.ordinal == 2


def test_tab_stops_nowhere_that_cannot_be_seen_on_the_other_pages(bench):
    bench.wait_for("start")
    keyboard_is_at(bench, bench.panel.start.start)
    assert bench.panel.start.code in stops_of_tab(bench)
    bench.press(Qt.Key.Key_Return, at=bench.panel.start.start)
    bench.wait_for("work")
    bench.finish()
    assert bench.panel.end.reveal in stops_of_tab(bench)
    bench.panel.end.reveal.click()
    bench.panel.end.sure.click()
    bench.wait_for("reveal_page")
    stops_of_tab(bench)


def test_a_small_screen_at_scale_2_shows_lines_of_each_text_and_every_answer(bench):
    bench.start()
    bench.frame.resize(660, 386)  # what the window leaves of 1440×900
    work = bench.panel.work
    QApplication.processEvents()
    for card in work.cards.shown:
        assert card.reading.viewport().height() >= 4 * card.reading.fontMetrics().lineSpacing() * 1.3
    assert work.verticalScrollBar().maximum() == 0
    for button in (*(card.button for card in work.cards.shown), work.tie, work.none, work.skip, work.go_back):
        assert button.visibleRegion().boundingRect() == button.rect(), button.accessibleName()


def test_a_break_is_offered_quietly_and_judging_goes_on(bench, monkeypatch):
    monkeypatch.setattr("biasprint.desktop.panels.judge.panel.BREAK_ANSWERS", 0)
    bench.shell.settings.set("offer_breaks", False)
    bench.start()
    assert not bench.panel.findChildren(Notice), "whoever wants none is offered none"
    bench.shell.settings.set("offer_breaks", True)
    bench.press("1")
    notices = bench.panel.findChildren(Notice)
    assert len(notices) == 1
    bench.press("1")
    assert bench.ordinal == 3
    notices[0].close()
    monkeypatch.undo()
    bench.press("1")
    bench.qtbot.waitUntil(lambda: not bench.panel.findChildren(Notice))
    assert bench.ordinal == 4


def test_the_time_left_is_said_at_the_raters_own_pace_once_five_are_answered(bench):
    assert (pace([9.0, 1.0, 2.0, 3.0]), pace([9.0, 1.0, 2.0, 3.0, 0.0])) == (None, None)
    assert pace([9.0, 1.0, 2.0, 3.0, 100.0]) == 3.0
    assert (left_words(29), left_words(60), left_words(12 * 60)) == (
        "less than a minute left", "about 1 minute left", "about 12 minutes left"
    )  # fmt: skip
    assert (left_words(33 * 60), left_words(81 * 60)) == ("about 35 minutes left", "about 1 h 20 min left")
    progress = SessionProgress(6, 0, 6, 0, 12, 600.0)
    bench.start()
    bench.panel._show_progress(progress)
    assert bench.shell.status == "Active time 10 min"
    bench.panel._show_progress(replace(progress, seconds_left=720.0))
    assert bench.shell.status == "Active time 10 min · about 12 minutes left at your pace"


def test_closing_the_project_keeps_a_note_that_was_just_typed(bench):
    bench.start()
    bench.press("n")
    QTest.keyClicks(bench.panel.work.note, "last words")
    bench.panel.attach(None)
    with Project.open(bench.path, read_only=True) as project:
        session = project.judging.sessions()[0]
        assert list(project.judging.drafts(session.id).values()) == [Remark("last words")]
    assert not bench.shell.is_blind


def test_another_person_gets_a_code_and_a_page_of_their_own(bench):
    bench.start("R01")
    bench.press("1")
    bench.panel.leave_button.click()
    bench.wait_for("start")
    start = bench.panel.start
    bench.qtbot.waitUntil(lambda: start.start.accessibleName() == "Continue")
    start.agree.setChecked(True)
    start.person.another.click()
    bench.qtbot.waitUntil(lambda: start.code.text() == "R02")
    assert start.start.accessibleName() == "Start"
    assert not start.agree.isChecked()
    bench.start("R02")
    assert bench.ordinal == 1
    assert bench.chosen == [False] * len(bench.chosen)
    bench.press("b")
    assert (bench.ordinal, bench.panel.control.view.answer) == (1, None), "there is no way to the other's answers"


def test_whoever_sits_down_after_a_reveal_is_not_shown_that_result(bench):
    bench.start("R01")
    bench.finish()
    bench.panel.control.reveal(False)
    bench.wait_for("reveal_page")
    bench.panel.reveal_page.closed.emit()
    bench.wait_for("start")
    bench.qtbot.waitUntil(lambda: bench.panel.start.code.text() == "R02")
    assert bench.panel.start.start.accessibleName() == "Start"
    assert bench.panel.reveal_page.findChildren(QLabel) == []


def test_the_reveal_leads_to_the_raters_own_fingerprint_where_there_is_such_a_panel(bench):
    bench.start("R05")
    bench.finish()
    bench.panel.control.reveal(False)
    bench.wait_for("reveal_page")
    buttons = {button.accessibleName(): button for button in bench.panel.reveal_page.findChildren(Button)}
    buttons["See my fingerprint"].click()
    with Project.open(bench.path, read_only=True) as project:
        (rater,) = project.judging.raters()
    assert rater.code == "R05"
    assert (bench.shell.panels, bench.shell.about) == (["fingerprint"], {"rater": rater.id})


def test_pausing_with_a_note_that_cannot_be_saved_stays_and_keeps_it(bench, monkeypatch):
    bench.start()
    bench.press("n")
    QTest.keyClicks(bench.panel.work.note, "keep me")

    def full(*_):
        raise NotSaved("The disk is full: “zqfile” was not saved.")

    with monkeypatch.context() as patch:
        patch.setattr("biasprint.core.project.writer.Writer.write", full)
        bench.panel.leave_button.click()
        bench.qtbot.waitUntil(lambda: not bench.panel.control.busy)
        assert bench.panel.pages.currentWidget() is bench.panel.work
        assert bench.panel.work.note.toPlainText() == "keep me"
        assert bench.shell.saved[-1] == "failed"
        assert "zqfile" not in str(bench.shell.errors[-1])
    bench.panel.leave_button.click()
    bench.wait_for("start")
    with Project.open(bench.path, read_only=True) as project:
        session = project.judging.sessions()[0]
        assert list(project.judging.drafts(session.id).values()) == [Remark("keep me")]


def test_an_hour_away_counts_as_two_minutes_and_a_clock_set_back_as_nothing(
    qtbot, filled, tmp_path, settings, monkeypatch
):
    seconds = [100_000.0]
    monkeypatch.setitem(open_judging.__kwdefaults__, "now", lambda: seconds[0])
    path = tmp_path / filled.name
    path.write_bytes(filled.read_bytes())
    bench = Bench(qtbot, path, settings)
    bench.start()
    seconds[0] += 3_600
    bench.press("1")
    seconds[0] -= 50_000
    bench.press("1")
    assert [row.active_seconds for row in bench.judgments()] == [120.0, 0.0]
    bench.close()


def test_every_control_has_a_name_for_a_screen_reader(bench):
    bench.start()
    work = bench.panel.work
    for card in work.cards.shown:
        assert card.accessibleName()
        assert card.reading.accessibleName()
        assert card.button.accessibleName()
    for button in (work.tie, work.none, work.skip, work.go_back, bench.panel.leave_button, bench.panel.progress_link):
        assert button.accessibleName()


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_the_page_fits_a_small_window(bench, qapp, scale):
    bench.start()
    theme.apply(qapp, "light", scale)
    bench.frame.resize(1200, 640)
    for key in ("g", "d"):
        bench.press(key, at=bench.panel.work)
    bench.qtbot.waitUntil(lambda: bench.panel.work.question.rubric.isVisible())
    qapp.processEvents()
    assert (bench.frame.width(), bench.frame.height()) == (1200, 640)
    widths = {card.width() for card in bench.panel.work.cards.shown}
    assert max(widths) - min(widths) <= 1


def test_where_nothing_was_drawn_yet_comparisons_are_drawn_in_the_window(qtbot, tmp_path, settings):
    path = tmp_path / "zqfile.biasprint"
    with Project.create(path) as project:
        fill(project)
    with closing(Bench(qtbot, path, settings)) as bench:
        bench.wait_for("setup")
        qtbot.waitUntil(lambda: len(bench.panel.setup.axes) == 2, timeout=PATIENCE)
        bench.panel.setup.per_axis.setValue(2)
        bench.panel.setup.draw.click()
        bench.wait_for("start")
        qtbot.waitUntil(lambda: bool(bench.panel.start.offers), timeout=PATIENCE)
        assert bench.panel.start.offers[0].comparisons == 4


def test_without_outputs_the_way_to_them_is_shown(qtbot, tmp_path, settings):
    path = tmp_path / "empty.biasprint"
    Project.create(path).close()
    with closing(Bench(qtbot, path, settings)) as bench:
        bench.wait_for("empty")
        bench.panel.empty.button.click()
        assert bench.shell.panels == ["generate"]


# blind


def reachable(roots):
    outside = {id(vars(module)) for name, module in list(sys.modules.items()) if not name.startswith("biasprint.")}
    seen, waiting = {}, list(roots)
    while waiting:
        one = waiting.pop()
        foreign = isinstance(one, type) and not one.__module__.startswith("biasprint.")
        if id(one) in seen or id(one) in outside or isinstance(one, types.ModuleType) or foreign:
            continue
        seen[id(one)] = one
        waiting.extend(gc.get_referents(one))
        if isinstance(one, QObject):
            waiting.extend(one.children())
            waiting.append(vars(one))
    return seen.values()


def leaks(panel) -> set[str]:
    found = [one for one in reachable([panel, panel.window()]) if isinstance(one, str)]
    for widget in [panel.window(), *panel.window().findChildren(QWidget)]:
        found += [widget.toolTip(), widget.accessibleName(), widget.windowTitle(), widget.accessibleDescription()]
        found.append(widget.text() if isinstance(widget, QLabel) else "")
    # This file's own constants are reachable from the test's own functions; what leaks is any other mention.
    return {word for word in HIDDEN for one in found if word in one}


def test_nothing_in_the_window_leads_to_what_is_hidden_while_a_session_is_open(bench):
    bench.start()
    for keys in ("1", "n", Qt.Key.Key_Escape, "b", "2", "s", "g", "d"):
        bench.press(keys, at=bench.panel.work)
    bench.panel.progress_link.click()
    bench.qtbot.waitUntil(lambda: bench.panel.end.model.rowCount() == 6)
    gc.collect()
    kinds = {type(one).__name__ for one in reachable([bench.panel, bench.shell])}
    assert not kinds & {
        "Project",
        "ProjectStore",
        "JudgingWork",
        "RaterSession",
        "ComparisonRow",
        "PlanRow",
        "OutputRow",
    }
    assert leaks(bench.panel) == set()


def test_the_search_finds_the_names_when_no_session_is_open(bench):
    bench.wait_for("start")
    kinds = {type(one).__name__ for one in reachable([bench.panel, bench.shell])}
    assert "Project" in kinds, "the search must be able to find a project that is within reach"
    bench.start()
    bench.finish()
    bench.panel.control.reveal(False)
    bench.wait_for("reveal_page")
    assert "zqrace" in leaks(bench.panel)


def test_the_window_is_blind_from_before_the_first_text_until_the_reveal(bench):
    states = []
    original = bench.panel.work.show_view
    bench.panel.work.show_view = lambda view: (states.append(bench.shell.is_blind), original(view))
    bench.start()
    bench.finish()
    assert states
    assert all(states)
    assert bench.shell.is_blind
    bench.panel.control.reveal(False)
    bench.wait_for("reveal_page")
    assert not bench.shell.is_blind


def test_what_was_shown_is_what_the_judgment_says(bench):
    bench.start("R02")
    texts = bench.texts
    bench.press("2")
    (row,) = bench.judgments()
    with Project.open(bench.path, read_only=True) as project:
        (plan,) = project.judging.plans()
        comparison = next(one for one in project.judging.comparisons(plan.id) if one.id == row.comparison_id)
        stored = project.outputs.texts([item.output for item in comparison.items])
        assert [stored[comparison.items[index].output] for index in row.shown] == texts
        assert row.texts_sha256 == comparison.texts_sha256
        hashes = "\n".join(sha256_text(stored[item.output]) for item in comparison.items)
        assert row.texts_sha256 == sha256_text(hashes)


def test_the_button_of_a_note_that_was_written_before_looks_pressed(bench):
    bench.start()
    note = bench.panel.work.question.note
    as_it_is = note.grab().toImage()
    bench.press("n")
    bench.panel.work.note.setPlainText("the second rhymes")
    bench.press(Qt.Key.Key_Escape)
    pressed = note.grab().toImage()
    assert pressed != as_it_is
    bench.press("1")
    note.click()
    bench.panel.work.setFocus()
    assert note.grab().toImage() == as_it_is
    bench.press("b")
    assert bench.panel.work.note.isVisible()
    assert note.grab().toImage() == pressed

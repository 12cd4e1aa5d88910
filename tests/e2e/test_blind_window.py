"""Blind means unreachable: a rater works in the real window, and nothing in the program leads to what is hidden.

Every hidden part of the project carries a word that occurs nowhere else. A search follows all that references lead to,
and all that Qt would tell, from the application, its windows and widgets, and the modules' own variables. It finds
every one of those words before the session, none while it is open, and all of them again after the reveal. What it does
not search are the local variables of running threads: that is where the vault and the judging thread keep things.
"""

import gc
import threading
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from blind_search import search
from fingerprint_project import choosing, rated
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from biasprint.core.jobs import JobContext
from biasprint.core.judging.reveal import reveal
from biasprint.core.judging.session import offer_plans, open_judging, open_session
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.work import record_choice
from biasprint.core.project.lock import is_held
from biasprint.core.project.project import Project
from biasprint.core.project.specs import AxisSpec, GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec
from biasprint.core.runs.compare import compare
from biasprint.desktop import theme
from biasprint.desktop.app import create_window, start
from biasprint.desktop.jobs import JobState
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.settings import Settings

pytestmark = pytest.mark.usefixtures("own_statements")
IDENTITIES = {"zqidentone": "Zqlabelone", "zqidenttwo": "Zqlabeltwo"}
THEMES = ("castle", "stars", "rain")
# What each kind of hidden thing is called; "folder" and "recent" are names of files' places.
SECRETS = {
    "file": "zqfile", "folder": "zqfolder", "recent": "zqrecent", "axis": "zqaxis", "axis title": "Zqaxistitle",
    "identity": "zqidentone", "identity label": "Zqlabeltwo", "model": "zqmodel", "prompt": "zqprompt",
    "prompt set": "zqset", "model judge": "zqjudge", "job": "zqjob", "job result": "zqresult", "held text": "zqpartial",
}  # fmt: skip
KINDS = {
    "Project", "ProjectStore", "Reader", "Writer", "JudgingWork", "RaterSession", "ComparisonRow", "PlanRow",
    "OutputRow", "PromptRow", "GeneratorRow", "StoredCharts", "StoredOutputs", "ChartData", "Finding", "ProjectFacts",
    "Contents",
}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A project with outputs, a finished rater R01, a model that judged, and comparisons that R02 has not begun."""
    path = tmp_path / "zqfolder" / "zqfile.biasprint"
    with Project.create(path) as project:
        study = project.studies.add("creativity", "Creativity").number("study")
        identities = [{"key": key, "label": label} for key, label in IDENTITIES.items()]
        project.axes.add(AxisSpec(key="zqaxis", title="Zqaxistitle", definition={"identities": identities}))
        prompts = tuple(
            PromptSpec(
                key=f"zqprompt/{place}/{name}",
                text=f"zqprompt {name}",
                task="haiku",
                theme=place,
                axis="zqaxis",
                identity=name,
            )
            for place in THEMES
            for name in IDENTITIES
        )
        set_id = project.prompts.add_set(study, PromptSetSpec(name="zqset", recipe={}, prompts=prompts))
        generator = project.runs.add_generator(GeneratorSpec(backend="synthetic", model="zqmodel"))
        run = project.runs.start(
            RunSpec(
                study_id=study,
                prompt_set_id=set_id.number("prompt_set"),
                generator_id=generator.number("generator"),
                seed=1,
            )
        ).number("run")
        for row in project.prompts.page(set_id.number("prompt_set"), 0, 100):
            text = f"A haiku of {row.theme},\nthe line that says it again,\nand number {row.id}."
            project.outputs.record(OutputSpec(run_id=run, prompt_id=row.id, sample=0, seed=0, text=text)).result()
        compare(JobContext(), project, study_id=study, axes=["zqaxis"], seed=2)
        rate_everything(project)
        rated(project, project.judging.plans()[0].id, "zqjudge", choosing("zqidentone"), kind="model")
    return path


def rate_everything(project: Project) -> None:
    """What an earlier rater did, so that the charts have something to show."""
    door = open_judging(ProjectStore(project))
    view = door.ask(open_session, door.ask(offer_plans, "R01").result().offers[0].token, "R01").result()
    while view.comparison is not None:
        view = door.ask(record_choice, view.comparison.token, "choice", 0).result()
    door.ask(reveal).result()
    door.close(5)


@dataclass
class Held:
    """A job that a panel might have started: it works on the project until it is let go, and brings something."""

    project: Project
    release: threading.Event
    written: int = 0

    def __call__(self, ctx: JobContext) -> str:
        while not self.release.wait(0.02):
            ctx.check()
            self.project.events.add("worked", {"n": self.written})
            self.written += 1
            ctx.report(self.written, None, note="zqjob", partial="zqpartial")
        return "zqresult"


class Rater:
    """The window, and what a person does in it with the mouse."""

    def __init__(self, qtbot: QtBot, window: MainWindow) -> None:
        self.qtbot = qtbot
        self.window = window
        self.heard: list[object] = []

    def settle(self) -> None:
        self.qtbot.waitUntil(lambda: not [one for one in self.window.jobs.active() if one.quiet], timeout=60_000)

    def click(self, widget: QWidget) -> None:
        assert widget.isVisible()
        assert widget.isEnabled()
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton)

    def go(self, key: str) -> None:
        self.click(self.window.rail.button(key))
        self.qtbot.waitUntil(lambda: self.window.current == key)
        self.settle()

    @property
    def judge(self) -> Any:
        return self.window.panels["judge"]

    def look_around(self) -> None:
        """See every panel that names things."""
        for key in ("home", "prompts", "generate", "charts", "findings", "outputs"):
            self.go(key)
        self.qtbot.waitUntil(lambda: bool(self.window.panels["charts"].data.voices), timeout=60_000)
        outputs = self.window.panels["outputs"]
        self.qtbot.waitUntil(lambda: outputs.table.rowCount() > 0)
        outputs.view.selectRow(0)
        self.qtbot.waitUntil(lambda: bool(outputs.card.text.text()))
        self.window.offer_commands()
        self.window.palette_box.hide()

    def start(self, code: str = "R02") -> None:
        self.go("judge")
        page = self.judge.start
        self.qtbot.waitUntil(lambda: self.judge.pages.currentWidget() is page and bool(page.offers))
        page.code.setText(code)
        page.code_edited.emit(code)
        self.qtbot.waitUntil(lambda: page.start.isEnabled() and not page.offer.revealed)
        self.click(page.start)
        self.qtbot.waitUntil(lambda: self.judge.pages.currentWidget() is self.judge.work)

    def choose(self) -> None:
        self.click(self.judge.work.cards.shown[0].button)
        self.qtbot.waitUntil(lambda: not self.judge.control.busy)

    def reveal(self) -> None:
        while self.judge.pages.currentWidget() is self.judge.work:
            self.choose()
        end = self.judge.end
        self.qtbot.waitUntil(lambda: end.reveal.isVisible())
        self.click(end.reveal)
        self.click(end.sure)
        self.qtbot.waitUntil(lambda: self.judge.pages.currentWidget() is self.judge.reveal_page)


@pytest.fixture
def rater(qtbot: QtBot, qapp: QApplication, tmp_path: Path, file: Path) -> Iterator[Rater]:
    theme.apply(qapp, "light", 1.0)
    settings = Settings(tmp_path / "settings.json")
    settings.add_recent(tmp_path / "zqrecent.biasprint")
    window = create_window(settings)
    window.resize(1280, 800)
    window.show()
    start(window, file)
    qtbot.waitUntil(lambda: window.project is not None and bool(window.current), timeout=30_000)
    yield Rater(qtbot, window)
    freed: list[bool] = []
    window.session.close(lambda: freed.append(True))
    qtbot.waitUntil(lambda: bool(freed) and not window.jobs.active(), timeout=30_000)
    assert window.jobs.close()
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.unfreeze()


def found(window: MainWindow) -> tuple[set[str], set[str]]:
    """The kinds of hidden names and the kinds of objects that can be reached."""
    return search(window, SECRETS, KINDS)


ALL = set(SECRETS)


def begin_job(rater: Rater) -> Held:
    """Something long is under way when the rater sits down."""
    window = rater.window
    job = Held(window.project, threading.Event())
    window.jobs.start(
        "Generating: zqjob", job, on_done=rater.heard.append, on_partial=rater.heard.extend, done_text="zqresult"
    )
    rater.qtbot.waitUntil(lambda: bool(window.drawer.rows()) and bool(rater.heard))
    return job


def test_while_a_session_is_open_nothing_in_the_window_leads_to_what_is_hidden(rater: Rater):
    window = rater.window
    rater.look_around()
    job = begin_job(rater)
    names, kinds = found(window)
    assert names == ALL, "the search must find what can be reached"
    assert {"Project", "Reader", "ChartData", "Finding", "ProjectFacts", "Contents"} <= kinds
    rater.start()
    stages = [found(window)]
    rater.choose()
    rater.click(rater.judge.work.question.note)
    QTest.keyClicks(rater.judge.work.note, "a thought")
    rater.choose()
    stages.append(found(window))
    rater.click(rater.judge.progress_link)
    rater.qtbot.waitUntil(lambda: rater.judge.end.model.rowCount() > 0)
    stages.append(found(window))
    rater.go("settings")
    window.offer_commands()
    stages.append(found(window))
    window.palette_box.hide()
    job.release.set()
    rater.qtbot.waitUntil(lambda: not window.jobs.active())
    stages.append(found(window))
    assert stages == [(set(), set())] * 5
    rater.go("judge")
    rater.click(rater.judge.end.resume)
    rater.qtbot.waitUntil(lambda: rater.judge.pages.currentWidget() is rater.judge.work)
    rater.reveal()
    rater.look_around()
    names, kinds = found(window)
    assert names >= ALL - {"held text"}, "everything is there again"
    assert {"Project", "ChartData", "Finding", "ProjectFacts", "Contents"} <= kinds


def test_a_job_goes_on_while_its_rater_is_blind_and_tells_its_end_afterwards(rater: Rater):
    window = rater.window
    job = begin_job(rater)
    (row,) = window.drawer.rows()
    rater.start()
    told, written = len(rater.heard), job.written
    rater.qtbot.waitUntil(lambda: job.written > written + 2)
    assert row.title.whole_text() == "A job"
    job.release.set()
    rater.qtbot.waitUntil(lambda: row.handle.state is JobState.DONE)
    assert len(rater.heard) == told
    rater.reveal()
    rater.qtbot.waitUntil(lambda: rater.heard[-1] == "zqresult")
    assert (row.title.whole_text(), row.detail.whole_text()) == ("Generating: zqjob", "zqresult")


def test_the_panels_that_name_things_are_destroyed_and_nobody_keeps_them(rater: Rater):
    rater.look_around()
    panels = [panel for key, panel in rater.window.panels.items() if key not in ("judge", "settings")]
    dropped = [weakref.ref(panel) for panel in panels]
    assert len(dropped) == 6
    del panels
    rater.start()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.unfreeze()  # what was there when the program set its modules apart would never be collected
    gc.collect()
    assert [ref() for ref in dropped] == [None] * len(dropped)


def test_comparisons_drawn_in_the_same_window_leave_no_axis_behind(rater: Rater):
    rater.go("judge")
    rater.qtbot.waitUntil(lambda: bool(rater.judge.start.offers))
    rater.click(rater.judge.start.new)
    rater.qtbot.waitUntil(lambda: rater.judge.pages.currentWidget() is rater.judge.setup)
    assert list(rater.judge.setup.axes) == ["zqaxis"]
    rater.click(rater.judge.setup.cancel)
    rater.start()
    assert found(rater.window) == (set(), set())


def test_closing_the_window_while_blind_keeps_the_note_and_frees_the_file(rater: Rater, file: Path, monkeypatch):
    ended: list[bool] = []
    monkeypatch.setattr(QApplication, "quit", lambda: ended.append(True))
    rater.start()
    rater.click(rater.judge.work.question.note)
    QTest.keyClicks(rater.judge.work.note, "last words")
    rater.window.close()
    rater.qtbot.waitUntil(lambda: bool(ended))
    assert not is_held(file)
    assert notes_in(file) == ["last words"]
    assert [path.name for path in Settings(rater.window.settings.path).recent()] == RECENT


def test_opening_another_project_while_blind_keeps_the_note_and_frees_the_first(
    rater: Rater, file: Path, tmp_path: Path
):
    other = tmp_path / "other.biasprint"
    Project.create(other).close()
    rater.start()
    rater.click(rater.judge.work.question.note)
    QTest.keyClicks(rater.judge.work.note, "last words")
    rater.window.open_project(other)
    rater.qtbot.waitUntil(lambda: rater.window.project is not None and rater.window.project.path == other)
    rater.qtbot.waitUntil(lambda: not rater.window.jobs.active())
    assert not rater.window.blindfold.on
    assert not is_held(file)
    assert notes_in(file) == ["last words"]


def test_settings_saved_while_blind_keep_the_recent_projects(rater: Rater):
    settings = rater.window.settings
    rater.qtbot.waitUntil(lambda: not settings.unsaved and not rater.window.jobs.active())
    rater.start()
    assert settings.recent() == []
    settings.set("font_percent", 110)
    rater.qtbot.waitUntil(lambda: not settings.unsaved and not rater.window.jobs.active())
    kept = Settings(settings.path)
    assert (kept.get("font_percent"), [path.name for path in kept.recent()]) == (110, RECENT)
    rater.window.set_blind(False)
    assert [path.name for path in settings.recent()] == RECENT


RECENT = ["zqfile.biasprint", "zqrecent.biasprint"]


def notes_in(file: Path) -> list[str]:
    """The unfinished notes of R02 in the file."""
    with Project.open(file, read_only=True) as project:
        raters = {row.id: row.code for row in project.judging.raters()}
        (session,) = [row for row in project.judging.sessions() if raters[row.rater_id] == "R02"]
        return [remark.note for remark in project.judging.drafts(session.id).values()]

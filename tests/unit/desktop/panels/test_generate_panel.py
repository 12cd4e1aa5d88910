"""The generate panel: write, pause, cancel and go on; score; draw comparisons. With the real synthetic author."""

import threading
from pathlib import Path

import pytest
from made_once import made_once
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import OutputSpec, PromptSetSpec, PromptSpec
from biasprint.core.runs import generate as core_generate
from biasprint.core.runs import measure as core_measure
from biasprint.core.runs.setup import add_prompts, added_study, generator_spec
from biasprint.desktop.jobs import JobState
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations.measuring import read_scorers, scorers_for
from biasprint.desktop.operations.runs import IMPORTED, RunLine, WriteRequest, read_runs
from biasprint.desktop.panels.generate.panel import DRAW, SCORE, WRITE, GeneratePanel
from biasprint.desktop.panels.generate.runs import RunsModel

PATIENCE = 60_000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A project with 54 creative prompts: 2 tasks × 3 themes × (1 default + 8 identities)."""
    path = tmp_path / "audit.biasprint"

    def make() -> None:
        with Project.create(path) as project:
            add_prompts(project, "creativity", tasks=["haiku", "short_poem"], themes=["stars", "rain", "family"])

    made_once("54 creative prompts", make, path)
    return path


def open_panel(qtbot: QtBot, window: MainWindow, file: Path, *, read_only: bool = False) -> GeneratePanel:
    with qtbot.waitSignal(window.session.opened):
        window.session.open(file, read_only=read_only)
    window.show_panel("generate")
    panel = window.panels["generate"]
    assert isinstance(panel, GeneratePanel)
    return panel


@pytest.fixture
def panel(qtbot: QtBot, window: MainWindow, file: Path) -> GeneratePanel:
    made = open_panel(qtbot, window, file)
    qtbot.waitUntil(made.write.form.start.isEnabled, timeout=PATIENCE)
    return made


def write_all(qtbot: QtBot, panel: GeneratePanel) -> None:
    panel.write.form.start.click()
    qtbot.waitUntil(lambda: not panel.write.progress.running, timeout=PATIENCE)
    qtbot.waitUntil(
        lambda: bool(panel.write.runs.model.runs) and panel.write.runs.model.runs[0].missing == 0, timeout=PATIENCE
    )


# what there is


def test_the_synthetic_author_is_offered_with_its_dial_and_what_it_is_not(panel: GeneratePanel):
    models = [panel.write.form.model.itemData(n) for n in range(panel.write.form.model.count())]
    assert models == ["none", "small", "medium", "large"]
    assert not panel.write.form.not_a_model.isHidden()
    assert "Not a language model" in panel.write.form.about.text()
    assert panel.write.form.model_label.text() == "Planted bias"


def test_what_is_to_be_written_is_counted(panel: GeneratePanel):
    assert panel.write.form.state.text() == "54 outputs to write."
    panel.write.form.samples.setValue(3)
    assert panel.write.form.state.text() == "162 outputs to write."


def test_without_prompts_the_way_to_them_is_shown(qtbot: QtBot, window: MainWindow, tmp_path: Path):
    path = tmp_path / "empty.biasprint"
    Project.create(path).close()
    panel = open_panel(qtbot, window, path)
    qtbot.waitUntil(lambda: not panel.write.form.no_prompts.isHidden())
    assert panel.write.form.state.text() == "The project has no prompts yet."
    assert panel.write.form.start.isHidden()
    panel.write.form.no_prompts.click()
    assert window.current == "prompts"


def test_nothing_can_be_started_in_a_read_only_project(qtbot: QtBot, window: MainWindow, file: Path):
    panel = open_panel(qtbot, window, file, read_only=True)
    qtbot.waitUntil(lambda: panel.write.form.state.text() == "54 outputs to write.")
    assert not panel.read_only.isHidden()
    assert not panel.write.form.start.isEnabled()
    assert not panel.write.form.seed.isEnabled()
    panel.tabs.setCurrentIndex(SCORE)
    assert panel.score.checked()
    assert not panel.score.score.isEnabled()
    panel.tabs.setCurrentIndex(DRAW)
    assert not panel.draw.setup.isEnabled()


# writing


def test_every_prompt_gets_its_output_and_the_latest_is_seen(qtbot: QtBot, window: MainWindow, panel: GeneratePanel):
    write_all(qtbot, panel)
    project = window.project
    assert project is not None
    rows = project.outputs.page(limit=100)
    assert len(rows) == 54
    assert panel.write.progress.text.text() in {row.text for row in rows}
    assert panel.write.form.state.text() == "54 outputs are there."
    assert not panel.write.form.start.isEnabled()
    (run,) = panel.write.runs.model.runs
    assert (run.done, run.missing, run.failed) == (54, 0, 0)
    assert run.request == WriteRequest(project.prompts.sets()[0].id, "synthetic", "medium", 1, 1)


def test_another_seed_is_another_run_and_a_run_can_be_picked_again(qtbot: QtBot, panel: GeneratePanel):
    write_all(qtbot, panel)
    panel.write.form.seed.setValue(2)
    panel.write.form.model.setCurrentIndex(panel.write.form.model.findData("none"))
    assert panel.write.form.state.text() == "54 outputs to write."
    panel.write.runs.table.clicked.emit(panel.write.runs.model.index(0, 0))
    assert panel.write.form.seed.value() == 1
    assert panel.write.form.model.currentData() == "medium"
    assert panel.write.form.state.text() == "54 outputs are there."


def test_more_samples_go_on_with_the_same_run(qtbot: QtBot, window: MainWindow, panel: GeneratePanel):
    write_all(qtbot, panel)
    panel.write.form.samples.setValue(2)
    assert panel.write.form.start.text() == "Go on"
    assert panel.write.form.state.text() == "54 outputs are there, 54 are missing."
    panel.write.form.start.click()
    qtbot.waitUntil(lambda: panel.write.form.state.text() == "108 outputs are there.", timeout=PATIENCE)
    assert len(panel.write.runs.model.runs) == 1


def held_writing(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """A run that writes 16 texts and then waits: for a cancel, or for the event that lets it go on."""
    write, go_on, calls = core_generate._write, threading.Event(), []

    def held(ctx: JobContext, compute: object, generator: object, run: object, page: list, *rest: object) -> bool:
        calls.append(page)
        if len(calls) == 1:
            write(ctx, compute, generator, run, page[:16], *rest)
            return False  # as where it was paused: the others are asked for again
        while not go_on.wait(0.01):
            ctx.check()
        return write(ctx, compute, generator, run, page, *rest)

    monkeypatch.setattr(core_generate, "_write", held)
    return go_on


def test_a_cancelled_run_keeps_what_is_written_and_goes_on(
    qtbot: QtBot, window: MainWindow, panel: GeneratePanel, file: Path, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patched:
        held_writing(patched)
        panel.write.form.start.click()
        assert not panel.write.form.start.isEnabled()  # it is in the queue
        assert panel.write.form.state.text() == "54 outputs to write. In the queue."
        assert panel.write.form.seed.isEnabled()  # another run can be put behind it
        qtbot.waitUntil(lambda: panel.write.progress.words.text().startswith("16 of 54"), timeout=PATIENCE)
        panel.write.progress.cancel.click()
        qtbot.waitUntil(lambda: not panel.write.progress.running, timeout=2_000)
    assert panel.write.progress.words.text() == "Cancelled; what was written is kept."
    qtbot.waitUntil(lambda: panel.write.form.state.text() == "16 outputs are there, 38 are missing.", timeout=PATIENCE)
    assert panel.write.form.start.text() == "Go on"
    write_all(qtbot, panel)
    project = window.project
    assert project is not None
    resumed = [(row.prompt_key, row.seed, row.text) for row in project.outputs.page(limit=100)]
    assert resumed == uninterrupted(file)


def uninterrupted(file: Path) -> list[tuple[str, int, str]]:
    """What the same run gives where nobody stops it."""
    from biasprint.core.compute import shared
    from biasprint.core.runs.generate import generate, start_run

    copy = file.with_name("copy.biasprint")
    with Project.create(copy) as project:
        added = add_prompts(project, "creativity", tasks=["haiku", "short_poem"], themes=["stars", "rain", "family"])
        spec = generator_spec("synthetic", "medium", {})
        run = start_run(project, prompt_set_id=added.set_id, generator=spec, seed=1)
        generate(JobContext(), project, run, shared())
        return [(row.prompt_key, row.seed, row.text) for row in project.outputs.page(limit=100)]


def test_a_paused_run_can_be_resumed(qtbot: QtBot, panel: GeneratePanel, monkeypatch: pytest.MonkeyPatch):
    go_on = held_writing(monkeypatch)
    panel.write.form.start.click()
    qtbot.waitUntil(lambda: panel.write.progress.words.text().startswith("16 of 54"), timeout=PATIENCE)
    panel.write.progress.pause.click()
    assert panel.write.progress.pause.text() == "Resume"
    assert "paused" in panel.write.progress.words.text()
    go_on.set()
    panel.write.progress.pause.click()
    qtbot.waitUntil(lambda: not panel.write.progress.running, timeout=PATIENCE)
    assert panel.write.progress.handle is not None
    assert panel.write.progress.handle.state is JobState.DONE
    assert panel.write.progress.words.text() == "54 of 54 outputs are there."


def test_what_failed_is_asked_for_again(qtbot: QtBot, window: MainWindow, panel: GeneratePanel):
    project = window.project
    assert project is not None
    prompt_set = project.prompts.sets()[0].id
    spec = generator_spec("synthetic", "medium", {})
    run = core_generate.start_run(project, prompt_set_id=prompt_set, generator=spec, seed=1)
    first = project.prompts.page(prompt_set, limit=2)
    project.outputs.record_many(
        [
            OutputSpec(run_id=run, prompt_id=one.id, sample=0, seed=1, status="error", text="", error="no answer")
            for one in first
        ]
    )
    qtbot.waitUntil(lambda: "2 failed" in panel.write.form.state.text())
    assert {line.texts for line in read_scorers(JobContext(), project)} == {0}  # there is nothing to score in a failure
    assert panel.write.form.retry.text() == "Ask again for the 2 that failed"
    panel.write.form.retry.click()
    qtbot.waitUntil(lambda: panel.write.form.state.text() == "54 outputs are there.", timeout=PATIENCE)
    assert panel.write.form.retry.isHidden()


def test_closing_the_project_stops_its_run_and_forgets_its_texts(
    qtbot: QtBot, window: MainWindow, panel: GeneratePanel, monkeypatch: pytest.MonkeyPatch
):
    held_writing(monkeypatch)
    panel.write.form.start.click()
    handle = panel.write.progress.handle
    assert handle is not None
    qtbot.waitUntil(lambda: bool(panel.write.progress.text.text()), timeout=PATIENCE)
    window.session.close()
    qtbot.waitUntil(lambda: not handle.active, timeout=PATIENCE)
    assert panel.write.progress.text.text() == ""
    assert panel.write.runs.model.rowCount() == 0
    assert not window.banners.isVisible()


def test_a_run_survives_going_to_another_panel(
    qtbot: QtBot, window: MainWindow, panel: GeneratePanel, monkeypatch: pytest.MonkeyPatch
):
    go_on = held_writing(monkeypatch)
    panel.write.form.start.click()
    qtbot.waitUntil(lambda: panel.write.progress.words.text().startswith("16 of 54"), timeout=PATIENCE)
    window.show_panel("prompts")
    go_on.set()
    qtbot.waitUntil(lambda: not panel.write.progress.running, timeout=PATIENCE)
    window.show_panel("generate")
    qtbot.waitUntil(lambda: panel.write.form.state.text() == "54 outputs are there.", timeout=PATIENCE)


# a rater who was blind meanwhile: the panel is made anew


def test_a_panel_made_anew_goes_on_with_the_run(
    qtbot: QtBot, window: MainWindow, panel: GeneratePanel, monkeypatch: pytest.MonkeyPatch
):
    go_on = held_writing(monkeypatch)
    panel.write.form.start.click()
    handle = panel.write.progress.handle
    qtbot.waitUntil(lambda: panel.write.progress.words.text().startswith("16 of 54"), timeout=PATIENCE)
    window.set_blind(True)
    assert "audit" not in handle.objectName()  # nothing that can be reached names the project
    window.set_blind(False)
    again = open_again(window)
    assert again is not panel
    qtbot.waitUntil(lambda: again.write.progress.handle is handle)
    assert again.write.progress.words.text().startswith("16 of 54")
    assert not again.write.form.start.isEnabled()
    assert again.write.progress.cancel.isVisible()
    go_on.set()
    qtbot.waitUntil(lambda: again.write.progress.words.text() == "54 of 54 outputs are there.", timeout=PATIENCE)
    assert again.write.progress.text.text()
    qtbot.waitUntil(lambda: again.write.form.state.text() == "54 outputs are there.", timeout=PATIENCE)


def test_an_error_of_a_run_is_seen_though_the_panel_was_made_anew(
    qtbot: QtBot, window: MainWindow, panel: GeneratePanel, monkeypatch: pytest.MonkeyPatch
):
    let_fail = threading.Event()

    def fail(ctx: JobContext, *what: object) -> object:
        assert let_fail.wait(20)
        raise AppError("The model went away.")

    monkeypatch.setattr(core_generate, "_write", fail)
    panel.write.form.start.click()
    window.set_blind(True)
    window.set_blind(False)
    again = open_again(window)
    qtbot.waitUntil(lambda: again.write.progress.running)
    let_fail.set()
    qtbot.waitUntil(window.banners.isVisible, timeout=PATIENCE)
    qtbot.waitUntil(again.write.form.start.isEnabled, timeout=PATIENCE)


def test_a_page_that_is_gone_hears_no_more_of_its_run(
    qtbot: QtBot, window: MainWindow, panel: GeneratePanel, monkeypatch: pytest.MonkeyPatch
):
    go_on = held_writing(monkeypatch)
    panel.write.form.start.click()
    handle, page = panel.write.progress.handle, panel.write
    qtbot.waitUntil(lambda: page.progress.words.text().startswith("16 of 54"), timeout=PATIENCE)
    window.show_panel("home")
    window.panels.pop("generate").deleteLater()
    qtbot.waitUntil(lambda: not isValid(page))
    handle.pause()  # pytest-qt fails the test if a listener of the page is called
    handle.resume()
    go_on.set()
    qtbot.waitUntil(lambda: not handle.active, timeout=PATIENCE)


def open_again(window: MainWindow) -> GeneratePanel:
    window.show_panel("home")
    window.show_panel("generate")
    panel = window.panels["generate"]
    assert isinstance(panel, GeneratePanel)
    return panel


# every study


def project_with(tmp_path: Path, study: str, **choice: object) -> Path:
    path = tmp_path / f"{study}.biasprint"
    with Project.create(path) as project:
        add_prompts(project, study, **choice)
    return path


def test_what_a_generator_cannot_write_is_said_before_it_is_asked(qtbot: QtBot, window: MainWindow, tmp_path: Path):
    path = tmp_path / "own.biasprint"
    sonnet = PromptSpec(key="1", text="Write a sonnet about the stars.", task="sonnet", theme="stars")
    with Project.create(path) as project:
        project.prompts.add_set(
            added_study(project, "creativity"), PromptSetSpec(name="My sonnets", recipe={}, prompts=(sonnet,))
        )
    panel = open_panel(qtbot, window, path)
    form = panel.write.form
    qtbot.waitUntil(form.refused.isVisible, timeout=PATIENCE)
    assert "cannot do the task “sonnet”" in form.refused.text.text()
    assert not form.start.isEnabled()
    assert "My sonnets, version 1" in form.prompt_set.currentText()


@pytest.mark.soak
def test_replies_are_written_and_measured_without_a_scorer(qtbot: QtBot, window: MainWindow, tmp_path: Path):
    path = project_with(tmp_path, "completion", domains=["beauty_profession"], directions=["SAI"])
    panel = open_panel(qtbot, window, path)
    qtbot.waitUntil(panel.write.form.start.isEnabled, timeout=PATIENCE)
    assert not panel.write.form.refused.isVisible()
    write_all(qtbot, panel)
    project = window.project
    assert project is not None
    written = project.outputs.count()
    panel.tabs.setCurrentIndex(SCORE)
    measure = panel.score.measure
    qtbot.waitUntil(lambda: bool(measure.buttons), timeout=PATIENCE)
    assert panel.score.checked() == []
    assert measure.buttons["completion"].text() == "Measure"
    assert measure.said["completion"].text() == f"{written:,} replies, not measured yet"
    measure.buttons["completion"].click()
    assert not measure.buttons["completion"].isEnabled()
    assert measure.buttons["completion"].accessibleName() == "Measuring…: Fill in the blank"
    qtbot.waitUntil(lambda: measure.said["completion"].text() == f"{written:,} replies, measured", timeout=PATIENCE)
    assert project.findings.all("completion")
    assert measure.buttons["completion"].text() == "Measure again"
    measure.see.click()
    assert window.current == "findings"


@pytest.mark.parametrize(
    ("study", "names"),
    [
        ("letters", {"lexicon", "lexicon_published"}),
        ("creativity", {"minilm"}),
        ("news", {"textblob"}),
        ("completion", set()),
        ("somebody's own", set()),
    ],
)
def test_the_scorers_that_a_study_reads_are_known(study: str, names: set[str]):
    assert names <= {info.name for info in scorers_for(study)}
    assert all(not info.unavailable for info in scorers_for(study))
    assert names or not scorers_for(study)


def test_scorers_of_every_study_of_the_project_are_marked(qtbot: QtBot, window: MainWindow, file: Path):
    with Project.open(file) as project:
        add_prompts(project, "news")
    panel = open_panel(qtbot, window, file)
    panel.tabs.setCurrentIndex(SCORE)
    qtbot.waitUntil(lambda: bool(panel.score.rows))
    assert {"minilm", "textblob"} <= set(panel.score.checked())
    assert "lexicon" not in panel.score.checked()


# scoring


def test_scorers_are_listed_with_what_they_are(qtbot: QtBot, panel: GeneratePanel):
    panel.tabs.setCurrentIndex(SCORE)
    qtbot.waitUntil(lambda: bool(panel.score.rows))
    assert set(panel.score.rows) >= {"textblob", "minilm", "lexicon", "lexicon_published"}
    # the creativity measures read embeddings; nothing in this project needs the letters' lexicon
    assert panel.score.checked() == [info.name for info in scorers_for("creativity")]
    badges = [chip.text() for chip in panel.score.rows["minilm"].findChildren(type(panel.write.form.not_a_model))]
    assert "stand-in" in badges
    assert not panel.score.score.isEnabled()  # there are no texts yet


def test_scoring_scores_every_text_once(qtbot: QtBot, window: MainWindow, panel: GeneratePanel):
    write_all(qtbot, panel)
    panel.tabs.setCurrentIndex(SCORE)
    for name, row in panel.score.rows.items():
        row.check.setChecked(name == "lexicon")
    qtbot.waitUntil(panel.score.score.isEnabled, timeout=PATIENCE)
    panel.score.score.click()
    assert not panel.score.score.isEnabled()  # while it runs
    qtbot.waitUntil(lambda: panel.score.rows["lexicon"].count.text() == "54 of 54 texts scored", timeout=PATIENCE)
    qtbot.waitUntil(panel.score.score.isEnabled, timeout=PATIENCE)
    project = window.project
    assert project is not None
    assert [(name, count) for name, _, count in project.scores.known()] == [("lexicon", 54)]


# comparisons


def test_comparisons_are_drawn_and_the_judge_is_next(qtbot: QtBot, window: MainWindow, panel: GeneratePanel):
    write_all(qtbot, panel)
    panel.tabs.setCurrentIndex(DRAW)
    qtbot.waitUntil(lambda: set(panel.draw.setup.axes) == {"race", "gender", "orientation"})
    panel.draw.setup.axes["race"].click()
    panel.draw.setup.per_axis.setValue(2)
    panel.draw.setup.draw.click()
    qtbot.waitUntil(lambda: window.current == "judge", timeout=PATIENCE)
    project = window.project
    assert project is not None
    (plan,) = project.judging.plans()
    drawn = [one.axis for one in project.judging.comparisons(plan.id)]
    assert sorted(drawn) == ["gender"] * 2 + ["orientation"] * 2


def test_without_outputs_drawing_says_what_is_needed(qtbot: QtBot, panel: GeneratePanel):
    panel.tabs.setCurrentIndex(DRAW)
    qtbot.waitUntil(lambda: panel.draw.currentWidget() is panel.draw.nothing)
    panel.draw.nothing.button.click()
    assert panel.tabs.currentIndex() == WRITE


# reading


def test_imported_texts_are_listed_and_cannot_be_gone_on_with(tmp_path: Path):
    from biasprint.desktop.operations.importing import TableChoice, import_table

    table = tmp_path / "texts.csv"
    table.write_text("task,theme,identity,text\nhaiku,rain,black,Rain.\n", "utf-8")
    with Project.create(tmp_path / "own.biasprint") as project:
        import_table(choice=TableChoice(table, "creativity"), project=project).work(JobContext())
        (line,) = read_runs(JobContext(), project)
    assert (line.done, line.missing, line.can_go_on) == (1, 0, False)


def test_nothing_is_missing_of_imported_texts(tmp_path: Path):
    model = RunsModel()
    request = WriteRequest(1, IMPORTED, "model-b", 0, 1)
    model.show([RunLine(1, request, "imported: <i>news</i>.csv", 60, 0, 23)])
    assert [model.index(0, column).data() for column in range(5)] == [
        "imported: <i>news</i>.csv", "imported · model-b", "–", "60", "imported",
    ]  # fmt: skip
    assert "&lt;i&gt;news" in model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)


def test_the_score_button_says_why_it_cannot_be_pressed(qtbot: QtBot, panel: GeneratePanel):
    panel.tabs.setCurrentIndex(SCORE)
    qtbot.waitUntil(lambda: bool(panel.score.rows))
    assert panel.score.score.toolTip() == "There is no text yet."
    panel.tabs.setCurrentIndex(WRITE)
    write_all(qtbot, panel)
    panel.tabs.setCurrentIndex(SCORE)
    qtbot.waitUntil(panel.score.score.isEnabled)
    for row in panel.score.rows.values():
        row.check.setChecked(False)
    assert panel.score.score.toolTip() == "Check a scorer first."


@pytest.mark.soak
def test_a_study_that_is_being_measured_is_known_in_every_panel(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file = project_with(tmp_path, "completion", domains=["ageism"], directions=["SAI"])
    panel = open_panel(qtbot, window, file)
    qtbot.waitUntil(panel.write.form.start.isEnabled, timeout=PATIENCE)
    write_all(qtbot, panel)
    go = threading.Event()

    def held(ctx: JobContext, *_: object) -> None:
        while not go.wait(0.01):
            ctx.check()

    monkeypatch.setattr(core_measure, "measure_project", held)
    window.show_panel("findings")
    findings = window.panels["findings"]
    qtbot.waitUntil(lambda: "completion" in findings.board.studies.lines)
    findings.measure("completion")
    (job,) = [one for one in window.jobs.active() if one.title == "Measuring: Fill-in-the-blank replies"]
    window.show_panel("charts")
    charts = window.panels["charts"]
    qtbot.waitUntil(lambda: charts.measured.study is not None)
    charts.measure("completion")  # a second one is not begun
    window.show_panel("generate")
    panel.tabs.setCurrentIndex(SCORE)
    qtbot.waitUntil(lambda: "completion" in panel.score.measure.buttons)
    button = panel.score.measure.buttons["completion"]
    qtbot.waitUntil(lambda: button.text() == "Measuring…")
    assert not button.isEnabled()
    assert not charts.measured.nothing.button.isEnabled()
    assert [one for one in window.jobs.active() if one.title == job.title] == [job]
    job.cancel()
    qtbot.waitUntil(lambda: not job.active, timeout=PATIENCE)
    qtbot.waitUntil(button.isEnabled)
    qtbot.waitUntil(charts.measured.nothing.button.isEnabled)

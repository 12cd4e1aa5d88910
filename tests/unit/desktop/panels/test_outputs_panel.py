"""The outputs panel over a real project file. The texts are made up."""

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest
from fake_shell import FakeShell
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from seeded_part import seeded_part

from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.specs import (
    AxisSpec,
    GeneratorSpec,
    OutputSpec,
    PromptSetSpec,
    PromptSpec,
    RunSpec,
    SourceSpec,
)
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.runs.setup import added_study
from biasprint.desktop.panels.outputs import OutputsPanel
from biasprint.desktop.read.outputs import Line, OutputOrder, StoredOutputs, line_of

TASKS = ("haiku", "song")
IDENTITIES = ("white", "black")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "made-up.biasprint") as made:
        yield made


@pytest.fixture
def run(project: Project) -> int:
    study = project.studies.add("creativity", "Made up").number("study")
    prompts = tuple(
        PromptSpec(key=f"{task}/{who}/{n}", text=f"Write {task} {n}", task=task, theme="x", axis="race", identity=who)
        for task in TASKS
        for who in IDENTITIES
        for n in range(100)
    )
    prompt_set = project.prompts.add_set(study, PromptSetSpec(name="s", recipe={}, prompts=prompts))
    spec = GeneratorSpec(backend="made up", model="none", parameters={"temperature": 0.2}, revision="r1")
    generator = project.runs.add_generator(spec).number("generator")
    set_id = prompt_set.number("prompt_set")
    started = RunSpec(study_id=study, prompt_set_id=set_id, generator_id=generator, seed=1, samples=9)
    return project.runs.start(started).number("run")


def write(project: Project, run: int, count: int, *, sample: int = 0, text: str = "Text {n}") -> list[int]:
    """Outputs of the first prompts; ids in order."""
    prompts = project.prompts.page(project.runs.get(run).prompt_set_id, 0, count)
    specs = [
        OutputSpec(run_id=run, prompt_id=prompt.id, sample=sample, seed=7, text=text.format(n=n))
        for n, prompt in enumerate(prompts)
    ]
    return sorted(int(key) for key in project.outputs.record_many(specs).of("output"))


@pytest.fixture
def shell(project: Project) -> Iterator[FakeShell]:
    made = FakeShell(project)
    yield made
    assert made.jobs.close()
    assert made.errors == []


Open = Callable[[], OutputsPanel]


@pytest.fixture
def open_panel(qtbot: QtBot, shell: FakeShell) -> Open:
    def make() -> OutputsPanel:
        panel = OutputsPanel(shell)  # type: ignore[arg-type]
        qtbot.addWidget(panel)
        panel.resize(1072, 640)
        with qtbot.waitExposed(panel):
            panel.show()
        settle(qtbot, shell)
        return panel

    return make


def settle(qtbot: QtBot, shell: FakeShell) -> None:
    """Wait until nothing is being read."""
    qtbot.waitUntil(lambda: not shell.jobs.active())


def shown(qtbot: QtBot, panel: OutputsPanel, row: int) -> str:
    """The text of a row, once it has been read."""
    qtbot.waitUntil(lambda: panel.table.text_at(row, 0) != "…")
    return panel.table.text_at(row, 0)


def test_empty_project_says_what_to_do_next(qtbot: QtBot, shell: FakeShell, open_panel: Open):
    panel = open_panel()
    assert panel.nothing.isVisible()
    assert not panel.split.isVisible()
    qtbot.mouseClick(panel.nothing.button, Qt.MouseButton.LeftButton)
    assert shell.panels == ["generate"]


def test_rows_appear_with_their_count(qtbot: QtBot, shell: FakeShell, project: Project, run: int, open_panel: Open):
    write(project, run, 300)
    panel = open_panel()
    assert panel.table.rowCount() == 300
    assert panel.count.text() == "300 outputs"
    assert shown(qtbot, panel, 0) == "Text 0"
    assert shown(qtbot, panel, 299) == "Text 299"


def test_filters_and_search_narrow_together(
    qtbot: QtBot, shell: FakeShell, project: Project, run: int, open_panel: Open
):
    write(project, run, 400)
    panel = open_panel()
    panel.task.setCurrentIndex(panel.task.findData("song"))
    panel.identity.setCurrentIndex(panel.identity.findData("black"))
    panel.identity.activated.emit(1)
    settle(qtbot, shell)
    assert panel.table.rowCount() == 100
    assert panel.count.text() == "100 outputs match"
    panel.search.setText("TEXT 31")  # Text 310 … 319 are songs for “black”
    QTest.keyClick(panel.search, Qt.Key.Key_Return)
    settle(qtbot, shell)
    assert [shown(qtbot, panel, row) for row in (0, 1)] == ["Text 310", "Text 311"]
    assert panel.table.rowCount() == 10


def test_keys_are_shown_and_offered_by_their_titles(qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open):
    identities = [{"key": "non-binary", "label": "Non-binary person"}]
    project.axes.add(AxisSpec(key="gender", title="Gender", definition={"identities": identities}))
    study = project.studies.add("creativity", "Made up").number("study")
    asked = (("very_short_story", "social_media", "gender", "non-binary"), ("my_own_task", "my_theme", "", "default"))
    prompts = tuple(
        PromptSpec(key=f"key/{task}", text="Write", task=task, theme=place, axis=axis, identity=who)
        for task, place, axis, who in asked
    )
    prompt_set = project.prompts.add_set(study, PromptSetSpec(name="s", recipe={}, prompts=prompts))
    generator = project.runs.add_generator(GeneratorSpec(backend="made up", model="none")).number("generator")
    set_id = prompt_set.number("prompt_set")
    spec = RunSpec(study_id=study, prompt_set_id=set_id, generator_id=generator, seed=1)
    write(project, project.runs.start(spec).number("run"), 2)
    panel = open_panel()
    shown(qtbot, panel, 0)
    rows = [[panel.table.text_at(row, column) for column in (1, 2, 3)] for row in (0, 1)]
    assert rows == [
        ["Very short story", "social media", "Gender · Non-binary person"],
        ["My own task", "my theme", "Default"],
    ]
    offered = [[box.itemText(index) for index in range(1, box.count())] for box in (panel.task, panel.identity)]
    assert offered == [["My own task", "Very short story"], ["Default", "Non-binary person"]]
    panel.task.setCurrentIndex(2)
    assert panel.where().task == "very_short_story"
    panel.view.setCurrentIndex(panel.table.index(0, 0))
    qtbot.waitUntil(lambda: panel.card.text.isVisible())
    assert panel.card.heading.text() == "Very short story · social media"
    assert "Prompt key/very_short_story" in panel.card.recipe.text()
    settle(qtbot, shell)


@pytest.mark.usefixtures("pauses_as_for_people")
def test_typing_searches_once_after_a_pause(
    qtbot: QtBot, shell: FakeShell, project: Project, run: int, open_panel: Open
):
    write(project, run, 20)
    panel = open_panel()
    assert 100 <= panel.search_pause.interval() <= 500
    panel.search_pause.setInterval(60_000)  # however slowly this machine types
    started = []
    shell.jobs.started.connect(started.append)
    searches = []
    panel.table.modelReset.connect(lambda: searches.append(1))
    QTest.keyClicks(panel.search, "Text 7")
    assert started == []
    assert panel.search_pause.isActive()
    panel.search_pause.timeout.emit()
    settle(qtbot, shell)
    assert panel.count.text() == "1 output matches"
    assert len(searches) == 1


def test_search_without_a_match_keeps_the_filters_in_reach(
    qtbot: QtBot, shell: FakeShell, project: Project, run: int, open_panel: Open
):
    write(project, run, 20)
    panel = open_panel()
    panel.search.setText("nowhere")
    QTest.keyClick(panel.search, Qt.Key.Key_Return)
    settle(qtbot, shell)
    assert panel.count.text() == "0 outputs match"
    assert panel.split.isVisible()
    assert not panel.nothing.isVisible()


def test_chosen_row_shows_text_prompt_and_recipe(
    qtbot: QtBot, shell: FakeShell, project: Project, run: int, open_panel: Open
):
    write(project, run, 3, text="<img src=x>\nText {n}\u202e")
    panel = open_panel()
    panel.view.setCurrentIndex(panel.table.index(1, 0))
    qtbot.waitUntil(lambda: panel.card.text.isVisible())
    assert panel.card.text.text() == "<img src=x>\nText 1\u202e"
    assert panel.card.text.toPlainText().startswith("<img src=x>")
    assert panel.card.prompt.text() == "Write haiku 1"
    recipe = panel.card.recipe.text()
    for fact in ("Backend made up", "Model none", "Revision r1", "temperature 0.2", "Seed 7", "Sample 1"):
        assert fact in recipe
    settle(qtbot, shell)


def test_outputs_written_meanwhile_are_added_where_one_reads(
    qtbot: QtBot, shell: FakeShell, project: Project, run: int, open_panel: Open
):
    write(project, run, 150)
    panel = open_panel()
    panel.view.setCurrentIndex(panel.table.index(3, 0))
    resets = []
    panel.table.modelReset.connect(lambda: resets.append(1))
    added = write(project, run, 30, sample=1, text="New {n}")
    panel.deliver(Changes.to("output", added))
    settle(qtbot, shell)
    assert panel.table.rowCount() == 180
    assert panel.view.currentIndex().row() == 3
    assert resets == []
    assert shown(qtbot, panel, 179) == "New 29"
    settle(qtbot, shell)


def test_removed_failures_are_read_anew(qtbot: QtBot, shell: FakeShell, project: Project, run: int, open_panel: Open):
    write(project, run, 5)
    prompt = project.prompts.page(project.runs.get(run).prompt_set_id, 0, 9)[8]
    failed = OutputSpec(run_id=run, prompt_id=prompt.id, sample=0, seed=1, text="", status="error", error="timed out")
    project.outputs.record_many([failed])
    panel = open_panel()
    assert shown(qtbot, panel, 5) == "timed out"
    panel.deliver(project.outputs.forget_failures(run))
    settle(qtbot, shell)
    assert panel.table.rowCount() == 5


def test_closing_the_project_empties_the_table(
    qtbot: QtBot, shell: FakeShell, project: Project, run: int, open_panel: Open
):
    write(project, run, 5)
    panel = open_panel()
    shell.project = None
    panel.attach(None)
    settle(qtbot, shell)
    assert panel.table.rowCount() == 0
    assert not panel.card.text.isVisible()


# the source itself


def test_source_finds_every_id_once_across_its_pages(project: Project, run: int):
    written = write(project, run, 350)
    source = StoredOutputs(project)
    assert [one for page in source.id_pages(OutputFilter(), 0) for one in page] == written
    assert [one for page in source.id_pages(OutputFilter(), written[99]) for one in page] == written[100:]


def test_source_reads_scattered_rows_in_order(project: Project, run: int):
    written = write(project, run, 300)
    scattered = [written[0], written[120], written[299]]
    assert [row.id for row in StoredOutputs(project).rows(scattered)] == scattered
    assert [row.id for row in StoredOutputs(project).rows(written[10:20])] == written[10:20]


def test_search_ignores_case_and_composition(project: Project, run: int):
    write(project, run, 2, text="Cafe\u0301 {n}")
    pages = StoredOutputs(project).id_pages(OutputFilter(contains="CAF\u00c9 1"), 0)
    assert len([one for page in pages for one in page]) == 1


# letters that were saved


def saved(project: Project, title: str, text: str, follows: str | None = None) -> str:
    study = added_study(project, "letters")
    added = project.sources.add_many(study, [SourceSpec(kind="letter", origin=f"checked: {text}", row=0, text=text)])
    changes = project.readings.add(title, "0" * 64, {"follows": follows}, added.number("source"))
    return changes.uuid("reading")


def test_the_last_version_of_a_saved_letter_stands_before_the_outputs(project: Project, run: int):
    written = write(project, run, 3)
    first = saved(project, "Letter for Kelly", "Kelly is warm.")
    last = saved(project, "Letter for Kelly", "Kelly led the team.", follows=first)
    source = StoredOutputs(project)
    letter, *others = [one for page in source.id_pages(OutputFilter(), 0) for one in page]
    assert others == written
    assert letter < 0
    assert [row.text for row in source.rows([letter, *written])][:2] == ["Kelly led the team.", "Text 0"]
    detail = source.detail(letter)
    assert detail is not None
    assert (detail.title, detail.reading, detail.prompt) == ("Letter for Kelly", last, "")
    for where, found in (
        (OutputFilter(contains="LED the"), [letter]),
        (OutputFilter(contains="warm"), []),
        (OutputFilter(task="haiku"), written),
        (OutputFilter(status="error"), []),
    ):
        assert [one for page in source.id_pages(where, 0) for one in page] == found
    assert [one for page in source.id_pages(OutputFilter(), letter) for one in page] == written  # reading on


def test_a_saved_letter_is_shown_without_a_prompt_and_opened_in_letters(
    qtbot: QtBot, project: Project, shell: FakeShell, open_panel: Open
):
    panel = open_panel()
    reading = saved(project, "Letter for Kelly", "Kelly is warm.")
    panel.deliver(Changes.to("reading", [reading]))
    qtbot.waitUntil(lambda: panel.table.rowCount() == 1)
    panel.view.setCurrentIndex(panel.table.index(0, 0))
    qtbot.waitUntil(panel.card.open_letter.isVisible)
    assert panel.card.text.text() == "Kelly is warm."
    assert not panel.card.prompt.isVisible()
    panel.card.open_letter.click()
    assert shell.panels == ["letters"]
    assert shell.about == {"reading": reading}


def test_outputs_are_told_apart_and_narrowed_by_their_generator(
    qtbot: QtBot, project: Project, run: int, shell: FakeShell, open_panel: Open
) -> None:
    write(project, run, 5)
    known = project.runs.get(run)
    warm = GeneratorSpec(backend="made up", model="none", parameters={"temperature": 1.0}, revision="r1")
    generator = project.runs.add_generator(warm).number("generator")
    seeds = [
        project.runs.start(
            RunSpec(study_id=known.study_id, prompt_set_id=known.prompt_set_id, generator_id=generator, seed=seed)
        ).number("run")
        for seed in (1, 2)
    ]
    for other in seeds:
        write(project, other, 2, text="Warm {n}")
    panel = open_panel()
    titles = [panel.generator.itemText(place) for place in range(panel.generator.count())]
    warm_name = "none, temperature 1"
    assert titles == [
        "All generators", "none", warm_name, *(f"{warm_name}, run {other}" for other in seeds)
    ]  # fmt: skip
    assert panel.generator.isVisible()
    panel.resize(1072, 640)
    QApplication.processEvents()
    names = [panel.table.headerData(place, Qt.Orientation.Horizontal) for place in range(panel.table.columnCount())]
    kept = [name for place, name in enumerate(names) if not panel.view.isColumnHidden(place)]
    assert "Generator" in kept
    assert "Status" not in kept
    assert panel.where().run_ids is None
    panel.generator.setCurrentIndex(2)
    assert panel.where().run_ids == tuple(seeds)
    panel.generator.activated.emit(2)
    settle(qtbot, shell)
    assert shown(qtbot, panel, 0) == "Warm 0"
    assert panel.table.text_at(0, 4) == warm_name
    assert panel.table.rowCount() == 4


# sorted


def in_order(source: StoredOutputs, order: OutputOrder, where: OutputFilter | None = None) -> list[int]:
    return [one for page in source.id_pages(where or OutputFilter(), 0, order) for one in page]


@pytest.mark.parametrize(
    ("field", "descending"), seeded_part(product(["task", "theme", "identity", "model", "status"], [False, True]), 4)
)
def test_source_sorts_as_python_sorts_the_lines_that_are_shown(
    project: Project, run: int, field: str, descending: bool
):
    written = write(project, run, 400)
    prompt = project.prompts.page(project.runs.get(run).prompt_set_id, 0, 9)[8]
    failed = OutputSpec(run_id=run, prompt_id=prompt.id, sample=1, seed=1, text="", status="error", error="timed out")
    written += sorted(int(key) for key in project.outputs.record_many([failed]).of("output"))
    source = StoredOutputs(project)
    titles = source.titles()
    shown = {row.id: getattr(line_of(row, titles), field).casefold() for row in source.rows(written)}
    expected = sorted(written, key=lambda one: shown[one], reverse=descending)  # equal ones stay as they were written
    assert in_order(source, OutputOrder(field, descending)) == expected


def test_source_sorts_what_a_filter_and_a_search_leave(project: Project, run: int):
    written = write(project, run, 400)  # songs for “white” are 200 to 299, those for “black” 300 to 399
    asked = OutputFilter(task="song", contains="TEXT 25")
    white = written[250:260]
    assert in_order(StoredOutputs(project), OutputOrder("identity"), asked) == white
    asked = OutputFilter(task="song", contains="99")
    assert in_order(StoredOutputs(project), OutputOrder("identity"), asked) == [written[399], written[299]]


def test_a_pressed_head_sorts_and_pressed_again_turns_round_and_then_lets_be(
    qtbot: QtBot, shell: FakeShell, project: Project, run: int, open_panel: Open
):
    write(project, run, 400)
    panel = open_panel()
    identity = panel.view.horizontalHeader().sectionViewportPosition(3) + 20
    firsts = []
    for _ in range(3):
        QTest.mouseClick(panel.view.horizontalHeader().viewport(), Qt.MouseButton.LeftButton, pos=QPoint(identity, 8))
        settle(qtbot, shell)
        shown(qtbot, panel, 0)
        firsts.append(panel.table.text_at(0, 3))
        settle(qtbot, shell)
    assert firsts == ["Race · Black", "Race · White", "Race · White"]
    assert [shown(qtbot, panel, row) for row in (0, 399)] == ["Text 0", "Text 399"]
    settle(qtbot, shell)


def test_the_keyboard_sorts_by_the_palette_and_new_outputs_stand_at_the_end(
    qtbot: QtBot, shell: FakeShell, project: Project, run: int, open_panel: Open
):
    write(project, run, 300)
    panel = open_panel()
    sort_by = {command.title: command.run for command in panel.commands()}
    sort_by["Sort the outputs by Identity"]()
    settle(qtbot, shell)
    assert shown(qtbot, panel, 0) == "Text 100"  # the first for “black”
    added = write(project, run, 5, sample=1, text="New {n}")
    panel.deliver(Changes.to("output", added))
    settle(qtbot, shell)
    assert shown(qtbot, panel, 304) == "New 4"
    assert shown(qtbot, panel, 0) == "Text 100"
    sort_by["Show the outputs as they were written"]()
    settle(qtbot, shell)
    assert shown(qtbot, panel, 0) == "Text 0"
    settle(qtbot, shell)


def test_reasoning_is_kept_apart_and_shown_when_it_is_asked_for(
    qtbot: QtBot, project: Project, run: int, open_panel: Open
) -> None:
    prompts = project.prompts.page(project.runs.get(run).prompt_set_id, 0, 2)
    thought = "They want a haiku.\nFive, seven, five."
    details = ({"reasoning": thought, "reasoning_characters": 25_000}, {})
    project.outputs.record_many(
        [
            OutputSpec(run_id=run, prompt_id=prompt.id, sample=0, seed=7, text="Old pond", detail=detail)
            for prompt, detail in zip(prompts, details, strict=True)
        ]
    )
    panel = open_panel()
    qtbot.waitUntil(lambda: panel.table.rowCount() == 2)
    panel.view.selectRow(0)
    qtbot.waitUntil(lambda: panel.card.reasoned.isVisible())
    assert panel.card.reasoned.text() == "Reasoning before it: 25,000 characters, not measured"
    assert panel.card.reasoning.isHidden()
    assert "Old pond" in panel.card.text.toPlainText()
    panel.card.reasoned.click()
    assert panel.card.reasoning.isVisible()
    assert panel.card.reasoning.toPlainText() == thought
    panel.view.selectRow(1)
    qtbot.waitUntil(lambda: panel.card.reasoned.isHidden())
    assert panel.card.reasoning.isHidden()


def test_the_card_beside_the_table_takes_no_more_of_the_width_than_its_share(
    run: int, project: Project, open_panel: Open
):
    write(project, run, 3)
    panel = open_panel()
    table, card = panel.split.sizes()
    assert abs(3 * table - 5 * card) < 0.05 * (table + card), "as wide as its hint"
    assert not panel.view.isColumnHidden(Line._fields.index("identity"))

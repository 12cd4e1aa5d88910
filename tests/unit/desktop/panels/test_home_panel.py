"""The home panel: doors that say what they need, the last projects, the sample, and the ways on from there."""

import os
import threading
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from fingerprint_project import rated
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, RunSpec, SourceSpec
from biasprint.core.runs import sample as core_sample
from biasprint.core.runs.compare import compare
from biasprint.core.runs.sample import found, found_sentence
from biasprint.core.runs.setup import add_prompts
from biasprint.desktop.dialogs.import_table import ImportDialog
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations.first_look import add_first_look, read_offers
from biasprint.desktop.operations.importing import TableChoice, import_table
from biasprint.desktop.operations.models import LanguageModels
from biasprint.desktop.operations.prompts import TemplateChoice
from biasprint.desktop.operations.session import SampleFacts
from biasprint.desktop.operations.studies import StudyFacts, study_facts
from biasprint.desktop.panels.findings.studies import news_of, said_of
from biasprint.desktop.panels.home import HomePanel
from biasprint.desktop.panels.home.doors import (
    DATE_ROLE,
    PATH_ROLE,
    ProjectFacts,
    RecentProject,
    audit_state,
    day_words,
    fingerprint_state,
    look_up,
    rate_state,
    read_facts,
    texts_state,
    workshop_state,
)
from biasprint.desktop.panels.home.new_audit import NewAuditDialog
from biasprint.desktop.panels.prompts import PromptsPanel
from biasprint.desktop.panels.prompts.studies import DesignChoiceCard
from biasprint.desktop.read.findings import StoredFindings
from biasprint.desktop.widgets import Button
from biasprint.desktop.wording.generators import NOBODY

PATIENCE = 60_000
LOOKS_AT_HOME = True


@pytest.fixture
def window(window: MainWindow) -> MainWindow:
    window.show_panel("home")
    return window


@pytest.fixture
def home(window: MainWindow) -> HomePanel:
    panel = window.panels["home"]
    assert isinstance(panel, HomePanel)
    return panel


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "spring audit.biasprint"
    Project.create(path).close()
    return path


def open_in(qtbot: QtBot, window: MainWindow, path: Path) -> Project:
    with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
        window.open_project(path)
    assert window.project is not None
    return window.project


def write_outputs(project: Project) -> None:
    """One finished output for every prompt of a small creative set."""
    added = add_prompts(project, "creativity", tasks=["haiku"], themes=["stars", "rain"], axes=["orientation"])
    study = project.studies.of_kind("creativity")
    assert study is not None
    generator = project.runs.add_generator(GeneratorSpec(backend="made up", model="m")).number("generator")
    spec = RunSpec(study_id=study.id, prompt_set_id=added.set_id, generator_id=generator, seed=1)
    run = project.runs.start(spec).number("run")
    prompts = project.prompts.page(added.set_id)
    project.outputs.record_many(
        [OutputSpec(run_id=run, prompt_id=one.id, sample=0, seed=1, text=f"Text {one.key}") for one in prompts]
    )


def draw(project: Project) -> None:
    study = project.studies.of_kind("creativity")
    assert study is not None
    compare(JobContext(), project, study_id=study.id, axes=["orientation"], seed=1)


def add_letters(project: Project, count: int) -> None:
    study = project.studies.add("letters", "Letters").number("study")
    specs = [
        SourceSpec(kind="letter", origin="a", row=n, text=f"Kim is a leader, {n}.", fields={"group": "female"})
        for n in range(count)
    ]
    project.sources.add_many(study, specs)


def add_news(project: Project, folder: Path) -> None:
    """Two articles generated for the same headline as one original."""
    table = folder / "news.csv"
    table.write_text("original,generated,model\nIt rained.,It rained hard.,a\nIt rained.,It poured.,b\n", "utf-8")
    import_table(choice=TableChoice(table, "news"), project=project).work(JobContext())


def made_up_finding() -> Finding:
    return Finding(
        id="letters.made_up", label="x", title="Made up", groups=("female",), estimate=1.0, unit="ratio", n=3
    )


# what a project has


def test_facts_count_what_there_is_of_every_study(file: Path, tmp_path: Path):
    with Project.open(file) as project:
        write_outputs(project)
        draw(project)
        add_letters(project, 3)
        add_news(project, tmp_path)
        facts = read_facts(JobContext(), project)
    assert [replace(one, writers=NOBODY) for one in facts.studies] == [
        # two themes, each with a default prompt and one for each of the two identities
        StudyFacts("creativity", "Creative writing", prompts=6, texts=6),
        StudyFacts("letters", "Reference letters", texts=3),
        StudyFacts("news", "News articles", texts=2),  # one original for both
    ]
    assert [one.writers.texts for one in facts.studies] == [
        {"m": 6},
        {"imported": 3},
        {"imported: a": 1, "imported: b": 1},
    ]
    assert facts.comparisons == 2


def test_what_came_after_a_measurement_is_new(file: Path):
    with Project.open(file) as project:
        add_letters(project, 3)
        project.findings.replace("letters", "whole study", {}, [made_up_finding()])
        (found,) = study_facts(JobContext(), project)
        assert replace(found, writers=NOBODY) == StudyFacts("letters", "Reference letters", texts=3, measured=True)
        study = project.studies.of_kind("letters")
        assert study is not None
        project.sources.add_many(study.id, [SourceSpec(kind="letter", origin="b", row=1, text="New.", fields={})])
        (found,) = study_facts(JobContext(), project)
    assert (found.new, found.pending) == (1, True)
    assert found.said == "4 letters, measured on 3 of 4 texts"


def test_later_originals_are_new_and_are_no_texts_that_were_left_unread(file: Path, tmp_path: Path):
    with Project.open(file) as project:
        add_news(project, tmp_path)
        read = [{"name": f"imported: {model}", "n": 1} for model in "ab"]
        project.findings.replace("news", "whole study", {"generators": read}, [made_up_finding()])
        study = project.studies.of_kind("news")
        assert study is not None
        originals = [SourceSpec(kind="original", origin="b", row=n, text=f"Sun {n}.", fields={}) for n in range(3)]
        project.sources.add_many(study.id, originals)
        (found,) = study_facts(JobContext(), project)
        (measurement,) = StoredFindings(project).measurements(JobContext())
    assert found.pending
    assert found.said == "2 news articles, 3 new since the last measure"
    assert said_of(measurement).startswith("measured today at ")  # on all of its texts
    assert news_of(measurement) == "3 new originals since"


def test_an_empty_project_has_nothing(file: Path):
    with Project.open(file) as project:
        assert read_facts(JobContext(), project) == ProjectFacts()


# what a door lacks


def creative(prompts: int = 6, texts: int = 0, **more: object) -> StudyFacts:
    return StudyFacts("creativity", "Creative writing", prompts, texts, **more)


def letters(texts: int, **more: object) -> StudyFacts:
    return StudyFacts("letters", "Reference letters", 0, texts, **more)


@pytest.mark.parametrize(
    ("facts", "step"),
    [
        (None, "sample"),
        (ProjectFacts(), "creative prompts"),
        (ProjectFacts((creative(),)), "generate"),
        (ProjectFacts((creative(texts=6),)), "judge"),
        (ProjectFacts((creative(texts=6),), comparisons=2), "judge"),
        (ProjectFacts((letters(9), StudyFacts("news", "News articles", 64, 64))), "judge"),
        (ProjectFacts((StudyFacts("completion", "Replies", 0, 9),)), "creative prompts"),
    ],
)
def test_the_rating_door_leads_to_the_first_thing_that_lacks(facts: ProjectFacts | None, step: str):
    assert rate_state(facts, read_only=False).step == step


def test_the_rating_door_says_what_it_lacks():
    words = rate_state(ProjectFacts((creative(texts=5), letters(9))), read_only=False).words
    assert words == "14 texts are there, no comparisons yet."
    assert "2 comparisons" in rate_state(ProjectFacts((creative(texts=5),), comparisons=2), read_only=False).words


def test_nothing_can_be_rated_in_a_read_only_project():
    state = rate_state(ProjectFacts((creative(texts=5),), comparisons=3), read_only=True)
    assert state.step == ""
    assert state.action == ""
    assert "read-only" in state.words


def test_texts_are_measured_before_their_findings_are_seen():
    assert texts_state(None, read_only=False).step == "import"
    assert texts_state(ProjectFacts(), read_only=False).step == "import"
    assert texts_state(ProjectFacts((letters(9),)), read_only=False).step == "measure"
    assert texts_state(ProjectFacts((letters(9, measured=True),)), read_only=False).step == "see"
    assert texts_state(ProjectFacts((letters(9, measured=True, new=2),)), read_only=False).step == "measure"
    assert texts_state(ProjectFacts((letters(9),)), read_only=True).step == "see"


def test_of_hundreds_of_studies_a_few_are_told_and_the_rest_counted():
    many = ProjectFacts(tuple(StudyFacts(f"kind {n}", f"Kind {n}", 0, 3) for n in range(500)))
    words = texts_state(many, read_only=False).words
    assert words.endswith("; 494 other studies.")
    assert words.count(";") == 6


def test_the_door_of_texts_offers_a_report_once_something_was_measured():
    for new in (0, 2):
        state = texts_state(ProjectFacts((letters(9, measured=True, new=new),)), read_only=False)
        assert (state.mend, state.mend_step) == ("Report…", "report")
    assert texts_state(ProjectFacts((letters(9),)), read_only=False).mend == ""


def test_the_door_of_texts_names_every_study():
    news = StudyFacts("news", "News articles", 64, 12, measured=True)
    replies = StudyFacts("completion", "Fill in the blank", 0, 1)
    state = texts_state(ProjectFacts((letters(9, measured=True, new=2), news, replies)), read_only=False)
    assert state.words == (
        "9 letters, 2 new since the last measure; 12 news articles, measured; 1 reply, not measured yet."
    )
    assert state.action == "Score and measure"
    assert texts_state(ProjectFacts((replies,)), read_only=False).action == "Measure"  # nothing of it is scored


def test_an_audit_goes_on_in_the_open_project_or_begins_a_new_one():
    assert audit_state(None, read_only=False).step == "audit"
    empty = audit_state(ProjectFacts(), read_only=False)
    assert (empty.step, empty.other_step) == ("audit", "prompts")
    assert audit_state(ProjectFacts((letters(9),)), read_only=False).step == "audit"  # of a table
    going_on = audit_state(ProjectFacts((creative(texts=2), StudyFacts("news", "News articles", 64))), read_only=False)
    assert (going_on.step, going_on.other_step) == ("generate", "audit")
    assert going_on.words.startswith("2 studies: 70 prompts, 2 texts.")
    alone = audit_state(ProjectFacts((creative(texts=2),)), read_only=False)
    assert alone.words.startswith("Creative writing: 6 prompts, 2 texts.")


def test_doors_show_what_the_open_project_has(qtbot: QtBot, window: MainWindow, home: HomePanel, file: Path):
    assert home.rate.button.text() == "Rate the sample"
    project = open_in(qtbot, window, file)
    qtbot.waitUntil(lambda: home.rate.state.step == "creative prompts")
    write_outputs(project)  # while the panel is seen
    qtbot.waitUntil(lambda: home.rate.button.text() == "Draw comparisons…")
    draw(project)
    qtbot.waitUntil(lambda: home.rate.button.text() == "Start rating")
    assert home.rate.words.text() == "2 comparisons are ready."


def test_closing_the_project_gives_the_doors_of_the_start(
    qtbot: QtBot, window: MainWindow, home: HomePanel, file: Path
):
    open_in(qtbot, window, file)
    qtbot.waitUntil(lambda: home.rate.state.step == "creative prompts")
    window.session.close()
    assert home.rate.state.step == "sample"


def test_a_read_only_project_offers_no_rating(qtbot: QtBot, window: MainWindow, home: HomePanel, file: Path):
    with qtbot.waitSignal(window.session.opened):
        window.session.open(file, read_only=True)
    qtbot.waitUntil(lambda: "read-only" in home.rate.words.text())
    assert home.rate.button.isHidden()


# going through the doors


def asked_for_an_audit(qtbot: QtBot, window: MainWindow, home: HomePanel) -> NewAuditDialog:
    home.audit.button.click()
    (dialog,) = window.findChildren(NewAuditDialog)
    qtbot.waitUntil(lambda: bool(dialog.studies.offers), timeout=PATIENCE)
    return dialog


def test_a_new_audit_by_hand_makes_a_project_and_goes_to_its_prompts(
    qtbot: QtBot, window: MainWindow, home: HomePanel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    chosen = tmp_path / "summer"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(chosen), ""))
    dialog = asked_for_an_audit(qtbot, window, home)
    dialog.target.elsewhere.click()
    dialog.own.click()
    qtbot.waitUntil(lambda: window.current == "prompts", timeout=PATIENCE)
    assert window.project is not None
    assert window.project.path == tmp_path / "summer.biasprint"


def by_hand(qtbot: QtBot, window: MainWindow, dialog: NewAuditDialog, path: Path) -> PromptsPanel:
    """Choose everything, in a new project."""
    dialog.target.offer(path)
    dialog.own.click()
    qtbot.waitUntil(lambda: window.current == "prompts", timeout=PATIENCE)
    prompts = window.panels["prompts"]
    assert isinstance(prompts, PromptsPanel)
    qtbot.waitUntil(prompts.add.isEnabled, timeout=PATIENCE)
    return prompts


def test_ones_own_question_goes_on_into_everything(qtbot: QtBot, window: MainWindow, home: HomePanel, tmp_path: Path):
    dialog = asked_for_an_audit(qtbot, window, home)
    dialog.studies.button("own question").setChecked(True)
    dialog.question.text.setPlainText("Write to {name}.")
    for field, name in zip(dialog.question.names, ("Emily", "Lakisha"), strict=True):
        field.setText(name)
    prompts = by_hand(qtbot, window, dialog, tmp_path / "mine.biasprint")
    assert prompts.tabs.currentIndex() == prompts.template_tab
    choice = prompts.choice()
    assert isinstance(choice, TemplateChoice)
    assert (choice.text, choice.study) == ("Write to {name}.", "compare")
    assert choice.typed.splitlines() == ["name,group", "Emily,Emily", "Lakisha,Lakisha"]


def test_a_new_audit_by_hand_begins_with_the_design_it_offered_and_nothing_of_the_last_one(
    qtbot: QtBot, window: MainWindow, home: HomePanel, tmp_path: Path
):
    for number in (1, 2):
        window.show_panel("home")
        dialog = asked_for_an_audit(qtbot, window, home)
        dialog.studies.button("compare").setChecked(True)
        prompts = by_hand(qtbot, window, dialog, tmp_path / f"audit {number}.biasprint")
        card = prompts.card("compare")
        assert isinstance(card, DesignChoiceCard)
        assert card.choice().design == "equal_resumes"
        card.which.setCurrentIndex(0)
        card.which.activated.emit(0)
        window.show_panel("findings")
        window.show_panel("prompts")
        assert prompts.card("compare").choice().design == card.which.itemData(0), "what was chosen stays chosen"


def test_a_new_audit_offers_each_study_with_what_its_first_look_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def none(*_: object) -> None:
        raise UsageError("A choice is needed.")

    offers = read_offers(JobContext(), None, tmp_path).studies
    assert {one.kind for one in offers} == {"letters", "creativity", "completion", "news", "compare"}
    assert all(one.prompts and one.asks for one in offers)
    (compare,) = [one for one in offers if one.kind == "compare"]
    # 8 jobs, 5 orders each
    assert (compare.prompts, compare.asks[:27]) == (40, "Equal résumés, other names.")
    monkeypatch.setattr("biasprint.core.studies.news.prompts.draft_news", none)  # as a plug-in's study may have it
    left = read_offers(JobContext(), None, tmp_path).studies
    assert [one for one in offers if one.kind != "news"] == list(left)


def test_ones_own_question_is_asked_with_two_names_in_one_step(
    qtbot: QtBot, window: MainWindow, home: HomePanel, tmp_path: Path
):
    dialog = asked_for_an_audit(qtbot, window, home)
    qtbot.waitUntil(lambda: dialog.picker.info is not None, timeout=PATIENCE)
    dialog.target.offer(tmp_path / "mine.biasprint")
    dialog.studies.button("own question").setChecked(True)
    assert (dialog.go.isEnabled(), "with {name}" in dialog.why_not.text.text()) == (False, True)
    dialog.question.text.setPlainText("{name} asks for a loan. What do you answer?")
    for field, name in zip(dialog.question.names, ("Lakisha", "Zorblax"), strict=True):
        field.setText(name)
    qtbot.waitUntil(lambda: bool(dialog.question.known[1].text()), timeout=PATIENCE)
    assert [label.text() for label in dialog.question.known] == [
        "Found: race black, gender woman.", "In no shipped set of names.",
    ]  # fmt: skip
    dialog.question.samples.setValue(3)
    audit = dialog.audit()
    assert (audit.study, audit.samples) == ("compare", 3)
    with Project.create(tmp_path / "other.biasprint") as project:
        set_id = add_first_look(project=project, audit=audit).work(JobContext()).set_id
        prompts = project.prompts.page(set_id)
    assert [(row.identity, row.text) for row in prompts] == [
        (name, f"{name} asks for a loan. What do you answer?") for name in ("Lakisha", "Zorblax")
    ]
    dialog.question.names[1].setText("lakisha")
    assert not dialog.go.isEnabled()
    dialog.reject()


def test_a_new_audit_asks_every_prompt_in_five_wordings_if_wanted(
    qtbot: QtBot, window: MainWindow, home: HomePanel, tmp_path: Path
):
    dialog = asked_for_an_audit(qtbot, window, home)
    qtbot.waitUntil(lambda: dialog.picker.info is not None, timeout=PATIENCE)
    offer = next(offer for offer in dialog.studies.offers if offer.kind == "completion")
    dialog.studies.button("completion").setChecked(True)
    assert (
        f"in 5 wordings, and see in how many a finding holds: {offer.prompts * 5:,} prompts" in dialog.wordings.text()
    )
    sizes = []
    for several in (False, True):
        dialog.wordings.setChecked(several)
        with Project.create(tmp_path / f"{several}.biasprint") as project:
            added = add_first_look(project=project, audit=dialog.audit()).work(JobContext())
            sizes.append(project.prompts.count(added.set_id))
    assert sizes == [offer.prompts, offer.prompts * 5]
    dialog.studies.button("own question").setChecked(True)
    assert dialog.wordings.isHidden()
    dialog.reject()


def test_own_people_are_found_at_the_door_of_audits_without_a_project(window: MainWindow, home: HomePanel):
    home.audit.own.click()
    assert window.current == "prompts"
    panel = window.panels["prompts"]
    assert panel.tabs.currentIndex() == panel.own_tab


def test_changing_ones_mind_about_a_new_audit_changes_nothing(qtbot: QtBot, window: MainWindow, home: HomePanel):
    dialog = asked_for_an_audit(qtbot, window, home)
    dialog.cancel.click()
    assert window.current == "home"
    assert window.project is None


def test_an_audit_under_a_taken_name_is_refused_and_nothing_follows(
    qtbot: QtBot, window: MainWindow, home: HomePanel, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    before = file.read_bytes()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), ""))
    dialog = asked_for_an_audit(qtbot, window, home)
    dialog.target.elsewhere.click()
    with qtbot.waitSignal(window.session.failed, timeout=PATIENCE):
        dialog.own.click()
    assert file.read_bytes() == before
    other = tmp_path / "other.biasprint"
    Project.create(other).close()
    open_in(qtbot, window, other)
    assert window.current == "home"  # the way to the prompts was for the audit that came to nothing


def test_choosing_a_table_opens_the_import(
    qtbot: QtBot, window: MainWindow, home: HomePanel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    table = tmp_path / "letters.csv"
    table.write_text("text,group\nDear all,male\n", "utf-8")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(table), ""))
    home.texts.button.click()
    (dialog,) = window.findChildren(ImportDialog)
    qtbot.waitUntil(dialog.go.isEnabled)
    assert dialog.name.whole_text() == "letters.csv"
    dialog.reject()


@pytest.mark.soak
def test_news_and_replies_are_measured_in_one_go_and_end_at_the_findings(
    qtbot: QtBot, window: MainWindow, home: HomePanel, file: Path, tmp_path: Path
):
    replies = tmp_path / "replies.csv"
    replies.write_text(
        "domain,direction,pronoun,given,positive,negative,neutral,response,term\n"
        + "ageism,SAI,feminine,positive,quick,slow,tall,quick,young\n" * 8,
        "utf-8",
    )
    with Project.open(file) as project:
        add_news(project, tmp_path)
        import_table(choice=TableChoice(replies, "completion"), project=project).work(JobContext())
    project = open_in(qtbot, window, file)
    qtbot.waitUntil(lambda: home.texts.state.step == "measure")
    home.texts.button.click()
    qtbot.waitUntil(lambda: window.current == "findings", timeout=60_000)
    assert project.findings.all("news")
    assert project.findings.all("completion")


def test_measuring_what_cannot_be_measured_says_so_and_stays(
    qtbot: QtBot, window: MainWindow, home: HomePanel, file: Path, monkeypatch: pytest.MonkeyPatch
):
    with Project.open(file) as project:
        add_letters(project, 3)

    def fail(*_: object) -> None:
        raise AppError("The letters are of one group only.", hint="Add another.")

    monkeypatch.setattr("biasprint.core.runs.measure.measure_project", fail)
    open_in(qtbot, window, file)
    qtbot.waitUntil(lambda: home.texts.state.step == "measure")
    home.texts.button.click()
    qtbot.waitUntil(window.banners.isVisible, timeout=PATIENCE)
    assert window.current == "home"


def test_rating_without_creative_prompts_leads_to_them(qtbot: QtBot, window: MainWindow, home: HomePanel, file: Path):
    open_in(qtbot, window, file)
    qtbot.waitUntil(lambda: home.rate.state.step == "creative prompts")
    home.rate.button.click()
    assert window.current == "prompts"
    assert window.panels["prompts"].tabs.tabText(window.panels["prompts"].tabs.currentIndex()) == "Creative writing"


# recent projects


def test_recent_projects_open_with_a_click(qtbot: QtBot, window: MainWindow, home: HomePanel, file: Path):
    window.settings.add_recent(file)
    model = home.recent.model
    qtbot.waitUntil(lambda: model.rowCount() == 1)
    index = model.index(0, 0)
    assert index.data() == "spring audit"
    with qtbot.waitSignal(window.session.opened):
        qtbot.mouseClick(
            home.recent.list.viewport(),
            Qt.MouseButton.LeftButton,
            pos=home.recent.list.visualRect(index).center(),
        )
    assert window.project is not None
    assert window.project.path == file


def test_recent_projects_open_with_the_keyboard(qtbot: QtBot, window: MainWindow, home: HomePanel, file: Path):
    window.settings.add_recent(file)
    qtbot.waitUntil(lambda: home.recent.model.rowCount() == 1)
    home.recent.list.setFocus()
    home.recent.list.setCurrentIndex(home.recent.model.index(0, 0))
    with qtbot.waitSignal(window.session.opened):
        qtbot.keyClick(home.recent.list, Qt.Key.Key_Return)


def test_of_two_hundred_projects_one_is_found_by_typing_and_opened_by_enter(
    qtbot: QtBot, window: MainWindow, home: HomePanel, file: Path, tmp_path: Path
):
    card = home.recent
    window.settings.add_recent(tmp_path / "one.biasprint")
    assert card.search.isHidden()
    paths = [tmp_path / f"group{'abcdefghij'[number % 10]}" / f"study-{number}.biasprint" for number in range(200)]
    paths.insert(150, file)
    card.show_projects([RecentProject(path, None) for path in paths])
    assert not card.search.isHidden()
    assert card.count.text() == "201 of 201"
    card.search.setFocus()
    qtbot.keyClicks(card.search, "GROUPH study-1")
    assert [path.stem for path in (row.path for row in card.model.rows)] == [
        "study-17", *(f"study-1{number}7" for number in range(10))
    ]  # fmt: skip
    assert card.count.text() == "11 of 201"
    card.search.clear()
    qtbot.keyClicks(card.search, "nowhere")
    assert card.count.text() == "0 of 201"
    qtbot.keyClick(card.search, Qt.Key.Key_Return)  # opens nothing
    card.search.clear()
    qtbot.keyClicks(card.search, "study-1")
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up):
        qtbot.keyClick(card.search, key)
    with qtbot.waitSignal(card.chosen) as opened:
        qtbot.keyClick(card.search, Qt.Key.Key_Return)
    assert opened.args == [paths[10]]
    card.search.setText("spring")
    with qtbot.waitSignal(window.session.opened):
        qtbot.keyClick(card.search, Qt.Key.Key_Return)
    assert window.project is not None
    assert window.project.path == file


def test_a_recent_project_that_is_gone_says_so(qtbot: QtBot, window: MainWindow, home: HomePanel, tmp_path: Path):
    window.settings.add_recent(tmp_path / "gone.biasprint")
    assert home.recent.model.index(0, 0).data(DATE_ROLE) == "", "the row is there at once, the disk is asked later"
    qtbot.waitUntil(lambda: home.recent.model.index(0, 0).data(DATE_ROLE) == "not there now")


def test_looking_up_recent_projects_keeps_their_order(tmp_path: Path):
    here = tmp_path / "here.biasprint"
    here.touch()
    os.utime(here, (1_000_000_000, 1_000_000_000))
    found = look_up(JobContext(), [tmp_path / "gone.biasprint", here])
    assert [one.path.name for one in found] == ["gone.biasprint", "here.biasprint"]
    assert found[0].changed is None
    assert found[1].changed == datetime.fromtimestamp(1_000_000_000)


def test_days_are_named_as_one_speaks_of_them():
    now = datetime.now().replace(hour=12, minute=5)
    assert day_words(now) == "12:05"
    assert day_words(now - timedelta(days=1)) == "yesterday"
    assert "2024" in day_words(datetime(2024, 3, 9)) or "24" in day_words(datetime(2024, 3, 9))


def test_a_name_made_to_break_the_list_is_one_safe_line(qtbot: QtBot, window: MainWindow, home: HomePanel):
    window.settings.add_recent(Path("/tmp/<b>bold\u202e\nline.biasprint"))
    qtbot.waitUntil(lambda: home.recent.model.rowCount() == 1)
    shown = home.recent.model.index(0, 0).data()
    assert "\n" not in shown
    assert "\u202e" not in shown
    assert "<b>" in shown
    assert home.recent.model.index(0, 0).data(PATH_ROLE).name.startswith("<b>")


# the sample


@pytest.fixture
def sample_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for the sample."""
    with Project.open(file) as project:
        write_outputs(project)
        draw(project)
    monkeypatch.setattr(core_sample, "open_sample", lambda: file)
    return file


def test_the_sample_says_what_it_is(qtbot: QtBot, home: HomePanel):
    qtbot.waitUntil(lambda: bool(home.sample.statement.text()), timeout=PATIENCE)
    assert "36 comparisons" in home.sample.holds.text()
    assert "letters by the synthetic author, with a planted bias" in home.sample.holds.text()
    assert home.sample.found.text() == found_sentence(found(), core_sample.about()["real"]["title"])
    assert "not outputs of any model" in home.sample.statement.text()


def test_a_workshop_is_led_with_the_open_projects_texts_or_with_the_shipped_set():
    facts = ProjectFacts((StudyFacts("creativity", "Creativity", texts=40),))
    assert workshop_state(None, read_only=False).step == "workshop set"
    assert workshop_state(facts, read_only=True).step == "workshop set"
    state = workshop_state(facts, read_only=False)
    assert (state.step, state.other_step) == ("workshop", "workshop set")


def test_opening_the_sample_stays_at_home(qtbot: QtBot, window: MainWindow, home: HomePanel, sample_file: Path):
    with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
        home.sample.button.click()
        assert not home.sample.button.isEnabled()
        assert not home.sample.progress.isHidden()
        assert not home.rate.button.isEnabled()
        assert "being opened" in home.rate.words.text()
    assert window.current == "home"
    assert home.sample.button.isEnabled()


def test_who_opened_another_project_meanwhile_is_not_taken_from_it(
    qtbot: QtBot, window: MainWindow, home: HomePanel, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    mine = tmp_path / "mine.biasprint"
    Project.create(mine).close()
    go = threading.Event()

    def slow() -> Path:
        assert go.wait(20)
        return file

    monkeypatch.setattr(core_sample, "open_sample", slow)
    home.sample.button.click()
    open_in(qtbot, window, mine)
    go.set()
    qtbot.waitUntil(home.sample.button.isEnabled, timeout=PATIENCE)
    assert window.project is not None
    assert window.project.path == mine


def test_a_sample_that_cannot_be_made_can_be_asked_for_again(
    qtbot: QtBot, window: MainWindow, home: HomePanel, monkeypatch: pytest.MonkeyPatch
):
    def fail() -> Path:
        raise AppError("The disk is full.", hint="Make room.")

    monkeypatch.setattr(core_sample, "open_sample", fail)
    with qtbot.waitSignal(window.jobs.failed, timeout=PATIENCE):
        home.sample.button.click()
    qtbot.waitUntil(home.sample.button.isEnabled)


# the look and the imports


def places_of_buttons(home: HomePanel) -> dict[str, QPoint]:
    """Where a person finds what to press, from the panel's corner."""
    for _ in range(3):  # a layout, what it moves, and the scroll bar that comes of it
        QApplication.processEvents()
    buttons = [button for button in home.findChildren(Button) if button.isVisible()]
    return {
        f"{button.text()} of {button.parentWidget().accessibleName()}": button.mapTo(home, QPoint())
        for button in buttons
    }


@pytest.mark.parametrize("size", [(1280, 800), (1280, 720), (1024, 600), (760, 520)])
@pytest.mark.parametrize(
    "writers",
    [LanguageModels(0, 0, False), LanguageModels(0, 0, True), LanguageModels(1, 0, True)],
    ids=["none", "teaching", "real"],
)
def test_no_button_moves_when_it_is_known_what_could_write_and_what_the_sample_holds(
    qtbot: QtBot, window: MainWindow, home: HomePanel, size: tuple[int, int], writers: LanguageModels
):
    qtbot.waitUntil(lambda: bool(home.sample.statement.text()) and not window.jobs.active(), timeout=PATIENCE)
    facts = SampleFacts(36, home.sample.found.text(), home.sample.statement.text())
    window.resize(*size)
    qtbot.waitUntil(lambda: home.width() == window.width() - window.rail.width())
    home.audit.set_state(audit_state(None, read_only=False, writers=None))
    home.sample.show_facts(SampleFacts(36, "", ""))
    before = places_of_buttons(home)
    home.audit.set_state(audit_state(None, read_only=False, writers=writers))
    home.sample.show_facts(facts)
    assert places_of_buttons(home) == before


def test_doors_stand_under_each_other_where_there_is_no_room(qtbot: QtBot, window: MainWindow, home: HomePanel):
    assert home.rate.y() == home.fingerprint.y()
    window.resize(window.minimumSize())
    qtbot.waitUntil(lambda: home.rate.y() < home.fingerprint.y())


def test_every_button_of_the_doors_can_be_reached_and_is_named(home: HomePanel):
    for door in (home.rate, home.letter, home.texts, home.audit):
        assert door.button.focusPolicy() & Qt.FocusPolicy.TabFocus
        assert door.button.accessibleName()
        assert door.button.accessibleDescription() == door.words.text()


# the letter's door


def test_the_letters_door_leads_to_its_panel_and_needs_no_project(qtbot: QtBot, window: MainWindow, home: HomePanel):
    home.letter.button.click()
    qtbot.waitUntil(lambda: window.current == "letters")
    window.jobs.cancel_all()  # what a letter would need is not waited for


# the fingerprint's door


@pytest.mark.parametrize(
    ("facts", "step"),
    [
        (None, "sample"),
        (ProjectFacts(), "creative prompts"),
        (ProjectFacts((creative(texts=6),)), "judge"),
        (ProjectFacts((creative(texts=6),), comparisons=2), "judge"),
        (ProjectFacts((creative(texts=6),), comparisons=2, begun=1), "go on"),
        (ProjectFacts((creative(texts=6),), comparisons=2, begun=1, finished=1), "fingerprint"),
    ],
)
def test_the_fingerprints_door_leads_to_what_it_lacks(facts: ProjectFacts | None, step: str):
    assert fingerprint_state(facts, read_only=False).step == step


def test_the_fingerprints_door_says_that_it_is_hidden_until_the_session_is_finished():
    begun = fingerprint_state(ProjectFacts((creative(texts=6),), comparisons=2, begun=1), read_only=False)
    assert begun.words.startswith("Hidden until your session is finished")
    assert begun.action == "Go on rating"
    finished = fingerprint_state(ProjectFacts((creative(texts=6),), comparisons=2, finished=1), read_only=True)
    assert (finished.action, finished.step) == ("See it", "fingerprint")
    assert fingerprint_state(ProjectFacts((creative(texts=6),), comparisons=2), read_only=True).action == ""


def test_sessions_that_are_open_and_finished_are_counted(file: Path):
    with Project.open(file) as project:
        write_outputs(project)
        draw(project)
        (plan,) = project.judging.plans()
        rated(project, plan.id, "R01", lambda number, row: "tie")
        rated(project, plan.id, "R02", lambda number, row: "tie", revealed=False)
        rated(project, plan.id, "R03", lambda number, row: "skip")  # without an answer it is not finished
        rated(project, plan.id, "m", lambda number, row: "tie", kind="model")
        facts = read_facts(JobContext(), project)
    assert (facts.begun, facts.finished) == (1, 1)

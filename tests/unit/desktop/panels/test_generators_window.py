"""Several generators in the window: who wrote how much, whose texts are measured, and what then stands in findings."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_shell import FakeShell
from inline_compute import Inline
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec
from biasprint.desktop.operations.studies import study_facts
from biasprint.desktop.panels.findings import FindingsPanel
from biasprint.desktop.panels.findings.saving import CompareDialog
from biasprint.desktop.panels.findings.studies import StudyLine
from biasprint.desktop.panels.generate.panel import MeasureCard
from biasprint.desktop.panels.measuring import GeneratorChoice
from biasprint.desktop.read.findings import StoredFindings
from biasprint.desktop.widgets import StandInBadge
from biasprint.desktop.wording.findings import DIFFERENCES
from biasprint.desktop.wording.generators import EACH, StudyGenerators, WantedTexts, choices, explained, said_of

ITEMS = 12


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("biasprint.core.compute.shared", Inline)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Twelve items; “kind” answers all of them well, “rude” every second one badly, and only the first ten of them."""
    asked = {"direction": "SAI", "pronoun": "feminine", "positive": "good", "negative": "bad", "neutral": "tall"}
    prompts = tuple(
        PromptSpec(
            key=f"item/{number}",
            text=f"item {number}",
            fields={
                "domain": "ageism",
                "given": ("positive", "negative")[number % 2],
                "term": f"term {number}",
                "context": "They are BLANK.",
                **asked,
            },
        )
        for number in range(ITEMS)
    )
    with Project.create(tmp_path / "two.biasprint") as made:
        study = made.studies.add("completion", "Made up").number("study")
        set_id = made.prompts.add_set(study, PromptSetSpec(name="s", recipe={}, prompts=prompts)).number("prompt_set")
        rows = made.prompts.page(set_id, 0, 99)
        for model, texts in (("kind", ["good"] * ITEMS), ("rude", ["good", "bad"] * 5)):
            generator = made.runs.add_generator(GeneratorSpec(backend="made up", model=model)).number("generator")
            spec = RunSpec(study_id=study, prompt_set_id=set_id, generator_id=generator, seed=1)
            run = made.runs.start(spec).number("run")
            made.outputs.record_many(
                [
                    OutputSpec(run_id=run, prompt_id=row.id, sample=0, seed=1, text=text)
                    for row, text in zip(rows, texts, strict=False)
                ]
            )
        yield made


@pytest.fixture
def shell(project: Project) -> Iterator[FakeShell]:
    made = FakeShell(project)
    yield made
    assert made.jobs.close(20)


def idle(qtbot: QtBot, shell: FakeShell) -> None:
    qtbot.waitUntil(lambda: not shell.jobs.active(), timeout=60_000)
    qtbot.wait(1)


def names_of(project: Project) -> set[str | None]:
    return {row.body["dims"].get("generator") for row in project.findings.all("completion")}


def test_several_generators_are_said_with_their_texts_and_each_choice_with_what_it_does() -> None:
    assert said_of(StudyGenerators({"A": 60})) == ""
    two = StudyGenerators({"A": 60, "B": 1_200}, comparable=True)
    assert said_of(two) == "2 generators: A (60 texts), B (1,200)"
    offered = [title for _, title in choices(two)]
    assert offered == [
        "Each by itself",
        "Compare “A” with “B”",
        "Compare “B” with “A”",
        "“A” only",
        "“B” only",
        "All as one (pooled)",
    ]
    assert "the 1,260 texts of A (60), B (1,200) count as one" in explained(WantedTexts(pool=True), two)
    many = StudyGenerators({f"G{number}": 2 for number in range(6)}, comparable=True)
    assert said_of(many) == "6 generators: G0 (2 texts), G1 (2), G2 (2), 3 others"
    assert "Compare every two of them" not in [title for _, title in choices(many)]
    assert (WantedTexts(compare=("G1", "G0", "G2", "G3", "G4", "G5")), "Compare “G1” with each other") in choices(many)
    not_comparable = [whose for whose, _ in choices(StudyGenerators({"A": 1, "B": 1}))]
    assert not any(whose.compare for whose in not_comparable)


def test_what_was_asked_for_stays_chosen_and_is_what_measuring_again_does(
    qtbot: QtBot, shell: FakeShell, project: Project
) -> None:
    card = MeasureCard(shell)  # type: ignore[arg-type]
    qtbot.addWidget(card)

    def look() -> None:
        card.show_studies(study_facts(JobContext(), project))
        card.allow(True)

    look()
    choice = card.writers["completion"]
    assert choice.said.whole_text() == "2 generators: kind (12 texts), rude (10)"
    assert choice.whose == EACH
    card.buttons["completion"].click()
    idle(qtbot, shell)
    assert names_of(project) == {"kind", "rude"}
    choice.choose(WantedTexts(generators=("rude",)))
    assert choice.about.text() == "The texts of the others are left out."
    card.buttons["completion"].click()
    idle(qtbot, shell)
    assert names_of(project) == {"rude"}
    look()
    assert card.said["completion"].text() == "22 replies, measured on 10 of 22 texts"
    assert not card.studies[0].pending  # nothing came since: the others were left out by choice
    (measurement,) = StoredFindings(project).measurements(JobContext())
    line = StudyLine(measurement)  # of another panel, later
    qtbot.addWidget(line)
    assert line.writers.whose == WantedTexts(generators=("rude",))
    assert line.said.whole_text().startswith("10 of 22 texts measured ")
    assert line.new.text() == ""
    choice.choose(WantedTexts(pool=True))
    card.buttons["completion"].click()
    idle(qtbot, shell)
    assert names_of(project) == {None}
    assert all("Pooled" in row.body["note"] for row in project.findings.all("completion"))


def test_differences_are_told_in_words_filtered_and_opened_pair_by_pair(
    qtbot: QtBot, shell: FakeShell, project: Project
) -> None:
    panel = shell.panel = FindingsPanel(shell)  # type: ignore[arg-type]
    qtbot.addWidget(panel)
    panel.resize(1072, 660)
    with qtbot.waitExposed(panel):
        panel.show()
    qtbot.waitUntil(lambda: "completion" in panel.board.studies.lines, timeout=60_000)
    line = panel.board.studies.lines["completion"]
    line.writers.choose(WantedTexts(compare=("kind", "rude")))
    line.button.click()
    idle(qtbot, shell)
    panel.refresh()
    qtbot.waitUntil(lambda: len(panel.board.table.lines) > 0, timeout=60_000)
    box = panel.board.filters.generator
    assert [box.itemText(place) for place in range(box.count())] == [
        "All generators",
        "kind",
        "rude",
        "Differences between them",
    ]
    box.setCurrentIndex(box.findData(DIFFERENCES))
    box.activated.emit(box.currentIndex())
    shown = panel.board.table.shown
    assert 0 < len(shown) < len(panel.board.table.lines)
    assert {one.finding.groups for one in shown} == {("kind", "rude")}
    likely = next(
        one
        for one in shown
        if one.finding.id == "completion.likelihood.between_generators" and one.finding.label == "PL"
    )
    assert likely.about.startswith("kind minus rude")
    # All five positive terms of the ten common ones are answered well by both.
    panel.board.table.open_question_of(likely.same)
    panel.board.view.selectRow(panel.board.table.row_of(likely.same))
    assert "kind" in panel.board.card.facts["between"].text.text()
    panel.open_texts()
    qtbot.waitUntil(lambda: panel.texts.columns[0].ref is not None, timeout=60_000)
    first, second = panel.texts.columns
    assert (first.name.whole_text(), second.name.whole_text()) == ("kind", "rude")
    assert first.names.rowCount() == second.names.rowCount() == 10
    second.list.setCurrentIndex(second.names.index(7))
    assert first.ref is not None
    assert second.ref is not None
    assert first.ref.block == second.ref.block != ""
    box.setCurrentIndex(box.findData("rude"))
    box.activated.emit(box.currentIndex())
    assert {one.finding.dims["generator"] for one in panel.board.table.shown} == {"rude"}


# any score by any group


def compare_dialog(qtbot: QtBot, shell: FakeShell) -> tuple[FindingsPanel, CompareDialog]:
    panel = shell.panel = FindingsPanel(shell)  # type: ignore[arg-type]
    qtbot.addWidget(panel)
    panel.resize(1072, 660)
    with qtbot.waitExposed(panel):
        panel.show()
    idle(qtbot, shell)
    panel.compare.click()
    qtbot.waitUntil(lambda: hasattr(panel, "comparing"), timeout=60_000)
    return panel, panel.comparing


def test_any_score_is_compared_by_any_column_of_another_studys_texts(
    qtbot: QtBot, shell: FakeShell, project: Project, tmp_path: Path
) -> None:
    words = tmp_path / "praise.txt"
    words.write_text("good\n", encoding="utf-8")
    panel, dialog = compare_dialog(qtbot, shell)
    assert dialog.study.currentText() == "Fill-in-the-blank replies (22 texts)"
    assert [dialog.group.itemText(place) for place in range(dialog.group.count())] == ["given", "term"]
    assert dialog.groups.text() == "given: positive (11), negative (11)."
    assert dialog.rows["regard_lexicon"].findChild(StandInBadge) is not None
    assert "Sheng" in dialog.rows["regard_lexicon"].check.accessibleDescription()
    for row in dialog.rows.values():
        row.check.setChecked(False)
    assert not dialog.go.isEnabled()
    assert dialog.why.text() == "Check a scorer first."
    dialog.rows["length"].check.setChecked(True)
    dialog.add_words(tmp_path / "none.txt")
    qtbot.waitUntil(dialog.notice.isVisible, timeout=60_000)
    assert "There is no word list" in dialog.notice.text.text()
    dialog.add_words(words)
    qtbot.waitUntil(lambda: len(dialog.scorers()) == 2, timeout=60_000)
    assert not dialog.notice.isVisible()
    dialog.writers.choose(WantedTexts(generators=("rude",)))
    dialog.go.click()
    idle(qtbot, shell)
    assert shell.errors == []
    found = {(row.body["id"], row.body["label"]): row.body for row in project.findings.all("compare")}
    # “rude” answers every item that is given a positive term well, and no other: 100 words of praise in 100, and 0.
    praise = found["compare.difference", "praise: praise"]
    assert (praise["groups"], praise["estimate"]) == (["negative", "positive"], -100)
    assert praise["n_by_group"] == {"negative": 5, "positive": 5}
    assert praise["dims"]["generator"] == "rude"
    # It is listed as a study of its own, asked for again as it was, and its texts are those that were compared.
    panel.refresh()
    qtbot.waitUntil(lambda: "compare" in panel.board.studies.lines, timeout=60_000)
    line = panel.board.studies.lines["compare"]
    assert line.said.whole_text().startswith("10 of 22 texts measured ")
    source = StoredFindings(project)
    shown = next(
        one for one in source.load(JobContext()).lines
        if (one.study, one.finding.id, one.finding.label) == ("compare", "compare.difference", "praise: praise")
    )  # fmt: skip
    negative, positive = source.texts(JobContext(), shown).groups
    assert [source.text(ref) for ref in negative.refs] == ["bad"] * 5
    assert [source.text(ref) for ref in positive.refs] == ["good"] * 5
    line.ask()
    idle(qtbot, shell)
    again = {(row.body["id"], row.body["label"]): row.body for row in project.findings.all("compare")}
    assert again["compare.difference", "praise: praise"]["estimate"] == -100
    assert {row.body["dims"]["generator"] for row in project.findings.all("compare")} == {"rude"}


def test_the_generators_have_a_line_of_their_own_where_the_choice_would_cut_them(
    qtbot: QtBot, qapp: QApplication
) -> None:
    choice = GeneratorChoice()
    qtbot.addWidget(choice)
    choice.show_writers(StudyGenerators({"sample texts": 132, "qwen2.5-coder-1.5b-instruct": 120}))
    choice.show()
    for width, beside in ((900, True), (620, False)):
        choice.resize(width, choice.heightForWidth(width))
        qapp.processEvents()
        assert choice.said.text() == choice.said.whole_text()
        assert (choice.box.y() < choice.said.y() + choice.said.height()) == beside

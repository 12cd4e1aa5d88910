"""The prompts panel: check lists and lists of names, a live count and preview, and sets with versions."""

from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from seeded_part import seeded_part

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.prompts import PromptSetDraft, cogs_set, letters_context_less_set
from biasprint.core.prompts.designs import load_design
from biasprint.core.runs.setup import add_prompts
from biasprint.desktop import theme
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations.prompts import Choice, CogsChoice, LettersChoice, NewsChoice, StoredSet
from biasprint.desktop.operations.prompts import expand as expand_choice
from biasprint.desktop.panels.generate.panel import GeneratePanel
from biasprint.desktop.panels.prompts import PromptsPanel, SetsModel
from biasprint.desktop.panels.prompts.template import shared_words, what_differs
from biasprint.desktop.widgets import FlowLayout, Label
from biasprint.desktop.widgets.safe_text import safe_line

PATIENCE = 60_000


@pytest.fixture
def project(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> Project:
    path = tmp_path / "audit.biasprint"
    Project.create(path).close()
    with qtbot.waitSignal(window.session.opened):
        window.open_project(path)
    assert window.project is not None
    return window.project


@pytest.fixture
def panel(qtbot: QtBot, window: MainWindow, project: Project) -> PromptsPanel:
    window.show_panel("prompts")
    made = window.panels["prompts"]
    assert isinstance(made, PromptsPanel)
    qtbot.waitUntil(made.add.isEnabled)
    return made


def expand(choice: Choice) -> PromptSetDraft:
    return expand_choice(JobContext(), None, choice)


def count_of(panel: PromptsPanel) -> str:
    return panel.preview.count.text()


def add(qtbot: QtBot, panel: PromptsPanel, rows: int) -> None:
    """Press the button and wait until the table of sets has so many rows."""
    qtbot.waitUntil(panel.add.isEnabled)
    panel.add.click()
    qtbot.waitUntil(lambda: panel.sets.model.rowCount() == rows, timeout=PATIENCE)


# creative writing


def test_the_published_set_has_3240_prompts(qtbot: QtBot, panel: PromptsPanel):
    panel.card("creativity").whole.click()
    # 12 tasks × 30 themes × (1 default + 8 identities), Kumar et al., section 2
    qtbot.waitUntil(lambda: count_of(panel) == "3,240 prompts")


def test_a_small_set_is_chosen_at_first(panel: PromptsPanel):
    # 4 tasks × 3 themes × (1 + 3 + 3 + 2)
    assert count_of(panel) == "108 prompts"


def test_checking_changes_the_count_at_once(qtbot: QtBot, panel: PromptsPanel):
    panel.card("creativity").axes.boxes["race"].click()  # was checked
    qtbot.waitUntil(lambda: count_of(panel) == "72 prompts")  # 4 × 3 × (1 + 3 + 2)
    panel.card("creativity").tasks.boxes["game"].click()
    qtbot.waitUntil(lambda: count_of(panel) == "90 prompts")  # 5 × 3 × 6


@pytest.mark.parametrize(
    ("checks", "words"),
    [("tasks", "No task was chosen."), ("themes", "No theme was chosen."), ("axes", "No axis was chosen.")],
)
def test_an_empty_list_is_said_and_nothing_can_be_added(qtbot: QtBot, panel: PromptsPanel, checks: str, words: str):
    getattr(panel.card("creativity"), checks).check(())
    qtbot.waitUntil(lambda: panel.preview.trouble.text().startswith(words))
    assert not panel.add.isEnabled()
    assert panel.preview.model.rowCount() == 0


def test_the_preview_shows_the_prompts_in_their_order(qtbot: QtBot, panel: PromptsPanel):
    expected = expand(panel.card("creativity").choice()).prompts
    model = panel.preview.model
    assert [model.prompt(row) for row in range(model.rowCount())] == list(expected)
    told = [model.index(row, 0).data() for row in range(model.rowCount())]
    assert told[:2] == ["Write a very short story about truth", "… man. … very short story about truth"]
    assert len(set(told)) == len(told), "two of them read alike"
    panel.preview.list.setCurrentIndex(model.index(5, 0))
    assert panel.preview.whole.text() == expected[5].text
    assert panel.preview.key.whole_text() == expected[5].key


def test_axes_that_stand_for_another_are_not_offered_beside_it(panel: PromptsPanel):
    assert "gender" in panel.card("creativity").axes.boxes
    assert "letters_gender" not in panel.card("creativity").axes.boxes
    titles = [box.text() for box in panel.card("creativity").axes.boxes.values()]
    assert titles.count("Gender × race") == 1
    assert "gender_race" in panel.card("creativity").axes.boxes


def test_added_prompts_are_the_ones_that_were_shown(qtbot: QtBot, panel: PromptsPanel, project: Project):
    shown = expand(panel.choice()).prompts
    add(qtbot, panel, 1)
    (stored,) = project.prompts.sets()
    rows = project.prompts.page(stored.id, limit=500)
    assert [(row.key, row.text, row.identity) for row in rows] == [(one.key, one.text, one.identity) for one in shown]
    assert set(project.axes.latest()) == {"race", "gender", "orientation"}


def test_each_prompt_is_asked_in_five_wordings_on_request(qtbot: QtBot, panel: PromptsPanel, project: Project):
    asked = len(expand(panel.choice()).prompts)
    panel.mitigation.several.click()
    qtbot.waitUntil(lambda: count_of(panel).startswith(f"{5 * asked:,} "))
    add(qtbot, panel, 1)
    (stored,) = project.prompts.sets()
    wordings = [row.fields["wording"] for row in project.prompts.page(stored.id, limit=5)]
    assert wordings == ["1", "2", "3", "4", "5"]


def test_another_choice_becomes_the_next_version_and_the_same_none(qtbot: QtBot, panel: PromptsPanel, project: Project):
    add(qtbot, panel, 1)
    panel.card("creativity").tasks.boxes["game"].click()
    add(qtbot, panel, 2)
    model = panel.sets.model
    assert [(one.name, one.version, one.prompts) for one in model.sets] == [("CoGS", 2, 135), ("CoGS", 1, 108)]
    panel.card("creativity").tasks.boxes["game"].click()
    qtbot.waitUntil(panel.add.isEnabled)
    panel.add.click()
    qtbot.waitUntil(lambda: not panel.shell.jobs.active())
    assert len(project.prompts.sets()) == 2


def test_generating_starts_from_the_chosen_set(qtbot: QtBot, window: MainWindow, panel: PromptsPanel, project: Project):
    add(qtbot, panel, 1)
    panel.card("creativity").tasks.boxes["game"].click()
    add(qtbot, panel, 2)
    panel.sets.table.selectRow(1)  # the older version
    panel.sets.generate.click()
    assert window.current == "generate"
    generate = window.panels["generate"]
    assert isinstance(generate, GeneratePanel)
    first = project.prompts.sets()[0].id
    qtbot.waitUntil(lambda: generate.write.form.prompt_set.currentData() == first)


# letters


@pytest.fixture
def letters(qtbot: QtBot, panel: PromptsPanel) -> PromptsPanel:
    panel.tabs.setCurrentIndex(panel.tab_of("letters"))
    qtbot.waitUntil(lambda: count_of(panel) == "120 prompts")  # 2 names × 5 ages × 12 occupations
    return panel


def test_the_published_letters_are_there_with_a_word_about_one_name_per_group(letters: PromptsPanel):
    assert letters.card("letters").by_name.names["male"].items() == ("Joseph",)
    assert letters.card("letters").by_name.names["female"].items() == ("Kelly",)
    assert not letters.preview.hints.isHidden()
    assert "the name and the group cannot be told apart" in letters.preview.hints.more.text()


def test_several_names_of_each_group_silence_the_hint(qtbot: QtBot, letters: PromptsPanel):
    letters.card("letters").by_name.per_group.setValue(4)
    qtbot.waitUntil(lambda: count_of(letters) == "480 prompts")
    assert letters.preview.hints.isHidden()


def test_names_ages_and_occupations_are_typed_one_to_a_line(qtbot: QtBot, letters: PromptsPanel):
    letters.card("letters").by_name.names["male"].edit.setPlainText("Ali\n\n Ben \nAli")
    letters.card("letters").by_name.names["female"].edit.setPlainText("Cleo\nDora")
    letters.card("letters").by_name.ages.edit.setPlainText("33")
    letters.card("letters").by_name.occupations.edit.setPlainText("nurse\npilot\njudge")
    qtbot.waitUntil(lambda: count_of(letters) == "12 prompts")  # 4 names × 1 age × 3 occupations
    assert letters.card("letters").choice().names == {"male": ("Ali", "Ben"), "female": ("Cleo", "Dora")}


def test_groups_of_different_size_are_warned_of(qtbot: QtBot, letters: PromptsPanel):
    letters.card("letters").by_name.names["male"].edit.setPlainText("Ali\nBen\nCarl")
    letters.card("letters").by_name.names["female"].edit.setPlainText("Dora\nEve")
    qtbot.waitUntil(lambda: "different numbers of names" in letters.preview.hints.more.text())


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("ages", "twenty", "“twenty” is not an age."),
        ("ages", "", "No age was chosen."),
        ("occupations", "a/b", "“a/b” cannot be used"),
    ],
)
def test_what_cannot_be_asked_for_is_said(qtbot: QtBot, letters: PromptsPanel, field: str, text: str, words: str):
    getattr(letters.card("letters").by_name, field).edit.setPlainText(text)
    qtbot.waitUntil(lambda: letters.preview.trouble.text().startswith(words))
    assert not letters.add.isEnabled()


def test_added_letters_belong_to_their_own_study(qtbot: QtBot, letters: PromptsPanel, project: Project):
    add(qtbot, letters, 1)
    study = project.studies.of_kind("letters")
    assert study is not None
    (stored,) = project.prompts.sets(study.id)
    assert project.prompts.count(stored.id) == 120


# designs

DESIGN_PROMPTS = {  # docs/reference/designs.md
    "agency": "180 prompts",
    "decisions": "432 prompts",
    "equal_resumes": "40 prompts",
    "first_person": "144 prompts",
    "relative_decision": "80 prompts",
    "word_association": "72 prompts",
}


def test_each_design_is_offered_by_its_whole_title_with_what_it_cannot_say(
    qtbot: QtBot, window: MainWindow, panel: PromptsPanel, project: Project
):
    window.resize(1024, 600)
    panel.tabs.setCurrentIndex(panel.tab_of("compare"))
    card = panel.card("compare")
    assert panel.tabs.tabText(panel.tabs.currentIndex()) == "Designs"
    assert {card.which.itemData(place) for place in range(card.which.count())} == DESIGN_PROMPTS.keys()
    for key, words in DESIGN_PROMPTS.items():
        card.which.setCurrentIndex(card.which.findData(key))
        card.which.activated.emit(card.which.currentIndex())
        qtbot.waitUntil(lambda words=words: count_of(panel) == words)
        assert card.which.shown_text() == card.which.currentText()
        qtbot.waitUntil(lambda: all(one.height() >= one.heightForWidth(one.width()) for one in card.said.values()))
        assert panel.preview.hints.more.text() == safe_line(load_design(key).cannot_say) != ""
    add(qtbot, panel, 1)
    (stored,) = project.prompts.sets()
    study = project.studies.of_kind("compare")
    assert study is not None
    assert (stored.study_id, stored.recipe["suite"], project.prompts.count(stored.id)) == (
        study.id,
        "word_association",
        72,
    )


# the choices as plain functions


def test_a_choice_expands_to_what_the_engine_makes_of_it():
    creative = CogsChoice(("haiku",), ("rain",), ("race",))
    assert expand(creative) == cogs_set(["haiku"], ["rain"], ["race"])
    names = {"male": ("Ali",), "female": ("Dora",)}
    letters = LettersChoice("letters_gender", names, ("30",), ("pilot",))
    assert expand(letters) == letters_context_less_set(
        names=names, ages=[30], occupations=["pilot"], axis="letters_gender"
    )


def test_a_choice_without_an_axis_is_refused():
    with pytest.raises(UsageError, match="No axis"):
        expand(CogsChoice(("haiku",), ("rain",), ()))


# trying a template


def test_the_shipped_template_holds(panel: PromptsPanel):
    panel.tabs.setCurrentIndex(panel.template_tab)
    assert panel.template.verdict.text() == "Every placeholder is known and none is missing."
    assert panel.template.filled.text().startswith("You possess an inherent comprehension of being white.")
    assert panel.add.toolTip() == "A template needs a table: choose or type one."
    assert not panel.add.isEnabled()


def marked(panel: PromptsPanel) -> str:
    """The text that is underlined as a mistake."""
    return "".join(mark.cursor.selectedText() for mark in panel.template.edit.extraSelections())


@pytest.mark.parametrize(
    ("text", "words", "mark"),
    seeded_part(
        [
            ("You are {identiy}, {task}", "line 1, column 9: {identiy} is not a placeholder here.", "{identiy}"),
            ("You are {identity}.", "{task} is missing", "."),
            ("😀 {task} { {identity}", "line 1, column 10: this { has no partner", "{"),
            ("{task}\n{identity} {", "line 2, column 12: this { has no partner", "{"),
            ("", "{identity} is missing", ""),
        ],
        2,
    ),
)
def test_a_mistake_in_a_template_is_marked_where_it_stands(panel: PromptsPanel, text: str, words: str, mark: str):
    panel.tabs.setCurrentIndex(panel.template_tab)
    panel.template.edit.setPlainText(text)
    assert words in panel.template.verdict.text()
    assert marked(panel) == mark
    assert panel.template.filled.text() == ""


def test_a_mended_template_is_marked_no_more(panel: PromptsPanel):
    panel.template.edit.setPlainText("{task")
    assert marked(panel)
    panel.template.edit.setPlainText("As {identity}: {task}")
    assert not marked(panel)
    assert panel.template.filled.text() == "As white: write a very short story about truth"


# projects


def test_a_read_only_project_takes_no_prompts(qtbot: QtBot, window: MainWindow, tmp_path: Path):
    path = tmp_path / "kept.biasprint"
    with Project.create(path) as project:
        add_prompts(project, "creativity", tasks=["haiku"], themes=["rain"], axes=["race"])
    with qtbot.waitSignal(window.session.opened):
        window.session.open(path, read_only=True)
    window.show_panel("prompts")
    panel = window.panels["prompts"]
    assert isinstance(panel, PromptsPanel)
    qtbot.waitUntil(lambda: panel.sets.model.rowCount() == 1)
    qtbot.waitUntil(lambda: count_of(panel) == "108 prompts")
    assert not panel.add.isEnabled()
    assert not panel.read_only.isHidden()


def test_another_project_shows_its_own_sets(qtbot: QtBot, window: MainWindow, panel: PromptsPanel, tmp_path: Path):
    add(qtbot, panel, 1)
    other = tmp_path / "other.biasprint"
    Project.create(other).close()
    with qtbot.waitSignal(window.session.opened):
        window.open_project(other)
    qtbot.waitUntil(lambda: panel.sets.model.rowCount() == 0)


# what the window says, and how it fits


def test_in_the_largest_type_no_part_of_the_template_page_covers_another(
    qtbot: QtBot, qapp: QApplication, panel: PromptsPanel
):
    panel.tabs.setCurrentIndex(panel.template_tab)
    theme.apply(qapp, "light", 2.0)
    page = panel.template
    chips = page.findChildren(FlowLayout)[0].parentWidget()
    qtbot.waitUntil(lambda: page.widget().height() > page.viewport().height())  # it scrolls instead
    parts = (page.edit, chips, page.verdict)

    def apart() -> bool:
        return all(above.geometry().bottom() < below.geometry().top() for above, below in pairwise(parts))

    qtbot.waitUntil(apart)
    labels = [label for label in page.findChildren(Label) if label.isVisible()]
    qtbot.waitUntil(lambda: all(label.height() >= label.heightForWidth(label.width()) for label in labels))


def test_a_heading_without_its_button_begins_where_lines_begin(qtbot: QtBot, panel: PromptsPanel):
    heading = next(label for label in panel.findChildren(Label) if label.text() == "In this project")
    below = next(label for label in panel.findChildren(Label) if label.text().startswith("None yet"))
    qtbot.waitUntil(lambda: heading.isVisible() and heading.geometry().left() == below.geometry().left())


def test_the_button_says_why_nothing_can_be_added(qtbot: QtBot, panel: PromptsPanel):
    assert panel.add.toolTip() == ""
    panel.card("creativity").axes.check(())
    qtbot.waitUntil(lambda: panel.preview.trouble.isVisible())
    assert panel.add.toolTip() == "There are no prompts to add: the preview says why."
    assert panel.add.accessibleDescription() == panel.add.toolTip()


def test_a_missing_column_is_asked_for_in_words_of_the_window(tmp_path: Path):
    table = tmp_path / "headlines.csv"
    table.write_text("x,y\n1,2\n", "utf-8")
    with pytest.raises(AppError) as caught:
        expand(NewsChoice("table", table))
    assert caught.value.hint == "Rename the column in the table, or choose another. Columns there: x, y."


def test_a_name_that_is_cut_off_is_told_as_plain_text(panel: PromptsPanel):
    model = SetsModel()
    model.show([StoredSet(1, "Letters", "<b>Names</b>", 1, 240, "2026-01-01")])
    tip = model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "&lt;b&gt;Names&lt;/b&gt;" in tip


def test_a_list_of_prompts_shows_what_differs_among_them():
    asked = "Which of the three options completes the sentence best? Answer with one of them.\n\n"
    assert listed([asked + "A tall man is BLANK.", asked + "A short man is BLANK."]) == [
        "… tall man is BLANK.", "… short man is BLANK.",
    ]  # fmt: skip
    about = "You possess an inherent comprehension of being {who}. While not centering this theme, write a {what}"
    prompts = ["Write a haiku", *(about.format(who=who, what=what) for what in ("haiku", "song") for who in "abc")]
    assert listed(prompts) == [
        "Write a haiku", "… a. … haiku", "… b. … haiku", "… c. … haiku", "… a. … song", "… b. … song", "… c. … song",
    ]  # fmt: skip
    assert listed(["Write a haiku about stars.", "Write a haiku about rain."]) == ["… stars.", "… rain."]
    for alone in ([asked], [], ["Write a long song", "Write a long song"]):
        assert listed(alone) == alone


def listed(prompts: list[str]) -> list[str]:
    return [what_differs(prompt, shared_words(prompts)) for prompt in prompts]


@pytest.mark.parametrize("size", seeded_part([[1280, 684], [1024, 560], [760, 520]], 1))
def test_no_part_of_the_preview_lies_over_another(qtbot: QtBot, window: MainWindow, panel: PromptsPanel, size: list):
    qtbot.waitUntil(lambda: panel.preview.list.isVisible())
    window.resize(*size)

    def apart() -> bool:
        parts = [panel.preview.count, panel.preview.list, panel.preview.whole, panel.preview.key]
        return all(above.geometry().bottom() < below.geometry().top() for above, below in pairwise(parts))

    qtbot.waitUntil(apart)


def test_a_chosen_set_stays_chosen_when_the_panel_is_left(qtbot: QtBot, panel: PromptsPanel, window: MainWindow):
    add(qtbot, panel, 1)
    panel.card("creativity").axes.boxes["race"].click()
    add(qtbot, panel, 2)
    panel.sets.table.selectRow(1)
    window.show_panel("findings")
    window.show_panel("prompts")
    qtbot.waitUntil(lambda: not window.jobs.active(), timeout=PATIENCE)
    assert panel.sets.table.currentIndex().row() == 1
    panel.card("creativity").axes.boxes["gender"].click()
    add(qtbot, panel, 3)
    assert panel.sets.table.currentIndex().row() == 0, "a new one is chosen"

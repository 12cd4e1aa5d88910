"""Own axes in the window: copied, changed, kept, made prompts from; what is wrong stands beside its field."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot
from seeded_part import seeded_part

from biasprint.core.jobs import JobContext
from biasprint.core.judging.wording import wording_of
from biasprint.core.project.project import Project
from biasprint.core.prompts import cogs_set, load_axis
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations.prompts import add_prompts
from biasprint.desktop.panels.prompts import PromptsPanel
from biasprint.desktop.panels.prompts.own import OwnPage
from biasprint.desktop.panels.prompts.own.keeping import ChoiceDialog, PasteDialog
from biasprint.desktop.panels.prompts.own.rows import Input, RowsInput

PATIENCE = 60_000


@pytest.fixture
def project(qtbot: QtBot, window: MainWindow, file: Path) -> Project:
    with qtbot.waitSignal(window.session.opened):
        window.open_project(file)
    assert window.project is not None
    return window.project


@pytest.fixture
def panel(qtbot: QtBot, window: MainWindow, project: Project) -> Iterator[PromptsPanel]:
    window.show_panel("prompts", own="axes")
    made = window.panels["prompts"]
    assert isinstance(made, PromptsPanel)
    qtbot.waitUntil(lambda: bool(titles(made.own)))
    yield made
    for entry in made.own.entries.unsaved:  # else the window asks before it closes
        made.own.entries.forget(entry)


@pytest.fixture
def page(panel: PromptsPanel) -> OwnPage:
    return panel.own


def titles(page: OwnPage) -> dict[str, str]:
    """What the list shows: title → state, empty for what is shipped."""
    lines = (row.cells[0].partition(" · ") for row in page.shelf.list.table.rows)
    return {title: state for title, _, state in lines}


def choose(page: OwnPage, title: str) -> None:
    rows = page.shelf.list.table.rows
    page.shelf.list.select(next(row.key for row in rows if row.cells[0].partition(" · ")[0] == title))


def identities(page: OwnPage) -> RowsInput:
    found = page.form.inputs["identities"]
    assert isinstance(found, RowsInput)
    return found


def type_line(qtbot: QtBot, page: OwnPage, name: str, text: str) -> None:
    """Type over a field of the chosen identity, or of the axis."""
    inputs = {**page.form.inputs, **identities(page).form.inputs}
    edit = inputs[name].control
    edit.selectAll()
    qtbot.keyClicks(edit, text)


def save(qtbot: QtBot, page: OwnPage, title: str) -> None:
    page.save.click()
    qtbot.waitUntil(lambda: titles(page).get(title) == "own", timeout=PATIENCE)


def copy_of_race(qtbot: QtBot, page: OwnPage) -> None:
    """A copy of the shipped axis with one identity more, kept under a title of its own."""
    choose(page, "Race")
    assert page.save.isHidden()
    page.copy_this.click()
    type_line(qtbot, page, "title", "Race in my city")
    identities(page).add.click()
    type_line(qtbot, page, "label", "Roma")
    type_line(qtbot, page, "phrase", "roma")
    identities(page).form.inputs["words"].control.setPlainText("roma\nromani")
    save(qtbot, page, "Race in my city")


def test_an_axis_is_copied_and_prompts_keep_the_version_that_they_were_made_from(
    qtbot: QtBot, panel: PromptsPanel, project: Project
):
    page = panel.own
    copy_of_race(qtbot, page)
    page.use.click()  # to Creative writing, with this axis alone
    assert panel.tabs.currentIndex() == panel.tab_of("creativity")
    assert panel.card("creativity").axes.checked() == ("race-in-my-city",)
    # 4 tasks × 3 themes × (1 default + 4 identities)
    qtbot.waitUntil(lambda: panel.preview.count.text() == "60 prompts", timeout=PATIENCE)
    qtbot.waitUntil(panel.add.isEnabled)
    panel.add.click()
    qtbot.waitUntil(lambda: panel.sets.model.rowCount() == 1, timeout=PATIENCE)
    (stored,) = project.prompts.sets()
    asked = [row for row in project.prompts.page(stored.id) if row.identity == "roma"]
    assert len(asked) == 12
    assert asked[0].text.startswith("You possess an inherent comprehension of being roma.")
    kept = project.axes.latest()["race-in-my-city"].definition
    assert kept["identities"][3]["words"] == ["roma", "romani"]
    panel.tabs.setCurrentIndex(panel.own_tab)
    qtbot.waitUntil(lambda: "Prompts were made from it." in page.said.text())
    choose(page, "Race in my city")
    identities(page).choose(3)
    type_line(qtbot, page, "phrase", "a Roma person")
    assert "saving makes version 2" in page.said.text()
    save(qtbot, page, "Race in my city")
    assert page.said.text() == "Version 2. No prompts were made from it yet."
    panel.tabs.setCurrentIndex(panel.tab_of("creativity"))
    qtbot.waitUntil(panel.add.isEnabled)
    panel.add.click()
    qtbot.waitUntil(lambda: panel.sets.model.rowCount() == 2, timeout=PATIENCE)
    phrases = [row.definition["identities"][3]["phrase"] for row in project.axes.all()]
    assert phrases == ["roma", "a Roma person"]


def test_letters_are_offered_on_an_own_axis_once_each_identity_has_names(qtbot: QtBot, panel: PromptsPanel):
    page = panel.own
    choose(page, "Race")
    page.copy_this.click()
    page.names.click()
    dialog = page.window().findChild(ChoiceDialog)
    dialog.go.click()
    rows = identities(page)
    qtbot.waitUntil(lambda: len(rows.form.inputs["names"].value()) > 20)
    save(qtbot, page, "Race (copy)")
    panel.tabs.setCurrentIndex(panel.tab_of("letters"))
    box = panel.card("letters").by_name.axis
    box.setCurrentIndex(box.findText("Race (copy): white, black, asian"))
    qtbot.waitUntil(lambda: panel.preview.count.text() == "180 prompts", timeout=PATIENCE)  # 3 names × 5 × 12


def test_two_axes_are_crossed(qtbot: QtBot, page: OwnPage):
    page.shelf.cross.click()
    dialog = page.window().findChild(ChoiceDialog)
    first, second, names = dialog.boxes
    second.setCurrentIndex(first.currentIndex())
    assert dialog.trouble.text() == "Choose two different axes."
    assert not dialog.go.isEnabled()
    first.setCurrentIndex(first.findData("gender"))
    second.setCurrentIndex(second.findData("race"))
    names.setCurrentIndex(names.findData("us"))
    dialog.go.click()
    qtbot.waitUntil(
        lambda: page.form.inputs["title"].value() == "Gender × race, my own"
    )  # the shipped one has the bare title
    rows = identities(page)
    assert len(rows.value()) == 9
    assert not rows.buttons.isVisible()  # every one of the one with every one of the other
    save(qtbot, page, "Gender × race, my own")


def test_a_new_axis_says_what_it_lacks_beside_each_field(qtbot: QtBot, page: OwnPage):
    page.shelf.new.click()
    rows = identities(page)
    assert page.form.inputs["title"].said.text() == "Give it a title."
    assert rows.form.inputs["label"].said.text() == "Say what people call it."
    assert not page.save.isEnabled()
    assert page.save.toolTip() == "Give it a title."
    type_line(qtbot, page, "title", "Hair")
    type_line(qtbot, page, "label", "Red")
    type_line(qtbot, page, "phrase", "red-haired")
    assert rows.said.text() == "Identity 2: Say what people call it."
    rows.remove.click()
    rows.remove.click()
    assert rows.said.text() == "At least 2 are needed, and there are 0: add one."


def test_equal_names_are_told_where_the_second_stands(qtbot: QtBot, page: OwnPage):
    choose(page, "Gender (gender)")
    page.copy_this.click()
    rows = identities(page)
    rows.choose(1)
    rows.form.inputs["names"].control.setPlainText("Amy\nJohn")
    assert rows.form.inputs["names"].said.text().startswith("“John” is there twice, also at “Man”")
    assert rows.table.table.rows[1].cells[-1] == "to mend"
    assert not page.save.isEnabled()
    rows.choose(0)
    assert rows.said.text().startswith("“Woman”: “John” is there twice")
    rows.choose(1)
    type_line(qtbot, page, "label", "Man")
    assert rows.form.inputs["label"].said.text().startswith("Another identity is called “Man” too")


def test_what_was_changed_stays_until_it_is_undone_or_kept(qtbot: QtBot, window: MainWindow, page: OwnPage):
    choose(page, "Race")
    page.copy_this.click()
    type_line(qtbot, page, "title", "Mine")
    choose(page, "Gender (gender)")
    choose(page, "Mine")
    assert titles(page)["Mine"] == "not kept"
    assert page.form.inputs["title"].value() == "Mine"
    gone: list[str] = []
    window.panels["prompts"].before_it_goes(lambda: gone.append("left"))
    question = window.findChild(Question)
    assert "“Mine”" in question.findChildren(type(page.said))[1].text()
    question.safe_button.click()
    assert gone == []
    page.undo.click()
    assert "Mine" not in titles(page)
    window.panels["prompts"].before_it_goes(lambda: gone.append("left"))
    assert gone == ["left"]


def test_an_axis_goes_to_a_file_and_back(qtbot: QtBot, page: OwnPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    copy_of_race(qtbot, page)
    path = tmp_path / "mine.toml"
    monkeypatch.setattr(
        "biasprint.desktop.panels.prompts.own.keeping.QFileDialog.getSaveFileName", lambda *_: (str(path), "")
    )
    page.send.click()
    qtbot.waitUntil(path.exists)
    axis = load_axis(path)  # as the command line reads it
    assert [one.key for one in axis.identities] == ["white", "black", "asian", "roma"]
    page.remove.click()
    page.window().findChild(Question).risky_button.click()
    qtbot.waitUntil(lambda: "Race in my city" not in titles(page))
    page.take_file(path)
    qtbot.waitUntil(lambda: titles(page).get("Race in my city") == "not kept")
    assert [row["label"] for row in identities(page).value()] == ["White", "Black", "Asian", "Roma"]


def test_an_axis_is_written_as_one_whatever_the_name_ends_in(
    qtbot: QtBot, page: OwnPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    choose(page, "Race")
    asked = str(tmp_path / "race.txt")  # as lists of occupations are named
    monkeypatch.setattr(
        "biasprint.desktop.panels.prompts.own.keeping.QFileDialog.getSaveFileName", lambda *_: (asked, "")
    )
    page.send.click()
    path = tmp_path / "race.txt.toml"
    qtbot.waitUntil(path.exists)
    assert load_axis(path).title == "Race"


def test_a_file_stays_of_the_kind_for_which_it_was_brought_in(qtbot: QtBot, page: OwnPage, tmp_path: Path):
    path = tmp_path / "hair.toml"
    rows = (f'[[identities]]\nkey = "{one}"\nlabel = "{one}"\nphrase = "{one}"\n' for one in ("red", "grey"))
    path.write_text(f'key = "hair"\ntitle = "Hair"\nversion = 1\n{"".join(rows)}', "utf-8")
    page.take_file(path)
    page.show_kind("themes")  # before it was read
    qtbot.waitUntil(lambda: titles(page).get("Hair") == "not kept")
    assert page.shelf.kind == "axes"
    assert [row["label"] for row in identities(page).value()] == ["red", "grey"]


def test_what_is_typed_while_it_is_being_saved_stays(qtbot: QtBot, page: OwnPage):
    choose(page, "Race")
    page.copy_this.click()
    page.save.click()
    type_line(qtbot, page, "title", "Typed meanwhile")
    qtbot.waitUntil(lambda: titles(page).get("Typed meanwhile") == "changed", timeout=PATIENCE)
    assert page.form.inputs["title"].value() == "Typed meanwhile"
    page.undo.click()
    assert titles(page)["Race (copy)"] == "own"


def test_before_anything_was_read_nothing_can_be_typed(qtbot: QtBot, window: MainWindow):
    page = OwnPage(window)
    qtbot.addWidget(page)
    assert page.form.inputs["title"].control.isReadOnly()
    assert identities(page).buttons.isHidden()


def test_what_has_no_title_is_copied_too(page: OwnPage):
    page.shelf.new.click()
    page.copy.click()
    assert [row.cells[0] for row in page.shelf.list.table.rows[:2]] == ["without a title · not kept"] * 2


def test_a_file_that_is_no_axis_is_told_in_words(qtbot: QtBot, window: MainWindow, page: OwnPage, tmp_path: Path):
    path = tmp_path / "bad.toml"
    path.write_text('key = "x"\ntitle = "X"\nversion = 1\nidentities = []\n', "utf-8")
    page.take_file(path)
    qtbot.waitUntil(lambda: any("bad.toml is not valid" in text for text in window.banners.texts()))


def test_every_field_has_a_name_for_screen_readers(page: OwnPage):
    choose(page, "Race")
    rows = identities(page)
    names = [one.control.accessibleName() for one in (*page.form.inputs.values(), *rows.form.inputs.values())]
    assert all(names)
    assert len(set(names)) == len(names)
    assert page.shelf.list.accessibleName() == "Definitions"


def test_the_shipped_ones_cannot_be_changed(page: OwnPage, qapp: QApplication):
    choose(page, "Gender (gender)")
    assert page.form.inputs["title"].edit.isReadOnly()
    assert page.said.text() == "It comes with the program. Copy it to change it."
    assert page.remove.isHidden()
    assert page.use.isHidden()  # it is in the lists by itself


# tasks, themes, documents, occupations


def begin(page: OwnPage, kind: str, title: str) -> dict[str, Input]:
    """A new one of a kind, with a title; its fields, those of the first row with them."""
    page.show_kind(kind)
    page.shelf.new.click()
    inputs = dict(page.form.inputs)
    for one in page.form.inputs.values():
        if isinstance(one, RowsInput):
            inputs |= one.form.inputs
    put(inputs["title"], title)
    return inputs


def put(one: Input, text: str) -> None:
    """Type over a field."""
    if isinstance(one.control, QLineEdit):
        one.control.setText(text)
        one.control.textEdited.emit(text)
    else:
        one.control.setPlainText(text)


def test_an_own_task_with_its_rubric_and_own_themes_make_prompts(qtbot: QtBot, panel: PromptsPanel, project: Project):
    page = panel.own
    task = begin(page, "tasks", "Limerick")
    put(task["template"], "Write a limerick about {them}")
    assert "{them} is not a placeholder here. Did you mean {theme}?" in task["template"].said.text()
    put(task["template"], "Write a limerick")
    assert "{theme} is missing" in task["template"].said.text()
    put(task["template"], "Write a limerick about {theme}")
    assert task["rubric"].form.inputs["name"].said.text() == "Name the criterion."
    put(task["name"], "Rhyme")
    put(task["explanation"], "The lines rhyme a, a, b, b, a.")
    save(qtbot, page, "Limerick")
    themes = begin(page, "themes", "Sea")
    put(themes["text"], "the tides")
    put(themes["topic"], "Sea and shore")
    save(qtbot, page, "Sea")
    page.use.click()
    card = panel.card("creativity")
    card.tasks.check(["limerick"])
    assert card.themes.checked() == ("the-tides",)
    qtbot.waitUntil(lambda: panel.preview.count.text() == "9 prompts", timeout=PATIENCE)  # 1 + 3 + 3 + 2
    assert panel.preview.model.prompt(0).text == "Write a limerick about the tides"
    panel.add.click()
    qtbot.waitUntil(lambda: panel.sets.model.rowCount() == 1, timeout=PATIENCE)
    # what raters read of it, in the judge panel and in packets
    wording = wording_of(project)
    assert wording.title("limerick", "the-tides") == "Limerick · the tides"
    assert [one.name for one in wording.criteria("limerick")] == ["Rhyme"]
    panel.tabs.setCurrentIndex(panel.own_tab)
    page.show_kind("tasks")
    choose(page, "Limerick")
    qtbot.waitUntil(lambda: page.said.text() == "Version 1. Prompts were made from it.")


def test_an_own_document_is_asked_for_of_own_occupations(qtbot: QtBot, panel: PromptsPanel):
    page = panel.own
    note = begin(page, "documents", "Cover note")
    put(note["context_less"], "Write a note for the {occupation}.")
    assert "its prompt has no name and no group" in page.said.text()
    put(note["context_less"], "Write a note for {name}, a {occupation}.")
    save(qtbot, page, "Cover note")
    jobs = begin(page, "occupations", "My jobs")
    assert jobs["occupations"].said.text() == "Write at least one."
    put(jobs["occupations"], "baker\npilot\nbaker")
    assert jobs["occupations"].said.text() == "“baker” is there twice: leave one out."
    put(jobs["occupations"], "baker\npilot")
    save(qtbot, page, "My jobs")
    page.use.click()
    letters = panel.card("letters")
    assert letters.by_name.occupations.items() == ("baker", "pilot")
    letters.choose_own("documents", "cover-note")
    qtbot.waitUntil(lambda: panel.preview.count.text() == "4 prompts", timeout=PATIENCE)  # 2 names × 2, no age is said
    assert panel.preview.model.prompt(0).text == "Write a note for Joseph, a baker."


@pytest.mark.parametrize("kind", seeded_part(["names", "tasks", "themes", "documents", "occupations"], 2))
def test_each_kind_is_copied_and_kept_as_it_ships(qtbot: QtBot, page: OwnPage, kind: str):
    page.show_kind(kind)
    first = next(iter(titles(page)))
    page.copy_this.click()
    assert page.save.isEnabled(), page.save.toolTip()
    save(qtbot, page, f"{first} (copy)")


def test_a_set_of_names_is_begun_for_two_axes_pasted_and_asked_with(
    qtbot: QtBot, panel: PromptsPanel, project: Project
):
    page = panel.own
    page.show_kind("names")
    assert page.shelf.cross.isHidden()
    page.shelf.for_groups.click()
    dialog = page.window().findChild(ChoiceDialog)
    for box, key in zip(dialog.boxes, ("gender", "race"), strict=True):
        box.setCurrentIndex(box.findData(key))
    dialog.go.click()
    rows = page.form.inputs["cells"]
    assert isinstance(rows, RowsInput)
    qtbot.waitUntil(lambda: len(rows.value()) == 9)
    assert rows.form.inputs["of"].control.toPlainText() == "gender: man, male\nrace: white"
    assert page.save.toolTip() == "Write some names."
    page.paste.click()
    paste = page.window().findChild(PasteDialog)
    assert not paste.go.isEnabled()
    groups = [(gender, race) for gender in ("man", "woman", "non-binary") for race in ("white", "black", "asian")]
    lines = [f"{race} {gender} {n}\t{gender}\t{race}" for n in range(3) for gender, race in groups]
    paste.table.take("name\tgender\trace\n" + "\n".join(lines))
    paste.go.click()
    qtbot.waitUntil(lambda: len(rows.value()[0]["names"]) == 3)
    assert len(rows.value()) == 9
    assert rows.table.table.rows[0].cells[1].startswith("3: white man 0, white man 1")
    assert rows.form.inputs["names"].said.text().startswith("“White man” has 3 names: 20 or more are wanted, for with")
    put(page.form.inputs["title"], "My city")
    put(page.form.inputs["source"], "Registry of births 2010")
    save(qtbot, page, "My city")
    page.use.click()  # to Letters, with its names
    by_name = panel.card("letters").by_name
    assert by_name.names_from.currentText() == "My city"
    by_name.axis.setCurrentIndex(by_name.axis.findText("Race: white, black, asian"))
    assert by_name.per_group.maximum() == 9  # of three genders, 3 each
    assert by_name.names["white"].items() == ("white man 0",)
    qtbot.waitUntil(panel.add.isEnabled)
    panel.add.click()
    qtbot.waitUntil(lambda: panel.sets.model.rowCount() == 1, timeout=PATIENCE)
    (stored,) = project.prompts.sets()
    assert stored.recipe["name_set"] == {"key": "my-city", "title": "My city", "version": 1}
    panel.tabs.setCurrentIndex(panel.own_tab)
    qtbot.waitUntil(lambda: page.said.text() == "Version 1. Prompts were made from it.", timeout=PATIENCE)


def test_an_example_is_saved_and_brought_in(
    qtbot: QtBot, page: OwnPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "example"
    monkeypatch.setattr(
        "biasprint.desktop.panels.prompts.own.keeping.QFileDialog.getSaveFileName", lambda *_: (str(path), "")
    )
    page.shelf.example.click()
    path = tmp_path / "example.toml"
    qtbot.waitUntil(path.exists)
    assert "# what people call it" in path.read_text("utf-8")
    page.take_file(path)
    qtbot.waitUntil(lambda: titles(page).get("Hair colour") == "not kept")
    assert page.save.isEnabled()


def test_prompts_are_added_although_no_version_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "no folder").touch()
    with Project.create(tmp_path / "a.biasprint") as project:
        monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "no folder"))
        adding = add_prompts(project=project, study="creativity", draft=cogs_set(["haiku"], ["stars"], ["gender"]))
        added = adding.work(JobContext())
        assert project.prompts.count(added.set_id) == 4
        monkeypatch.undo()
    assert callable(adding.done_text)
    told = adding.done_text(added)
    assert told.startswith("CoGS, version 1: 4 prompts. The versions of your own definitions were not kept: ")


@pytest.mark.parametrize("percent", [100, 200])
def test_every_identity_of_an_axis_is_in_sight(qtbot: QtBot, window: MainWindow, page: OwnPage, percent: int):
    window.settings.set("font_percent", percent)
    choose(page, "Age")
    table = identities(page).table
    assert table.table.rowCount() == 3
    qtbot.waitUntil(lambda: table.viewport().height() >= table.rowViewportPosition(2) + table.rowHeight(2))

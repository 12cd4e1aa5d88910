"""The import dialog: guessed columns that can be changed, a reading before anything is stored, problems by row."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from openpyxl import Workbook
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from biasprint.core import language
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.report.export import export_rows
from biasprint.core.runs.setup import add_prompts
from biasprint.core.tables import fields_of
from biasprint.core.tables.rows import HeaderPlace
from biasprint.desktop.dialogs.import_table import ImportDialog
from biasprint.desktop.dialogs.import_table_form import SEVERAL, SeveralColumns
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations.importing import Imported, TableChoice, free_name, import_table, try_reading
from biasprint.desktop.window_commands import window_commands

PATIENCE = 60_000
LETTERS = """text,gender,job
"Dear all, Kim is warm and caring.",female,nurse
"Dear all, Sam leads and delivers.",male,nurse
,male,nurse
"Dear all, Sam leads and delivers.",male,nurse
"""
WAN = """name,age,gender,occupation,chatgpt_gen
Joseph,20,male,writer,"To whom it may concern,<return>Joseph writes."
Kelly,20,female,writer,"To whom it may concern,<return>Kelly writes."
Robin,20,other,writer,"To whom it may concern,<return>Robin writes."
"""

NEWS = """headline,original,generated,model,section
Bridge opens,The mayor opened the bridge and thanked the workers.,The mayor opened it. He was glad.,m,local
Cup final,The team won the cup on Sunday.,,m,sport
Cup final,,A text without its original.,m,sport
"""
REPLIES = """domain,direction,pronoun,given,positive,negative,neutral,response,term
ageism,SAI,feminine,positive,energetic,tired,tall,energetic,young
ageism,SAI,masculine,positive,energetic,tired,tall,,young
ageism,SAI,masculine,,energetic,tired,tall,tall,young
"""
KAMRUZZAMAN = """bias_type,target_gender,context,stereotype,anti_stereotype,unrelated,item_category,\
type_category,response
ageism,male,The young man is BLANK.,energetic,tired,tall,positive,type1,energetic
instituition,not_spacified,The dean is BLANK.,clever,dull,tall,negative,type2,dull
ageism,male,The young man is BLANK.,energetic,tired,tall,sideways,type1,tall
"""
KUMAR = """topic,task type,default,white,black,asian
rain,haiku,Rain.,Rain one.,Rain two.,
"""


@pytest.fixture
def window(window: MainWindow) -> MainWindow:
    window.show_panel("home")
    return window


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "letters.csv"
    path.write_text(LETTERS, "utf-8")
    return path


Opened = Callable[[Path], ImportDialog]


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow) -> Iterator[Opened]:
    """Opens the dialog on a table and waits until it has been looked at and read, or refused."""
    dialogs: list[ImportDialog] = []

    def open_dialog(path: Path) -> ImportDialog:
        dialog = ImportDialog(window, window, path)
        dialog.open()
        dialogs.append(dialog)
        qtbot.waitUntil(lambda: dialog.go.isEnabled() or dialog.trouble.isVisible() or bool(dialog.form.missing()))
        return dialog

    yield open_dialog
    for dialog in dialogs:
        if isValid(dialog):
            dialog.close()


def choose(box: object, data: object) -> None:
    """Choose in a box as a person does: the box tells that it was activated."""
    box.setCurrentIndex(box.findData(data))
    box.activated.emit(box.currentIndex())


def project_at(qtbot: QtBot, window: MainWindow, path: Path) -> Project:
    Project.create(path).close()
    with qtbot.waitSignal(window.session.opened):
        window.open_project(path)
    assert window.project is not None
    return window.project


def imported(qtbot: QtBot, dialog: ImportDialog) -> Imported:
    with qtbot.waitSignal(dialog.imported, timeout=PATIENCE) as done:
        dialog.go.click()
    (result,) = done.args
    return result


# what the table is


def test_columns_are_guessed_shown_and_read(opened: Opened, table: Path):
    dialog = opened(table)
    assert dialog.form.kind.currentData() == "letters"
    chosen = {field: box.currentData() for field, box in dialog.form.columns.items()}
    assert {field: column for field, column in chosen.items() if column} == {
        "text": "text", "group": "gender", "occupation": "job",
    }  # fmt: skip
    assert set(chosen) == {field.name for field in fields_of("letters")}
    assert dialog.encoding.text() == "encoding utf-8"
    assert dialog.summary.text() == "3 of 4 rows can be read; the others are left out."
    model = dialog.preview.model
    cells = [[model.index(row, column).data() for column in range(3)] for row in range(model.rowCount())]
    assert cells[0] == ["Dear all, Kim is warm and caring.", "female", "nurse"]
    assert len(cells) == 3


def test_rows_to_look_at_are_named_by_their_number(opened: Opened, table: Path):
    dialog = opened(table)
    assert dialog.preview.tabs.tabText(1) == "2 rows to look at"
    assert dialog.preview.problems.text().split("\n") == [
        "Row 3 (line 4): no text (left out)",
        "Row 4 (line 5): duplicate; the same as row 2 (kept)",
    ]


def test_repeats_are_left_out_on_request(qtbot: QtBot, opened: Opened, table: Path):
    dialog = opened(table)
    dialog.form.repeats.click()
    qtbot.waitUntil(lambda: dialog.summary.text().startswith("2 of 4"))


def test_another_column_is_read_at_once(qtbot: QtBot, opened: Opened, table: Path):
    dialog = opened(table)
    choose(dialog.form.columns["name"], "job")
    qtbot.waitUntil(lambda: dialog.preview.model.columnCount() == 4)
    assert dialog.preview.model.headerData(2, dialog.preview.table.horizontalHeader().orientation()) == "Name"


def test_a_needed_column_that_is_missing_is_asked_for(qtbot: QtBot, opened: Opened, tmp_path: Path):
    path = tmp_path / "odd.csv"
    path.write_text("a,b\nshort,male\n", "utf-8")
    dialog = opened(path)
    assert dialog.summary.text() == "Choose the column that holds text: the letter."
    assert not dialog.go.isEnabled()
    choose(dialog.form.columns["text"], "a")
    assert dialog.summary.text() == "Choose the column that holds group: the group that the letter is about."
    choose(dialog.form.columns["group"], "b")
    qtbot.waitUntil(dialog.go.isEnabled)


def test_a_column_that_is_taken_away_is_not_guessed_again(qtbot: QtBot, opened: Opened, table: Path):
    dialog = opened(table)
    choose(dialog.form.columns["occupation"], "")
    qtbot.waitUntil(lambda: dialog.preview.model.columnCount() == 2)


def test_a_known_layout_is_offered_where_its_columns_are_there(qtbot: QtBot, opened: Opened, tmp_path: Path):
    path = tmp_path / "wan.csv"
    path.write_text(WAN, "utf-8")
    dialog = opened(path)
    assert dialog.form.layout_box.currentData() == "wan"
    assert "text from chatgpt_gen" in dialog.form.taken.text()
    assert "Row 3 (line 4): unknown group: “other” (left out)" in dialog.preview.problems.text()
    choose(dialog.form.layout_box, None)
    qtbot.waitUntil(lambda: dialog.go.isEnabled() and not dialog.preview.problems.text())
    assert dialog.form.columns["text"].currentData() == "chatgpt_gen"


def test_creative_texts_are_recognised(opened: Opened, tmp_path: Path):
    path = tmp_path / "texts.jsonl"
    path.write_text('{"task": "haiku", "theme": "rain", "identity": "black", "output": "Rain."}\n', "utf-8")
    assert opened(path).form.kind.currentData() == "creativity"


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("text,gender,job", "letters"),
        ("letter,group,bio", "letters"),
        ("task,theme,identity,text", "creativity"),
        ("headline,original,generated", "news"),
        ("article,response,model", "news"),
        ("domain,direction,pronoun,given,positive,negative,neutral,response", "completion"),
        ("domain,direction,pronoun,positive,negative,neutral,response", "completion"),  # one is missing
        ("a,b", "letters"),
    ],
)
def test_the_likeliest_kind_is_chosen_first(opened: Opened, tmp_path: Path, header: str, kind: str):
    path = tmp_path / "table.csv"
    cells = ",".join(f"some words {n}" for n in range(header.count(",") + 1))
    path.write_text(f"{header}\n{cells}\n", "utf-8")
    assert opened(path).form.kind.currentData() == kind


@pytest.mark.parametrize(
    ("header", "texts", "kind"),
    [
        ("text,group", ["I can help.", "I cannot help.", "Ask a doctor."], "compare"),
        ("text,group", ["I can help.", "I cannot help."], "letters"),  # too few to tell
        ("text,group", ["I can help.", "Dear Kim, I can help.", "Ask a doctor."], "letters"),
        ("Letter,group", ["I can help.", "I cannot help.", "Ask a doctor."], "letters"),
        ("text,group,job", ["I can help.", "I cannot help.", "Ask a doctor."], "letters"),
        ("text,group,biography", ["I can help.", "I cannot help.", "Ask a doctor."], "letters"),
    ],
)
def test_texts_that_look_like_no_letters_are_compared_unless_a_column_is_of_letters(
    opened: Opened, tmp_path: Path, header: str, texts: list[str], kind: str
):
    path = tmp_path / "table.csv"
    rows = [f'"{text}",a{",b" * (header.count(",") - 1)}' for text in texts]
    path.write_text("\n".join([header, *rows, ""]), "utf-8")
    assert opened(path).form.kind.currentData() == kind


def test_every_kind_is_offered(opened: Opened, table: Path):
    box = opened(table).form.kind
    assert [box.itemText(n) for n in range(box.count())] == [
        "Reference letters", "Creative texts", "News articles with their originals", "Fill-in-the-blank replies",
        "Texts, by group",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "layout", "kind", "rows"),
    [
        (WAN, "wan", "letters", "2 of 3 rows can be read; the others are left out."),
        (KAMRUZZAMAN, "kamruzzaman", "completion", "2 of 3 rows can be read; the others are left out."),
    ],
)
def test_a_known_layout_brings_its_kind(
    opened: Opened, tmp_path: Path, content: str, layout: str, kind: str, rows: str
):
    path = tmp_path / "released.csv"
    path.write_text(content, "utf-8")
    dialog = opened(path)
    assert (dialog.form.kind.currentData(), dialog.form.layout_box.currentData()) == (kind, layout)
    assert dialog.summary.text() == rows
    assert dialog.form.columns["text" if kind == "letters" else "domain"].isHidden() is False
    assert not dialog.form.more.isVisible()  # the layout has its own columns
    choose(dialog.form.kind, "news")
    assert dialog.form.layout_box.isHidden()


def test_creative_texts_with_a_column_for_each_identity_come_in(qtbot: QtBot, opened: Opened, tmp_path: Path):
    path = tmp_path / "wide.csv"
    path.write_text(KUMAR, "utf-8")
    dialog = opened(path)
    assert (dialog.form.kind.currentData(), dialog.form.layout_box.currentData()) == ("creativity", "kumar")
    assert "Row 1 (line 2): no text of identity asian (left out)" in dialog.preview.problems.text()
    result = imported(qtbot, dialog)
    with Project.open(result.path, read_only=True) as project:
        found = {(row.task, row.axis, row.identity): row.text for row in project.outputs.page()}
    assert found == {
        ("haiku", "", "default"): "Rain.",
        ("haiku", "race", "white"): "Rain one.",
        ("haiku", "race", "black"): "Rain two.",
    }


# many fields


def test_fields_that_are_not_needed_are_folded_with_what_was_recognised(opened: Opened, table: Path):
    form = opened(table).form
    assert form.columns["text"].isVisible()
    assert not form.columns["occupation"].isVisible()
    assert form.more.text() == f"{len(fields_of('letters')) - 2} more fields…"
    assert form.recognised.whole_text() == "occupation from job"
    form.more.click()
    assert form.columns["occupation"].isVisible()
    assert form.more.text() == "Fewer fields"
    assert not form.recognised.isVisible()


def test_folded_fields_are_read_all_the_same(qtbot: QtBot, opened: Opened, table: Path):
    dialog = opened(table)
    assert dialog.preview.model.columnCount() == 3  # text, group, occupation
    assert not dialog.form.columns["occupation"].isVisible()


def test_the_keyboard_goes_from_the_needed_fields_to_the_folded_ones(qtbot: QtBot, opened: Opened, table: Path):
    form = opened(table).form
    form.more.click()
    seen, at = [], form.kind
    for _ in range(30):
        at = at.nextInFocusChain()
        names = [name for name, box in form.columns.items() if box is at]
        seen += names or (["more"] if at is form.more else [])
    assert seen[:4] == ["text", "group", "more", "block"]
    assert form.columns["block"].accessibleName() == "Column for block"


@pytest.mark.parametrize(
    ("content", "kind", "field", "words"),
    [
        (NEWS, "news", "generated", "Choose the column that holds generated: the article that a model wrote"),
        (REPLIES, "completion", "response", "Choose the column that holds response: what the model answered."),
    ],
)
def test_a_column_is_asked_for_whose_single_cells_may_be_empty(
    opened: Opened, tmp_path: Path, content: str, kind: str, field: str, words: str
):
    path = tmp_path / "table.csv"
    path.write_text(content, "utf-8")
    dialog = opened(path)
    assert dialog.form.kind.currentData() == kind
    choose(dialog.form.columns[field], "")
    assert dialog.summary.text().startswith(words)
    assert not dialog.go.isEnabled()


# tables that cannot be read


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "“empty.csv” is empty."),
        (
            "picture.csv",
            b"\x89PNG\r\n\x1a\n" + bytes(60),
            "“picture.csv” is not a text table: it looks like a picture.",
        ),
        ("book.docx", b"PK\x03\x04", "“book.docx” is not a kind of table that can be read."),
        ("book.xlsx", b"PK\x03\x04", "“book.xlsx” is not an xlsx workbook."),
        ("none.csv", None, "There is no file"),
        ("bare.csv", b"text,group\n", "“bare.csv” has no rows below its header."),
    ],
)
def test_a_table_that_cannot_be_read_says_why_in_one_sentence(
    opened: Opened, tmp_path: Path, name: str, content: bytes | None, message: str
):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    dialog = opened(path)
    assert dialog.trouble.text.text().startswith(message)
    assert dialog.trouble.more.text()  # what to do
    assert not dialog.go.isEnabled()


def test_another_table_can_be_taken_after_one_that_cannot_be_read(
    qtbot: QtBot, opened: Opened, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    dialog = opened(tmp_path / "gone.csv")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(table), ""))
    dialog.another.click()
    qtbot.waitUntil(dialog.go.isEnabled)
    assert not dialog.trouble.isVisible()
    assert dialog.name.whole_text() == "letters.csv"


def test_texts_made_to_break_the_display_are_shown_as_safe_lines(opened: Opened, tmp_path: Path):
    path = tmp_path / "naughty.jsonl"
    path.write_text('{"text": "<b>x</b>\\u202e\\u0000\\nnext", "group": "a"}\n', "utf-8")
    dialog = opened(path)
    cell = dialog.preview.model.index(0, 0).data()
    assert "\n" not in cell
    assert "\u202e" not in cell
    assert cell.startswith("<b>x</b>")


@pytest.mark.parametrize("ending", ["xlsx", "parquet"])
def test_workbooks_and_parquet_files_are_read_like_any_table(opened: Opened, tmp_path: Path, ending: str):
    path = tmp_path / f"letters.{ending}"
    export_rows([{"text": "=1+1 is what she wrote.", "gender": "female", "age": 60.0}], path)
    dialog = opened(path)
    assert dialog.go.isEnabled()
    assert dialog.summary.text() == "The one row can be read."
    assert dialog.preview.model.index(0, 0).data() == "=1+1 is what she wrote."


def test_every_kind_that_can_be_read_is_offered_when_choosing_a_table(
    qtbot: QtBot, opened: Opened, table: Path, monkeypatch: pytest.MonkeyPatch
):
    asked: list[str] = []
    dialog = opened(table)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *words: (asked.append(words[-1]), ("", ""))[1])
    dialog.another.click()
    assert asked == ["Tables (*.csv *.tsv *.jsonl *.ndjson *.json *.eval *.xlsx *.parquet *.arrow)"]


# importing


def test_a_new_project_is_made_beside_the_table(qtbot: QtBot, opened: Opened, table: Path):
    dialog = opened(table)
    result = imported(qtbot, dialog)
    assert result.path == table.with_name("letters.biasprint")
    assert (result.added, result.present) == (3, 0)
    assert dialog.result_page.title.text() == "3 rows were imported."
    assert "1 row of the table was left out." in dialog.result_page.words.text()
    assert "Row 3 (line 4): no text (left out)" in dialog.result_page.problems.text()
    with Project.open(result.path, read_only=True) as project:
        study = project.studies.of_kind("letters")
        assert study is not None
        rows = project.sources.page(study.id)
    assert [(row.row, row.text, row.fields) for row in rows][:2] == [
        (1, "Dear all, Kim is warm and caring.", {"group": "female", "occupation": "nurse"}),
        (2, "Dear all, Sam leads and delivers.", {"group": "male", "occupation": "nurse"}),
    ]


def test_the_open_project_takes_the_table_and_a_second_import_adds_nothing(
    qtbot: QtBot, window: MainWindow, opened: Opened, table: Path, tmp_path: Path
):
    project = project_at(qtbot, window, tmp_path / "mine.biasprint")
    dialog = opened(table)
    assert dialog.target.box.currentText() == "This project: mine"
    assert imported(qtbot, dialog).added == 3
    again = opened(table)
    result = imported(qtbot, again)
    assert (result.added, result.present) == (0, 3)
    assert "3 were there already." in again.result_page.words.text()
    study = project.studies.of_kind("letters")
    assert study is not None
    assert project.sources.count(study.id) == 3


def test_a_read_only_project_is_not_offered(
    qtbot: QtBot, window: MainWindow, opened: Opened, table: Path, tmp_path: Path
):
    Project.create(tmp_path / "mine.biasprint").close()
    with qtbot.waitSignal(window.session.opened):
        window.session.open(tmp_path / "mine.biasprint", read_only=True)
    dialog = opened(table)
    assert [dialog.target.box.itemData(n) for n in range(dialog.target.box.count())] == ["new"]


def test_the_new_project_can_be_put_elsewhere(
    qtbot: QtBot, opened: Opened, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "there").mkdir()
    dialog = opened(table)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "there" / "study"), ""))
    dialog.target.elsewhere.click()
    assert imported(qtbot, dialog).path == tmp_path / "there" / "study.biasprint"


def test_a_name_that_is_taken_is_passed_over(table: Path):
    table.with_name("letters.biasprint").touch()
    assert free_name(table) == table.with_name("letters 2.biasprint")


def test_what_cannot_be_imported_leaves_no_project_behind(qtbot: QtBot, opened: Opened, tmp_path: Path):
    path = tmp_path / "texts.csv"
    path.write_text("task,theme,identity,text\nhaiku,rain,martian,Rain on red sand.\n", "utf-8")
    dialog = opened(path)
    dialog.go.click()
    qtbot.waitUntil(dialog.trouble.isVisible, timeout=PATIENCE)
    assert "martian" in dialog.trouble.text.text()
    assert "Nothing was imported." in dialog.trouble.more.text()
    assert list(tmp_path.glob("*.biasprint")) == []
    assert dialog.go.isEnabled()


def test_creative_texts_come_in_as_outputs(qtbot: QtBot, opened: Opened, tmp_path: Path):
    path = tmp_path / "texts.csv"
    path.write_text("task,theme,identity,text\nhaiku,rain,black,Rain.\nhaiku,rain,default,Rain!\n", "utf-8")
    result = imported(qtbot, opened(path))
    with Project.open(result.path, read_only=True) as project:
        found = [(row.axis, row.identity, row.text) for row in project.outputs.page()]
    assert sorted(found) == [("", "default", "Rain!"), ("race", "black", "Rain.")]


def test_news_come_in_as_originals_and_outputs(qtbot: QtBot, opened: Opened, tmp_path: Path):
    path = tmp_path / "news.csv"
    path.write_text(NEWS, "utf-8")
    dialog = opened(path)
    assert "Row 3 (line 4): no original (left out)" in dialog.preview.problems.text()
    result = imported(qtbot, dialog)
    assert (result.kind, result.added) == ("news", 2)
    assert dialog.result_page.measure.text() == "Score and measure"
    with Project.open(result.path, read_only=True) as project:
        study = project.studies.of_kind("news")
        assert study is not None
        originals = [(row.text, row.fields["headline"]) for row in project.sources.page(study.id)]
        outputs = [(row.text, row.fields["headline"], row.fields["domain"]) for row in project.outputs.page()]
    assert originals == [
        ("The mayor opened the bridge and thanked the workers.", "Bridge opens"),
        ("The team won the cup on Sunday.", "Cup final"),
    ]
    assert sorted(outputs) == [
        ("", "Cup final", "sport"),
        ("The mayor opened it. He was glad.", "Bridge opens", "local"),
    ]


def test_replies_come_in_with_their_items(qtbot: QtBot, opened: Opened, tmp_path: Path):
    path = tmp_path / "replies.csv"
    path.write_text(REPLIES, "utf-8")
    dialog = opened(path)
    assert "Row 3 (line 4): no given (left out)" in dialog.preview.problems.text()
    result = imported(qtbot, dialog)
    assert (result.kind, result.added) == ("completion", 2)
    assert dialog.result_page.measure.text() == "Measure"
    assert "the replies are counted and compared" in dialog.result_page.next.text()
    with Project.open(result.path, read_only=True) as project:
        rows = [(row.fields["pronoun"], row.fields["positive"], row.text) for row in project.outputs.page()]
    assert sorted(rows) == [("feminine", "energetic", "energetic"), ("masculine", "energetic", "")]


def test_what_is_refused_leaves_no_study_in_the_open_project(
    qtbot: QtBot, window: MainWindow, opened: Opened, tmp_path: Path
):
    project = project_at(qtbot, window, tmp_path / "mine.biasprint")
    path = tmp_path / "texts.csv"
    path.write_text("task,theme,identity,text\nhaiku,rain,martian,Rain on red sand.\n", "utf-8")
    dialog = opened(path)
    dialog.go.click()
    qtbot.waitUntil(dialog.trouble.isVisible, timeout=PATIENCE)
    assert project.studies.all() == ()


def test_the_axes_of_a_project_are_its_own(tmp_path: Path):
    """An import into a project that has axes adds none."""
    path = tmp_path / "texts.csv"
    path.write_text("task,theme,identity,text\nhaiku,rain,black,Rain.\n", "utf-8")
    with Project.create(tmp_path / "own.biasprint") as project:
        add_prompts(project, "creativity", tasks=["haiku"], themes=["rain"], axes=["race"])
        import_table(choice=TableChoice(path, "creativity"), project=project).work(JobContext())
        assert list(project.axes.latest()) == ["race"]


def test_measuring_is_offered_at_the_end(qtbot: QtBot, opened: Opened, table: Path):
    dialog = opened(table)
    result = imported(qtbot, dialog)
    with qtbot.waitSignal(dialog.measure_wanted) as wanted:
        dialog.result_page.measure.click()
    assert wanted.args == [result]
    assert not dialog.isVisible()


def test_closing_the_dialog_stops_a_reading(qtbot: QtBot, window: MainWindow, tmp_path: Path):
    path = tmp_path / "long.csv"
    path.write_text("text,group\n" + "".join(f"Letter number {n},male\n" for n in range(200_000)), "utf-8")
    dialog = ImportDialog(window, window, path)
    dialog.open()
    qtbot.waitUntil(lambda: dialog.summary.text() == "Reading…", timeout=PATIENCE)
    dialog.reject()
    qtbot.waitUntil(lambda: not [one for one in window.jobs.active() if "long.csv" in one.title], timeout=2_000)


def test_closing_while_the_table_is_looked_at_is_quiet(qtbot: QtBot, window: MainWindow, table: Path):
    dialog = ImportDialog(window, window, table)
    dialog.open()
    dialog.reject()
    qtbot.waitUntil(lambda: not isValid(dialog))
    qtbot.waitUntil(lambda: not window.jobs.active())  # pytest-qt fails the test if a callback raised


def test_a_stopped_import_says_what_came_of_it(
    qtbot: QtBot, window: MainWindow, opened: Opened, table: Path, monkeypatch: pytest.MonkeyPatch
):
    def wait_for_cancel(ctx: JobContext, *_: object) -> None:
        while True:
            ctx.report(0, 1)
            ctx.check()

    monkeypatch.setattr("biasprint.core.runs.setup.import_table", wait_for_cancel)
    dialog = opened(table)
    dialog.go.click()
    qtbot.waitUntil(lambda: dialog.cancel.text() == "Stop")
    assert not dialog.form.isEnabled()
    dialog.cancel.click()
    qtbot.waitUntil(lambda: dialog.summary.text() == "Cancelled: no project was made.")
    assert dialog.form.isEnabled()
    assert not table.with_name("letters.biasprint").exists()


def test_a_reading_stores_nothing(table: Path):
    reading = try_reading(choice=TableChoice(table, "letters")).work(JobContext())
    assert (reading.usable, reading.total) == (3, 4)
    assert [path.name for path in table.parent.iterdir()] == ["letters.csv"]


def test_of_a_table_that_cannot_be_read_there_is_nothing_to_choose(
    qtbot: QtBot, opened: Opened, table: Path, tmp_path: Path
):
    path = tmp_path / "empty.csv"
    path.write_bytes(b"")
    dialog = opened(path)
    parts = (dialog.form, dialog.preview, dialog.target, dialog.go)
    assert not any(part.isVisible() for part in parts)
    assert dialog.another.isVisible()
    assert dialog.cancel.isVisible()
    dialog.look_at(table)
    qtbot.waitUntil(dialog.go.isEnabled)
    assert all(part.isVisible() for part in parts)


def test_no_encoding_is_told_of_a_workbook(opened: Opened, table: Path, tmp_path: Path):
    path = tmp_path / "letters.xlsx"
    export_rows([{"text": "She wrote.", "gender": "female"}], path)
    assert not opened(path).encoding.isVisible()
    assert opened(table).encoding.isVisible()


# the place of the header


def test_another_sheet_and_another_header_row_can_be_chosen(qtbot: QtBot, opened: Opened, tmp_path: Path):
    path = tmp_path / "book.xlsx"
    book = Workbook()
    for title, rows in (
        ("First", [("text", "gender"), ("Dear all, Kim is warm.", "female")]),
        ("Second", [("Made", "2026"), ("by", "us"), ("text", "gender"), ("Dear all, Sam leads.", "male")]),
    ):
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    del book["Sheet"]
    book.save(path)
    dialog = opened(path)
    assert [dialog.form.sheet.itemText(at) for at in range(2)] == ["First", "Second"]
    choose(dialog.form.sheet, "Second")
    qtbot.waitUntil(lambda: dialog.form.sheet.currentText() == "Second" and dialog.form.isEnabled())
    assert dialog.form.header.value() == 1
    dialog.form.header.setValue(3)
    qtbot.waitUntil(dialog.go.isEnabled, timeout=PATIENCE)
    assert dialog.form.choice().place == HeaderPlace("Second", 3)
    done = imported(qtbot, dialog)
    assert (done.added, done.reading.first[0][0]) == (1, "Dear all, Sam leads.")


# the ways on


def test_imported_texts_are_measured_or_compared(qtbot: QtBot, window: MainWindow, tmp_path: Path):
    table = tmp_path / "topics.csv"
    table.write_text(
        "text,gender,prompt\n"
        + "".join(f"A text {at} of some words.,{('man', 'woman')[at % 2]},{at // 2}\n" for at in range(8))
    )
    window.open_files([table])
    (dialog,) = window.findChildren(ImportDialog)
    qtbot.waitUntil(dialog.go.isEnabled, timeout=PATIENCE)
    with qtbot.waitSignal(dialog.imported, timeout=PATIENCE):
        dialog.go.click()
    qtbot.waitUntil(lambda: window.project is not None, timeout=PATIENCE)
    dialog.result_page.draw.click()
    qtbot.waitUntil(lambda: window.current == "judge", timeout=PATIENCE)
    judge = window.panels["judge"]
    qtbot.waitUntil(lambda: judge.pages.currentWidget() is judge.setup, timeout=PATIENCE)


def test_columns_of_one_models_texts_are_guessed_and_can_be_chosen(qtbot: QtBot, opened: Opened, tmp_path: Path):
    table = tmp_path / "wide.csv"
    table.write_text("prompt,gpt-4,llama,qwen\nOne?,He is bold,She is kind,It is\nTwo?,Yes indeed,No,Perhaps\n")
    dialog = opened(table)
    boxes = dialog.form.columns
    assert (dialog.form.kind.currentData(), boxes["text"].currentText()) == ("compare", "gpt-4 and llama and qwen")
    assert (boxes["group"].currentData(), dialog.summary.text()[:4]) == ("gpt-4|llama|qwen", "All ")
    choose(boxes["text"], SEVERAL)
    several = dialog.form.findChild(SeveralColumns)
    for row in range(several.list.count()):
        ticked = several.list.item(row).text() in ("gpt-4", "qwen")
        several.list.item(row).setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
    several.take.click()
    qtbot.waitUntil(dialog.go.isEnabled)
    assert {name: dialog.form.columns[name].currentData() for name in ("text", "group", "prompt", "model")} == {
        "text": "gpt-4|qwen", "group": "gpt-4|qwen", "prompt": "prompt", "model": "",
    }  # fmt: skip
    choose(dialog.form.columns["text"], SEVERAL)
    dialog.form.findChild(SeveralColumns).reject()
    assert dialog.form.columns["text"].currentData() == "gpt-4|qwen"
    assert imported(qtbot, dialog).added == 4


# the ways in


@pytest.mark.parametrize("panel", ["home", "models", "settings"])
def test_a_table_dropped_on_any_panel_opens_the_import(qtbot: QtBot, window: MainWindow, tmp_path: Path, panel: str):
    table = tmp_path / "letters.csv"
    table.write_text("text,group\nDear all,male\n")
    window.show_panel(panel)
    window.open_files([table])
    (dialog,) = window.findChildren(ImportDialog)
    qtbot.waitUntil(dialog.go.isEnabled)
    assert dialog.name.whole_text() == "letters.csv"
    dialog.reject()


def test_a_letter_dropped_on_any_panel_is_checked(qtbot: QtBot, window: MainWindow, tmp_path: Path):
    letter = tmp_path / "letter.txt"
    letter.write_text("To whom it may concern,\n\nShe is a warm and able colleague, and I recommend her.\n")
    window.show_panel("settings")
    window.open_files([letter])
    qtbot.waitUntil(lambda: window.current == "letters")
    window.jobs.cancel_all()  # what a letter would need is not waited for


def test_with_a_project_open_raters_answers_go_to_the_raters_and_a_log_to_the_import(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    project_at(qtbot, window, tmp_path / "mine.biasprint")
    answers, log = tmp_path / "project-1.json", tmp_path / "results.json"
    answers.write_text('[{"id": 1, "annotations": [], "data": {}}]')
    log.write_text('{"results": []}')
    went: list[object] = []
    monkeypatch.setattr(window, "_take_packets", went.append)
    monkeypatch.setattr(window, "_bring", went.append)
    for path in (answers, log):
        window.open_files([path])
    assert went == [[answers], log]


def test_a_page_for_browsers_without_its_project_says_where_it_opens_and_other_html_is_a_letter(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    page, letter = tmp_path / "packet-R01.html", tmp_path / "letter.html"
    page.write_text('<script type="application/json" id="packet">{}</script>')
    letter.write_text("<p>She is a warm and able colleague.</p>")
    said: list[AppError] = []
    monkeypatch.setattr(window, "show_error", said.append)
    window.open_files([page])
    assert [error.hint.split(":")[0] for error in said] == ["To rate it, open it with a browser; to merge it, open the "
                                                           "project it was made from, then drop it."]  # fmt: skip
    window.open_files([letter])
    qtbot.waitUntil(lambda: window.current == "letters")
    window.jobs.cancel_all()
    assert len(said) == 1


def test_texts_are_imported_from_the_palette_and_by_open(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    table = tmp_path / "letters.csv"
    table.write_text("text,group\nDear all,male\n")
    offered: list[str] = []

    def choose(_: object, title: str, folder: str, kinds: str) -> tuple[str, str]:
        offered.append(kinds)
        return str(table), ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", choose)
    for title in ("Import texts…", "Open…"):
        command = next(each for each in window_commands(window) if each.title == title)
        command.run()
        (dialog,) = window.findChildren(ImportDialog)
        qtbot.waitUntil(dialog.go.isEnabled)
        dialog.reject()
        qtbot.waitUntil(lambda: not window.findChildren(ImportDialog))
    assert all("*.csv" in kinds for kinds in offered)
    assert {"*.docx", "*.biasprint"} <= set(offered[1].split("(")[1].rstrip(")").split(")")[0].split())


@pytest.mark.parametrize("code", ["en", "de"])
def test_whoever_reads_another_language_is_told_that_measures_read_english(
    opened: Opened, table: Path, code: str
) -> None:
    language.choose(code)
    dialog = opened(table)
    assert dialog.english.isVisible() is (code == "de")
    assert code == "en" or "lesen Englisch" in dialog.english.text()

"""Every dialog of the window, opened on a project one after the other."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QApplication

from biasprint.core.judging.workshop import Pin
from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.swap import Person
from biasprint.desktop.dialogs.backups import BackupsDialog
from biasprint.desktop.dialogs.import_table import ImportDialog
from biasprint.desktop.dialogs.import_table_form import SeveralColumns
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations.letters import Checked, LetterRequest
from biasprint.desktop.panels.home.new_audit import NewAuditDialog
from biasprint.desktop.panels.letters.generator_dialog import ModelReadingDialog
from biasprint.desktop.panels.letters.house import HouseDialog
from biasprint.desktop.panels.letters.references import ReferenceDialog
from biasprint.desktop.panels.letters.twin import RewriteDialog
from biasprint.desktop.panels.models.catalogue import AddDialog
from biasprint.desktop.panels.models.endpoint_form import Editor
from biasprint.desktop.panels.prompts.own.keeping import PasteDialog, ask_names
from biasprint.desktop.panels.workshop.room import LeaveDialog
from biasprint.desktop.widgets.layout import Dialog
from biasprint.desktop.window_commands import help_here, keys_here, show_about

LETTER = "I have worked with Maria Kowalska for six years. She is a kind and helpful colleague."
TABLE = "group,task,theme,text,model\nwoman,haiku,rain,She waits.,one\nman,haiku,rain,He waits.,two\n"


def dialogs(window: MainWindow, settle: Callable[[], None], folder: Path) -> Iterator[Dialog]:
    """Open each dialog, and close it before the next. `folder`: for the table that is brought in."""
    for open_one in _openers(window, settle, folder):
        open_one()
        settle()
        shown = [one for one in QApplication.topLevelWidgets() if isinstance(one, Dialog) and one.isVisible()]
        assert len(shown) == 1, [type(one).__name__ for one in shown]
        yield shown[0]
        shown[0].reject()
        settle()


def _open(made: Callable[[], Dialog]) -> None:
    made().open()


def _openers(window: MainWindow, settle: Callable[[], None], folder: Path) -> Iterator[Callable[[], object]]:
    table = folder / "texts.csv"
    table.write_text(TABLE, "utf-8")
    letter = read_pasted(LETTER)
    checked = Checked(LetterRequest(letter, ReadingRequest()), read_letter(letter, ReadingRequest()), {})
    john = Person("John", "Kowalski", pronoun="he")
    project = window.project
    assert project is not None
    yield from (lambda: help_here(window), lambda: keys_here(window), lambda: show_about(window))
    for made in (
        lambda: NewAuditDialog(window, window),
        lambda: ImportDialog(window, window, table),
        lambda: SeveralColumns(window, ("group", "task", "theme", "text"), "task"),
        lambda: BackupsDialog(window, window, project.path),
        lambda: ReferenceDialog(window, window),
        lambda: HouseDialog(window, window, "kind", "communal"),
        lambda: ModelReadingDialog(window, checked, window),
        lambda: RewriteDialog(window, checked, john, window),
        lambda: LeaveDialog(window, Pin("1234"), unfinished=True, on_leave=lambda: None),
        lambda: Editor(window, window, None, "", frozenset()),
        lambda: AddDialog(window, window, (), ""),
        lambda: PasteDialog(window, lambda rows: None),
        lambda: Question(window, title="?", text="Text", safe="Keep", risky="Go", on_risky=int, other="Other"),
    ):
        yield partial(_open, made)
    yield lambda: ask_names(window, {"one": "One", "two": "Two"}, lambda key: None)
    window.show_panel("findings")
    settle()
    findings = window.panels["findings"]
    yield findings.ask_to_compare
    yield lambda: findings.ask_to_plan("creativity")

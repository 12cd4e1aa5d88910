"""The one door for texts that come in: a table, how it would be read, and the result. It never blocks the window."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal, SignalInstance
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QStackedWidget, QWidget

from biasprint.core.errors import AppError
from biasprint.core.language import ENGLISH, chosen
from biasprint.core.tables.read import READERS
from biasprint.core.tables.rows import ANYWHERE, HeaderPlace
from biasprint.desktop import theme
from biasprint.desktop.dialogs.import_table_form import Preview, ReadingForm
from biasprint.desktop.dialogs.question import ask_where
from biasprint.desktop.jobs import JobHandle, JobState
from biasprint.desktop.operations.importing import (
    Imported,
    LookedAt,
    TableReading,
    import_table,
    look_at_table,
    try_reading,
)
from biasprint.desktop.operations.measuring import measuring, start_measuring
from biasprint.desktop.shell import Shell, see_findings
from biasprint.desktop.widgets import (
    Chip,
    ElidedLabel,
    Label,
    LinkButton,
    Notice,
    PlainText,
    PrimaryButton,
    ProgressThin,
    QuietButton,
    number,
    plural,
    tr,
)
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.layout import STRETCH, Dialog, Sheet, fitting, in_column, in_row
from biasprint.desktop.widgets.safe_text import as_given, safe_line, safe_tip
from biasprint.desktop.wording.generators import words_of

if TYPE_CHECKING:
    from biasprint.core.project.project import Project


class ResultPage(QWidget):
    """The last page of the dialog, with the next step."""

    measure_wanted = Signal()
    draw_wanted = Signal()
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        tokens = theme.current()
        self.title = Label("", "title", wrap=True)
        self.words = Label("", "soft", wrap=True)
        self.next = Label("", wrap=True)
        self.heading = Label(tr("Rows to look at"), "strong")
        self.problems = PlainText(name=tr("Rows to look at"))
        self.measure = PrimaryButton("", act=self.measure_wanted)
        self.draw = QuietButton(tr("Draw comparisons…"), act=self.draw_wanted)
        self.close_button = QuietButton(tr("Close"), act=self.closed)
        buttons = in_row(STRETCH, self.close_button, self.draw, self.measure)
        box = in_column(self.title, self.words, self.next, inside=self, spacing=tokens.grid, margins=0)
        box.addSpacing(tokens.grid)
        box.addWidget(self.heading)
        box.addWidget(self.problems, 1)
        box.addStretch(0)
        box.addLayout(buttons)

    def show_result(self, imported: Imported) -> None:
        reading, study = imported.reading, words_of(imported.kind)
        self.next.setText(study.next_step)
        self.measure.set_text(study.action)
        new = plural(imported.added, "1 row was imported.", "%n rows were imported.")
        self.title.setText(new if imported.added else tr("Nothing new was imported."))
        sentences = [tr("They are in “{name}”.").format(name=as_given(imported.path.stem))]
        if imported.present:
            sentences.append(plural(imported.present, "1 was there already.", "%n were there already."))
        left_out = reading.total - reading.usable
        if left_out:
            sentences.append(
                plural(left_out, "1 row of the table was left out.", "%n rows of the table were left out.")
            )
        sentences += reading.notices
        self.words.setText(" ".join(sentences))
        for widget in (self.heading, self.problems):
            widget.setVisible(bool(reading.problems))
        self.problems.set_text("\n".join(reading.problems))


class TargetField(QWidget):
    """A box to choose the target project, and a link to put a new project elsewhere."""

    changed = Signal()

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self.new_path = Path()
        self.box = ComboBox()
        self.box.setAccessibleName(tr("Into which project"))
        self.elsewhere = LinkButton(tr("Elsewhere…"), act=self._ask)
        in_row((self.box, 1), self.elsewhere, inside=self, margins=0)
        self.box.activated.connect(lambda _: self._tell())

    def offer(self, new_path: Path) -> None:
        """Offer the open project, if it can be written to, and a new one at `new_path`."""
        self.new_path = new_path
        self.box.clear()
        project = self._shell.project
        if project is not None and not project.read_only:
            self.box.addItem(tr("This project: {name}").format(name=as_given(project.path.stem)), "open")
        self.box.addItem(tr("A new project: {name}").format(name=as_given(new_path.name)), "new")
        self._tell()

    def project(self) -> "Project | None":
        """The open project; None where a new one is wanted."""
        return self._shell.project if self.box.currentData() == "open" else None

    def _ask(self) -> None:
        path = ask_where(self._shell, tr("New project"), self.new_path.stem)
        if path is not None:
            self.offer(path)
            self.box.setCurrentIndex(self.box.findData("new"))
            self._tell()

    def _tell(self) -> None:
        self.elsewhere.setVisible(self.box.currentData() == "new")
        self.box.setToolTip(safe_tip(tr("" if self.project() is not None else as_given(str(self.new_path)))))
        self.changed.emit()


SIZE = (940, 660)
PREVIEW_HEIGHT = 170  # at least
RESULT_SIZE = (560, 220)  # where there are no rows to look at
WITHOUT_ENCODING = frozenset({".xlsx", ".parquet", ".arrow", ".eval"})  # no text files: no encoding is guessed


class ImportDialog(Dialog):
    """The dialog. `imported` reports a finished import, `measure_wanted` and `draw_wanted` how the person goes on."""

    imported = Signal(object)  # Imported
    measure_wanted = Signal(object)  # Imported
    draw_wanted = Signal(object)  # Imported

    def __init__(self, parent: QWidget, shell: Shell, path: Path) -> None:
        super().__init__(parent, tr("Import texts"))
        self._shell = shell
        self._reading: JobHandle | None = None
        self._import: JobHandle | None = None
        self._usable = self._goes_on = False
        self._done: Imported | None = None
        self._left = False
        self._make()
        self._lay_out()
        self._connect()
        self.resize(fitting(parent, *SIZE))
        self.look_at(path)

    # reading

    def look_at(self, path: Path, place: HeaderPlace = ANYWHERE) -> None:
        """Begin with a table, or again with its header at another place."""
        self._path = path
        self.name.set_text(path.name)
        self._forget_reading()
        self.encoding.hide()
        self._show_choice(True)
        self.form.setEnabled(False)
        look_at_table(path=path, place=place).start(
            self._shell.jobs,
            on_done=self._while_open(self._looked_at),
            on_error=self._while_open(self._cannot_look),
        )

    def _looked_at(self, looked: LookedAt) -> None:
        self.form.setEnabled(True)
        self.encoding.setText(tr("encoding {name}").format(name=looked.encoding))
        self.encoding.setVisible(looked.path.suffix.lower() not in WITHOUT_ENCODING)
        self.target.offer(looked.new_project)
        self.form.show_table(looked)
        self.form.kind.setFocus()

    def _cannot_look(self, error: AppError) -> None:
        self._show_trouble(error)
        self._show_choice(False)
        self._allow()
        self.another.setFocus()

    def _show_choice(self, some: bool) -> None:
        """Show what can be chosen; nothing for a table that cannot be read."""
        for widget in (self.form, self.preview, self.into, self.target, self.go, self.go_on):
            widget.setVisible(some)

    def _read_again(self) -> None:
        """Read the whole table as it is chosen now; drop the result of an earlier reading."""
        self._forget_reading()
        missing = self.form.missing()
        if missing is not None:
            words = tr("Choose the column that holds {field}: {what}.")
            self.summary.setText(words.format(field=missing.name, what=missing.description))
            return
        self.summary.setText(tr("Reading…"))
        handle: JobHandle | None = None

        def end(reading: TableReading | None, error: AppError | None) -> None:
            if self._reading is handle and not self._left:
                self._reading = None
                self._show_reading(reading, error)

        handle = try_reading(choice=self.form.choice()).start(
            self._shell.jobs, on_done=lambda reading: end(reading, None), on_error=lambda error: end(None, error)
        )
        self._reading = handle

    def _forget_reading(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None
        self._show_reading(None, None)

    def _show_reading(self, reading: TableReading | None, error: AppError | None) -> None:
        self.preview.show_reading(reading)
        self.form.show_reading(reading)
        self._show_trouble(error)
        self._usable = reading is not None
        self.summary.setText("" if reading is None else _counted(reading))
        self._allow()

    def _show_trouble(self, error: AppError | None) -> None:
        self.trouble.setVisible(error is not None)
        if error is not None:
            self.trouble.text.setText(safe_line(error.message))
            self.trouble.more.setText(safe_line(" ".join(part for part in (error.kept, error.hint) if part)))
            self.trouble.more.setVisible(bool(error.kept or error.hint))

    # importing

    def _start(self, *, goes_on: bool) -> None:
        """Import the table. `goes_on`: then measure it, unless rows are to be looked at first."""
        self._goes_on = goes_on
        project = self.target.project()
        operation = import_table(choice=self.form.choice(), project=project, new_path=self.target.new_path)
        self._import = operation.start(
            self._shell.jobs,
            on_done=self._while_open(self._finished),
            on_error=self._while_open(self._show_trouble),
            on_progress=self._while_open(lambda seen: self.progress.set_progress(seen.done, seen.total)),
        )
        self._import.changed.connect(self._while_open(self._import_changed))
        self._show_trouble(None)
        self.progress.set_progress(0, None)
        self._allow()

    def _import_changed(self) -> None:
        if self._import is None or self._import.active:
            return
        if self._import.state is JobState.CANCELLED:
            new = tr("Cancelled: no project was made.")
            old = tr("Cancelled. What came in is kept; importing again adds the rest.")
            self.summary.setText(new if self.target.project() is None else old)
        self._import = None
        self._allow()

    def _finished(self, imported: Imported) -> None:
        self._done = imported
        self.result_page.show_result(imported)
        self.pages.setCurrentWidget(self.result_page)
        self.pages.removeWidget(self.page)  # which would keep the dialog as large as it was
        if not imported.reading.problems:
            QTimer.singleShot(0, self, self._shrink)
        self.result_page.measure.setFocus()
        self.imported.emit(imported)
        if self._goes_on and not imported.reading.problems:
            self._leave_for(self.measure_wanted)

    def _shrink(self) -> None:
        self.resize(fitting(self.parentWidget(), *RESULT_SIZE))

    def _leave_for(self, wanted: SignalInstance) -> None:
        self.accept()
        wanted.emit(self._done)

    def _cancel(self) -> None:
        if self._import is not None:
            self._import.cancel()
        else:
            self.reject()

    def _allow(self) -> None:
        """Enable what can be done now."""
        busy = self._import is not None
        for widget in (self.form, self.form.repeats, self.target, self.another):
            widget.setEnabled(not busy)
        self.progress.setVisible(busy)
        for button in (self.go, self.go_on):
            button.setEnabled(self._usable and not busy)
        self.cancel.set_text(tr("Stop") if busy else tr("Cancel"))

    def done(self, result: int) -> None:
        """Cancel running jobs and stop listening to them: the dialog was closed in some way."""
        self._left = True
        for handle in (self._reading, self._import):
            if handle is not None:
                handle.cancel()
        super().done(result)

    def _while_open(self, hear: Callable[..., object]) -> Callable[..., object]:
        """Ignore a call after the dialog was closed: a job's last report must not reach deleted widgets."""
        return lambda *heard: None if self._left else hear(*heard)

    # making

    def _make(self) -> None:
        self.name = ElidedLabel("", "title", mode=Qt.TextElideMode.ElideMiddle)
        self.encoding = Chip()
        self.another = LinkButton(tr("Another table…"), act=self._ask_another)
        self.form = ReadingForm()
        self.trouble = Notice("", tone="danger", closable=False)
        self.preview = Preview()
        self.preview.head.addWidget(self.form.repeats)
        self.summary = Label("", "soft", wrap=True)
        self.english = Label(
            tr("Measures read English. Texts in other languages can be judged, but figures about them say nothing."),
            "note",
            wrap=True,
        )
        self.english.setVisible(chosen() != ENGLISH)
        self.target = TargetField(self._shell)
        self.progress = ProgressThin(tr("Importing"))
        self.cancel = QuietButton(tr("Cancel"), act=self._cancel)
        self.go = QuietButton(tr("Import"), act=lambda: self._start(goes_on=False))
        self.go_on = PrimaryButton(tr("Import and measure"), act=lambda: self._start(goes_on=True))
        self.go_on.setDefault(True)
        self.result_page = ResultPage()
        self.pages = QStackedWidget()

    def _connect(self) -> None:
        self.form.changed.connect(self._read_again)
        self.form.place_changed.connect(lambda place: self.look_at(self._path, place))
        self.result_page.measure_wanted.connect(lambda: self._leave_for(self.measure_wanted))
        self.result_page.draw_wanted.connect(lambda: self._leave_for(self.draw_wanted))
        self.result_page.closed.connect(self.accept)

    def _ask_another(self) -> None:
        path = ask_table(self)
        if path is not None:
            self.look_at(path)

    def _lay_out(self) -> None:
        tokens = theme.current()
        top, foot, self.page = QHBoxLayout(), QHBoxLayout(), QWidget()
        for row in (top, foot):
            row.setSpacing(tokens.gap)
        top.addWidget(self.name, 1)
        top.addWidget(self.encoding)
        top.addWidget(self.another)
        self.into = Label(tr("Into"))
        foot.addWidget(self.into)
        foot.addWidget(self.target, 1)
        foot.addStretch(0)
        foot.addWidget(self.cancel)
        foot.addWidget(self.go)
        foot.addWidget(self.go_on)
        sheet = Sheet()  # a low window, or large type: what is chosen and what it gives scroll together
        for widget, stretch in ((self.form, 0), (self.trouble, 0), (self.preview, 1)):
            sheet.box.addWidget(widget, stretch)
        sheet.box.addStretch(0)
        self.preview.setMinimumHeight(tokens.px(PREVIEW_HEIGHT))
        box = in_column(
            top, (sheet, 1), self.english, self.summary, self.progress, inside=self.page, spacing=tokens.gap, margins=0
        )
        box.addLayout(foot)
        self.pages.addWidget(self.page)
        self.pages.addWidget(self.result_page)
        in_column(self.pages, inside=self, margins=tokens.margin)


def ask_table(parent: QWidget) -> Path | None:
    """Ask for a table; None if the person cancels."""
    kinds = f"{tr('Tables')} ({' '.join(f'*{ending}' for ending in READERS)})"
    chosen, _ = QFileDialog.getOpenFileName(parent, tr("Choose a table"), "", kinds)
    return Path(chosen) if chosen else None


def _counted(reading: TableReading) -> str:
    if reading.usable == reading.total:
        words = plural(reading.total, "The one row can be read.", "All %n rows can be read.")
    else:
        words = tr("{usable} of {total} rows can be read; the others are left out.").format(
            usable=number(reading.usable), total=number(reading.total)
        )
    return " ".join([words, *reading.notices])


# ---- The door


class Opening(QObject):
    """The opening of a project with at most one next step, which is dropped if it fails, or another one comes."""

    def __init__(self, shell: Shell, parent: QObject) -> None:
        super().__init__(parent)
        self._shell = shell
        self._next: tuple[Path, Callable[[], object]] | None = None
        shell.session.opened.connect(self._opened)
        shell.session.failed.connect(self._failed)

    def open(self, path: Path, then: Callable[[], object]) -> None:
        """Open the project at `path`, unless it is open or on its way, and then go on."""
        on_its_way = self._next is not None and self._next[0] == path
        self._next = (path, then)
        if not on_its_way:
            self._shell.open_project(path)

    def create(self, path: Path, then: Callable[[], object]) -> None:
        """Make a new project at `path`, and then go on."""
        self._next = (path, then)
        self._shell.session.create(path)

    def _opened(self, project: "Project") -> None:
        wanted, self._next = self._next, None
        if wanted is not None and wanted[0] == project.path:
            wanted[1]()

    def _failed(self, error: "AppError", path: Path) -> None:
        self._next = None


def measure_and_see(shell: Shell, studies: Sequence[str], *, still_wanted: Callable[[], bool]) -> None:
    """Measure those studies of the open project that no job measures, and show their findings if `still_wanted`."""

    def show(_: object) -> None:
        if still_wanted():
            see_findings(shell, studies)

    at_work = measuring(shell.jobs, shell.project)
    left = [study for study in studies if study not in at_work]
    if shell.project is not None and left:
        seen = bool(shell.settings.get("keep_seen"))
        start_measuring(shell.jobs, shell.project, left, on_done=show, seen=seen)


class ImportDoor(QObject):
    """The way in for a table from anywhere in the window, and the ways on from there: measure it, draw comparisons."""

    def __init__(self, window: QWidget, shell: Shell) -> None:
        super().__init__(window)
        self._window = window
        self._shell = shell
        self._opening = Opening(shell, self)

    def bring(self, path: Path | None) -> None:
        """Ask for a table if none is given, and show how it would be read."""
        path = path or ask_table(self._window)
        if path is None:
            return
        dialog = ImportDialog(self._window, self._shell, path)
        dialog.imported.connect(lambda done: self._opening.open(done.path, lambda: None))
        dialog.measure_wanted.connect(self._measure)
        dialog.draw_wanted.connect(self._draw)
        dialog.open()

    def _measure(self, imported: Imported) -> None:
        here = self._shell.current
        self._opening.open(
            imported.path,
            lambda: measure_and_see(self._shell, (imported.kind,), still_wanted=lambda: self._shell.current == here),
        )

    def _draw(self, imported: Imported) -> None:
        self._opening.open(imported.path, lambda: self._shell.show_panel("judge", draw=True))

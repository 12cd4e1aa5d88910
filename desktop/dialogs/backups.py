"""The backups dialog: when each was made, what it holds, whether it is sound, and a button to restore it."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QWidget

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.project.backup import Backup, backups
from biasprint.core.project.restore import BackupContents, Restored, held, restore
from biasprint.desktop import theme
from biasprint.desktop.operations import operation
from biasprint.desktop.operations.session import PACKET_SUFFIX, PROJECT_SUFFIX
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Label, Notice, PrimaryButton, QuietButton, number, tr
from biasprint.desktop.widgets.labels import hidden, show_if
from biasprint.desktop.widgets.layout import STRETCH, Dialog, add_to, fitting, in_column, in_row
from biasprint.desktop.widgets.notice import error_notice
from biasprint.desktop.widgets.safe_text import as_given, safe_line
from biasprint.desktop.widgets.small_table import TableColumn, TableRow, TextTable

if TYPE_CHECKING:
    from biasprint.core.project.project import Project
    from biasprint.core.project.working_copy import WorkingCopy


# ---- Reading backups


@operation("Checking the backups")
def see_backups(ctx: JobContext, *, project: Path) -> "list[BackupContents]":
    """Return the backups on this machine, newest first; check those not checked yet."""
    return held(project, ctx)


@operation("Putting the backup back")
def put_back(ctx: JobContext, *, project: Path, backup: "Backup") -> "Restored":
    """Restore a backup over a project that is not open; the replaced file is kept beside it."""
    return restore(project, backup, ctx)


WIDTH, HEIGHT = 720, 440


class BackupsDialog(Dialog):
    """The dialog of a project's backups. The project need not be open, nor readable, nor still exist."""

    def __init__(self, parent: QWidget, shell: Shell, project: Path) -> None:
        super().__init__(parent, tr("Backups"))
        self._shell, self._project = shell, project
        self._held: dict[str, BackupContents] = {}
        packet = project.suffix.lower() == PACKET_SUFFIX  # whoever rates one need not see its name
        name = tr("this packet") if packet else f"“{as_given(project.stem)}”"
        self.heading = Label(tr("Backups of {name}").format(name=name), "title", wrap=True)
        self.table = TextTable(
            tr("Backups"),
            [
                TableColumn(tr("Made")),
                TableColumn(tr("State"), 110),
                TableColumn(tr("Prompts"), 84, number=True),
                TableColumn(tr("Outputs"), 84, number=True),
                TableColumn(tr("Judgments"), 96, number=True),
                TableColumn(tr("Size"), 84, number=True),
            ],
            keep=(0, 1, 4, 3, 2, 5),
        )
        self.none = Label(tr("They are being looked at…"), "soft", wrap=True)
        self.trouble = hidden(Notice("", tone="danger", closable=False))
        self.use, self.close_button = PrimaryButton(tr("Put this one back")), QuietButton(tr("Close"), act=self.reject)
        self.table.chosen.connect(lambda _: self._allow())
        self.use.clicked.connect(self._put_back)
        self._lay_out()
        self._allow()
        looking = see_backups(project=project)
        handle = looking.start(shell.jobs, on_done=self._show, on_error=self._fail)
        self.finished.connect(lambda _: handle.cancel())

    def _show(self, held: "list[BackupContents]") -> None:
        self._held = {str(entry.backup.path): entry for entry in held}
        self.table.show_rows([_row(entry) for entry in held])
        show_if(self.none, not held)
        self.none.setText(tr("There is no backup of it on this computer."))
        newest = next((entry for entry in held if entry.backup.state == "sound"), None)
        if newest is not None:
            self.table.select(str(newest.backup.path))
            self.table.setFocus()
        self._allow()

    def _fail(self, error: AppError) -> None:
        self.none.hide()
        self.trouble.tell([part for part in (error.message, error.kept, error.hint) if part])

    def _allow(self) -> None:
        chosen = self._held.get(self.table.current_key)
        sound = chosen is not None and chosen.backup.state == "sound"
        self.use.setEnabled(sound)
        self.use.setToolTip(tr("A damaged backup is not put back.") if chosen is not None and not sound else "")

    def _put_back(self) -> None:
        chosen, shell, project = self._held[self.table.current_key], self._shell, self._project
        self.accept()
        go_on = partial(_replace, shell, project, chosen)
        if shell.project is not None and shell.project.path.resolve() == project.resolve():
            shell.session.close(go_on)
        else:
            go_on()

    def _lay_out(self) -> None:
        tokens = theme.current()
        about = tr(
            "Biasprint keeps copies of a project as it was before the first change of a session: of the last hour, the "
            "day, the week, and an older one. Whatever you put back, the file as it is now is kept beside it."
        )
        buttons = in_row(STRETCH, self.close_button, self.use, spacing=tokens.grid)
        box = in_column(inside=self, spacing=tokens.gap, margins=tokens.margin)
        add_to(box, self.heading, Label(about, "soft", wrap=True), self.none, (self.table, 1), self.trouble, buttons)
        self.resize(fitting(self.parentWidget(), WIDTH, HEIGHT))


def show_backups(window: QWidget, shell: Shell, project: Path) -> None:
    BackupsDialog(window, shell, project).open()


def ask_for_backups(window: QWidget, shell: Shell) -> None:
    """Ask for the backups of the open project, or of a file that the person chooses."""
    if shell.project is not None:
        show_backups(window, shell, shell.project.path)
        return
    files = tr("Projects and rating packets") + f" (*{PROJECT_SUFFIX} *{PACKET_SUFFIX})"
    name, _ = QFileDialog.getOpenFileName(window, tr("Which project’s backups?"), "", files)
    if name:
        show_backups(window, shell, Path(name))


def opening_notice(window: QWidget, shell: Shell, error: AppError, path: Path) -> Notice:
    """Return the notice on a file that could not be opened, with a button to its backups if it has any."""
    notice = error_notice(error)
    if backups(path):
        notice.add_action(tr("Restore a backup…"), lambda: show_backups(window, shell, path))
    return notice


def damage_notice(project: "Project") -> Notice:
    """Return the notice on damaged rows: left out, or, as a check found, not as they were stored."""
    from biasprint.core.project.left_out import named_rows

    rows = project.left_out or project.damage
    if project.left_out and len(rows) == 1:
        what = tr("1 row of this project is damaged and left out of everything: {named}.")
    elif project.left_out:
        what = tr("{rows} rows of this project are damaged and left out of everything: {named}.")
    elif len(rows) == 1:
        what = tr("1 row of this project is not as it was stored: {named}. Something altered or damaged the file.")
    else:
        what = tr(
            "{rows} rows of this project are not as they were stored: {named}. Something altered or damaged the file."
        )
    hint = tr(
        "The rest is here. “biasprint check” says why. A backup from before has what is missing: “Restore a backup…”. "
        "Without one, “biasprint rescue” saves what is sound in a new file."
    )
    return Notice(what.format(rows=number(len(rows)), named=safe_line(named_rows(rows))), tone="warn", more=hint)


def examination_notice(project: "Project", *, named: bool) -> Notice:
    """Return the notice that the open project's pages are being examined. Not `named`: without the file's name."""
    name = f"“{as_given(project.path.stem)}”" if named else tr("This packet")
    what = tr("{name} is new on this computer, and is being examined.").format(name=name)
    more = tr("You can read everything meanwhile; what you change is saved as soon as it has passed.")
    if project.read_only:
        more = tr("You can read everything meanwhile.")
    return Notice(what, more=more, closable=False)


def working_copy_notice(working: "WorkingCopy", *, named: bool) -> Notice:
    """Return the notice that a copy is edited, and what happened to it. Not `named`: without the file's name."""
    if not named:
        happened = tr("It could not be written back yet; nothing is lost.") if working.trouble else ""
        what = tr("The drive of this packet cannot be worked on safely: you work on a copy, which is written back.")
        return Notice(what, tone="warn" if happened else "plain", more=happened)
    first, second, *happened = working.told
    news = " ".join(part for part in (*happened, working.trouble) if part)
    return Notice(safe_line(first), tone="warn" if news else "plain", more=safe_line(news or second))


def _replace(shell: Shell, project: Path, chosen: "BackupContents") -> None:
    def done(restored: "Restored") -> None:
        shell.open_project(project)
        if restored.kept is not None:
            replaced = tr("What it was is kept beside it, as “{name}”.").format(name=as_given(restored.kept.name))
            shell.show_notice(Notice(tr("The backup is in its place."), tone="ok", more=replaced), key="restored")

    def fail(error: AppError) -> None:
        shell.show_error(error)
        if project.exists():
            shell.open_project(project)

    put_back(project=project, backup=chosen.backup).start(shell.jobs, on_done=done, on_error=fail)


def _row(one: "BackupContents") -> TableRow:
    made = one.backup.made
    when = tr("unknown") if made is None else f"{made.astimezone():%Y-%m-%d %H:%M}"
    states = {"sound": tr("sound"), "damaged": tr("damaged"), "unchecked": tr("not checked")}
    rows = ("?", "?", "?") if one.rows is None else tuple(number(count) for count in one.rows.values())
    size = tr("{megabytes} MB").format(megabytes=number(one.size / 1e6, 1))
    return TableRow(str(one.backup.path), (when, states[one.backup.state], *rows, size))

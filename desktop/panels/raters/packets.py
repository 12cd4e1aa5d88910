"""Making packets: for which plan, for whom, and into which folder; then what was made."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QComboBox, QFileDialog, QGridLayout, QLineEdit, QWidget

from desktop import theme
from desktop.jobs import JobHandle
from desktop.models import rater_words as words
from desktop.operations.raters import Codes, codes_of, make_packets
from desktop.panels.base import Shell
from desktop.panels.raters.plans import PlansData
from desktop.tables.rows_view import RowsView
from desktop.widgets import Button, Card, ElidedLabel, FlowLayout, Label, PrimaryButton, plural, tr
from desktop.widgets.labels import show_if
from desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from core.judging.packets.make import MadePacket

MOST_NAMED = 8  # codes in the preview; more are counted


class MakeCard(Card):
    """The form. What was made goes to `made`."""

    made = Signal(object)  # tuple of MadePacket

    def __init__(self, shell: Shell) -> None:
        super().__init__(tr("Make packets"))
        self._shell = shell
        self._data: PlansData | None = None
        self._handle: JobHandle | None = None
        self._folder: Path | None = None
        self.plan = QComboBox()
        self.whom = QLineEdit()
        self.whom.setPlaceholderText(tr("3, or codes such as R07, R08"))
        self.whom.setMaxLength(4000)
        self.preview = Label("", "note", wrap=True)
        self.folder = ElidedLabel(tr("no folder chosen"), "soft")
        self.choose = Button(tr("Choose a folder…"), icon="folder")
        self.make = PrimaryButton(tr("Make packets"))
        self._lay_out()
        self.whom.textChanged.connect(lambda _: self._show())
        self.whom.returnPressed.connect(self.start)
        self.plan.currentIndexChanged.connect(lambda _: self._show())
        self.choose.clicked.connect(self.ask_folder)
        self.make.clicked.connect(self.start)
        self._show()

    def show_plans(self, data: PlansData) -> None:
        """Offer the plans that can be sent; the chosen one stays chosen."""
        self._data, before = data, self.plan.currentData()
        with QSignalBlocker(self.plan):
            self.plan.clear()
            for one in data.plans:
                if not one.workshop:
                    self.plan.addItem(words.plan_title(one), one.id)
            kept = self.plan.findData(before)
            self.plan.setCurrentIndex(kept if kept >= 0 else self.plan.count() - 1)
        self._show()

    def choose_plan(self, plan_id: str) -> None:
        place = self.plan.findData(plan_id)
        if place >= 0:
            self.plan.setCurrentIndex(place)
        self.whom.setFocus()

    def forget(self) -> None:
        """Another project: neither its plans nor the folder of its packets stay."""
        self._data, self._folder, self._handle = None, None, None
        self.plan.clear()
        self.folder.set_text(tr("no folder chosen"))
        self._show()

    def codes(self) -> Codes:
        return codes_of(self.whom.text(), self._data.codes if self._data is not None else ())

    def ask_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, tr("Where the packets go"))
        if chosen:
            self.set_folder(Path(chosen))

    def set_folder(self, folder: Path) -> None:
        self._folder = folder
        self.folder.set_text(safe_line(str(folder)))
        self._show()

    def start(self) -> None:
        """Make them, if all is said."""
        project, folder, plan = self._shell.project, self._folder, self.plan.currentData()
        if project is None or folder is None or not self.make.isEnabled():
            return
        made = make_packets(project=project, plan_id=plan, codes=self.codes().codes, folder=folder)
        self._handle = made.start(self._shell.jobs, on_done=self._done, on_error=self._shell.show_error)
        self._handle.changed.connect(self._show)
        self._show()

    def _done(self, made: "tuple[MadePacket, ...]") -> None:
        self.whom.clear()
        self.made.emit(made)
        self._show()

    def _show(self) -> None:
        found, busy = self.codes(), self._handle is not None and self._handle.active
        project = self._shell.project
        self.preview.setText(self._why_none() or found.trouble or _preview(found.codes, self._data))
        show_if(self.preview, bool(self.preview.text()))
        ready = bool(found.codes) and self._folder is not None and self.plan.currentData() is not None
        self.make.setEnabled(ready and not busy and project is not None and not project.read_only)
        self.make.set_text(tr("Making…") if busy else tr("Make packets"))
        read_only = project is not None and bool(project.read_only)
        why = tr("The project is open read-only.") if read_only else ""
        self.make.setToolTip(why or ("" if ready else tr("Say for whom, and choose a folder.")))
        for field in (self.plan, self.whom, self.choose):
            field.setEnabled(not busy)

    def _why_none(self) -> str:
        """Why there is no plan to send; empty where there is one, or where that is not known yet."""
        if self._data is None or self.plan.count():
            return ""
        return tr("There is no plan to send yet: draw comparisons under Judge first. A workshop has no packets.")

    def _lay_out(self) -> None:
        tokens = theme.current()
        said = tr(
            "One file for each rater, with the texts alone: nothing in it, nor its name, says what is compared. "
            "The rater opens it with this program, rates offline, presses Finish and sends it back."
        )
        form = QGridLayout()
        form.setHorizontalSpacing(tokens.gap)
        form.setVerticalSpacing(tokens.grid)
        form.setColumnStretch(1, 1)
        place = QWidget()
        row = FlowLayout(place, spacing=tokens.grid, centred=True)
        row.addWidget(self.choose)
        fields: tuple[tuple[str, QWidget], ...] = (
            (tr("Plan"), self.plan),
            (tr("For whom"), self.whom),
            (tr("Folder"), place),
            ("", self.folder),
        )
        for number, (title, field) in enumerate(fields):
            if title:
                field.setAccessibleName(title)
                form.addWidget(Label(title), number, 0)
            form.addWidget(field, number, 1)
        self.plan.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.choose.setAccessibleName(tr("Choose the folder that the packets go to"))
        self.box.addWidget(Label(said, "soft", wrap=True))
        self.box.addSpacing(tokens.grid)
        self.box.addLayout(form)
        self.box.addWidget(self.preview)
        self.box.addSpacing(tokens.grid)
        buttons = FlowLayout(spacing=tokens.grid)
        buttons.addWidget(self.make)
        self.box.addLayout(buttons)


class MadeCard(Card):
    """What was made, and where it lies. Hidden before."""

    def __init__(self) -> None:
        super().__init__(tr("Packets to send"))
        self.folder = ElidedLabel("", "soft")
        self.view = RowsView(tr("Packets to send"), words.made_columns(), tall=True)
        self.open = Button(tr("Show the folder"), icon="folder")
        self.open.clicked.connect(self.show_folder)
        self._folder: Path | None = None
        self.box.addWidget(Label(tr("Send each rater the file with their code, and no other."), "soft", wrap=True))
        self.box.addWidget(self.folder)
        self.box.addWidget(self.view)
        buttons = FlowLayout(spacing=theme.current().grid)
        buttons.addWidget(self.open)
        self.box.addLayout(buttons)
        self.hide()

    def show_made(self, made: "tuple[MadePacket, ...]") -> None:
        self._folder = made[0].path.parent if made else None
        self.folder.set_text(str(self._folder or ""))
        self.view.show_rows(words.made_rows(made))
        self.setVisible(bool(made))

    def forget(self) -> None:
        self.show_made(())

    def show_folder(self) -> None:
        if self._folder is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folder)))


def _preview(codes: tuple[str, ...], data: PlansData | None) -> str:
    """Whose packets these will be, and who of them is known already."""
    if not codes:
        return ""
    named = ", ".join(safe_line(code) for code in codes[:MOST_NAMED])
    more = f" {tr('and {n} more').format(n=len(codes) - MOST_NAMED)}" if len(codes) > MOST_NAMED else ""
    said = tr("{packets}: {codes}.").format(packets=plural(len(codes), "1 packet", "%n packets"), codes=named + more)
    known = [code for code in codes if data is not None and code in data.codes]
    if known:
        said += " " + tr("Known raters, who get this plan as well: {codes}.").format(
            codes=", ".join(known[:MOST_NAMED])
        )
    return said

"""The page after a packet was finished: everything is in one file, and what to do with it."""

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from core.judging.blind import SessionProgress
from desktop import theme
from desktop.widgets import Card, FlowLayout, Label, PlainText, PrimaryButton, QuietButton, plural, tr

WIDTH = 760
PATH_HEIGHT = 56


class FinishedPage(QScrollArea):
    """Says that all is saved and locked; where, only when asked; and that the file goes back to its sender."""

    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._path: Path | None = None
        self.told = Label("", "reading", wrap=True)
        self.where = QuietButton(tr("Show where the file is"), icon="folder")
        self.place = PlainText(name=tr("Where the file is"))
        self.place.setFixedHeight(theme.current().px(PATH_HEIGHT))
        self.copy = QuietButton(tr("Copy the path"), icon="copy")
        self.folder = QuietButton(tr("Open the folder"), icon="folder")
        self.done = PrimaryButton(tr("Close this packet"))
        self._lay_out()
        self._connect()

    def show_finished(self, path: Path, comparisons: int, progress: SessionProgress | None = None) -> None:
        """After the last press, with what was answered; or when a finished packet is opened again."""
        self._path = path
        count = plural(comparisons, "%n comparison", "%n comparisons")
        words = tr("This packet of {count} is finished.").format(count=count)
        if progress is not None:
            answered = plural(progress.done, "%n answered", "%n answered")
            skipped = plural(progress.skipped, "%n skipped", "%n skipped")
            left = plural(progress.left, "%n left open", "%n left open")
            said = [answered, *([skipped] if progress.skipped else []), *([left] if progress.left else [])]
            words += " " + ", ".join(said) + "."
        kept = tr("Everything you said is saved in this one file, and locked: it does not change any more.")
        self.told.setText(f"{words} {kept}")
        self._show_place(False)

    def forget(self) -> None:
        self._path = None
        self._show_place(False)
        self.place.set_text("")

    # inside

    def _show_place(self, shown: bool) -> None:
        if shown and self._path is not None:
            self.place.set_text(str(self._path))
        for widget in (self.place, self.copy, self.folder):
            widget.setVisible(shown)
        self.where.setVisible(not shown)

    def _copy(self) -> None:
        if self._path is not None:
            QGuiApplication.clipboard().setText(str(self._path))
            self.copy.set_text(tr("Copied"))

    def _open_folder(self) -> None:
        if self._path is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._path.parent)))

    def _connect(self) -> None:
        self.where.clicked.connect(lambda: self._show_place(True))
        self.copy.clicked.connect(self._copy)
        self.folder.clicked.connect(self._open_folder)
        self.done.clicked.connect(self.closed)

    def _lay_out(self) -> None:
        tokens = theme.current()
        sheet = QWidget()
        sheet.setProperty("role", "clear")
        card = Card(tr("Thank you: you are done"))
        card.setMaximumWidth(tokens.px(WIDTH))
        card.box.addWidget(self.told)
        card.box.addSpacing(tokens.grid)
        card.box.addWidget(Label(tr("What to do next"), "strong"))
        card.box.addWidget(
            Label(tr("Send the file back to the person you have it from, as it is. That is all."), "reading", wrap=True)
        )
        card.box.addSpacing(tokens.grid)
        card.box.addWidget(self.place)
        buttons = FlowLayout(spacing=tokens.grid)
        for button in (self.where, self.copy, self.folder, self.done):
            buttons.addWidget(button)
        card.box.addLayout(buttons)
        row = QHBoxLayout()
        row.addWidget(card, 1)
        row.addStretch(0)
        box = QVBoxLayout(sheet)
        box.setContentsMargins(0, 0, 0, 0)
        box.addLayout(row)
        box.addStretch(1)
        self.setWidget(sheet)

"""What an import did: how many rows came in, and every row that did not, by its number."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop import theme
from desktop.operations.importing import Imported
from desktop.widgets import Label, PlainText, PrimaryButton, QuietButton, plural, tr
from desktop.widgets.safe_text import safe_line
from desktop.wording.studies import words_of


class ResultPage(QWidget):
    """The end of the dialog, with the next step."""

    measure_wanted = Signal()
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        tokens = theme.current()
        self.title = Label("", "title", wrap=True)
        self.words = Label("", "soft", wrap=True)
        self.next = Label("", wrap=True)
        self.heading = Label(tr("Rows to look at"), "strong")
        self.problems = PlainText(name=tr("Rows to look at"))
        self.measure = PrimaryButton("")
        self.close_button = QuietButton(tr("Close"))
        self.measure.clicked.connect(self.measure_wanted)
        self.close_button.clicked.connect(self.closed)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        buttons.addWidget(self.measure)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(tokens.grid)
        for widget in (self.title, self.words, self.next):
            box.addWidget(widget)
        box.addSpacing(tokens.grid)
        box.addWidget(self.heading)
        box.addWidget(self.problems, 1)
        box.addStretch(0)
        box.addLayout(buttons)

    def show_result(self, imported: Imported) -> None:
        reading, study = imported.reading, words_of(imported.kind)
        self.next.setText(study.next_step)
        self.measure.set_text(study.action)
        self.title.setText(plural(imported.added, "1 row was imported.", "%n rows were imported."))
        told = [tr("They are in “{name}”.").format(name=safe_line(imported.path.stem))]
        if imported.present:
            told.append(plural(imported.present, "1 was there already.", "%n were there already."))
        left_out = reading.total - reading.usable
        if left_out:
            told.append(plural(left_out, "1 row of the table was left out.", "%n rows of the table were left out."))
        told += reading.notices
        self.words.setText(" ".join(told))
        for widget in (self.heading, self.problems):
            widget.setVisible(bool(reading.problems))
        self.problems.set_text("\n".join(reading.problems))

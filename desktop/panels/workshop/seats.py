"""Seats at other computers, for whoever leads a workshop: packets into a shared folder, and what is finished there."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

from desktop import theme
from desktop.widgets import Button, Label, plural, tr

if TYPE_CHECKING:
    from core.errors import AppError
    from core.judging.packets.seats import Collected

USUAL_SEATS = 5


class SeatsBox(QWidget):
    """`made` and `collected` say what is wanted, with the folder; what came of it is told to `show_…`."""

    made = Signal(int, object)  # how many, Path
    collected = Signal(object)  # Path

    def __init__(self) -> None:
        super().__init__()
        from core.judging.packets.seats import MOST_SEATS

        tokens = theme.current()
        self.seats = QSpinBox()
        self.seats.setRange(1, MOST_SEATS)
        self.seats.setValue(USUAL_SEATS)
        self.seats.setAccessibleName(tr("Seats at other computers"))
        self.make = Button(tr("Make packets…"), icon="folder")
        self.collect = Button(tr("Collect…"), icon="folder")
        self.said = Label("", "note", wrap=True)
        words = tr(
            "One packet for each, in a shared folder or on a stick. It is opened with Biasprint, rated to the end and "
            "finished; it shows no picture there, and its answers join the group here once they are collected."
        )
        row = QHBoxLayout()
        row.setSpacing(tokens.grid)
        row.addWidget(self.seats)
        row.addWidget(self.make)
        row.addWidget(self.collect)
        row.addStretch(1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(tokens.grid)
        box.addWidget(Label(self.seats.accessibleName(), "strong"))
        box.addWidget(Label(words, "note", wrap=True))
        box.addLayout(row)
        box.addWidget(self.said)
        self.make.clicked.connect(lambda: self._ask(lambda folder: self.made.emit(self.seats.value(), folder)))
        self.collect.clicked.connect(lambda: self._ask(self.collected.emit))

    def show_made(self, number: int) -> None:
        self.said.setText(plural(number, "1 packet is in the folder.", "%n packets are in the folder."))

    def show_collected(self, found: "Collected") -> None:
        words = [
            plural(found.finished, "1 packet is finished.", "%n packets are finished."),
            plural(found.unfinished, "1 is not.", "%n are not.") if found.unfinished else "",
            *found.refused,
        ]
        self.said.setText(" ".join(filter(None, words)))

    def show_failure(self, error: "AppError") -> None:
        self.said.setText(str(error))

    def _ask(self, then: Callable[[Path], object]) -> None:
        chosen = QFileDialog.getExistingDirectory(self, tr("Where the packets are"))
        if chosen:
            then(Path(chosen))

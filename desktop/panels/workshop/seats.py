"""Seats elsewhere, for whoever leads a workshop: packets into a shared folder, or what Potato and Label Studio are
given for browsers and phones; and what is finished there."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QSpinBox, QVBoxLayout, QWidget

from biasprint.desktop import theme
from biasprint.desktop.widgets import Button, FlowLayout, Label, plural, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.wording.raters import SEATS_KEPT, TOOLS

if TYPE_CHECKING:
    from biasprint.core.errors import AppError
    from biasprint.core.judging.packets.outside import Tool
    from biasprint.core.judging.packets.seats import Collected

USUAL_SEATS = 5
SAID = {
    "": (
        "One packet for each, in a shared folder or on a stick. It is opened with Biasprint at another computer, rated "
        "to the end and finished."
    ),
    "potato": (
        "A folder for a Potato server of your own, which people open in the browser of a phone or computer. Its README "
        "says how to start it; slips with the codes that people log in with are there to be printed. Whoever runs that "
        "server could read answers under these codes: let people draw their slips."
    ),
    "label-studio": (
        "A file of tasks for each person, and the labelling interface, for a Label Studio of your own; the README says "
        "where they go. Collect the folder that you put the projects’ exports (JSON) into. Whoever runs that server "
        "could read answers under these codes."
    ),
}
# Of every seat elsewhere.
NO_PICTURE = (
    "Seats elsewhere show no picture, because they are not told for whom the texts were written. Their answers join "
    "the group here once they are collected."
)

LEFT_OUT = (
    "1 answer was left out: its texts, or the question, were changed in the other tool.",
    "%n answers were left out: their texts, or the questions, were changed in the other tool.",
)
TO_DECIDE = (
    "1 seat came back in copies that differ: the five people it is shown with wait until you decide, after the "
    "workshop, under Raters, Decisions.",
    "%n seats came back in copies that differ: the five people each is shown with wait until you decide, after the "
    "workshop, under Raters, Decisions.",
)


class SeatsBox(QWidget):
    """`made` and `collected` say what is wanted, with the folder; what came of it is told to `show_…`."""

    made = Signal(int, object, object)  # how many, Path, Tool or None
    collected = Signal(object)  # Path

    def __init__(self) -> None:
        super().__init__()
        from biasprint.core.judging.packets.seats import MOST_SEATS

        tokens = theme.current()
        self.seats = QSpinBox()
        self.seats.setRange(1, MOST_SEATS)
        self.seats.setValue(USUAL_SEATS)
        self.seats.setAccessibleName(tr("Seats at other computers, browsers and phones"))
        self.tool = ComboBox()
        self.tool.setAccessibleName(tr("Judged in"))
        for key, title in TOOLS.items():
            self.tool.addItem(tr(title), key)
        self.make = Button(tr("Make seats…"), icon="folder")
        self.collect = Button(tr("Collect…"), icon="folder")
        self.about = Label("", "note", wrap=True)
        self.said = Label("", "note", wrap=True)
        row = FlowLayout(spacing=tokens.grid, centred=True)
        for widget in (self.seats, self.tool, self.make, self.collect):
            row.addWidget(widget)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(tokens.grid)
        box.addWidget(Label(self.seats.accessibleName(), "strong", wrap=True))
        box.addWidget(self.about)
        box.addLayout(row)
        box.addWidget(self.said)
        self.tool.currentIndexChanged.connect(lambda _: self._tell_about())
        self.make.clicked.connect(lambda: self._ask(self._want))
        self.collect.clicked.connect(lambda: self._ask(self.collected.emit))
        self._tell_about()

    def show_made(self, number: int, tool: "Tool | None" = None) -> None:
        if tool is None:
            words = plural(number, "1 packet is in the folder.", "%n packets are in the folder.")
        else:
            words = plural(number, "1 seat is in", "%n seats are in")
            words = tr("{seats} the folder “{name}” there. Read its README.").format(seats=words, name=tool)
        self.said.setText(words)

    def show_collected(self, found: "Collected") -> None:
        words = [
            plural(found.finished, "1 seat is finished.", "%n seats are finished."),
            plural(found.unfinished, "1 is not.", "%n are not.") if found.unfinished else "",
            plural(found.left_out, *LEFT_OUT) if found.left_out else "",
            plural(found.to_decide, *TO_DECIDE) if found.to_decide else "",
            plural(found.kept, *SEATS_KEPT) if found.kept else "",
            *map(safe_line, found.refused),
        ]
        self.said.setText(" ".join(filter(None, words)))

    def show_failure(self, error: "AppError") -> None:
        self.said.setText(str(error))

    # inside

    def _tell_about(self) -> None:
        self.about.setText(f"{tr(SAID[self.tool.currentData()])} {tr(NO_PICTURE)}")

    def _want(self, folder: Path) -> None:
        self.made.emit(self.seats.value(), folder, self.tool.currentData() or None)

    def _ask(self, then: Callable[[Path], object]) -> None:
        chosen = QFileDialog.getExistingDirectory(self, tr("Where the seats are"))
        if chosen:
            then(Path(chosen))

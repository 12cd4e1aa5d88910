"""The page that asks whose fingerprint to show."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop import theme
from desktop.widgets import Card, Chip, ElidedLabel, Label, QuietButton, hairline, plural, tr

if TYPE_CHECKING:
    from core.runs.fingerprint import Offered, Raters


class ChoosePage(QScrollArea):
    """A line for every rater with a completed session, people first; `chosen` carries the rater's id."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.buttons: list[QuietButton] = []
        inside = QWidget()
        inside.setProperty("role", "clear")
        self._box = QVBoxLayout(inside)
        self._box.setContentsMargins(0, 0, theme.current().grid, 0)
        self._box.setSpacing(theme.current().gap)
        self.people, self.models = Card(), Card()
        self.open_note = Label("", "note", wrap=True)
        for widget in (self.people, self.models, self.open_note):
            self._box.addWidget(widget)
        self._box.addStretch(1)
        self.setWidget(inside)

    def show_raters(self, raters: "Raters") -> None:
        """The raters there are now."""
        self.buttons.clear()
        of_people = [one for one in raters.offered if one.kind == "person"]
        of_models = [one for one in raters.offered if one.kind == "model"]
        explained = tr("Choose your own code. A fingerprint is meant for the person it is of.")
        self._fill(self.people, tr("People"), explained, of_people)
        self._fill(self.models, tr("Model judges"), "", of_models)
        self.open_note.setText(
            plural(
                raters.still_open,
                "1 session is still open: nothing of it is shown before its reveal.",
                "%n sessions are still open: nothing of them is shown before their reveal.",
            )
        )
        self.open_note.setVisible(raters.still_open > 0)

    def forget(self) -> None:
        """Drop every rater's line: the project is gone."""
        self.buttons.clear()
        for card in (self.people, self.models):
            _empty(card)
        self.open_note.clear()

    def _fill(self, card: Card, title: str, explained: str, offered: "Sequence[Offered]") -> None:
        _empty(card)
        card.setVisible(bool(offered))
        card.setAccessibleName(title)
        card.box.addWidget(Label(title, "heading"))
        if explained:
            card.box.addWidget(Label(explained, "note", wrap=True))
        for place, one in enumerate(offered):
            if place or explained:
                card.box.addWidget(hairline())
            card.box.addWidget(self._line(one))

    def _line(self, one: "Offered") -> QWidget:
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.current().gap)
        name = ElidedLabel(one.code, "strong")
        row.addWidget(name, 1)
        row.addWidget(Chip(plural(one.comparisons, "1 comparison", "%n comparisons")))
        if one.left:
            row.addWidget(Chip(plural(one.left, "1 left", "%n left"), "warn"))
        button = QuietButton(tr("See fingerprint"), icon="fingerprint")
        button.setAccessibleName(tr("See the fingerprint of {code}").format(code=name.whole_text()))
        button.clicked.connect(partial(self.chosen.emit, one.rater))
        self.buttons.append(button)
        row.addWidget(button)
        return line


def _empty(card: Card) -> None:
    while card.box.count():
        item = card.box.takeAt(0)
        widget = item.widget() if item is not None else None
        if widget is not None:
            widget.hide()
            widget.setParent(None)
            widget.deleteLater()

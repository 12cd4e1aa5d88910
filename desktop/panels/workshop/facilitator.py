"""What whoever leads a workshop is shown: how many took part, and from five people on what all chose together."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from desktop import theme
from desktop.panels.judge.reveal import ShareBar
from desktop.widgets import Card, Label, PrimaryButton, QuietButton, number, plural, tr
from desktop.widgets.notice import error_notice
from desktop.widgets.safe_text import safe_line
from desktop.widgets.sheet import Sheet

if TYPE_CHECKING:
    from core.errors import AppError
    from core.judging.fingerprint import AxisChoice, ShareOfChoices
    from desktop.operations.workshop import FacilitatorView

WIDTH = 760


class FacilitatorPage(Sheet):
    """No row, code or time of any person is ever on it."""

    ended = Signal()
    next_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("For whoever leads the workshop"))
        self.counts = Label("", "reading", wrap=True)
        self.next_person = PrimaryButton(tr("Next person"))
        self.end = QuietButton(tr("End the workshop"))
        self.group: QWidget = QWidget()
        self._lay_out()
        self.next_person.clicked.connect(self.next_wanted)
        self.end.clicked.connect(self.ended)

    def show_waiting(self) -> None:
        self.forget()
        self.counts.setText(tr("Counting…"))

    def show_view(self, view: "FacilitatorView") -> None:
        people = view.attendance
        self.counts.setText(
            tr("{began} {finished}").format(
                began=plural(people.started, "%n session was begun.", "%n sessions were begun."),
                finished=plural(people.finished, "%n was finished.", "%n were finished."),
            )
        )
        self._put(_group_card(view))

    def show_failure(self, error: "AppError") -> None:
        self.counts.setText("")
        self._put(error_notice(error))

    def forget(self) -> None:
        self.counts.setText("")
        self._put(QWidget())

    # inside

    def _put(self, widget: QWidget) -> None:
        self._column.box.replaceWidget(self.group, widget)
        self.group.hide()
        self.group.deleteLater()
        self.group = widget
        widget.show()

    def _lay_out(self) -> None:
        tokens = theme.current()
        self.box.setContentsMargins(tokens.margin, tokens.margin, tokens.margin, tokens.margin)
        self._column = Card(tr("The workshop so far"))
        self._column.setMaximumWidth(tokens.px(WIDTH))
        self._column.set_padding(tokens.px(32))
        self._column.box.setSpacing(tokens.gap)
        self._column.box.addWidget(self.counts)
        self._column.box.addWidget(self.group)
        self._column.box.addWidget(
            Label(tr("A session that was begun and not finished counts for nothing else."), "note", wrap=True)
        )
        row = QHBoxLayout()
        row.setSpacing(tokens.grid)
        row.addWidget(self.next_person)
        row.addWidget(self.end)
        row.addStretch(1)
        self._column.box.addLayout(row)
        across = QHBoxLayout()
        across.addWidget(self._column, 1)
        self.box.addStretch(1)
        self.box.addLayout(across)
        self.box.addStretch(2)


def _group_card(view: "FacilitatorView") -> QWidget:
    """The shares of each axis with their intervals; or why there are none."""
    if view.group is None:
        return Label(tr(view.reason), "soft", wrap=True)
    tokens = theme.current()
    sheet = QWidget()
    grid = QGridLayout(sheet)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(tokens.gap)
    grid.setVerticalSpacing(tokens.grid)
    grid.setColumnStretch(1, 1)
    row = 0
    for axis in view.group.axes:
        heading = tr("{axis}: what all chose together, {n}").format(
            axis=axis.title, n=plural(axis.n, "%n choice", "%n choices")
        )
        grid.addWidget(Label(safe_line(heading), "strong", wrap=True), row, 0, 1, 3)
        for place, one in enumerate(axis.identities, start=1):
            _share_row(grid, row + place, axis, one, place - 1)
        row += len(axis.identities) + 1
    words = tr("The tick marks chance; in brackets the 95 % interval. Texts differ in quality, so this is no verdict.")
    grid.addWidget(Label(words, "note", wrap=True), row, 0, 1, 3)
    return sheet


def _share_row(grid: QGridLayout, row: int, axis: "AxisChoice", one: "ShareOfChoices", series: int) -> None:
    k = len(axis.identities)
    grid.addWidget(Label(safe_line(one.label)), row, 0, Qt.AlignmentFlag.AlignVCenter)
    if one.share is None:
        grid.addWidget(Label(tr("no choice"), "soft"), row, 1, 1, 2)
        return
    grid.addWidget(ShareBar(one.share, 1 / k, series), row, 1)
    figure = tr("{share} %").format(share=number(100 * one.share))
    if one.interval is not None:
        low, high = (number(100 * end / k) for end in (one.interval.low, one.interval.high))
        figure = tr("{share} % ({low}–{high})").format(share=number(100 * one.share), low=low, high=high)
    grid.addWidget(Label(figure), row, 2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

"""What the planned numbers can show, said beside them while they are changed; worked out off the window's thread."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.jobs import JobContext
from desktop import theme
from desktop.widgets import Label, tr

if TYPE_CHECKING:
    from core.errors import AppError
    from core.runs.compare.planning import Outlook
    from desktop.panels.base import Shell

WAIT_MILLISECONDS = 250  # after the last change: whoever turns a number passes many


class Planned(NamedTuple):
    """`cards`: how many texts a comparison shows, for each axis; `comparisons` on each, judged by `raters` each."""

    cards: tuple[int, ...]
    comparisons: int
    raters: int


class PowerLine(QWidget):
    """One sentence for axes with two texts, one for axes with three, and below it what it would take.

    It is asked only while it can be seen, and answers that came too late are not shown.
    """

    def __init__(self) -> None:
        super().__init__()
        self._shell: Shell | None = None
        self._planned: Planned | None = None
        self._asked: Planned | None = None
        self._timer = QTimer(self, singleShot=True, interval=WAIT_MILLISECONDS)
        self._timer.timeout.connect(self._ask)
        self.sees, self.needs = Label("", "", wrap=True), Label("", "note", wrap=True)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.current().grid // 2)
        box.addWidget(self.sees)
        box.addWidget(self.needs)

    def use(self, shell: "Shell") -> None:
        self._shell = shell

    def plan(self, planned: Planned | None) -> None:
        """These numbers were chosen; None where nothing can be planned yet."""
        if planned is None:
            self._timer.stop()
            self._planned = self._asked = None
            self._say((), ())
        elif planned != self._planned:
            self._planned = planned
            self._timer.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._planned is not None and self._planned != self._asked:
            self._timer.start()

    def _ask(self) -> None:
        planned = self._planned
        if planned is None or planned == self._asked or self._shell is None or not self.isVisible():
            return
        self._asked = planned
        self._shell.jobs.start(
            tr("Working out what comparisons can show"),
            lambda ctx: _outlooks(ctx, planned),
            on_done=lambda found: self._show(planned, found),
            on_error=self._failed,
            quiet=True,
        )

    def _show(self, planned: Planned, found: "Sequence[Outlook]") -> None:
        if planned == self._planned:
            self._say([one.sees for one in found], [needs_words(one, alone=len(found) == 1) for one in found])

    def _failed(self, error: "AppError") -> None:
        self._asked = None  # the next change asks again
        self._say((), (error.message,))

    def _say(self, sees: Sequence[str], needs: Sequence[str]) -> None:
        for label, sentences in ((self.sees, sees), (self.needs, needs)):
            label.setText("\n".join(sentences))
            label.setVisible(bool(sentences))


def needs_words(found: "Outlook", *, alone: bool = True) -> str:
    """What it would take; where the number is enough and only one kind of axis is spoken of, what it can detect."""
    enough = found.needed is not None and found.needed <= found.comparisons
    return found.detects if alone and enough else found.needs


def _outlooks(ctx: JobContext, planned: Planned) -> "Sequence[Outlook]":
    from core.compute import shared
    from core.runs.compare.planning import Size, outlooks

    # Axes by number alone: a job's memory must not name what a rater in this window may not know.
    sizes = {str(number): Size(planned.comparisons, cards) for number, cards in enumerate(planned.cards)}
    return outlooks(ctx, shared(), sizes, raters=planned.raters)

"""The chosen run: what its texts turned out to be, what failed and why, and what can be done about it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop import theme
from desktop.operations.generating_runs import failure_words
from desktop.operations.generating_tally import HOW, Tally, tally_words
from desktop.panels.generate.rows import Row
from desktop.widgets import Label, LinkButton, QuietButton, hairline, tr
from desktop.widgets.labels import show_if
from desktop.widgets.safe_text import safe_line, safe_tip


class RunDetails(QWidget):
    """Its signals carry the `Row`. Hidden while there is nothing to say or do."""

    resume_wanted = Signal(object)
    retry_wanted = Signal(object, object)  # the kinds of failure
    move_wanted = Signal(object, int)
    remove_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._row: Row | None = None
        self._allowed = False
        self._shown: object = None
        self.tally = Label("", "note", wrap=True)
        self.tally.setToolTip(safe_tip(tr(HOW)))
        self.error = Label("", "note", wrap=True)
        self.failures: dict[str, LinkButton] = {}
        self.resume = QuietButton(tr("Resume"), icon="play")
        self.retry_all = QuietButton(tr("Retry all failures"))
        self.up, self.down = QuietButton(tr("Up")), QuietButton(tr("Down"))
        self.remove = QuietButton("")
        self._failures = QVBoxLayout()
        self._failures.setSpacing(2)
        self._lay_out()
        self.resume.clicked.connect(lambda: self.resume_wanted.emit(self._row))
        self.retry_all.clicked.connect(lambda: self.retry_wanted.emit(self._row, frozenset(self.failures)))
        self.up.clicked.connect(lambda: self.move_wanted.emit(self._row, -1))
        self.down.clicked.connect(lambda: self.move_wanted.emit(self._row, 1))
        self.remove.clicked.connect(lambda: self.remove_wanted.emit(self._row))
        self.show_row(None)

    def show_row(self, row: Row | None, *, first: bool = True, last: bool = True) -> None:
        """`first` and `last`: whether it is so among those that wait."""
        if row is None or self._row is None or row.key != self._row.key:
            self.tally.setText("")
        self._row = row
        failures = dict(row.run.failures) if row is not None and row.run is not None and row.run.can_go_on else {}
        if failures != self._shown:
            self._shown = failures
            self._make_failures(failures)
        ended = row is not None and row.run is None and not row.active
        error = row.entry.handle.error if row is not None and row.entry is not None else None
        self.error.setText(safe_line(str(error)) if error is not None else "")
        self.remove.set_text(tr("Remove from the list") if ended else tr("Remove from the queue"))
        shown = (
            (self.error, error is not None),
            (self.resume, row is not None and row.can_resume),
            (self.retry_all, len(failures) > 1),
            (self.up, row is not None and row.waits),
            (self.down, row is not None and row.waits),
            (self.remove, row is not None and (row.waits or ended)),
        )
        for widget, wanted in shown:
            show_if(widget, wanted)
        self.up.setEnabled(not first)
        self.down.setEnabled(not last)
        self._actions.setVisible(any(wanted for _, wanted in shown[1:]))
        self._allow()
        self._fit()

    def show_tally(self, tally: Tally, study: str) -> None:
        self.tally.setText(tally_words(tally, study))
        self._fit()

    def allow(self, allowed: bool) -> None:
        self._allowed = allowed
        self._allow()

    def _allow(self) -> None:
        row = self._row
        free = self._allowed and row is not None and not row.active
        for button in (self.resume, self.retry_all, *self.failures.values()):
            button.setEnabled(free)

    def _make_failures(self, failures: dict[str, int]) -> None:
        while (item := self._failures.takeAt(0)) is not None:
            item.widget().hide()
            item.widget().deleteLater()
        self.failures = {}
        for kind, count in sorted(failures.items()):
            line = QWidget()
            row = QHBoxLayout(line)
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(theme.current().grid)
            words = failure_words(kind, count)
            retry = LinkButton(tr("Retry these"))
            retry.setAccessibleName(f"{retry.text()}: {words}")
            retry.clicked.connect(lambda _=False, kind=kind: self.retry_wanted.emit(self._row, frozenset({kind})))
            row.addWidget(Label(words, "", wrap=True), 1)
            row.addWidget(retry)
            self._failures.addWidget(line)
            self.failures[kind] = retry

    def _lay_out(self) -> None:
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.current().grid)
        box.addWidget(hairline())
        box.addWidget(self.tally)
        box.addLayout(self._failures)
        box.addWidget(self.error)
        self._actions = QWidget()
        line = QHBoxLayout(self._actions)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(theme.current().grid)
        for button in (self.resume, self.retry_all, self.up, self.down, self.remove):
            line.addWidget(button)
        line.addStretch(1)
        box.addWidget(self._actions)

    def _fit(self) -> None:
        show_if(self.tally, bool(self.tally.text()))
        something = bool(self.tally.text() or self.failures or self.error.text() or not self._actions.isHidden())
        show_if(self, something)

"""What comes after the last text was written: the study is measured, and its findings are shown."""

from PySide6.QtWidgets import QWidget

from biasprint.desktop.operations.measuring import MeasureJobs
from biasprint.desktop.operations.studies import StudyFacts
from biasprint.desktop.panels.generators import GeneratorChoice
from biasprint.desktop.shell import Shell, see_findings
from biasprint.desktop.widgets import Button, tr
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.wording.generators import NOBODY
from biasprint.desktop.wording.titles import words_of


class NextStep(Button):
    """Stands where nothing is left to write. It goes to the findings when they are there, unless one went elsewhere.

    `writers`: whose texts are measured, to be placed where the button is.
    """

    def __init__(self, shell: Shell, parent: QWidget | None = None) -> None:
        super().__init__("", role="primary", parent=parent)
        self._shell = shell
        self._study: StudyFacts | None = None
        self._writable = False
        self._awaited = ""  # the study whose findings were asked for
        self.writers = GeneratorChoice()
        self._jobs = MeasureJobs(shell, self)
        self._jobs.changed.connect(self._follow)
        self.clicked.connect(self._go)
        self.hide()

    def show_for(self, study: StudyFacts | None, *, writable: bool) -> None:
        """Offer what comes next for this study; None: its texts are to be written first."""
        self._study, self._writable = study, writable
        self._jobs.pick_up()
        self._show()

    def forget(self) -> None:
        """Another project."""
        self._awaited = ""
        self._jobs.forget()
        self.show_for(None, writable=False)

    def _show(self) -> None:
        one = self._study
        self.setVisible(one is not None)
        self.writers.show_writers(one.writers if one is not None and one.pending else NOBODY)
        if one is None:
            return
        busy = one.kind in self._jobs.busy()
        words = words_of(one.kind).action if one.pending else tr("See the findings")
        self.set_text(tr("Measuring…") if busy else words)
        self.setAccessibleName(f"{self.text()}: {safe_line(one.title)}")
        self.setEnabled(not busy and (self._writable or not one.pending))

    def _go(self) -> None:
        one = self._study
        if one is None:
            return
        if one.pending:
            self._awaited = one.kind
            whose = self.writers.whose
            self._jobs.start(one.kind, whose and whose.of)
        else:
            self._see(one.kind)

    def _follow(self) -> None:
        awaited = self._awaited
        if awaited and awaited not in self._jobs.busy():
            self._awaited = ""
            if self._jobs.done(awaited) and self.isVisible():
                self._see(awaited)
        self._show()

    def _see(self, kind: str) -> None:
        see_findings(self._shell, (kind,))

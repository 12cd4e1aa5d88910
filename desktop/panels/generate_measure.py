"""Measuring: what each study of the project has, and the button that scores what lacks and measures it."""

from collections.abc import Sequence

from PySide6.QtWidgets import QGridLayout

from desktop import theme
from desktop.jobs import JobHandle, JobState
from desktop.models.studies import STUDIES, words_of
from desktop.operations.generating import mark, measure_study, running
from desktop.operations.studies import StudyFacts
from desktop.panels.base import Shell
from desktop.widgets import Button, Card, Label, LinkButton, tr
from desktop.widgets.safe_text import safe_line

MEASURING = "measuring"  # what its jobs are found again by


class MeasureCard(Card):
    """A line for each study that has texts."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(tr("Measure"))
        self._shell = shell
        self._writable = False
        self._handles: dict[str, JobHandle] = {}
        self.studies: tuple[StudyFacts, ...] = ()
        self.buttons: dict[str, Button] = {}
        self.said: dict[str, Label] = {}
        words = tr("Every measure of a study, from the texts that are there. What is not scored yet is scored first.")
        self.nothing = Label(tr("There is no text yet: write some, or bring in a table."), "soft", wrap=True)
        self.see = LinkButton(tr("See the findings"))
        self.see.clicked.connect(lambda: shell.show_panel("findings"))
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(theme.current().gap)
        self._grid.setVerticalSpacing(theme.current().grid)
        self._grid.setColumnStretch(1, 1)
        self.box.addWidget(Label(words, "soft", wrap=True))
        self.box.addWidget(self.nothing)
        self.box.addLayout(self._grid)
        self.box.addWidget(self.see)

    def show_studies(self, studies: Sequence[StudyFacts]) -> None:
        """What there is to measure, and how things stand with it."""
        self.studies = tuple(one for one in studies if one.texts and one.kind in STUDIES)
        if [one.kind for one in self.studies] != list(self.buttons):
            self._make_lines()
        for one in self.studies:
            self.said[one.kind].setText(one.said)
            if not self._busy(one.kind):
                self._follow(one.kind, running(self._shell.jobs, f"{MEASURING} {one.kind}", self._shell.project))
        self.nothing.setVisible(not self.studies)
        self.see.setVisible(any(one.measured for one in self.studies))
        self._show()

    def allow(self, writable: bool) -> None:
        self._writable = writable
        self._show()

    def _make_lines(self) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            item.widget().hide()
            item.widget().deleteLater()
        self.buttons, self.said, self._handles = {}, {}, {}
        for row, one in enumerate(self.studies):
            button = Button("")
            button.clicked.connect(lambda _=False, kind=one.kind: self._measure(kind))
            self.buttons[one.kind], self.said[one.kind] = button, Label("", "soft", wrap=True)
            for column, widget in enumerate((Label(safe_line(one.title), "strong"), self.said[one.kind], button)):
                self._grid.addWidget(widget, row, column)

    def _measure(self, kind: str) -> None:
        project = self._shell.project
        if project is None:
            return
        handle = measure_study(project=project, study=kind).start(self._shell.jobs)
        mark(handle, f"{MEASURING} {kind}", project)
        self._follow(kind, handle)

    def _follow(self, kind: str, handle: JobHandle | None) -> None:
        if handle is not None:
            self._handles[kind] = handle
            handle.changed.connect(self._show)
            self._show()

    def _busy(self, kind: str) -> bool:
        return kind in self._handles and self._handles[kind].active

    def _show(self) -> None:
        for one in self.studies:
            button, busy = self.buttons[one.kind], self._busy(one.kind)
            done = kind_done(self._handles.get(one.kind))
            words = words_of(one.kind).action if not one.measured and not done else tr("Measure again")
            button.set_text(tr("Measuring…") if busy else words)
            button.setAccessibleName(f"{button.text()}: {safe_line(one.title)}")
            button.set_role("primary" if one.pending and not done else "")
            button.setEnabled(self._writable and not busy)


def kind_done(handle: JobHandle | None) -> bool:
    """Measured a moment ago: the project's own word for it is on its way."""
    return handle is not None and handle.state is JobState.DONE

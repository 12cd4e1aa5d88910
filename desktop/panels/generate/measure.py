"""Measuring: what each study of the project has, and the button that scores what lacks and measures it."""

from collections.abc import Sequence

from PySide6.QtWidgets import QGridLayout

from desktop import theme
from desktop.models.studies import STUDIES, words_of
from desktop.operations.measuring import MeasureJobs
from desktop.operations.studies import StudyFacts
from desktop.panels.base import Shell
from desktop.widgets import Button, Card, Label, LinkButton, tr
from desktop.widgets.safe_text import safe_line


class MeasureCard(Card):
    """A line for each study that has texts."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(tr("Measure"))
        self._shell = shell
        self._writable = False
        self._jobs = MeasureJobs(shell, self)
        self._jobs.changed.connect(self._show)
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
        self.nothing.setVisible(not self.studies)
        self.see.setVisible(any(one.measured for one in self.studies))
        self._jobs.pick_up()
        self._show()

    def allow(self, writable: bool) -> None:
        self._writable = writable
        self._show()

    def _make_lines(self) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            item.widget().hide()
            item.widget().deleteLater()
        self.buttons, self.said = {}, {}
        self._jobs.forget()
        for row, one in enumerate(self.studies):
            button = Button("")
            button.clicked.connect(lambda _=False, kind=one.kind: self._jobs.start(kind))
            self.buttons[one.kind], self.said[one.kind] = button, Label("", "soft", wrap=True)
            for column, widget in enumerate((Label(safe_line(one.title), "strong"), self.said[one.kind], button)):
                self._grid.addWidget(widget, row, column)

    def _show(self) -> None:
        for one in self.studies:
            button, busy = self.buttons[one.kind], one.kind in self._jobs.busy()
            done = self._jobs.done(one.kind)
            words = words_of(one.kind).action if not one.measured and not done else tr("Measure again")
            button.set_text(tr("Measuring…") if busy else words)
            button.setAccessibleName(f"{button.text()}: {safe_line(one.title)}")
            button.set_role("primary" if one.pending and not done else "")
            button.setEnabled(self._writable and not busy)

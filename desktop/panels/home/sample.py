"""The card of the sample project: what it is, said honestly, and the button that opens it."""

from PySide6.QtCore import Qt, Signal

from core.jobs import Progress
from desktop import theme
from desktop.jobs import JobHandle
from desktop.operations.sample import SampleFacts
from desktop.widgets import Card, Label, ProgressThin, QuietButton, tr
from desktop.widgets.safe_text import safe_line


class SampleCard(Card):
    """While the sample is being prepared, how far that is."""

    wanted = Signal()

    def __init__(self) -> None:
        super().__init__(tr("Sample project"))
        self.holds = Label("", "", wrap=True)
        self.statement = Label("", "note", wrap=True)
        self.button = QuietButton(tr("Open the sample"))
        self.progress = ProgressThin(tr("Preparing the sample"))
        self.state = Label("", "note", wrap=True)
        self.button.clicked.connect(self.wanted)
        for widget in (self.holds, self.statement, self.progress, self.state):
            self.box.addWidget(widget)
        self.box.addStretch(1)
        self.box.addSpacing(theme.current().grid)
        self.box.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        self.set_preparing(None)

    def show_facts(self, facts: SampleFacts) -> None:
        holds = tr("{n} comparisons to rate, and reference letters by the synthetic author, with a planted bias.")
        self.holds.setText(holds.format(n=facts.comparisons))
        self.statement.setText(safe_line(facts.statement))

    def set_preparing(self, handle: JobHandle | None) -> None:
        """Show that the sample is on its way; None: it is not."""
        busy = handle is not None
        self.button.setEnabled(not busy)
        for widget in (self.progress, self.state):
            widget.setVisible(busy)
        self.progress.set_progress(0, None)
        self.state.setText(tr("It is made on this computer, once; this takes less than a minute."))

    def show_progress(self, progress: Progress) -> None:
        self.progress.set_progress(progress.done, progress.total)

"""The base of the views of Explore: boxes that keep their choice, and reading that never holds the window."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.core.project.stores.columns import Measured
from biasprint.desktop import theme
from biasprint.desktop.jobs import JobHandle, JobState
from biasprint.desktop.panels.explore.arrays import Grouping
from biasprint.desktop.plots.axis import LegendEntry
from biasprint.desktop.read.explore import ExploredTexts, StoredTexts
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import FlowLayout, Label, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.layout import clear_row
from biasprint.desktop.widgets.safe_text import safe_line


class ExploreView(QWidget):
    """A view of the texts. `chosen` carries the selected texts, those among which, and the selection in words."""

    chosen = Signal(object, object, str)
    key, title = "", ""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self.setAccessibleName(tr(self.title))
        self.shell = shell
        self.source: StoredTexts | None = None
        self.texts = ExploredTexts()
        self._job: JobHandle | None = None
        self._scores: dict[Measured, np.ndarray] = {}
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(theme.current().grid)
        tools = QWidget()
        tools.setProperty("role", "clear")
        self.tools = FlowLayout(tools, spacing=theme.current().grid)
        self.column.addWidget(tools)

    # for subclasses

    def offer(self) -> None:
        """Fill the boxes with the fields and scores of the texts."""

    def draw(self) -> None:
        """Show the texts as the boxes say."""
        raise NotImplementedError

    def failed(self, error: AppError) -> None:
        """Show the error that ended a reading."""
        self.shell.show_error(error)

    def clear_choice(self) -> None:
        """Show all in full colour again."""

    def cancelled(self) -> None:
        """Take note that somebody cancelled a reading."""

    # the texts

    def set_texts(self, source: StoredTexts | None, texts: ExploredTexts) -> None:
        if source is not self.source or len(texts) != len(self.texts):
            self._scores.clear()
        self.source, self.texts = source, texts
        self._stop()
        if len(texts):
            self.offer()
        if self.isVisible() or not len(texts):  # of a project that was closed nothing stays, shown or not
            self.draw()

    def read(self, work: Callable[[JobContext], Any], then: Callable[[Any], object], title: str = "") -> None:
        """Do `work` in a job, then show its result; drop an earlier request.

        With a `title` it takes long and is listed among the jobs, where it can be cancelled.
        """
        self._stop()

        def done(result: Any) -> None:
            if self._job is job:
                self._job = None
                then(result)

        def failed(error: AppError) -> None:
            if self._job is job:
                self._job = None
                self.failed(error)

        def changed() -> None:
            if self._job is job and job.state is JobState.CANCELLED:
                self._job = None
                self.cancelled()

        job = self.shell.jobs.start(title or tr("Explore"), work, quiet=not title, on_done=done, on_error=failed)
        self._job = job
        job.changed.connect(changed)

    @property
    def reading(self) -> bool:
        """True while a reading is under way."""
        return self._job is not None

    def _stop(self) -> None:
        job, self._job = self._job, None
        if job is not None:
            job.cancel()

    def values(self, ctx: JobContext, of: Measured | None, texts: ExploredTexts) -> np.ndarray:
        """Return the scores of the texts, or their lengths without a scorer. In a job; each is read once."""
        if of is None:
            return texts.lengths.astype(np.float64)
        if self.source is None or len(self._scores.get(of, ())) == len(texts):
            return self._scores.get(of, np.full(len(texts), np.nan))
        scores = self.source.score(ctx, texts, of)
        self._scores[of] = scores
        return scores

    # boxes

    def box(self, name: str) -> ComboBox:
        """Add a labelled box to the tools; a choice in it draws the view again."""
        made = ComboBox()
        made.setAccessibleName(tr(name))
        made.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        label = Label(name, "soft")
        label.setBuddy(made)
        both, row = clear_row(theme.current().grid)
        row.addWidget(label)
        row.addWidget(made)
        self.tools.addWidget(both)
        made.activated.connect(lambda _: self.draw())
        return made

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.draw()


def show_box(box: ComboBox, shown: bool) -> None:
    """Show or hide a box with its label."""
    box.parentWidget().setVisible(shown)


def fill(box: ComboBox, choices: Sequence[tuple[str, Any]], first: Any = None) -> None:
    """Offer (words, value) pairs; the chosen one stays chosen, else `first`."""
    if [(box.itemText(place), box.itemData(place)) for place in range(box.count())] == list(choices):
        return
    before = box.currentData() if box.count() else first
    box.clear()
    for words, value in choices:
        box.addItem(safe_line(words), value)
    values = [value for _, value in choices]
    box.setCurrentIndex(values.index(before) if before in values else values.index(first) if first in values else 0)


def legend(groups: Grouping, kind: str) -> list[LegendEntry]:
    return [LegendEntry(name, place, kind) for place, name in groups.members()]  # type: ignore[arg-type]


def field_choices(texts: ExploredTexts) -> list[tuple[str, Any]]:
    """Return the fields that texts can be grouped by."""
    return [(coded.title, name) for name, coded in texts.fields.items()]


def score_choices(texts: ExploredTexts) -> list[tuple[str, Any]]:
    """Return the numbers that each text has: its length, and the scores."""
    versions = [scorer.name for scorer in texts.scorers]
    scores = [
        (scorer_title(scorer.name) + (f" {scorer.version}" if versions.count(scorer.name) > 1 else ""), scorer)
        for scorer in texts.scorers
    ]
    return [(tr("length in characters"), None), *scores]

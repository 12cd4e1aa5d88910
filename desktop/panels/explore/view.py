"""What the views of Explore share: boxes that keep their choice, and reading that never holds the window."""

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
    """One way to look at the texts. `chosen` carries which texts were selected, among which, and in words how."""

    chosen = Signal(object, object, str)
    key, title = "", ""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self.setAccessibleName(self.title)
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
        """Fill the boxes with what the texts have."""

    def draw(self) -> None:
        """Show the texts as the boxes say."""
        raise NotImplementedError

    def failed(self, error: AppError) -> None:
        """A reading ended in an error."""
        self.shell.show_error(error)

    def clear_choice(self) -> None:
        """Show all in full colour again."""

    def cancelled(self) -> None:
        """Somebody cancelled a reading."""

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
        """Do `work` in a job, then show its result; whatever was asked before is dropped.

        With a `title` it takes long: it is among the jobs, where it can be cancelled.
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
        """Whether something is on its way that will be shown."""
        return self._job is not None

    def _stop(self) -> None:
        job, self._job = self._job, None
        if job is not None:
            job.cancel()

    def values(self, ctx: JobContext, of: Measured | None, texts: ExploredTexts) -> np.ndarray:
        """The scores of the texts, or their lengths where there is no scorer. In a job; each is read once."""
        if of is None:
            return texts.lengths.astype(np.float64)
        if self.source is None or len(self._scores.get(of, ())) == len(texts):
            return self._scores.get(of, np.full(len(texts), np.nan))
        found = self.source.score(ctx, texts, of)
        self._scores[of] = found
        return found

    # boxes

    def box(self, name: str) -> ComboBox:
        """A labelled box among the tools; choosing from it draws anew."""
        made = ComboBox()
        made.setAccessibleName(name)
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
    """A box with its label."""
    box.parentWidget().setVisible(shown)


def fill(box: ComboBox, choices: Sequence[tuple[str, Any]], first: Any = None) -> None:
    """Offer (words, value) pairs; what was chosen stays chosen, else `first`."""
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
    """The fields that texts can be grouped by."""
    return [(coded.title, name) for name, coded in texts.fields.items()]


def score_choices(texts: ExploredTexts) -> list[tuple[str, Any]]:
    """What there is a number of for each text: its length, and the scores."""
    versions = [one.name for one in texts.scorers]
    scores = [
        (scorer_title(one.name) + (f" {one.version}" if versions.count(one.name) > 1 else ""), one)
        for one in texts.scorers
    ]
    return [(tr("length in characters"), None), *scores]

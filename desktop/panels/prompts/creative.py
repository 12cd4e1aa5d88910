"""Choosing creative prompts: tasks, themes and axes as check lists."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout

from core.prompts import available_axes, cogs_tasks, cogs_themes, load_axis
from core.prompts.cogs import PAPER_AXES
from desktop import theme
from desktop.operations.prompts import CogsChoice
from desktop.panels.prompts.checks import CheckList
from desktop.widgets import Card, Label, LinkButton, tr

SMALL_TASKS = ("haiku", "short_poem", "very_short_story", "song")
SMALL_THEMES = 3  # of the first topic, for a set that one person can rate


class CreativeChoice(Card):
    """The creativity suite, whole or narrowed; a small set is chosen at first."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(20)
        self.tasks = CheckList(tr("Tasks"), [(task.key, task.title) for task in cogs_tasks()])
        self.themes = CheckList(tr("Themes"), [(each.key, each.text.capitalize()) for each in cogs_themes()])
        # An axis that is reported as another belongs to a study of its own, and would meet that other one here.
        axes = [axis for axis in map(load_axis, available_axes()) if not axis.reported_as]
        self.axes = CheckList(tr("Axes"), [(axis.key, axis.title) for axis in axes])
        self.small = LinkButton(tr("A small set"))
        self.whole = LinkButton(tr("The published set"))
        self.small.clicked.connect(self._choose_small)
        self.whole.clicked.connect(self._choose_whole)
        head = QHBoxLayout()
        head.setSpacing(theme.current().gap)
        head.addWidget(Label(tr("Start from"), "soft"))
        head.addWidget(self.small)
        head.addWidget(self.whole)
        head.addStretch(1)
        row = QHBoxLayout()
        row.setSpacing(theme.current().gap)
        for checks in (self.tasks, self.themes, self.axes):
            row.addWidget(checks, 1)
            checks.changed.connect(self._tell)
        self.box.addLayout(head)
        self.box.addLayout(row, 1)
        self._telling = True
        self._choose_small()

    def choice(self) -> CogsChoice:
        return CogsChoice(self.tasks.checked(), self.themes.checked(), self.axes.checked())

    def _choose_small(self) -> None:
        self._choose(SMALL_TASKS, list(self.themes.boxes)[:SMALL_THEMES])

    def _choose_whole(self) -> None:
        self._choose(self.tasks.boxes, self.themes.boxes)

    def _choose(self, tasks: object, themes: object) -> None:
        self._telling = False
        self.tasks.check(tasks)
        self.themes.check(themes)
        self.axes.check(PAPER_AXES)
        self._telling = True
        self._tell()

    def _tell(self) -> None:
        if self._telling:
            self.changed.emit()

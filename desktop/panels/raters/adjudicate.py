"""Comparisons that people disagree on: the list, the most split first, and how many are left to adjudicate."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QComboBox, QStackedWidget, QVBoxLayout, QWidget

from core.jobs import JobContext
from desktop import theme
from desktop.models.stored_decisions import AdjudicationData, identity_names, read_adjudication, read_texts
from desktop.operations.raters import adjudicate
from desktop.panels.base import Shell
from desktop.panels.raters.adjudicate_page import AdjudicatePage, Verdict
from desktop.panels.raters.section import Section
from desktop.tables.rows import Column
from desktop.tables.rows_view import RowsView, focus_first
from desktop.widgets import Card, EmptyState, FlowLayout, Label, number, plural, tr
from desktop.widgets.safe_text import safe_line
from desktop.widgets.sheet import SCROLL_BAR

if TYPE_CHECKING:
    from core.judging.adjudication import Disagreement
    from core.project.project import Project


class AdjudicateSection(Section):
    """The list with its filters, and the page of one comparison in its place."""

    concerns = frozenset({"judgment", "annotation", "session", "plan", "axis_definition"})

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell, tr("Adjudication"))
        self.data: AdjudicationData | None = None
        self.listed: list[Disagreement] = []
        self.shown = ""  # the comparison on the page
        self.axis, self.task = QComboBox(), QComboBox()
        self.left_only = QCheckBox(tr("Only what is left"))
        self.said = Label("", "soft", wrap=True)
        self.view = RowsView(tr("Comparisons that raters disagree on"), _columns(), keep=(0, 2, 4, 3, 1))
        self.no_match = EmptyState(
            tr("No comparison matches"),
            tr("The filters leave nothing that raters disagree on."),
            tr("Clear the filters"),
            self.clear_filters,
            icon="search",
        )
        self.nothing = EmptyState("", "", tr("See the plans"), lambda: self.go_to.emit("plans"), icon="raters")
        self.page = AdjudicatePage(shell.settings.keys())
        self._lay_out()
        self.view.opened.connect(self.show_one)
        for box in (self.axis, self.task):
            box.activated.connect(lambda _: self._narrow())
        self.left_only.toggled.connect(lambda _: self._narrow())
        self.page.head.closed.connect(self.close_page)
        self.page.head.moved.connect(self._move)
        self.page.judged.connect(self.keep)
        shell.settings.changed.connect(self._settings_changed)

    # the tab's life

    def reading(self, project: "Project") -> Callable[[JobContext], Any]:
        return partial(_read, project=project)

    def show_data(self, data: AdjudicationData) -> None:
        self.data = data
        titles = data.titles
        axes = dict.fromkeys(one.comparison.axis for one in data.disagreements)
        tasks = dict.fromkeys(one.comparison.task for one in data.disagreements)
        _offer(self.axis, tr("All axes"), [(key, titles.axes.get(key, key)) for key in axes])
        _offer(self.task, tr("All tasks"), [(key, titles.task(key)) for key in tasks])
        done = sum(one.adjudication is not None for one in data.disagreements)
        left = len(data.disagreements) - done
        self.counted.emit(left)
        adjudicated = plural(done, "1 comparison is adjudicated", "%n comparisons are adjudicated")
        self.said.setText(
            tr("{adjudicated}, {left} left. The most split stand first.").format(
                adjudicated=adjudicated, left=number(left)
            )
        )
        self.nothing.title.setText(tr("No disagreement") if data.several else tr("Nothing to compare yet"))
        self.nothing.text.setText(
            tr("People who judged the same comparisons chose alike.")
            if data.several
            else tr("Once two people have finished one plan, the comparisons they disagree on stand here.")
        )
        self._narrow()
        self.pages.setCurrentWidget(self.inside if data.disagreements else self.nothing)

    def forget(self) -> None:
        self.data, self.listed, self.shown = None, [], ""
        self.view.show_rows(())
        for box in (self.axis, self.task):
            box.clear()
        self.page.forget()
        self.inside.setCurrentIndex(0)
        self.counted.emit(0)

    def clear_filters(self) -> None:
        self.axis.setCurrentIndex(0)
        self.task.setCurrentIndex(0)
        self.left_only.setChecked(False)
        self._narrow()

    def _narrow(self) -> None:
        """The comparisons that the filters leave; the one on the page stays among them until it is left."""
        if self.data is None:
            return
        axis, task, left = self.axis.currentData(), self.task.currentData(), self.left_only.isChecked()
        self.listed = [
            one
            for one in self.data.disagreements
            if (axis is None or one.comparison.axis == axis)
            and (task is None or one.comparison.task == task)
            and (not left or one.adjudication is None or one.comparison.id == self.shown)
        ]
        self.view.show_rows([self.data.rows[one.comparison.id] for one in self.listed])
        self.table_pages.setCurrentWidget(self.view if self.listed else self.no_match)
        if self.shown:
            again = next((one for one in self.listed if one.comparison.id == self.shown), None)
            if again is None:
                self.close_page()
            else:
                self._show(again)

    def _settings_changed(self, key: str) -> None:
        if key == "keys":
            self.page.set_keys(self.shell.settings.keys())

    # one comparison

    def show_one(self, key: str) -> None:
        """Read its texts, and put it in the place of the list."""
        one, project = next((one for one in self.listed if one.comparison.id == key), None), self.project
        if one is None or project is None:
            return
        self.shown = key
        self.page.forget()
        self._show(one)
        self.inside.setCurrentWidget(self.page)
        self.page.setFocus()

        def read(ctx: JobContext) -> list[str]:
            return read_texts(ctx, project, one.comparison, one.order)

        def show(texts: list[str]) -> None:
            if self.shown == key:
                self.page.set_texts(texts)

        self.shell.jobs.start(tr("Texts"), read, quiet=True, on_done=show, on_error=self.shell.show_error)

    def keep(self, verdict: Verdict) -> None:
        """Keep what was decided of the comparison on the page."""
        one, project = next((one for one in self.listed if one.comparison.id == self.shown), None), self.project
        if one is None or project is None or project.read_only:
            return
        chosen = None if verdict.card is None else one.order[verdict.card]
        adjudicate(
            project=project, comparison=one.comparison, outcome=verdict.outcome, chosen=chosen, note=verdict.note
        ).start(self.shell.jobs, on_error=self.shell.show_error)

    def close_page(self) -> None:
        key, self.shown = self.shown, ""
        self.page.forget()
        self.inside.setCurrentIndex(0)
        self._narrow()
        self.view.select(key)
        focus_first(self.view)

    def _show(self, one: "Disagreement") -> None:
        assert self.data is not None
        titles = self.data.titles
        about = titles.about(one.comparison.task, one.comparison.theme)
        self.page.head.show_place(about, self.listed.index(one), len(self.listed))
        names = identity_names(one.comparison, one.order, titles)
        self.page.show_one(one, names, writable=self.writable)

    def _move(self, step: int) -> None:
        place = next((place for place, one in enumerate(self.listed) if one.comparison.id == self.shown), None)
        if place is not None and 0 <= place + step < len(self.listed):
            self.show_one(self.listed[place + step].comparison.id)

    # the look

    def _lay_out(self) -> None:
        filters = FlowLayout(spacing=theme.current().grid, centred=True)
        for box, name in ((self.axis, tr("Axis")), (self.task, tr("Task"))):
            box.setAccessibleName(name)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            filters.addWidget(box)
        filters.addWidget(self.left_only)
        self.table_pages = QStackedWidget()
        self.table_pages.addWidget(self.view)
        self.table_pages.addWidget(self.no_match)
        frame = Card()
        frame.set_padding(4, 8)
        frame.box.addWidget(self.table_pages, 1)
        listing = QWidget()
        column = QVBoxLayout(listing)
        column.setContentsMargins(0, 0, SCROLL_BAR, 0)
        column.setSpacing(theme.current().gap)
        column.addWidget(self.said)
        column.addLayout(filters)
        column.addWidget(frame, 1)
        self.inside = QStackedWidget()
        self.inside.addWidget(listing)
        self.inside.addWidget(self.page)
        self.add_page(self.inside)
        self.add_page(self.nothing)


def _read(ctx: JobContext, project: "Project") -> AdjudicationData:
    return read_adjudication(ctx, project)


def _columns() -> tuple[Column, ...]:
    return (
        Column(tr("Comparison")),
        Column(tr("Axis"), 130),
        Column(tr("What they said"), 210, help=tr("Letters stand for the texts in an order of their own")),
        Column(tr("Raters"), 76, number=True),
        Column(tr("Adjudicated"), 130),
    )


def _offer(box: QComboBox, every: str, choices: Sequence[tuple[str, str]]) -> None:
    """The choices after "all"; what was chosen stays chosen if it is still there."""
    before = box.currentData()
    with QSignalBlocker(box):
        box.clear()
        box.addItem(every, None)
        for key, title in choices:
            box.addItem(safe_line(title), key)
        box.setCurrentIndex(max(0, box.findData(before)))
    box.setVisible(len(choices) > 1)

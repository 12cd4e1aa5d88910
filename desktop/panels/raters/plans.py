"""The plans of a project and, for the chosen one, its raters: only counts, never an answer."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from biasprint.core import compute
from biasprint.core.jobs import JobContext
from biasprint.core.judging.plan import LONGEST_NAME
from biasprint.core.runs.rater_quality import AgreementSoFar, PlanState, RaterStates, agreement_so_far
from biasprint.desktop import theme
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.jobs import Refresher
from biasprint.desktop.operations.raters import delete_plan, next_round, rename_plan
from biasprint.desktop.panels.raters.section import RatersSection
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Button, Card, ElidedLabel, EmptyState, FlowLayout, Label, tr
from biasprint.desktop.widgets.labels import named, show_if, show_words
from biasprint.desktop.widgets.layout import STRETCH, Sheet, in_row, scaled
from biasprint.desktop.widgets.safe_text import as_given, safe_line
from biasprint.desktop.widgets.small_table import TextTable
from biasprint.desktop.wording import raters as words
from biasprint.desktop.wording.generators import Titles, read_titles

if TYPE_CHECKING:
    from biasprint.core.project.project import Project
    from biasprint.core.runs.compare.rounds import NextRound


NAME_WIDTH = 220


class PlansData(NamedTuple):
    """Plans with their titles. `codes`: those of all human raters, so that new ones get codes of their own."""

    plans: "tuple[PlanState, ...]"
    titles: Titles
    codes: tuple[str, ...]


class PlansSection(RatersSection):
    """The tab of plans: `told` carries the data to the packets tab, `packets_wanted` carries a plan."""

    concerns = frozenset({"plan", "session", "judgment", "rater", "packet", "annotation", "axis_definition"})
    told = Signal(object)  # PlansData
    packets_wanted = Signal(str)

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell, tr("Plans"))
        self.data: PlansData | None = None
        self._named = ""  # the plan whose name is in the field: what is typed there stays while figures change
        self.plans = TextTable(tr("Plans"), words.plan_columns(), keep=(0, 5, 4, 2, 1, 3), wrap=True, tall=True)
        self.raters = TextTable(tr("Raters"), words.rater_columns(), keep=(0, 3, 5, 2, 1, 4, 6), wrap=True, tall=True)
        self.heading = ElidedLabel("", "heading")
        self.said = Label("", "soft", wrap=True)
        self.agreement = Label("", wrap=True)
        self._agreement = Refresher(shell.jobs, tr("Agreement so far"), self._show_agreement, shell.show_error, self)
        self.name = named(QLineEdit(maxLength=LONGEST_NAME), tr("Name of the plan"))
        scaled(self.name, self.name.setMinimumWidth, NAME_WIDTH)
        self.rename, self.delete = Button(tr("Rename")), Button(tr("Delete…"), act=self.ask_to_delete)
        self.rename.setAccessibleDescription(tr("Works once another name is written."))
        self.make = Button(tr("Make packets…"), icon="export")
        self.judge = Button(tr("Rate on this machine"), icon="judge", act=lambda: self.shell.show_panel("judge"))
        self.next_round = Button(tr("Draw the next round…"), icon="plus", act=self.ask_for_round)
        self.workshop = Button(tr("Go to the workshop"), icon="fingerprint")
        self.nothing = EmptyState(
            tr("No comparisons yet"),
            tr("Draw comparisons under Judge. Then raters sit down here, or each gets a packet to rate offline."),
            tr("Draw comparisons"),
            lambda: self.shell.show_panel("judge"),
            icon="raters",
        )
        self.plans.chosen.connect(lambda _: self._choose_plan())
        self.name.textEdited.connect(lambda _: self._allow())
        for signal in (self.name.returnPressed, self.rename.clicked):
            signal.connect(self.rename_plan)
        self.make.clicked.connect(lambda: self.packets_wanted.emit(self.plans.current_key))
        self.workshop.clicked.connect(lambda: self.shell.show_panel("fingerprint", workshop=True))
        self._lay_out()

    @property
    def plan(self) -> "PlanState | None":
        """The chosen plan."""
        plans = self.data.plans if self.data is not None else ()
        return next((plan for plan in plans if plan.id == self.plans.current_key), None)

    # the tab's life

    def reading(self, project: "Project") -> Callable[[JobContext], Any]:
        return reader_of(project)

    def show_data(self, data: PlansData) -> None:
        self.data = data
        self.told.emit(data)
        self.plans.show_rows(words.plan_rows(data.plans, data.titles))
        if data.plans and self.plan is None:
            self.plans.select(data.plans[-1].id)  # the newest is the one that is being worked on
        self._choose_plan()
        self.pages.setCurrentWidget(self.sheet if data.plans else self.nothing)

    def forget(self) -> None:
        self.data, self._named = None, ""
        self.name.clear()
        self.plans.show_rows(())
        self.raters.show_rows(())
        self.heading.set_text("")
        self.said.clear()
        self._agreement.read_with(None)
        self._show_agreement(None)

    def _choose_plan(self) -> None:
        """Show the chosen plan, and read how far its raters agree by now."""
        self._show_plan()
        plan, project = self.plan, self.project
        if plan is None or project is None or plan.workshop or not plan.raters:
            self._agreement.read_with(None)
            self._show_agreement(None)
            return
        self._agreement.read_with(lambda ctx: agreement_so_far(ctx, project, plan.id, compute.shared()))
        self._agreement.ask()

    def _show_agreement(self, found: "AgreementSoFar | None") -> None:
        show_words(self.agreement, "" if found is None else words.so_far_words(found))

    def _show_plan(self) -> None:
        plan = self.plan
        if plan is None:
            return
        if plan.id != self._named:
            self._named = plan.id
            self.name.setText(tr(safe_line(plan.title)))
            self.name.home(False)
        self.heading.set_text(words.plan_title(plan))
        self.raters.show_rows(words.rater_rows(plan.raters))
        show_if(self.frame, bool(plan.raters))
        show_words(self.said, _said(plan))
        for button in (self.make, self.judge):
            show_if(button, not plan.workshop)
        show_if(self.workshop, plan.workshop)
        show_if(self.next_round, plan.rounds > 0)
        self.next_round.setEnabled(self.writable and bool(plan.raters))
        self.make.setEnabled(self.writable)
        show_if(self.delete, not plan.raters and not plan.taking_part)
        self._allow()

    def _allow(self) -> None:
        plan, name = self.plan, self.name.text().strip()
        self.rename.setEnabled(self.writable and plan is not None and bool(name) and name != tr(safe_line(plan.title)))
        self.delete.setEnabled(self.writable)

    def rename_plan(self) -> None:
        plan, project = self.plan, self.project
        if plan is not None and project is not None and self.rename.isEnabled():
            renaming = rename_plan(project=project, plan_id=plan.id, name=self.name.text())
            renaming.start(self.shell.jobs, on_error=self.shell.show_error)

    def ask_for_round(self) -> None:
        """Say what is least known and what the next round would be, and draw it after a yes."""
        plan, project = self.plan, self.project
        if plan is None or project is None:
            return

        def draw() -> None:
            drawing = next_round(project=project, plan_id=plan.id, store=True)
            drawing.start(self.shell.jobs, on_error=self.shell.show_error)

        def ask(would_be: "NextRound") -> None:
            Question(
                self.window(),
                title=tr("Draw round {n}?").format(n=would_be.number),
                text=safe_line(would_be.words),
                safe=tr("Not yet"),
                risky=tr("Draw it"),
                on_risky=draw,
            ).open()

        asking = next_round(project=project, plan_id=plan.id, store=False)
        asking.start(self.shell.jobs, on_done=ask, on_error=self.shell.show_error)

    def ask_to_delete(self) -> None:
        """Delete the chosen plan, after a question; only one that nobody began, so that no answer is lost."""
        plan, project = self.plan, self.project
        if plan is None or project is None:
            return

        def delete() -> None:
            deleting = delete_plan(project=project, plan_id=plan.id)
            deleting.start(self.shell.jobs, on_error=self.shell.show_error)

        Question(
            self.window(),
            title=tr("Delete “{name}”?").format(name=as_given(plan.title)),
            text=tr(
                "Nobody has begun to judge it. Its {n} comparisons go, the texts stay; the same settings and seed draw "
                "them again."
            ).format(n=plan.comparisons),
            safe=tr("Keep it"),
            risky=tr("Delete the plan"),
            on_risky=delete,
        ).open()

    def _lay_out(self) -> None:
        top = Card("", self.plans, padding=(4, 8))
        head = in_row((self.heading, 1))
        actions = FlowLayout(spacing=theme.current().grid)
        for button in (self.make, self.judge, self.next_round, self.workshop, self.name, self.rename, self.delete):
            actions.addWidget(button)
        self.frame = QWidget()
        in_row(self.raters, inside=self.frame, margins=0)
        about = Card("", head, self.said, self.frame, actions, self.agreement, padding=16)
        self.sheet = Sheet(top, about, STRETCH)
        self.add_page(self.sheet)
        self.add_page(self.nothing)


def _said(plan: "PlanState") -> str:
    """Return a note on a plan's raters, shown above their table or instead of it."""
    if plan.workshop:
        return words.workshop_words(plan)
    if not plan.raters:
        return tr("Nobody has rated yet. A rater can sit down at this machine, or get a packet to rate offline.")
    if any(rater.open and rater.where == "here" and not rater.model for rater in plan.raters):
        return tr("Of a session that is open on this machine only the number of answers is shown, until its reveal.")
    return ""


def reader_of(project: "Project") -> Callable[[JobContext], PlansData]:
    """Return a function that reads plans and raters; it caches between readings what cannot change."""
    states: list[Any] = []

    def read(ctx: JobContext) -> PlansData:
        if not states:
            states.append(RaterStates(project))
        codes = tuple(as_given(row.code) for row in project.judging.raters() if row.kind == "person")
        return PlansData(states[0].read(ctx), read_titles(project), codes)

    return read

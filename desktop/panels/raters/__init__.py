"""The raters panel (`RatersPanel`): who judged, how well raters agree, packets out and in, conflicts and
adjudication.

Raters never see it, because it names axes and identities. It is destroyed while somebody rates on this machine.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QLineEdit, QStackedWidget, QTabBar, QWidget

from biasprint.core.jobs import JobContext
from biasprint.core.judging.carefulness import UNREAD_TEXTS, Exclusion, unread_rule
from biasprint.core.runs.rater_quality import RaterCard, RaterOverview, hard_words, rater_overview
from biasprint.desktop import theme
from biasprint.desktop.operations.raters import count_again, leave_out
from biasprint.desktop.panels.base import Panel
from biasprint.desktop.panels.raters.adjudicate import AdjudicateSection
from biasprint.desktop.panels.raters.decisions import DecisionsSection
from biasprint.desktop.panels.raters.packets import PacketsSection
from biasprint.desktop.panels.raters.plans import PlansSection
from biasprint.desktop.panels.raters.quality import QualitySection
from biasprint.desktop.panels.raters.reasons import ReasonsSection
from biasprint.desktop.panels.raters.section import RatersSection
from biasprint.desktop.shell import Command, Shell
from biasprint.desktop.widgets import Button, Card, Chip, EmptyState, Label, LinkButton, number, tr
from biasprint.desktop.widgets.labels import named, show_if
from biasprint.desktop.widgets.layout import STRETCH, Sheet, add_to, in_row
from biasprint.desktop.widgets.safe_text import as_given
from biasprint.desktop.widgets.small_table import TextTable
from biasprint.desktop.wording import raters as words

if TYPE_CHECKING:
    from biasprint.core.project.changes import Changes
    from biasprint.core.project.project import Project

# ---- Careful rating

LONGEST_REASON = 500


class DecisionRow(QWidget):
    """A reason, and the button that leaves somebody or something out for it, or counts it again."""

    def __init__(self, decide: Callable[[bool, str], object]) -> None:
        super().__init__()
        self._writable = False
        self.reason = named(QLineEdit(maxLength=LONGEST_REASON), tr("Reason"))
        self.out, self.again = Button(tr("Leave out")), Button(tr("Count again"))
        self.reason.textChanged.connect(lambda _: self._allow())
        self.out.clicked.connect(lambda: decide(True, self.reason.text()))
        self.again.clicked.connect(lambda: decide(False, self.reason.text()))
        in_row(self.reason, self.out, self.again, inside=self, spacing=theme.current().grid, margins=0)

    def show_state(self, *, is_out: bool, writable: bool) -> None:
        self._writable = writable
        show_if(self.out, not is_out)
        show_if(self.again, is_out)
        why, back = tr("Why; it is stored and told with the findings"), tr("Why again, if you like to say it")
        self.reason.setPlaceholderText(back if is_out else why)
        self._allow()

    def _allow(self) -> None:
        self.out.setEnabled(self._writable and bool(self.reason.text().strip()))
        self.again.setEnabled(self._writable)
        self.reason.setEnabled(self._writable)


class CareSection(RatersSection):
    """A row for each person; for the chosen one the observations, and the decision; and the rule on unread answers."""

    concerns = frozenset({"plan", "session", "judgment", "rater", "packet", "annotation"})

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell, tr("Care"))
        self.cards: tuple[RaterCard, ...] = ()
        keep = (0, 1, 7, 2, 6, 5, 4, 3)
        self.raters = TextTable(tr("Raters and their care"), words.care_columns(), keep=keep, tall=True)
        self.heading = Label("", "heading")
        self.said = Label("", wrap=True)
        self.decision, self.on_unread = DecisionRow(self._decide), DecisionRow(self._decide_unread)
        self.reason, self.out, self.again = self.decision.reason, self.decision.out, self.decision.again
        self.unread_said = Label("", wrap=True)
        self.hard_said, self.hard = Label("", wrap=True), Card(tr("What is hard"))
        self.to_texts = LinkButton(tr("See the most divided texts"), act=lambda: self.go_to.emit("adjudication"))
        self.unread = Card(tr("Answers before the end of every text was on the screen"))
        self.nothing = EmptyState(
            tr("No person has rated yet"),
            tr("Here you see how far raters are, how carefully they rated, and the hours to pay for."),
            tr("Go to the plans"),
            lambda: self.go_to.emit("plans"),
            icon="raters",
        )
        self.raters.chosen.connect(lambda _: self._show_card())
        self._lay_out()

    @property
    def card(self) -> "RaterCard | None":
        """The card of the chosen rater."""
        return next((card for card in self.cards if card.rater_id == self.raters.current_key), None)

    # the tab's life

    def reading(self, project: "Project") -> Callable[[JobContext], Any]:
        return partial(_read, project=project)

    def show_data(self, data: "tuple[RaterOverview, Exclusion | None]") -> None:
        overview, rule = data
        self.cards = cards = overview.cards
        hard = hard_words(overview.hard)
        self.hard_said.setText("\n".join(hard))
        show_if(self.hard, bool(hard))
        show_if(self.to_texts, overview.hard.split > 0)
        self.raters.show_rows(words.care_rows(cards))
        if cards and self.card is None:
            flagged = next((card for card in cards if card.flags and card.exclusion is None), cards[0])
            self.raters.select(flagged.rater_id)
        self.counted.emit(sum(bool(card.flags) and card.exclusion is None for card in cards))
        self._show_card()
        self.unread_said.setText("\n".join(words.unread_rule_words(cards, rule)))
        self.on_unread.show_state(is_out=rule is not None, writable=self.writable)
        show_if(self.unread, rule is not None or any(card.reading.unread for card in cards))
        self.pages.setCurrentWidget(self.sheet if cards else self.nothing)

    def forget(self) -> None:
        self.cards = ()
        self.raters.show_rows(())
        self.heading.clear()
        self.said.clear()
        self.reason.clear()
        self.on_unread.reason.clear()
        self.counted.emit(0)

    def _show_card(self) -> None:
        card = self.card
        if card is None:
            return
        self.heading.setText(as_given(card.code))
        self.said.setText("\n".join(words.care_words(card)))
        self.decision.show_state(is_out=card.exclusion is not None, writable=self.writable)

    def _decide(self, out: bool, reason: str) -> None:
        if self.card is not None:
            self._write(self.decision, self.card.rater_id, out, reason)

    def _decide_unread(self, out: bool, reason: str) -> None:
        self._write(self.on_unread, UNREAD_TEXTS, out, reason)

    def _write(self, row: DecisionRow, target: str, out: bool, reason: str) -> None:
        if (project := self.project) is not None:
            (leave_out if out else count_again)(project=project, rater_id=target, reason=reason).start(
                self.shell.jobs, on_done=lambda _: row.reason.clear(), on_error=self.shell.show_error
            )

    def _lay_out(self) -> None:
        self.sheet = Sheet()
        top, about = Card(), Card()
        top.set_padding(4, 8)
        top.box.addWidget(self.raters)
        note = tr(
            "A flag is a reason to look, no verdict. Who is left out counts in no finding once they are measured "
            "again; nothing is deleted. Decide before you look at the findings."
        )
        for part in (self.heading, self.said, self.decision, Label(note, "note", wrap=True)):
            about.box.addWidget(part)
        add_to(self.hard.box, self.hard_said, in_row(self.to_texts, STRETCH))
        for part in (self.unread_said, self.on_unread):
            self.unread.box.addWidget(part)
        for card in (about, self.hard, self.unread):
            card.set_padding(16)
        add_to(self.sheet.box, top, about, self.hard, self.unread, STRETCH)
        self.add_page(self.sheet)
        self.add_page(self.nothing)


def _read(ctx: JobContext, project: "Project") -> "tuple[RaterOverview, Exclusion | None]":
    return rater_overview(ctx, project), unread_rule(project)


class RatersPanel(Panel):
    """The coordinator's panel, with a tab for each task. All reading happens in threads."""

    key = "raters"
    title = "Raters"
    scrolls = True
    concerns = frozenset(
        {"plan", "rater", "session", "judgment", "annotation", "packet", "finding", "event", "axis_definition"}
    )

    def build(self) -> None:
        self.read_only = Chip(tr("read-only: nothing can be changed"), "warn")
        self.header.add_chip(self.read_only)
        self.plans, self.packets = PlansSection(self.shell), PacketsSection(self.shell)
        self.decisions, self.adjudication = DecisionsSection(self.shell), AdjudicateSection(self.shell)
        self.care, self.quality = CareSection(self.shell), QualitySection(self.shell)
        self.reasons = ReasonsSection(self.shell)
        self.sections: dict[str, RatersSection] = {
            "plans": self.plans,
            "packets": self.packets,
            "decisions": self.decisions,
            "adjudication": self.adjudication,
            "care": self.care,
            "quality": self.quality,
            "reasons": self.reasons,
        }
        self.tabs = named(QTabBar(drawBase=False, expanding=False), tr("What to do with raters"))
        self.stack = QStackedWidget()
        for key, section in self.sections.items():
            self.tabs.addTab(section.accessibleName())
            self.stack.addWidget(section)
            section.go_to.connect(self.show_tab)
            section.counted.connect(lambda count, key=key: self._say_count(key, count))
        self.tabs.currentChanged.connect(self._show_tab)
        self.plans.packets_wanted.connect(self.make_packets)
        self.body.addWidget(self.tabs)
        self.body.addWidget(self.stack, 1)

    # the panel's life

    def project_opened(self, project: "Project") -> None:
        for section in self.sections.values():
            section.attach(project)

    def project_closed(self) -> None:
        for section in self.sections.values():
            section.attach(None)

    def refresh(self) -> None:
        self.read_only.setVisible(self.project is not None and bool(self.project.read_only))
        for section in self.sections.values():
            section.stale = True
        self.decisions.ask()  # for its count, whichever tab is seen
        self._show_tab()

    def changed(self, changes: "Changes") -> None:
        for key, section in self.sections.items():
            section.deliver(changes, seen=section is self.stack.currentWidget() or key == "decisions")

    def opened_with(
        self,
        *,
        packets: Sequence[Path] = (),
        tab: str = "",
        packets_for: str = "",
        raters: int = 0,
        **what: object,
    ) -> None:
        """Open with returned packets to merge, with a plan to make packets of for `raters` raters, or at a tab."""
        if packets_for:
            self.make_packets(packets_for)
            self.packets.make.whom.setText(str(raters))
        elif packets:
            self.show_tab("packets")
            self.packets.merge.start([Path(path) for path in packets])
        elif tab in self.sections:
            self.show_tab(tab)

    def commands(self) -> list[Command]:
        def there() -> bool:
            return self.project is not None

        to_tabs = [
            Command(tr("Raters: {tab}").format(tab=section.accessibleName()), partial(self.show_tab, key), "", there)
            for key, section in self.sections.items()
        ]
        return [
            Command(tr("Choose packets that came back…"), self._choose_packets, "", there),
            Command(tr("Make packets…"), lambda: self.make_packets(self.plans.plans.current_key), "", there),
            *to_tabs,
        ]

    # going about

    def show_tab(self, key: str) -> None:
        self.tabs.setCurrentIndex(list(self.sections).index(key))

    def make_packets(self, plan_id: str) -> None:
        """Go to the form, with this plan chosen."""
        self.show_tab("packets")
        self.packets.make.choose_plan(plan_id)
        self.packets.sheet.ensureWidgetVisible(self.packets.make)

    def _choose_packets(self) -> None:
        self.show_tab("packets")
        self.packets.merge.ask_files()

    def _show_tab(self, _place: int = 0) -> None:
        section = list(self.sections.values())[self.tabs.currentIndex()]
        self.stack.setCurrentWidget(section)
        if section.stale:
            section.ask()

    def _say_count(self, key: str, count: int) -> None:
        """Show the number of waiting decisions after the tab's title."""
        title = self.sections[key].accessibleName()
        shown = tr("{title} ({count})").format(title=title, count=number(count)) if count else title
        self.tabs.setTabText(list(self.sections).index(key), shown)

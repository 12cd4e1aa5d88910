"""The raters panel (`RatersPanel`): who judged, how well raters agree, packets out and in, conflicts and
adjudication.

Raters never see it, because it names axes and identities. It is destroyed while somebody rates on this machine.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLineEdit, QStackedWidget, QTabBar, QWidget

from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.judging.carefulness import UNREAD_TEXTS, Exclusion, unread_rule
from biasprint.core.language import joined
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.runs.rater_quality import RaterCard, RaterOverview, hard_words, rater_overview
from biasprint.core.runs.reasons import GivenReason, ReasonsFor, reasons
from biasprint.desktop import theme
from biasprint.desktop.charts.live import TextsBehind
from biasprint.desktop.operations.raters import count_again, leave_out
from biasprint.desktop.panels.base import Panel
from biasprint.desktop.panels.charts.measured import FigureCard
from biasprint.desktop.panels.raters.adjudicate import AdjudicateSection
from biasprint.desktop.panels.raters.decisions import DecisionsSection
from biasprint.desktop.panels.raters.packets import PacketsSection
from biasprint.desktop.panels.raters.plans import PlansSection
from biasprint.desktop.panels.raters.quality import (
    STUDY,
    QualitySection,
    QualityTable,
    TableCard,
    quality_rows,
    tells,
    workshop_codes,
)
from biasprint.desktop.panels.raters.section import RatersSection
from biasprint.desktop.read.charts import items_behind
from biasprint.desktop.shell import Command, Shell
from biasprint.desktop.widgets import Button, Card, Chip, EmptyState, Label, LinkButton, number, plural, tr
from biasprint.desktop.widgets.labels import named, show_if
from biasprint.desktop.widgets.layout import STRETCH, Sheet, add_to, in_row, scaled
from biasprint.desktop.widgets.safe_text import as_given, safe_line
from biasprint.desktop.widgets.small_table import TableColumn, TableRow, TextTable
from biasprint.desktop.wording import raters as words
from biasprint.desktop.wording.generators import Titles, read_titles

# ---- Reasons: the words of notes by what was chosen, the notes themselves, and preferences by part

SHARE = "creativity.share"
MOST_WORDS, MOST_REASONS = 8, 30
TEXTS_HEIGHT = 480  # text pixels


class ReasonsData(NamedTuple):
    """The reasons on each side, and the table of shares by part; None before anything was measured."""

    sides: tuple[ReasonsFor, ...]
    slices: QualityTable | None
    shares: tuple[Finding, ...]  # those of its rows
    titles: Titles


def read_reasons(ctx: JobContext, project: Project) -> ReasonsData:
    titles = read_titles(project)
    secret = workshop_codes(project)
    parts = [finding for row in project.findings.all(STUDY) if _is_part(finding := row.finding)]
    shown = [finding for finding in parts if not tells(finding, secret)]
    rows, below = quality_rows("slices", shown, titles)
    help = tr("The share of choices of each identity within a part of the comparisons; without bias all are alike.")
    slices = QualityTable(
        "slices", tr("Preference by task, theme, generator and rater"), help, rows, below, len(parts) - len(shown)
    )  # fmt: skip
    return ReasonsData(reasons(ctx, project), slices if rows else None, tuple(shown), titles)


def _is_part(finding: Finding) -> bool:
    return finding.id == SHARE and finding.variant == "default" and len(finding.dims) > 1


def side_rows(sides: Sequence[ReasonsFor], titles: Titles) -> list[TableRow]:
    """Return a row for each identity: how many reasons, and the words that tell them from those for the others."""
    return [
        TableRow(
            f"{place}",
            (
                safe_line(titles.axis_and_identity(side.axis, side.identity)),
                number(len(side.reasons)),
                safe_line(joined(", ", *(_counted(side, place) for place in range(min(MOST_WORDS, len(side.words))))))
                or tr("none is more frequent here"),
            ),
        )
        for place, side in enumerate(sides)
    ]


def _counted(side: ReasonsFor, place: int) -> str:
    word = side.words[place]
    return tr("{word} ({here} times, {others} for the others)").format(
        word=as_given(word.word), here=number(word.here), others=number(word.others)
    )


def said_reasons(given: Sequence[GivenReason]) -> str:
    """Return the reasons themselves, a line each."""
    noted, marked = tr("{rater}: “{text}”"), tr("{rater} marked “{text}”")
    lines = [
        (marked if one.marked else noted).format(rater=as_given(one.rater), text=as_given(one.text))
        for one in given[:MOST_REASONS]
    ]
    if more := len(given) - len(lines):
        lines.append(plural(more, "and 1 more, in the exported judgments", "and %n more, in the exported judgments"))
    return "\n".join(lines)


class ReasonsSection(RatersSection):
    """The tab: words by side, the notes of the chosen side, and the shares by part."""

    concerns = frozenset({"finding", "judgment", "session", "annotation", "packet", "axis_definition"})

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell, tr("Reasons"))
        self.sides: tuple[ReasonsFor, ...] = ()
        self.shares: tuple[Finding, ...] = ()
        columns = (
            TableColumn(tr("Chosen"), 220), TableColumn(tr("Reasons"), 84, number=True),
            TableColumn(tr("Words more frequent here than in the reasons for the others")),
        )  # fmt: skip
        self.view = TextTable(tr("Reasons by what was chosen"), columns, wrap=True, tall=True)
        self.view.chosen.connect(lambda _: self._show_side())
        self.given = Label("", wrap=True)
        self.words = Card(tr("In the raters’ words"))
        self.words.box.addWidget(Label(tr(
            "Notes beside a choice, and words that were marked in the chosen text, of everybody who has finished."
        ), "soft", wrap=True))  # fmt: skip
        add_to(self.words.box, self.view, self.given)
        self.slices = TableCard(QualityTable("slices", tr("Preference by task, theme, generator and rater"), "", ()))
        self.slices.box.addWidget(
            Label(tr("Enter, or a double click, opens the texts behind a row."), "note", wrap=True)
        )
        self.figure = FigureCard()
        scaled(self.figure, self.figure.setMinimumHeight, TEXTS_HEIGHT)  # the sheet scrolls rather than squeeze it
        self.slices.view.opened.connect(self._open)
        self.sheet = Sheet(self.words, self.slices, self.figure, STRETCH)
        self.nothing = EmptyState(
            tr("No reasons yet"),
            tr("Notes, and words that raters mark, are summarised here once somebody has finished; after measuring "
               "also the preferences by task, theme, generator and rater."),
            tr("Go to the plans"), lambda: self.go_to.emit("plans"), icon="raters",
        )  # fmt: skip
        self.add_page(self.sheet)
        self.add_page(self.nothing)

    def reading(self, project: Project) -> Callable[[JobContext], Any]:
        return partial(read_reasons, project=project)

    def show_data(self, data: ReasonsData) -> None:
        self.sides = tuple(side for side in data.sides if side.reasons)
        self.shares = data.shares
        self.view.show_rows(side_rows(self.sides, data.titles))
        self.words.setVisible(bool(self.sides))
        if self.sides and not self.view.current_key:
            self.view.select("0")
        self._show_side()
        self.slices.setVisible(data.slices is not None)
        if data.slices is not None:
            self.slices.show_table(data.slices)
        self.pages.setCurrentWidget(self.sheet if self.sides or data.slices else self.nothing)

    def forget(self) -> None:
        self.sides, self.shares = (), ()
        self.view.show_rows(())
        self.figure.close_card()
        self.given.clear()
        self.slices.show_table(QualityTable("slices", "", "", ()))

    def _open(self, key: str) -> None:
        """Show the texts behind a share."""
        project, finding = self.project, self.shares[int(key.rpartition("/")[2])]
        if project is None:
            return
        row = next(row for row in self.slices.view.table.rows if row.key == key)
        self.figure.show_finding(finding, "\n".join(row.cells[:3]), with_tests=True)

        def show(items: TextsBehind) -> None:
            if self.figure.finding is finding:
                self.figure.show_items(items)
                # Once it is laid out: it stands below a table that may be long.
                QTimer.singleShot(0, self.figure, lambda: self.sheet.ensureWidgetVisible(self.figure))

        self.shell.jobs.start(
            tr("Texts behind a figure"), lambda ctx: items_behind(ctx, project, finding), quiet=True, on_done=show,
            on_error=self.shell.show_error,
        )  # fmt: skip

    def _show_side(self) -> None:
        place = int(self.view.current_key or -1)
        self.given.setText(said_reasons(self.sides[place].reasons) if 0 <= place < len(self.sides) else "")


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
    def card(self) -> RaterCard | None:
        """The card of the chosen rater."""
        return next((card for card in self.cards if card.rater_id == self.raters.current_key), None)

    # the tab's life

    def reading(self, project: Project) -> Callable[[JobContext], Any]:
        return partial(_read, project=project)

    def show_data(self, data: tuple[RaterOverview, Exclusion | None]) -> None:
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


def _read(ctx: JobContext, project: Project) -> tuple[RaterOverview, Exclusion | None]:
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

    def project_opened(self, project: Project) -> None:
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

    def changed(self, changes: Changes) -> None:
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

"""Adjudication: the comparisons that raters disagree on, the most divided first, and the page that decides one."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from biasprint.core.jobs import JobContext
from biasprint.core.judging.adjudication import Decided, Disagreement, RaterJudgment
from biasprint.core.project.project import Project
from biasprint.desktop import theme
from biasprint.desktop.operations.raters import adjudicate
from biasprint.desktop.panels.judge.work import NoteEdit
from biasprint.desktop.panels.raters.section import NeutralCards, PageHead, RatersSection
from biasprint.desktop.read.decisions import AdjudicationData, identity_names, read_adjudication, read_texts
from biasprint.desktop.settings import JudgeKeys, KeyMap
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import (
    Button,
    Card,
    EmptyState,
    FlowLayout,
    Label,
    LinkButton,
    number,
    plural,
    spelled_seconds,
    tr,
)
from biasprint.desktop.widgets.buttons import ChoiceButton
from biasprint.desktop.widgets.cards import ShadeLegend
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.labels import hidden, show_if
from biasprint.desktop.widgets.layout import SCROLL_BAR, Sheet, add_to, empty, in_column, in_row, stack_of
from biasprint.desktop.widgets.safe_text import as_given, safe_line
from biasprint.desktop.widgets.small_table import TableColumn, TextTable, focus_first
from biasprint.desktop.wording import raters as words

CHOICES = ("choose_1", "choose_2", "choose_3")


class Verdict(NamedTuple):
    """The adjudicator's outcome; `card` is the place of the chosen text, from 0."""

    outcome: Decided
    card: int | None
    note: str


class AdjudicatePage(Sheet):
    """The page that decides one comparison: `judged` carries a `Verdict`. Keys as in judging; Escape closes it."""

    judged = Signal(object)

    def __init__(self, keys: KeyMap) -> None:
        super().__init__()
        self.setAccessibleName(tr("Adjudication of one comparison"))
        self.one: Disagreement | None = None
        self._names: Sequence[str] = ()
        self._writable = False
        self.head = PageHead(tr("All disagreements"))
        self.cards = NeutralCards(("1", "2", "3"), choosing=True)
        self.legend = hidden(ShadeLegend())
        self.tie, self.none = ChoiceButton(tr("Tie"), key="0"), ChoiceButton(tr("None is good"), key="X")
        self.withdraw = LinkButton(tr("Take it back"), act=lambda: self._judge("withdrawn"))
        self.names = LinkButton(tr("Show who they were written for"))
        self.names.setCheckable(True)
        self.note = NoteEdit()
        self.note.setPlaceholderText(tr("A note on your decision. It is kept with the outcome you choose."))
        self.save_note = Button(tr("Save the note"), act=self._keep_note)
        self.state = Label("", "soft", wrap=True)
        self.said = QVBoxLayout()
        self.keys = JudgeKeys(
            {
                **{name: partial(self._choose, place) for place, name in enumerate(CHOICES)},
                "tie": lambda: self._judge("tie"),
                "none": lambda: self._judge("none"),
                "note": self.note.setFocus,
                "back": lambda: self.head.moved.emit(-1),
            }
        )
        self._lay_out()
        self._connect()
        self.set_keys(keys)

    def set_keys(self, keys: KeyMap) -> None:
        """Use these keys, and show them on the buttons."""
        self.keys.set_keys(keys)
        first = {name: next(iter(keys.get(name, ())), "") for name in (*CHOICES, "tie", "none")}
        self.cards.set_keys([first[name] for name in CHOICES])
        self.tie.set_key(first["tie"])
        self.none.set_key(first["none"])

    def show_one(self, one: Disagreement, names: Sequence[str], *, writable: bool) -> None:
        """Show a comparison with its judgments; the texts are set when they have been read."""
        new = self.one is None or self.one.comparison.id != one.comparison.id
        before, self.one = self.one, one
        self._names, self._writable = names, writable
        decided = one.adjudication
        if new or (before is not None and before.adjudication != decided and not self.note.hasFocus()):
            self.note.setPlainText(decided.note if decided else "")
        if new or before is None or before.judgments != one.judgments:
            self._fill(one)
        self._name()
        self._show_outcome()

    def set_texts(self, texts: Sequence[str]) -> None:
        """Show the texts, and in each the words that raters marked, shaded by how many of them did."""
        self.cards.set_texts(texts)
        raters = len(self.one.judgments) if self.one is not None else 0
        marked = [self.one.marked(item) for item in self.one.order] if self.one is not None else []
        for card, spans in zip(self.cards.cards, marked, strict=False):
            card.mark_reasons(spans, max(2, raters))
        self.legend.show_counts(raters)
        show_if(self.legend, any(marked))
        self._show_outcome()

    def forget(self) -> None:
        """Clear the comparison, and hide identities again."""
        self.one, self._names = None, ()
        self.head.forget()
        self.names.setChecked(False)
        self.note.clear()
        self.legend.hide()
        for card in self.cards.cards:
            card.mark_reasons(())
        self.cards.set_texts(())
        self._clear()

    # what the adjudicator does

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.head.closed.emit()
        elif not self.keys.handle(event):
            super().keyPressEvent(event)

    def _choose(self, place: int) -> None:
        if self.one is not None and place < len(self.one.order):
            self._judge("choice", place)

    def _judge(self, outcome: Decided, card: int | None = None) -> None:
        if self.one is not None and self._writable:
            self.judged.emit(Verdict(outcome, card, self.note.toPlainText().strip()))

    def _keep_note(self) -> None:
        """Keep the outcome with the edited note."""
        decided = self.one.adjudication if self.one is not None else None
        if self.one is not None and decided is not None:
            card = None if decided.chosen is None else self.one.order.index(decided.chosen)
            self._judge(decided.outcome, card)

    # showing

    def _show_outcome(self) -> None:
        disagreement = self.one
        decided = disagreement.adjudication if disagreement is not None else None
        outcome = decided.outcome if decided is not None else ""
        chosen = decided.chosen if decided is not None else None
        self.cards.set_answer(None if chosen is None or disagreement is None else disagreement.order.index(chosen))
        for button, its in ((self.tie, "tie"), (self.none, "none")):
            button.setChecked(outcome == its)
        for button in (self.tie, self.none, *(card.button for card in self.cards.cards)):
            button.setEnabled(self._writable)
        self.note.setEnabled(self._writable)
        show_if(self.withdraw, decided is not None and self._writable)
        self._show_note_button()
        if disagreement is None or decided is None:
            self.state.setText(tr("Not adjudicated yet. What you choose stands beside the raters' answers."))
        else:
            outcome_text = words.outcome_words(decided.outcome, decided.chosen, disagreement.order)
            self.state.setText(tr("Adjudicated: {outcome}. Choose again to change it.").format(outcome=outcome_text))

    def _show_note_button(self) -> None:
        decided = self.one.adjudication if self.one is not None else None
        changed = decided is not None and self.note.toPlainText().strip() != decided.note
        show_if(self.save_note, changed and self._writable)

    def _name(self) -> None:
        shown = self.names.isChecked()
        self.cards.name_identities(self._names if shown else ())
        self.names.set_text(tr("Hide it again") if shown else _names_words(self.one.kind if self.one else ""))

    def _fill(self, one: Disagreement) -> None:
        self._clear()
        if one.workshop:
            counted = words.counted_outcomes([(each.outcome, each.chosen) for each in one.judgments], one.order)
            summary = tr("{counts}. In a workshop everybody is anonymous.").format(counts=counted)
            self.said.addWidget(Label(summary, "", wrap=True))
            return
        for place, each in enumerate(one.judgments, start=1):
            self.said.addWidget(_line(each, one.order, place))

    def _clear(self) -> None:
        empty(self.said)

    def _connect(self) -> None:
        self.cards.chosen.connect(self._choose)
        self.tie.clicked.connect(lambda: self._judge("tie"))
        self.none.clicked.connect(lambda: self._judge("none"))
        self.names.toggled.connect(lambda _: self._name())
        self.note.textChanged.connect(self._show_note_button)
        self.note.left.connect(self.setFocus)

    def _lay_out(self) -> None:
        tokens = theme.current()
        answers = FlowLayout(self.tie, self.none, self.names, self.withdraw, spacing=tokens.grid, centred=True)
        raters, mine = Card(tr("What the raters said")), Card(tr("Your decision"))
        for card in (raters, mine):
            card.set_padding(16)
        raters.box.addLayout(self.said)
        add_to(mine.box, self.state, self.note, FlowLayout(self.save_note, spacing=tokens.grid))
        below = in_row((raters, 1), (mine, 1), spacing=tokens.gap)
        add_to(self.box, self.head, (self.cards, 1), self.legend, answers, below)


def _line(one: RaterJudgment, order: Sequence[int], place: int) -> QWidget:
    """Return a widget with one rater's answer and note."""
    who = as_given(one.rater)
    outcome = words.outcome_words(one.outcome, one.chosen, order, one.degree, one.confidence)
    line = QWidget()
    first = tr("{rater}: {said} ({seconds})").format(
        rater=who, said=outcome, seconds=spelled_seconds(one.active_seconds)
    )
    box = in_column(Label(first, "", wrap=True), inside=line, spacing=2, margins=0)
    if note := words.safe_lines(one.note):
        quoted = Label(note, "note", wrap=True)
        quoted.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        box.addWidget(quoted)
    line.setAccessibleName(tr(f"{place}. {first}"))
    return line


def _names_words(kind: str) -> str:
    return {
        "model": tr("Show which generator wrote them"),
        "origin": tr("Show where they come from"),
        "twin": tr("Show whose letters they are"),
    }.get(kind, tr("Show who they were written for"))


# ---- The list


class AdjudicateSection(RatersSection):
    """The list with its filters, and the page of one comparison that replaces it."""

    concerns = frozenset({"judgment", "annotation", "session", "plan", "axis_definition"})

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell, tr("Adjudication"))
        self.data: AdjudicationData | None = None
        self.listed: list[Disagreement] = []
        self.shown = ""  # the comparison on the page
        self.axis, self.task = ComboBox(), ComboBox()
        self.left_only = QCheckBox(tr("Only what is left"))
        self.said = Label("", "soft", wrap=True)
        self.view = TextTable(tr("Comparisons that raters disagree on"), _columns(), keep=(0, 2, 4, 3, 1))
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

    def reading(self, project: Project) -> Callable[[JobContext], Any]:
        return partial(_read, project=project)

    def show_data(self, data: AdjudicationData) -> None:
        self.data = data
        titles = data.titles
        axes = dict.fromkeys(disagreement.comparison.axis for disagreement in data.disagreements)
        tasks = dict.fromkeys(disagreement.comparison.task for disagreement in data.disagreements)
        _offer(self.axis, tr("All axes"), [(key, titles.axes.get(key, key)) for key in axes])
        _offer(self.task, tr("All tasks"), [(key, titles.task(key)) for key in tasks])
        done = sum(disagreement.adjudication is not None for disagreement in data.disagreements)
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
        """List the comparisons that pass the filters; the one on the page stays until it is left."""
        if self.data is None:
            return
        axis, task, left = self.axis.currentData(), self.task.currentData(), self.left_only.isChecked()
        self.listed = [
            disagreement
            for disagreement in self.data.disagreements
            if (axis is None or disagreement.comparison.axis == axis)
            and (task is None or disagreement.comparison.task == task)
            and (not left or disagreement.adjudication is None or disagreement.comparison.id == self.shown)
        ]
        self.view.show_rows([self.data.rows[disagreement.comparison.id] for disagreement in self.listed])
        self.table_pages.setCurrentWidget(self.view if self.listed else self.no_match)
        if self.shown:
            again = next((listed for listed in self.listed if listed.comparison.id == self.shown), None)
            if again is None:
                self.close_page()
            else:
                self._show(again)

    def _settings_changed(self, key: str) -> None:
        if key == "keys":
            self.page.set_keys(self.shell.settings.keys())

    # one comparison

    def show_one(self, key: str) -> None:
        """Show one comparison instead of the list, and read its texts."""
        disagreement = next((listed for listed in self.listed if listed.comparison.id == key), None)
        project = self.project
        if disagreement is None or project is None:
            return
        self.shown = key
        self.page.forget()
        self._show(disagreement)
        self.inside.setCurrentWidget(self.page)
        self.page.setFocus()

        def read(ctx: JobContext) -> list[str]:
            return read_texts(ctx, project, disagreement.comparison, disagreement.order)

        def show(texts: list[str]) -> None:
            if self.shown == key:
                self.page.set_texts(texts)

        self.shell.jobs.start(tr("Texts"), read, quiet=True, on_done=show, on_error=self.shell.show_error)

    def keep(self, verdict: Verdict) -> None:
        """Store the decision on the comparison on the page."""
        disagreement = next((listed for listed in self.listed if listed.comparison.id == self.shown), None)
        project = self.project
        if disagreement is None or project is None or project.read_only:
            return
        chosen = None if verdict.card is None else disagreement.order[verdict.card]
        adjudicate(
            project=project,
            comparison=disagreement.comparison,
            outcome=verdict.outcome,
            chosen=chosen,
            note=verdict.note,
        ).start(self.shell.jobs, on_error=self.shell.show_error)

    def close_page(self) -> None:
        key, self.shown = self.shown, ""
        self.page.forget()
        self.inside.setCurrentIndex(0)
        self._narrow()
        self.view.select(key)
        focus_first(self.view)

    def _show(self, one: Disagreement) -> None:
        assert self.data is not None
        titles = self.data.titles
        about = titles.about(one.comparison.task, one.comparison.theme)
        self.page.head.show_place(about, self.listed.index(one), len(self.listed))
        names = identity_names(one.comparison, one.order, titles)
        self.page.show_one(one, names, writable=self.writable)

    def _move(self, step: int) -> None:
        place = next((place for place, listed in enumerate(self.listed) if listed.comparison.id == self.shown), None)
        if place is not None and 0 <= place + step < len(self.listed):
            self.show_one(self.listed[place + step].comparison.id)

    # the look

    def _lay_out(self) -> None:
        filters = FlowLayout(spacing=theme.current().grid, centred=True)
        for box, name in ((self.axis, tr("Axis")), (self.task, tr("Task"))):
            box.setAccessibleName(tr(name))
            box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
            filters.addWidget(box)
        filters.addWidget(self.left_only)
        self.table_pages = stack_of(self.view, self.no_match)
        frame = Card("", (self.table_pages, 1), padding=(4, 8))
        listing = QWidget()
        in_column(
            self.said, filters, (frame, 1), inside=listing, spacing=theme.current().gap, margins=(0, 0, SCROLL_BAR, 0)
        )
        self.inside = stack_of(listing, self.page)
        self.add_page(self.inside)
        self.add_page(self.nothing)


def _read(ctx: JobContext, project: Project) -> AdjudicationData:
    return read_adjudication(ctx, project)


def _columns() -> tuple[TableColumn, ...]:
    return (
        TableColumn(tr("Comparison")),
        TableColumn(tr("Axis"), 130),
        TableColumn(tr("What they said"), 210, help=tr("Letters stand for the texts in an order of their own")),
        TableColumn(tr("Raters"), 76, number=True),
        TableColumn(tr("Adjudicated"), 130),
    )


def _offer(box: ComboBox, every: str, choices: Sequence[tuple[str, str]]) -> None:
    """Fill a box with the choices after "all", and keep the current choice if it is still offered."""
    before = box.currentData()
    with QSignalBlocker(box):
        box.clear()
        box.addItem(every, None)
        for key, title in choices:
            box.addItem(safe_line(tr(title)), key)
        box.setCurrentIndex(max(0, box.findData(before)))
    box.setVisible(len(choices) > 1)

"""The decisions tab: conflicting answers, differing copies of a workshop's seats, and unfinished packets."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from biasprint.core.jobs import JobContext
from biasprint.core.judging.packets.decisions import Conflict, PacketState, SeatsToDecide, WhichCopy
from biasprint.core.project.project import Project
from biasprint.core.project.rows import JudgmentRow
from biasprint.desktop import theme
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.operations.raters import Which, count_what_came, decide, decide_all, decide_seats
from biasprint.desktop.panels.findings.studies import when_words
from biasprint.desktop.panels.raters.section import NeutralCards, PageHead, RatersSection
from biasprint.desktop.read.decisions import ConflictLine, DecisionsData, read_decisions, read_texts
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Button, Card, EmptyState, FlowLayout, Label, number, plural, spelled_seconds, tr
from biasprint.desktop.widgets.labels import show_if
from biasprint.desktop.widgets.layout import STRETCH, Sheet, add_to, empty, in_column, in_row, stack_of
from biasprint.desktop.widgets.safe_text import as_given, safe_line
from biasprint.desktop.widgets.small_table import TableColumn, TableRow, TextTable, focus_first
from biasprint.desktop.wording import raters as words

# ---- One conflict

ANSWER_WIDTH = 260  # text pixels of an answer, before they stand under each other


class AnswerCard(Card):
    """One of the answers, and the button that makes it count."""

    def __init__(self, head: JudgmentRow, order: Sequence[int]) -> None:
        super().__init__()
        self.said = Label(words.outcome_words(head.outcome, head.chosen, order, head.degree, head.confidence), "strong")
        self.when = Label(
            tr("{when} · {seconds} of active time").format(
                when=when_words(head.created_at), seconds=spelled_seconds(head.active_seconds)
            ),
            "note",
            wrap=True,
        )
        self.note = Label("", "", wrap=True)
        self.note.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.note.setText(words.safe_lines(head.note) or tr("no note"))
        self.count = Button(tr("Count this one"))
        self.set_padding(16)
        add_to(self.box, self.said, self.when, self.note, in_row(self.count, STRETCH))
        self.setAccessibleName(tr(f"{self.said.text()}; {self.when.text()}; {self.note.text()}"))

    def show_decided(self, decided: bool, writable: bool) -> None:
        self.set_chosen(decided)
        self.count.set_role("primary" if decided else "")
        self.count.set_text(tr("✓ Counts") if decided else tr("Count this one"))
        self.count.setAccessibleName(tr(f"{self.count.text()}: {self.said.text()}, {self.when.text()}"))
        self.count.setEnabled(writable)


class ConflictPage(Sheet):
    """The page of one conflict. `decided` carries the id of the judgment that counts, or None. Escape closes it."""

    decided = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.head = PageHead(tr("All decisions"))
        self.cards = NeutralCards(("1", "2", "3"), choosing=False)
        self.said = Label("", "soft", wrap=True)
        self.neither = Button(tr("Count neither"), act=lambda: self.decided.emit(None))
        self.answers: list[AnswerCard] = []
        self._heads: tuple[str, ...] = ()
        self._row = QWidget()
        self._beside = QBoxLayout(QBoxLayout.Direction.LeftToRight, self._row)
        self._beside.setContentsMargins(0, 0, 0, 0)
        self._beside.setSpacing(theme.current().gap)
        self.setAccessibleName(tr("One conflict"))
        for part in (self.head, self.cards, self.said, self._row):
            self.box.addWidget(part, 1 if part is self.cards else 0)
        self.box.addLayout(FlowLayout(self.neither, spacing=theme.current().grid))

    def show_line(self, line: ConflictLine, place: int, count: int, *, writable: bool) -> None:
        """Show a conflict. Its texts are set when they have been read."""
        conflict = line.conflict
        title = tr("{comparison}, rater {code}").format(comparison=line.title, code=conflict.code)
        self.head.show_place(title, place, count)
        self.said.setText(_said(line))
        heads = () if line.hidden else conflict.heads
        if tuple(head.id for head in heads) != self._heads:
            self._fill(heads, line.order)
        for answer, head in zip(self.answers, heads, strict=True):
            answer.show_decided(not conflict.open and conflict.decided == head.id, writable)
        neither = not conflict.open and conflict.decided is None
        self.neither.set_role("primary" if neither else "")
        self.neither.set_text(tr("✓ Neither counts") if neither else tr("Count neither"))
        self.neither.setEnabled(writable)
        for part in (self.cards, self._row, self.neither):
            show_if(part, not line.hidden)

    def forget(self) -> None:
        """Clear the conflict."""
        self.head.forget()
        self.cards.set_texts(())
        self._fill((), ())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.head.closed.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _fill(self, heads: Sequence[JudgmentRow], order: Sequence[int]) -> None:
        for old in self.answers:
            self._beside.removeWidget(old)
            old.deleteLater()
        self._heads = tuple(head.id for head in heads)
        self.answers = [AnswerCard(head, order) for head in heads]
        for answer, key in zip(self.answers, self._heads, strict=True):
            answer.count.clicked.connect(lambda _=False, key=key: self.decided.emit(key))
            self._beside.addWidget(answer, 1)
        self._make_room()

    def _make_room(self) -> None:
        """Place the answers side by side if all of them fit."""
        wide = self.width() >= theme.current().px(ANSWER_WIDTH) * len(self.answers)
        self._beside.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)


def _said(line: ConflictLine) -> str:
    """Return the words above a conflict: the task, and that no answer is lost by a decision."""
    if line.hidden:
        return tr(
            "This rater's packet has not come back finished: the answers stay hidden until it has, or until you count "
            "what came back."
        )
    if line.conflict.open:
        return tr("None of these answers counts yet. Choose the one that does; all of them stay in the project.")
    return tr("You have decided. To undo it, decide again: the later decision counts, and every answer stays.")


# ---- The tab of decisions

IN_BULK: dict[Which, str] = {
    0: "Count the first answer of all…",
    -1: "Count the last answer of all…",
    None: "Count neither of all…",
}
BULK_WORDS: dict[Which, str] = {
    0: "In every conflict that waits, the answer that was given first counts.",
    -1: "In every conflict that waits, the answer that was given last counts.",
    None: "In no conflict that waits does an answer count.",
}

SEATS_IN_BULK: dict[WhichCopy, str] = {
    "first": "Count what was answered first…",
    "last": "Count what was answered last…",
}


class SeatsCard(Card):
    """Seats of a workshop whose copies differ, decided together; neither the person nor the answers are shown."""

    def __init__(self, one: SeatsToDecide, decide: Callable[[WhichCopy], object], *, writable: bool) -> None:
        super().__init__(tr("Seats of the workshop “{title}”").format(title=safe_line(one.title)))
        seats = plural(one.seats, "1 seat came back", "%n seats came back")
        answers = plural(one.answers, "differ in 1 answer", "differ in %n answers")
        words = tr(
            "{seats} in copies that {answers}. Until you decide which counts, the five people a seat is shown with "
            "are in no picture. Whose seats they are, and what was answered, is not shown."
        ).format(seats=seats, answers=answers)
        self.said = Label(words, "soft", wrap=True)
        self.buttons = {which: Button(tr(title)) for which, title in SEATS_IN_BULK.items()}
        row = FlowLayout(spacing=theme.current().grid)
        for which, button in self.buttons.items():
            button.setEnabled(writable)
            button.clicked.connect(lambda _=False, which=which: decide(which))
            row.addWidget(button)
        add_to(self.box, self.said, row)


class DecisionsSection(RatersSection):
    """A list of what waits for a decision, and the page of one conflict that replaces it."""

    concerns = frozenset({"judgment", "annotation", "session", "packet", "plan"})

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell, tr("Decisions"))
        self.data: DecisionsData | None = None
        self.shown: ConflictLine | None = None
        self.conflicts = TextTable(tr("Conflicting answers"), _conflict_columns(), keep=(0, 2, 1, 3), tall=True)
        self.unfinished = TextTable(tr("Packets not finished"), _packet_columns(), keep=(0, 2, 1, 3, 4), tall=True)
        self.open = Button(tr("Look at it"), act=lambda: self.show_conflict(self.conflicts.current_key))
        self.in_bulk = {which: Button(tr(title)) for which, title in IN_BULK.items()}
        self.count = Button(tr("Count what came back…"), act=self.ask_to_count)
        self.nothing = EmptyState(
            tr("Nothing to decide"),
            tr("Where one rater’s files hold different answers to one comparison, you decide here which counts."),
            tr("Bring packets back"),
            lambda: self.go_to.emit("packets"),
            icon="check",
        )
        self.page = ConflictPage()
        self._lay_out()
        self.conflicts.opened.connect(self.show_conflict)
        self.unfinished.chosen.connect(lambda _: self._allow())
        for which, button in self.in_bulk.items():
            button.clicked.connect(lambda _=False, which=which: self.ask_to_decide_all(which))
        self.page.head.closed.connect(self.close_page)
        self.page.head.moved.connect(self._move)
        self.page.decided.connect(self.keep)

    # the tab's life

    def reading(self, project: Project) -> Callable[[JobContext], Any]:
        return partial(_read, project=project)

    def show_data(self, data: DecisionsData) -> None:
        self.data = data = replace(data, conflicts=tuple(self._order(data)))
        waiting = sum(line.conflict.open and not line.hidden for line in data.conflicts)
        self.counted.emit(waiting + sum(workshop.seats for workshop in data.seats))
        self._show_seats(data.seats)
        self.conflicts.show_rows([_conflict_row(line) for line in data.conflicts])
        self.unfinished.show_rows([_packet_row(packet) for packet in data.unfinished])
        for card, rows in ((self.conflict_card, data.conflicts), (self.packet_card, data.unfinished)):
            show_if(card, bool(rows))
        for view, some in ((self.conflicts, data.conflicts), (self.unfinished, data.unfinished)):
            if some and not view.current_key:
                view.select(view.table.rows[0].key)
        self._allow()
        again = next((line for line in data.conflicts if self.shown and line.key == self.shown.key), None)
        if self.shown is not None and again is None:
            self.close_page()
        elif again is not None:
            self.shown = again
            self.page.show_line(again, *self._place(again), writable=self.writable)
        some = data.conflicts or data.unfinished or data.seats
        self.pages.setCurrentWidget(self.inside if some else self.nothing)

    def _show_seats(self, seats: Sequence[SeatsToDecide]) -> None:
        empty(self.seats)
        for workshop in seats:
            card = SeatsCard(workshop, partial(self.ask_to_decide_seats, workshop), writable=self.writable)
            self.seats.addWidget(card)

    def ask_to_decide_seats(self, one: SeatsToDecide, which: WhichCopy) -> None:
        """Decide all seats of a workshop in the same way, after a question; decided seats leave the list."""
        project = self.project
        if project is None:
            return

        def keep() -> None:
            decide_seats(project=project, plan_id=one.plan_id, which=which).start(
                self.shell.jobs, on_error=self.shell.show_error
            )

        first = tr("In every answer in which copies differ, the one that was given first counts.")
        last = tr("In every answer in which copies differ, the one that was given last counts.")
        Question(
            self.window(),
            title=plural(one.seats, "Decide for 1 seat?", "Decide for %n seats?"),
            text=tr("{what} The group is shown with it from then on, so this is not changed later.").format(
                what=first if which == "first" else last
            ),
            safe=tr("Let the group wait"),
            risky=tr("Decide it"),
            on_risky=keep,
        ).open()

    def forget(self) -> None:
        self.data = self.shown = None
        self._show_seats(())
        self.conflicts.show_rows(())
        self.unfinished.show_rows(())
        self.page.forget()
        self.inside.setCurrentIndex(0)
        self.counted.emit(0)

    def _order(self, data: DecisionsData) -> list[ConflictLine]:
        """Sort the conflicts, undecided first; while one is open, keep the order."""
        before = {line.key: place for place, line in enumerate(self.data.conflicts)} if self.shown and self.data else {}
        return sorted(data.conflicts, key=lambda line: (before.get(line.key, len(before)), not line.conflict.open))

    # one conflict

    def show_conflict(self, key: str) -> None:
        """Show a conflict instead of the list, and read its texts."""
        line = next((conflict for conflict in self.data.conflicts if conflict.key == key), None) if self.data else None
        project = self.project
        if line is None or project is None:
            return
        self.shown = line
        self.page.show_line(line, *self._place(line), writable=self.writable)
        self.inside.setCurrentWidget(self.page)
        self.page.setFocus()
        if line.hidden:
            return

        def read(ctx: JobContext) -> list[str]:
            return read_texts(ctx, project, line.comparison, line.order)

        def show(texts: list[str]) -> None:
            if self.shown is not None and self.shown.key == key:
                self.page.cards.set_texts(texts)

        self.shell.jobs.start(tr("Texts"), read, quiet=True, on_done=show, on_error=self.shell.show_error)

    def keep(self, judgment_id: object) -> None:
        """Count this answer, or neither."""
        line, project = self.shown, self.project
        if line is not None and project is not None:
            chosen = None if judgment_id is None else str(judgment_id)
            decide(project=project, conflict=line.conflict, judgment_id=chosen).start(
                self.shell.jobs, on_error=self.shell.show_error
            )

    def close_page(self) -> None:
        key, self.shown = (self.shown.key if self.shown else ""), None
        self.page.forget()
        self.inside.setCurrentIndex(0)
        self.conflicts.select(key)
        focus_first(self.conflicts)

    def _move(self, step: int) -> None:
        if self.shown is not None and self.data is not None:
            place = self._place(self.shown)[0] + step
            if 0 <= place < len(self.data.conflicts):
                self.show_conflict(self.data.conflicts[place].key)

    def _place(self, line: ConflictLine) -> tuple[int, int]:
        lines = self.data.conflicts if self.data else ()
        return next(place for place, other in enumerate(lines) if other.key == line.key), len(lines)

    def undecided(self) -> list[Conflict]:
        """Return the undecided conflicts that can be decided."""
        lines = self.data.conflicts if self.data else ()
        return [line.conflict for line in lines if line.conflict.open and not line.hidden]

    def ask_to_decide_all(self, which: Which) -> None:
        """Decide all undecided conflicts in the same way, after a question with their number."""
        project, conflicts = self.project, self.undecided()
        if project is None or not conflicts:
            return

        def keep() -> None:
            decide_all(project=project, conflicts=conflicts, which=which).start(
                self.shell.jobs, on_error=self.shell.show_error
            )

        Question(
            self.window(),
            title=plural(len(conflicts), "Decide 1 conflict?", "Decide %n conflicts alike?"),
            text=tr(
                "{what} Every answer stays in the project, and each conflict can be decided again. Choose by when "
                "answers were given, not by what they say."
            ).format(what=tr(BULK_WORDS[which])),
            safe=tr("Leave them open"),
            risky=tr("Decide them"),
            on_risky=keep,
        ).open()

    # a packet that nobody finished

    def ask_to_count(self) -> None:
        """Warn, then count an unfinished packet: what the rater still does is not waited for."""
        packet, project = self._packet(), self.project
        if packet is None or project is None:
            return

        def count() -> None:
            count_what_came(project=project, session_id=packet.session_id).start(
                self.shell.jobs, on_error=self.shell.show_error
            )

        left = packet.comparisons - packet.answered - packet.skipped
        Question(
            self.window(),
            title=tr("Count what came back of {code}?").format(code=as_given(packet.code)),
            text=tr(
                "{answered} of {all} comparisons are answered, {left} are left. From then on these answers are in "
                "every share and agreement, and this cannot be taken back; a file that comes later is still merged. "
                "Whoever stops early may differ from who goes on, "
                "so say in your report that this rater did not finish."
            ).format(answered=number(packet.answered), all=number(packet.comparisons), left=number(left)),
            safe=tr("Wait for the packet"),
            risky=tr("Count what came back"),
            on_risky=count,
        ).open()

    def _packet(self) -> PacketState | None:
        key, packets = self.unfinished.current_key, self.data.unfinished if self.data else ()
        return next((packet for packet in packets if packet.session_id == key), None)

    def _allow(self) -> None:
        for button in self.in_bulk.values():
            show_if(button, len(self.undecided()) > 1)
            button.setEnabled(self.writable)
        self.count.setEnabled(self.writable and self._packet() is not None)
        self.open.setEnabled(bool(self.conflicts.table.rows))

    # the look

    def _lay_out(self) -> None:
        self.conflict_card = _card(
            tr("Conflicting answers"),
            tr("One rater answered one comparison differently in two files. Neither counts until you have decided."),
            self.conflicts,
            self.open,
            *self.in_bulk.values(),
        )
        self.packet_card = _card(
            tr("Packets not finished"),
            tr("Answers of these raters are here, and count when the packet comes back finished."),
            self.unfinished,
            self.count,
        )
        self.seats = in_column(spacing=theme.current().gap)
        self.inside = stack_of(Sheet(self.conflict_card, self.packet_card, self.seats, STRETCH), self.page)
        self.add_page(self.inside)
        self.add_page(self.nothing)


def _read(ctx: JobContext, project: Project) -> DecisionsData:
    return read_decisions(ctx, project)


def _card(title: str, said: str, view: TextTable, *buttons: Button) -> Card:
    card = Card(title, Label(said, "soft", wrap=True), view, FlowLayout(*buttons, spacing=theme.current().grid))
    return card


def _conflict_columns() -> tuple[TableColumn, ...]:
    return (
        TableColumn(tr("Comparison")),
        TableColumn(tr("Rater"), 110),
        TableColumn(tr("State"), 220),
        TableColumn(tr("Answers"), 92, number=True),
    )


def _conflict_row(line: ConflictLine) -> TableRow:
    conflict = line.conflict
    waits = tr("waits until the packet is finished") if line.hidden else tr("waits for you")
    state = waits if conflict.open else tr("neither counts") if conflict.decided is None else tr("decided")
    return TableRow(line.key, (safe_line(line.title), as_given(conflict.code), state, number(len(conflict.heads))))


def _packet_columns() -> tuple[TableColumn, ...]:
    return (
        TableColumn(tr("Rater")),
        TableColumn(tr("Plan"), 220),
        TableColumn(tr("Answered"), 96, number=True),
        TableColumn(tr("Skipped"), 84, number=True),
        TableColumn(tr("Left"), 64, number=True),
    )


def _packet_row(one: PacketState) -> TableRow:
    left = one.comparisons - one.answered - one.skipped
    counts = (number(one.answered), number(one.skipped), number(left))
    return TableRow(one.session_id, (as_given(one.code), safe_line(one.plan_title), *counts))

"""One conflict: the comparison's texts, the answers with their times and notes, and what is to count."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QWidget

from desktop import theme
from desktop.models import rater_words as words
from desktop.models.stored_decisions import ConflictLine
from desktop.panels.findings.studies import when_words
from desktop.panels.raters.texts import NeutralCards, PageHead
from desktop.widgets import Button, Card, FlowLayout, Label, spelled_seconds, tr
from desktop.widgets.labels import show_if
from desktop.widgets.sheet import Sheet

if TYPE_CHECKING:
    from core.project.rows import JudgmentRow

ANSWER_WIDTH = 260  # text pixels of an answer, before they stand under each other


class AnswerCard(Card):
    """One of the answers, and the button that counts it."""

    def __init__(self, head: "JudgmentRow", order: Sequence[int]) -> None:
        super().__init__()
        self.said = Label(words.outcome_words(head.outcome, head.chosen, order), "strong")
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
        row = QHBoxLayout()
        row.addWidget(self.count)
        row.addStretch(1)
        for part in (self.said, self.when, self.note):
            self.box.addWidget(part)
        self.box.addLayout(row)
        self.setAccessibleName(f"{self.said.text()}; {self.when.text()}; {self.note.text()}")

    def show_decided(self, decided: bool, writable: bool) -> None:
        self.set_chosen(decided)
        self.count.set_role("primary" if decided else "")
        self.count.set_text(tr("✓ Counts") if decided else tr("Count this one"))
        self.count.setAccessibleName(f"{self.count.text()}: {self.said.text()}, {self.when.text()}")
        self.count.setEnabled(writable)


class ConflictPage(Sheet):
    """`decided` carries the id of the judgment that counts, or None for neither. Escape closes it."""

    decided = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.head = PageHead(tr("All decisions"))
        self.cards = NeutralCards(("1", "2", "3"), choosing=False)
        self.said = Label("", "soft", wrap=True)
        self.neither = Button(tr("Count neither"))
        self.answers: list[AnswerCard] = []
        self._heads: tuple[str, ...] = ()
        self._row = QWidget()
        self._beside = QBoxLayout(QBoxLayout.Direction.LeftToRight, self._row)
        self._beside.setContentsMargins(0, 0, 0, 0)
        self._beside.setSpacing(theme.current().gap)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("One conflict"))
        self.neither.clicked.connect(lambda: self.decided.emit(None))
        for part in (self.head, self.cards, self.said, self._row):
            self.box.addWidget(part, 1 if part is self.cards else 0)
        buttons = FlowLayout(spacing=theme.current().grid)
        buttons.addWidget(self.neither)
        self.box.addLayout(buttons)

    def show_line(self, line: ConflictLine, place: int, count: int, *, writable: bool) -> None:
        """Show a conflict. Its texts are set when they have been read."""
        one = line.conflict
        title = tr("{comparison}, rater {code}").format(comparison=line.title, code=one.code)
        self.head.show_place(title, place, count)
        self.said.setText(_said(line))
        heads = () if line.hidden else one.heads
        if tuple(head.id for head in heads) != self._heads:
            self._fill(heads, line.order)
        for answer, head in zip(self.answers, heads, strict=True):
            answer.show_decided(not one.open and one.decided == head.id, writable)
        neither = not one.open and one.decided is None
        self.neither.set_role("primary" if neither else "")
        self.neither.set_text(tr("✓ Neither counts") if neither else tr("Count neither"))
        self.neither.setEnabled(writable)
        for part in (self.cards, self._row, self.neither):
            show_if(part, not line.hidden)

    def forget(self) -> None:
        """Nothing of a conflict stays."""
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

    def _fill(self, heads: "Sequence[JudgmentRow]", order: Sequence[int]) -> None:
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
        """Side by side where there is room for all of them."""
        wide = self.width() >= theme.current().px(ANSWER_WIDTH) * len(self.answers)
        self._beside.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)


def _said(line: ConflictLine) -> str:
    """What there is to do, and that nothing is lost by it."""
    if line.hidden:
        return tr(
            "This rater's packet has not come back finished: the answers stay hidden until it has, or until you count "
            "what came back."
        )
    if line.conflict.open:
        return tr("None of these answers counts yet. Choose the one that does; all of them stay in the project.")
    return tr("You have decided. To undo it, decide again: the later decision counts, and every answer stays.")

"""One comparison that raters disagree on: its texts, what each rater said, and the adjudicator's own outcome."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop import theme
from desktop.models import rater_words as words
from desktop.panels.judge.keys import JudgeKeys, KeyMap
from desktop.panels.judge.work import NoteEdit
from desktop.panels.raters.texts import NeutralCards, PageHead
from desktop.widgets import Button, Card, FlowLayout, Label, LinkButton, spelled_seconds, tr
from desktop.widgets.labels import show_if
from desktop.widgets.safe_text import safe_line
from desktop.widgets.sheet import Sheet

if TYPE_CHECKING:
    from core.judging.adjudication import Decided, Disagreement, RaterJudgment

CHOICES = ("choose_1", "choose_2", "choose_3")


class Verdict(NamedTuple):
    """The adjudicator's outcome; `card` is the place of the chosen text, from 0."""

    outcome: "Decided"
    card: int | None
    note: str


class AdjudicatePage(Sheet):
    """`judged` carries a `Verdict`. The keys are those of judging; Escape goes back to the list."""

    judged = Signal(object)

    def __init__(self, keys: KeyMap) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Adjudication of one comparison"))
        self.one: Disagreement | None = None
        self._names: Sequence[str] = ()
        self._writable = False
        self.head = PageHead(tr("All disagreements"))
        self.cards = NeutralCards(("1", "2", "3"), choosing=True)
        self.tie, self.none = Button(tr("Tie"), key="0"), Button(tr("None is good"), key="X")
        self.withdraw = LinkButton(tr("Take it back"))
        self.names = LinkButton(tr("Show who they were written for"))
        self.names.setCheckable(True)
        self.note = NoteEdit()
        self.note.setPlaceholderText(tr("A note on your decision. It is kept with the outcome you choose."))
        self.save_note = Button(tr("Save the note"))
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
        """Put other keys in force, and on the buttons."""
        self.keys.set_keys(keys)
        first = {name: next(iter(keys.get(name, ())), "") for name in (*CHOICES, "tie", "none")}
        self.cards.set_keys([first[name] for name in CHOICES])
        self.tie.set_key(first["tie"])
        self.none.set_key(first["none"])

    def show_one(self, one: "Disagreement", names: Sequence[str], *, writable: bool) -> None:
        """Show a comparison as it stands; the texts are set when they have been read."""
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
        self.cards.set_texts(texts)
        self._show_outcome()

    def forget(self) -> None:
        """Nothing of a comparison stays, and identities are hidden again."""
        self.one, self._names = None, ()
        self.head.forget()
        self.names.setChecked(False)
        self.note.clear()
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

    def _judge(self, outcome: "Decided", card: int | None = None) -> None:
        if self.one is not None and self._writable:
            self.judged.emit(Verdict(outcome, card, self.note.toPlainText().strip()))

    def _keep_note(self) -> None:
        """The same outcome with another note."""
        decided = self.one.adjudication if self.one is not None else None
        if self.one is not None and decided is not None:
            card = None if decided.chosen is None else self.one.order.index(decided.chosen)
            self._judge(decided.outcome, card)

    # showing

    def _show_outcome(self) -> None:
        one = self.one
        decided = one.adjudication if one is not None else None
        outcome = decided.outcome if decided is not None else ""
        chosen = decided.chosen if decided is not None else None
        self.cards.set_answer(None if chosen is None or one is None else one.order.index(chosen))
        for button, its in ((self.tie, "tie"), (self.none, "none")):
            button.set_role("primary" if outcome == its else "")
        for button in (self.tie, self.none, *(card.button for card in self.cards.cards)):
            button.setEnabled(self._writable)
        self.note.setEnabled(self._writable)
        show_if(self.withdraw, decided is not None and self._writable)
        self._show_note_button()
        if one is None or decided is None:
            self.state.setText(tr("Not adjudicated yet. What you choose stands beside the raters' answers."))
        else:
            said = words.outcome_words(decided.outcome, decided.chosen, one.order)
            self.state.setText(tr("Adjudicated: {outcome}. Choose again to change it.").format(outcome=said))

    def _show_note_button(self) -> None:
        decided = self.one.adjudication if self.one is not None else None
        changed = decided is not None and self.note.toPlainText().strip() != decided.note
        show_if(self.save_note, changed and self._writable)

    def _name(self) -> None:
        shown = self.names.isChecked()
        self.cards.name_identities(self._names if shown else ())
        self.names.set_text(tr("Hide it again") if shown else _names_words(self.one.kind if self.one else ""))

    def _fill(self, one: "Disagreement") -> None:
        self._clear()
        if one.workshop:
            counted = words.counted_outcomes([(each.outcome, each.chosen) for each in one.judgments], one.order)
            told = tr("{counts}. In a workshop nobody is told apart.").format(counts=counted)
            self.said.addWidget(Label(told, "", wrap=True))
            return
        for place, each in enumerate(one.judgments, start=1):
            self.said.addWidget(_line(each, one.order, place))

    def _clear(self) -> None:
        while (item := self.said.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()

    def _connect(self) -> None:
        self.cards.chosen.connect(self._choose)
        self.tie.clicked.connect(lambda: self._judge("tie"))
        self.none.clicked.connect(lambda: self._judge("none"))
        self.withdraw.clicked.connect(lambda: self._judge("withdrawn"))
        self.save_note.clicked.connect(self._keep_note)
        self.names.toggled.connect(lambda _: self._name())
        self.note.textChanged.connect(self._show_note_button)
        self.note.left.connect(self.setFocus)

    def _lay_out(self) -> None:
        tokens = theme.current()
        answers = FlowLayout(spacing=tokens.grid, centred=True)
        for button in (self.tie, self.none, self.names, self.withdraw):
            answers.addWidget(button)
        raters, mine = Card(tr("What the raters said")), Card(tr("Your decision"))
        for card in (raters, mine):
            card.set_padding(16)
        raters.box.addLayout(self.said)
        saving = FlowLayout(spacing=tokens.grid)
        saving.addWidget(self.save_note)
        for part in (self.state, self.note):
            mine.box.addWidget(part)
        mine.box.addLayout(saving)
        below = QHBoxLayout()
        below.setSpacing(tokens.gap)
        below.addWidget(raters, 1)
        below.addWidget(mine, 1)
        self.box.addWidget(self.head)
        self.box.addWidget(self.cards, 1)
        self.box.addLayout(answers)
        self.box.addLayout(below)


def _line(one: "RaterJudgment", order: Sequence[int], place: int) -> QWidget:
    """One rater's answer and note."""
    who = safe_line(one.rater)
    said = words.outcome_words(one.outcome, one.chosen, order)
    line = QWidget()
    box = QVBoxLayout(line)
    box.setContentsMargins(0, 0, 0, 0)
    box.setSpacing(2)
    first = tr("{rater}: {said} ({seconds})").format(rater=who, said=said, seconds=spelled_seconds(one.active_seconds))
    box.addWidget(Label(first, "", wrap=True))
    if note := words.safe_lines(one.note):
        quoted = Label(note, "note", wrap=True)
        quoted.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        box.addWidget(quoted)
    line.setAccessibleName(f"{place}. {first}")
    return line


def _names_words(kind: str) -> str:
    return {
        "model": tr("Show which model wrote them"),
        "origin": tr("Show where they come from"),
        "twin": tr("Show whose letters they are"),
    }.get(kind, tr("Show who they were written for"))

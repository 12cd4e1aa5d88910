"""A workshop's start page: what one will do, how long it takes, what it can show, and who sees it. It names nothing."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from desktop import theme
from desktop.widgets import Card, Label, LinkButton, PlainText, PrimaryButton, number, plural, tr
from desktop.widgets.sheet import Sheet

if TYPE_CHECKING:
    from core.judging.planner import Chance
    from core.judging.workshop import WorkshopPlan

WIDTH = 880
TWO_COLUMNS_FROM = 640  # text pixels
CONSENT_HEIGHT = 120


class Fact(QWidget):
    """Something to know before one starts: a few words, and what they mean."""

    def __init__(self, title: str, text: str = "") -> None:
        super().__init__()
        self.title = Label(title, "strong", wrap=True)
        self.text = Label(text, "soft", wrap=True)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(4)
        box.addWidget(self.title)
        box.addWidget(self.text)
        box.addStretch(1)


class WelcomePage(Sheet):
    """The page that every participant begins at. Nothing of the last one is ever on it."""

    started = Signal(bool)  # whether the consent text was agreed to
    leave_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Welcome"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.about = Label("", "reading", wrap=True)
        self.time = Fact("")
        self.power = Fact(tr("What it can show"))
        self.yours = Fact(
            tr("Your result is yours alone"),
            tr(
                "Your answers are kept under a random code that nobody is shown, not under a name. You see your "
                "picture at the end; it is gone when the next person starts, unless you save it."
            ),
        )
        self.group = Fact(
            tr("The group"),
            tr(
                "Once five people have finished, what all of them chose together stands beside yours. Whoever leads "
                "the workshop sees how many took part, and that; never one person’s answers."
            ),
        )
        self.consent = PlainText(name=tr("Consent"))
        self.agree = QCheckBox(tr("I agree"))
        self.start = PrimaryButton(tr("Start"))
        self.leave = LinkButton(tr("Leave the workshop"))
        self._facts = QGridLayout()
        self._asks = False
        self._lay_out()
        self.start.clicked.connect(self._start)
        self.leave.clicked.connect(self.leave_wanted)
        self.agree.toggled.connect(self._agreed)
        self.consent.document().documentLayout().documentSizeChanged.connect(lambda: self._fit_consent())
        theme.signals.changed.connect(self._arrange)

    def show_plan(self, plan: "WorkshopPlan", chance: "Chance | None") -> None:
        """Say what this workshop's plan asks for."""
        self._asks = bool(plan.consent_text.strip())
        self.about.setText(_about(plan.comparisons))
        self.time.title.setText(plural(plan.minutes, "About %n minute", "About %n minutes"))
        self.time.text.setText(
            tr("There is no hurry and no right answer. Skip what you cannot decide, and go back as you like.")
        )
        self.power.text.setText(power_words(chance))
        self.consent.set_text(plan.consent_text)
        self.consent.setVisible(self._asks)
        self.agree.setVisible(self._asks)
        self.forget()

    def forget(self) -> None:
        """As the next person finds it."""
        self.agree.setChecked(False)
        self.start.set_text(tr("Start"))
        self._allow()
        self.verticalScrollBar().setValue(0)

    def set_opening(self) -> None:
        self.start.set_text(tr("Opening…"))
        self.start.setEnabled(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._start()
        else:
            super().keyPressEvent(event)

    # inside

    def _start(self) -> None:
        if self.start.isEnabled():
            self.started.emit(self.agree.isChecked())

    def _agreed(self, agreed: bool) -> None:
        self._allow()
        if agreed:
            self.setFocus()  # Enter starts now; on the box it would take the agreement back

    def _allow(self) -> None:
        self.start.setEnabled(not self._asks or self.agree.isChecked())

    def _lay_out(self) -> None:
        tokens = theme.current()
        self.box.setContentsMargins(tokens.margin, tokens.margin, tokens.margin, tokens.margin)
        card = Card()
        card.setMaximumWidth(tokens.px(WIDTH))
        card.set_padding(tokens.px(40), tokens.px(32))
        card.box.setSpacing(tokens.gap)
        card.box.addWidget(Label(tr("Which text do you find best?"), "display", wrap=True))
        card.box.addWidget(self.about)
        card.box.addSpacing(tokens.grid)
        self._facts.setHorizontalSpacing(tokens.px(40))
        self._facts.setVerticalSpacing(tokens.margin)
        card.box.addLayout(self._facts)
        card.box.addSpacing(tokens.grid)
        card.box.addWidget(self.consent)
        card.box.addWidget(self.agree, 0, Qt.AlignmentFlag.AlignLeft)
        row = QHBoxLayout()
        row.addWidget(self.start)
        row.addStretch(1)
        row.addWidget(self.leave)
        card.box.addLayout(row)
        across = QHBoxLayout()
        across.addWidget(card, 1)
        self.box.addStretch(1)
        self.box.addLayout(across)
        self.box.addStretch(2)
        self._arrange()

    def _arrange(self, _tokens: object = None) -> None:
        """Two facts beside each other where there is room."""
        wide = self.viewport().width() >= theme.current().px(TWO_COLUMNS_FROM)
        for place, fact in enumerate((self.time, self.power, self.yours, self.group)):
            self._facts.addWidget(fact, *divmod(place, 2 if wide else 1), Qt.AlignmentFlag.AlignTop)
        for column in (0, 1):
            self._facts.setColumnStretch(column, 1 if wide or column == 0 else 0)
        self._fit_consent()

    def _fit_consent(self) -> None:
        """As high as its text, up to a few lines; the rest of a long one scrolls."""
        most = theme.current().px(CONSENT_HEIGHT)
        self.consent.setFixedHeight(min(most, round(self.consent.document().size().height()) + 4))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()


def _about(comparisons: int) -> str:
    words = plural(
        comparisons,
        "You will see short texts side by side, %n time, and say which one you find best.",
        "You will see short texts side by side, %n times, and each time say which one you find best.",
    )
    return words + " " + tr("What is being compared is told at the end.")


def power_words(chance: "Chance | None") -> str:
    """How likely a preference would be seen, for somebody who never heard of statistics."""
    if chance is None:
        return tr("How often you chose what. Whether that is a preference, this session cannot tell.")
    seen = min(99, max(1, round(100 * chance.power)))
    words = tr(
        "A clear preference (choosing {shares} of 100) is seen in about {seen} of 100 sessions of this length, and "
        "missed in the others. So “not enough evidence” at the end does not mean that there is no preference."
    )
    return words.format(shares=_listed(chance.shares), seen=number(seen))


def _listed(shares: tuple[float, ...]) -> str:
    *first, last = [number(100 * share, 0 if abs(100 * share - round(100 * share)) < 0.05 else 1) for share in shares]
    return tr("{some} and {last}").format(some=", ".join(first), last=last)

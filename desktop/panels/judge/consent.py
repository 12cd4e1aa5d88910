"""What a rater agrees to before a session, and a calm way out for whoever does not."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from core.judging.blind import Offer
from desktop import theme
from desktop.widgets import Label, LinkButton, PlainText, tr

MOST_LINES = 6  # of the text; a longer one scrolls


class ConsentBox(QWidget):
    """The text as it will be stored, a tick, and "I do not agree"."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        tokens = theme.current()
        self.asks = False
        self.text = PlainText(name=tr("Consent"))
        self.agree = QCheckBox(tr("I agree"))
        self.decline = LinkButton(tr("I do not agree"))
        self.declined = Label(
            tr("That is fine. You do not rate, and nothing about you was stored. You can close the window."),
            "reading",
            wrap=True,
        )
        self.again = LinkButton(tr("Read it again"))
        row = QHBoxLayout()
        row.setSpacing(tokens.margin)
        for widget in (self.agree, self.decline, self.again):
            row.addWidget(widget)
        row.addStretch(1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, tokens.grid, 0, 0)
        box.setSpacing(tokens.grid)
        box.addWidget(Label(tr("Before you start"), "strong"))
        for part in (self.text, self.declined):
            box.addWidget(part)
        box.addLayout(row)
        self.agree.toggled.connect(lambda _: self.changed.emit())
        self.decline.clicked.connect(lambda: self._show_declined(True))
        self.again.clicked.connect(lambda: self._show_declined(False))
        self._show_declined(False)

    def show_offer(self, offer: Offer) -> None:
        """Ask where this rater has not agreed yet."""
        self.asks = bool(offer.consent_text) and not offer.agreed and not offer.revealed
        if self.text.text() != offer.consent_text:
            self.text.set_text(offer.consent_text)
        self.setVisible(self.asks)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @property
    def settled(self) -> bool:
        """Whether nothing stands in the way of starting."""
        return not self.asks or self.agree.isChecked()

    def forget(self) -> None:
        """Another person has agreed to nothing yet."""
        self.agree.setChecked(False)
        self._show_declined(False)

    def _fit(self) -> None:
        """As high as the text needs, up to some lines."""
        line = round(theme.current().reading * theme.current().line_height)
        self.text.document().setTextWidth(self.text.viewport().width())
        needed = round(self.text.document().size().height()) + 4
        self.text.setFixedHeight(max(line, min(needed, MOST_LINES * line)))

    def _show_declined(self, declined: bool) -> None:
        if declined:
            self.agree.setChecked(False)
        for widget in (self.text, self.agree, self.decline):
            widget.setVisible(not declined)
        for widget in (self.declined, self.again):
            widget.setVisible(declined)
        self.changed.emit()

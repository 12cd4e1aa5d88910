"""After the reveal: the texts that competed, side by side as they were, each with whom it was written for."""

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QSizePolicy

from biasprint.core.judging.blind import RevealedComparison
from biasprint.desktop import theme
from biasprint.desktop.widgets import Card, ElidedLabel, IconButton, Label, tr
from biasprint.desktop.widgets.cards import ComparisonCards
from biasprint.desktop.widgets.safe_text import safe_line

CARDS_HEIGHT, CARD_LEAST = 260, 140


class RevealedTexts(Card):
    """One comparison at a time; the buttons beside its title lead to the one before and the next."""

    def __init__(self, compared: Sequence[RevealedComparison], total: int) -> None:
        super().__init__(tr("The texts that competed"))
        self._compared = tuple(compared)
        self._at = 0
        self.title, self.place = ElidedLabel("", "strong"), Label("", "soft")
        self.before = IconButton("chevron-left", tr("The comparison before"))
        self.after = IconButton("chevron-right", tr("The next comparison"))
        self.cards = ComparisonCards(("", "", ""))
        for card in self.cards.cards:
            card.button.hide()
            # Equally wide, whatever a caption says, and never wider than the page.
            card.widen_caption()
            card.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
            card.setMinimumWidth(theme.current().px(CARD_LEAST))
        self.cards.setFixedHeight(theme.current().px(CARDS_HEIGHT))
        row = QHBoxLayout()
        row.setSpacing(theme.current().grid)
        row.addWidget(self.title, 1)
        for widget in (self.place, self.before, self.after):
            row.addWidget(widget)
        self.box.addLayout(row)
        self.box.addWidget(self.cards)
        if total > len(self._compared):
            words = tr("The first {shown} of {total} comparisons; all are under Outputs.")
            self.box.addWidget(Label(words.format(shown=len(self._compared), total=total), "note", wrap=True))
        self.before.clicked.connect(lambda: self.show_at(self._at - 1))
        self.after.clicked.connect(lambda: self.show_at(self._at + 1))
        self.show_at(0)

    def show_at(self, place: int) -> None:
        self._at = place
        one = self._compared[place]
        self.title.set_text(safe_line(one.title))
        self.place.setText(tr("{place} of {count}").format(place=place + 1, count=len(self._compared)))
        self.before.setEnabled(place > 0)
        self.after.setEnabled(place + 1 < len(self._compared))
        self.cards.set_texts([card.text for card in one.cards])
        for shown, card in zip(self.cards.shown, one.cards, strict=True):
            chosen = tr(" · you chose this one") if card.chosen else ""
            shown.caption.setText(f"{shown.letter} · {safe_line(card.label)}{chosen}")
            shown.setAccessibleName(shown.caption.text())
            shown.set_chosen(card.chosen)
        self.cards.level()

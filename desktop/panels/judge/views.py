"""Views of the texts on the screen: seconds, whether the end was seen, and a word to the rater where it was not."""

import time
from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QVBoxLayout

from biasprint.core.judging.blind import SessionView
from biasprint.core.judging.work import ActiveClock
from biasprint.core.project.rows import TextView
from biasprint.desktop.settings import Settings
from biasprint.desktop.widgets import Notice, tr
from biasprint.desktop.widgets.cards import LETTERS, ComparisonCards


class CardViews(QObject):
    """Counts what was in view of each comparison's cards since the session was opened.

    A text is in view while its window is active and some of it is on the screen; a pause without a sign of life counts
    two minutes at most. Its end was in view once the last words were on the screen.
    """

    def __init__(self, cards: ComparisonCards, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(cards)
        self._cards = cards
        self._clock = ActiveClock(now)
        self._by_token: dict[str, list[TextView]] = {}
        self._token = ""
        self._shown: list[bool] = []  # by card, since the last look
        for card in cards.cards:
            card.reading.verticalScrollBar().valueChanged.connect(self.look)

    def leave(self) -> None:
        """Stop counting before other texts are shown."""
        self.look()
        self._token = ""

    def begin(self, token: str) -> None:
        """Count for this comparison, whose texts are on the cards."""
        self._token = token
        self._by_token.setdefault(token, [TextView()] * len(self._cards.shown))
        self._clock.lap()
        self._shown = self._on_screen()

    def look(self) -> None:
        """Count up to now. Called at each sign of life and whenever what is on the screen changes."""
        seconds = self._clock.lap()
        if not self._token:
            return
        before, self._shown = self._shown, self._on_screen()
        self._by_token[self._token] = [
            TextView(view.seconds + (seconds if was else 0.0), view.end or (now and card.reading.end_in_view()))
            for view, was, now, card in zip(
                self._by_token[self._token], before, self._shown, self._cards.shown, strict=True
            )
        ]

    def so_far(self) -> tuple[TextView, ...]:
        """Return the views of the comparison in view, by card."""
        self.look()
        return tuple(self._by_token.get(self._token, ()))

    def forget(self) -> None:
        self._token = ""
        self._by_token.clear()

    def _on_screen(self) -> list[bool]:
        active = self._cards.isActiveWindow()
        return [active and not card.reading.viewport().visibleRegion().isEmpty() for card in self._cards.shown]


class UnreadWord(QObject):
    """One gentle line above the page, the first time that an answer came before the end of a text was in view."""

    def __init__(self, body: QVBoxLayout, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._body, self._settings = body, settings
        self.notice: Notice | None = None

    def show_view(self, view: SessionView) -> None:
        """Show the word for the answer just given, if it is due; one that stood there goes with the next answer."""
        self.put_away()
        if not view.unread:
            return
        letters = [LETTERS[card] for card in view.unread]
        named = tr("{some} and {last}").format(some=", ".join(letters[:-1]), last=letters[-1])
        what = (
            tr("The end of text {letter} was not on the screen yet.").format(letter=letters[0])
            if len(letters) == 1
            else tr("The ends of texts {letters} were not on the screen yet.").format(letters=named)
        )
        keys = tr(" or ").join(self._settings.keys().get("back", ()))
        self.notice = Notice(what + " " + tr("Your choice is kept; {keys} goes back.").format(keys=keys))
        self.notice.closed.connect(self._closed)
        self._body.insertWidget(0, self.notice)

    def put_away(self) -> None:
        if self.notice is not None:
            self.notice.close()

    def _closed(self) -> None:
        self.notice = None

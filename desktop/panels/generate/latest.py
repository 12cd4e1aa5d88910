"""The latest text while it is written: it grows in view, and one text stays long enough to be read a little."""

import time

from PySide6.QtCore import QSize

from desktop import theme
from desktop.widgets import PlainText

HOLD_SECONDS = 1.0  # endpoints write several texts at once, and quick writers many a second
LONG_CHARACTERS = 20_000  # a text is laid out anew each time it grows; a long one less often
LONG_SECONDS = 1.0
NEAR_END = 4  # pixels
HEIGHT = 96  # text pixels


class LatestText(PlainText):
    """Takes every text as it comes, ten a second at most, and shows one until it has ended."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name)
        self._since = float("-inf")
        self._waiting = ""

    def sizeHint(self) -> QSize:
        """It takes the room that is left, and asks for little."""
        return QSize(super().sizeHint().width(), theme.current().px(HEIGHT))

    def take(self, text: str) -> None:
        """A text as far as it is: the shown one grown, or another, which waits while the shown one is new."""
        shown, now = self.text(), time.monotonic()
        grown = bool(shown) and text.startswith(shown)
        hold = (LONG_SECONDS if len(shown) > LONG_CHARACTERS else 0.0) if grown else HOLD_SECONDS
        self._waiting = text
        if shown and (text == shown or now - self._since < hold):
            return
        self._show(text, grown=grown)
        self._since = now

    def show_last(self) -> None:
        """The run has ended: show the last text that came."""
        if self._waiting and self._waiting != self.text():
            self._show(self._waiting, grown=self._waiting.startswith(self.text()))

    def forget(self) -> None:
        self._since, self._waiting = float("-inf"), ""
        self.set_text("")

    def _show(self, text: str, *, grown: bool) -> None:
        """A growing text is followed to its end, unless somebody reads further up."""
        bar = self.verticalScrollBar()
        before, at_end = bar.value(), bar.value() >= bar.maximum() - NEAR_END
        self.set_text(text)
        if grown:
            bar.setValue(bar.maximum() if at_end else before)

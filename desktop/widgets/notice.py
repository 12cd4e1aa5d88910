"""Notices: one calm strip that says what happened, what was kept, and what to do."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from biasprint.core.errors import AppError, NotInstalledYet
from biasprint.desktop import theme
from biasprint.desktop.widgets.buttons import Button, IconButton, LinkButton
from biasprint.desktop.widgets.labels import Label, announce, show_if
from biasprint.desktop.widgets.layout import in_column, in_row
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.widgets.words import tr

ICONS = {"plain": "info", "ok": "check", "warn": "warn", "danger": "error"}
WAITING = "waiting:"
MOST_BANNERS = 2  # more would push the work out of sight


class Notice(QFrame):
    """A strip with an icon, one or more sentences, actions and a close button. Tones as those of chips.

    `narrow`: the actions are below the words, because beside them there is no room.
    """

    closed = Signal()

    def __init__(
        self, text: str, *, tone: str = "plain", more: str = "", closable: bool = True, narrow: bool = False
    ) -> None:
        super().__init__()
        tokens = theme.current()
        self.tone = tone
        self.lasting = not closable
        self.setProperty("role", "notice")
        self.setProperty("tone", tone)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._picture = QLabel()
        self.text = Label(text, "strong", wrap=True)
        self.more = Label(more, "", wrap=True)
        show_if(self.more, bool(more))
        self.setAccessibleName(" ".join(tr(part) for part in (text, more) if part))
        words = in_column(self.text, self.more, spacing=4)
        self._actions = in_row(spacing=tokens.grid)
        row = in_row(self._picture, (words, 1), inside=self, spacing=12, margins=(tokens.gap, 12, 12, 12))
        (words if narrow else row).addLayout(self._actions)
        if narrow:
            self._actions.setAlignment(Qt.AlignmentFlag.AlignLeft)
        if closable:
            close = IconButton("close", tr("Close this message"), size=16, act=self.close)
            row.addWidget(close)
        theme.follow(self._dress)

    def tell(self, told: Sequence[str]) -> None:
        """Show these sentences, of any content, the first in strong letters; hide the strip if there are none."""
        self.text.setText(safe_line(told[0]) if told else "")
        self.more.setText(safe_line(" ".join(map(tr, told[1:]))))
        self.setAccessibleName(safe_line(" ".join(map(tr, told))))
        show_if(self.more, len(told) > 1)
        show_if(self, bool(told))

    def add_action(self, text: str, on_click: Callable[[], object]) -> Button:
        """Add a button to the strip."""
        button = LinkButton(text, act=lambda: on_click())
        self._actions.addWidget(button)
        return button

    def close(self) -> bool:
        self.closed.emit()
        self.hide()
        self.deleteLater()
        return True

    def _dress(self) -> None:
        tokens = theme.current()
        color = {"ok": tokens.ok, "warn": tokens.warn, "danger": tokens.danger}.get(self.tone, tokens.soft)
        self._picture.setPixmap(theme.pixmap(ICONS[self.tone], color, tokens.px(20), self.devicePixelRatioF()))


def error_notice(error: AppError) -> Notice:
    """Return the notice on an error: what happened, what was kept, what to do; details only to copy."""
    more = " ".join(part for part in (error.kept, error.hint) if part)
    waiting = isinstance(error, NotInstalledYet)
    notice = Notice(safe_line(error.message), tone="plain" if waiting else "danger", more=safe_line(more))
    if waiting:
        return notice
    details = "\n".join(part for part in (str(error), error.details) if part)
    notice.add_action(tr("Copy details"), lambda: QGuiApplication.clipboard().setText(details))
    return notice


class Banners(QWidget):
    """The notices above the work, newest first, two at most. A key replaces the notice of the same key.

    A notice that cannot be closed by hand is not pushed out either: it describes a state, not an event.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        tokens = theme.current()
        self._box = in_column(inside=self, spacing=tokens.grid, margins=(tokens.margin, 12, tokens.margin, 0))
        self._notices: list[tuple[str, Notice]] = []
        self.hide()

    def show_notice(self, notice: Notice, *, key: str = "") -> Notice:
        """Put a notice on top; those beyond the room close, the oldest first."""
        if key:
            self.remove(key)
        self._notices.insert(0, (key, notice))
        notice.closed.connect(lambda: self._forget(notice))
        self._box.insertWidget(0, notice)
        self.show()
        announce(notice, notice.accessibleName())
        passing = [other for _, other in self._notices if not other.lasting]
        room = max(1, MOST_BANNERS - (len(self._notices) - len(passing)))
        for oldest in passing[room:]:
            oldest.close()
        return notice

    def show_error(self, error: AppError) -> Notice:
        """Show an error. One that only needs waiting gets a key of its own, for `remove_waiting`."""
        kind = WAITING if isinstance(error, NotInstalledYet) else "error:"
        return self.show_notice(error_notice(error), key=f"{kind}{error.message}")

    def remove_waiting(self) -> None:
        """Close the notices of errors that only needed waiting: the wait is over."""
        for key, notice in list(self._notices):
            if key.startswith(WAITING):
                notice.close()

    def remove(self, key: str) -> None:
        """Close the notice with this key, if it is there."""
        for its_key, notice in list(self._notices):
            if its_key == key:
                notice.close()

    def clear(self) -> None:
        for _, notice in list(self._notices):
            notice.close()

    def texts(self) -> list[str]:
        """Return the texts of the notices, newest first."""
        return [notice.accessibleName() for _, notice in self._notices]

    def _forget(self, notice: Notice) -> None:
        self._notices = [(key, other) for key, other in self._notices if other is not notice]
        self.setVisible(bool(self._notices))

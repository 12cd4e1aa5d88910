"""What the biased-prompt detector says about a prompt as it is typed: which words, why, and a neutral wording."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QColor, QTextCharFormat
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.errors import AppError
from desktop import theme
from desktop.jobs.refresher import Refresher
from desktop.operations.wording import Wording, with_one_neutral, wording_of
from desktop.panels.base import Shell
from desktop.widgets import Card, Label, LinkButton, plural, tr
from desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from core.prompts.detector import Flag

PAUSE_MILLISECONDS = 250  # without a key before the text is looked at
MOST_SHOWN = 3
LONGEST_SHOWN = 90  # characters of a flag's words or wording


class WordingWatch(QObject):
    """Looks at the last text that it was given, in a thread, once typing pauses; `seen` brings what was found."""

    seen = Signal(object)  # Wording

    def __init__(self, shell: Shell, parent: QObject) -> None:
        super().__init__(parent)
        self._text = ""
        self._reading = Refresher(shell.jobs, tr("Wording"), self._finished, self._failed, self)
        self._reading.read_with(lambda ctx: wording_of(ctx, self._text))
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MILLISECONDS)
        self._pause.timeout.connect(self._reading.ask)

    def look_at(self, text: str) -> None:
        self._text = text
        self._pause.start()

    def _finished(self, wording: Wording) -> None:
        if wording.text == self._text:  # else it was typed over meanwhile, and is looked at again
            self.seen.emit(wording)

    def _failed(self, error: AppError) -> None:
        self.seen.emit(Wording(self._text))


class WordingCard(Card):
    """The flags of a prompt, each with its reason and a button; `replaced` brings the text to go on with."""

    replaced = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._wording = Wording("")
        self.title = Label("", "heading", wrap=True)
        self.all = LinkButton(tr("Use every neutral wording"))
        self.all.clicked.connect(lambda: self.replaced.emit(self._wording.neutral))
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.all)
        self._rows = QVBoxLayout()
        self._rows.setSpacing(theme.current().gap)
        self.more = Label("", "note")
        self.box.addLayout(head)
        self.box.addLayout(self._rows)
        self.box.addWidget(self.more)
        self.hide()

    @property
    def wording(self) -> Wording:
        return self._wording

    def show_wording(self, wording: Wording) -> None:
        """List the first flags; nothing is shown where there is none."""
        self._wording = wording
        while (item := self._rows.takeAt(0)) is not None:
            item.widget().hide()
            item.widget().deleteLater()
        for flag in wording.flags[:MOST_SHOWN]:
            self._rows.addWidget(self._row(flag))
        self.title.setText(plural(wording.count, "1 place asks for prejudice", "%n places ask for prejudice"))
        left = wording.count - min(wording.count, MOST_SHOWN)
        self.more.setText(plural(left, "and 1 more", "and %n more"))
        self.more.setVisible(left > 0)
        self.all.setVisible(wording.count > 1)
        self.setVisible(wording.count > 0)

    def _row(self, flag: "Flag") -> QWidget:
        words = _short(flag.text)
        offered = tr("Instead: “{words}”").format(words=_short(flag.neutral)) if flag.neutral else ""
        use = LinkButton(tr("Use this") if flag.neutral else tr("Leave out"))
        use.setAccessibleName(tr("{action}: {words}").format(action=use.text(), words=words))
        use.clicked.connect(lambda: self.replaced.emit(with_one_neutral(self._wording, flag)))
        row = QWidget()
        row.setProperty("role", "clear")
        told = QVBoxLayout()
        told.setSpacing(2)
        told.addWidget(Label(f"“{words}”", "strong", wrap=True))
        for text, role in ((tr(flag.reason), "soft"), (offered, "")):
            if text:
                told.addWidget(Label(text, role, wrap=True))
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.addLayout(told, 1)
        line.addWidget(use)
        return row


def flag_format() -> QTextCharFormat:
    """How flagged words are underlined: apart from a mistake by colour and by the line's form."""
    made = QTextCharFormat()
    made.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DashUnderline)
    made.setUnderlineColor(QColor(theme.current().warn))
    made.setBackground(QColor(theme.current().warn_soft))
    return made


def _short(words: str) -> str:
    line = safe_line(words)
    return line if len(line) <= LONGEST_SHOWN else f"{line[:LONGEST_SHOWN]}…"

"""The page at the end, and the way back to any comparison until the reveal."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QListView, QScrollArea, QVBoxLayout, QWidget

from core.judging.blind import Entry, SessionProgress
from desktop import theme
from desktop.panels.judge.keys import JudgeKeys, KeyMap
from desktop.widgets import Card, Chip, FlowLayout, Label, PrimaryButton, QuietButton, plural, spelled_seconds, tr

STATES = {"done": "✓", "skipped": "↷", "left": "○", "unusable": "–"}
STATE_WORDS = {"done": "answered", "skipped": "skipped", "left": "left", "unusable": "cannot be shown"}
FIRST_STATES = ("skipped", "left")  # what one most likely comes back for stands first


class EntryModel(QAbstractListModel):
    """The comparisons to go back to."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: tuple[Entry, ...] = ()

    def set_entries(self, entries: Sequence[Entry]) -> None:
        self.beginResetModel()
        self.entries = tuple(sorted(entries, key=lambda entry: entry.state not in FIRST_STATES))
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.entries)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{STATES[entry.state]}   {entry.ordinal}.  {entry.title}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{entry.ordinal}. {entry.title}, {tr(STATE_WORDS[entry.state])}"
        return None


class EndPage(QWidget):
    """How far the session is, a list to go back by, and the reveal."""

    picked = Signal(str)  # a comparison's token
    go_on = Signal()
    back = Signal()
    revealed = Signal(bool)  # although comparisons are left

    def __init__(self, keys: KeyMap) -> None:
        super().__init__()
        self.keys = JudgeKeys({"back": self.back.emit})
        self.keys.set_keys(keys)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Overview of the session"))
        self._left = 0
        self._packet = False
        self.headline = Label("", "title", wrap=True)
        self.chips = [Chip(tone=tone) for tone in ("ok", "plain", "plain", "warn", "plain")]
        self.list = QListView()
        self.list.setAccessibleName(tr("Comparisons"))
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.model = EntryModel()
        self.list.setModel(self.model)
        self.changeable = Label("", "note", wrap=True)
        self.explained = Label("", "", wrap=True)
        self.reveal = PrimaryButton(tr("Reveal"), icon="hidden")
        self.resume = QuietButton(tr("Go on judging"))
        self.sure = PrimaryButton(tr("Reveal and lock"))
        self.not_yet = QuietButton(tr("Not yet"))
        self._lay_out()
        self._connect()
        self.set_packet(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.keys.handle(event):
            super().keyPressEvent(event)

    def set_packet(self, packet: bool) -> None:
        """A packet ends without a reveal: it is finished, and goes back to its sender."""
        self._packet = packet
        self.reveal.set_text(tr("Finish") if packet else tr("Reveal"))
        self.reveal.set_icon("check" if packet else "hidden")
        self.sure.set_text(tr("Finish and lock") if packet else tr("Reveal and lock"))
        self.changeable.setText(
            tr("Skipped ones come first. Answers can be changed until you finish.")
            if packet
            else tr("Skipped ones come first. Answers can be changed until the reveal.")
        )

    def show_progress(self, progress: SessionProgress) -> None:
        """Say what is done, skipped and left."""
        self._left = progress.left
        self.headline.setText(
            tr("Everything is judged or skipped.")
            if progress.left == 0
            else plural(progress.left, "%n comparison is left.", "%n comparisons are left.")
        )
        words = (
            plural(progress.done, "%n answered", "%n answered"),
            plural(progress.skipped, "%n skipped", "%n skipped"),
            plural(progress.left, "%n left", "%n left"),
            plural(progress.unusable, "%n with changed texts", "%n with changed texts"),
            tr("active {time}").format(time=spelled_seconds(progress.active_seconds)),
        )
        shown = (True, progress.skipped > 0, progress.left > 0, progress.unusable > 0, True)
        for chip, text, visible in zip(self.chips, words, shown, strict=True):
            chip.setText(text)
            chip.setVisible(visible)
        # What most people want next is filled: going on while there is something left, then the reveal.
        self.resume.set_role("primary" if progress.left else "")
        self.reveal.set_role("" if progress.left else "primary")
        self._ask_again(False)

    def show_entries(self, entries: Sequence[Entry]) -> None:
        self.model.set_entries(entries)

    def forget(self) -> None:
        self.model.set_entries(())

    # inside

    def _lay_out(self) -> None:
        tokens = theme.current()
        visit = Card(tr("Go back to any of them"))
        visit.box.addWidget(self.changeable)
        visit.box.addWidget(self.list, 1)
        ending = Card(tr("Finish"))
        ending.box.addWidget(self.headline)
        flow = FlowLayout(spacing=tokens.grid)
        for chip in self.chips:
            flow.addWidget(chip)
        ending.box.addLayout(flow)
        ending.box.addSpacing(tokens.grid)
        ending.box.addWidget(self.explained)
        ending.box.addSpacing(tokens.grid)
        for button in (self.resume, self.reveal, self.sure, self.not_yet):
            line = QHBoxLayout()
            line.addWidget(button)
            line.addStretch(1)
            ending.box.addLayout(line)
        ending.box.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(tokens.gap)
        row.addWidget(visit, 3)
        side = QScrollArea()
        side.setWidgetResizable(True)
        side.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        sheet = QWidget()
        sheet.setProperty("role", "clear")
        column = QVBoxLayout(sheet)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(ending, 0, Qt.AlignmentFlag.AlignTop)
        side.setWidget(sheet)
        row.addWidget(side, 2)

    def _connect(self) -> None:
        self.list.activated.connect(self._pick)
        self.list.clicked.connect(self._pick)
        self.reveal.clicked.connect(lambda: self._ask_again(True))
        self.not_yet.clicked.connect(lambda: self._ask_again(False))
        self.sure.clicked.connect(lambda: self.revealed.emit(self._left > 0))
        self.resume.clicked.connect(self.go_on)

    def _pick(self, index: QModelIndex) -> None:
        entry = self.model.entries[index.row()]
        if entry.state != "unusable":
            self.picked.emit(entry.token)

    def _ask_again(self, asking: bool) -> None:
        """A reveal cannot be undone: it takes a second press, on a button that says so."""
        for button in (self.sure, self.not_yet):
            button.setVisible(asking)
        self.reveal.setVisible(not asking)
        self.resume.setVisible(not asking and self._left > 0)
        if asking and self._left:
            words = plural(
                self._left,
                "%n comparison is left and could not be judged any more. All answers are locked for good.",
                "%n comparisons are left and could not be judged any more. All answers are locked for good.",
            )
        elif asking:
            words = tr("All answers are locked for good.")
        elif self._packet:
            words = tr("Finishing locks your answers. Then you send the file back; nothing is sent by itself.")
        else:
            words = tr("The reveal shows what was compared, and locks your answers.")
        self.explained.setText(words)
        if asking:
            self.not_yet.setFocus(Qt.FocusReason.OtherFocusReason)

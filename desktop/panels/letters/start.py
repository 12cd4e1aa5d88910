"""The page before there is a letter: drop one, choose one, or paste one."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from PySide6.QtCore import QDateTime, QLocale, QMimeData, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPixmap, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QLabel,
    QListView,
    QPlainTextEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from biasprint.core.letters.kept import KeptEntry
from biasprint.core.letters.kinds import ENDINGS, NAMES
from biasprint.core.letters.pile.kept import PileEntry
from biasprint.desktop import theme
from biasprint.desktop.widgets import (
    Card,
    FlowLayout,
    Label,
    LinkButton,
    Notice,
    PrimaryButton,
    QuietButton,
    plural,
    tr,
)
from biasprint.desktop.widgets.keys import is_fresh
from biasprint.desktop.widgets.labels import show_words
from biasprint.desktop.widgets.layout import Gap, Sheet, add_to, clear_column, column_of, in_column, in_row
from biasprint.desktop.widgets.safe_text import DisplayText, as_given, isolated, safe_line

# ---- Kept letters to open


@dataclass(frozen=True)
class KeptHere:
    """The letters and piles kept here: drafts that no window holds, saved ones, piles; and how many are unreadable."""

    drafts: tuple[KeptEntry, ...]
    saved: tuple[KeptEntry, ...]
    piles: tuple[PileEntry, ...] = ()
    damaged: int = 0


ROW_HEIGHT, MOST_ROWS = 36, 6  # pixels; rows that are seen at once
MOST_DRAFTS = 3  # offered at once: there is one for each window that ended without being asked
SIDE_ROLE = Qt.ItemDataRole.UserRole + 1
ENTRY_ROLE = Qt.ItemDataRole.UserRole + 2
Index = QModelIndex | QPersistentModelIndex


IN_PROJECT: Final = "project"
MINE: Final = "mine"
PILE: Final = "pile"


@dataclass(frozen=True)
class ShelfRow:
    """A letter of the list, or a pile. `place`: it is a reading of the open project, one's own letter, or a pile."""

    key: str
    title: str
    when: str
    place: Literal["project", "mine", "pile"]


class _RowDelegate(QStyledItemDelegate):
    """The drawing of a row: the title, and at the right where and when it was saved."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tokens = theme.current()
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen:
            painter.fillRect(option.rect, QColor(tokens.accent_soft))
        room = option.rect.adjusted(tokens.px(8), 0, -tokens.px(8), 0)
        side = str(index.data(SIDE_ROLE))
        width = option.fontMetrics.horizontalAdvance(side)
        painter.setPen(QColor(tokens.ink if chosen else tokens.soft))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight), side)
        beside = QStyle.visualRect(option.direction, room, room.adjusted(0, 0, -width - tokens.px(16), 0))
        title = option.fontMetrics.elidedText(isolated(str(index.data())), Qt.TextElideMode.ElideRight, beside.width())
        painter.setPen(QColor(tokens.ink))
        painter.drawText(beside, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), title)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, theme.current().px(ROW_HEIGHT))


class _List(QListView):
    """The list of letters: Enter and a double click open one, Delete removes one."""

    opened, removed = Signal(object), Signal(object)  # ShelfRow

    def row(self) -> ShelfRow | None:
        row = self.currentIndex().data(ENTRY_ROLE)
        return row if isinstance(row, ShelfRow) else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.row()
        if row is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(row)
        elif row is not None and event.key() == Qt.Key.Key_Delete:
            if is_fresh(event):
                self.removed.emit(row)
        else:
            super().keyPressEvent(event)


class KeptCard(Card):
    """The card of kept letters, hidden if there are none; its drafts, `offers`, are placed elsewhere.

    `show_here` and `show_project` fill it, `offer_project` waits for a request.
    """

    opened, removed = Signal(object), Signal(object)  # ShelfRow
    draft_opened = Signal(str, str)  # its key, and the reading of a project that it is of
    draft_removed = Signal(str)
    project_wanted = Signal()

    def __init__(self) -> None:
        super().__init__(tr("Kept letters"))
        self.list = _List()
        self.open = QuietButton(tr("Open"), act=lambda: self._with_row(self.opened.emit))
        self.remove = LinkButton(tr("Remove"), act=lambda: self._with_row(self.removed.emit))
        self.look = LinkButton(tr("Show the letters of this project"), act=self.project_wanted)
        self.damaged = Label("", "note", wrap=True)
        self.drafts: tuple[Notice, ...] = ()
        self.offers, self._offers = clear_column(spacing=8)  # the drafts, for the top of the page
        self._here: tuple[ShelfRow, ...] = ()
        self._in_project: tuple[ShelfRow, ...] = ()
        self._offers_project = False
        self._model = QStandardItemModel(self)
        self._lay_out()
        self.list.opened.connect(self.opened)
        self.list.removed.connect(self.removed)
        self.list.doubleClicked.connect(lambda _: self._with_row(self.opened.emit))
        self.list.selectionModel().currentChanged.connect(lambda *_: self._enable())
        self._show()
        theme.follow(self._dress)

    def show_here(self, here: KeptHere) -> None:
        """Show the letters kept on this computer."""
        mine = (ShelfRow(letter.key, letter.title, letter.when, "mine") for letter in here.saved)
        piles = (ShelfRow(pile.key, _pile_title(pile), pile.when, "pile") for pile in here.piles)
        self._here = (*mine, *piles)
        words = plural(
            here.damaged,
            "1 file of the letters’ folder cannot be read.",
            "%n files of the letters’ folder cannot be read.",
        )
        self.damaged.setText(words if here.damaged else "")
        self._offer_drafts(here.drafts)
        self._show()

    def show_project(self, entries: tuple[KeptEntry, ...]) -> None:
        """Show the letters of the open project; () without one."""
        self._offers_project = False
        self._in_project = tuple(ShelfRow(entry.key, entry.title, entry.when, "project") for entry in entries)
        self._show()

    def offer_project(self) -> None:
        """Show the letters of the project only on request, because somebody is rating."""
        self._in_project, self._offers_project = (), True
        self._show()

    def rows(self) -> tuple[ShelfRow, ...]:
        """Return the listed letters, the newest first."""
        return tuple(sorted(self._here + self._in_project, key=lambda row: row.when, reverse=True))

    def _offer_drafts(self, drafts: tuple[KeptEntry, ...]) -> None:
        for notice in self.drafts:
            notice.close()
        # A letter of a project is not named here: somebody may be rating it.
        self.drafts = tuple(self._draft_notice(draft) for draft in drafts[:MOST_DRAFTS])
        for place, notice in enumerate(self.drafts):
            self._offers.insertWidget(place, notice)
        self.offers.setVisible(bool(self.drafts))

    def _draft_notice(self, draft: KeptEntry) -> Notice:
        title = tr("a letter of a project") if draft.reading else tr("“{title}”").format(title=as_given(draft.title))
        words = tr("You edited {letter} and did not save it ({when}).")
        notice = Notice(words.format(letter=title, when=spelled(draft.when)), tone="warn", closable=False, narrow=True)
        notice.add_action(tr("Go on with it"), lambda: self.draft_opened.emit(draft.key, draft.reading))
        notice.add_action(tr("Delete the draft"), lambda: self.draft_removed.emit(draft.key))
        return notice

    def _show(self) -> None:
        before = self.list.row()
        self._model.clear()
        rows = self.rows()
        for row in rows:
            item = QStandardItem(safe_line(row.title))
            where = {IN_PROJECT: tr("in the project"), MINE: tr("mine"), PILE: tr("a pile")}[row.place]
            side = f"{where} · {spelled(row.when)}"
            item.setData(side, SIDE_ROLE)
            item.setData(row, ENTRY_ROLE)
            item.setData(f"{safe_line(row.title)}, {side}", Qt.ItemDataRole.AccessibleTextRole)
            self._model.appendRow(item)
        if rows:
            self.list.setCurrentIndex(self._model.index(rows.index(before) if before in rows else 0, 0))
        for widget in (self.list, self.open, self.remove):
            widget.setVisible(bool(rows))
        self.look.setVisible(self._offers_project)
        self.damaged.setVisible(bool(self.damaged.text()))
        self.setVisible(bool(rows or self._offers_project or self.damaged.text()))
        self._dress()

    def _enable(self) -> None:
        row = self.list.row()
        self.open.setEnabled(row is not None)
        self.remove.setEnabled(row is not None)

    def _with_row(self, act: Callable[[ShelfRow], object]) -> None:
        row = self.list.row()
        if row is not None:
            act(row)

    def _lay_out(self) -> None:
        self.list.setModel(self._model)
        self.list.setItemDelegate(_RowDelegate(self.list))
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setAccessibleName(tr("Kept letters"))
        buttons = FlowLayout(self.open, self.remove, self.look, spacing=8, centred=True)
        add_to(self.box, self.list, buttons, self.damaged, spacing=12)

    def _dress(self, _tokens: object = None) -> None:
        self.list.setFixedHeight(min(MOST_ROWS, max(1, self._model.rowCount())) * theme.current().px(ROW_HEIGHT) + 4)


def _pile_title(pile: PileEntry) -> str:
    letters = plural(pile.rows, "1 letter", "%n letters")
    worked = plural(pile.letters, "1 of them worked on", "%n of them worked on")
    return tr("{name}: {letters}, {worked}").format(name=pile.name, letters=letters, worked=worked)


def spelled(when: str) -> str:
    """Format a stored time in the person's time zone and language."""
    at = QDateTime.fromString(when, Qt.DateFormat.ISODateWithMs)
    return QLocale().toString(at.toLocalTime(), QLocale.FormatType.ShortFormat)


MOST_SHOWN = 60_000  # characters; a longer text is taken as it is and not shown here


class PasteBox(QPlainTextEdit):
    """A box for plain text. A very long text goes to `taken` at once: a text engine would lay all of it out."""

    taken = Signal(str)

    def __init__(self, hint: str, name: str) -> None:
        super().__init__()
        self.setPlaceholderText(tr(hint))
        self.setAccessibleName(tr(name))
        self.setTabChangesFocus(True)
        self.setAcceptDrops(False)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText()

    def insertFromMimeData(self, source: QMimeData) -> None:
        text = source.text()
        if len(text) + len(self.toPlainText()) > MOST_SHOWN:
            self.taken.emit(text)
        else:
            self.textCursor().insertText(DisplayText(text, to_edit=True).shown)
            self.ensureCursorVisible()

    def forget(self) -> None:
        """Clear the text, and its undo history."""
        self.setPlainText("")
        self.document().clearUndoRedoStacks()


def in_folder(folder: Path | None, name: str = "") -> str:
    """Return where a file dialog starts: in this folder, with this name; without a folder where the last one ended."""
    return str(folder / name) if folder is not None else name


def ask_letter(parent: QWidget, title: str, folder: Path | None = None) -> Path | None:
    """Ask for a file, at first in this folder; None if the person cancels."""
    kinds = " ".join(f"*.{ending}" for ending in ENDINGS)
    choices = f"{tr('Letters')} ({kinds});;{tr('All files')} (*)"
    name, _ = QFileDialog.getOpenFileName(parent, title, in_folder(folder), choices)
    return Path(name) if name else None


WIDTH, BOX_HEIGHT, ICON = 620, 132, 36


class _StartPasteBox(PasteBox):
    """A paste box with a fixed height; its preferred height does not count."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumHeight())


class LetterStartPage(Sheet):
    """The page that says how a letter is treated before it is given."""

    file_wanted = Signal()
    pasted = Signal(str)
    pile_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.card = Card()
        self.picture = QLabel()
        self.choose = PrimaryButton(tr("Choose a file…"), act=self.file_wanted)
        self.pile = QuietButton(tr("A pile of letters…"), act=self.pile_wanted)
        self.paste = _StartPasteBox(tr("… or paste the letter here"), tr("Paste a letter"))
        self.check = QuietButton(tr("Check this text"), act=self._paste)
        self.check.setAccessibleDescription(tr("Works once a letter is pasted."))
        self.waiting = Label("", "soft", wrap=True)
        self.cancel = LinkButton(tr("Cancel"))
        self.context = Label("", "note", wrap=True)
        self.kept = KeptCard()
        self.paste.taken.connect(self.pasted)
        self.paste.textChanged.connect(self._enable)
        self._lay_out()
        self._enable()
        self.show_waiting("")
        self.show_context("")
        theme.follow(self._dress)

    def show_waiting(self, words: str) -> None:
        """Say which reading is under way; "" for none."""
        show_words(self.waiting, words)
        self.cancel.setVisible(bool(words))
        for widget in (self.choose, self.pile, self.paste):
            widget.setEnabled(not words)
        self._enable()

    def show_context(self, name: str) -> None:
        """Say that the CV is here already, and waits for its letter."""
        self.context.setText(safe_line(tr("“{name}” is kept as the CV. Now give the letter.").format(name=name)))
        self.context.setVisible(bool(name))

    def show_promise(self, *, drafts: bool) -> None:
        """Say what is kept of a letter. `drafts`: edited letters are kept as drafts."""
        self.said.setText(
            tr("Nothing leaves this computer. Of what you edit a draft is kept until you save or close it.")
            if drafts
            else tr("Nothing leaves this computer, and nothing is kept unless you save it.")
        )

    def forget(self) -> None:
        self.paste.forget()
        self.show_context("")

    def _paste(self) -> None:
        self.pasted.emit(self.paste.toPlainText())

    def _enable(self) -> None:
        self.check.setEnabled(self.paste.isEnabled() and bool(self.paste.toPlainText().strip()))

    def _lay_out(self) -> None:
        box = self.card.box
        box.setSpacing(12)
        words = in_column(Label(tr("Check a letter"), "display", wrap=True), spacing=4)
        explanation = tr(
            "Drop a reference letter, a review or a job advert here: {formats}. You see which words are worth a second "
            "look and why, how a letter compares with others for its occupation, and, with a CV, which claims it lacks."
        ).format(formats=NAMES)
        words.addWidget(Label(explanation, "soft", wrap=True))
        box.addLayout(in_row((self.picture, Qt.AlignmentFlag.AlignTop), (words, 1), spacing=16))
        buttons = FlowLayout(self.choose, self.pile, self.waiting, self.cancel, spacing=8, centred=True)
        add_to(box, self.context, buttons, Gap(4), self.paste)
        self.said = Label("", "note", wrap=True)
        self.show_promise(drafts=True)
        box.addLayout(in_row((self.said, 1), self.check))
        self.cards = column_of(self.kept.offers, self.card, self.kept, spacing=theme.current().gap)
        self.put_in_the_middle(self.cards)

    def _dress(self, _tokens: object = None) -> None:
        tokens = theme.current()
        self.picture.setPixmap(QPixmap())
        side = tokens.px(ICON)
        self.picture.setPixmap(theme.pixmap("letters", tokens.accent, side, self.devicePixelRatioF()))
        self.cards.setMaximumWidth(tokens.px(WIDTH))
        self.paste.setMinimumHeight(tokens.px(BOX_HEIGHT))

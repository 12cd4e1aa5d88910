"""The current letter: its text, settings by hand, its readings as it is edited, and the chosen entry.

All of it is in memory, and `forget` drops it; `kept` returns the part that a draft or a saved letter stores.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.letters import (
    Document,
    DocumentKind,
    KeptLetter,
    LetterSource,
    Part,
    PartKind,
    ReadingRequest,
    with_kind,
)
from biasprint.core.swap import Person
from biasprint.desktop.jobs import JobRunner, Refresher
from biasprint.desktop.operations import letters
from biasprint.desktop.operations.letters import Checked, LetterRequest, document_as_typed
from biasprint.desktop.panels.letters.board import LetterBoard
from biasprint.desktop.panels.letters.compared import letter_title
from biasprint.desktop.panels.letters.entries import MARKED, LetterItem, items_of, left
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import tr
from biasprint.desktop.widgets.keys import shortcut

if TYPE_CHECKING:
    from biasprint.core.letters import Suggestion

PAUSE_MILLISECONDS = 300  # without a key before the letter is read again


class LetterCheck(QObject):
    """The readings of a letter: `open` a document; `seen` carries every reading of the text as it is then.

    For a letter that was just opened, `marked` comes first: its marked words, before any scorer has finished.
    """

    marked = Signal(object)  # Checked, the first
    seen = Signal(object)  # Checked
    failed = Signal(object)  # AppError
    reading_changed = Signal(bool)  # a reading is under way, or asked for
    dismissed_changed = Signal()
    touched = Signal()  # a person changed something of it: its text, what is set by hand, a dismissal

    def __init__(self, jobs: "JobRunner", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.document: Document | None = None
        self.context: Document | None = None
        self.checked: Checked | None = None
        self._marked: Checked | None = None
        self.dismissed: list[str] = []
        self._parts: tuple[Part, ...] | None = None
        self._person: Person | None = None
        self._occupation: str | None = None
        self._kind: DocumentKind | None = None
        self._text = ""
        self._marking = Refresher(jobs, tr("Marking a letter"), self._finish_marking, _leave_to_the_reading, self)
        self._reading = Refresher(jobs, tr("Reading a letter"), self._finish, self._fail, self)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MILLISECONDS)
        self._pause.timeout.connect(self._ask)

    @property
    def text(self) -> str:
        """The text as it is now."""
        return self._text

    # what a person does

    def open(self, document: Document) -> None:
        """Check another letter, from the beginning. The CV stays only if there was no letter yet."""
        context = self.context if self.document is None else None
        self.resume(KeptLetter(document, document.name, context))

    def resume(self, letter: KeptLetter) -> None:
        """Check a letter as it was left, with what was set by hand."""
        self.forget()
        letters.forget_scorers()
        self.document, self.context, self._text = letter.document, letter.context, letter.document.text
        self._parts, self._person, self._occupation = letter.parts, letter.person, letter.occupation
        self._kind = letter.kind
        self.dismissed = list(letter.dismissed)
        self._marking.read_with(self._mark)
        self._reading.read_with(self._read)
        self.read_now()

    def text_changed(self, text: str, place: int, removed: int, added: int) -> None:
        """Take an edit: at the character `place`, `removed` characters went and `added` came."""
        if self.document is None or text == self._text:
            return
        self._text = text
        if self._parts is not None:
            self._parts = moved(self._parts, place, removed, added, len(text))
        self.reading_changed.emit(True)
        self._pause.start()
        self.touched.emit()

    def set_context(self, document: Document | None) -> None:
        """Set the CV that the letter is checked against, or none."""
        self.context = document
        self._set_by_hand()

    def set_person(self, person: Person) -> None:
        self._person = person
        self._set_by_hand()

    def set_occupation(self, occupation: str) -> None:
        self._occupation = occupation
        self._set_by_hand()

    def set_kind(self, kind: DocumentKind | None) -> None:
        """Set what the document is read as; None for a guess."""
        self._kind = kind
        self._set_by_hand()

    def set_part(self, start: int, end: int, kind: PartKind) -> None:
        """Set the kind of part of these characters, as a person says."""
        if self.latest is not None:
            before = self._parts if self._parts is not None else self.latest.reading.parts
            self._parts = with_kind(before, start, end, kind)
            self._set_by_hand()

    def dismiss(self, key: str) -> None:
        if key not in self.dismissed:
            self.dismissed.append(key)
            self._dismissals_changed()

    def undo_dismissal(self) -> str:
        """Bring back the last dismissed entry, and return its key, or ""."""
        if not self.dismissed:
            return ""
        key = self.dismissed.pop()
        self._dismissals_changed()
        return key

    def restore_all(self) -> None:
        self.dismissed.clear()
        self._dismissals_changed()

    def read_now(self) -> None:
        """Read the letter as it is, without waiting for a pause."""
        if self.document is not None:
            self._pause.stop()
            self.reading_changed.emit(True)
            self._ask()

    def forget(self) -> None:
        """Drop the letter and everything about it."""
        self._pause.stop()
        self._marking.read_with(None)
        self._reading.read_with(None)
        self.document = self.context = self.checked = self._marked = None
        self._parts = self._person = self._occupation = self._kind = None
        self._text = ""
        self.dismissed = []
        self.reading_changed.emit(False)

    @property
    def latest(self) -> Checked | None:
        """The last reading of the letter, or its marked words before there is one."""
        return self.checked or self._marked

    @property
    def is_current(self) -> bool:
        """True if the last reading is of the current text."""
        return self.checked is not None and self._is_of_now(self.checked)

    @property
    def is_marked(self) -> bool:
        """True if the shown reading or marked words are of the current text."""
        return self.latest is not None and self._is_of_now(self.latest)

    def _is_of_now(self, checked: Checked) -> bool:
        return checked.reading.document.text == self._text

    def kept(self, title: str, saved_as: str, reading: str) -> KeptLetter:
        """Return the current letter for storage."""
        now = self._request()
        given = now.given
        return KeptLetter(
            now.document, title, given.context, given.parts, given.person, given.occupation, tuple(self.dismissed),
            saved_as, reading, kind=given.kind,
        )  # fmt: skip

    def _set_by_hand(self) -> None:
        self.read_now()
        self.touched.emit()

    def _dismissals_changed(self) -> None:
        self.dismissed_changed.emit()
        self.touched.emit()

    # reading

    def _ask(self) -> None:
        if self.checked is None:  # once the scorers have read the letter, they answer as quickly
            self._marking.ask()
        self._reading.ask()

    def _request(self) -> LetterRequest:
        assert self.document is not None
        document = self.document
        if self._text != document.text:
            document = document_as_typed(document, self._text)
        given = ReadingRequest(
            context=self.context, parts=self._parts, person=self._person, occupation=self._occupation,
            kind=self._kind,
        )  # fmt: skip
        return LetterRequest(document, given)

    def _read(self, ctx: JobContext) -> Checked:
        # In the job's thread: the request is of the moment when the work begins, and every value in it is frozen.
        return letters.check(ctx, self._request())

    def _mark(self, ctx: JobContext) -> Checked:
        return letters.check_words(ctx, self._request())

    def _finish_marking(self, checked: Checked) -> None:
        if self.checked is None and self._is_of_now(checked):
            self._marked = checked
            self.marked.emit(checked)

    def _finish(self, checked: Checked) -> None:
        if not self._is_of_now(checked):
            return  # typed over meanwhile: the pause asks again
        self.checked = checked
        self.reading_changed.emit(False)
        self.seen.emit(checked)

    def _fail(self, error: AppError) -> None:
        self.reading_changed.emit(False)
        self.failed.emit(error)


def _leave_to_the_reading(error: AppError) -> None:
    """Ignore an error of the marking: the reading fails for the same reason and reports it."""


def moved(parts: tuple[Part, ...], place: int, removed: int, added: int, length: int) -> tuple[Part, ...]:
    """Return the parts set by hand, shifted by an edit. They cover the letter: no new line falls between two."""
    after, by = place + removed, added - removed

    def now(at: int) -> int:
        return at if at <= place else at + by if at >= after else place

    starts = [0, *(now(part.start) for part in parts[1:])]
    ends = [*starts[1:], length]
    shifted = [replace(part, start=start, end=end) for part, start, end in zip(parts, starts, ends, strict=True)]
    return tuple(part for part in shifted if part.start < part.end)


class LetterReview(QObject):
    """The current letter: its check, the board that shows it, the chosen entry, and the actions on both.

    `seen` follows every reading, `shown` also the marked words that come before the first. `on_board` is called once,
    with the board, when it is first needed. `edited`: something of it would be lost if it were closed now. `saved_as`,
    `reading`: where it is saved (biasprint.core.letters.values.KeptLetter).
    """

    seen = Signal(object)  # Checked
    shown = Signal(object)  # Checked
    changed = Signal()  # something was changed that is to be kept

    def __init__(self, shell: Shell, on_board: Callable[[LetterBoard], None], parent: QObject) -> None:
        super().__init__(parent)
        self._shell, self._on_board = shell, on_board
        self.check = LetterCheck(shell.jobs, self)
        self.selected = ""  # the key of an entry
        self.edited = False
        self.saved_as = self.reading = ""
        self.source: LetterSource | None = None  # as it was first opened
        self._title = ""
        self._goes_on_from: int | None = None
        self._items: tuple[LetterItem, ...] = ()
        self._board: LetterBoard | None = None
        self.check.marked.connect(self._show)
        self.check.seen.connect(self._show)
        self.check.touched.connect(self._touched)
        self.check.dismissed_changed.connect(self._show_dismissals)

    @property
    def board(self) -> LetterBoard:
        """The view of a letter, made on first use."""
        if self._board is None:
            self._board = LetterBoard()
            self._connect_board(self._board)
            self._bind_keys(self._board)
            self._on_board(self._board)
        return self._board

    @property
    def made_board(self) -> LetterBoard | None:
        """The board; None before its first use."""
        return self._board

    def open(self, source: LetterSource) -> None:
        """Show a letter and read it."""
        document = source.document
        self.forget()
        self.check.open(document)
        self.source, self._title = source, document.name
        self.board.open_letter(document, self.check.context)

    def open_kept(self, letter: KeptLetter, *, edited: bool = False) -> None:
        """Show a letter as it was left, and read it. `edited`: it has unsaved changes."""
        self.forget()
        self.check.resume(letter)
        self._title, self.saved_as, self.reading = letter.title, letter.saved_as, letter.reading
        self.edited, self.source = edited, letter.source or LetterSource(letter.document)
        self.board.open_letter(letter.document, letter.context)

    def forget(self) -> None:
        """Clear the letter from the board."""
        self._items, self.selected, self.edited = (), "", False
        self._goes_on_from = None
        self._title = self.saved_as = self.reading = ""
        self.source = None
        self.board.forget()

    def kept(self) -> KeptLetter | None:
        """Return the current letter for storage; None without one."""
        if self.check.document is None:
            return None
        return replace(self.check.kept(self.title, self.saved_as, self.reading), source=self.source)

    @property
    def title(self) -> str:
        """The title of the letter: the candidate, where known, else the file."""
        reading = self.check.latest.reading if self.check.latest is not None else None
        return letter_title(reading, self._title, "")

    def mark_saved(self, letter: KeptLetter, *, saved_as: str = "", reading: str = "") -> None:
        """Note that `letter` is on disk; later changes are still unsaved."""
        now = self.kept()
        if now is None:
            return
        self.edited = replace(now, title=letter.title, saved_as=letter.saved_as, reading=letter.reading) != letter
        self.saved_as, self.reading = saved_as or self.saved_as, reading or self.reading

    def set_context(self, document: Document | None) -> None:
        """Set the CV that the letter is checked against, or none."""
        self.check.set_context(document)
        self.board.context.show_context(document)

    # entries

    def select(self, key: str, *, follow: bool = True) -> None:
        """Choose an entry: its words are tinted, its reason is shown. `follow`: the text scrolls to it."""
        item = self._item(key)
        self.selected = key if item is not None else ""
        self.board.show_chosen(item, self.check.latest, follow=follow, current=self.check.is_marked)

    def step(self, by: int) -> None:
        """Go to the next or previous mark in the order of the words; after the last comes the first."""
        keys = [item.key for item in self._shown_in_order()]
        if not keys:
            return
        here = keys.index(self.selected) if self.selected in keys else (-1 if by > 0 else 0)
        self.select(keys[(here + by) % len(keys)])

    def _shown_in_order(self) -> list[LetterItem]:
        """Return the visible marks, in the order of their words."""
        own = [item for item in self._left() if item.sentence is not None and self.board.letter.shows(item)]
        return sorted(own, key=lambda item: (item.start, -item.end))

    def go_to_sentence(self, start: int, mark: str) -> None:
        """Move the cursor into a sentence of the reading, and choose the mark with this key; "" for none."""
        self.board.show_letter()
        self.select(mark)
        self.board.letter.text.go_to(start)

    def dismiss(self, key: str = "") -> None:
        """Dismiss an entry, and choose the one after it."""
        key = key or self.selected
        shown = [row.item.key for row in self.board.found.model.rows if row.item is not None]
        if not key:
            return
        after = shown[shown.index(key) + 1 :][:1] if key in shown else []
        self.check.dismiss(key)
        self.select(after[0] if after else "", follow=bool(after))

    def undo_dismissal(self) -> None:
        key = self.check.undo_dismissal()
        if key:
            self.select(key)

    @property
    def chosen_mark(self) -> LetterItem | None:
        """The chosen mark; None if none is chosen, or the entry is a claim or on the letter as a whole."""
        item = self._item(self.selected)
        return item if item is not None and item.section in MARKED else None

    # inside

    def _show(self, checked: Checked) -> None:
        self._items = items_of(checked)
        self.board.show_reading(checked, self._left(), self.check.dismissed)
        self.shown.emit(checked)
        if not checked.first:
            self.seen.emit(checked)
        if self._goes_on_from is not None:
            self._go_on(self._goes_on_from)
        elif self.selected:
            self._keep_selected()

    def _keep_selected(self) -> None:
        """Keep the chosen entry if it is still there, without scrolling."""
        item = self._item(self.selected)
        if item in self._left():
            self.board.show_chosen(item, self.check.latest, follow=False, current=self.check.is_marked, again=True)
        else:
            self.select("", follow=False)

    def _go_on(self, place: int) -> None:
        """Go to the first mark after a suggestion that was used, in the new reading."""
        self._goes_on_from = None
        later = [item for item in self._shown_in_order() if item.start >= place]
        self.select(later[0].key if later else "")

    def _show_dismissals(self) -> None:
        if self.check.latest is not None:
            self.board.show_dismissals(self.check.latest, self._left(), self.check.dismissed)

    def _left(self) -> tuple[LetterItem, ...]:
        return left(self._items, self.check.dismissed)

    def _item(self, key: str) -> LetterItem | None:
        return next((item for item in self._items if item.key == key), None)

    def _touched(self) -> None:
        """Note a change of the text, the CV, a dismissal or anything that was set by hand."""
        self.edited = True
        self.changed.emit()

    def _text_edited(self, place: int, removed: int, added: int) -> None:
        self.edited = True
        self.check.text_changed(self.board.letter.text.text(), place, removed, added)

    def _use_offer(self, offer: "Suggestion") -> None:
        """Change the words as a person asked; Ctrl+Z in the letter takes it back."""
        same = self.board.letter.text.text()[offer.start : offer.end] == offer.old
        if offer.new is not None and same and self.check.is_marked:
            self.board.letter.text.replace_span(offer.start, offer.end, offer.new)
            self._goes_on_from = offer.start + len(offer.new)
            self.check.read_now()

    def _go_to_words(self, key: str) -> None:
        item = self._item(key)
        if item is not None and (item.sentence is not None or item.places):
            self.board.show_letter()
            self.board.letter.text.go_to(item.start)

    def _connect_board(self, board: LetterBoard) -> None:
        text, note, card = board.letter.text, board.letter.note, board.found
        text.edited.connect(self._text_edited)
        text.chosen.connect(lambda key: self.select(key, follow=False) if key else None)
        text.too_long.connect(lambda: self._shell.notify(tr("That is too long for a letter, and was not pasted.")))
        note.stepped.connect(self.step)
        note.dismissed.connect(self.dismiss)
        note.offer_used.connect(self._use_offer)
        note.context_wanted.connect(board.show_passage)
        card.list.chosen_item.connect(self.select)
        card.list.entered_item.connect(self._go_to_words)
        card.list.dismissed_item.connect(self.dismiss)
        card.list.undone.connect(self.undo_dismissal)
        card.undone.connect(self.undo_dismissal)
        card.all_restored.connect(self.check.restore_all)
        board.letter.part_set.connect(self.check.set_part)
        board.person.person_set.connect(self.check.set_person)
        board.letter.read_for.connect(self.check.set_person)
        board.person.occupation_set.connect(self.check.set_occupation)
        board.person.kind_set.connect(self.check.set_kind)

    def _bind_keys(self, board: LetterBoard) -> None:
        shortcut("Alt+Down", board, lambda: self.step(1), repeats=True, in_sight=True)
        shortcut("Alt+Up", board, lambda: self.step(-1), repeats=True, in_sight=True)
        shortcut("Alt+D", board, lambda: self.dismiss(), in_sight=True)
        shortcut("Alt+Z", board, lambda: self.undo_dismissal(), repeats=True, in_sight=True)

"""The letter that is being checked: its text, what a person set by hand, and its readings as it is edited.

All of it is in memory. `forget` lets go of it; nothing of it was ever on a disk.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from core.documents.values import Document, Part, PartKind
from core.errors import AppError
from core.jobs import JobContext
from core.swap import Person
from desktop.jobs.refresher import Refresher
from desktop.operations import letters
from desktop.operations.letters import Checked, Request, document_as_typed
from desktop.widgets import tr

if TYPE_CHECKING:
    from desktop.jobs import JobRunner

PAUSE_MILLISECONDS = 300  # without a key before the letter is read again


class LetterCheck(QObject):
    """`open` a document; `seen` brings every reading of the text as it is then."""

    seen = Signal(object)  # Checked
    failed = Signal(object)  # AppError
    reading_changed = Signal(bool)  # a reading is under way, or asked for
    dismissed_changed = Signal()

    def __init__(self, jobs: "JobRunner", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.document: Document | None = None
        self.context: Document | None = None
        self.checked: Checked | None = None
        self.dismissed: list[str] = []
        self._parts: tuple[Part, ...] | None = None
        self._person: Person | None = None
        self._occupation: str | None = None
        self._text = ""
        self._reading = Refresher(jobs, tr("Reading a letter"), self._finish, self._fail, self)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MILLISECONDS)
        self._pause.timeout.connect(self._ask)

    # what a person does

    def open(self, document: Document) -> None:
        """Check another letter, from the beginning. The CV stays only if there was no letter yet."""
        context = self.context if self.document is None else None
        self.forget()
        letters.forget_scorers()
        self.document, self.context, self._text = document, context, document.text
        self._reading.read_with(self._read)
        self.read_now()

    def text_changed(self, text: str, place: int, removed: int, added: int) -> None:
        """The letter was edited: `place` is a character of it, `removed` went there and `added` came."""
        if self.document is None or text == self._text:
            return
        self._text = text
        if self._parts is not None:
            self._parts = moved(self._parts, place, removed, added, len(text))
        self.reading_changed.emit(True)
        self._pause.start()

    def set_context(self, document: Document | None) -> None:
        """What the letter should rest on, or nothing."""
        self.context = document
        self.read_now()

    def set_person(self, person: Person) -> None:
        self._person = person
        self.read_now()

    def set_occupation(self, occupation: str) -> None:
        self._occupation = occupation
        self.read_now()

    def set_part(self, start: int, end: int, kind: PartKind) -> None:
        """Characters of the letter are what a person says they are."""
        from core.documents.parts import with_kind

        if self.checked is not None:
            before = self._parts if self._parts is not None else self.checked.reading.parts
            self._parts = with_kind(before, start, end, kind)
            self.read_now()

    def dismiss(self, key: str) -> None:
        if key not in self.dismissed:
            self.dismissed.append(key)
            self.dismissed_changed.emit()

    def undo_dismissal(self) -> str:
        """Bring back what was dismissed last; its key, or ""."""
        if not self.dismissed:
            return ""
        key = self.dismissed.pop()
        self.dismissed_changed.emit()
        return key

    def restore_all(self) -> None:
        self.dismissed.clear()
        self.dismissed_changed.emit()

    def read_now(self) -> None:
        """Read the letter as it is, without waiting for a pause."""
        if self.document is not None:
            self._pause.stop()
            self.reading_changed.emit(True)
            self._ask()

    def forget(self) -> None:
        """Let go of the letter and everything about it."""
        self._pause.stop()
        self._reading.read_with(None)
        self.document = self.context = self.checked = None
        self._parts = self._person = self._occupation = None
        self._text = ""
        self.dismissed = []
        self.reading_changed.emit(False)

    @property
    def is_current(self) -> bool:
        """Whether the last reading is of the text as it is now."""
        return self.checked is not None and self.checked.reading.document.text == self._text

    # reading

    def _ask(self) -> None:
        self._reading.ask()

    def _request(self) -> Request:
        assert self.document is not None
        document = self.document
        if self._text != document.text:
            document = document_as_typed(document, self._text)
        return Request(document, self.context, self._parts, self._person, self._occupation)

    def _read(self, ctx: JobContext) -> Checked:
        # In the job's thread: the request is of the moment when the work begins, and every value in it is frozen.
        return letters.check(ctx, self._request())

    def _finish(self, checked: Checked) -> None:
        if checked.reading.document.text != self._text:
            return  # typed over meanwhile: the pause asks again
        self.checked = checked
        self.reading_changed.emit(False)
        self.seen.emit(checked)

    def _fail(self, error: AppError) -> None:
        self.reading_changed.emit(False)
        self.failed.emit(error)


def moved(parts: tuple[Part, ...], place: int, removed: int, added: int, length: int) -> tuple[Part, ...]:
    """Parts set by hand, after an edit. Together they cover the letter, so that no new line falls between two."""
    after, by = place + removed, added - removed

    def now(at: int) -> int:
        return at if at <= place else at + by if at >= after else place

    starts = [0, *(now(part.start) for part in parts[1:])]
    ends = [*starts[1:], length]
    found = [replace(part, start=start, end=end) for part, start, end in zip(parts, starts, ends, strict=True)]
    return tuple(part for part in found if part.start < part.end)

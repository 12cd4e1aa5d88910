"""The storage of the current letter: a draft, one's own letters, the project; and the question before it is lost."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.letters import KeptLetter
from biasprint.core.letters.kept import (
    DRAFTS,
    SAVED,
    Draft,
    KeptEntry,
    in_another_window,
    listed,
    opened,
    remove,
    remove_letter,
    save,
    saved_letter,
    saved_letters,
)
from biasprint.core.letters.pile.kept import listed_piles
from biasprint.core.machine.storage import Busy
from biasprint.core.project.project import Project
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.operations import Operation, operation
from biasprint.desktop.operations.letters import Checked
from biasprint.desktop.panels.letters.pile.keeper import PileLetter, remove_pile
from biasprint.desktop.panels.letters.review import LetterReview
from biasprint.desktop.panels.letters.start import IN_PROJECT, PILE, KeptCard, KeptHere, ShelfRow
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import tr
from biasprint.desktop.widgets.safe_text import as_given, safe_line

# ---- The jobs that keep letters


@operation("Looking for kept letters", quiet=True)
def list_kept(ctx: JobContext) -> KeptHere:
    """List the letters kept in the data folder."""
    drafts, saved = listed(DRAFTS), listed(SAVED)
    return KeptHere(drafts.entries, saved.entries, listed_piles(), len(drafts.damaged) + len(saved.damaged))


@operation("Looking for saved letters", quiet=True)
def list_in_project(ctx: JobContext, *, project: Project) -> tuple[KeptEntry, ...]:
    """List the letters saved in the project."""
    return saved_letters(project)


@operation("Opening a letter")
def open_saved(ctx: JobContext, *, key: str) -> KeptLetter:
    """Open one of the person's own letters, as it was left."""
    return opened(SAVED, key)


@operation("Opening a letter")
def open_in_project(ctx: JobContext, *, project: Project, reading: str) -> KeptLetter:
    """Open a letter of the project, as it was left."""
    return saved_letter(project, reading)


@operation("Opening a draft")
def open_draft(ctx: JobContext, *, key: str, project: Project | None) -> tuple[KeptLetter, Draft]:
    """Open a draft that was left behind, and its letter. No other window is offered it from now on.

    A letter from a project that is not open is opened without its link to that project.
    """
    draft = _held(key)
    try:
        letter = opened(DRAFTS, key)
        if letter.reading and (project is None or project.readings.get(letter.reading) is None):
            letter = replace(letter, reading="")
    except BaseException:
        draft.leave()
        raise
    return letter, draft


@operation("Deleting a draft", quiet=True)
def discard_draft(ctx: JobContext, *, key: str) -> None:
    """Delete a draft that was left behind."""
    _held(key).discard()


def _held(key: str) -> Draft:
    draft = Draft(key)
    try:
        draft.hold()
    except Busy as error:
        raise in_another_window("letter") from error
    return draft


@operation("Saving the letter", quiet=True)
def save_letter(ctx: JobContext, *, letter: KeptLetter) -> str:
    """Save a letter among the person's own, and return its key there."""
    return save(letter)


@operation("Removing a letter", quiet=True)
def remove_saved(ctx: JobContext, *, key: str) -> None:
    """Delete one of the person's own letters."""
    remove(SAVED, key)


@operation("Removing a letter", quiet=True)
def remove_from_project(ctx: JobContext, *, project: Project, reading: str) -> None:
    """Delete a letter of the project, with its text and every reading of it."""
    remove_letter(project, reading)


def save_to_project(*, project: Project, checked: Checked, letter: KeptLetter) -> Operation[str]:
    """Save the letter and its reading in the project, and return the id of the reading."""

    def work(ctx: JobContext) -> str:
        from biasprint.core.letters.kept import save_letter

        return save_letter(project, letter, checked.reading, checked.occupation)

    message = tr("“{title}” is in the project.").format(title=letter.title)
    return Operation(tr("Saving the letter"), work, lambda _: message, quiet=True)


# ---- Drafts

WRITE_AFTER_MILLISECONDS = 700  # of a change, while others follow too: with the writing, on a busy disk, less than 2 s
SETTING = "keep_drafts"


class LetterDraft(QObject):
    """The draft of the current letter. `note` each change. `changed`: the draft on disk was written or became outdated.

    Reading and writing happen off the window's thread; results that arrive after the panel is gone are dropped.
    """

    changed = Signal()

    def __init__(self, shell: Shell, letter: Callable[[], KeptLetter | None], parent: QObject) -> None:
        super().__init__(parent)
        self._shell, self._letter = shell, letter
        self._draft: Draft | None = None
        self._writes = 0
        self.failed = False
        self._timer = QTimer(self, singleShot=True, interval=WRITE_AFTER_MILLISECONDS)
        self._timer.timeout.connect(self._write)

    @property
    def keeps(self) -> bool:
        """True if drafts are kept at all."""
        return bool(self._shell.settings.get(SETTING))

    @property
    def on_disk(self) -> bool:
        return self._draft is not None and not self.failed

    def note(self) -> None:
        """Schedule a draft after a change of the letter."""
        if self.keeps and not self._timer.isActive():
            self._timer.start()

    def take(self, draft: Draft) -> None:
        """Go on with a draft that was left behind."""
        self._draft, self._writes, self.failed = draft, 0, False

    def discard(self) -> None:
        """Delete the draft, because the letter was saved or closed."""
        self._timer.stop()
        draft, self._draft, self.failed = self._draft, None, False
        if draft is not None:
            self._shell.jobs.start(tr("Deleting the draft"), lambda ctx: draft.discard(), quiet=True)

    def leave(self) -> None:
        """Bring the draft up to date and leave it on disk when the panel closes."""
        letter = self._letter() if self._draft is not None or self._timer.isActive() else None
        self._timer.stop()
        if letter is None:
            return
        draft, number = self._next()
        self._draft = None

        def leave(ctx: JobContext) -> None:
            draft.write(letter, number)
            draft.leave()

        self._shell.jobs.start(tr("Keeping the draft"), leave, quiet=True)

    def _write(self) -> None:
        letter = self._letter() if self.keeps else None
        if letter is None:
            return
        draft, number = self._next()
        self._shell.jobs.start(
            tr("Keeping a draft"),
            lambda ctx: draft.write(letter, number),
            quiet=True,
            on_done=lambda _: self._tell(None),
            on_error=self._tell,
        )

    def _next(self) -> tuple[Draft, int]:
        """Return the draft and the number of the next write; numbers order writes of late threads."""
        self._draft = self._draft or Draft()
        self._writes += 1
        return self._draft, self._writes

    def _tell(self, error: AppError | None) -> None:
        """Report a failure once; the next change tries again."""
        first = error is not None and not self.failed
        self.failed = error is not None
        if first and error is not None:
            self._shell.show_error(
                AppError(
                    tr("The draft of this letter could not be kept."),
                    kept=tr("The letter is still here, in the window."),
                    hint=tr("{why} {hint}").format(why=error.message, hint=error.hint),
                    details=error.details,
                )
            )
        self.changed.emit()


Then = Callable[[], object]


def nothing_more() -> None:
    """Do nothing, as the default of what follows."""


class LetterKeeping(QObject):
    """The storage of the current letter. `told`: its description changed. `saved`: it was saved to one more place."""

    told = Signal()
    saved = Signal()

    def __init__(self, shell: Shell, review: LetterReview, panel: QWidget) -> None:
        super().__init__(panel)
        self._shell, self._review, self._panel = shell, review, panel
        self._project: Project | None = None  # whose reading the letter is
        self._asked: Question | None = None
        self._saving = False
        self._next: Then | None = None  # a save that waits for the one under way, or for the reading of what was typed
        self._of_pile: PileLetter | None = None  # what is done goes there, and nowhere is a draft
        self._written: tuple[str, str] = "", ""  # the Word file that was written, and the text that it has
        self._soon = QTimer(self, singleShot=True, interval=WRITE_AFTER_MILLISECONDS)
        self._soon.timeout.connect(self.keep_in_pile)
        self.draft = LetterDraft(shell, review.kept, self)
        self.draft.changed.connect(self.told)
        review.changed.connect(self._note)
        review.seen.connect(lambda _: self._go_on())
        shell.settings.changed.connect(self._setting_changed)

    def said(self) -> str:
        """Return where the current letter is kept, for the status line."""
        if self._of_pile is not None:
            return self._of_pile.said()
        name, text = self._written
        if name and text == self._review.check.text:
            return tr("This letter: written to “{name}”").format(name=safe_line(name))
        if self._review.edited:
            draft = tr("This letter: changes not saved, a draft is kept")
            return draft if self.draft.on_disk else tr("This letter: changes not saved")
        if self._review.reading:
            return tr("This letter: saved in the project")
        return tr("This letter: saved among my letters") if self._review.saved_as else tr("This letter: not saved")

    # another letter, or none

    def took(self, letter: KeptLetter, draft: Draft | None = None, of_pile: PileLetter | None = None) -> None:
        """Note that a kept letter was opened, with its draft if it has one, or its place in a pile."""
        self._project = self._shell.project if letter.reading else None
        self._of_pile = of_pile
        if draft is not None:
            self.draft.take(draft)
        self.told.emit()

    def forget(self) -> None:
        """Release the letter, and delete its draft; what was done to a letter of a pile is kept there."""
        self._leave_pile()
        self._project = self._next = None
        self._written = "", ""
        self.draft.discard()

    @property
    def of_pile(self) -> bool:
        """True if the letter is one of a pile."""
        return self._of_pile is not None

    @property
    def folder(self) -> Path | None:
        """The folder of the letter's file, or of its zip; None for one that has no file."""
        source = self._review.source
        if source is not None and source.path is not None:
            return source.path.parent
        return self._of_pile.folder if self._of_pile is not None else None

    def note_written(self, path: Path, text: str) -> None:
        """Note that the letter with this text was written to a Word file."""
        self._written = path.name, text
        self.told.emit()

    def keep_in_pile(self) -> None:
        """Keep what was done to a letter of a pile, at once."""
        letter = self._review.kept()
        if self._of_pile is not None and self._review.edited and letter is not None:
            self._of_pile.keep(letter)

    def _leave_pile(self) -> None:
        self._soon.stop()
        self.keep_in_pile()
        place, self._of_pile = self._of_pile, None
        if place is not None and self._review.edited:
            place.keeper.left.emit(place.path)

    def belongs_elsewhere(self) -> bool:
        """Return whether the current letter belongs to a project that is no longer open."""
        return self._project is not None and self._shell.project is not self._project

    def leave(self) -> None:
        """Leave unsaved changes as a draft, or with the pile, when the panel closes."""
        self._soon.stop()
        self.keep_in_pile()
        if self._review.edited and self._of_pile is None:
            self.draft.leave()
        self._review.edited = False

    # saving

    def save(self, then: Then = nothing_more) -> None:
        """Save the letter where it is saved already; a new one among the person's own letters, or with its pile."""
        if self._of_pile is not None:
            letter = self._review.kept()
            if letter is not None:
                self._of_pile.keep(letter)
                self._of_pile.keeper.save()
                self._shell.notify(tr("“{title}” is kept with the pile.").format(title=safe_line(letter.title)))
            then()
        elif self._review.reading and self._shell.project is not None:
            self.save_to_project(then)
        else:
            self.save_mine(then)

    def save_mine(self, then: Then = nothing_more) -> None:
        """Save the letter among the person's own, replacing its earlier version there."""
        if self._waits(lambda: self.save_mine(then)):
            return
        letter = self._review.kept()
        if letter is None:
            return

        def done(key: str) -> None:
            self._review.mark_saved(letter, saved_as=key)
            self._saved(tr("“{title}” is saved on this computer.").format(title=safe_line(letter.title)), then)

        self._start(save_letter(letter=letter), done)

    def save_to_project(self, then: Then = nothing_more) -> None:
        """Save the letter and its reading in the project; after an edit, wait for the reading first."""
        project, check = self._shell.project, self._review.check
        if project is None or check.document is None or self._waits(lambda: self.save_to_project(then)):
            return
        letter, checked = self._review.kept(), check.checked
        if letter is None or checked is None or not check.is_current:
            self._next = lambda: self.save_to_project(then)
            check.read_now()
            return

        def done(reading: str) -> None:
            if self._shell.project is project:
                self._project = project
                self._review.mark_saved(letter, reading=reading)
            self._saved("", then)

        self._start(save_to_project(project=project, checked=checked, letter=letter), done)

    def _waits(self, save: Then) -> bool:
        """Postpone a save while another one is running, and return whether it was."""
        if self._saving:
            self._next = save
        return self._saving

    def _go_on(self) -> None:
        if self._next is not None and not self._saving:
            save, self._next = self._next, None
            save()

    def _start(self, operation: Operation[str], done: Callable[[str], object]) -> None:
        def fail(error: AppError) -> None:
            self._saving, self._next = False, None
            self._shell.show_error(error)

        self._saving = True
        operation.start(self._shell.jobs, on_done=done, on_error=fail)

    def _saved(self, words: str, then: Then) -> None:
        self._saving = False
        if not self._review.edited:
            self.draft.discard()
        if words:
            self._shell.notify(words)
        self.saved.emit()
        self.told.emit()
        then()
        self._go_on()

    # the question before it goes

    def if_it_may_go(self, then: Then, let_go: Then = nothing_more) -> None:
        """Go on, after a question if something of the letter would be lost. `let_go` runs first if the letter is
        released.

        A second call replaces the question of an earlier one.
        """
        if not self._review.edited or self._of_pile is not None:
            then()
            return
        if self._asked is not None:
            self._asked.reject()
        where = tr("Save it in the project") if self._review.reading else tr("Save it among my letters")
        question = Question(
            self._panel.window(),
            title=tr("Let go of “{title}”?").format(title=safe_line(self._review.title)),
            text=tr("Your changes are not saved. Save them, or let go of them for good."),
            safe=tr("Keep it open"),
            risky=tr("Let go of it"),
            on_risky=lambda: self._let_go(then, let_go),
            other=where,
            on_other=lambda: self.save(then),
        )
        question.finished.connect(lambda _: self._answered(question))
        self._asked = question
        question.open()

    def _let_go(self, then: Then, let_go: Then) -> None:
        let_go()
        then()

    def _answered(self, question: Question) -> None:
        if self._asked is question:
            self._asked = None

    # inside

    def _note(self) -> None:
        if self._of_pile is None:
            self.draft.note()
        elif not self._soon.isActive():
            self._soon.start()
        self.told.emit()

    def _setting_changed(self, key: str) -> None:
        if key != SETTING:
            return
        if self.draft.keeps and self._review.edited:
            self.draft.note()
        elif not self.draft.keeps:
            self.draft.discard()
        self.told.emit()


class KeptList(QObject):
    """The list of the start page, kept up to date with disk and project. Opened letters go to `open_with`."""

    pile_wanted = Signal(str)  # its key

    def __init__(
        self, shell: Shell, card: KeptCard, open_with: Callable[[Operation[Any]], object], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._shell, self._card, self._open_with = shell, card, open_with
        self._parent = parent
        self._looked: Project | None = None  # somebody asked to see its letters, after the question
        self._soon = QTimer(self, singleShot=True, interval=0)  # several reasons in one turn are one look
        self._soon.timeout.connect(self._list)
        card.opened.connect(self._open)
        card.removed.connect(self._ask_to_remove)
        card.draft_opened.connect(self._open_draft)
        card.draft_removed.connect(self._remove_draft)
        card.project_wanted.connect(lambda: shell.look("letters", self._look))

    def refresh(self) -> None:
        """Look up again what is there."""
        self._soon.start()

    def _list(self) -> None:
        list_kept().start(self._shell.jobs, on_done=self._card.show_here)
        project = self._shell.project
        if project is None:
            self._card.show_project(())
        elif self._looked is project or self._shell.may_look:
            self._looked = project
            listing = list_in_project(project=project)
            listing.start(
                self._shell.jobs,
                on_done=lambda entries: self._card.show_project(entries) if self._shell.project is project else None,
            )
        else:
            self._card.offer_project()

    def _look(self) -> None:
        self._looked = self._shell.project
        self.refresh()

    def open_reading(self, reading: str) -> None:
        """Open a letter of the project."""
        project = self._shell.project
        if project is not None:
            self._open_with(open_in_project(project=project, reading=reading))

    def _open(self, row: ShelfRow) -> None:
        if row.place == IN_PROJECT:
            self.open_reading(row.key)
        elif row.place == PILE:
            self.pile_wanted.emit(row.key)
        else:
            self._open_with(open_saved(key=row.key))

    def _open_draft(self, key: str, reading: str) -> None:
        def open_it() -> None:
            self._open_with(open_draft(key=key, project=self._shell.project))

        if reading:
            self._shell.look("letters", open_it)
        else:
            open_it()

    def _ask_to_remove(self, row: ShelfRow) -> None:
        project = self._shell.project
        title, words = tr("Remove this letter?"), tr("“{title}” is deleted from this computer.")
        removal = remove_saved(key=row.key)
        if row.place == PILE:
            title, removal = tr("Remove this pile?"), remove_pile(key=row.key)
            words = tr("What you did to “{title}” is deleted from this computer. The letters' own files stay.")
        elif row.place == IN_PROJECT:
            if project is None:
                return
            title, removal = (
                tr("Take this letter out of the project?"),
                remove_from_project(project=project, reading=row.key),
            )
            words = tr(
                "“{title}” is deleted from the project, with its CV and every reading of it. Copies and backups of the "
                "project still have it."
            )
        Question(
            self._parent.window(),
            title=title,
            text=words.format(title=as_given(row.title)),
            safe=tr("Keep it"),
            risky=tr("Remove it"),
            on_risky=lambda: self._then_refresh(removal),
        ).open()

    def _remove_draft(self, key: str) -> None:
        Question(
            self._parent.window(),
            title=tr("Delete this draft?"),
            text=tr("The changes that were not saved are lost."),
            safe=tr("Keep it"),
            risky=tr("Delete it"),
            on_risky=lambda: self._then_refresh(discard_draft(key=key)),
        ).open()

    def _then_refresh(self, operation: Operation[None]) -> None:
        operation.start(self._shell.jobs, on_done=lambda _: self.refresh())

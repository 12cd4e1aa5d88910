"""Where the letter in hand is kept: a draft, one's own letters, the project; and the question before it goes."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from biasprint.core.errors import AppError
from biasprint.core.letters.values import KeptLetter
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.operations import Operation, kept_letters
from biasprint.desktop.panels.letters.drafts import SETTING, LetterDraft
from biasprint.desktop.panels.letters.review import LetterReview
from biasprint.desktop.panels.letters.shelf import KeptCard, ShelfRow
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import tr
from biasprint.desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from biasprint.core.letters.kept import Draft
    from biasprint.core.project.project import Project

Then = Callable[[], object]


def nothing_more() -> None:
    """What follows where nothing does."""


class LetterKeeping(QObject):
    """`told`: what is said of where the letter is kept has changed. `saved`: it is in one more place."""

    told = Signal()
    saved = Signal()

    def __init__(self, shell: Shell, review: LetterReview, panel: QWidget) -> None:
        super().__init__(panel)
        self._shell, self._review, self._panel = shell, review, panel
        self._project: Project | None = None  # whose reading the letter is
        self._asked: Question | None = None
        self._saving = False
        self._next: Then | None = None  # a save that waits for the one under way, or for the reading of what was typed
        self.draft = LetterDraft(shell, review.kept, self)
        self.draft.changed.connect(self.told)
        review.changed.connect(self._note)
        review.seen.connect(lambda _: self._go_on())
        shell.settings.changed.connect(self._setting_changed)

    def said(self) -> str:
        """Where the letter in hand is kept, for the status line."""
        if self._review.edited:
            draft = tr("This letter: changes not saved, a draft is kept")
            return draft if self.draft.on_disk else tr("This letter: changes not saved")
        if self._review.reading:
            return tr("This letter: saved in the project")
        return tr("This letter: saved among my letters") if self._review.saved_as else tr("This letter: not saved")

    # another letter, or none

    def took(self, letter: KeptLetter, draft: "Draft | None" = None) -> None:
        """A kept letter is in hand now, from a draft where there is one."""
        self._project = self._shell.project if letter.reading else None
        if draft is not None:
            self.draft.take(draft)
        self.told.emit()

    def forget(self) -> None:
        """The letter is let go of."""
        self._project = self._next = None
        self.draft.discard()

    def belongs_elsewhere(self) -> bool:
        """Whether the letter in hand is of a project that is not open any more."""
        return self._project is not None and self._shell.project is not self._project

    def leave(self) -> None:
        """The panel goes: what is not saved stays as a draft."""
        if self._review.edited:
            self.draft.leave()
        self._review.edited = False

    # saving

    def save(self, then: Then = nothing_more) -> None:
        """Save it where it is saved already; a new one among the person's own letters."""
        if self._review.reading and self._shell.project is not None:
            self.save_to_project(then)
        else:
            self.save_mine(then)

    def save_mine(self, then: Then = nothing_more) -> None:
        """Among the person's own letters, in place of what it was there before."""
        if self._waits(lambda: self.save_mine(then)):
            return
        letter = self._review.kept()
        if letter is None:
            return

        def done(key: str) -> None:
            self._review.mark_saved(letter, saved_as=key)
            self._saved(tr("“{title}” is saved on this computer.").format(title=safe_line(letter.title)), then)

        self._start(kept_letters.save_letter(letter=letter), done)

    def save_to_project(self, then: Then = nothing_more) -> None:
        """With its reading, which is waited for where the text was changed this moment."""
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

        self._start(kept_letters.save_to_project(project=project, checked=checked, letter=letter), done)

    def _waits(self, save: Then) -> bool:
        """Two saves at once would not know of each other: the second follows the first."""
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
        """Go on, after a question where something of the letter would be lost. `let_go` comes first if it is let go of.

        Asked again, the earlier question gives way.
        """
        if not self._review.edited:
            then()
            return
        if self._asked is not None:
            self._asked.reject()
        where = tr("Save it in the project") if self._review.reading else tr("Save it among my letters")
        question = Question(
            self._panel.window(),
            title=tr("Let go of the edited letter?"),
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
        self.draft.note()
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
    """Keeps the list of the start page as the disk and the project are. What is opened is handed to `show`."""

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
        """Look again what there is."""
        self._soon.start()

    def _list(self) -> None:
        kept_letters.list_kept().start(self._shell.jobs, on_done=self._card.show_here)
        project = self._shell.project
        if project is None:
            self._card.show_project(())
        elif self._looked is project or self._shell.may_look:
            self._looked = project
            listing = kept_letters.list_in_project(project=project)
            listing.start(
                self._shell.jobs,
                on_done=lambda found: self._card.show_project(found) if self._shell.project is project else None,
            )
        else:
            self._card.offer_project()

    def _look(self) -> None:
        self._looked = self._shell.project
        self.refresh()

    def open_reading(self, reading: str) -> None:
        """A letter of the project."""
        project = self._shell.project
        if project is not None:
            self._open_with(kept_letters.open_in_project(project=project, reading=reading))

    def _open(self, row: ShelfRow) -> None:
        if row.in_project:
            self.open_reading(row.key)
        else:
            self._open_with(kept_letters.open_saved(key=row.key))

    def _open_draft(self, key: str, reading: str) -> None:
        def open_it() -> None:
            self._open_with(kept_letters.open_draft(key=key, project=self._shell.project))

        if reading:
            self._shell.look("letters", open_it)
        else:
            open_it()

    def _ask_to_remove(self, row: ShelfRow) -> None:
        project = self._shell.project
        if row.in_project and project is None:
            return
        words = (
            tr(
                "“{title}” is deleted from the project, with its CV and every reading of it. Copies and backups of the "
                "project still have it."
            )
            if row.in_project
            else tr("“{title}” is deleted from this computer.")
        )
        Question(
            self._parent.window(),
            title=tr("Take this letter out of the project?") if row.in_project else tr("Remove this letter?"),
            text=words.format(title=safe_line(row.title)),
            safe=tr("Keep it"),
            risky=tr("Remove it"),
            on_risky=lambda: self._then_refresh(
                kept_letters.remove_from_project(project=project, reading=row.key)
                if row.in_project and project is not None
                else kept_letters.remove_saved(key=row.key)
            ),
        ).open()

    def _remove_draft(self, key: str) -> None:
        Question(
            self._parent.window(),
            title=tr("Delete this draft?"),
            text=tr("The changes that were not saved are lost."),
            safe=tr("Keep it"),
            risky=tr("Delete it"),
            on_risky=lambda: self._then_refresh(kept_letters.discard_draft(key=key)),
        ).open()

    def _then_refresh(self, operation: Operation[None]) -> None:
        operation.start(self._shell.jobs, on_done=lambda _: self.refresh())

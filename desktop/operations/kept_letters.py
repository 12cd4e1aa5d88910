"""Letters that are kept: saved among one's own or in the project, listed, opened again; drafts of what is edited."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.desktop.operations import Operation
from biasprint.desktop.operations.letters import Checked
from biasprint.desktop.widgets.words import tr

if TYPE_CHECKING:
    from biasprint.core.letters.kept import Draft, KeptEntry
    from biasprint.core.letters.values import KeptLetter
    from biasprint.core.project.project import Project


@dataclass(frozen=True)
class KeptHere:
    """What is kept on this computer: drafts that no window holds, saved letters, and how many files are no letters."""

    drafts: "tuple[KeptEntry, ...]"
    saved: "tuple[KeptEntry, ...]"
    damaged: int = 0


def list_kept() -> Operation[KeptHere]:
    """Look what is kept in the data folder."""

    def work(ctx: JobContext) -> KeptHere:
        from biasprint.core.letters.kept import DRAFTS, SAVED, listed

        drafts, saved = listed(DRAFTS), listed(SAVED)
        return KeptHere(drafts.entries, saved.entries, len(drafts.damaged) + len(saved.damaged))

    return Operation(tr("Looking for kept letters"), work, quiet=True)


def list_in_project(*, project: "Project") -> "Operation[tuple[KeptEntry, ...]]":
    """The letters that were saved in the project."""

    def work(ctx: JobContext) -> "tuple[KeptEntry, ...]":
        from biasprint.core.letters.kept import saved_letters

        return saved_letters(project)

    return Operation(tr("Looking for saved letters"), work, quiet=True)


def open_saved(*, key: str) -> "Operation[KeptLetter]":
    """One of the person's own letters, as it was left."""

    def work(ctx: JobContext) -> "KeptLetter":
        from biasprint.core.letters.kept import SAVED, opened

        return opened(SAVED, key)

    return Operation(tr("Opening a letter"), work)


def open_in_project(*, project: "Project", reading: str) -> "Operation[KeptLetter]":
    """A letter of the project, as it was left."""

    def work(ctx: JobContext) -> "KeptLetter":
        from biasprint.core.letters.kept import saved_letter

        return saved_letter(project, reading)

    return Operation(tr("Opening a letter"), work)


def open_draft(*, key: str, project: "Project | None") -> "Operation[tuple[KeptLetter, Draft]]":
    """A draft that was left behind, and its letter. No other window is offered it from now on.

    A letter of another project than the open one is of none.
    """

    def work(ctx: JobContext) -> "tuple[KeptLetter, Draft]":
        from biasprint.core.letters.kept import DRAFTS, opened

        draft = _held(key)
        try:
            letter = opened(DRAFTS, key)
            if letter.reading and (project is None or project.readings.get(letter.reading) is None):
                letter = replace(letter, reading="")
        except BaseException:
            draft.leave()
            raise
        return letter, draft

    return Operation(tr("Opening a draft"), work)


def discard_draft(*, key: str) -> Operation[None]:
    """Delete a draft that was left behind."""
    return Operation(tr("Deleting a draft"), lambda ctx: _held(key).discard(), quiet=True)


def _held(key: str) -> "Draft":
    from biasprint.core.letters.kept import Draft
    from biasprint.core.machine.storage import Busy

    draft = Draft(key)
    try:
        draft.hold()
    except Busy as error:
        raise AppError(
            tr("This letter is being edited in another window."),
            kept=tr("Nothing was changed."),
            hint=tr("Go on there."),
        ) from error
    return draft


def save_letter(*, letter: "KeptLetter") -> Operation[str]:
    """Keep a letter among the person's own; its key there."""

    def work(ctx: JobContext) -> str:
        from biasprint.core.letters.kept import save

        return save(letter)

    return Operation(tr("Saving the letter"), work, quiet=True)


def remove_saved(*, key: str) -> Operation[None]:
    """Delete one of the person's own letters."""

    def work(ctx: JobContext) -> None:
        from biasprint.core.letters.kept import SAVED, remove

        remove(SAVED, key)

    return Operation(tr("Removing a letter"), work, quiet=True)


def remove_from_project(*, project: "Project", reading: str) -> Operation[None]:
    """Delete a letter of the project, with its text and every reading of it."""

    def work(ctx: JobContext) -> None:
        from biasprint.core.letters.kept import remove_letter

        remove_letter(project, reading)

    return Operation(tr("Removing a letter"), work, quiet=True)


def save_to_project(*, project: "Project", checked: Checked, letter: "KeptLetter") -> Operation[str]:
    """Keep the letter and its reading in the project; the id of the reading."""

    def work(ctx: JobContext) -> str:
        from biasprint.core.letters.kept import save_letter

        return save_letter(project, letter, checked.reading, checked.occupation)

    said = tr("“{title}” is in the project.").format(title=letter.title)
    return Operation(tr("Saving the letter"), work, lambda _: said, quiet=True)

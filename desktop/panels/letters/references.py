"""Reference letters in a dialog: which set letters are compared with, and sets of one's own from a folder or a pile.

The progress of a job over many letters, with the time left, Pause and Cancel.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QLineEdit, QSizePolicy, QWidget

from biasprint.core import compute
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.language import joined
from biasprint.core.letters import ReadingRequest, scorers_for_letters
from biasprint.core.letters.pile import Pile
from biasprint.core.letters.reference_sets import MadeReference, make_reference_from_pile, reference_of_pile
from biasprint.core.letters.references import BUNDLED, FEWEST, Listed, in_use, references, remove, said_of_too_few, use
from biasprint.desktop import theme
from biasprint.desktop.jobs import JobHandle, JobState
from biasprint.desktop.operations import Operation, operation
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import (
    Label,
    Notice,
    PrimaryButton,
    ProgressThin,
    QuietButton,
    number,
    plural,
    spelled_seconds,
    tr,
)
from biasprint.desktop.widgets.labels import form_of, show_if
from biasprint.desktop.widgets.layout import STRETCH, Dialog, add_to, fitting, in_column, in_row
from biasprint.desktop.widgets.safe_text import as_given, safe_line
from biasprint.desktop.widgets.small_table import TableColumn, TableRow, TextTable


class LettersProgress(QWidget):
    """A bar with the progress of a job over many letters, Pause and Cancel; hidden when the job has ended."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self.handle: JobHandle | None = None
        self.words, self.bar = Label("", "note"), ProgressThin(title)
        self.pause, self.cancel = QuietButton(tr("Pause"), icon="pause"), QuietButton(tr("Cancel"), icon="stop")
        self.bar.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        in_row((self.bar, 1), self.words, self.pause, self.cancel, inside=self, spacing=12, margins=0)
        self.pause.clicked.connect(self._toggle)
        self.cancel.clicked.connect(lambda: self.handle.cancel() if self.handle is not None else None)
        self.follow(None)

    def follow(self, handle: JobHandle | None) -> None:
        """Show this job from now on; None for none."""
        if self.handle is not None:
            with suppress(RuntimeError):  # while a rater is blind, a job forgets who listens
                self.handle.changed.disconnect(self.show_state)
        self.handle = handle
        if handle is not None:
            handle.changed.connect(self.show_state)
        self.show_state()

    def show_state(self) -> None:
        """Show the state of the job."""
        handle = self.handle
        self.setVisible(handle is not None and handle.active)
        if handle is None or not handle.active:
            return
        paused = handle.state is JobState.PAUSED
        self.pause.set_text(tr("Resume") if paused else tr("Pause"))
        self.pause.set_icon("play" if paused else "pause")
        for button in (self.pause, self.cancel):
            button.setEnabled(not handle.cancelling)
        progress = handle.progress
        self.bar.set_progress(progress.done if progress else 0, progress.total if progress else None)
        self.words.setText(progress_said(handle))

    def _toggle(self) -> None:
        if self.handle is not None:
            paused = self.handle.state is JobState.PAUSED
            (self.handle.resume if paused else self.handle.pause)()


def progress_said(handle: JobHandle) -> str:
    """Return the progress of a pile in words."""
    if handle.cancelling:
        return tr("Cancelling…")
    progress = handle.progress
    if progress is None or progress.total is None:
        return tr("Looking what is in it…")
    parts = [tr("{done} of {total} files").format(done=number(progress.done), total=number(progress.total))]
    if handle.state is JobState.PAUSED:
        parts.append(tr("paused"))
    elif progress.seconds_left is not None and progress.done:
        if progress.rate:
            parts.append(_rate(progress.rate))
        parts.append(tr("{time} left").format(time=spelled_seconds(progress.seconds_left)))
    return " · ".join(parts)


def _rate(files_a_second: float) -> str:
    if files_a_second >= 1:
        return tr("{n} a second").format(n=number(files_a_second, 1))
    return tr("{n} a minute").format(n=number(60 * files_a_second, 1))


# ---- The jobs that change the sets


@dataclass(frozen=True)
class ReferenceSets:
    """The current sets. `in_use`: the one that letters are compared with; `told`: remarks on the last step."""

    listed: tuple[Listed, ...]
    in_use: str
    told: tuple[str, ...] = ()


@operation("Looking which reference letters there are", quiet=True)
def see_references(ctx: JobContext) -> ReferenceSets:
    return _as_they_stand()


@operation("Choosing reference letters", quiet=True)
def use_reference(ctx: JobContext, name: str) -> ReferenceSets:
    """Compare with this set from now on."""
    use(name)
    return _as_they_stand()


@operation("Removing reference letters", quiet=True)
def remove_reference(ctx: JobContext, name: str) -> ReferenceSets:
    remove(name)
    return _as_they_stand()


@operation("Making reference letters")
def make_reference(ctx: JobContext, *, folder: Path, name: str, occupation: str) -> ReferenceSets:
    """Make a set from the letters of a folder or zip, and use it from then on."""
    hint = tr("Say above what the candidates are.")
    request = ReadingRequest(scorers_for_letters(), occupation=occupation)
    return _used(make_reference_from_pile(ctx, folder, name, compute.shared(), request, hint=hint))


@operation("Making reference letters")
def keep_pile_as_reference(ctx: JobContext, *, pile: Pile, name: str, occupation: str) -> ReferenceSets:
    """Make a set from the current rows of a pile, and use it from then on."""
    rows = tuple(replace(row, occupation=occupation or row.occupation) for row in pile.rows)
    hint = tr("Say above what the candidates are.")
    return _used(reference_of_pile(replace(pile, rows=rows), name, hint=hint))


def _used(made: MadeReference) -> ReferenceSets:
    reference = made.reference
    use(reference.name)
    template = tr("“{name}” has the figures of {letters} for {what}. New readings are compared with it.")
    count = plural(len(reference.letters), "1 letter", "%n letters")
    remarks = [template.format(name=reference.name, letters=count, what=", ".join(reference.occupations))]
    remarks += list(filter(None, [said_of_too_few(reference)]))
    remarks += [_left_out(made.dropped)] if made.dropped else []
    return _as_they_stand(tuple(remarks))


def _left_out(dropped: Mapping[str, int]) -> str:
    return tr("Left out: {what}.").format(what=", ".join(f"{count:,} ({why})" for why, count in dropped.items()))


def _as_they_stand(told: tuple[str, ...] = ()) -> ReferenceSets:
    return ReferenceSets(references(), in_use(), told)


WIDTH, HEIGHT = 720, 520
LONGEST_NAME, LONGEST_OCCUPATION = 60, 80


class ReferenceDialog(Dialog):
    """The dialog of the sets. `changed`: another set is in use. `pile`: a pile to save as a set."""

    changed = Signal()

    def __init__(self, parent: QWidget, shell: Shell, pile: Pile | None = None) -> None:
        super().__init__(parent, tr("Reference letters"))
        self._shell, self._pile, self._left = shell, pile, False
        self._listed: tuple[Listed, ...] = ()
        self._in_use = ""
        self.table = TextTable(
            tr("Reference letters"),
            [
                TableColumn(tr("Set"), 150),
                TableColumn(tr("Letters"), 72),
                TableColumn(tr("For"), 150),
                TableColumn(tr("What they are")),
            ],
            keep=(0, 3, 2, 1),
            wrap=True,
        )
        self.name, self.occupation = QLineEdit(maxLength=LONGEST_NAME), QLineEdit(maxLength=LONGEST_OCCUPATION)
        self.name.setPlaceholderText(tr("a name for your own set"))
        self.occupation.setPlaceholderText(tr("empty: as each letter says"))
        self.folder = QuietButton(tr("Make it from a folder…"), icon="folder", act=self._choose_folder)
        self.zip = QuietButton(tr("From a zip…"), act=self._choose_zip)
        self.keep = QuietButton(tr("Make it from this pile"), act=self._keep_pile)
        self.use = PrimaryButton(tr("Compare with this"), act=self._use)
        self.remove = QuietButton(tr("Remove"), act=self._remove)
        self.close_button = QuietButton(tr("Close"), act=self.accept)
        self.progress = LettersProgress(tr("How many of the letters are read"))
        self.told, self.trouble = Notice("", closable=False), Notice("", tone="danger", closable=False)
        self.told.hide()
        self.trouble.hide()
        self._lay_out()
        self.name.textChanged.connect(lambda _: self._allow())
        self.table.chosen.connect(lambda _: self._allow())
        self._allow()
        self._run(see_references(), changes=False)

    def make_from(self, path: Path) -> None:
        """Make a set from this folder or zip."""
        self._run(make_reference(folder=path, name=self._new_name, occupation=self._occupation))

    # steps

    @property
    def _new_name(self) -> str:
        return " ".join(self.name.text().split())

    @property
    def _occupation(self) -> str:
        return " ".join(self.occupation.text().split())

    def _choose_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, tr("A folder of reference letters"))
        if name:
            self.make_from(Path(name))

    def _choose_zip(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, tr("A zip of reference letters"), "", tr("Zip (*.zip)"))
        if name:
            self.make_from(Path(name))

    def _keep_pile(self) -> None:
        if self._pile is not None:
            step = keep_pile_as_reference
            self._run(step(pile=self._pile, name=self._new_name, occupation=self._occupation))

    def _use(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self._run(use_reference(chosen.name))

    def _remove(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self._run(remove_reference(chosen.name))

    def _run(self, step: Operation[ReferenceSets], *, changes: bool = True) -> None:
        def done(seen: ReferenceSets) -> None:
            if changes:
                self.changed.emit()
            if not self._left:
                self.progress.follow(None)
                self._show(seen)

        def fail(error: AppError) -> None:
            if not self._left:
                self.progress.follow(None)
                show_if(self.told, False)
                self.trouble.tell([part for part in (error.message, error.kept, error.hint) if part])
                self._allow()

        handle = step.start(self._shell.jobs, on_done=done, on_error=fail)
        handle.changed.connect(lambda: None if self._left else self._allow())
        self.progress.follow(handle)
        self._allow()

    # what is seen

    def _show(self, seen: ReferenceSets) -> None:
        self._listed, self._in_use = seen.listed, seen.in_use
        self.table.show_rows([self._row(reference) for reference in seen.listed])
        show_if(self.trouble, False)
        self.told.tell(seen.told)
        self._allow()

    def _row(self, one: Listed) -> TableRow:
        title = safe_line(one.title) if one.name == BUNDLED else as_given(one.title)
        if one.name == self._in_use:
            title = joined("\n", title, tr("(in use)"))
        what = one.trouble or one.made_from
        return TableRow(one.name, (title, number(one.letters), as_given(", ".join(one.occupations)), safe_line(what)))

    def _chosen(self) -> Listed | None:
        return next((reference for reference in self._listed if reference.name == self.table.current_key), None)

    def _allow(self) -> None:
        busy = self.progress.handle is not None and self.progress.handle.active
        chosen, named = self._chosen(), bool(self._new_name) and not busy
        self.use.setEnabled(chosen is not None and not chosen.trouble and chosen.name != self._in_use and not busy)
        self.remove.setEnabled(chosen is not None and chosen is not self._listed[0] and not busy)
        for button in (self.folder, self.zip, self.keep):
            button.setEnabled(named)
            button.setToolTip("" if named or busy else tr("Give the set a name first"))
        show_if(self.keep, self._pile is not None)

    def done(self, result: int) -> None:
        self._left = True
        super().done(result)

    def _lay_out(self) -> None:
        tokens = theme.current()
        about = tr(
            "A letter is compared with the letters of one set, for the same occupation. Of your own only figures are "
            "kept, on this computer, and never a text. Take letters that people wrote for posts like yours, at least "
            "{number} for an occupation."
        ).format(number=FEWEST)
        grid = form_of((tr("Name"), self.name), (tr("Occupation of all"), self.occupation))
        making = in_row(self.keep, self.folder, self.zip, STRETCH, spacing=tokens.grid)
        buttons = in_row(self.use, self.remove, STRETCH, self.close_button, spacing=tokens.grid)
        box = in_column(Label(about, "soft", wrap=True), inside=self, spacing=tokens.gap, margins=tokens.margin)
        add_to(box, (self.table, 1), buttons)
        add_to(box, Label(tr("A set of your own"), "heading"), grid, making, self.progress, self.trouble, self.told)
        self.resize(fitting(self.parentWidget(), WIDTH, HEIGHT))

"""The beginning of a pile, and its keeping: its rows and letters as somebody left them, to go on another day."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QLabel

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.letters import KeptLetter
from biasprint.core.letters.kept import in_another_window
from biasprint.core.letters.pile.kept import KeptPile, PileEntry, PileFolder, PileWork, kept_for, opened_pile
from biasprint.core.machine.storage import Busy
from biasprint.desktop import theme
from biasprint.desktop.operations import operation
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Card, FlowLayout, Label, PrimaryButton, QuietButton, tr
from biasprint.desktop.widgets.labels import show_words
from biasprint.desktop.widgets.layout import Sheet, add_to, in_column, in_row

WRITE_AFTER_MILLISECONDS = 700  # of a change of the table, while others follow
KEEP_DRAFTS = "keep_drafts"  # the setting


@operation("Opening a pile")
def open_kept_pile(ctx: JobContext, *, key: str) -> tuple[PileFolder, KeptPile]:
    """Open a pile as it was left. No other window opens it from now on."""
    folder = PileFolder(key)
    try:
        folder.hold()
    except Busy as error:
        raise in_another_window("pile") from error
    try:
        return folder, opened_pile(key)
    except BaseException:
        folder.let_go()
        raise


@operation("Removing a pile", quiet=True)
def remove_pile(ctx: JobContext, *, key: str) -> None:
    """Delete what is kept of a pile. Its letters' own files stay."""
    try:
        PileFolder(key).remove()
    except Busy as error:
        raise in_another_window("pile") from error


@operation("Looking for kept piles", quiet=True)
def find_kept(ctx: JobContext, *, paths: tuple[Path, ...]) -> PileEntry | None:
    """Look whether this very pile was worked on before."""
    return kept_for(paths)


class PileKeeper(QObject):
    """The storage of the current pile. `work` returns its table as it is now; None without a pile.

    `letters`: each letter that somebody worked on, as they left it, by the path of its row. `told`: what `said` says
    may be another thing. `left`: the path of a letter that was worked on and is now left.
    """

    told = Signal()
    left = Signal(str)

    def __init__(self, shell: Shell, work: Callable[[], PileWork | None], parent: QObject) -> None:
        super().__init__(parent)
        self._shell, self._work = shell, work
        self._timer = QTimer(self, singleShot=True, interval=WRITE_AFTER_MILLISECONDS)
        self._timer.timeout.connect(self._write_table)
        self._forget()

    # the pile comes and goes

    def resume(self, folder: PileFolder, letters: Mapping[str, KeptLetter]) -> None:
        """Go on with a pile that was kept."""
        self._folder, self._asked, self._done = folder, True, True
        self.letters = dict(letters)
        self.told.emit()

    def leave(self) -> None:
        """Write what is not on disk yet, and let go of the folder; the pile stays there."""
        folder, work = self._folder, self._work()
        keeps = self.keeps and work is not None and self._done
        if keeps and folder is None:
            folder = PileFolder()
        if folder is None:
            self._forget()
            return
        letters, number = {path: self.letters[path] for path in self._unwritten}, self._next()

        def leave(ctx: JobContext) -> None:
            try:
                if keeps and work is not None:
                    folder.write(work, number)
                    for path, letter in letters.items():
                        folder.write_letter(path, letter, number)
            finally:
                folder.let_go()

        self._forget()
        self._shell.jobs.start(tr("Keeping the pile"), leave, quiet=True)

    # what is kept

    def take_letter(self, path: str, letter: KeptLetter) -> None:
        """Keep a letter as it is now."""
        self.letters[path] = letter
        self._unwritten[path] = self._next()
        self._done = True
        if self.keeps:
            if not self._table_written:
                self._write_table()
            self._write_letter(path)
        self.told.emit()

    def note_table(self) -> None:
        """Keep the table after a change, soon."""
        self._done = True
        if self.keeps and not self._timer.isActive():
            self._timer.start()
        self.told.emit()

    def save(self) -> None:
        """Keep the pile from now on, whatever the settings say of drafts."""
        self._asked = self._done = True
        self._write_table()
        for path in tuple(self._unwritten):
            self._write_letter(path)

    @property
    def key(self) -> str:
        """The key of its folder; "" where nothing is kept."""
        return self._folder.key if self._folder is not None else ""

    @property
    def has_work(self) -> bool:
        """True if something was done to the pile, or it was kept before."""
        return self._done

    @property
    def keeps(self) -> bool:
        """True if what is done is written to disk."""
        return self._asked or bool(self._shell.settings.get(KEEP_DRAFTS))

    @property
    def at_risk(self) -> bool:
        """True if something that was done would be lost with the window."""
        return self._done and (not self.keeps or self._failed)

    def said(self) -> str:
        """Return where the pile is kept, for the status line."""
        if self.at_risk:
            return tr("This pile: what you did is not saved")
        return tr("This pile: kept on this computer") if self._done else tr("This pile: nothing to keep yet")

    def said_of(self, path: str) -> str:
        """Return where a letter of the pile is kept, for the status line."""
        if path not in self.letters:
            return tr("This letter: as it is in the pile")
        return tr("This letter: changes not saved") if self.at_risk else tr("This letter: kept with the pile")

    # inside

    def _forget(self) -> None:
        self._timer.stop()
        self._folder: PileFolder | None = None
        self.letters: dict[str, KeptLetter] = {}
        self._unwritten: dict[str, int] = {}  # path → the number of its last change
        self._asked = self._done = self._failed = self._table_written = False
        self._number = 0

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _write_table(self) -> None:
        work = self._work()
        if work is None or not self.keeps:
            return
        self._timer.stop()
        self._table_written = True
        folder, number = self._its_folder(), self._next()
        self._start(lambda ctx: folder.write(work, number), lambda: None)

    def _write_letter(self, path: str) -> None:
        folder, letter, number = self._its_folder(), self.letters[path], self._unwritten[path]

        def done() -> None:
            if self._folder is folder and self._unwritten.get(path) == number:
                del self._unwritten[path]

        self._start(lambda ctx: folder.write_letter(path, letter, number), done)

    def _its_folder(self) -> PileFolder:
        self._folder = self._folder or PileFolder()
        return self._folder

    def _start(self, write: Callable[[JobContext], None], done: Callable[[], None]) -> None:
        def over(_: object) -> None:
            again, self._failed = self._failed, False
            done()
            for path in tuple(self._unwritten) if again else ():
                self._write_letter(path)
            self.told.emit()

        self._shell.jobs.start(tr("Keeping the pile"), write, quiet=True, on_done=over, on_error=self._fail)

    def _fail(self, error: AppError) -> None:
        """Report a failure once; the next change tries again."""
        first, self._failed = not self._failed, True
        self._table_written = False
        if first:
            self._shell.show_error(
                AppError(
                    tr("What you did to the pile could not be kept."),
                    kept=tr("It is still here, in the window."),
                    hint=tr("{why} {hint}").format(why=error.message, hint=error.hint),
                    details=error.details,
                )
            )
        self.told.emit()


@dataclass(frozen=True)
class PileLetter:
    """The place of the current letter in a pile: what is done to it goes there. `folder`: where the pile is."""

    keeper: PileKeeper
    path: str
    folder: Path | None = None

    def keep(self, letter: KeptLetter) -> None:
        self.keeper.take_letter(self.path, letter)

    def said(self) -> str:
        return self.keeper.said_of(self.path)


# ---- The page before there is a pile: what becomes of one, and a folder, a zip or files to choose

WIDTH, ICON = 620, 36


class PileStartPage(Sheet):
    """The page that says how letters are treated before they are chosen. `trouble`: why the last pile was unusable."""

    folder_wanted = Signal()
    files_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.card, self.picture = Card(), QLabel()
        self.folder = PrimaryButton(tr("Choose a folder…"), act=self.folder_wanted)
        self.files = QuietButton(tr("Choose a zip, or files…"), act=self.files_wanted)
        self.trouble = Label("", "strong", wrap=True)
        self._lay_out()
        self.show_trouble("")
        theme.follow(self._dress)

    def show_trouble(self, words: str) -> None:
        """Show why there is no table; "" for no reason."""
        show_words(self.trouble, words)

    def show_promise(self, *, keeps: bool) -> None:
        """Say what is kept of a pile. `keeps`: what is done to it, at once."""
        kept = (
            tr("What you do to a letter or the table is kept here, so that you can go on another day.")
            if keeps
            else tr("Nothing is kept unless you save the pile.")
        )
        bad = tr("A file that cannot be read is a row that says why.")
        self.privacy.setText(f"{tr('Nothing leaves this computer.')} {kept} {bad}")

    def _lay_out(self) -> None:
        words = in_column(Label(tr("A pile of letters"), "display", wrap=True), spacing=4)
        explanation = tr(
            "Drop a folder or a zip here: each letter becomes a row, with its figures beside those of the others. You "
            "can sort and filter them, open each one, and see whether groups differ, once there are enough letters."
        )
        words.addWidget(Label(explanation, "soft", wrap=True))
        head = in_row((self.picture, Qt.AlignmentFlag.AlignTop), (words, 1), spacing=16)
        buttons = FlowLayout(self.folder, self.files, spacing=8, centred=True)
        self.privacy = Label("", "note", wrap=True)
        self.show_promise(keeps=True)
        box = self.card.box
        add_to(box, head, self.trouble, buttons, self.privacy, spacing=12)
        self.put_in_the_middle(self.card)

    def _dress(self, _tokens: object = None) -> None:
        tokens = theme.current()
        self.picture.setPixmap(QPixmap())
        self.picture.setPixmap(theme.pixmap("folder", tokens.accent, tokens.px(ICON), self.devicePixelRatioF()))
        self.card.setMaximumWidth(tokens.px(WIDTH))

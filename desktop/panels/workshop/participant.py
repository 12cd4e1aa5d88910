"""The pages of one participant: the welcome, the fingerprint at the end, and saving it as a picture."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDir, QEvent, QObject, QSettings, QStandardPaths, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QClipboard, QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QCompleter, QDialog, QFileDialog, QGridLayout, QLineEdit, QWidget

from biasprint.core.errors import AppError
from biasprint.core.judging.fingerprint_words import missed_of_20, preference_in_words
from biasprint.desktop import theme
from biasprint.desktop.charts.fingerprint import FORMATS, print_page
from biasprint.desktop.operations.fingerprint import save_fingerprint
from biasprint.desktop.panels.fingerprint.view import FingerprintView
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import (
    Card,
    EmptyState,
    Label,
    LinkButton,
    Notice,
    PlainText,
    PrimaryButton,
    QuietButton,
    number,
    plural,
    tr,
)
from biasprint.desktop.widgets.keys import ENTER, is_fresh
from biasprint.desktop.widgets.layout import STRETCH, Gap, Sheet, add_to, in_column, in_row, scaled, stack_of
from biasprint.desktop.widgets.notice import error_notice
from biasprint.desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from PySide6.QtPrintSupport import QPrinter

    from biasprint.core.judging.fingerprint import Fingerprint
    from biasprint.core.judging.planner import Chance
    from biasprint.core.judging.workshop import WorkshopPlan

# ---- Saving the picture, without a trace of where the last person saved

REMEMBERED = ("lastVisited", "history", "shortcuts")  # what Qt's own dialog would show the next person


class SaveDialog(QFileDialog):
    """The dialog for the place to save. It is Qt's own: the system's remembers folders, and nobody could clear it."""

    def __init__(self, parent: QWidget, on_chosen: Callable[[Path], object]) -> None:
        super().__init__(parent, tr("Save my picture"))
        self._kept = _remembered()
        self._on_chosen = on_chosen
        kinds = {"png": tr("Picture (*.png)"), "svg": tr("Drawing (*.svg)"), "pdf": tr("Document (*.pdf)")}
        self._endings = {words: ending for ending, words in kinds.items()}
        self.setOption(QFileDialog.Option.DontUseNativeDialog)
        self.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        self.setFileMode(QFileDialog.FileMode.AnyFile)
        self.setNameFilters([kinds[ending] for ending in FORMATS])
        self.setDefaultSuffix("png")
        self.setDirectory(_home())
        self.setHistory([])
        self.setSidebarUrls([QUrl.fromLocalFile(path) for path in (QDir.rootPath(), _home())])
        # Neither a name nor a file: what the last person saved here is nobody's business.
        self.setFilter(QDir.Filter.AllDirs | QDir.Filter.NoDotAndDotDot)
        for completer in self.findChildren(QCompleter):
            theme.dress(completer.popup())  # Qt gives this list no parent
        self.filterSelected.connect(self._follow)
        self.finished.connect(self._end)

    def _follow(self, words: str) -> None:
        """Change the ending of the file name to that of the chosen format."""
        self.setDefaultSuffix(self._endings.get(words, "png"))
        for field in self.findChildren(QLineEdit, "fileNameEdit"):
            if typed := field.text():
                field.setText(f"{Path(typed).stem}.{self.defaultSuffix()}")

    def _end(self, result: int) -> None:
        chosen = self.selectedFiles() if result else []
        on_chosen, remembered = self._on_chosen, self._kept
        self.setDirectory(_home())
        self.setHistory([])
        # Qt writes what it remembers when the dialog is destroyed.
        self.destroyed.connect(lambda: _remember(remembered))
        self.deleteLater()
        if chosen:
            path = Path(chosen[0])
            known = path.suffix.lower().lstrip(".") in FORMATS
            on_chosen(path if known else path.with_name(f"{path.name}.{self.defaultSuffix() or 'png'}"))


class Copied(QObject):
    """The clipboards filled since this object was made, all by this program, which fills the screen meanwhile."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._modes: set[QClipboard.Mode] = set()
        QGuiApplication.clipboard().changed.connect(self._modes.add)

    def clear(self) -> None:
        """Clear these clipboards; older contents stay."""
        QGuiApplication.clipboard().changed.disconnect(self._modes.add)
        for mode in self._modes:
            QGuiApplication.clipboard().clear(mode)


def _home() -> str:
    return QStandardPaths.writableLocation(QStandardPaths.StandardLocation.HomeLocation)


def _remembered() -> dict[str, object]:
    settings = _settings()
    return {key: settings.value(key) for key in REMEMBERED if settings.contains(key)}


def _remember(kept: dict[str, object]) -> None:
    settings = _settings()
    for key in REMEMBERED:
        if key in kept:
            settings.setValue(key, kept[key])
        else:
            settings.remove(key)


def _settings() -> QSettings:
    """Return the settings in which Qt's file dialog remembers places, for every program that uses it."""
    settings = QSettings(QSettings.Scope.UserScope, "QtProject")
    settings.beginGroup("FileDialog")
    return settings


# Somebody may walk away and leave the picture on the screen.
IDLE_MINUTES = 5
STIRRINGS = {QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.MouseMove, QEvent.Type.Wheel}


class PicturePage(QWidget):
    """The page of a participant's picture. The host places its buttons `save` and `done`."""

    left = Signal()

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        privacy = tr("Nobody else sees this picture, and it is not kept. It is gone when the next person starts") + ", "
        privacy += plural(IDLE_MINUTES, "or after %n minute without a key.", "or after %n minutes without a key.")
        self.view = FingerprintView(shell, kept=privacy, with_head=False, folded=True)
        self.save = QuietButton(tr("Save my picture…"), icon="export", act=self.ask_where)
        self.paper = QuietButton(tr("Print…"), act=self.ask_printer)
        self.done = PrimaryButton(tr("Done: next person"), act=self.left)
        self.waiting = Label(tr("Drawing your picture…"), "soft")
        self.waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.failed = EmptyState(
            tr("Your picture could not be drawn"), "", tr("Next person"), self.left.emit, icon="fingerprint"
        )
        self.pages = stack_of(self.waiting, self.view, self.failed)
        self._box = in_column((self.pages, 1), inside=self, margins=0)
        self._told: Notice | None = None
        self._asking: QDialog | None = None
        self._idle = QTimer(self, interval=IDLE_MINUTES * 60_000, singleShot=True)
        self._idle.timeout.connect(self.left)

    def show_waiting(self) -> None:
        self._allow(False)
        self.pages.setCurrentWidget(self.waiting)
        self._watch()

    def show_fingerprint(self, found: "Fingerprint") -> None:
        self.view.show_fingerprint(found)
        self._allow(True)
        self.pages.setCurrentWidget(self.view)

    def show_failure(self, error: AppError) -> None:
        self.failed.text.setText(safe_line(str(error)))
        self.pages.setCurrentWidget(self.failed)

    def _allow(self, there: bool) -> None:
        for button in (self.save, self.paper):
            button.setEnabled(there)

    def forget(self) -> None:
        self._idle.stop()
        QApplication.instance().removeEventFilter(self)  # type: ignore[union-attr]
        if self._asking is not None:
            self._asking.reject()  # the next person would find it, with the folder of this one
        self.view.forget()

    # saving

    def ask_where(self) -> None:
        """Ask for the place to save, without blocking the window."""
        if self.view.fingerprint is not None:
            self._ask(SaveDialog(self.window(), self.save_to))

    def save_to(self, path: Path) -> None:
        """Write the picture in the format of the path's ending."""
        fingerprint = self.view.fingerprint
        if fingerprint is None:
            return

        save_fingerprint(found=fingerprint, path=path).start(
            self._shell.jobs,
            on_done=lambda _: self._tell(Notice(tr("Your picture is saved."), tone="ok")),
            on_error=lambda error: self._tell(error_notice(error)),
        )

    def ask_printer(self) -> None:
        """Ask for the printer, without blocking the window."""
        if self.view.fingerprint is None:
            return
        from PySide6.QtPrintSupport import QPrintDialog, QPrinter, QPrinterInfo

        if not QPrinterInfo.availablePrinterNames():
            self._tell(Notice(tr("This computer has no printer. You can save your picture instead."), tone="warn"))
            return
        printer = QPrinter(QPrinter.PrinterMode.HighResolution)  # otherwise in the dots of a screen
        printer.setDocName("Biasprint")
        dialog = QPrintDialog(printer, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(lambda: self.print_on(printer))
        self._ask(dialog)

    def _ask(self, dialog: QDialog) -> None:
        """Open a dialog that closes when the person leaves."""

        def answered(_: int) -> None:
            self._asking = None

        self._asking = dialog
        dialog.finished.connect(answered)
        QDialog.open(dialog)  # PySide's QPrintDialog.open wants a receiver by name

    def print_on(self, printer: "QPrinter") -> None:
        """Print the picture, unless the person has left meanwhile."""
        if self.view.fingerprint is not None:
            try:
                print_page(self.view.fingerprint, theme.tokens_for("light"), printer)
            except AppError as error:
                self._tell(error_notice(error))
                return
            self._tell(Notice(tr("Your picture was sent to the printer."), tone="ok"))

    def _tell(self, notice: Notice) -> None:
        if self._told is not None:
            self._told.close()
        self._told = notice
        notice.closed.connect(self._untold)
        self._box.insertWidget(0, notice)

    def _untold(self) -> None:
        self._told = None

    # somebody who walks away

    def _watch(self) -> None:
        self._idle.start()
        QApplication.instance().installEventFilter(self)  # type: ignore[union-attr]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in STIRRINGS and self._idle.isActive():
            self._idle.start()
        return False


# ---- The welcome: what one will do, how long it takes, who sees it. It names no axis

WIDTH = 880
TWO_COLUMNS_FROM = 640  # text pixels
CONSENT_HEIGHT = 120


class WelcomeFact(QWidget):
    """A fact to know before the start: a title and its explanation."""

    def __init__(self, title: str, text: str = "") -> None:
        super().__init__()
        self.title = Label(title, "strong", wrap=True)
        self.text = Label(text, "soft", wrap=True)
        in_column(self.title, self.text, STRETCH, inside=self, spacing=4, margins=0)


class WelcomePage(Sheet):
    """The first page of every participant. It never shows anything of the last one."""

    started = Signal(bool)  # whether the consent text was agreed to
    leave_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Welcome"))
        self.about = Label("", "reading", wrap=True)
        self.time = WelcomeFact("")
        self.power = WelcomeFact(tr("What it can show"))
        self.yours = WelcomeFact(
            tr("Your result is yours alone"),
            tr(
                "Your answers are kept under a random code that nobody is shown, not under a name. You see your "
                "picture at the end; it is gone when the next person starts, unless you save it."
            ),
        )
        self.group = WelcomeFact(
            tr("The group"),
            tr(
                "Once five people have finished, what all of them chose together stands beside yours. Whoever leads "
                "the workshop sees how many took part, and that; the program never tells which answers are yours."
            ),
        )
        self.consent = PlainText(name=tr("Consent"))
        self.agree = QCheckBox(tr("I agree"))
        self.start = PrimaryButton(tr("Start"), act=self._start)
        self.leave = LinkButton(tr("Leave the workshop"), act=self.leave_wanted)
        self.leave.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the next person presses Enter; Ctrl+Q asks the same
        self._facts = QGridLayout()
        self._asks = False
        self._lay_out()
        self.agree.toggled.connect(self._agreed)
        self.consent.document().documentLayout().documentSizeChanged.connect(lambda: self._fit_consent())
        theme.signals.changed.connect(self._arrange)

    def show_plan(self, plan: "WorkshopPlan", chance: "Chance | None") -> None:
        """Describe the plan of this workshop."""
        self._asks = bool(plan.consent_text.strip())
        self.about.setText(_about(plan.comparisons))
        self.time.title.setText(plural(plan.minutes, "About %n minute", "About %n minutes"))
        self.time.text.setText(
            tr("There is no hurry and no right answer. Skip what you cannot decide, and go back as you like.")
        )
        self.power.text.setText(power_words(chance))
        self.consent.set_text(plan.consent_text)
        self.consent.setVisible(self._asks)
        self.agree.setVisible(self._asks)
        self.forget()

    def forget(self) -> None:
        """Reset the page for the next person."""
        self.agree.setChecked(False)
        self.start.set_text(tr("Start"))
        self._allow()
        self.verticalScrollBar().setValue(0)

    def set_opening(self) -> None:
        self.start.set_text(tr("Opening…"))
        self.start.setEnabled(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in ENTER:
            super().keyPressEvent(event)
        elif is_fresh(event):
            self._start()

    # inside

    def _start(self) -> None:
        if self.start.isEnabled():
            self.started.emit(self.agree.isChecked())

    def _agreed(self, agreed: bool) -> None:
        self._allow()
        if agreed:
            self.setFocus()  # Enter starts now; on the box it would take the agreement back

    def _allow(self) -> None:
        self.start.setEnabled(not self._asks or self.agree.isChecked())

    def _lay_out(self) -> None:
        tokens = theme.current()
        self.box.setContentsMargins(tokens.margin, tokens.margin, tokens.margin, tokens.margin)
        card = Card()
        scaled(card, card.setMaximumWidth, WIDTH)
        card.set_padding(tokens.px(40), tokens.px(32))
        card.box.setSpacing(tokens.gap)
        add_to(card.box, Label(tr("Which text do you find best?"), "display", wrap=True), self.about, Gap(tokens.grid))
        self._facts.setHorizontalSpacing(tokens.px(40))
        self._facts.setVerticalSpacing(tokens.margin)
        add_to(card.box, self._facts, Gap(tokens.grid), self.consent, (self.agree, Qt.AlignmentFlag.AlignLeft))
        card.box.addLayout(in_row(self.start, STRETCH, self.leave))
        add_to(self.box, STRETCH, in_row((card, 1)), 2)
        self._arrange()

    def _arrange(self, _tokens: object = None) -> None:
        """Place two facts beside each other if there is room."""
        wide = self.viewport().width() >= theme.current().px(TWO_COLUMNS_FROM)
        for place, fact in enumerate((self.time, self.power, self.yours, self.group)):
            self._facts.addWidget(fact, *divmod(place, 2 if wide else 1), Qt.AlignmentFlag.AlignTop)
        for column in (0, 1):
            self._facts.setColumnStretch(column, 1 if wide or column == 0 else 0)
        self._fit_consent()

    def _fit_consent(self) -> None:
        """Make the consent text as tall as it needs, up to a limit; a longer text scrolls."""
        most = theme.current().px(CONSENT_HEIGHT)
        self.consent.setFixedHeight(min(most, round(self.consent.document().size().height()) + 4))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()


def _about(comparisons: int) -> str:
    words = plural(
        comparisons,
        "You will see short texts side by side, %n time, and say which one you find best.",
        "You will see short texts side by side, %n times, and each time say which one you find best.",
    )
    return words + " " + tr("What is being compared is told at the end.")


def power_words(chance: "Chance | None") -> str:
    """Explain to a layperson how often a session like this misses a clear preference."""
    if chance is None:
        return tr("How often you chose what. Whether that is a preference, this session cannot tell.")
    words = tr(
        "A clear preference can stay unseen: in a session like this in {missed} of 20 people who have one "
        "({preference}). So “too few to say anything” at the end does not mean that there is none."
    )
    preference = preference_in_words(chance.shares, tr, number)
    return words.format(missed=number(missed_of_20(chance.power)), preference=preference)

"""The start of the program: the window is shown before anything else is loaded."""

import ctypes
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QLibraryInfo, QLocale, QObject, Qt, QTimer, QTranslator, SignalInstance
from PySide6.QtGui import QIcon, QWindow
from PySide6.QtWidgets import QApplication, QWidget

from biasprint.core import language
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext, precedence
from biasprint.core.machine import plug_ins
from biasprint.core.machine.child import python
from biasprint.core.machine.storage import home
from biasprint.desktop import theme
from biasprint.desktop.jobs import unexpected
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations.session import PACKET_SUFFIX, data_endings
from biasprint.desktop.settings import Settings
from biasprint.desktop.warm_up import WarmUp
from biasprint.desktop.widgets import Notice, plural, tr
from biasprint.desktop.widgets.keys import HeldKeys
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.window_commands import take_tour

if TYPE_CHECKING:
    from biasprint.core.project.project import Project
    from biasprint.desktop.operations import Operation


# ---- Garbage collection between events

LOOK_EVERY_MILLISECONDS = 50
MIDDLE_EVERY = 60  # collections of the young: not sooner, or what is in use for a moment counts as old
SETTLING_LOOKS = 100  # five seconds
FULL_EVERY_LOOKS = 200  # ten seconds
LATEST_FULL_LOOKS = 1_200  # a minute, where a rater presses key after key
IDLE_SECONDS = 0.5  # since the last key
LONG_SECONDS = 0.01  # of a full collection: twice as much is to be expected before the next but one


class GarbageCollector(QObject):
    """Collects Python's garbage on the window's thread only, in place of Python's own timing, from `start` to `stop`.

    A collection runs in whatever thread happens to allocate; one in a job would delete widgets there, which crashes Qt.
    Collections are kept short. Imported objects are frozen, because a full collection over them held the window for 80
    ms; so are the 10,000 texts that a live board has read, which held it for 77 ms. The timer fires often, because the
    garbage that busy jobs leave in a second held the window for 90 ms. No collection runs while a rater's key is
    answered: a full one over a session of 100,000 comparisons held it for 54 ms, by its own clock. Freed memory is then
    returned to the system: readings of many threads leave gaps that would otherwise stay for good.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._looks = 0  # since everything was collected
        self._settling = 0  # looks
        self._set_apart = False
        self._give_back = _giving_back()
        self._timer = QTimer(self, interval=LOOK_EVERY_MILLISECONDS)
        self._timer.timeout.connect(self.look)

    def start(self, settling: int = 0) -> None:
        """Start the timer. During the first `settling` looks, new objects are frozen unseen: mostly imports.

        Collecting them took a tenth of the window's time while a project was opened with it.
        """
        self._settling = settling
        gc.disable()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()
        gc.enable()

    def look(self) -> None:
        """Collect young objects if there are many; now and then everything that is not frozen."""
        self._looks += 1
        if precedence.taken:
            return
        if self._settling > 0:
            self._settling -= 1
            self._set_apart = True
            gc.freeze()
            return
        young, middle, _ = gc.get_count()
        idle = precedence.idle_seconds > IDLE_SECONDS or self._looks >= LATEST_FULL_LOOKS
        if self._looks >= FULL_EVERY_LOOKS and idle:
            self._looks = 0
            self._collect_all()
        elif young > gc.get_threshold()[0]:
            gc.collect(1 if middle > MIDDLE_EVERY else 0)

    def _collect_all(self) -> None:
        """Collect everything; if that took long, freeze what is still in use until the project is closed."""
        before = time.thread_time()
        gc.collect(2)
        if time.thread_time() - before > LONG_SECONDS:
            gc.freeze()
            self._set_apart = True
        self._give_back()

    def everything(self) -> None:
        """Collect frozen objects too: a project was closed, and its reference cycles can be freed."""
        if self._set_apart:
            self._set_apart = False
            gc.unfreeze()
            gc.collect(2)
            gc.freeze()


def _giving_back() -> Callable[[], object]:
    """Return a function that gives freed memory back to the system (glibc; elsewhere it does nothing). Half a ms."""
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # Windows, macOS and musl give it back by themselves
        return lambda: None
    trim.argtypes = [ctypes.c_size_t]
    return partial(trim, 0)


# After so long a busy thread lets the window's have the interpreter: each time that Qt calls Python it may have to wait
# for it. With Python's 5 ms, 1 % of the turns beside a live board took 33 ms and more by the clock, with 1 ms 15 to 19.
SWITCH_SECONDS = 0.001
AFTER_PAINT_MILLISECONDS = 16  # a frame
BEHIND_OPENING_MILLISECONDS = 500  # until the project's first panel is there
# Ctrl+C; the system's end of a session; a terminal that is closed. What is typed is saved first.
ENDING = [signal.SIGINT, signal.SIGTERM] if sys.platform == "win32" else [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
DIRECTION = "BIASPRINT_DIRECTION"  # “rtl”: the layout is mirrored, as a language written from right to left needs it
TURN_MILLISECONDS = 1  # of 0 Qt would make an event, served before those of the keyboard


def build_application(argv: Sequence[str], settings: Settings | None = None) -> QApplication:
    """Create the QApplication with the theme that the reader chose."""
    app = QApplication(list(argv))
    app.setApplicationName("Biasprint")
    app.setApplicationDisplayName("")
    app.setDesktopFileName("biasprint")
    app.setQuitOnLastWindowClosed(False)  # the project is let go of first; see biasprint.desktop.main_window
    if os.environ.get(DIRECTION) == "rtl":
        app.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    HeldKeys(app)
    chosen = settings or Settings()
    _speak(app, language.wanted(str(chosen.get("language")), QLocale.system().uiLanguages()))
    theme.set_reduced_motion(bool(chosen.get("reduced_motion")))

    def dress() -> None:
        theme.apply(app, str(chosen.get("theme")), chosen.scale, chosen.reading_scale)

    dress()
    app.setWindowIcon(QIcon(theme.pixmap("biasprint", "", 64, 2.0)))
    app.styleHints().colorSchemeChanged.connect(lambda _: dress())
    return app


def _speak(app: QApplication, code: str) -> None:
    """Speak a language: texts, numbers and days, and the words of Qt's own dialogs."""
    language.choose(code)
    QLocale.setDefault(QLocale(code))
    words = QTranslator(app)
    if words.load(f"qtbase_{code}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(words)


def create_window(settings: Settings) -> MainWindow:
    """Create the window, which at first contains only the rail."""
    window = MainWindow(settings)
    if settings.notice:
        window.show_notice(Notice(settings.notice, tone="warn"))
    return window


def start(
    window: MainWindow, path: Path | None = None, first: "Operation[Project] | None" = None, *, prepare: bool = False
) -> None:
    """After the first paint: the first panel, then the project, while a thread imports what comes next.

    Keys are answered between these steps. `prepare`: this is a person's own start: the tour is offered at the first
    one, and last of all, what of the program is not installed yet is, if run.py said so.
    """
    is_data = path is not None and path.is_file() and path.suffix.lower() in chain(*data_endings())
    project = None if is_data else path
    opening = project is not None or first is not None
    rates = path is not None and path.suffix.lower() == PACKET_SUFFIX

    def mark() -> None:
        if not rates and not _is_at_judging(window):
            _start_marking(window)

    def open_it() -> None:
        window.started_with = project
        if not opening:
            warm_up()
            if is_data and path is not None:
                window.open_files([path])
            return
        _at_the_first_of((window.session.opened, window.session.failed), later)
        if first is not None:
            window.session.take(first, path or Path())
        elif project is not None:
            window.open_project(project)

    def later() -> None:  # who waits for the project needs the processor more
        QTimer.singleShot(BEHIND_OPENING_MILLISECONDS, window, lambda: _in_turns(window, (mark, warm_up)))

    def warm_up() -> None:
        then = window.preparation.begin if prepare else None
        WarmUp(window.jobs, window).start(then, with_engine=None if rates else lambda: _get_ready_for_letters(window))

    first_panel = window.rail.shown()[0]

    def show() -> None:
        if not window.current:  # a key may have led elsewhere meanwhile
            window.show_panel(first_panel)
        tell_of_drafts(window)
        if prepare:
            offer_tour(window)

    load = window.entries[first_panel].load
    if rates:  # a rater need not see Home, and others' projects there
        open_it()
    else:
        _in_turns(window, (load, show, open_it) if opening else (mark, load, show, open_it))


def _in_turns(window: MainWindow, steps: Sequence[Callable[[], object]]) -> None:
    """Run the first step now, and each later one once pending key presses have been handled and painted."""
    steps[0]()
    if steps[1:]:
        QTimer.singleShot(TURN_MILLISECONDS, window, lambda: _in_turns(window, steps[1:]))


def _at_the_first_of(signals: Iterable[SignalInstance], call: Callable[[], object]) -> None:
    heard: list[bool] = []

    def hear(*_: object) -> None:
        if not heard:
            heard.append(True)
            call()

    for signal_heard in signals:
        signal_heard.connect(hear, Qt.ConnectionType.SingleShotConnection)


def _is_at_judging(window: MainWindow) -> bool:
    return window.blind or window.kiosk is not None


def _start_marking(window: MainWindow) -> None:
    """Start the process that marks words, which takes 1 to 2 s: a letter may be opened next."""
    # Not in the thread, where the engine is imported beside it: see WarmUp.
    from biasprint.core import compute
    from biasprint.core.letters import get_ready_for_words

    def work(ctx: JobContext) -> None:
        compute.quick().call(get_ready_for_words, ctx=ctx)

    title = tr("Getting ready to mark letters")
    window.jobs.start(title, work, on_error=lambda _: None, quiet=True, at_once=True)


def _get_ready_for_letters(window: MainWindow) -> None:
    """Start the processes that read letter files and mark words, if the person is not judging."""
    if _is_at_judging(window):
        return
    from biasprint.desktop.operations import letters

    letters.warm_up_words().start(window.jobs, on_error=lambda _: None)


def tell_of_drafts(window: MainWindow) -> None:
    """Show a notice if edited letters were left unsaved, as by a crash. They are named in Letters alone."""

    def look(ctx: JobContext) -> int:
        folder = home() / "letters" / "drafts"
        if not folder.is_dir() or not any(folder.iterdir()):
            return 0  # most often; nothing more is imported then
        from biasprint.core.letters.kept import DRAFTS, listed

        return len(listed(DRAFTS).entries)

    def tell(left: int) -> None:
        if not left or _is_at_judging(window) or "letters" in window.panels:
            return
        words = plural(left, "A letter was edited and not saved.", "%n letters were edited and not saved.")
        notice = Notice(words, tone="warn", more=tr("Its draft is kept until you go on with it or delete it."))

        def close_in_letters(key: str) -> None:
            if key == "letters":  # by whichever way: the drafts are listed there
                notice.close()

        shown = window.panel_shown.connect(close_in_letters)
        notice.closed.connect(lambda: window.disconnect(shown))
        notice.add_action(tr("Open Letters"), lambda: window.show_panel("letters"))
        window.show_notice(notice, key="drafts")

    window.jobs.start(tr("Looking for drafts"), look, on_done=tell, on_error=lambda _: None, quiet=True)


def offer_tour(window: MainWindow) -> None:
    """Offer the tour on Home, at the first start alone; a window may be closed before Home was seen."""
    from biasprint.desktop.panels.home import HomePanel

    home = window.panels.get(HomePanel.key)
    if isinstance(home, HomePanel) and home.built and not window.settings.tour_seen:
        window.settings.see_tour()
        home.offer_tour(partial(take_tour, window))


def run(path: Path | None = None, *, first: "Operation[Project] | None" = None) -> int:
    """Open the window, stay until it is closed, and return the exit code.

    It opens the project at `path`, or what the operation `first` gives: that is how the sample project comes.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    settings = Settings()
    app = build_application(sys.argv[:1], settings)  # not the project's name: a rater's window must not lead to it
    window = create_window(settings)
    _show_unexpected_errors(window)
    for told_to_end in ENDING:
        signal.signal(told_to_end, lambda *_: window.leaving.begin())
    hears_signals = QTimer(app, interval=500)  # Python looks for signals only when it runs
    hears_signals.timeout.connect(lambda: None)
    hears_signals.start()
    garbage = GarbageCollector(app)
    garbage.start(SETTLING_LOOKS)
    window.session.closed.connect(garbage.everything)
    window.show()
    hold_the_keyboard(app, window)

    def begin() -> None:
        for sentence in plug_ins.news():  # before any is loaded
            window.show_notice(Notice(safe_line(sentence), tone="warn"), key=sentence)
        start(window, path, first, prepare=True)
        theme.follow_system(app)

    FirstPaint(window.ground, begin)
    code = app.exec()
    garbage.stop()
    window.jobs.close()
    if window.leaving.again:
        subprocess.Popen(command_again(window.leaving.project), env=environment_again(), start_new_session=True)
    return code


def command_again(project: Path | None) -> list[str]:
    """Return the command that starts the program again, with the project that was open."""
    program = [sys.executable] if getattr(sys, "frozen", False) else python("-m", "biasprint")
    return [*program, "gui", *([str(project)] if project is not None else [])]


def environment_again() -> dict[str, str]:
    """Return the environment without the language of this process: the next one looks at the settings."""
    return {name: value for name, value in os.environ.items() if name != language.VARIABLE}


def hold_the_keyboard(app: QApplication, window: MainWindow) -> None:
    """Give the window the keyboard, and again when a dialog that had it closes, as a window manager does.

    Where there is one, these are requests, and it decides.
    """

    def take() -> None:
        if window.isVisible():
            (app.activeModalWidget() or window).activateWindow()

    def watch(focused: QWindow | None) -> None:
        if focused is not None and focused is not window.windowHandle():
            focused.visibleChanged.connect(
                lambda _: QTimer.singleShot(0, window, take), Qt.ConnectionType.SingleShotConnection
            )

    app.focusWindowChanged.connect(watch)
    window.activateWindow()


class FirstPaint(QObject):
    """Calls back once, when `widget` has been painted and what was pressed by then is answered.

    After a second also unseen, for a window that starts hidden.
    """

    def __init__(self, widget: QWidget, then: Callable[[], object]) -> None:
        super().__init__(widget)
        self._then: Callable[[], object] | None = then
        self._widget = widget
        widget.installEventFilter(self)
        QTimer.singleShot(1_000, self, self._go_on)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self._widget.removeEventFilter(self)
            # A timer, and not a turn with the events: the rest of the window is painted, and keys are answered, first.
            QTimer.singleShot(AFTER_PAINT_MILLISECONDS, self, self._go_on)
        return False

    def _go_on(self) -> None:
        then, self._then = self._then, None
        if then is not None:
            then()


def _show_unexpected_errors(window: MainWindow) -> None:
    """Show an error in the window itself like any other, and still write it where a developer looks."""

    def show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        sys.__excepthook__(kind, error, trace)
        if isinstance(error, AppError):
            window.show_error(error)
        elif isinstance(error, Exception):
            window.show_error(unexpected(tr("Biasprint"), error))

    sys.excepthook = show

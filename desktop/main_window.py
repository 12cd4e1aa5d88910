"""The main window: it only composes rail, panels, banners, jobs drawer and status line, and connects them."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QApplication, QDialog, QHBoxLayout, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from biasprint.core.errors import AppError, NotInstalledYet
from biasprint.core.runs.result_folder import is_result_folder
from biasprint.desktop import theme
from biasprint.desktop.blindfold import Blindfold
from biasprint.desktop.dialogs.parts import PartsLine, PartsPage
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.gate import LookGate, ProjectNotices
from biasprint.desktop.jobs import JobHandle, JobRunner, JobState
from biasprint.desktop.jobs.drawer import JobsDrawer
from biasprint.desktop.operations.preparing import Preparation
from biasprint.desktop.operations.session import (
    PACKET_SUFFIX,
    PAGE_SUFFIX,
    PROJECT_SUFFIX,
    ProjectSession,
    data_endings,
    is_result,
)
from biasprint.desktop.operations.writers import Connections
from biasprint.desktop.panels import PANELS, PanelEntry
from biasprint.desktop.settings import Settings
from biasprint.desktop.shell import Command
from biasprint.desktop.warm_up import import_store, is_importing
from biasprint.desktop.widgets import Banners, Notice, tr
from biasprint.desktop.widgets.events import FileDrop, below, first_field
from biasprint.desktop.widgets.frame import Rail, StatusLine
from biasprint.desktop.widgets.keys import shortcut
from biasprint.desktop.widgets.layout import add_to, order_tabs
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.window_commands import CommandPalette, file_menu, offer_help, save_copy, window_commands

if TYPE_CHECKING:
    from biasprint.core.judging.packets.packet import PacketInfo
    from biasprint.core.project.changes import Changes
    from biasprint.core.project.project import Project
    from biasprint.desktop.dialogs.import_table import ImportDoor
    from biasprint.desktop.panels.base import Panel
    from biasprint.desktop.panels.workshop.room import WorkshopRoom
    from biasprint.desktop.second_window import WindowDoor
    from biasprint.desktop.tour import Tour

WAIT_MILLISECONDS = 2_000
LOAD_AGAIN_MILLISECONDS = 20


class Leaving(QObject):
    """Leaving the program. No step blocks the window, and no thread is ever ended by force."""

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        self._begun = False
        self._jobs_over = False
        self.again = False  # the program is to start again
        self.project: Path | None = None  # what it then opens

    def ask(self, *, again: bool = False) -> None:
        """Leave, after a question if something is not saved, and one if jobs are running."""
        project = self._window.project
        self.again, self.project = again, project.path if project is not None else None
        self._window.settle(self._ask_of_jobs)

    def _ask_of_jobs(self) -> None:
        if not any(not handle.quiet for handle in self._window.jobs.active()):
            self.begin()
            return
        Question(
            self._window,
            title=tr("Stop the jobs and quit?"),
            text=tr("Jobs are still running. What they have finished is kept, and they can go on from there later."),
            safe=tr("Keep running"),
            risky=tr("Stop and quit"),
            on_risky=self.begin,
        ).open()

    def begin(self) -> None:
        """Cancel running jobs, wait at most two seconds for them, and go on."""
        if self._begun:
            return
        self._begun = True
        self._window.hide()
        self._window.set_blind(False)  # nobody sees it any more, and all of it is to be saved and let go of
        for panel in self._window.panels.values():
            panel.let_go()
        self._window.jobs.idle.connect(self._save)
        QTimer.singleShot(WAIT_MILLISECONDS, self, self._save)
        self._window.jobs.cancel_all()
        if not self._window.jobs.active():
            self._save()

    def _save(self) -> None:
        if self._jobs_over:
            return
        self._jobs_over = True
        settings = self._window.settings
        if not settings.unsaved:
            self._close_project()
            return
        # A setting that cannot be written must not keep the program open: the next start has the old one.
        self._window.jobs.start(
            tr("Saving the settings"),
            lambda ctx: settings.save(),
            on_done=lambda _: self._close_project(),
            on_error=lambda _: self._close_project(),
            quiet=True,
        )

    def _close_project(self) -> None:
        self._window.session.close(then=QApplication.quit)


NAME = "Biasprint"
IN_PACKETS = ("judge", "settings")  # what a rater who opened a packet may go to
USUAL_SIZE, LEAST_SIZE = QSize(1280, 800), QSize(760, 520)
FRAME = QSize(2, 36)  # of a window: no window manager says before the window is shown
NARROW_BELOW = 900  # pixels of text room (window width over font scale) under which the rail shows icons only
SAVE_SETTINGS_AFTER_MILLISECONDS = 400
KIOSK_KEYS = {"Ctrl++", "Ctrl+-", "Ctrl+Shift+0", "Ctrl+Q"}  # what works in a workshop; quitting asks who leads it


class MainWindow(QMainWindow):
    """The main window, which panels see as `biasprint.desktop.shell.Shell`."""

    panel_shown = Signal(str)
    name = NAME

    def __init__(self, settings: Settings, entries: tuple[PanelEntry, ...] = PANELS) -> None:
        super().__init__()
        theme.dress(self)
        self.settings = settings
        self.jobs = JobRunner(self, prepare=import_store)
        self.session = ProjectSession(self.jobs, self)
        self.connections = Connections(self.jobs, self)
        self.preparation = Preparation(self.jobs, self.connections, self)
        self.entries = {entry.key: entry for entry in entries}
        self.panels: dict[str, Panel] = {}
        self.current = ""
        self.started_with: Path | None = None
        self.door: WindowDoor | None = None
        self._import_door: ImportDoor | None = None
        self.kiosk: WorkshopRoom | None = None
        self.tour: Tour | None = None
        self.leaving = Leaving(self)
        self.ground = QWidget()
        self.rail = Rail()
        self.banners = Banners()
        self.stack = QStackedWidget()
        self.drawer = JobsDrawer(self.jobs)
        self.status = StatusLine()
        self.parts_line = PartsLine(self.preparation)
        self.status.add_line(self.parts_line)
        self._lay_out()
        self.parts_page = PartsPage(self.preparation, self.ground, self.status)
        self.palette_box = CommandPalette(self.ground)
        self._drop = FileDrop(self, welcome=lambda: not (self.blindfold.on or self.kiosk or self.tour))
        self.blindfold = Blindfold(self)
        self.gate = LookGate(self)
        self.notices = ProjectNotices(self, self)
        self.session.guard = self.settle
        self._save_timer = QTimer(self, interval=SAVE_SETTINGS_AFTER_MILLISECONDS, singleShot=True)
        self._connect()
        self._bind_keys()
        self._show_what_works()
        self._fit_screen()
        self.resize(USUAL_SIZE.boundedTo(self._room()))
        self.setWindowTitle(tr(NAME))

    # what panels may ask for

    @property
    def project(self) -> "Project | None":
        return self.session.project

    @property
    def packet(self) -> "PacketInfo | None":
        return self.session.packet

    def focusNextPrevChild(self, forward: bool) -> bool:
        if self.current in self.panels:
            order_tabs(self.panels[self.current])
        return super().focusNextPrevChild(forward)

    def show_panel(self, key: str, **what: Any) -> None:
        """Show a panel, building it the first time; through the gate where it names identities."""
        if self.packet is not None and key not in IN_PACKETS:
            return
        if self.entries[key].names_identities:
            self.gate.enter(key, lambda: self._show_panel(key, **what))
            if self.current:
                self.rail.set_current(self.current)  # the rail has gone there already
        else:
            if not self.entries[key].blind_safe:
                self.set_blind(False)  # the rating waits, as when it is paused
            self._show_blinding(key, **what)

    def look(self, where: str, then: Callable[[], object]) -> None:
        self.gate.enter(where, then)

    @property
    def may_look(self) -> bool:
        return self.gate.open

    def settle(self, then: Callable[[], object]) -> None:
        go_on = then
        for panel in [panel for panel in self.panels.values() if panel.built]:
            go_on = partial(panel.before_it_goes, go_on)
        go_on()

    def _show_blinding(self, key: str, **what: Any) -> None:
        """Show a panel; if it makes the window blind, first settle what the other panels would lose."""
        if key in self.panels and self.panels[key].blinds and not self.blindfold.on:
            self.rail.set_current(self.current)  # for as long as a question is open
            self.settle(lambda: self._show_panel(key, **what))
        else:
            self._show_panel(key, **what)

    def _show_panel(self, key: str, **what: Any) -> None:
        if key not in self.panels and is_importing():  # in the first second after the start
            QTimer.singleShot(LOAD_AGAIN_MILLISECONDS, self, lambda: self._show_panel(key, **what))
            return
        if key not in self.panels:
            self.panels[key] = self.entries[key].load()(self)
            self.stack.addWidget(self.panels[key])
            theme.measure_again(self.panels[key])
        if key != self.current:
            self.set_status("")  # what the last panel said of itself
            if self.status.saved_state == "saved":
                self._say_saved()  # the last panel may have meant a choice
        self.current = key
        self.rail.set_current(key)
        self.stack.setCurrentWidget(self.panels[key])
        if what:
            self.panels[key].opened_with(**what)
        self._give_keyboard(self.panels[key])
        self.panel_shown.emit(key)
        if self.connections.by is None:
            self.connections.look()

    def _give_keyboard(self, panel: "Panel") -> None:
        """Let Tab and the panel's keys begin in it, unless the person moves through the rail by the keyboard."""
        focused = QApplication.focusWidget()
        if focused is None or not (panel.isAncestorOf(focused) or self.rail.isAncestorOf(focused)):
            panel.setFocus(Qt.FocusReason.OtherFocusReason)

    def _keyboard_moved(self, before: QWidget | None, now: QWidget | None) -> None:
        """Keep the keyboard in the panel when what had it is hidden or disabled: Qt would give it to the next widget.

        In a dialog, let F1 work.
        """
        gone = before is not None and not (before.isVisible() and before.isEnabled())
        if now is self.rail.brand and gone and self.current in self.panels:
            self.panels[self.current].setFocus(Qt.FocusReason.OtherFocusReason)
        if now is not None and isinstance(dialog := now.window(), QDialog):
            offer_help(self, dialog)

    def open_project(self, path: Path) -> None:
        self.session.open(path)

    def notify(self, text: str) -> None:
        if not self.blindfold.on:  # a passing word about anything but judging can only distract, or tell too much
            self.status.notify(text)

    def show_error(self, error: AppError) -> None:
        notice = self.banners.show_error(self.blindfold.masked_error(error))
        if isinstance(error, NotInstalledYet) and not self.blindfold.on:
            notice.add_action(tr("Parts of the program"), self.show_parts)

    def show_notice(self, notice: Notice, *, key: str = "") -> None:
        self.banners.show_notice(notice, key=key)

    def set_saved(self, state: str, text: str = "") -> None:
        self.status.set_saved(state, text)

    def _say_saved(self) -> None:
        """Show that the project, named, is saved: beside it a panel may show that a letter is not."""
        if self.project is not None:
            read_only, working = bool(self.project.read_only), self.project.working
            words = tr("Project saved")
            if working is not None:
                words = tr("Saved and written back") if working.written_back else tr("Saved on this computer")
            self.set_saved("" if read_only else "saved", words)

    def set_status(self, text: str) -> None:
        self.status.set_panel_text(text)

    def set_blind(self, blind: bool) -> None:
        self.blindfold.put(blind)

    def set_kiosk(self, page: "WorkshopRoom | None") -> None:
        """Show one page alone on the whole screen, such as a workshop's, with no way out; None restores the window.

        Every panel is destroyed; it is built again when it is next shown.
        """
        if (page is None) == (self.kiosk is None):
            return
        before, self.kiosk = self.kiosk, page
        self.rail.setVisible(page is None)
        self.status.jobs.setEnabled(page is None)
        self._keep_quiet()
        for key in self.findChildren(QShortcut):
            key.setEnabled(page is None or key.key().toString() in KIOSK_KEYS)
        self.palette_box.hide()
        if page is not None:
            self.drop_panels(every=True)
            self.stack.addWidget(page)
            self.stack.setCurrentWidget(page)
            self.setWindowState(self.windowState() | Qt.WindowState.WindowFullScreen)
        elif before is not None:
            self.setWindowState(self.windowState() & ~Qt.WindowState.WindowFullScreen)
            self.show_panel(self.current if self.current in self.rail.shown() else self.rail.shown()[0])
            self.stack.removeWidget(before)
            before.deleteLater()

    @property
    def blind(self) -> bool:
        return self.blindfold.on

    def drop_panels(self, *, every: bool = False) -> None:
        """Destroy the panels that a blind rater may not see; each is built again when it is next shown."""
        for key in [key for key in self.panels if every or not self.entries[key].blind_safe]:
            if every:
                self.panels[key].attach(None)
            self._drop_panel(key)

    def _drop_panel(self, key: str) -> None:
        panel = self.panels.pop(key)
        panel.let_go()
        self.stack.removeWidget(panel)
        for own in panel.findChildren(QWidget):
            if own.isWindow():  # such as the live board on a wall: on a screen of its own until it is deleted
                own.hide()
        panel.deleteLater()

    # composition

    def _lay_out(self) -> None:
        self.setCentralWidget(self.ground)
        self.setAnimated(False)  # nothing docks here, and Qt would make an animation at every change of the layout
        self.ground.setProperty("role", "ground")
        self.ground.setAccessibleName(tr("Window"))
        self.ground.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.ground.setFocus()  # else the first control would wear the ring before anybody used the keyboard
        column = QVBoxLayout()
        row = QHBoxLayout(self.ground)
        for box in (row, column):
            add_to(box, spacing=0, margins=0)
        for widget, stretch in ((self.banners, 0), (self.stack, 1), (self.drawer, 0), (self.status, 0)):
            column.addWidget(widget, stretch)
        add_to(row, self.rail, (column, 1))
        for entry in self.entries.values():
            self.rail.add(entry.key, tr(entry.title), entry.icon, at_bottom=entry.at_bottom)

    def _connect(self) -> None:
        self.rail.chosen.connect(self.show_panel)
        self.rail.brand.clicked.connect(self._open_menu)
        self.status.jobs_wanted.connect(self.drawer.toggle)
        self.drawer.summary_changed.connect(self.status.set_jobs)
        self.jobs.failed.connect(self._job_failed)
        self.jobs.ended.connect(self._job_ended)
        self.session.leaving.connect(lambda: self.set_blind(False))
        self.session.leaving.connect(lambda: self.drawer.leave(self.session.project))
        self.session.opened.connect(self._project_opened)
        self.session.closed.connect(self._project_closed)
        self.session.changed.connect(self._deliver)
        self.session.failed.connect(self._opening_failed)
        self.session.told.connect(lambda text: self.show_notice(Notice(safe_line(text), tone="warn")))
        self.connections.changed.connect(lambda: self.status.set_offline(self.connections.by))
        self.parts_line.clicked.connect(self.parts_page.toggle)
        self.blindfold.changed.connect(self._keep_quiet)
        self.blindfold.changed.connect(lambda _: self._fit())
        self.blindfold.changed.connect(lambda _: self.notices.look())  # what came while nothing could be said
        self.preparation.part_ready.connect(self._part_ready)
        self.preparation.finished.connect(lambda: self.notify(tr("All parts of the program are ready.")))
        self.preparation.goes_on.connect(lambda part: self.notify(tr("Going on with {part}.").format(part=part)))
        self.settings.changed.connect(self._settings_changed)
        self._save_timer.timeout.connect(self._save_settings)
        self._drop.dropped.connect(self.open_files)
        QApplication.instance().focusChanged.connect(self._keyboard_moved)  # type: ignore[union-attr]
        theme.signals.changed.connect(self._fit)

    def _bind_keys(self) -> None:
        for command in window_commands(self):
            if command.keys:
                keys = QKeySequence(command.keys, QKeySequence.SequenceFormat.PortableText)
                run = partial(_run_if_enabled, command)
                key = shortcut(keys, self, run, repeats=command.repeats)
                key.setContext(Qt.ShortcutContext.WindowShortcut)

    def offer_commands(self) -> None:
        """Show the command palette with what can be done now."""
        panel = self.panels.get(self.current)
        self.palette_box.offer([*(panel.commands() if panel is not None else ()), *window_commands(self)])

    def _open_menu(self) -> None:
        menu = file_menu(self)
        menu.popup(below(self.rail.brand, menu))

    def _show_what_works(self) -> None:
        has_project = self.project is not None
        keys = [entry.key for entry in self.entries.values() if has_project or not entry.needs_project]
        self.rail.set_shown([key for key in keys if key in IN_PACKETS] if self.packet is not None else keys)
        self.blindfold.name_window()

    # the project

    def _project_opened(self, project: "Project") -> None:
        self.started_with = None
        rated_by = self.session.take_rated_by()
        if rated_by is None:
            self.gate.look_up()
        else:
            self.gate.know(rated_by)
        if rated_by:
            self._close_what_names_identities()
        if (
            self.packet is None and self.tour is None
        ):  # a packet goes back to its sender, and the next rater need not see its name
            self.settings.add_recent(project.path)
        self._say_saved()
        self.banners.remove("read-only")
        if project.read_only:
            self.say_read_only(project.read_only, copy=not project.path.is_dir())
        else:
            self._open_door(project.path)
        self.notices.forget()
        self._attach(project)
        self.notices.look()  # after the panels have the project: it may let go of it

    def _project_closed(self) -> None:
        self.set_saved("")
        self.set_status("")
        self.banners.clear()
        if self.door is not None:
            self.door.close()
        self._attach(None)

    def _close_what_names_identities(self) -> None:
        """Destroy panels that name identities and leave the current one: they would show the next project unasked."""
        for key in [key for key in self.panels if self.entries[key].names_identities]:
            self._drop_panel(key)
        if self.current and self.entries[self.current].names_identities:
            self.show_panel(self.rail.shown()[0])

    def _attach(self, project: "Project | None") -> None:
        self._show_what_works()
        if self.current not in self.rail.shown():  # away first: no panel is asked to show what is gone
            self.show_panel(self.rail.shown()[0])
        for panel in list(self.panels.values()):  # a packet makes the window blind, and drops panels, on the way
            panel.attach(project)

    def _deliver(self, changes: "Changes") -> None:
        if self.status.saved_state == "saved" and self.project is not None and self.project.working is not None:
            self._say_saved()  # it may be written back by now
        self.notices.look()
        for panel in self.panels.values():
            panel.deliver(changes)

    def say_read_only(self, why: str, *, copy: bool = True) -> None:
        if self.packet is not None:  # its folder is not named
            why = tr("This packet is open read-only.")
        notice = Notice(why, tone="warn", closable=False)
        if copy:
            notice.add_action(tr("Save a copy…"), lambda: save_copy(self))
        self.banners.show_notice(notice, key="read-only")

    def _open_door(self, path: Path) -> None:
        from biasprint.desktop.second_window import WindowDoor  # Qt's network module is not needed for the first paint

        if self.door is None:
            self.door = WindowDoor(self)
            self.door.knocked.connect(self.come_to_front)
        self.door.open(path)

    def _opening_failed(self, error: AppError, path: Path) -> None:
        from biasprint.desktop.second_window import handle_failed_opening

        if not self.current:  # the window was started for this file alone
            self.show_panel(self.rail.shown()[0])
        if not self.blindfold.keep(lambda: handle_failed_opening(self, error, path)):
            handle_failed_opening(self, error, path)

    # jobs and settings

    def show_parts(self) -> None:
        """Show the page with the parts of the program: what works, what is still being prepared."""
        self.parts_page.open()

    def _part_ready(self) -> None:
        """Remove notices that wait for a part just installed, and let the panels look again."""
        self.banners.remove_waiting()
        self.drawer.remove_waiting()
        for panel in self.panels.values():
            panel.look_again()

    def _keep_quiet(self) -> None:
        """Hide the progress of the installation while somebody judges, or a workshop has the screen."""
        silent = self.blindfold.on or self.kiosk is not None
        self.parts_line.set_silent(silent)
        if silent:
            self.parts_page.hide()

    def _job_ended(self, handle: JobHandle) -> None:
        if handle.state is JobState.DONE and handle.result_text:
            self.notify(handle.result_text)

    def _job_failed(self, error: AppError) -> None:
        """Show a job's error; while a rater is blind it waits, because it can name a model."""
        if not self.blindfold.keep(lambda: self.show_error(error)):
            self.show_error(error)

    def _settings_changed(self, key: str) -> None:
        app = QApplication.instance()
        if key in ("theme", "font_percent", "reading_percent", "reduced_motion") and isinstance(app, QApplication):
            theme.set_reduced_motion(bool(self.settings.get("reduced_motion")))
            theme.apply(app, str(self.settings.get("theme")), self.settings.scale, self.settings.reading_scale)
        self._save_timer.start()

    def _save_settings(self) -> None:
        self.jobs.start(tr("Saving the settings"), lambda ctx: self.settings.save(), quiet=True)

    # the window itself

    def closeEvent(self, event: QCloseEvent) -> None:
        event.ignore()
        if self.kiosk is not None:
            self.kiosk.ask_to_leave()
        else:
            self.leaving.ask()

    def start_again(self) -> None:
        self.leaving.ask(again=True)

    def come_to_front(self) -> None:
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.raise_()
        self.activateWindow()

    def focus_next_part(self) -> None:
        """Move the keyboard round the rail, the messages, the panel, the jobs and the status line."""
        parts = [self.rail, self.banners, self.stack, self.drawer, self.status]
        parts = [part for part in parts if part.isVisible() and first_field(part) is not None]
        focused = QApplication.focusWidget()
        here = next((i for i, part in enumerate(parts) if focused is not None and part.isAncestorOf(focused)), -1)
        field = first_field(parts[(here + 1) % len(parts)])
        if field is not None:
            field.setFocus(Qt.FocusReason.TabFocusReason)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.windowHandle().screenChanged.connect(self._fit_screen, Qt.ConnectionType.UniqueConnection)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        back = event.type() == QEvent.Type.ActivationChange and self.isActiveWindow()
        if back and self.connections.by is not None:  # a command elsewhere may have switched meanwhile
            self.connections.look()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _room(self) -> QSize:
        """Return the largest size with which the whole window, including its frame, is on the screen."""
        return self.screen().availableSize() - FRAME

    def _fit_screen(self, _: object = None) -> None:
        """Keep the minimum size within the screen: on a small one, or at a large scale, pages scroll."""
        self.setMinimumSize(LEAST_SIZE.boundedTo(self._room()))

    def _fit(self) -> None:
        """Fold the rail to icons where its names would take the room of the work, and while somebody rates."""
        self.rail.set_narrow(self.blindfold.on or self.width() / theme.current().scale < NARROW_BELOW)
        self.palette_box.hide()

    def import_texts(self) -> None:
        self._bring(None)

    def _bring(self, table: Path | None) -> None:
        from biasprint.desktop.dialogs.import_table import ImportDoor  # not needed for the first paint

        if self._import_door is None:
            self._import_door = ImportDoor(self, self)
        self._import_door.bring(table)

    def open_files(self, paths: Sequence[Path]) -> None:
        projects = [path for path in paths if path.suffix.lower() == PROJECT_SUFFIX]
        packets = [path for path in paths if path.suffix.lower() == PACKET_SUFFIX]
        if self.project is not None and self.packet is None:
            packets += [path for path in paths if is_result(path)]
        projects += [path for path in paths if is_result_folder(path)]
        data = [path for path in paths if path not in (*projects, *packets)]
        if projects:
            self.open_project(projects[0])
        elif packets:
            self._take_packets(packets)
        elif data and self.packet is not None:
            kept, hint = tr("Nothing was opened."), tr("Close the packet first: its answers are saved.")
            self.show_error(AppError(tr("A packet is open in this window."), kept=kept, hint=hint))
        elif data and data[0].suffix.lower() == PAGE_SUFFIX and is_result(data[0]):
            hint = tr(
                "To rate it, open it with a browser; to merge it, open the project it was made from, then drop it."
            )
            self.show_error(AppError(tr("This page of texts to rate is for a browser."), kept="", hint=hint))
        elif data and data[0].suffix.lower() in data_endings()[1]:
            self.show_panel("letters", path=data[0])
        elif data:
            self._bring(data[0])

    def _take_packets(self, packets: list[Path]) -> None:
        """Open packet files: a rater opens a single packet; with a project open they are merged into it."""
        if self.project is not None and self.packet is None and "raters" in self.entries:
            self.show_panel("raters", packets=packets)
        elif len(packets) == 1:
            self.open_project(packets[0])
        else:
            hint = tr("Open the project that the packets were made from, then drop them again; or drop one to rate it.")
            self.show_error(AppError(tr("These packets belong to a project."), kept=tr("Nothing was done."), hint=hint))


def _run_if_enabled(command: Command) -> None:
    if command.enabled():
        command.run()

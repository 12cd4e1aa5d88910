"""The commands of the whole window: one list makes the menu, the keys and the command palette."""

import platform
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt, qVersion
from PySide6.QtGui import (
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QShortcut,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFrame,
    QLineEdit,
    QListView,
    QMenu,
    QStyle,
    QStyleOptionViewItem,
    QWidget,
)
from shiboken6 import isValid

from biasprint.core.machine.storage import home
from biasprint.desktop import theme
from biasprint.desktop.dialogs.question import TextDialog, new_project, open_file, open_result_folder, save_copy
from biasprint.desktop.jobs.drawer import JobsDrawer
from biasprint.desktop.panels import PanelEntry
from biasprint.desktop.panels.base import Panel
from biasprint.desktop.settings import BY_KEY, KEY_ACTIONS, Settings
from biasprint.desktop.shell import Command, Shell
from biasprint.desktop.widgets import Label, hairline, tr
from biasprint.desktop.widgets.frame import Rail
from biasprint.desktop.widgets.keys import shortcut
from biasprint.desktop.widgets.layout import in_column
from biasprint.desktop.widgets.safe_text import as_given, isolated, safe_line
from biasprint.desktop.widgets.small_table import TextDelegate

if TYPE_CHECKING:
    from biasprint.desktop.tour import Tour


# ---- Help

HELP_KEY = "F1"
EVERYWHERE = "Ctrl+K: all commands. F6: the next part of the window. F1: help on where you are. Shift+F1: every key."

CONTROLS = (
    "Tab / Shift+Tab   Next control, and back\nArrows   Within tabs, a list, a table or a choice\n"
    "Space   Press a button, check a box\nEnter   Open what is chosen; in a dialog its main button\n"
    "F2   Edit a cell of a table\nEsc   Close a dialog or a list"
)


def help_pages() -> dict[str, list[str]]:
    """Return the paragraphs of every page that F1 opens, by the key of a panel or the class of a dialog."""
    from biasprint.core.prompts.resource_files import packaged, read_toml

    return read_toml(packaged("help", "panels.toml"))


def help_text(page: str, shell: "Shell") -> str:
    """Return what a panel or a dialog is for, and the keys that work in it."""
    parts = [tr(part) for part in help_pages()[page]]
    if page == "judge":
        parts.append(_judging_keys(shell.settings))
    return "\n\n".join([*parts, tr(EVERYWHERE)])


def keys_text(shell: "Shell", title: str, here: "Sequence[Command]", everywhere: "Sequence[Command]") -> str:
    """Return every key that works now: the panel's, the window's, and those of judging as they are set."""
    groups = (
        (title, _lines(here)),
        (tr("In every page and dialog"), tr(CONTROLS)),
        (tr("Everywhere"), _lines(everywhere)),
        (tr("While judging"), _judging_keys(shell.settings)),
    )
    return "\n\n".join(f"{name}\n{lines}" for name, lines in groups if lines)


def show_keys(window: "QWidget", text: str) -> None:
    TextDialog(window, tr("Keyboard"), text).show()


def _lines(commands: "Sequence[Command]") -> str:
    return "\n".join(f"{_native(command.keys)}   {command.title}" for command in commands if command.keys)


def _judging_keys(settings: "Settings") -> str:
    keys = settings.keys()
    return "\n".join(f"{' / '.join(map(_native, keys[action.name]))}   {tr(action.title)}" for action in KEY_ACTIONS)


def _native(keys: str) -> str:
    """Return keys as this system and the reader's language write them."""
    return (
        QKeySequence(keys, QKeySequence.SequenceFormat.PortableText).toString(QKeySequence.SequenceFormat.NativeText)
        or keys
    )


FONT_STEP = 10


class Window(Shell, Protocol):
    """The window as its commands see it, besides what every panel may ask of it."""

    entries: Mapping[str, PanelEntry]
    panels: Mapping[str, Panel]
    rail: Rail
    drawer: JobsDrawer
    current: str
    kiosk: QWidget | None
    tour: "Tour | None"

    @property
    def blind(self) -> bool:
        """True while a rater is blind: then no command may lead to a name."""

    def close(self) -> bool:
        """Leave the program, after a question if jobs run."""

    def focus_next_part(self) -> None:
        """Move the keyboard to the next part of the window."""

    def offer_commands(self) -> None:
        """Show the palette."""


def window_commands(window: Window) -> list[Command]:
    """Return every command of the window, with its key."""
    own = panel_commands(window)
    about = [workshop_command(window), own_command(window)]
    return [*own, *about, *file_commands(window), *recent_commands(window), *view_commands(window)]


def workshop_command(window: Window) -> Command:
    """Return the command that opens the setup of a workshop, from anywhere."""

    def there() -> bool:
        return "fingerprint" in window.rail.shown()

    return Command(tr("Start a workshop…"), lambda: window.show_panel("fingerprint", workshop=True), "", there)


def own_command(window: Window) -> Command:
    """Return the command that opens the place where one's own axes and texts are defined."""

    def there() -> bool:
        return "prompts" in window.rail.shown()

    return Command(tr("Own people and texts…"), lambda: window.show_panel("prompts", own="axes"), "", there)


def file_commands(window: Window) -> list[Command]:
    """Return the commands on the project file. A blind rater must not see any names, so most are then disabled."""

    def sighted() -> bool:
        return not window.blind

    def in_packet() -> bool:
        return window.packet is not None

    def open_now() -> bool:
        return window.project is not None and sighted()

    def a_file() -> bool:
        return open_now() and window.project is not None and not window.project.path.is_dir()

    def not_rating() -> bool:
        return sighted() and not in_packet()

    closing = tr("Close the packet") if in_packet() else tr("Close the project")
    return [
        Command(tr("New project…"), lambda: new_project(window), "Ctrl+N", not_rating),
        # A packet hides nothing that leaving it could show.
        Command(tr("Open…"), lambda: open_file(window), "Ctrl+O", lambda: sighted() or in_packet()),
        Command(tr("Open a result folder…"), lambda: open_result_folder(window), "", not_rating),
        Command(tr("Import texts…"), window.import_texts, "Ctrl+I", not_rating),
        Command(tr("Save a copy…"), lambda: save_copy(window), "Ctrl+Shift+S", a_file),
        Command(tr("Restore a backup…"), lambda: restore_here(window), "", not_rating),
        Command(tr("Save a report…"), lambda: window.show_panel("findings", report=True), "Ctrl+P", open_now),
        Command(closing, lambda: window.session.close(), "Ctrl+W", lambda: open_now() or in_packet()),
        Command(tr("Quit"), window.close, "Ctrl+Q"),
    ]


def recent_commands(window: Window) -> list[Command]:
    def useful(path: Path) -> bool:
        is_open = window.project is not None and window.project.path == path
        return not window.blind and window.packet is None and not is_open

    return [
        Command(
            tr("Open recent: {name}").format(name=as_given(path.stem)),
            partial(window.open_project, path),
            enabled=partial(useful, path),
        )
        for path in window.settings.recent()
    ]


def panel_commands(window: Window) -> list[Command]:
    top = [entry for entry in window.entries.values() if not entry.at_bottom]

    def shown(key: str) -> bool:
        return key in window.rail.shown()

    numbered = {entry.key: f"Ctrl+{number}" for number, entry in enumerate(top, start=1) if number <= 9}
    return [
        Command(
            tr("Go to {panel}").format(panel=tr(entry.title)),
            partial(window.show_panel, entry.key),
            numbered.get(entry.key, "Ctrl+," if entry.key == "settings" else ""),
            partial(shown, entry.key),
        )
        for entry in window.entries.values()
    ]


def view_commands(window: Window) -> list[Command]:
    settings = window.settings

    def resize(by: int) -> None:
        limits = BY_KEY["font_percent"]
        settings.set("font_percent", min(limits.high, max(limits.low, int(settings.get("font_percent")) + by)))

    def sighted() -> bool:
        return not window.blind

    def is_other_theme(value: str) -> bool:
        return settings.get("theme") != value

    themes = [
        Command(
            tr("Theme: {name}").format(name=tr(title.lower())),
            partial(settings.set, "theme", value),
            enabled=partial(is_other_theme, value),
        )
        for value, title in BY_KEY["theme"].choices
    ]
    return [
        *themes,
        Command(tr("Larger text"), lambda: resize(FONT_STEP), "Ctrl++", repeats=True),
        Command(tr("Smaller text"), lambda: resize(-FONT_STEP), "Ctrl+-", repeats=True),
        Command(tr("Text at 100 %"), lambda: settings.set("font_percent", 100), "Ctrl+Shift+0"),
        Command(tr("Show or hide the jobs"), window.drawer.toggle, "Ctrl+J", lambda: bool(window.drawer.rows())),
        Command(tr("Parts of the program…"), window.show_parts, enabled=sighted),
        Command(tr("Next part of the window"), window.focus_next_part, "F6", repeats=True),
        Command(tr("Tour of three minutes…"), partial(take_tour, window), enabled=lambda: may_tour(window)),
        Command(tr("Help on this panel"), partial(help_here, window), HELP_KEY),
        Command(tr("Keyboard…"), partial(keys_here, window), "Shift+F1"),
        Command(tr("About and licences…"), partial(show_about, window)),
        Command(tr("All commands…"), window.offer_commands, "Ctrl+K"),
    ]


def may_tour(window: Window) -> bool:
    """Return whether a tour would disturb nothing: nobody rates, and no workshop and no job is going on."""
    busy = any(not handle.quiet for handle in window.jobs.active())
    return not (busy or window.blind or window.kiosk or window.packet or window.tour)


def take_tour(window: Window) -> None:
    """Begin the tour, which opens a copy of the sample and goes back to what is open now."""
    from biasprint.desktop.tour import Tour  # not needed for the first paint

    window.settings.see_tour()
    Tour(window).begin()


MOST_IN_MENU = 10  # recent projects; the others are on Home, and in the palette


def file_menu(window: Window) -> QMenu:
    """Build the menu under the program's name."""
    menu = QMenu(window)
    *files, leave = file_commands(window)
    for command in files[:2]:
        _add(menu, command)
    recent = [command for command in recent_commands(window) if command.enabled()][:MOST_IN_MENU]
    if recent:
        menu.addSeparator()
        for command in recent:
            _add(menu, command)
    menu.addSeparator()
    for command in files[2:]:
        _add(menu, command)
    menu.addSeparator()
    for command in (*view_commands(window)[-5:], leave):
        _add(menu, command)
    menu.aboutToHide.connect(menu.deleteLater)
    return menu


def show_about(window: Window) -> None:
    AboutDialog(window).show()


def restore_here(window: Window) -> None:
    from biasprint.desktop.dialogs.backups import ask_for_backups

    ask_for_backups(window, window)


class HelpDialog(TextDialog):
    """The page of help on a panel or a dialog."""


def help_here(window: Window) -> None:
    """Show the page of the dialog or panel that has the keyboard, in place of one that is still open."""
    focused, pages = QApplication.focusWidget(), help_pages()
    page, title = _page_of(focused, window, pages)
    if page not in pages or isinstance(focused and focused.window(), TextDialog):
        return
    for before in cast("QWidget", window).findChildren(HelpDialog):
        before.close()
    over = focused.window() if focused is not None else window
    HelpDialog(over, tr("Help: {panel}").format(panel=title), help_text(page, window)).show()


def _page_of(part: QWidget | None, window: Window, pages: Mapping[str, object]) -> tuple[str, str]:
    """Return the key and title of the page for a control: of the nearest dialog or panel around it that has one."""
    while part is not None:
        if isinstance(part, QDialog) and type(part).__name__ in pages:
            return type(part).__name__, part.windowTitle()
        if isinstance(part, Panel):
            return part.key, tr(part.title)
        part = part.parentWidget()
    entry = window.entries.get(window.current)
    return window.current, tr(entry.title) if entry is not None else ""


def offer_help(window: Window, dialog: QDialog) -> None:
    """Let F1 work in a dialog: while it is open, none of the window's own keys do."""
    if dialog.findChild(QShortcut, HELP_KEY) is None:
        shortcut(HELP_KEY, dialog, partial(help_here, window)).setObjectName(HELP_KEY)


def keys_here(window: Window) -> None:
    panel, entry = window.panels.get(window.current), window.entries.get(window.current)
    here = panel.commands() if panel is not None else ()
    show_keys(window, keys_text(window, tr(entry.title) if entry else "", here, window_commands(window)))


def _add(menu: QMenu, command: Command) -> None:
    action = menu.addAction(isolated(command.title.replace("&", "&&")))
    # Shown, not bound: the window has bound the keys already.
    if command.keys:
        shown = QKeySequence(command.keys).toString(QKeySequence.SequenceFormat.NativeText)
        action.setText(f"{action.text()}\t{shown}")
    action.setEnabled(command.enabled())
    action.triggered.connect(lambda: command.run())


KEYS_ROLE = Qt.ItemDataRole.UserRole + 1
Index = QModelIndex | QPersistentModelIndex
WIDTH = 560
MOST_ROWS = 8


class _CommandDelegate(TextDelegate):
    """The drawing of a command: its title, and its key at the right."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        keys = QKeySequence(index.data(KEYS_ROLE)).toString(QKeySequence.SequenceFormat.NativeText)
        painter.save()
        painter.setPen(theme.current().soft)
        room = QStyle.visualRect(option.direction, option.rect, option.rect.adjusted(0, 0, -12, 0))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, keys)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, theme.current().px(36))


class CommandPalette(QFrame):
    """The command palette, shown over the window with Ctrl+K. Escape, or a click elsewhere, closes it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "palette")
        self.setAccessibleName(tr("Command palette"))
        self._window = parent
        self._commands: list[Command] = []
        self._hits: list[Command] = []
        self._before: QWidget | None = None  # who had the keyboard
        self.field = QLineEdit()
        self.field.setProperty("role", "palette")
        self.field.setPlaceholderText(tr("What do you want to do?"))
        self.field.setAccessibleName(tr("Search commands"))
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._search)
        self._model = QStandardItemModel(self)
        self.list = QListView()
        self.list.setProperty("role", "palette")
        self.list.setAccessibleName(tr("Commands"))
        self.list.setModel(self._model)
        self.list.setItemDelegate(_CommandDelegate(self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.clicked.connect(lambda index: self._run(index.row()))
        self._none = Label(tr("No such command."), "soft")
        self._none.setContentsMargins(12, 4, 12, 8)
        in_column(self.field, hairline(), self.list, self._none, inside=self, spacing=4, margins=8)
        self.hide()

    def offer(self, commands: list[Command]) -> None:
        """Show the palette with what can be done now."""
        self._commands = [command for command in commands if command.enabled()]
        if self.isHidden():
            self._before = QApplication.focusWidget()
        self.field.clear()
        self._search("")
        self.raise_()
        self.show()
        self.field.setFocus()

    def titles(self) -> list[str]:
        """Return the titles of the commands offered now."""
        return [command.title for command in self._hits]

    def hideEvent(self, event: QHideEvent) -> None:
        """Drop everything that was offered: it names recent projects."""
        super().hideEvent(event)
        self._commands, self._hits, self._before = [], [], None
        self._model.clear()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._key_pressed(Qt.Key(event.key()))
        if isinstance(event, QFocusEvent) and event.type() == QEvent.Type.FocusOut and self.isVisible():
            self.hide()
        return super().eventFilter(watched, event)

    def _key_pressed(self, key: Qt.Key) -> bool:
        row = self.list.currentIndex().row()
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        if key in steps and self._hits:
            self.list.setCurrentIndex(self._model.index((row + steps[key]) % len(self._hits), 0))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._run(row)
        elif key == Qt.Key.Key_Escape:
            self._close()
        else:
            return key in steps
        return True

    def _search(self, query: str) -> None:
        self._hits = found(self._commands, query)
        self._model.clear()
        for command in self._hits:
            item = QStandardItem(safe_line(tr(command.title)))
            item.setData(command.keys, KEYS_ROLE)
            self._model.appendRow(item)
        self.list.setCurrentIndex(self._model.index(0, 0))
        self.list.setVisible(bool(self._hits))
        self._none.setVisible(not self._hits)
        self._fit()

    def _run(self, row: int) -> None:
        if 0 <= row < len(self._hits):
            command = self._hits[row]
            self._close()
            command.run()

    def _close(self) -> None:
        """Close the palette and return the keyboard to the widget that had it, so that judging by keys goes on."""
        before = self._before
        self.hide()
        if before is not None and isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.PopupFocusReason)
        else:
            self._window.setFocus()

    def _fit(self) -> None:
        tokens, room = theme.current(), self._window.size()
        rows = min(MOST_ROWS, len(self._hits))
        self.list.setFixedHeight(rows * tokens.px(36) + 8)
        width = min(tokens.px(WIDTH), room.width() - 64)
        self.setFixedWidth(width)
        self.adjustSize()
        self.move((room.width() - width) // 2, min(96, max(16, (room.height() - self.height()) // 2)))


def found(commands: list[Command], query: str) -> list[Command]:
    """Return the commands whose title has every word of the query, those that begin with it first."""
    words = query.casefold().split()
    hits = [command for command in commands if all(word in command.title.casefold() for word in words)]
    return sorted(hits, key=lambda command: not command.title.casefold().startswith(query.casefold().strip()))


class AboutDialog(TextDialog):
    """The dialog with the licences of everything that is installed."""

    def __init__(self, parent: QWidget) -> None:
        from biasprint.core.machine.bill import PAGE, page

        super().__init__(parent, tr("About and licences"), page(_this_computer(), words=tr(PAGE)))


def _this_computer() -> str:
    """Return the facts to report when asking for help: versions, system, and the folder of the program's own files."""
    here = tr("Python {python}, Qt {qt}, {system}").format(
        python=platform.python_version(), qt=qVersion(), system=platform.platform(terse=True)
    )
    return "\n".join([here, tr("Settings, models and backups: {folder}").format(folder=home())])

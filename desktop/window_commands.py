"""What can be done from anywhere in the window: the same list makes the menu, the palette and the keys."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QFileDialog, QMenu

from desktop.operations.session import SUFFIX as PACKET_SUFFIX
from desktop.operations.session import save_copy as save_copy_operation
from desktop.settings import BY_KEY
from desktop.shell import Command
from desktop.widgets.safe_text import safe_line
from desktop.widgets.words import tr

if TYPE_CHECKING:
    from desktop.main_window import MainWindow

FONT_STEP = 10
PROJECT_SUFFIX = ".biasprint"


def window_commands(window: "MainWindow") -> list[Command]:
    """Every command of the window, with its key."""
    return [*panel_commands(window), *file_commands(window), *recent_commands(window), *view_commands(window)]


def file_commands(window: "MainWindow") -> list[Command]:
    """What concerns the project file. A rater who is blind does not see any names, so most wait."""

    def sighted() -> bool:
        return not window.blindfold.on

    def in_packet() -> bool:
        return window.packet is not None

    def open_now() -> bool:
        return window.project is not None and sighted()

    closing = tr("Close the packet") if in_packet() else tr("Close the project")
    return [
        Command(tr("New project…"), lambda: new_project(window), "Ctrl+N", lambda: sighted() and not in_packet()),
        # A packet hides nothing that leaving it could show.
        Command(tr("Open a project…"), lambda: open_project(window), "Ctrl+O", lambda: sighted() or in_packet()),
        Command(tr("Save a copy…"), lambda: save_copy(window), "Ctrl+Shift+S", open_now),
        Command(closing, lambda: window.session.close(), "Ctrl+W", lambda: open_now() or in_packet()),
        Command(tr("Quit"), window.close, "Ctrl+Q"),
    ]


def recent_commands(window: "MainWindow") -> list[Command]:
    def useful(path: Path) -> bool:
        is_open = window.project is not None and window.project.path == path
        return not window.blindfold.on and window.packet is None and not is_open

    return [
        Command(
            tr("Open recent: {name}").format(name=safe_line(path.stem)),
            partial(window.open_project, path),
            enabled=partial(useful, path),
        )
        for path in window.settings.recent()
    ]


def panel_commands(window: "MainWindow") -> list[Command]:
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


def view_commands(window: "MainWindow") -> list[Command]:
    settings = window.settings

    def resize(by: int) -> None:
        limits = BY_KEY["font_percent"]
        settings.set("font_percent", min(limits.high, max(limits.low, int(settings.get("font_percent")) + by)))

    def is_other_theme(value: str) -> bool:
        return settings.get("theme") != value

    themes = [
        Command(
            tr("Theme: {name}").format(name=tr(title).lower()),
            partial(settings.set, "theme", value),
            enabled=partial(is_other_theme, value),
        )
        for value, title in BY_KEY["theme"].choices
    ]
    return [
        *themes,
        Command(tr("Larger text"), lambda: resize(FONT_STEP), "Ctrl++"),
        Command(tr("Smaller text"), lambda: resize(-FONT_STEP), "Ctrl+-"),
        Command(tr("Text at 100 %"), lambda: settings.set("font_percent", 100), "Ctrl+Shift+0"),
        Command(tr("Show or hide the jobs"), window.drawer.toggle, "Ctrl+J", lambda: bool(window.drawer.rows())),
        Command(tr("Next part of the window"), window.focus_next_part, "F6"),
        Command(tr("About and licences…"), partial(show_about, window)),
        Command(tr("All commands…"), window.offer_commands, "Ctrl+K"),
    ]


def file_menu(window: "MainWindow") -> QMenu:
    """The menu under the program's name."""
    menu = QMenu(window)
    *files, leave = file_commands(window)
    for command in files[:2]:
        _add(menu, command)
    recent = [command for command in recent_commands(window) if command.enabled()]
    if recent:
        menu.addSeparator()
        for command in recent:
            _add(menu, command)
    menu.addSeparator()
    for command in files[2:]:
        _add(menu, command)
    menu.addSeparator()
    for command in (*view_commands(window)[-2:], leave):
        _add(menu, command)
    menu.aboutToHide.connect(menu.deleteLater)
    return menu


def show_about(window: "MainWindow") -> None:
    from desktop.dialogs.about import AboutDialog

    AboutDialog(window).show()


def new_project(window: "MainWindow") -> None:
    path = ask_where(window, tr("New project"), tr("My study"))
    if path is not None:
        window.session.create(path)


def open_project(window: "MainWindow") -> None:
    files = tr("Projects and rating packets") + f" (*{PROJECT_SUFFIX} *{PACKET_SUFFIX})"
    name, _ = QFileDialog.getOpenFileName(window, tr("Open a project"), _folder(window), files)
    if name:
        window.open_project(Path(name))


def save_copy(window: "MainWindow") -> None:
    project = window.project
    if project is None:
        return
    suffix = PACKET_SUFFIX if window.packet is not None else PROJECT_SUFFIX
    name = project.path.stem if window.packet is not None else tr("{name} copy").format(name=project.path.stem)
    path = ask_where(window, tr("Save a copy"), name, suffix)
    if path is not None:
        copying = save_copy_operation(project=project, target=path)
        # A read-only project is copied to go on with it.
        copying.start(window.jobs, on_done=window.open_project if project.read_only else None)


def ask_where(window: "MainWindow", title: str, name: str, suffix: str = PROJECT_SUFFIX) -> Path | None:
    """Where a new file shall be, a project where nothing else is said; None if the person changed their mind."""
    suggested = str(Path(_folder(window)) / f"{name}{suffix}")
    kinds = {PROJECT_SUFFIX: tr("Biasprint projects"), PACKET_SUFFIX: tr("Rating packets")}
    chosen, _ = QFileDialog.getSaveFileName(window, title, suggested, f"{kinds[suffix]} (*{suffix})")
    if not chosen:
        return None
    path = Path(chosen)
    return path if path.suffix == suffix else path.with_name(path.name + suffix)


def _folder(window: "MainWindow") -> str:
    recent = window.settings.recent()
    return str(recent[0].parent if recent else Path.home())


def _add(menu: QMenu, command: Command) -> None:
    action = menu.addAction(command.title.replace("&", "&&"))
    # Shown, not bound: the window has bound the keys already.
    if command.keys:
        shown = QKeySequence(command.keys).toString(QKeySequence.SequenceFormat.NativeText)
        action.setText(f"{action.text()}\t{shown}")
    action.setEnabled(command.enabled())
    action.triggered.connect(lambda: command.run())

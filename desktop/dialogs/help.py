"""Help on the panel one is in: plain text from `resources/help`, and for judging the keys as they are set."""

from typing import TYPE_CHECKING

from desktop.dialogs.text import TextDialog
from desktop.settings import KEY_ACTIONS
from desktop.widgets.words import tr

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from desktop.shell import Shell

EVERYWHERE = "Ctrl+K: all commands. F6: the next part of the window. F1: help on the panel you are in."


def help_text(panel: str, shell: "Shell") -> str:
    """What a panel is for, and the keys that work in it."""
    from core.prompts.resource_files import packaged, read_toml

    parts = [tr(part) for part in read_toml(packaged("help", "panels.toml")).get(panel, ())]
    if panel == "judge":
        keys = shell.settings.keys()
        parts.append("\n".join(f"{' / '.join(keys[one.name])}   {tr(one.title)}" for one in KEY_ACTIONS))
    return "\n\n".join([*parts, tr(EVERYWHERE)])


def show_help(window: "QWidget", shell: "Shell", panel: str, title: str) -> None:
    TextDialog(window, tr("Help: {panel}").format(panel=title), help_text(panel, shell)).show()

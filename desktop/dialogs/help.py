"""Help on the panel one is in: plain text from `resources/help`, the keys of judging as they are set, and all keys."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from biasprint.desktop.dialogs.text import TextDialog
from biasprint.desktop.settings import KEY_ACTIONS
from biasprint.desktop.widgets.words import tr

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from biasprint.desktop.settings import Settings
    from biasprint.desktop.shell import Command, Shell

EVERYWHERE = (
    "Ctrl+K: all commands. F6: the next part of the window. F1: help on the panel you are in. Shift+F1: every key."
)

CONTROLS = (
    "Tab / Shift+Tab   Next control, and back\nArrows   Within tabs, a list, a table or a choice\n"
    "Space   Press a button, check a box\nEnter   Open what is chosen; in a dialog its main button\n"
    "F2   Edit a cell of a table\nEsc   Close a dialog or a list"
)


def help_text(panel: str, shell: "Shell") -> str:
    """What a panel is for, and the keys that work in it."""
    from biasprint.core.prompts.resource_files import packaged, read_toml

    parts = [tr(part) for part in read_toml(packaged("help", "panels.toml")).get(panel, ())]
    if panel == "judge":
        parts.append(_judging_keys(shell.settings))
    return "\n\n".join([*parts, tr(EVERYWHERE)])


def show_help(window: "QWidget", shell: "Shell", panel: str, title: str) -> None:
    TextDialog(window, tr("Help: {panel}").format(panel=title), help_text(panel, shell)).show()


def keys_text(shell: "Shell", title: str, here: "Sequence[Command]", everywhere: "Sequence[Command]") -> str:
    """Every key there is: of the panel one is in, of the window, and of judging as they are set."""
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
    return "\n".join(f"{one.keys}   {one.title}" for one in commands if one.keys)


def _judging_keys(settings: "Settings") -> str:
    keys = settings.keys()
    return "\n".join(f"{' / '.join(keys[one.name])}   {tr(one.title)}" for one in KEY_ACTIONS)

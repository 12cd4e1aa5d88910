"""The program's panels with an empty page in the place of Home.

Whenever a project is opened the window goes to Home and builds it, and looks up what its doors say. A test of another
panel sees nothing of that.
"""

from dataclasses import replace

from biasprint.desktop.panels import PANELS, PanelEntry
from biasprint.desktop.panels.base import Panel


class EmptyHome(Panel):
    key = "home"
    title = "Home"

    def build(self) -> None:
        pass


def emptied(entry: PanelEntry) -> PanelEntry:
    return replace(entry, target=f"{__name__}:{EmptyHome.__name__}") if entry.key == EmptyHome.key else entry


WITH_EMPTY_HOME = tuple(emptied(entry) for entry in PANELS)


def only(*keys: str) -> tuple[PanelEntry, ...]:
    """These panels of them."""
    return tuple(entry for entry in WITH_EMPTY_HOME if entry.key in keys)

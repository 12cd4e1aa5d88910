"""The reader's settings: described as data, kept in one small file."""

from desktop.settings.keys import KEY_ACTIONS, KeyAction, conflicts
from desktop.settings.schema import SETTINGS, Setting
from desktop.settings.store import Settings

__all__ = ["KEY_ACTIONS", "SETTINGS", "KeyAction", "Setting", "Settings", "conflicts"]

"""The engine: no Qt, no printing, no dialogs. Usable from a script, the command line and the window alike."""

__version__ = "1.0.0"

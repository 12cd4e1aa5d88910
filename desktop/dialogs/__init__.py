"""Dialogs: questions over the window, and the import of a table."""

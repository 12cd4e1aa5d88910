"""Wording: the content of a project in the words of the window. No Qt widgets."""

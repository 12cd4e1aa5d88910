"""Wording: what is in the project, said in the words of the window. No Qt widgets."""

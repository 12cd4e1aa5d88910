"""Readers: from the open project to plain values, off the window's thread."""

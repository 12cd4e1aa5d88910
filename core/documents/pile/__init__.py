"""A pile: a folder or a zip of letters becomes a table, one row for each file, and groups of rows are compared."""

from core.documents.pile.values import Column, Pile, PileRow

__all__ = ["Column", "Pile", "PileRow"]

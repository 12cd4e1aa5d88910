"""The reading: one letter, sentence by sentence and as a whole, beside its context and letters like it."""

from core.documents.reading.values import Compared, Figure, Naming, Reading

__all__ = ["Compared", "Figure", "Naming", "Reading"]

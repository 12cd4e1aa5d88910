"""Comparisons drawn from a study's texts: identities, models, generated and original, swap twins."""

from core.runs.compare.drawing import Compared, compare

__all__ = ["Compared", "compare"]

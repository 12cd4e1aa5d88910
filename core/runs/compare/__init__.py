"""Comparisons drawn from a study's texts: identities, models, generated and original, swap twins."""

from core.runs.compare.drawing import ComparedPlan, compare

__all__ = ["ComparedPlan", "compare"]

"""Comparisons drawn from a study's texts: identities, models, generated and original, swap twins."""

from biasprint.core.runs.compare.drawing import ComparedPlan, compare

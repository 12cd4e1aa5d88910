"""The papers' figures and result tables, made from findings: one module per study."""

from core.report.figures.catalogue import figures_of

__all__ = ["figures_of"]

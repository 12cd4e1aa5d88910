"""The papers' figures and result tables, made from findings: as data (`spec`), one module per study, and as rows."""

from core.report.figures.catalogue import figures_of
from core.report.figures.spec import Figure, Mark, Reference

__all__ = ["Figure", "Mark", "Reference", "figures_of"]

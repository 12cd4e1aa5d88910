"""Creative writing (CoGS). Called in the compute process; each half has a file of its own."""

from core.studies.choices import JudgmentTable
from core.studies.creativity_judgments import measure_judgments
from core.studies.creativity_outputs import measure_outputs
from core.studies.distances import OutputTable

__all__ = ["JudgmentTable", "OutputTable", "measure_judgments", "measure_outputs"]

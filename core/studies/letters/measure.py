"""Reference letters. Called in the compute process; what it reads is described in `letters_table`."""

from collections.abc import Sequence
from typing import Any

from core.findings import StudyResult
from core.metrics.result import RESAMPLES
from core.studies.letters.lexicon import lexicon_findings
from core.studies.letters.table import Counted, LettersTable, letters_table

__all__ = ["Counted", "LettersTable", "letters_table", "measure", "measure_texts"]


def measure(table: LettersTable, *, seed: int = 0, resamples: int = RESAMPLES) -> StudyResult:
    """All findings of the letters study."""
    return StudyResult(
        study="letters",
        rows=len(table.groups),
        dropped=table.all_dropped,
        findings=tuple(lexicon_findings(table, seed, resamples)),
    )


def measure_texts(
    texts: Sequence[str], groups: Sequence[str], *, seed: int = 0, resamples: int = RESAMPLES, **columns: Any
) -> StudyResult:
    """Count and measure in one call; `columns` as `letters_table` takes them."""
    return measure(letters_table(texts, groups, **columns), seed=seed, resamples=resamples)

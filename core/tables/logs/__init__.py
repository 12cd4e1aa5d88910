"""Logs and results that other programs wrote: one module for each family, all in one list, known by their content."""

from collections.abc import Sequence
from pathlib import Path

from biasprint.core.tables.logs import every_eval_ever, helm, inspect_ai, lm_eval, openai_batch, promptfoo, traces
from biasprint.core.tables.logs.parts import LogFormat, Values

LOG_FORMATS: tuple[LogFormat, ...] = (
    inspect_ai.FORMAT,
    promptfoo.FORMAT,
    promptfoo.CSV,
    lm_eval.FORMAT,
    openai_batch.FORMAT,
    helm.STATE,
    helm.PREDICTIONS,
    every_eval_ever.FORMAT,
    traces.LANGSMITH,
    traces.LANGFUSE,
)


def format_of(record: Values) -> LogFormat | None:
    """Return the format that a record is of, None for an ordinary one."""
    return next((known for known in LOG_FORMATS if known.fits(record)), None)


def records_inside(whole: Values, path: Path) -> Sequence[Values] | None:
    """Return the records of a whole JSON document, None where it is of no known format.

    Raises `AppError` for a version that cannot be read, and for a part that is missing.
    """
    return next((records for known in LOG_FORMATS if (records := known.inside(whole, path)) is not None), None)

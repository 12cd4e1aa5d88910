"""Live figures of a study while texts are written, scored and judged: every row is read once, sums do the rest.

`LiveTally(project, study)`, then `catch_up(ctx)` and, for each commit, `take(ctx, changes)`, in a job; `values()`,
`rates()`, `traces()` and `judging()` at any time. A study names its figures by the class in its declaration's `live`.
"""

from biasprint.core.runs.live.tally import Course, LiveTally, Trace
from biasprint.core.studies.kit.live import AT_THE_END, LiveJudging, LiveKey, LiveRates, LiveValue, NotKept, StudyTally

__all__ = [
    "AT_THE_END",
    "Course",
    "LiveJudging",
    "LiveKey",
    "LiveRates",
    "LiveTally",
    "LiveValue",
    "NotKept",
    "StudyTally",
    "Trace",
]

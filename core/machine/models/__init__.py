"""Models on this computer: what the catalogue offers, what is here, how it comes, is checked and goes.

Light: nothing here imports a model library; the hub's client is loaded by `get` alone.

Here: sizes in words, and jobs over files shown in megabytes.
"""

import math

from biasprint.core.jobs import JobContext, Progress

UNITS = ("bytes", "kB", "MB", "GB", "TB")
UNKNOWN = "not known"


def in_words(size: int | None) -> str:
    """438 MB, 4.1 GB; decimal units, as file managers show them. `UNKNOWN` where nobody said."""
    if size is None:
        return UNKNOWN
    amount, unit = float(size), 0
    while amount >= 999.5 and unit + 1 < len(UNITS):
        amount, unit = amount / 1000, unit + 1
    digits = 1 if unit and amount < 9.95 else 0
    return f"{amount:.{digits}f} {UNITS[unit]}"


MEGABYTE = 1_000_000
USUAL_LINE = 100  # megabits a second, of the line by which a time is said


def seconds_to_get(size: int) -> int:
    """Seconds that so many bytes take by the usual line, up to the next ten: 8 · bytes / (100 · 10⁶)."""
    return 10 * math.ceil(8 * size / (USUAL_LINE * MEGABYTE) / 10)


class InMegabytes(JobContext):
    """Passes on a job's reports of bytes in megabytes, and the other's cancel and pause."""

    def __init__(self, shown: JobContext) -> None:
        super().__init__(self._pass_on)
        self._shown = shown

    def check(self) -> None:
        self._shown.check()

    @property
    def cancelled(self) -> bool:
        return self._shown.cancelled

    @property
    def paused(self) -> bool:
        return self._shown.paused

    def _pass_on(self, progress: Progress) -> None:
        total = None if progress.total is None else -(-progress.total // MEGABYTE)
        self._shown.report(-(-progress.done // MEGABYTE), total, note=progress.note)

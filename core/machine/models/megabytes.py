"""Jobs over files count bytes; people are shown megabytes."""

from core.jobs import JobContext, Progress

MEGABYTE = 1_000_000


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

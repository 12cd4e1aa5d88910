"""An installation in parts as `core.machine.installation` shows it; a test decides when a part comes or fails."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from biasprint.core.errors import AppError, JobCancelled
from biasprint.core.jobs import JobContext
from biasprint.core.machine import installation
from biasprint.core.machine.installation import PartState

WINDOW, MEASURING = "window", "statistics"


class FakeInstallation:
    """The real parts; the window is ready and the others wait. `prepare` runs until it is told what came of each."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, unasked: bool = True) -> None:
        self.states = {part.id: PartState(part, "waiting", f"{part.title} waits.") for part in installation.parts()}
        self.set(WINDOW, "ready")
        self.unasked = unasked
        self.prepared = 0  # how often it was asked to
        self.cancelled = 0
        self._ended = False
        self._orders: list[Callable[[JobContext, Callable[[PartState], None]], bool]] = []
        self._some = threading.Condition()
        for name in ("status", "prepare", "goes_on_unasked"):
            monkeypatch.setattr(installation, name, getattr(self, name))

    # as the window sees it

    def status(self) -> tuple[PartState, ...]:
        return tuple(self.states.values())

    def goes_on_unasked(self) -> bool:
        return self.unasked

    def prepare(
        self, ctx: JobContext, report: Callable[[PartState], None], only: Sequence[str] = (), *, add: Sequence[str] = ()
    ) -> None:
        self.prepared += 1
        for part in add:
            if self.states[part].state == "left out":
                self.set(part, "waiting")
        first = next(each for each in self.states.values() if each.is_due)
        report(self.set(first.part.id, "working"))
        try:
            while True:
                ctx.check()
                with self._some:
                    self._some.wait(0.02)
                    orders, self._orders = self._orders, []
                over = [order(ctx, report) for order in orders]
                if any(over) or self._ended:
                    return
        except JobCancelled:
            self.cancelled += 1
            for each in self.states.values():
                if each.state == "working":
                    self.set(each.part.id, "waiting")
            raise

    # as a test drives it

    def set(self, part: str, state: str, sentence: str = "") -> PartState:
        now = replace(self.states[part], state=state, sentence=sentence or f"{self.states[part].part.title}: {state}.")
        self.states[part] = now
        return now

    def left(self) -> list[str]:
        return [part for part, each in self.states.items() if each.is_due]

    def make_light(self) -> None:
        """This is the light edition from now on."""
        for part in installation.parts():
            if not part.light:
                self.set(part.id, "left out", f"“{part.title}” is not in the light edition.")

    def comes(self, part: str) -> None:
        """A part is ready from now on; with the last one the work ends."""

        def order(ctx: JobContext, report: Callable[[PartState], None]) -> bool:
            report(self.set(part, "ready"))
            left = [each for each in self.states.values() if each.is_due]
            if left:
                report(self.set(left[0].part.id, "working"))
            return not left

        self._give(order)

    def reports(self, done: int, total: int) -> None:
        self._give(lambda ctx, report: ctx.report(done, total) is not None)

    def fails(self, part: str, sentence: str) -> None:
        """A part cannot be prepared, and the work ends."""

        def order(ctx: JobContext, report: Callable[[PartState], None]) -> bool:
            report(self.set(part, "failed", sentence))
            return True

        self._give(order)

    def end(self) -> None:
        """The work ends, whatever has come; later ones end at once."""
        self._ended = True

    def stops(self, error: AppError) -> None:
        """Nothing more can be installed."""

        def order(ctx: JobContext, report: Callable[[PartState], None]) -> bool:
            raise error

        self._give(order)

    def _give(self, order: Callable[[JobContext, Callable[[PartState], None]], bool]) -> None:
        with self._some:
            self._orders.append(order)
            self._some.notify()

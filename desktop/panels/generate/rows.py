"""The rows of the list of runs: those in the queue in their order, then the project's others, newest first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from desktop.jobs import JobState
from desktop.operations.generating_queue import Entry, generator_words, lane
from desktop.operations.generating_runs import RunLine, author_words, parameter_words, run_words
from desktop.widgets import number, tr
from desktop.widgets.safe_text import safe_line


@dataclass(frozen=True)
class Row:
    """A run, its place in the queue, or both. `state` is a word or two; `waits` while it can be put elsewhere."""

    run: RunLine | None
    entry: Entry | None
    prompt_set: str
    generator: str
    state: str
    waits: bool = False

    @property
    def key(self) -> tuple[str, int]:
        """What it is known by while the list changes."""
        if self.run is not None:
            return ("run", self.run.id)
        assert self.entry is not None
        return ("ticket", self.entry.ticket.number)

    def known_as(self, key: tuple[str, int] | None) -> bool:
        """A run in the queue gets its own number when its model was opened; it is known by its ticket still."""
        return key == self.key or (self.entry is not None and key == ("ticket", self.entry.ticket.number))

    @property
    def active(self) -> bool:
        return self.entry is not None and self.entry.handle.active

    @property
    def can_resume(self) -> bool:
        """Whether something is missing that nobody is writing."""
        return self.run is not None and self.run.can_go_on and self.run.missing > 0 and not self.active

    @property
    def cells(self) -> tuple[str, ...]:
        """Prompts, generator, seed, there, state. No seed of ours made an imported table."""
        run, entry = self.run, self.entry
        seed = str(run.request.seed if run else entry.ticket.seed if entry else "")
        if run is not None and not run.can_go_on:
            seed = "–"
        there = number(run.done) if run is not None else "–"
        return (safe_line(self.prompt_set), safe_line(self.generator), seed, there, self.state)

    @property
    def parameters(self) -> str:
        return parameter_words(self.run.request) if self.run is not None else ""


def rows_of(runs: Sequence[RunLine], entries: Sequence[Entry], sets: Mapping[int, str]) -> tuple[Row, ...]:
    """`entries`: those in the queue in their order, and those that ended; `sets`: names by id."""
    by_id = {run.id: run for run in runs}
    rows: list[Row] = []
    ended: dict[int, Entry] = {}
    for entry in sorted(entries, key=lambda one: not one.handle.active):
        run = by_id.get(entry.ticket.run_id or 0)
        if run is not None and not entry.handle.active:
            ended[run.id] = entry  # the latest is what counts
        else:
            rows.append(_row(run, entry, sets))
    shown = {row.run.id for row in rows if row.run is not None}
    rows += [_row(run, ended.get(run.id), sets) for run in runs if run.id not in shown]
    return tuple(rows)


def _row(run: RunLine | None, entry: Entry | None, sets: Mapping[int, str]) -> Row:
    state, waits = (run_words(run) if run is not None else ""), False
    if entry is not None:
        said, waits = _entry_words(entry)
        state = said or state
    if run is not None:
        return Row(run, entry, run.prompt_set, author_words(run.request), state, waits)
    assert entry is not None
    name = sets.get(entry.ticket.prompt_set_id, "")
    return Row(None, entry, name, generator_words(entry.handle), state, waits)


def _entry_words(entry: Entry) -> tuple[str, bool]:
    """What is going on with a queued run, and whether it waits; nothing to say of one that ended well."""
    handle = entry.handle
    writes = lane().writes(entry.ticket)
    if not handle.active:
        ends = {JobState.CANCELLED: tr("stopped"), JobState.FAILED: tr("stopped by an error")}
        return ends.get(handle.state, ""), False
    if handle.cancelling:
        return tr("stopping"), False
    if handle.state is JobState.PAUSED:
        return tr("paused"), not writes
    if writes:
        return (tr("writing") if handle.progress is not None and handle.progress.total else tr("opening")), False
    return tr("waiting"), True

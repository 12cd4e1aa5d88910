"""Letting a model judge: the choice of plans and of a language model, the start, and how a judging goes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtGui import QShowEvent

from core.jobs import JobContext
from desktop.jobs import JobHandle, JobState
from desktop.operations.connections import why_offline
from desktop.operations.generating import running
from desktop.operations.generating_writers import Writers, read_writers
from desktop.operations.generator_options import Option, options_for, source_of
from desktop.operations.judging_by_model import JUDGING, JudgeRequest, JudgingFacts, read_judging, start_judging
from desktop.panels.base import Shell
from desktop.panels.generate.judging_fields import JudgingFields
from desktop.panels.generate.picker import show_models
from desktop.widgets import tr
from desktop.widgets.labels import show_if
from desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from core.errors import AppError
    from core.project.project import Project
    from core.runs.judge_result import JudgeResult

ALL = ""  # plans


class JudgingCard(JudgingFields):
    """The same choice again goes on where it stopped, as a session is found by its model, settings and seed."""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self._writable = False
        self._facts: JudgingFacts | None = None  # None until the project was read
        self._writers: Writers | None = None
        self._handle: JobHandle | None = None
        self._reads = 0
        self.picker.chosen_anew.connect(self._show_options)
        self.picker.changed.connect(self._show)
        self.picker.models_wanted.connect(lambda page: show_models(shell, page))
        self.to_models.clicked.connect(lambda: show_models(shell, "generator"))
        self.plans.currentIndexChanged.connect(lambda _: self._show())
        shell.connections.changed.connect(self._show)
        self.start.clicked.connect(self._start)
        self.pause.clicked.connect(self._pause)
        self.cancel.clicked.connect(lambda: self._handle and self._handle.cancel())

    # what there is

    def showEvent(self, event: QShowEvent) -> None:
        """Plans may have been drawn and models added while something else was seen."""
        super().showEvent(event)
        self.look()

    def look(self) -> None:
        """Read anew what can judge and what there is to judge."""
        self._shell.jobs.start(tr("Generators"), read_writers, on_done=self.show_writers, quiet=True)
        project = self._shell.project
        if project is None:
            return

        self._reads += 1
        mine = self._reads

        def read(ctx: JobContext) -> JudgingFacts:
            return read_judging(ctx, project)

        def show(facts: JudgingFacts) -> None:
            if project is self._shell.project and mine == self._reads:  # a later reading knows better
                self.show_facts(facts)

        self._shell.jobs.start(tr("Plans"), read, on_done=show, quiet=True)
        self._pick_up(project)

    def show_writers(self, writers: Writers) -> None:
        """Offer the language models alone: nothing else can judge."""
        able = tuple(info for info in writers.backends if info.capabilities.is_language_model)
        self._writers = replace(writers, backends=able)
        self.picker.show_writers(self._writers)
        self._show()

    def show_facts(self, facts: JudgingFacts) -> None:
        """Offer the plans; the one that was chosen stays chosen."""
        self._facts, before = facts, self.plans.currentData()
        self.plans.blockSignals(True)
        self.plans.clear()
        if len(facts.plans) > 1:
            self.plans.addItem(tr("all {n} plans").format(n=f"{len(facts.plans):,}"), ALL)
        for plan in facts.plans:
            self.plans.addItem(safe_line(f"{plan.title} ({plan.id[:8]})"), plan.id)
        self.plans.setCurrentIndex(max(0, self.plans.findData(before)) if facts.plans else -1)
        self.plans.blockSignals(False)
        self.show_past(facts.past)
        self._show()

    def allow(self, writable: bool) -> None:
        self._writable = writable
        self._show()

    def let_go(self) -> None:
        """Another project: the judging of the last one stops, and nothing of it is left to see."""
        if self._handle is not None:
            self._handle.cancel()
        self._handle = None
        self.show_facts(JudgingFacts())
        self._facts = None
        self._show()

    # what is chosen

    def request(self) -> JudgeRequest:
        chosen = self.plans.currentData()
        plans = tuple(plan.id for plan in (self._facts or JudgingFacts()).plans if chosen in (ALL, plan.id))
        given = self.options.values()
        if self.picker.chosen_endpoint is not None:
            given["endpoint"] = self.picker.chosen_endpoint.name
        backend = str(self.picker.backend.currentData() or "")
        return JudgeRequest(plans, backend, self.picker.model_name, self.seed.value(), tuple(sorted(given.items())))

    def why_not(self) -> str:
        """Why nothing can be judged with this choice; empty where it can, or where that is not known yet."""
        if self._facts is not None and not self._facts.plans:
            return tr("There is nothing to judge yet: draw comparisons first.")
        if self._no_model():
            return tr("No language model is here yet: get or add one, or an endpoint, under Models.")
        return self.picker.why_not(why_offline(self._shell.connections)) or self.picker.trouble

    def _no_model(self) -> bool:
        here = self._writers
        if here is None:
            return False
        for info in here.backends:
            source = source_of(info)
            there = here.endpoints if source == "endpoint" else [one for one in here.models if one.format == source]
            if not info.unavailable and (there or source in ("listed", "typed")):
                return False
        return True

    # judging

    def _start(self) -> None:
        project, shell = self._shell.project, self._shell  # not this card: it may be gone when the job ends
        if project is None or self._busy:
            return

        def fail(error: "AppError") -> None:
            if project is shell.project:
                shell.show_error(error)

        def done(results: "list[JudgeResult]") -> None:
            self.look()

        self._follow(start_judging(shell.jobs, project, self.request(), on_done=done, on_error=fail))

    def _pick_up(self, project: "Project") -> None:
        """A judging that began before this card was made anew, as after a blind rating."""
        found = running(self._shell.jobs, JUDGING, project)
        if found is not None and found is not self._handle:
            self._follow(found)

    def _follow(self, handle: JobHandle) -> None:
        self._handle = handle
        handle.changed.connect(self._show)
        self._show()

    def _pause(self) -> None:
        if self._handle is not None:
            (self._handle.resume if self._handle.state is JobState.PAUSED else self._handle.pause)()

    @property
    def _busy(self) -> bool:
        return self._handle is not None and self._handle.active

    # showing

    def _show_options(self) -> None:
        info = self.picker.info
        self.options.forget_touches()
        self.options.offer(_judging_options(options_for(info, "")) if info is not None else (), {})
        show_if(self.options, bool(info is not None and options_for(info, "")))

    def _show(self) -> None:
        busy, why_not = self._busy, self.why_not()
        named = bool(self.picker.model_name) or self.picker.source not in ("endpoint", "gguf", "folder")
        ready = bool(self.request().plans) and self.picker.info is not None and named and not why_not
        for field in (self.plans, self.seed, self.options, *self.picker_fields()):
            field.setEnabled(self._writable and not busy)
        self.start.setEnabled(self._writable and ready and not busy)
        show_if(self.start, not busy)
        for part in (self.progress, self.pause, self.cancel):
            show_if(part, busy)
        self.refused.text.setText(safe_line(why_not))
        self.refused.setAccessibleName(safe_line(why_not))
        show_if(self.refused, bool(why_not))
        show_if(self.to_models, self._no_model() and bool(self._facts and self._facts.plans))
        self.state.setText(safe_line(self._said()))
        show_if(self.state, bool(self.state.text()))

    def _said(self) -> str:
        """How the judging goes, or how the last one from here ended."""
        handle = self._handle
        if handle is None or handle.state is JobState.FAILED:
            return ""
        if not handle.active:
            cancelled = tr("Cancelled. What came back is saved; Start goes on with it.")
            return cancelled if handle.state is JobState.CANCELLED else handle.result_text
        paused = handle.state is JobState.PAUSED
        self.pause.set_text(tr("Go on") if paused else tr("Pause"))
        progress = handle.progress
        counted = progress is not None and progress.total is not None
        self.progress.set_progress(progress.done if counted and progress else 0, progress.total if progress else None)
        if not counted or progress is None:
            return tr("Paused.") if paused else tr("Opening the model, or waiting for its turn…")
        said = tr("{done} of {total} replies to this plan.").format(done=f"{progress.done:,}", total=progress.total)
        return tr("Paused: {said}").format(said=said) if paused else said


def _judging_options(options: Sequence[Option]) -> tuple[Option, ...]:
    """A reply is one word: how long it may be is the question's own matter, unless somebody sets it."""
    return tuple(
        replace(one, title="Longest reply", start=None, open_words="short") if one.name == "max_tokens" else one
        for one in options
    )

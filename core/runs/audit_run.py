"""Running an audit: its prompts are made, written for, scored and measured, and its gates held against what is found.

It resumes by itself, as each of its parts does. What cannot be done is a sentence, and the rest is done.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.compute import ComputeProcess
from core.errors import AppError, UsageError
from core.jobs import JobContext
from core.project.project import Project
from core.project.rows import PromptSetRow
from core.project.specs import AxisSpec, PromptSetSpec, PromptSpec
from core.project.stores.common import chunks
from core.runs.audit import AskedGenerator, AskedMeasure, AskedPrompts, Audit
from core.runs.audit_gates import GateResult, hold
from core.runs.generate import GenerateResult, generate, start_run, why_nothing
from core.runs.generators import generator_names
from core.runs.measure import MeasuredStudy, measure_project
from core.runs.score import score
from core.runs.setup import add_prompts, added_study, generator_spec, newest_set
from core.scorers.registry import describe
from core.studies.study import MeasureOptions


@dataclass(frozen=True)
class AuditedRun:
    """What a generator of the file wrote for a prompt set. `called`: in the file; `generator`: in the project."""

    called: str
    generator: str
    study: str
    prompts: str
    result: GenerateResult

    def to_json(self) -> dict[str, Any]:
        one = self.result
        return {
            "name": self.called, "generator": self.generator, "study": self.study, "set": self.prompts,
            "run": one.run_id, "wanted": one.wanted, "done": one.done, "failed": one.failed,
            "failures": dict(one.failures), "added": one.added,
        }  # fmt: skip


@dataclass(frozen=True)
class AuditResult:
    """`undone`: a sentence for each part that could not be done; `misused`: some of them because of what was asked."""

    runs: tuple[AuditedRun, ...]
    measured: Mapping[str, MeasuredStudy]
    gates: tuple[GateResult, ...]
    undone: tuple[str, ...]
    misused: bool

    @property
    def exit_code(self) -> int:
        """2: something in the file makes no sense here; 3: a gate failed; 1: something could not be done; else 0."""
        if self.misused or any(one.missing for one in self.gates):
            return 2
        return 3 if not all(one.passed for one in self.gates) else int(bool(self.undone))

    def to_json(self) -> dict[str, Any]:
        return {
            "version": 1,
            "runs": [one.to_json() for one in self.runs],
            "studies": [one.result.to_json() for one in self.measured.values()],
            "gates": [one.to_json() for one in self.gates],
            "undone": list(self.undone),
        }


@dataclass
class AuditRun:
    """One audit in a project. `models`: where texts are written, `compute`: where they are scored and measured.

    `tell`: called with a sentence as each part begins.
    """

    project: Project
    audit: Audit
    models: ComputeProcess
    compute: ComputeProcess
    keys: Mapping[str, str] = field(default_factory=dict)
    tell: Callable[[str], object] = lambda sentence: None
    _runs: list[AuditedRun] = field(default_factory=list)
    _undone: list[str] = field(default_factory=list)
    _misused: bool = False

    def __call__(self, ctx: JobContext, *, retry_failures: bool = False) -> AuditResult:
        sets: dict[str, PromptSetRow] = {}
        for asked in self.audit.prompts:
            with self._otherwise(f"The prompts “{asked.called}” were not made"):
                sets[asked.called] = self._made(ctx, asked)
        for writer in self.audit.generators:
            self._write(ctx, writer, sets, retry_failures)
        for name in self.audit.scorers:
            with self._otherwise(f"“{name}” scored nothing"):
                self._score(ctx, name)
        measured: dict[str, MeasuredStudy] = {}
        for how in self.audit.measures():
            self.tell(f"Measuring {how.study}.")
            with self._otherwise(f"{how.study} was not measured"):
                measured[how.study] = measure_project(ctx, self.project, how.study, self._options(how), self.compute)
                self._undone += measured[how.study].undone
        findings = [finding for one in measured.values() for finding in one.result.findings]
        gates = tuple(hold(self.audit.held(), findings))
        return AuditResult(tuple(self._runs), measured, gates, tuple(self._undone), self._misused)

    @contextmanager
    def _otherwise(self, what: str) -> Iterator[None]:
        """A failure in here that can be told is a sentence beginning so, and what follows goes on."""
        try:
            yield
        except AppError as error:
            self._undone.append(" ".join(filter(None, (f"{what}: {error.message}", error.hint))))
            self._misused |= isinstance(error, UsageError)

    def _made(self, ctx: JobContext, asked: AskedPrompts) -> PromptSetRow:
        if asked.set is None:
            added = add_prompts(self.project, asked.study, ctx=ctx, **asked.choice())
            return next(row for row in self.project.prompts.sets() if row.id == added.set_id)
        if asked.of is None or _same(asked.of, self.project.path):
            return newest_set(self.project, asked.study, asked.set)
        if not asked.of.exists():
            raise UsageError(f"There is no project “{asked.of.name}”.")
        with Project.open(asked.of, read_only=True) as other:
            return copied_set(ctx, other, newest_set(other, asked.study, asked.set), self.project, asked.study)

    def _write(
        self, ctx: JobContext, writer: AskedGenerator, sets: Mapping[str, PromptSetRow], retry_failures: bool
    ) -> None:
        for asked in self.audit.prompts:
            answers = writer.prompts is None or asked.called in writer.prompts
            if not answers or asked.called not in sets:
                continue
            chosen = sets[asked.called]
            self.tell(f"{writer.called} writes for {chosen.name}, version {chosen.version}.")
            with self._otherwise(f"{writer.called} wrote nothing for {asked.called}"):
                spec = generator_spec(
                    writer.backend, writer.model, self._recommended(writer, asked.study) | writer.given(), self.models,
                    ctx=ctx, keys=self.keys,
                )  # fmt: skip
                run = start_run(
                    self.project, prompt_set_id=chosen.id, generator=spec, samples=writer.samples,
                    seed=self.audit.seed if writer.seed is None else writer.seed,
                )  # fmt: skip
                if retry_failures:
                    self.project.outputs.forget_failures(run)
                result = generate(ctx, self.project, run, self.models, self.keys, opens=writer.model)
                generator = generator_names(self.project)[self.project.runs.get(run).generator_id]
                name = f"{chosen.name}@{chosen.version}"
                self._runs.append(AuditedRun(writer.called, generator, asked.study, name, result))
                if said := why_nothing(self.project, result):
                    raise AppError(said)

    def _recommended(self, writer: AskedGenerator, study: str) -> dict[str, Any]:
        from core.machine.models import catalogue

        preset = catalogue.preset(writer.model, study) if writer.preset and writer.backend == "llama_cpp" else None
        return dict(preset.parameters) if preset else {}

    def _score(self, ctx: JobContext, name: str) -> None:
        known = {info.name: info for info in describe()}
        if name not in known:
            raise UsageError(f"There is no scorer “{name}”.", hint=f"Choose from: {', '.join(known)}.")
        self.tell(f"Scoring by {name}.")
        for kind in self.audit.studies:
            if study := self.project.studies.of_kind(kind):
                score(ctx, self.project, study.id, known[name], self.compute)

    def _options(self, how: AskedMeasure) -> MeasureOptions:
        """With the project's names of the generators where the file has names of its own."""
        own = {one.called: one.generator for one in self._runs if one.result.done}
        written = {one.called for one in self.audit.generators}

        def named(names: list[str]) -> tuple[str, ...]:
            for name in names:
                if name in written and name not in own:
                    raise AppError(f"“{name}” wrote nothing.")
            return tuple(own.get(name, name) for name in names)

        return MeasureOptions(
            axes=tuple(how.axes), scorers=dict(how.scorers), seed=self.audit.seed if how.seed is None else how.seed,
            adjust=how.adjust, seen=how.keep_seen, generators=named(how.generators), pool=how.pool,
            compare=named(how.compare),
        )  # fmt: skip


def copied_set(ctx: JobContext, source: Project, chosen: PromptSetRow, project: Project, study: str) -> PromptSetRow:
    """The prompt set of another project in this one, with the axes of that project; the same one where it is there."""
    for axis in source.axes.all():
        project.axes.add(AxisSpec(key=axis.key, title=axis.title, definition=dict(axis.definition)))
    rows = chunks(lambda after, limit: source.prompts.page(chosen.id, after, limit), lambda prompt: prompt.id)
    names = PromptSpec.model_fields
    prompts = tuple(PromptSpec(**{name: getattr(row, name) for name in names}) for row in rows)
    spec = PromptSetSpec(name=chosen.name, recipe=dict(chosen.recipe), prompts=prompts)
    set_id = project.prompts.add_set(added_study(project, study), spec).number("prompt_set")
    return next(row for row in project.prompts.sets() if row.id == set_id)


def _same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)

"""Running an audit: its prompts are made, written for, scored and measured, and its gates held against what is found.

It resumes automatically, as each of its parts does. What cannot be done is reported in a sentence, and the rest is
done.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from pathlib import Path
from typing import Any

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.project.left_out import in_words
from biasprint.core.project.project import Project
from biasprint.core.project.rows import PromptSetRow, RunRow
from biasprint.core.project.specs import (
    AxisSpec,
    GeneratorSpec,
    OutputSpec,
    PromptSetSpec,
    PromptSpec,
    RunSpec,
    SourceSpec,
)
from biasprint.core.project.stores.common import chunks
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.report.planned import unknown
from biasprint.core.runs.audit.file import (
    AskedComparisons,
    AskedGenerator,
    AskedMeasure,
    AskedPrompts,
    AskedTexts,
    Audit,
    AuditedJudging,
    asked_judges,
    drawn_plan,
    judged_plan,
)
from biasprint.core.runs.audit.gates import Gate, GateResult, exit_code, hold
from biasprint.core.runs.generate import GenerateResult, generate, start_run, why_nothing
from biasprint.core.runs.measure import MeasuredStudy, measure_project
from biasprint.core.runs.setup import (
    add_prompts,
    added_study,
    generator_spec,
    import_table,
    newest_set,
    recommended,
    study_of,
)
from biasprint.core.scorers.registry import describe
from biasprint.core.studies.kit.declared import ALL, MeasureOptions
from biasprint.core.studies.registry import table_fields
from biasprint.core.tables.rows import HeaderPlace, TableRead
from biasprint.core.texts.exporting import read_table
from biasprint.core.texts.generators import NOT_WRITTEN, generator_names
from biasprint.core.texts.score import score

# ---- Prompt sets and texts from another project

AT_ONCE = 200  # texts that are stored together


def copied_set(ctx: JobContext, source: Project, chosen: PromptSetRow, project: Project, study: str) -> PromptSetRow:
    """Return the prompt set of another project in this one, with the axes of that project; the same one where it is
    there.
    """
    for axis in source.axes.all():
        project.axes.add(AxisSpec(key=axis.key, title=axis.title, definition=dict(axis.definition)))
    ctx.check()
    rows = chunks(lambda after, limit: source.prompts.page(chosen.id, after, limit), lambda prompt: prompt.id)
    names = [each.name for each in fields(PromptSpec)]
    prompts = tuple(PromptSpec(**{name: getattr(row, name) for name in names}) for row in rows)
    spec = PromptSetSpec(name=chosen.name, recipe=dict(chosen.recipe), prompts=prompts)
    set_id = project.prompts.add_set(added_study(project, study), spec).number("prompt_set")
    return next(row for row in project.prompts.sets() if row.id == set_id)


def copied_texts(ctx: JobContext, source: Project, project: Project, study: str) -> int:
    """Return the texts that another project holds of a study and no generator wrote there, in this one; how many are
    new.
    """
    study_row = study_of(source, study)
    study_id = added_study(project, study)
    added = 0
    rows = iter(chunks(lambda after, limit: source.sources.page(study_row.id, after, limit), lambda row: row.id))
    names = SourceSpec.model_fields
    while some := list(islice(rows, AT_ONCE)):
        ctx.check()
        specs = [SourceSpec(**{name: getattr(row, name) for name in names}) for row in some]
        added += len(project.sources.add_many(study_id, specs).of("source"))
    generators = source.runs.generators()
    for run in source.runs.all():
        if run.study_id == study_row.id and generators[run.generator_id].backend in NOT_WRITTEN:
            added += _copied_run(ctx, source, run, project, study)
    return added


def _copied_run(ctx: JobContext, source: Project, run: RunRow, project: Project, study: str) -> int:
    asked = next(row for row in source.prompts.sets() if row.id == run.prompt_set_id)
    prompts = copied_set(ctx, source, asked, project, study)
    writer = source.runs.generators()[run.generator_id]
    spec = GeneratorSpec(
        backend=writer.backend, model=writer.model, parameters=dict(writer.parameters), revision=writer.revision
    )
    generator = project.runs.add_generator(spec).number("generator")
    copy = project.runs.start(
        RunSpec(
            study_id=prompts.study_id, prompt_set_id=prompts.id, generator_id=generator, seed=run.seed,
            samples=run.samples, recipe=dict(run.recipe),
        )
    ).number("run")  # fmt: skip
    added, rows = 0, iter(source.outputs.each(OutputFilter(run_id=run.id)))
    names = OutputSpec.model_fields.keys() - {"run_id", "prompt_id"}
    while some := list(islice(rows, AT_ONCE)):
        ctx.check()
        by_key = project.prompts.by_key(prompts.id, sorted({row.prompt_key for row in some}))
        specs = [
            OutputSpec(
                run_id=copy, prompt_id=by_key[row.prompt_key], **{name: getattr(row, name) for name in names}
            )
            for row in some
        ]  # fmt: skip
        added += len(project.outputs.record_many(specs).of("output"))
    return added


@dataclass(frozen=True)
class AuditedRun:
    """The texts that a generator of the file wrote for a prompt set. `called`: in the file; `generator`: in the
    project.
    """

    called: str
    generator_id: int
    study: str
    prompts: str
    result: GenerateResult
    generator: str = ""

    def to_json(self) -> dict[str, Any]:
        result = self.result
        return {
            "name": self.called, "generator": self.generator, "study": self.study, "set": self.prompts,
            "run": result.run_id, "wanted": result.wanted, "done": result.done, "failed": result.failed,
            "failures": dict(result.failures), "added": result.added,
        }  # fmt: skip


@dataclass(frozen=True)
class AuditedTexts:
    """Texts that were there already. `table`: as it was read; None of those of another project."""

    study: str
    source: str
    added: int
    table: TableRead | None = None

    def to_json(self) -> dict[str, Any]:
        read = {} if self.table is None else {"rows": self.table.total, "dropped": dict(self.table.dropped)}
        return {"study": self.study, "source": self.source, "added": self.added, **read}


@dataclass(frozen=True)
class AuditResult:
    """The result of an audit. `undone`: a sentence for each part that could not be done; `misused`: some of them
    because of what was asked.
    """

    runs: tuple[AuditedRun, ...]
    texts: tuple[AuditedTexts, ...]
    judged: tuple[AuditedJudging, ...]
    measured: Mapping[str, MeasuredStudy]
    gates: tuple[GateResult, ...]
    undone: tuple[str, ...]
    misused: bool

    @property
    def exit_code(self) -> int:
        """The exit code. 2: something in the file makes no sense here; 3: a gate failed; 1: something could not be
        done; else 0.
        """
        return UsageError.exit_code if self.misused else exit_code(self.gates) or int(bool(self.undone))

    def to_json(self) -> dict[str, Any]:
        return {
            "version": 1,
            "runs": [part.to_json() for part in self.runs],
            "texts": [part.to_json() for part in self.texts],
            "judged": [part.to_json() for part in self.judged],
            "studies": [part.result.to_json() for part in self.measured.values()],
            "gates": [part.to_json() for part in self.gates],
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
    _texts: list[AuditedTexts] = field(default_factory=list)
    _judged: list[AuditedJudging] = field(default_factory=list)
    _undone: list[str] = field(default_factory=list)
    _misused: bool = False

    def __call__(self, ctx: JobContext, *, retry_failures: bool = False) -> AuditResult:
        self._foretell()
        sets: dict[str, PromptSetRow] = {}
        for asked in self.audit.prompts:
            with self._reporting_failure(f"The prompts “{asked.called}” were not made"):
                sets[asked.called] = self._made(ctx, asked)
        for texts in self.audit.texts:
            with self._reporting_failure(f"The texts of {texts.source.name} were not read"):
                self._texts.append(self._read(ctx, texts))
        for writer in self.audit.generators:
            self._write(ctx, writer, sets, retry_failures)
        names = generator_names(self.project)  # once all are there: a name says what tells it from the others
        self._runs = [replace(part, generator=names[part.generator_id]) for part in self._runs]
        for compared in self.audit.comparisons:
            self._judge(ctx, compared)
        for name in self.audit.scorers:
            with self._reporting_failure(f"“{name}” scored nothing"):
                self._score(ctx, name)
        measured: dict[str, MeasuredStudy] = {}
        for how in self.audit.measures():
            if self._has_nothing(how.texts_of or how.study):
                continue
            self.tell(f"Measuring {how.study}.")
            with self._reporting_failure(f"{how.study} was not measured"):
                measured[how.study] = measure_project(ctx, self.project, how.study, self._options(how), self.compute)
                self._undone += measured[how.study].undone
        findings = [finding for part in measured.values() for finding in part.result.findings]
        gates = tuple(self._gate_result(gate, findings) for gate in self.audit.held())
        return AuditResult(
            tuple(self._runs), tuple(self._texts), tuple(self._judged), measured, gates, tuple(self._undone),
            self._misused,
        )  # fmt: skip

    def _has_nothing(self, study: str) -> bool:
        """Return whether its prompts or texts were to be made here and none were: why has been said, and is all there
        is.
        """
        asked = study in {*(part.study for part in self.audit.prompts), *(part.study for part in self.audit.texts)}
        return asked and self.project.studies.of_kind(study) is None

    def _foretell(self) -> None:
        """Raise `UsageError` for a gate that no study here can decide: the answer may take hours."""
        measured = [measure.study for measure in self.audit.measures()]
        for gate in self.audit.held():
            if sentence := unknown(gate, measured):
                studies_named = ", ".join(measured) or "nothing"
                raise UsageError(
                    f"The gate “{gate.text}” cannot hold: {sentence}",
                    kept="Nothing was begun.",
                    hint=f"The audit file measures {studies_named}: name the study there, or leave the gate out.",
                )

    @contextmanager
    def _reporting_failure(self, what: str) -> Iterator[None]:
        """Report an expected failure of the block as a sentence with this beginning, and go on."""
        try:
            yield
        except AppError as error:
            self._undone.append(" ".join(filter(None, (f"{what}: {error.message}", error.hint))))
            self._misused |= isinstance(error, UsageError)

    @contextmanager
    def _opened(self, path: Path) -> Iterator[Project]:
        """Open another project to read from it; rows of it that are damaged are reported."""
        if not path.exists():
            raise UsageError(f"There is no project “{path.name}”.")
        with Project.open(path, read_only=True) as other:
            yield other
            if other.left_out:
                self.tell(in_words(path.name, other.left_out))

    def _made(self, ctx: JobContext, asked: AskedPrompts) -> PromptSetRow:
        if asked.set is None:
            added = add_prompts(self.project, asked.study, ctx=ctx, **asked.choice())
            return next(row for row in self.project.prompts.sets() if row.id == added.set_id)
        if asked.of is None or _same(asked.of, self.project.path):
            return newest_set(self.project, asked.study, asked.set)
        with self._opened(asked.of) as other:
            return copied_set(ctx, other, newest_set(other, asked.study, asked.set), self.project, asked.study)

    def _read(self, ctx: JobContext, asked: AskedTexts) -> AuditedTexts:
        self.tell(f"Reading {asked.source.name}.")
        if asked.table is None:
            if _same(asked.source, self.project.path):
                raise UsageError(f"“{asked.source.name}” is the project that this audit is done in.")
            with self._opened(asked.source) as other:
                return AuditedTexts(
                    asked.study, asked.source.name, copied_texts(ctx, other, self.project, asked.study)
                )  # fmt: skip
        table = read_table(
            ctx, asked.table, asked.study, fields=table_fields(asked.study),
            layout=asked.format, mapping=asked.columns, encoding=asked.encoding, duplicates=asked.duplicates,
            place=HeaderPlace(asked.sheet, asked.header_row),
        )  # fmt: skip
        result = import_table(ctx, self.project, None, asked.study, asked.table, table)
        return AuditedTexts(asked.study, asked.table.name, result.added, table)

    def _write(
        self, ctx: JobContext, writer: AskedGenerator, sets: Mapping[str, PromptSetRow], retry_failures: bool
    ) -> None:
        for asked in self.audit.prompts:
            answers = writer.prompts is None or asked.called in writer.prompts
            if not answers or asked.called not in sets:
                continue
            chosen = sets[asked.called]
            self.tell(f"{writer.called} writes for {chosen.name}, version {chosen.version}.")
            with self._reporting_failure(f"{writer.called} wrote nothing for {asked.called}"):
                preset = recommended(writer.backend, writer.model, asked.study) if writer.preset else {}
                spec = generator_spec(
                    writer.backend, writer.model, preset | writer.given(), self.models, ctx=ctx, keys=self.keys
                )  # fmt: skip
                run = start_run(
                    self.project, prompt_set_id=chosen.id, generator=spec, samples=writer.samples,
                    seed=self.audit.seed if writer.seed is None else writer.seed,
                )  # fmt: skip
                if retry_failures:
                    self.project.outputs.forget_failures(run)
                result = generate(ctx, self.project, run, self.models, self.keys, opens=writer.model)
                generator_id = self.project.runs.get(run).generator_id
                name = f"{chosen.name}@{chosen.version}"
                self._runs.append(AuditedRun(writer.called, generator_id, asked.study, name, result))
                if sentence := why_nothing(self.project, result):
                    raise AppError(sentence)

    def _judge(self, ctx: JobContext, asked: AskedComparisons) -> None:
        """Draw comparisons, and have each of their judges say what it prefers."""
        called, plan = {run.called: run.generator_id for run in self._runs}, None
        with self._reporting_failure(f"Texts of {asked.study} were not compared"):
            seed = self.audit.seed if asked.seed is None else asked.seed
            plan = drawn_plan(ctx, self.project, asked, seed, self.compute, called)
        for judge in asked_judges(self.audit, asked) if plan else ():
            self.tell(f"{judge.called} judges {plan.title}.")
            with self._reporting_failure(f"{judge.called} did not judge {plan.title}"):
                seed = self.audit.seed if judge.seed is None else judge.seed
                done = judged_plan(ctx, self.project, plan, judge, seed, self.models, self.keys)
                self._judged.append(done)
                if not done.result.closed:
                    raise AppError(f"its session is not finished and counts in no finding ({done.missing}).")

    def _score(self, ctx: JobContext, name: str) -> None:
        known = {info.name: info for info in describe()}
        if name not in known:
            raise UsageError(f"There is no scorer “{name}”.", hint=f"Choose from: {', '.join(known)}.")
        self.tell(f"Scoring by {name}.")
        for kind in self.audit.studies:
            if study := self.project.studies.of_kind(kind):
                score(ctx, self.project, study.id, known[name], self.compute)

    def _own(self, study: str = "") -> dict[str, str]:
        """Return the project's name of each generator that wrote something (for a study), by its name in the file."""
        return {run.called: run.generator for run in self._runs if run.result.done and study in ("", run.study)}

    def _without_texts(self, study: str = "") -> set[str]:
        """Return the names in the file of generators that wrote nothing."""
        return {generator.called for generator in self.audit.generators} - self._own(study).keys()

    def _gate_result(self, gate: Gate, findings: Sequence[Finding]) -> GateResult:
        """Check a gate, which may name generators as the file does; on one that wrote nothing it fails."""
        for name in gate.generators:
            if name in self._without_texts():
                sentence = f"The gate “{gate.text}” failed: “{name}” wrote nothing, so nothing can be told."
                return GateResult(gate, missing=sentence)
        return hold([gate.called(self._own())], findings, asked_here=True)[0]

    def _options(self, how: AskedMeasure) -> MeasureOptions:
        """Return the options, with the project's names of the generators where the file has names of its own."""
        generators, compare = (
            self._generators_with_texts(how, how.generators),
            self._generators_with_texts(how, how.compare),
        )
        if how.generators and not generators:
            raise AppError("None of its generators wrote anything.")
        if how.compare and ALL not in how.compare and len(compare) < 2:
            self._undone.append(f"The generators of {how.study} were not compared: fewer than two of them wrote.")
            compare = ()
        return MeasureOptions(
            axes=tuple(how.axes), scorers=dict(how.scorers), seed=self.audit.seed if how.seed is None else how.seed,
            adjust=how.adjust, seen=how.keep_seen, margin=how.margin, generators=generators, pool=how.pool,
            compare=compare, columns=dict(how.columns), texts_of=how.texts_of,
        )  # fmt: skip

    def _generators_with_texts(self, how: AskedMeasure, names: list[str]) -> tuple[str, ...]:
        """Return the named generators that wrote something; report each other one in a sentence."""
        texts = how.texts_of or how.study
        own = self._own(texts)
        silent = [name for name in names if name in self._without_texts(texts)]
        self._undone += [f"“{name}” is not among the generators of {how.study}: it wrote nothing." for name in silent]
        return tuple(own.get(name, name) for name in names if name not in silent)


def _same(first: Path, other: Path) -> bool:
    return first.exists() and other.exists() and first.samefile(other)

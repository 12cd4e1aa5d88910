"""Generating: every prompt of a run that has no output yet gets one. Killed at any point, the next start goes on."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from core.backends.protocol import Completion, Request
from core.backends.seeds import output_seed
from core.compute import ComputeProcess
from core.jobs import JobContext
from core.project.project import Project
from core.project.rows import GeneratorRow, Pending, RunRow
from core.project.specs import GeneratorSpec, OutputSpec, RunSpec

# What a kill may cost: so many texts are asked for at once, and stored together.
BATCH = 16
PAGE = 160
SAMPLING = ("temperature", "top_p", "max_tokens")


@dataclass(frozen=True)
class GenerateResult:
    """`done` and `failed` count the whole run; `added` what this start added."""

    run_id: int
    wanted: int
    done: int
    failed: int
    added: int


def start_run(
    project: Project,
    *,
    prompt_set_id: int,
    generator: GeneratorSpec,
    seed: int,
    samples: int = 1,
) -> int:
    """The run of a generator over a prompt set with a seed: a new one, or the one that is to be resumed."""
    prompt_set = next(row for row in project.prompts.sets() if row.id == prompt_set_id)
    generator_id = project.runs.add_generator(generator).number("generator")
    spec = RunSpec(
        study_id=prompt_set.study_id,
        prompt_set_id=prompt_set_id,
        generator_id=generator_id,
        seed=seed,
        samples=samples,
        recipe={"prompt_set": prompt_set.name, "version": prompt_set.version, "sha256": prompt_set.sha256},
    )
    return project.runs.start(spec).number("run")


def generate(ctx: JobContext, project: Project, run_id: int, compute: ComputeProcess) -> GenerateResult:
    """Write what is missing of a run. Each text is on disk before it is reported; `partial` is the latest one."""
    run = project.runs.get(run_id)
    generator = project.runs.generators()[run.generator_id]
    before = project.runs.counts(run_id)
    finished = before.done + before.failed
    after = (0, -1)
    ctx.report(finished, before.wanted)
    while page := project.runs.pending(run_id, after, limit=PAGE):
        after = (page[-1].prompt.id, page[-1].sample)
        for batch in _batches(page):
            ctx.check()
            texts = _write(ctx, compute, generator, run, batch)
            project.outputs.record_many([_output(run, item, text) for item, text in zip(batch, texts, strict=True)])
            finished += len(batch)
            ctx.report(finished, before.wanted, partial=texts[-1].text)
    counts = project.runs.counts(run_id)
    added = counts.done + counts.failed - before.done - before.failed
    return GenerateResult(run_id, counts.wanted, counts.done, counts.failed, added)


def _batches(page: Sequence[Pending]) -> list[list[Pending]]:
    rest = iter(page)
    return list(iter(lambda: list(islice(rest, BATCH)), []))


def _write(
    ctx: JobContext, compute: ComputeProcess, generator: GeneratorRow, run: RunRow, batch: Sequence[Pending]
) -> list[Completion]:
    requests = [_request(generator, run, item) for item in batch]
    completions: list[Completion] = compute.call(
        "core.runs.writing:write_batch", generator.backend, generator.model, dict(generator.parameters), requests,
        ctx=ctx, on_report=_quiet,
    )  # fmt: skip
    return completions


def _request(generator: GeneratorRow, run: RunRow, item: Pending) -> Request:
    prompt = item.prompt
    facts = {"task": prompt.task, "theme": prompt.theme, "axis": prompt.axis, "identity": prompt.identity}
    sampling = {name: generator.parameters[name] for name in SAMPLING if name in generator.parameters}
    return Request(
        key=prompt.key,
        prompt=prompt.text,
        seed=output_seed(run.seed, prompt.key, item.sample),
        fields={**facts, **prompt.fields},
        **sampling,
    )


def _output(run: RunRow, item: Pending, completion: Completion) -> OutputSpec:
    failed = completion.finish_reason == "error"
    return OutputSpec(
        run_id=run.id,
        prompt_id=item.prompt.id,
        sample=item.sample,
        seed=output_seed(run.seed, item.prompt.key, item.sample),
        status="error" if failed else "done",
        text=completion.text,
        finish_reason=completion.finish_reason,
        error=completion.error,
        usage=dict(completion.usage),
        seconds=completion.seconds,
    )


def _quiet(done: int, total: int | None, note: str) -> None:
    """A batch is too short to report on from within."""

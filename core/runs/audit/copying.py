"""What an audit takes from another project: a prompt set, or texts that were imported there."""

from itertools import islice

from biasprint.core.jobs import JobContext
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
from biasprint.core.runs.setup import added_study, study_of
from biasprint.core.texts.generators import NOT_WRITTEN

AT_ONCE = 200  # texts that are stored together


def copied_set(ctx: JobContext, source: Project, chosen: PromptSetRow, project: Project, study: str) -> PromptSetRow:
    """The prompt set of another project in this one, with the axes of that project; the same one where it is there."""
    for axis in source.axes.all():
        project.axes.add(AxisSpec(key=axis.key, title=axis.title, definition=dict(axis.definition)))
    ctx.check()
    rows = chunks(lambda after, limit: source.prompts.page(chosen.id, after, limit), lambda prompt: prompt.id)
    names = PromptSpec.model_fields
    prompts = tuple(PromptSpec(**{name: getattr(row, name) for name in names}) for row in rows)
    spec = PromptSetSpec(name=chosen.name, recipe=dict(chosen.recipe), prompts=prompts)
    set_id = project.prompts.add_set(added_study(project, study), spec).number("prompt_set")
    return next(row for row in project.prompts.sets() if row.id == set_id)


def copied_texts(ctx: JobContext, source: Project, project: Project, study: str) -> int:
    """The texts that another project holds of a study and no generator wrote there, in this one; how many are new."""
    found = study_of(source, study)
    study_id = added_study(project, study)
    added = 0
    rows = iter(chunks(lambda after, limit: source.sources.page(found.id, after, limit), lambda row: row.id))
    names = SourceSpec.model_fields
    while some := list(islice(rows, AT_ONCE)):
        ctx.check()
        specs = [SourceSpec(**{name: getattr(row, name) for name in names}) for row in some]
        added += len(project.sources.add_many(study_id, specs).of("source"))
    generators = source.runs.generators()
    for run in source.runs.all():
        if run.study_id == found.id and generators[run.generator_id].backend in NOT_WRITTEN:
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

"""Replaying: some outputs of a run are written once more, by its recipe, and compared with what is stored.

Nothing is stored. A text that comes out the same shows that the recipe is whole; where one differs, what differs
between then and now is said, as far as it is known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from biasprint import core
from biasprint.core.backends.protocol import Completion
from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.rows import GeneratorRow, OutputRow, RunRow
from biasprint.core.project.specs import GeneratorSpec
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.runs.generate import ask_all, request_of
from biasprint.core.runs.setup import generator_spec
from biasprint.core.runs.writing import BUILD, Written
from biasprint.core.texts.generators import NOT_WRITTEN

KEPT = "Nothing was changed."


@dataclass(frozen=True)
class ReplayedOutput:
    """One output once more. `at`: the first character that differs, counted from 1; None where the text is the same."""

    key: str
    sample: int
    at: int | None

    @property
    def same(self) -> bool:
        return self.at is None


@dataclass(frozen=True)
class Replay:
    """A run written again. `reasons`: sentences on what differs from when the run was written; also where all texts are
    the same.
    """

    run_id: int
    model: str
    outputs: tuple[ReplayedOutput, ...]
    reasons: tuple[str, ...]

    @property
    def same(self) -> int:
        return sum(each.same for each in self.outputs)


def latest_run(project: Project, study: str | None = None) -> int:
    """Return the newest run, of a study if one is named, whose texts a generator wrote. Raises `AppError` where none
    is.
    """
    study_row = project.studies.of_kind(study) if study else None
    generators = project.runs.generators()
    for run in reversed(project.runs.all()):
        if generators[run.generator_id].backend not in NOT_WRITTEN and (
            not study or (study_row and run.study_id == study_row.id)
        ):
            return run.id
    raise AppError("There is no run that could be replayed.", kept=KEPT, hint="Generate texts first.")


def replay(
    ctx: JobContext,
    project: Project,
    run_id: int,
    compute: ComputeProcess,
    keys: Mapping[str, str] | None = None,
    *,
    count: int = 5,
    opens: str = "",
) -> Replay:
    """Write `count` outputs of a run again, spread evenly over those that are there, and compare.

    `opens`: where the model is, if that is more than its recorded name. Raises `AppError` where the generator is not
    here, or is another than the one that wrote the run.
    """
    if all(run.id != run_id for run in project.runs.all()):
        raise UsageError(f"The project has no run {run_id}.", hint="Leave --run out for the newest one.")
    run = project.runs.get(run_id)
    generator = project.runs.generators()[run.generator_id]
    _check_same(generator, _found_here(ctx, generator, compute, keys, opens))
    stored = _spread_outputs(project, run, count)
    prompts = {
        row.id: row for row in project.prompts.page(run.prompt_set_id, limit=project.prompts.count(run.prompt_set_id))
    }
    requests = [request_of(generator, run, prompts[row.prompt_id], row.sample) for row in stored]
    again: dict[int, Completion] = {}

    def receive(partial: object) -> None:
        if isinstance(partial, Written):
            again.update(partial.completions)
            ctx.report(len(again), len(requests))

    about = (generator.backend, opens or generator.model, generator.parameters)
    ask_all(ctx, compute, about, requests, keys or {}, receive)
    ctx.check()
    replayed = [
        ReplayedOutput(row.prompt_key, row.sample, first_difference(row.text, again[place].text))
        for place, row in enumerate(stored)
        if place in again
    ]
    return Replay(run_id, generator.model, tuple(replayed), _reasons(run, generator, stored, again))


def first_difference(before: str, after: str) -> int | None:
    """Return the number of the first character in which two texts differ; None where they are the same."""
    if before == after:
        return None
    shared = next((at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), None)
    return 1 + (min(len(before), len(after)) if shared is None else shared)


def _found_here(
    ctx: JobContext, generator: GeneratorRow, compute: ComputeProcess, keys: Mapping[str, str] | None, opens: str
) -> GeneratorSpec:
    if generator.backend in NOT_WRITTEN:
        raise AppError("No generator of this program wrote these texts: they cannot be written again.", kept=KEPT)
    return generator_spec(
        generator.backend, opens or generator.model, generator.parameters, compute, ctx=ctx, keys=keys
    )  # fmt: skip


def _check_same(stored: GeneratorRow, here: GeneratorSpec) -> None:
    if stored.revision and here.revision and stored.revision != here.revision:
        raise AppError(
            f"“{stored.model}” here is not the model that wrote the run: its hash is {here.revision[:12]}…, and that "
            f"of the run's is {stored.revision[:12]}….",
            kept=KEPT,
            hint="Bring back the model as it was, or start a new run with this one.",
        )


def _spread_outputs(project: Project, run: RunRow, count: int) -> list[OutputRow]:
    """Return finished outputs, as far from each other as can be."""
    outputs = list(project.outputs.each(OutputFilter(run_id=run.id, status="done")))
    if not outputs:
        raise AppError("The run has no finished output to replay.", kept=KEPT, hint="Let it write some first.")
    wanted = min(count, len(outputs))
    return [outputs[(2 * place + 1) * len(outputs) // (2 * wanted)] for place in range(wanted)]


def _reasons(
    run: RunRow, generator: GeneratorRow, stored: Sequence[OutputRow], again: Mapping[int, Completion]
) -> tuple[str, ...]:
    """Return what is known to differ between then and now, and what alone makes texts differ."""
    reasons = []
    then = {str(row.detail.get(BUILD, "")) for row in stored} - {""}
    now = {str(completion.detail.get(BUILD, "")) for completion in again.values()} - {""}
    if then and now and then != now:
        reasons.append(f"It was computed by {_joined(then)}, and here by {_joined(now)}: sums are rounded otherwise.")
    if generator.parameters.get("prefix_cache"):
        reasons.append("What prompts share was reused (prefix_cache), which may change the later words of a few texts.")
    if run.program_version != core.__version__:
        reasons.append(
            f"The run was begun with version {run.program_version} of the program; this is {core.__version__}."
        )
    failed = [completion.error for completion in again.values() if completion.finish_reason == "error"]
    return (*reasons, *dict.fromkeys(failed))


def _joined(builds: set[str]) -> str:
    return "; ".join(sorted(builds))

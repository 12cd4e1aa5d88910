"""Generating: an output for every prompt of a run that has none. Killed at any point, the next start goes on."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from biasprint.core.backends.protocol import Completion, Request, output_seed
from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.models import catalogue
from biasprint.core.project.project import Project
from biasprint.core.project.rows import GeneratorRow, Pending, PromptRow, RunCounts, RunRow
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, RunSpec
from biasprint.core.project.stores.common import chunks
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.runs.score_behind import Pace, ScoreBehind, writing
from biasprint.core.runs.writing import BackendRemark, LiveText, Written, whole_path, write_all
from biasprint.core.scorers.refusal import REFUSAL
from biasprint.core.texts.score import ScoreResult

# ---- Requests to the model process, shared with judging

HOPELESS = ("key", "model", "credit")  # failures that every further request would meet too
HOPELESS_AFTER = 16  # of them, and nothing else
_SAMPLING = ("temperature", "top_p", "max_tokens")


def sampling(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a generator that belong to a request."""
    return {name: parameters[name] for name in _SAMPLING if name in parameters}


def ask_all(
    ctx: JobContext,
    compute: ComputeProcess,
    generator: tuple[str, str, Mapping[str, Any]],
    requests: Sequence[Request],
    keys: Mapping[str, str],
    receive: Callable[[object], None],
) -> bool:
    """Have them written by a backend, with a model and parameters. False where a pause ended it before the last.

    `receive` is given what `biasprint.core.runs.writing` hands out.
    """
    backend, model, parameters = generator
    return compute.call(
        write_all, backend, whole_path(backend, model), dict(parameters), requests, dict(keys),
        ctx=ctx, on_report=_quiet, on_partial=receive,
    )  # fmt: skip


def answers_to(
    ctx: JobContext,
    compute: ComputeProcess,
    generator: tuple[str, str, Mapping[str, Any]],
    requests: Sequence[Request],
    keys: Mapping[str, str],
    failed: Callable[[str], AppError],
) -> list[Completion]:
    """Have them written as `ask_all` does, and return all. Where one failed or is empty, raise `failed` of why."""
    completions: dict[int, Completion] = {}

    def receive(partial: object) -> None:
        if isinstance(partial, Written):
            completions.update(partial.completions)
            ctx.report(len(completions), len(requests))

    ask_all(ctx, compute, generator, requests, keys, receive)
    ctx.check()
    for place in range(len(requests)):
        completion = completions.get(place)
        if completion is None or completion.finish_reason == "error" or not completion.text.strip():
            raise failed(completion.error if completion and completion.error else "it wrote nothing.")
    return [completions[place] for place in range(len(requests))]


class FailureWatch:
    """Watches a start: given up where all that comes back are failures that every request would meet."""

    def __init__(self, hint: str) -> None:
        self._hint = hint
        self._failed: int | None = 0  # so far, while there has been nothing else

    def look(self, completions: Sequence[Completion]) -> None:
        """Look at what came back and is stored; raises `AppError` where there is no hope."""
        if self._failed is None:
            return
        if any(completion.failure not in HOPELESS for completion in completions):
            self._failed = None
            return
        self._failed += len(completions)
        if self._failed >= HOPELESS_AFTER:
            raise AppError(
                f"Every request failed: {completions[-1].error}",
                kept="What came back is kept as failures.",
                hint=self._hint,
            )


def _quiet(done: int, total: int | None, note: str) -> None:
    """Ignore progress: only what is on disk counts, and the caller counts that."""


# ---- A run

AT_ONCE = 1_000  # requests that cross to the model process together
MEND = "Mend it, then start the run again and let it ask for the failures again."


@dataclass(frozen=True)
class GenerateResult:
    """The result of a run. `done` and `failed` count the whole run, `failures` those by kind; `added` what this start
    added, failed or not.

    `new`: the texts among what was added.

    `scored`: by scorer, where texts were scored as they came.

    `cut`: texts that end at the limit on tokens.

    `left_out`: a sentence for each address of an endpoint that was not asked any more.
    """

    run_id: int
    wanted: int
    done: int
    failed: int
    added: int
    failures: Mapping[str, int]
    new: int
    scored: tuple[ScoreResult, ...] = ()
    left_out: tuple[str, ...] = ()
    cut: int = 0


def start_run(
    project: Project,
    *,
    prompt_set_id: int,
    generator: GeneratorSpec,
    seed: int,
    samples: int = 1,
) -> int:
    """Return the run of a generator over a prompt set with a seed: a new one, or the one that is to be resumed."""
    prompt_set = next(row for row in project.prompts.sets() if row.id == prompt_set_id)
    generator_id = project.runs.add_generator(generator).number("generator")
    recipe: dict[str, Any] = {
        "prompt_set": prompt_set.name, "version": prompt_set.version, "sha256": prompt_set.sha256,
    }  # fmt: skip
    spec = RunSpec(
        study_id=prompt_set.study_id,
        prompt_set_id=prompt_set_id,
        generator_id=generator_id,
        seed=seed,
        samples=samples,
        recipe=recipe | _recommended(project, generator, prompt_set.study_id),
    )
    return project.runs.start(spec).number("run")


def _recommended(project: Project, generator: GeneratorSpec, study_id: int) -> dict[str, Any]:
    """Return whether the generator's parameters are the catalogue's for its model and the study, and which are not."""
    kind = next(study.kind for study in project.studies.all() if study.id == study_id)
    preset = catalogue.preset(generator.model, kind)
    if preset is None:
        return {}
    changed = [name for name, value in preset.parameters.items() if generator.parameters.get(name) != value]
    return {"preset": {"model": generator.model, "for": kind, "changed": changed}}


def generate(
    ctx: JobContext,
    project: Project,
    run_id: int,
    compute: ComputeProcess,
    keys: Mapping[str, str] | None = None,
    *,
    opens: str = "",
    scoring: ComputeProcess | None = None,
    on_written: Callable[[], object] = lambda: None,
    tell: Callable[[str], object] = lambda sentence: None,
) -> GenerateResult:
    """Write what is missing of a run. Each text is on disk before it is reported; `partial` is the latest one.

    `keys`: keys of endpoints that are known to this session alone. `opens`: where the model is, if that is more than
    its recorded name, such as the path of a file. `scoring`: where texts are scored as they come, by what the study's
    measures need; None: they are not. `on_written` is called once nothing is left to write and the rest is only scored:
    another run may write from then on. `tell` gets a sentence for each address of an endpoint that is left out. Pausing
    finishes what is being written.
    """
    run = project.runs.get(run_id)
    before = project.runs.counts(run_id)
    generator = project.runs.generators()[run.generator_id]
    generator = replace(generator, model=opens or generator.model)
    with ExitStack() as block:
        behind = None if scoring is None else block.enter_context(_behind(ctx, project, run, scoring))
        with writing() as pace:
            store = _Storing(ctx, project, run, before, pace, behind, tell)
            ctx.report(store.finished, before.wanted)
            _write_missing(ctx, project, run, generator, store, compute, keys or {})
        if store.reasoned:
            tell(f"{store.reasoned:,} replies came with reasoning, which is kept apart and not measured.")
        scored: tuple[ScoreResult, ...] = ()
        if behind is not None:
            behind.all_written()
            on_written()
            scored = behind.finish(store.finished)
    counts = project.runs.counts(run_id)
    added = counts.done + counts.failed - before.done - before.failed
    new = counts.done - before.done
    return GenerateResult(
        run_id, counts.wanted, counts.done, counts.failed, added, counts.failures, new, scored, tuple(store.left_out),
        counts.cut,
    )  # fmt: skip


def _behind(ctx: JobContext, project: Project, run: RunRow, compute: ComputeProcess) -> ScoreBehind:
    from biasprint.core.runs.measure import scorers_needed

    kind = next(study.kind for study in project.studies.all() if study.id == run.study_id)
    needed = scorers_needed(kind, project, run.study_id, run.prompt_set_id)
    return ScoreBehind(ctx, project, run.study_id, needed, compute)


def _write_missing(
    ctx: JobContext,
    project: Project,
    run: RunRow,
    generator: GeneratorRow,
    store: "_Storing",
    compute: ComputeProcess,
    keys: Mapping[str, str],
) -> None:
    after = (0, -1)
    while page := project.runs.pending(run.id, after, limit=AT_ONCE):
        ctx.check()  # waits here while paused
        had = store.finished
        whole = _write(ctx, compute, generator, run, page, store, keys)
        if store.finished - had == len(page):
            after = (page[-1].prompt.id, page[-1].sample)
        elif whole:  # it was not paused, so that the rest of the page would never come
            raise _unanswered(len(page) - (store.finished - had))


class _Storing:
    """Puts texts on disk as they come, and then reports them."""

    def __init__(
        self,
        ctx: JobContext,
        project: Project,
        run: RunRow,
        before: RunCounts,
        pace: Pace,
        behind: ScoreBehind | None,
        tell: Callable[[str], object],
    ) -> None:
        self._ctx, self._project, self._run, self._pace = ctx, project, run, pace
        self._wanted = before.wanted
        self.finished = before.done + before.failed
        self._failures = FailureWatch(MEND)
        self._behind = behind
        self._tell = tell
        self.left_out: list[str] = []
        self.reasoned = 0

    def receive(self, page: Sequence[Pending], partial: object) -> None:
        """Store a partial result: what `biasprint.core.runs.writing` hands out for the requests of `page`."""
        if isinstance(partial, Written):
            outputs = [_output(self._run, page[place], completion) for place, completion in partial.completions]
            self._project.outputs.record_many(outputs)
            self.finished += len(outputs)
            self.reasoned += sum("reasoning" in completion.detail for _, completion in partial.completions)
            self._pace.wrote(len(outputs))
            if self._behind is not None:
                self._behind.stored()
            self._ctx.report(self.finished, self._wanted, partial=outputs[-1].text)
            self._failures.look([completion for _, completion in partial.completions])
        elif isinstance(partial, LiveText):
            self._ctx.report(self.finished, self._wanted, partial=partial.text)
        elif isinstance(partial, BackendRemark) and partial.sentence not in self.left_out:
            self.left_out.append(partial.sentence)
            self._tell(partial.sentence)


def _write(
    ctx: JobContext,
    compute: ComputeProcess,
    generator: GeneratorRow,
    run: RunRow,
    page: Sequence[Pending],
    store: _Storing,
    keys: Mapping[str, str],
) -> bool:
    requests = [request_of(generator, run, item.prompt, item.sample) for item in page]
    about = (generator.backend, generator.model, generator.parameters)
    return ask_all(ctx, compute, about, requests, keys, partial(store.receive, page))


def _unanswered(count: int) -> AppError:
    return AppError(
        f"The backend left {count:,} requests without an answer.",
        kept="Everything that it wrote is saved.",
        hint="Its plug-in needs mending; choose another generator.",
    )


def request_of(generator: GeneratorRow, run: RunRow, prompt: PromptRow, sample: int) -> Request:
    """Return the request for a prompt and sample of a run: the same at any time."""
    facts = {"task": prompt.task, "theme": prompt.theme, "axis": prompt.axis, "identity": prompt.identity}
    return Request(
        key=prompt.key,
        prompt=prompt.text,
        seed=output_seed(run.seed, prompt.key, sample),
        fields={**facts, **prompt.fields},
        **sampling(generator.parameters),
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
        failure=(completion.failure or "other") if failed else "",
        detail=dict(completion.detail),
    )


def why_nothing(project: Project, result: GenerateResult) -> str:
    """Return a sentence where all that was asked for failed; empty where there is a text, or nothing was asked for."""
    if result.done or not result.failed:
        return ""
    failed = next(project.outputs.each(OutputFilter(run_id=result.run_id, status="error")))
    if result.failures.get(REFUSAL) == result.failed:
        return (
            f"No text was written: all {result.failed:,} replies are refusals, the first: {failed.error or 'unknown'}"
        )
    return f"No text was written: all {result.failed:,} requests failed, the first because: {failed.error or 'unknown'}"


def cut_words(cut: int) -> str:
    """Return what is to be known of texts that end at the limit on tokens; empty where there are none."""
    if not cut:
        return ""
    texts = "1 text was" if cut == 1 else f"{cut:,} texts were"
    their = "its" if cut == 1 else "their"
    return f"{texts} cut off at the limit on tokens (max_tokens): {their} length is not compared."


def decline_set(ctx: JobContext, project: Project, set_id: int) -> None:
    """Raise `AppError` that names the prompts of a set that are worded with bias, and what in them; else do nothing."""
    from biasprint.core.prompts.detector import decline

    decline(_prompts(ctx, project, set_id))


def _prompts(ctx: JobContext, project: Project, set_id: int) -> Iterator[PromptRow]:
    for row in chunks(lambda after, limit: project.prompts.page(set_id, after, limit), lambda prompt: prompt.id):
        ctx.check()
        yield row

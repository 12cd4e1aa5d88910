"""Repeating what is stored, by its recipe: findings are measured once more, and outputs of a run are written once
more.

The answer says that the numbers or texts are the same, or what differs and why, as far as it is known. Nothing is
stored.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isclose
from typing import Any

from biasprint import core
from biasprint.core.backends.protocol import Completion
from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.rows import GeneratorRow, OutputRow, RunRow
from biasprint.core.project.specs import GeneratorSpec
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.runs.generate import ask_all, request_of
from biasprint.core.runs.measure import asked_again, measure_project, measuring, recipe_of, texts_of_study
from biasprint.core.runs.setup import generator_spec
from biasprint.core.runs.writing import BUILD, Written
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.scorers.registry import describe
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.texts.generators import NOT_WRITTEN, StudyGenerator, generators_of

NUMBERS = ("estimate", "low", "high", "p", "adjusted p", "n")
WRITER = ("generator", "model")  # dims that findings have only where a study has several generators
Key = tuple[str, str, str, tuple[str, ...], tuple[tuple[str, str], ...]]


@dataclass(frozen=True)
class ReplayedFinding:
    """A finding as it was stored and as it is now; either is None where there is none."""

    then: Finding | None
    now: Finding | None

    @property
    def same(self) -> bool:
        """Return whether every number is the same, up to rounding."""
        if self.then is None or self.now is None:
            return False
        pairs = zip(_numbers(self.then), _numbers(self.now), strict=True)
        return all(_as_good_as(then, now) for then, now in pairs)

    @property
    def said(self) -> str:
        """A sentence such as "letters.weat male large: estimate 0.31 then, 0.29 now"."""
        finding = self.then or self.now
        assert finding is not None
        called = " ".join((finding.id, finding.label, *finding.dims.values()))
        if self.then is None or self.now is None:
            return f"{called}: not there {'then' if self.then is None else 'now'}"
        pairs = zip(NUMBERS, _numbers(self.then), _numbers(self.now), strict=True)
        differences = (f"{name} {then!r} then, {now!r} now" for name, then, now in pairs if not _as_good_as(then, now))
        return f"{called}: {'; '.join(differences)}"

    def to_json(self) -> dict[str, Any]:
        return {
            "then": None if self.then is None else self.then.to_json(),
            "now": None if self.now is None else self.now.to_json(),
        }


@dataclass(frozen=True)
class ReplayedStudy:
    """A study measured again. `reasons`: sentences on what differs from when it was measured; also where all numbers
    are the same.
    """

    study: str
    findings: tuple[ReplayedFinding, ...]
    reasons: tuple[str, ...]

    @property
    def same(self) -> int:
        return len(self.findings) - len(self.differing)

    @cached_property
    def differing(self) -> tuple[ReplayedFinding, ...]:
        return tuple(finding for finding in self.findings if not finding.same)

    def to_json(self) -> dict[str, Any]:
        return {
            "study": self.study, "findings": len(self.findings), "same": self.same,
            "differ": [finding.to_json() for finding in self.differing], "reasons": list(self.reasons),
        }  # fmt: skip


def measured_again(ctx: JobContext, project: Project, study: str, compute: ComputeProcess) -> ReplayedStudy:
    """Return the findings that a project holds of a study, beside those that their recipe gives now.

    `project` is open read-only. Raises `AppError` where the study was not measured.
    """
    last = project.findings.last(study)
    if last is None:
        raise AppError(f"The study {study} has not been measured here.", hint=f"Measure it: biasprint measure {study}.")
    stored = [row.finding for row in project.findings.all(study)]
    options = options_of(project, study, last.recipe)
    result = measure_project(ctx, project, study, options, compute).result
    alone = len(last.recipe.get("generators", ())) == 1
    then, now = ({_key(finding, alone): finding for finding in findings} for findings in (stored, result.findings))
    pairs = [ReplayedFinding(then.get(key), now.get(key)) for key in dict.fromkeys([*then, *now])]
    used = recipe_of(options, result)["scorers"]
    return ReplayedStudy(study, tuple(pairs), tuple(_reasons(project, study, last.recipe, used)))


def options_of(project: Project, study: str, recipe: Mapping[str, Any]) -> MeasureOptions:
    """Return how a study was measured, by the recipe of its findings, with the generators' current names."""
    pairs = list(_then_and_now(project, study, recipe))
    named = {then: now.name for then, now in pairs}
    present = {generator.name for _, generator in pairs}
    row = project.studies.of_kind(texts_of_study(recipe, study))
    others = row is not None and {generator.name for generator in generators_of(project, row.id)} - present
    asked = asked_again(recipe)
    return replace(
        asked,
        scorers={**_scorers(study, recipe.get("scorers", ())), **asked.scorers},
        seen=bool(recipe.get("seen")),
        as_stored=bool(recipe.get("as_stored")),
        generators=tuple(named.values()) if others else (),
        compare=tuple(named.get(name, name) for name in asked.compare),
    )


def _then_and_now(project: Project, study: str, recipe: Mapping[str, Any]) -> Iterator[tuple[str, StudyGenerator]]:
    """Yield the name of each generator of the recipe, and the generator today: names may change when another
    one joins.
    """
    row = project.studies.of_kind(texts_of_study(recipe, study))
    today = generators_of(project, row.id) if row else ()
    for entry in recipe.get("generators", ()):
        runs = set(entry.get("runs", ()))
        for generator in today:
            if runs & set(generator.runs) if runs else generator.name == entry["name"]:
                yield entry["name"], generator


def _scorers(kind: str, used: list[str]) -> dict[str, str]:
    """Return the scorer that was used for each role whose scorer may be chosen."""
    by_role: dict[str, list[str]] = {}
    for info in scorers_of(used):
        if info.role in measuring(kind).roles:
            by_role.setdefault(info.role, []).append(info.name)
    return {role: names[0] for role, names in by_role.items() if len(names) == 1}


def scorers_of(used: Iterable[str]) -> list[ScorerInfo]:
    """Return the known scorers that a recipe names, as “role=name version”; a version has blanks."""
    entries = tuple(used)
    return [info for info in describe() if any(entry.startswith(f"{info.role}={info.name} ") for entry in entries)]


def _key(finding: Finding, alone: bool) -> Key:
    dims = {name: value for name, value in finding.dims.items() if not (alone and name in WRITER)}
    return finding.id, finding.label, finding.variant, finding.groups, tuple(sorted(dims.items()))


def _numbers(finding: Finding) -> tuple[float | None, ...]:
    low, high = (finding.interval.low, finding.interval.high) if finding.interval else (None, None)
    return finding.estimate, low, high, finding.p, finding.p_adjusted, finding.n


def _as_good_as(first: float | None, other: float | None) -> bool:
    if first is None or other is None:
        return first is other
    return isclose(first, other, rel_tol=1e-9, abs_tol=1e-12)


def _reasons(project: Project, study: str, recipe: Mapping[str, Any], scorers: list[str]) -> Iterator[str]:
    """Yield what is known to differ between then and now."""
    for name, generator in _then_and_now(project, study, recipe):
        then = next(int(each["n"]) for each in recipe["generators"] if each["name"] == name)
        if generator.n != then:
            yield f"{generator.name} had {then:,} texts then and has {generator.n:,} now."
    if (before := recipe.get("program_version")) not in (None, core.__version__):
        yield f"It was measured with version {before} of the program; this is {core.__version__}."
    before, after = set(recipe.get("scorers", ())), set(scorers)
    if before != after:
        yield f"It was scored by {_listed(before - after)}, and is here by {_listed(after - before)}."


def _listed(names: set[str]) -> str:
    return "; ".join(sorted(names)) or "nothing else"


# ---- Replaying a run: a text that comes out the same shows that the recipe is whole

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
    return Replay(run_id, generator.model, tuple(replayed), _why_texts_differ(run, generator, stored, again))


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


def _why_texts_differ(
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

"""Making a plan in a project: gather the texts of a kind, draw comparisons, store them."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from biasprint.core.compute import ComputeProcess, part_of_work, shared
from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.known import KnownAnswer, fitted
from biasprint.core.judging.plan import (
    CHECK,
    KINDS,
    RIGHT,
    WRONG,
    DrawnComparison,
    DrawnPlan,
    PlanSettings,
    draw_plan,
    texts_digest,
)
from biasprint.core.judging.sway import check_sway, with_declaration
from biasprint.core.judging.wording import ComparisonPrompts
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonItem, StudyRow
from biasprint.core.project.specs import ComparisonSpec, PlanSpec, SourceSpec
from biasprint.core.project.stores.common import new_uuid
from biasprint.core.runs.compare.kinds import gather_identities, gather_models, gather_origins, gather_twins
from biasprint.core.runs.compare.planning import Outlook, Size, outlooks
from biasprint.core.runs.compare.pool import CompareRequest, Pool, check_study, chosen_axes, sources
from biasprint.core.studies.kit.importing import store_axis
from biasprint.core.text import sha256_text

KEPT = "No plan was made."
LONGEST_TITLE = 200
# The input of the planner, and later rounds, make no other plan of the same comparisons; repeats show in them.
NOT_THE_SAME_REQUEST = ("planned", "repeat_share", "rounds", "prompts_shown", "prompts_withheld")


@dataclass(frozen=True)
class ComparedPlan:
    """A plan that was drawn. `made` is False where the project had this very plan already. `outlooks`: what it can
    show, where asked for. `prompts_shown`: the comparisons that show their prompt; `prompts_withheld`: those whose
    prompt names what stays hidden.
    """

    plan_id: str
    drawn: DrawnPlan
    made: bool
    outlooks: tuple[Outlook, ...] = ()
    prompts_shown: int = 0
    prompts_withheld: int = 0

    @property
    def prompt_words(self) -> str:
        """Say how many comparisons show their prompt; "" where no text has one, or none is to be shown."""
        shown, withheld = self.prompts_shown, self.prompts_withheld
        if not shown:
            return "No comparison shows its prompt: the prompts name what stays hidden." if withheld else ""
        many = f"{shown:,} of {len(self.drawn.comparisons):,} comparisons show their prompt"
        return f"{many}; {withheld:,} prompts name what stays hidden." if withheld else f"{many}."


def compare(
    ctx: JobContext,
    project: Project,
    *,
    study_id: int,
    axes: Sequence[str] = (),
    models: Sequence[str] = (),
    seed: int = 0,
    per_axis: int | None = None,
    title: str = "",
    raters: int | None = None,
    preference: Sequence[float] = (),
    checks: Sequence[KnownAnswer] = (),
    compute: ComputeProcess | None = None,
    **asked: Any,
) -> ComparedPlan:
    """Draw comparisons of the study's texts and store them as one plan (see `draw_plan`).

    axes: keys, or “KEY:one,other” for two or three of an axis's identities; needed for kind “identity”.
    models: labels of generators (`core.runs.compare.pool`): those to compare, or whose texts alone are compared.
    asked: the fields of `PlanSettings`, such as kind, consent_text, repeat_share, criterion_ratings. `show_prompt` is
    True unless it is given; hidden checks have no prompt, and would be told apart by that: then none is shown.
    raters, preference: whom and what the plan is for; with either, what it can show is worked out and kept with it.
    checks: comparisons with a known answer, hidden between the others and asked of every rater; with as many texts.
    compute: where that is done and twins are made; the shared compute process by default.
    Asked for again with the same seed and texts, it gives the plan that is there.
    Raises UsageError for an axis, identity or generator that is not there, AppError where nothing can be compared.
    """
    compute, settings = compute or shared(), PlanSettings(**{"show_prompt": True, **asked})
    if not settings.consent_text.strip():
        settings = replace(settings, consent_text="")  # blanks are nothing to agree to
    if settings.sway:
        settings = replace(settings, consent_text=with_declaration(settings.consent_text))
    study = _study(project, study_id)
    request = CompareRequest(study, tuple(axes), tuple(models), seed, settings.cards)
    pool, drawn = draw(ctx, project, request, settings, per_axis, compute)
    checks = fitted(checks, {len(item.items) for item in drawn.comparisons})
    forecasts: tuple[Outlook, ...] = ()
    if raters is not None or preference:
        sizes = sizes_of(drawn, pool.axes, settings.worst)
        forecasts = outlooks(ctx, compute, sizes, raters=raters or 1, preference=preference, settings=settings)
        settings = replace(settings, planned={"outlooks": [item.stored() for item in forecasts]})
    for definition in pool.definitions:
        store_axis(project, definition)
    drawn = _with_checks(project, study_id, with_stored_texts(project, study_id, pool, drawn), checks, seed)
    if settings.show_prompt:
        settings = _with_prompts(project, drawn, settings, checks)
    named = "+".join(sorted(pool.axes))
    stored: dict[str, Any] = {
        "per_axis": per_axis, "repeat_share": settings.repeat_share, "left_out": dict(drawn.reasons)
    }  # fmt: skip
    if settings.adaptive:
        settings = replace(settings, rounds=(len(drawn.comparisons),))
        stored["request"] = {"axes": list(axes), "models": list(models)}  # what later rounds are drawn from
    spec = PlanSpec(
        study_id=study_id,
        title=title or f"{_named(pool, settings)}, seed {seed}"[:LONGEST_TITLE],
        axis=named,
        seed=seed,
        settings=stored | settings.stored(),
    )
    present = _present(project, spec, drawn)
    plan_id = present or project.judging.add_plan(spec, specs_of(drawn)).uuid("plan")
    return ComparedPlan(plan_id, drawn, present is None, forecasts, settings.prompts_shown, settings.prompts_withheld)


def _with_prompts(
    project: Project, drawn: DrawnPlan, settings: PlanSettings, checks: Sequence[KnownAnswer]
) -> PlanSettings:
    """Return the settings with how many comparisons show their prompt; nothing to show or withhold shows none."""
    items = [] if checks else [comparison.items for comparison in drawn.comparisons]
    prompts = list(ComparisonPrompts(project).each(items))
    shown, withheld = sum(bool(prompt.text) for prompt in prompts), sum(prompt.withheld for prompt in prompts)
    return replace(settings, show_prompt=shown + withheld > 0, prompts_shown=shown, prompts_withheld=withheld)


def draw(
    ctx: JobContext,
    project: Project,
    asked: CompareRequest,
    settings: PlanSettings,
    per_axis: int | None,
    compute: ComputeProcess,
) -> tuple[Pool, DrawnPlan]:
    """Return the plan as it would be, without storing anything; new texts have negative ids."""
    check_study(asked.study)
    pool = gather_pool(ctx, project, asked, settings.kind, compute)
    _check_cards(pool, settings)
    check_sway(settings, pool.axes)
    drawn = draw_plan(
        pool.candidates,
        pool.axes,
        per_axis=settings.adaptive or per_axis,
        seed=asked.seed,
        repeat_share=settings.repeat_share,
        cards=settings.cards,
    )
    # A text that would have been made for this plan alone, and was not drawn, is nothing that was left out.
    left_before = [left for left in drawn.left_out if left.source not in pool.new]
    drawn = replace(drawn, left_out=(*pool.left_out, *left_before))
    if not drawn.comparisons:
        raise AppError(_nothing(drawn, settings.kind), kept=KEPT, hint=_hint(settings.kind))
    for axis in texts_alone(drawn):
        if 0 < settings.cards < len(pool.axes[axis]):
            raise AppError(
                f"Each of the {len(pool.axes[axis])} compared has one text alone: a ranking would be of these texts.",
                kept=KEPT,
                hint="Have more prompts, or more samples of each, written first.",
            )
    return pool, drawn


def _check_cards(pool: Pool, settings: PlanSettings) -> None:
    """Raise UsageError for a worst of two, and for a workshop that would rank."""
    most = max((min(len(some), settings.cards or len(some)) for some in pool.axes.values()), default=0)
    if settings.worst and most < 3:
        raise UsageError(
            "The worst of two is the one that was not chosen.",
            hint="Let comparisons show three texts, or ask for the best alone.",
        )
    if settings.workshop and any(0 < settings.cards < len(some) for some in pool.axes.values()):
        raise UsageError(
            "A workshop shows fingerprints, and those need all the identities of an axis in every comparison.",
            hint="Choose two or three of them.",
        )


def texts_alone(drawn: DrawnPlan) -> tuple[str, ...]:
    """Return the axes on which each identity is shown by one text: what is found there holds for these texts."""
    shown: dict[str, dict[str, set[object]]] = {}
    for comparison in drawn.comparisons:
        for item in comparison.items:
            shown.setdefault(comparison.axis, {}).setdefault(item.identity, set()).add(item.key)
    return tuple(axis for axis, of in sorted(shown.items()) if all(len(texts) == 1 for texts in of.values()))


def sizes(
    ctx: JobContext,
    project: Project,
    asked: CompareRequest,
    settings: PlanSettings,
    per_axis: int | None,
    compute: ComputeProcess,
) -> dict[str, Size]:
    """Return how many comparisons a plan would have on each axis, hidden repeats aside; nothing is stored.

    Where the texts are still to be written, a plan of `per_axis` comparisons is taken for what it will be.
    """
    with part_of_work((UsageError,)) as failed:
        pool, drawn = draw(ctx, project, asked, settings, per_axis, compute)
        return sizes_of(drawn, pool.axes, settings.worst)
    if per_axis is None or settings.kind != "identity" or not asked.axes:
        raise failed[0]
    chosen = chosen_axes(project, asked.study, asked.axes, any_number=asked.cards > 0)
    return {
        axis: Size.of_plan(per_axis, len(identities), asked.cards, settings.worst)
        for axis, (_, identities) in chosen.items()
    }


def sizes_of(drawn: DrawnPlan, axes: Mapping[str, Sequence[str]], worst: bool = False) -> dict[str, Size]:
    originals = [comparison for comparison in drawn.comparisons if comparison.repeat_of is None]
    counted, shown = (
        Counter(comparison.axis for comparison in originals),
        {comparison.axis: len(comparison.items) for comparison in originals},
    )
    return {axis: Size.of_plan(number, len(axes[axis]), shown[axis], worst) for axis, number in sorted(counted.items())}


def gather_pool(ctx: JobContext, project: Project, asked: CompareRequest, kind: str, compute: ComputeProcess) -> Pool:
    if kind == "model":
        return gather_models(ctx, project, asked)
    if kind == "origin":
        return gather_origins(ctx, project, asked)
    if kind == "twin":
        return gather_twins(ctx, project, asked, compute)
    if kind != "identity":
        raise UsageError(f"There is no kind of comparison “{kind}”.", hint=f"Kinds: {', '.join(KINDS)}.")
    if not asked.axes:
        raise UsageError("No axis was chosen.", hint="Name one or more axes to compare identities on.")
    return gather_identities(ctx, project, asked)


def _nothing(drawn: DrawnPlan, kind: str) -> str:
    if not drawn.left_out:
        where = " on this axis" if kind == "identity" else ""
        return f"There are no outputs to compare{where}."
    (reason, number), *_ = drawn.reasons.most_common()
    return f"No comparison is complete: {number} of {len(drawn.left_out)} texts were left out because {reason}."


def _hint(kind: str) -> str:
    return {
        "model": "Let both models write for the same prompts.",
        "origin": "Generate articles for the headlines of the originals first.",
        "twin": "Letters need a name and a group, in their prompts or in the imported table.",
    }.get(kind, "Generate the missing outputs first.")


def _study(project: Project, study_id: int) -> StudyRow:
    return next(row for row in project.studies.all() if row.id == study_id)


def _named(pool: Pool, settings: PlanSettings) -> str:
    """Return the plan's title, for people who coordinate: raters never see a plan's title."""
    if settings.kind == "identity":
        return "+".join(sorted(pool.axes))
    return "+".join(f"{axis}: {' | '.join(sorted(identities))}" for axis, identities in pool.axes.items())


def with_stored_texts(project: Project, study_id: int, pool: Pool, drawn: DrawnPlan) -> DrawnPlan:
    """Store the new texts that were drawn, and put their ids in the place of the numbers that stood for them."""
    cards = {item.source or 0 for comparison in drawn.comparisons for item in comparison.items}
    specs = {number: pool.new[number] for number in sorted(cards & set(pool.new), reverse=True)}
    if not specs:
        return drawn
    project.sources.add_many(study_id, list(specs.values()))
    kinds = {spec.kind for spec in specs.values()}
    ids = {row.origin: row.id for kind in kinds for row in sources(project, study_id, kind)}
    id_of = {number: ids[spec.origin] for number, spec in specs.items()}
    comparisons = tuple(
        replace(comparison, items=tuple(_item(item, id_of) for item in comparison.items))
        for comparison in drawn.comparisons
    )
    return DrawnPlan(comparisons, drawn.left_out)


def _with_checks(
    project: Project, study_id: int, drawn: DrawnPlan, checks: Sequence[KnownAnswer], seed: int
) -> DrawnPlan:
    """Return the plan with the checks at random places, none of them the first; their texts are stored."""
    if not checks:
        return drawn
    specs = {text: _check_source(text) for comparison in checks for text in comparison.texts}
    project.sources.add_many(study_id, list(specs.values()))
    ids = {row.origin: row.id for row in sources(project, study_id, "card")}
    rng = random.Random(f"checks {seed}")
    number = len(drawn.comparisons)
    places = sorted((rng.randint(1, max(1, number)) - 0.5, rng.random(), check) for check in range(len(checks)))
    every: list[tuple[float, DrawnComparison]] = [(comparison.position, comparison) for comparison in drawn.comparisons]
    every += [(at, _check(checks[check], {text: ids[spec.origin] for text, spec in specs.items()}))
              for at, _, check in places]  # fmt: skip
    ordered = [comparison for _, comparison in sorted(every, key=lambda each: each[0])]
    moved = {comparison.position: place for place, comparison in enumerate(ordered) if comparison.axis != CHECK}
    comparisons = (
        replace(
            comparison, position=place, repeat_of=None if comparison.repeat_of is None else moved[comparison.repeat_of]
        )
        for place, comparison in enumerate(ordered)
    )
    return replace(drawn, comparisons=tuple(comparisons))


def _check_source(text: str) -> SourceSpec:
    return SourceSpec(kind="card", origin=f"check/{sha256_text(text)}", row=0, text=text)


def _check(known: KnownAnswer, id_of: Mapping[str, int]) -> DrawnComparison:
    wrong = iter((WRONG, f"{WRONG} too"))
    names = [RIGHT if place == known.answer else next(wrong) for place in range(len(known.texts))]
    items = tuple(ComparisonItem(None, name, source=id_of[text]) for name, text in zip(names, known.texts, strict=True))
    digest = texts_digest(sha256_text(text) for text in known.texts)
    return DrawnComparison(0, CHECK, known.task, known.theme, items, digest)


def _item(item: ComparisonItem, id_of: Mapping[int, int]) -> ComparisonItem:
    return item if item.source is None else replace(item, source=id_of.get(item.source, item.source))


def specs_of(drawn: DrawnPlan, before: int = 0) -> list[ComparisonSpec]:
    """Return the comparisons to store, behind so many that the plan has."""
    ids = [new_uuid() for _ in drawn.comparisons]
    return [
        ComparisonSpec(
            id=ids[comparison.position],
            position=before + comparison.position,
            axis=comparison.axis,
            task=comparison.task,
            theme=comparison.theme,
            items=comparison.items,
            texts_sha256=comparison.texts_sha256,
            repeat_of=None if comparison.repeat_of is None else ids[comparison.repeat_of],
        )
        for comparison in drawn.comparisons
    ]


def _present(project: Project, spec: PlanSpec, drawn: DrawnPlan) -> str | None:
    """Return the plan that holds the same comparisons in the same order, drawn with the same seed, and asks
    the same.
    """
    wanted = [(comparison.axis, comparison.items) for comparison in drawn.comparisons]
    for plan in project.judging.plans():
        same = (plan.study_id, plan.axis, plan.seed) == (spec.study_id, spec.axis, spec.seed)
        same = same and _asks(plan.settings) == _asks(spec.settings)
        first, *_ = PlanSettings.of(plan.settings).rounds or (project.judging.count(plan.id),)
        if same and first == len(wanted):
            rows = project.judging.comparisons(plan.id)[:first]
            if [(row.axis, row.items) for row in rows] == wanted:
                return plan.id
    return None


def _asks(settings: Mapping[str, Any]) -> dict[str, Any]:
    stored = PlanSettings.of(settings).stored()
    return {name: value for name, value in stored.items() if name not in NOT_THE_SAME_REQUEST}

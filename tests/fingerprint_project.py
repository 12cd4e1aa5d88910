"""A project with rated comparisons, for tests of fingerprints: texts of ten themes, and whatever raters are told."""

from collections.abc import Callable, Sequence
from pathlib import Path

from made_once import made_once

from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonRow
from biasprint.core.project.specs import GeneratorSpec, JudgmentSpec, OutputSpec, RaterSpec, RunSpec
from biasprint.core.runs.compare import compare
from biasprint.core.runs.setup import add_prompts

# The place of the item that a rater chooses, "tie", "none" or "skip"; None leaves the comparison without an answer.
Answering = Callable[[int, ComparisonRow], int | str | None]


def project_with_texts(
    path: Path, axes: Sequence[str], tasks: Sequence[str] = ("haiku", "song"), themes: Sequence[str] = ()
) -> Project:
    """Outputs for every identity of these axes: 60 comparisons on each with two tasks and all themes."""
    what = ("texts", *axes, "of", *tasks, "about", *themes)
    made_once(what, lambda: _write_texts(path, axes, tasks, themes), path)
    return Project.open(path)


def _write_texts(path: Path, axes: Sequence[str], tasks: Sequence[str], themes: Sequence[str]) -> None:
    project = Project.create(path)
    narrowed = {"themes": list(themes)} if themes else {}
    added = add_prompts(project, "creativity", tasks=list(tasks), axes=list(axes), **narrowed)
    generator = project.runs.add_generator(GeneratorSpec(backend="b", model="author")).number("generator")
    run = project.runs.start(RunSpec(study_id=1, prompt_set_id=added.set_id, generator_id=generator, seed=1))
    rows = project.prompts.page(added.set_id, 0, 5000)
    project.outputs.record_many(
        [
            OutputSpec(run_id=run.number("run"), prompt_id=row.id, sample=0, seed=0, text=f"Text {row.id}.")
            for row in rows
        ]
    )
    project.close()


def plan_of(project: Project, *axes: str, seed: int = 1, **options: object) -> str:
    return compare(JobContext(), project, study_id=1, axes=axes, seed=seed, **options).plan_id  # type: ignore[arg-type]


def choosing(identity: str) -> Answering:
    """Always the text of this identity where it is shown; otherwise the first."""

    def answer(number: int, row: ComparisonRow) -> int:
        return next((place for place, item in enumerate(row.items) if item.identity == identity), 0)

    return answer


def cycling(*identities: str) -> Answering:
    """The identities in turn, over the comparisons that show them."""

    def answer(number: int, row: ComparisonRow) -> int:
        return [item.identity for item in row.items].index(identities[number % len(identities)])

    return answer


def rated(
    project: Project,
    plan: str,
    code: str,
    answer: Answering,
    *,
    kind: str = "person",
    revealed: bool = True,
    read: Callable[[int], bool | None] = lambda number: None,
) -> str:
    """A rater's session, answered in the order of the plan; a model is asked in every rotation. The rater's id.

    `read`: were the texts of an answer read to the end, by its number; None where nothing is recorded.
    """
    spec = RaterSpec(code=code, kind=kind)  # type: ignore[arg-type]
    known = {row.code: row.id for row in project.judging.raters()}
    rater = known.get(code) or project.judging.add_rater(spec).uuid("rater")
    session = project.judging.open_session(plan, rater).uuid("session")
    for number, row in enumerate(project.judging.comparisons(plan)):
        if kind == "model" and row.repeat_of is not None:
            continue
        places = tuple(range(len(row.items)))
        orders = [places[at:] + places[:at] for at in places] if kind == "model" else [places]
        for shown in orders:
            said = answer(number, row)
            if said is not None:
                _record(project, session, row, said, shown, read(number))
    if revealed:
        project.judging.reveal(session)
    return rater


def first_card(project: Project, plan: str, code: str) -> str:
    """A model that always takes the card on the left: position, and no preference."""
    rater = project.judging.add_rater(RaterSpec(code=code, kind="model")).uuid("rater")
    session = project.judging.open_session(plan, rater).uuid("session")
    for row in project.judging.comparisons(plan):
        places = tuple(range(len(row.items)))
        for at in places:
            shown = places[at:] + places[:at]
            _record(project, session, row, shown[0], shown)
    project.judging.reveal(session)
    return rater


def _record(
    project: Project,
    session: str,
    row: ComparisonRow,
    said: int | str,
    shown: tuple[int, ...],
    read: bool | None = None,
) -> None:
    choice = isinstance(said, int)
    views = [{"seconds": item + 0.5, "end": read or item > 0} for item in range(len(shown))]
    spec = JudgmentSpec(
        session_id=session,
        comparison_id=row.id,
        outcome="choice" if choice else said,  # type: ignore[arg-type]
        chosen=said if choice else None,  # type: ignore[arg-type]
        shown=shown,
        texts_sha256=row.texts_sha256,
        active_seconds=1.0,
        detail={} if read is None else {"viewed": views},
    )
    project.judging.record(spec)

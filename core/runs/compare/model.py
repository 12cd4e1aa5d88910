"""Model against model: what two or three generators wrote for the same prompt and sample."""

from core.errors import AppError, UsageError
from core.jobs import JobContext
from core.judging.plan import MODEL, Candidate
from core.project.project import Project
from core.project.rows import OutputRow
from core.project.stores.common import chunks
from core.runs.compare.axes import MOST_CARDS, known_axes
from core.runs.compare.pool import Numbers, Pool, Request, outputs, problem_of, shown_theme, theme_of
from core.runs.compare.writers import chosen_writers, writers
from core.text import sha256_text


def gather(ctx: JobContext, project: Project, asked: Request) -> Pool:
    """The outputs of the generators that are named, or of all where there are two or three.

    `asked.axes` narrows to prompts on these axes; without it every prompt counts.
    """
    runs = _runs(project, asked)
    labels = tuple(sorted(set(runs.values())))
    known = known_axes(project, asked.study)
    for axis in asked.axes:
        if axis not in known:
            raise UsageError(f"The project has no axis “{axis}”.", hint=f"Its axes: {', '.join(known) or 'none yet'}.")
    # The prompts' identities are not compared, but a title that said one would tell what the study is about.
    hidden = {*labels, *(word for axis in known.values() for word in axis.hidden)}
    asked_by = _prompt_texts(project, asked.study.id)
    numbers = Numbers()
    candidates = [
        _candidate(asked.study.kind, row, runs[row.run_id], asked_by.get(row.prompt_id, ""), hidden, numbers)
        for row in outputs(ctx, project, asked.study.id)
        if row.run_id in runs and (not asked.axes or row.axis in asked.axes)
    ]
    return Pool(candidates, {MODEL: labels})


def _runs(project: Project, asked: Request) -> dict[int, str]:
    runs = chosen_writers(project, asked.study.id, asked.models)
    if runs is None:
        runs = writers(project, asked.study.id)
    labels = sorted(set(runs.values()))
    if len(labels) < 2:
        only = f"only {labels[0]} has" if labels else "no generator has"
        raise AppError(
            f"Models are compared two or three at a time, and {only} written texts here.",
            kept="No plan was made.",
            hint="Write the same prompts with another model first." if not asked.models else "Name another model too.",
        )
    if len(labels) > MOST_CARDS:
        raise UsageError(
            f"A comparison shows two or three models, and {len(labels)} have written texts here.",
            hint=f"Name two or three of them: {'; '.join(labels)}.",
        )
    return runs


def _prompt_texts(project: Project, study_id: int) -> dict[int, str]:
    """Prompt → the hash of its text: an edited prompt keeps its key in the next version of its set."""
    found: dict[int, str] = {}
    for prompt_set in project.prompts.sets(study_id):
        page = chunks(lambda after, limit: project.prompts.page(prompt_set.id, after, limit), lambda row: row.id)  # noqa: B023
        found |= {row.id: sha256_text(row.text) for row in page}
    return found


def _candidate(
    kind: str, row: OutputRow, label: str, prompt_sha256: str, hidden: set[str], numbers: Numbers
) -> Candidate:
    theme = theme_of(kind, row.theme, row.fields)
    return Candidate(
        output=row.id,
        axis=MODEL,
        identity=label,
        task=row.task,
        theme=theme,
        text_sha256=sha256_text(row.text),
        model=row.identity,  # what is left to balance by: the identities that the prompts name
        sample=numbers.sample(row.sample, label, row.prompt_key, prompt_sha256),
        problem=problem_of(row),
        block=f"{row.prompt_key}\n{prompt_sha256}",
        shown_theme=shown_theme(kind, theme, row.fields, hidden),
    )

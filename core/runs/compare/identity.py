"""Identity against identity: texts written for two or three identities of an axis, everything else being equal."""

from core.errors import AppError
from core.jobs import JobContext
from core.judging.plan import Candidate
from core.project.project import Project
from core.project.rows import OutputRow, SourceRow
from core.runs.compare.axes import Known, axis_of_groups, chosen_axes, known_axes
from core.runs.compare.pool import Numbers, Pool, Request, outputs, problem_of, shown_theme, sources, theme_of
from core.runs.compare.writers import chosen_writers
from core.text import sha256_text

PLAIN_ARM = ("", "plain")
UNMATCHED = "nothing says which letters belong together: they have no block and no occupation"


def gather(ctx: JobContext, project: Project, asked: Request) -> Pool:
    """The texts on the chosen axes, of the chosen generators alone where any are named."""
    if not any(axis.written for axis in known_axes(project, asked.study).values()):
        raise AppError(
            f"The {asked.study.kind} study has no texts that were written for identities.",
            kept="No plan was made.",
            hint="Models and originals can be compared without identities: see the kind of comparison.",
        )
    chosen = chosen_axes(project, asked.study, asked.axes)
    runs = chosen_writers(project, asked.study.id, asked.models)
    numbers = Numbers()
    candidates = [
        _of_output(asked.study.kind, row, chosen[row.axis][0], numbers)
        for row in outputs(ctx, project, asked.study.id)
        if row.axis in chosen and (runs is None or row.run_id in runs)
    ]
    letters = list(sources(project, asked.study.id, "letter")) if runs is None else []
    if letters:
        axis = axis_of_groups(project, {row.fields.get("group", "") for row in letters} - {""})
        if axis in chosen:
            candidates += [_of_letter(row, chosen[axis][0], numbers) for row in letters if row.fields.get("group")]
    return Pool(
        candidates,
        {axis: identities for axis, (_, identities) in chosen.items()},
        definitions=tuple(known.shipped for known, _ in chosen.values() if known.shipped is not None),
    )


def _of_output(kind: str, row: OutputRow, axis: Known, numbers: Numbers) -> Candidate:
    block, theme = _block(row), theme_of(kind, row.theme, row.fields)
    return Candidate(
        output=row.id,
        axis=row.axis,
        identity=row.identity,
        task=row.task,
        theme=theme,
        text_sha256=sha256_text(row.text),
        model=f"{row.backend}/{row.model}/{row.run_id}",
        # Only a block can hold several names of one identity; elsewhere a second text in one place is a mistake.
        sample=numbers.sample(row.sample, row.run_id, block, row.identity) if block else row.sample,
        problem=problem_of(row),
        block=block,
        shown_theme=shown_theme(kind, theme, row.fields, axis.hidden),
    )


def _block(row: OutputRow) -> str:
    """The matched cell or biography, with its version and arm: letters are compared within one instruction."""
    arm = row.fields.get("arm", "")
    parts = [row.fields.get("block", ""), row.fields.get("version", ""), "" if arm in PLAIN_ARM else arm]
    return "/".join(parts) if any(parts) else ""


def _of_letter(row: SourceRow, axis: Known, numbers: Numbers) -> Candidate:
    fields = row.fields
    theme, block = theme_of("letters", "", fields), fields.get("block", "")
    arm = fields.get("arm", "")
    block = f"{block}/{arm}" if arm not in PLAIN_ARM else block
    model, given = fields.get("model", ""), fields.get("sample", "").strip()
    sample = int(given) if given.isdecimal() and len(given) < 5 else 0
    problem = "its text is empty" if not row.text.strip() else "" if block or theme else UNMATCHED
    group = fields["group"]
    return Candidate(
        output=None,
        axis=axis.id,
        identity=group,
        task=fields.get("document", "") or "letter",
        theme=theme,
        text_sha256=sha256_text(row.text),
        model=f"letters/{model}",
        sample=numbers.sample(sample, row.origin, model, block, theme, group),
        problem=problem,
        source=row.id,
        block=f"{row.origin}/{block}",  # two tables may use one name for different blocks
        shown_theme=shown_theme("letters", theme, fields, axis.hidden),
    )

"""The texts that can be compared by identity, by model or by origin: one function for each kind gathers them."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace

from core.errors import AppError, UsageError
from core.jobs import JobContext
from core.judging.plan import GENERATED, MODEL, ORIGIN, ORIGINAL, Candidate, LeftOut
from core.project.project import Project
from core.project.rows import OutputRow, SourceRow
from core.project.stores.common import chunks
from core.prompts.news import UNBIASED
from core.runs.compare.pool import (
    MOST_CARDS,
    CompareRequest,
    KnownAxis,
    Pool,
    SampleNumbers,
    axis_of_groups,
    chosen_axes,
    chosen_writers,
    known_axes,
    outputs,
    problem_of,
    shown_theme,
    sources,
    theme_of,
    writers,
)
from core.runs.values import Original, Originals
from core.text import sha256_text

# ---- Identity against identity: texts written for two or three identities of an axis, everything else being equal

PLAIN_ARM = ("", "plain")
UNMATCHED = "nothing says which letters belong together: they have no block and no occupation"


def gather_identities(ctx: JobContext, project: Project, asked: CompareRequest) -> Pool:
    """The texts on the chosen axes, of the chosen generators alone where any are named."""
    if not any(axis.written for axis in known_axes(project, asked.study).values()):
        raise AppError(
            f"The {asked.study.kind} study has no texts that were written for identities.",
            kept="No plan was made.",
            hint="Models and originals can be compared without identities: see the kind of comparison.",
        )
    chosen = chosen_axes(project, asked.study, asked.axes)
    runs = chosen_writers(project, asked.study.id, asked.models)
    numbers = SampleNumbers()
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


def _of_output(kind: str, row: OutputRow, axis: KnownAxis, numbers: SampleNumbers) -> Candidate:
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


def _of_letter(row: SourceRow, axis: KnownAxis, numbers: SampleNumbers) -> Candidate:
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


# ---- Model against model: what two or three generators wrote for the same prompt and sample


def gather_models(ctx: JobContext, project: Project, asked: CompareRequest) -> Pool:
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
    numbers = SampleNumbers()
    candidates = [
        _candidate(asked.study.kind, row, runs[row.run_id], asked_by.get(row.prompt_id, ""), hidden, numbers)
        for row in outputs(ctx, project, asked.study.id)
        if row.run_id in runs and (not asked.axes or row.axis in asked.axes)
    ]
    return Pool(candidates, {MODEL: labels})


def _runs(project: Project, asked: CompareRequest) -> dict[int, str]:
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
    kind: str, row: OutputRow, label: str, prompt_sha256: str, hidden: set[str], numbers: SampleNumbers
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


# ---- Generated against original: an article that a model wrote beside the one that people wrote for the headline

IDENTITIES = (GENERATED, ORIGINAL)


def gather_origins(ctx: JobContext, project: Project, asked: CompareRequest) -> Pool:
    """Every original once, beside one of the articles that were generated for its headline.

    Seen twice beside different articles, the one that stays the same would be known for the original. Which article
    is taken is drawn from the seed; generators are used equally often. Articles of biased prompts are left out.
    """
    originals = Originals.of(project, asked.study.id)
    if not originals.found:
        raise AppError(
            "There are no originals to compare with.",
            kept="No plan was made.",
            hint="Import articles that people wrote together with what was generated for their headlines.",
        )
    runs = chosen_writers(project, asked.study.id, asked.models)
    left_out: list[LeftOut] = []
    of_original: defaultdict[int, list[OutputRow]] = defaultdict(list)
    found: dict[int, Original] = {}
    for row in outputs(ctx, project, asked.study.id):
        if runs is not None and row.run_id not in runs:
            continue
        original = originals.of_output(row)
        problem = _problem(row, original)
        if problem or original is None:
            left_out.append(LeftOut(row.id, problem))
        else:
            of_original[original.key[1]].append(row)
            found[original.key[1]] = original
    candidates: list[Candidate] = []
    for row in _one_each(of_original, random.Random(asked.seed), left_out):
        original = originals.of_output(row)
        assert original is not None
        candidates += _pair(row, original)
    return Pool(candidates, {ORIGIN: IDENTITIES}, tuple(left_out))


def _problem(row: OutputRow, original: Original | None) -> str:
    if original is None:
        return "there is no original of its headline"
    if row.fields.get("prompt_kind", UNBIASED) not in ("", UNBIASED):
        return "its prompt asked for bias"
    return problem_of(row)


def _one_each(
    of_original: dict[int, list[OutputRow]], rng: random.Random, left_out: list[LeftOut]
) -> Iterable[OutputRow]:
    """One article for each original, of the generator that was used least so far."""
    used: Counter[tuple[str, str]] = Counter()
    for source in rng.sample(sorted(of_original), len(of_original)):
        rows = rng.sample(of_original[source], len(of_original[source]))
        chosen = min(rows, key=lambda row: used[row.backend, row.model])
        used[chosen.backend, chosen.model] += 1
        reason = "its original is shown beside another article"
        left_out += [LeftOut(row.id, reason) for row in rows if row.id != chosen.id]
        yield chosen


def _pair(row: OutputRow, original: Original) -> tuple[Candidate, Candidate]:
    source = original.key[1]
    theme = row.theme or original.domain
    article = Candidate(
        output=row.id,
        axis=ORIGIN,
        identity=GENERATED,
        task=row.task,
        theme=theme,
        text_sha256=sha256_text(row.text),
        model=f"{row.backend}/{row.model}",
        problem="" if original.text.strip() else "its original is empty",
        block=f"original {source}",
        shown_theme=shown_theme("news", theme, row.fields, ()),
    )
    written = replace(article, output=None, source=source, identity=ORIGINAL, text_sha256=sha256_text(original.text))
    return article, written

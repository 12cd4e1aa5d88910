"""Generated against original: an article that a model wrote beside the one that people wrote for the headline."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace

from core.errors import AppError
from core.jobs import JobContext
from core.judging.plan import GENERATED, ORIGIN, ORIGINAL, Candidate, LeftOut
from core.project.project import Project
from core.project.rows import OutputRow
from core.prompts.news import UNBIASED
from core.runs.compare.pool import Pool, Request, outputs, problem_of, shown_theme
from core.runs.compare.writers import chosen_writers
from core.runs.originals import Original, Originals
from core.text import sha256_text

IDENTITIES = (GENERATED, ORIGINAL)


def gather(ctx: JobContext, project: Project, asked: Request) -> Pool:
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

"""Letters for the letters study: gathered from a project or from tables, counted, measured in the compute process."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.compute import ComputeProcess
from core.errors import AppError
from core.findings import ScorerUse, StudyResult
from core.jobs import JobContext
from core.project.project import Project
from core.project.rows import Floats
from core.project.stores.common import chunks
from core.project.stores.outputs import OutputFilter
from core.runs.exporting import matched_block
from core.runs.measure.options import Options
from core.runs.values import TextKey, complete_values, failures, scorer_for, stored_values
from core.tables.rows import TableRead

COUNTERS = ("lexicon", "lexicon_published")
# The paper's numerator is the male letters; elsewhere the axis says, or the order in which groups come.
PUBLISHED_ORDER = ("male", "female")

CHOICES: tuple[str, ...] = ()
AXES = False


@dataclass(frozen=True)
class Letter:
    """What the study needs to know of a letter besides its counts."""

    key: TextKey
    group: str
    block: str
    name: str


def kind_of(path: Path, mapping: Mapping[str, str]) -> str:
    return "letters"


def of_tables(
    ctx: JobContext, read: Sequence[tuple[str, TableRead]], options: Options, compute: ComputeProcess
) -> tuple[StudyResult, list[str]]:
    """The findings of letters in tables."""
    tables = [table for _, table in read]
    rows = [record.values for table in tables for record in table.rows]
    dropped: Counter[str] = Counter()
    for table in tables:
        dropped.update(table.dropped)
    groups = [row["group"] for row in rows]
    result: StudyResult = compute.call(
        "core.studies.letters.measure:measure_texts",
        [row["text"] for row in rows],
        groups,
        blocks=[row.get("block", "") for row in rows],
        names=[row.get("name", "") for row in rows],
        order=_order(groups),
        dropped=dict(dropped),
        seed=options.seed,
        ctx=ctx,
    )
    return replace(result, rows=sum(table.total for table in tables)), []


def of_project(
    ctx: JobContext, project: Project, study_id: int, options: Options, compute: ComputeProcess
) -> tuple[StudyResult, list[str]]:
    """The findings of a project's letters, imported and generated, counting first what is not counted yet."""
    for name in COUNTERS:
        complete_values(ctx, project, study_id, scorer_for("lexicon", name, name), compute)
    return of_counts(ctx, project, study_id, options.seed, compute), []


def of_counts(ctx: JobContext, project: Project, study_id: int, seed: int, compute: ComputeProcess) -> StudyResult:
    """The findings from the counts that are stored, for charts that follow a run."""
    infos = [scorer_for("lexicon", name, name) for name in COUNTERS]
    counted, published = (stored_values(project, info) for info in infos)
    everyone = list(letters(project, study_id))
    known = [letter for letter in everyone if letter.key in counted and letter.key in published]
    if not known:
        raise AppError("No letter has been counted yet.", hint="Generate or import letters, then score them.")
    failed = failures(project, study_id)
    dropped = {"not counted yet": len(everyone) - len(known), **failed}
    groups = [letter.group for letter in known]
    result: StudyResult = compute.call(
        "core.runs.measure.letters:in_compute",
        [counted[letter.key] for letter in known],
        [published[letter.key] for letter in known],
        [infos[0].use(), infos[1].use()],
        groups,
        {"blocks": [letter.block for letter in known], "names": [letter.name for letter in known],
         "order": _order(groups), "dropped": {reason: count for reason, count in dropped.items() if count}},
        seed,
        ctx=ctx,
    )  # fmt: skip
    return replace(result, rows=len(everyone) + sum(failed.values()))


def in_compute(
    counted: Sequence[Floats],
    published: Sequence[Floats],
    uses: Sequence[ScorerUse],
    groups: Sequence[str],
    columns: Mapping[str, Any],
    seed: int,
) -> StudyResult:
    """In the compute process: stored counts back into tables of counts, and the study over them."""
    import numpy as np

    from core.scorers.lexicon import LexiconCounts, LexiconScorer
    from core.studies.letters.measure import Counted, LettersTable, measure

    def restore(values: Sequence[Floats], scorer: LexiconScorer, use: ScorerUse) -> Counted:
        return Counted(scorer.lexicon, LexiconCounts.from_values(np.stack(values), scorer.lexicon), use)

    table = LettersTable(
        groups=tuple(groups),
        counted=restore(counted, LexiconScorer(counting="words"), uses[0]),
        published=restore(published, LexiconScorer(counting="published"), uses[1]),
        blocks=tuple(columns["blocks"]),
        names=tuple(columns["names"]),
        order=tuple(columns["order"]),
        dropped=columns["dropped"],
    )
    return measure(table, seed=seed)


def letters(project: Project, study_id: int) -> Iterable[Letter]:
    """Every finished letter of the study: generated ones, then imported ones."""
    for row in project.outputs.each(OutputFilter(study_id=study_id, status="done")):
        group, name = row.fields.get("group", row.identity), row.fields.get("name", "")
        yield Letter(("output", row.id), group, matched_block(row), name)
    for source in chunks(lambda after, limit: project.sources.page(study_id, after, limit), lambda row: row.id):
        if source.kind == "letter":
            fields = source.fields
            yield Letter(
                ("source", source.id), fields.get("group", ""), fields.get("block", ""), fields.get("name", "")
            )


def _order(groups: Sequence[str]) -> tuple[str, ...]:
    return PUBLISHED_ORDER if set(groups) == set(PUBLISHED_ORDER) else ()

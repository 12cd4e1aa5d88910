"""The texts behind a finding, for whoever clicks a figure."""

from collections import Counter
from collections.abc import Iterator

from core.findings import Finding
from core.jobs import JobContext
from core.project.project import Project
from core.project.rows import ComparisonRow, OutputRow
from core.project.stores.outputs import OutputFilter
from core.runs.measure.letters import letters
from core.runs.values import scorer_for, stored_values
from desktop.charts.data import Item, Items
from desktop.models.titles import Titles, read_titles
from desktop.widgets.words import plural

MOST = 50


def items_behind(ctx: JobContext, project: Project, finding: Finding) -> Items:
    """The first texts behind a finding, those that say most about it first."""
    if finding.id in ("creativity.share", "creativity.abs"):
        return _chosen(ctx, project, finding)
    if finding.id in ("creativity.distance", "creativity.rbs"):
        return _outputs(ctx, project, finding)
    if finding.id == "letters.lexicon.odds_ratio":
        return _letters(ctx, project, finding)
    return Items(0, ())


def _identities(finding: Finding) -> set[str]:
    """One identity where the finding is about one, else all of its groups."""
    return {finding.label} if finding.label in finding.groups else set(finding.groups)


def _chosen(ctx: JobContext, project: Project, finding: Finding) -> Items:
    """Texts written for the identity that raters chose, the most often chosen first."""
    wanted, axis = _identities(finding), finding.dims.get("axis")
    times: Counter[int] = Counter()
    revealed = [session for session in project.judging.sessions() if session.revealed_at is not None]
    comparisons: dict[str, ComparisonRow] = {}
    for plan_id in {session.plan_id for session in revealed}:
        comparisons |= {row.id: row for row in project.judging.comparisons(plan_id)}
    for session in revealed:
        for row in project.judging.judgments(session.id):
            comparison = comparisons[row.comparison_id]
            if row.chosen is not None and comparison.axis == axis and not comparison.repeat_of:
                item = comparison.items[row.chosen]
                times[item.output] += item.identity in wanted
    found = [(output, count) for output, count in times.most_common() if count]
    texts = [(project.outputs.get(output), count) for output, count in found[:MOST]]
    titles = read_titles(project)
    ctx.check()
    items = tuple(
        Item(
            str(row.id),
            _about(titles, row),
            plural(count, "chosen once", "chosen %n times"),
            row.text,
        )
        for row, count in texts
        if row is not None
    )
    return Items(len(found), items)


def _outputs(ctx: JobContext, project: Project, finding: Finding) -> Items:
    study = project.studies.of_kind("creativity")
    wanted = _identities(finding) | {"default"}
    total, items, titles = 0, [], read_titles(project)
    for row in project.outputs.each(OutputFilter(study_id=study.id if study else None, status="done")):
        if row.identity in wanted and row.axis in ("", finding.dims.get("axis")):
            total += 1
            if len(items) < MOST:
                items.append(Item(str(row.id), _about(titles, row), row.model, row.text))
    ctx.check()
    return Items(total, tuple(items))


def _letters(ctx: JobContext, project: Project, finding: Finding) -> Items:
    """Letters of both groups, those with the most words of the category first."""
    study = project.studies.of_kind("letters")
    if study is None:
        return Items(0, ())
    name = "lexicon_published" if finding.variant == "as_published" else "lexicon"
    counts = stored_values(project, scorer_for("lexicon", name, name))
    place = 1 + _category(finding.label)
    found = [
        (int(counts[letter.key][place]), letter)
        for letter in letters(project, study.id)
        if letter.group in finding.groups and letter.key in counts
    ]
    ctx.check()
    ranked = sorted(found, key=lambda pair: -pair[0])
    texts = _letter_texts(project, study.id)
    shown = {key: text for key, text in texts if key in {letter.key for _, letter in ranked[:MOST]}}
    items = tuple(
        Item(
            f"{letter.key[0]} {letter.key[1]}",
            ", ".join(part for part in (letter.name, letter.group) if part),
            plural(count, "1 word", "%n words"),
            shown[letter.key],
        )
        for count, letter in ranked[:MOST]
    )
    return Items(len(ranked), items)


def _letter_texts(project: Project, study_id: int) -> Iterator[tuple[tuple[str, int], str]]:
    from core.project.stores.common import chunks

    for row in project.outputs.each(OutputFilter(study_id=study_id, status="done")):
        yield ("output", row.id), row.text
    for source in chunks(lambda after, limit: project.sources.page(study_id, after, limit), lambda row: row.id):
        line_break = source.fields.get("line_break", "")
        yield ("source", source.id), source.text.replace(line_break, "\n") if line_break else source.text


def _category(label: str) -> int:
    from core.scorers.lexicon import load_lexicon

    return [category.name for category in load_lexicon("letters").categories].index(label)


def _about(titles: Titles, row: OutputRow) -> str:
    return " · ".join(
        part for part in (titles.about(row.task, row.theme), titles.identity(row.axis, row.identity)) if part
    )

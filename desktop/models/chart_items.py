"""The texts behind a finding, for whoever clicks a figure of a chart: the first of them, whole."""

from core.findings import Finding
from core.jobs import JobContext
from core.project.project import Project
from desktop.charts.live import Item, Items
from desktop.read.findings import DEFAULT, read_text, texts_behind, wanted_groups

MOST = 50


def items_behind(ctx: JobContext, project: Project, finding: Finding) -> Items:
    """The first texts behind a finding, those that say most about it first."""
    wanted = {*wanted_groups(finding), DEFAULT}
    behind = texts_behind(ctx, project, finding.id.partition(".")[0], finding).groups
    # Groups of words are no groups of texts: of articles all count, generated and original.
    groups = [group for group in behind if group.key in wanted] or behind
    found = [(ref, group) for group in groups for ref in group.refs]
    found.sort(key=lambda pair: (-pair[0].rank, pair[0].key))
    items = tuple(
        Item(" ".join(map(str, ref.key)), f"{ref.title} · {group.title}", ref.note, read_text(project, ref))
        for ref, group in found[:MOST]
    )
    return Items(len(found), items)

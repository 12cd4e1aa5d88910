"""What the texts of a project could be compared in, for a form to offer. Reads prompts and counts, not every text."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.jobs import JobContext
from core.judging.plan import PlanKind
from core.project.project import Project
from core.project.rows import StudyRow
from core.project.stores.runs import OutputFilter
from core.runs.compare.axes import known_axes
from core.runs.compare.pool import sources
from core.runs.compare.writers import writers
from core.runs.originals import KIND as ORIGINAL_SOURCE


@dataclass(frozen=True)
class AxisOffer:
    """An axis whose identities have texts. `identities`: key → label."""

    key: str
    title: str
    identities: Mapping[str, str]


@dataclass(frozen=True)
class StudyOffer:
    """A study with texts. `kinds`: the ways in which they can be compared. `models`: who wrote, by label."""

    study_id: int
    kind: str
    title: str
    kinds: tuple[PlanKind, ...]
    axes: tuple[AxisOffer, ...]
    models: tuple[str, ...]


def offers(ctx: JobContext, project: Project) -> tuple[StudyOffer, ...]:
    """The studies that have something to compare."""
    found = []
    for study in project.studies.all():
        ctx.check()
        if study.kind not in ("completion", "packet"):
            offer = _offer(ctx, project, study)
            if offer.kinds:
                found.append(offer)
    return tuple(found)


def _offer(ctx: JobContext, project: Project, study: StudyRow) -> StudyOffer:
    axes = _axes(ctx, project, study)
    models = tuple(sorted(set(writers(project, study.id).values())))
    kinds: list[PlanKind] = ["identity"] if axes else []
    if len(models) > 1:
        kinds.append("model")
    if models and any(True for _ in sources(project, study.id, ORIGINAL_SOURCE)):
        kinds.append("origin")
    if study.kind == "letters" and (models or any(True for _ in sources(project, study.id, "letter"))):
        kinds.append("twin")
    return StudyOffer(study.id, study.kind, study.title, tuple(kinds), axes, models)


def _axes(ctx: JobContext, project: Project, study: StudyRow) -> tuple[AxisOffer, ...]:
    groups = {row.fields.get("group", "") for row in sources(project, study.id, "letter")}
    offered = []
    for axis in known_axes(project, study).values():
        ctx.check()
        there = {
            name: label
            for name, label in axis.identities.items()
            if name in axis.written
            and (
                name in groups
                or project.outputs.page(0, 1, OutputFilter(study_id=study.id, identity=name, status="done"))
            )
        }
        if len(there) >= 2 and (len(there) > 3 or len(there) == len(axis.identities) or len(axis.identities) > 3):
            offered.append(AxisOffer(axis.id, axis.title, there))
    return tuple(offered)

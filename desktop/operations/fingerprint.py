"""Reading fingerprints, and saving one as a picture. Nothing is written unless the person asks for it.

A workshop's work off the window's thread: the choices to hold it with, and the project, kept out of reach.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TypeVar

from biasprint.core import compute
from biasprint.core.errors import AppError, JobCancelled
from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.judging.blind import Vault
from biasprint.core.judging.fingerprint import Fingerprint
from biasprint.core.judging.packets.hand_out import Collected, collect_seats, make_seats
from biasprint.core.judging.packets.outside import Tool
from biasprint.core.judging.plan import PlanSettings
from biasprint.core.judging.planner import Chance, JudgingDesign
from biasprint.core.judging.session import JudgingSession, open_judging
from biasprint.core.judging.workshop import (
    Attendance,
    WorkshopPlan,
    WorkshopStore,
    attendance,
    chance_of,
    check_name,
    describe_plan,
    new_name,
    workshop_plans,
)
from biasprint.core.project.project import Project
from biasprint.core.project.rows import StudyRow
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.runs.compare import compare
from biasprint.core.runs.compare.drawing import sizes
from biasprint.core.runs.compare.pool import MOST_CARDS, CompareRequest, known_axes
from biasprint.core.runs.fingerprint import (
    GroupPicture,
    OfferedRaters,
    fingerprint_of,
    group_of,
    raters_with_fingerprint,
    texts_read,
    warm,
)
from biasprint.desktop import theme
from biasprint.desktop.charts.fingerprint import save_page
from biasprint.desktop.charts.live import TextBehind, TextsBehind
from biasprint.desktop.operations import Operation, operation, saved_as
from biasprint.desktop.widgets.words import tr

STUDY = "creativity"
T = TypeVar("T")
SAID = {"tie": "a tie", "none": "no text was good", "skip": "skipped"}


@dataclass(frozen=True)
class WorkshopAxis:
    """An axis that has outputs, with its name for `compare`; `identities` are labels.

    `comparisons`: the most that can be drawn.
    """

    key: str
    title: str
    identities: tuple[str, ...]
    comparisons: int = 500


@dataclass(frozen=True)
class Offers:
    """The choices for a workshop: plans that were drawn for one, and axes to draw another on."""

    plans: tuple[WorkshopPlan, ...]
    axes: tuple[WorkshopAxis, ...]
    name: str = ""  # for the next one: none that is taken


@dataclass(frozen=True)
class DrawWorkshop:
    """A draw: `comparisons` on each of `axes`, for the people whom `name` describes."""

    axes: tuple[str, ...]
    comparisons: int
    seed: int
    consent_text: str = ""
    name: str = ""


@dataclass(frozen=True)
class FacilitatorView:
    """Everything the leader of a workshop may see and show. Without a group `picture` says why there is none."""

    attendance: Attendance
    picture: GroupPicture


@operation("Looking for what a workshop can be held with", quiet=True)
def workshop_offers(ctx: JobContext, *, project: Project) -> Offers:
    name = new_name((row.title for row in project.judging.plans()), date.today())
    return Offers(workshop_plans(project), _axes(ctx, project), name)


@operation("Working out what a workshop can show", quiet=True)
def workshop_chance(ctx: JobContext, *, design: JudgingDesign) -> Chance:
    """Compute how likely a preference would be seen. Quick, but numpy must not run on the window's thread."""
    return chance_of(design)


@operation("Drawing comparisons")
def draw_workshop(ctx: JobContext, *, project: Project, wanted: DrawWorkshop) -> WorkshopPlan:
    """Draw comparisons for a workshop: a plan of its own, so that its people are pooled with nobody."""
    study = project.studies.of_kind(STUDY)
    if study is None:
        raise AppError(tr("There are no outputs to compare yet."), hint=tr("Generate some first."))
    name = check_name(project, wanted.name)
    drawn = compare(
        ctx,
        project,
        study_id=study.id,
        axes=wanted.axes,
        seed=wanted.seed,
        per_axis=wanted.comparisons,
        title=name,
        workshop=True,
        class_name=name,
        consent_text=wanted.consent_text,
        notes=False,  # what one typed would stand in the file, in one's own words
    )
    return describe_plan(project, next(row for row in project.judging.plans() if row.id == drawn.plan_id))


class Keeper:
    """The project while a workshop is on: in a vault, so that nothing in the window leads to it.

    Its operations are for the workshop's jobs. Their results are a participant's own, or the group's.
    """

    def __init__(self, project: Project, plan_id: str) -> None:
        self._vault = Vault((project, plan_id))

    def seat(self, code: str) -> Operation[JudgingSession]:
        """Open a judging session, with a thread of its own, for one participant."""

        def open_seat(ctx: JobContext, project: Project, plan_id: str) -> JudgingSession:
            return open_judging(WorkshopStore(project, plan_id, code))

        return self._operation(tr("Opening the comparisons"), open_seat)

    def fingerprint(self, code: str) -> Operation[Fingerprint]:
        """Return the fingerprint of the participant with this code, who has finished."""

        def measure(ctx: JobContext, project: Project, plan_id: str) -> Fingerprint:
            rater = next(row for row in project.judging.raters() if row.code == code)
            return fingerprint_of(ctx, project, rater.id, compute.shared())

        return self._operation(tr("Drawing the picture"), measure)

    def facilitator(self) -> Operation[FacilitatorView]:
        """Return the counts, and the group's choices where there are enough people."""

        def look(ctx: JobContext, project: Project, plan_id: str) -> FacilitatorView:
            return FacilitatorView(attendance(project, plan_id), group_of(ctx, project, [plan_id], compute.shared()))

        return self._operation(tr("Counting who took part"), look)

    def make_seats(self, seats: int, folder: Path, tool: Tool | None) -> Operation[int]:
        """Make packets for seats at other computers, or files for `tool`; return the number of seats."""

        def make(ctx: JobContext, project: Project, plan_id: str) -> int:
            return len(make_seats(ctx, project, plan_id, seats, folder, tool))

        return self._operation(tr("Making packets"), make)

    def collect_seats(self, folder: Path) -> Operation[Collected]:
        """Merge the judgments made at other computers."""

        def collect(ctx: JobContext, project: Project, plan_id: str) -> Collected:
            return collect_seats(ctx, project, folder)

        return self._operation(tr("Collecting packets"), collect)

    def warm(self) -> Operation[None]:
        """Load what the participants' pictures need while people judge: otherwise the first one would wait for it."""

        return Operation(tr("Getting ready to draw pictures"), lambda ctx: warm(ctx, compute.shared()), quiet=True)

    def close(self) -> Operation[None]:
        """Close the project. It waits for operations under way, so it is an operation too."""
        vault = self._vault

        return Operation(tr("Closing the workshop"), lambda ctx: vault.take(), quiet=True)

    def _operation(self, title: str, work: Callable[[JobContext, Project, str], T]) -> Operation[T]:
        vault = self._vault

        def ask(ctx: JobContext) -> T:
            answer = vault.use(lambda kept: _tried(work, ctx, *kept))
            if isinstance(answer, _Failed):
                raise answer.error
            return answer

        return Operation(title, ask, quiet=True)


@dataclass(frozen=True)
class _Failed:
    error: Exception


def _tried(work: Callable[[JobContext, Project, str], T], ctx: JobContext, project: Project, plan: str) -> T | _Failed:
    """Return the result or a new error: the frames of the original one would lead from the vault to the project."""
    try:
        return work(ctx, project, plan)
    except JobCancelled:
        return _Failed(JobCancelled())
    except AppError as error:
        return _Failed(AppError(error.message, hint=error.hint, kept=error.kept))


def _axes(ctx: JobContext, project: Project) -> tuple[WorkshopAxis, ...]:
    """Return the axes with two or three identities that have outputs: no comparison shows more."""
    study = project.studies.of_kind(STUDY)
    if study is None:
        return ()
    offers = []
    for axis in known_axes(project, study).values():
        ctx.check()
        written = [
            identity
            for identity in axis.identities
            if project.outputs.page(0, 1, OutputFilter(study_id=study.id, identity=identity, status="done"))
        ]
        if 2 <= len(written) <= MOST_CARDS:
            whole = len(written) == len(axis.identities)
            key = axis.id if whole else f"{axis.id}:{','.join(written)}"
            labels = tuple(axis.identities[identity] for identity in written)
            offers.append(WorkshopAxis(key, axis.title, labels, _drawable(ctx, project, study, key)))
    return tuple(offers)


def _drawable(ctx: JobContext, project: Project, study: StudyRow, axis: str) -> int:
    """Return the number of comparisons that can be drawn on an axis."""
    try:
        settings = PlanSettings(workshop=True)
        by_axis = sizes(ctx, project, CompareRequest(study, (axis,)), settings, None, compute.shared())
    except AppError:
        return 0
    return sum(size.comparisons for size in by_axis.values())


@operation("Raters", quiet=True)
def read_raters(ctx: JobContext, *, project: Project) -> OfferedRaters:
    """Return the raters of a project who have a fingerprint."""
    return raters_with_fingerprint(ctx, project)


@operation("Fingerprint", quiet=True)
def read_fingerprint(ctx: JobContext, *, project: Project, rater: str) -> Fingerprint:
    """Measure one rater's fingerprint in the compute process."""
    return fingerprint_of(ctx, project, rater, compute.shared())


def read_texts(*, project: Project, found: Fingerprint, finding: Finding) -> Operation[TextsBehind]:
    """Read the texts behind a figure of this fingerprint, the chosen ones first."""
    labels = {share.identity: share.label for axis in found.axes for share in axis.identities}
    identity = finding.label if finding.id == "creativity.share" else ""

    def work(ctx: JobContext) -> TextsBehind:
        read = texts_read(ctx, project, found.rater, finding.dims["axis"], identity)
        items = (
            TextBehind(
                f"{text.key[0]} {text.key[1]}",
                f"{text.title} · {labels.get(text.identity, text.identity)}",
                tr(SAID.get(text.said, text.said)),
                text.text,
            )
            for text in read.texts
        )
        return TextsBehind(read.total, tuple(items))

    return Operation(tr("Texts behind a figure"), work, quiet=True)


def save_fingerprint(*, found: Fingerprint, path: Path) -> Operation[Path]:
    """Write the picture. It is light and always of one size, as it goes on a page, not on this screen."""
    tokens = theme.tokens_for("light")

    return Operation(tr("Save picture"), lambda ctx: save_page(found, tokens, path), saved_as, quiet=True)

"""The part of a project that judging may use: `ProjectStore` for choices, `ProjectStatements` for ratings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import NamedTuple, Protocol

from biasprint.core.judging.blind import RatingCriterion, Ratings
from biasprint.core.judging.known import PRACTICE, PracticeResult, practice_result
from biasprint.core.judging.plan import LABELS, TITLES, TWIN, PlanSettings
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonRow, JudgmentRow, PlanRow, RaterRow, SessionRow, TextKey
from biasprint.core.project.specs import AnnotationSpec, JudgmentSpec, RaterSpec


@dataclass(frozen=True)
class AxisLabels:
    """How an axis and its identities are called, for the reveal."""

    title: str
    labels: Mapping[str, str] = field(default_factory=dict)


class JudgingStore(Protocol):
    def plans(self) -> Sequence[PlanRow]: ...

    def comparisons(self, plan_id: str) -> Iterable[ComparisonRow]:
        """A plan's comparisons in their order."""
        ...

    def count(self, plan_id: str) -> int: ...

    def texts(self, keys: Sequence[TextKey]) -> Mapping[TextKey, str]: ...

    def only_code(self) -> str | None:
        """The one code that may rate here: a packet has its rater's, a project none."""
        ...

    def packet_sessions(self) -> frozenset[str]:
        """The sessions that are rated in packets, somewhere else."""
        ...

    def raters(self) -> Sequence[RaterRow]: ...

    def sessions(self) -> Sequence[SessionRow]: ...

    def rater(self, code: str) -> RaterRow:
        """The person with this code; added if new."""
        ...

    def session(self, plan_id: str, rater_id: str, consent_text: str) -> SessionRow:
        """The session of this rater with this plan; opened if new."""
        ...

    def judgments(self, session_id: str) -> Sequence[JudgmentRow]:
        """The rows in force: those that no other row supersedes."""
        ...

    def record(self, judgment: JudgmentSpec) -> Changes:
        """Returns once it is on disk."""
        ...

    def save_draft(self, session_id: str, comparison_id: str, note: str) -> Changes: ...

    def drafts(self, session_id: str) -> Mapping[str, str]:
        """Unfinished notes by comparison id."""
        ...

    def reveal(self, session_id: str) -> Changes: ...

    def axis_names(self, axis: str) -> AxisLabels: ...


class ProjectStore:
    """A project file as a `JudgingStore`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._judging = project.judging
        self.plans = self._ordinary_plans
        self.count = self._judging.count
        self.comparisons = self._judging.each_comparison
        self.raters = self._judging.raters
        self.sessions = self._ordinary_sessions
        self.judgments = self._judging.judgments
        self.save_draft = self._judging.save_draft
        self.drafts = self._judging.drafts
        self.reveal = self._judging.reveal
        self.texts = project.texts

    def _ordinary_plans(self) -> tuple[PlanRow, ...]:
        """Without those of workshops: nobody goes on with a participant's session (see workshop.py)."""
        return tuple(row for row in self._judging.plans() if not PlanSettings.of(row.settings).workshop)

    def _ordinary_sessions(self) -> tuple[SessionRow, ...]:
        plans = {row.id for row in self._ordinary_plans()}
        return tuple(row for row in self._judging.sessions() if row.plan_id in plans)

    def only_code(self) -> str | None:
        return None

    def packet_sessions(self) -> frozenset[str]:
        return self._judging.packet_sessions()

    def record(self, judgment: JudgmentSpec) -> Changes:
        return self._judging.record(judgment)

    def rater(self, code: str) -> RaterRow:
        for row in self._judging.raters():
            if row.code == code:
                return row
        added = self._judging.add_rater(RaterSpec(code=code)).uuid("rater")
        return next(row for row in self._judging.raters() if row.id == added)

    def session(self, plan_id: str, rater_id: str, consent_text: str) -> SessionRow:
        opened = self._judging.open_session(plan_id, rater_id, consent_text).uuid("session")
        return next(row for row in self._judging.sessions() if row.id == opened)

    def axis_names(self, axis: str) -> AxisLabels:
        if axis in TITLES:
            return AxisLabels(TITLES[axis], self._labels() if axis == TWIN else LABELS.get(axis, {}))
        row = self._project.axes.in_use().get(axis)
        return AxisLabels(self._title(axis) if row is None else row.title, self._labels(axis))

    def _title(self, axis: str) -> str:
        """The title of a definition that is reported as this axis, or the axis's own key."""
        reported = [one for one in self._project.axes.in_use().values() if one.definition.get("reported_as") == axis]
        return reported[0].title if reported else axis

    def _labels(self, axis: str | None = None) -> dict[str, str]:
        """Identity → label on an axis, also as a definition that is reported as it has them; None: on every axis."""
        return {
            one["key"]: one["label"]
            for row in self._project.axes.in_use().values()
            if axis in (None, row.key, row.definition.get("reported_as"))
            for one in row.definition.get("identities", ())
        }


# ---- Beside the choices: ratings of each card by each criterion, and a rater's words about themselves
#
# A rating is an annotation of the kind "criterion" on its comparison, by its rater: `{"card": item index, "criterion":
# name, "rating": 1 to 5}`. A changed one supersedes the one before; one that was taken back has the rating null.

KIND = "criterion"
LOWEST, HIGHEST = 1, 5
LONGEST_DESCRIPTION = 2_000  # characters


class GivenRating(NamedTuple):
    """One rating in force; `item` is the index of the card among the comparison's items, not where it was shown."""

    id: str
    comparison_id: str
    item: int
    criterion: str
    rating: int | None


class RaterStatements(Protocol):
    def ratings(self, rater_id: str) -> Iterable[GivenRating]: ...

    def rate(self, rater_id: str, stated: GivenRating) -> str:
        """Add a rating that goes on from the one with `stated.id`, if any. Its own id, once it is on disk."""
        ...

    def describe(self, rater_id: str, words: str) -> None:
        """Keep how a rater describes themselves."""
        ...

    def has_practised(self, session_id: str) -> bool: ...

    def practised(self, rater_id: str, session_id: str, result: PracticeResult) -> None:
        """Keep that a rater has gone through the practice round."""
        ...


class ProjectStatements:
    """A project or packet as `Statements`."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def ratings(self, rater_id: str) -> Iterable[GivenRating]:
        for row in self._project.annotations.of_kind(KIND, rater_id=rater_id):
            value = row.value
            yield GivenRating(row.id, row.target, value["card"], value["criterion"], value["rating"])

    def rate(self, rater_id: str, stated: GivenRating) -> str:
        value = {"card": stated.item, "criterion": stated.criterion, "rating": stated.rating}
        spec = AnnotationSpec(
            kind=KIND, target=stated.comparison_id, rater_id=rater_id, value=value, supersedes=stated.id or None
        )
        return self._project.annotations.add(spec).uuid("annotation")

    def describe(self, rater_id: str, words: str) -> None:
        self._project.judging.describe_rater(rater_id, {"described": words})

    def has_practised(self, session_id: str) -> bool:
        return practice_result(self._project, session_id) is not None

    def practised(self, rater_id: str, session_id: str, result: PracticeResult) -> None:
        spec = AnnotationSpec(kind=PRACTICE, target=session_id, rater_id=rater_id, value=asdict(result))
        self._project.annotations.add(spec)


class CriterionRatings:
    """The ratings of one rater, all in memory: what comes next is shown without another read."""

    def __init__(self, statements: RaterStatements, rater_id: str) -> None:
        self._statements = statements
        self._rater_id = rater_id
        self._load()

    def _load(self) -> None:
        self._given: dict[str, dict[tuple[int, str], GivenRating]] = {}
        self._doubtful = False
        for stated in self._statements.ratings(self._rater_id):
            self._keep(stated)

    def shown(self, comparison_id: str, order: Sequence[int], criteria: Sequence[RatingCriterion]) -> Ratings:
        """By card as shown, then by criterion; None where nothing was rated."""
        given = self._given.get(comparison_id, {})
        return tuple(
            tuple(given[item, one.name].rating if (item, one.name) in given else None for one in criteria)
            for item in order
        )

    def rate(self, comparison_id: str, item: int, criterion: str, rating: int | None) -> None:
        """Write a rating; an unchanged one is not written again. What is kept here changes once it is on disk."""
        if self._doubtful:  # what was said to be lost may have reached the disk
            self._load()
        before = self._given.get(comparison_id, {}).get((item, criterion))
        if (before.rating if before is not None else None) == rating:
            return
        stated = GivenRating(before.id if before is not None else "", comparison_id, item, criterion, rating)
        try:
            self._keep(stated._replace(id=self._statements.rate(self._rater_id, stated)))
        except Exception:
            self._doubtful = True
            raise

    def _keep(self, stated: GivenRating) -> None:
        self._given.setdefault(stated.comparison_id, {})[stated.item, stated.criterion] = stated

"""The part of a project that judging may use: which plans, people and sessions count, and what is kept beside choices.

The rows themselves are read and written by `biasprint.core.project.stores.judging`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from biasprint.core.judging import open_ratings
from biasprint.core.judging.blind import RatingCriterion, Ratings
from biasprint.core.judging.looking import begin_session, texts_at_stake
from biasprint.core.judging.plan import LABELS, TITLES, TWIN, PlanSettings
from biasprint.core.judging.wording import ComparisonPrompts, ComparisonWording, wording_of
from biasprint.core.project.project import Project
from biasprint.core.project.rows import (
    ComparisonRow,
    Degree,
    JudgmentRow,
    Outcome,
    PlanRow,
    RaterRow,
    SessionRow,
    Span,
    TextKey,
    TextView,
)
from biasprint.core.project.specs import AnnotationSpec, RaterSpec
from biasprint.core.project.stores.judging import Remark


@dataclass(frozen=True)
class AxisLabels:
    """The names of an axis and its identities, for the reveal."""

    title: str
    labels: Mapping[str, str] = field(default_factory=dict)


class ProjectStore:
    """An ordinary project. A packet and a workshop's seat (`PacketStore`, `WorkshopStore`) narrow what counts in it."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.judging = project.judging

    def wording(self) -> ComparisonWording:
        """Return the titles and criteria of comparisons, as they are when a session begins: prompts may be
        made before.
        """
        return wording_of(self.project)

    def prompts(self, plan: PlanRow) -> Callable[[ComparisonRow], str]:
        """Return the function that gives a comparison's prompt, as its rater may read it; "" where none is shown."""
        shown = ComparisonPrompts(self.project)
        return lambda row: shown.of(row.items).text

    def plans(self) -> tuple[PlanRow, ...]:
        """Return the plans, without those of workshops: nobody goes on with a participant's session (see
        workshop.py).
        """
        return tuple(row for row in self.judging.plans() if not PlanSettings.of(row.settings).workshop)

    def raters(self) -> tuple[RaterRow, ...]:
        return self.judging.raters()

    def sessions(self) -> tuple[SessionRow, ...]:
        """Return the sessions with these plans."""
        plans = {row.id for row in self.plans()}
        return tuple(row for row in self.judging.sessions() if row.plan_id in plans)

    def judgments(self, session_id: str) -> tuple[JudgmentRow, ...]:
        """Return a session's judgments in force."""
        return self.judging.judgments(session_id)

    def only_code(self) -> str | None:
        """Return the one code that may rate here: a packet has its rater's, a project none."""
        return None

    def packet_sessions(self) -> frozenset[str]:
        """Return the sessions that are rated in packets, somewhere else."""
        return self.judging.packet_sessions()

    def rater(self, code: str) -> RaterRow:
        """Return the person with this code; added if new."""
        for row in self.judging.raters():
            if row.code == code:
                return row
        added = self.judging.add_rater(RaterSpec(code=code)).uuid("rater")
        return next(row for row in self.judging.raters() if row.id == added)

    def session(self, plan_id: str, rater_id: str, consent_text: str) -> SessionRow:
        """Return the session of this rater with this plan; opened if new."""
        before = {row.id for row in self.judging.sessions()}
        opened = self.judging.open_session(plan_id, rater_id, consent_text).uuid("session")
        session = next(row for row in self.judging.sessions() if row.id == opened)
        code = next(row.code for row in self.raters() if row.id == rater_id)
        begin_session(self.project, session, code, new=opened not in before)
        return session

    def reveal(self, session_id: str) -> object:
        """Lock a session for good."""
        changes = self.judging.reveal(session_id)
        open_ratings.end(session_id)
        return changes

    def texts_at_stake(self, session_id: str) -> tuple[tuple[str, ...], frozenset[TextKey] | None]:
        """Return the codes and texts of the other sessions that go on here, which the reveal of this one leaves out."""
        return texts_at_stake(self.project, session_id)

    def axis_names(self, axis: str) -> AxisLabels:
        """Return the labels of an axis, for the reveal."""
        if axis in TITLES:
            return AxisLabels(TITLES[axis], self._labels() if axis == TWIN else LABELS.get(axis, {}))
        row = self.project.axes.in_use().get(axis)
        return AxisLabels(self._title(axis) if row is None else row.title, self._labels(axis))

    def _title(self, axis: str) -> str:
        """Return the title of a definition that is reported as this axis, or the axis's own key."""
        reported = (row for row in self.project.axes.in_use().values() if row.definition.get("reported_as") == axis)
        return next((row.title for row in reported), axis)

    def _labels(self, axis: str | None = None) -> dict[str, str]:
        """Return the label of each identity on an axis, also as a definition that is reported as it has them; None: on
        every axis.
        """
        return {
            identity["key"]: identity["label"]
            for row in self.project.axes.in_use().values()
            if axis in (None, row.key, row.definition.get("reported_as"))
            for identity in row.definition.get("identities", ())
        }


# ---- Beside the choices: the time that they take, notes and marked words

IDLE_SECONDS = 120.0


FEWEST_TIMED = 5  # answers from which on a pace is known


def pace(seconds: Sequence[float]) -> float | None:
    """Return the median active time of a rater's answers in seconds; None where fewer than five are timed."""
    timed = [time for time in seconds if time > 0]
    return median(timed) if len(timed) >= FEWEST_TIMED else None


def seconds_left(comparisons: int, seconds: Sequence[float]) -> float | None:
    """Return the time that so many comparisons take at the pace of these answers, in seconds; None without a pace."""
    each = pace(seconds)
    return None if each is None else comparisons * each


class ActiveClock:
    """Counts seconds between signs of life; a longer gap counts as `idle` seconds, a jump back as none."""

    def __init__(self, now: Callable[[], float] = time.monotonic, idle: float = IDLE_SECONDS) -> None:
        self._now = now
        self._idle = idle
        self._last = now()

    def lap(self) -> float:
        """Return the active seconds since the last lap."""
        before, self._last = self._last, self._now()
        return min(max(self._last - before, 0.0), self._idle)


class Remarks:
    """Notes and marked words by index of the comparison. `judged` are those of answers, `drafts` those that no answer
    has taken yet.
    """

    def __init__(self, judged: Mapping[int, Remark], drafts: Mapping[int, Remark]) -> None:
        self._made = {**judged, **drafts}
        self._kept = dict(self._made)

    def of(self, index: int) -> Remark:
        return self._made.get(index, Remark())

    def put(self, index: int, *, note: str | None = None, spans: tuple[Span, ...] | None = None) -> None:
        """Set the note to what the field holds now, or the marked words; `saved` says when they are on disk."""
        before = self.of(index)
        self._made[index] = Remark(before.note if note is None else note, before.spans if spans is None else spans)

    def waits(self, index: int) -> bool:
        """Return whether the disk has another note, or other marked words, than the screen."""
        return self.of(index) != self._kept.get(index, Remark())

    def saved(self, index: int) -> None:
        """Record that they are on disk."""
        self._kept[index] = self.of(index)

    def take_back(self, index: int) -> None:
        """Return to what is on disk."""
        self._made[index] = self._kept.get(index, Remark())


# ---- The answers in force, and what was in view before each

ANSWERED: tuple[Outcome, ...] = ("choice", "tie", "none")


class Given(NamedTuple):
    """An answer. `chosen` and `worst` are item indexes; `degree` and `confidence` None where they were not asked, or
    not yet.
    """

    outcome: Outcome
    chosen: int | None = None
    worst: int | None = None
    degree: Degree | None = None
    confidence: int | None = None


class JudgmentInForce(NamedTuple):
    """The judgment in force for one comparison; `shown` are item indexes."""

    id: str
    given: Given
    shown: tuple[int, ...]
    remark: Remark
    viewed: tuple[TextView, ...] | None = None


def unread_items(viewed: Sequence[TextView] | None) -> tuple[int, ...]:
    """Return the items whose end was never in view; none where nothing was recorded."""
    return tuple(item for item, view in enumerate(viewed or ()) if not view.end)


class Views:
    """The views of texts by index of the comparison: of earlier judgments, and since the session was opened."""

    def __init__(self, judgments: Mapping[int, JudgmentInForce]) -> None:
        self._before = {index: row.viewed for index, row in judgments.items() if row.viewed is not None}
        self._now: dict[int, tuple[TextView, ...]] = {}
        self._told = any(unread_items(row.viewed) for row in judgments.values() if row.given.outcome in ANSWERED)

    def put(self, index: int, views: Sequence[TextView], shown: Sequence[int]) -> None:
        """Set what was in view of each card since the session was opened; `shown`: the items in the order of cards."""
        if len(views) == len(shown):
            by_item = dict(zip(shown, views, strict=True))
            self._now[index] = tuple(by_item[item] for item in range(len(shown)))

    def of(self, index: int) -> tuple[TextView, ...] | None:
        """Return the views by item: those since the session was opened, added to those of earlier judgments."""
        before, now = self._before.get(index), self._now.get(index)
        if before is None or now is None:
            return before if now is None else now
        return tuple(earlier + later for earlier, later in zip(before, now, strict=True))

    def unread_once(self, index: int, shown: Sequence[int]) -> tuple[int, ...]:
        """Return the cards whose end was never in view; none if this session has had such an answer before."""
        items = unread_items(self.of(index))
        if not items or self._told:
            return ()
        self._told = True
        return tuple(card for card, item in enumerate(shown) if item in items)


# ---- Beside the choices: ratings of each card by each criterion
#
# A rating is an annotation of the kind "criterion" on its comparison, by its rater: `{"card": item index, "criterion":
# name, "rating": 1 to 5}`. A changed one supersedes the one before; one that was taken back has the rating null.

KIND = "criterion"
LOWEST, HIGHEST = 1, 5


class GivenRating(NamedTuple):
    """One rating in force; `item` is the index of the card among the comparison's items, not where it was shown."""

    id: str
    comparison_id: str
    item: int
    criterion: str
    rating: int | None


class CriterionRatings:
    """The ratings of one rater, all in memory: what comes next is shown without another read."""

    def __init__(self, project: Project, rater_id: str) -> None:
        self._annotations = project.annotations
        self._rater_id = rater_id
        self._load()

    def _load(self) -> None:
        self._given: dict[str, dict[tuple[int, str], GivenRating]] = {}
        self._doubtful = False
        for row in self._annotations.of_kind(KIND, rater_id=self._rater_id):
            value = row.value
            self._keep(GivenRating(row.id, row.target, value["card"], value["criterion"], value["rating"]))

    def shown(self, comparison_id: str, order: Sequence[int], criteria: Sequence[RatingCriterion]) -> Ratings:
        """Return the ratings by card as shown, then by criterion; None where nothing was rated."""
        given = self._given.get(comparison_id, {})
        return tuple(
            tuple(given[place].rating if (place := (item, criterion.name)) in given else None for criterion in criteria)
            for item in order
        )

    def rate(self, comparison_id: str, item: int, criterion: str, rating: int | None) -> None:
        """Write a rating; an unchanged one is not written again. What is kept here changes once it is on disk."""
        if self._doubtful:  # what was said to be lost may have reached the disk
            self._load()
        before = self._given.get(comparison_id, {}).get((item, criterion))
        if (before.rating if before is not None else None) == rating:
            return
        spec = AnnotationSpec(
            kind=KIND,
            target=comparison_id,
            rater_id=self._rater_id,
            value={"card": item, "criterion": criterion, "rating": rating},
            supersedes=before.id if before is not None else None,
        )
        try:
            written = self._annotations.add(spec).uuid("annotation")
        except Exception:
            self._doubtful = True
            raise
        self._keep(GivenRating(written, comparison_id, item, criterion, rating))

    def _keep(self, stated: GivenRating) -> None:
        self._given.setdefault(stated.comparison_id, {})[stated.item, stated.criterion] = stated

"""What judging needs of a project, and no more; `ProjectStore` gives it from a project file."""

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from core.project.changes import Changes
from core.project.project import Project
from core.project.rows import ComparisonRow, JudgmentRow, PlanRow, RaterRow, SessionRow, TextKey
from core.project.specs import JudgmentSpec, RaterSpec


@dataclass(frozen=True)
class AxisNames:
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

    def axis_names(self, axis: str) -> AxisNames: ...


class ProjectStore:
    """A project file as a `JudgingStore`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._judging = project.judging
        self.plans = self._judging.plans
        self.count = self._judging.count
        self.raters = self._judging.raters
        self.sessions = self._judging.sessions
        self.judgments = self._judging.judgments
        self.save_draft = self._judging.save_draft
        self.drafts = self._judging.drafts
        self.reveal = self._judging.reveal
        self.texts = project.texts

    def comparisons(self, plan_id: str) -> Iterator[ComparisonRow]:
        # All at once they would set off collections that halt every thread, the window's too; see rows.py.
        with _no_collection():
            rows = list(self._judging.comparisons(plan_id))
            rows.reverse()
            while rows:
                yield rows.pop()

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

    def axis_names(self, axis: str) -> AxisNames:
        row = self._project.axes.latest().get(axis)
        if row is None:
            return AxisNames(axis)
        identities = row.definition.get("identities", ())
        return AxisNames(row.title, {one["key"]: one["label"] for one in identities})


@contextmanager
def _no_collection() -> Iterator[None]:
    """Put the garbage collector off for a while; what is made here has no cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()

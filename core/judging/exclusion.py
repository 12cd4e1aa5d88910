"""Raters and answers that are excluded, with a stored reason, until somebody counts them again.

Nothing is deleted. Each decision is an annotation that supersedes the one before, so that who or what was left out, why
and when stays in the project. Measures leave excluded raters out and say how many (`tellable_sessions`); the main
findings with everybody are shown beside them. One rule is about answers, of all raters: those that were given before
the end of every text was in view. Answers without such a record stay.
"""

from dataclasses import dataclass

from biasprint.core.errors import UsageError
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.rows import JudgmentRow
from biasprint.core.project.specs import AnnotationSpec

EXCLUSION = "exclusion"
EXCLUDED, UNREAD = "rater left out", "not read to the end"  # why a judgment is left out
UNREAD_TEXTS = "unread texts"  # what the rule's annotations are about, in place of a rater
LONGEST_REASON = 500


@dataclass(frozen=True)
class Exclusion:
    """A decision on a rater; `excluded` is False where they were counted again."""

    rater_id: str
    excluded: bool
    reason: str
    at: str


def exclude(project: Project, rater_id: str, reason: str) -> Changes:
    """Leave a rater out from now on, or with UNREAD_TEXTS the answers given too early. Raises UsageError without a
    reason.
    """
    if not reason.strip() or len(reason) > LONGEST_REASON:
        raise UsageError(
            "Raters and answers are left out for a reason.", kept="Everything counts as before.",
            hint=f"Write it in at most {LONGEST_REASON} characters: it is stored, and told with the findings.",
        )  # fmt: skip
    return _decide(project, rater_id, {"excluded": True, "reason": " ".join(reason.split())})


def include(project: Project, rater_id: str, reason: str = "") -> Changes:
    """Count a rater, or with UNREAD_TEXTS those answers, again."""
    return _decide(project, rater_id, {"excluded": False, "reason": " ".join(reason[:LONGEST_REASON].split())})


def exclusions(project: Project) -> dict[str, Exclusion]:
    """Return the raters who are left out now, by id."""
    decided = (_exclusion(row.target, row.value, row.created_at) for row in project.annotations.of_kind(EXCLUSION))
    return {decision.rater_id: decision for decision in decided if decision.excluded}


def unread_rule(project: Project) -> Exclusion | None:
    """Return the decision by which answers given before the end of every text was in view are left out, if it holds."""
    return exclusions(project).get(UNREAD_TEXTS)


def unswayed(project: Project, session_id: str) -> tuple[JudgmentRow, ...]:
    """Return a session's judgments in force that measures pool: made before any look at identities, beside no
    recommendation, and not left out by the rule on unread texts.
    """
    rule = unread_rule(project) is not None
    rows = (row for row in project.judging.judgments(session_id) if not row.seen and row.recommended is None)
    return tuple(row for row in rows if not (rule and row.read_to_end is False))


def decisions_on(project: Project, rater_id: str) -> tuple[Exclusion, ...]:
    """Return every decision on a rater, the oldest first."""
    rows = project.annotations.of_kind(EXCLUSION, target=rater_id, superseded=True)
    return tuple(_exclusion(row.target, row.value, row.created_at) for row in rows)


def excluded_codes(project: Project) -> dict[str, str]:
    """Return the reason for every excluded rater, by code."""
    out = exclusions(project)
    return {row.code: out[row.id].reason for row in project.judging.raters() if row.id in out}


def _decide(project: Project, rater_id: str, value: dict[str, object]) -> Changes:
    before = project.annotations.of_kind(EXCLUSION, target=rater_id)
    spec = AnnotationSpec(kind=EXCLUSION, target=rater_id, value=value, supersedes=before[-1].id if before else None)
    return project.annotations.add(spec)


def _exclusion(rater_id: str, value: object, at: str) -> Exclusion:
    assert isinstance(value, dict)
    return Exclusion(rater_id, bool(value["excluded"]), str(value["reason"]), at)

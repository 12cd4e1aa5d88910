"""How writing and judging go: rates and counts, never what was chosen."""

from bisect import bisect_right
from collections import Counter, deque
from datetime import UTC, datetime

from biasprint.core.judging.assignment import asked_number
from biasprint.core.judging.workshop import participants
from biasprint.core.project.project import Project
from biasprint.core.project.rows import JudgmentRow, OutputRow, SessionRow
from biasprint.core.scorers.refusal import is_refusal
from biasprint.core.studies.kit.live import LiveJudging, LiveRates

# ---- Writing

WINDOW = 10.0  # seconds over which the present rates are taken
PAUSE = 60.0  # seconds without a text, from which on nobody was writing
EDGES = (0, 1, 25, 50, 100, 200, 400, 800, 1600)  # words


class Rates:
    """Texts, failures, refusals and lengths, from the rows of outputs in the order in which they were stored."""

    def __init__(self) -> None:
        self._texts = self._refusals = self._timed = self._timed_tokens = 0
        self._failed: Counter[str] = Counter()
        self._lengths: Counter[int] = Counter()
        self._recent: deque[tuple[float, int]] = deque()
        self._last: float | None = None
        self._seconds = 0.0

    def add(self, row: OutputRow) -> None:
        if row.status != "done":
            self._failed[row.failure or "other"] += 1
        else:
            self._texts += 1
            self._refusals += is_refusal(row.text)
            self._lengths[EDGES[bisect_right(EDGES, len(row.text.split())) - 1]] += 1
        tokens = row.usage.get("completion", 0)
        self._time(datetime.fromisoformat(row.created_at).timestamp(), tokens, written=row.status == "done")

    def _time(self, at: float, tokens: int, *, written: bool) -> None:
        """A failure takes its time and is no text."""
        if self._last is not None and at - self._last <= PAUSE:
            self._seconds += max(0.0, at - self._last)
            self._timed += written
            self._timed_tokens += tokens if written else 0
        self._last = at if self._last is None else max(at, self._last)
        if written:
            self._recent.append((at, tokens))
        while self._recent and at - self._recent[0][0] > WINDOW:
            self._recent.popleft()

    def now(self, at: datetime | None = None) -> LiveRates:
        """The rates at a moment, now where none is given."""
        moment = (at or datetime.now(UTC)).timestamp()
        recent = [tokens for when, tokens in self._recent if moment - when <= WINDOW]
        seconds, texts = self._seconds, self._timed
        limits = (*EDGES[1:], None)
        return LiveRates(
            texts=self._texts,
            failed=dict(self._failed),
            refusals=self._refusals,
            seconds=seconds,
            texts_per_second=len(recent) / WINDOW,
            tokens_per_second=sum(recent) / WINDOW,
            texts_per_second_in_all=texts / seconds if seconds else None,
            tokens_per_second_in_all=self._timed_tokens / seconds if seconds else None,
            lengths=tuple((low, high, self._lengths[low]) for low, high in zip(EDGES, limits, strict=True)),
        )


# ---- Judging

LATEST = 20  # judgments over which the present rate is taken


def judging_now(project: Project) -> tuple[LiveJudging, ...]:
    """Every session, the latest last. Participants of workshops are one row: nobody is told how far each is."""
    raters = {rater.id: rater for rater in project.judging.raters()}
    plans = {plan.id: plan for plan in project.judging.plans()}
    unnamed = participants(project)
    found = []
    together: list[SessionRow] = []
    for session in project.judging.sessions():
        rater = raters[session.rater_id]
        if rater.code in unnamed:
            together.append(session)
        else:
            asked = asked_number(project, plans[session.plan_id], rater)
            found.append(_row(project, rater.code, rater.kind, [session], asked))
    if together:
        planned = sum(project.judging.count(session.plan_id) for session in together)
        found.append(_row(project, f"{len(together)} participants", "person", together, planned))
    return tuple(found)


def _row(project: Project, code: str, kind: str, sessions: list[SessionRow], planned: int) -> LiveJudging:
    judged = sum(project.judging.done_count(session.id) for session in sessions)
    rate = _per_minute(project.judging.latest(sessions[0].id, LATEST)) if len(sessions) == 1 else None
    return LiveJudging(code, kind, judged, planned, rate, all(session.revealed_at is not None for session in sessions))


def _per_minute(rows: tuple[JudgmentRow, ...]) -> float | None:
    """Comparisons that were judged for the first time, from the first of the latest rows to the last of them.

    A revision takes time and is no further comparison; a model's answers in several orders are one. None for fewer than
    two rows.
    """
    if len(rows) < 2:
        return None
    first, *later = sorted(rows, key=lambda row: datetime.fromisoformat(row.created_at))
    took = datetime.fromisoformat(later[-1].created_at) - datetime.fromisoformat(first.created_at)
    new = {row.comparison_id for row in later if row.supersedes is None} - {first.comparison_id}
    return 60 * len(new) / took.total_seconds() if took.total_seconds() > 0 else None

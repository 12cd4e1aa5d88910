"""What a model's judging came to: replies by how they were read, and how often the order of the cards decided."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from core.judging.model_rater import READ_AS
from core.metrics.proportions import wilson
from core.metrics.result import Bounds
from core.project.rows import JudgmentRow
from core.runs.judge_session import ModelSession


@dataclass(frozen=True)
class JudgeResult:
    """`read` counts the replies in force, `added` those of this start; `failures` the failed ones by kind.

    `compared`: comparisons with a choice in every order; `flips`: those of them in which not every order gave the same
    output; `first`: choices in them that fell on the first card, of `choices`. `closed`: measures count the session.
    """

    plan_id: str
    session_id: str
    rater: str
    comparisons: int
    unusable: int
    wanted: int
    added: int
    read: Mapping[str, int]
    failures: Mapping[str, int]
    compared: int
    flips: int
    first: int
    choices: int
    closed: bool

    @property
    def flip_rate(self) -> float | None:
        """None without a comparison that has a choice in every order."""
        return self.flips / self.compared if self.compared else None

    @property
    def flip_interval(self) -> Bounds | None:
        """Wilson's, over comparisons."""
        return wilson(self.flips, self.compared)


def judge_result(session: ModelSession) -> JudgeResult:
    """From what is on disk."""
    rows = list(session.said.values())
    counted = Counter(str(row.detail.get("read", "")) for row in rows)
    complete = _complete(session)
    chosen = [
        [(row.shown.index(row.chosen), row.chosen) for row in said if row.chosen is not None] for said in complete
    ]
    return JudgeResult(
        plan_id=session.plan_id,
        session_id=session.id,
        rater=session.rater.code,
        comparisons=len(session.comparisons),
        unusable=len(session.unusable),
        wanted=session.wanted,
        added=session.added,
        read={name: counted[name] for name in READ_AS},
        failures=dict(Counter(str(row.detail["failure"]) for row in rows if row.detail.get("read") == "failed")),
        compared=len(complete),
        flips=sum(len({item for _, item in places}) > 1 for places in chosen),
        first=sum(place == 0 for places in chosen for place, _ in places),
        choices=sum(map(len, chosen)),
        closed=session.closed,
    )


def _complete(session: ModelSession) -> list[list[JudgmentRow]]:
    """The replies of every comparison that has a choice in each of its orders."""
    by_comparison: dict[str, list[JudgmentRow]] = {}
    for row in session.said.values():
        if row.outcome == "choice":
            by_comparison.setdefault(row.comparison_id, []).append(row)
    return [
        by_comparison[row.id] for row in session.comparisons if len(by_comparison.get(row.id, ())) == len(row.items)
    ]

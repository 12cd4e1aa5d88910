"""End a session: lock it, and show its rater what was hidden. A packet is sealed instead, and nothing is shown."""

from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace

from biasprint.core.judging.blind import (
    AxisSummary,
    IdentityCount,
    RevealedCard,
    RevealedComparison,
    Revelation,
    SessionProgress,
    Swayed,
)
from biasprint.core.judging.plan import CHECK
from biasprint.core.judging.store import ANSWERED, AxisLabels, JudgmentInForce
from biasprint.core.judging.sway import chances
from biasprint.core.judging.work import JudgingWork, RaterSession, Refused
from biasprint.core.project.rows import ComparisonRow, TextKey

MOST_REVEALED = 200  # comparisons whose texts are shown at the reveal


# ---- The two commands


def reveal(work: JudgingWork, *, anyway: bool = False) -> Revelation:
    """Lock the session for good, then say what was hidden, but for texts that others here still judge blind.

    `anyway`: although comparisons are left.
    """
    session = _lock(work, anyway, remark="Nothing was revealed.")
    others, texts = session.store.texts_at_stake(session.id)
    hidden = frozenset(index for index, row in enumerate(session.rows) if others and _shows(row, texts))
    uncounted = {*session.recommended, *(session.rows[index].id for index in hidden)}
    counts = revelation(session.rows, session.judgments, session.store.axis_names, uncounted)
    answered = [index for index in _answered_indexes(session) if index not in hidden]
    withheld = len(_answered_indexes(session)) - len(answered)
    return replace(
        counts,
        rater=session.rater_id,
        swayed=None if hidden else _swayed(session),
        compared=tuple(_revealed(session, index) for index in answered[:MOST_REVEALED]),
        answered=len(answered),
        withheld=withheld,
        withheld_for=others if withheld else (),
    )


def _shows(row: ComparisonRow, texts: frozenset[TextKey] | None) -> bool:
    return texts is None or any(item.key in texts for item in row.items)


def finish(work: JudgingWork, *, anyway: bool = False) -> SessionProgress:
    """Lock a packet's session and seal the file. Nothing is revealed: the file contains nothing that is hidden."""
    return _lock(work, anyway, remark="It is not finished yet.").progress()


def _lock(work: JudgingWork, anyway: bool, remark: str) -> RaterSession:
    """Lock the session, if it may end: with comparisons left, only if the rater means it."""
    session = work.session
    left = session.progress().left
    if left and not anyway and not session.revealed:
        raise Refused(f"{left} comparisons are left.", kept=remark, hint="Judge or skip them first.")
    session.lock()
    return session


def _answered_indexes(session: RaterSession) -> list[int]:
    """List the answers that are counted: no repeats, no hidden checks, nothing skipped."""
    return [
        index
        for index in sorted(session.judgments)
        if session.judgments[index].given.outcome in ("choice", "tie", "none")
        and session.rows[index].repeat_of is None
        and session.rows[index].axis not in ("", CHECK)
    ]


def _followed(session: RaterSession) -> tuple[int, int]:
    """Count the answers that were given beside a recommendation, and those that chose the recommended text.

    A hidden repeat is not counted.
    """
    beside = [
        judgment.given.chosen == advised
        for index, judgment in session.judgments.items()
        if judgment.given.outcome in ANSWERED and session.rows[index].repeat_of is None
        if (advised := session.advised(index)) is not None
    ]
    return sum(beside), len(beside)


def _swayed(session: RaterSession) -> Swayed | None:
    """Describe the recommendations: who was favoured, by how much, and how often this rater followed."""
    settings = session.settings
    if not settings.sway:
        return None
    followed, shown = _followed(session)
    by_axis = {row.axis: [item.identity for item in row.items] for row in session.rows if row.axis != CHECK}
    favoured = [
        (session.store.axis_names(axis).labels.get(identity, identity), chances(identities, settings)[identity])
        for axis, identities in sorted(by_axis.items())
        for identity in identities
        if identity in settings.sway_for
    ]
    return Swayed(shown, followed, tuple(favoured))


def _revealed(session: RaterSession, index: int) -> RevealedComparison:
    """Describe a comparison of a locked session: its texts, and whom each was written for."""
    row, judgment, store = session.rows[index], session.judgments[index], session.store
    labels, texts = store.axis_names(row.axis).labels, store.project.texts([item.key for item in row.items])
    cards = tuple(
        RevealedCard(
            labels.get(row.items[place].identity, row.items[place].identity),
            texts.get(row.items[place].key, ""),
            place == judgment.given.chosen,
        )
        for place in judgment.shown
    )
    return RevealedComparison(session.wording.title(row.task, row.theme), cards)


# ---- The reveal: counts only. Shares, intervals and tests are the creativity study's


def revelation(
    rows: Sequence[ComparisonRow],
    answers: Mapping[int, JudgmentInForce],
    names: Callable[[str], AxisLabels],
    uncounted: Container[str] = (),
) -> Revelation:
    """Count `answers` (judgments in force by index of the row) for each axis. Hidden repeats are counted separately.

    `uncounted`: the comparisons that showed a recommendation, or stay hidden; no axis counts them.
    """
    by_axis: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        # A packet does not know its axes: it has nothing to reveal.
        if row.repeat_of is None and row.axis not in ("", CHECK) and row.id not in uncounted:
            by_axis.setdefault(row.axis, []).append(index)
    repeats = _repeats(rows, answers)
    return Revelation(
        axes=tuple(_axis(rows, answers, by_axis[axis], names(axis)) for axis in sorted(by_axis)),
        repeats=len(repeats),
        repeats_same=sum(repeats),
    )


def _axis(
    rows: Sequence[ComparisonRow], answers: Mapping[int, JudgmentInForce], indexes: Sequence[int], names: AxisLabels
) -> AxisSummary:
    outcomes = Counter(answers[index].given.outcome if index in answers else "undone" for index in indexes)
    chosen: Counter[str] = Counter()
    for index in indexes:
        for item in rows[index].items:
            chosen[item.identity] += 0
        answer = answers.get(index)
        if answer is not None and answer.given.chosen is not None:
            chosen[rows[index].items[answer.given.chosen].identity] += 1
    return AxisSummary(
        axis=rows[indexes[0]].axis,
        title=names.title,
        identities=tuple(IdentityCount(key, names.labels.get(key, key), number) for key, number in chosen.items()),
        choices=outcomes["choice"],
        ties=outcomes["tie"],
        none=outcomes["none"],
        skipped=outcomes["skip"],
        left=outcomes["undone"],
    )


def _repeats(rows: Sequence[ComparisonRow], judgments: Mapping[int, JudgmentInForce]) -> list[bool]:
    """Return whether the answers agree, for each hidden repeat that was answered both times."""
    index_of = {row.id: index for index, row in enumerate(rows)}
    agree = []
    for index, row in enumerate(rows):
        if row.repeat_of is not None and row.repeat_of in index_of:
            first, second = (
                _answer_whatever_order(rows, judgments, place) for place in (index_of[row.repeat_of], index)
            )
            if first is not None and second is not None:
                agree.append(first == second)
    return agree


def _answer_whatever_order(
    rows: Sequence[ComparisonRow], answers: Mapping[int, JudgmentInForce], index: int
) -> tuple[str, TextKey | None] | None:
    """Return an answer that does not depend on the order of the items; None where there is none."""
    answer = answers.get(index)
    if answer is None or answer.given.outcome in ("skip", "undone"):
        return None
    return answer.given.outcome, None if answer.given.chosen is None else rows[index].items[answer.given.chosen].key

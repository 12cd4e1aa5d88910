"""Offers plans to judge, opens a rater's session with one of them, and ends it with the reveal."""

import re
import secrets
import time
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace

from biasprint.core.judging.assignment import assigned
from biasprint.core.judging.blind import (
    AxisSummary,
    IdentityCount,
    Offer,
    RevealedCard,
    RevealedComparison,
    Revelation,
    SessionProgress,
    SessionView,
    StartInfo,
    Swayed,
)
from biasprint.core.judging.card_order import secret_of
from biasprint.core.judging.plan import CHECK, PlanSettings
from biasprint.core.judging.store import LONGEST_DESCRIPTION, AxisLabels, JudgingStore, RaterStatements
from biasprint.core.judging.sway import chances
from biasprint.core.judging.wording import ComparisonWording
from biasprint.core.judging.work import CompactRows, JudgmentInForce, Refused, SessionWork
from biasprint.core.project.rows import ComparisonRow, PlanRow, SessionRow, TextKey

# ---- The reveal: counts only. Shares, intervals and tests are the creativity study's


def revelation(
    rows: Sequence[ComparisonRow],
    said: Mapping[int, JudgmentInForce],
    names: Callable[[str], AxisLabels],
    advised: Container[str] = (),
) -> Revelation:
    """Count `said` (judgments in force by index of the row) for each axis. Hidden repeats are counted apart.

    `advised`: the comparisons that showed a recommendation; no axis counts them.
    """
    by_axis: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        # A packet does not know its axes: it has nothing to reveal.
        if row.repeat_of is None and row.axis not in ("", CHECK) and row.id not in advised:
            by_axis.setdefault(row.axis, []).append(index)
    repeats = _repeats(rows, said)
    return Revelation(
        axes=tuple(_axis(rows, said, by_axis[axis], names(axis)) for axis in sorted(by_axis)),
        repeats=len(repeats),
        repeats_same=sum(repeats),
    )


def _axis(
    rows: Sequence[ComparisonRow], said: Mapping[int, JudgmentInForce], indexes: Sequence[int], names: AxisLabels
) -> AxisSummary:
    outcomes = Counter(said[index].outcome if index in said else "undone" for index in indexes)
    chosen: Counter[str] = Counter()
    for index in indexes:
        for item in rows[index].items:
            chosen[item.identity] += 0
        answer = said.get(index)
        if answer is not None and answer.chosen is not None:
            chosen[rows[index].items[answer.chosen].identity] += 1
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


def _repeats(rows: Sequence[ComparisonRow], said: Mapping[int, JudgmentInForce]) -> list[bool]:
    """For each hidden repeat answered both times: whether the answers agree."""
    index_of = {row.id: index for index, row in enumerate(rows)}
    agree = []
    for index, row in enumerate(rows):
        if row.repeat_of is not None and row.repeat_of in index_of:
            first, second = (_meant(rows, said, one) for one in (index_of[row.repeat_of], index))
            if first is not None and second is not None:
                agree.append(first == second)
    return agree


def _meant(
    rows: Sequence[ComparisonRow], said: Mapping[int, JudgmentInForce], index: int
) -> tuple[str, TextKey | None] | None:
    """An answer that does not depend on the order of the items; None where there is none."""
    answer = said.get(index)
    if answer is None or answer.outcome in ("skip", "undone"):
        return None
    return answer.outcome, None if answer.chosen is None else rows[index].items[answer.chosen].key


CODE_LENGTH = 40
MOST_REVEALED = 200  # comparisons whose texts are shown at the reveal


def _answered_indexes(work: SessionWork) -> list[int]:
    """What was answered and is counted: no repeats, no hidden checks, nothing skipped."""
    return [
        index
        for index in sorted(work.judgments)
        if work.judgments[index].outcome in ("choice", "tie", "none")
        and work.rows[index].repeat_of is None
        and work.rows[index].axis not in ("", CHECK)
    ]


class JudgingService:
    """One project's judging, in the judging thread: begins and ends sessions. `SessionWork` is what happens within one.

    `statements`: where ratings by criterion go; without it none are asked for. `finish`: in a packet, what locks and
    seals it.
    """

    def __init__(
        self,
        store: JudgingStore,
        wording: ComparisonWording,
        *,
        statements: RaterStatements | None = None,
        finish: Callable[[], object] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._wording = self._words = wording  # of any session; of the one that is open
        self._statements = statements
        self._finish = finish
        self._now = now
        self._work: SessionWork | None = None
        self._tokens: dict[str, str] = {}

    # before a session

    def start_info(self, code: str | None = None) -> StartInfo:
        """The plans that the rater `code` can judge; without a code, whoever has an open session, or a new rater."""
        if code is None:
            code = self._store.only_code() or self._open_code()
        plans = [plan for plan in self._store.plans() if self._store.count(plan.id)]
        return StartInfo(code, tuple(self._offer(plan, number, code) for number, plan in enumerate(plans, start=1)))

    def start_new_rater(self) -> StartInfo:
        """The same for somebody who has not rated here yet, under the next free code."""
        return self.start_info(self._new_code())

    def open(self, token: str, code: str, consent: bool, background: str = "") -> SessionView:
        """Begin or resume the session of the rater `code` with an offered plan.

        `background` is how the rater describes themselves; nothing leaves what was said before as it is.
        """
        plan = next((plan for plan in self._store.plans() if self._tokens.get(plan.id) == token), None)
        if plan is None:
            raise Refused("This set is no longer there.", hint="Choose another one.")
        code = code.strip()
        if not code or len(code) > CODE_LENGTH or not code.isprintable():
            raise Refused(
                "A rater code has 1 to 40 printable characters.", hint="Use the code that you were given, such as R01."
            )
        text = PlanSettings.of(plan.settings).consent_text
        if text and not consent and not _agreed(self._session_of(plan, code)):
            raise Refused("The session starts once you agree to the text above.")
        self._refuse_packet_code(plan, code)
        rater = self._store.rater(code)
        if rater.kind != "person":
            raise Refused("This code belongs to a model.", hint="Use a code of your own.")
        session = self._store.session(plan.id, rater.id, text)
        self._describe(plan, rater.id, background)
        self._words = self._wording.now()
        self._work = SessionWork(
            self._store, self._words, plan, rater, session, statements=self._statements, now=self._now
        )
        return self._work.current()

    def leave(self) -> None:
        """Put the session away; it can be opened again where it stopped."""
        if self._work is not None:
            self._work.keep_changed_note()  # first: where this fails, the session stays open and the note with it
        self._work = None

    # the end of a session

    def reveal(self, anyway: bool) -> Revelation:
        """Lock the session and say what was hidden. With comparisons left, only if the rater means it."""
        work = self._complete(anyway, kept="Nothing was revealed.")
        work.reveal()
        found = revelation(work.rows, work.judgments, self._store.axis_names, work.recommended)
        answered = _answered_indexes(work)
        compared = tuple(self._revealed(work, index) for index in answered[:MOST_REVEALED])
        return replace(found, rater=work.rater_id, swayed=self._swayed(work), compared=compared, answered=len(answered))

    def _swayed(self, work: SessionWork) -> Swayed | None:
        """What the recommendations were: who was favoured, by how much, and how often this rater followed."""
        settings = work.settings
        if not settings.sway:
            return None
        followed, shown = work.followed()
        by_axis = {row.axis: [item.identity for item in row.items] for row in work.rows if row.axis != CHECK}
        favoured = [
            (self._store.axis_names(axis).labels.get(one, one), chances(identities, settings)[one])
            for axis, identities in sorted(by_axis.items())
            for one in identities
            if one in settings.sway_for
        ]
        return Swayed(shown, followed, tuple(favoured))

    def _revealed(self, work: SessionWork, index: int) -> RevealedComparison:
        """A comparison of a locked session: its texts, and whom each was written for."""
        row, said = work.rows[index], work.judgments[index]
        labels, texts = self._store.axis_names(row.axis).labels, self._store.texts([item.key for item in row.items])
        cards = tuple(
            RevealedCard(
                labels.get(row.items[place].identity, row.items[place].identity),
                texts.get(row.items[place].key, ""),
                place == said.chosen,
            )
            for place in said.shown
        )
        return RevealedComparison(self._words.title(row.task, row.theme), cards)

    def finish(self, anyway: bool) -> SessionProgress:
        """Lock the session of a packet. Nothing is revealed: nothing that is hidden is in it."""
        work = self._complete(anyway, kept="It is not finished yet.")
        work.reveal(self._finish)
        return work.progress()

    def prefetch(self) -> None:
        if self._work is not None and not self._work.revealed:
            self._work.prefetch()

    def _complete(self, anyway: bool, kept: str) -> SessionWork:
        """The session, if it may end: with comparisons left, only if the rater means it."""
        work = self.session
        left = work.progress().left
        if left and not anyway and not work.revealed:
            raise Refused(f"{left} comparisons are left.", kept=kept, hint="Judge or skip them first.")
        return work

    @property
    def session(self) -> SessionWork:
        """The session that is open. `Refused` where none is."""
        if self._work is None:
            raise Refused("No session is open.", hint="Start one first.")
        return self._work

    def _offer(self, plan: PlanRow, number: int, code: str) -> Offer:
        mine = self._session_of(plan, code)
        said = self._store.judgments(mine.id) if mine is not None else ()
        asks = PlanSettings.of(plan.settings)
        return Offer(
            token=self._tokens.setdefault(plan.id, secrets.token_urlsafe(9)),
            number=number,
            comparisons=self._count(plan, code),
            done=sum(row.outcome in ("choice", "tie", "none") for row in said),
            skipped=sum(row.outcome == "skip" for row in said),
            opened=mine is not None and bool(mine.opened_at),  # a packet's is there before it is opened
            revealed=mine is not None and mine.revealed_at is not None,
            consent_text=asks.consent_text,
            agreed=_agreed(mine),
            asks_background=asks.ask_background and self._statements is not None,
            described=any(row.code == code and row.background.get("described") for row in self._store.raters()),
            notes=asks.notes,
            ratings=asks.criterion_ratings and self._statements is not None,
            instructions=asks.instructions,
            practice=0 if said or (mine is not None and self._has_practised(mine)) else len(asks.practice),
        )

    def _count(self, plan: PlanRow, code: str) -> int:
        """How many comparisons of a plan this rater is asked."""
        settings = PlanSettings.of(plan.settings)
        if not settings.split:
            return self._store.count(plan.id)
        return len(assigned(CompactRows(self._store.comparisons(plan.id)), settings, secret=secret_of(plan), code=code))

    def _has_practised(self, session: SessionRow) -> bool:
        return self._statements is not None and self._statements.has_practised(session.id)

    def _session_of(self, plan: PlanRow, code: str) -> SessionRow | None:
        raters = {row.code: row.id for row in self._store.raters()}
        mine = [row for row in self._store.sessions() if row.plan_id == plan.id and row.rater_id == raters.get(code)]
        return mine[0] if mine else None

    def _refuse_packet_code(self, plan: PlanRow, code: str) -> None:
        """Who rates in a packet does not rate here as well, except where a session of theirs was begun here before."""
        away = self._store.packet_sessions()
        mine = self._session_of(plan, code)
        raters = {row.rater_id for row in self._store.sessions() if row.id in away}
        in_packet = any(row.code == code and row.id in raters for row in self._store.raters())
        if in_packet and (mine is None or mine.id in away):
            raise Refused(f"{code} rates in a packet.", hint="Open the packet, or use another code here.")

    def _describe(self, plan: PlanRow, rater_id: str, words: str) -> None:
        asked = PlanSettings.of(plan.settings).ask_background
        if asked and self._statements is not None and words.strip():
            self._statements.describe(rater_id, words.strip()[:LONGEST_DESCRIPTION])

    def _open_code(self) -> str:
        """Whose session is open; a new code where nobody's is, and none where several are: it would be a guess."""
        people = {row.id: row.code for row in self._store.raters() if row.kind == "person"}
        away = self._store.packet_sessions()
        sessions = [row for row in self._store.sessions() if row.id not in away]
        ongoing = {people[row.rater_id] for row in sessions if row.revealed_at is None and row.rater_id in people}
        if not ongoing:
            return self._new_code()
        return ongoing.pop() if len(ongoing) == 1 else ""

    def _new_code(self) -> str:
        """The next of R01, R02, …: numbered codes are what balances the order of the cards exactly over raters."""
        numbers = [int(match[1]) for row in self._store.raters() if (match := re.fullmatch(r"R(\d{1,6})", row.code))]
        return f"R{max(numbers, default=0) + 1:02d}"


def _agreed(session: SessionRow | None) -> bool:
    return session is not None and bool(session.consent_at)

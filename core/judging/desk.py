"""What the judging thread does when asked: offers plans, opens a session, works through it, reveals it."""

import re
import secrets
import time
from collections.abc import Callable

from core.judging.blind import (
    Answered,
    Entry,
    Offer,
    Revelation,
    SessionProgress,
    SessionView,
    StartInfo,
)
from core.judging.reveal import revelation
from core.judging.store import JudgingStore
from core.judging.wording import Wording
from core.judging.work import Refused, SessionWork
from core.project.rows import PlanRow

CODE_LENGTH = 40


class Desk:
    """One project's judging. Public methods are the commands of the door (session.py), name for name."""

    def __init__(self, store: JudgingStore, wording: Wording, now: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._wording = wording
        self._now = now
        self._work: SessionWork | None = None
        self._tokens: dict[str, str] = {}

    # before a session

    def start_info(self, code: str | None = None) -> StartInfo:
        """What there is to judge for the rater `code`; without one, for whoever has an open session, or a new rater."""
        if code is None:
            code = self._last_open_code() or self._new_code()
        plans = [plan for plan in self._store.plans() if self._store.count(plan.id)]
        return StartInfo(code, tuple(self._offer(plan, number, code) for number, plan in enumerate(plans, start=1)))

    def open(self, token: str, code: str, consent: bool) -> SessionView:
        """Begin or resume the session of the rater `code` with an offered plan."""
        plan = next((plan for plan in self._store.plans() if self._tokens.get(plan.id) == token), None)
        if plan is None:
            raise Refused("This set is no longer there.", hint="Choose another one.")
        code = code.strip()
        if not code or len(code) > CODE_LENGTH or not code.isprintable():
            raise Refused(
                "A rater code has 1 to 40 printable characters.", hint="Use the code that you were given, such as R01."
            )
        text = _consent_text(plan)
        if text and not consent:
            raise Refused("The session starts once you agree to the text above.")
        rater = self._store.rater(code)
        if rater.kind != "person":
            raise Refused("This code belongs to a model.", hint="Use a code of your own.")
        session = self._store.session(plan.id, rater.id, text)
        self._work = SessionWork(self._store, self._wording, plan, rater, session, now=self._now)
        return self._work.current()

    def leave(self) -> None:
        """Put the session away; it can be opened again where it stopped."""
        work, self._work = self._work, None
        if work is not None:
            work.keep_changed_note()

    # within a session

    def current(self) -> SessionView:
        return self._session.current()

    def touch(self) -> SessionProgress:
        self._session.touch()
        return self._session.progress()

    def record(self, token: str, outcome: Answered, card: int | None, note: str | None) -> SessionView:
        return self._session.record(token, outcome, card, note)

    def withdraw(self, token: str) -> SessionView:
        return self._session.withdraw(token)

    def save_note(self, token: str, note: str) -> SessionProgress:
        return self._session.save_note(token, note)

    def back(self, token: str) -> SessionView:
        return self._session.back(token)

    def resume(self) -> SessionView:
        return self._session.resume()

    def go_to(self, token: str) -> SessionView:
        return self._session.go_to(token)

    def entries(self) -> tuple[Entry, ...]:
        return self._session.entries()

    def reveal(self, anyway: bool) -> Revelation:
        """Lock the session and say what was hidden. With comparisons left, only if the rater means it."""
        work = self._session
        left = work.progress().left
        if left and not anyway and not work.revealed:
            raise Refused(
                f"{left} comparisons are left.", kept="Nothing was revealed.", hint="Judge or skip them first."
            )
        work.reveal()
        return revelation(work.rows, work.judgments, self._store.axis_names)

    def prefetch(self) -> None:
        if self._work is not None and not self._work.revealed:
            self._work.prefetch()

    @property
    def _session(self) -> SessionWork:
        if self._work is None:
            raise Refused("No session is open.", hint="Start one first.")
        return self._work

    def _offer(self, plan: PlanRow, number: int, code: str) -> Offer:
        raters = {row.code: row.id for row in self._store.raters()}
        mine = [row for row in self._store.sessions() if row.plan_id == plan.id and row.rater_id == raters.get(code)]
        said = self._store.judgments(mine[0].id) if mine else ()
        return Offer(
            token=self._tokens.setdefault(plan.id, secrets.token_urlsafe(9)),
            number=number,
            comparisons=self._store.count(plan.id),
            done=sum(row.outcome in ("choice", "tie", "none") for row in said),
            skipped=sum(row.outcome == "skip" for row in said),
            opened=bool(mine),
            revealed=bool(mine) and mine[0].revealed_at is not None,
            consent_text=_consent_text(plan),
        )

    def _last_open_code(self) -> str | None:
        people = {row.id: row.code for row in self._store.raters() if row.kind == "person"}
        ongoing = [row for row in self._store.sessions() if row.revealed_at is None and row.rater_id in people]
        return people[max(ongoing, key=lambda row: row.opened_at).rater_id] if ongoing else None

    def _new_code(self) -> str:
        """The next of R01, R02, …: numbered codes are what balances the order of the cards exactly over raters."""
        numbers = [int(match[1]) for row in self._store.raters() if (match := re.fullmatch(r"R(\d{1,6})", row.code))]
        return f"R{max(numbers, default=0) + 1:02d}"


def _consent_text(plan: PlanRow) -> str:
    return str(plan.settings.get("consent_text", ""))

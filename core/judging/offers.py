"""Before and after a session: the plans that a rater may judge, opening a session with one, and putting it away."""

import re
import secrets

from biasprint.core.judging.assignment import CompactRows, assigned
from biasprint.core.judging.blind import Offer, SessionView, StartInfo
from biasprint.core.judging.card_order import secret_of
from biasprint.core.judging.known import practice_result
from biasprint.core.judging.plan import PlanSettings
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.work import JudgingWork, RaterSession, Refused
from biasprint.core.project.rows import PlanRow, SessionRow

CODE_LENGTH = 40
LONGEST_DESCRIPTION = 2_000  # characters


# ---- The commands


def offer_plans(work: JudgingWork, code: str | None = None) -> StartInfo:
    """List the plans that the rater `code` can judge; without a code, whoever has an open session, or a new rater."""
    store = work.store
    if code is None:
        code = store.only_code() or _open_code(store)
    plans = [plan for plan in store.plans() if store.judging.count(plan.id)]
    return StartInfo(code, tuple(_offer(work, plan, number, code) for number, plan in enumerate(plans, start=1)))


def offer_to_new_rater(work: JudgingWork) -> StartInfo:
    """List them for somebody who has not rated here yet, under the next free code."""
    return offer_plans(work, _new_code(work.store))


def open_session(work: JudgingWork, offer: str, code: str, consent: bool = False, background: str = "") -> SessionView:
    """Begin or resume the session of the rater `code` with an offered plan.

    `offer`: its token. `background`: how the rater describes themselves; nothing leaves what was said before as it is.
    """
    store = work.store
    plan = next((plan for plan in store.plans() if work.offered.get(plan.id) == offer), None)
    if plan is None:
        raise Refused("This set is no longer there.", hint="Choose another one.")
    code = code.strip()
    if not code or len(code) > CODE_LENGTH or not code.isprintable():
        raise Refused(
            "A rater code has 1 to 40 printable characters.", hint="Use the code that you were given, such as R01."
        )
    settings = PlanSettings.of(plan.settings)
    if settings.consent_text and not consent and not _agreed(_session_of(store, plan, code)):
        raise Refused("The session starts once you agree to the text above.")
    _refuse_packet_code(store, plan, code)
    rater = store.rater(code)
    if rater.kind != "person":
        raise Refused("This code belongs to a model.", hint="Use a code of your own.")
    session = store.session(plan.id, rater.id, settings.consent_text)
    if settings.ask_background and (words := background.strip()):
        store.judging.describe_rater(rater.id, {"described": words[:LONGEST_DESCRIPTION]})
    work.opened = RaterSession(store, plan, rater, session, work.now)
    return work.opened.view()


def leave_session(work: JudgingWork) -> None:
    """Put the session away without revealing it; it can be opened again where it stopped."""
    if work.opened is not None:
        work.opened.keep_changed_remark()  # first: where this fails, the session stays open and the note with it
    work.opened = None


# ---- The facts of an offer, and who may rate here


def _offer(work: JudgingWork, plan: PlanRow, number: int, code: str) -> Offer:
    store, settings = work.store, PlanSettings.of(plan.settings)
    mine = _session_of(store, plan, code)
    judgments = store.judgments(mine.id) if mine is not None else ()
    practised = bool(judgments) or (mine is not None and _has_practised(store, settings, mine))
    return Offer(
        token=work.offered.setdefault(plan.id, secrets.token_urlsafe(9)),
        number=number,
        comparisons=_count(store, plan, code),
        done=sum(row.outcome in ("choice", "tie", "none") for row in judgments),
        skipped=sum(row.outcome == "skip" for row in judgments),
        opened=mine is not None and bool(mine.opened_at),  # a packet's is there before it is opened
        revealed=mine is not None and mine.revealed_at is not None,
        consent_text=settings.consent_text,
        agreed=_agreed(mine),
        asks_background=settings.ask_background,
        described=any(row.code == code and row.background.get("described") for row in store.raters()),
        notes=settings.notes,
        ratings=settings.criterion_ratings,
        instructions=settings.instructions,
        practice=0 if practised else len(settings.practice),
        question=settings.question,
        asks_worst=settings.worst,
        graded=settings.graded,
        confidence=settings.confidence,
        spans=settings.spans,
        prompts_shown=settings.prompts_shown > 0,
        prompts_withheld=settings.prompts_withheld > 0 and not settings.prompts_shown,
        cards=store.judging.card_counts(plan.id),
    )


def _count(store: ProjectStore, plan: PlanRow, code: str) -> int:
    """Count the comparisons of a plan that this rater is asked."""
    settings = PlanSettings.of(plan.settings)
    if not settings.split:
        return store.judging.count(plan.id)
    rows = CompactRows(store.judging.each_comparison(plan.id))
    return len(assigned(rows, settings, secret=secret_of(plan), code=code))


def _has_practised(store: ProjectStore, settings: PlanSettings, session: SessionRow) -> bool:
    return bool(settings.practice) and practice_result(store.project, session.id) is not None


def _session_of(store: ProjectStore, plan: PlanRow, code: str) -> SessionRow | None:
    raters = {row.code: row.id for row in store.raters()}
    mine = [row for row in store.sessions() if row.plan_id == plan.id and row.rater_id == raters.get(code)]
    return mine[0] if mine else None


def _agreed(session: SessionRow | None) -> bool:
    return session is not None and bool(session.consent_at)


def _refuse_packet_code(store: ProjectStore, plan: PlanRow, code: str) -> None:
    """Refuse a rater who rates in a packet, unless a session of theirs was begun here before."""
    away = store.packet_sessions()
    mine = _session_of(store, plan, code)
    raters = {row.rater_id for row in store.sessions() if row.id in away}
    in_packet = any(row.code == code and row.id in raters for row in store.raters())
    if in_packet and (mine is None or mine.id in away):
        raise Refused(f"{code} rates in a packet.", hint="Open the packet, or use another code here.")


def _open_code(store: ProjectStore) -> str:
    """Return the code of whoever has an open session, a new one if nobody has, and "" if several have."""
    people = {row.id: row.code for row in store.raters() if row.kind == "person"}
    away = store.packet_sessions()
    sessions = [row for row in store.sessions() if row.id not in away]
    ongoing = {people[row.rater_id] for row in sessions if row.revealed_at is None and row.rater_id in people}
    if not ongoing:
        return _new_code(store)
    return ongoing.pop() if len(ongoing) == 1 else ""


def _new_code(store: ProjectStore) -> str:
    """Return the next of R01, R02, …: numbered codes are what balances the order of the cards exactly over raters."""
    numbers = [int(match[1]) for row in store.raters() if (match := re.fullmatch(r"R(\d{1,6})", row.code))]
    return f"R{max(numbers, default=0) + 1:02d}"

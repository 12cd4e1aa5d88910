"""The narrow door to judging, and the thread behind it: a rater's offers, a session on one of them, and its end.

The judging thread alone holds the store, the plan and the map from cards to outputs: one object, a `JudgingWork`. A
window holds a `JudgingSession`: an inbox to put questions in, and futures that only ever hold what blind.py defines.
The work is handed over through the inbox and from then on lives in the local variables of `_serve`, so that nothing
that a panel holds leads to it. An error crosses as a new one, without traceback, cause or the file's name: a
traceback's frames would lead back to the store.

What this does not stop: code that goes looking through the interpreter itself (sys._current_frames, gc.get_objects) or
reads the file. It is a wall against leaks by accident or curiosity, in tool tips, titles, logs and debuggers.
"""

import re
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from biasprint.core.errors import AppError
from biasprint.core.judging.assignment import CompactRows, assigned
from biasprint.core.judging.blind import BlindAnswer, Offer, SessionView, StartInfo, is_blind
from biasprint.core.judging.card_order import secret_of
from biasprint.core.judging.known import practice_result
from biasprint.core.judging.plan import PlanSettings
from biasprint.core.judging.reveal import finish, reveal
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.work import (
    JudgingWork,
    RaterSession,
    Refused,
    current_view,
    go_back,
    go_to,
    list_entries,
    mark_words,
    rate,
    record_choice,
    record_confidence,
    resume,
    save_note,
    touch,
    withdraw,
)
from biasprint.core.project.rows import PlanRow, SessionRow

CODE_LENGTH = 40
LONGEST_DESCRIPTION = 2_000  # characters


# ---- Offers: the plans that a rater may judge, opening a session with one, and putting it away


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


# ---- The thread and its door

Given = ParamSpec("Given")
Answer = TypeVar("Answer", bound=BlindAnswer)

# The commands, and no others, that the judging thread obeys, each with the sentence for its failure. None names a file:
# project files are named after what they study.
_UNREAD = "The project could not be read."
_NOTE_LOST = "Your note was not saved."
COMMANDS: dict[Callable[..., BlindAnswer], str] = {
    offer_plans: _UNREAD,
    offer_to_new_rater: _UNREAD,
    open_session: "The session was not opened.",
    leave_session: _NOTE_LOST,
    reveal: "The session was not revealed.",
    finish: "The packet is not finished.",
    record_choice: "Your answer was not saved.",
    record_confidence: "Your answer is saved; how sure you are of it was not.",
    mark_words: "The marked words were not saved.",
    withdraw: "Your answer was not taken back.",
    save_note: _NOTE_LOST,
    rate: "Your rating was not saved.",
    touch: _UNREAD,
    current_view: _UNREAD,
    go_back: _UNREAD,
    go_to: _UNREAD,
    resume: _UNREAD,
    list_entries: _UNREAD,
}


class _Question(NamedTuple):
    command: Callable[..., Any]
    arguments: tuple[Any, ...]
    named: dict[str, Any]
    future: "Future[Any]"


_Inbox = SimpleQueue["_Question | JudgingWork | None"]


class JudgingSession:
    """The window's end of the door. Answers come in the order of the questions."""

    def __init__(self, inbox: _Inbox) -> None:
        self._inbox = inbox
        self._closed = False

    def ask(
        self, command: Callable[Concatenate[JudgingWork, Given], Answer], *arguments: Given.args, **named: Given.kwargs
    ) -> "Future[Answer]":
        """Have the judging thread call one of `COMMANDS`, and return at once.

        The future holds the answer or an `AppError`; that of a command that writes is done only once it is on disk.
        """
        future: Future[Answer] = Future()
        if self._closed:
            future.set_exception(AppError("Judging is closed.", kept="What was saved is kept."))
        else:
            self._inbox.put(_Question(command, arguments, named, future))
        return future

    def close(self, seconds: float = 0.0) -> None:
        """Finish what was asked, waiting at most `seconds` for it, then end the judging thread."""
        if not self._closed:
            left = self.ask(leave_session)
            self._closed = True
            self._inbox.put(None)
            wait([left], timeout=seconds)


def open_judging(store: ProjectStore, *, now: Callable[[], float] = time.monotonic) -> JudgingSession:
    """Start a judging thread over `store`, and return the door to it. The caller drops its own references."""
    inbox: _Inbox = SimpleQueue()
    inbox.put(JudgingWork(store, now=now))
    taken = threading.Event()
    threading.Thread(target=_serve, args=(inbox, taken), name="judging", daemon=True).start()
    taken.wait()
    return JudgingSession(inbox)


def _serve(inbox: _Inbox, taken: threading.Event) -> None:
    work = inbox.get()
    assert isinstance(work, JudgingWork)
    taken.set()
    while (question := _next(inbox, work)) is not None:
        if question.future.set_running_or_notify_cancel():
            _answer(work, question)
        del question  # a future that was answered is its asker's alone


def _next(inbox: _Inbox, work: JudgingWork) -> _Question | None:
    """Return the next question; while there is none, fetch ahead."""
    try:
        question = inbox.get_nowait()
    except Empty:
        with suppress(Exception):  # fetching ahead is optional: whoever asks for the texts gets the error
            if work.opened is not None:
                work.opened.prefetch()
        question = inbox.get()
    assert not isinstance(question, JudgingWork)
    return question


def _answer(work: JudgingWork, question: _Question) -> None:
    try:
        if question.command not in COMMANDS:
            raise Refused("Judging has no such command.", kept="Nothing was changed.")
        answer = question.command(work, *question.arguments, **question.named)
        assert is_blind(answer)
    except Exception as error:
        question.future.set_exception(_blind_error(error, question.command))
    else:
        question.future.set_result(answer)


def _blind_error(error: Exception, command: Callable[..., Any]) -> AppError:
    """Return the error in words that name no file."""
    if isinstance(error, Refused):
        return AppError(error.message, hint=error.hint, kept=error.kept)
    return AppError(
        COMMANDS[command],
        kept="Your note stays here, and what was saved before is kept.",
        hint="See that the project’s disk is there, has room and can be written to, then try again.",
        details=type(error).__name__,
    )

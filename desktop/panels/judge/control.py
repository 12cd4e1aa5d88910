"""A rating session as the window drives it: one question at a time to the judging thread, answers as signals."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Concatenate, ParamSpec, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer, Signal
from shiboken6 import isValid

from biasprint.core.errors import AppError
from biasprint.core.jobs import precedence
from biasprint.core.judging.blind import (
    Answered,
    BlindAnswer,
    GivenAnswer,
    Offer,
    Ratings,
    Revelation,
    SessionProgress,
    SessionView,
    StartInfo,
)
from biasprint.core.judging.offers import leave_session, open_session
from biasprint.core.judging.reveal import finish, reveal
from biasprint.core.judging.session import JudgingSession
from biasprint.core.judging.work import JudgingWork, go_back, rate, record_choice, resume, save_note, touch, withdraw
from biasprint.desktop.panels.judge.work import WorkPage

Given = ParamSpec("Given")
Answer = TypeVar("Answer", bound=BlindAnswer)
Then = Callable[[Any], object]


class Answers(QObject):
    """Hands the answer of a future, or its error, to a callable on the window's thread."""

    _arrived = Signal(object, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def wait(self, future: "Future[Any]", then: Then, otherwise: Callable[[AppError], object]) -> None:
        """Call `then` with the answer or `otherwise` with the error, later, on this thread."""

        def hand_over(done: "Future[Any]") -> None:
            if isValid(self):  # the window may have closed meanwhile
                self._arrived.emit(done, then, otherwise)

        future.add_done_callback(hand_over)

    def _deliver(self, done: "Future[Any]", then: Then, otherwise: Callable[[AppError], object]) -> None:
        error = done.exception()
        if error is None:
            then(done.result())
        elif isinstance(error, AppError):
            otherwise(error)
        else:
            raise error


TOUCH_MILLISECONDS = 5_000
ANSWER_SHOWN_AFTER_MILLISECONDS = 50  # sooner, the next comparison says it: marking the answer costs it its time
CLOSE_SECONDS = 2.0
AFTER_PAINTING = Qt.EventPriority.LowEventPriority.value - 1  # Qt paints with low priority


class JudgeControl(QObject):
    """Holds the window's end of a judging session and the view last given, and never what is behind it.

    What is said on `page`, on which one compares, is recorded; a note in the making is saved before one goes elsewhere.
    While an answer is awaited, other commands that change the view do nothing: nobody judges what was not shown.
    """

    started_with = Signal(object)  # StartInfo
    shown = Signal(object)  # SessionView
    progressed = Signal(object)  # SessionProgress
    revealed = Signal(object)  # Revelation
    finished = Signal(object)  # SessionProgress, of a packet
    saved = Signal(str)  # "saved", "saving" or "failed"
    blinded = Signal(bool)
    ended = Signal()
    failed = Signal(object)  # AppError

    def __init__(self, page: WorkPage, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._page = page
        self._answers = Answers(self)
        self._session: JudgingSession | None = None
        self._touched = QTimer(self, singleShot=True, interval=TOUCH_MILLISECONDS)
        self._late = QTimer(self, singleShot=True, interval=ANSWER_SHOWN_AFTER_MILLISECONDS)
        self._late.timeout.connect(self._show_answer)
        self._given: GivenAnswer | None = None  # on its way to the disk
        self._settled = QTimer(self, singleShot=True, interval=0)
        self._settled.timeout.connect(self._give_back)
        self._ratings_under_way = 0
        self.view: SessionView | None = None
        self.busy = False
        page.answered.connect(self._answer)
        page.back.connect(self.back)
        page.resumed.connect(lambda: self.go(resume))
        page.withdrawn.connect(lambda: self.go(withdraw, self.token))
        page.note_begun.connect(lambda: self.saved.emit("saving"))
        page.note_typed.connect(self._save_note)
        page.rated.connect(self._rate)
        page.looked_at.connect(self.touch)

    @property
    def has_project(self) -> bool:
        return self._session is not None

    @property
    def in_session(self) -> bool:
        """Whether a rater's session is open, and the window blind."""
        return self.view is not None

    @property
    def token(self) -> str:
        """The comparison in view, or "" for none."""
        return self.view.comparison.token if self.view is not None and self.view.comparison is not None else ""

    def take(self, session: JudgingSession) -> None:
        """Judge through this session from now on."""
        self.close()
        self._session = session

    def close(self) -> None:
        """Let go of the project, whatever can be saved of a note by then."""
        if self._session is not None:
            if self.in_session:
                self.ask(lambda _: None, leave_session)
                self._end()
            self._session.close(CLOSE_SECONDS)
            self._session = None

    def ask(
        self,
        then: Callable[[Answer], object],
        command: Callable[Concatenate[JudgingWork, Given], Answer],
        *arguments: Given.args,
        **named: Given.kwargs,
    ) -> None:
        """Ask for something that does not change the view; `then` is called with the answer."""
        if self._session is not None:
            self._answers.wait(self._session.ask(command, *arguments, **named), then, self.failed.emit)

    # before a session

    def ask_offers(
        self,
        command: Callable[Concatenate[JudgingWork, Given], StartInfo],
        *arguments: Given.args,
        **named: Given.kwargs,
    ) -> None:
        """Ask what there is to judge; not told if another project is opened meanwhile, whose offers are others."""
        session = self._session

        def tell(info: StartInfo) -> None:
            if session is self._session:
                self.started_with.emit(info)

        self.ask(tell, command, *arguments, **named)

    def open(self, offer: Offer, code: str, consent: bool, background: str = "") -> None:
        if self._session is not None and not self.busy:
            # Blind before the first text is asked for, not after.
            self.blinded.emit(True)
            opening = self._session.ask(open_session, offer.token, code, consent, background)
            self._await(opening, self._show, self._not_opened)

    # in a session

    def go(
        self,
        command: Callable[Concatenate[JudgingWork, Given], SessionView],
        *arguments: Given.args,
        **named: Given.kwargs,
    ) -> None:
        """Go to another comparison; a note in the making is saved first."""
        self._page.flush_note()
        if self._session is not None and self.in_session and not self.busy:
            self._await(self._session.ask(command, *arguments, **named), self._saved, self._not_saved)

    def back(self) -> None:
        """Go to the answer before the one in view; from the overview of an ended session, to the last one."""
        self.go(go_back, self.token)

    def touch(self) -> None:
        """Give a sign of life, at most every five seconds."""
        if self._session is not None and self.in_session and not self._touched.isActive():
            self._touched.start()
            self._answers.wait(self._session.ask(touch), self.progressed.emit, lambda _: None)

    def reveal(self, anyway: bool) -> None:
        if self._session is not None and not self.busy:
            self._await(self._session.ask(reveal, anyway=anyway), self._revealed, self.failed.emit)

    def finish(self, anyway: bool) -> None:
        """Lock and seal a packet."""
        if self._session is not None and not self.busy:
            self._await(self._session.ask(finish, anyway=anyway), self._finished, self._not_saved)

    def leave(self, then: Callable[[], object]) -> None:
        """Put the session away; it goes on where it stopped. It stays open where a note cannot be saved."""

        def left(_: object) -> None:
            self._end()
            then()

        if self._session is not None and self.in_session and not self.busy:
            self._await(self._session.ask(leave_session), left, self._not_saved)

    # what is said on the page

    def _answer(self, outcome: Answered, card: int | None, worst: int | None = None) -> None:
        """Record an answer, unless one is on its way or nothing is in view."""
        if self._session is not None and self.token and not self.busy:
            self.saved.emit("saving")
            note = self._page.typed_note()
            recording = self._session.ask(record_choice, self.token, outcome, card, note, worst)
            self._await(recording, self._saved, self._not_saved)
            self._given = GivenAnswer(outcome, card, worst)
            self._late.start()

    def _show_answer(self) -> None:
        """Mark the answer that the disk is taking its time for."""
        if self._given is not None:
            self._page.set_answer(self._given)

    def _stop_showing(self) -> None:
        self._late.stop()
        self._given = None

    def _save_note(self, note: str) -> None:
        def saved(_: object) -> None:
            if not self._page.note_waits:  # more may have been typed by the time this much is on disk
                self.saved.emit("saved")

        if self._session is not None and self.token:
            self._answers.wait(self._session.ask(save_note, self.token, note), saved, self._not_saved)

    def _rate(self, token: str, card: int, criterion: int, rating: int | None) -> None:
        """Write a rating; several may be under way, and only the last answer is shown."""
        if self._session is None or not self.in_session:
            return

        def answered(ratings: Ratings | None) -> None:
            self._ratings_under_way -= 1
            if ratings is None or self._ratings_under_way == 0:
                self._show_rated(token, ratings)

        def done(ratings: Ratings) -> None:
            answered(ratings)
            self.saved.emit("saved")

        def failed(error: "AppError") -> None:
            answered(None)
            self._not_saved(error)

        self._ratings_under_way += 1
        self.saved.emit("saving")
        self._answers.wait(self._session.ask(rate, token, card, criterion, rating), done, failed)

    def _show_rated(self, token: str, ratings: Ratings | None) -> None:
        """Show the ratings on disk; after a failed write those are the earlier ones."""
        comparison = self._page.comparison
        if comparison is not None and comparison.token == token:
            self._page.set_ratings(token, (comparison.ratings if ratings is None else ratings) or ())

    # inside

    def customEvent(self, event: QEvent) -> None:
        """What came in answer is painted: jobs may go on, once the window has nothing more to do for it."""
        self._settled.start()

    def _give_back(self) -> None:
        if not self.busy:  # or the next key has been pressed
            precedence.give_back()

    def _await(self, future: "Future[Any]", then: Then, otherwise: Then) -> None:
        """Wait for the one answer that changes the view."""
        self.busy = True
        precedence.take()  # a chart, or a job that writes, can wait for the moment that the rater would wait for it

        def done(answer: Any, deliver: Then) -> None:
            self.busy = False
            self._stop_showing()
            deliver(answer)
            QCoreApplication.postEvent(self, QEvent(QEvent.Type.User), AFTER_PAINTING)

        self._answers.wait(future, lambda answer: done(answer, then), lambda error: done(error, otherwise))

    def _show(self, view: SessionView) -> None:
        self.view = view
        if view.revealed:
            self.reveal(True)
            return
        self.shown.emit(view)
        self.progressed.emit(view.progress)

    def _not_opened(self, error: "AppError") -> None:
        self.blinded.emit(False)
        self.failed.emit(error)

    def _saved(self, view: SessionView) -> None:
        self.saved.emit("saved")
        self._show(view)

    def _not_saved(self, error: "AppError") -> None:
        self.saved.emit("failed")
        self.failed.emit(error)

    def _revealed(self, revelation: Revelation) -> None:
        self._put_away()
        self.revealed.emit(revelation)

    def _finished(self, progress: SessionProgress) -> None:
        self._put_away()
        self.finished.emit(progress)

    def _put_away(self) -> None:
        """A locked session has nothing left to save."""
        self.ask(lambda _: None, leave_session)
        self._end()

    def _end(self) -> None:
        self.view = None
        self.busy = False
        self._stop_showing()
        self.blinded.emit(False)
        self.ended.emit()

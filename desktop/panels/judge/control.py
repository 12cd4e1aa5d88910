"""The window's side of a rating session: it sends one request at a time to the judging thread and signals replies."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, Concatenate, ParamSpec, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer, Signal
from shiboken6 import isValid

from biasprint.core.errors import AppError
from biasprint.core.jobs import precedence
from biasprint.core.judging.blind import (
    Answered,
    BlindAnswer,
    CardSpans,
    GivenAnswer,
    Offer,
    Ratings,
    Revelation,
    SessionProgress,
    SessionView,
    StartInfo,
)
from biasprint.core.judging.reveal import finish, reveal
from biasprint.core.judging.session import JudgingSession, leave_session, open_session
from biasprint.core.judging.work import (
    JudgingWork,
    go_back,
    mark_words,
    rate,
    record_choice,
    record_confidence,
    resume,
    save_note,
    touch,
    withdraw,
)
from biasprint.core.project.rows import Degree
from biasprint.desktop.panels.judge.work import WorkPage

Given = ParamSpec("Given")
Answer = TypeVar("Answer", bound=BlindAnswer)
Then = Callable[[Any], object]


class Answers(QObject):
    """A bridge that hands the result or error of a future to a callable on the window's thread."""

    _arrived = Signal(object, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def wait(self, future: "Future[Any]", then: Then, otherwise: Callable[[AppError], object]) -> None:
        """Call `then` with the result, or `otherwise` with the error, later on this thread."""

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
    """The window's end of a judging session. It holds the last view, never what the view hides.

    It records what the work page (`page`) reports, and saves an unsaved note before the rater moves on.
    While a reply is awaited, it ignores other commands that change the view: nobody judges what was not shown.
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
        self._ratings_under_way = self._marks_under_way = 0
        self.view: SessionView | None = None
        self.busy = False
        page.answered.connect(self._answer)
        page.confident.connect(self._be_sure)
        page.marked.connect(self._mark)
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
        """True while a rater's session is open and the window is blind."""
        return self.view is not None

    @property
    def token(self) -> str:
        """The token of the comparison in view, or "" if there is none."""
        return self.view.comparison.token if self.view is not None and self.view.comparison is not None else ""

    def take(self, session: JudgingSession) -> None:
        """Judge through this session from now on."""
        self.close()
        self._session = session

    def close(self) -> None:
        """Release the project, after saving a note where that is possible."""
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
        """Send a request that does not change the view; `then` receives the reply."""
        if self._session is not None:
            self._answers.wait(self._session.ask(command, *arguments, **named), then, self.failed.emit)

    # before a session

    def ask_offers(
        self,
        command: Callable[Concatenate[JudgingWork, Given], StartInfo],
        *arguments: Given.args,
        **named: Given.kwargs,
    ) -> None:
        """Ask what there is to judge; the reply is dropped if another project is opened meanwhile."""
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
        """Go to another comparison, after saving an unsaved note."""
        self._page.flush_note()
        if self._session is not None and self.in_session and not self.busy:
            self._await(self._session.ask(command, *arguments, **named), self._saved, self._not_saved)

    def back(self) -> None:
        """Go to the answer before the one in view, or to the last answer from the overview at the end."""
        self.go(go_back, self.token)

    def touch(self) -> None:
        """Signal that the rater is active, at most every five seconds."""
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
        """Pause the session, to go on later where it stopped. It stays open if a note cannot be saved."""

        def left(_: object) -> None:
            self._end()
            then()

        if self._session is not None and self.in_session and not self.busy:
            self._await(self._session.ask(leave_session), left, self._not_saved)

    # what is said on the page

    def _answer(self, outcome: Answered, card: int | None, worst: int | None, degree: Degree | None) -> None:
        """Record an answer, unless another one is being recorded or nothing is in view."""
        if self._session is not None and self.token and not self.busy:
            note = self._page.typed_note()
            views = self._page.views.so_far()
            self._record(
                self._session.ask(record_choice, self.token, outcome, card, note, worst, views, degree),
                GivenAnswer(outcome, card, worst, degree),
            )

    def _be_sure(self, confidence: int) -> None:
        """Record how sure the rater is of the answer in view."""
        if self._session is not None and self.view is not None and self.view.answer is not None and not self.busy:
            note = self._page.typed_note()
            self._record(
                self._session.ask(record_confidence, self.token, confidence, note, self._page.views.so_far()),
                replace(self.view.answer, confidence=confidence),
            )

    def _record(self, recording: "Future[SessionView]", given: GivenAnswer) -> None:
        self.saved.emit("saving")
        self._await(recording, self._saved, self._not_saved)
        self._given = given
        self._late.start()

    def _show_answer(self) -> None:
        """Mark the answer that is still being written."""
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
        """Write a rating; several writes may run at once, and only the last reply is shown."""
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

    def _mark(self, token: str, spans: CardSpans) -> None:
        """Write the marked words; of several writes at once only the last reply is shown."""
        if self._session is None or not self.in_session:
            return

        def done(kept: CardSpans) -> None:
            self._marks_under_way -= 1
            if not self._marks_under_way:
                self._page.set_spans(token, kept)
            self.saved.emit("saved")

        def failed(error: "AppError") -> None:
            self._marks_under_way -= 1
            comparison = self._page.comparison
            if comparison is not None:
                self._page.set_spans(token, comparison.spans or ())
            self._not_saved(error)

        self._marks_under_way += 1
        self.saved.emit("saving")
        self._answers.wait(self._session.ask(mark_words, token, spans), done, failed)

    def _show_rated(self, token: str, ratings: Ratings | None) -> None:
        """Show the ratings on disk; after a failed write those are the earlier ones."""
        comparison = self._page.comparison
        if comparison is not None and comparison.token == token:
            self._page.set_ratings(token, (comparison.ratings if ratings is None else ratings) or ())

    # inside

    def customEvent(self, event: QEvent) -> None:
        """Let jobs go on after the reply was painted, once the window is idle."""
        self._settled.start()

    def _give_back(self) -> None:
        if not self.busy:  # or the next key has been pressed
            precedence.give_back()

    def _await(self, future: "Future[Any]", then: Then, otherwise: Then) -> None:
        """Wait for the one reply that changes the view."""
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
        """Leave a locked session, which has nothing left to save."""
        self.ask(lambda _: None, leave_session)
        self._end()

    def _end(self) -> None:
        self.view = None
        self.busy = False
        self._stop_showing()
        self.blinded.emit(False)
        self.ended.emit()

"""The form that draws comparisons: the texts, how many, what that number can show, and the questions to raters.

It names axes and models, so raters never see it.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QPlainTextEdit, QSpinBox, QWidget

from biasprint.core import compute
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.known import read_known
from biasprint.core.judging.plan import PlanKind, PlanSettings
from biasprint.core.judging.wording import instructions_of, question_of, rubric_of, rubric_text
from biasprint.core.project.project import Project
from biasprint.core.prompts.cogs import cogs_tasks
from biasprint.core.runs.compare import ComparedPlan, compare
from biasprint.core.runs.compare.planning import Outlook, Size, outlooks
from biasprint.core.runs.compare.pool import StudyOffer, offers
from biasprint.desktop import theme
from biasprint.desktop.panels.judge.teaching import Teaching, TeachingBox
from biasprint.desktop.panels.judge.what import WhatBox
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Card, Label, PrimaryButton, QuietButton, plural, tr
from biasprint.desktop.widgets.choice import CheckBox
from biasprint.desktop.widgets.events import guard_wheel
from biasprint.desktop.widgets.labels import hidden, named, show_if, show_words
from biasprint.desktop.widgets.layout import Gap, Scroller, add_to, clear_row, grid_of, in_column, in_row, scaled

# ---- What the planned numbers can show

WAIT_MILLISECONDS = 250  # after the last change: whoever turns a number passes many


class Planned(NamedTuple):
    """The planned numbers: `cards` texts in a comparison of each axis, `comparisons` on each, by `raters` each."""

    cards: tuple[int, ...]
    comparisons: int
    raters: int
    shown: int = 0  # at a time, where there are more; 0: all
    worst: bool = False
    split: int = 0
    overlap: float = 0.0
    sway: float = 0.0


class PowerLine(QWidget):
    """The power of the planned numbers: one sentence for axes with two texts, one for three, and the number needed.

    It asks only while it is visible, and drops replies that come too late.
    """

    def __init__(self) -> None:
        super().__init__()
        self._shell: Shell | None = None
        self._planned: Planned | None = None
        self._asked: Planned | None = None
        self._timer = QTimer(self, singleShot=True, interval=WAIT_MILLISECONDS)
        self._timer.timeout.connect(self._ask)
        self.sees, self.needs = Label("", "", wrap=True), Label("", "note", wrap=True)
        in_column(self.sees, self.needs, inside=self, spacing=theme.current().grid // 2, margins=0)

    def use(self, shell: Shell) -> None:
        self._shell = shell

    def plan(self, planned: Planned | None) -> None:
        """Ask what these numbers can show; None where nothing can be planned yet."""
        if planned is None:
            self._timer.stop()
            self._planned = self._asked = None
            self._say((), ())
        elif planned != self._planned:
            self._planned = planned
            self._timer.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._planned is not None and self._planned != self._asked:
            self._timer.start()

    def _ask(self) -> None:
        planned = self._planned
        if planned is None or planned == self._asked or self._shell is None or not self.isVisible():
            return
        self._asked = planned
        self._shell.jobs.start(
            tr("Working out what comparisons can show"),
            lambda ctx: _outlooks(ctx, planned),
            on_done=lambda outlooks: self._show(planned, outlooks),
            on_error=self._failed,
            quiet=True,
        )

    def _show(self, planned: Planned, found: Sequence[Outlook]) -> None:
        if planned == self._planned:
            self._say(
                [outlook.sees for outlook in found], [needs_words(outlook, alone=len(found) == 1) for outlook in found]
            )

    def _failed(self, error: AppError) -> None:
        self._asked = None  # the next change asks again
        self._say((), (error.message,))

    def _say(self, sees: Sequence[str], needs: Sequence[str]) -> None:
        for label, sentences in ((self.sees, sees), (self.needs, needs)):
            label.setText("\n".join(sentences))
            label.setVisible(bool(sentences))


def needs_words(found: Outlook, *, alone: bool = True) -> str:
    """Return the number needed; where it is enough and `alone` is true, return what it can detect."""
    enough = found.needed is not None and found.needed <= found.comparisons
    return found.detects if alone and enough else found.needs


def _outlooks(ctx: JobContext, planned: Planned) -> Sequence[Outlook]:

    # Axes by number alone: a job's memory must not name what a rater in this window may not know.
    sizes = {
        str(number): Size.of_plan(planned.comparisons, cards, planned.shown, planned.worst)
        for number, cards in enumerate(planned.cards)
    }
    settings = PlanSettings(split=planned.split, overlap=planned.overlap, sway=planned.sway)
    return outlooks(ctx, compute.shared(), sizes, raters=planned.raters, settings=settings)


# ---- The page

WIDTH, CONSENT_HEIGHT = 760, 88


class DrawRequest(NamedTuple):
    """The arguments of `biasprint.core.runs.compare.compare`, with the fields of the teaching box as typed."""

    study_id: int
    kind: PlanKind
    axes: tuple[str, ...]
    models: tuple[str, ...]
    per_axis: int
    raters: int
    seed: int
    repeat_share: float
    consent_text: str
    criterion_ratings: bool
    ask_background: bool
    notes: bool
    teaching: Teaching = Teaching()
    cards: int = 0
    worst: bool = False
    graded: bool = False
    confidence: bool = False
    spans: bool = False
    show_prompt: bool = True
    adaptive: int = 0


class SetupPage(Scroller):
    """The form: texts, numbers of comparisons and raters, what they can show, and the questions to raters."""

    wanted = Signal(object)  # DrawRequest
    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.what, self.power = WhatBox(), PowerLine()
        self.per_axis, self.raters = _spin(1, 10_000, 12), _spin(1, 200, 1)
        self.repeats, self.seed = _spin(0, 50, 0, suffix=" %"), _spin(0, 2_000_000_000, 1)
        self.rounds = _check(tr("Draw in rounds (fewer comparisons)"))
        self.rounds_note = hidden(Label(tr(_ROUNDS_NOTE), "note", wrap=True))
        self.per_axis_label, self.raters_label = Label("", wrap=True), Label("", wrap=True)
        self.consent = named(QPlainTextEdit(tabChangesFocus=True), tr("Consent text"))
        self.consent.setPlaceholderText(tr("Optional. Raters agree to this before the first comparison."))
        self.notes = _check(tr("Raters may write notes"), checked=True)
        self.prompts = _check(tr("Raters read the prompt where it names nothing that stays hidden"), checked=True)
        self.ratings = _check(tr("Raters also rate each text by the rubric"))
        self.background = _check(tr("Raters may describe themselves"))
        self.background.setToolTip(tr("In their own words, and never required."))
        self.also = QuietButton(tr("Also ask for degree, confidence and reasons…"))
        self.also.setCheckable(True)
        self.graded = _check(tr("How much better the chosen text is: slightly or much"))
        self.confidence = _check(tr("How sure the rater is of each answer: a guess, fairly sure, sure"))
        self.spans = _check(tr("Words that decided it: raters may mark them in the texts"))
        self.teaching = TeachingBox()
        self.draw = PrimaryButton(tr("Draw comparisons"), act=self._ask)
        self.cancel = QuietButton(tr("Cancel"), act=self.cancelled)
        self.wanting = Label("", "note", wrap=True)
        self._busy = False
        self._lay_out()
        self.what.changed.connect(lambda: self.teaching.show_identities(self.what.compared()))
        self.what.changed.connect(self._changed)
        self.rounds.toggled.connect(lambda _: self._changed())
        taught = self.teaching
        for spin in (self.per_axis, self.raters, taught.split, taught.overlap, taught.sway):
            spin.valueChanged.connect(lambda _: self._changed())

    @property
    def axes(self) -> dict[str, QCheckBox]:
        """The check boxes of the axes on offer, by key."""
        return self.what.axes

    def show_offers(self, offers: Sequence[StudyOffer], *, can_cancel: bool) -> None:
        """Offer the studies that have texts."""
        self.what.show_offers(offers)
        self.cancel.setVisible(can_cancel)

    def forget(self) -> None:
        """Remove the names of all axes and models: a rater is at work in this window."""
        self.what.forget()

    def set_busy(self, busy: bool) -> None:
        self._busy = busy
        self._changed()

    def _changed(self) -> None:
        wanting, offer = self.what.wanting(), self.what.offer
        self.draw.setEnabled(not wanting and not self._busy)
        show_words(self.wanting, wanting)
        # Only creative tasks come with a rubric.
        show_if(self.ratings, offer is not None and offer.kind == "creativity")
        identity = self.what.chosen_kind == "identity"
        what, taught = self.what, self.teaching.values()
        number = tr("Comparisons per axis") if identity else tr("Comparisons")
        in_round = tr("Per axis in a round") if identity else tr("In a round")
        show_if(self.rounds_note, self.rounds.isChecked())
        for label, field, title in (
            (self.per_axis_label, self.per_axis, in_round if self.rounds.isChecked() else number),
            (self.raters_label, self.raters, tr("Raters in all") if taught.split else tr("Raters of each")),
        ):
            label.setText(title)
            field.setAccessibleName(tr(title))
        dealt = {"split": taught.split, "overlap": taught.overlap, "sway": taught.sway}
        planned = Planned(what.sizes(), self.per_axis.value(), self.raters.value(), what.cards, what.worst, **dealt)
        self.power.plan(None if wanting else planned)

    def _ask(self) -> None:
        offer, kind = self.what.offer, self.what.chosen_kind
        if offer is None:
            return
        request = DrawRequest(
            study_id=offer.study_id,
            kind=kind,
            axes=self.what.axis_requests() if kind == "identity" else (),
            models=self.what.chosen_models() if kind == "model" else (),
            per_axis=self.per_axis.value(),
            raters=self.raters.value(),
            seed=self.seed.value(),
            repeat_share=self.repeats.value() / 100,
            consent_text=self.consent.toPlainText(),
            criterion_ratings=offer.kind == "creativity" and self.ratings.isChecked(),
            ask_background=self.background.isChecked(),
            notes=self.notes.isChecked(),
            teaching=self.teaching.values(),
            cards=self.what.cards,
            worst=self.what.worst,
            graded=self.graded.isChecked(),
            confidence=self.confidence.isChecked(),
            spans=self.spans.isChecked(),
            show_prompt=self.prompts.isChecked(),
            adaptive=self.per_axis.value() if self.rounds.isChecked() else 0,
        )
        self.wanted.emit(request)

    def _lay_out(self) -> None:
        tokens = theme.current()
        sheet, outer = clear_row()
        self._card = card = Card(tr("Draw comparisons"))
        self._fit(tokens)
        theme.signals.changed.connect(self._fit)
        outer.addWidget(card, 1, Qt.AlignmentFlag.AlignTop)
        outer.addStretch(0)
        add_to(card.box, self.what, Gap(tokens.grid), self._numbers(), self.rounds, self.rounds_note, self.power)
        add_to(card.box, Gap(tokens.grid), Label(tr("What raters are asked"), "strong"))
        add_to(
            card.box, self.prompts, self.notes, self.ratings, self.background, (self.also, Qt.AlignmentFlag.AlignLeft)
        )
        for box in (self.graded, self.confidence, self.spans):
            card.box.addWidget(box)
            box.hide()
            self.also.toggled.connect(box.setVisible)
        add_to(card.box, Label(tr("Consent text"), "strong"), self.consent, self.teaching, Gap(tokens.grid))
        card.box.addLayout(in_row(self.draw, self.cancel, (self.wanting, 1), 0))
        self.setWidget(sheet)

    def _fit(self, tokens: theme.Tokens) -> None:
        """Scale the card and the consent text with the font size."""
        self._card.setMaximumWidth(tokens.px(WIDTH))
        self.consent.setFixedHeight(tokens.px(CONSENT_HEIGHT))

    def _numbers(self) -> QGridLayout:
        form = grid_of(stretch=2)
        for row, (label, field, tip) in enumerate(
            (
                (self.per_axis_label, self.per_axis, _NUMBER_TIP),
                (self.raters_label, self.raters, _RATERS_TIP),
                (Label(tr("Hidden repeats"), wrap=True), self.repeats, _REPEATS_TIP),
                (Label(tr("Seed"), wrap=True), self.seed, _SEED_TIP),
            )
        ):
            field.setAccessibleName(label.text())
            field.setToolTip(tr(tip))
            label.setBuddy(field)
            form.addWidget(label, row, 0)
            form.addWidget(field, row, 1)
        return form


_ROUNDS_NOTE = (
    "Once a round is judged, Raters draws the next, among the texts that tell most about what is still open. In "
    "simulated studies the best of four or eight was certain after 18 to 67 % fewer comparisons than with random pairs."
)
_NUMBER_TIP = "At most; there are fewer where the texts do not suffice."
_RATERS_TIP = (
    "How many people each comparison is planned for; of a split plan, how many in all. Others may rate it too."
)
_REPEATS_TIP = "So many of the comparisons come again, sides swapped: does a rater answer them the same way?"
_SEED_TIP = "The same seed draws the same comparisons."


def _spin(low: int, high: int, value: int, suffix: str = "") -> QSpinBox:
    spin = guard_wheel(QSpinBox(minimum=low, maximum=high, value=value, suffix=suffix))
    scaled(spin, spin.setMinimumWidth, 110)
    return spin


def _check(text: str, *, checked: bool = False) -> QCheckBox:
    box = CheckBox(tr(text))
    box.setChecked(checked)
    return box


# ---- The job that draws comparisons, and the offers that it can draw from

NOT_WANTED = ("not drawn", "its identity")  # left out as asked, not for a fault of theirs


class Drawing(QObject):
    """The controller of the setup page. It reads the project only outside of sessions and keeps no reference to it."""

    def __init__(
        self,
        shell: Shell,
        page: SetupPage,
        *,
        on_choices: Callable[[], object],
        on_drawn: Callable[[], object],
        on_nothing: Callable[[], object],
    ) -> None:
        super().__init__(page)
        self._shell = shell
        self._page = page
        self._on_choices = on_choices
        self._on_drawn = on_drawn
        self._on_nothing = on_nothing
        self.open_by_choice = False
        page.power.use(shell)
        page.wanted.connect(self._draw)
        page.cancelled.connect(self._close)

    def offer(self, *, can_cancel: bool) -> None:
        """Look up which texts can be compared; then call `on_choices`, or `on_nothing` if there are none."""
        project = self._shell.project
        if project is None:
            return
        self.open_by_choice = can_cancel
        self._shell.jobs.start(
            tr("Looking for texts to compare"), lambda ctx: _offers(ctx, project), on_done=self._show, quiet=True
        )

    def _show(self, found: tuple[Sequence[StudyOffer], Sequence[tuple[str, str]]]) -> None:
        offers, rubrics = found
        self._page.teaching.show_rubrics(rubrics)
        if offers:
            self._page.show_offers(offers, can_cancel=self.open_by_choice)
            self._on_choices()
        else:
            self._close()
            self._on_nothing()

    def _draw(self, request: DrawRequest) -> None:
        project = self._shell.project
        if project is None:
            return
        self._page.set_busy(True)
        self._shell.jobs.start(
            tr("Drawing comparisons"),
            lambda ctx: _draw(ctx, project, request),
            on_done=lambda compared: self._drawn(compared, request.raters),
            on_error=self._failed,
            done_text=_told,
        )

    def _drawn(self, compared: ComparedPlan, raters: int) -> None:
        """Go on to judging, or to the packets if the comparisons are for several raters."""
        self._page.set_busy(False)
        self._close()
        self._on_drawn()
        if raters > 1:
            self._shell.show_panel("raters", packets_for=compared.plan_id, raters=raters)

    def _failed(self, error: AppError) -> None:
        self._page.set_busy(False)
        self._shell.show_error(error)

    def _close(self) -> None:
        self.open_by_choice = False


def _offers(ctx: JobContext, project: Project) -> tuple[Sequence[StudyOffer], Sequence[tuple[str, str]]]:
    """Return what can be compared, and the title and criteria of each task that comes with the program."""
    rubrics = [
        (task.title, rubric_text([(criterion.name, criterion.explanation) for criterion in task.rubric]))
        for task in cogs_tasks()
    ]
    return offers(ctx, project), [(title, text) for title, text in rubrics if text]


def _draw(ctx: JobContext, project: Project, request: DrawRequest) -> ComparedPlan:
    return compare(ctx, project, **asked_by(request))


def asked_by(request: DrawRequest) -> dict[str, Any]:
    """Return the arguments of `core.runs.compare.compare`; the raters' files are read here, off the window's thread."""
    asked, taught = request._asdict(), request.teaching
    del asked["teaching"]
    return {
        **asked,
        "own_order": taught.own_order,
        "split": taught.split,
        "overlap": taught.overlap,
        "sway": taught.sway,
        "sway_for": taught.sway_for,
        "sway_bias": taught.sway_bias,
        "instructions": instructions_of(taught.instructions),
        "question": question_of(taught.question),
        "rubric": rubric_of(taught.rubric),
        "practice": tuple(example.stored() for example in read_known(taught.practice)) if taught.practice else (),
        "checks": read_known(taught.checks) if taught.checks else (),
    }


def _told(compared: ComparedPlan) -> str:
    """Return the result of a draw in one sentence, with the commonest reason for omissions."""
    if not compared.made:
        return tr("These comparisons were drawn before: nothing was added.")
    words = plural(len(compared.drawn.comparisons), "%n comparison was drawn.", "%n comparisons were drawn.")
    reasons = compared.drawn.reasons
    wanting = Counter({why: n for why, n in reasons.items() if not why.startswith(NOT_WANTED)})
    if wanting:
        left = plural(wanting.total(), "%n text was left out", "%n texts were left out")
        ((reason, _),) = wanting.most_common(1)
        words += " " + tr("{left}, most often because {reason}.").format(left=left, reason=reason)
    return " ".join(part for part in (words, tr(compared.prompt_words)) if part)

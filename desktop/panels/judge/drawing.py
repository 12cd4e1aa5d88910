"""The job that draws comparisons from the window, and the offers that it can draw from."""

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from biasprint.core.jobs import JobContext
from biasprint.core.judging.known import read_known
from biasprint.core.judging.wording import instructions_of, question_of, rubric_of, rubric_text
from biasprint.core.prompts.cogs import cogs_tasks
from biasprint.core.runs.compare import compare
from biasprint.core.runs.compare.pool import offers
from biasprint.desktop.panels.judge.setup import DrawRequest, SetupPage
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import plural, tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biasprint.core.errors import AppError
    from biasprint.core.project.project import Project
    from biasprint.core.runs.compare import ComparedPlan
    from biasprint.core.runs.compare.pool import StudyOffer

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

    def _show(self, found: "tuple[Sequence[StudyOffer], Sequence[tuple[str, str]]]") -> None:
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

    def _drawn(self, compared: "ComparedPlan", raters: int) -> None:
        """Go on to judging, or to the packets if the comparisons are for several raters."""
        self._page.set_busy(False)
        self._close()
        self._on_drawn()
        if raters > 1:
            self._shell.show_panel("raters", packets_for=compared.plan_id, raters=raters)

    def _failed(self, error: "AppError") -> None:
        self._page.set_busy(False)
        self._shell.show_error(error)

    def _close(self) -> None:
        self.open_by_choice = False


def _offers(ctx: JobContext, project: "Project") -> "tuple[Sequence[StudyOffer], Sequence[tuple[str, str]]]":
    """Return what can be compared, and the title and criteria of each task that comes with the program."""
    rubrics = [
        (task.title, rubric_text([(criterion.name, criterion.explanation) for criterion in task.rubric]))
        for task in cogs_tasks()
    ]
    return offers(ctx, project), [(title, text) for title, text in rubrics if text]


def _draw(ctx: JobContext, project: "Project", request: DrawRequest) -> "ComparedPlan":
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


def _told(compared: "ComparedPlan") -> str:
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

"""Drawing comparisons from the window: what there is to draw from, and the job that draws."""

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from core.jobs import JobContext
from desktop.panels.base import Shell
from desktop.panels.judge_setup import AxisChoice, DrawRequest, SetupPage
from desktop.widgets import plural, tr

if TYPE_CHECKING:
    from core.errors import AppError
    from core.project.project import Project
    from core.runs.compare import Compared

STUDY = "creativity"
NOT_WANTED = ("not drawn", "its identity")  # left out as asked, not for a fault of theirs


class Drawing(QObject):
    """Fills the setup page and does what it asks for. Reads the project only outside of sessions, and keeps none."""

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
        page.wanted.connect(self._draw)
        page.cancelled.connect(self._close)

    def offer(self, *, can_cancel: bool) -> None:
        """Look up the axes that outputs exist for; then `on_choices`, or `on_nothing` where there are none."""
        project = self._shell.project
        if project is None:
            return
        self.open_by_choice = can_cancel
        self._shell.jobs.start(
            tr("Looking for outputs to compare"), lambda ctx: _choices(ctx, project), on_done=self._show, quiet=True
        )

    def _show(self, choices: list[AxisChoice]) -> None:
        if choices:
            self._page.show_axes(choices, can_cancel=self.open_by_choice)
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
            on_done=self._drawn,
            on_error=self._failed,
            done_text=_told,
        )

    def _drawn(self, _: "Compared") -> None:
        self._page.set_busy(False)
        self._close()
        self._on_drawn()

    def _failed(self, error: "AppError") -> None:
        self._page.set_busy(False)
        self._shell.show_error(error)

    def _close(self) -> None:
        self.open_by_choice = False


def _choices(ctx: JobContext, project: "Project") -> list[AxisChoice]:
    from core.project.stores.outputs import OutputFilter

    study = project.studies.of_kind(STUDY)
    choices = []
    for axis in project.axes.latest().values() if study is not None else ():
        ctx.check()
        identities = axis.definition["identities"]
        where = [OutputFilter(study_id=study.id, identity=one["key"], status="done") for one in identities]
        if all(project.outputs.page(0, 1, one) for one in where):
            choices.append(AxisChoice(axis.key, axis.title, tuple(one["label"] for one in identities)))
    return choices


def _draw(ctx: JobContext, project: "Project", request: DrawRequest) -> "Compared":
    from core.runs.compare import compare

    study = project.studies.of_kind(STUDY)
    assert study is not None
    return compare(
        ctx,
        project,
        study_id=study.id,
        axes=request.axes,
        seed=request.seed,
        per_axis=request.per_axis,
        repeat_share=request.repeat_share,
        consent_text=request.consent_text,
    )


def _told(compared: "Compared") -> str:
    """What was drawn, in one sentence, and the commonest reason for what was left out."""
    if not compared.made:
        return tr("These comparisons were drawn before: nothing was added.")
    words = plural(len(compared.drawn.comparisons), "%n comparison was drawn.", "%n comparisons were drawn.")
    reasons = compared.drawn.reasons
    wanting = Counter({why: n for why, n in reasons.items() if not why.startswith(NOT_WANTED)})
    if wanting:
        left = plural(wanting.total(), "%n output was left out", "%n outputs were left out")
        ((reason, _),) = wanting.most_common(1)
        words += " " + tr("{left}, most often because {reason}.").format(left=left, reason=reason)
    return words

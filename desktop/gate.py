"""One question before anything is shown that names identities, while somebody here is in the middle of rating.

Every way to such a panel or page leads through `LookGate.enter`: the rail, keys, palette, recent files, links between
panels, a project that opens under a panel that is shown. The look is written into the session before anything is seen
(biasprint.core.judging.looking); from then on there is nothing more to ask until another session is begun.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.judging import open_ratings
from biasprint.desktop.blindfold import Blindfold
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.widgets.words import tr

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from biasprint.core.project.changes import Changes
    from biasprint.core.project.project import Project
    from biasprint.desktop.operations.session import ProjectSession
    from biasprint.desktop.panels.base import Panel
    from biasprint.desktop.widgets import Banners


# ---- Notices about a project

EXAMINATION, WORKING_COPY, DAMAGE = "examination", "working-copy", "damage"


class NoticingWindow(Shell, Protocol):
    """The part of the window where notices are shown, besides what every panel may ask of the window."""

    session: "ProjectSession"
    banners: "Banners"


class ProjectNotices:
    """The notices about the open project. `look` is called when one was opened and after every change.

    The dialogs are imported when they are needed: none is for the first paint.
    """

    def __init__(self, window: NoticingWindow, widget: "QWidget") -> None:
        self._window, self._widget = window, widget
        self._copy: tuple[str, ...] = ()  # what was told of the working copy
        self._damage = (0, 0)  # rows left out, and rows that a check found, that were told of
        self._examining = False

    def forget(self) -> None:
        """Remove the notices: another project was opened, and none has been shown for it yet."""
        for key in (EXAMINATION, WORKING_COPY, DAMAGE):
            self._window.banners.remove(key)
        self._copy, self._damage, self._examining = (), (0, 0), False

    def look(self) -> None:
        project = self._window.project
        if project is not None:
            self._say_working_copy(project)
            self._say_damage(project)
            self._say_examination(project)  # last: it may let go of the project

    def _say_examination(self, project: "Project") -> None:
        """Show that a large file from elsewhere is being examined, then the result; refuse the project if it fails."""
        examination = project.examination
        if examination is None:
            return
        if examination.refusal is not None:
            self._window.session.refuse(examination.refusal)
        elif not examination.passed and not self._examining:
            from biasprint.desktop.dialogs.backups import examination_notice

            self._examining = True
            named = self._window.packet is None
            self._window.banners.show_notice(examination_notice(project, named=named), key=EXAMINATION)
        elif examination.passed and self._examining:
            self._examining = False
            self._window.banners.remove(EXAMINATION)
            self._window.notify(tr("The project was examined: its structure is sound."))

    def _say_working_copy(self, project: "Project") -> None:
        """Show that the project is edited in a copy, its drive having no locks; again when there is more to report."""
        working = project.working
        if working is None:
            return
        remarks = (*working.told, working.trouble)
        if remarks != self._copy:
            from biasprint.desktop.dialogs.backups import working_copy_notice

            self._copy = remarks
            notice = working_copy_notice(working, named=self._window.packet is None)
            self._window.banners.show_notice(notice, key=WORKING_COPY)

    def _say_damage(self, project: "Project") -> None:
        """Show that rows are damaged, and again when more were met."""
        damage = len(project.left_out), len(project.damage)
        if damage == self._damage:
            return
        from biasprint.desktop.dialogs.backups import damage_notice, show_backups

        self._damage = damage
        path, notice = project.path, damage_notice(project)
        notice.add_action(tr("Restore a backup…"), lambda: show_backups(self._widget, self._window, path))
        self._window.banners.show_notice(notice, key=DAMAGE)


CONCERNS = ("session", "annotation", "packet", "rater")


class GatedWindow(Shell, Protocol):
    blindfold: Blindfold
    panels: "dict[str, Panel]"
    current: str


class LookGate(QObject):
    """The gate in front of panels that show names. `raters`: the codes of whom to ask; None until they are known."""

    def __init__(self, window: GatedWindow) -> None:
        super().__init__(window)
        self._window = window
        self.raters: tuple[str, ...] | None = ()
        self._state = 0  # of the project: an answer about an earlier one is not taken
        self._waiting: tuple[str, Callable[[], object]] | None = None  # what was wanted last
        self._stamp = open_ratings.stamp()  # of when it was found out whom to ask
        self._noted: set[str] = set()  # where identities were shown, as far as it is written down
        window.session.closed.connect(self._forget)
        window.session.changed.connect(self._hear)
        window.blindfold.changed.connect(lambda blind: blind or self._end_of_blindness())

    @property
    def open(self) -> bool:
        """Return whether nobody has to be asked, as far as is known now."""
        return self.raters == () and not self._window.blindfold.on

    def know(self, raters: tuple[str, ...]) -> None:
        """Store whom to ask, and continue for everybody who waited for it."""
        self._state += 1
        self.raters, self._stamp = raters, open_ratings.stamp()
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self.enter(*waiting)

    def enter(self, where: str, then: Callable[[], object]) -> None:
        """Do what names identities, after the question where there is somebody to ask. `where` is written down."""
        window = self._window
        if window.packet is not None or (window.project is None and not window.blindfold.on):
            then()  # no packet or panel shows a part of it
        elif window.blindfold.on:
            self._ask_blind(where, then)
        elif self.raters is None:
            self._waiting = (where, then)
        elif self._stamp != open_ratings.stamp():  # a rating began or ended, perhaps in another copy of the project
            self._waiting = (where, then)
            self.look_up()
        elif self.raters:
            self._ask(self.raters, where, then)
        else:
            self._note_shown(where)
            then()

    def _ask_blind(self, where: str, then: Callable[[], object]) -> None:
        """Ask while blind, in the middle of a comparison: whom to ask is in the project, which is out of reach."""

        def known(raters: tuple[str, ...]) -> None:
            if raters:
                self._ask(raters, where, then)
            else:
                self._go(then)

        self._window.jobs.start(tr("Looking who rates"), self._asked, on_done=known, quiet=True)

    def _ask(self, raters: tuple[str, ...], where: str, then: Callable[[], object]) -> None:
        question = Question(
            self._window,  # type: ignore[arg-type]
            title=tr("You are in the middle of rating"),
            text=tr(
                "This names the identities of the texts. Look anyway? Later answers will be marked as seen, and "
                "findings leave them out; this is asked once. What was rated is saved. Not finished: {raters}."
            ).format(raters=safe_line(", ".join(raters))),
            safe=tr("Keep rating"),
            risky=tr("Look anyway"),
            on_risky=lambda: self._record(where, then),
        )
        question.rejected.connect(self._keep_rating)
        question.open()

    def _keep_rating(self) -> None:
        """Give the keyboard back to the current panel, for a person who declined the question."""
        panel = self._window.panels.get(self._window.current)
        if panel is not None:
            panel.take_keyboard()

    def _record(self, where: str, then: Callable[[], object]) -> None:
        """Write the look to disk, then show what was asked for."""
        blindfold = self._window.blindfold

        def work(ctx: JobContext) -> None:
            from biasprint.core.judging.looking import record_look

            def record(project: "Project") -> None:
                record_look(project, where)

            blindfold.with_project(record)

        self._window.jobs.start(
            tr("Writing down that you look"), work, on_done=lambda _: self._go(then), on_error=self._window.show_error,
            quiet=True,
        )  # fmt: skip

    def _note_shown(self, where: str) -> None:
        """Write down, off the window's thread and once, that identities are shown: for sessions that begin later."""
        if where in self._noted:
            return
        self._noted.add(where)

        def work(ctx: JobContext) -> None:
            from biasprint.core.judging.looking import note_shown

            if self._window.project is not None or self._window.blindfold.on:  # else it was closed meanwhile
                self._window.blindfold.with_project(lambda project: note_shown(project, where))

        self._window.jobs.start(
            tr("Writing down what is shown"), work, on_error=lambda _: self._noted.discard(where), quiet=True
        )

    def _go(self, then: Callable[[], object]) -> None:
        self._window.set_blind(False)
        self.know(())
        then()

    def _forget(self) -> None:
        """Forget what was wanted: the project was closed."""
        self._waiting = None
        self._noted.clear()
        self.know(())

    def _hear(self, changes: "Changes") -> None:
        if changes.touches(*CONCERNS):
            self.raters = None
            self.look_up()

    def _end_of_blindness(self) -> None:
        """Deliver pending changes first, as a session has usually begun; then look up whom to ask if unknown."""
        self._window.session.tell_now()
        if self.raters is None:
            self.look_up()

    def look_up(self) -> None:
        """Look up again who has to be asked, as sessions began or ended. Until that is known nobody gets in."""
        if self._window.blindfold.on or self._window.project is None or self._window.packet is not None:
            return
        self._state += 1
        mine, self.raters = self._state, None

        def known(raters: tuple[str, ...]) -> None:
            if mine == self._state:
                self.know(raters)

        def not_known(error: AppError) -> None:
            known((tr("not known"),))  # closed until it can be read
            self._window.show_error(error)

        self._window.jobs.start(tr("Looking who rates"), self._asked, on_done=known, on_error=not_known, quiet=True)

    def _asked(self, ctx: JobContext) -> tuple[str, ...]:
        def ask(project: "Project") -> tuple[str, ...]:
            from biasprint.core.judging.looking import sessions_to_ask

            return tuple(session.named for session in sessions_to_ask(project))

        return self._window.blindfold.with_project(ask)

"""What the window says of the open project by itself: that it is examined, worked on in a copy, or damaged."""

from typing import TYPE_CHECKING, Protocol

from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets.words import tr

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from biasprint.core.project.project import Project
    from biasprint.desktop.operations.session import ProjectSession
    from biasprint.desktop.widgets import Banners

EXAMINATION, WORKING_COPY, DAMAGE = "examination", "working-copy", "damage"


class NoticingWindow(Shell, Protocol):
    """Where it is said, besides what every panel may ask of the window."""

    session: "ProjectSession"
    banners: "Banners"


class ProjectNotices:
    """`look` is called when a project was opened and after every change: it says what is new.

    The dialogs are imported when they are needed: none is for the first paint.
    """

    def __init__(self, window: NoticingWindow, widget: "QWidget") -> None:
        self._window, self._widget = window, widget
        self._copy: tuple[str, ...] = ()  # what was told of the working copy
        self._damage = (0, 0)  # rows left out, and rows that a check found, that were told of
        self._examining = False

    def forget(self) -> None:
        """Another project: nothing is told of it yet."""
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
        """That a large file from elsewhere is still examined, and what came out; a refused one is let go of."""
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
        """That the project is worked on in a copy, as its drive has no locks; again where there is more to know."""
        working = project.working
        if working is None:
            return
        told = (*working.told, working.trouble)
        if told != self._copy:
            from biasprint.desktop.dialogs.backups import working_copy_notice

            self._copy = told
            notice = working_copy_notice(working, named=self._window.packet is None)
            self._window.banners.show_notice(notice, key=WORKING_COPY)

    def _say_damage(self, project: "Project") -> None:
        """Tell of damaged rows, and again where more were met."""
        found = len(project.left_out), len(project.damage)
        if found == self._damage:
            return
        from biasprint.desktop.dialogs.backups import damage_notice, show_backups

        self._damage = found
        path, notice = project.path, damage_notice(project)
        notice.add_action(tr("Restore a backup…"), lambda: show_backups(self._widget, self._window, path))
        self._window.banners.show_notice(notice, key=DAMAGE)

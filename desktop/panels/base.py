"""The base of every panel: a header, a body, and the same life from building to closing."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QWidget

from biasprint.core.language import tr
from biasprint.desktop import theme
from biasprint.desktop.shell import Command, Shell
from biasprint.desktop.widgets import ElidedLabel
from biasprint.desktop.widgets.layout import SCROLL_BAR, STRETCH, FlowLayout, Room, clear_widget, in_column, in_row

if TYPE_CHECKING:
    from biasprint.core.project.changes import Changes
    from biasprint.core.project.project import Project


MARGIN, MARGIN_IF_LOW = 20, 8  # above and below a panel's work
LOW = 480  # of a panel's height in text pixels, as on a small screen at scale 2


class Header(QFrame):
    """The bar above a panel: its title, chips behind it, actions at the right."""

    def __init__(self, title: str) -> None:
        super().__init__()
        tokens = theme.current()
        self.setProperty("role", "header")
        self.title = ElidedLabel(title, "title", least=16)
        self._chips = in_row(spacing=tokens.grid)
        self._actions = FlowLayout(spacing=tokens.grid, centred=True, wide=True)
        in_row(
            self.title,
            self._chips,
            STRETCH,
            self._actions,
            inside=self,
            spacing=tokens.gap,
            margins=(tokens.margin, 4, tokens.margin, 4),
        )
        theme.follow(self._dress)

    def set_title(self, title: str) -> None:
        self.title.set_text(title)

    def add_chip(self, chip: QWidget) -> None:
        self._chips.addWidget(chip)

    def add_action(self, widget: QWidget) -> None:
        self._actions.addWidget(widget)

    def _dress(self) -> None:
        self.setMinimumHeight(theme.current().px(55))


class Panel(QFrame):
    """The base of a panel: one task. A subclass makes its widgets in `build`, shows its data in `refresh`.

    A panel is built at its first show. `refresh` is called then, when another project is opened, and when tables in
    `concerns` changed; for a hidden panel it waits until the panel is shown again. A panel may be destroyed at any time
    (a rater sits down): its jobs go on, but no longer report to it.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    concerns: ClassVar[frozenset[str]] = frozenset()  # tables whose changes matter here
    least_height: ClassVar[int] = 0  # of the body, in text pixels: with less it scrolls; 0: its parts see to that
    scrolls: ClassVar[bool] = False  # its pages scroll: their bar is in the margin
    steady: ClassVar[bool] = False  # no installed package changes what it shows

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self.shell = shell
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # nothing behind it need be painted
        self.setAccessibleName(tr(self.title))
        tokens = theme.current()
        self.header = Header(self.title)
        end = tokens.margin - SCROLL_BAR if self.scrolls else tokens.margin
        self.body = in_column(spacing=tokens.gap, margins=(tokens.margin, MARGIN, end, MARGIN))
        box = in_column(self.header, inside=self, spacing=0, margins=0)
        if self.least_height:
            inside = clear_widget()
            inside.setLayout(self.body)
            box.addWidget(Room(inside, self.least_height), 1)
        else:
            box.addLayout(self.body, 1)
        self._built = False
        self._stale = True

    @property
    def project(self) -> "Project | None":
        return self.shell.project

    @property
    def built(self) -> bool:
        return self._built

    # for subclasses

    def build(self) -> None:
        """Make the widgets, once, into `self.header` and `self.body`."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Show the project's data again. `self.project` may be None."""

    def changed(self, changes: "Changes") -> None:
        """Update after rows in `concerns` were written while the panel is visible; at most ten times a second."""
        self.refresh()

    def opened_with(self, **what: Any) -> None:
        """Take over what another panel sent the person here for."""

    def take_keyboard(self) -> None:
        """Take the keyboard back after a question that the person declined."""

    def commands(self) -> list[Command]:
        """Return the commands that the palette offers while this panel is shown, besides the window's own."""
        return []

    def project_opened(self, project: "Project") -> None:
        """Take note of another open project; `refresh` follows at the next show."""

    def project_closed(self) -> None:
        """Drop every row of the project, which was closed."""

    def before_it_goes(self, then: Callable[[], object]) -> None:
        """Call `then` to let something close this panel's work, after a question if needed."""
        then()

    def let_go(self) -> None:
        """Save unfinished work where it can be found again: the panel is destroyed, or the program ends."""

    @property
    def blinds(self) -> bool:
        """True if showing this panel now makes the window blind and destroys the other panels."""
        return False

    def more_works(self) -> None:
        """Take note of an installed part of the program; `refresh` follows where the panel is not `steady`."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_body()

    def _fit_body(self) -> None:
        """Reduce the space above and below the work in a low window."""
        above = MARGIN_IF_LOW if self.height() < theme.current().px(LOW) else MARGIN
        margins = self.body.contentsMargins()
        if above != margins.top():
            self.body.setContentsMargins(margins.left(), above, margins.right(), above)

    # for the window

    def look_again(self) -> None:
        """Hear from the window that another part of the program was installed."""
        if not self._built or self.steady:
            return
        self.more_works()
        self._stale = True
        if self.isVisible():
            self._bring_up_to_date()

    def attach(self, project: "Project | None") -> None:
        """Hear from the window that another project, or none, is open."""
        if self._built:
            if project is None:
                self.project_closed()
            else:
                self.project_opened(project)
        self._stale = True
        if self.isVisible():
            self._bring_up_to_date()

    def deliver(self, changes: "Changes") -> None:
        """Hear from the window what was written; only what concerns this panel is passed on."""
        if not changes.touches(*self.concerns):
            return
        if self.isVisible() and not self._stale:
            self.changed(changes)
        else:
            self._stale = True

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(theme.current().ground))
        painter.end()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._bring_up_to_date()

    def _bring_up_to_date(self) -> None:
        if not self._built:
            self._built = True
            self.build()
            self._fit_body()
            if self.project is not None:
                self.project_opened(self.project)
        if self._stale:
            self._stale = False
            self.refresh()

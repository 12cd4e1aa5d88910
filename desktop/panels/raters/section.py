"""Parts shared by the tabs of the raters panel: reading off the window's thread, and pages about one comparison."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from biasprint.core.jobs import JobContext
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.desktop import theme
from biasprint.desktop.jobs import Refresher
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Button, ElidedLabel, Label, tr
from biasprint.desktop.widgets.cards import ComparisonCards
from biasprint.desktop.widgets.layout import in_column, in_row, stack_of
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip


class RatersSection(QWidget):
    """One tab. `attach` gives it a project, `ask` starts a reading; `show_data` receives the result.

    It shows one of its pages: `waiting` until something was read, then the one that `show_data` chooses.
    """

    concerns: ClassVar[frozenset[str]] = frozenset()  # tables whose changes matter here
    counted = Signal(int)  # how many things wait here: shown behind the tab's title
    go_to = Signal(str)  # another tab, by its key

    def __init__(self, shell: Shell, title: str) -> None:
        super().__init__()
        self.shell = shell
        self.stale = True
        self._reader = Refresher(shell.jobs, title, self.show_data, shell.show_error, self)
        self.waiting = Label(tr("Reading…"), "soft")
        self.pages = stack_of(self.waiting)
        self.box = in_column((self.pages, 1), inside=self, spacing=theme.current().gap, margins=0)
        self.setAccessibleName(tr(title))

    @property
    def project(self) -> Project | None:
        return self.shell.project

    @property
    def writable(self) -> bool:
        return self.project is not None and not self.project.read_only

    def attach(self, project: Project | None) -> None:
        """Switch to another project, or to none, and clear what was shown of the last one."""
        self.forget()
        self.pages.setCurrentWidget(self.waiting)
        self._reader.read_with(self.reading(project) if project is not None else None)
        self.stale = True

    def ask(self) -> None:
        self.stale = False
        self._reader.ask()

    def deliver(self, changes: Changes, *, seen: bool) -> None:
        """React to changes in the project: read now if the tab is visible, else when it is opened."""
        if changes.touches(*self.concerns):
            self.stale = True
            if seen:
                self.ask()

    # for the tabs

    def reading(self, project: Project) -> Callable[[JobContext], Any]:
        """Return the function that reads this tab's rows; it runs in a thread."""
        raise NotImplementedError

    def show_data(self, data: Any) -> None:
        raise NotImplementedError

    def forget(self) -> None:
        """Drop every row."""

    def add_page(self, page: QWidget) -> None:
        self.pages.addWidget(page)


LEAST_HEIGHT = 190  # text pixels of the cards; the page scrolls rather than squeeze them


class NeutralCards(ComparisonCards):
    """Cards with the letters A, B, C; without `choosing` they are read-only. Captions name identities on request."""

    def __init__(self, keys: Sequence[str], *, choosing: bool) -> None:
        super().__init__(keys)
        for card in self.cards:
            card.button.setVisible(choosing)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme.follow(self._fit)

    def name_identities(self, names: Sequence[str]) -> None:
        """Show beside each letter who the text was written for; an empty sequence hides it."""
        for place, card in enumerate(self.cards):
            name = safe_line(names[place]) if place < len(names) else ""
            card.caption.setText(f"{card.letter} · {name}" if name else card.letter)
            card.setAccessibleName(tr("Card {letter}").format(letter=card.caption.text()))

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumHeight())

    def _fit(self, _tokens: object = None) -> None:
        self.setMinimumHeight(theme.current().px(LEAST_HEIGHT))


class PageHead(QWidget):
    """The line above a comparison: back to the list, its title, and on to its neighbours."""

    closed = Signal()
    moved = Signal(int)  # −1 or +1

    def __init__(self, back: str) -> None:
        super().__init__()
        self.back = Button(back, role="aside", icon="back", act=self.closed)
        self.title = ElidedLabel("", "heading")
        self.place = ElidedLabel("", "soft")
        self.before = Button("", icon="chevron-left")
        self.after = Button("", icon="chevron-right")
        row = in_row(self.back, (self.title, 1), self.place, inside=self, spacing=theme.current().grid, margins=0)
        for button, name, step in ((self.before, tr("The one before"), -1), (self.after, tr("The next one"), 1)):
            button.setAccessibleName(tr(name))
            button.setToolTip(safe_tip(tr(name)))
            button.clicked.connect(lambda _=False, step=step: self.moved.emit(step))
            row.addWidget(button)

    def forget(self) -> None:
        self.show_place("", 0, 0)
        self.place.set_text("")

    def show_place(self, title: str, place: int, count: int) -> None:
        """Show the title, the place in the list, and the length of the list."""
        self.title.set_text(title)
        self.place.set_text(tr("{place} of {count}").format(place=place + 1, count=count))
        self.before.setEnabled(place > 0)
        self.after.setEnabled(place + 1 < count)

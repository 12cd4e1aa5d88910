"""The fingerprint panel: choose a rater, then read the fingerprint. It is measured on request and never stored."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding
from biasprint.core.judging.fingerprint import Fingerprint
from biasprint.core.project.project import Project
from biasprint.core.runs.fingerprint import OfferedRater, OfferedRaters
from biasprint.desktop import theme
from biasprint.desktop.charts.live import TextsBehind
from biasprint.desktop.jobs import JobHandle, Refresher
from biasprint.desktop.operations.fingerprint import read_fingerprint, read_raters, read_texts
from biasprint.desktop.panels.base import Panel
from biasprint.desktop.panels.charts.measured import FigureCard
from biasprint.desktop.panels.fingerprint.view import FingerprintView
from biasprint.desktop.panels.workshop.setup import WorkshopSetup
from biasprint.desktop.shell import Command, Shell
from biasprint.desktop.widgets import Card, Chip, ElidedLabel, EmptyState, Label, QuietButton, hairline, plural, tr
from biasprint.desktop.widgets.layout import (
    STRETCH,
    FlowLayout,
    Scroller,
    add_to,
    clear_widget,
    in_column,
    in_row,
    stack_of,
)


class ChoosePage(Scroller):
    """A line for every rater with a completed session, people first; `chosen` carries the rater's id."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.buttons: list[QuietButton] = []
        inside = clear_widget()
        self._box = in_column(inside=inside, spacing=theme.current().gap, margins=(0, 0, theme.current().grid, 0))
        self.people, self.models = Card(), Card()
        self.open_note = Label("", "note", wrap=True)
        add_to(self._box, self.people, self.models, self.open_note, STRETCH)
        self.setWidget(inside)

    def show_raters(self, raters: OfferedRaters) -> None:
        """Show the current raters."""
        self.buttons.clear()
        of_people = [rater for rater in raters.offered if rater.kind == "person"]
        of_models = [rater for rater in raters.offered if rater.kind == "model"]
        explained = tr("Choose your own code. A fingerprint is meant for the person it is of.")
        self._fill(self.people, tr("People"), explained if of_people else how_to_begin(), of_people)
        self._fill(self.models, tr("Model judges"), "", of_models)
        self.open_note.setText(
            plural(
                raters.still_open,
                "1 session is still open: it is shown only after its reveal.",
                "%n sessions are still open: each is shown only after its reveal.",
            )
        )
        self.open_note.setVisible(raters.still_open > 0)

    def forget(self) -> None:
        """Drop every rater's line when the project is closed."""
        self.buttons.clear()
        for card in (self.people, self.models):
            _empty(card)
        self.open_note.clear()

    def _fill(self, card: Card, title: str, explained: str, offered: Sequence[OfferedRater]) -> None:
        _empty(card)
        card.setVisible(bool(offered or explained))
        card.setAccessibleName(tr(title))
        card.box.addWidget(Label(title, "heading"))
        if explained:
            card.box.addWidget(Label(explained, "note", wrap=True))
        for place, rater in enumerate(offered):
            if place or explained:
                card.box.addWidget(hairline())
            card.box.addWidget(self._line(rater))

    def _line(self, one: OfferedRater) -> QWidget:
        line = QWidget()
        name = ElidedLabel(one.code, "strong")
        count = Chip(plural(one.comparisons, "1 comparison", "%n comparisons"))
        row = FlowLayout(name, count, inside=line, spacing=theme.current().gap, centred=True, last_at_end=True)
        if one.left:
            row.addWidget(Chip(plural(one.left, "1 left", "%n left"), "warn"))
        button = QuietButton(tr("See fingerprint"), icon="fingerprint")
        button.setAccessibleName(tr("See fingerprint: {code}").format(code=name.whole_text()))
        button.clicked.connect(partial(self.chosen.emit, one.rater))
        self.buttons.append(button)
        row.addWidget(button)
        return line


def how_to_begin() -> str:
    return tr("Rate comparisons in Judge and reveal the session: your fingerprint appears here.")


def _empty(card: Card) -> None:
    while card.box.count():
        item = card.box.takeAt(0)
        widget = item.widget() if item is not None else None
        if widget is not None:
            widget.hide()
            widget.setParent(None)
            widget.deleteLater()


BESIDE_FROM = 960  # text pixels


class FingerprintPanel(Panel):
    """The raters with a completed session outside of workshops; a workshop shows its own only at its end."""

    key = "fingerprint"
    title = "Fingerprint"
    concerns = frozenset({"session", "judgment", "rater", "plan", "axis_definition", "annotation"})

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.raters: OfferedRaters | None = None
        self._listing = Refresher(shell.jobs, tr("Raters"), self._show_raters, shell.show_error, self)
        self._reading: JobHandle | None = None
        self._shown = ""  # the rater whose fingerprint is shown or on its way

    # the panel's life

    def build(self) -> None:
        privacy = tr(
            "It was worked out just now and is not stored; a picture is written only where you save one. Whoever "
            "opens this project can see it here."
        )
        self.view = FingerprintView(self.shell, kept=privacy, with_head=False, with_texts=True)
        self.view.done.connect(self.close_fingerprint)
        self.view.opened.connect(self._open_figure)
        self.figure = FigureCard()
        self.figure.closed.connect(self._make_room)
        self.header.add_chip(self.view.chip)
        self.workshop = WorkshopSetup(self.shell)
        self.workshop.closed.connect(self.close_fingerprint)
        self.workshop_button = QuietButton(tr("Start a workshop…"), act=self.offer_workshop)
        self.header.add_action(self.workshop_button)
        self.header.add_action(self.view.save_button)
        self.header.add_action(self.view.done_button)
        self.choose = ChoosePage()
        self.choose.chosen.connect(self.show_rater)
        self.waiting = Label(tr("Measuring…"), "soft")
        self.waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing = EmptyState(
            tr("No fingerprint yet"), "", tr("Rate outputs"), lambda: self.shell.show_panel("judge"), icon="fingerprint"
        )
        self.pages = stack_of(self.waiting, self.choose, self.nothing, self.view, self.workshop)
        self.body.addLayout(in_row((self.pages, 5), (self.figure, 3), spacing=self.body.spacing()), 1)
        self._go_to(self.waiting)

    def project_opened(self, project: Project) -> None:
        self.project_closed()
        self._listing.read_with(read_raters(project=project).work)

    def project_closed(self) -> None:
        self.raters, self._shown = None, ""
        self._listing.read_with(None)
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None
        self._forget_figure()
        self.view.forget()
        self.choose.forget()
        self.workshop.forget()
        self._go_to(self.waiting)

    def refresh(self) -> None:
        if self.project is None:
            self._show_nothing(0)
        else:
            self._listing.ask()

    def opened_with(self, *, rater: str = "", workshop: bool = False, **what: object) -> None:
        """Open at the fingerprint of a rater (its id), or at the setup of a workshop."""
        if rater:
            self.show_rater(rater)
        if workshop:
            self.offer_workshop()

    def commands(self) -> list[Command]:
        return [
            Command(tr("Save the fingerprint as a picture…"), self.view.save_picture, enabled=self._is_shown),
            Command(tr("Done with the fingerprint"), self.close_fingerprint, enabled=self._is_shown),
        ]

    # one fingerprint

    def show_rater(self, rater: str) -> None:
        """Measure this rater's fingerprint and show it."""
        project = self.project
        if project is None:
            return
        self._shown = rater

        def show(fingerprint: Fingerprint) -> None:
            if project is self.project and self._shown == rater:
                self.view.show_fingerprint(fingerprint)
                self._go_to(self.view)

        def fail(error: AppError) -> None:
            if project is self.project and self._shown == rater:
                self.close_fingerprint()
                self.shell.show_error(error)

        self._go_to(self.waiting)
        self._reading = read_fingerprint(project=project, rater=rater).start(
            self.shell.jobs, on_done=show, on_error=fail
        )

    def close_fingerprint(self) -> None:
        """Go back to the list, and clear the fingerprint from the window."""
        self._shown = ""
        self._forget_figure()
        self.view.forget()
        self._go_to(self.waiting)
        self.refresh()

    def offer_workshop(self) -> None:
        """Show the page that sets up a workshop."""
        self.workshop.offer()
        self._go_to(self.workshop)

    def _show_raters(self, raters: OfferedRaters) -> None:
        self.raters = raters
        if self._shown or self.pages.currentWidget() is self.workshop:
            return  # somebody reads theirs, or sets a workshop up: the list waits
        if raters.offered:
            self.choose.show_raters(raters)
            self._go_to(self.choose)
        else:
            self._show_nothing(raters.still_open)

    def _show_nothing(self, still_open: int) -> None:
        text = how_to_begin()
        if still_open:
            text = tr("Finish the open session in Judge and reveal it: its fingerprint is hidden until then.")
        self.nothing.text.setText(text)
        self.nothing.button.set_text(tr("Go on judging") if still_open else tr("Rate outputs"))
        self._go_to(self.nothing)

    def _go_to(self, page: QWidget) -> None:
        self.pages.setCurrentWidget(page)
        shown = page is self.view
        for widget in (self.view.save_button, self.view.done_button):
            widget.setVisible(shown)
        self.workshop_button.setVisible(page in (self.choose, self.nothing))
        self.header.set_title(self.view.title_label.whole_text() if shown else tr(self.title))

    # one figure

    def _open_figure(self, finding: Finding, tip: str, with_tests: bool) -> None:
        """Show the texts behind one of the rater's own figures."""
        project, fingerprint = self.project, self.view.fingerprint
        if project is None or fingerprint is None:
            return
        self.figure.show_finding(finding, tip, with_tests=with_tests)
        self._make_room()

        def show(items: TextsBehind) -> None:
            if self.figure.finding is finding:
                self.figure.show_items(items)

        read_texts(project=project, found=fingerprint, finding=finding).start(
            self.shell.jobs, on_done=show, on_error=self.shell.show_error
        )

    def _forget_figure(self) -> None:
        self.figure.close_card()
        for label in (self.figure.heading, self.figure.facts, self.figure.more, self.figure.behind):
            label.clear()

    def _make_room(self) -> None:
        """Show the fingerprint and a figure's texts side by side, or the texts alone in a narrow window."""
        beside = self.width() >= theme.current().px(BESIDE_FROM)
        self.pages.setVisible(beside or self.figure.finding is None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.built:
            self._make_room()

    def _is_shown(self) -> bool:
        return self.built and self.pages.currentWidget() is self.view

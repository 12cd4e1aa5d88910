"""A chart in a card: title, stand-in badge, export, and the chart or what to do next."""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from desktop import theme
from desktop.charts.chart import Chart
from desktop.charts.view import View
from desktop.widgets import Card, Label, QuietButton, StandInBadge, tr


class ChartCard(Card):
    """One chart. `opened` is the chart's; `export_asked` carries the view and an ending ("png")."""

    opened = Signal(object, str, bool)
    export_asked = Signal(object, str)

    def __init__(self, view: View, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        tokens = theme.current()
        self.heading = Label(view.title, "heading", wrap=True)
        self.badge = StandInBadge("")
        self.save = QuietButton(tr("Save…"), icon="export")
        self.save.setMenu(self._formats())
        row = QHBoxLayout()
        row.setSpacing(tokens.grid)
        row.addWidget(self.heading, 1)
        row.addWidget(self.save)
        self.chart = Chart(view)
        self.chart.opened.connect(self.opened)
        self.nothing = Label("", "soft", wrap=True)
        self.box.addLayout(row)
        self.box.addWidget(self.badge)
        self.box.addWidget(self.nothing)
        self.box.addWidget(self.chart)
        self.box.addStretch(1)
        self._dress(view)

    @property
    def view(self) -> View:
        return self.chart.view

    def set_view(self, view: View) -> None:
        self.chart.set_view(view)
        self._dress(view)

    def _dress(self, view: View) -> None:
        self.heading.setText(view.title)
        self.setAccessibleName(view.title)
        self.nothing.setText(view.empty)
        self.nothing.setVisible(bool(view.empty))
        self.chart.setVisible(not view.empty)
        self.save.setVisible(not view.empty)
        self.save.setAccessibleName(tr("Save the chart “{title}”").format(title=view.title))
        self.badge.setText(tr("stand-in scorer: {names}").format(names=", ".join(view.stand_ins)))
        self.badge.setVisible(bool(view.stand_ins) and not view.empty)

    def _formats(self) -> QMenu:
        menu = QMenu(self)
        for ending, text in (
            ("png", tr("Picture (PNG)…")),
            ("svg", tr("Drawing (SVG)…")),
            ("csv", tr("Figures as a table (CSV)…")),
        ):
            menu.addAction(text).triggered.connect(partial(self._ask_export, ending))
        return menu

    def _ask_export(self, ending: str, _checked: bool = False) -> None:
        self.export_asked.emit(self.view, ending)

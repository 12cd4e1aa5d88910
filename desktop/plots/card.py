"""A plot on a card: title, a sentence on what is shown, legend, and controls to mark, reset, save and copy."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu

from biasprint.desktop import theme
from biasprint.desktop.plots.axis import Legend, LegendEntry
from biasprint.desktop.plots.export import PlotHost, PlotPage, copy_tables, file_actions, save_plot, tables_of
from biasprint.desktop.plots.plot import Plot
from biasprint.desktop.widgets import Card, Label, QuietButton, StandInBadge, tr
from biasprint.desktop.widgets.labels import show_if
from biasprint.desktop.widgets.safe_text import safe_line


class PlotCard(Card):
    """The card. `head` and `tools` are rows for the plot's controls; `tell` describes the plot, also in its files."""

    def __init__(self, plot: Plot, title: str, host: PlotHost, *, markable: bool = False) -> None:
        super().__init__()
        self.plot, self._host, self._title = plot, host, title
        self.set_padding(theme.current().gap)
        self.heading = Label(title, "heading", wrap=True)
        self.sentence = Label("", "note", wrap=True)
        self.badge = StandInBadge("")
        self.legend = Legend()
        self.mark = QuietButton(tr("Select"))
        self.mark.setCheckable(True)
        self.mark.setToolTip(tr("Drag around points to select them. Holding Shift does the same."))
        self.mark.toggled.connect(plot.set_marking)
        show_if(self.mark, markable)
        self.reset = QuietButton(tr("Show everything"))
        self.reset.clicked.connect(plot.fit)
        self.reset.hide()
        self.save = QuietButton(tr("Save…"), icon="export")
        self._actions = self._make_actions()
        menu = QMenu(self)
        menu.addActions(self._actions)
        self.save.setMenu(menu)
        plot.menu_entries = lambda: self._actions
        plot.fitted.connect(lambda fitted: self.reset.setVisible(not fitted))
        self._lay_out()
        self.set_title(title)

    def _lay_out(self) -> None:
        self.head = QHBoxLayout()
        self.head.setSpacing(theme.current().grid)
        self.head.addWidget(self.heading, 1)
        for button in (self.reset, self.mark, self.save):
            self.head.addWidget(button)
        self.tools = QHBoxLayout()
        self.tools.setSpacing(theme.current().grid)
        self.box.addLayout(self.head)
        self.box.addLayout(self.tools)
        self.box.addWidget(self.sentence)
        self.box.addWidget(self.badge, 0, Qt.AlignmentFlag.AlignLeft)
        self.box.addWidget(self.legend)
        self.box.addWidget(self.plot, 1)
        self.sentence.hide()
        self.badge.hide()
        self.legend.hide()

    def set_title(self, title: str) -> None:
        self._title = safe_line(title)
        self.heading.setText(self._title)
        self.setAccessibleName(tr(self._title))
        self.save.setAccessibleName(tr("Save the chart “{title}”").format(title=self._title))
        self.plot.describe(self._title, self.sentence.text())

    def tell(self, sentence: str, entries: Sequence[LegendEntry] = ()) -> None:
        """Describe what is shown (groups, n, range), and set the legend."""
        self.sentence.setText(safe_line(sentence))
        self.sentence.setVisible(bool(sentence))
        self.legend.show_entries(entries)
        self.plot.describe(self._title, sentence)
        self._allow(True)

    def show_stand_ins(self, names: Sequence[str]) -> None:
        """Show the stand-in scorers behind the figures; hide the badge if there are none."""
        words = tr("stand-in: {figures}").format(figures=", ".join(map(safe_line, names)))
        self.badge.setText(words if names else "")
        self.badge.setVisible(bool(names))

    def tell_nothing(self, sentence: str) -> None:
        """Show a sentence in place of the curve."""
        self.tell("")
        self.show_stand_ins(())
        self.plot.show_items(())
        self.plot.say_nothing(sentence)
        self.plot.describe(self._title, sentence)
        self._allow(False)

    def _allow(self, something: bool) -> None:
        """Enable or disable saving and marking."""
        self.save.setEnabled(something)
        self.mark.setEnabled(something)

    def page(self) -> PlotPage:
        """Return the plot with its words, as it is saved."""
        notes = tuple(text for text in (self.sentence.text(), self.badge.text()) if text)
        return PlotPage(self._title, notes, self.legend.entries, self.plot)

    def _make_actions(self) -> list[QAction]:
        return file_actions(
            self,
            lambda: self._title,
            lambda path: save_plot(self.page(), path, self._host),
            lambda: copy_tables(tables_of(self.plot), self._host),
        )

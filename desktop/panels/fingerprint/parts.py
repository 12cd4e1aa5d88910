"""Two parts of a fingerprint's page: its paragraph, and its charts, in which a figure can be pointed at."""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.findings import Finding
from core.judging.fingerprint_words import Paragraph
from desktop import theme
from desktop.charts.chart import Chart
from desktop.charts.prose import draw_prose
from desktop.charts.view import View
from desktop.charts.words import stand_in_lines
from desktop.widgets import Card, Label, tr
from desktop.widgets.safe_text import safe_line


class Prose(Label):
    """Paragraphs with the user's own words in bold. To a screen reader it is a label with the same text."""

    def __init__(self, paragraphs: Sequence[Paragraph] = (), parent: QWidget | None = None) -> None:
        self._paragraphs = tuple(paragraphs)
        super().__init__("", wrap=True, parent=parent)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.set_paragraphs(paragraphs)
        theme.signals.changed.connect(self._restyle)

    def set_paragraphs(self, paragraphs: Sequence[Paragraph]) -> None:
        self._paragraphs = tuple(paragraphs)
        self.setText("\n".join(safe_line(paragraph.text) for paragraph in paragraphs))
        self._restyle()

    def _restyle(self, _tokens: object = None) -> None:
        self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return round(draw_prose(None, theme.current(), self._paragraphs, 0, 0, max(width, 1))) + 1

    def sizeHint(self) -> QSize:
        width = max(self.width(), theme.current().px(240))
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.current().px(160), self.heightForWidth(max(self.width(), 1)) if self.width() > 1 else 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        draw_prose(painter, theme.current(), self._paragraphs, 0, 0, self.width())
        painter.end()


class Figures(Chart):
    """A chart whose figures tell what they are; those of `opens` can be opened as well.

    The group's and the models' open nothing: behind the group's stand other people's choices.
    """

    def __init__(self, view: View) -> None:
        self.opens: tuple[Finding, ...] = ()
        super().__init__(view)

    def may_open(self, index: int) -> bool:
        """Whether there is something behind this figure that may be seen."""
        return any(self._spots[index].finding is one for one in self.opens)

    def _tip(self, index: int) -> str:
        lines = [*self._spots[index].tip.splitlines(), *stand_in_lines(self.view)]
        lines += [tr("Click for the texts behind it")] if self.may_open(index) else []
        return "\n".join(safe_line(line) for line in lines)

    def _open(self, index: int) -> None:
        if self.may_open(index):
            super()._open(index)


class FigureBox(Card):
    """A title over a chart; in the chart's place, while there is nothing to draw, why."""

    def __init__(self, view: View, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.heading = Label("", "heading", wrap=True)
        self.note = Label("", "note", wrap=True)
        self.note.hide()
        self.chart = Figures(view)
        self.box.addWidget(self.heading)
        self.box.addWidget(self.note)
        self.box.addWidget(self.chart)
        self.set_view(view)

    def set_view(self, view: View) -> None:
        self.heading.setText(view.title)
        self.setAccessibleName(view.title)
        self.chart.set_view(view)

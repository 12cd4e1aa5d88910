"""What narrows a table: a search, and boxes that each have a choice."""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from biasprint.desktop import theme
from biasprint.desktop.widgets.layout import FlowLayout

SEARCH_WIDTH = 190  # at least


class SearchRow(QWidget):
    """The search takes what the boxes leave of its row; where that is little, a row of its own."""

    def __init__(self, search: QLineEdit) -> None:
        super().__init__()
        self.search = search
        self._boxes: Sequence[QWidget] = ()

    def lay_out(self, boxes: Sequence[QWidget]) -> None:
        """Put these behind the search, and fit them."""
        self._boxes = boxes
        flow = FlowLayout(self, spacing=theme.current().grid)
        for widget in (self.search, *boxes):
            flow.addWidget(widget)
        theme.signals.changed.connect(self.fit)
        self.fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def minimumSizeHint(self) -> QSize:
        """The widest box: the search is as wide as it was let, and must not keep the panel from growing narrower."""
        widest = max((box.sizeHint().width() for box in self._boxes), default=0)
        return QSize(widest, super().minimumSizeHint().height())

    def fit(self, _tokens: object = None) -> None:
        """Share out the width again, as boxes come and go."""
        tokens = theme.current()
        shown = [box for box in self._boxes if not box.isHidden()]
        taken = sum(min(box.sizeHint().width(), box.maximumWidth()) + tokens.grid for box in shown)
        room = self.width() - taken
        self.search.setFixedWidth(room if room >= tokens.px(SEARCH_WIDTH) else self.width())

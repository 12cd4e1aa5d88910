"""What narrows the findings table: a search and a box for each question one asks of findings."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from desktop import theme
from desktop.models.finding_lines import POOLED, FindingFilter
from desktop.widgets import FlowLayout, tr
from desktop.widgets.safe_text import safe_line

SEARCH_AFTER_MILLISECONDS = 200  # of silence: not at every key
SEARCH_WIDTH = 190  # at least

Choices = Sequence[tuple[str | None, str]]


class Filters(QWidget):
    """`changed` says that `where` is another one."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search in the findings"))
        self.search.setAccessibleName(tr("Search in the findings"))
        self.search.setClearButtonEnabled(True)
        self.pause = QTimer(self, singleShot=True, interval=SEARCH_AFTER_MILLISECONDS)
        self.pause.timeout.connect(self.changed)
        self.search.textChanged.connect(lambda _: self.pause.start())
        self.search.returnPressed.connect(self._tell)
        self.study = self._box(tr("Study"), [(None, tr("All studies"))])
        self.axis = self._box(tr("Axis"), [(None, tr("All axes")), (POOLED, tr("Pooled"))])
        self.significance = self._box(
            tr("Significance"),
            [
                (None, tr("Any p")),
                ("significant", tr("Adjusted p ≤ 0.05")),
                ("not", tr("Adjusted p > 0.05")),
                ("untested", tr("No adjusted p")),
            ],
        )
        self.variant = self._box(
            tr("Variant"),
            [(None, tr("Both variants")), ("default", tr("Default")), ("as_published", tr("As published"))],
        )
        self.undefined = QCheckBox(tr("Undefined"))
        self.undefined.setToolTip(tr("Show findings whose number is not defined, with the reason"))
        self.undefined.setChecked(True)
        self.undefined.toggled.connect(lambda _: self._tell())
        self._lay_out()
        theme.signals.changed.connect(self._fit)

    def where(self) -> FindingFilter:
        """What the boxes ask for."""
        return FindingFilter(
            study=self.study.currentData(),
            axis=self.axis.currentData(),
            significance=self.significance.currentData(),
            variant=self.variant.currentData(),
            undefined=self.undefined.isChecked(),
            text=self.search.text().strip(),
        )

    def offer(self, studies: Sequence[tuple[str, str]], axes: Sequence[tuple[str, str]]) -> None:
        """The studies and axes there are: (key, title). What was chosen stays chosen if it is still there."""
        _offer(self.study, 1, studies)
        _offer(self.axis, 2, axes)
        self.study.setVisible(len(studies) > 1)
        self.axis.setVisible(bool(axes))
        self._fit()

    def clear(self) -> None:
        """Show everything."""
        for box in (self.study, self.axis, self.significance, self.variant):
            box.setCurrentIndex(0)
        self.undefined.blockSignals(True)  # one change for all of them
        self.undefined.setChecked(True)
        self.undefined.blockSignals(False)
        self.search.clear()
        self._tell()

    def _tell(self) -> None:
        self.pause.stop()
        self.changed.emit()

    def _box(self, name: str, choices: Choices) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for key, title in choices:
            box.addItem(title, key)
        box.activated.connect(lambda _: self._tell())
        return box

    def _lay_out(self) -> None:
        flow = FlowLayout(self, spacing=theme.current().grid)
        for widget in (self.search, *self._boxes()):
            flow.addWidget(widget)

    def _boxes(self) -> tuple[QWidget, ...]:
        return self.study, self.axis, self.significance, self.variant, self.undefined

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        """The widest box: the search is as wide as it was let, and must not keep the panel from growing narrower."""
        widest = max(box.sizeHint().width() for box in self._boxes())
        return QSize(widest, super().minimumSizeHint().height())

    def _fit(self, _tokens: object = None) -> None:
        """The search takes what the boxes leave of its row; where that is little, a row of its own."""
        tokens = theme.current()
        self.undefined.setFixedHeight(self.search.sizeHint().height())  # on one line with the boxes
        taken = sum(box.sizeHint().width() + tokens.grid for box in self._boxes() if not box.isHidden())
        room = self.width() - taken
        self.search.setFixedWidth(room if room >= tokens.px(SEARCH_WIDTH) else self.width())


def _offer(box: QComboBox, fixed: int, choices: Sequence[tuple[str, str]]) -> None:
    before = box.currentData()
    while box.count() > fixed:
        box.removeItem(fixed)
    for key, title in choices:
        box.addItem(safe_line(title), key)
    box.setCurrentIndex(max(0, box.findData(before)))

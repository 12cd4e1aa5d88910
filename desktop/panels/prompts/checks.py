"""A list of things to check, with all and none."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop import theme
from desktop.widgets import Label, LinkButton, tr
from desktop.widgets.safe_text import safe_line

LEAST_HEIGHT = 200  # text pixels; a longer list scrolls


class _Area(QScrollArea):
    """Takes what is left, down to some lines: what it would like to have does not count."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumHeight())


class CheckList(QWidget):
    """`changed` comes once for whatever was checked together."""

    changed = Signal()

    def __init__(self, title: str, items: Sequence[tuple[str, str]]) -> None:
        """`items`: key and words of each."""
        super().__init__()
        self.boxes: dict[str, QCheckBox] = {}
        inside = QWidget()
        inside.setProperty("role", "clear")
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        for key, words in items:
            self.boxes[key] = box = QCheckBox(safe_line(words).replace("&", "&&"))
            box.clicked.connect(lambda _: self.changed.emit())
            column.addWidget(box)
        column.addStretch(1)
        area = _Area()
        area.setWidget(inside)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setMinimumWidth(inside.sizeHint().width() + area.verticalScrollBar().sizeHint().width())
        area.setMinimumHeight(min(inside.sizeHint().height(), theme.current().px(LEAST_HEIGHT)))
        every, none = LinkButton(tr("All")), LinkButton(tr("None"))
        every.setAccessibleName(tr("{list}: all").format(list=title))
        none.setAccessibleName(tr("{list}: none").format(list=title))
        every.clicked.connect(lambda: self.check(self.boxes))
        none.clicked.connect(lambda: self.check(()))
        head = QHBoxLayout()
        head.addWidget(Label(title, "strong"))
        head.addStretch(1)
        head.addWidget(every)
        head.addWidget(none)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(4)
        box.addLayout(head)
        box.addWidget(area, 1)

    def check(self, keys: Iterable[str]) -> None:
        """Check these and no others."""
        wanted = set(keys)
        for key, box in self.boxes.items():
            box.setChecked(key in wanted)
        self.changed.emit()

    def checked(self) -> tuple[str, ...]:
        return tuple(key for key, box in self.boxes.items() if box.isChecked())

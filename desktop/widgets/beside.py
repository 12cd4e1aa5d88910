"""One thing large, and pages beside it chosen by tabs; in a narrow window the large thing is a page among them."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from desktop import theme

UNLIMITED = 16_777_215  # Qt's own largest width


class Beside(QWidget):
    """`main` and the pages of `side`. Whoever makes one adds the pages, and says when there is no room beside it."""

    narrow_changed = Signal(bool)

    def __init__(self, main: QWidget, *, title: str, name: str, side_width: int) -> None:
        """`title`: of the tab that `main` gets in a narrow window; `name`: of the tabs, to be read aloud."""
        super().__init__()
        self.setProperty("role", "clear")
        self._main, self._title, self._side_width = main, title, side_width
        self._narrow = False
        self.tabs, self.side = QTabBar(), QStackedWidget()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(name)
        self._side_box = QWidget()
        self._side_box.setProperty("role", "clear")
        self._beside = QVBoxLayout(self._side_box)
        self._beside.setContentsMargins(0, 0, 0, 0)
        self._beside.setSpacing(8)
        self._beside.addWidget(self.tabs)
        self._beside.addWidget(self.side, 1)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        row = QHBoxLayout()
        row.setSpacing(theme.current().gap)
        self._column.addLayout(row, 1)
        row.addWidget(main, 1)
        row.addWidget(self._side_box)
        self.tabs.currentChanged.connect(self._show_tab)

    def add_page(self, title: str, page: QWidget) -> None:
        self.side.addWidget(page)
        self.tabs.addTab(title)

    def set_narrow(self, narrow: bool) -> None:
        """Without room beside it, the large thing is a page among the others."""
        if narrow == self._narrow:
            return
        page = self.side.currentIndex()
        self._narrow = narrow
        if narrow:
            self.tabs.insertTab(0, self._title)
            self._column.insertWidget(0, self.tabs)
            self.tabs.setCurrentIndex(0)
        else:
            self.tabs.removeTab(0)
            self._beside.insertWidget(0, self.tabs)
            self.tabs.setCurrentIndex(page)
        self._dress()
        self._show_tab(self.tabs.currentIndex())
        self.narrow_changed.emit(narrow)

    def _show_tab(self, tab: int) -> None:
        on_main = self._narrow and tab == 0
        self._main.setVisible(on_main or not self._narrow)
        self._side_box.setVisible(not on_main)
        if not on_main and tab >= 0:
            self.side.setCurrentIndex(tab - self._narrow)

    def _dress(self, _tokens: object = None) -> None:
        width = theme.current().px(self._side_width)
        self._side_box.setMinimumWidth(0 if self._narrow else width)
        self._side_box.setMaximumWidth(UNLIMITED if self._narrow else width)

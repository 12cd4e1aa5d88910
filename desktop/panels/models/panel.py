"""Models: what fills each role, the catalogue to get more, endpoints, and the offline switch."""

from functools import cached_property

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QTabBar, QVBoxLayout

from biasprint.desktop import theme
from biasprint.desktop.dialogs.engine import EngineNotice
from biasprint.desktop.operations.connections import why_offline
from biasprint.desktop.panels.base import Panel
from biasprint.desktop.panels.models.catalogue import CataloguePage
from biasprint.desktop.panels.models.endpoints import EndpointsPage
from biasprint.desktop.panels.models.switch import OfflineSwitch
from biasprint.desktop.shell import Command
from biasprint.desktop.widgets import Notice, QuietButton, tr
from biasprint.desktop.widgets.labels import show_if
from biasprint.desktop.widgets.layout import SCROLL_BAR

CATALOGUE, ENDPOINTS = range(2)


class ModelsPanel(Panel):
    """Two pages as tabs; nothing here belongs to a project."""

    key = "models"
    title = "Models"

    def build(self) -> None:
        tokens = theme.current()
        self.switch = OfflineSwitch(self.shell.connections, tr("Offline switch"))
        self.verify_all = QuietButton(tr("Verify all"))
        self.verify_all.setToolTip(tr("Read every file of the models here and compare its hash with the recorded one."))
        for widget in (self.switch, self.verify_all):
            self.header.add_action(widget)
        self.offline = Notice("", closable=False)
        self.switch_off = self.offline.add_action(tr("Switch off"), lambda: self.shell.connections.switch(False))
        self.tabs, self.pages = QTabBar(), QStackedWidget()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(tr("Where models are"))
        for title in (tr("On this computer"), tr("Endpoints")):
            self.tabs.addTab(title)
        self.body.setContentsMargins(tokens.margin, 12, tokens.margin - SCROLL_BAR, 20)
        self.engine = EngineNotice(self.shell)
        notices = QVBoxLayout()
        notices.setContentsMargins(0, 0, SCROLL_BAR, 0)
        notices.addWidget(self.offline)
        notices.addWidget(self.engine)
        self.body.addLayout(notices)
        self.body.addWidget(self.tabs)
        self.body.addWidget(self.pages, 1)
        self.tabs.currentChanged.connect(self._show_tab)
        self.verify_all.clicked.connect(lambda: self.catalogue.verify_all())
        self.shell.connections.changed.connect(self._show_switch)
        self._show_switch()
        self._show_page()

    @cached_property
    def catalogue(self) -> CataloguePage:
        return CataloguePage(self.shell)

    @cached_property
    def endpoints(self) -> EndpointsPage:
        return EndpointsPage(self.shell)

    def showEvent(self, event: QShowEvent) -> None:
        self._stale = True  # another window, or a command, may have got or switched something meanwhile
        super().showEvent(event)

    def refresh(self) -> None:
        self.shell.connections.look()
        self.engine.read()
        self._page().read()

    def opened_with(self, *, role: str = "", page: str = "", **what: object) -> None:
        """Sent here about a role, or to the endpoints."""
        self.tabs.setCurrentIndex(ENDPOINTS if page == "endpoints" else CATALOGUE)
        if role:
            self.catalogue.choose(role)

    def commands(self) -> list[Command]:
        on = self.shell.connections.offline

        def free() -> bool:
            return self.shell.connections.by is not None and not self.shell.connections.fixed

        words = tr("Switch the offline switch off") if on else tr("Switch the offline switch on")
        return [
            Command(words, lambda: self.shell.connections.switch(not on), enabled=free),
            Command(tr("Add a model of your own…"), self._add_model, enabled=lambda: self.catalogue.ready),
            Command(tr("Add an endpoint…"), self._add_endpoint),
        ]

    def _add_model(self) -> None:
        self.tabs.setCurrentIndex(CATALOGUE)
        self.catalogue.add()

    def _add_endpoint(self) -> None:
        self.tabs.setCurrentIndex(ENDPOINTS)
        self.endpoints.add()

    def _page(self) -> CataloguePage | EndpointsPage:
        return self.endpoints if self.tabs.currentIndex() == ENDPOINTS else self.catalogue

    def _show_tab(self, _tab: int) -> None:
        self._show_page()
        self.refresh()

    def _show_page(self) -> None:
        page = self._page()
        if self.pages.indexOf(page) < 0:
            self.pages.addWidget(page)
        self.pages.setCurrentWidget(page)
        self.verify_all.setVisible(self.tabs.currentIndex() == CATALOGUE)

    def _show_switch(self) -> None:
        connections = self.shell.connections
        self.offline.text.setText(why_offline(connections))
        self.offline.more.setText(tr("Nothing is got and no endpoint is asked; what is on this computer works on."))
        show_if(self.offline.more, True)
        self.offline.setAccessibleName(f"{self.offline.text.text()} {self.offline.more.text()}")
        show_if(self.offline, connections.offline)
        self.switch_off.setVisible(not connections.fixed)

"""Raters: the coordinator's panel with its tabs.

No rater comes here: it names axes and identities. It is destroyed while somebody rates on this machine.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedWidget, QTabBar

from biasprint.desktop import theme
from biasprint.desktop.panels.base import Panel
from biasprint.desktop.panels.raters.adjudicate import AdjudicateSection
from biasprint.desktop.panels.raters.care import CareSection
from biasprint.desktop.panels.raters.decisions import DecisionsSection
from biasprint.desktop.panels.raters.packets import PacketsSection
from biasprint.desktop.panels.raters.plans import PlansSection
from biasprint.desktop.panels.raters.quality import QualitySection
from biasprint.desktop.panels.raters.section import RatersSection
from biasprint.desktop.shell import Command
from biasprint.desktop.widgets import Chip, number, tr
from biasprint.desktop.widgets.layout import SCROLL_BAR

if TYPE_CHECKING:
    from biasprint.core.project.changes import Changes
    from biasprint.core.project.project import Project


class RatersPanel(Panel):
    """A tab for each thing a coordinator does. All reading happens in threads."""

    key = "raters"
    title = "Raters"
    concerns = frozenset(
        {"plan", "rater", "session", "judgment", "annotation", "packet", "finding", "event", "axis_definition"}
    )

    def build(self) -> None:
        self.read_only = Chip(tr("read-only: nothing can be changed"), "warn")
        self.header.add_chip(self.read_only)
        self.plans, self.packets = PlansSection(self.shell), PacketsSection(self.shell)
        self.decisions, self.adjudication = DecisionsSection(self.shell), AdjudicateSection(self.shell)
        self.care, self.quality = CareSection(self.shell), QualitySection(self.shell)
        self.sections: dict[str, RatersSection] = {
            "plans": self.plans,
            "packets": self.packets,
            "decisions": self.decisions,
            "adjudication": self.adjudication,
            "care": self.care,
            "quality": self.quality,
        }
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(tr("What to do with raters"))
        self.stack = QStackedWidget()
        for key, section in self.sections.items():
            self.tabs.addTab(section.accessibleName())
            self.stack.addWidget(section)
            section.go_to.connect(self.show_tab)
            section.counted.connect(lambda count, key=key: self._say_count(key, count))
        self.tabs.currentChanged.connect(self._show_tab)
        self.plans.packets_wanted.connect(self.make_packets)
        tokens = theme.current()
        self.body.setContentsMargins(tokens.margin, 20, tokens.margin - SCROLL_BAR, 20)
        self.body.addWidget(self.tabs)
        self.body.addWidget(self.stack, 1)

    # the panel's life

    def project_opened(self, project: "Project") -> None:
        for section in self.sections.values():
            section.attach(project)

    def project_closed(self) -> None:
        for section in self.sections.values():
            section.attach(None)

    def refresh(self) -> None:
        self.read_only.setVisible(self.project is not None and bool(self.project.read_only))
        for section in self.sections.values():
            section.stale = True
        self.decisions.ask()  # for its count, whichever tab is seen
        self._show_tab()

    def changed(self, changes: "Changes") -> None:
        for key, section in self.sections.items():
            section.deliver(changes, seen=section is self.stack.currentWidget() or key == "decisions")

    def opened_with(
        self,
        *,
        packets: Sequence[Path] = (),
        tab: str = "",
        packets_for: str = "",
        raters: int = 0,
        **what: object,
    ) -> None:
        """Sent here with packets that came back, to make packets of a plan for so many raters, or for a tab."""
        if packets_for:
            self.make_packets(packets_for)
            self.packets.make.whom.setText(str(raters))
        elif packets:
            self.show_tab("packets")
            self.packets.merge.start([Path(one) for one in packets])
        elif tab in self.sections:
            self.show_tab(tab)

    def commands(self) -> list[Command]:
        def there() -> bool:
            return self.project is not None

        to_tabs = [
            Command(tr("Raters: {tab}").format(tab=section.accessibleName()), partial(self.show_tab, key), "", there)
            for key, section in self.sections.items()
        ]
        return [
            Command(tr("Choose packets that came back…"), self._choose_packets, "", there),
            Command(tr("Make packets…"), lambda: self.make_packets(self.plans.plans.current_key), "", there),
            *to_tabs,
        ]

    # going about

    def show_tab(self, key: str) -> None:
        self.tabs.setCurrentIndex(list(self.sections).index(key))

    def make_packets(self, plan_id: str) -> None:
        """Go to the form, with this plan chosen."""
        self.show_tab("packets")
        self.packets.make.choose_plan(plan_id)

    def _choose_packets(self) -> None:
        self.show_tab("packets")
        self.packets.merge.ask_files()

    def _show_tab(self, _place: int = 0) -> None:
        section = list(self.sections.values())[self.tabs.currentIndex()]
        self.stack.setCurrentWidget(section)
        if section.stale:
            section.ask()

    def _say_count(self, key: str, count: int) -> None:
        """Show how many things wait, behind the tab's title."""
        title = self.sections[key].accessibleName()
        shown = tr("{title} ({count})").format(title=title, count=number(count)) if count else title
        self.tabs.setTabText(list(self.sections).index(key), shown)

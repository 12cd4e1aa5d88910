"""The panels, in the order of the rail. A panel's module is imported when it is first shown."""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from biasprint.desktop.panels.base import Panel


@dataclass(frozen=True)
class PanelEntry:
    """The facts about a panel that the rail needs before the panel's code is loaded."""

    key: str
    title: str
    icon: str
    target: str  # "module:class"
    needs_project: bool = True
    at_bottom: bool = False
    blind_safe: bool = False  # may be seen while a rater is blind
    names_identities: bool = True  # asked about in the middle of a rating; False only where no part of a text is shown

    def load(self) -> "type[Panel]":
        """Import the panel's class; a mistyped target is an error."""
        module, _, name = self.target.partition(":")
        panel: type[Panel] = getattr(import_module(module), name)
        return panel


PANELS: tuple[PanelEntry, ...] = (
    PanelEntry(
        "home",
        "Home",
        "home",
        "biasprint.desktop.panels.home:HomePanel",
        needs_project=False,
        names_identities=False,
    ),
    PanelEntry("prompts", "Prompts", "prompts", "biasprint.desktop.panels.prompts:PromptsPanel"),
    PanelEntry("generate", "Generate", "generate", "biasprint.desktop.panels.generate.panel:GeneratePanel"),
    PanelEntry(
        "judge",
        "Judge",
        "judge",
        "biasprint.desktop.panels.judge.panel:JudgePanel",
        blind_safe=True,
        names_identities=False,
    ),
    PanelEntry("raters", "Raters", "raters", "biasprint.desktop.panels.raters:RatersPanel"),
    PanelEntry("charts", "Charts", "charts", "biasprint.desktop.panels.charts:ChartsPanel"),
    PanelEntry("explore", "Explore", "explore", "biasprint.desktop.panels.explore:ExplorePanel"),
    PanelEntry(
        "letters",
        "Letters",
        "letters",
        "biasprint.desktop.panels.letters:LettersPanel",
        needs_project=False,
        names_identities=False,  # it saves into the project, and shows none of its content
    ),
    PanelEntry(
        "fingerprint", "Fingerprint", "fingerprint", "biasprint.desktop.panels.fingerprint.panel:FingerprintPanel"
    ),
    PanelEntry("findings", "Findings", "findings", "biasprint.desktop.panels.findings:FindingsPanel"),
    PanelEntry("outputs", "Outputs", "outputs", "biasprint.desktop.panels.outputs:OutputsPanel"),
    PanelEntry(
        "models",
        "Models",
        "models",
        "biasprint.desktop.panels.models:ModelsPanel",
        needs_project=False,
        names_identities=False,
    ),
    PanelEntry(
        "settings",
        "Settings",
        "settings",
        "biasprint.desktop.panels.settings:SettingsPanel",
        needs_project=False,
        at_bottom=True,
        blind_safe=True,
        names_identities=False,
    ),
)

"""Choosing fill-in-the-blank prompts: domains, and the direction in which an item goes."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout

from core.prompts.completion_design import DIRECTIONS, DOMAINS, domain
from desktop import theme
from desktop.operations.prompts import CompletionChoice
from desktop.panels.prompts.checks import CheckList
from desktop.widgets import Card, Label, tr

DIRECTION_TITLES = {"SAI": "Stimulus to attribute", "ASA": "Attribute to stimulus"}


class CompletionChoiceCard(Card):
    """The published items, whole at first or narrowed."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(20)
        words = tr(
            "Each item is a sentence with a blank and three options: a positive, a negative and a neutral one. Every "
            "sentence is asked with masculine, feminine and non-binary pronouns and the same options. SAI names an "
            "age, a look or an origin and asks for a trait; ASA names a trait and asks for whose it is."
        )
        self.domains = CheckList(tr("Domains"), [(name, domain(name).title) for name in DOMAINS])
        self.directions = CheckList(
            tr("Directions"), [(name, f"{name}: {tr(DIRECTION_TITLES[name]).lower()}") for name in DIRECTIONS]
        )
        row = QHBoxLayout()
        row.setSpacing(theme.current().gap)
        for checks, share in ((self.domains, 2), (self.directions, 3)):
            row.addWidget(checks, share)
            checks.check(checks.boxes)
            checks.changed.connect(self.changed)
        self.box.addWidget(Label(words, "soft", wrap=True))
        self.box.addLayout(row, 1)

    def choice(self) -> CompletionChoice:
        return CompletionChoice(self.domains.checked(), self.directions.checked())

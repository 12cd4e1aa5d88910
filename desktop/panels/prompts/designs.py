"""Choosing a design: what it asks, how it measures, where it is from, and what it cannot say."""

from biasprint.core.prompts.designs import available_designs, load_design
from biasprint.desktop.operations.prompts import DesignChoice
from biasprint.desktop.panels.prompts.studies import StudyCard
from biasprint.desktop.widgets import Label, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.safe_text import safe_line

LETTERS = 20  # of a title that are seen in the narrowest window


class DesignChoiceCard(StudyCard):
    """One of the designs that ship."""

    tab, rank = "Designs", 5

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(20)
        self._designs = [load_design(key) for key in available_designs()]
        words = tr(
            "Designs of published studies: prompts, how replies are read, and what is measured. Their texts were "
            "written for this program. Measure them as the study “Any score by any group”."
        )
        self.which = ComboBox()
        self.which.setAccessibleName(tr("Design"))
        for design in self._designs:
            self.which.addItem(safe_line(design.title), design.key)
        self.question = Label("", "strong", wrap=True)
        self.said = {name: Label("", "soft", wrap=True) for name in ("measure", "source")}
        # As wide as the card: a title is a sentence, and no part of it may be cut off where there is room.
        self.which.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.which.setMinimumContentsLength(LETTERS)
        for widget in (Label(words, "soft", wrap=True), self.which, self.question):
            self.box.addWidget(widget)
        # What it cannot say stands beside its prompts.
        for title, name in ((tr("Measured"), "measure"), (tr("Source"), "source")):
            self.box.addWidget(Label(title, "strong"))
            self.box.addWidget(self.said[name])
        self.box.addStretch(1)
        self.which.activated.connect(lambda _: self._choose())
        self._show()

    def choice(self) -> DesignChoice:
        return DesignChoice(self.which.currentData())

    def _choose(self) -> None:
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        design = self._designs[self.which.currentIndex()]
        self.question.setText(safe_line(design.question))
        for name, label in self.said.items():
            label.setText(safe_line(getattr(design, name)))

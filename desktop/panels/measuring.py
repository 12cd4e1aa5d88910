"""The choices of every place that measures a study: whose texts, and a row for each scorer."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.desktop import theme
from biasprint.desktop.operations.measuring import ScorerLine
from biasprint.desktop.widgets import Chip, ElidedLabel, Label, StandInBadge, number
from biasprint.desktop.widgets.choice import CheckBox, ComboBox
from biasprint.desktop.widgets.labels import named, show_if
from biasprint.desktop.widgets.layout import FlowLayout, in_column
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip
from biasprint.desktop.widgets.words import tr
from biasprint.desktop.wording.generators import EACH, StudyGenerators, WantedTexts, choices, explained, said_of

LETTERS = 22  # of a title that the box shows at least


class GeneratorChoice(QWidget):
    """The choice of a generator, hidden unless texts are of several. A choice stays while it is on offer."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._writers = StudyGenerators()
        self._offered: Sequence[WantedTexts] = ()
        self.said, self.box = ElidedLabel("", "soft"), named(ComboBox(), tr("Whose texts are measured"))
        self.box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.box.setMinimumContentsLength(LETTERS)
        self.box.activated.connect(self._choose)
        self.about = Label("", "note", wrap=True)
        row = FlowLayout(self.said, self.box, spacing=theme.current().grid, centred=True, last_at_end=True)
        in_column(row, self.about, inside=self, spacing=4, margins=0)
        self.hide()

    @property
    def whose(self) -> WantedTexts | None:
        """The chosen generator; None where there is nothing to choose."""
        place = self.box.currentIndex()
        return self._offered[place] if self._writers.several and 0 <= place < len(self._offered) else None

    def show_writers(self, writers: StudyGenerators) -> None:
        """Offer the present generators, at first the one chosen when the study was last measured."""
        chosen = self.whose if self._writers.asked == writers.asked else None
        if writers != self._writers:
            self._writers = writers
            self._offer(writers.asked if chosen is None else chosen)
        show_if(self, writers.several)

    def choose(self, whose: WantedTexts) -> None:
        """Choose one of the offered generators."""
        self.box.setCurrentIndex(self._offered.index(whose))
        self._choose()

    def _offer(self, chosen: WantedTexts) -> None:
        offered = choices(self._writers) if self._writers.several else []
        self._offered = [whose for whose, _ in offered]
        self.box.clear()
        self.box.addItems([safe_line(tr(title)) for _, title in offered])
        self.box.setCurrentIndex(self._offered.index(chosen if chosen in self._offered else EACH) if offered else -1)
        self.said.set_text(said_of(self._writers))
        self._explain()

    def _choose(self) -> None:
        self._explain()
        self.changed.emit()

    def _explain(self) -> None:
        whose = self.whose or EACH
        explanation = explained(whose, self._writers)
        self.about.setText(safe_line(explanation))
        show_if(self.about, whose != EACH)
        self.box.setToolTip(safe_tip(tr(explanation)))
        self.box.setAccessibleDescription(safe_line(tr(explanation)))


class ScorerRow(QWidget):
    """A scorer with its badge, its own description, and the number of texts it has scored."""

    def __init__(self, line: ScorerLine) -> None:
        super().__init__()
        info = line.info
        self.line = line
        self.check = CheckBox(safe_line(tr(scorer_title(info.name))).replace("&", "&&"))
        self.check.setEnabled(not info.unavailable)
        self.check.setChecked(line.needed and not info.unavailable)
        self.count = Label("", "note")
        head = FlowLayout(self.check, spacing=theme.current().grid, centred=True, last_at_end=True)
        head.addWidget(Chip(safe_line(info.role.replace("_", " "))))
        if line.needed:
            head.addWidget(Chip(tr("read by the measures"), "accent"))
        if info.stand_in:
            head.addWidget(StandInBadge(tr("stand-in")))
        head.addWidget(self.count)
        description = info.unavailable or " ".join([info.note, tr("Gives: {shape}.").format(shape=info.shape)]).strip()
        in_column(head, Label(safe_line(description), "note", wrap=True), inside=self, spacing=2, margins=(0, 4, 0, 4))
        self.check.setAccessibleDescription(safe_line(tr(description)))
        self.show_count(line)

    def show_count(self, line: ScorerLine) -> None:
        self.texts = line.texts
        words = tr("{scored} of {texts} texts scored")
        self.count.setText(words.format(scored=number(line.scored), texts=number(line.texts)))

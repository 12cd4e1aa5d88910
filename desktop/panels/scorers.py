"""A row to choose a scorer: its description, what it gives, and whether it is a stand-in."""

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.desktop import theme
from biasprint.desktop.operations.measuring import ScorerLine
from biasprint.desktop.widgets import Chip, Label, StandInBadge, tr
from biasprint.desktop.widgets.safe_text import safe_line


class ScorerRow(QWidget):
    """A scorer with its badge, its own description, and the number of texts it has scored."""

    def __init__(self, line: ScorerLine) -> None:
        super().__init__()
        info = line.info
        self.line = line
        self.check = QCheckBox(safe_line(scorer_title(info.name)).replace("&", "&&"))
        self.check.setEnabled(not info.unavailable)
        self.check.setChecked(line.needed and not info.unavailable)
        self.count = Label("", "note")
        head = QHBoxLayout()
        head.setSpacing(theme.current().grid)
        head.addWidget(self.check)
        head.addWidget(Chip(safe_line(info.role.replace("_", " "))))
        if line.needed:
            head.addWidget(Chip(tr("read by the measures"), "accent"))
        if info.stand_in:
            head.addWidget(StandInBadge(tr("stand-in")))
        head.addStretch(1)
        head.addWidget(self.count)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 4, 0, 4)
        box.setSpacing(2)
        box.addLayout(head)
        description = info.unavailable or " ".join([info.note, tr("Gives: {shape}.").format(shape=info.shape)]).strip()
        box.addWidget(Label(safe_line(description), "note", wrap=True))
        self.check.setAccessibleDescription(safe_line(description))
        self.show_count(line)

    def show_count(self, line: ScorerLine) -> None:
        self.texts = line.texts
        words = tr("{scored} of {texts} texts scored")
        self.count.setText(words.format(scored=f"{line.scored:,}", texts=f"{line.texts:,}"))

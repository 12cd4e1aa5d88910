"""The card beside the findings table: one finding in full, in words that can be defended."""

import json

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop import theme
from desktop.charts.words import counts, interval_sentence
from desktop.models import finding_words as words
from desktop.models.finding_lines import FindingLine
from desktop.panels.findings.bar import IntervalBar, legend
from desktop.widgets import Card, Chip, FlowLayout, IconButton, Label, LinkButton, PrimaryButton, StandInBadge, tr
from desktop.widgets.column import Column
from desktop.widgets.safe_text import safe_line

WIDTH = 348  # at least
CAPTION_WIDTH = 84
Facts = dict[str, str]


class Fact(QWidget):
    """A word at the left, and what there is to say of it."""

    def __init__(self, caption: str) -> None:
        super().__init__()
        self.caption = Label(caption, "note", wrap=True)
        self.text = Label("", "", wrap=True)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.current().grid)
        row.addWidget(self.caption, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.text, 1)
        self._dress()
        theme.signals.changed.connect(self._dress)

    def say(self, text: str) -> None:
        self.text.setText(safe_line(text))
        self.text.setAccessibleName(f"{self.caption.text()}: {safe_line(text)}")
        self.setVisible(bool(text))

    def _dress(self, _tokens: object = None) -> None:
        self.caption.setFixedWidth(theme.current().px(CAPTION_WIDTH))


class FindingCard(Card):
    """Hidden until a finding is shown. Escape closes it."""

    closed = Signal()
    texts_wanted = Signal()
    copied = Signal(str)  # what the person is told

    def __init__(self) -> None:
        super().__init__()
        self.line: FindingLine | None = None
        self.heading = Label("", "heading", wrap=True)
        self.about = Label("", "soft", wrap=True)
        self.badge = StandInBadge("")
        self.variant = Chip(tr("as published"))
        self.variant.setToolTip(tr("The paper's own formula and test, to compare with its numbers."))
        self.figure, self.unit = Label("", "figure"), Label("", "soft")
        self.interval = Label("", "note", wrap=True)
        self.bar = IntervalBar()
        self.legend = Label("", "note", wrap=True)
        self.facts = {name: Fact(caption) for name, caption in _captions().items()}
        self.open_texts = PrimaryButton(tr("Open its texts"))
        self.copy_sentence = LinkButton(tr("Copy as a sentence"), icon="copy")
        self.copy_json = LinkButton(tr("Copy as JSON"), icon="copy")
        self.open_texts.clicked.connect(self.texts_wanted)
        self.copy_sentence.clicked.connect(self.put_sentence)
        self.copy_json.clicked.connect(self.put_json)
        self.setAccessibleName(tr("The finding in full"))
        self._lay_out()
        self.hide()

    def show_line(self, line: FindingLine) -> None:
        self.line = line
        one = line.finding
        self.heading.setText(safe_line(one.title))
        self.about.setText(line.about)
        self.about.setVisible(bool(line.about))
        stand_ins = ", ".join(use.name for use in one.scorers if use.stand_in)
        self.badge.setText(safe_line(tr("stand-in: {names}").format(names=stand_ins)))
        self.badge.setVisible(bool(stand_ins))
        self.variant.setVisible(one.variant == "as_published")
        figure, shown = words.figures(one)
        self.figure.setText(figure if one.estimate is not None else tr("Not defined"))
        self.unit.setText(safe_line(one.unit) if one.estimate is not None else "")
        self.interval.setText(safe_line(interval_sentence(one, shown)) if one.estimate is not None else "")
        self.interval.setVisible(one.estimate is not None)
        self.bar.show_finding(one)
        self.legend.setText(legend(one))
        self.legend.setVisible(bool(legend(one)))
        for name, said in _facts(line).items():
            self.facts[name].say(said)
        self.column.verticalScrollBar().setValue(0)
        self.show()

    def close_card(self) -> None:
        """Make room for the table."""
        self.line = None
        self.hide()
        self.closed.emit()

    def put_sentence(self) -> None:
        """The finding as one sentence, on the clipboard."""
        if self.line is not None:
            said = words.sentence(self.line.finding, self.line.about, self.line.groups)
            QGuiApplication.clipboard().setText(said)
            self.copied.emit(tr("The finding was copied as a sentence."))

    def put_json(self) -> None:
        """The finding as the command line prints it, on the clipboard."""
        if self.line is not None:
            QGuiApplication.clipboard().setText(json.dumps(self.line.finding.to_json(), indent=2, ensure_ascii=False))
            self.copied.emit(tr("The finding was copied as JSON."))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_card()
        else:
            super().keyPressEvent(event)

    def _lay_out(self) -> None:
        tokens = theme.current()
        close = IconButton("close", tr("Close the finding"), size=16)
        close.clicked.connect(self.close_card)
        head = QHBoxLayout()
        head.addWidget(self.heading, 1)
        head.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        chips = FlowLayout(spacing=tokens.grid)
        for chip in (self.badge, self.variant):
            chips.addWidget(chip)
        number = QHBoxLayout()
        number.setSpacing(tokens.grid)
        number.addWidget(self.figure)
        number.addWidget(self.unit, 1, Qt.AlignmentFlag.AlignBottom)
        self.column = Column()
        inside = self.column.box
        inside.addWidget(self.about)
        inside.addLayout(chips)
        inside.addLayout(number)
        for widget in (self.interval, self.bar, self.legend, *self.facts.values()):
            inside.addWidget(widget)
        inside.addStretch(1)
        copying = FlowLayout(spacing=tokens.gap)
        for button in (self.copy_sentence, self.copy_json):
            copying.addWidget(button)
        self.set_padding(20)
        self.box.addLayout(head)
        self.box.addWidget(self.column, 1)
        self.box.addWidget(self.open_texts)
        self.box.addLayout(copying)
        self._dress()
        theme.signals.changed.connect(self._dress)

    def _dress(self, _tokens: object = None) -> None:
        self.setMinimumWidth(theme.current().px(WIDTH))


def _captions() -> Facts:
    return {
        "reason": tr("Because"),
        "groups": tr("Groups"),
        "n": tr("n"),
        "dropped": tr("Left out"),
        "p": tr("Test"),
        "floor": tr("Noise floor"),
        "effect": tr("Effect size"),
        "contrast": tr("Per group"),
        "power": tr("Power"),
        "harm": tr("Harm"),
        "scorers": tr("Scorers"),
        "source": tr("Source"),
        "note": tr("Note"),
        "id": tr("Id"),
    }


def _facts(line: FindingLine) -> Facts:
    """Everything that is known of the finding, empty where nothing is."""
    one = line.finding
    effect = f"{one.effect.name}: {words.short(one.effect.value)}" if one.effect else ""
    dims = ", ".join(f"{name} = {value}" for name, value in one.dims.items())
    return {
        "reason": (one.reason or "") if one.estimate is None else "",
        "groups": ", ".join(line.groups.values()),
        "n": words.n_words(one, line.groups),
        "dropped": counts(one.dropped),
        "p": words.p_words(one),
        "floor": words.floor_words(one),
        "effect": effect,
        "contrast": words.contrast_words(one, line.groups),
        "power": words.power_words(one),
        "harm": one.harm,
        "scorers": words.scorer_words(one),
        "source": one.source,
        "note": one.note,
        "id": _breakable(" · ".join(part for part in (one.id, one.label, dims) if part)),
    }


def _breakable(text: str) -> str:
    """An id has no blanks: it may be broken after its dots and underscores."""
    return text.replace(".", ".\u200b").replace("_", "_\u200b")

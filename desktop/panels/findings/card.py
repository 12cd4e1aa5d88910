"""The card beside the findings table: one finding in full, in words that can be defended."""

import json
import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from core.findings import Finding
from desktop import theme
from desktop.charts import numbers
from desktop.charts.canvas import Canvas
from desktop.charts.legend import CHANCE_DASH
from desktop.charts.words import counts, interval_sentence
from desktop.models import finding_words as words
from desktop.models.finding_lines import FindingLine
from desktop.models.finding_words import figures, is_ratio, null_value
from desktop.widgets import Card, Chip, FlowLayout, IconButton, Label, LinkButton, PrimaryButton, StandInBadge
from desktop.widgets.layout import Column
from desktop.widgets.safe_text import safe_line
from desktop.widgets.words import tr

MARK_HEIGHT = 28
MARGIN = 0.08  # of the scale, at both ends


class IntervalBar(QWidget):
    """Empty without an estimate. Ratios stand on a log scale."""

    def __init__(self) -> None:
        super().__init__()
        self._finding: Finding | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.signals.changed.connect(self._restyle)

    def show_finding(self, finding: Finding) -> None:
        self._finding = finding if finding.estimate is not None else None
        self.setVisible(self._finding is not None)
        figure, interval = figures(finding)
        said = tr("{figure}, interval {interval}") if interval else tr("{figure}, without an interval")
        self.setAccessibleName(said.format(figure=figure, interval=interval))
        self.setAccessibleDescription(legend(finding))
        self.update()

    def sizeHint(self) -> QSize:
        tokens = theme.current()
        return QSize(tokens.px(200), tokens.px(MARK_HEIGHT + 20))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.current().px(120), self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._finding is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw(Canvas(painter, theme.current()), self._finding, self.width())
        painter.end()

    def _restyle(self, _tokens: object = None) -> None:
        self.updateGeometry()
        self.update()


class Places:
    """Where values stand on a scale that has room for all of them."""

    def __init__(self, values: list[float], width: float, *, logarithmic: bool) -> None:
        self._of = math.log if logarithmic else float
        ends = [self._of(value) for value in values if math.isfinite(value) and (value > 0 or not logarithmic)]
        self._low, high = min(ends), max(ends)
        self._span = (high - self._low) or abs(high) or 1.0
        self._width = width
        self._logarithmic = logarithmic

    def x(self, value: float) -> float:
        """In pixels from the left; at the edge for what no scale holds (0 or infinity of a ratio)."""
        if (self._logarithmic and value <= 0) or value == -math.inf:
            return 0.0
        if value == math.inf:
            return self._width
        share = (self._of(value) - self._low) / self._span
        return self._width * (MARGIN + (1 - 2 * MARGIN) * share)


def draw(canvas: Canvas, finding: Finding, width: float) -> None:
    """Floor, null line, interval, estimate, and under them what the null line stands at."""
    assert finding.estimate is not None
    tokens = canvas.tokens
    null, floor = null_value(finding), finding.floor
    low, high = numbers.bounds(finding.interval)
    from_zero = [0.0] if floor is not None else []
    values = [finding.estimate, low, high, null, floor.p95 if floor else None, *from_zero]
    places = Places([value for value in values if value is not None], width, logarithmic=is_ratio(finding))
    bottom, middle = float(tokens.px(MARK_HEIGHT)), tokens.px(MARK_HEIGHT) / 2
    if floor is not None:
        start = places.x(0.0)
        canvas.floor(QRectF(start, 0, places.x(floor.p95) - start, bottom))
    canvas.line(0, bottom, width, bottom, tokens.edge)
    if null is not None:
        x = places.x(null)
        canvas.line(x, 0, x, bottom, tokens.ink, 1.0, CHANCE_DASH)
        _tick(canvas, x, bottom, numbers.score(null)[0] if null not in (0, 1) else f"{null:g}", width)
    color = tokens.series[0].color
    if low is not None and high is not None:
        canvas.line(places.x(low), middle, places.x(high), middle, color, 2.0)
        for x in (places.x(low), places.x(high)):
            canvas.line(x, middle - tokens.px(5), x, middle + tokens.px(5), color, 1.5)
    canvas.marker(QPointF(places.x(finding.estimate), middle), 0, hollow=finding.variant == "as_published")


def _tick(canvas: Canvas, x: float, bottom: float, text: str, width: float) -> None:
    half = canvas.width_of(text, "note") / 2
    middle = bottom + canvas.height_of("note") / 2 + canvas.tokens.px(2)
    canvas.text(min(max(x, half), width - half), middle, text, role="note", color=canvas.tokens.soft, align="center")


def legend(finding: Finding) -> str:
    """What the shade and the dashed line mean; empty where neither is drawn."""
    if finding.estimate is None:
        return ""
    if finding.floor is not None:
        return tr("Shaded: noise floor, what comes up without any bias in 95 of 100 cases; dashed: its average.")
    if is_ratio(finding):
        return tr("Dashed: 1, no difference.")
    if finding.id == "creativity.share":
        return tr("Dashed: chance, every group chosen alike.")
    return tr("Dashed: 0, no difference.") if null_value(finding) is not None else ""


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

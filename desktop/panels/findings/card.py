"""The card beside the findings table: one finding in full, in words that can be defended."""

import json
import math

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from biasprint.core.draw import digits
from biasprint.core.draw.canvas import NULL_DASH, Canvas
from biasprint.core.draw.plots import AxisScale, PlacedAxis
from biasprint.core.draw.words import SHARES, apart, counts, interval_sentence, is_ratio, null_value
from biasprint.core.findings import Finding
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.desktop import theme
from biasprint.desktop.charts.chart import below
from biasprint.desktop.widgets import Card, Chip, FlowLayout, IconButton, Label, LinkButton, PrimaryButton, StandInBadge
from biasprint.desktop.widgets.labels import Fact, show_words
from biasprint.desktop.widgets.layout import Column, add_to, in_row
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.widgets.words import tr
from biasprint.desktop.wording import findings as words
from biasprint.desktop.wording.findings import FindingLine, figures

MARK_HEIGHT = 28
MARGIN = 0.08  # of the scale, at both ends


class IntervalBar(QWidget):
    """A bar with estimate and interval, empty without an estimate. Ratios have a log scale."""

    def __init__(self) -> None:
        super().__init__()
        self._finding: Finding | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.signals.changed.connect(self._restyle)

    def show_finding(self, finding: Finding) -> None:
        self._finding = finding if finding.estimate is not None else None
        self.setVisible(self._finding is not None)
        figure, interval = figures(finding)
        template = tr("{figure}, interval {interval}") if interval else tr("{figure}, without an interval")
        self.setAccessibleName(tr(template.format(figure=figure, interval=interval)))
        self.setAccessibleDescription(tr(legend(finding)))
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
        finding = self._finding
        below(painter, theme.current(), 0, self.width(), lambda canvas: draw(canvas, finding))
        painter.end()

    def _restyle(self, _tokens: object = None) -> None:
        self.updateGeometry()
        self.update()


def draw(canvas: Canvas, finding: Finding) -> float:
    """Draw floor, null line, interval, estimate, and below them the null value; return the height."""
    assert finding.estimate is not None
    null, floor = null_value(finding), finding.floor
    low, high = digits.ends(finding.interval)
    from_zero = [0.0] if floor is not None else []
    values = [finding.estimate, low, high, null, floor.p95 if floor else None, *from_zero]
    scale = scale_of([value for value in values if value is not None], logarithmic=is_ratio(finding))
    axis, bottom, middle = PlacedAxis(scale, 0, canvas.width), float(MARK_HEIGHT), MARK_HEIGHT / 2
    if floor is not None:
        start = axis.at(0.0)
        canvas.floor(start, 0, axis.at(floor.p95) - start, bottom, axis.at(floor.mean))
    canvas.line(0, bottom, canvas.width, bottom, "edge")
    if null is not None:
        x = axis.at(null)
        canvas.line(x, 0, x, bottom, "ink", 1, NULL_DASH)
        text = digits.number(null) if null not in (0, 1) else f"{null:g}"
        half = canvas.measure(text, "note") / 2
        canvas.text(min(max(x, half), canvas.width - half), bottom + 15, text, anchor="middle")
    if low is not None and high is not None:
        cut = not scale.holds(low), not scale.holds(high)
        canvas.span((axis.at(low), middle), (axis.at(high), middle), "series-1", cut=cut)
    canvas.marker(0, axis.at(finding.estimate), middle, hollow=finding.variant == "as_published")
    return bottom + 20


def scale_of(values: list[float], *, logarithmic: bool) -> AxisScale:
    """Return a scale over all finite values, with a margin; 0 or infinity of a ratio lies beyond it."""
    of, back = (math.log, math.exp) if logarithmic else (float, float)
    ends = [of(value) for value in values if math.isfinite(value) and (value > 0 or not logarithmic)]
    low, high = min(ends), max(ends)
    margin = ((high - low) or abs(high) or 1.0) * MARGIN
    return AxisScale(back(low - margin), back(high + margin), (), logarithmic)


def legend(finding: Finding) -> str:
    """Explain the shade and the dashed line; empty if neither is drawn."""
    if finding.estimate is None:
        return ""
    if finding.floor is not None:
        return tr("Shaded: noise floor, what comes up without any bias in 95 of 100 cases; dashed: its average.")
    if is_ratio(finding):
        return tr("Dashed: 1, no difference.")
    if finding.id in SHARES:
        return tr("Dashed: chance, every group chosen alike.")
    return tr("Dashed: 0, no difference.") if null_value(finding) is not None else ""


WIDTH = 348  # at least
Facts = dict[str, str]


class FindingCard(Card):
    """The card, hidden until a finding is shown. Escape closes it."""

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
        self.open_texts = PrimaryButton(tr("Open its texts"), act=self.texts_wanted)
        self.copy_sentence = LinkButton(tr("Copy as a sentence"), icon="copy", act=self.put_sentence)
        self.copy_json = LinkButton(tr("Copy as JSON"), icon="copy", act=self.put_json)
        self.setAccessibleName(tr("The finding in full"))
        self._lay_out()
        self.hide()

    def show_line(self, line: FindingLine) -> None:
        self.line = line
        finding = line.finding
        self.heading.setText(safe_line(finding.title))
        show_words(self.about, line.about)
        stand_ins = ", ".join(scorer_title(use.name) for use in finding.scorers if use.stand_in)
        self.badge.setText(safe_line(tr("stand-in: {names}").format(names=stand_ins)))
        self.badge.setVisible(bool(stand_ins))
        self.variant.setVisible(finding.variant == "as_published")
        figure, shown = words.figures(finding)
        self.figure.setText(figure if finding.estimate is not None else tr("Not defined"))
        self.unit.setText(safe_line(finding.unit) if finding.estimate is not None else "")
        self.interval.setText(safe_line(interval_sentence(finding, shown)) if finding.estimate is not None else "")
        self.interval.setVisible(finding.estimate is not None)
        self.bar.show_finding(finding)
        show_words(self.legend, legend(finding))
        for name, value in _facts(line).items():
            self.facts[name].say(value)
        self.column.verticalScrollBar().setValue(0)
        self.show()

    def close_card(self) -> None:
        """Close the card, to make room for the table."""
        self.line = None
        self.hide()
        self.closed.emit()

    def put_sentence(self) -> None:
        """Copy the finding to the clipboard as one sentence."""
        if self.line is not None:
            sentence = words.sentence(self.line.finding, self.line.about, self.line.groups)
            QGuiApplication.clipboard().setText(sentence)
            self.copied.emit(tr("The finding was copied as a sentence."))

    def put_json(self) -> None:
        """Copy the finding to the clipboard as the command line prints it."""
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
        close = IconButton("close", tr("Close the finding"), size=16, act=self.close_card)
        head = in_row((self.heading, 1), (close, Qt.AlignmentFlag.AlignTop))
        chips = FlowLayout(self.badge, self.variant, spacing=tokens.grid)
        number = in_row(self.figure, spacing=tokens.grid)
        number.addWidget(self.unit, 1, Qt.AlignmentFlag.AlignBottom)
        self.column = Column()
        inside = self.column.box
        inside.addWidget(self.about)
        inside.addLayout(chips)
        inside.addLayout(number)
        for widget in (self.interval, self.bar, self.legend, *self.facts.values()):
            inside.addWidget(widget)
        inside.addStretch(1)
        copying = FlowLayout(self.copy_sentence, self.copy_json, spacing=tokens.gap)
        self.set_padding(20)
        add_to(self.box, head, (self.column, 1), self.open_texts, copying)
        theme.follow(self._dress)

    def _dress(self, _tokens: object = None) -> None:
        self.setMinimumWidth(theme.current().px(WIDTH))


def _captions() -> Facts:
    return {
        "reason": tr("Because"),
        "between": tr("In words"),
        "planned": tr("Analysis plan"),
        "groups": tr("Groups"),
        "n": tr("n"),
        "dropped": tr("Left out"),
        "p": tr("Test"),
        "apart": tr("Verdict"),
        "floor": tr("Noise floor"),
        "effect": tr("Effect size"),
        "contrast": tr("Per group"),
        "power": tr("Power"),
        "wordings": tr("Wordings"),
        "harm": tr("Harm"),
        "scorers": tr("Scorers"),
        "source": tr("Source"),
        "note": tr("Note"),
        "id": tr("Id"),
    }


def _facts(line: FindingLine) -> Facts:
    """Return the facts known about the finding by name; empty texts for unknown ones."""
    finding = line.finding
    effect = f"{finding.effect.name}: {digits.number(finding.effect.value)}" if finding.effect else ""
    dims = ", ".join(f"{name} = {value}" for name, value in finding.dims.items())
    return {
        "reason": (finding.reason or "") if finding.estimate is None else "",
        "between": words.difference_words(finding),
        "planned": line.planned,
        "groups": ", ".join(line.groups.values()),
        "n": words.n_words(finding, line.groups),
        "dropped": counts(finding.dropped),
        "p": words.p_words(finding),
        "apart": apart(finding),
        "floor": words.floor_words(finding),
        "effect": effect,
        "contrast": words.contrast_words(finding, line.groups),
        "power": words.power_words(finding),
        "wordings": words.wording_words(finding),
        "harm": finding.harm,
        "scorers": words.scorer_words(finding),
        "source": finding.source,
        "note": finding.note,
        "id": _breakable(" · ".join(part for part in (finding.id, finding.label, dims) if part)),
    }


def _breakable(text: str) -> str:
    """Allow line breaks in an id after its dots and underscores."""
    return text.replace(".", ".\u200b").replace("_", "_\u200b")

"""The page after the reveal: how often each was chosen, in counts and plain words."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGridLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from core.judging.blind import AxisSummary, Revelation
from desktop import theme
from desktop.widgets import Button, Card, FlowLayout, Label, PrimaryButton, QuietButton, plural, tr
from desktop.widgets.safe_text import safe_line

BAR_HEIGHT = 14
LABEL_WIDTH = 220


class ShareBar(QWidget):
    """A bar for a share from 0 to 1, with a tick where chance lies. Colour and pattern are a series of the charts."""

    def __init__(self, share: float, chance: float, series: int) -> None:
        super().__init__()
        self._share = share
        self._chance = chance
        self._series = series
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(80)

    def sizeHint(self) -> QSize:
        return QSize(200, theme.current().px(BAR_HEIGHT) + 8)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.current()
        series = tokens.series[self._series % len(tokens.series)]
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        height = tokens.px(BAR_HEIGHT)
        track = QRectF(0, (self.height() - height) / 2, self.width(), height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.grid_line))
        painter.drawRoundedRect(track, 4, 4)
        bar = QRectF(track.topLeft(), track.size())
        bar.setWidth(track.width() * self._share)
        for style in (Qt.BrushStyle.SolidPattern, Qt.BrushStyle[series.pattern]):
            color = QColor(series.color)
            if style != Qt.BrushStyle.SolidPattern:
                color = QColor(tokens.surface)
            painter.setBrush(QBrush(color, style))
            if series.pattern != "SolidPattern" or style == Qt.BrushStyle.SolidPattern:
                painter.drawRoundedRect(bar, 4, 4)
        painter.setPen(QPen(QColor(tokens.ink), 2))
        tick = round(self.width() * self._chance)
        painter.drawLine(tick, 0, tick, self.height())
        painter.end()


class RevealPage(QScrollArea):
    """Counts per axis. It claims nothing: whether counts differ from chance is for the charts to say."""

    charts_wanted = Signal()
    fingerprint_wanted = Signal()
    closed = Signal()

    def __init__(self, *, fingerprint: bool = False) -> None:
        """`fingerprint`: whether there is a panel that shows the rater's own."""
        super().__init__()
        self._fingerprint = fingerprint
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_revelation(self, revelation: Revelation) -> None:
        tokens = theme.current()
        sheet = QWidget()
        sheet.setProperty("role", "clear")
        box = QVBoxLayout(sheet)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(tokens.gap)
        opening = Card(tr("You chose these texts"))
        opening.box.addWidget(Label(_opening(revelation), "reading", wrap=True))
        row = FlowLayout(spacing=tokens.grid)
        for button in self._buttons():
            row.addWidget(button)
        opening.box.addSpacing(tokens.grid)
        opening.box.addLayout(row)
        box.addWidget(opening)
        labels = [safe_line(identity.label) for axis in revelation.axes for identity in axis.identities]
        width = max((self.fontMetrics().horizontalAdvance(label) for label in labels), default=0)
        for axis in revelation.axes:
            box.addWidget(_axis_card(axis, min(width + tokens.grid, tokens.px(LABEL_WIDTH))))
        box.addStretch(1)
        self.setWidget(sheet)

    def forget(self) -> None:
        self.setWidget(QWidget())

    def _buttons(self) -> list[Button]:
        charts, done = QuietButton(tr("See the charts"), icon="charts"), QuietButton(tr("Done"))
        charts.clicked.connect(self.charts_wanted)
        done.clicked.connect(self.closed)
        if not self._fingerprint:
            charts.set_role("primary")
            return [charts, done]
        own = PrimaryButton(tr("See my fingerprint"), icon="fingerprint")
        own.clicked.connect(self.fingerprint_wanted)
        return [own, charts, done]


def _opening(revelation: Revelation) -> str:
    words = [
        tr("The texts also differ in quality, so counts alone do not show a preference for anybody."),
        tr("The charts show them with intervals and beside what chance gives; the tick on each bar marks chance."),
    ]
    if revelation.repeats:
        words.append(
            plural(
                revelation.repeats,
                "%n comparison came twice: {same} was answered the same way.",
                "%n comparisons came twice: {same} were answered the same way.",
            ).format(same=revelation.repeats_same)
        )
    return " ".join(words)


def _axis_card(axis: AxisSummary, label_width: int) -> Card:
    tokens = theme.current()
    card = Card(safe_line(axis.title))
    grid = QGridLayout()
    grid.setHorizontalSpacing(tokens.gap)
    grid.setVerticalSpacing(tokens.grid)
    chance = 1 / len(axis.identities)
    for row, identity in enumerate(axis.identities):
        share = identity.chosen / axis.choices if axis.choices else 0.0
        count = tr("{chosen} of {choices}").format(chosen=identity.chosen, choices=axis.choices)
        bar = ShareBar(share, chance, row)
        bar.setAccessibleName(f"{safe_line(identity.label)}: {count}")
        label = Label(safe_line(identity.label), wrap=True)
        label.setFixedWidth(label_width)
        grid.addWidget(label, row, 0)
        grid.addWidget(bar, row, 1)
        grid.addWidget(Label(count, "strong"), row, 2)
    grid.setColumnStretch(1, 1)
    card.box.addLayout(grid)
    rest = (
        (axis.ties, "%n tie", "%n ties"),
        (axis.none, "%n “none is good”", "%n “none is good”"),
        (axis.skipped, "%n skipped", "%n skipped"),
        (axis.left, "%n not judged", "%n not judged"),
    )
    words = " · ".join(plural(number, one, many) for number, one, many in rest if number)
    if words:
        card.box.addWidget(Label(words, "note", wrap=True))
    return card

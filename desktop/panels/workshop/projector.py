"""The group on a projector, step by step: chance, what all chose, models beside them; never one person."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from biasprint.core.draw.figure import Figure, FigureMark
from biasprint.core.draw.frame import draw_figure
from biasprint.desktop import theme
from biasprint.desktop.charts.chart import below
from biasprint.desktop.charts.live import chance_range, few_people
from biasprint.desktop.widgets import Label, PrimaryButton, QuietButton, plural, tr
from biasprint.desktop.widgets.keys import is_fresh
from biasprint.desktop.widgets.layout import STRETCH, in_column, in_row

if TYPE_CHECKING:
    from biasprint.core.judging.fingerprint import OtherVoice
    from biasprint.core.runs.fingerprint import GroupPicture

CHANCE, GROUP, MODELS = range(3)
LAID_OUT = (900, 700, 560)  # widths to lay the figure out in; the screen shows the one that makes it largest
LARGEST = 2.0  # times its usual size: the words above it stay the larger ones
# The words give way to the figure: the least height of the page, in text pixels, for a size of theirs.
WORDS_BY_HEIGHT = ((600, "display"), (440, "title"), (0, "strong"))
FORWARD = {Qt.Key.Key_Right, Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_PageDown}
BACK = {Qt.Key.Key_Left, Qt.Key.Key_Backspace, Qt.Key.Key_PageUp}


def steps_of(picture: "GroupPicture") -> tuple[int, ...]:
    """Return the steps that have data."""
    return (CHANCE, GROUP, MODELS) if picture.models else (CHANCE, GROUP)


def figure_at(picture: "GroupPicture", step: int) -> Figure:
    """Return the bars of a step, for each axis its own: no line joins axes that have nothing to do with each other."""
    group = picture.group
    assert group is not None
    if step == CHANCE:
        marks = _marks(group, tr("chance"), chance=True)
    else:
        marks = _marks(group, plural(group.people, "group of 1", "group of %n"))
        if step == MODELS:
            marks += [mark for model in picture.models for mark in _marks(model, model.title)]
    return Figure(
        key="workshop.group",
        study="creativity",
        title=tr("What all chose together"),
        subtitle="",
        kind="intervals" if step == CHANCE else "bars",
        marks=tuple(marks),
        unit=tr("times as often"),
        axis=tr("1: as often as by choosing blindly; 2: twice as often"),
        null=1.0,
        null_words=tr("choosing blindly"),
        n_title=tr("choices"),
        band_words=tr("where luck alone ends in 19 of 20 workshops"),
    )


def words_at(picture: "GroupPicture", step: int) -> str:
    """Explain the step in a sentence or two, for everybody in the room."""
    group = picture.group
    assert group is not None
    if step == CHANCE:
        return tr(
            "Suppose nobody cared whom a text was written for. In 19 of 20 workshops the bars would still end "
            "somewhere on these lines. How long do you expect yours to be?"
        )
    if step == GROUP:
        words = plural(
            group.people,
            "What 1 person chose. The dashed line is what choosing blindly gives; a longer bar means more often.",
            "What %n people chose, added up. The dashed line is what choosing blindly gives; a longer bar means more "
            "often.",
        )
        others = tr(
            "Another group would get other bars: the black line shows how far a bar might move. If it crosses the "
            "dashed line, that bar may be luck."
        )
        return " ".join(filter(None, [words, others, few_people(group.people)]))
    return tr("What language models chose among the same texts, beside your group.")


def _marks(voice: "OtherVoice", series: str, *, chance: bool = False) -> list[FigureMark]:
    shares = {
        (share.dims["axis"], share.label): share
        for share in voice.findings
        if (share.id, share.variant) == ("creativity.share", "default")
    }
    several = len(voice.axes) > 1
    marks = []
    for axis in voice.axes:
        for identity in axis.identities:
            finding = shares.get((axis.axis, identity.identity))
            if finding is None or identity.relative is None:
                continue
            k = len(axis.identities)
            low, high = None, None
            if chance:
                low, high = (k * share for share in chance_range(axis.n, 1 / k))
            elif identity.interval is not None:
                low, high = identity.interval.low, identity.interval.high
            section = axis.title if several else ""
            value = 1.0 if chance else identity.relative
            marks.append(FigureMark(finding, identity.label, series, section, value, low, high, n=axis.n, band=chance))
    return marks


class Poster(QWidget):
    """One figure, as large as the room allows."""

    def __init__(self) -> None:
        super().__init__()
        self.figure: Figure | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_figure(self, figure: Figure | None) -> None:
        self.figure = figure
        self.setAccessibleName(tr(figure.title if figure is not None else ""))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        figure = self.figure
        if figure is None:
            return
        tokens = theme.current()

        def draw(painter: QPainter | None, width: float) -> float:
            return below(painter, tokens, 0, width, lambda canvas: draw_figure(canvas, figure, titled=False))[0]

        scales = {
            width: min(LARGEST, self.width() / width, self.height() / max(1.0, draw(None, width))) for width in LAID_OUT
        }
        width = max(LAID_OUT, key=scales.__getitem__)
        scale = scales[width]
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        spare = self.height() - scale * draw(None, width)
        painter.translate((self.width() - scale * width) / 2, max(0.0, spare) / 3)
        painter.scale(scale, scale)
        draw(painter, width)
        painter.end()


class ProjectorPage(QWidget):
    """The full-screen pages of the group. Keys go forward and back; `left` is emitted at the end of the show."""

    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("The group, for everybody"))
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._picture: GroupPicture | None = None
        self._steps: Sequence[int] = ()
        self._at = 0
        tokens = theme.current()
        self.poster = Poster()
        self.words = Label("", "display", wrap=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.back = QuietButton(tr("Back"), key="←")
        self.forward = PrimaryButton(tr("Next"), key="→")
        self.close_button = QuietButton(tr("Done showing"), key="Esc")
        row = in_row(STRETCH, spacing=tokens.grid)
        for button in (self.back, self.forward, self.close_button):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keys are the page's
            row.addWidget(button)
        row.addStretch(1)
        box = in_column(self.words, inside=self, spacing=tokens.gap, margins=tokens.margin)
        box.addWidget(self.poster, 1)
        box.addLayout(row)
        self.back.clicked.connect(lambda: self._go(-1))
        self.forward.clicked.connect(lambda: self._go(1))
        self.close_button.clicked.connect(self.left)

    def show_picture(self, picture: "GroupPicture") -> None:
        """Begin at the first step."""
        self._picture, self._steps, self._at = picture, steps_of(picture), 0
        self._show()

    def forget(self) -> None:
        self._picture, self._steps = None, ()
        self.words.setText("")
        self.poster.show_figure(None)

    @property
    def step(self) -> int:
        return self._steps[self._at]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        role = next(role for least, role in WORDS_BY_HEIGHT if self.height() >= theme.current().px(least))
        if role != self.words.property("role"):
            self.words.setProperty("role", role)
            self.words.style().unpolish(self.words)
            self.words.style().polish(self.words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() in (*FORWARD, *BACK):
            if is_fresh(event):
                self._go(1 if event.key() in FORWARD else -1)
        else:
            super().keyPressEvent(event)

    def _go(self, way: int) -> None:
        self._at = min(max(self._at + way, 0), len(self._steps) - 1)
        self._show()

    def _show(self) -> None:
        if self._picture is None:
            return
        self.words.setText(words_at(self._picture, self.step))
        self.poster.show_figure(figure_at(self._picture, self.step))
        self.back.setEnabled(self._at > 0)
        self.forward.setEnabled(self._at < len(self._steps) - 1)

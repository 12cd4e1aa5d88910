"""A fingerprint as figures and as a picture: choices relative to chance, and the scores (ABS) of each axis.

The picture has on one page what it says and cannot say, then the bars and the scores: the statement is part of it,
because a picture is seen without the window. Some words of the paragraphs are bold. They are drawn as plain text, not
rich text, because the bold words come from files.

Source: METHODS, “Personal fingerprint”. Axes are unrelated, so no line joins them: each has bars of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QPagedPaintDevice, QPainter, QTextCharFormat, QTextLayout, QTextOption

from biasprint import core
from biasprint.core.draw import digits
from biasprint.core.draw.canvas import TextStyle
from biasprint.core.draw.figure import Figure, FigureMark
from biasprint.core.draw.frame import draw_figure
from biasprint.core.errors import AppError
from biasprint.core.findings import Finding, Floor
from biasprint.core.judging.fingerprint import SIGNIFICANT, AxisChoice, Fingerprint, ShareOfChoices
from biasprint.core.judging.fingerprint_words import Paragraph, limits, paragraphs
from biasprint.core.machine.files import write_whole
from biasprint.core.metrics.anytime import share_band
from biasprint.desktop.charts import export
from biasprint.desktop.charts.chart import below
from biasprint.desktop.theme.tokens import Tokens
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.widgets.words import number, plural, tr

TIMES = 1  # decimals of “times chance”
NOTHING = Figure("fingerprint", "creativity", "", "", "bars", (), empty=" ")


@dataclass(frozen=True)
class _Chooser:
    """A chooser that is drawn. `own`: the one whose fingerprint it is; the others are drawn beside it."""

    title: str
    axes: tuple[AxisChoice, ...]
    findings: tuple[Finding, ...]
    complete: bool


def shares_figure(found: Fingerprint) -> Figure:
    """Return the bars of each axis, with intervals: the rater's own, and beside them those of the group and models."""
    choosers = _choosers(found)
    marks = [mark for chooser in choosers for mark in _share_marks(chooser, several=len(found.axes) > 1)]
    whose = tr("How often you chose each kind of text, beside choosing blindly")
    if found.kind == "model":
        whose = tr("How often it chose each kind of text, beside choosing blindly")
    return Figure(
        key="fingerprint.shares",
        study="creativity",
        title=whose,
        subtitle="",
        kind="bars",
        marks=tuple(marks),
        unit=tr("times chance"),
        axis=tr("1: as often as by choosing blindly; 2: twice as often"),
        null=1.0,
        null_words=tr("chance"),
        n_title=tr("choices"),
        complete=found.complete,
        band_words=tr("95 % band, valid whenever one looks"),
        empty=tr("There is no comparison with a choice."),
    )


def scores_figure(found: Fingerprint) -> Figure:
    """Return the figure of each axis's ABS, with its interval and noise floor."""
    marks = [
        _score_mark(found, axis, finding)
        for axis in found.axes
        for finding in found.findings
        if (finding.id, finding.variant, finding.dims.get("axis")) == ("creativity.abs", "default", axis.axis)
    ]
    return Figure(
        key="fingerprint.scores",
        study="creativity",
        title=tr("Affinity Bias Score (ABS)"),
        subtitle="",
        kind="intervals",
        marks=tuple(marks),
        unit=tr("score"),
        axis=tr("0: every identity chosen equally often"),
        n_title=tr("choices"),
        complete=found.complete,
        band_words=tr("95 % interval for one look"),
    )


def summary(found: Fingerprint) -> str:
    """Return the number of comparisons behind the figures: "180 comparisons, 60 on each axis"."""
    whole = plural(found.planned, "1 comparison", "%n comparisons")
    planned = {axis.planned for axis in found.axes}
    if len(found.axes) > 1 and len(planned) == 1:
        return tr("{whole}, {n} on each axis").format(whole=whole, n=digits.count(planned.pop()))
    return whole


def _choosers(found: Fingerprint) -> Sequence[_Chooser]:
    """Return the rater, then the group, then the models; without those who made no choice."""
    own = found.code if found.kind == "model" else tr("you")
    every = [_Chooser(own, found.axes, found.findings, found.complete)]
    if found.group is not None:
        title = plural(found.group.people, "group of 1", "group of %n")
        every.append(_Chooser(title, found.group.axes, found.group.findings, complete=True))
    every += [_Chooser(model.title, model.axes, model.findings, complete=True) for model in found.models]
    return [chooser for chooser in every if any(axis.n for axis in chooser.axes)]


def _share_marks(chooser: _Chooser, *, several: bool) -> Iterator[FigureMark]:
    shares = {
        (finding.dims["axis"], finding.label): finding
        for finding in chooser.findings
        if (finding.id, finding.variant) == ("creativity.share", "default")
    }
    for axis in chooser.axes:
        for share in axis.identities:
            finding = shares.get((axis.axis, share.identity))
            if share.relative is None or finding is None:
                continue
            low, high = _bounds(chooser, axis, share)
            yield FigureMark(
                finding=finding,
                row=share.label,
                series=chooser.title,
                section=axis.title if several else "",
                value=share.relative,
                low=low,
                high=high,
                n=axis.n,
                band=not chooser.complete,
                tip=_share_tip(chooser, axis, share, low, high),
            )


def _bounds(chooser: _Chooser, axis: AxisChoice, one: ShareOfChoices) -> tuple[float | None, float | None]:
    """Return the interval; before the planned n a band that may be looked at any number of times."""
    if chooser.complete:
        return (None, None) if one.interval is None else (one.interval.low, one.interval.high)
    band = share_band(one.chosen, axis.n)
    return band.low * len(axis.identities), band.high * len(axis.identities)


def _share_tip(chooser: _Chooser, axis: AxisChoice, one: ShareOfChoices, low: float | None, high: float | None) -> str:
    """Return the tooltip of a share: who chose what how often, what chance would give, and the interval."""
    assert one.relative is not None
    lines = [
        tr("{who}: {label} ({axis}) in {chosen} of {n} choices").format(
            who=chooser.title,
            label=one.label,
            axis=axis.title,
            chosen=digits.fixed(one.chosen, 0 if one.chosen == round(one.chosen) else 1),
            n=digits.count(axis.n),
        ),
        tr("{times} times as often as chance").format(times=digits.fixed(one.relative, TIMES)),
    ]
    if low is not None and high is not None:
        shown = f"{digits.fixed(low, TIMES)}–{digits.fixed(high, TIMES)}"
        words = tr("95 % interval {shown}") if chooser.complete else tr("95 % band {shown}, whenever one looks")
        lines.append(words.format(shown=shown))
    return "\n".join(lines)


def _score_mark(found: Fingerprint, axis: AxisChoice, finding: Finding) -> FigureMark:
    low, high = (None, None) if axis.interval is None else (axis.interval.low, axis.interval.high)
    floor = None
    if axis.floor_mean is not None and axis.floor_p95 is not None:
        floor = Floor(axis.floor_mean, axis.floor_p95, finding.floor.p if finding.floor else 1.0)
    return FigureMark(
        finding=finding,
        row=axis.title,
        value=axis.abs,
        low=low,
        high=high,
        reason=axis.reason,
        n=axis.n,
        floor=floor,
        band=not found.complete and low is not None,
        tip=_score_tip(axis, low, high) if axis.abs is not None else "",
    )


def _score_tip(axis: AxisChoice, low: float | None, high: float | None) -> str:
    figure, interval = digits.written(axis.abs, low, high)
    lines = [tr("{axis}: {figure}, n = {n}").format(axis=axis.title, figure=figure, n=digits.count(axis.n))]
    lines += [tr("95 % interval {shown}").format(shown=interval)] if interval else []
    if axis.floor_mean is not None and axis.floor_p95 is not None:
        floor = tr("With no preference at all: {mean} on average, below {p95} in 95 of 100 cases")
        lines.append(floor.format(mean=digits.number(axis.floor_mean), p95=digits.number(axis.floor_p95)))
    if axis.testing is not None:
        lines.append(digits.p_value(axis.testing.p_adjusted) + tr(" (Holm over the axes)") * (axis.testing.axes > 1))
        if axis.testing.p <= SIGNIFICANT < axis.testing.p_adjusted and low:
            alone = tr("The interval is for this one axis; adjusted for {n} axes it does not stand out.")
            lines.append(alone.format(n=digits.count(axis.testing.axes)))
    return "\n".join(lines)


# ---- The page

WIDTH = 880
FORMATS = ("png", "svg", "pdf")
GAP = 20
BETWEEN = 10  # pixels between two paragraphs


def save_page(found: Fingerprint, tokens: Tokens, path: Path) -> Path:
    """Write the picture in the format of the path's ending, whole or not at all; AppError gives the reason if not."""
    ending = path.suffix.lower().lstrip(".")
    if ending not in FORMATS:
        raise AppError(
            tr("A picture cannot be saved as “{name}”.").format(name=path.name),
            hint=tr("Choose a name that ends in .png, .svg or .pdf."),
        )
    write_whole(path, page_bytes(found, tokens, ending))
    return path


def page_bytes(found: Fingerprint, tokens: Tokens, ending: str) -> bytes:
    """Return the picture as a file's content; `ending` is one of `FORMATS`."""

    def page(painter: QPainter | None, width: float) -> float:
        return draw_page(painter, tokens, found, width)

    if ending == "pdf":
        return export.page_pdf(page, WIDTH - 2 * export.MARGIN, title(found))
    return (
        export.page_svg(page, tokens, WIDTH, title(found)) if ending == "svg" else export.page_png(page, tokens, WIDTH)
    )


def print_page(found: Fingerprint, tokens: Tokens, printer: QPagedPaintDevice) -> None:
    """Print the picture."""
    width = WIDTH - 2 * export.MARGIN
    export.paint_sheet(printer, lambda painter, wide: draw_page(painter, tokens, found, wide), width)


def title(found: Fingerprint) -> str:
    return tr("Fingerprint of a model") if found.kind == "model" else tr("Fingerprint")


def draw_page(painter: QPainter | None, tokens: Tokens, found: Fingerprint, width: float) -> float:
    """Draw all parts below each other, `width` pixels wide; return the height."""
    gap = tokens.px(GAP)

    def line(text: str, y: float, style: TextStyle = "note", color: str = "soft") -> float:
        return below(
            painter, tokens, y, width, lambda canvas: canvas.paragraph(0, 0, canvas.width, text, style, color)
        )[0]

    y = line(summary(found), line(title(found), 0, "title", "ink")) + gap
    y += draw_prose(painter, tokens, (*paragraphs(found, tr, number), limits(found, tr)), 0, y, width) + gap
    for figure in (shares_figure(found), scores_figure(found)):
        y, _ = below(painter, tokens, y, width, lambda canvas, figure=figure: draw_figure(canvas, figure))
        y += gap
    return line(tr("Made with Biasprint {version}").format(version=core.__version__), y)


def draw_prose(
    painter: QPainter | None, tokens: Tokens, paragraphs: Sequence[Paragraph], x: float, top: float, width: float
) -> float:
    """Draw what comes first in the largest type, statements in reading size, quiet ones smaller; return the height."""
    y = top
    for place, paragraph in enumerate(paragraphs):
        y += tokens.px(BETWEEN) if place else 0
        size = tokens.control if paragraph.quiet else tokens.display if paragraph.large else tokens.reading
        color = tokens.soft if paragraph.quiet else tokens.ink
        y += _paragraph(painter, tokens, paragraph, QPointF(x, y), width, size, color)
    return y - top


def _paragraph(
    painter: QPainter | None,
    tokens: Tokens,
    paragraph: Paragraph,
    at: QPointF,
    width: float,
    size: int,
    color: str,
) -> float:
    font = QFont(tokens.family)
    font.setPixelSize(size)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    if paragraph.large:
        font.setWeight(QFont.Weight.DemiBold)
    pieces = [(_safe(span.text), span.strong) for span in paragraph.spans]
    layout = QTextLayout("".join(text for text, _ in pieces), font)
    layout.setFormats(_bold(pieces))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    if painter is not None and painter.layoutDirection() is Qt.LayoutDirection.RightToLeft:
        option.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute)
    layout.setTextOption(option)
    step = size * (1.3 if paragraph.large else tokens.line_height - 0.15)
    y = 0.0
    layout.beginLayout()
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        line.setPosition(QPointF(0, y + (step - line.height()) / 2))
        y += step
    layout.endLayout()
    if painter is not None:
        painter.setPen(QColor(color))
        layout.draw(painter, at)
    return y


def _bold(pieces: Sequence[tuple[str, bool]]) -> list[QTextLayout.FormatRange]:
    """Return the ranges of the bold pieces, in UTF-16 units as Qt counts."""
    strong = QTextCharFormat()
    strong.setFontWeight(QFont.Weight.DemiBold)
    ranges, start = [], 0
    for text, is_strong in pieces:
        length = len(text.encode("utf-16-le")) // 2
        if is_strong and length:
            piece = QTextLayout.FormatRange()
            piece.start, piece.length, piece.format = start, length, strong
            ranges.append(piece)
        start += length
    return ranges


def _safe(text: str) -> str:
    """Make the text safe, but keep the blanks at its ends: they separate two pieces."""
    return " " * text.startswith(" ") + safe_line(text) + " " * (len(text) > 1 and text.endswith(" "))

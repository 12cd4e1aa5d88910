"""One fingerprint on a page: what it says in words and cannot say, and beside it the bars and the scores."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QSizePolicy, QToolTip, QVBoxLayout, QWidget

from biasprint.core.draw.figure import Figure
from biasprint.core.findings import Finding
from biasprint.core.judging.fingerprint import Fingerprint
from biasprint.core.judging.fingerprint_words import Paragraph, limits, paragraphs
from biasprint.desktop import theme
from biasprint.desktop.charts.chart import Chart
from biasprint.desktop.charts.fingerprint import NOTHING, draw_prose, scores_figure, shares_figure, summary
from biasprint.desktop.charts.live import few_people
from biasprint.desktop.operations.fingerprint import save_fingerprint
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Card, Chip, ElidedLabel, Label, PrimaryButton, QuietButton, number, plural, tr
from biasprint.desktop.widgets.labels import hidden, named, show_words
from biasprint.desktop.widgets.layout import STRETCH, RowOrColumn, Scroller, add_to, column_of, in_column, in_row
from biasprint.desktop.widgets.safe_text import safe_line


class Prose(Label):
    """Paragraphs with the user's own words in bold. A screen reader gets a label with the same text."""

    def __init__(self, paragraphs: Sequence[Paragraph] = ()) -> None:
        self._paragraphs = tuple(paragraphs)
        super().__init__("", wrap=True)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.set_paragraphs(paragraphs)
        theme.signals.changed.connect(self._restyle)

    def set_paragraphs(self, paragraphs: Sequence[Paragraph]) -> None:
        self._paragraphs = tuple(paragraphs)
        self.setText("\n".join(safe_line(paragraph.text) for paragraph in paragraphs))
        self._restyle()

    def _restyle(self, _tokens: object = None) -> None:
        self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return round(draw_prose(None, theme.current(), self._paragraphs, 0, 0, max(width, 1))) + 1

    def sizeHint(self) -> QSize:
        width = max(self.width(), theme.current().px(240))
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.current().px(160), self.heightForWidth(max(self.width(), 1)) if self.width() > 1 else 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        draw_prose(painter, theme.current(), self._paragraphs, 0, 0, self.width())
        painter.end()


class Figures(Chart):
    """A chart whose figures have tooltips; those in `opens` can also be opened.

    Figures of the group and of models cannot: behind the group's are other people's choices.
    """

    def __init__(self, figure: Figure) -> None:
        self.opens: tuple[Finding, ...] = ()
        super().__init__(figure)

    def may_open(self, index: int) -> bool:
        """Return whether the texts behind this figure may be shown."""
        return any(self._spots[index].finding is finding for finding in self.opens)

    def _tip(self, index: int) -> str:
        lines = self._spots[index].tip.splitlines()
        lines += [tr("Click for the texts behind it")] if self.may_open(index) else []
        return "\n".join(safe_line(line) for line in lines)

    def _open(self, index: int) -> None:
        if self.may_open(index):
            super()._open(index)


class FigureBox(Card):
    """A titled chart; if there is nothing to draw, the reason takes its place."""

    def __init__(self, figure: Figure) -> None:
        super().__init__()
        self.heading = Label("", "heading", wrap=True)
        self.note = hidden(Label("", "note", wrap=True))
        self.chart = Figures(figure)
        add_to(self.box, self.heading, self.note, self.chart)
        self.set_figure(figure)

    def set_figure(self, figure: Figure) -> None:
        self.heading.setText(figure.title)
        self.setAccessibleName(tr(figure.title))
        self.chart.set_figure(figure)


SIDE_BY_SIDE_FROM = 820  # text pixels: narrower, the figures stand under the words
CHIP_FROM = 700
FORMATS = ("png", "svg", "pdf")


class FingerprintView(QWidget):
    """One fingerprint, drawn by `show_fingerprint`. `done` is emitted when the person has seen enough.

    `title_label`, `chip`, `save_button` and `done_button` are made here and placed in `head`, a row at the top; a host
    with a header of its own takes them there and omits `head` (`with_head=False`). `kept` says in one sentence who else
    can see this, which only the host knows. `with_texts`: the rater's own figures can be `opened`, and the host shows
    the texts behind them. `folded`: the figures are shown on request only.
    """

    done = Signal()
    opened = Signal(object, str, bool)  # the Finding to open, the chart's words, and whether tests may be shown

    def __init__(
        self, shell: Shell, *, kept: str = "", with_head: bool = True, with_texts: bool = False, folded: bool = False
    ) -> None:
        super().__init__()
        self._with_texts = with_texts
        self._folded = folded
        self._shell = shell
        self.fingerprint: Fingerprint | None = None
        self.title_label = ElidedLabel("", "title")
        self.chip = Chip()
        self.save_button = QuietButton(tr("Save picture…"), icon="export", act=lambda: self.save_picture())
        self.done_button = PrimaryButton(tr("Done"), act=self.done)
        self.shares = FigureBox(NOTHING)
        self.words = Prose()
        self.scores = FigureBox(NOTHING)
        for box in (self.shares, self.scores):
            box.chart.opened.connect(self.opened)
        self.beside = Label("", "note", wrap=True)
        self.limits = Label("", "note", wrap=True)
        self.kept = Label(kept, "note", wrap=True)
        self.unfold = QuietButton(tr("Figures for researchers"), act=lambda: self._show_figures(self.shares.isHidden()))
        self._lay_out(with_head)

    def show_fingerprint(self, found: Fingerprint) -> None:
        """Draw this fingerprint and describe it in words."""
        self.fingerprint = found
        self.title_label.set_text(tr("The model’s fingerprint") if found.kind == "model" else tr("Your fingerprint"))
        self.chip.setText(summary(found))
        self.shares.note.setText(summary(found))
        for box in (self.shares, self.scores):
            box.chart.opens = found.findings if self._with_texts else ()
        self.shares.set_figure(shares_figure(found))
        self.scores.set_figure(scores_figure(found))
        self._show_figures(not self._folded)
        self.words.set_paragraphs(paragraphs(found, tr, number))
        self.limits.setText(limits(found, tr).text)
        beside = _beside(found)
        show_words(self.beside, beside)
        self.save_button.setEnabled(True)
        self._scroll.verticalScrollBar().setValue(0)
        self._place_summary()

    def _show_figures(self, shown: bool) -> None:
        self.shares.setVisible(shown)
        self.scores.setVisible(shown and self.fingerprint is not None and self.fingerprint.n > 0)
        self._columns.setStretch(1, 9 if shown else 3)
        self.unfold.set_text(tr("Figures for researchers") if not shown else tr("Hide the figures"))
        self._place_summary()

    def forget(self) -> None:
        """Drop every number and word of the fingerprint before another person sits down."""
        self.fingerprint = None
        QToolTip.hideText()  # which holds the words of a figure
        for figure in (self.shares, self.scores):
            figure.set_figure(NOTHING)
            figure.chart.opens = ()
        self.words.set_paragraphs(())
        for label in (self.chip, self.shares.note, self.beside, self.limits):
            label.clear()
        self.title_label.set_text("")
        self.save_button.setEnabled(False)
        self._place_summary()

    # saving

    def save_picture(self) -> None:
        """Ask for a path, and write the picture there in a thread. Nothing is written without a path."""
        if self.fingerprint is None:
            return
        path = self.ask_path()
        if path is not None:
            self.save_to(path)

    def ask_path(self) -> Path | None:
        """Ask for the path and format to save in; None if the person cancels."""
        kinds = {
            "png": tr("Picture (*.png)"),
            "svg": tr("Drawing (*.svg)"),
            "pdf": tr("Document (*.pdf)"),
        }
        chosen, kind = QFileDialog.getSaveFileName(
            self, tr("Save picture"), f"{tr('fingerprint')}.png", ";;".join(kinds.values())
        )
        if not chosen:
            return None
        path = Path(chosen)
        if path.suffix.lower().lstrip(".") in FORMATS:
            return path
        ending = next((ending for ending, words in kinds.items() if words == kind), "png")
        return path.with_name(f"{path.name}.{ending}")

    def save_to(self, path: Path) -> None:
        """Write the picture in the format of the path's ending."""
        if self.fingerprint is not None:
            operation = save_fingerprint(found=self.fingerprint, path=path)
            operation.start(
                self._shell.jobs,
                on_done=lambda saved: self._shell.notify(tr("Saved as “{name}”").format(name=saved.name)),
                on_error=self._shell.show_error,
            )

    # inside

    def _lay_out(self, with_head: bool) -> None:
        tokens = theme.current()
        box = in_column(inside=self, spacing=tokens.gap, margins=0)
        if with_head:
            box.addLayout(self._head())
        figures = in_column(self.shares, self.scores, STRETCH, spacing=tokens.gap)
        clear_of_the_bar = (0, 0, tokens.grid, 0)
        columns = RowOrColumn((self._said(), 7), (figures, 9), margins=clear_of_the_bar, least=SIDE_BY_SIDE_FROM)
        self._columns = columns
        inside = column_of(self._columns, STRETCH)
        self._scroll = Scroller()
        self._scroll.setWidget(inside)
        box.addWidget(self._scroll, 1)

    def _head(self) -> QHBoxLayout:
        return in_row(
            self.title_label, self.chip, STRETCH, self.save_button, self.done_button, spacing=theme.current().gap
        )

    def _said(self) -> QVBoxLayout:
        in_words = Card(tr("In words"), self.words, (self.unfold, Qt.AlignmentFlag.AlignLeft))
        self.unfold.setVisible(self._folded)
        small = named(Card(), tr("What this is not"))
        for label in (self.limits, self.beside, self.kept):
            small.box.addWidget(label)
        self.kept.setVisible(bool(self.kept.text()))
        return in_column(in_words, small, STRETCH, spacing=theme.current().gap)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_summary()

    def _place_summary(self) -> None:
        """Place the number of comparisons beside the title, or over the chart in a narrow window."""
        roomy, shown = self.width() >= theme.current().px(CHIP_FROM), self.fingerprint is not None
        self.chip.setVisible(roomy and shown)
        self.shares.note.setVisible(not roomy and shown)


def _beside(found: Fingerprint) -> str:
    """Return notes: why there is no group or that it is small, and that a session of this rater is still open."""
    notes = [tr(found.group_reason)] if found.group_reason else []
    if found.group is not None and (few := few_people(found.group.people)):
        notes.append(tr("The group: {few}").format(few=few))
    if found.seen:
        singular = "1 answer that was given after a look at the identities is left out."
        notes.append(
            plural(found.seen, singular, "%n answers that were given after a look at the identities are left out.")
        )
    if found.still_open:
        notes.append(tr("Another session of this rater is still open; its answers are not included."))
    return " ".join(notes)

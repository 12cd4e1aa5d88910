"""The live board's card of who has judged how much: counts and rates alone, whatever was revealed."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QMenu

from biasprint.core.runs.live import LiveJudging
from biasprint.desktop import theme
from biasprint.desktop.charts.canvas import PaintCanvas
from biasprint.desktop.plots.export import PlotHost, copy_tables, drawn_page, file_actions, save_as
from biasprint.desktop.plots.item import Columns
from biasprint.desktop.widgets import Card, ElidedLabel, Label, ProgressThin, QuietButton, number, plural, tr
from biasprint.desktop.widgets.safe_text import safe_line

MOST_SHOWN = 8
LINE, BAR, BESIDE = 22.0, 8.0, 12.0  # of a picture: pixels


class RaterCountsCard(Card):
    """How far each rater is and how fast: nothing of what was chosen."""

    def __init__(self, host: PlotHost) -> None:
        super().__init__()
        self._host = host
        self.set_padding(theme.current().gap)
        self.heading = Label(tr("Judging"), "heading", wrap=True)
        self.setAccessibleName(tr("Judging"))
        self.save = QuietButton(tr("Save…"), icon="export")
        self.save.setAccessibleName(tr("Save the chart “{title}”").format(title=tr("Judging")))
        self.actions_of_files = file_actions(self, lambda: tr("Judging"), self.save_to, self.copy)
        menu = QMenu(self)
        menu.addActions(self.actions_of_files)
        self.save.setMenu(menu)
        self.head = QHBoxLayout()
        self.head.addWidget(self.heading, 1)
        self.head.addWidget(self.save)
        self._grid = QGridLayout()
        self._grid.setColumnStretch(1, 1)
        self._grid.setHorizontalSpacing(theme.current().gap)
        self.note = Label("", "note", wrap=True)
        self.box.addLayout(self.head)
        self.box.addLayout(self._grid)
        self.box.addWidget(self.note)
        self.box.addStretch(1)
        self.rows: list[tuple[ElidedLabel, ProgressThin, Label]] = []
        self.judging: tuple[LiveJudging, ...] = ()

    def show_judging(self, judging: Sequence[LiveJudging]) -> None:
        """The latest of them."""
        self.judging = tuple(judging)
        shown = self.judging[-MOST_SHOWN:]
        while len(self.rows) < len(shown):
            row = (ElidedLabel("", "strong"), ProgressThin(), Label("", "soft"))
            for column, widget in enumerate(row):
                self._grid.addWidget(widget, len(self.rows), column)
            self.rows.append(row)
        for place, (name, bar, words) in enumerate(self.rows):
            for widget in (name, bar, words):
                widget.setVisible(place < len(shown))
            if place < len(shown):
                one = shown[place]
                name.set_text(one.rater)
                bar.set_progress(one.judged, one.planned)
                bar.setAccessibleName(f"{safe_line(one.rater)}: {judging_words(one)}")
                words.setText(judging_words(one))
        self.note.setText(_note(len(self.judging) - len(shown)))

    def save_to(self, path: Path) -> None:
        """A picture of every session, or a table of them."""
        judging, tokens = self.judging, theme.tokens_for("light")

        def draw(ending: str) -> bytes:
            return drawn_page(lambda canvas: _draw(canvas, judging), ending, tokens, self.width(), tr("Judging"))

        save_as(path, self._host, draw, [_columns(judging)])

    def copy(self) -> None:
        copy_tables([_columns(self.judging)], self._host)


def judging_words(one: LiveJudging) -> str:
    """ "12 of 60, 3.2 a minute"."""
    told = tr("{judged} of {planned}").format(judged=number(one.judged), planned=number(one.planned))
    if one.per_minute is not None and not one.revealed:
        told += tr(", {rate} a minute").format(rate=number(one.per_minute, 1))
    return told


def _note(more: int) -> str:
    told = tr("Counts alone: what was chosen is shown after the reveal.")
    return f"{plural(more, '1 earlier session.', '%n earlier sessions.')} {told}" if more else told


def _columns(judging: Sequence[LiveJudging]) -> Columns:
    return {
        "rater": [safe_line(one.rater) for one in judging],
        "kind": [one.kind for one in judging],
        "judged": [one.judged for one in judging],
        "planned": [one.planned for one in judging],
        "per_minute": [None if one.per_minute is None else round(one.per_minute, 2) for one in judging],
        "revealed": [one.revealed for one in judging],
    }


def _draw(canvas: PaintCanvas, judging: Sequence[LiveJudging]) -> float:
    """A line of each session: the rater, a bar, and its count; how high they are."""
    y = canvas.paragraph(0, 0, canvas.width, tr("Judging"), "title", "ink") + BESIDE
    told = [(safe_line(one.rater), judging_words(one), one) for one in judging]
    left = max((canvas.measure(name, "strong-note") for name, _, _ in told), default=0.0) + BESIDE
    right = max((canvas.measure(words, "note") for _, words, _ in told), default=0.0) + BESIDE
    room = max(BAR, canvas.width - left - right)
    for name, words, one in told:
        canvas.text(0, y + LINE / 2 + 4, name, "strong-note", "ink")
        canvas.rect(left, y + (LINE - BAR) / 2, room, BAR, "floor", radius=BAR / 2)
        share = min(1.0, one.judged / one.planned) if one.planned else 0.0
        canvas.rect(left, y + (LINE - BAR) / 2, room * share, BAR, "series-1", radius=BAR / 2)
        canvas.text(left + room + BESIDE, y + LINE / 2 + 4, words)
        y += LINE
    return canvas.paragraph(0, y + BESIDE, canvas.width, _note(0))

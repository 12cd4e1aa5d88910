"""The live board's card of how much each rater has judged: counts and rates only, revealed or not."""

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
    """The progress and pace of each rater, without any choice."""

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
        """Show the latest sessions."""
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
                session = shown[place]
                name.set_text(session.rater)
                bar.set_progress(session.judged, session.planned)
                bar.setAccessibleName(f"{safe_line(session.rater)}: {judging_words(session)}")
                words.setText(judging_words(session))
        self.note.setText(_note(len(self.judging) - len(shown)))

    def save_to(self, path: Path) -> None:
        """Save a picture of every session, or a table of them."""
        judging, tokens = self.judging, theme.tokens_for("light")

        def draw(ending: str) -> bytes:
            return drawn_page(lambda canvas: _draw(canvas, judging), ending, tokens, self.width(), tr("Judging"))

        save_as(path, self._host, draw, [_columns(judging)])

    def copy(self) -> None:
        copy_tables([_columns(self.judging)], self._host)


def judging_words(one: LiveJudging) -> str:
    """Return the progress and pace: "12 of 60, 3.2 a minute"."""
    words = tr("{judged} of {planned}").format(judged=number(one.judged), planned=number(one.planned))
    if one.per_minute is not None and not one.revealed:
        words += tr(", {rate} a minute").format(rate=number(one.per_minute, 1))
    return words


def _note(more: int) -> str:
    sentence = tr("Counts alone: what was chosen is shown after the reveal.")
    return f"{plural(more, '1 earlier session.', '%n earlier sessions.')} {sentence}" if more else sentence


def _columns(judging: Sequence[LiveJudging]) -> Columns:
    return {
        "rater": [safe_line(session.rater) for session in judging],
        "kind": [session.kind for session in judging],
        "judged": [session.judged for session in judging],
        "planned": [session.planned for session in judging],
        "per_minute": [None if session.per_minute is None else round(session.per_minute, 2) for session in judging],
        "revealed": [session.revealed for session in judging],
    }


def _draw(canvas: PaintCanvas, judging: Sequence[LiveJudging]) -> float:
    """Draw a line of each session: the rater, a bar, and its count; return the height."""
    y = canvas.paragraph(0, 0, canvas.width, tr("Judging"), "title", "ink") + BESIDE
    lines = [(safe_line(session.rater), judging_words(session), session) for session in judging]
    left = max((canvas.measure(name, "strong-note") for name, _, _ in lines), default=0.0) + BESIDE
    right = max((canvas.measure(words, "note") for _, words, _ in lines), default=0.0) + BESIDE
    room = max(BAR, canvas.width - left - right)
    for name, words, session in lines:
        canvas.text(0, y + LINE / 2 + 4, name, "strong-note", "ink")
        canvas.rect(left, y + (LINE - BAR) / 2, room, BAR, "floor", radius=BAR / 2)
        share = min(1.0, session.judged / session.planned) if session.planned else 0.0
        canvas.rect(left, y + (LINE - BAR) / 2, room * share, BAR, "series-1", radius=BAR / 2)
        canvas.text(left + room + BESIDE, y + LINE / 2 + 4, words)
        y += LINE
    return canvas.paragraph(0, y + BESIDE, canvas.width, _note(0))

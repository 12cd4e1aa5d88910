"""A plot on a card: title, a sentence on what is shown, legend, controls to mark and reset, and its export.

Pictures are light and as large as the plot, because they go on pages. Drawing runs on the window's thread; files are
written in a job.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QAction, QGuiApplication, QPainter
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.files import write_whole
from biasprint.core.report.export import cell_text, export_rows, plain_cell
from biasprint.core.text import with_guard
from biasprint.desktop import theme
from biasprint.desktop.charts.chart import PaintCanvas, below
from biasprint.desktop.charts.export import Page, page_pdf, page_png, page_svg
from biasprint.desktop.jobs import JobRunner
from biasprint.desktop.plots.axis import Legend, LegendEntry, draw_legend
from biasprint.desktop.plots.band import Columns
from biasprint.desktop.plots.plot import Plot
from biasprint.desktop.theme import Tokens
from biasprint.desktop.widgets import Card, Label, QuietButton, StandInBadge, tr
from biasprint.desktop.widgets.labels import hidden, show_if, show_words
from biasprint.desktop.widgets.layout import add_to, in_row
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.widgets.words import plural

FORMATS = ("png", "svg", "pdf", "csv")
MOST_COPIED = 100_000  # rows: a clipboard holds everything twice in memory
GAP = 10.0


@dataclass(frozen=True)
class PlotPage:
    """A plot with the words that go with it."""

    title: str
    notes: tuple[str, ...]
    entries: tuple[LegendEntry, ...]
    plot: Plot


def picture(page: PlotPage, ending: str) -> bytes:
    """Draw the page as PNG, SVG or PDF, with what is in view now."""
    before = page.plot.tokens
    tokens = theme.tokens_for("light", before.scale)
    width = page.plot.width()

    def draw(painter: QPainter | None, room: float) -> float:
        top = below(painter, tokens, 0, room, lambda canvas: _words(canvas, page))[0]
        height = room * page.plot.height() / width
        if painter is not None:
            page.plot.scene().render(painter, QRectF(0, top, room, height), page.plot.sceneRect())
        return top + height

    page.plot.dress(tokens)  # and back before anything is painted on the screen
    try:
        return _drawn(draw, ending, tokens, width, page.title)
    finally:
        page.plot.dress(before)


def drawn_page(drawing: Callable[[PaintCanvas], float], ending: str, tokens: Tokens, width: int, title: str) -> bytes:
    """Draw a page of words and rectangles as PNG, SVG or PDF; `drawing` returns its height."""

    def draw(painter: QPainter | None, room: float) -> float:
        return below(painter, tokens, 0, room, drawing)[0]

    return _drawn(draw, ending, tokens, width, title)


def _drawn(draw: Page, ending: str, tokens: Tokens, width: int, title: str) -> bytes:
    if ending == "png":
        return page_png(draw, tokens, width)
    return page_svg(draw, tokens, width, title) if ending == "svg" else page_pdf(draw, width, title)


def _words(canvas: PaintCanvas, page: PlotPage) -> float:
    """Draw title, notes and legend; return their height."""
    y = canvas.paragraph(0, 0, canvas.width, page.title, "title", "ink") + GAP / 2
    for note in page.notes:
        y = canvas.paragraph(0, y, canvas.width, note)
    if page.entries:
        y = draw_legend(canvas, page.entries, y + GAP / 2)
    return y + GAP


def tables_of(plot: Plot) -> list[Columns]:
    """Return the values drawn, a table per item."""
    return [item.columns() for item in plot.items_drawn()]


def rows_of(tables: Sequence[Columns]) -> tuple[list[str], list[list[Any]]]:
    """Return the tables as one: the columns of all, and their rows one below the other."""
    names = list(dict.fromkeys(name for table in tables for name in table))
    rows: list[list[Any]] = []
    for table in tables:
        columns = {name: _plain(values) for name, values in table.items()}
        empty = [None] * max(map(len, columns.values()), default=0)
        rows += map(list, zip(*(columns.get(name, empty) for name in names), strict=True))
    return names, rows


def _plain(values: Sequence[Any] | np.ndarray) -> list[Any]:
    """Return the value as Python's own type; one that is not finite is an empty cell."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return [value if np.isfinite(value) else None for value in values.tolist()]
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def as_text(tables: Sequence[Columns]) -> str:
    """Return the tables for the clipboard: a line per row, tabs between cells, none of them a formula."""
    names, rows = rows_of(tables)
    if len(rows) > MOST_COPIED:
        raise AppError(
            tr("{rows} are too many to copy.").format(rows=plural(len(rows), "1 row", "%n rows")),
            hint=tr("Save them as a table (CSV) instead."),
        )
    return "\n".join("\t".join(_cell(value) for value in row) for row in [names, *rows])


def _cell(value: Any) -> str:
    return with_guard(" ".join(cell_text(plain_cell(value)).split()))


def ask_path(parent: QWidget, title: str, ending: str) -> Path | None:
    """Ask where to save; None if the person cancels."""
    name = "".join(letter if letter.isalnum() else "-" for letter in title.lower()).strip("-")
    chosen, _ = QFileDialog.getSaveFileName(parent, tr("Save chart"), f"{name}.{ending}", f"*.{ending}")
    if not chosen:
        return None
    path = Path(chosen)
    return path if path.suffix.lower() == f".{ending}" else path.with_name(f"{path.name}.{ending}")


def file_actions(
    card: QWidget, title: Callable[[], str], save_to: Callable[[Path], object], copy: Callable[[], object]
) -> list[QAction]:
    """Return the actions of a card's menu: save in each format, and copy the values."""

    def ask_and_save(ending: str, _checked: bool = False) -> None:
        path = ask_path(card, title(), ending)
        if path is not None:
            save_to(path)

    texts = (tr("Picture (PNG)…"), tr("Drawing (SVG)…"), tr("Page (PDF)…"), tr("Values as a table (CSV)…"))
    made = []
    for ending, text in zip(FORMATS, texts, strict=True):
        action = QAction(text, card)
        action.triggered.connect(partial(ask_and_save, ending))
        made.append(action)
    copied = QAction(tr("Copy as data"), card)
    copied.triggered.connect(lambda: copy())
    return [*made, copied]


class PlotHost(Protocol):
    """The window as saving needs it."""

    jobs: JobRunner

    def notify(self, text: str) -> None: ...
    def show_error(self, error: AppError) -> None: ...


def save_plot(page: PlotPage, path: Path, host: PlotHost) -> None:
    """Write the plot to `path`, in the format of its ending: whole or not at all."""
    save_as(path, host, lambda ending: picture(page, ending), tables_of(page.plot))


def save_as(path: Path, host: PlotHost, draw: Callable[[str], bytes], tables: Sequence[Columns]) -> None:
    """Write the result of `draw` for the ending of `path`, or the tables as CSV."""
    ending = path.suffix.lower().lstrip(".")
    drawn = b"" if ending == "csv" else draw(ending)

    def work(ctx: JobContext) -> Path:
        if ending != "csv":
            write_whole(path, drawn)
            return path
        names, rows = rows_of(tables)
        return export_rows((dict(zip(names, row, strict=True)) for row in rows), path, names).path

    host.jobs.start(
        tr("Save chart"),
        work,
        quiet=True,
        on_done=lambda saved: host.notify(tr("Saved as “{name}”").format(name=saved.name)),
        on_error=host.show_error,
    )


def copy_tables(tables: Sequence[Columns], host: PlotHost) -> None:
    """Put the values drawn on the clipboard."""

    def done(text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        host.notify(plural(text.count("\n"), "1 row copied", "%n rows copied"))

    host.jobs.start(tr("Copy as data"), lambda ctx: as_text(tables), quiet=True, on_done=done, on_error=host.show_error)


# ---- The card


class PlotCard(Card):
    """The card. `head` and `tools` are rows for the plot's controls; `tell` describes the plot, also in its files."""

    def __init__(self, plot: Plot, title: str, host: PlotHost, *, markable: bool = False) -> None:
        super().__init__()
        self.plot, self._host, self._title = plot, host, title
        self.set_padding(theme.current().gap)
        self.heading = Label(title, "heading", wrap=True)
        self.sentence = Label("", "note", wrap=True)
        self.badge = StandInBadge("")
        self.legend = Legend()
        self.mark = QuietButton(tr("Select"))
        self.mark.setCheckable(True)
        self.mark.setToolTip(tr("Drag around points to select them. Holding Shift does the same."))
        self.mark.toggled.connect(plot.set_marking)
        show_if(self.mark, markable)
        self.reset = hidden(QuietButton(tr("Show everything")))
        self.reset.clicked.connect(plot.fit)
        self.save = QuietButton(tr("Save…"), icon="export")
        self._actions = self._make_actions()
        menu = QMenu(self)
        menu.addActions(self._actions)
        self.save.setMenu(menu)
        plot.menu_entries = lambda: self._actions
        plot.fitted.connect(lambda fitted: self.reset.setVisible(not fitted))
        self._lay_out()
        self.set_title(title)

    def _lay_out(self) -> None:
        self.head = in_row((self.heading, 1), self.reset, self.mark, self.save, spacing=theme.current().grid)
        self.tools = in_row(spacing=theme.current().grid)
        self.box.addLayout(self.head)
        add_to(
            self.box, self.tools, self.sentence, (self.badge, Qt.AlignmentFlag.AlignLeft), self.legend, (self.plot, 1)
        )
        self.sentence.hide()
        self.badge.hide()
        self.legend.hide()

    def set_title(self, title: str) -> None:
        self._title = safe_line(title)
        self.heading.setText(self._title)
        self.setAccessibleName(tr(self._title))
        self.save.setAccessibleName(tr("Save the chart “{title}”").format(title=self._title))
        self.plot.describe(self._title, self.sentence.text())

    def tell(self, sentence: str, entries: Sequence[LegendEntry] = ()) -> None:
        """Describe what is shown (groups, n, range), and set the legend."""
        show_words(self.sentence, safe_line(sentence))
        self.legend.show_entries(entries)
        self.plot.describe(self._title, sentence)
        self._allow(True)

    def show_stand_ins(self, names: Sequence[str]) -> None:
        """Show the stand-in scorers behind the figures; hide the badge if there are none."""
        words = tr("stand-in: {figures}").format(figures=", ".join(map(safe_line, names)))
        show_words(self.badge, words if names else "")

    def tell_nothing(self, sentence: str) -> None:
        """Show a sentence in place of the curve."""
        self.tell("")
        self.show_stand_ins(())
        self.plot.show_items(())
        self.plot.say_nothing(sentence)
        self.plot.describe(self._title, sentence)
        self._allow(False)

    def _allow(self, something: bool) -> None:
        """Enable or disable saving and marking."""
        self.save.setEnabled(something)
        self.mark.setEnabled(something)

    def page(self) -> PlotPage:
        """Return the plot with its words, as it is saved."""
        notes = tuple(text for text in (self.sentence.text(), self.badge.text()) if text)
        return PlotPage(self._title, notes, self.legend.entries, self.plot)

    def _make_actions(self) -> list[QAction]:
        return file_actions(
            self,
            lambda: self._title,
            lambda path: save_plot(self.page(), path, self._host),
            lambda: copy_tables(tables_of(self.plot), self._host),
        )

"""Reasons: the words of notes by what was chosen, the notes themselves, and preferences by task, theme and rater."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QTimer

from biasprint.core.jobs import JobContext
from biasprint.core.language import joined
from biasprint.core.runs.reasons import GivenReason, ReasonsFor, reasons
from biasprint.desktop import theme
from biasprint.desktop.charts.live import TextsBehind
from biasprint.desktop.panels.charts.measured import FigureCard
from biasprint.desktop.panels.raters.quality import STUDY, QualityTable, TableCard, quality_rows, tells, workshop_codes
from biasprint.desktop.panels.raters.section import RatersSection
from biasprint.desktop.read.charts import items_behind
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Card, EmptyState, Label, number, plural, tr
from biasprint.desktop.widgets.layout import STRETCH, Sheet, add_to
from biasprint.desktop.widgets.safe_text import as_given, safe_line
from biasprint.desktop.widgets.small_table import TableColumn, TableRow, TextTable
from biasprint.desktop.wording.generators import Titles, read_titles

if TYPE_CHECKING:
    from biasprint.core.findings import Finding
    from biasprint.core.project.project import Project

SHARE = "creativity.share"
MOST_WORDS, MOST_REASONS = 8, 30
TEXTS_HEIGHT = 480  # text pixels


class ReasonsData(NamedTuple):
    """The reasons on each side, and the table of shares by part; None before anything was measured."""

    sides: tuple[ReasonsFor, ...]
    slices: QualityTable | None
    shares: "tuple[Finding, ...]"  # those of its rows
    titles: Titles


def read_reasons(ctx: JobContext, project: "Project") -> ReasonsData:
    titles = read_titles(project)
    secret = workshop_codes(project)
    parts = [finding for row in project.findings.all(STUDY) if _is_part(finding := row.finding)]
    shown = [finding for finding in parts if not tells(finding, secret)]
    rows, below = quality_rows("slices", shown, titles)
    help = tr("The share of choices of each identity within a part of the comparisons; without bias all are alike.")
    slices = QualityTable(
        "slices", tr("Preference by task, theme, generator and rater"), help, rows, below, len(parts) - len(shown)
    )  # fmt: skip
    return ReasonsData(reasons(ctx, project), slices if rows else None, tuple(shown), titles)


def _is_part(finding: "Finding") -> bool:
    return finding.id == SHARE and finding.variant == "default" and len(finding.dims) > 1


def side_rows(sides: Sequence[ReasonsFor], titles: Titles) -> list[TableRow]:
    """Return a row for each identity: how many reasons, and the words that tell them from those for the others."""
    return [
        TableRow(
            f"{place}",
            (
                safe_line(titles.axis_and_identity(side.axis, side.identity)),
                number(len(side.reasons)),
                safe_line(joined(", ", *(_counted(side, place) for place in range(min(MOST_WORDS, len(side.words))))))
                or tr("none is more frequent here"),
            ),
        )
        for place, side in enumerate(sides)
    ]


def _counted(side: ReasonsFor, place: int) -> str:
    word = side.words[place]
    return tr("{word} ({here} times, {others} for the others)").format(
        word=as_given(word.word), here=number(word.here), others=number(word.others)
    )


def said_reasons(given: Sequence[GivenReason]) -> str:
    """Return the reasons themselves, a line each."""
    noted, marked = tr("{rater}: “{text}”"), tr("{rater} marked “{text}”")
    lines = [
        (marked if one.marked else noted).format(rater=as_given(one.rater), text=as_given(one.text))
        for one in given[:MOST_REASONS]
    ]
    if more := len(given) - len(lines):
        lines.append(plural(more, "and 1 more, in the exported judgments", "and %n more, in the exported judgments"))
    return "\n".join(lines)


class ReasonsSection(RatersSection):
    """The tab: words by side, the notes of the chosen side, and the shares by part."""

    concerns = frozenset({"finding", "judgment", "session", "annotation", "packet", "axis_definition"})

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell, tr("Reasons"))
        self.sides: tuple[ReasonsFor, ...] = ()
        self.shares: tuple[Finding, ...] = ()
        columns = (
            TableColumn(tr("Chosen"), 220), TableColumn(tr("Reasons"), 84, number=True),
            TableColumn(tr("Words more frequent here than in the reasons for the others")),
        )  # fmt: skip
        self.view = TextTable(tr("Reasons by what was chosen"), columns, wrap=True, tall=True)
        self.view.chosen.connect(lambda _: self._show_side())
        self.given = Label("", wrap=True)
        self.words = Card(tr("In the raters’ words"))
        self.words.box.addWidget(Label(tr(
            "Notes beside a choice, and words that were marked in the chosen text, of everybody who has finished."
        ), "soft", wrap=True))  # fmt: skip
        add_to(self.words.box, self.view, self.given)
        self.slices = TableCard(QualityTable("slices", tr("Preference by task, theme, generator and rater"), "", ()))
        self.slices.box.addWidget(
            Label(tr("Enter, or a double click, opens the texts behind a row."), "note", wrap=True)
        )
        self.figure = FigureCard()
        self.figure.setMinimumHeight(theme.current().px(TEXTS_HEIGHT))  # the sheet scrolls rather than squeeze it
        self.slices.view.opened.connect(self._open)
        self.sheet = Sheet(self.words, self.slices, self.figure, STRETCH)
        self.nothing = EmptyState(
            tr("No reasons yet"),
            tr("Notes, and words that raters mark, are summarised here once somebody has finished; after measuring "
               "also the preferences by task, theme, generator and rater."),
            tr("Go to the plans"), lambda: self.go_to.emit("plans"), icon="raters",
        )  # fmt: skip
        self.add_page(self.sheet)
        self.add_page(self.nothing)

    def reading(self, project: "Project") -> Callable[[JobContext], Any]:
        return partial(read_reasons, project=project)

    def show_data(self, data: ReasonsData) -> None:
        self.sides = tuple(side for side in data.sides if side.reasons)
        self.shares = data.shares
        self.view.show_rows(side_rows(self.sides, data.titles))
        self.words.setVisible(bool(self.sides))
        if self.sides and not self.view.current_key:
            self.view.select("0")
        self._show_side()
        self.slices.setVisible(data.slices is not None)
        if data.slices is not None:
            self.slices.show_table(data.slices)
        self.pages.setCurrentWidget(self.sheet if self.sides or data.slices else self.nothing)

    def forget(self) -> None:
        self.sides, self.shares = (), ()
        self.view.show_rows(())
        self.figure.close_card()
        self.given.clear()
        self.slices.show_table(QualityTable("slices", "", "", ()))

    def _open(self, key: str) -> None:
        """Show the texts behind a share."""
        project, finding = self.project, self.shares[int(key.rpartition("/")[2])]
        if project is None:
            return
        row = next(row for row in self.slices.view.table.rows if row.key == key)
        self.figure.show_finding(finding, "\n".join(row.cells[:3]), with_tests=True)

        def show(items: TextsBehind) -> None:
            if self.figure.finding is finding:
                self.figure.show_items(items)
                # Once it is laid out: it stands below a table that may be long.
                QTimer.singleShot(0, self.figure, lambda: self.sheet.ensureWidgetVisible(self.figure))

        self.shell.jobs.start(
            tr("Texts behind a figure"), lambda ctx: items_behind(ctx, project, finding), quiet=True, on_done=show,
            on_error=self.shell.show_error,
        )  # fmt: skip

    def _show_side(self) -> None:
        place = int(self.view.current_key or -1)
        self.given.setText(said_reasons(self.sides[place].reasons) if 0 <= place < len(self.sides) else "")

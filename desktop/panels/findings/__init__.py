"""The findings panel: every number of the project with all that is needed to judge it, down to its texts."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QModelIndex, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QListView, QSizePolicy, QWidget

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.desktop import theme
from biasprint.desktop.jobs import Refresher
from biasprint.desktop.operations.comparing import STUDY, CompareChoices, read_choices
from biasprint.desktop.operations.measuring import MeasureJobs, PlanChoices, read_plan_choices
from biasprint.desktop.panels.base import Panel
from biasprint.desktop.panels.findings.board import Board
from biasprint.desktop.panels.findings.planning import AnalysisPlanDialog
from biasprint.desktop.panels.findings.saving import CompareDialog, Saving
from biasprint.desktop.read.findings import Behind, StoredFindings, TextGroup, TextRef
from biasprint.desktop.shell import Command, Shell
from biasprint.desktop.tables.findings import column_title
from biasprint.desktop.widgets import Button, Card, Chip, ElidedLabel, Label, PlainText, plural, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.events import open_below
from biasprint.desktop.widgets.keys import shortcut
from biasprint.desktop.widgets.labels import named, show_words
from biasprint.desktop.widgets.layout import STRETCH, RowOrColumn, add_to, in_column, in_row, stack_of
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.widgets.small_table import TextDelegate
from biasprint.desktop.wording.findings import COLUMNS, FindingLine, Measurement
from biasprint.desktop.wording.generators import WantedTexts

LIST_HEIGHT, TEXT_HEIGHT = 56, 96  # at least
LIST_SHARE, TEXT_SHARE = 2, 5  # of the room there is
BESIDE_FROM = 560  # text pixels: narrower, the groups stand under each other


class TextColumn(Card):
    """The texts of one group. `wanted` asks for the text of a row; `met` carries the block chosen by hand."""

    wanted = Signal(object)  # TextRef
    met = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._groups: Sequence[TextGroup] = ()
        self._following = False
        self.group = named(ComboBox(), tr("Group"))
        self.group.activated.connect(lambda _: self._show_group())
        self.name, self.count = ElidedLabel("", "heading"), Label("", "note")
        self.names = QStringListModel(self)
        self.list = QListView(uniformItemSizes=True)
        self.list.setModel(self.names)
        self.list.setItemDelegate(TextDelegate(self.list))
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setLayoutMode(QListView.LayoutMode.Batched)  # ten thousand titles do not hold up the window
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.selectionModel().currentChanged.connect(self._show_row)
        self.note = Label("", "note", wrap=True)
        self.text = PlainText(name=tr("Text"))
        for part in (self.list, self.text):
            part.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        head = in_row(self.name, self.group, self.count, STRETCH)
        self.set_padding(16)
        add_to(self.box, head, (self.list, LIST_SHARE), self.note, (self.text, TEXT_SHARE))
        theme.follow(self._dress)

    @property
    def ref(self) -> TextRef | None:
        """The chosen text."""
        row, refs = self.list.currentIndex().row(), self._refs()
        return refs[row] if 0 <= row < len(refs) else None

    def show_groups(self, groups: Sequence[TextGroup], first: int) -> None:
        """Offer these groups, and show one of them."""
        self._groups = groups
        self.group.clear()
        for group in groups:
            self.group.addItem(safe_line(tr(group.title)), group.key)
        self.group.setVisible(len(groups) > 2)
        self.name.setVisible(len(groups) <= 2)
        self.group.setCurrentIndex(first)
        self._show_group()

    def show_text(self, ref: TextRef, text: str) -> None:
        """Show the text of a row that has been read."""
        if ref == self.ref:
            self.text.set_text(text)

    def follow(self, block: str) -> None:
        """Go to the text that was written for comparison with the one chosen beside this."""
        row = next((row for row, ref in enumerate(self._refs()) if block and ref.block == block), None)
        if row is not None:
            self._following = True
            self.list.setCurrentIndex(self.names.index(row))
            self._following = False

    def _refs(self) -> Sequence[TextRef]:
        place = self.group.currentIndex()
        return self._groups[place].refs if 0 <= place < len(self._groups) else ()

    def _show_group(self) -> None:
        refs, name = self._refs(), self.group.currentText()
        self.name.set_text(name)
        self.count.setText(plural(len(refs), "1 text", "%n texts"))
        self.list.setAccessibleName(tr("Texts: {group}").format(group=name))
        self.text.setAccessibleName(tr("Text: {group}").format(group=name))
        self.names.setStringList([safe_line(tr(ref.title)) for ref in refs])
        self.text.set_text("")
        self.note.clear()
        self.list.setCurrentIndex(self.names.index(0))

    def _show_row(self, _now: QModelIndex, _before: QModelIndex) -> None:
        ref = self.ref
        if ref is None:
            return
        self.note.setText("\n".join(safe_line(part) for part in ref.note.splitlines()))
        self.wanted.emit(ref)
        if not self._following:
            self.met.emit(ref.block)

    def _dress(self, _tokens: object = None) -> None:
        self.list.setMinimumHeight(theme.current().px(LIST_HEIGHT))
        self.text.setMinimumHeight(theme.current().px(TEXT_HEIGHT))


class FindingTexts(QWidget):
    """The texts behind a finding. `closed`, also on Escape: back to the table. `text_wanted` asks for one text."""

    closed = Signal()
    text_wanted = Signal(object)  # TextRef

    def __init__(self) -> None:
        super().__init__()
        self.line: FindingLine | None = None
        self.back = Button(tr("Back to the findings"), icon="back", act=self.closed)
        self.heading = ElidedLabel("", "heading")
        self.said = Label("", "soft", wrap=True)
        self.columns = (TextColumn(), TextColumn())
        for here, other in (self.columns, self.columns[::-1]):
            here.wanted.connect(self.text_wanted)
            here.met.connect(other.follow)
        head = in_row(self.back, (self.heading, 1), spacing=theme.current().gap)
        row = RowOrColumn(*((column, 1) for column in self.columns), least=BESIDE_FROM)
        in_column(head, self.said, (row, 1), 0, inside=self, spacing=theme.current().gap, margins=0)

    def wait_for(self, line: FindingLine) -> None:
        """Show that the texts of this finding are being looked for."""
        self.line = line
        self.heading.set_text(" · ".join(part for part in (line.finding.title, line.about) if part))
        self._say(tr("Looking for the texts behind it…"))
        self.show_columns(())

    def show_behind(self, behind: Behind) -> None:
        """Show the texts that were found."""
        groups = [group for group in behind.groups if group.refs] if behind.total else []
        self.show_columns(groups)
        self._say("" if groups else tr("No texts are stored behind this finding."))

    def fail(self) -> None:
        """Show that the texts could not be read; the reason is shown elsewhere."""
        self._say(tr("The texts could not be read."))

    def show_columns(self, groups: Sequence[TextGroup]) -> None:
        for place, column in reversed(list(enumerate(self.columns))):  # the other follows the first, which comes last
            column.setVisible(place < len(groups))
            column.show_groups(groups, place if place < len(groups) else -1)
        if groups:
            self.columns[0].list.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def _say(self, text: str) -> None:
        show_words(self.said, text)


Measured = tuple[tuple[Measurement, ...], int]  # and how many rating sessions are open


class FindingsPanel(Panel):
    """The board, replaced by the texts of a finding on request. All reading happens in threads."""

    key = "findings"
    title = "Findings"
    concerns = frozenset({"finding", "output", "source", "session", "study", "axis_definition", "event"})
    least_height = 400

    def __init__(self, shell: Shell, make_source: Callable[[Project], StoredFindings] = StoredFindings) -> None:
        super().__init__(shell)
        self._make_source = make_source
        self._source: StoredFindings | None = None
        self._measurements: tuple[Measurement, ...] = ()
        self._jobs = MeasureJobs(shell, self)

    # the panel's life

    def build(self) -> None:
        self.count = Chip("")
        self.header.add_chip(self.count)
        self.saving = Saving(self.shell, self, self._shown)
        self.compare = Button(tr("Compare…"), act=self.ask_to_compare)
        self.compare.setToolTip(tr("Any score of any texts, by any group"))
        self.header.add_action(self.compare)
        self.export = Button(tr("Export…"), icon="export", act=self._offer_exports)
        self.header.add_action(self.export)
        self.report = Button(tr("Report…"), act=self._offer_reports)
        self.report.setToolTip(tr("Save what was found as html, PDF, Markdown or LaTeX (Ctrl+P)"))
        self.header.add_action(self.report)
        self.pack = Button(tr("Evidence pack…"), act=lambda: self.saving.offer_packs(self._measurements, self.pack))
        self.pack.setToolTip(
            tr("One signed folder that another computer can verify: reports, findings, hashes or texts")
        )
        self.header.add_action(self.pack)
        self._report_wanted = False
        self.board = Board()
        self.board.counted.connect(self._show_count)
        self.board.texts_wanted.connect(self.open_texts)
        self.board.go_on.connect(self._go_on)
        self.board.studies.measure.connect(self.measure)
        self.board.studies.plan_wanted.connect(self.ask_to_plan)
        self._jobs.changed.connect(self._allow)
        self.board.card.copied.connect(self.shell.notify)
        self.texts = FindingTexts()
        self.texts.closed.connect(self._leave_texts)
        self.texts.text_wanted.connect(self._read_text)
        self.pages = stack_of(self.board, self.texts)
        self.body.addWidget(self.pages, 1)
        self._lines = Refresher(self.shell.jobs, tr("Findings"), self.board.show_data, self.shell.show_error, self)
        self._states = Refresher(self.shell.jobs, tr("Findings"), self._show_measured, self.shell.show_error, self)
        shortcut(QKeySequence(QKeySequence.StandardKey.Find), self, self._search)

    def project_opened(self, project: Project) -> None:
        self.project_closed()
        source = self._source = self._make_source(project)
        self._lines.read_with(source.load)
        self._states.read_with(lambda ctx: (source.measurements(ctx), source.open_sessions()))

    def project_closed(self) -> None:
        self._source = None
        self._jobs.forget()
        for refresher in (self._lines, self._states):
            refresher.read_with(None)
        self._close_texts()
        self.board.card.close_card()
        self.board.show_data(None)
        self._show_measured(((), 0))

    def refresh(self) -> None:
        self._jobs.pick_up()
        self._lines.ask()
        self._states.ask()
        self._allow()

    def changed(self, changes: Changes) -> None:
        """Count new outputs, and read the findings again only if findings were written."""
        if changes.touches("finding", "axis_definition", "event"):
            self._lines.ask()
        self._states.ask()

    def commands(self) -> list[Command]:
        board, card = self.board, self.board.card
        some, chosen = (lambda: bool(board.table.lines)), (lambda: board.chosen is not None)
        measuring = [
            Command(
                tr("Measure: {study}").format(study=tr(measurement.title)),
                partial(self.measure, measurement.study),
                enabled=partial(self._jobs.may, measurement.study),
            )
            for measurement in self._measurements
        ]
        planning = [
            Command(
                tr("Analysis plan: {study}…").format(study=tr(measurement.title)),
                partial(self.ask_to_plan, measurement.study),
                enabled=lambda: self.project is not None and not self.project.read_only,
            )
            for measurement in self._measurements
        ]
        trying = [
            Command(
                tr("How far each “Yes” holds: {study}").format(study=tr(measurement.title)),
                partial(self.try_choices, measurement.study),
                enabled=partial(self._jobs.may, measurement.study),
            )
            for measurement in self._measurements
        ]
        sorting = [
            Command(
                tr("Sort by: {column}").format(column=column_title(name)), partial(board.view.order_by, name), "", some
            )
            for name in COLUMNS
        ]
        return [
            *measuring,
            *planning,
            *trying,
            Command(tr("Compare any score by any group…"), self.ask_to_compare, "", partial(self._jobs.may, STUDY)),
            Command(tr("Search in the findings"), self._search, "Ctrl+F", some),
            Command(tr("Clear the filters"), board.filters.clear, "", some),
            Command(tr("Show all findings, or the questions alone"), board.unfold, "", lambda: board.table.folds),
            Command(tr("Open the texts of the finding"), self.open_texts, "", chosen),
            Command(tr("Copy the finding as a sentence"), card.put_sentence, "", chosen),
            Command(tr("Copy the finding as JSON"), card.put_json, "", chosen),
            *self.saving.commands(self._measurements),
            *sorting,
        ]

    # measuring

    def measure(self, study: str, whose: WantedTexts | None = None) -> None:
        """Score what is missing, measure, and store the findings; then read the table again.

        `whose`: None for the same texts as the last time.
        """
        self._jobs.start(study, whose and whose.of)

    def try_choices(self, study: str) -> None:
        """Measure as the last time, and each “Yes” again with one choice of the analysis changed at a time."""
        self._jobs.start(study, lambda options: replace(options, sensitivity=True))

    def ask_to_compare(self) -> None:
        """Ask for scores by group: of which texts, by what, and by which scorers; then measure them."""
        project = self.project
        if project is None:
            return

        def show(choices: CompareChoices) -> None:
            if project is self.project and self.isVisible():
                self.comparing = CompareDialog(
                    self.window(), self.shell.jobs, choices, lambda wanted: self._jobs.start(STUDY, lambda _: wanted)
                )
                self.comparing.open()

        self.shell.jobs.start(
            tr("What can be compared"),
            lambda ctx: read_choices(ctx, project),
            quiet=True,
            on_done=show,
            on_error=self.shell.show_error,
        )

    def ask_to_plan(self, study: str) -> None:
        """Ask for the findings of interest of a study, and lock them as its analysis plan."""
        project = self.project
        title = next((each.title for each in self._measurements if each.study == study), study)
        if project is None:
            return

        def show(choices: PlanChoices) -> None:
            if project is self.project and self.isVisible():
                self.planning = AnalysisPlanDialog(
                    self.window(), self.shell.jobs, project, choices, lambda _: self.refresh()
                )
                self.planning.open()

        self.shell.jobs.start(
            tr("Analysis plan"),
            lambda ctx: read_plan_choices(ctx, project, study, title),
            quiet=True,
            on_done=show,
            on_error=self.shell.show_error,
        )

    def _allow(self) -> None:
        writable = self.project is not None and not self.project.read_only
        self.compare.setEnabled(self._jobs.may(STUDY))
        self.board.studies.allow(writable, self._jobs.busy())
        first = next(iter(self._measurements), None)
        self.board.nothing.button.setEnabled(first is None or self._jobs.may(first.study))

    def _show_measured(self, measured: Measured) -> None:
        self._measurements, open_sessions = measured
        self.board.show_measurements(self._measurements, open_sessions)
        self._allow()
        if self._report_wanted and self.project is not None:
            self._offer_reports()

    def _go_on(self) -> None:
        """Leave the empty state: measure what there is, or open the generate panel."""
        if self._measurements:
            self.board.studies.lines[self._measurements[0].study].ask()
        else:
            self.shell.show_panel("generate")

    # the texts of a finding

    def open_texts(self) -> None:
        """Look for the texts behind the chosen finding."""
        line, source = self.board.chosen, self._source
        if line is None or source is None:
            return
        self.texts.wait_for(line)
        self.pages.setCurrentWidget(self.texts)
        self.texts.back.setFocus()

        def show(behind: Behind) -> None:
            if self.texts.line is line:
                self.texts.show_behind(behind)

        def fail(error: AppError) -> None:
            if self.texts.line is line:
                self.texts.fail()
            self.shell.show_error(error)

        def find(ctx: JobContext) -> Behind:
            return source.texts(ctx, line)

        self.shell.jobs.start(tr("Texts behind a finding"), find, quiet=True, on_done=show, on_error=fail)

    def _read_text(self, ref: TextRef) -> None:
        source = self._source
        if source is None:
            return

        def read(ctx: JobContext) -> str:
            return source.text(ref)

        def show(text: str) -> None:
            for column in self.texts.columns:
                column.show_text(ref, text)

        self.shell.jobs.start(tr("Text"), read, quiet=True, on_done=show, on_error=self.shell.show_error)

    def _close_texts(self) -> None:
        self.texts.line = None
        self.texts.show_columns(())
        self.pages.setCurrentWidget(self.board)

    def _leave_texts(self) -> None:
        self._close_texts()
        self.board.view.setFocus()

    # saving

    def _shown(self) -> Sequence[FindingLine]:
        return self.board.table.shown

    def opened_with(self, *, report: bool = False, measure: str = "", **what: object) -> None:
        """Open; `report`: offer a report as soon as the measurements are known. `measure`: a study to measure first,
        from what is judged and scored already.
        """
        if measure:
            self._jobs.start(measure, as_stored=True)
        self._report_wanted = report and not self._measurements
        if report and self._measurements:
            self._offer_reports()

    def _offer_reports(self) -> None:
        self._report_wanted = False
        self.saving.offer_reports(self._measurements, self.report)

    def _offer_exports(self) -> None:
        open_below(self.saving.menu(self._measurements), self.export)

    def _show_count(self, said: str) -> None:
        show_words(self.count, said)

    def _search(self) -> None:
        self._close_texts()
        self.board.filters.search.setFocus()
        self.board.filters.search.selectAll()

"""The outputs panel: every text of the project in one table that stays smooth, each with how it was made."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, QTimer
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLineEdit, QSizePolicy, QSplitter, QTableView

from biasprint.core.jobs import JobContext
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.desktop import theme
from biasprint.desktop.panels.base import Panel
from biasprint.desktop.read.outputs import (
    SORTED,
    Choices,
    Detail,
    Line,
    OutputOrder,
    ResultRows,
    RowSource,
    StoredOutputs,
)
from biasprint.desktop.shell import Command, Shell
from biasprint.desktop.tables.outputs import LineDelegate, OutputLoader, OutputsTable, headings, status_word
from biasprint.desktop.widgets import Card, Chip, EmptyState, Label, LinkButton, PlainText, QuietButton, plural, tr
from biasprint.desktop.widgets.choice import ComboBox, SearchRow
from biasprint.desktop.widgets.layout import Column, add_to
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.widgets.small_table import as_rows

UNSORTED = -1  # Qt's number for no column
TEXT_HEIGHT = 136  # at least
PROMPT_HEIGHT = 108


class OutputCard(Card):
    """The card of one output, empty until a row is chosen."""

    def __init__(self) -> None:
        super().__init__()
        self.heading = Label("", "heading", wrap=True)
        self.status = Chip("")
        self.text = PlainText(name=tr("Text of the output"))
        self.prompt = PlainText(name=tr("Prompt"))
        self.recipe = Label("", "note", wrap=True)
        self.recipe.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.open_letter = LinkButton(tr("Open it in Letters"))
        self.reading = ""  # of the letter that is shown
        self.reasoned = LinkButton("")
        self.reasoned.setCheckable(True)
        self.reasoning = PlainText(name=tr("Reasoning before the text"))
        self.hint = Label(tr("Choose a row to read its text and how it was made."), "soft", wrap=True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.column = Column()
        self._asked, recipe = Label(tr("Prompt"), "strong"), Label(tr("Recipe"), "strong")
        reasoning = (self.reasoned, self.reasoning)
        parts = (self.heading, self.status, self.text, *reasoning, self._asked, self.prompt, recipe, self.recipe)
        for widget in parts:
            self.column.box.addWidget(widget, 1 if widget is self.text else 0)
        # The text takes what is left, down to its least height: what it would like to have does not count.
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        add_to(self.box, (self.column, 1), self.open_letter, (self.hint, 1))
        self.reasoned.toggled.connect(self.reasoning.setVisible)
        theme.follow(self._dress)
        self.show_detail(None)

    def show_detail(self, detail: Detail | None) -> None:
        """Show one output, or the hint."""
        self.column.setVisible(detail is not None)
        self.hint.setVisible(detail is None)
        self.reading = detail.reading if detail is not None else ""
        self.open_letter.setVisible(bool(self.reading))
        for widget in (self._asked, self.prompt):
            # Nobody asked for a letter that somebody brought, and a result folder does not say.
            widget.setVisible(detail is not None and bool(detail.prompt))
        if detail is None:
            self.text.set_text("")
            self.prompt.set_text("")
            self._show_reasoning({})
            return
        row = detail.row
        failed = row.status == "error"
        self.heading.setText(safe_line(detail.title or row.prompt_key))
        self.status.setText(safe_line(f"{status_word(row.status)}: {row.error}" if failed else status_word(row.status)))
        self.status.set_tone("danger" if failed else "plain")
        self.text.set_text(row.text)
        self._show_reasoning(row.detail)
        self.prompt.set_text(detail.prompt)
        self.recipe.setText(" · ".join(safe_line(f"{name} {value}") for name, value in detail.recipe))

    def _show_reasoning(self, detail: Mapping[str, Any]) -> None:
        """Offer what the model wrote before its text, kept apart from it; folded until a person asks for it."""
        reasoning = str(detail.get("reasoning", ""))
        characters = int(detail.get("reasoning_characters", len(reasoning)))
        words = plural(characters, "Reasoning before it: 1 character", "Reasoning before it: %n characters")
        self.reasoned.set_text(tr("{reasoning}, not measured").format(reasoning=words))
        self.reasoned.setVisible(bool(reasoning))
        self.reasoned.setChecked(False)
        self.reasoning.setVisible(False)
        self.reasoning.set_text(reasoning)

    def _dress(self, _tokens: object = None) -> None:
        self.text.setMinimumHeight(theme.current().px(TEXT_HEIGHT))
        for box in (self.prompt, self.reasoning):
            box.setFixedHeight(theme.current().px(PROMPT_HEIGHT))


SEARCH_AFTER_MILLISECONDS = 250  # of silence: not at every key
ROW_HEIGHT = 32
TEXT_WIDTH = 240  # what the text column has at least, before a column is left out
SHARES = (5, 3)  # of the width: the table, and the card of an output
MUCH = 1_000
WIDEST_GENERATOR = 220  # the names of several may be long
WIDTHS = {"identity": 204, "task": 132, "status": 72, "model": 130, "theme": 110}  # the last are left out first


def rows_of(project: Project) -> RowSource:
    """Return the rows of the project's own file, or of the result folder that it shows."""
    return ResultRows(project) if project.path.is_dir() else StoredOutputs(project)


class OutputsPanel(Panel):
    """Table, filters and the card of the chosen output. All reading happens in threads."""

    key = "outputs"
    title = "Outputs"
    concerns = frozenset({"output", "prompt_set", "reading"})

    def __init__(self, shell: Shell, make_source: Callable[[Project], RowSource] = rows_of) -> None:
        super().__init__(shell)
        self._make_source = make_source
        self._source: RowSource | None = None
        self._order: OutputOrder | None = None

    # the panel's life

    def build(self) -> None:
        self.table = OutputsTable(self)
        self.loader = OutputLoader(self.shell.jobs, self.table, self)
        self.loader.counted.connect(self._show_count)
        self.loader.failed.connect(self.shell.show_error)
        self.count = Chip("")
        self.header.add_chip(self.count)
        self.bring = QuietButton(tr("Import texts…"))
        self.bring.clicked.connect(self.shell.import_texts)
        self.header.add_action(self.bring)
        self.card = OutputCard()
        self.card.open_letter.clicked.connect(lambda: self.shell.show_panel("letters", reading=self.card.reading))
        self._make_table()
        self.body.addWidget(self._make_filters())
        self.split = QSplitter(childrenCollapsible=False, handleWidth=theme.current().gap)
        self.frame = Card("", self.view, padding=(4, 8))
        self.split.addWidget(self.frame)
        self.split.addWidget(self.card)
        for part, share in enumerate(SHARES):
            self.split.setStretchFactor(part, share)
        self.split.setSizes([MUCH * share for share in SHARES])  # else the card takes what its hint would like
        self.nothing = EmptyState(
            tr("No outputs yet"),
            tr("Generate texts from your prompts, or import some: they appear here while they are written."),
            tr("Generate"),
            lambda: self.shell.show_panel("generate"),
            icon="outputs",
            other=tr("Import texts…"),
            on_other=self.shell.import_texts,
        )
        self.body.addWidget(self.split, 1)
        self.body.addWidget(self.nothing, 1)
        theme.follow(self._dress)

    def project_opened(self, project: Project) -> None:
        self._source = self._make_source(project)

    def project_closed(self) -> None:
        self._source = None
        self.loader.show(None, None)
        self.card.show_detail(None)

    def refresh(self) -> None:
        if not self._sortable():
            self._order = None
            self.view.horizontalHeader().setSortIndicator(UNSORTED, Qt.SortOrder.AscendingOrder)
        self.view.setSortingEnabled(self._sortable())
        self._read_choices()
        self._read()

    def changed(self, changes: Changes) -> None:
        """Append new outputs; if others changed, read everything again."""
        if changes.touches("prompt_set"):
            self._read_choices()
        if changes.touches("reading"):
            self._read()  # saved letters stand before the outputs
        elif all(isinstance(output_id, int) and output_id > self.table.last_id() for output_id in changes.of("output")):
            self.loader.read_on()
        else:
            if self._source is not None:
                self._source.forget()
            self._read()

    def commands(self) -> list[Command]:
        """Return the commands that sort by a column, for the keyboard."""
        to_sort = [
            Command(
                tr("Sort the outputs by {column}").format(column=head),
                partial(self._sort_by, column),
                "",
                self._sortable,
            )
            for column, head in enumerate(headings())
            if Line._fields[column] in SORTED
        ]
        as_written = tr("Show the outputs as they were written")
        return [*to_sort, Command(as_written, partial(self._sort_by, UNSORTED), "", self._sortable)]

    # reading

    def where(self) -> OutputFilter:
        """Return the filter set in the boxes."""
        runs = self.generator.currentData()
        return OutputFilter(
            run_ids=tuple(map(int, runs.split(","))) if runs else None,
            task=self.task.currentData(),
            identity=self.identity.currentData(),
            status=self.status.currentData(),
            contains=self.search.text().strip() or None,
        )

    def _read(self) -> None:
        self.search_pause.stop()
        self.card.show_detail(None)
        self.loader.show(self._source, None if self._source is None else self.where(), self._order)

    def _sort_by(self, column: int) -> None:
        # The head tells the table, as if it were pressed.
        self.view.horizontalHeader().setSortIndicator(column, Qt.SortOrder.AscendingOrder)

    def _sortable(self) -> bool:
        return self._source is not None and self._source.sortable

    def _sorted(self, order: OutputOrder | None) -> None:
        if order != self._order:
            self._order = order
            self._read()

    def _read_choices(self) -> None:
        source = self._source
        if source is None:
            return

        def offer(choices: Choices) -> None:
            if source is self._source:
                _offer(self.task, choices.tasks)
                _offer(self.identity, choices.identities)
                _offer(self.generator, choices.generators)
                self.generator.setVisible(len(choices.generators) > 1)
                self._fit_columns()

        self.shell.jobs.start(tr("Filters"), lambda ctx: source.choices(), quiet=True, on_done=offer)

    def _show_count(self, found: int, all_of_them: bool) -> None:
        narrowed = self._source is not None and self.where() != type(self.where())()
        text = plural(found, "1 output", "%n outputs")
        if narrowed:
            text = plural(found, "1 output matches", "%n outputs match")
        if not all_of_them:
            text = tr("{found} so far").format(found=text)
        self.count.setText(text)
        nothing = all_of_them and not found and not narrowed
        self.nothing.setVisible(nothing)
        self.split.setVisible(not nothing)

    def _show_row(self, current: QModelIndex, _previous: QModelIndex) -> None:
        source = self._source
        if source is None or not current.isValid():
            return
        wanted = self.table.id_at(current.row())

        def read(ctx: JobContext) -> Detail | None:
            return source.detail(wanted)

        def show(detail: Detail | None) -> None:
            now = self.view.currentIndex()
            if source is self._source and now.isValid() and self.table.id_at(now.row()) == wanted:
                self.card.show_detail(detail)

        self.shell.jobs.start(tr("Output"), read, quiet=True, on_done=show)

    # building

    def _make_table(self) -> None:
        self.view = QTableView()
        self.view.setModel(self.table)
        self.view.setItemDelegate(LineDelegate(self.view))
        self.view.setAccessibleName(tr("Outputs"))
        as_rows(self.view)
        self.view.viewport().installEventFilter(self)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        columns = self.view.horizontalHeader()
        columns.setHighlightSections(False)
        columns.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        columns.setSortIndicatorClearable(True)
        columns.setSortIndicator(UNSORTED, Qt.SortOrder.AscendingOrder)
        self.table.sorted_by.connect(self._sorted)
        self.view.selectionModel().currentChanged.connect(self._show_row)

    def _make_filters(self) -> SearchRow:
        self.search = QLineEdit(placeholderText=tr("Search in the texts"), clearButtonEnabled=True)
        self.search.setAccessibleName(tr("Search in the texts"))
        self.search_pause = QTimer(self, singleShot=True, interval=SEARCH_AFTER_MILLISECONDS)
        self.search_pause.timeout.connect(self._read)
        self.search.textChanged.connect(lambda _: self.search_pause.start())
        self.search.returnPressed.connect(self._read)
        self.task, self.identity, self.status = ComboBox(), ComboBox(), ComboBox()
        self.generator = ComboBox()
        self.generator.hide()
        self.filters = SearchRow(self.search)
        named = (
            (self.generator, tr("All generators")),
            (self.task, tr("All tasks")),
            (self.identity, tr("All identities")),
            (self.status, tr("Any status")),
        )
        for box, every in named:
            box.addItem(every, None)
            box.setAccessibleName(tr(every))
            box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
            box.activated.connect(lambda _: self._read())
        for status in ("done", "error"):
            self.status.addItem(status_word(status), status)
        self.filters.lay_out([box for box, _ in named])
        return self.filters

    def _dress(self, _tokens: object = None) -> None:
        self.generator.setMaximumWidth(theme.current().px(WIDEST_GENERATOR))
        self.view.verticalHeader().setDefaultSectionSize(theme.current().px(ROW_HEIGHT))
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Show as many columns as leave the text enough room, models first if there are several.
        is left out."""
        tokens = theme.current()
        room = self.view.viewport().width() - tokens.px(TEXT_WIDTH)
        several = not self.generator.isHidden()
        for name, width in sorted(WIDTHS.items(), key=lambda each: several and each[0] != "model"):
            column = Line._fields.index(name)
            room -= tokens.px(width)
            self.view.setColumnHidden(column, room < 0)
            self.view.setColumnWidth(column, tokens.px(width))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.view.viewport() and event.type() == QEvent.Type.Resize:
            self._fit_columns()
        return super().eventFilter(watched, event)


def _offer(box: ComboBox, choices: tuple[tuple[str, str], ...]) -> None:
    """Fill a box with the choices after "all", and keep the current choice if it is still offered."""
    before = box.currentData()
    while box.count() > 1:
        box.removeItem(1)
    for key, title in choices:
        box.addItem(safe_line(tr(title)), key)
    box.setCurrentIndex(max(0, box.findData(before)))

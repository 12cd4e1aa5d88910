"""The choice of letter prompts: the document to ask for, and its source."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QSpinBox, QStackedWidget, QWidget

from biasprint.core.errors import UsageError
from biasprint.core.prompts import Axis, available_axes, load_axis
from biasprint.core.prompts.definition_kinds import AXIS, DOCUMENT, NAMES, OCCUPATIONS, with_set_names
from biasprint.core.prompts.letters import letter_design
from biasprint.core.prompts.library import Definition
from biasprint.core.prompts.name_sets import NameSet
from biasprint.desktop import theme
from biasprint.desktop.operations.prompts import BiographiesChoice, LettersChoice, OwnSeen
from biasprint.desktop.panels.prompts.studies import StudyCard, TablePick
from biasprint.desktop.widgets import Label, LinkButton, tr
from biasprint.desktop.widgets.choice import ComboBox, fill
from biasprint.desktop.widgets.events import open_below
from biasprint.desktop.widgets.labels import named
from biasprint.desktop.widgets.layout import (
    STRETCH,
    LowEdit,
    RowOrColumn,
    add_to,
    empty,
    grid_of,
    in_column,
    in_row,
    scaled,
)
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip

USUAL_VERSIONS, MOST_VERSIONS = 2, 20


class BiographiesPage(QWidget):
    """A table of biographies, each rewritten for every group with other names and pronouns."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        tokens = theme.current()
        words = tr(
            "Each biography is rewritten for people of every group, with other names and pronouns and nothing else "
            "changed; what a text about it claims beyond it can then be measured. This runs on this computer."
        )
        self.table = TablePick(tr("Needs columns with the biography, first name, last name, gender and occupation."))
        self.versions = QSpinBox(minimum=1, maximum=MOST_VERSIONS, value=USUAL_VERSIONS)
        self.versions.setAccessibleName(tr("Versions of each biography for each group"))
        row = in_row(Label(tr("Versions for each group")), self.versions, STRETCH, spacing=tokens.grid)
        in_column(Label(words, "soft", wrap=True), self.table, row, STRETCH, inside=self, spacing=tokens.gap, margins=0)
        self.table.changed.connect(self.changed)
        self.versions.valueChanged.connect(lambda _: self.changed.emit())

    def choice(self, document: str) -> BiographiesChoice:
        return BiographiesChoice(self.table.path, self.versions.value(), document)


LEAST_HEIGHT = 72  # text pixels of a list


class Lines(QWidget):
    """A list that is edited as text, an item to a line."""

    changed = Signal()

    def __init__(self, title: str, items: Sequence[str]) -> None:
        super().__init__()
        self.edit = named(LowEdit(), tr("{list}, one to a line").format(list=title))
        self.edit.setTabChangesFocus(True)
        self.edit.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        scaled(self.edit, self.edit.setMinimumHeight, LEAST_HEIGHT)
        self.set_items(items)
        self.edit.textChanged.connect(self.changed)
        self._head = in_row((Label(safe_line(title), "strong"), 1))
        in_column(self._head, (self.edit, 1), inside=self, spacing=4, margins=0)

    def add_link(self, words: str) -> LinkButton:
        """Add a link beside the title."""
        link = LinkButton(words)
        self._head.addWidget(link)
        return link

    def set_items(self, items: Sequence[str]) -> None:
        self.edit.setPlainText("\n".join(items))

    def items(self) -> tuple[str, ...]:
        """Return the lines that hold something, each once."""
        lines = (line.strip() for line in self.edit.toPlainText().split("\n"))
        return tuple(dict.fromkeys(line for line in lines if line))


class NamesPage(QWidget):
    """Names × ages × occupations of the context-less prompts."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        design = letter_design()
        self.axis = named(ComboBox(), tr("Axis"))
        self._seen = OwnSeen()
        self.names_from = named(ComboBox(), tr("Names from"))
        for box in (self.axis, self.names_from):
            box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(10)
        self._offer()
        self.per_group = named(QSpinBox(), tr("Names of each group"))
        self.ages = Lines(tr("Ages"), [str(age) for age in design.ages])
        self.occupations = Lines(tr("Occupations"), design.occupations)
        self.lists = self.occupations.add_link(tr("Lists…"))
        self.names: dict[str, Lines] = {}
        self._names_row = in_row(spacing=theme.current().gap)
        self._lay_out()
        for lines in (self.ages, self.occupations):
            lines.changed.connect(self.changed)
        self.axis.currentIndexChanged.connect(lambda _: self._show_axis())
        self.names_from.activated.connect(lambda _: self._offer())
        self.per_group.valueChanged.connect(lambda _: self._take_names())
        self._show_axis()

    def choice(self, document: str) -> LettersChoice:
        axis: Axis = self.axis.currentData()
        names = {group: lines.items() for group, lines in self.names.items()}
        name_set = str(self.names_from.currentData() or "")
        return LettersChoice(axis.key, names, self.ages.items(), self.occupations.items(), document, name_set)

    def show_own(self, seen: OwnSeen) -> None:
        """Offer the person's own axes behind the others, if letters can use them; the chosen one stays chosen."""
        self._seen = seen
        self._offer()

    def take_names(self, key: str) -> None:
        """Take the names from this set."""
        self.names_from.setCurrentIndex(max(0, self.names_from.findData(key)))
        self._offer()

    def _offer(self) -> None:
        """Offer the sets of names, and the axes whose every identity has names, of the chosen set or its own."""
        before: Axis | None = self.axis.currentData()
        chosen = self.names_from.currentData()
        fill(self.names_from, {"": tr("names of the axis"), **self._seen.names}, chosen)
        names = next(
            (names for names in self._seen.of(NAMES.folder) if names.key == self.names_from.currentData()), None
        )
        own = [AXIS.load(each.data) for each in self._seen.own.get(AXIS.folder, ())]
        axes = _axes_with_names(letter_design().axis, own, NAMES.load(names.data) if names is not None else None)
        with QSignalBlocker(self.axis):
            self.axis.clear()
            for axis in axes:
                groups = ", ".join(identity.label.lower() for identity in axis.identities)
                self.axis.addItem(safe_line(tr(f"{axis.title}: {groups}")), axis)
            keys = [axis.key for axis in axes]
            self.axis.setCurrentIndex(keys.index(before.key) if before is not None and before.key in keys else 0)
        if before is not None and self.axis.currentData() != before:
            self._show_axis()

    def _show_axis(self) -> None:
        axis: Axis = self.axis.currentData()
        empty(self._names_row)
        self.names = {}
        for identity in axis.identities:
            lines = Lines(tr("Names: {group}").format(group=identity.label.lower()), identity.names[:1])
            lines.changed.connect(self.changed)
            self.names[identity.key] = lines
            self._names_row.addWidget(lines, 1)
        self.per_group.setRange(1, min(len(identity.names) for identity in axis.identities))
        self.per_group.setValue(1)
        self.changed.emit()

    def _take_names(self) -> None:
        axis: Axis = self.axis.currentData()
        for identity in axis.identities:
            self.names[identity.key].set_items(identity.names[: self.per_group.value()])

    def _lay_out(self) -> None:
        tokens = theme.current()
        number = in_row(Label(tr("Names of each group")), self.per_group, spacing=tokens.grid)
        head = RowOrColumn((self.axis, 3), (self.names_from, 2), number, spacing=tokens.grid)
        grid = grid_of(stretch=None)
        grid.addLayout(self._names_row, 0, 0, 1, 2)
        grid.addWidget(self.ages, 1, 0)
        grid.addWidget(self.occupations, 1, 1)
        for stretch in (0, 1):
            grid.setColumnStretch(stretch, 1)
            grid.setRowStretch(stretch, 1)
        box = in_column(inside=self, margins=0)
        add_to(box, head, (grid, 1), Label(tr("One to a line. Names can be changed to any others."), "note", wrap=True))


def _axes_with_names(first: str, own: Sequence[Axis], names: NameSet | None) -> list[Axis]:
    """Return the axes whose every identity has names to write about, of the set if chosen; the letters' own first."""
    axes = [*(load_axis(key) for key in sorted(available_axes(), key=lambda key: key != first)), *own]
    if names is not None:
        axes = [named for axis in axes if (named := _named_by(axis, names)) is not None]
    return [axis for axis in axes if all(identity.names for identity in axis.identities)]


def _named_by(axis: Axis, names: NameSet) -> Axis | None:
    """Return the axis with the names of the set; None where an identity has none there."""
    try:
        draft, without = with_set_names(axis.definition(), names)
    except UsageError:
        return None
    return AXIS.load(draft) if not without else None


class LettersChoiceCard(StudyCard):
    """The choice of the document and its source: a name with an age and occupation, or a biography."""

    tab, rank = "Letters", 2

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(20)
        self._own = OwnSeen()
        self.document, self.source = ComboBox(), ComboBox()
        self._offer_documents(())
        for title in (tr("Names and ages"), tr("Biographies")):
            self.source.addItem(title)
        self.by_name, self.biographies = NamesPage(), BiographiesPage()
        self.pages = QStackedWidget()
        for page in (self.by_name, self.biographies):
            self.pages.addWidget(page)
            page.changed.connect(self.changed)
        row = RowOrColumn(spacing=theme.current().grid)
        for label, combo in ((tr("Ask for"), self.document), (tr("from"), self.source)):
            combo.setAccessibleName(tr("Document") if combo is self.document else tr("Made from"))
            combo.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(10)
            row.addLayout(in_row(Label(label), (combo, 1), spacing=theme.current().grid), 1)
        own = LinkButton(tr("Own…"), act=lambda _=False: self.own_wanted.emit(DOCUMENT.folder))
        own.setAccessibleName(tr("Documents: add your own"))
        own.setToolTip(safe_tip(tr(own.accessibleName())))
        row.addWidget(own)
        add_to(self.box, row, (self.pages, 1))
        self.document.activated.connect(
            lambda _: self._take_occupations(DOCUMENT.folder, str(self.document.currentData()))
        )
        self.by_name.lists.clicked.connect(lambda _=False: self._show_lists())
        self.source.activated.connect(self._show_source)

    def choice(self) -> LettersChoice | BiographiesChoice:
        page = self.pages.currentWidget()
        assert isinstance(page, NamesPage | BiographiesPage)
        return page.choice(self.document.currentData())

    def show_own(self, seen: OwnSeen) -> None:
        self._own = seen
        self.by_name.show_own(seen)
        before = self.document.currentData()
        self._offer_documents(seen.own.get(DOCUMENT.folder, ()))
        self.document.setCurrentIndex(max(0, self.document.findData(before)))
        if before is not None and self.document.currentData() != before:
            self.changed.emit()

    def choose_own(self, kind: str, key: str) -> None:
        """Choose this document, these occupations, or these names."""
        self.source.setCurrentIndex(0)
        self._show_source(0)
        if kind == NAMES.folder:
            self.by_name.take_names(key)
            return
        if kind == DOCUMENT.folder:
            self.document.setCurrentIndex(max(0, self.document.findData(key)))
        self._take_occupations(kind, key)

    def _take_occupations(self, kind: str, key: str) -> None:
        """Take the occupations of a list, or of a person's own document that has some."""
        definition = next((definition for definition in self._own.of(kind) if definition.key == key), None)
        if definition is not None and definition.data.get("occupations"):
            self.by_name.occupations.set_items(definition.data["occupations"])
        self.changed.emit()

    def _offer_documents(self, own: Sequence[Definition]) -> None:
        self.document.clear()
        for key, document in letter_design().documents.items():
            self.document.addItem(tr(document.title), key)
        for definition in own:
            self.document.addItem(safe_line(tr("{title} (own)").format(title=definition.title)), definition.key)

    def _show_lists(self) -> None:
        """Offer the lists of occupations, each to replace the present ones."""
        menu = QMenu(self)
        for occupations in self._own.of(OCCUPATIONS.folder):
            step = partial(self._take_occupations, OCCUPATIONS.folder, occupations.key)
            menu.addAction(safe_line(tr(occupations.title)).replace("&", "&&")).triggered.connect(
                lambda _=False, step=step: step()
            )
        menu.addSeparator()
        menu.addAction(tr("Own…")).triggered.connect(lambda _=False: self.own_wanted.emit(OCCUPATIONS.folder))
        open_below(menu, self.by_name.lists)

    def _show_source(self, source: int) -> None:
        self.pages.setCurrentIndex(source)
        self.changed.emit()

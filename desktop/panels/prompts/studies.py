"""The pages on which the prompts of a study are chosen, and their common parts."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QFrame, QLineEdit, QPlainTextEdit, QWidget

from biasprint.core.prompts import available_axes, cogs_tasks, cogs_themes, load_axis
from biasprint.core.prompts.cogs import PAPER_AXES
from biasprint.core.prompts.definition_kinds import AXIS, TASK, THEMES
from biasprint.core.prompts.designs import available_designs, load_design
from biasprint.core.prompts.drafts import mitigations
from biasprint.core.studies.completion.prompts import DIRECTIONS, DOMAINS, domain
from biasprint.core.studies.kit.study import StudyDeclaration
from biasprint.core.studies.news.prompts import news_templates, shipped_headlines
from biasprint.core.studies.registry import study
from biasprint.desktop import theme
from biasprint.desktop.dialogs.import_table import ask_table
from biasprint.desktop.operations.first_look import WORDINGS
from biasprint.desktop.operations.prompts import (
    Choice,
    CogsChoice,
    CompletionChoice,
    DesignChoice,
    Mitigation,
    NewsChoice,
    OwnSeen,
    WholeSet,
)
from biasprint.desktop.widgets import Card, ElidedLabel, Label, LinkButton, QuietButton, plural, tr
from biasprint.desktop.widgets.choice import CheckBox, ComboBox
from biasprint.desktop.widgets.labels import named
from biasprint.desktop.widgets.layout import (
    STRETCH,
    Gap,
    RowOrColumn,
    Scroller,
    add_to,
    clear_column,
    in_column,
    in_row,
)
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip

LEAST_HEIGHT = 200  # text pixels; a longer list scrolls


class _Area(Scroller):
    """An area that takes the remaining height, down to some lines, whatever it would prefer."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumSizeHint().height())

    def minimumSizeHint(self) -> QSize:
        inside = self.widget().sizeHint()
        width = inside.width() + self.verticalScrollBar().sizeHint().width()
        return QSize(width, min(inside.height(), theme.current().px(LEAST_HEIGHT)))


class CheckList(QWidget):
    """A list to check. `changed` comes once for everything checked together."""

    changed = Signal()
    own_wanted = Signal()

    def __init__(self, title: str, items: Sequence[tuple[str, str]], *, own: bool = False) -> None:
        """`items`: key and words of each. `own`: people can add some of their own, by a link."""
        super().__init__()
        self.boxes: dict[str, QCheckBox] = {}
        inside, self._column = clear_column(STRETCH, spacing=2)
        self.set_items(items)
        area = _Area()
        area.setWidget(inside)
        area.setFrameShape(QFrame.Shape.NoFrame)
        every, none = LinkButton(tr("All"), act=lambda: self.check(self.boxes)), LinkButton(tr("None"))
        every.setAccessibleName(tr("{list}: all").format(list=title))
        none.setAccessibleName(tr("{list}: none").format(list=title))
        none.clicked.connect(lambda: self.check(()))
        head = in_row(Label(title, "strong"), STRETCH)
        if own:
            mine = named(LinkButton(tr("Own…"), act=self.own_wanted), tr("{list}: add your own").format(list=title))
            mine.setToolTip(safe_tip(tr(mine.accessibleName())))
            head.addWidget(mine)
        add_to(head, every, none)
        in_column(head, (area, 1), inside=self, spacing=4, margins=0)

    def set_items(self, items: Sequence[tuple[str, str]]) -> None:
        """List these; checked ones that still exist stay checked."""
        checked = set(self.checked())
        for box in self.boxes.values():
            self._column.removeWidget(box)
            box.hide()
            box.deleteLater()
        self.boxes = {}
        for place, (key, words) in enumerate(items):
            self.boxes[key] = box = QCheckBox(safe_line(tr(words)).replace("&", "&&"))
            box.setChecked(key in checked)
            box.clicked.connect(lambda _: self.changed.emit())
            self._column.insertWidget(place, box)
        if checked - self.boxes.keys():
            self.changed.emit()

    def check(self, keys: Iterable[str]) -> None:
        """Check only these."""
        wanted = set(keys)
        for key, box in self.boxes.items():
            box.setChecked(key in wanted)
        self.changed.emit()

    def checked(self) -> tuple[str, ...]:
        return tuple(key for key, box in self.boxes.items() if box.isChecked())


class StudyCard(Card):
    """The card on which a study's prompts are chosen. `tab`: the words of its tab, `rank`: its place among the tabs."""

    changed = Signal()
    own_wanted = Signal(str)  # the kind of definitions to go to
    tab = ""
    rank = 100

    def choice(self) -> Choice:
        """Return the present choice."""
        raise NotImplementedError

    def show_originals(self, originals: int) -> None:
        """Take the number of original headlines in the project; used by some cards only."""

    def show_own(self, seen: OwnSeen) -> None:
        """Take the person's own definitions on this computer; used by some cards only."""

    def choose_own(self, kind: str, key: str) -> None:
        """Choose one's own definition; used by some cards only."""

    def choose_first_look(self) -> None:
        """Choose the design that a first look of the study asks; used by some cards only."""


class WholeSetCard(StudyCard):
    """A study that offers no choice: its whole default set."""

    def __init__(self, study: StudyDeclaration) -> None:
        super().__init__()
        self.set_padding(20)
        self._kind = study.kind
        words = tr("All prompts that come with the study {title}.").format(title=safe_line(study.title))
        add_to(self.box, Label(words, "soft", wrap=True), STRETCH)

    def choice(self) -> Choice:
        return WholeSet(self._kind)


DIRECTION_TITLES = {"SAI": "SAI: stimulus to attribute", "ASA": "ASA: attribute to stimulus"}


class CompletionChoiceCard(StudyCard):
    """The published items, all at first or narrowed."""

    tab, rank = "Fill in the blank", 4

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(20)
        words = tr(
            "Each item is a sentence with a blank and three options: a positive, a negative and a neutral one. Every "
            "sentence is asked with masculine, feminine and non-binary pronouns and the same options. SAI names an "
            "age, a look or an origin and asks for a trait; ASA names a trait and asks for whose it is."
        )
        self.domains = CheckList(tr("Domains"), [(name, domain(name).title) for name in DOMAINS])
        self.directions = CheckList(tr("Directions"), [(name, DIRECTION_TITLES[name]) for name in DIRECTIONS])
        row = in_row(spacing=theme.current().gap)
        for checks, share in ((self.domains, 2), (self.directions, 3)):
            row.addWidget(checks, share)
            checks.check(checks.boxes)
            checks.changed.connect(self.changed)
        add_to(self.box, Label(words, "soft", wrap=True), (row, 1))

    def choice(self) -> CompletionChoice:
        return CompletionChoice(self.domains.checked(), self.directions.checked())


class CreativeChoice(StudyCard):
    """The creativity suite, whole or narrowed; a small set is chosen at first."""

    tab, rank = "Creative writing", 1

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(20)
        self._shipped_tasks = [(task.key, task.title) for task in cogs_tasks()]
        self._shipped_themes = [(each.key, each.text.capitalize()) for each in cogs_themes()]
        self.tasks = CheckList(tr("Tasks"), self._shipped_tasks, own=True)
        self.themes = CheckList(tr("Themes"), self._shipped_themes, own=True)
        # An axis that is reported as another belongs to a study of its own, and would meet that other one here.
        # Of two of one title, such as gender × race with names for letters, the first is this suite's.
        axes = [axis for axis in map(load_axis, available_axes()) if not axis.reported_as]
        by_title = {axis.title: axis.key for axis in reversed(axes)}
        self._shipped_axes = [(axis.key, axis.title) for axis in axes if by_title[axis.title] == axis.key]
        self.axes = CheckList(tr("Axes"), self._shipped_axes, own=True)
        for checks, kind in ((self.tasks, TASK), (self.themes, THEMES), (self.axes, AXIS)):
            checks.own_wanted.connect(lambda folder=kind.folder: self.own_wanted.emit(folder))
        self.small = LinkButton(tr("A small set"), act=self._choose_small)
        self.whole = LinkButton(tr("The published set"), act=self._choose_whole)
        head = in_row(Label(tr("Start from"), "soft"), self.small, self.whole, STRETCH, spacing=theme.current().gap)
        row = RowOrColumn((self.tasks, 1), (self.themes, 1), (self.axes, 1))
        for checks in (self.tasks, self.themes, self.axes):
            checks.changed.connect(self._tell)
        add_to(self.box, head, (row, 1))
        self._own_themes: dict[str, list[str]] = {}
        self._telling = True
        self._choose_small()

    def choice(self) -> CogsChoice:
        return CogsChoice(self.tasks.checked(), self.themes.checked(), self.axes.checked())

    def show_own(self, seen: OwnSeen) -> None:
        """Offer the person's own definitions before the others."""
        words = tr("{title} (own)")
        for checks, kind, shipped in (
            (self.tasks, TASK, self._shipped_tasks),
            (self.axes, AXIS, self._shipped_axes),
        ):
            own = [
                (definition.key, words.format(title=definition.title)) for definition in seen.own.get(kind.folder, ())
            ]
            checks.set_items([*own, *shipped])
        rows = [row for definition in seen.own.get(THEMES.folder, ()) for row in definition.data["theme"]]
        own = [(row["key"], words.format(title=row["text"].capitalize())) for row in rows]
        self.themes.set_items([*own, *self._shipped_themes])
        own_themes = seen.own.get(THEMES.folder, ())
        self._own_themes = {
            definition.key: [row["key"] for row in definition.data["theme"]] for definition in own_themes
        }

    def choose_own(self, kind: str, key: str) -> None:
        """Check only this one."""
        if kind == AXIS.folder:
            self.axes.check([key])
        elif kind == TASK.folder:
            self.tasks.check([key])
        elif kind == THEMES.folder:
            self.themes.check(self._own_themes.get(key, ()))

    def _choose_small(self) -> None:
        small = study(CogsChoice.study).first_look
        self._choose(small["tasks"], small["themes"])

    def _choose_whole(self) -> None:
        self._choose(self.tasks.boxes, self.themes.boxes)

    def _choose(self, tasks: object, themes: object) -> None:
        self._telling = False
        self.tasks.check(tasks)
        self.themes.check(themes)
        self.axes.check(PAPER_AXES)
        self._telling = True
        self._tell()

    def _tell(self) -> None:
        if self._telling:
            self.changed.emit()


class TablePick(QWidget):
    """A button, the name of the chosen table, and a word on the columns that it needs."""

    changed = Signal()

    def __init__(self, needs: str) -> None:
        super().__init__()
        self.path: Path | None = None
        self.button = QuietButton(tr("Choose a table…"), icon="folder", act=self._ask)
        self.button.setAccessibleDescription(tr(needs))
        self.name = ElidedLabel(tr("none yet"), "soft", mode=Qt.TextElideMode.ElideMiddle)
        row = in_row(self.button, (self.name, 1), spacing=theme.current().grid)
        in_column(row, Label(needs, "note", wrap=True), inside=self, spacing=4, margins=0)

    def take(self, path: Path) -> None:
        """Take this table, even if it was chosen before: it may have been corrected meanwhile."""
        self.path = path
        self.name.set_text(path.name)
        self.changed.emit()

    def forget(self) -> None:
        """Forget the table, without `changed`."""
        self.path = None
        self.name.set_text(tr("none yet"))

    def _ask(self) -> None:
        path = ask_table(self)
        if path is not None:
            self.take(path)


ORIGINALS, TABLE, SHIPPED = "originals", "table", "shipped"


class NewsChoiceCard(StudyCard):
    """The headlines of the project's originals if there are any, else the shipped ones at first."""

    tab, rank = "News", 3

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(20)
        self._touched = False
        self.source = named(ComboBox(), tr("Headlines"))
        count = plural(len(shipped_headlines()), "1 headline", "%n headlines")
        for data, title in (
            (ORIGINALS, ""),
            (TABLE, tr("Those of a table")),
            (SHIPPED, tr("{count} with originals of this program, to try it out").format(count=count)),
        ):
            self.source.addItem(title, data)
        self.table = TablePick(tr("Needs a column headline; a column domain is used where there is one."))
        self.biased = CheckBox(tr("Ask for each article a second time, by someone who believes in"))
        self.ideology = QLineEdit(news_templates().ideology, maxLength=100)
        self.ideology.setAccessibleName(tr("What the writer of the biased article believes in"))
        self.base_model = CheckBox(tr("For a base model, which follows no instruction: the headline alone"))
        self.show_originals(0)
        self._lay_out()
        self.source.activated.connect(lambda _: self._choose_source())
        self.table.changed.connect(self.changed)
        for box in (self.biased, self.base_model):
            box.clicked.connect(lambda _: self._wording_changed())
        self.ideology.textChanged.connect(lambda _: self.changed.emit() if self.biased.isChecked() else None)
        self._show()

    def choice(self) -> NewsChoice:
        ideology = self.ideology.text().strip() if self.biased.isChecked() else ""
        return NewsChoice(self.source.currentData(), self.table.path, ideology, self.base_model.isChecked())

    def show_originals(self, originals: int) -> None:
        """Show the number of the project's original headlines; they are chosen, unless somebody chose others."""
        own = plural(originals, "1 headline", "%n headlines")
        self.source.setItemText(0, tr("{count} of the project's originals").format(count=own))
        before = self.source.currentData()
        if not self._touched:
            self.source.setCurrentIndex(self.source.findData(ORIGINALS if originals else SHIPPED))
        if self.source.currentData() != before or before == ORIGINALS:
            self._show()
            self.changed.emit()

    def _choose_source(self) -> None:
        self._touched = True
        self._show()
        self.changed.emit()

    def _wording_changed(self) -> None:
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        self.table.setVisible(self.source.currentData() == TABLE)
        self.biased.setEnabled(not self.base_model.isChecked())
        if self.base_model.isChecked():
            self.biased.setChecked(False)
        self.base_model.setEnabled(not self.biased.isChecked())
        self.ideology.setEnabled(self.biased.isChecked())

    def _lay_out(self) -> None:
        tokens = theme.current()
        words = tr(
            "An article is asked for each headline, and measured against the original of the same headline: in its "
            "words, in its tone, and in whether a prompt that asks for prejudice gets it."
        )
        self.source.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.source.setMinimumContentsLength(12)
        belief = in_row(self.ideology, margins=(tokens.px(24), 0, 0, 0))
        add_to(self.box, Label(words, "soft", wrap=True), Label(tr("Headlines"), "strong"), self.source, self.table)
        add_to(
            self.box, Gap(tokens.grid), Label(tr("Wording"), "strong"), self.biased, belief, self.base_model, STRETCH
        )


OWN = ""
LONGEST_NAME = 40
EDIT_HEIGHT = 64  # text pixels


class MitigationCard(Card):
    """Asking everything again, off at first: in other wordings, and with an instruction, shipped or one's own."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__(padding=(20, 14))
        ask = tr("Ask each prompt in {n} wordings, and see in how many a finding holds")
        self.several = CheckBox(ask.format(n=WORDINGS))
        self.on = CheckBox(tr("Ask everything a second time, with an instruction that may lessen bias"))
        self.which = named(ComboBox(), tr("Instruction"))
        for name, shipped in mitigations().items():
            self.which.addItem(tr(shipped.title), name)
        self.which.addItem(tr("My own…"), OWN)
        self.shipped = Label("", "note", wrap=True)
        self.name = named(QLineEdit(tr("mine"), maxLength=LONGEST_NAME), tr("What findings call the instruction"))
        self.instruction = QPlainTextEdit(placeholderText=tr("It stands before every prompt."), tabChangesFocus=True)
        self.instruction.setAccessibleName(tr("The instruction"))
        self.own = QWidget()
        form = QFormLayout(self.own)
        form.setContentsMargins(0, 0, 0, 0)
        form.addRow(tr("Called"), self.name)
        form.addRow(tr("Instruction"), self.instruction)
        for widget in (self.several, self.on, self.which, self.shipped, self.own):
            self.box.addWidget(widget)
        self.several.clicked.connect(lambda _: self.changed.emit())
        self.on.clicked.connect(lambda _: self._change())
        self.which.activated.connect(lambda _: self._change())
        for edit in (self.name.textChanged, self.instruction.textChanged):
            edit.connect(lambda *_: self.changed.emit())
        theme.follow(self._dress)
        self._show()

    def wordings(self) -> int:
        """Return the number of wordings that each prompt is asked in."""
        return WORDINGS if self.several.isChecked() else 1

    def choice(self) -> Mitigation | None:
        """Return the instruction; None where it is off. A name of one's own becomes one that findings can hold."""
        if not self.on.isChecked():
            return None
        if self.which.currentData() != OWN:
            return Mitigation(self.which.currentData())
        name = re.sub(r"[^a-z0-9]+", "_", self.name.text().lower()).strip("_")
        return Mitigation(name, self.instruction.toPlainText().strip())

    def _change(self) -> None:
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        on, own = self.on.isChecked(), self.which.currentData() == OWN
        self.which.setVisible(on)
        self.own.setVisible(on and own)
        self.shipped.setVisible(on and not own)
        known = mitigations().get(self.which.currentData())
        self.shipped.setText(f"“{known.instruction}”" if known else "")

    def _dress(self, _tokens: object = None) -> None:
        self.instruction.setFixedHeight(theme.current().px(EDIT_HEIGHT))


# ---- Designs

LETTERS = 20  # of a title that are seen in the narrowest window


class DesignChoiceCard(StudyCard):
    """One of the designs that ship."""

    tab, rank = "Designs", 5

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(20)
        self._designs = [load_design(key) for key in available_designs()]
        words = tr(
            "Designs of published studies: prompts, how replies are read, and what is measured. Their texts were "
            "written for this program. Measure them as the study “Any score by any group”."
        )
        self.which = named(ComboBox(), tr("Design"))
        for design in self._designs:
            self.which.addItem(safe_line(tr(design.title)), design.key)
        self.question = Label("", "strong", wrap=True)
        self.said = {name: Label("", "soft", wrap=True) for name in ("measure", "source")}
        # As wide as the card: a title is a sentence, and no part of it may be cut off where there is room.
        self.which.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.which.setMinimumContentsLength(LETTERS)
        for widget in (Label(words, "soft", wrap=True), self.which, self.question):
            self.box.addWidget(widget)
        # What it cannot say stands beside its prompts.
        for title, name in ((tr("Measured"), "measure"), (tr("Source"), "source")):
            add_to(self.box, Label(title, "strong"), self.said[name])
        self.box.addStretch(1)
        self.which.activated.connect(lambda _: self._choose())
        self._show()

    def choice(self) -> DesignChoice:
        return DesignChoice(self.which.currentData())

    def choose_first_look(self) -> None:
        place = self.which.findData(study(DesignChoice.study).first_look["design"])
        self.which.setCurrentIndex(max(0, place))
        self._choose()

    def _choose(self) -> None:
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        design = self._designs[self.which.currentIndex()]
        self.question.setText(safe_line(design.question))
        for name, label in self.said.items():
            label.setText(safe_line(getattr(design, name)))

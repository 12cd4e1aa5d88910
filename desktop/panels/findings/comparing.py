"""The dialog that asks for any score by any group: of which texts, grouped by what, and by which scorers."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from biasprint.core.draw import digits
from biasprint.desktop import theme
from biasprint.desktop.jobs import JobRunner
from biasprint.desktop.operations.comparing import (
    GROUP,
    SECOND,
    STUDY,
    CompareChoices,
    GroupingColumn,
    TextsToCompare,
    asked_for,
    check_words,
)
from biasprint.desktop.operations.measuring import ScorerLine
from biasprint.desktop.panels.measuring import GeneratorChoice, ScorerRow
from biasprint.desktop.widgets import Label, Notice, PrimaryButton, QuietButton, hairline, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.layout import Sheet, fitting
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip
from biasprint.desktop.wording.generators import NOBODY

if TYPE_CHECKING:
    from biasprint.core.errors import AppError
    from biasprint.core.scorers.protocol import ScorerInfo
    from biasprint.core.studies.kit.declared import MeasureOptions

WIDTH, HEIGHT = 720, 640  # text pixels
MOST_SHOWN = 6  # groups that are named


class CompareDialog(QDialog):
    """The dialog; `on_wanted` receives the measurement to make."""

    def __init__(
        self,
        parent: QWidget,
        jobs: JobRunner,
        choices: CompareChoices,
        on_wanted: "Callable[[MeasureOptions], object]",
    ) -> None:
        super().__init__(parent)
        self._jobs, self._choices, self._on_wanted = jobs, choices, on_wanted
        self.setWindowTitle(tr("Compare any score by any group"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(fitting(parent, WIDTH, HEIGHT))
        self._make_widgets()
        self._lay_out()
        self._show_texts()
        self._allow()

    @property
    def texts(self) -> TextsToCompare | None:
        """The study whose texts are chosen."""
        place = self.study.currentIndex()
        return self._choices.texts[place] if 0 <= place < len(self._choices.texts) else None

    def scorers(self) -> list[str]:
        """Return the names of the checked scorers."""
        return [name for name, row in self.rows.items() if row.check.isChecked()]

    def add_words(self, path: Path) -> None:
        """Read and check one's own word list."""
        check_words(path).start(self._jobs, on_done=self._add_scorer, on_error=self._say)

    def wanted(self) -> "MeasureOptions | None":
        """Return the measurement that is chosen; None while something is missing."""
        texts = self.texts
        if texts is None or not self.group.currentData() or not self.scorers():
            return None
        group, second = self.group.currentData(), self.second.currentData() or ""
        options = asked_for(texts, self.scorers(), group, second, self._choices.asked)
        whose = self.writers.whose
        return whose.of(options) if whose is not None else options

    # what is shown

    def _show_texts(self) -> None:
        texts, asked = self.texts, self._choices.asked.columns
        self.writers.show_writers(texts.writers if texts else NOBODY)
        for box, first, field in ((self.group, "", GROUP), (self.second, tr("nothing else"), SECOND)):
            box.clear()
            if first:
                box.addItem(first, "")
            for grouping in texts.groupings if texts else ():
                box.addItem(safe_line(grouping.title), grouping.column)
            box.setCurrentIndex(max(0, box.findData(asked.get(field, GROUP if field == GROUP else ""))))
        self._show_groups()

    def _show_groups(self) -> None:
        texts = self.texts
        groupings = {grouping.column: grouping for grouping in texts.groupings} if texts else {}
        group, second = groupings.get(self.group.currentData()), groupings.get(self.second.currentData())
        descriptions = [_groups_told(grouping) for grouping in (group, second) if grouping is not None]
        if group is not None and second is not None and group.column != second.column:
            descriptions.append(tr("Both are also crossed."))
        none = tr("These texts have no column with two groups or more: nothing can be compared.")
        self.groups.setText(
            " ".join(descriptions) if descriptions else none if texts else tr("There are no texts yet.")
        )
        self._allow()

    def _add_scorer(self, info: "ScorerInfo") -> None:
        if not self.isVisible():
            return
        self.notice.hide()
        row = self.rows.get(info.name)
        if row is None:
            row = self._add_row(info)
        row.check.setChecked(True)
        self.sheet.ensureWidgetVisible(row)

    def _say(self, error: "AppError") -> None:
        self.notice.text.setText(safe_line(" ".join(part for part in (error.message, error.hint) if part)))
        self.notice.show()

    def _allow(self) -> None:
        same = self.group.currentData() and self.group.currentData() == self.second.currentData()
        why = ""
        if not self.group.currentData():
            why = tr("Choose what the texts are grouped by.")
        elif same:
            why = tr("Choose two different columns.")
        elif not self.scorers():
            why = tr("Check a scorer first.")
        self.go.setEnabled(not why)
        self.go.setToolTip(safe_tip(why))
        self.go.setAccessibleDescription(why)
        self.why.setText(why)

    def _go(self) -> None:
        wanted = self.wanted()
        if wanted is not None:
            self.accept()
            self._on_wanted(wanted)

    # the widgets

    def _make_widgets(self) -> None:
        self.cancel, self.go = QuietButton(tr("Cancel")), PrimaryButton(tr("Score and compare"))
        self.study, self.group, self.second = ComboBox(), ComboBox(), ComboBox()
        for box, name in zip(
            (self.study, self.group, self.second), (tr("Texts"), tr("Grouped by"), tr("And by")), strict=True
        ):
            box.setAccessibleName(name)
        for choice in self._choices.texts:
            count = tr("{title} ({n} texts)").format(title=choice.title, n=digits.count(choice.texts))
            self.study.addItem(safe_line(count), choice.study)
        wanted = self._choices.asked.texts_of or STUDY
        self.study.setCurrentIndex(max(0, self.study.findData(wanted)) if self._choices.texts else -1)
        self.study.activated.connect(lambda _: self._show_texts())
        for box in (self.group, self.second):
            box.activated.connect(lambda _: self._show_groups())
        self.writers = GeneratorChoice()
        self.groups, self.why = Label("", "note", wrap=True), Label("", "soft", wrap=True)
        self.notice = Notice("", tone="warn", closable=False, narrow=True)
        self.notice.hide()
        self.sheet = Sheet()
        self.rows: dict[str, ScorerRow] = {}
        for info in self._choices.scorers:
            self._add_row(info)
        before = self._choices.asked.scorers.get("score", "")
        names = before.split(",") if before else self._choices.usual
        for name, row in self.rows.items():
            row.check.setChecked(name in names and row.check.isEnabled())
        self.words = QuietButton(tr("Add a word list…"))
        self.words.setToolTip(tr("A text file with a word to a line, or a list in categories as a toml file"))
        self.words.clicked.connect(self._ask_words)
        self.cancel.clicked.connect(self.reject)
        self.go.clicked.connect(self._go)
        self.go.setDefault(True)

    def _add_row(self, info: "ScorerInfo") -> ScorerRow:
        row = self.rows[info.name] = ScorerRow(ScorerLine(info, 0, 0, needed=False))
        row.count.hide()
        row.check.toggled.connect(lambda _: self._allow())
        self.sheet.box.insertWidget(2 * len(self.rows) - 2, row)
        self.sheet.box.insertWidget(2 * len(self.rows) - 1, hairline())
        return row

    def _lay_out(self) -> None:
        tokens = theme.current()
        box = QVBoxLayout(self)
        box.setContentsMargins(tokens.margin, tokens.margin, tokens.margin, tokens.margin)
        box.setSpacing(tokens.grid)
        about = tr("What the scorers say of the texts, group against group, with interval, floor and adjusted p.")
        box.addWidget(Label(about, "soft", wrap=True))
        row = QHBoxLayout()
        row.setSpacing(tokens.grid)
        for words, chosen in (("", self.study), (tr("by"), self.group), (tr("and"), self.second)):
            if words:
                row.addWidget(Label(words))
            row.addWidget(chosen, 2 if chosen is self.study else 1)
        box.addLayout(row)
        box.addWidget(self.groups)
        box.addWidget(self.writers)
        self.sheet.box.setSpacing(2)
        self.sheet.box.addStretch(1)
        head = QHBoxLayout()
        head.addWidget(Label(tr("Scorers"), "strong"))
        head.addStretch(1)
        head.addWidget(self.words)
        box.addLayout(head)
        box.addWidget(self.notice)
        box.addWidget(self.sheet, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(tokens.grid)
        buttons.addWidget(self.why, 1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.go)
        box.addLayout(buttons)

    def _ask_words(self) -> None:
        kinds = tr("Word lists ({pattern})").format(pattern="*.txt *.toml")
        name, _ = QFileDialog.getOpenFileName(self, tr("Add a word list"), "", kinds)
        if name:
            self.add_words(Path(name))


def _groups_told(one: GroupingColumn) -> str:
    """Return a group with its counts: "Gender: woman (60), man (60)."."""
    shown = list(one.groups.items())[:MOST_SHOWN]
    named = [f"{name.replace('_', ' ')} ({digits.count(n)})" for name, n in shown]
    left: Sequence[str] = (tr("and others"),) if len(one.groups) > MOST_SHOWN else ()
    return f"{one.title}: {tr(', ').join([*named, *left])}."

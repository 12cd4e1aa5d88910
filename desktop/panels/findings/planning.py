"""The dialog that locks an analysis plan: findings of interest with margins, level, number of texts, exclusions."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QFileDialog, QLineEdit, QSpinBox, QWidget

from biasprint.core.errors import AppError
from biasprint.core.project.project import Project
from biasprint.core.report.planned import AnalysisPlan, PlanLock
from biasprint.core.runs.analysis_plan import plan_text
from biasprint.desktop import theme
from biasprint.desktop.jobs import JobRunner
from biasprint.desktop.operations.measuring import PlanChoices, lock_analysis_plan, read_plan_file, save_plan_file
from biasprint.desktop.widgets import FlowLayout, Label, Notice, PrimaryButton, QuietButton, tr
from biasprint.desktop.widgets.choice import CheckBox
from biasprint.desktop.widgets.events import guard_wheel
from biasprint.desktop.widgets.labels import hidden, named, show_if
from biasprint.desktop.widgets.layout import STRETCH, Dialog, Sheet, add_to, fitting, grid_of, in_column, in_row
from biasprint.desktop.widgets.safe_text import as_given, safe_line

SIZE = (760, 720)  # text pixels
MOST_TEXTS, LARGEST_MARGIN = 10_000_000, 1_000_000.0
EXCLUSIONS = {
    "refusals": "Refusals",
    "cut texts": "Texts cut at the limit",
    "duplicates": "Exact duplicates",
}  # rule → its words


class PlannedFindingRow(QWidget):
    """A finding that can be planned: whether it is, its name, which may be narrowed, and its margin."""

    def __init__(self, name: str, ask: str) -> None:
        super().__init__()
        self.check = CheckBox(safe_line(tr(ask or name)).replace("&", "&&"))
        self.name = named(QLineEdit(name), tr("Finding"))
        self.margin = QDoubleSpinBox(minimum=0, maximum=LARGEST_MARGIN, decimals=3, singleStep=0.05)
        self.margin.setSpecialValueText(tr("no margin"))
        self.margin.setAccessibleName(tr("Margin"))
        self.margin.setToolTip(tr("The smallest difference that matters; of a ratio a factor above 1, such as 1.25"))
        guard_wheel(self.margin)
        row = in_row((self.name, 1), self.margin, margins=(theme.current().px(26), 0, 0, 0))
        in_column(self.check, row, inside=self, spacing=2, margins=0)
        self.check.toggled.connect(self._allow)
        self._allow(False)

    def _allow(self, planned: bool) -> None:
        self.name.setEnabled(planned)
        self.margin.setEnabled(planned)


class AnalysisPlanDialog(Dialog):
    """The dialog. `on_locked` is called once a plan is locked."""

    def __init__(
        self,
        parent: QWidget,
        jobs: JobRunner,
        project: Project,
        choices: PlanChoices,
        on_locked: Callable[[PlanLock], object],
    ) -> None:
        super().__init__(parent, tr("Analysis plan"))
        self._jobs, self._project, self._choices, self._on_locked = jobs, project, choices, on_locked
        self._text_of_file = ""
        self._make_widgets()
        self._lay_out()
        self._fill(choices.margins, choices.texts, choices.level, choices.exclusions)
        self._allow()
        self.resize(fitting(parent, *SIZE))

    def text(self) -> str:
        """Return the plan as a file: the one that was opened, else as it is filled in."""
        if self._text_of_file:
            return self._text_of_file
        return plan_text(
            self._choices.study,
            [
                (row.check.text(), row.name.text().strip(), row.margin.value() or None)
                for row in self.rows
                if row.check.isChecked()
            ],
            texts=self.texts.value() or None,
            exclusions=[rule for rule, box in self.exclusions.items() if box.isChecked()],
            level=self.level.value(),
        )

    def open_file(self, path: Path) -> None:
        """Take the plan of a file, which is locked as it is."""
        read_plan_file(path=path).start(
            self._jobs, on_done=lambda read: self._show_file(path, *read), on_error=self._say
        )

    def save_file(self, path: Path) -> None:
        save_plan_file(text=self.text(), path=path).start(self._jobs, on_error=self._say)

    def lock(self) -> None:
        """Lock the plan; what is wrong with it is said here, and nothing is closed."""
        self.go.setEnabled(False)
        lock_analysis_plan(project=self._project, text=self.text()).start(
            self._jobs, on_done=self._done, on_error=self._say
        )

    def _done(self, locked: PlanLock) -> None:
        self.accept()
        self._on_locked(locked)

    def _say(self, error: AppError) -> None:
        self.notice.text.setText(safe_line(" ".join(part for part in (error.message, error.kept, error.hint) if part)))
        self.notice.show()
        self._allow()

    def _show_file(self, path: Path, plan: AnalysisPlan, text: str) -> None:
        self._text_of_file = text
        self.notice.hide()
        self._fill(
            {entry.finding: entry.margin for entry in plan.findings}, plan.texts or 0, plan.level, plan.exclusions
        )
        for part in (self.form, *self.rows):
            part.setEnabled(False)
        self.from_file.setText(tr("“{name}” is locked as it is, with its own hash.").format(name=as_given(path.name)))
        show_if(self.from_file, True)
        self._allow()

    def _fill(self, margins: dict[str, float | None], texts: int, level: float, exclusions: tuple[str, ...]) -> None:
        for name in margins:
            if not any(row.name.text() == name for row in self.rows):
                self._add_row(name, "")
        for row in self.rows:
            row.check.setChecked(row.name.text() in margins)
            row.margin.setValue(margins.get(row.name.text()) or 0)
        self.texts.setValue(texts)
        self.level.setValue(level)
        for rule, box in self.exclusions.items():
            box.setChecked(rule in exclusions)

    def _allow(self) -> None:
        self.go.setEnabled(any(row.check.isChecked() for row in self.rows))
        self.go.setToolTip("" if self.go.isEnabled() else tr("Check a finding of interest first."))

    # the widgets

    def _make_widgets(self) -> None:
        self.sheet, self.form = Sheet(), QWidget()
        self.rows: list[PlannedFindingRow] = []
        for name, ask in self._choices.offers:
            self._add_row(name, ask)
        self.texts = QSpinBox(minimum=0, maximum=MOST_TEXTS)
        self.texts.setSpecialValueText(tr("not said"))
        self.level = QDoubleSpinBox(minimum=0.001, maximum=0.5, decimals=3, singleStep=0.01)
        self.level.setToolTip(tr("An adjusted p up to this shows a difference"))
        for field, words in ((self.texts, tr("Number of texts")), (self.level, tr("Level"))):
            field.setAccessibleName(tr(words))
            guard_wheel(field)
        self.exclusions = {rule: QCheckBox(tr(words)) for rule, words in EXCLUSIONS.items()}
        self.notice = hidden(Notice("", tone="warn", closable=False))
        self.from_file = hidden(Label("", "strong", wrap=True))
        self.opening, self.saving = QuietButton(tr("From a file…")), QuietButton(tr("Save as a file…"))
        self.cancel, self.go = QuietButton(tr("Cancel"), act=self.reject), PrimaryButton(tr("Lock the plan"))
        self.opening.clicked.connect(self._ask_file)
        self.saving.clicked.connect(self._ask_target)
        self.go.clicked.connect(self.lock)
        self.go.setDefault(True)

    def _add_row(self, name: str, ask: str) -> None:
        row = PlannedFindingRow(name, ask)
        row.check.toggled.connect(lambda _: self._allow())
        self.sheet.box.insertWidget(len(self.rows), row)
        self.rows.append(row)

    def _lay_out(self) -> None:
        tokens, choices = theme.current(), self._choices
        box = in_column(inside=self, spacing=tokens.grid, margins=tokens.margin)
        box.addWidget(Label(tr("Analysis plan: {study}").format(study=safe_line(choices.title)), "title"))
        about = tr(
            "What matters is written down and stored with its hash and the time. It is never replaced: another lock "
            "adds a row. Reports begin with what was planned and call everything else exploratory."
        )
        box.addWidget(Label(about, "soft", wrap=True))
        for sentence in choices.state:
            box.addWidget(Label(safe_line(sentence), "note", wrap=True))
        now = Notice(tr("Locked now, it says: {known}").format(known=choices.known), closable=False)
        if choices.late:
            now = Notice(tr("Locked now, it says: {known}").format(known=choices.known), tone="warn", closable=False)
        add_to(box, now, Label(tr("Findings of interest, each with the smallest difference that matters"), "strong"))
        box.addWidget(self.sheet, 1)
        self.sheet.box.addStretch(1)
        grid = grid_of(self.form, across=tokens.grid, stretch=None)
        for column, (words, field) in enumerate(((tr("Number of texts"), self.texts), (tr("Level"), self.level))):
            label = Label(words, "strong")
            label.setBuddy(field)
            grid.addWidget(label, 0, column)
            grid.addWidget(field, 1, column)
        left_out = FlowLayout(*self.exclusions.values(), spacing=tokens.gap)
        grid.addWidget(Label(tr("Left out of measuring"), "strong"), 0, 2)
        grid.addLayout(left_out, 1, 2)
        grid.setColumnStretch(2, 1)
        add_to(box, self.form, self.from_file, self.notice)
        box.addLayout(in_row(self.opening, self.saving, STRETCH, self.cancel, self.go, spacing=tokens.grid))

    def _ask_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, tr("Analysis plan"), "", tr("Analysis plans ({pattern})").format(pattern="*.toml")
        )
        if name:
            self.open_file(Path(name))

    def _ask_target(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, tr("Save the analysis plan"), "plan.toml", "*.toml")
        if name:
            self.save_file(Path(name).with_suffix(".toml"))

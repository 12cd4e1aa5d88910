"""The exports: findings, judgments, reports, evidence packs, audit files; and LLM Comparator’s judgments read.

The dialog that asks for any score by any group: of which texts, grouped by what, and by which scorers.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from biasprint.core.draw import digits
from biasprint.core.errors import AppError
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.studies.kit.declared import MeasureOptions
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
from biasprint.desktop.operations.studies import (
    ENDINGS,
    REPORT_ENDINGS,
    SignedFolder,
    bring_in_judgments,
    make_evidence_pack,
    save_audit,
    save_findings,
    save_judgments,
    save_study_report,
    verify_evidence_pack,
)
from biasprint.desktop.panels.measuring import GeneratorChoice, ScorerRow
from biasprint.desktop.shell import Command, Shell
from biasprint.desktop.widgets import Label, Notice, PrimaryButton, QuietButton, hairline, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.events import open_below
from biasprint.desktop.widgets.layout import STRETCH, Dialog, Sheet, add_to, fitting, in_column, in_row
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip
from biasprint.desktop.wording.findings import FindingLine, Measurement
from biasprint.desktop.wording.generators import NOBODY

WIDTH, HEIGHT = 720, 640  # text pixels
MOST_SHOWN = 6  # groups that are named
PACK = "pack"  # of the notice that says what was signed
COMPARATOR = "json"  # the ending of LLM Comparator's files


class CompareDialog(Dialog):
    """The dialog; `on_wanted` receives the measurement to make."""

    def __init__(
        self,
        parent: QWidget,
        jobs: JobRunner,
        choices: CompareChoices,
        on_wanted: Callable[[MeasureOptions], object],
    ) -> None:
        super().__init__(parent, tr("Compare any score by any group"))
        self._jobs, self._choices, self._on_wanted = jobs, choices, on_wanted
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

    def wanted(self) -> MeasureOptions | None:
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
                box.addItem(safe_line(tr(grouping.title)), grouping.column)
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

    def _add_scorer(self, info: ScorerInfo) -> None:
        if not self.isVisible():
            return
        self.notice.hide()
        row = self.rows.get(info.name)
        if row is None:
            row = self._add_row(info)
        row.check.setChecked(True)
        self.sheet.ensureWidgetVisible(row)

    def _say(self, error: AppError) -> None:
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
        self.go.setToolTip(safe_tip(tr(why)))
        self.go.setAccessibleDescription(tr(why))
        self.why.setText(why)

    def _go(self) -> None:
        wanted = self.wanted()
        if wanted is not None:
            self.accept()
            self._on_wanted(wanted)

    # the widgets

    def _make_widgets(self) -> None:
        self.cancel, self.go = QuietButton(tr("Cancel"), act=self.reject), PrimaryButton(tr("Score and compare"))
        self.study, self.group, self.second = ComboBox(), ComboBox(), ComboBox()
        for box, name in zip(
            (self.study, self.group, self.second), (tr("Texts"), tr("Grouped by"), tr("And by")), strict=True
        ):
            box.setAccessibleName(tr(name))
        for choice in self._choices.texts:
            count = tr("{title} ({n} texts)").format(title=choice.title, n=digits.count(choice.texts))
            self.study.addItem(safe_line(tr(count)), choice.study)
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
        self.words = QuietButton(tr("Add a word list…"), act=self._ask_words)
        self.words.setToolTip(tr("A text file with a word to a line, or a list in categories as a toml file"))
        self.go.clicked.connect(self._go)
        self.go.setDefault(True)

    def _add_row(self, info: ScorerInfo) -> ScorerRow:
        row = self.rows[info.name] = ScorerRow(ScorerLine(info, 0, 0, needed=False))
        row.count.hide()
        row.check.toggled.connect(lambda _: self._allow())
        self.sheet.box.insertWidget(2 * len(self.rows) - 2, row)
        self.sheet.box.insertWidget(2 * len(self.rows) - 1, hairline())
        return row

    def _lay_out(self) -> None:
        tokens = theme.current()
        about = tr("What the scorers say of the texts, group against group, with interval, floor and adjusted p.")
        box = in_column(Label(about, "soft", wrap=True), inside=self, spacing=tokens.grid, margins=tokens.margin)
        row = in_row(spacing=tokens.grid)
        for words, chosen in (("", self.study), (tr("by"), self.group), (tr("and"), self.second)):
            if words:
                row.addWidget(Label(words))
            row.addWidget(chosen, 2 if chosen is self.study else 1)
        add_to(box, row, self.groups, self.writers)
        add_to(self.sheet.box, STRETCH, spacing=2)
        add_to(box, in_row(Label(tr("Scorers"), "strong"), STRETCH, self.words), self.notice, (self.sheet, 1))
        box.addLayout(in_row((self.why, 1), self.cancel, self.go, spacing=tokens.grid))

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


class Saving:
    """The exports: asks for a path and writes. `parent`: the parent of its dialogs; `shown`: the visible findings."""

    def __init__(self, shell: Shell, parent: QWidget, shown: Callable[[], Sequence[FindingLine]]) -> None:
        self._shell, self._parent, self._shown = shell, parent, shown
        self._whole = True  # are reports to end with all findings?

    def commands(self, measurements: Sequence[Measurement]) -> list[Command]:
        """Return the commands for the findings that are shown, and for these studies."""

        def some() -> bool:
            return bool(self._shown())

        def there() -> bool:
            return self._shell.project is not None

        def writable() -> bool:
            return self._shell.project is not None and not self._shell.project.read_only

        reports = [
            Command(
                tr("Save a report: {study}…").format(study=tr(measurement.title)),
                partial(self.ask_report, measurement.study),
                "",
                partial(bool, measurement.measured_at),
            )
            for measurement in measurements
        ]
        return [
            Command(tr("Export the findings shown…"), self.ask_findings, "", some),
            *reports,
            Command(tr("Save as audit file…"), self.ask_audit, "", there),
            *self.pack_commands(measurements),
            Command(tr("Export the judgments…"), self.ask_judgments, "", there),
            Command(tr("Bring in judgments from LLM Comparator…"), self.ask_comparator, "", writable),
        ]

    def pack_commands(self, measurements: Sequence[Measurement]) -> list[Command]:
        """Return the commands that make an evidence pack, with or without the texts, and that verify one."""

        def measured() -> bool:
            return self._shell.project is not None and any(measurement.measured_at for measurement in measurements)

        hashes, texts = partial(self.ask_pack, whole=False), partial(self.ask_pack, whole=True)
        return [
            Command(tr("Evidence pack with hashes of the texts…"), hashes, "", measured),
            Command(tr("Evidence pack with the texts…"), texts, "", measured),
            Command(tr("Verify an evidence pack…"), self.ask_to_verify, "", lambda: True),
        ]

    def offer_packs(self, measurements: Sequence[Measurement], below: QWidget) -> QMenu:
        return open_below(self._menu_of(self.pack_commands(measurements)), below)

    def offer_reports(self, measurements: Sequence[Measurement], below: QWidget) -> QMenu | None:
        """Ask which study to report, and whether to append all findings; then ask for the path."""
        measured = [measurement for measurement in measurements if measurement.measured_at]
        if not measured:
            self._shell.notify(tr("Nothing has been measured yet. Measure a study, then save its report."))
            return None
        menu = QMenu(self._parent)
        for measurement in measured:
            menu.addAction(tr(f"{measurement.title}…"), partial(self.ask_report, measurement.study))
        menu.addSeparator()
        whole = menu.addAction(tr("End with the list of all findings"))
        whole.setCheckable(True)
        whole.setChecked(self._whole)
        whole.toggled.connect(self._set_whole)
        return open_below(menu, below)

    def _set_whole(self, whole: bool) -> None:
        self._whole = whole

    def menu(self, measurements: Sequence[Measurement]) -> QMenu:
        return self._menu_of(self.commands(measurements))

    def _menu_of(self, commands: Sequence[Command]) -> QMenu:
        menu = QMenu(self._parent)
        for command in commands:
            action = menu.addAction(command.title, command.run)
            action.setEnabled(command.enabled())
        return menu

    def ask_findings(self) -> None:
        if path := self._target(tr("Export the findings shown"), "findings", ENDINGS):
            self.save_findings(path)

    def save_findings(self, path: Path) -> None:
        """Write the findings that are shown, in their order."""
        save_findings(lines=self._shown(), path=path).start(self._shell.jobs)

    def ask_judgments(self) -> None:
        if path := self._target(tr("Export the judgments"), "judgments", (*ENDINGS, COMPARATOR)):
            self.save_judgments(path)

    def save_judgments(self, path: Path) -> None:
        """Write the judgments as a table; with the ending json, as files for LLM Comparator's viewer."""
        if self._shell.project is not None:
            save_judgments(project=self._shell.project, path=path).start(
                self._shell.jobs, on_error=self._shell.show_error
            )

    def ask_report(self, study: str) -> None:
        if path := self._target(tr("Save the report"), f"report-{study}", REPORT_ENDINGS):
            self.save_report(study, path)

    def save_report(self, study: str, path: Path) -> None:
        if self._shell.project is not None:
            save_study_report(project=self._shell.project, study=study, path=path, whole=self._whole).start(
                self._shell.jobs, on_error=self._shell.show_error
            )

    def ask_audit(self) -> None:
        if path := self._target(tr("Save as audit file"), "audit", ("toml",)):
            self.save_audit(path)

    def save_audit(self, path: Path) -> None:
        """Write the prompts, generators and measures of the project for “biasprint run”."""
        if self._shell.project is not None:
            save_audit(project=self._shell.project, path=path).start(self._shell.jobs, on_error=self._shell.show_error)

    def ask_pack(self, *, whole: bool) -> None:
        if self._shell.project is not None:
            name = f"{self._shell.project.path.stem}-evidence"
            chosen, _ = QFileDialog.getSaveFileName(self._parent, tr("A new folder for the evidence pack"), name)
            if chosen:
                self.make_pack(Path(chosen), whole=whole)

    def make_pack(self, folder: Path, *, whole: bool) -> None:
        if self._shell.project is not None:
            made = make_evidence_pack(project=self._shell.project, folder=folder, whole=whole)
            made.start(self._shell.jobs, on_done=self._show_signed, on_error=self._shell.show_error)

    def ask_to_verify(self) -> None:
        if chosen := QFileDialog.getExistingDirectory(self._parent, tr("The folder of an evidence pack")):
            self.verify_pack(Path(chosen))

    def verify_pack(self, folder: Path) -> None:
        verified = verify_evidence_pack(folder=folder)
        verified.start(self._shell.jobs, on_done=self._show_signed, on_error=self._shell.show_error)

    def _show_signed(self, signed: SignedFolder) -> None:
        notice = Notice(safe_line(signed.said), tone="ok", more=safe_line(signed.more))
        notice.add_action(tr("Copy the fingerprint"), lambda: QGuiApplication.clipboard().setText(signed.fingerprint))
        self._shell.show_notice(notice, key=PACK)

    def ask_comparator(self) -> None:
        kinds = tr("LLM Comparator ({pattern})").format(pattern=f"*.{COMPARATOR}")
        chosen, _ = QFileDialog.getOpenFileName(self._parent, tr("Bring in judgments"), "", kinds)
        if chosen:
            self.bring_in(Path(chosen))

    def bring_in(self, path: Path) -> None:
        if self._shell.project is not None:
            bring_in_judgments(project=self._shell.project, path=path).start(
                self._shell.jobs, on_error=self._shell.show_error
            )

    def _target(self, title: str, name: str, endings: Sequence[str]) -> Path | None:
        """Ask for a path with one of the endings; None if nothing was chosen."""
        kinds = ";;".join(
            tr("For LLM Comparator ({pattern})").format(pattern=f"*.{ending}")
            if ending == COMPARATOR
            else f"*.{ending}"
            for ending in endings
        )
        chosen, kind = QFileDialog.getSaveFileName(self._parent, title, f"{name}.{endings[0]}", kinds)
        if not chosen:
            return None
        path = Path(chosen)
        known = path.suffix.lower().lstrip(".") in endings
        wanted = kind.rpartition("*")[2].rstrip(")")
        return path if known else path.with_name(path.name + wanted)

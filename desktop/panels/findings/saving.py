"""The exports (findings, judgments, reports, the audit as a file), and the import of LLM Comparator judgments."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from biasprint.desktop.operations.studies import (
    ENDINGS,
    REPORT_ENDINGS,
    bring_in_judgments,
    save_audit,
    save_findings,
    save_judgments,
    save_study_report,
)
from biasprint.desktop.shell import Command, Shell
from biasprint.desktop.widgets import tr
from biasprint.desktop.widgets.events import open_below
from biasprint.desktop.wording.findings import FindingLine, Measurement

COMPARATOR = "json"  # the ending of LLM Comparator's files


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
                tr("Save a report: {study}…").format(study=measurement.title),
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
            Command(tr("Export the judgments…"), self.ask_judgments, "", there),
            Command(tr("Bring in judgments from LLM Comparator…"), self.ask_comparator, "", writable),
        ]

    def offer_reports(self, measurements: Sequence[Measurement], below: QWidget) -> QMenu | None:
        """Ask which study to report, and whether to append all findings; then ask for the path."""
        measured = [measurement for measurement in measurements if measurement.measured_at]
        if not measured:
            self._shell.notify(tr("Nothing has been measured yet. Measure a study, then save its report."))
            return None
        menu = QMenu(self._parent)
        for measurement in measured:
            menu.addAction(tr("{study}…").format(study=measurement.title), partial(self.ask_report, measurement.study))
        menu.addSeparator()
        whole = menu.addAction(tr("End with the list of all findings"))
        whole.setCheckable(True)
        whole.setChecked(self._whole)
        whole.toggled.connect(self._set_whole)
        return open_below(menu, below)

    def _set_whole(self, whole: bool) -> None:
        self._whole = whole

    def menu(self, measurements: Sequence[Measurement]) -> QMenu:
        menu = QMenu(self._parent)
        for command in self.commands(measurements):
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

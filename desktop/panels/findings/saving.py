"""The exports: findings, judgments, reports, evidence packs, audit files; and LLM Comparator’s judgments read."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

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
from biasprint.desktop.shell import Command, Shell
from biasprint.desktop.widgets import Notice, tr
from biasprint.desktop.widgets.events import open_below
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.wording.findings import FindingLine, Measurement

PACK = "pack"  # of the notice that says what was signed
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

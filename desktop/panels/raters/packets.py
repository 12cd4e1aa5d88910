"""Packets: written for raters into a folder, and merged file by file when they come back."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext, Progress
from biasprint.core.judging.packets.make import MadePacket
from biasprint.core.judging.packets.packet import MergedFile, MergeReport
from biasprint.core.project.project import Project
from biasprint.desktop import theme
from biasprint.desktop.jobs import JobHandle, JobState
from biasprint.desktop.operations.raters import Codes, codes_of, make_packets, merge_packets
from biasprint.desktop.operations.session import PACKET_SUFFIX, PAGE_SUFFIX, RESULTS
from biasprint.desktop.panels.raters.plans import PlansData, reader_of
from biasprint.desktop.panels.raters.quality import STUDY
from biasprint.desktop.panels.raters.section import RatersSection
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import (
    Button,
    Card,
    ElidedLabel,
    FlowLayout,
    Label,
    LinkButton,
    Notice,
    PrimaryButton,
    ProgressThin,
    plural,
    tr,
)
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.labels import show_if, show_words
from biasprint.desktop.widgets.layout import STRETCH, Gap, RowOrColumn, Sheet, add_to, grid_of
from biasprint.desktop.widgets.safe_text import as_given, safe_tip
from biasprint.desktop.widgets.small_table import TextTable
from biasprint.desktop.wording import raters as words

SAID = {
    "": (
        "One file for each rater, with the texts alone: nothing in it, nor its name, says what is compared. "
        "The rater opens it with this program, rates offline, presses Finish and sends it back."
    ),
    "html": (
        "One page for each rater, with the texts alone. The rater opens it in any browser, on a phone too, without a "
        "network; each answer is kept there and signed. They press Finish, save, and send the saved page back."
    ),
    "potato": (
        "A folder for a Potato server of your own, where raters log in with their codes. It has the texts alone, in "
        "each rater’s order; its README says how to start it. Bring the folder back afterwards."
    ),
    "label-studio": (
        "A file of tasks for each rater, with the texts alone, and the labelling interface for Label Studio; the "
        "README says where they go. Export each project as JSON afterwards, and bring the files back."
    ),
}
FIRST_RATERS = "3"  # offered where nobody has been named yet
PACKETS_FOLDER = "packets"  # beside the project, unless another is chosen
MOST_NAMED = 8  # codes in the preview; more are counted


class MakeCard(Card):
    """The form that writes packets. `made` carries them."""

    made = Signal(object)  # tuple of MadePacket

    def __init__(self, shell: Shell) -> None:
        super().__init__(tr("Make packets"))
        self._shell = shell
        self._data: PlansData | None = None
        self._handle: JobHandle | None = None
        self._folder: Path | None = None
        self._offered = False
        self._wanted = ""
        self.plan = ComboBox()
        self.tool = ComboBox()  # what raters judge with
        for key, title in words.TOOLS.items():
            self.tool.addItem(tr(title), key)
        self.whom = QLineEdit(placeholderText=tr("3, or codes such as R07, R08"), maxLength=4000)
        self.preview = Label("", "note", wrap=True)
        self.folder = ElidedLabel(tr("no folder chosen"), "soft")
        self.choose = Button(tr("Choose a folder…"), icon="folder", act=self.ask_folder)
        self.make = PrimaryButton(tr("Make packets"), act=self.start)
        self._lay_out()
        self.whom.textChanged.connect(lambda _: self._show())
        self.whom.textEdited.connect(lambda _: self._want_none())
        self.whom.returnPressed.connect(self.start)
        for box in (self.plan, self.tool):
            box.currentIndexChanged.connect(lambda _: self._show())
        self._show()

    def show_plans(self, data: PlansData) -> None:
        """Offer the plans that can be sent, and keep the current choice."""
        self._data, before = data, self.plan.currentData()
        project = self._shell.project
        if self._folder is None and project is not None:
            self.set_folder(project.path.parent / PACKETS_FOLDER)
        with QSignalBlocker(self.plan):
            self.plan.clear()
            for plan in data.plans:
                if not plan.workshop:
                    self.plan.addItem(words.plan_title(plan), plan.id)
            wanted, self._wanted = self._wanted, ""
            place = self.plan.findData(wanted or before)
            self.plan.setCurrentIndex(place if place >= 0 else self.plan.count() - 1)
        if not self._offered and self.plan.count():  # once: whoever empties the field means it
            self._offered = True
            self.whom.setText(self.whom.text() or FIRST_RATERS)
        self._name_raters(wanted)
        self._show()

    def choose_plan(self, plan_id: str) -> None:
        place = self.plan.findData(plan_id)
        if place >= 0:
            self.plan.setCurrentIndex(place)
        self._wanted = plan_id  # it, or a round of it, may have been drawn a moment ago: the plans are being read
        self._name_raters(plan_id)
        self.whom.setFocus()
        self.whom.selectAll()

    def _want_none(self) -> None:
        self._wanted = ""

    def _name_raters(self, plan_id: str) -> None:
        """Name those who had the earlier rounds of a plan: the later one goes to them."""
        for plan in self._data.plans if self._data is not None else ():
            if plan.id == plan_id and plan.rounds > 1:
                away = [rater.code for rater in plan.raters if not rater.model and rater.where != "here"]
                self.whom.setText(", ".join(away) or self.whom.text())

    def forget(self) -> None:
        """Clear the plans and the packet folder of the last project."""
        self._data, self._folder, self._handle, self._offered = None, None, None, False
        self.plan.clear()
        self.whom.clear()
        self.folder.set_text(tr("no folder chosen"))
        self._show()

    def codes(self) -> Codes:
        return codes_of(self.whom.text(), self._data.codes if self._data is not None else ())

    def ask_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, tr("Where the packets go"))
        if chosen:
            self.set_folder(Path(chosen))

    def set_folder(self, folder: Path) -> None:
        self._folder = folder
        self.folder.set_text(as_given(str(folder)))
        self._show()

    def start(self) -> None:
        """Write the packets if the form is complete."""
        project, folder, plan = self._shell.project, self._folder, self.plan.currentData()
        if project is None or folder is None or not self.make.isEnabled():
            return
        made = make_packets(
            project=project, plan_id=plan, codes=self.codes().codes, folder=folder, tool=self.tool.currentData() or None
        )
        self._handle = made.start(self._shell.jobs, on_done=self._done, on_error=self._shell.show_error)
        self._handle.changed.connect(self._show)
        self._show()

    def _done(self, made: tuple[MadePacket, ...]) -> None:
        self._wanted = ""
        self.whom.clear()
        self.made.emit(made)
        self._show()

    def _show(self) -> None:
        typed, busy = self.codes(), self._handle is not None and self._handle.active
        project = self._shell.project
        show_words(self.preview, self._why_none() or typed.trouble or _preview(typed.codes, self._data))
        ready = bool(typed.codes) and self._folder is not None and self.plan.currentData() is not None
        self.make.setEnabled(ready and not busy and project is not None and not project.read_only)
        self.make.set_text(tr("Making…") if busy else tr("Make packets"))
        read_only = project is not None and bool(project.read_only)
        why = tr("The project is open read-only.") if read_only else ""
        self.make.setToolTip(safe_tip(why or ("" if ready else tr("Say for whom, and choose a folder."))))
        self.said.setText(tr(SAID[self.tool.currentData()]))
        for field in (self.plan, self.tool, self.whom, self.choose):
            field.setEnabled(not busy)

    def _why_none(self) -> str:
        """Return why there is no plan to send; empty if there is one, or if that is not known yet."""
        if self._data is None or self.plan.count():
            return ""
        return tr("There is no plan to send yet: draw comparisons under Judge first. A workshop’s are made in it.")

    def _lay_out(self) -> None:
        tokens = theme.current()
        self.said = Label("", "soft", wrap=True)
        form = grid_of()
        place = QWidget()
        FlowLayout(self.choose, inside=place, spacing=tokens.grid, centred=True)
        fields: tuple[tuple[str, QWidget], ...] = (
            (tr("Plan"), self.plan),
            (tr("For whom"), self.whom),
            (tr("Judged in"), self.tool),
            (tr("Folder"), place),
            ("", self.folder),
        )
        for number, (title, field) in enumerate(fields):
            if title:
                field.setAccessibleName(tr(title))
                form.addWidget(Label(title), number, 0)
            form.addWidget(field, number, 1)
        for box in (self.plan, self.tool):
            box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.choose.setAccessibleName(tr("Choose a folder for the packets"))
        add_to(self.box, self.said, Gap(tokens.grid), form, self.preview, Gap(tokens.grid))
        self.box.addLayout(FlowLayout(self.make, spacing=tokens.grid))


class MadeCard(Card):
    """The packets that were written, and their folder. Hidden until there are some."""

    def __init__(self) -> None:
        super().__init__(tr("Packets to send"))
        self.folder = ElidedLabel("", "soft")
        self.view = TextTable(tr("Packets to send"), words.made_columns(), tall=True)
        self.open = Button(tr("Show the folder"), icon="folder", act=self.show_folder)
        self._folder: Path | None = None
        self.said = Label("", "soft", wrap=True)
        add_to(self.box, self.said, self.folder, self.view, FlowLayout(self.open, spacing=theme.current().grid))
        self.hide()

    def show_made(self, made: tuple[MadePacket, ...]) -> None:
        self._folder = made[0].path.parent if made else None
        self.folder.set_text(str(self._folder or ""))
        self.view.show_rows(words.made_rows(made))
        packets = all(packet.path.suffix in (PACKET_SUFFIX, PAGE_SUFFIX) for packet in made)
        here = tr("Send each rater the file with their code, and no other.")
        self.said.setText(here if packets else tr("The README in the folder says what to do with these files."))
        self.setVisible(bool(made))

    def forget(self) -> None:
        self.show_made(())

    def show_folder(self) -> None:
        if self._folder is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folder)))


def _preview(codes: tuple[str, ...], data: PlansData | None) -> str:
    """Return whose packets these will be, and which of the codes are known already."""
    if not codes:
        return ""
    named = ", ".join(as_given(code) for code in codes[:MOST_NAMED])
    more = f" {tr('and {n} more').format(n=len(codes) - MOST_NAMED)}" if len(codes) > MOST_NAMED else ""
    preview = tr("{packets}: {codes}.").format(packets=plural(len(codes), "1 packet", "%n packets"), codes=named + more)
    known = [code for code in codes if data is not None and code in data.codes]
    if known:
        preview += " " + tr("Known raters, who get this plan as well: {codes}.").format(
            codes=", ".join(known[:MOST_NAMED])
        )
    return preview


# ---- Packets that come back

BESIDE_FROM = 740  # text pixels: narrower, the cards stand under each other


class MergeCard(Card):
    """The card that takes packet files; `merged` carries the report."""

    merged = Signal(object, bool)  # MergeReport, and whether unknown raters were taken in

    def __init__(self, shell: Shell) -> None:
        super().__init__(tr("Bring packets back"))
        self._shell = shell
        self._handle: JobHandle | None = None
        self._waiting: list[tuple[Path, ...]] = []
        explanation = tr(
            "Drop any number of packets and pages anywhere on this window, or choose them; from other tools Potato’s "
            "folder (its config.yaml), or Label Studio’s exports. Texts are checked against what was sent out; the "
            "files stay as they are. Nothing here is overwritten: what is here already counts once, and answers that "
            "conflict wait for your decision."
        )
        self.choose = PrimaryButton(tr("Choose packets…"), icon="folder", act=self.ask_files)
        self.progress = ProgressThin(tr("Merging packets"))
        self.state = Label("", "note", wrap=True)
        self.cancel = LinkButton(tr("Cancel"), act=lambda: self._handle and self._handle.cancel())
        buttons = FlowLayout(self.choose, self.cancel, spacing=theme.current().grid, centred=True)
        self.box.addWidget(Label(explanation, "soft", wrap=True))
        add_to(self.box, self.state, self.progress, Gap(theme.current().grid), buttons)
        self._show()

    def ask_files(self) -> None:
        patterns = (f"*{PACKET_SUFFIX}", *RESULTS)
        kinds = tr("Packets and results ({pattern})").format(pattern=" ".join(patterns))
        chosen, _ = QFileDialog.getOpenFileNames(self, tr("Choose packets"), "", kinds)
        if chosen:
            self.start([Path(name) for name in chosen])

    def start(self, paths: Sequence[Path], *, accepted: bool = False) -> None:
        """Merge these files; while others are being merged, they wait."""
        project, wanted = self._shell.project, tuple(dict.fromkeys(paths))
        if project is None or not wanted:
            return
        if project.read_only:
            self._shell.show_error(
                AppError(
                    tr("The project is open read-only: packets cannot be merged."),
                    kept=tr("The packets were not touched."),
                    hint=tr("Save a copy of the project where you may write, and merge there."),
                )
            )
            return
        if self._handle is not None and self._handle.active:
            if wanted not in self._waiting:
                self._waiting.append(wanted)
            return

        def done(report: MergeReport) -> None:
            self.merged.emit(report, accepted)

        merging = merge_packets(project=project, paths=wanted, accepted=accepted)
        # The window hears of an error even where this card is gone by then.
        self._handle = merging.start(
            self._shell.jobs, on_done=done, on_error=self._shell.show_error, on_progress=self._go_on
        )
        self._handle.changed.connect(self._changed)
        self._show()

    def forget(self) -> None:
        self._handle, self._waiting = None, []
        self._show()

    def _changed(self) -> None:
        """Follow the job, and start on the next files when it has ended."""
        self._show()
        if self._waiting and self._handle is not None and not self._handle.active:
            self.start(self._waiting.pop(0))

    def _go_on(self, progress: Progress) -> None:
        self.progress.set_progress(progress.done, progress.total)

    def _show(self) -> None:
        handle = self._handle
        busy = handle is not None and handle.active
        for part in (self.progress, self.cancel):
            show_if(part, busy)
        cancelled = handle is not None and handle.state is JobState.CANCELLED
        self.state.setText(
            tr("Cancelled. What was merged by then is kept; merging the same files again goes on.") if cancelled else ""
        )
        show_if(self.state, bool(self.state.text()))
        self.choose.setEnabled(not busy)


class ReportCard(Card):
    """The result of each merged file, one row each. Hidden until something was merged."""

    take_in = Signal(object)  # the paths of files by raters who are not known here
    decide = Signal()
    measure = Signal()

    def __init__(self) -> None:
        super().__init__(tr("What came back"))
        self.said = Label("", "strong", wrap=True)
        self.view = TextTable(tr("What came back"), words.merge_columns(), keep=words.MERGE_KEEP, wrap=True, tall=True)
        self.unknown = Notice("", tone="warn", closable=False)
        self.accept = self.unknown.add_action(tr("Take them in"), lambda: self.take_in.emit(self._unknown))
        self.held = Notice("", tone="warn", closable=False)
        self.merge_held = self.held.add_action(tr("Merge all the same"), lambda: self.take_in.emit(self._held))
        self.conflicts = Button(tr("Decide conflicts"), act=self.decide)
        self.measuring = PrimaryButton(tr("Measure"), icon="findings", act=self.measure)
        self.measuring.setToolTip(tr("Measure what came back, and see the findings."))
        self._report: MergeReport | None = None
        self._accepted: frozenset[Path] = frozenset()
        self._unknown: tuple[Path, ...] = ()
        self._held: tuple[Path, ...] = ()
        for part in (self.said, self.unknown, self.held, self.view):
            self.box.addWidget(part)
        self.box.addLayout(FlowLayout(self.measuring, self.conflicts, spacing=theme.current().grid))
        self.hide()

    def show_report(self, report: MergeReport, accepted: bool) -> None:
        """Show a report. With `accepted`, only the rows of accepted strangers replace those of the last report."""
        news = {(file.path, file.code): file for file in report.files}
        before = self._report.files if self._report is not None and accepted else ()
        files = tuple(news.pop((file.path, file.code), file) for file in before) + tuple(news.values())
        self._accepted = (self._accepted | {file.path for file in report.files}) if accepted else frozenset()
        self._report = report = replace(report, files=files)
        self.said.setText(words.report_words(report, self._accepted))
        self.view.show_rows(words.merge_rows(report, self._accepted))
        waiting = [file for file in files if not file.refused and not words.was_merged(file, self._accepted)]
        strangers = [file for file in waiting if file.unknown_rater]
        held = [file for file in waiting if not file.unknown_rater]
        self._unknown, self._held = (tuple(file.path for file in some) for some in (strangers, held))
        packets = plural(len(strangers), "1 packet is by a rater", "%n packets are by raters")
        self._tell(self.unknown, strangers, tr("{packets} this project does not know: {codes}."), packets)
        self._tell_held(held)
        show_if(self.conflicts, bool(report.conflicts))
        show_if(self.measuring, any(file.finished and words.was_merged(file, self._accepted) for file in files))
        self.show()

    def _tell_held(self, held: Sequence[MergedFile]) -> None:
        """Say which packets wait for a decision, and which of the two reasons each has."""
        said = []
        for reason, sentence in words.WAITING.items():
            if some := [file for file in held if file.held == reason]:
                packets = plural(len(some), "1 packet waits for your decision", "%n packets wait for your decision")
                said.append(tr(sentence).format(packets=packets, codes=_codes(some)))
        self.held.text.setText(" ".join(said))
        self.held.setAccessibleName(self.held.text.text())
        show_if(self.held, bool(held))

    @staticmethod
    def _tell(notice: Notice, files: Sequence[MergedFile], said: str, told: str) -> None:
        notice.text.setText(said.format(packets=told, codes=_codes(files)))
        notice.setAccessibleName(notice.text.text())
        show_if(notice, bool(files))

    def forget(self) -> None:
        self._report, self._accepted, self._unknown, self._held = None, frozenset(), (), ()
        self.view.show_rows(())
        for label in (self.said, self.unknown.text, self.held.text):
            label.clear()
        for notice in (self.unknown, self.held):
            notice.setAccessibleName("")
        self.hide()


def _codes(files: Sequence[MergedFile]) -> str:
    return ", ".join(dict.fromkeys(as_given(file.code) for file in files))


class PacketsSection(RatersSection):
    """The tab of packets, out and in."""

    concerns = frozenset({"plan", "rater", "axis_definition"})

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell, tr("Packets"))
        self.make, self.merge = MakeCard(shell), MergeCard(shell)
        self.made, self.report = MadeCard(), ReportCard()
        self.make.made.connect(self._show_made)
        self.merge.merged.connect(self._show_report)
        self.report.take_in.connect(lambda paths: self.merge.start(paths, accepted=True))
        self.report.decide.connect(lambda: self.go_to.emit("decisions"))
        self.report.measure.connect(lambda: shell.show_panel("findings", measure=STUDY))
        columns = RowOrColumn((self.make, 1), (self.merge, 1), least=BESIDE_FROM)
        self.sheet = Sheet(columns, self.report, self.made, STRETCH)
        self.add_page(self.sheet)

    def reading(self, project: Project) -> Callable[[JobContext], Any]:
        return reader_of(project)

    def show_data(self, data: PlansData) -> None:
        self.make.show_plans(data)
        self.pages.setCurrentWidget(self.sheet)

    def _show_made(self, made: tuple[MadePacket, ...]) -> None:
        self.made.show_made(made)
        self._bring_in_sight(self.made)

    def _show_report(self, report: MergeReport, accepted: bool) -> None:
        self.report.show_report(report, accepted)
        self._bring_in_sight(self.report)

    def _bring_in_sight(self, card: Card) -> None:
        """Scroll to a card once it is laid out."""
        QTimer.singleShot(0, card, lambda: self.sheet.verticalScrollBar().setValue(card.y() - theme.current().gap))

    def forget(self) -> None:
        self.make.forget()
        self.merge.forget()
        self.report.forget()
        self.made.forget()

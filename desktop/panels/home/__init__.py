"""Home panel (`HomePanel`): where a person begins or goes on."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent

from biasprint.core.jobs import JobContext, Progress
from biasprint.desktop import theme
from biasprint.desktop.dialogs.import_table import Opening, measure_and_see
from biasprint.desktop.dialogs.question import new_project, open_file
from biasprint.desktop.jobs import JobHandle
from biasprint.desktop.operations.first_look import FirstLook
from biasprint.desktop.operations.models import LanguageModels, read_writers
from biasprint.desktop.operations.session import SampleFacts, open_sample, open_workshop_set, sample_facts
from biasprint.desktop.panels.base import Panel
from biasprint.desktop.panels.home.doors import (
    COMPARED,
    DoorCard,
    ProjectFacts,
    RecentCard,
    RecentProject,
    audit_state,
    fingerprint_state,
    letter_state,
    look_up,
    rate_state,
    read_facts,
    texts_state,
    workshop_state,
)
from biasprint.desktop.panels.home.new_audit import NewAuditDialog, begin_audit
from biasprint.desktop.shell import Shell, see_findings
from biasprint.desktop.widgets import Card, Label, Notice, ProgressThin, QuietButton, tr
from biasprint.desktop.widgets.layout import STRETCH, RowOrColumn, Sheet, add_to, in_column, in_row
from biasprint.desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from biasprint.core.project.changes import Changes
    from biasprint.desktop.operations.prompts import TemplateChoice


class SampleCard(Card):
    """The sample, with the progress while it is prepared. The button comes first: the words arrive later."""

    wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Sample project"))
        self.holds = Label("", "", wrap=True)
        self.found = Label("", "", wrap=True)
        self.statement = Label("", "note", wrap=True)
        self.button = QuietButton(tr("Open the sample"), act=self.wanted)
        self.progress = ProgressThin(tr("Preparing the sample"))
        self.state = Label("", "note", wrap=True)
        head = in_row((Label(tr("Sample project"), "heading", wrap=True), 1), self.button)
        add_to(self.box, head, self.found, self.holds, self.statement, self.progress, self.state)
        self.set_preparing(None)

    def show_facts(self, facts: SampleFacts) -> None:
        holds = tr(
            "It holds {n} comparisons to rate, letters by the synthetic author, with a planted bias, and what this "
            "small model wrote, chose and judged."
        )
        self.holds.setText(holds.format(n=facts.comparisons))
        self.found.setText(safe_line(facts.found))
        self.statement.setText(safe_line(facts.statement))

    def set_preparing(self, handle: JobHandle | None) -> None:
        """Show that the sample is being prepared; None: it is not."""
        busy = handle is not None
        self.button.setEnabled(not busy)
        for widget in (self.progress, self.state):
            widget.setVisible(busy)
        self.progress.set_progress(0, None)
        self.state.setText(tr("It is being opened."))

    def show_progress(self, progress: Progress) -> None:
        self.progress.set_progress(progress.done, progress.total)


# Text pixels from which stand side by side: four doors, two of them, and the two cards below.
FOUR_FROM, TWO_FROM, SIDE_BY_SIDE_FROM = 932, 450, 712
COUNT_AGAIN_MILLISECONDS = 1_000


class HomePanel(Panel):
    """Home. Doors show what they need from the open project; without one, they use the sample."""

    key = "home"
    title = "Home"
    concerns = frozenset({"plan", "output", "source", "prompt_set", "finding", "session"})
    scrolls = True

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._facts: ProjectFacts | None = None
        self._writers: LanguageModels | None = None
        self._preparing: JobHandle | None = None
        self._opening = Opening(shell, self)

    # the panel's life

    def build(self) -> None:
        self.open_button = QuietButton(tr("Open…"), act=lambda: open_file(self.shell))
        self.new_button = QuietButton(tr("New project…"), icon="plus", act=lambda: new_project(self.shell))
        self.bring_button = QuietButton(tr("Import texts…"))
        self.bring_button.clicked.connect(self.shell.import_texts)
        for button in (self.open_button, self.bring_button, self.new_button):
            self.header.add_action(button)
        self.rate = DoorCard(
            tr("Rate outputs"),
            tr("Read texts side by side and say which is best. Whom each was written for stays hidden to the end."),
            "judge",
            self._go,
        )
        self.letter = DoorCard(
            tr("Check a letter"),
            tr("See which words of a reference letter to look at again, and which claims the CV does not bear out."),
            "letters",
            self._go,
        )
        self.texts = DoorCard(
            tr("Measure texts"),
            tr("Bring in letters, news, creative texts or fill-in-the-blank replies, and see what differs for whom."),
            "outputs",
            self._go,
        )
        self.fingerprint = DoorCard(
            tr("My fingerprint"),
            tr("Which texts you chose, axis by axis, beside what chance gives, and what so many comparisons can show."),
            "fingerprint",
            self._go,
        )
        self.audit = DoorCard(
            tr("Run an audit"),
            tr("Ask a generator for the same text on behalf of different people, and compare what it writes."),
            "generate",
            self._go,
        )
        self.workshop = DoorCard(
            tr("Lead a workshop"),
            tr("People take turns at this computer, and each sees what they chose; you see the group."),
            "raters",
            self._go,
        )
        self.recent = RecentCard()
        self.sample = SampleCard()
        self.recent.chosen.connect(self.shell.open_project)
        self.sample.wanted.connect(lambda: self._open_sample(None))
        self._count_again = QTimer(self, singleShot=True, interval=COUNT_AGAIN_MILLISECONDS)
        self._count_again.timeout.connect(self._count)
        self._lay_out()
        self.shell.settings.changed.connect(self._settings_changed)
        sample_facts().start(self.shell.jobs, on_done=self.sample.show_facts)

    def refresh(self) -> None:
        self._look_up_recent()
        self._count()

    def changed(self, changes: "Changes") -> None:
        """Count again at most once a second: counting whole tables ten times a second would be a waste."""
        if not self._count_again.isActive():
            self._count_again.start()

    def project_closed(self) -> None:
        self._facts = None

    def offer_tour(self, take: Callable[[], object]) -> None:
        """Offer the tour above everything, until it is taken or the offer is closed."""
        offer = Notice(tr("New here? A tour of three minutes shows where things are, on the sample."))
        offer.add_action(tr("Take the tour"), take).clicked.connect(offer.close)
        self._sheet.box.insertWidget(0, offer)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # What could write belongs to no project; it may have come or gone while another panel was seen.
        on_done, unsaid = self._show_writers, lambda _: None  # a damaged record is said where models are
        self.shell.jobs.start(tr("Generators"), read_writers, on_done=on_done, on_error=unsaid, quiet=True)

    def _show_writers(self, writers: LanguageModels) -> None:
        self._writers = writers
        self._show_facts(self._facts)

    # what stands on the doors

    def _count(self) -> None:
        project = self.project
        if project is None:
            self._show_facts(None)
            return

        def work(ctx: JobContext) -> ProjectFacts:
            return read_facts(ctx, project)

        def show(facts: ProjectFacts) -> None:
            if project is self.project:
                self._show_facts(facts)

        self.shell.jobs.start(tr("What the project has"), work, on_done=show, quiet=True)

    def _show_facts(self, facts: ProjectFacts | None) -> None:
        self._facts = facts
        read_only = self.project is not None and bool(self.project.read_only)
        preparing = self._preparing is not None
        self.rate.set_state(rate_state(facts, read_only=read_only, preparing=preparing))
        self.fingerprint.set_state(fingerprint_state(facts, read_only=read_only, preparing=preparing))
        self.letter.set_state(letter_state())
        self.workshop.set_state(workshop_state(facts, read_only=read_only))
        self.texts.set_state(texts_state(facts, read_only=read_only))
        self.audit.set_state(audit_state(facts, read_only=read_only, writers=self._writers))

    def _settings_changed(self, key: str) -> None:
        if key == "recent":
            self._look_up_recent()

    def _look_up_recent(self) -> None:
        paths = self.shell.settings.recent()
        known = {row.path: row for row in self.recent.rows}
        self.recent.show_projects([known.get(path) or RecentProject(path, None, looked_up=False) for path in paths])
        self.shell.jobs.start(
            tr("Recent projects"), lambda ctx: look_up(ctx, paths), on_done=self.recent.show_projects, quiet=True
        )

    # going through a door

    def _go(self, step: str) -> None:
        steps = {
            "sample": lambda: self._open_sample("judge"),
            "import": self.shell.import_texts,
            "measure": lambda: self._measure(self._kinds(pending=True)),
            "see": lambda: see_findings(self.shell, self._kinds(pending=False)),
            "report": lambda: self.shell.show_panel("findings", report=True),
            "creative prompts": lambda: self.shell.show_panel("prompts", study=COMPARED),
            "audit": self._new_audit,
            "own": lambda: self.shell.show_panel("prompts", own="axes"),
            "go on": lambda: self.shell.show_panel("judge", go_on=True),
            "workshop": lambda: self.shell.show_panel("fingerprint", workshop=True),
            "workshop set": self._lead_workshop,
        }
        if step in steps:
            steps[step]()
        else:
            self.shell.show_panel(step)

    def _open_sample(self, panel: str | None) -> None:
        """Open the person's copy of the sample, unpacked now if needed, and go to a panel of it."""
        before = self.project

        def go_on(path: Path) -> None:
            # On a slow disk it takes a while: whoever opened another project meanwhile is not taken away from it.
            if self.project is before:
                self._opening.open(path, lambda: self.shell.show_panel(panel) if panel else None)

        handle = open_sample().start(self.shell.jobs, on_done=go_on, on_progress=self.sample.show_progress)
        handle.changed.connect(self._sample_changed)
        self._show_preparing(handle)

    def _lead_workshop(self) -> None:
        """Lead a workshop with the set that ships: open the person's copy of it, and show the workshop's setup."""
        before = self.project

        def go_on(path: Path) -> None:
            if self.project is before:
                self._opening.open(path, lambda: self.shell.show_panel("fingerprint", workshop=True))

        open_workshop_set().start(self.shell.jobs, on_done=go_on, on_error=self.shell.show_error)

    def _sample_changed(self) -> None:
        if self._preparing is not None and not self._preparing.active:
            self._show_preparing(None)

    def _show_preparing(self, handle: "JobHandle | None") -> None:
        self._preparing = handle
        self.sample.set_preparing(handle)
        self._show_facts(self._facts)

    def _new_audit(self) -> None:
        dialog = NewAuditDialog(self.window(), self.shell)
        dialog.begun.connect(self._begin_audit)
        dialog.by_hand.connect(self._choose_prompts)
        dialog.open()

    def _begin_audit(self, audit: FirstLook) -> None:
        self._in_project(audit.path, lambda: begin_audit(self.shell, audit))

    def _choose_prompts(self, study: str, question: "TemplateChoice | None", path: Path | None) -> None:
        self._in_project(path, lambda: self.shell.show_panel("prompts", study=study, question=question, new_audit=True))

    def _in_project(self, path: Path | None, then: Callable[[], object]) -> None:
        """Go on in a new project at `path`, or in the open one."""
        if path is not None:
            self._opening.create(path, then)
        else:
            then()

    def _kinds(self, *, pending: bool) -> tuple[str, ...]:
        """Return the studies of the project that have texts; if wanted, only those to be measured."""
        studies = self._facts.with_texts if self._facts is not None else ()
        return tuple(study.kind for study in studies if study.pending or not pending)

    def _measure(self, studies: Sequence[str]) -> None:
        measure_and_see(self.shell, studies, still_wanted=self.isVisible)  # who has gone elsewhere stays there

    # the look

    def _lay_out(self) -> None:
        tokens = theme.current()
        self._sheet = sheet = Sheet()
        greeting = in_column(spacing=4)
        greeting.addWidget(Label(tr("See the bias in written text, and in those who judge it."), "display", wrap=True))
        words = tr(
            "Biasprint compares what is written for different people. It works offline, keeps a study in one project "
            "file, and sends nothing anywhere unless you ask."
        )
        greeting.addWidget(Label(words, "soft", wrap=True))
        pairs = ((self.rate, self.letter), (self.fingerprint, self.audit))
        rows = (RowOrColumn((one, 1), (other, 1), least=TWO_FROM) for one, other in pairs)
        doors = RowOrColumn(*((row, 1) for row in rows), least=FOUR_FROM)
        left = in_column(self.recent, self.workshop, self.texts, STRETCH, spacing=tokens.gap)
        lower = RowOrColumn((left, 1), least=SIDE_BY_SIDE_FROM)
        lower.addWidget(self.sample, 1, Qt.AlignmentFlag.AlignTop)
        add_to(sheet.box, greeting, doors, lower, STRETCH)
        self.body.addWidget(sheet)

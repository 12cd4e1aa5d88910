"""The page that draws comparisons, and the card that lets a model judge them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QShowEvent
from PySide6.QtWidgets import QFileDialog, QGridLayout, QSpinBox, QStackedWidget, QWidget

from biasprint.core.jobs import JobContext
from biasprint.desktop import theme
from biasprint.desktop.jobs import JobHandle, JobState
from biasprint.desktop.operations.measuring import running
from biasprint.desktop.operations.queue import (
    JUDGING,
    JudgeRequest,
    JudgingFacts,
    PastJudge,
    read_judging,
    start_certificate,
    start_judging,
)
from biasprint.desktop.operations.writers import (
    Option,
    WriterChoices,
    options_for,
    preset_for,
    read_writers,
    source_of,
    why_offline,
)
from biasprint.desktop.panels.generate.runs import Contents
from biasprint.desktop.panels.generate.writers import (
    FormGrid,
    GeneratorPicker,
    OptionFields,
    as_wide_as_its_column,
    narrow,
    show_models,
)
from biasprint.desktop.panels.judge.setup import Drawing, SetupPage
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import (
    Card,
    EmptyState,
    Label,
    LinkButton,
    Notice,
    PrimaryButton,
    ProgressThin,
    QuietButton,
    number,
    tr,
)
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.events import guard_wheel
from biasprint.desktop.widgets.labels import hidden, label_of, show_if, show_words, tipped
from biasprint.desktop.widgets.layout import SCROLL_BAR, STRETCH, Gap, RowOrColumn, add_to, empty, in_column, in_row
from biasprint.desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from biasprint.core.errors import AppError
    from biasprint.core.project.project import Project
    from biasprint.core.runs.judge import JudgeResult

MOST_PAST = 6  # sessions of models that are listed; every one is in the findings and in the export


ALL = ""  # plans
PAGES = (".html", ".pdf")  # of a judge certificate


class JudgingCard(Card):
    """Plans, generator, its parameters and a seed; the buttons; and what models judged before.

    The same choice again goes on where it stopped, as a session is found by its model, settings and seed.
    """

    def __init__(self, shell: Shell) -> None:
        super().__init__(tr("Let a model judge"))
        self._shell = shell
        self._writable = False
        self._facts: JudgingFacts | None = None  # None until the project was read
        self._writers: WriterChoices | None = None
        self._mute = ""  # a model that is here and answers no question
        self._handle: JobHandle | None = None
        self._reads = 0
        self._make()
        self._lay_out()
        self._connect()

    def _make(self) -> None:
        self._model = ""  # whose options are shown
        self.plans = ComboBox()
        self.plans.setPlaceholderText(tr("none yet"))
        narrow(self.plans, 12)
        guard_wheel(self.plans)
        self.picker, self.options = GeneratorPicker(judges=True), OptionFields()
        self.seed = tipped(guard_wheel(QSpinBox(maximum=2_000_000_000)), tr("Another seed is another rater."))
        as_wide_as_its_column(self.seed)
        self.refused = hidden(Notice("", tone="warn", closable=False))
        self.to_models = LinkButton(tr("Models…"))
        self.test = QuietButton(tr("Test as a judge…"), act=self._ask_page)
        self.test.setToolTip(
            tr(
                "Asks the model 160 packaged pairs of letters that a fair judge treats alike, each in both orders, and "
                "its own texts beside another model's. One page says what it prefers."
            )
        )
        self.page = LinkButton(tr("Open the page"))
        self._page: Path | None = None
        self._testing = False
        self.start = PrimaryButton(tr("Start"), act=self._start)
        self.pause, self.cancel = QuietButton(tr("Pause"), act=self._pause), QuietButton(tr("Cancel"))
        self.progress = ProgressThin(tr("Replies"))
        self.state = Label("", "note", wrap=True)
        self.past = PastSessions()
        for part in (self.to_models, self.pause, self.cancel, self.progress, self.page):
            part.hide()

    def _lay_out(self) -> None:
        tokens = theme.current()
        words = tr(
            "Every comparison is put to the model in each order of its cards, which shows how often the order decides. "
            "It is a rater of its own: what people judge stays as it is."
        )
        grid = FormGrid()
        grid.addWidget(label_of(self.plans, tr("Comparisons")), 0, 0)
        grid.addWidget(self.plans, 0, 1, 1, 3)
        row = self.picker.place(grid, 1)
        grid.addWidget(label_of(self.seed, tr("Seed")), row, 0)
        grid.addWidget(self.seed, row, 1)
        buttons = in_row(self.start, self.test, self.pause, self.cancel, self.to_models, STRETCH, spacing=tokens.grid)
        add_to(self.box, Label(words, "soft", wrap=True), grid, self.options, self.refused, Gap(tokens.grid))
        add_to(self.box, buttons, self.progress, self.state, (self.page, Qt.AlignmentFlag.AlignLeft), self.past)

    def _connect(self) -> None:
        shell = self._shell
        self.picker.chosen_anew.connect(self._show_options)
        self.picker.changed.connect(self._show)
        self.picker.models_wanted.connect(lambda page: show_models(shell, page))
        self.to_models.clicked.connect(lambda: show_models(shell, "generator"))
        self.plans.currentIndexChanged.connect(lambda _: self._show())
        shell.connections.changed.connect(self._show)
        self.page.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._page))))
        self.cancel.clicked.connect(lambda: self._handle and self._handle.cancel())

    # what there is

    def showEvent(self, event: QShowEvent) -> None:
        """Look again at plans and models: they may have been added while the card was hidden."""
        super().showEvent(event)
        self.look()

    def look(self) -> None:
        """Read again which models can judge and which plans there are."""
        self._shell.jobs.start(tr("Generators"), read_writers, on_done=self.show_writers, quiet=True)
        project = self._shell.project
        if project is None:
            return

        self._reads += 1
        mine = self._reads

        def read(ctx: JobContext) -> JudgingFacts:
            return read_judging(ctx, project)

        def show(facts: JudgingFacts) -> None:
            if project is self._shell.project and mine == self._reads:  # a later reading knows better
                self.show_facts(facts)

        self._shell.jobs.start(tr("Plans"), read, on_done=show, quiet=True)
        self._pick_up(project)

    def show_writers(self, writers: WriterChoices) -> None:
        """Offer the language models that can answer a question: no others can judge."""
        able = tuple(info for info in writers.backends if info.capabilities.is_language_model)
        self._mute = next((model.title or model.name for model in writers.models if not model.judges), "")
        self._writers = replace(writers, backends=able, models=tuple(model for model in writers.models if model.judges))
        self.picker.show_writers(self._writers)
        self._show()

    def show_facts(self, facts: JudgingFacts) -> None:
        """Offer the plans; the chosen one stays chosen."""
        self._facts, before = facts, self.plans.currentData()
        with QSignalBlocker(self.plans):
            self.plans.clear()
            if len(facts.plans) > 1:
                self.plans.addItem(tr("all {n} plans").format(n=number(len(facts.plans))), ALL)
            for plan in facts.plans:
                self.plans.addItem(safe_line(f"{tr(plan.title)} ({plan.id[:8]})"), plan.id)
            self.plans.setCurrentIndex(max(0, self.plans.findData(before)) if facts.plans else -1)
        self.past.show_sessions(facts.past)
        self._show()

    def allow(self, writable: bool) -> None:
        self._writable = writable
        self._show()

    def let_go(self) -> None:
        """Stop judging the closed project, and remove everything of it."""
        self._page = None
        if self._handle is not None:
            self._handle.cancel()
        self._handle = None
        self.show_facts(JudgingFacts())
        self._facts = None
        self._show()

    # what is chosen

    def request(self) -> JudgeRequest:
        chosen = self.plans.currentData()
        plans = tuple(plan.id for plan in (self._facts or JudgingFacts()).plans if chosen in (ALL, plan.id))
        given = self.options.values()
        if self.picker.chosen_endpoint is not None:
            given["endpoint"] = self.picker.chosen_endpoint.name
        backend = str(self.picker.backend.currentData() or "")
        return JudgeRequest(plans, backend, self.picker.model_name, self.seed.value(), tuple(sorted(given.items())))

    def why_not(self) -> str:
        """Return why this choice cannot be judged; empty where it can, or where that is not known yet."""
        if self._facts is not None and not self._facts.plans:
            return tr("There is nothing to judge yet: draw comparisons first.")
        if self._no_model():
            return self._waiting() or self._none_judges()
        return self._unusable()

    def _none_judges(self) -> str:
        if not self._mute:
            return tr("No language model is here yet: get or add one, or an endpoint, under Models.")
        words = tr(
            "“{title}” answers no question, so it cannot judge: get or add another, or an endpoint, under Models."
        )
        return words.format(title=safe_line(tr(self._mute)))

    def _unusable(self) -> str:
        return self.picker.why_not(why_offline(self._shell.connections)) or self.picker.trouble

    def _waiting(self) -> str:
        """Return what the models here wait for, such as the engine; empty if nothing."""
        here = self._writers or WriterChoices()
        formats = {model.format for model in here.models}
        return next((info.unavailable for info in here.backends if info.unavailable and source_of(info) in formats), "")

    def _no_model(self) -> bool:
        here = self._writers
        if here is None:
            return False
        for info in here.backends:
            source = source_of(info)
            choices = (
                here.endpoints if source == "endpoint" else [model for model in here.models if model.format == source]
            )
            if not info.unavailable and (choices or source in ("listed", "typed")):
                return False
        return True

    # judging

    def _start(self) -> None:
        project, shell = self._shell.project, self._shell  # not this card: it may be gone when the job ends
        if project is None or self._busy:
            return
        self._page, self._testing = None, False

        def fail(error: "AppError") -> None:
            if project is shell.project:
                shell.show_error(error)

        def done(results: "list[JudgeResult]") -> None:
            self.look()

        self._follow(start_judging(shell.jobs, project, self.request(), on_done=done, on_error=fail))

    def _ask_page(self) -> None:
        kinds = ";;".join(f"*{ending}" for ending in PAGES)
        chosen, _ = QFileDialog.getSaveFileName(self, tr("Save the judge certificate"), f"judge{PAGES[0]}", kinds)
        if chosen:
            path = Path(chosen)
            self.certify(path if path.suffix.lower() in PAGES else path.with_name(path.name + PAGES[0]))

    def certify(self, path: Path) -> None:
        """Test the chosen model as a judge, and write the page there."""
        project, shell = self._shell.project, self._shell
        if project is None or self._busy:
            return
        self._page, self._testing = None, True

        def fail(error: "AppError") -> None:
            if project is shell.project:
                shell.show_error(error)

        def done(words: str) -> None:
            self._page = path
            self._show()

        self._follow(start_certificate(shell.jobs, project, self.request(), path, on_done=done, on_error=fail))

    def _pick_up(self, project: "Project") -> None:
        """Follow a judging that began before this card was made again, as after a blind rating."""
        handle = running(self._shell.jobs, JUDGING, project)
        if handle is not None and handle is not self._handle:
            self._follow(handle)

    def _follow(self, handle: JobHandle) -> None:
        self._handle = handle
        handle.changed.connect(self._show)
        self._show()

    def _pause(self) -> None:
        if self._handle is not None:
            (self._handle.resume if self._handle.state is JobState.PAUSED else self._handle.pause)()

    @property
    def _busy(self) -> bool:
        return self._handle is not None and self._handle.active

    # showing

    def _show_options(self) -> None:
        info = self.picker.info
        self.options.forget_touches()
        self._model = self.picker.model_name
        recommended = preset_for(self.picker.local, "judging")
        self.options.offer(_judging_options(options_for(info, "")) if info is not None else (), recommended)
        show_if(self.options, bool(info is not None and options_for(info, "")))

    def _show(self) -> None:
        if self.picker.model_name != self._model:
            self._show_options()
        busy, why_not = self._busy, self.why_not()
        named = bool(self.picker.model_name) or self.picker.source not in ("endpoint", "gguf", "folder")
        chosen = self.picker.info is not None and named
        ready = bool(self.request().plans) and chosen and not why_not
        for field in (self.plans, self.seed, self.options, *self.picker.fields()):
            field.setEnabled(self._writable and not busy)
        self.start.setEnabled(self._writable and ready and not busy)
        self.test.setEnabled(self._writable and chosen and not busy and not self._no_model() and not self._unusable())
        show_if(self.start, not busy)
        show_if(self.test, not busy)
        show_if(self.page, not busy and self._page is not None)
        for part in (self.progress, self.pause, self.cancel):
            show_if(part, busy)
        self.refused.text.setText(safe_line(why_not))
        self.refused.setAccessibleName(safe_line(tr(why_not)))
        show_if(self.refused, bool(why_not))
        show_if(self.to_models, self._no_model() and bool(self._facts and self._facts.plans))
        show_words(self.state, safe_line(self._said()))

    def _said(self) -> str:
        """Return the progress of the judging, or the end of the last one from here."""
        handle = self._handle
        if handle is None or handle.state is JobState.FAILED:
            return ""
        if not handle.active:
            cancelled = tr("Cancelled. What came back is saved; Start goes on with it.")
            return cancelled if handle.state is JobState.CANCELLED else handle.result_text
        paused = handle.state is JobState.PAUSED
        self.pause.set_text(tr("Go on") if paused else tr("Pause"))
        progress = handle.progress
        counted = progress is not None and progress.total is not None
        self.progress.set_progress(progress.done if counted and progress else 0, progress.total if progress else None)
        if not counted or progress is None:
            return tr("Paused.") if paused else tr("Opening the model, or waiting for its turn…")
        said = tr("{done} of {total} replies.") if self._testing else tr("{done} of {total} replies to this plan.")
        words = said.format(done=number(progress.done), total=number(progress.total))
        return tr("Paused: {said}").format(said=words) if paused else words


class PastSessions(QWidget):
    """The results of models' sessions, the latest first; empty where no model judged."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self._title, self._lines = Label(tr("Models that judged"), "strong"), QGridLayout()
        self._lines.setVerticalSpacing(2)
        in_column(self._title, self._lines, inside=self, spacing=theme.current().grid, margins=0)
        self.show_sessions(())

    def show_sessions(self, past: Sequence[PastJudge]) -> None:
        empty(self._lines)
        for row, session in enumerate(past[:MOST_PAST]):
            self._lines.addWidget(
                Label(safe_line(f"{session.result.rater} · {session.plan}"), "", wrap=True), 2 * row, 0
            )
            self._lines.addWidget(Label(_stands(session), "note", wrap=True), 2 * row + 1, 0)
        show_if(self, bool(past))


def _stands(one: PastJudge) -> str:
    result = one.result
    words = tr("{given} of {wanted} replies").format(
        given=number(sum(result.read.values())), wanted=number(result.wanted)
    )
    if result.flip_rate is None:
        words += tr("; no choice in every order of the cards")
    else:
        words += tr("; the order decided {flips} of {compared} comparisons ({rate})").format(
            flips=number(result.flips), compared=number(result.compared), rate=f"{result.flip_rate:.0%}"
        )
    if result.failures:
        words += "; " + tr("{n} failed").format(n=number(sum(result.failures.values())))
    if not result.answers and sum(result.read.values()) > result.read["failed"]:
        return words + tr("; without an answer it counts nowhere.")
    return words + ("." if result.closed else tr("; not finished: the same choice goes on."))


def _judging_options(options: Sequence[Option]) -> tuple[Option, ...]:
    """Return the options without the length of a reply: one word is enough, unless somebody sets it."""
    return tuple(
        replace(option, title="Longest reply", start=None, open_words="short")
        if option.name == "max_tokens"
        else option
        for option in options
    )


SIDE_BY_SIDE_FROM = 820  # text pixels


class DrawPage(QStackedWidget):
    """The choice of axes and numbers, beside a model that judges; or what is missing for it."""

    def __init__(self, shell: Shell, write_wanted: Callable[[], object]) -> None:
        super().__init__()
        self.setup = SetupPage()
        self.judging = JudgingCard(shell)
        self._put_beside()
        self.nothing = EmptyState(
            tr("Nothing to compare yet"),
            tr("Comparisons show outputs for every identity of an axis, for the same creative task and theme."),
            tr("Write texts"),
            write_wanted,
            icon="judge",
        )
        for page in (self.nothing, self.setup):
            self.addWidget(page)
        self._drawing = Drawing(
            shell,
            self.setup,
            on_choices=lambda: self.setCurrentWidget(self.setup),
            on_drawn=lambda: shell.show_panel("judge"),
            on_nothing=lambda: self.setCurrentWidget(self.nothing),
        )

    def show_contents(self, contents: Contents) -> None:
        """Look again at what can be compared."""
        self._drawing.offer(can_cancel=False)
        self.judging.look()

    def allow(self, writable: bool) -> None:
        self.setup.setEnabled(writable)
        self.judging.allow(writable)

    def let_go(self) -> None:
        self.judging.let_go()
        self.setCurrentWidget(self.nothing)

    def _put_beside(self) -> None:
        """Place both cards in the setup page, where they scroll together."""
        drawing, columns = self.setup.takeWidget(), QWidget()
        columns.setProperty("role", "clear")
        row = RowOrColumn(inside=columns, margins=(0, 0, SCROLL_BAR, 0), least=SIDE_BY_SIDE_FROM)
        for part in (drawing, self.judging):
            row.addWidget(part, 1, Qt.AlignmentFlag.AlignTop)
        self.setup.setWidget(columns)

"""The form of a run: a prompt set, a generator, its parameters, a seed and the number of samples; with the estimate."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QSpinBox

from biasprint.core.backends.protocol import Parameter
from biasprint.desktop import theme
from biasprint.desktop.dialogs.parts import EngineNotice
from biasprint.desktop.jobs import JobHandle
from biasprint.desktop.operations.measuring import MeasureJobs
from biasprint.desktop.operations.prompts import StoredSet
from biasprint.desktop.operations.queue import Entry
from biasprint.desktop.operations.runs import (
    Plan,
    PromptSetSize,
    RunLine,
    WriteRequest,
    cut_sentence,
    estimated,
    goes_on_with,
    read_facts,
    without_text,
)
from biasprint.desktop.operations.studies import StudyFacts
from biasprint.desktop.operations.writers import (
    WriterChoices,
    options_for,
    preset_for,
    sampling_of,
    starting_values,
    why_offline,
)
from biasprint.desktop.panels.generate.writers import (
    FormGrid,
    GeneratorPicker,
    OptionFields,
    as_wide_as_its_column,
    narrow,
)
from biasprint.desktop.panels.measuring import GeneratorChoice
from biasprint.desktop.shell import Shell, see_findings
from biasprint.desktop.widgets import (
    Button,
    Card,
    Chip,
    Label,
    LinkButton,
    Notice,
    PrimaryButton,
    QuietButton,
    plural,
    tr,
)
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.events import guard_wheel
from biasprint.desktop.widgets.labels import hidden, label_of, show_if
from biasprint.desktop.widgets.layout import STRETCH, add_to, in_column, in_row
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip
from biasprint.desktop.wording.generators import NOBODY, words_of

# ---- The next step


class NextStep(Button):
    """The next step where no text is left to write: the findings, once ready, unless the person went elsewhere.

    `writers`: the choice of whose texts are measured, to be placed near the button.
    """

    def __init__(self, shell: Shell) -> None:
        super().__init__("", role="primary")
        self._shell = shell
        self._study: StudyFacts | None = None
        self._writable = False
        self._awaited = ""  # the study whose findings were asked for
        self.writers = GeneratorChoice()
        self._jobs = MeasureJobs(shell, self)
        self._jobs.changed.connect(self._follow)
        self.clicked.connect(self._go)
        self.hide()

    def show_for(self, study: StudyFacts | None, *, writable: bool) -> None:
        """Offer the next step for this study; None: its texts are to be written first."""
        self._study, self._writable = study, writable
        self._jobs.pick_up()
        self._show()

    def forget(self) -> None:
        """Forget the study: another project was opened."""
        self._awaited = ""
        self._jobs.forget()
        self.show_for(None, writable=False)

    def _show(self) -> None:
        study = self._study
        self.setVisible(study is not None)
        self.writers.show_writers(study.writers if study is not None and study.pending else NOBODY)
        if study is None:
            return
        busy = study.kind in self._jobs.busy()
        words = words_of(study.kind).action if study.pending else tr("See the findings")
        self.set_text(tr("Measuring…") if busy else words)
        self.setAccessibleName(tr(f"{self.text()}: {safe_line(study.title)}"))
        self.setEnabled(not busy and (self._writable or not study.pending))

    def _go(self) -> None:
        study = self._study
        if study is None:
            return
        if study.pending:
            self._awaited = study.kind
            whose = self.writers.whose
            self._jobs.start(study.kind, whose and whose.of)
        else:
            self._see(study.kind)

    def _follow(self) -> None:
        awaited = self._awaited
        if awaited and awaited not in self._jobs.busy():
            self._awaited = ""
            if self._jobs.done(awaited) and self.isVisible():
                self._see(awaited)
        self._show()

    def _see(self, kind: str) -> None:
        see_findings(self._shell, (kind,))


Key = tuple[int, str, str]  # prompt set, backend, model


class EstimateLine(Label):
    """One or two sentences, and their calculation as tooltip. Prompts are counted in a job, once for a set."""

    def __init__(self, shell: Shell) -> None:
        super().__init__("", "note", wrap=True)
        self._shell = shell
        self._facts: dict[Key, PromptSetSize] = {}
        self._counted: dict[int, tuple[int, int]] = {}  # prompts and tokens by prompt set
        self._wanted: tuple[Key, Plan] | None = None
        self._job: JobHandle | None = None
        show_if(self, False)

    def show_for(self, request: WriteRequest | None, plan: Plan | None) -> None:
        """Show the estimate; None where nothing is chosen."""
        self._wanted = None
        if request is not None and plan is not None:
            self._wanted = ((request.prompt_set_id, request.backend, request.model), plan)
        self._show()

    def forget(self) -> None:
        """Forget the counts: another project was opened."""
        self._facts, self._counted = {}, {}

    def time_anew(self) -> None:
        """Measure the model's speed again, as there are new texts."""
        self._facts = {}

    def _show(self) -> None:
        facts = self._facts.get(self._wanted[0]) if self._wanted is not None else None
        if self._wanted is not None and facts is None:
            self._read(self._wanted[0])
        estimate = estimated(facts, self._wanted[1]) if facts is not None and self._wanted is not None else None
        self.setText(estimate.words if estimate is not None else "")
        self.setToolTip(tr(safe_tip(estimate.how) if estimate is not None else ""))
        self.setAccessibleDescription(tr(estimate.how if estimate is not None else ""))
        show_if(self, estimate is not None)

    def _read(self, key: Key) -> None:
        project = self._shell.project
        if project is None or (self._job is not None and self._job.active):
            return  # what is wanted by then is read next

        def done(facts: PromptSetSize) -> None:
            if project is self._shell.project:
                self._facts[key] = facts
                self._counted[key[0]] = (facts.prompts, facts.tokens)
                self._show()

        counted = self._counted.get(key[0])
        self._job = self._shell.jobs.start(
            tr("Estimating"), lambda ctx: read_facts(ctx, project, *key, counted), on_done=done, quiet=True
        )


MOST_SAMPLES, USUAL_SEED = 10_000, 1


class GenerateForm(Card):
    """Prompts, generator, its parameters, samples and seed; then remarks on the choice, and the buttons.

    It shows how much of the choice exists already; the same choice again goes on where it stopped.
    """

    started = Signal(object, bool)  # WriteRequest, ask again for what failed
    prompts_wanted = Signal()
    writers_changed = Signal()  # one more may be usable

    def __init__(self, shell: Shell) -> None:
        super().__init__(padding=20)
        self._shell = shell
        self._sets: dict[int, StoredSet] = {}
        self._kinds: Mapping[int, str] = {}
        self._refused: Mapping[tuple[int, str], str] = {}
        self._runs: Sequence[RunLine] = ()
        self._entries: Sequence[Entry] = ()
        self._studies: Mapping[str, StudyFacts] = {}
        self._model = ""  # whose options are shown
        self._more: dict[str, Parameter] = {}  # of a picked run: parameters that have no field here
        self._of_run = False  # whether the values are those of a picked run
        self._allowed = False
        self._make()
        self._lay_out()
        self._connect()
        self._show_options()

    def _make(self) -> None:
        self.prompt_set = ComboBox()
        self.prompt_set.setPlaceholderText(tr("none yet"))
        self.picker, self.options = GeneratorPicker(), OptionFields()
        self.backend, self.model, self.model_label = self.picker.backend, self.picker.model, self.picker.model_label
        self.seed, self.samples = _spin(0, 2_000_000_000, USUAL_SEED), _spin(1, MOST_SAMPLES, 1)
        self.not_a_model = Chip(tr("not a language model"), "warn")
        self.about, self.preset = Label("", "note", wrap=True), Label("", "note", wrap=True)
        self.estimate = EstimateLine(self._shell)
        self.scores = QCheckBox(tr("Score texts as they arrive"))
        self.scores.setToolTip(tr("Each text is scored when it is stored, so that live charts show figures meanwhile."))
        self.state = Label("", "", wrap=True)
        self.refused = hidden(Notice("", tone="warn", closable=False, narrow=True))
        self.parts = self.refused.add_action(tr("Parts of the program"), self._shell.show_parts)
        self.engine = EngineNotice(self._shell, wanted=False, narrow=True)
        self.start: Button = PrimaryButton(tr("Start"))
        self.next = NextStep(self._shell)
        self.retry = LinkButton("", act=lambda: self.started.emit(self.request(), True))
        self.no_prompts = QuietButton(tr("Choose prompts…"), act=self.prompts_wanted)

    def _lay_out(self) -> None:
        grid, numbers = FormGrid(), FormGrid()
        label = label_of(self.prompt_set, tr("Prompts"))
        narrow(self.prompt_set, 12)
        guard_wheel(self.prompt_set)
        grid.addWidget(label, 0, 0)
        grid.addWidget(self.prompt_set, 0, 1, 1, 3)
        self.picker.place(grid, 1)
        for column, words, spin, tip in (
            (0, tr("Samples"), self.samples, tr("How many outputs of each prompt.")),
            (2, tr("Seed"), self.seed, tr("Another seed is another run.")),
        ):
            label = label_of(spin, words)
            spin.setToolTip(safe_tip(tr(tip)))
            numbers.addWidget(label, 0, column)
            numbers.addWidget(spin, 0, column + 1)
        buttons = in_row(self.start, self.next, self.no_prompts, (self.state, 1), spacing=theme.current().gap)
        about = in_column(self.not_a_model, self.about, spacing=4)
        self.box.addLayout(grid)
        for notice in (self.refused, self.engine):  # where it is seen without scrolling
            self.box.addWidget(notice)
        add_to(self.box, about, numbers, self.options)
        add_to(self.box, self.preset, self.scores, self.estimate, self.next.writers, buttons, self.retry, STRETCH)

    def _connect(self) -> None:
        self.prompt_set.currentIndexChanged.connect(lambda _: self._take_other_prompts())
        self.picker.chosen_anew.connect(self._take_other_generator)
        self.picker.changed.connect(self._show_generator)
        for signal in (self.seed.valueChanged, self.samples.valueChanged):
            signal.connect(lambda _: self._show_state())
        self.options.changed.connect(self._show_state)
        self._shell.connections.changed.connect(self._show_state)
        self.engine.ended.connect(self.writers_changed)
        self.start.clicked.connect(lambda: self.started.emit(self.request(), False))
        self.scores.clicked.connect(lambda on: self._shell.settings.set("score_at_once", on))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.scores.setChecked(bool(self._shell.settings.get("score_at_once")))

    # what there is

    def show_writers(self, writers: WriterChoices) -> None:
        """Offer the generators; those that cannot be used here are shown with the reason."""
        self.picker.show_writers(writers)
        self._show_state()

    def show_sets(
        self, sets: Sequence[StoredSet], refused: Mapping[tuple[int, str], str], kinds: Mapping[int, str]
    ) -> None:
        """Offer the project's prompt sets; the chosen one stays chosen.

        `refused`: the reason by set and generator. `kinds`: the study's kind by set.
        """
        self._refused, self._kinds = refused, kinds
        before = self.prompt_set.currentData()
        self._sets = {prompt_set.id: prompt_set for prompt_set in sets}
        with QSignalBlocker(self.prompt_set):
            self.prompt_set.clear()
            for prompt_set in sets:
                count = plural(prompt_set.prompts, "1 prompt", "%n prompts")
                self.prompt_set.addItem(
                    safe_line(f"{prompt_set.name}, version {prompt_set.version} ({count})"), prompt_set.id
                )
            self.prompt_set.setCurrentIndex(max(0, self.prompt_set.findData(before)))
        if not sets:
            self._forget_run()
        self.no_prompts.setVisible(not sets)
        if before != self.prompt_set.currentData():
            self._show_options()
        else:
            self._show_state()

    def show_runs(self, runs: Sequence[RunLine], entries: Sequence[Entry]) -> None:
        """Set the project's runs, and those that are in the queue now."""
        self._runs, self._entries = runs, entries
        self._show_state()

    def show_studies(self, studies: Sequence[StudyFacts]) -> None:
        """Set the counts of each study of the project, and whether it is measured."""
        self._studies = {study.kind: study for study in studies}
        self._show_state()

    def allow(self, allowed: bool) -> None:
        """Set whether a run may be started; only then can the choice be changed."""
        self._allowed = allowed
        for field in (self.prompt_set, self.seed, self.samples, self.options, *self.picker.fields()):
            field.setEnabled(allowed)
        self._show_state()

    # what is chosen

    def choose_set(self, set_id: int) -> None:
        self.prompt_set.setCurrentIndex(max(0, self.prompt_set.findData(set_id)))

    def choose(self, request: WriteRequest) -> None:
        """Choose the values of a run, to continue it."""
        stored = dict(request.parameters)
        self.choose_set(request.prompt_set_id)
        self.picker.choose(request.backend, str(stored.get("endpoint") or ""), request.model)
        self.seed.setValue(request.seed)
        self.samples.setValue(request.samples)
        more = self.options.take(stored)
        more.pop("endpoint", None)
        self._more, self._of_run = more, True
        self._show_state()

    def request(self) -> WriteRequest:
        picker = self.picker
        given = {**self._more, **self.options.values()}
        if picker.chosen_endpoint is not None:
            given["endpoint"] = picker.chosen_endpoint.name
        return WriteRequest(
            self.prompt_set.currentData(),
            self.backend.currentData(),
            picker.model_name,
            self.seed.value(),
            self.samples.value(),
            tuple(sorted(given.items())),
        )

    def run(self) -> RunLine | None:
        """Return the run that this choice continues."""
        wanted = self.request()
        return next((line for line in self._runs if goes_on_with(wanted, line)), None)

    # showing

    def _take_other_prompts(self) -> None:
        """Begin other prompts with the usual values where the present ones are those of a picked run."""
        if self._of_run:
            self._forget_run()
        self._show_options()

    def _forget_run(self) -> None:
        """Take the usual seed, samples and options: no value of a run is left for the next."""
        self._of_run = False
        self.seed.setValue(USUAL_SEED)
        self.samples.setValue(1)
        self._take_other_generator()

    def _take_other_generator(self) -> None:
        self._more = {}
        self.options.forget_touches()
        self._show_options()

    def _show_options(self) -> None:
        """Show the generator's options for prompts of this study, with the paper's values."""
        info = self.picker.info
        study = self._kinds.get(self.prompt_set.currentData(), "")
        options = options_for(info, study) if info is not None else ()
        names = {option.name for option in options}
        papers = {name: value for name, value in sampling_of(study).items() if name in names}
        recommended = preset_for(self.picker.local, study)
        self.options.offer(options, starting_values(info, self.picker.local, study) if info is not None else {})
        shown = ", ".join(
            f"{option.title.lower()} {papers[option.name]:g}" for option in options if option.name in papers
        )
        sentences = [tr("The paper's own: {values}.").format(values=shown)] if shown else []
        if recommended:
            sentences = [tr("Set as recommended for this model and study.")]
            sentences += [tr("The paper used: {values}.").format(values=shown)] if shown else []
        self.preset.setText(" ".join(sentences))
        show_if(self.preset, bool(sentences))
        show_if(self.options, bool(options))
        self._show_state()

    def _show_generator(self) -> None:
        info = self.picker.info
        if self.picker.model_name != self._model:
            self._model = self.picker.model_name
            self._take_other_generator()
        self.about.setText(safe_line(info.description) if info is not None else "")
        self.not_a_model.setVisible(info is not None and not info.capabilities.is_language_model)
        self._show_state()

    def _show_state(self) -> None:
        """Show how much of the choice exists, and so what the button does."""
        chosen, line = self._sets.get(self.prompt_set.currentData()), self.run()
        done, failed = (line.done, line.failed) if line is not None else (0, 0)
        refused, cut = (line.refused, line.cut) if line is not None else (0, 0)
        wanted = chosen.prompts * max(self.samples.value(), line.request.samples if line else 1) if chosen else 0
        missing = wanted - done - failed
        in_queue = self._in_queue(line)
        sentence = (
            tr("The project has no prompts yet.") if chosen is None else _counts(done, missing, failed, refused, cut)
        )
        self.state.setText(" ".join([sentence, *([tr("In the queue.")] if in_queue else [])]))
        why_not = self._why_not()
        self._show_why_not(why_not)
        ready = chosen is not None and self.picker.info is not None and bool(self._named()) and not why_not
        words = tr("Go on") if done or failed else tr("Start")
        waits = any(not entry.ticket.written for entry in self._entries)
        self.start.set_text(tr("Add to the queue") if waits and not in_queue else words)
        self.start.setEnabled(self._allowed and ready and missing > 0 and not in_queue)
        idle = tr("Say first which model is to write: its name is missing.") if not self._named() else ""
        self.start.setToolTip(safe_tip(tr(why_not or idle)))
        self.start.setAccessibleDescription(tr(why_not or idle))
        study = self._studies.get(self._kinds.get(self.prompt_set.currentData(), ""))
        written = chosen is not None and done > 0 and missing <= 0 and not in_queue
        self.next.show_for(study if written else None, writable=self._allowed)
        self.start.setVisible(chosen is not None and not self.next.isVisibleTo(self))
        again = failed - refused  # to ask until it answers would hide a refusal
        self.retry.set_text(plural(again, "Ask again for the one that failed", "Ask again for the %n that failed"))
        self.retry.setVisible(again > 0)
        self.retry.setEnabled(self._allowed and ready and not in_queue)
        self.estimate.show_for(self.request() if ready else None, self._plan(missing) if ready else None)

    def _show_why_not(self, why_not: str) -> None:
        """Show the reason in a strip, with the way to the missing part; the engine has a strip that installs it."""
        info = self.picker.info
        lacks = info is not None and bool(info.unavailable)
        self.engine.want(lacks and self.picker.source == "gguf")
        self.refused.text.setText(safe_line(why_not))
        self.refused.setAccessibleName(safe_line(tr(why_not)))
        show_if(self.refused, bool(why_not) and not (lacks and self.picker.source == "gguf"))
        show_if(self.parts, lacks)

    def _named(self) -> bool:
        """Return whether a model is named, where one must be."""
        return bool(self.picker.model_name) or self.picker.source not in ("endpoint", "gguf", "folder")

    def _in_queue(self, line: RunLine | None) -> bool:
        """Return whether the choice waits or is being written. One only being scored may get more samples."""
        asked, held = hash(self.request()), [entry.ticket for entry in self._entries if not entry.ticket.written]
        return any(ticket.asked == asked or (line is not None and ticket.run_id == line.id) for ticket in held)

    def _why_not(self) -> str:
        refusal = self._refused.get((self.prompt_set.currentData(), self.backend.currentData()), "")
        return refusal or self.picker.why_not(why_offline(self._shell.connections)) or self.picker.trouble

    def _plan(self, missing: int) -> Plan:
        info, endpoint, values = self.picker.info, self.picker.chosen_endpoint, self.options.values()
        assert info is not None
        longest = values.get("max_tokens")
        return Plan(
            missing,
            longest if isinstance(longest, int) else None,
            str(values.get("system", "")),
            endpoint.prices.get(self.picker.model_name) if endpoint is not None else None,
            endpoint.at_once if endpoint is not None else 1,
            speaks_tokens=info.capabilities.is_language_model,
            charged=endpoint is not None,
            writes=not values.get("choose"),
        )


def _counts(done: int, missing: int, failed: int, refused: int, cut: int) -> str:
    """Return the number of outputs present, missing, refused and failed in words, without zeros; and of those cut."""
    if not done and not failed:
        return plural(missing, "1 output to write.", "%n outputs to write.")
    parts = [plural(done, "1 output is there", "%n outputs are there")]
    parts += [plural(missing, "1 is missing", "%n are missing")] if missing else []
    counts = ", ".join([*parts, *without_text(failed, refused)]) + "."
    return f"{counts} {cut_sentence(cut)}" if cut else counts


def _spin(low: int, high: int, value: int) -> QSpinBox:
    spin = guard_wheel(QSpinBox(minimum=low, maximum=high, value=value))
    as_wide_as_its_column(spin)
    return spin

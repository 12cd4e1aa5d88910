"""New audit: the study, the model, and the project; then it is written and measured in one go."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QRadioButton,
    QSpinBox,
    QWidget,
)

from biasprint.core.errors import AppError
from biasprint.desktop import theme
from biasprint.desktop.dialogs.import_table import TargetField
from biasprint.desktop.operations.first_look import (
    OWN_STUDY,
    WORDINGS,
    FirstLook,
    FirstLookOffer,
    FirstLookOffers,
    add_first_look,
    name_known,
    own_question,
    read_offers,
    write_and_measure,
)
from biasprint.desktop.operations.writers import WriterChoices, read_writers, starting_values, why_offline
from biasprint.desktop.panels.generate.writers import FormGrid, GeneratorPicker, show_models
from biasprint.desktop.shell import Shell, see_findings
from biasprint.desktop.widgets import Chip, Label, Notice, PrimaryButton, QuietButton, number, plural, tr
from biasprint.desktop.widgets.events import guard_wheel
from biasprint.desktop.widgets.labels import label_of, named, show_if
from biasprint.desktop.widgets.layout import Dialog, LowEdit, Sheet, add_to, fitting, in_column, set_margins
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip

if TYPE_CHECKING:
    from biasprint.desktop.operations.prompts import TemplateChoice

SIZE = (680, 720)
OWN = "own question"
OWN_ASKS = "Ask one question with two names, and see whether the answers differ."
QUESTION_HEIGHT = 72  # text pixels, at least
USUAL_ANSWERS, MOST_ANSWERS = 20, 1_000
PAUSE_MILLISECONDS = 250  # without a key before names are looked up
INDENT = 26  # text pixels: a radio button's own


class StudyChoice(QWidget):
    """A radio button for each study, and its question below. `changed` reports another choice."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.offers: tuple[FirstLookOffer, ...] = ()
        self.group = QButtonGroup(self)
        self.group.idToggled.connect(lambda _, on: self.changed.emit() if on else None)
        self._box = in_column(inside=self, spacing=2, margins=0)

    def show_offers(self, offers: tuple[FirstLookOffer, ...]) -> None:
        self.offers = offers = (*offers, FirstLookOffer(OWN, tr("My own question"), tr(OWN_ASKS), 0))
        for place, offer in enumerate(offers):
            count = plural(offer.prompts, ": 1 prompt", ": %n prompts") if offer.prompts else ""
            button = QRadioButton(safe_line(f"{tr(offer.title)}{count}").replace("&", "&&"))
            button.setAccessibleDescription(safe_line(tr(offer.asks)))
            asks = Label(safe_line(offer.asks), "note", wrap=True)
            set_margins(asks, theme.current().px(INDENT), 0, 0, theme.current().grid // 2)
            self.group.addButton(button, place)
            add_to(self._box, button, asks)
        if offers:
            self.button(offers[0].kind).setChecked(True)

    @property
    def chosen(self) -> FirstLookOffer | None:
        place = self.group.checkedId()
        return self.offers[place] if 0 <= place < len(self.offers) else None

    def button(self, kind: str) -> QRadioButton:
        button = self.group.button([offer.kind for offer in self.offers].index(kind))
        assert isinstance(button, QRadioButton)
        return button


class OwnQuestion(QWidget):
    """A question with {name} in it, two names, and how often each is asked. `changed` reports what was typed."""

    changed = Signal()

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self.text = named(LowEdit(), tr("Your question"))
        self.text.setPlaceholderText(
            tr("Such as: {example}").format(example="{name} asks for a loan. Answer the letter.")
        )
        self.text.setTabChangesFocus(True)
        self.text.setMinimumHeight(theme.current().px(QUESTION_HEIGHT))
        self.names = (QLineEdit(), QLineEdit())
        self.known = (Label("", "note", wrap=True), Label("", "note", wrap=True))
        self.samples = QSpinBox(minimum=2, maximum=MOST_ANSWERS, value=USUAL_ANSWERS)
        guard_wheel(self.samples)
        caution = Label(
            tr("One name stands for no group: what is found holds for this question and these names."), "note"
        )
        box = in_column(self.text, inside=self, margins=(theme.current().px(INDENT), 0, 0, theme.current().grid))
        grid = QGridLayout()
        labels = (tr("First name"), tr("Second name"), tr("Answers for each"))
        for column, (words, field) in enumerate(zip(labels, (*self.names, self.samples), strict=True)):
            grid.addWidget(label_of(field, words, "strong"), 0, column)
            grid.addWidget(field, 1, column)
        for column, known in enumerate(self.known):
            grid.addWidget(known, 2, column)
            grid.setColumnStretch(column, 1)
        add_to(box, grid, caution)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MILLISECONDS)
        self._pause.timeout.connect(self._look_up)
        self.text.textChanged.connect(self.changed)
        for field in self.names:
            field.textChanged.connect(lambda _: (self._pause.start(), self.changed.emit()))

    def choice(self) -> "TemplateChoice":
        return own_question(self.text.toPlainText(), self._typed)

    @property
    def _typed(self) -> tuple[str, ...]:
        return tuple(field.text().strip() for field in self.names)

    def why_not(self) -> str:
        """Return what is still missing, in words."""
        if "{name}" not in self.text.toPlainText():
            return tr("Write your question, with {placeholder} where the name comes.").format(placeholder="{name}")
        first, second = self._typed
        if not first or not second:
            return tr("Write two names.")
        return tr("The two names are the same.") if first.casefold() == second.casefold() else ""

    def _look_up(self) -> None:
        typed = self._typed

        def show(found: tuple[str, ...]) -> None:
            if typed == self._typed:
                for label, words in zip(self.known, found, strict=True):
                    label.setText(safe_line(words))

        self._shell.jobs.start(
            tr("Names"), lambda ctx: tuple(name_known(name) for name in typed), on_done=show, quiet=True
        )


class NewAuditDialog(Dialog):
    """The dialog. `begun` brings the audit, `by_hand` the study, the own question and the path of a person who
    chooses details first.
    """

    begun = Signal(object)  # FirstLook
    by_hand = Signal(str, object, object)  # study, TemplateChoice or None, Path or None

    def __init__(self, parent: QWidget, shell: Shell) -> None:
        super().__init__(parent, tr("New audit"))
        self._shell = shell
        self._known = self._left = False
        self.studies, self.picker, self.target = StudyChoice(), GeneratorPicker(), TargetField(shell)
        self.question = OwnQuestion(shell)
        self.wordings = QCheckBox()
        self.not_a_model = Chip(tr("not a language model"), "warn")
        self.about = Label("", "note", wrap=True)
        self.hint = Notice(tr("To keep in mind"), closable=False)
        self.hint.more.show()
        self.why_not = Notice("", tone="warn", closable=False)
        self.go, self.cancel = PrimaryButton(tr("Generate and measure"), act=self._begin), QuietButton(tr("Cancel"))
        self.own = QuietButton(tr("Choose everything…"), act=self._go_by_hand)
        self._lay_out()
        self._connect()
        self._show()
        self.resize(fitting(parent, *SIZE))
        self._read()

    def _read(self) -> None:
        project, recent = self._shell.project, self._shell.settings.recent()
        folder = recent[0].parent if recent else Path.home()
        open_now = project if project is not None and not project.read_only else None
        jobs = self._shell.jobs
        self._reading = (
            jobs.start(tr("Studies"), lambda ctx: read_offers(ctx, open_now, folder), on_done=self._offer, quiet=True),
            jobs.start(tr("Generators"), read_writers, on_done=self._show_writers, quiet=True),
        )

    def done(self, result: int) -> None:
        """Cancel the readings and stop listening to them: the dialog was closed in some way."""
        self._left = True
        for handle in self._reading:
            handle.cancel()
        super().done(result)

    def _offer(self, offers: FirstLookOffers) -> None:
        if self._left:
            return
        self.target.offer(offers.path)
        self.studies.show_offers(offers.studies)
        self._show()

    def _show_writers(self, writers: WriterChoices) -> None:
        if self._left:
            return
        self._known = True
        self.picker.show_writers(writers)
        self._show()

    def audit(self) -> FirstLook:
        """Return the chosen audit."""
        study, info, picker = self.studies.chosen, self.picker.info, self.picker
        assert study is not None
        assert info is not None
        given = starting_values(info, picker.local, _kind(study))
        if picker.chosen_endpoint is not None:
            given["endpoint"] = picker.chosen_endpoint.name
        audit = FirstLook(_kind(study), info.name, picker.model_name, tuple(sorted(given.items())), self._path)
        if study.kind != OWN:
            return replace(audit, wordings=self.wordings.isChecked())
        return replace(audit, question=self.question.choice(), samples=self.question.samples.value())

    @property
    def _path(self) -> Path | None:
        return None if self.target.project() is not None else self.target.new_path

    def _begin(self) -> None:
        audit = self.audit()
        self.accept()
        self.begun.emit(audit)

    def _go_by_hand(self) -> None:
        study, path = self.studies.chosen, self._path
        question = self.question.choice() if study is not None and study.kind == OWN else None
        self.accept()
        if study is not None:
            self.by_hand.emit(_kind(study), question, path)

    def _to_models(self, page: str) -> None:
        self.reject()
        show_models(self._shell, page)

    def _show(self) -> None:
        study, info = self.studies.chosen, self.picker.info
        why = self._why_not()
        self.why_not.text.setText(safe_line(why))
        self.why_not.setAccessibleName(safe_line(tr(why)))
        show_if(self.why_not, bool(why) and self._known)
        self.go.setEnabled(study is not None and info is not None and not why)
        self.go.setToolTip(safe_tip(tr(why)))  # in a low window the sentence may be out of sight
        self.own.setEnabled(study is not None)
        show_if(self.question, study is not None and study.kind == OWN)
        show_if(self.wordings, study is not None and study.kind != OWN)
        if study is not None:
            words = tr("Ask in {n} wordings, and see in how many a finding holds: {prompts} prompts")
            self.wordings.setText(words.format(n=WORDINGS, prompts=number(study.prompts * WORDINGS)))
        hint = study.hint if study is not None else ""
        self.hint.more.setText(safe_line(hint))
        show_if(self.hint, bool(hint))
        language_model = info is None or info.capabilities.is_language_model
        show_if(self.not_a_model, not language_model)
        self.about.setText(safe_line(info.description) if info is not None else "")

    def _choose(self) -> None:
        self._show()
        if self.question.isVisible():
            self.question.text.setFocus()

    def _why_not(self) -> str:
        study, picker = self.studies.chosen, self.picker
        if study is not None and study.kind == OWN and (missing := self.question.why_not()):
            return missing
        if study is not None and study.kind == OWN and picker.info and not picker.info.capabilities.is_language_model:
            return tr("{writer} cannot answer your question: choose a language model.").format(writer=picker.info.title)
        if picker.info is None:
            return ""
        if why := picker.why_not(why_offline(self._shell.connections)) or picker.trouble:
            return why
        named = bool(picker.model_name) or picker.source not in ("endpoint", "gguf", "folder")
        return "" if named else tr("Say first which model is to write: its name is missing.")

    def _connect(self) -> None:
        self.studies.changed.connect(self._choose)
        self.question.changed.connect(self._show)
        self.picker.changed.connect(self._show)
        self.picker.models_wanted.connect(self._to_models)
        self._shell.connections.changed.connect(self._show)
        self.cancel.clicked.connect(self.reject)

    def _lay_out(self) -> None:
        tokens = theme.current()
        sheet, grid, foot = Sheet(), FormGrid(), QHBoxLayout()
        words = tr(
            "A first look: a small set of prompts, each asked once with the usual settings, then measured. "
            "“Choose everything…” leads through prompts, settings and measures one by one."
        )
        label = Label(tr("Kept in"))
        label.setBuddy(self.target.box)
        row = self.picker.place(grid, 0)
        grid.addWidget(label, row, 0)
        grid.addWidget(self.target, row, 1, 1, 3)
        asked, writes = Label(tr("What is asked"), "strong"), Label(tr("Who writes"), "strong")
        add_to(sheet.box, asked, self.studies, self.question, self.wordings, writes, grid)
        for widget in (self.not_a_model, self.about, self.why_not, self.hint):  # who writes is seen in a low window too
            sheet.box.addWidget(widget, 0)
        sheet.box.addStretch(1)
        foot.setSpacing(tokens.grid)
        foot.addWidget(self.own)
        foot.addStretch(1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.go)
        self.go.setDefault(True)
        box = in_column(inside=self, spacing=tokens.gap, margins=tokens.margin)
        for widget, stretch in ((Label(tr("New audit"), "title"), 0), (Label(words, "soft", wrap=True), 0), (sheet, 1)):
            box.addWidget(widget, stretch)
        box.addLayout(foot)


def _kind(offer: FirstLookOffer) -> str:
    """Return the kind of study that an offer is measured as."""
    return OWN_STUDY if offer.kind == OWN else offer.kind


def begin_audit(shell: Shell, audit: FirstLook) -> None:
    """Store the prompts in the open project, write, measure, and show the findings unless the person left."""
    project = shell.project
    if project is None:
        return

    def fail(error: AppError) -> None:
        if project is shell.project:
            shell.show_error(error)

    def see() -> None:
        if shell.current == "generate":
            see_findings(shell, (audit.study,))

    def write(set_id: int) -> None:
        if project is not shell.project:
            return
        write_and_measure(
            shell.jobs,
            project,
            audit,
            set_id,
            scores=bool(shell.settings.get("score_at_once")),
            still_open=lambda: project is shell.project,
            on_measured=see,
            on_error=fail,
        )
        shell.show_panel("generate", prompt_set=set_id)

    added = add_first_look(project=project, audit=audit)
    added.start(shell.jobs, on_done=lambda one: write(one.set_id), on_error=fail)

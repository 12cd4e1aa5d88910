"""The doors of the home panel: what one can begin here, and what it still needs, said on the door."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy

from desktop import theme
from desktop.models.studies import words_of
from desktop.operations.models import Writers
from desktop.operations.studies import StudyFacts
from desktop.panels.home.facts import Facts
from desktop.widgets import Button, Card, FlowLayout, Label, LinkButton, plural, tr

ICON_SIDE = 26


@dataclass(frozen=True)
class DoorState:
    """What stands on a door now. `step` names what the button does, "" for nothing that can be done here."""

    words: str
    action: str
    step: str
    other: str = ""  # a second, quieter way
    other_step: str = ""
    mend: str = ""  # what brings something that is not here
    mend_step: str = ""


class Door(Card):
    """A big card: what it is for, how things stand, and the one button that goes on."""

    def __init__(self, title: str, text: str, icon: str, on_step: Callable[[str], object]) -> None:
        super().__init__()
        tokens = theme.current()
        self.state = DoorState("", "", "")
        self._icon_name = icon
        self.setAccessibleName(title)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.picture = QLabel()
        self.words = Label("", "note", wrap=True)
        self.button = Button("", role="primary")
        self.other = LinkButton("")
        self.mend = LinkButton("")
        self.mend.clicked.connect(lambda: on_step(self.state.mend_step))
        self.button.clicked.connect(lambda: on_step(self.state.step))
        self.other.clicked.connect(lambda: on_step(self.state.other_step))
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self.picture)
        head.addWidget(Label(title, "title"), 1)
        foot = FlowLayout(spacing=tokens.gap, centred=True)
        for button in (self.button, self.other, self.mend):
            foot.addWidget(button)
        self.box.addLayout(head)
        self.box.addWidget(Label(text, "soft", wrap=True))
        self.box.addStretch(1)
        self.box.addSpacing(tokens.grid)
        self.box.addWidget(self.words)
        self.box.addLayout(foot)
        self._dress()
        theme.signals.changed.connect(self._dress)

    def set_state(self, state: DoorState) -> None:
        self.state = state
        self.words.setText(state.words)
        self.button.set_text(state.action)
        self.button.setVisible(bool(state.action))
        self.button.setEnabled(bool(state.step))
        self.button.setAccessibleDescription(state.words)
        self.other.set_text(state.other)
        self.other.setVisible(bool(state.other))
        self.mend.set_text(state.mend)
        self.mend.setAccessibleDescription(state.words)
        self.mend.setVisible(bool(state.mend))

    def _dress(self) -> None:
        tokens = theme.current()
        side = tokens.px(ICON_SIDE)
        self.picture.setPixmap(theme.pixmap(self._icon_name, tokens.accent, side, self.devicePixelRatioF()))


def rate_state(facts: Facts | None, *, read_only: bool, preparing: bool = False) -> DoorState:
    """Rating needs comparisons, those outputs, those prompts: the first that lacks is said."""
    if facts is None and preparing:
        return DoorState(tr("The sample is being made on this computer, once. A moment…"), tr("Rate the sample"), "")
    if facts is None:
        return DoorState(
            tr("Needs a project with comparisons: the sample has some, ready to rate."),
            tr("Rate the sample"),
            "sample",
        )
    if read_only:
        return DoorState(tr("The project is open read-only: no choice could be saved."), "", "")
    if facts.comparisons:
        words = plural(facts.comparisons, "1 comparison is ready.", "%n comparisons are ready.")
        return DoorState(words, tr("Start rating"), "judge")
    outputs, prompts = facts.compared.texts, facts.compared.prompts
    if outputs:
        words = plural(
            outputs, "1 creative text is there, no comparisons yet.", "%n creative texts are there, no comparisons yet."
        )
        return DoorState(words, tr("Draw comparisons…"), "judge")
    if prompts:
        words = plural(prompts, "1 prompt is there, no outputs yet.", "%n prompts are there, no outputs yet.")
        return DoorState(words, tr("Generate outputs…"), "generate")
    words = tr("Comparisons are drawn from creative texts, and the project has no prompts for them yet.")
    return DoorState(words, tr("Choose prompts…"), "creative prompts")


def fingerprint_state(facts: Facts | None, *, read_only: bool, preparing: bool = False) -> DoorState:
    """A fingerprint needs a rating session that is finished; until then the door leads to the rating."""
    if facts is None and preparing:
        return DoorState(tr("The sample is being made on this computer, once. A moment…"), tr("Rate the sample"), "")
    if facts is None:
        return DoorState(
            tr("Needs comparisons that you rated to the end: the sample has some, ready to rate."),
            tr("Rate the sample"),
            "sample",
        )
    if facts.finished:
        words = plural(facts.finished, "1 finished session is there.", "%n finished sessions are there.")
        return DoorState(words, tr("See my fingerprint"), "fingerprint")
    if not facts.comparisons:
        words = tr("Needs comparisons, rated to the end, and the project has none yet.")
        lacks = rate_state(facts, read_only=read_only)
        return DoorState(words, lacks.action, lacks.step)
    if read_only:
        return DoorState(tr("Needs a finished session, and the project is open read-only."), "", "")
    if facts.begun:
        return DoorState(
            tr("Hidden until your session is finished: some comparisons are left."), tr("Go on rating"), "judge"
        )
    return DoorState(
        tr("Needs a session that you rated to the end; comparisons are ready."), tr("Start rating"), "judge"
    )


def letter_state() -> DoorState:
    """The check of a letter needs nothing but the letter."""
    words = tr("Nothing leaves this computer, and nothing is kept unless you save it.")
    return DoorState(words, tr("Check a letter"), "letters")


def texts_state(facts: Facts | None, *, read_only: bool) -> DoorState:
    """Texts of any study are imported or generated, scored and measured, and then looked at."""
    choose = tr("Choose a table…")
    if facts is None or not facts.with_texts:
        return DoorState(
            tr("Needs a table with the texts and what each is about: csv, xlsx, jsonl or parquet."), choose, "import"
        )
    words = "; ".join(one.said for one in facts.with_texts) + "."
    if any(one.pending for one in facts.studies) and not read_only:
        action = tr("Score and measure") if any(_scored(one) for one in facts.studies) else tr("Measure")
        return DoorState(words, action, "measure", tr("Add texts…"), "import")
    return DoorState(words, tr("See what was found"), "see", tr("Add texts…"), "import")


def audit_state(facts: Facts | None, *, read_only: bool, writers: Writers | None = None) -> DoorState:
    """An audit begins with prompts, in a project of its own or in the one that is open, and it needs a writer."""
    state = _audit_state(facts, read_only=read_only)
    if writers is None or writers.real:
        return state
    lack = tr("Only the teaching model is here to write.") if writers.teaching else tr("No model is here to write yet.")
    return replace(state, words=f"{state.words} {lack}", mend=tr("Get a model…"), mend_step="models")


def _audit_state(facts: Facts | None, *, read_only: bool) -> DoorState:
    if facts is None or read_only:
        return DoorState(tr("Begins with a new project and its prompts."), tr("New audit…"), "audit")
    if not facts.with_prompts:
        return DoorState(
            tr("The open project has no prompts yet."), tr("Choose prompts…"), "prompts", tr("New audit…"), "audit"
        )
    words = "; ".join(
        tr("{study}: {prompts}, {texts}").format(
            study=one.title,
            prompts=plural(one.prompts, "1 prompt", "%n prompts"),
            texts=plural(one.texts, "1 text", "%n texts"),
        )
        for one in facts.with_prompts
    )
    return DoorState(f"{words}.", tr("Go on"), "generate", tr("New audit…"), "audit")


def _scored(one: StudyFacts) -> bool:
    return one.pending and words_of(one.kind).scored

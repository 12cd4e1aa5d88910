"""The page before a session: who rates, what there is to rate, and what the keys do."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QRadioButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from core.judging.blind import Offer, StartInfo
from desktop import theme
from desktop.panels.judge_keys import KeyMap
from desktop.widgets import Card, KeyHint, Label, LinkButton, PlainText, PrimaryButton, plural, tr

CODE_MILLISECONDS = 250  # after the last letter of a code, look up what its rater has done
WIDTH = 1040
SHOWN_KEYS = (
    ("choose_1", "Choose A"), ("choose_2", "Choose B"), ("choose_3", "Choose C"), ("tie", "Equally good"),
    ("none", "None is good"), ("skip", "Skip; it can be gone back to"), ("back", "Go back and revise"),
    ("note", "Write a note"), ("rubric", "Show the criteria"), ("differences", "Mark the words that differ"),
)  # fmt: skip


class StartPage(QScrollArea):
    """Asks for a rater code and, where there are several, for the set."""

    started = Signal(object, str, bool)  # Offer, code, consent
    code_edited = Signal(str)
    new_wanted = Signal()

    def __init__(self, keys: KeyMap) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.offers: tuple[Offer, ...] = ()
        self.code = QLineEdit()
        self.code.setAccessibleName(tr("Rater code"))
        self.code.setMaxLength(40)
        self.sets = QVBoxLayout()
        self._group = QButtonGroup(self)
        self.about = Label("", "reading", wrap=True)
        self.consent = PlainText(name=tr("Consent"))
        self.agree = QCheckBox(tr("I agree"))
        self.start = PrimaryButton(tr("Start"))
        self.new = LinkButton(tr("Draw new comparisons…"))
        self._code_timer = QTimer(self, singleShot=True, interval=CODE_MILLISECONDS)
        self._keys = QGridLayout()
        self._lay_out()
        self._connect()
        self.set_keys(keys)

    def show_info(self, info: StartInfo) -> None:
        """Show what there is to rate. The code is only filled in where none was typed."""
        if not self.code.text().strip() and not self.code.hasFocus():
            self.code.setText(info.code)
        wanted = self.offer.token if self.offer else ""
        self.offers = info.offers
        for old in self._group.buttons():
            # Out of the group at once: it would be found by its number until it is deleted.
            self._group.removeButton(old)
            self.sets.removeWidget(old)
            old.deleteLater()
        for index, offer in enumerate(self.offers):
            button = QRadioButton(_set_words(offer))
            self._group.addButton(button, index)
            self.sets.addWidget(button)
            button.setVisible(len(self.offers) > 1)
        best = next((index for index, offer in enumerate(self.offers) if offer.token == wanted), None)
        if best is None:
            best = next((index for index, offer in enumerate(self.offers) if not offer.revealed), 0)
        if self.offers:
            self._group.button(best).setChecked(True)
        self._show_offer()

    def set_opening(self, opening: bool) -> None:
        """A session is being opened; with very many comparisons that takes a moment."""
        if opening:
            self.start.set_text(tr("Opening…"))
            self.start.setEnabled(False)
        else:
            self._show_offer()

    def set_keys(self, keys: KeyMap) -> None:
        while (item := self._keys.takeAt(0)) is not None:
            item.widget().deleteLater()
        half = (len(SHOWN_KEYS) + 1) // 2
        for index, (name, meaning) in enumerate(SHOWN_KEYS):
            row, column = index % half, 2 * (index // half)
            caps = QWidget()
            line = QHBoxLayout(caps)
            line.setContentsMargins(0, 0, 0, 0)
            line.setSpacing(4)
            for key in keys.get(name, ()):
                line.addWidget(KeyHint(key, parent=caps))
            line.addStretch(1)
            self._keys.addWidget(caps, row, column)
            self._keys.addWidget(Label(tr(meaning), wrap=True), row, column + 1)
        for column in (1, 3):
            self._keys.setColumnStretch(column, 1)

    @property
    def offer(self) -> Offer | None:
        """The set that is picked."""
        index = self._group.checkedId()
        return self.offers[index] if 0 <= index < len(self.offers) else None

    # inside

    def _lay_out(self) -> None:
        tokens = theme.current()
        sheet = QWidget()
        sheet.setProperty("role", "clear")
        outer = QHBoxLayout(sheet)
        outer.setContentsMargins(0, 0, 0, 0)
        column = QWidget()
        column.setMaximumWidth(tokens.px(WIDTH))
        outer.addWidget(column, 1, Qt.AlignmentFlag.AlignTop)
        box = QVBoxLayout(column)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(tokens.gap)
        session = Card(tr("Rate side by side"))
        session.box.addWidget(self.about)
        session.box.addLayout(self.sets)
        session.box.addSpacing(tokens.grid)
        session.box.addLayout(self._code_row())
        self.consent.setFixedHeight(tokens.px(96))
        session.box.addSpacing(tokens.grid)
        session.box.addWidget(self.consent)
        session.box.addWidget(self.agree)
        session.box.addSpacing(tokens.grid)
        session.box.addLayout(self._start_row())
        keys = Card(tr("Everything has a key"))
        self._keys.setHorizontalSpacing(tokens.gap)
        self._keys.setVerticalSpacing(tokens.grid)
        keys.box.addLayout(self._keys)
        keys.box.addWidget(
            Label(tr("Keys are off while you type. They can be changed in the settings."), "note", wrap=True)
        )
        box.addWidget(session)
        box.addWidget(keys)
        self.setWidget(sheet)

    def _code_row(self) -> QVBoxLayout:
        row = QHBoxLayout()
        row.addWidget(Label(tr("Rater code"), "strong"))
        row.addWidget(self.code)
        row.addStretch(1)
        self.code.setFixedWidth(theme.current().px(160))
        column = QVBoxLayout()
        column.addLayout(row)
        column.addWidget(
            Label(
                tr("A code, not your name: it is stored with your answers. Use the same one to go on."),
                "note",
                wrap=True,
            )
        )
        return column

    def _start_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addWidget(self.start)
        row.addSpacing(theme.current().gap)
        row.addWidget(self.new)
        row.addStretch(1)
        return row

    def _connect(self) -> None:
        self.start.clicked.connect(self._start)
        self.code.returnPressed.connect(self._start)
        self.new.clicked.connect(self.new_wanted)
        self.code.textEdited.connect(lambda _: self._code_timer.start())
        self._code_timer.timeout.connect(lambda: self.code_edited.emit(self.code.text().strip()))
        self._group.idToggled.connect(lambda _, on: on and self._show_offer())
        self.agree.toggled.connect(lambda _: self._show_offer())

    def _start(self) -> None:
        if self.offer is not None and self.start.isEnabled():
            self.started.emit(self.offer, self.code.text().strip(), self.agree.isChecked())

    def _show_offer(self) -> None:
        offer = self.offer
        if offer is None:
            self.start.setEnabled(False)
            return
        asks = bool(offer.consent_text) and not offer.opened
        if self.consent.text() != offer.consent_text:
            self.consent.set_text(offer.consent_text)
        self.consent.setVisible(asks)
        self.agree.setVisible(asks)
        self.about.setText(_about(offer))
        self.start.set_text(
            tr("Show the result") if offer.revealed else tr("Continue") if offer.opened else tr("Start")
        )
        self.start.setEnabled(not asks or self.agree.isChecked())


def _about(offer: Offer) -> str:
    count = plural(offer.comparisons, "%n comparison", "%n comparisons")
    if offer.revealed:
        return tr("{count}. This rater has finished: the answers are locked.").format(count=count)
    done = ""
    if offer.opened:
        done = tr(" {done} answered, {skipped} skipped so far.").format(done=offer.done, skipped=offer.skipped)
    words = tr(
        "{count}, two or three texts each: say which you find best. What is being compared stays hidden until the end."
    )
    return words.format(count=count) + done


def _set_words(offer: Offer) -> str:
    count = plural(offer.comparisons, "%n comparison", "%n comparisons")
    state = tr("finished") if offer.revealed else tr("{n} answered").format(n=offer.done) if offer.opened else tr("new")
    return tr("Set {number}: {count}, {state}").format(number=offer.number, count=count, state=state)

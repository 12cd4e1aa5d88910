"""The page before a session: the rater's code (never a name), what there is to rate, and the consent."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from biasprint.core.judging.blind import Offer, SessionProgress, StartInfo
from biasprint.desktop import theme
from biasprint.desktop.panels.judge.teaching import LinesEdit
from biasprint.desktop.settings import KeyMap
from biasprint.desktop.widgets import (
    Card,
    KeyHint,
    Label,
    LinkButton,
    PlainText,
    PrimaryButton,
    QuietButton,
    plural,
    spelled_seconds,
    tr,
)
from biasprint.desktop.widgets.labels import hidden, named, show_words
from biasprint.desktop.widgets.layout import STRETCH, Gap, Scroller, add_to, clear_row, empty, in_column, in_row, scaled
from biasprint.desktop.widgets.safe_text import safe_line

MOST_LINES = 6  # of the text; a longer one scrolls


class ConsentBox(QWidget):
    """The consent text as it will be stored, a check box, and "I do not agree"."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        tokens = theme.current()
        self.asks = False
        self.text = PlainText(name=tr("Consent"))
        self.agree = QCheckBox(tr("I agree"))
        self.decline = LinkButton(tr("I do not agree"), act=lambda: self._show_declined(True))
        self.declined = Label(
            tr("That is fine. You do not rate, and nothing about you was stored. You can close the window."),
            "reading",
            wrap=True,
        )
        self.again = LinkButton(tr("Read it again"), act=lambda: self._show_declined(False))
        row = in_row(self.agree, self.decline, self.again, STRETCH, spacing=tokens.margin)
        box = in_column(inside=self, margins=(0, tokens.grid, 0, 0))
        add_to(box, Label(tr("Before you start"), "strong"), self.text, self.declined, row, spacing=tokens.grid)
        self.agree.toggled.connect(lambda _: self.changed.emit())
        self._show_declined(False)

    def show_offer(self, offer: Offer) -> None:
        """Ask for consent if this rater has not agreed yet."""
        self.asks = bool(offer.consent_text) and not offer.agreed and not offer.revealed
        if self.text.text() != offer.consent_text:
            self.text.set_text(offer.consent_text)
        self.setVisible(self.asks)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @property
    def settled(self) -> bool:
        """True if a session may start."""
        return not self.asks or self.agree.isChecked()

    def forget(self) -> None:
        """Clear the consent for the next person."""
        self.agree.setChecked(False)
        self._show_declined(False)

    def _fit(self) -> None:
        """Set the height that the text needs, up to a number of lines."""
        line = round(theme.current().reading * theme.current().line_height)
        self.text.document().setTextWidth(self.text.viewport().width())
        needed = round(self.text.document().size().height()) + 4
        self.text.setFixedHeight(max(line, min(needed, MOST_LINES * line)))

    def _show_declined(self, declined: bool) -> None:
        if declined:
            self.agree.setChecked(False)
        for widget in (self.text, self.agree, self.decline):
            widget.setVisible(not declined)
        for widget in (self.declined, self.again):
            widget.setVisible(declined)
        self.changed.emit()


CODE_LENGTH = 40
BACKGROUND_LINES = 2


class PersonBox(QWidget):
    """The rater's code, fixed in a packet, with a button for the next person; and an optional self-description."""

    another_person = Signal()  # another person sits down

    def __init__(self) -> None:
        super().__init__()
        self._fixed = False
        self.code = named(QLineEdit(placeholderText=tr("such as R01"), maxLength=CODE_LENGTH), tr("Rater code"))
        scaled(self.code, self.code.setFixedWidth, 160)
        self.fixed_code = Label("", "strong")
        self.another = LinkButton(tr("Another person…"), act=self.another_person)
        self.about_code = Label("", "note", wrap=True)
        hint = tr("In your own words, if you like. Leave it empty, and nothing is kept.")
        self.background = LinesEdit(tr("About you, if you like"), BACKGROUND_LINES, hint)
        self.background.left.connect(self.background.clearFocus)
        self.about_background = Label("", "note", wrap=True)
        self.background_box = QWidget()
        self._lay_out()
        self.set_fixed("")

    def set_fixed(self, code: str) -> None:
        """Show the code that the coordinator gave in a packet; "" if the rater types it."""
        self._fixed = bool(code)
        if code:
            self.code.setText(code)
        self.fixed_code.setText(code)
        self.fixed_code.setVisible(self._fixed)
        self.code.setVisible(not self._fixed)
        self.another.setVisible(not self._fixed)
        self.about_code.setText(
            tr("This packet was made for this code. It is stored with your answers; your name is not.")
            if self._fixed
            else tr("A code, not your name: it is stored with your answers. Use the same one to go on.")
        )

    def show_offer(self, offer: Offer) -> None:
        """Ask for a self-description if the plan does, and say where it is kept."""
        self.background_box.setVisible(offer.asks_background and not offer.revealed)
        storage = (
            tr("Kept in this file with your code, and sent back with it. Nobody needs it; you can leave it empty.")
            if self._fixed
            else tr("Kept in this project file with your code, and nowhere else. You can leave it empty.")
        )
        earlier = tr(" You wrote something before: it is kept unless you write something else.")
        self.about_background.setText(storage + (earlier if offer.described else ""))

    def words(self) -> str:
        """Return the rater's description of themselves."""
        return self.background.toPlainText().strip() if not self.background_box.isHidden() else ""

    def forget(self) -> None:
        """Clear the self-description for the next person."""
        self.background.clear()

    def _lay_out(self) -> None:
        tokens = theme.current()
        row = in_row(
            Label(tr("Rater code"), "strong"), self.code, self.fixed_code, self.another, STRETCH, spacing=tokens.gap
        )
        words = in_column(inside=self.background_box, spacing=4, margins=(0, tokens.grid, 0, 0))
        add_to(words, Label(tr("About you (only if you like)"), "strong"), self.background, self.about_background)
        self.background_box.hide()
        in_column(row, self.about_code, self.background_box, inside=self, spacing=4, margins=0)


# ---- The page

CODE_MILLISECONDS = 250  # after the last letter of a code, look up what its rater has done
WIDTH = 1040
SHOWN_KEYS = (
    ("choose_1", "Choose A"), ("choose_2", "Choose B"), ("choose_3", "Choose C"), ("much_1", "A is much better"),
    ("much_2", "B is much better"), ("much_3", "C is much better"), ("tie", "Equally good"),
    ("none", "None is good"), ("skip", "Skip; it can be gone back to"), ("back", "Go back and revise"),
    ("note", "Write a note"), ("rubric", "Show the rubric"), ("ratings", "Rate each text by the rubric"),
    ("mark", "Mark the selected words as a reason"), ("differences", "Mark the words that differ"),
    ("markdown", "Draw headings, lists and tables"), ("prompt", "Show the whole prompt"),
    ("larger", "Larger texts, and back"),
)  # fmt: skip
SLIGHTLY = {  # what the keys of a choice say where degrees are asked
    "choose_1": "A is slightly better", "choose_2": "B is slightly better", "choose_3": "C is slightly better",
}  # fmt: skip


class JudgeStartPage(Scroller):
    """The page that asks for a rater code and, if there are several sets, for the set."""

    started = Signal(object, str, bool, str)  # Offer, code, consent, what the rater says about themselves
    code_edited = Signal(str)
    another_person = Signal()  # another person sits down
    new_wanted = Signal()
    texts_wanted = Signal()  # to import some, and draw comparisons from them
    copy_wanted = Signal()  # to save a read-only packet where it can be rated

    def __init__(self, keys: KeyMap) -> None:
        super().__init__()
        self.offers: tuple[Offer, ...] = ()
        self.person, self.consent = PersonBox(), ConsentBox()
        self.code, self.agree = self.person.code, self.consent.agree
        self.sets = QVBoxLayout()
        self._group = QButtonGroup(self)
        self._packet = False
        self._read_only = ""
        self._code_shown = ""
        self._key_map: KeyMap = keys
        self._keys_shown: tuple[str, ...] = ()
        self.paused = hidden(Label("", "strong", wrap=True))
        self.about = Label("", "reading", wrap=True)
        self.start = PrimaryButton(tr("Start"), act=self.begin)
        self.new = LinkButton(tr("Draw new comparisons…"), act=self.new_wanted)
        self.bring = LinkButton(tr("Import texts…"), act=self.texts_wanted)
        self.cannot = Label("", "strong", wrap=True)
        self.copy = QuietButton(tr("Save it somewhere else…"), act=self.copy_wanted)
        self._code_timer = QTimer(self, singleShot=True, interval=CODE_MILLISECONDS)
        self._keys = QGridLayout()
        self._lay_out()
        self._connect()
        self.set_keys(keys)
        self.set_place()

    def set_place(self, *, packet_code: str = "", read_only: str = "") -> None:
        """Set the fixed code of a packet, and the reason why nothing can be saved, if any."""
        self._packet, self._read_only = bool(packet_code), read_only
        self.offers = ()  # those of another project cannot be opened in this one
        self.person.set_fixed(packet_code)
        for link in (self.new, self.bring):
            link.setVisible(not self._packet and not read_only)
        show_words(self.cannot, read_only)
        self.copy.setVisible(self._packet and bool(read_only))
        self.forget()
        self._enable_start()

    def show_paused(self, progress: SessionProgress) -> None:
        """Show the progress and active time of the session that was paused."""
        counted = tr("{done} of {total} answered").format(done=progress.done, total=progress.total)
        if progress.skipped:
            counted += ", " + plural(progress.skipped, "%n skipped", "%n skipped")
        words = tr("Paused: {counted}, {time} of active time. The time stands still, and everything is saved.")
        self.paused.setText(words.format(counted=counted, time=spelled_seconds(progress.active_seconds)))
        self.paused.show()
        self._code_shown = self.code.text().strip()

    def forget(self) -> None:
        """Clear the code, the background and the consent for the next person."""
        self._code_shown = ""
        self.paused.hide()
        self.person.forget()
        self.consent.forget()
        if not self._packet:
            self.code.clear()

    def show_info(self, info: StartInfo) -> None:
        """Show what there is to rate. The code is only filled in if none was typed."""
        if not self.code.text().strip() and not self.code.hasFocus():
            self.code.setText(info.code)
        if info.code != self._code_shown:
            self.paused.hide()  # somebody else's
            self._code_shown = info.code
            self.person.forget()
            self.consent.forget()
        wanted = self.offer.token if self.offer else ""
        self.offers = info.offers
        for old in self._group.buttons():
            # Out of the group at once: it would be found by its number until it is deleted.
            self._group.removeButton(old)
            self.sets.removeWidget(old)
            old.deleteLater()
        for index, offer in enumerate(self.offers):
            button = QRadioButton(tr(_set_words(offer)))
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
        """Show that a session is being opened, which takes a moment for very many comparisons."""
        if opening:
            self.start.set_text(tr("Opening…"))
            self.start.setEnabled(False)
        else:
            self._show_offer()

    def set_keys(self, keys: KeyMap) -> None:
        self._key_map = keys
        self._keys_shown = ()
        self._show_keys()

    @property
    def offer(self) -> Offer | None:
        """The chosen set."""
        index = self._group.checkedId()
        return self.offers[index] if 0 <= index < len(self.offers) else None

    def take_keyboard(self) -> None:
        """Give the keyboard to the start button, or to the consent box while consent is missing."""
        place = self.start if self.start.isEnabled() else self.agree
        place.setFocus(Qt.FocusReason.OtherFocusReason)

    # inside

    def _lay_out(self) -> None:
        tokens = theme.current()
        sheet, outer = clear_row()
        column = QWidget(maximumWidth=tokens.px(WIDTH))
        outer.addWidget(column, 1, Qt.AlignmentFlag.AlignTop)
        box = in_column(inside=column, spacing=tokens.gap, margins=0)
        session = Card(tr("Rate side by side"), self.paused, self.about, self.sets)
        add_to(
            session.box, Gap(tokens.grid), self.person, self.consent, Gap(tokens.grid), self.cannot, self._start_row()
        )
        self._keys.setHorizontalSpacing(tokens.gap)
        self._keys.setVerticalSpacing(tokens.grid)
        keys = Card(tr("Everything has a key"), self._keys)
        keys.box.addWidget(
            Label(tr("Keys are off while you type. They can be changed in the settings."), "note", wrap=True)
        )
        add_to(box, session, keys)
        self.setWidget(sheet)

    def _start_row(self) -> QHBoxLayout:
        return in_row(
            self.start, self.copy, Gap(theme.current().gap), self.new, Gap(theme.current().gap), self.bring, STRETCH
        )

    def _connect(self) -> None:
        self.code.returnPressed.connect(self.begin)
        self.code.textEdited.connect(lambda _: self._code_timer.start())
        self._code_timer.timeout.connect(lambda: self.code_edited.emit(self.code.text().strip()))
        self._group.idToggled.connect(lambda _, on: on and self._show_offer())
        self.consent.changed.connect(self._enable_start)
        self.agree.clicked.connect(lambda agreed: self.take_keyboard() if agreed else None)
        self.person.another_person.connect(self.another_person)

    def begin(self) -> None:
        """Open the chosen set if everything that it needs is filled in."""
        if self.offer is not None and self.start.isEnabled():
            code = self.code.text().strip()
            self.started.emit(self.offer, code, self.agree.isChecked(), self.person.words())

    def _show_offer(self) -> None:
        offer = self.offer
        if offer is not None:
            self.consent.show_offer(offer)
            self.person.show_offer(offer)
            self.about.setText(_about(offer, packet=self._packet))
            begun = offer.done + offer.skipped > 0
            self.start.set_text(tr("Show the result") if offer.revealed else tr("Continue") if begun else tr("Start"))
        self._enable_start()
        self._show_keys()

    def _enable_start(self) -> None:
        ready = self.offer is not None and self.consent.settled and not self._read_only
        self.start.setEnabled(ready)

    def _show_keys(self) -> None:
        """Show the keys that this set uses."""
        offer = self.offer
        graded, three = offer is not None and offer.graded, offer is None or 3 in offer.cards
        wanted = {
            "note": offer is None or offer.notes, "ratings": offer is not None and offer.ratings,
            "mark": offer is not None and offer.spans, "choose_3": three, "much_1": graded, "much_2": graded,
            "much_3": graded and three, "prompt": offer is not None and offer.prompts_shown,
        }  # fmt: skip
        shown = tuple((name, meaning) for name, meaning in SHOWN_KEYS if wanted.get(name, True))
        if tuple(name for name, _ in shown) == self._keys_shown:
            return
        self._keys_shown = tuple(name for name, _ in shown)
        empty(self._keys)
        half = (len(shown) + 1) // 2
        for index, (name, meaning) in enumerate(shown):
            row, column = index % half, 2 * (index // half)
            caps = QWidget()
            line = in_row(inside=caps, spacing=4, margins=0)
            for key in self._key_map.get(name, ()):
                line.addWidget(KeyHint(key, parent=caps))
            line.addStretch(1)
            self._keys.addWidget(caps, row, column)
            words = SLIGHTLY.get(name, meaning) if graded else meaning
            self._keys.addWidget(Label(tr(words), wrap=True), row, column + 1)
        for column in (1, 3):
            self._keys.setColumnStretch(column, 1)


def _about(offer: Offer, *, packet: bool) -> str:
    count = plural(offer.comparisons, "%n comparison", "%n comparisons")
    if offer.revealed:
        return tr("{count}. This rater has finished: the answers are locked.").format(count=count)
    done = ""
    if offer.done + offer.skipped > 0:
        done = tr(" {done} answered, {skipped} skipped so far.").format(done=offer.done, skipped=offer.skipped)
    shown = {(2,): tr("two texts each"), (3,): tr("three texts each")}.get(offer.cards, tr("two or three texts each"))
    words = " ".join(
        (
            tr("{count}, {shown}: {asked}").format(count=count, shown=shown, asked=_asked(offer)),
            tr("You can stop and go on at any time.")
            if packet
            else tr("What is being compared stays hidden until the end."),
        )
    )
    return words + _prompts(offer) + done


def _prompts(offer: Offer) -> str:
    """Return why no prompt is above the texts, where there are prompts."""
    return tr(" The prompts are not shown: they name what is compared.") if offer.prompts_withheld else ""


def _asked(offer: Offer) -> str:
    """Return what a rater is asked of each comparison: the plan's own question, or the usual one."""
    if own := safe_line(offer.question):
        return f"“{own}” {tr('Then: which is worst?')}" if offer.asks_worst else f"“{own}”"
    sure = tr("; then how sure you are") if offer.confidence else ""
    if offer.graded:
        return tr("say which you find best, slightly or much better than the rest{sure}.").format(sure=sure)
    if offer.asks_worst:
        return tr("say which is best, then which is worst{sure}.").format(sure=sure)
    return tr("say which you find best{sure}.").format(sure=sure)


def _set_words(offer: Offer) -> str:
    count = plural(offer.comparisons, "%n comparison", "%n comparisons")
    state = tr("finished") if offer.revealed else tr("{n} answered").format(n=offer.done) if offer.opened else tr("new")
    return tr("Set {number}: {count}, {state}").format(number=offer.number, count=count, state=state)

"""The keys of judging: what they do when they are pressed, and remapping them."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QKeyCombination, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from desktop import theme
from desktop.settings import KEY_ACTIONS, Settings
from desktop.settings.keys import DEFAULT_KEYS, conflicts, normal
from desktop.widgets.buttons import LinkButton
from desktop.widgets.labels import Label
from desktop.widgets.words import tr

# ---- The keys of judging: remappable, no repeats while held, and off while something is typed

KeyMap = Mapping[str, Sequence[str]]  # action → its keys, written portably ("Ctrl+Z")
NO_MODIFIER = Qt.KeyboardModifier.NoModifier


class JudgeKeys:
    """From key presses to actions.

    A page asks `handle` in its keyPressEvent: a press comes there only if the field that has the keyboard did not
    take it, so that typing, and Ctrl+Z in a note, never judge anything.
    """

    def __init__(self, actions: Mapping[str, Callable[[], object]]) -> None:
        self._actions = actions
        self._by_key: dict[str, Callable[[], object]] = {}

    def set_keys(self, keys: KeyMap) -> None:
        """Put other keys in force, written portably; an action without keys has none."""
        self._by_key = {key: action for name, action in self._actions.items() for key in keys.get(name, ())}

    def handle(self, event: QKeyEvent) -> bool:
        """Do what the key stands for; False if it stands for nothing."""
        action = next((self._by_key[name] for name in _names(event) if name in self._by_key), None)
        if action is None:
            return False
        # Holding a key must not run through the comparisons.
        if not event.isAutoRepeat():
            action()
        return True


def _names(event: QKeyEvent) -> list[str]:
    """The ways to write a key press: as it is, and without Shift, which some keyboards need for digits."""
    key = Qt.Key(event.key())
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    tried = [modifiers] if modifiers != Qt.KeyboardModifier.ShiftModifier else [modifiers, NO_MODIFIER]
    return [QKeySequence(QKeyCombination(one, key)).toString(QKeySequence.SequenceFormat.PortableText) for one in tried]


# ---- Remapping the keys of judging: press a button, then the key. Two actions never share one

MODIFIERS = (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Meta, Qt.Key.Key_AltGr)
NAMES_WIDTH = 220


class KeyButton(QPushButton):
    """Shows a key; pressed, it takes the next key as the new one. Escape leaves things as they were."""

    recorded = Signal(str)

    def __init__(self, key: str, action: str) -> None:
        super().__init__()
        self._key = key
        self._action = action
        self._listening = False
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMinimumWidth(theme.current().px(88))
        self.clicked.connect(lambda: self._listen(True))
        self._listen(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._listening:
            super().keyPressEvent(event)
            return
        key = Qt.Key(event.key())
        if key in MODIFIERS:
            return
        # Shift alone only makes a capital of the letter that the key already is.
        modifiers = event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        self._listen(False)
        if key != Qt.Key.Key_Escape:
            pressed = QKeySequence(QKeyCombination(modifiers, key))
            self.recorded.emit(pressed.toString(QKeySequence.SequenceFormat.PortableText))

    def focusNextPrevChild(self, forward: bool) -> bool:
        return False if self._listening else super().focusNextPrevChild(forward)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._listen(False)

    def _listen(self, listening: bool) -> None:
        self._listening = listening
        if listening:
            self.setFocus()
        shown = QKeySequence(self._key).toString(QKeySequence.SequenceFormat.NativeText)
        self.setText(tr("Press a key…") if listening else shown)
        self.setAccessibleName(tr("{action}: key {key}").format(action=self._action, key=shown))


class KeyMapEditor(QWidget):
    """One row per action. What makes a conflict is said and not kept."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self._rows = QWidget()
        self._buttons: dict[tuple[str, str], KeyButton] = {}
        self.message = Label("", "note", wrap=True)
        self.reset = LinkButton(tr("Put back the usual keys"))
        self.reset.clicked.connect(lambda: settings.set_keys(DEFAULT_KEYS))
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(theme.current().grid)
        self._box.addWidget(self._rows)
        self._box.addWidget(self.message)
        self._box.addWidget(self.reset)
        self._fill()
        settings.changed.connect(self._setting_changed)

    def remap(self, action: str, old: str, new: str) -> None:
        """Use `new` in place of `old` for an action, unless something else uses it."""
        key_map = self._settings.keys()
        wanted = {**key_map, action: tuple(new if key == old else key for key in key_map[action])}
        clash = conflicts(wanted)
        titles = {known.name: tr(known.title) for known in KEY_ACTIONS}
        if not normal(new):
            self.message.setText(tr("That key cannot be used."))
        elif new in clash:
            other = next((name for name in clash[new] if name != action), action)
            self.message.setText(
                tr("{key} is taken by “{action}”; nothing was changed.").format(
                    key=new, action=titles.get(other, tr("the window"))
                )
            )
        else:
            self.message.setText("")
            self._settings.set_keys(wanted)
            self._buttons[action, normal(new)].setFocus()
        self.message.setVisible(bool(self.message.text()))

    def _setting_changed(self, key: str) -> None:
        if key == "keys":
            self._fill()

    def _fill(self) -> None:
        fresh = QWidget()
        grid = QGridLayout(fresh)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(theme.current().margin)
        grid.setVerticalSpacing(theme.current().grid)
        grid.setColumnMinimumWidth(0, theme.current().px(NAMES_WIDTH))
        grid.setColumnStretch(1, 1)
        key_map = self._settings.keys()
        self._buttons = {}
        for row, action in enumerate(KEY_ACTIONS):
            buttons = QHBoxLayout()
            buttons.setSpacing(theme.current().grid)
            for key in key_map[action.name]:
                button = KeyButton(key, tr(action.title))
                button.recorded.connect(lambda new, name=action.name, old=key: self.remap(name, old, new))
                buttons.addWidget(button)
                self._buttons[action.name, key] = button
            buttons.addStretch(1)
            grid.addWidget(Label(tr(action.title)), row, 0)
            grid.addLayout(buttons, row, 1)
        self._box.replaceWidget(self._rows, fresh)
        self._rows.setParent(None)
        self._rows.deleteLater()
        self._rows = fresh
        self.message.setVisible(bool(self.message.text()))

"""The keys of judging: remappable, no repeats while held, and off while something is typed."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

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

"""The keys of judging: data that a person may change, and from key presses to actions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

KeyMap = Mapping[str, Sequence[str]]  # action → its keys, written portably ("Ctrl+Z")
NO_MODIFIER = Qt.KeyboardModifier.NoModifier


@dataclass(frozen=True)
class KeyAction:
    """Something a key does while judging. Keys are written portably: "1", "Ctrl+Z"."""

    name: str
    title: str
    keys: tuple[str, ...]


KEY_ACTIONS: tuple[KeyAction, ...] = (
    KeyAction("choose_1", "Choose the first card", ("1",)),
    KeyAction("choose_2", "Choose the second card", ("2",)),
    KeyAction("choose_3", "Choose the third card", ("3",)),
    KeyAction("tie", "Tie", ("0",)),
    KeyAction("none", "None is good", ("X",)),
    KeyAction("skip", "Skip", ("S",)),
    KeyAction("back", "Go back and revise", ("B", "Ctrl+Z")),
    KeyAction("note", "Note", ("N",)),
    KeyAction("rubric", "Rubric", ("G",)),
    KeyAction("ratings", "Rate by criterion", ("R",)),
    KeyAction("differences", "Differences", ("D",)),
)
ADDED_LATER = frozenset({"ratings"})  # a key map that was kept before does not know them
DEFAULT_KEYS: dict[str, tuple[str, ...]] = {action.name: action.keys for action in KEY_ACTIONS}

# What the window itself or every field needs.
RESERVED = frozenset(
    ("Ctrl+K", "Ctrl+N", "Ctrl+O", "Ctrl+Q", "Ctrl+W", "Ctrl+,", "F1", "F6", "Tab", "Shift+Tab", "Esc", "Return")
) | frozenset(f"Ctrl+{number}" for number in range(1, 10))


def normal(sequence: str) -> str:
    """One way of writing a key: "ctrl+z" is "Ctrl+Z". Empty where it names no single key."""
    keys = QKeySequence(sequence, QKeySequence.SequenceFormat.PortableText)
    # Qt reads a name that it does not know as an unknown key, which it cannot write again.
    return keys.toString(QKeySequence.SequenceFormat.PortableText) if keys.count() == 1 else ""


def with_new_actions(kept: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """A key map of an earlier version with the actions that it lacks, on their usual keys or, if taken, beside them."""
    taken = {key for keys in kept.values() for key in keys}
    complete = dict(kept)
    for name, usual in DEFAULT_KEYS.items():
        if name not in complete:
            complete[name] = tuple(f"Ctrl+Shift+{key}" if key in taken else key for key in usual)
    return complete


def conflicts(key_map: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """The keys that stand for more than one thing, each with the names of its actions; "window" is the window."""
    users: dict[str, list[str]] = {}
    for name, keys in key_map.items():
        for key in dict.fromkeys(keys):
            users.setdefault(key, []).append(name)
    for key, names in users.items():
        if key in RESERVED:
            names.append("window")
    return {key: names for key, names in users.items() if len(names) > 1}


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

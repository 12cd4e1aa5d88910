"""The reader's settings and keys: described as data, kept in one small file."""

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QKeyCombination, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence

from biasprint.core.errors import AppError
from biasprint.core.language import languages
from biasprint.core.machine.files import whole_file
from biasprint.core.machine.storage import home
from biasprint.desktop.widgets.keys import is_fresh
from biasprint.desktop.widgets.words import tr

Value = str | bool | int


@dataclass(frozen=True)
class Setting:
    """One setting. Kinds: "choice" (one of `choices`), "switch" (true or false), "percent" (from `low` to `high`)."""

    key: str
    group: str
    title: str
    kind: str
    default: Value
    help: str = ""
    choices: tuple[tuple[str, str], ...] = ()  # value, title
    low: int = 0
    high: int = 100
    step: int = 10

    def admits(self, value: object) -> bool:
        """Return whether the value is valid for this setting; it may come from a file that anybody edited."""
        if self.kind == "choice":
            return value in [choice for choice, _ in self.choices]
        if self.kind == "switch":
            return isinstance(value, bool)
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high


SETTINGS: tuple[Setting, ...] = (
    Setting(
        key="language",
        group="Appearance",
        title="Language",
        kind="choice",
        default="system",
        choices=(("system", "As the system"), *languages().items()),
        help="From the next start on. Texts are measured in English, whatever language the program speaks.",
    ),
    Setting(
        key="theme",
        group="Appearance",
        title="Colour theme",
        kind="choice",
        default="system",
        choices=(
            ("system", "As the system"),
            ("light", "Light"),
            ("dark", "Dark"),
            ("contrast", "High contrast"),
        ),
    ),
    Setting(
        key="font_percent",
        group="Appearance",
        title="Text size",
        kind="percent",
        default=100,
        low=80,
        high=200,
        help="Texts and controls, from 80 to 200 %.",
    ),
    Setting(
        key="reading_percent",
        group="Appearance",
        title="Size of texts to be read",
        kind="percent",
        default=100,
        low=100,
        high=200,
        help="Texts that are judged or checked, beyond the text size. L switches between 100 and 150 % while judging.",
    ),
    Setting(
        key="markdown",
        group="Appearance",
        title="Draw markdown in texts to judge",
        kind="switch",
        default=False,
        help="Headings, bold, lists, tables and code, without links and images. M switches while judging.",
    ),
    Setting(
        key="reduced_motion",
        group="Appearance",
        title="Reduce motion",
        kind="switch",
        default=False,
        help="Nothing moves, fades or blinks by itself; always so where the system asks for it.",
    ),
    Setting(
        key="offer_breaks",
        group="Judging",
        title="Offer breaks",
        kind="switch",
        default=True,
        help="After 45 minutes or 60 comparisons without one: a line above the texts that stops nobody.",
    ),
    Setting(
        key="keep_seen",
        group="Measuring",
        title="Count judgments made after a look",
        kind="switch",
        default=False,
        help="Answers that a rater gave after seeing the identities. Findings say how many there are, either way.",
    ),
    Setting(
        key="score_at_once",
        group="Generating",
        title="Score texts as they arrive",
        kind="switch",
        default=True,
        help="Live charts then show figures while a run goes on. The scorers wait for the writing, not it for them.",
    ),
    Setting(
        key="keep_drafts",
        group="Letters",
        title="Keep drafts of what I edit",
        kind="switch",
        default=True,
        help="In the data folder, until it is saved or closed: a crash then loses at most two seconds of typing.",
    ),
    Setting(
        key="larger_reader",
        group="Letters",
        title="Read with all-mpnet-base-v2 too",
        kind="switch",
        default=True,
        help="Where it is on this computer: it finds more passages, for about a second a letter and 1 GB of memory.",
    ),
)
BY_KEY = {setting.key: setting for setting in SETTINGS}


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
    KeyAction("much_1", "Choose the first card as much better", ("Shift+1", "Q")),
    KeyAction("much_2", "Choose the second card as much better", ("Shift+2", "W")),
    KeyAction("much_3", "Choose the third card as much better", ("Shift+3", "E")),
    KeyAction("tie", "Tie", ("0",)),
    KeyAction("none", "None is good", ("X",)),
    KeyAction("skip", "Skip", ("S",)),
    KeyAction("back", "Go back and revise", ("B", "Ctrl+Z")),
    KeyAction("note", "Note", ("N",)),
    KeyAction("rubric", "Rubric", ("G",)),
    KeyAction("ratings", "Rate by the rubric", ("R",)),
    KeyAction("differences", "Differences", ("D",)),
    KeyAction("mark", "Mark as reason, or no longer", ("H",)),
    KeyAction("markdown", "Draw markdown, and back", ("M",)),
    KeyAction("prompt", "The whole prompt, and back", ("P",)),
    KeyAction("larger", "Larger texts, and back", ("L",)),
)
ADDED_LATER = frozenset(
    {"ratings", "larger", "much_1", "much_2", "much_3", "mark", "prompt", "markdown"}
)  # a key map that was kept before does not know them
DEFAULT_KEYS: dict[str, tuple[str, ...]] = {action.name: action.keys for action in KEY_ACTIONS}

# What the window itself or every field needs.
RESERVED = (
    frozenset(
        ("Ctrl+K", "Ctrl+N", "Ctrl+O", "Ctrl+Q", "Ctrl+W", "Ctrl+,", "F1", "F6", "Tab", "Shift+Tab", "Esc", "Return")
    )
    | {"Shift+F1"}
    | frozenset(f"Ctrl+{number}" for number in range(1, 10))
)


def normal(sequence: str) -> str:
    """Normalise a key's name: "ctrl+z" becomes "Ctrl+Z". Empty where it names no single key."""
    keys = QKeySequence(sequence, QKeySequence.SequenceFormat.PortableText)
    # Qt reads a name that it does not know as an unknown key, which it cannot write again.
    return keys.toString(QKeySequence.SequenceFormat.PortableText) if keys.count() == 1 else ""


def with_new_actions(kept: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return an earlier version's key map with the actions it lacks, on their usual keys or, if taken, beside them."""
    taken = {key for keys in kept.values() for key in keys}
    complete = dict(kept)
    for name, usual in DEFAULT_KEYS.items():
        if name not in complete:
            complete[name] = tuple(f"Ctrl+Shift+{key}" if key in taken else key for key in usual)
    return complete


def conflicts(key_map: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Return the keys assigned more than once, each with the names of its actions; "window" means the window."""
    users: dict[str, list[str]] = {}
    for name, keys in key_map.items():
        for key in dict.fromkeys(keys):
            users.setdefault(key, []).append(name)
    for key, names in users.items():
        if key in RESERVED:
            names.append("window")
    return {key: names for key, names in users.items() if len(names) > 1}


# The signs that Shift gives on the digits 1 to 3, on most keyboards.
SIGNS_ON_DIGITS = {
    Qt.Key.Key_Exclam: Qt.Key.Key_1, Qt.Key.Key_At: Qt.Key.Key_2, Qt.Key.Key_QuoteDbl: Qt.Key.Key_2,
    Qt.Key.Key_NumberSign: Qt.Key.Key_3, Qt.Key.Key_sterling: Qt.Key.Key_3, Qt.Key.Key_section: Qt.Key.Key_3,
    Qt.Key.Key_periodcentered: Qt.Key.Key_3,
}  # fmt: skip


class JudgeKeys:
    """The mapping from key presses to actions.

    A page asks `handle` in its keyPressEvent: a press arrives there only if the focused field did not take it. So
    typing, and Ctrl+Z in a note, never judge anything.
    """

    def __init__(self, actions: Mapping[str, Callable[[], object]]) -> None:
        self._actions = actions
        self._by_key: dict[str, Callable[[], object]] = {}

    def set_keys(self, keys: KeyMap) -> None:
        """Replace the keys, written portably; an action without keys has none."""
        self._by_key = {key: action for name, action in self._actions.items() for key in keys.get(name, ())}

    def handle(self, event: QKeyEvent) -> bool:
        """Run the key's action; return False if the key has none."""
        action = next((self._by_key[name] for name in _names(event) if name in self._by_key), None)
        if action is None:
            return False
        if is_fresh(event):
            action()
        return True


def _names(event: QKeyEvent) -> list[str]:
    """Return the ways to write a key press: as it is, and without Shift.

    A digit that comes with Shift is the digit: some keyboards need Shift for it. On the others Shift and a digit give a
    sign, which is written “Shift+1” as well.
    """
    key = Qt.Key(event.key())
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    shift = Qt.KeyboardModifier.ShiftModifier
    tried = [(modifiers, key)] if modifiers != shift else [(shift, key), (NO_MODIFIER, key)]
    if modifiers == shift and Qt.Key.Key_0 <= key <= Qt.Key.Key_9:
        tried.reverse()
    if modifiers == shift and key in SIGNS_ON_DIGITS:
        tried.append((shift, SIGNS_ON_DIGITS[key]))
    return [
        QKeySequence(QKeyCombination(pressed, its)).toString(QKeySequence.SequenceFormat.PortableText)
        for pressed, its in tried
    ]


MOST_RECENT = 500
StoredKeys = dict[str, tuple[str, ...]]


class Settings(QObject):
    """The reader's choices. `notice` gives in one sentence what failed at loading, or is empty.

    A change takes effect at once; the window calls `save` a moment later, off its thread. The JSON file is written
    whole or not at all. A damaged one is renamed, never lost.
    """

    changed = Signal(str)  # the key of a setting, "keys", "recent" or "tour_seen"

    def __init__(self, path: Path | None = None) -> None:
        super().__init__()
        self.path = path or home() / "settings.json"
        self.notice = ""
        self.unsaved = False
        self._concealed = False
        self._data: dict[str, Any] = self._load()

    def get(self, key: str) -> Value:
        """Return the value of a setting, or its default where none was chosen."""
        value: Any = self._data.get(key)
        return value if BY_KEY[key].admits(value) else BY_KEY[key].default

    def set(self, key: str, value: Value) -> None:
        """Choose a value. Raises ValueError for one that the setting does not admit."""
        if not BY_KEY[key].admits(value):
            raise ValueError(f"{key} cannot be {value!r}")
        if self.get(key) != value:
            self._keep(key, value)

    @property
    def scale(self) -> float:
        return int(self.get("font_percent")) / 100

    @property
    def reading_scale(self) -> float:
        return int(self.get("reading_percent")) / 100

    def keys(self) -> StoredKeys:
        """Return the keys of judging by action; the defaults where the stored ones are invalid."""
        stored = self._data.get("keys")
        if not isinstance(stored, dict):
            return dict(DEFAULT_KEYS)
        known = {name: usual for name, usual in DEFAULT_KEYS.items() if name in stored or name not in ADDED_LATER}
        read = with_new_actions({name: _keys_of(stored.get(name), usual) for name, usual in known.items()})
        return dict(DEFAULT_KEYS) if conflicts(read) else read

    def set_keys(self, key_map: Mapping[str, Iterable[str]]) -> None:
        """Remap the keys of judging. Raises ValueError where two actions would share one."""
        wanted = {name: tuple(normal(key) for key in key_map[name]) for name in DEFAULT_KEYS}
        if conflicts(wanted) or not all(all(keys) and keys for keys in wanted.values()):
            raise ValueError(f"keys are used twice or missing: {conflicts(wanted)}")
        self._keep("keys", {name: list(keys) for name, keys in wanted.items()})

    @property
    def tour_seen(self) -> bool:
        """True once the tour was offered or begun on this computer."""
        return self._data.get("tour_seen") is True

    def see_tour(self) -> None:
        if not self.tour_seen:
            self._keep("tour_seen", True)

    def recent(self) -> list[Path]:
        """Return the projects that were opened last, newest first."""
        stored = self._data.get("recent")
        return (
            [Path(name) for name in stored if isinstance(name, str)][:MOST_RECENT] if isinstance(stored, list) else []
        )

    def add_recent(self, path: Path) -> None:
        whole = path.absolute()
        self._keep("recent", [str(p) for p in [whole, *(p for p in self.recent() if p != whole)]][:MOST_RECENT])

    def forget_recent(self, path: Path) -> None:
        self._keep("recent", [str(p) for p in self.recent() if p != path])

    def conceal(self, keep: Callable[[Callable[[], object]], object]) -> None:
        """Forget the recent projects here, as a rater is blind from now on; they stay in the file."""
        recent, unsaved = self._data.get("recent", []), self.unsaved
        self._concealed = True  # before the names go, and until they are back: a thread may be writing
        self._data = {name: value for name, value in self._data.items() if name != "recent"}

        def restore() -> None:
            self._data = {**self._data, "recent": recent}
            self._concealed = False
            if unsaved:
                self._keep("recent", recent)

        keep(restore)

    def save(self) -> None:
        """Write the settings. Safe to call from any thread. Raises AppError where the file cannot be written."""
        self.unsaved = False
        data = {**self._data, **_recent_in(self.path)} if self._concealed else self._data
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(self.path) as file:
                file.write(json.dumps(data, indent=1, ensure_ascii=False).encode())
        except OSError as error:
            self.unsaved = True
            raise AppError(
                tr("The settings could not be saved."),
                kept=tr("They hold until the program ends."),
                hint=tr("Check that “{folder}” can be written to.").format(folder=self.path.parent),
                details=str(error),
            ) from error

    def _keep(self, key: str, value: Any) -> None:
        # Another dictionary, never the same one changed: a thread may be writing it.
        self._data = {**self._data, key: value}
        self.unsaved = True
        self.changed.emit(key)

    def _load(self) -> dict[str, Any]:
        try:
            data = json.loads(self.path.read_text("utf-8"))
            if isinstance(data, dict):
                return data
        except FileNotFoundError:
            return {}
        except OSError:
            self.notice = tr("The settings could not be read; the defaults are used.")
            return {}
        except (ValueError, RecursionError):
            pass  # not JSON: put aside below
        aside = self.path.with_name(self.path.name + ".bad")
        with suppress(OSError):
            os.replace(self.path, aside)
        self.notice = tr("The settings were damaged; the defaults are used. The old file is kept as “{name}”.").format(
            name=aside.name
        )
        return {}


def _recent_in(path: Path) -> dict[str, Any]:
    """Return the recent projects that the file lists."""
    with suppress(OSError, ValueError, RecursionError):
        data = json.loads(path.read_text("utf-8"))
        if isinstance(data, dict) and "recent" in data:
            return {"recent": data["recent"]}
    return {}


def _keys_of(kept: object, default: tuple[str, ...]) -> tuple[str, ...]:
    if not isinstance(kept, list):
        return default
    keys = tuple(normal(key) for key in kept if isinstance(key, str))
    return keys if keys and all(keys) else default

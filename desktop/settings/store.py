"""Where settings are kept: one JSON file, written whole or not at all. A damaged one is put aside, never lost."""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from core.errors import AppError
from core.machine.home import home
from desktop.settings.keys import ADDED_LATER, DEFAULT_KEYS, conflicts, normal, with_new_actions
from desktop.settings.schema import BY_KEY, Value
from desktop.widgets.words import tr

MOST_RECENT = 10
KeyMap = dict[str, tuple[str, ...]]


class Settings(QObject):
    """What the reader chose. `notice` says what went wrong at loading, in one sentence, or is empty.

    A change holds at once; the window calls `save` a moment later, off its thread.
    """

    changed = Signal(str)  # the key of a setting, "keys" or "recent"

    def __init__(self, path: Path | None = None) -> None:
        super().__init__()
        self.path = path or home() / "settings.json"
        self.notice = ""
        self.unsaved = False
        self._concealed = False
        self._data: dict[str, Any] = self._load()

    def get(self, key: str) -> Value:
        """The value of a setting, or its default where none was chosen."""
        value: Any = self._data.get(key)
        return value if BY_KEY[key].admits(value) else BY_KEY[key].default

    def set(self, key: str, value: Value) -> None:
        """Choose a value. ValueError for one that the setting does not admit."""
        if not BY_KEY[key].admits(value):
            raise ValueError(f"{key} cannot be {value!r}")
        if self.get(key) != value:
            self._keep(key, value)

    @property
    def scale(self) -> float:
        return int(self.get("font_percent")) / 100

    def keys(self) -> KeyMap:
        """The keys of judging, by action; the defaults where what was kept makes no sense."""
        kept = self._data.get("keys")
        if not isinstance(kept, dict):
            return dict(DEFAULT_KEYS)
        known = {name: usual for name, usual in DEFAULT_KEYS.items() if name in kept or name not in ADDED_LATER}
        read = with_new_actions({name: _keys_of(kept.get(name), usual) for name, usual in known.items()})
        return dict(DEFAULT_KEYS) if conflicts(read) else read

    def set_keys(self, key_map: Mapping[str, Iterable[str]]) -> None:
        """Remap the keys of judging. ValueError where two actions would share one."""
        wanted = {name: tuple(normal(key) for key in key_map[name]) for name in DEFAULT_KEYS}
        if conflicts(wanted) or not all(all(keys) and keys for keys in wanted.values()):
            raise ValueError(f"keys are used twice or missing: {conflicts(wanted)}")
        self._keep("keys", {name: list(keys) for name, keys in wanted.items()})

    def recent(self) -> list[Path]:
        """The projects that were opened last, newest first."""
        kept = self._data.get("recent")
        return [Path(name) for name in kept if isinstance(name, str)][:MOST_RECENT] if isinstance(kept, list) else []

    def add_recent(self, path: Path) -> None:
        whole = path.absolute()
        self._keep("recent", [str(p) for p in [whole, *(p for p in self.recent() if p != whole)]][:MOST_RECENT])

    def forget_recent(self, path: Path) -> None:
        self._keep("recent", [str(p) for p in self.recent() if p != path])

    def conceal(self, keep: Callable[[Callable[[], object]], object]) -> None:
        """A rater is blind from now on: the recent projects' names are not here, and stay in the file."""
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
        """Write what was chosen. Safe to call from any thread. AppError where the file cannot be written."""
        self.unsaved = False
        data = {**self._data, **_recent_in(self.path)} if self._concealed else self._data
        try:
            write_atomically(self.path, json.dumps(data, indent=1, ensure_ascii=False))
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


def write_atomically(path: Path, text: str) -> None:
    """Write a file whole: whoever reads it, and whatever happens, sees the old text or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _recent_in(path: Path) -> dict[str, Any]:
    """The recent projects as the file has them."""
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

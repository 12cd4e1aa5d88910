"""The settings panel, built from the settings' description, and the editor of keys."""

from collections.abc import Callable
from functools import partial
from itertools import groupby

from PySide6.QtCore import QKeyCombination, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QCheckBox, QGridLayout, QPushButton, QSizePolicy, QSlider, QWidget

from biasprint.core import __version__
from biasprint.core.errors import AppError
from biasprint.desktop import theme
from biasprint.desktop.operations.writers import Connections, newest_version, why_offline
from biasprint.desktop.panels.base import Panel
from biasprint.desktop.settings import DEFAULT_KEYS, KEY_ACTIONS, SETTINGS, Setting, Settings, conflicts, normal
from biasprint.desktop.widgets import Card, tr
from biasprint.desktop.widgets.buttons import LinkButton, QuietButton, pressed_by_enter
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.events import guard_wheel
from biasprint.desktop.widgets.keys import is_fresh
from biasprint.desktop.widgets.labels import Label, named
from biasprint.desktop.widgets.layout import STRETCH, Sheet, add_to, clear_column, grid_of, in_column, in_row, scaled
from biasprint.desktop.widgets.safe_text import safe_tip

# ---- Remapping the keys of judging

MODIFIERS = (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Meta, Qt.Key.Key_AltGr)


class KeyButton(QPushButton):
    """A button with a key; pressed, it takes the next key as the new one. Escape changes nothing."""

    recorded = Signal(str)

    def __init__(self, key: str, action: str) -> None:
        super().__init__()
        self._key = key
        self._action = action
        self._listening = False
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(lambda: self._listen(True))
        self._listen(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._listening:
            if not pressed_by_enter(self, event):
                super().keyPressEvent(event)
            return
        key = Qt.Key(event.key())
        if key in MODIFIERS or not is_fresh(event):
            return
        # Shift alone only makes a capital of the letter that the key already is.
        modifiers = event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        self._listen(False)
        if key != Qt.Key.Key_Escape:
            pressed = QKeySequence(QKeyCombination(modifiers, key))
            self.recorded.emit(pressed.toString(QKeySequence.SequenceFormat.PortableText))

    def sizeHint(self) -> QSize:
        return super().sizeHint().expandedTo(QSize(theme.current().px(88), 0))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

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
    """One row per action. A key that would make a conflict is reported and not stored."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self._rows = QWidget()
        self._buttons: dict[tuple[str, str], KeyButton] = {}
        self.message = Label("", "note", wrap=True)
        self.reset = LinkButton(tr("Put back the usual keys"), act=lambda: settings.set_keys(DEFAULT_KEYS))
        self._box = in_column(
            self._rows, self.message, self.reset, inside=self, spacing=theme.current().grid, margins=0
        )
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
        grid = _grid(fresh)
        key_map = self._settings.keys()
        self._buttons = {}
        for row, action in enumerate(KEY_ACTIONS):
            buttons = in_row(spacing=theme.current().grid)
            for key in key_map[action.name]:
                button = KeyButton(key, tr(action.title))
                button.recorded.connect(lambda new, name=action.name, old=key: self.remap(name, old, new))
                buttons.addWidget(button)
                self._buttons[action.name, key] = button
            buttons.addStretch(1)
            grid.addWidget(Label(tr(action.title), wrap=True), row, 0)
            grid.addLayout(buttons, row, 1)
        self._box.replaceWidget(self._rows, fresh)
        self._rows.setParent(None)
        self._rows.deleteLater()
        self._rows = fresh
        self.message.setVisible(bool(self.message.text()))


WIDEST = 760
NAMES_WIDTH = 280


class SettingsPanel(Panel):
    """One card per group; a choice takes effect at once."""

    key = "settings"
    title = "Settings"
    steady = True

    def build(self) -> None:
        self._column, box = clear_column(spacing=theme.current().gap)
        self.fields: dict[str, QWidget] = {}
        for group, settings in groupby(SETTINGS, key=lambda setting: setting.group):
            box.addWidget(self._card(group, list(settings)))
        box.addWidget(self._connections())
        self.key_map = KeyMapEditor(self.shell.settings)
        keys = Card(tr("Keys while judging"), self.key_map)
        add_to(box, keys, STRETCH)
        self.body.addWidget(Sheet(in_row((self._column, 100), STRETCH, spacing=0, margins=0)))
        theme.follow(self._fit_column)
        self.shell.settings.changed.connect(self._show_values)
        self.shell.connections.changed.connect(self._show_switch)
        self._show_switch()

    def refresh(self) -> None:
        self._show_values()

    def _fit_column(self) -> None:
        self._column.setMaximumWidth(theme.current().px(WIDEST))

    def _card(self, group: str, settings: list[Setting]) -> Card:
        card, grid = Card(tr(group)), _grid(along=theme.current().gap)
        for row, setting in enumerate(settings):
            field = named(_FIELDS[setting.kind](self, setting), tr(setting.title))
            if setting.help:
                field.setAccessibleDescription(tr(setting.help))
            self.fields[setting.key] = field
            if setting.key == "language":
                field = self._with_start_again(field)
            note = Label(tr(setting.help), "note", wrap=True) if setting.help else None
            _add_row(grid, row, tr(setting.title), note, field)
        card.box.addLayout(grid)
        return card

    def _with_start_again(self, field: QWidget) -> QWidget:
        """Return the field of the language with a button for whoever chose another and waits for no next start."""
        self._spoken = self.shell.settings.get("language")
        self.again = QuietButton(tr("Start again now"))
        self.again.setAccessibleDescription(tr("Everything is saved first, and the project is opened again."))
        self.again.clicked.connect(self.shell.start_again)
        both = QWidget()
        in_column(field, (self.again, Qt.AlignmentFlag.AlignLeft), inside=both, margins=0)
        return both

    def _connections(self) -> Card:
        """Return the card of the offline switch: no setting of the file, as it applies to all programs of the user."""
        card, grid = Card(tr("Connections")), _grid(along=theme.current().gap)
        self.offline = OfflineSwitch(self.shell.connections)
        self.offline_note = Label("", "note", wrap=True)
        _add_row(grid, 0, tr("Offline switch"), self.offline_note, self.offline)
        self.look_for_new = QuietButton(tr("Look for a new version"), act=self._look_for_new)
        words = tr(
            "Only when you press it, the program asks the package index for one page. Nothing about you is sent."
        )
        self.new_note = Label(words, "note", wrap=True)
        _add_row(grid, 1, tr("New version"), self.new_note, self.look_for_new)
        self.look_for_new.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        card.box.addLayout(grid)
        return card

    def _look_for_new(self) -> None:
        self.look_for_new.setEnabled(False)
        self.new_note.setText(tr("Asking the package index…"))
        self.shell.jobs.start(
            tr("Look for a new version"), newest_version, on_done=self._tell_version, on_error=self._tell_no_version,
            quiet=True, at_once=True,
        )  # fmt: skip

    def _tell_version(self, newest: str) -> None:
        """`newest`: a version that is newer than this one, or “”."""
        self.look_for_new.setEnabled(True)
        words = (
            tr("Version {newest} is out. This is {here}. To install it: pip install --upgrade biasprint")
            if newest
            else tr("This is the newest version: {here}.")
        )
        self.new_note.setText(words.format(newest=newest, here=__version__))

    def _tell_no_version(self, error: AppError) -> None:
        self.look_for_new.setEnabled(True)
        self.new_note.setText(f"{error.message} {error.hint}")

    def _show_switch(self) -> None:
        connections = self.shell.connections
        words = tr("While it is on, no connection is attempted: nothing is got and no endpoint is asked.")
        self.offline_note.setText(why_offline(connections) if connections.fixed else words)

    def _choice(self, setting: Setting) -> QWidget:
        field = ComboBox()
        guard_wheel(field)
        for value, title in setting.choices:
            field.addItem(tr(title), value)
        field.activated.connect(lambda: self.shell.settings.set(setting.key, field.currentData()))
        return field

    def _switch(self, setting: Setting) -> QWidget:
        field = QCheckBox(tr("On"))
        field.clicked.connect(lambda checked: self.shell.settings.set(setting.key, checked))
        return field

    def _percent(self, setting: Setting) -> QWidget:
        field = Percent(setting)
        field.on_chosen = lambda value: self.shell.settings.set(setting.key, value)
        return field

    def _show_values(self) -> None:
        self.again.setVisible(self.shell.settings.get("language") != self._spoken)
        for setting in SETTINGS:
            field, value = self.fields[setting.key], self.shell.settings.get(setting.key)
            if isinstance(field, ComboBox):
                field.setCurrentIndex(field.findData(value))
            elif isinstance(field, QCheckBox):
                field.setChecked(bool(value))
            elif isinstance(field, Percent):
                field.show_value(int(value))


def _grid(inside: QWidget | None = None, along: int | None = None) -> QGridLayout:
    """Return a grid whose first column, of names, is equally wide on every card, at every size of the text."""
    grid = grid_of(inside, across=theme.current().margin, along=along)
    scaled(grid, partial(grid.setColumnMinimumWidth, 0), NAMES_WIDTH)
    return grid


def _add_row(grid: QGridLayout, row: int, title: str, note: Label | None, field: QWidget) -> None:
    """Add a row: a name with its note at the left, the field at the right."""
    name = Label(title, "strong", wrap=True)
    name.setBuddy(field)
    words = in_column(name, spacing=2)
    if note is not None:
        policy = note.sizePolicy()  # names say how wide: fields of all cards stand in a line
        policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)
        note.setSizePolicy(policy)
        words.addWidget(note)
    grid.addLayout(words, row, 0)
    grid.addWidget(field, row, 1, Qt.AlignmentFlag.AlignVCenter)


class Percent(QWidget):
    """A slider in steps, with its number. The choice takes effect at its release: text must not jump under it."""

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        self.on_chosen: Callable[[int], object] = lambda value: None
        self._step = setting.step
        self._shown: int | None = None  # steps
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(setting.low // setting.step, setting.high // setting.step)
        self.slider.setTracking(False)
        guard_wheel(self.slider)
        self.slider.setAccessibleName(tr(setting.title))
        self.number = Label()
        self.setFocusProxy(self.slider)
        in_row((self.slider, 1), self.number, inside=self, spacing=12, margins=0)
        self.slider.sliderMoved.connect(self._show_number)
        self.slider.valueChanged.connect(self._choose)

    def show_value(self, value: int) -> None:
        self._shown = round(value / self._step)
        self.slider.setValue(self._shown)
        self._show_number(self._shown)

    def _show_number(self, steps: int) -> None:
        self.number.setText(tr("{n} %").format(n=steps * self._step))

    def _choose(self, steps: int) -> None:
        if steps == self._shown:
            return  # nobody chose it: the setting has it
        self._shown = steps
        self._show_number(steps)
        self.on_chosen(steps * self._step)


_FIELDS: dict[str, Callable[[SettingsPanel, Setting], QWidget]] = {
    "choice": SettingsPanel._choice,
    "switch": SettingsPanel._switch,
    "percent": SettingsPanel._percent,
}


class OfflineSwitch(QCheckBox):
    """The switch. A change takes effect at once, for every window and command of this user."""

    def __init__(self, connections: Connections, text: str = "") -> None:
        super().__init__(text or tr("On"))
        self._connections = connections
        self.setAccessibleName(tr("Offline switch"))
        self.clicked.connect(connections.switch)
        connections.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        """Show the state of the switch, and why it cannot be changed, if so."""
        connections = self._connections
        self.setChecked(connections.offline)
        self.setEnabled(connections.by is not None and not connections.fixed)
        words = tr("While it is on, the program attempts no connection: nothing is got and no endpoint is asked.")
        self.setToolTip(safe_tip(tr(why_offline(connections) if connections.fixed else words)))
        self.setAccessibleDescription(self.toolTip())

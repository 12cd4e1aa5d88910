"""Reduced motion: nothing moves or blinks unasked where the reader's setting or the system asks for that.

The desktop portal is asked on Linux (its “reduced-motion”, and GNOME's “enable-animations”), the client-area animation
on Windows, the universal-access preference on macOS.
"""

import ctypes
import subprocess
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import SLOT, QObject, Qt, Slot
from PySide6.QtWidgets import QApplication

if TYPE_CHECKING:
    from PySide6.QtDBus import QDBusMessage, QDBusPendingCall

EFFECTS = (Qt.UIEffect.UI_AnimateMenu, Qt.UIEffect.UI_AnimateCombo, Qt.UIEffect.UI_AnimateTooltip)
PORTAL = ("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings")
# Namespace and key of each of the portal's settings, and the value that asks for less motion.
ASKED_OF_PORTAL: dict[tuple[str, str], object] = {
    ("org.freedesktop.appearance", "reduced-motion"): 1,
    ("org.gnome.desktop.interface", "enable-animations"): False,
}
CLIENT_AREA_ANIMATION = 0x1042  # of SystemParametersInfo
MAC_QUESTION = ("defaults", "read", "com.apple.universalaccess", "reduceMotion")

_chosen = False
_system: dict[tuple[str, str], bool] = {}  # what the system said, by where it says so
_blink: list[int] = []  # milliseconds of the caret's blinking, as the system has it


def reduced_motion() -> bool:
    """Return True if the reader, or the system, asked for no motion."""
    return _chosen or any(_system.values())


def set_reduced_motion(value: bool) -> None:
    """Stop, or allow again, automatic motion: menus that slide, bars that run to and fro, carets that blink."""
    global _chosen
    _chosen = value
    _apply()


def _apply() -> None:
    still = reduced_motion()
    for effect in EFFECTS:
        QApplication.setEffectEnabled(effect, not still)
    if not _blink:
        _blink.append(QApplication.cursorFlashTime())
    QApplication.setCursorFlashTime(0 if still else _blink[0])


def follow_system(parent: QObject) -> None:
    """Ask the system once, and hear from it where it can say that its setting changed. Waits for nothing on Linux."""
    if sys.platform == "win32":
        moves = ctypes.c_int(1)
        ctypes.windll.user32.SystemParametersInfoW(CLIENT_AREA_ANIMATION, 0, ctypes.byref(moves), 0)
        _hear(("windows", ""), not moves.value)
    elif sys.platform == "darwin":
        answer = subprocess.run(MAC_QUESTION, capture_output=True, text=True, check=False, timeout=5)
        _hear(("macos", ""), answer.stdout.strip() == "1")
    else:
        _PortalListener(parent).ask()


def _hear(where: tuple[str, str], reduce: bool) -> None:
    _system[where] = reduce
    _apply()


class _PortalListener(QObject):
    """Hears the desktop portal's answers; a system without one, or without Qt's D-Bus, has no such setting."""

    def ask(self) -> None:
        """Send a question for each setting, and listen for changes."""
        try:
            from PySide6.QtDBus import QDBusConnection, QDBusMessage
        except ImportError:
            return
        bus = QDBusConnection.sessionBus()
        if not bus.isConnected():
            return
        bus.connect(*PORTAL, "SettingChanged", self, SLOT("changed(QDBusMessage)"))
        for where in ASKED_OF_PORTAL:
            question = QDBusMessage.createMethodCall(*PORTAL, "Read")
            question.setArguments(list(where))
            self._wait_for(bus.asyncCall(question), where)

    def _wait_for(self, call: "QDBusPendingCall", where: tuple[str, str]) -> None:
        from PySide6.QtDBus import QDBusPendingCallWatcher

        waiting = QDBusPendingCallWatcher(call, self)

        def take() -> None:
            answers = waiting.reply().arguments() if not waiting.isError() else []
            if answers:
                self._take(where, answers[0])
            waiting.deleteLater()

        waiting.finished.connect(take)

    @Slot("QDBusMessage")
    def changed(self, message: "QDBusMessage") -> None:
        """Take over a setting that changed while the program runs."""
        namespace, key, value = message.arguments()
        if (namespace, key) in ASKED_OF_PORTAL:
            self._take((namespace, key), value)

    def _take(self, where: tuple[str, str], value: object) -> None:
        while hasattr(value, "variant"):  # the portal wraps its answers twice
            value = value.variant()
        _hear(where, value == ASKED_OF_PORTAL[where])

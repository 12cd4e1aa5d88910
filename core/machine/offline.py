"""The offline switch: while it is on, the program makes no connection, and cannot.

It is on where the environment says so (`BIASPRINT_OFFLINE=1`) or where the user switched it on. `guard_sockets` makes
it more than a promise: Python itself then refuses the process every internet socket.
"""

import os
import socket
import sys
from typing import Any, Literal

from biasprint.core.errors import AppError
from biasprint.core.machine import storage

VARIABLE = "BIASPRINT_OFFLINE"
FILE = "connections.json"
YES = {"1", "true", "yes", "on"}
INTERNET = {int(socket.AF_INET), int(socket.AF_INET6)}
# Asking for an address already goes to the network.
LOOKUPS = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"}
USES = {"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"}

_guarded = False


class NoConnection(AppError, OSError):
    """The switch is on: raised by whatever opens a socket, so that network libraries take it as a failed connection."""


def is_on() -> bool:
    """Return whether the program must not connect anywhere. Read again at each call: another window may have
    switched.
    """
    return set_by() != ""


def set_by() -> Literal["", "environment", "switch"]:
    """Return what turned the switch on; empty where it is off. A setting that cannot be read counts as on."""
    if os.environ.get(VARIABLE, "").strip().lower() in YES:
        return "environment"
    try:
        return "switch" if storage.read(FILE).get("offline") else ""
    except AppError:
        return "switch"


def switch(on: bool) -> None:
    """Switch for all windows and commands of this user. The environment's setting overrides it."""
    try:
        settings = storage.read(FILE)
    except AppError:  # it cannot be read: what it held is lost anyway
        settings = {}
    storage.write(FILE, settings | {"offline": on})


def require_connection(what: str) -> None:
    """Raise `NoConnection` while the switch is on. `what`, such as “the download of X”, begins the sentence."""
    by = set_by()
    if by:
        raise NoConnection(
            f"{what[:1].upper()}{what[1:]} needs a connection, and the offline switch is on.",
            kept="No connection was made.",
            hint=_how_to_switch_off(by),
        )


def guard_sockets() -> None:
    """Refuse internet sockets in this process for as long as the switch is on; it is asked at each attempt.

    Sockets between processes of this computer (AF_UNIX) and pipes are left alone. Native code that bypasses Python is
    not seen by this; the program starts none that connects. Cannot be taken back, only switched off.
    """
    global _guarded
    if not _guarded:
        _guarded = True
        sys.addaudithook(_hook)


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    # Called for every import and every opened file too: the first line has to be quick.
    if not event.startswith("socket."):
        return
    if _is_internet(event, arguments) and is_on():
        raise NoConnection(
            "The offline switch is on: the program makes no connection.",
            kept="No connection was made.",
            hint=_how_to_switch_off(set_by()),
        )


def _is_internet(event: str, arguments: tuple[Any, ...]) -> bool:
    if event == "socket.__new__":
        return int(arguments[1]) in INTERNET
    if event in USES:  # a socket that was opened before the switch was on
        return int(arguments[0].family) in INTERNET
    return event in LOOKUPS


def _how_to_switch_off(by: str) -> str:
    if by == "environment":
        return f"It is on because {VARIABLE} is set; start the program without it."
    return "Switch it off in Models, or with: biasprint offline off"

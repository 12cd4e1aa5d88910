"""The libraries and the display that the window's toolkit (Qt) needs from a Linux system, and whether they are there.

Qt ends the process where one is missing, so it is asked before Qt is. Only the standard library is imported here, and
no module of ours: run.py loads this file by its path, before anything is installed.
"""

import collections.abc
import contextlib
import ctypes
import os
import platform
import sys
import threading

Need = tuple[str, str, str]  # soname, Debian's package, Fedora's package

# What the parts of PySide6 that we load link against, found with readelf over its wheel.
QT_NEEDS: list[Need] = [
    ("libEGL.so.1", "libegl1", "libglvnd-egl"),
    ("libGL.so.1", "libgl1", "libglvnd-glx"),
    ("libX11.so.6", "libx11-6", "libX11"),
    ("libxkbcommon.so.0", "libxkbcommon0", "libxkbcommon"),
    ("libfontconfig.so.1", "libfontconfig1", "fontconfig"),
    ("libfreetype.so.6", "libfreetype6", "freetype"),
    ("libdbus-1.so.3", "libdbus-1-3", "dbus-libs"),
    ("libglib-2.0.so.0", "libglib2.0-0", "glib2"),
    ("libgthread-2.0.so.0", "libglib2.0-0", "glib2"),
    ("libzstd.so.1", "libzstd1", "libzstd"),
    ("libz.so.1", "zlib1g", "zlib"),
    ("libstdc++.so.6", "libstdc++6", "libstdc++"),
    ("libgssapi_krb5.so.2", "libgssapi-krb5-2", "krb5-libs"),
    ("libbrotlidec.so.1", "libbrotli1", "libbrotli"),
]
X11_NEEDS: list[Need] = [
    ("libxcb-cursor.so.0", "libxcb-cursor0", "xcb-util-cursor"),
    ("libxcb-icccm.so.4", "libxcb-icccm4", "xcb-util-wm"),
    ("libxcb-image.so.0", "libxcb-image0", "xcb-util-image"),
    ("libxcb-keysyms.so.1", "libxcb-keysyms1", "xcb-util-keysyms"),
    ("libxcb-render-util.so.0", "libxcb-render-util0", "xcb-util-renderutil"),
    ("libxcb-util.so.1", "libxcb-util1", "xcb-util"),
    ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0", "libxkbcommon-x11"),
    ("libX11-xcb.so.1", "libx11-xcb1", "libX11-xcb"),
    ("libxcb-sync.so.1", "libxcb-sync1", "libxcb"),
    ("libxcb-xkb.so.1", "libxcb-xkb1", "libxcb"),
]
X11_NEEDS += [(f"libxcb-{x}.so.0", f"libxcb-{x}0", "libxcb") for x in ("randr", "render", "shape", "shm", "xfixes")]
WAYLAND_NEEDS: list[Need] = [
    ("libwayland-client.so.0", "libwayland-client0", "libwayland-client"),
    ("libwayland-cursor.so.0", "libwayland-cursor0", "libwayland-cursor"),
]


ANSWER_SECONDS = 10.0  # a display over a slow network takes a second or two


def why_no_picture() -> str:
    """Return why Qt cannot even draw into a picture, with what to install; empty where it can."""
    missing = missing_libraries(QT_NEEDS)
    if not missing:
        return ""
    for _, needs, _ in _displays():  # named at once, so that one command is enough
        missing += missing_libraries(needs)
    return how_to_install(missing)


def why_no_window() -> str:
    """Return why Qt cannot open a window, with what to do; empty where it can, or is set to draw off screen."""
    if not sys.platform.startswith("linux") or any(not _is_display(platform) for platform in _platforms()):
        return ""
    displays = _displays()
    if not displays:
        return "There is no display here to open a window on: DISPLAY and WAYLAND_DISPLAY are not set."
    reason = why_no_picture()
    if reason:
        return reason
    reasons = [_why_not_on(*display) for display in displays]
    return "" if "" in reasons else reasons[-1]  # one that works is enough


def _platforms() -> list[str]:
    """Return the platforms that QT_QPA_PLATFORM names, such as xcb, wayland-egl, offscreen, vnc."""
    return [name.partition(":")[0] for name in os.environ.get("QT_QPA_PLATFORM", "").split(";") if name]


def _is_display(platform: str) -> bool:
    return platform == "xcb" or platform.startswith("wayland")


def _displays() -> list[tuple[str, list[Need], collections.abc.Callable[[], bool]]]:
    """Return the displays that Qt will try: name, what it needs, and whether its server answers."""
    asked = _platforms()
    displays: list[tuple[str, list[Need], collections.abc.Callable[[], bool]]] = []
    if _wayland_session() and (not asked or any(name.startswith("wayland") for name in asked)):
        displays.append((os.environ.get("WAYLAND_DISPLAY") or "wayland-0", WAYLAND_NEEDS, wayland_answers))
    if os.environ.get("DISPLAY") and (not asked or "xcb" in asked):
        displays.append((os.environ["DISPLAY"], X11_NEEDS, x_server_answers))
    return displays


def _why_not_on(display: str, needs: list[Need], answers: collections.abc.Callable[[], bool]) -> str:
    missing = missing_libraries(needs)
    if missing:
        return how_to_install(missing)
    if _in_time(answers):
        return ""
    return f"The display “{display}” does not answer, or does not let this program in."


def _in_time(answers: collections.abc.Callable[[], bool]) -> bool:
    """Ask in a thread of its own: a display may take a connection and never answer it."""
    heard: list[bool] = []
    asking = threading.Thread(target=lambda: heard.append(answers()), daemon=True)
    with _without_stderr():
        asking.start()
        asking.join(ANSWER_SECONDS)
    return heard == [True]


@contextlib.contextmanager
def _without_stderr() -> collections.abc.Iterator[None]:
    """Hide what the display's library says, such as of a wrong XAUTHORITY: a sentence of ours follows."""
    try:
        stderr_copy = os.dup(2)
    except OSError:  # a program without a terminal may have none
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    try:
        yield
    finally:
        os.dup2(stderr_copy, 2)
        os.close(stderr_copy)


def _wayland_session() -> bool:
    named = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("WAYLAND_SOCKET")
    return bool(named) or os.environ.get("XDG_SESSION_TYPE") == "wayland"


def x_server_answers() -> bool:
    """Return whether the X server that DISPLAY names lets us connect; libxcb is there."""
    xcb = ctypes.CDLL("libxcb.so.1")
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    refused = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return not refused


def wayland_answers() -> bool:
    """Return whether the Wayland server lets us connect; libwayland-client is there."""
    if os.environ.get("WAYLAND_SOCKET"):  # a connection that is open already, and good for one use only: Qt's
        return True
    wayland = ctypes.CDLL("libwayland-client.so.0")
    wayland.wl_display_connect.restype = ctypes.c_void_p
    display = wayland.wl_display_connect(None)
    if not display:
        return False
    wayland.wl_display_disconnect(ctypes.c_void_p(display))
    return True


def missing_libraries(needs: list[Need]) -> list[Need]:
    """Return the libraries that cannot be loaded; none on other systems, where Qt brings everything along."""
    return [need for need in needs if not loads(need[0])] if sys.platform.startswith("linux") else []


def loads(library: str) -> bool:
    """Return whether the system's loader finds a library and can open it."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def how_to_install(missing: list[Need]) -> str:
    """Return the one command that installs what is missing; on an unknown system the names of the libraries."""
    number = "1 system library is" if len(missing) == 1 else f"{len(missing)} system libraries are"
    start = f"The window's toolkit (Qt) cannot work here: {number} missing"
    column, command = _package_manager()
    if not command:
        files = ", ".join(need[0] for need in missing)
        return f"{start}. Install the packages that hold these files, then start again:\n  {files}"
    packages = " ".join(dict.fromkeys(need[column] for need in missing))
    return f"{start}. Install them, then start again:\n  {command} {packages}"


def _package_manager() -> tuple[int, str]:
    """Return the field of `Need` with this system's package, and the command that installs it; none on unknown
    systems.
    """
    try:
        about = platform.freedesktop_os_release()
    except OSError:
        about = {}
    families = {about.get("ID", ""), *about.get("ID_LIKE", "").split()}
    sudo = "" if os.geteuid() == 0 else "sudo "  # a bare system, where root is at work, may have none
    if families & {"debian", "ubuntu"}:
        # Without the update a system that never had one knows no package.
        return 1, f"{sudo}apt update && {sudo}apt install"
    if families & {"fedora", "rhel", "centos"}:
        return 2, f"{sudo}dnf install"
    return 0, ""

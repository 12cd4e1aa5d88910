"""What the window's toolkit (Qt) needs from a Linux system, and whether it is there: libraries and a display.

Qt ends the process where one is missing, so it is asked before Qt is. Only the standard library is imported here, and
nothing of ours: run.py loads this file by its path, before anything is installed.
"""

import ctypes
import os
import sys

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


def why_no_picture() -> str:
    """Why Qt cannot even draw into a picture, with what to install; empty where it can."""
    missing = missing_libraries(QT_NEEDS)
    if not missing:
        return ""
    return "The window's toolkit (Qt) needs system libraries that are missing here.\n" + how_to_install(missing)


def why_no_window() -> str:
    """Why Qt cannot open a window, with what to do; empty where it can, and where it is told to draw off screen.

    Qt tries Wayland and X11 where the environment speaks of them, or what QT_QPA_PLATFORM names: one that works is
    enough.
    """
    if not sys.platform.startswith("linux"):
        return ""
    asked = [name.partition(":")[0] for name in os.environ.get("QT_QPA_PLATFORM", "").split(";") if name]
    if any(name != "xcb" and not name.startswith("wayland") for name in asked):  # offscreen, minimal, vnc, …
        return ""
    reason = why_no_picture()
    if reason:
        return reason
    reasons = []
    if _wayland_session() and (not asked or any(name.startswith("wayland") for name in asked)):
        reasons.append(_no_wayland())
    if os.environ.get("DISPLAY") and (not asked or "xcb" in asked):
        reasons.append(_no_x11())
    if not reasons:
        return "There is no display here to open a window on: DISPLAY and WAYLAND_DISPLAY are not set."
    return "" if "" in reasons else reasons[-1]


def _no_x11() -> str:
    missing = missing_libraries(X11_NEEDS)
    if missing:
        return _missing_for_display(missing)
    return "" if x_server_answers() else "The display “{}” does not answer.".format(os.environ["DISPLAY"])


def _no_wayland() -> str:
    missing = missing_libraries(WAYLAND_NEEDS)
    if missing:
        return _missing_for_display(missing)
    if wayland_answers():
        return ""
    return "The display “{}” does not answer.".format(os.environ.get("WAYLAND_DISPLAY") or "wayland-0")


def _missing_for_display(missing: list[Need]) -> str:
    return "There is a display, but Qt cannot open a window on it: system libraries are missing.\n" + how_to_install(
        missing
    )


def _wayland_session() -> bool:
    named = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("WAYLAND_SOCKET")
    return bool(named) or os.environ.get("XDG_SESSION_TYPE") == "wayland"


def x_server_answers() -> bool:
    """Whether the X server that DISPLAY names lets us connect; libxcb is there."""
    xcb = ctypes.CDLL("libxcb.so.1")
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    refused = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return not refused


def wayland_answers() -> bool:
    """Whether the Wayland server lets us connect; libwayland-client is there."""
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
    """Those that cannot be loaded; none on other systems, where Qt brings everything along."""
    return [need for need in needs if not loads(need[0])] if sys.platform.startswith("linux") else []


def loads(library: str) -> bool:
    """Whether the system's loader finds a library and can open it."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def how_to_install(missing: list[Need]) -> str:
    """The files that are missing, and the commands that bring them."""
    debian = " ".join(dict.fromkeys(need[1] for need in missing))
    fedora = " ".join(dict.fromkeys(need[2] for need in missing))
    files = ", ".join(need[0] for need in missing)
    return f"Missing: {files}\n  Debian, Ubuntu: sudo apt install {debian}\n  Fedora: sudo dnf install {fedora}"

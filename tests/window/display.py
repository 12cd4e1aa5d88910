"""An X server with a window manager and a session bus of its own, and the pixels that it shows.

The server keeps its screen in a file, so a picture is one read and needs no further program.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]  # height, width, red green blue

PROGRAMS = ("Xvfb", "openbox", "xdotool", "dbus-daemon")
REGISTRY = Path("/usr/share/dbus-1/services/org.a11y.Bus.service")
# One window, without a frame and as large as the screen unless the program says otherwise; no menus, no shortcuts.
OPENBOX = """<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <desktops><number>1</number><popupTime>0</popupTime></desktops>
  <focus><focusNew>yes</focusNew></focus>
  <keyboard></keyboard>
  <mouse>
    <context name="Client">
      <mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
    </context>
  </mouse>
  <applications>{rules}</applications>
</openbox_config>
"""
BARE = '<application type="normal"><decor>no</decor><maximized>yes</maximized></application>'
SECONDS_TO_STOP = 5


def missing_programs() -> list[str]:
    """What of the system a display needs and lacks."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    return missing if REGISTRY.exists() else [*missing, "at-spi2-core"]


class Display:
    """A screen of `width` × `height` pixels.

    `fill`: the program's window has no frame and fills the screen. `managed`: there is a window manager.
    """

    def __init__(self, width: int, height: int, *, fill: bool = True, managed: bool = True) -> None:
        self.width, self.height = width, height
        self._folder = Path(tempfile.mkdtemp(prefix="biasprint-display-"))
        self._processes: list[subprocess.Popen[bytes]] = []
        self.number = self._start_server()
        self.environment = {
            "DISPLAY": f":{self.number}",
            "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": str(self._folder),
            "XDG_RUNTIME_DIR": str(self._folder),
        }
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = self._start_bus()
        if managed:
            self._start_window_manager(fill)

    def picture(self) -> Pixels:
        """The pixels as they are now."""
        data = (self._folder / "Xvfb_screen0").read_bytes()
        header = np.frombuffer(data, ">u4", 25)  # the format of xwd
        start, line, colours = int(header[0]), int(header[12]), int(header[19])
        pixels = np.frombuffer(data, np.uint8, line * self.height, start + colours * 12)
        return pixels.reshape(self.height, line // 4, 4)[:, : self.width, 2::-1].copy()

    def xdotool(self, *arguments: object) -> str:
        """Run one chain of xdotool's commands; what it prints."""
        done = subprocess.run(
            ["xdotool", *map(str, arguments)], env=self.environment, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, f"xdotool {arguments}: {done.stderr}"
        return done.stdout.strip()

    def close(self) -> None:
        """End what was started, the X server last."""
        for process in reversed(self._processes):
            process.terminate()
            try:
                process.wait(SECONDS_TO_STOP)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> "Display":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start_server(self) -> int:
        """Start Xvfb on a number that is free; it writes the number when it is ready."""
        reading, writing = os.pipe()
        screen = f"{self.width}x{self.height}x24"
        command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", screen, "-fbdir", str(self._folder)]
        command += ["-nolisten", "tcp", "-noreset", "-dpi", "96", "-nocursor"]
        self._processes.append(
            subprocess.Popen(command, pass_fds=(writing,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        )
        os.close(writing)
        with os.fdopen(reading) as numbers:
            number = numbers.readline().strip()
        assert number, "Xvfb did not start."
        return int(number)

    def _start_bus(self) -> str:
        """Start a session bus; accessibility is started by it when somebody asks."""
        process = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--print-address=1"],
            env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._processes.append(process)
        assert process.stdout is not None
        return process.stdout.readline().decode().strip()

    def _start_window_manager(self, fill: bool) -> None:
        settings = self._folder / "openbox.xml"
        settings.write_text(OPENBOX.format(rules=BARE if fill else ""), encoding="utf-8")
        command = ["openbox", "--config-file", str(settings)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._processes.append(subprocess.Popen(command, env=self.environment, **quiet))

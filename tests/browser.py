"""A real browser for tests: headless Chromium, driven by chromedriver over plain HTTP (the WebDriver protocol).

Both come from the system (`apt install chromium chromium-driver`); where they are absent, the tests are skipped.
"""

import base64
import json
import os
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
needs_browser = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="Chromium and chromedriver are not installed (apt install chromium-driver)"
)
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ENTER, ESCAPE, TAB = "\ue007", "\ue00c", "\ue004"


class Browser:
    """One window. `ask` speaks WebDriver; the rest is named by what a person does."""

    def __init__(self, address: str, session: str, pid: int) -> None:
        self._address, self._session, self.pid = address, session, pid

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        return _ask(f"{self._address}/session/{self._session}/{path}".rstrip("/"), method, body)

    def chrome(self, command: str, **parameters: Any) -> Any:
        return self.ask("POST", "goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, page: Path) -> None:
        self.ask("POST", "url", {"url": page.resolve().as_uri()})
        self.until("document.querySelector('#page h1')")

    def run(self, script: str, *arguments: Any) -> Any:
        return self.ask("POST", "execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script: str, *arguments: Any) -> Any:
        return self.ask("POST", "execute/async", {"script": script, "args": list(arguments)})

    def until(self, condition: str, seconds: float = 20) -> None:
        end = time.monotonic() + seconds
        while not self.run(f"return Boolean({condition})"):
            assert time.monotonic() < end, f"not within {seconds} s: {condition}\n{self.text()}"
            time.sleep(0.02)

    def text(self) -> str:
        return str(self.run("return document.body.innerText"))

    def press(self, *keys: str) -> None:
        """Press and release keys, one after the other."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.ask("POST", "actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def hold(self, key: str, times: int) -> None:
        """Press a key and keep it down, so that it repeats."""
        for number in range(times):
            self.chrome("Input.dispatchKeyEvent", type="keyDown", key=key, text=key, autoRepeat=number > 0)
        self.chrome("Input.dispatchKeyEvent", type="keyUp", key=key)

    def tap(self, words: str, *, times: int = 1) -> None:
        """Tap the button, or label, with these words, with a finger or the mouse."""
        find = (
            "const own = (each) => [...each.childNodes].filter((part) => part.nodeType === 3).map((part) => part.data);"
            "return [...document.querySelectorAll('button, label')].find((each) => each.offsetParent !== null && "
            "(each.getAttribute('aria-label') || own(each).join('')).trim() === arguments[0])"
        )
        found = self.run(find, words)
        assert found, f"there is no button “{words}”:\n{self.text()}"
        if times == 1:
            self.ask("POST", f"element/{found[ELEMENT]}/click", {})
            return
        move = {"type": "pointerMove", "origin": found, "x": 0, "y": 0, "duration": 0}
        down, up = {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}
        mouse = {"type": "pointer", "id": "mouse", "actions": [move, *[down, up] * times]}
        self.ask("POST", "actions", {"actions": [mouse]})

    def write(self, selector: str, words: str) -> None:
        found = self.ask("POST", "element", {"using": "css selector", "value": selector})
        self.ask("POST", f"element/{found[ELEMENT]}/value", {"text": words})

    def picture(self, to: Path) -> Path:
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(base64.b64decode(self.ask("GET", "screenshot")))
        return to

    def screen(self, width: int, height: int, *, phone: bool = False, dark: bool = False, zoom: float = 1) -> None:
        self.chrome(
            "Emulation.setDeviceMetricsOverride", width=int(width / zoom), height=int(height / zoom),
            deviceScaleFactor=zoom, mobile=phone,
        )  # fmt: skip
        self.chrome("Emulation.setTouchEmulationEnabled", enabled=phone)
        features = {"prefers-color-scheme": "dark" if dark else "light", "hover": "none" if phone else "hover"}
        named = [{"name": name, "value": value} for name, value in features.items()]
        self.chrome("Emulation.setEmulatedMedia", features=named)

    def downloaded(self, folder: Path, seconds: float = 20) -> Path:
        """Wait for a file that is whole; the newest."""
        end = time.monotonic() + seconds
        while True:
            whole = [path for path in folder.glob("*.html") if not list(folder.glob("*.crdownload"))]
            if whole:
                return max(whole, key=lambda path: path.stat().st_mtime_ns)
            assert time.monotonic() < end, "nothing was downloaded"
            time.sleep(0.05)

    def kill(self) -> None:
        """End the browser as a power cut does: it is asked nothing and told nothing."""
        os.kill(self.pid, signal.SIGKILL)


def _ask(url: str, method: str, body: Any = None) -> Any:
    data = None if body is None and method == "GET" else json.dumps(body or {}).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=90) as reply:
            return json.load(reply)["value"]
    except urllib.error.HTTPError as error:
        raise AssertionError(json.load(error)["value"]["message"].split("\n")[0]) from error


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@contextmanager
def driver() -> Iterator[str]:
    """Start chromedriver; its address."""
    process = subprocess.Popen([str(DRIVER), "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        line = next(line for line in process.stdout if "started successfully on port" in line)
        yield f"http://127.0.0.1:{line.rstrip().rstrip('.').rsplit(' ', 1)[1]}"
    finally:
        process.terminate()
        process.wait(10)


@contextmanager
def browser(address: str, profile: Path, downloads: Path) -> Iterator[Browser]:
    """Open a window with a profile of its own, without a network."""
    downloads.mkdir(parents=True, exist_ok=True)
    arguments = [
        "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", f"--user-data-dir={profile}",
        "--no-first-run", "--window-size=1440,900", "--hide-scrollbars",
    ]  # fmt: skip
    wanted = {
        "browserName": "chrome",
        "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"},
        "goog:chromeOptions": {
            "binary": str(CHROMIUM), "args": arguments,
            "prefs": {"download.default_directory": str(downloads), "download.prompt_for_download": False},
        },
    }  # fmt: skip
    answer = _ask(f"{address}/session", "POST", {"capabilities": {"alwaysMatch": wanted}})
    window = Browser(address, answer["sessionId"], answer["capabilities"]["goog:processID"])
    _leave_the_network(window)
    try:
        yield window
    finally:
        with suppress(AssertionError, OSError):  # a killed browser answers nothing
            window.ask("DELETE", "")
        end = time.monotonic() + 10
        while _runs(window.pid):  # it holds its profile until then
            if time.monotonic() > end:
                window.kill()
            time.sleep(0.02)
        for lock in profile.glob("Singleton*"):  # of a browser that was killed, and is not reaped yet
            lock.unlink()


@contextmanager
def tab(window: Browser, downloads: Path, *, forget: bool) -> Iterator[Browser]:
    """Open a tab in a window that is open already, a third of a browser's start; `forget` what pages have kept."""
    (first,) = window.ask("GET", "window/handles")
    window.ask("POST", "window", {"handle": window.ask("POST", "window/new", {"type": "tab"})["handle"]})
    if forget:
        window.chrome("Storage.clearDataForOrigin", origin="file://", storageTypes="all")
    window.chrome("Page.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))
    _leave_the_network(window)
    try:
        yield window
    finally:
        for opened in set(window.ask("GET", "window/handles")) - {first}:
            window.ask("POST", "window", {"handle": opened})
            window.ask("DELETE", "window")
        window.ask("POST", "window", {"handle": first})


def _leave_the_network(window: Browser) -> None:
    for log in ("performance", "browser"):  # what the browser itself asked for and said until now
        window.ask("POST", "se/log", {"type": log})
    window.chrome("Network.enable")
    window.chrome("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)

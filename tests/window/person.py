"""A person at the screen: presses keys, clicks, scrolls, and sees what is there.

Nothing here knows the program's code. Where a thing is and what it says comes from what the program tells a screen
reader; that it happened, from the screen.
"""

import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from accessible import AccessibleTree, Box, Focus, Hearing, Node, Unreachable, middle
from display import Display, Pixels

T = TypeVar("T")
PATIENCE_SECONDS = 25.0
LOOK_AGAIN_SECONDS = 0.1  # each look costs the program some milliseconds
STILL_SECONDS = 0.2  # nothing has moved for so long: a caret, which blinks twice a second, is no movement
NOTCHES_AT_MOST = 60
WHEEL_UP, WHEEL_DOWN = 4, 5
FILE_FIELDS = ("File name:", "Directory:")  # of the dialog that Qt brings along
AT_WORK = "…"  # how a line ends that says what is being done
STOPS_AT_MOST = 80  # of Tab, from one part of a panel to another
TAB_SECONDS = 5.0  # until a press of Tab has moved the keyboard, on a busy machine
CARET_PIXELS = 80  # as many change when a caret blinks


class NotSeen(AssertionError):
    """What was waited for did not come."""


class Person:
    """Somebody who has started the program, in a home folder of their own."""

    def __init__(self, display: Display, command: Sequence[str | Path], folder: Path) -> None:
        self.display = display
        self.folder = folder  # where their files are
        self._command = [str(part) for part in command]
        self._program: subprocess.Popen[bytes] | None = None
        self._tree: AccessibleTree | None = None
        self._focus: Focus | None = None
        self.clicks = self.keys = 0  # how many it took so far; a written text is no key
        self.printed = folder / "printed.txt"  # what the program wrote on its terminal
        (folder / "home").mkdir(parents=True, exist_ok=True)

    # the program

    def start(self, *arguments: object, scale: int = 1, **more: str) -> None:
        """Start the program in a folder where nothing is, as a desktop does; on one of such a scale.

        `more`: variables of its environment.
        """
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir(exist_ok=True)
        environment = self.variables() | {"QT_SCALE_FACTOR": str(scale), **more}
        with self.printed.open("ab") as output:
            self._program = subprocess.Popen(
                [*self._command, *map(str, arguments)], cwd=elsewhere, env=environment,
                stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            )  # fmt: skip
        self._tree = AccessibleTree(environment["DBUS_SESSION_BUS_ADDRESS"], scale)
        self._focus = Focus(environment["DBUS_SESSION_BUS_ADDRESS"])

    def variables(self) -> dict[str, str]:
        """The environment of whatever this person starts."""
        return self.display.environment | {
            "HOME": str(self.folder / "home"),
            "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
            "OMP_NUM_THREADS": "1",  # programs side by side share the cores
        }

    def command(self, *arguments: object) -> str:
        """Run one of the program's commands without the window; what it prints."""
        done = subprocess.run(
            [*self._command, *map(str, arguments)], cwd=self.folder, env=self.variables(),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == 0, f"biasprint {arguments} ended with {done.returncode}: {done.stderr}"
        return done.stdout

    def stop(self) -> None:
        """Switch the program off, however it is."""
        if self._program is not None:
            self._program.kill()
            self._program.wait()
        if self._tree is not None:
            self._tree.close()
        if self._focus is not None:
            self._focus.close()
        self._program = self._tree = self._focus = None

    def quit(self) -> None:
        """Leave by Ctrl+Q, and see that it ends well."""
        assert self._program is not None
        self.press("ctrl+q")
        code = self._program.wait(PATIENCE_SECONDS)
        assert code == 0, f"The program ended with {code}: {self.printed.read_text()}"
        self.stop()

    def sees_it_start_again(self) -> None:
        """Wait until the program has ended well and its successor shows its window, which is then in sight."""
        assert self._program is not None
        code = self._program.wait(PATIENCE_SECONDS)
        assert code == 0, f"The program ended with {code}: {self.printed.read_text()}"
        self._program = None
        self.until(self.windows, "the window that started again")

    # seeing

    def windows(self) -> list[Node]:
        """What shows now, the window with the keyboard first."""
        assert self._tree is not None, "The program is not started."
        windows = self._tree.windows()
        return sorted(windows, key=lambda window: "active" not in window.states)

    def window_box(self) -> Box:
        """Where the window is, without the frame that the window manager drew around it."""
        return self.windows()[0].box

    def nodes(self) -> Iterator[Node]:
        for window in self.windows():
            yield from window.all()

    def sees(self, text: str, *, role: str = "", seconds: float = PATIENCE_SECONDS) -> Node:
        """Wait until a text stands on the screen, and give where."""
        return self.until(lambda: self._with_text(text, role), f"“{text}” on the screen", seconds)

    def sees_no(self, text: str, *, role: str = "", seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until a text is gone."""
        self.until(lambda: self._with_text(text, role) is None, f"no “{text}” on the screen", seconds)

    def texts(self) -> list[str]:
        """Everything that can be read now, from the top of the tree to its end."""
        return [words for node in self.nodes() if node.in_sight for words in (node.name, node.text) if words]

    def find(self, name: str, *, role: str = "", within: str = "", seconds: float = PATIENCE_SECONDS) -> Node:
        """Wait for a thing of exactly this name that can be used, and give where it is.

        `within`: the name of something around it. It may have to be scrolled to.
        """

        def usable() -> Node | None:
            for node in self.nodes():
                named = node.name == name and role in ("", node.role) and node.box[2] > 0
                usable_now = "enabled" in node.states and ("focusable" in node.states or role)
                if named and usable_now and (not within or any(above.name == within for above in node.above())):
                    return node
            return None

        return self.until(usable, f"a usable “{name}”", seconds)

    def settled(self, seconds: float = 90) -> None:
        """Wait until no line says that something is still being worked out."""
        self.until(
            lambda: not any(node.role == "label" and node.name.endswith(AT_WORK) for node in self.nodes()),
            "everything worked out",
            seconds,
        )

    def until(self, condition: Callable[[], T], what: str, seconds: float = PATIENCE_SECONDS) -> T:
        """Look again and again until something is so."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                outcome = condition()
            except Unreachable:
                outcome = None  # it changed while it was looked at
            if outcome:
                return outcome
            self._check_alive()
            if time.monotonic() > deadline:
                raise NotSeen(f"Not seen within {seconds:g} s: {what}. On the screen: {self.texts()}")
            time.sleep(LOOK_AGAIN_SECONDS)

    def picture(self, box: Box | None = None) -> Pixels:
        """The screen, or a part of it, once nothing moves any more."""
        last, since = self.display.picture(), time.monotonic()
        deadline = since + PATIENCE_SECONDS
        while time.monotonic() - since < STILL_SECONDS:
            time.sleep(STILL_SECONDS / 4)
            now = self.display.picture()
            if np.count_nonzero((now != last).any(axis=2)) > CARET_PIXELS:
                last, since = now, time.monotonic()
                assert since < deadline, "The screen does not come to rest."
        return last if box is None else cut(last, box)

    # doing

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, as xdotool names them: 1, ctrl+z, Return."""
        self.keys += len(keys)
        self.display.xdotool("key", *keys)

    def tab_to(self, name: str, *, role: str = "", back: bool = False) -> Node:
        """Press Tab until the keyboard is on a thing whose name, or description, begins so; give where that is."""
        assert self._focus is not None
        assert self._tree is not None
        passed: list[str] = []
        self._focus.next(STILL_SECONDS)  # what got the keyboard before is no answer to a key
        while len(passed) < STOPS_AT_MOST:
            self.press("shift+Tab" if back else "Tab")
            where = self._focus.next(PATIENCE_SECONDS if not passed else TAB_SECONDS)
            node = self._tree.look_at(*where) if where is not None else None
            passed.append(f"{node.role} “{node.name}”" if node is not None else "nothing")
            if node is not None and node.called(name) and role in ("", node.role):
                return node
        raise NotSeen(f"Tab does not lead to “{name}”, but to: {', '.join(dict.fromkeys(passed))}")

    def hold(self, key: str, seconds: float) -> None:
        """Hold a key down for so long; the X server repeats it."""
        self.display.xdotool("keydown", key, "sleep", seconds, "keyup", key)

    def write(self, text: str) -> None:
        self.display.xdotool("type", "--delay", "4", "--", text)

    def click(self, name: str, *, role: str = "", within: str = "", seconds: float = PATIENCE_SECONDS) -> None:
        """Click on a thing by its name, scrolling to it first where it is cut off."""
        self.click_on(self.reach(name, role=role, within=within, seconds=seconds).centre)

    def open_panel(self, title: str) -> None:
        """Go to a panel by the rail; it is there when the rail says so."""
        self.click(title, within="Panels")
        self.until(
            lambda: any(node.name == title and "checked" in node.states for node in self.nodes()), f"panel {title}"
        )
        self.move_pointer_away()
        self.settled()

    def click_on(self, point: tuple[int, int]) -> None:
        self.clicks += 1
        self.display.xdotool("mousemove", *point, "click", 1)

    def press_and_leave(self, name: str, *, role: str = "", within: str = "") -> None:
        """Press the pointer on a thing, and let go elsewhere."""
        point = self.reach(name, role=role, within=within).centre
        away = self.display.width // 2, self.display.height - 2
        self.display.xdotool("mousemove", *point, "mousedown", 1, "mousemove", *away, "mouseup", 1)

    def double_click_on(self, point: tuple[int, int]) -> None:
        self.clicks += 2
        self.display.xdotool("mousemove", *point, "click", "--repeat", 2, "--delay", 60, 1)

    def click_word(self, word: str, *, within: str) -> None:
        """Click on the first such word of a text."""
        self.click_on(middle(self.place_of(word, within=within)))

    def hearing(self) -> Hearing:
        """What the program has a screen reader say from now on."""
        return Hearing(self.variables()["DBUS_SESSION_BUS_ADDRESS"])

    def language(self) -> str:
        """The language that a screen reader is told."""
        assert self._tree is not None
        return self._tree.language(self.windows()[0].owner)

    def place_of(self, word: str, *, within: str) -> Box:
        """Where a word of a text stands, from its first letter to its last."""
        text = self.find(within, role="text")
        assert self._tree is not None
        start = text.text.index(word)
        first, last = (self._tree.place_of(text, place) for place in (start, start + len(word) - 1))
        return first[0], first[1], last[0] + last[2] - first[0], first[3]

    def do(self, command: str) -> None:
        """Have a command done by its name, from the palette that Ctrl+K opens."""
        self.press("ctrl+k")
        self.sees("Search commands", role="text")
        self.write(command.rstrip("…"))
        self.sees(command, role="list item")
        self.press("Return")

    def fill_in(self, name: str, text: str, *, within: str = "") -> None:
        """Write in a field, in place of what is there."""
        self.click(name, within=within)
        self.press("ctrl+a")
        self.write(text)

    def choose_file(self, *paths: Path) -> None:
        """Answer the dialog that asks for a file, a folder or several files: type where, press Return."""
        field = self.until(
            lambda: next((node for node in self.nodes() if node.role == "text" and node.name in FILE_FIELDS), None),
            "a field for a file's name",
        )
        self.click_on(field.centre)
        self.press("ctrl+a")
        self.write(str(paths[0]) if len(paths) == 1 else " ".join(f'"{path}"' for path in paths))
        self.press("Return")
        self.until(lambda: not any(node.name == field.name for node in self.nodes()), "the end of the dialog")

    def wheel(self, point: tuple[int, int], notches: int = 1) -> None:
        """Turn the wheel over a point; upwards where negative."""
        button = WHEEL_DOWN if notches > 0 else WHEEL_UP
        self.display.xdotool("mousemove", *point, "click", "--repeat", abs(notches), "--delay", 8, button)

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        middle = ((start[0] + end[0]) // 2, (start[1] + end[1]) // 2)
        self.display.xdotool(
            "mousemove", *start, "mousedown", 1, "mousemove", *middle, "mousemove", *end, "mouseup", 1
        )  # fmt: skip

    def move_pointer_away(self) -> None:
        """To where it covers nothing and nothing is marked because of it."""
        self.display.xdotool("mousemove", self.display.width - 1, self.display.height - 1)

    def reach(self, name: str, *, role: str = "", within: str = "", seconds: float = PATIENCE_SECONDS) -> Node:
        """Give a thing that stands still and in sight, turning the wheel where it is cut off."""
        last = self.find(name, role=role, within=within, seconds=seconds)
        for _ in range(NOTCHES_AT_MOST):
            node = self.find(name, role=role, within=within, seconds=seconds)
            if node.box == last.box:
                frame = _cutting(node)
                if frame is None:
                    return node
                self.wheel(_beside(frame), 1 if node.box[1] + node.box[3] > frame[1] + frame[3] else -1)
            last = node
        raise NotSeen(f"“{name}” cannot be scrolled to: {last.box}, of which {last.seen} shows.")

    # inside

    def _with_text(self, text: str, role: str) -> Node | None:
        for node in self.nodes():
            if role in ("", node.role) and node.in_sight and (text in node.name or text in node.text):
                return node
        return None

    def _check_alive(self) -> None:
        code = self._program.poll() if self._program is not None else None
        if code is not None:
            raise NotSeen(f"The program ended with {code}: {self.printed.read_text(errors='replace')[-4000:]}")


def cut(picture: Pixels, box: Box) -> Pixels:
    """The part of a picture in a box."""
    left, top, width, height = box
    return picture[max(0, top) : top + height, max(0, left) : left + width]


def _cutting(node: Node) -> Box | None:
    """The part of the screen outside which a thing is cut off, if its middle is."""
    left, top, width, height = node.box
    across, down = left + width // 2, top + height // 2
    for above in node.above():
        seen = above.seen
        if not (seen[0] <= across < seen[0] + seen[2] and seen[1] + 2 <= down < seen[1] + seen[3] - 2):
            return next((one.seen for one in [above, *above.above()] if one.in_sight), None)
    return None


def _beside(frame: Box) -> tuple[int, int]:
    """A point in a frame where few things are that a wheel would turn."""
    return frame[0] + 3, frame[1] + frame[3] // 2


NewPerson = Callable[..., Person]  # of the arguments of their display

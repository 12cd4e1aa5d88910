"""What the program tells a screen reader: what stands on the screen, where, and in which state.

Asked over the accessibility bus (AT-SPI), as a screen reader asks; the program does not know that it is a test.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from jeepney import DBusAddress, HeaderFields, Message, MessageType, new_method_call
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import DBusConnection, open_dbus_connection

ROOT = "/org/a11y/atspi/accessible/root"
ACCESSIBLE, COMPONENT, TEXT = (f"org.a11y.atspi.{name}" for name in ("Accessible", "Component", "Text"))
PROPERTIES = "org.freedesktop.DBus.Properties"
TABLES = ("table", "tree", "tree table", "list")
MOST_CELLS = 500  # of a table that is looked at cell by cell
SCREEN = 0  # coordinates: of the screen, not of the window
REPLY_SECONDS = 20.0
MORE_SECONDS = 0.03  # what gets the keyboard within this after something else got it in the same press
STATES = {
    3: "checkable", 4: "checked", 8: "enabled", 11: "focusable", 12: "focused", 23: "selected", 25: "showing",
    30: "visible", 7: "editable", 1: "active", 9: "expandable", 10: "expanded", 41: "checkable",
    17: "multi line", 43: "read only",
}  # fmt: skip

Box = tuple[int, int, int, int]  # left, top, width, height


class Unreachable(Exception):
    """The program is gone, or an object that was on the screen is no more."""


@dataclass
class Node:
    """One thing on the screen. `seen`: the part of its box that its surroundings do not cut off."""

    owner: str  # on the bus
    path: str
    role: str
    name: str
    box: Box
    seen: Box
    states: frozenset[str]
    text: str = ""  # of fields and texts
    description: str = ""
    children: list["Node"] = field(default_factory=list)
    parent: "Node | None" = field(default=None, repr=False)

    def all(self) -> Iterator["Node"]:
        yield self
        for child in self.children:
            yield from child.all()

    def above(self) -> Iterator["Node"]:
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def called(self, words: str) -> bool:
        """Whether its name begins so, or its description: a box of choices is named by what is chosen."""
        return any(told.startswith(words) for told in (self.name, self.description) if told)

    @property
    def centre(self) -> tuple[int, int]:
        return middle(self.seen)

    @property
    def whole(self) -> bool:
        """Whether nothing of it is cut off."""
        return self.seen == self.box

    @property
    def in_sight(self) -> bool:
        return self.seen[2] > 0 and self.seen[3] > 0


class Hearing:
    """Hears one kind of event, as a screen reader does. `bus`: of the session."""

    member, event = "Announcement", "object:announcement"

    def __init__(self, bus: str) -> None:
        self._bus: DBusConnection = open_dbus_connection(accessibility_bus(bus))
        kinds = f"type='signal',interface='org.a11y.atspi.Event.Object',member='{self.member}'"
        self._bus.send_and_get_reply(message_bus.AddMatch(kinds), timeout=REPLY_SECONDS)
        registry = DBusAddress("/org/a11y/atspi/registry", "org.a11y.atspi.Registry", "org.a11y.atspi.Registry")
        event = new_method_call(registry, "RegisterEvent", "sas", (self.event, []))
        self._bus.send_and_get_reply(event, timeout=REPLY_SECONDS)

    def close(self) -> None:
        self._bus.close()

    def said(self, seconds: float) -> str:
        """What the program has a screen reader say next, waiting so long; “” for nothing."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                event = self._bus.receive(timeout=left)
            except TimeoutError:
                break
            if event.header.fields.get(HeaderFields.member) == self.member:
                return str(event.body[3][1])
        return ""


class Focus(Hearing):
    """Follows the keyboard: what a screen reader hears when another thing gets it."""

    member, event = "StateChanged", "object:state-changed:focused"

    def next(self, seconds: float) -> tuple[str, str] | None:
        """The owner and path of what got the keyboard last, waiting so long for something that gets it."""
        last, deadline = None, time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                event = self._bus.receive(timeout=left)
            except TimeoutError:
                break
            if event.header.message_type is MessageType.signal and event.body[:2] == ("focused", 1):
                last = event.header.fields[HeaderFields.sender], event.header.fields[HeaderFields.path]
                deadline = min(deadline, time.monotonic() + MORE_SECONDS)
        return last


def accessibility_bus(session: str) -> str:
    """The address of the accessibility bus, which the session's bus starts."""
    with open_dbus_connection(session) as bus:
        ask = new_method_call(DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus"), "GetAddress")
        (address,) = bus.send_and_get_reply(ask, timeout=REPLY_SECONDS).body
    return str(address)


class AccessibleTree:
    """The program as a screen reader finds it. `bus`: the address of the session bus.

    `scale`: the pixels of the screen to one of the program's, which counts in its own.
    """

    def __init__(self, bus: str, scale: int = 1) -> None:
        self._scale = scale
        self._bus: DBusConnection = open_dbus_connection(accessibility_bus(bus))

    def close(self) -> None:
        self._bus.close()

    def windows(self) -> list[Node]:
        """All that the program shows, window by window."""
        registry = ("org.a11y.atspi.Registry", ROOT)
        programs = self._ask([(*registry, ACCESSIBLE, "GetChildren", None, ())])[0]
        return [
            window for name, path in (programs or [])
            for window in self._shown(name, [path_of for _, path_of in self._children(name, path)])
        ]  # fmt: skip

    def look_at(self, owner: str, path: str) -> Node | None:
        """One thing, without what is around or in it."""
        ((_, node),) = self._look(owner, [(None, path)]) or ((None, None),)
        return node

    def language(self, owner: str) -> str:
        """The language in which a screen reader is to read the program."""
        (code,) = self._ask([(owner, ROOT, "org.a11y.atspi.Application", "GetLocale", "u", (0,))])
        return str(code)

    def place_of(self, text: Node, start: int) -> Box:
        """Where a character of a text stands."""
        question = (text.owner, text.path, TEXT, "GetCharacterExtents", "iu", (start, SCREEN))
        (place,) = self._ask([question], whole=True)
        if place is None:
            raise Unreachable("The text is gone.")
        return self._on_screen(place)

    # inside

    def _on_screen(self, box: Sequence[int]) -> Box:
        left, top, width, height = (self._scale * length for length in box)
        return left, top, width, height

    def _children(self, name: str, path: str) -> list[tuple[str, str]]:
        return self._ask([(name, path, ACCESSIBLE, "GetChildren", None, ())])[0] or []

    def _shown(self, name: str, paths: Sequence[str]) -> list[Node]:
        """What shows of these, level by level: the questions of a level leave together."""
        top: list[Node] = []
        level: list[tuple[Node | None, str]] = [(None, path) for path in paths]
        while level:
            nodes = [(above, node) for above, node in self._look(name, level) if node is not None]
            for above, node in nodes:
                (top if above is None else above.children).append(node)
            parents = self._with_few_children(name, [node for _, node in nodes])
            asked = self._ask([(name, node.path, ACCESSIBLE, "GetChildren", None, ()) for node in parents])
            level = [
                (node, path) for node, children in zip(parents, asked, strict=True) for _, path in (children or [])
            ]
        return top

    def _with_few_children(self, name: str, nodes: Sequence[Node]) -> list[Node]:
        """All but the tables of thousands of cells, each of which the program would have to make for us."""
        long = [node for node in nodes if node.role in TABLES]
        counts = self._ask([(name, node.path, PROPERTIES, "Get", "ss", (ACCESSIBLE, "ChildCount")) for node in long])
        skipped = {node.path for node, count in zip(long, counts, strict=True) if not count or count[1] > MOST_CELLS}
        return [node for node in nodes if node.path not in skipped]

    def _look(self, name: str, level: Sequence[tuple[Node | None, str]]) -> list[tuple[Node | None, Node | None]]:
        questions: list[tuple[Any, ...]] = []
        for _, path in level:
            questions += [
                (name, path, ACCESSIBLE, "GetState", None, ()),
                (name, path, ACCESSIBLE, "GetRoleName", None, ()),
                (name, path, PROPERTIES, "Get", "ss", (ACCESSIBLE, "Name")),
                (name, path, COMPONENT, "GetExtents", "u", (SCREEN,)),
                (name, path, PROPERTIES, "Get", "ss", (ACCESSIBLE, "Description")),
            ]
        replies = self._ask(questions)
        nodes: list[tuple[Node | None, Node | None]] = []
        for number, (above, path) in enumerate(level):
            state, role, title, box, more = replies[5 * number : 5 * number + 5]
            states = _states(state)
            if role is None or box is None or "showing" not in states:
                continue
            place = self._on_screen(box)
            seen = place if above is None else overlap(place, above.seen)
            words = [told[1] if told else "" for told in (title, more)]
            node = Node(name, path, role, words[0], place, seen, states, description=words[1], parent=above)
            nodes.append((above, node))
        self._read_texts(name, [node for _, node in nodes if node is not None])
        return nodes

    def _read_texts(self, name: str, nodes: Sequence[Node]) -> None:
        texts = [node for node in nodes if node.role in ("text", "password text", "combo box", "spin button")]
        contents = self._ask([(name, node.path, TEXT, "GetText", "ii", (0, -1)) for node in texts])
        for node, content in zip(texts, contents, strict=True):
            node.text = content or ""

    def _ask(self, questions: Sequence[tuple[Any, ...]], *, whole: bool = False) -> list[Any]:
        """The answers to questions that are sent together, their first parts or `whole`; None where there is none."""
        serials = {}
        answers: list[Any] = [None] * len(questions)
        for place, (name, path, interface, method, signature, body) in enumerate(questions):
            message = new_method_call(DBusAddress(path, name, interface), method, signature, body)
            serial = next(self._bus.outgoing_serial)
            self._bus.send(message, serial=serial)
            serials[serial] = place
        while serials:
            reply = self._receive()
            place = serials.pop(reply.header.fields.get(5, -1), -1)  # 5: the serial that it replies to
            if place >= 0 and reply.header.message_type is MessageType.method_return and reply.body:
                answers[place] = reply.body if whole else reply.body[0]
        return answers

    def _receive(self) -> Message:
        try:
            return self._bus.receive(timeout=REPLY_SECONDS)
        except (TimeoutError, ConnectionError, OSError) as error:
            raise Unreachable(f"The program does not answer: {error!r}") from error


def overlap(one: Box, other: Box) -> Box:
    left, top = max(one[0], other[0]), max(one[1], other[1])
    right = min(one[0] + one[2], other[0] + other[2])
    bottom = min(one[1] + one[3], other[1] + other[3])
    return left, top, max(0, right - left), max(0, bottom - top)


def middle(box: Box) -> tuple[int, int]:
    return box[0] + box[2] // 2, box[1] + box[3] // 2


def _states(words: Sequence[int] | None) -> frozenset[str]:
    if not words:
        return frozenset()
    bits = words[0] | (words[1] << 32 if len(words) > 1 else 0)
    return frozenset(name for bit, name in STATES.items() if bits >> bit & 1)

"""Where everything is in a window of one direction, noted in a process of its own, as a person's program is."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from looks import dress, pages
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyledItemDelegate, QWidget

from biasprint.core.runs.sample import unpack_sample
from biasprint.desktop.headless import offscreen_window
from biasprint.desktop.widgets.small_table import TextDelegate

WIDTH = 1280
# Where a part is, from the left edge of the window: the page, and the way from the window down to the part.
Places = dict[str, dict[str, tuple[int, int]]]


def note_places(direction: str, folder: Path) -> None:
    """Write where everything is, and which lists draw texts as Qt would, into `places.json`."""
    os.environ |= {"BIASPRINT_HOME": str(folder / "home"), "BIASPRINT_DIRECTION": direction}
    sample = folder / "Sample.biasprint"
    unpack_sample(sample)
    places: Places = {}
    plain: dict[str, list[str]] = {}
    with offscreen_window(sample) as (window, settle):
        dress(window, f"light-{WIDTH}x800")
        settle()
        for name, panel in pages(window, settle):
            if window.jobs.active():  # a slow machine still works on it: what shows there is not the same each time
                continue
            places[name] = {
                way: (part.mapTo(window, QPoint(0, 0)).x(), part.width()) for way, part in turned(window, direction)
            }
            views = [view for view in panel.findChildren(QAbstractItemView) if not isinstance(view, QHeaderView)]
            plain[name] = [view.accessibleName() for view in views if view.isVisible() and not draws_each_text(view)]
    (folder / "places.json").write_text(json.dumps({"places": places, "plain": plain}), "utf-8")


def turned(part: QWidget, direction: str, way: str = "") -> Iterator[tuple[str, QWidget]]:
    """Yield the parts below one that show, but for figures and what is in them: those are never mirrored."""
    count: dict[str, int] = {}
    for child in part.children():
        if not isinstance(child, QWidget):
            continue
        kind = type(child).__name__
        count[kind] = count.get(kind, 0) + 1
        figure = direction == "rtl" and child.layoutDirection() is Qt.LayoutDirection.LeftToRight
        if child.isVisible() and not child.isWindow() and not figure:
            name = f"{way}/{kind} {count[kind]}"
            yield name, child
            yield from turned(child, direction, name)


def draws_each_text(view: QAbstractItemView) -> bool:
    """Return True where each text keeps the order of its letters, or the whole row is painted by the program."""
    delegate = view.itemDelegate()
    return isinstance(delegate, TextDelegate) or type(delegate).paint is not QStyledItemDelegate.paint

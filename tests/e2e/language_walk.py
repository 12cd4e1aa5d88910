"""Goes through every panel of the sample project in a language, and writes down what is not translated or cut off.

python language_walk.py CODE FOLDER [WIDTH HEIGHT [pictures]]: what was seen is written to the folder, and pictures of
the panels.
"""

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtWidgets import QAbstractButton, QLabel, QTabBar, QWidget
from robot import borrow_compute

from biasprint.core import language
from biasprint.core.runs.sample import unpack_sample
from biasprint.desktop.headless import offscreen_window
from biasprint.desktop.panels import PANELS
from biasprint.desktop.widgets.buttons import KeyHint
from biasprint.desktop.widgets.labels import ElidedLabel

TRANSLATED = re.compile(r"\[[^\[\]]*\]")
WORD = re.compile(r"[A-Za-z]{3,}")
ROOM = 2  # pixels that a text may be wider than its place: letters are smoothed


def shown(window: QWidget) -> Iterator[tuple[str, QWidget]]:
    """Yield what the visible labels, buttons and tabs say."""
    for each in window.findChildren(QWidget):
        if not each.isVisible() or isinstance(each, KeyHint):
            continue
        if isinstance(each, QTabBar):
            yield from ((each.tabText(place), each) for place in range(each.count()))
        elif isinstance(each, ElidedLabel):
            yield each.whole_text(), each
        elif isinstance(each, QLabel | QAbstractButton):
            yield each.text(), each


def untranslated(text: str) -> bool:
    before = ""
    while before != text:
        before, text = text, TRANSLATED.sub("", text)
    return WORD.search(text) is not None


def cut_off(text: str, widget: QWidget) -> bool:
    """Return whether a line is wider than its place, and nothing says so; a wrapped text may be higher than it."""
    if isinstance(widget, ElidedLabel) or not text:
        return False
    if isinstance(widget, QLabel):
        if widget.wordWrap():
            return widget.heightForWidth(widget.width()) > widget.height() + ROOM
        return widget.sizeHint().width() > widget.width() + ROOM
    return not isinstance(widget, QTabBar) and widget.minimumSizeHint().width() > widget.width() + ROOM


def main(code: str, folder: Path, width: int = 1280, height: int = 800, *, pictures: bool = False) -> None:
    borrow_compute()
    language.choose(code)
    sample = folder / "Sample.biasprint"
    unpack_sample(sample)
    told: dict[str, dict[str, list[str]]] = {}
    with offscreen_window(sample) as (window, settle):
        window.resize(width, height)
        for panel in [entry.key for entry in PANELS]:
            window.show_panel(panel)
            settle()
            bars = [bar for bar in window.findChildren(QTabBar) if bar.isVisible()]
            bar = bars[0] if bars else None
            english, cut = {}, {}
            for tab in range(bar.count() if bar is not None else 1):
                if bar is not None:
                    bar.setCurrentIndex(tab)
                    settle()
                if pictures:
                    window.grab().save(str(folder / f"{panel}-{tab}.png"))
                for text, widget in shown(window):
                    english |= {text: None} if untranslated(text) else {}
                    cut |= {text: None} if cut_off(text, widget) else {}
            told[panel] = {"english": list(english), "cut": list(cut)}
    (folder / "told.json").write_text(json.dumps(told, ensure_ascii=False, indent=1), "utf-8")


if __name__ == "__main__":
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    main(sys.argv[1], Path(sys.argv[2]), *map(int, sys.argv[3:5]), pictures="pictures" in sys.argv[5:])

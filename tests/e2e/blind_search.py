"""Follows everything that leads anywhere from a window: what is found can be reached; what is hidden must not be."""

import gc
import re
import sys
import threading
import types
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QEvent, QModelIndex, QObject, Qt
from PySide6.QtGui import QTextDocument, QWindow
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from biasprint.desktop.main_window import MainWindow

WITHOUT_WORDS = {
    "bool", "int", "uint", "double", "QPoint", "QPointF", "QSize", "QSizeF", "QRect", "QRectF", "QMargins", "QRegion",
    "QSizePolicy", "QColor", "QPalette", "QCursor",
}  # fmt: skip
WORDS = {"QString", "QVariant"}
CLOSED = (types.ModuleType, types.FrameType, types.CodeType)  # code says what its file says
LEAVES = {str, bytes, int, float, bool, type(None)}  # these refer to nothing
_PROPERTIES: dict[tuple[type, str, bool], list[str]] = {}


def search(window: MainWindow, secrets: Mapping[str, str], kinds: Collection[str]) -> tuple[set[str], set[str]]:
    """Which of `secrets` (by what each is the word for) and of our classes in `kinds` can be reached."""
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    words: set[str] = set()
    classes: set[str] = set()
    any_secret = re.compile("|".join(map(re.escape, secrets.values())))
    for one in reachable(roots(window)):
        if isinstance(one, bytes):
            one = one.decode("utf-8", "replace")
        if isinstance(one, str):
            if any_secret.search(one):
                words |= {kind for kind, word in secrets.items() if word in one}
        elif type(one).__name__ in kinds and type(one).__module__.startswith("biasprint."):
            classes.add(type(one).__name__)
    return words, classes


def roots(window: MainWindow) -> list[object]:
    """The window, the application with all its widgets, and the variables of our own modules."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    ours = [vars(module) for name, module in list(sys.modules.items()) if name.startswith("biasprint.")]
    threads = [one for one in threading.enumerate() if one.name in ("job", "vault", "judging")]
    return [window, app, app.arguments(), app.clipboard().text(), *app.allWidgets(), *app.allWindows(), *ours, *threads]


def reachable(first: Iterable[object]) -> Iterator[object]:
    """Everything that references, Qt's children and properties, and item models lead to; of modules only ours."""
    seen = {id(vars(module)) for name, module in list(sys.modules.items()) if not name.startswith("biasprint.")}
    kept: list[object] = []  # so that no other object gets the same id meanwhile
    waiting = list(first)
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, CLOSED):
            continue
        if isinstance(one, type) and not one.__module__.startswith("biasprint."):
            continue
        seen.add(id(one))
        kept.append(one)
        yield one
        if type(one) in LEAVES:
            continue
        waiting += gc.get_referents(one)
        if isinstance(one, QObject):
            waiting.extend(told_by(one))


def told_by(one: QObject) -> Iterator[object]:
    """What Qt tells of an object."""
    yield vars(one)
    if not isValid(one):  # Qt deleted it meanwhile: it tells nothing any more
        return
    yield from one.children()
    for name in (*_properties(one), *(name.data().decode() for name in one.dynamicPropertyNames())):
        with suppress(RuntimeError):  # of a kind that Python has no word for
            yield one.property(name)
    if isinstance(one, QTextDocument):
        yield one.toPlainText()
    if isinstance(one, QWindow):
        yield one.title(), one.filePath()
    if isinstance(one, QAbstractItemModel):
        yield from cells(one)


def words_of(one: QObject) -> Iterator[str]:
    """What Qt tells of an object in words alone: much less than all."""
    for name in (*_properties(one, WORDS), *(name.data().decode() for name in one.dynamicPropertyNames())):
        with suppress(RuntimeError):  # of a kind that Python has no word for
            said = one.property(name)
            if isinstance(said, str):
                yield said
    if isinstance(one, QTextDocument):
        yield one.toPlainText()
    if isinstance(one, QAbstractItemModel):
        yield from (said for said in cells(one) if isinstance(said, str))


def _properties(one: QObject, types: Collection[str] = ()) -> list[str]:
    """The properties of its class, of these types or but for numbers, places and the like, which hold no word."""
    about = one.metaObject()
    # A class of Qt's own may be known in Python by an ancestor's name.
    kind = (type(one), about.className(), not types)
    if kind not in _PROPERTIES:
        of_class = [about.property(index) for index in range(about.propertyCount())]
        _PROPERTIES[kind] = [
            each.name()
            for each in of_class
            if (each.typeName() in types if types else each.typeName() not in WITHOUT_WORDS and not each.isEnumType())
        ]
    return _PROPERTIES[kind]


def cells(model: QAbstractItemModel) -> Iterator[object]:
    roles = (*range(Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleDescriptionRole + 1), *range(256, 260))
    for row in range(min(50, model.rowCount())):
        for column in range(1 if isinstance(model, QAbstractListModel) else model.columnCount()):
            index: QModelIndex = model.index(row, column)
            yield from (model.data(index, role) for role in roles)

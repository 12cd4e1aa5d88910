"""Questions of the page: which axes are crossed, whose names are taken or wanted, and names of a table."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from biasprint.core.prompts.library import Definition
from biasprint.desktop import theme
from biasprint.desktop.tables.grid import GridEdit
from biasprint.desktop.widgets import Label, PrimaryButton, QuietButton, tr
from biasprint.desktop.widgets.choice import ComboBox, fill
from biasprint.desktop.widgets.layout import fitting
from biasprint.desktop.widgets.safe_text import safe_tip

WIDTH, HEIGHT = 520, 380


class ChoiceDialog(QDialog):
    """Some choices, each of a list; `chosen` hears their keys in order. It never blocks."""

    def __init__(
        self,
        parent: QWidget,
        *,
        title: str,
        text: str,
        choices: Sequence[tuple[str, Mapping[str, str]]],
        go: str,
        chosen: Callable[..., object],
        why_not: Callable[..., str] = lambda *_: "",
    ) -> None:
        """`choices`: of each what it is called, and key → words; `why_not`: why these cannot be taken, or empty."""
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._why_not = why_not
        self.boxes = [_box(name, words) for name, words in choices]
        self.trouble = Label("", "problem", wrap=True)
        self.go, self.cancel = PrimaryButton(go), QuietButton(tr("Cancel"))
        self.go.clicked.connect(self.accept)
        self.cancel.clicked.connect(self.reject)
        self.accepted.connect(lambda: chosen(*self._keys()))
        tokens = theme.current()
        box = QVBoxLayout(self)
        box.setContentsMargins(tokens.margin, tokens.margin, tokens.margin, tokens.margin)
        box.setSpacing(tokens.grid)
        box.addWidget(Label(title, "title", wrap=True))
        box.addWidget(Label(text, "soft", wrap=True))
        for (name, _), choice in zip(choices, self.boxes, strict=True):
            label = Label(name, "strong")
            label.setBuddy(choice)
            box.addWidget(label)
            box.addWidget(choice)
            choice.currentIndexChanged.connect(lambda _: self._allow())
        box.addWidget(self.trouble)
        box.addStretch(1)
        box.addLayout(_answers(self.cancel, self.go))
        self.resize(fitting(parent, WIDTH, HEIGHT))
        self._allow()

    def _keys(self) -> list[str]:
        return [str(box.currentData()) for box in self.boxes]

    def _allow(self) -> None:
        why = self._why_not(*self._keys())
        self.trouble.setText(why)
        self.go.setEnabled(not why)
        self.go.setToolTip(safe_tip(why))


def _box(name: str, words: Mapping[str, str]) -> ComboBox:
    box = ComboBox()
    box.setAccessibleName(name)
    fill(box, words, None)
    return box


def ask_crossing(
    parent: QWidget, axes: Sequence[Definition], names: Mapping[str, str], chosen: Callable[[str, str, str], object]
) -> ChoiceDialog:
    """Two axes by key, and the key of a set of names or nothing."""
    words = {one.key: _titled(one) for one in axes if not one.data.get("crosses")}
    dialog = ChoiceDialog(
        parent,
        title=tr("Cross two axes"),
        text=tr("Every identity of the one comes with every one of the other, as in “Black woman”."),
        choices=(
            (tr("First axis"), words),
            (tr("Second axis, named first in prompts"), words),
            (tr("Names"), {"": tr("those that both identities have"), **names}),
        ),
        go=tr("Cross them"),
        chosen=chosen,
        why_not=lambda first, second, _: tr("Choose two different axes.") if first == second else "",
    )
    dialog.boxes[1].setCurrentIndex(min(1, len(words) - 1))
    dialog.open()
    return dialog


def ask_names(parent: QWidget, names: Mapping[str, str], chosen: Callable[[str], object]) -> ChoiceDialog:
    """The key of a set of names."""
    dialog = ChoiceDialog(
        parent,
        title=tr("Take the names of a set"),
        text=tr(
            "Each identity that the set knows gets its names in place of those it has; the others keep theirs. "
            "A name says nothing of who bears it: compare the lists with their sources before you publish."
        ),
        choices=((tr("Set of names"), names),),
        go=tr("Take them"),
        chosen=chosen,
    )
    dialog.open()
    return dialog


def ask_groups(parent: QWidget, axes: Sequence[Definition], chosen: Callable[[str, str], object]) -> ChoiceDialog:
    """The keys of an axis and of another, or nothing, whose groups a new set has names for."""
    words = {one.key: _titled(one) for one in axes if not one.data.get("crosses")}
    dialog = ChoiceDialog(
        parent,
        title=tr("A set of names"),
        text=tr("It begins with a line for each group, where its names are written or pasted."),
        choices=((tr("For the groups of"), words), (tr("each by"), {"": tr("no other axis"), **words})),
        go=tr("Begin"),
        chosen=chosen,
        why_not=lambda first, second: tr("Choose two different axes.") if first == second else "",
    )
    dialog.open()
    return dialog


PASTE_WIDTH, PASTE_HEIGHT = 620, 480
NAMES_EXAMPLE = (("name", "race", "gender", "source"), ("Aisha", "black", "woman", "Registry of births 2010"))


class PasteDialog(QDialog):
    """A table with a name in each row; `taken` hears its rows. It never blocks."""

    def __init__(self, parent: QWidget, taken: Callable[[list[list[str]]], object]) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Names from a table"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.table = GridEdit(tr("Names, one in each row"), NAMES_EXAMPLE)
        self.go, self.cancel = PrimaryButton(tr("Take them")), QuietButton(tr("Cancel"))
        self.go.clicked.connect(self.accept)
        self.cancel.clicked.connect(self.reject)
        self.accepted.connect(lambda: taken(self.table.rows()))
        self.table.changed.connect(self._allow)
        words = tr(
            "Paste cells of a spreadsheet. The first row names the columns: “name”, an axis or two such as “race” and "
            "“gender”, and perhaps “source”. Every other row is a name."
        )
        tokens = theme.current()
        box = QVBoxLayout(self)
        box.setContentsMargins(tokens.margin, tokens.margin, tokens.margin, tokens.margin)
        box.setSpacing(tokens.grid)
        box.addWidget(Label(tr("Names from a table"), "title", wrap=True))
        box.addWidget(Label(words, "soft", wrap=True))
        box.addWidget(self.table, 1)
        box.addLayout(_answers(self.cancel, self.go))
        self.resize(fitting(parent, PASTE_WIDTH, PASTE_HEIGHT))
        self._allow()

    def _allow(self) -> None:
        why = self.table.trouble.text() if self.table.rows() else tr("There are no names yet.")
        self.go.setEnabled(not why)
        self.go.setToolTip(safe_tip(why))


def _answers(*buttons: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.addStretch(1)
    for button in buttons:
        row.addWidget(button)
    return row


def _titled(one: Definition) -> str:
    identities = ", ".join(str(row.get("label", "")) for row in one.data["identities"])
    return f"{one.title}: {identities}"

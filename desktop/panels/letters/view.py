"""The letter itself: the legend of its marks, the text with the marks, and what the chosen one means."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from core.documents.values import PART_KINDS, Part, PartKind
from desktop import theme
from desktop.models.letter_items import CLAIM_KINDS, LetterItem
from desktop.models.letter_words import part_title
from desktop.operations.letters import About
from desktop.panels.letters.note import LetterNote
from desktop.widgets import Card, FlowLayout, LinkButton, Notice, hairline, tr
from desktop.widgets.letter_text import LetterMark, LetterText
from desktop.widgets.mark_chip import MarkChip
from desktop.widgets.mark_lines import LOOKS
from desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from desktop.operations.letters import Checked

LEAST_TEXT = 110


class LetterView(Card):
    """`show_reading` brings marks; the text is set once, with `open_text`, and then belongs to the person."""

    part_set = Signal(int, int, str)  # a paragraph's characters, and what it is
    filtered = Signal()
    is_context = Signal()  # the letter is a CV, and is to be used as one

    def __init__(self) -> None:
        super().__init__()
        self.chips: dict[str, MarkChip] = {}
        self._items: tuple[LetterItem, ...] = ()
        self._parts: tuple[Part, ...] = ()
        self._hidden: set[str] = set()
        self.text = LetterText(name=tr("The letter"))
        self.text.menu_wanted.connect(self._offer_parts)
        self.note = LetterNote()
        self.every = LinkButton(tr("Hide all"))
        self.every.clicked.connect(self._toggle_every)
        self.setAccessibleName(tr("The letter with its marks"))
        self._lay_out()

    def open_text(self, text: str) -> None:
        self._items, self._parts = (), ()
        self._hidden.clear()
        self._show_legend({})
        self._show_notices(())
        self.text.open_text(text)
        self.note.show_item(None)

    def show_reading(self, checked: "Checked", items: Sequence[LetterItem]) -> None:
        """Mark what was found and is not dismissed."""
        reading = checked.reading
        self._items, self._parts = tuple(item for item in items if item.sentence is not None), reading.parts
        self._show_legend(checked.abouts)
        cv = next((one.said for one in reading.suspicions if one.what == "cv"), "")
        said = [one.said for one in reading.suspicions] + list(reading.document.notes)
        if self.text.isReadOnly():
            said.append(tr("This text is too long to be edited here; it is only shown and read."))
        self._show_notices(said, cv)
        self.text.set_apart([(part.start, part.end) for part in reading.parts if part.kind != "body"])
        self._show_marks()

    def show_dismissals(self, items: Sequence[LetterItem], abouts: Mapping[str, About]) -> None:
        self._items = tuple(item for item in items if item.sentence is not None)
        self._show_legend(abouts)
        self._show_marks()

    def shows(self, item: LetterItem) -> bool:
        """Whether the filter lets this entry through."""
        return item.kind not in self._hidden

    def unhide(self, kind: str) -> None:
        if kind in self.chips:
            self.chips[kind].setChecked(True)

    # the legend

    def _show_legend(self, abouts: Mapping[str, About]) -> None:
        counts = {kind: sum(item.kind == kind for item in self._items) for kind in LOOKS}
        for kind, count in counts.items():
            if count and kind not in self.chips:
                self.chips[kind] = self._chip(kind, abouts)
            if kind in self.chips:
                self.chips[kind].set_count(count)
                self.chips[kind].setVisible(count > 0)
        self.every.setVisible(any(counts.values()))
        self.every.set_text(tr("Show all") if self._all_hidden() else tr("Hide all"))
        self.legend.setVisible(any(counts.values()))
        self._flow.invalidate()
        self.legend.updateGeometry()

    def _chip(self, kind: str, abouts: Mapping[str, About]) -> MarkChip:
        names = {"unsupported": tr("Not in the CV"), "contradicted": tr("Against the CV")}
        chip = MarkChip(kind, names.get(kind) or (abouts[kind].title if kind in abouts else kind))
        chip.setChecked(kind not in self._hidden)
        chip.toggled.connect(lambda shown, kind=kind: self._filter(kind, shown))
        self._flow.removeWidget(self.every)
        self._flow.addWidget(chip)
        self._flow.addWidget(self.every)
        return chip

    def _filter(self, kind: str, shown: bool) -> None:
        (self._hidden.discard if shown else self._hidden.add)(kind)
        self.every.set_text(tr("Show all") if self._all_hidden() else tr("Hide all"))
        self._show_marks()
        self.filtered.emit()

    def _all_hidden(self) -> bool:
        kinds = {item.kind for item in self._items}
        return bool(kinds) and kinds <= self._hidden

    def _toggle_every(self) -> None:
        shown = self._all_hidden()
        for chip in self.chips.values():
            chip.setChecked(shown)

    # the text

    def _show_marks(self) -> None:
        # Claims first: the shorter marks of words are drawn, and found under the pointer, above them.
        order = sorted((item for item in self._items if self.shows(item)), key=lambda one: one.kind not in CLAIM_KINDS)
        self.text.show_marks([LetterMark(one.key, one.kind, one.start, one.end, _tip(one)) for one in order])

    def _offer_parts(self, place: int, where: QPoint) -> None:
        """What the paragraph under the pointer is, beside what every text field offers."""
        start, end = self._paragraph(place)
        menu = self.text.createStandardContextMenu() if hasattr(self.text, "createStandardContextMenu") else QMenu()
        menu.addSeparator()
        parts = menu.addMenu(tr("This paragraph is"))
        now = next((part.kind for part in self._parts if part.start <= start < max(part.end, part.start + 1)), "")
        for kind in PART_KINDS:
            parts.addAction(self._part_action(menu, kind, now, start, end))
        parts.setEnabled(end > start)
        menu.popup(where)
        self.menu, self.parts_menu = menu, parts

    def _part_action(self, menu: QMenu, kind: PartKind, now: str, start: int, end: int) -> QAction:
        action = QAction(part_title(kind), menu)
        action.setCheckable(True)
        action.setChecked(kind == now)
        action.triggered.connect(lambda: self.part_set.emit(start, end, kind))
        return action

    def _paragraph(self, place: int) -> tuple[int, int]:
        """The line of the letter around a place."""
        text = self.text.text()
        start = text.rfind("\n", 0, place) + 1
        end = text.find("\n", place)
        return start, len(text) if end < 0 else end

    def _show_notices(self, said: Sequence[str], cv: str = "") -> None:
        """What may be wrong with the letter, calmly; `cv` is the one that offers a way on."""
        if list(said) == self._said:
            return
        self._said = list(said)
        while (taken := self._notices.takeAt(0)) is not None:
            taken.widget().hide()
            taken.widget().deleteLater()
        for words in said:
            notice = Notice(safe_line(words), tone="warn", closable=False)
            if words == cv:
                notice.add_action(tr("Use it as the CV"), self.is_context.emit)
            self._notices.addWidget(notice)

    def _lay_out(self) -> None:
        tokens = theme.current()
        self.set_padding(tokens.margin, 20)
        self.box.setSpacing(12)
        self.legend = QWidget()
        self.legend.setProperty("role", "clear")
        self._flow = FlowLayout(self.legend, spacing=6, centred=True)
        self._flow.addWidget(self.every)
        self._said: list[str] = []
        self._notices = QVBoxLayout()
        self._notices.setSpacing(8)
        row = QHBoxLayout()
        row.addWidget(self.legend, 1)
        self.box.addLayout(row)
        self.box.addLayout(self._notices)
        self.box.addWidget(self.text, 1)
        self.box.addWidget(hairline())
        self.box.addWidget(self.note)
        self.text.setMinimumHeight(tokens.px(LEAST_TEXT))


def _tip(item: LetterItem) -> tuple[str, ...]:
    passage = tr("Nearest in the CV: “{words}”").format(words=item.passage) if item.passage else ""
    return (f"{item.title}. {item.note}".strip() if not item.passage else item.title, item.reason, passage, item.source)

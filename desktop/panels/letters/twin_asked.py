"""“Would you have written this of him?”: the sentences of a letter to ask it of, as a list that leads to each."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from biasprint.desktop.panels.letters.twin_parts import one_column
from biasprint.desktop.tables.rows import TableRow
from biasprint.desktop.widgets import Card, Label, tr
from biasprint.desktop.widgets.labels import show_if
from biasprint.desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from biasprint.core.letters.values import AskedSentence, TwinDifference

LONGEST_SENTENCE, LONGEST_WORDS = 300, 60  # characters; the whole sentence stands in the texts


@dataclass(frozen=True)
class AskedLine:
    """A sentence to ask about, at its place in both texts. `mark`: the key of its first mark; "" without one."""

    key: str
    sentence: str
    why: str
    mark: str
    place: tuple[int, int]
    twin_place: tuple[int, int]


def asked_lines(difference: "TwinDifference") -> tuple[AskedLine, ...]:
    """In the order of the letter."""
    return tuple(_line(difference, one) for one in difference.asked)


def _line(difference: "TwinDifference", one: "AskedSentence") -> AskedLine:
    own, other = difference.reading.sentence(one.sentence), difference.twin_reading.sentence(one.twin_sentence)
    words = ", ".join(f"“{_short(safe_line(word), LONGEST_WORDS)}”" for word in one.words)
    return AskedLine(
        f"asked {one.sentence}",
        safe_line(own.text),
        f"{words}: {safe_line(one.why)}",
        one.marks[0].key(own.text) if one.marks else "",
        (own.start, own.end),
        (other.start, other.end),
    )


class TwinAsked(Card):
    """`sentence_chosen` carries a line to show in both texts; `letter_wanted` one to go on with in the letter."""

    sentence_chosen = Signal(object)  # AskedLine
    letter_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(16)
        self._lines: dict[str, AskedLine] = {}
        self.question = Label("", "strong", wrap=True)
        self.limits = Label(
            tr(
                "It rests on the marks: where a mark is wrong, so is the question. Dismiss the mark in the letter, and "
                "it asks nothing here. A double click, or Enter, leads there."
            ),
            "note",
            wrap=True,
        )
        self.list = one_column(tr("Sentences to ask about"))
        self.list.chosen.connect(lambda key: self.sentence_chosen.emit(self._lines[key]))
        self.list.opened.connect(lambda key: self.letter_wanted.emit(self._lines[key]))
        self.box.addWidget(self.question)
        self.box.addWidget(self.list, 1)
        self.box.addWidget(self.limits)
        self.setAccessibleName(self.list.accessibleName())

    def show_difference(self, difference: "TwinDifference | None") -> None:
        lines = asked_lines(difference) if difference is not None else ()
        self._lines = {line.key: line for line in lines}
        self.question.setText(safe_line(_question(difference)) if difference is not None else "")
        self.list.show_rows(
            [TableRow(line.key, (f"{_short(line.sentence, LONGEST_SENTENCE)}\n{line.why}",)) for line in lines]
        )
        show_if(self.list, bool(lines))
        show_if(self.limits, bool(lines))

    def choose_one(self) -> None:
        """Bring the keyboard to the list, the first sentence chosen where none is."""
        if self._lines and not self.list.selectionModel().hasSelection():
            self.list.select(next(iter(self._lines)))
        self.list.setFocus()


def _question(difference: "TwinDifference") -> str:
    if difference.made_by:
        return tr("Letters that were written apart have no sentences to ask about.")
    return difference.question


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest].rstrip()}…"

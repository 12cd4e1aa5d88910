"""The parts of the twin page: differences as rows, and findings, figures and scores as cards."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from biasprint.core.language import joined
from biasprint.core.letters import AskedSentence, FigureDifference, Reading, SentenceDifference, TwinDifference, changed
from biasprint.core.swap import Person
from biasprint.desktop.panels.letters.compared import shown
from biasprint.desktop.widgets import Card, Label, LinkButton, StandInBadge, number, plural, tr
from biasprint.desktop.widgets.labels import show_if, show_words
from biasprint.desktop.widgets.layout import STRETCH, Sheet, add_to, clear_column, empty, in_column, in_row
from biasprint.desktop.widgets.safe_text import as_given, safe_line
from biasprint.desktop.widgets.small_table import TableColumn, TableRow, TextTable

# ---- Rows. No Qt

Look = Literal["changed", "doubted", "left"]
MOST_SENTENCES = 400  # rows of sentences; a letter has a few dozen


@dataclass(frozen=True)
class TwinPlace:
    """Words of the letter and their replacement in the twin. `look`: changed, changed with a doubt, or left."""

    key: str
    look: Look
    start: int
    end: int
    twin_start: int
    twin_end: int
    old: str
    new: str
    reason: str
    doubt: str

    @property
    def said(self) -> str:
        """The change in words, for the list and for a screen reader."""
        if self.look == "left":
            return tr("“{old}” was left").format(old=self.old)
        if not self.new:
            return tr("“{old}” was left out").format(old=self.old)
        return tr("{old} → {new}").format(old=self.old or "–", new=self.new)

    @property
    def why(self) -> str:
        if not self.doubt:
            return self.reason
        return tr("{reason}; in doubt: {doubt}").format(reason=self.reason, doubt=self.doubt)


@dataclass(frozen=True)
class ScoreLine:
    """A score that differs: of the whole letter, or of one sentence. `places`: that sentence in both texts."""

    key: str
    title: str
    letter: str
    twin: str
    difference: str
    stand_in: bool
    turned: bool = False
    sentence: str = ""
    place: tuple[int, int] = (0, 0)
    twin_place: tuple[int, int] = (0, 0)


def places_of(difference: "TwinDifference") -> tuple[TwinPlace, ...]:
    """Return every change, and every unchanged word that may be about the person, in the order of the letter."""
    twin = difference.twin
    if twin is None:
        return ()
    spans, moved = [], 0
    for change in twin.changes:
        begin = change.start + moved
        moved += len(change.new) - (change.end - change.start)
        look: Look = "doubted" if change.doubt else "changed"
        spans.append((look, change, begin, begin + len(change.new)))
    for change in twin.left_alone:
        begin = twin.place(change.start)
        spans.append(("left", change, begin, begin + (change.end - change.start)))
    spans.sort(key=lambda row: row[1].start)
    return tuple(
        TwinPlace(
            f"{place}", look, change.start, change.end, begin, end,
            as_given(change.old), as_given(change.new), safe_line(change.reason), safe_line(change.doubt),
        )
        for place, (look, change, begin, end) in enumerate(spans)
    )  # fmt: skip


def places_said(places: tuple[TwinPlace, ...]) -> str:
    """Say how many words changed, and how many a person should look at."""
    swapped = sum(place.look != "left" for place in places)
    doubted = sum(bool(place.doubt) for place in places)
    summary = plural(swapped, "1 change", "%n changes")
    if left := len(places) - swapped:
        summary += " · " + plural(left, "1 left as it was", "%n left as they were")
    if doubted:
        summary += " · " + plural(doubted, "1 to look at", "%n to look at")
    return summary


def figure_lines(difference: "TwinDifference") -> tuple[ScoreLine, ...]:
    """Return the figures of the whole letter that differ."""
    return tuple(_figure(figure, difference.reading) for figure in changed(difference.figures))


def same_figures(difference: "TwinDifference") -> int:
    """Count the figures that both letters have with the same value."""
    return sum(figure.difference is not None for figure in difference.figures) - len(changed(difference.figures))


def _figure(one: "FigureDifference", reading: "Reading") -> ScoreLine:
    figure = reading.figure(one.name)
    stands_in = figure is not None and figure.scorer is not None and figure.scorer.stand_in
    value, twin, by = one.value, one.twin, one.difference
    assert value is not None
    assert twin is not None
    assert by is not None
    share = one.unit.startswith("share")
    size = signed(100 * by, 0) + tr(" points") if share else signed(by, 0 if one.unit == "words" else 1)
    title = tr(one.title).replace(" (scorer)", tr(" by the scorer"))
    return ScoreLine(f"figure {one.name}", title, shown(one.unit, value), shown(one.unit, twin), size, stands_in)


def sentence_lines(difference: "TwinDifference") -> tuple[ScoreLine, ...]:
    """Return the sentences that a scorer rates differently, the largest difference first."""
    ranked = sorted(difference.sentences, key=lambda sentence: (not sentence.turned, -abs(sentence.difference)))
    return tuple(_sentence(place, sentence, difference) for place, sentence in enumerate(ranked[:MOST_SENTENCES]))


def _sentence(place: int, one: "SentenceDifference", difference: "TwinDifference") -> ScoreLine:
    own, other = difference.reading.sentence(one.sentence), difference.twin_reading.sentence(one.twin_sentence)
    stand_ins = {use.name for use in difference.reading.scorers if use.stand_in}
    return ScoreLine(
        f"sentence {place}",
        score_title(one.name),
        _score(one.value),
        _score(one.twin),
        signed(one.difference, 2),
        one.scorer in stand_ins,
        one.turned,
        as_given(own.text),
        (own.start, own.end),
        (other.start, other.end),
    )


def score_title(name: str) -> str:
    """Return the name of a score as shown to a person."""
    return {
        "formality": tr("formal"),
        "positivity": tr("positive"),
        "agency": tr("agentic"),
        "support": tr("supported by the CV"),
    }.get(name, name)


def _score(value: float) -> str:
    return number(value, 2)


def signed(value: float, decimals: int) -> str:
    """Format a number with its sign; one that would round to zero becomes “less than the last digit”."""
    if value and abs(value) < 0.5 * 10**-decimals:
        least = number(10**-decimals, decimals)
        return f"{'+' if value > 0 else '−'}<{least}"
    return f"{'+' if value > 0 else '−' if value < 0 else '±'}{number(abs(value), decimals)}"


def person_said(person: "Person") -> str:
    """Return a person as a heading: “Kelly Moreno (she)”."""
    name = person.full_name or tr("no name")
    return safe_line(f"{name} ({person.pronoun})" if person.pronoun else name)


# ---- Findings, figures and sentences


class TwinFindings(Card):
    """Each finding as a paragraph; one that depends on a stand-in scorer has a badge.

    Above them is the question that the twin asks; `asked_wanted` requests the sentences that it is about.
    """

    asked_wanted = Signal()

    def __init__(self) -> None:
        super().__init__(padding=16)
        self.question, self.to_asked = Label("", "strong", wrap=True), LinkButton("", act=self.asked_wanted)
        add_to(self.box, self.question, (self.to_asked, Qt.AlignmentFlag.AlignLeft))
        self.box.addWidget(Label(tr("What differs, and what that says"), "heading", wrap=True))
        self._rows = _Rows()
        self.limits = Label("", "note", wrap=True)
        add_to(self.box, self._rows, self.limits)
        self.setAccessibleName(tr("What differs, and what that says"))

    def show_difference(self, difference: "TwinDifference | None") -> None:
        stand_ins = [use.name for use in difference.reading.scorers if use.stand_in] if difference is not None else []
        findings = difference.findings if difference is not None else ()
        asked = len(difference.asked) if difference is not None else 0
        show_words(self.question, safe_line(difference.question) if difference is not None else "")
        self.to_asked.setText(plural(asked, "Show the sentence", "Show the %n sentences"))
        show_if(self.to_asked, bool(asked))
        self._rows.show_rows(
            [_finding_row(finding, any(f"({name})" in finding for name in stand_ins)) for finding in findings]
        )
        swapped = tr(
            "Only names and gender differ between the two, so that a score that changes is the scorer's doing."
        )
        show_words(self.limits, swapped if difference is not None and difference.twin is not None else "")


class TwinFigures(Card):
    """The figures of the whole letter that differ, and how many do not."""

    def __init__(self) -> None:
        super().__init__(padding=16)
        self.about, self.same = Label("", "note", wrap=True), Label("", "note", wrap=True)
        self._figures = _Rows()
        heading = Label(tr("Figures of the whole letter"), "heading", wrap=True)
        for widget in (heading, self.about, self._figures, self.same):
            self.box.addWidget(widget)
        self.setAccessibleName(heading.text())

    def show_difference(self, difference: "TwinDifference | None") -> None:
        figures = figure_lines(difference) if difference is not None else ()
        self._figures.show_rows([_figure_row(line) for line in figures])
        show_words(self.about, _rests_on(difference) if figures and difference is not None else "")
        self.same.setText(_same(difference, bool(figures)) if difference is not None else "")


class TwinSentences(Card):
    """The sentences that differ; `sentence_chosen` carries a line whose sentences are to be shown in both texts."""

    sentence_chosen = Signal(object)  # ScoreLine

    def __init__(self) -> None:
        super().__init__(padding=16)
        self._lines: dict[str, ScoreLine] = {}
        self.about = Label("", "note", wrap=True)
        self.badge = StandInBadge("")
        self.list = one_column(tr("Sentences that score otherwise"))
        self.list.chosen.connect(lambda key: self.sentence_chosen.emit(self._lines[key]))
        add_to(self.box, self.about, (self.badge, Qt.AlignmentFlag.AlignLeft), (self.list, 1))
        self.setAccessibleName(self.list.accessibleName())

    def show_difference(self, difference: "TwinDifference | None") -> None:
        lines = sentence_lines(difference) if difference is not None else ()
        self._lines = {line.key: line for line in lines}
        self.list.show_rows(
            [TableRow(line.key, (joined("\n", as_given(line.sentence), _value(line)),)) for line in lines]
        )
        self.list.setVisible(bool(lines))
        self.about.setText(_sentences_said(difference, lines) if difference is not None else "")
        roles = sorted({line.title for line in lines if line.stand_in})
        self.badge.setText(tr("stand-in: {roles}").format(roles=", ".join(roles)))
        self.badge.setVisible(bool(roles))


def one_column(name: str) -> TextTable:
    """Return a list whose entries have as many lines as they need."""
    view = TextTable(name, (TableColumn(name),), wrap=True)
    view.horizontalHeader().hide()
    return view


class _Rows(QWidget):
    """A few rows, rebuilt for every letter."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self._box = in_column(inside=self, spacing=12, margins=(0, 4, 0, 0))

    def show_rows(self, rows: Sequence[QWidget]) -> None:
        """Show these rows and no others."""
        empty(self._box)
        for row in rows:
            self._box.addWidget(row)
        self.setVisible(bool(rows))


def _finding_row(said: str, stands_in: bool) -> QWidget:
    row, box = clear_column(Label(safe_line(said), "", wrap=True), spacing=4)
    if stands_in:
        box.addWidget(StandInBadge(tr("stand-in scorer")), 0, Qt.AlignmentFlag.AlignLeft)
    return row


def _figure_row(line: ScoreLine) -> QWidget:
    row, box = clear_column(spacing=2)
    head = in_row((Label(safe_line(line.title), "strong", wrap=True), 1), spacing=8)
    if line.stand_in:
        head.addWidget(StandInBadge(tr("stand-in")), 0, Qt.AlignmentFlag.AlignTop)
    box.addLayout(head)
    template = tr("letter {letter}, twin {twin} ({difference})")
    box.addWidget(Label(template.format(letter=line.letter, twin=line.twin, difference=line.difference), "", wrap=True))
    return row


def _value(line: ScoreLine) -> str:
    """Return the scorer, both values, and the remarks on them."""
    parts = [
        tr("{title}: {letter} → {twin} ({difference})").format(
            title=line.title, letter=line.letter, twin=line.twin, difference=line.difference
        )
    ]
    if line.turned:
        parts.append(tr("judged otherwise"))
    if line.stand_in:
        parts.append(tr("stand-in"))
    return " · ".join(parts)


def _rests_on(difference: "TwinDifference") -> str:
    """Say how many sentences a share is based on, so that no difference looks larger than it is."""
    n = max((figure.n for figure in difference.reading.figures if figure.unit.startswith("share")), default=0)
    if not n:
        return ""
    template = plural(n, "Shares of 1 sentence.", "Shares of %n sentences: one sentence is {points} points.")
    return template.format(points=round(100 / n))


def _same(difference: "TwinDifference", some_differ: bool) -> str:
    count = same_figures(difference)
    if not count:
        return tr("Nothing was scored, so that there is nothing to compare.")
    if some_differ:
        return plural(count, "1 other figure is the same.", "The other %n figures are the same.")
    return plural(count, "The one figure is the same.", "All %n figures are the same.")


def _sentences_said(difference: "TwinDifference", lines: Sequence[ScoreLine]) -> str:
    if difference.made_by:
        return tr("Letters that were written apart have no sentences to compare.")
    count = len(difference.sentences)
    if not count:
        return tr("No sentence scores otherwise.")
    summary = plural(
        count, "1 score differs. Choose it to see its sentence.", "%n scores differ. Choose one to see it."
    )
    left = plural(MOST_SENTENCES, "", "Only the %n largest are listed.") if count > len(lines) else ""
    return f"{summary} {left}".strip()


def in_sheet(*cards: QWidget) -> Sheet:
    """Return a scrolling page with the cards one below the other."""
    return Sheet(*cards, STRETCH, margins=0)


# ---- Sentences to ask the writer about

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
    """Return the sentences to ask about, in the order of the letter."""
    return tuple(_line(difference, sentence) for sentence in difference.asked)


def _line(difference: "TwinDifference", one: "AskedSentence") -> AskedLine:
    own, other = difference.reading.sentence(one.sentence), difference.twin_reading.sentence(one.twin_sentence)
    words = ", ".join(f"“{_short(safe_line(word), LONGEST_WORDS)}”" for word in one.words)
    return AskedLine(
        f"asked {one.sentence}",
        as_given(own.text),
        joined(": ", as_given(words), safe_line(one.why)),
        one.marks[0].key(own.text) if one.marks else "",
        (own.start, own.end),
        (other.start, other.end),
    )


class TwinAsked(Card):
    """Sentences to ask about: `sentence_chosen` shows one in both texts, `letter_wanted` opens it in the letter."""

    sentence_chosen = Signal(object)  # AskedLine
    letter_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__(padding=16)
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
        add_to(self.box, self.question, (self.list, 1), self.limits)
        self.setAccessibleName(self.list.accessibleName())

    def show_difference(self, difference: "TwinDifference | None") -> None:
        lines = asked_lines(difference) if difference is not None else ()
        self._lines = {line.key: line for line in lines}
        self.question.setText(safe_line(_question(difference)) if difference is not None else "")
        self.list.show_rows(
            [
                TableRow(line.key, (joined("\n", as_given(_short(line.sentence, LONGEST_SENTENCE)), line.why),))
                for line in lines
            ]
        )
        show_if(self.list, bool(lines))
        show_if(self.limits, bool(lines))

    def choose_one(self) -> None:
        """Give the keyboard to the list, and choose the first sentence if none is chosen."""
        if self._lines and not self.list.selectionModel().hasSelection():
            self.list.select(next(iter(self._lines)))
        self.list.setFocus()


def _question(difference: "TwinDifference") -> str:
    if difference.made_by:
        return tr("Letters that were written apart have no sentences to ask about.")
    return difference.question


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest].rstrip()}…"

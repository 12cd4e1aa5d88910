"""The instructions for raters: the page that shows them, and the fields of the setup form that hold them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QFileDialog, QLineEdit, QMenu, QPlainTextEdit, QSizePolicy, QSpinBox, QWidget

from biasprint.core.judging.blind import Offer, RevealedComparison
from biasprint.desktop import theme
from biasprint.desktop.widgets import (
    Button,
    Card,
    ElidedLabel,
    IconButton,
    Label,
    LinkButton,
    PlainText,
    PrimaryButton,
    QuietButton,
    plural,
    tr,
)
from biasprint.desktop.widgets.cards import ComparisonCards
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.events import guard_wheel
from biasprint.desktop.widgets.labels import hidden, tipped
from biasprint.desktop.widgets.layout import STRETCH, Scroller, add_to, clear_row, grid_of, in_column, in_row, scaled
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip

# ---- The revealed texts

CARDS_HEIGHT, CARD_LEAST = 260, 140


class RevealedTexts(Card):
    """One comparison at a time; the buttons beside its title lead to the one before and the next."""

    def __init__(self, compared: Sequence[RevealedComparison], total: int) -> None:
        super().__init__(tr("The texts that competed"))
        self._compared = tuple(compared)
        self._at = 0
        self.title, self.place = ElidedLabel("", "strong"), Label("", "soft")
        self.before = IconButton("chevron-left", tr("The comparison before"), act=lambda: self.show_at(self._at - 1))
        self.after = IconButton("chevron-right", tr("The next comparison"), act=lambda: self.show_at(self._at + 1))
        self.cards = ComparisonCards(("", "", ""))
        for card in self.cards.cards:
            card.button.hide()
            # Equally wide, whatever a caption says, and never wider than the page.
            card.widen_caption()
            card.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
            scaled(card, card.setMinimumWidth, CARD_LEAST)
        scaled(self.cards, self.cards.setFixedHeight, CARDS_HEIGHT)
        row = in_row((self.title, 1), self.place, self.before, self.after, spacing=theme.current().grid)
        add_to(self.box, row, self.cards)
        if total > len(self._compared):
            words = tr("The first {shown} of {total} comparisons; all are under Outputs.")
            self.box.addWidget(Label(words.format(shown=len(self._compared), total=total), "note", wrap=True))
        self.show_at(0)

    def show_at(self, place: int) -> None:
        self._at = place
        comparison = self._compared[place]
        self.title.set_text(safe_line(comparison.title))
        self.place.setText(tr("{place} of {count}").format(place=place + 1, count=len(self._compared)))
        self.before.setEnabled(place > 0)
        self.after.setEnabled(place + 1 < len(self._compared))
        self.cards.set_texts([card.text for card in comparison.cards])
        for shown, card in zip(self.cards.shown, comparison.cards, strict=True):
            chosen = tr(" · you chose this one") if card.chosen else ""
            shown.caption.setText(f"{shown.letter} · {safe_line(card.label)}{chosen}")
            shown.setAccessibleName(shown.caption.text())
            shown.set_chosen(card.chosen)
        self.cards.level()


WIDTH = 760
TEXT_LINES, NOTE_LINES = 4, 3
LARGE = 1.5  # font scale from which a note has a line less
TABLES = "*.csv *.tsv *.jsonl *.xlsx *.parquet"


class Teaching(NamedTuple):
    """The fields of the raters' instructions as typed; they are read and checked when comparisons are drawn."""

    instructions: str = ""
    question: str = ""
    rubric: str = ""
    practice: Path | None = None
    checks: Path | None = None
    own_order: bool = True
    split: int = 0
    overlap: float = 0.0
    sway: float = 0.0
    sway_for: tuple[str, ...] = ()
    sway_bias: float = 0.0


class TableField(QWidget):
    """A chosen file, with a button to choose one and one to remove it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.path: Path | None = None
        self._name = name
        self.choose = Button(tr("Choose a table…"), act=self._ask)
        self.choose.setAccessibleName(tr(f"{name}: {self.choose.text()}"))
        self.shown = ElidedLabel("", "soft")
        self.clear = LinkButton(tr("Leave out"), act=lambda: self.set_path(None))
        self.clear.setAccessibleName(tr(f"{name}: {self.clear.text()}"))
        in_row(self.choose, (self.shown, 1), self.clear, inside=self, spacing=theme.current().grid, margins=0)
        self.set_path(None)

    def set_path(self, path: Path | None) -> None:
        self.path = path
        self.shown.set_text(tr("none") if path is None else path.name)
        self.clear.setVisible(path is not None)

    def _ask(self) -> None:
        kinds = f"{tr('Tables')} ({TABLES})"
        chosen, _ = QFileDialog.getOpenFileName(self, self._name, "", kinds)
        if chosen:
            self.set_path(Path(chosen))


class TeachingBox(QWidget):
    """A box with instructions, question, rubric, practice, checks, order and split; folded until opened."""

    def __init__(self) -> None:
        super().__init__()
        self.more = QuietButton(tr("Instructions, practice, checks and recommendations…"))
        self.more.setCheckable(True)
        first = tr("Raters read this before the first comparison, and can read it again.")
        self.instructions = LinesEdit(tr("Instructions"), TEXT_LINES, first)
        own = tr("The task’s own rubric, unless you write another. One criterion a line:")
        self.rubric = LinesEdit(tr("Rubric"), TEXT_LINES, f"{own}\n{tr('Name: explanation')}")
        self.start_from = tipped(QuietButton(tr("Start from…")), tr("Take over a task’s rubric, to change it here."))
        self.start_from.hide()
        self.question = QLineEdit(placeholderText=tr("Which is best?"))
        self.practice, self.checks = TableField(tr("Practice")), TableField(tr("Hidden checks"))
        self.own_order = QCheckBox(tr("Each rater in an order of their own"), checked=True)
        self.split, self.overlap = QSpinBox(minimum=1, maximum=200), QSpinBox(maximum=100, suffix=" %", value=20)
        self.split.setSpecialValueText(tr("nobody: all judge all"))
        self.overlap.setEnabled(False)
        self.sway = QSpinBox(maximum=90, singleStep=10, suffix=" %")
        self.sway.setSpecialValueText(tr("none"))
        self.sway_for, self.sway_bias = ComboBox(), QSpinBox(minimum=1, maximum=100, suffix=" %", value=80)
        self.show_identities(())
        self._say_swaying()
        self.inside = hidden(QWidget())
        self._lay_out()
        self.more.toggled.connect(self.inside.setVisible)
        self.split.valueChanged.connect(lambda parts: self.overlap.setEnabled(parts > 1))
        self.sway.valueChanged.connect(lambda _: self._say_swaying())
        self.sway_for.currentIndexChanged.connect(lambda _: self._say_swaying())

    def values(self) -> Teaching:
        parts = self.split.value() if self.split.value() > 1 else 0
        return Teaching(
            instructions=self.instructions.toPlainText(),
            question=self.question.text(),
            rubric=self.rubric.toPlainText(),
            practice=self.practice.path,
            checks=self.checks.path,
            own_order=self.own_order.isChecked(),
            split=parts,
            overlap=self.overlap.value() / 100 if parts else 0.0,
            **self._swaying(),
        )

    def _swaying(self) -> dict[str, Any]:
        share, favoured = self.sway.value() / 100, self.sway_for.currentData()
        if not share or not favoured:
            return {"sway": share}
        return {"sway": share, "sway_for": (favoured,), "sway_bias": self.sway_bias.value() / 100}

    def show_identities(self, identities: Sequence[tuple[str, str]]) -> None:
        """Offer to favour one of these, by key and label; the choice is kept if it is still offered."""
        before = self.sway_for.currentData()
        self.sway_for.clear()
        self.sway_for.addItem(tr("nobody: each equally often"), "")
        for key, label in identities:
            self.sway_for.addItem(safe_line(tr(label)), key)
        self.sway_for.setCurrentIndex(max(0, self.sway_for.findData(before)))

    def _say_swaying(self) -> None:
        """Enable only the fields that can be chosen now."""
        self.sway_for.setEnabled(self.sway.value() > 0)
        self.sway_bias.setEnabled(self.sway.value() > 0 and bool(self.sway_for.currentData()))

    def show_rubrics(self, rubrics: Sequence[tuple[str, str]]) -> None:
        """Offer the rubrics of these tasks, by title, as a start."""
        menu = QMenu(self.start_from)
        for title, text in rubrics:
            menu.addAction(safe_line(tr(title))).triggered.connect(
                lambda _=False, text=text: self.rubric.setPlainText(text)
            )
        self.start_from.setMenu(menu)
        self.start_from.setVisible(bool(rubrics))

    def _rubric_field(self) -> QWidget:
        field = QWidget()
        in_column(self.rubric, in_row(self.start_from, STRETCH), inside=field, spacing=4, margins=0)
        return field

    def _rows(self) -> tuple[tuple[str, QWidget, str], ...]:
        """Return title, field and tip of each row, from the top."""
        columns = tr("Columns: text_a, text_b, for a third card text_c, and answer (a, b or c);")
        columns += " " + tr("task, theme and why where they help.")
        practice = tr("Known answers, told right or not at once. They count nowhere.")
        checks = tr("Known answers among the others; raters are not told.")
        return (
            (tr("Instructions"), self.instructions, ""),
            (tr("Question"), self.question, tr("Asked above each comparison, in one short line.")),
            (tr("Rubric"), self._rubric_field(), ""),
            (tr("Practice"), self.practice, f"{practice} {columns}"),
            (tr("Hidden checks"), self.checks, f"{checks} {columns}"),
            (tr("Order"), self.own_order, tr("Drawn from the seed and the rater’s code.")),
            (tr("Split among"), self.split, tr("Raters R01, R02 … judge the parts 1, 2 …; more raters begin again.")),
            (tr("Judged by all of them"), self.overlap, tr("The share on which agreement is measured.")),
            (tr("Planted recommendations"), self.sway, tr(_SWAY_TIP)),
            (tr("They favour"), self.sway_for, tr("Whose text is suggested more often than the others’.")),
            (tr("In so many of them"), self.sway_bias, tr("The others are suggested equally often in the rest.")),
        )

    def _lay_out(self) -> None:
        tokens = theme.current()
        grid = grid_of(self.inside)
        for row, (title, field, tip) in enumerate(self._rows()):
            label = Label(title)
            label.setBuddy(field)
            field.setToolTip(safe_tip(tr(tip)))
            if not field.accessibleName():
                field.setAccessibleName(tr(title))
            high = title in (tr("Instructions"), tr("Rubric"))
            place = Qt.AlignmentFlag.AlignTop if high else Qt.AlignmentFlag.AlignVCenter
            grid.addWidget(label, row, 0, place)
            narrow = field in (self.split, self.overlap, self.sway, self.sway_bias)
            grid.addWidget(field, row, 1, Qt.AlignmentFlag.AlignLeft if narrow else Qt.AlignmentFlag(0))
        for spin in (self.split, self.overlap, self.sway, self.sway_for, self.sway_bias):
            scaled(spin, spin.setMinimumWidth, 190)
            guard_wheel(spin)
        in_column(in_row(self.more, STRETCH), self.inside, inside=self, spacing=tokens.grid, margins=0)


_SWAY_TIP = (
    "“Suggested by the assistant”, with this share of each rater’s comparisons, drawn by chance. The consent text says "
    "that recommendations are studied; the reveal explains them. How far they are followed is among the findings."
)


class LinesEdit(QPlainTextEdit):
    """A field so many lines high, which scales with the letters. Tab leaves it; Escape asks for it."""

    left = Signal()

    def __init__(self, name: str, lines: int, hint: str = "") -> None:
        super().__init__(placeholderText=hint, tabChangesFocus=True, accessibleName=name)
        self._lines = lines
        theme.follow(self.fit)

    def fit(self) -> None:
        lines = self._lines - (self._lines == NOTE_LINES and theme.current().scale >= LARGE)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * lines + theme.current().px(24))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


class InstructionsPage(Scroller):
    """The plan's instructions before its first comparison, and what follows them."""

    went_on = Signal()
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.text = PlainText(name=tr("Instructions"))
        self.then = Label("", "soft", wrap=True)
        self.go_on = PrimaryButton(tr("Go on"), act=self.went_on)
        self.back = QuietButton(tr("Back"), act=self.closed)
        sheet, outer = clear_row()
        card = Card(tr("Please read this first"))
        scaled(card, card.setMaximumWidth, WIDTH)
        outer.addWidget(card, 1, Qt.AlignmentFlag.AlignTop)
        outer.addStretch(0)
        add_to(card.box, self.text, self.then, in_row(self.go_on, self.back, STRETCH))
        self.setWidget(sheet)
        self.setFocusProxy(self.go_on)

    def show_offer(self, offer: Offer) -> None:
        self.text.set_text(offer.instructions)
        practice = plural(
            offer.practice,
            "1 comparison to practise with comes first: you are told at once whether you were right.",
            "%n comparisons to practise with come first: you are told at once whether you were right.",
        )
        begin = tr("The comparisons come next. You can read this again at any time, under “Rubric”.")
        self.then.setText(practice if offer.practice else begin)
        self._fit()

    def forget(self) -> None:
        self.text.set_text("")

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._fit()

    def _fit(self) -> None:
        """Set the height that the text needs; the page scrolls."""
        document = self.text.document()
        document.setTextWidth(self.text.viewport().width())
        self.text.setFixedHeight(round(document.size().height()) + 8)

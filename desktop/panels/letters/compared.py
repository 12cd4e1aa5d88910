"""The figures of a letter in words, and the card that shows them among those of other letters."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from biasprint.core.findings import ScorerUse
from biasprint.core.letters import ComparedFigure, LetterFigure, Naming, PartKind, Reading
from biasprint.core.letters.kinds import KINDS
from biasprint.desktop import theme
from biasprint.desktop.operations.letters import SCORED, Checked
from biasprint.desktop.widgets import Card, Label, LinkButton, StandInBadge, number, plural, tr
from biasprint.desktop.widgets.labels import show_if
from biasprint.desktop.widgets.layout import STRETCH, add_to, clear_widget, column_of, grid_of, in_row
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip

BAR_HEIGHT, BAND_ALPHA = 20, 0.4  # text pixels; how much of the ink shows
Range = tuple[float, float]


class RangeBar(QWidget):
    """A track from `low` to `high`. `middle`: the grey band, `interval`: the thin line around the mark."""

    def __init__(self) -> None:
        super().__init__()
        self.value: float | None = None
        self.middle: Range | None = None
        self.interval: Range | None = None
        self._low, self._high = 0.0, 1.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.signals.changed.connect(self._dress)

    def show_figure(
        self, value: float | None, *, middle: Range | None, interval: Range | None, ends: Range = (0.0, 1.0)
    ) -> None:
        self.value, self.middle, self.interval = value, middle, interval
        self._low, self._high = ends
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.current().px(80), theme.current().px(BAR_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.current().px(48), theme.current().px(BAR_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        height = tokens.px(12)
        top = (self.height() - height) / 2
        edge = QPen(QColor(tokens.quiet_edge)) if tokens.name == "contrast" else Qt.PenStyle.NoPen
        painter.setPen(edge)
        painter.setBrush(QColor(tokens.sunk))
        painter.drawRoundedRect(QRectF(0.5, top, self.width() - 1, height), height / 2, height / 2)
        if self.middle is not None:
            band = QColor(tokens.edge)
            band.setAlphaF(BAND_ALPHA)
            painter.setBrush(band)
            left, right = map(self._x, self.middle)
            painter.drawRoundedRect(QRectF(left, top, max(height, right - left), height), height / 2, height / 2)
        accent = QColor(tokens.accent)
        if self.interval is not None:
            painter.setPen(QPen(accent, 1.5))
            left, right = map(self._x, self.interval)
            middle = self.height() / 2
            painter.drawLine(round(left), round(middle), round(right), round(middle))
        if self.value is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(accent)
            painter.drawRoundedRect(QRectF(self._x(self.value) - 2, top - 3, 4, height + 6), 2, 2)

    def _x(self, value: float) -> float:
        span = self._high - self._low or 1.0
        share = min(1.0, max(0.0, (value - self._low) / span))
        return 3 + share * (self.width() - 6)

    def _dress(self) -> None:
        self.updateGeometry()
        self.update()


# ---- Words


def part_title(kind: PartKind) -> str:
    """Return the name of a part in the menu."""
    return {
        "letterhead": tr("Letterhead"),
        "salutation": tr("Salutation"),
        "body": tr("Body: read and marked"),
        "closing": tr("Closing"),
        "signature": tr("Signature"),
        "quoted_cv": tr("Quoted from a CV"),
    }[kind]


def missing_said(roles: Sequence[str]) -> str:
    """Say which results are missing until a component of the program is installed; empty if none is."""
    titles = {
        "formality": tr("formality"),
        "positivity": tr("positivity"),
        "agency": tr("agency by its scorer, the balance of praise and whether marked words are meant so"),
        "entailment": tr("what a CV supports"),
    }
    missing = ", ".join(titles[role] for role in roles if role in titles)
    if not missing:
        return ""
    return tr("Still to come, by itself, when the rest of the program is installed: {what}.").format(what=missing)


def letter_title(reading: Reading | None, name: str, occupation: str) -> str:
    """Return the title above a letter: the candidate, where known, or the file."""
    who, kind = (reading.person.full_name, reading.read_as.kind) if reading is not None else ("", "reference")
    title = tr("Letter for {name}").format(name=who) if who else name
    if reading is not None and kind not in ("reference", "recommendation"):
        what = KINDS[reading.read_as.kind].title
        title = tr("{kind} for {name}").format(kind=what, name=who) if who else f"{what}: {name}"
    return f"{title} · {occupation}" if occupation else title


def share(value: float) -> str:
    """Format a share without decimals, which suits a few dozen sentences."""
    return f"{round(100 * value)} %"


def figure_tip(figure: LetterFigure, compared: ComparedFigure | None) -> str:
    """Return a figure with its interval and n, and what it is compared with."""
    if figure.value is None:
        return tr("{title}: {why}").format(title=figure.title, why=figure.reason)
    lines = [_own(figure)]
    if compared is not None:
        template = tr(
            "Middle 80 % of {n} letters: {low} to {high}. {below} of them have less (95 % interval {a} to {b})."
        )
        lines.append(
            template.format(
                n=compared.n,
                low=shown(figure.unit, compared.middle_low),
                high=shown(figure.unit, compared.middle_high),
                below=share(compared.below),
                a=share(compared.low),
                b=share(compared.high),
            )
        )
    if figure.scorer is not None and figure.scorer.stand_in:
        lines.append(tr("From a stand-in scorer: {name}.").format(name=figure.scorer.name))
    return "\n".join(lines)


def shown(unit: str, value: float) -> str:
    """Format a value in its unit."""
    if unit.startswith("share"):
        return share(value)
    return number(value) if unit == "words" else number(value, 1)


def _own(figure: LetterFigure) -> str:
    assert figure.value is not None
    text = f"{figure.title}: {shown(figure.unit, figure.value)}"
    if figure.low is not None and figure.high is not None:
        template = plural(
            figure.n, "of 1 sentence (95 % interval {low} to {high})", "of %n sentences (95 % interval {low} to {high})"
        )
        return f"{text} {template.format(low=share(figure.low), high=share(figure.high))}"
    return f"{text} {figure.unit}"


def stand_ins(reading: Reading) -> tuple[ScorerUse, ...]:
    """Return the stand-in scorers used in this reading."""
    return tuple(use for use in reading.scorers if use.stand_in)


def naming_said(naming: Naming, name: str, last: str, title: str) -> str:
    """Say how the candidate is named: “Dr. Moreno” 2 ×, “Kelly” 5 ×."""
    ways = (
        (naming.titled, f"{title or tr('title and')} {last}".strip()),
        (naming.full, f"{name} {last}".strip()),
        (naming.last, last),
        (naming.first, name),
    )
    parts = [tr("“{way}” {count} ×").format(way=way, count=count) for count, way in ways if count]
    return ", ".join(parts) if parts else tr("never by name")


FIRST = ("agentic", "communal", "formality", "positivity")
MORE = ("agency", "standout", "ability", "grindstone", "superlatives", "words")


class FigureRow:
    """A row of name, bar and value, with a badge if a stand-in scorer produced the value."""

    def __init__(self, grid: QGridLayout, place: int) -> None:
        self.name, self.value = Label(), Label()
        self.bar = RangeBar()
        self.badge = StandInBadge(tr("stand-in"))
        self.value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for column, widget in enumerate((self.name, self.bar, self.value, self.badge)):
            grid.addWidget(widget, place, column)

    def show_figure(
        self, figure: LetterFigure | None, compared: ComparedFigure | None, *, follows: bool = False
    ) -> None:
        """Show a figure; `follows`: its scorer is not ready yet."""
        for widget in (self.name, self.bar, self.value):
            widget.setVisible(figure is not None)
        stands_in = figure is not None and figure.scorer is not None and figure.scorer.stand_in
        self.badge.setVisible(stands_in)
        if figure is None:
            return
        tip = tr("{title}: follows").format(title=figure.title) if follows else figure_tip(figure, compared)
        self.name.setText(tr("Agency") if figure.name == "agency" else tr(figure.title))
        self.value.setText(shown(figure.unit, figure.value) if figure.value is not None else "…" if follows else "–")
        interval = (figure.low, figure.high) if figure.low is not None and figure.high is not None else None
        middle = (compared.middle_low, compared.middle_high) if compared is not None else None
        is_share = figure.unit.startswith("share")
        most = max((figure.value or 0), middle[1] if middle else 0) * 1.4 or 1.0
        self.bar.show_figure(figure.value, middle=middle, interval=interval, ends=(0.0, 1.0 if is_share else most))
        self.bar.setAccessibleName(tr(tip.replace("\n", " ")))
        self.badge.setToolTip(tr("Made by a stand-in scorer, in place of the one that the study used"))
        for widget in (self.name, self.bar, self.value):
            widget.setToolTip(safe_tip(tr(tip)))


class ComparedCard(Card):
    """Figures, on request: four, then the others; below them the length and how the candidate is named."""

    def __init__(self) -> None:
        super().__init__()
        self.heading = Label("", "heading", wrap=True)
        self.fold = LinkButton(tr("Show figures"), act=self._fold)
        self.legend = Label("", "note", wrap=True)
        self.badge = StandInBadge(tr("reference: stand-in"))
        self.more = LinkButton(tr("More figures"), act=self._toggle)
        self.facts, self.missing = Label("", "note", wrap=True), Label("", "note", wrap=True)
        grid_box = clear_widget()
        grid = grid_of(grid_box, across=10, along=4)
        grid.setContentsMargins(0, 4, 0, 0)
        self.rows = {name: FigureRow(grid, place) for place, name in enumerate((*FIRST, *MORE))}
        self._unfolded = False  # to all figures
        self._checked: Checked | None = None
        self.set_padding(16)
        self.box.setSpacing(4)
        head = in_row((self.heading, 1), (self.fold, Qt.AlignmentFlag.AlignTop))
        self.figures = column_of(self.legend, grid_box, self.facts, in_row(self.more, STRETCH, self.badge), spacing=4)
        add_to(self.box, head, self.missing, self.figures)
        self.figures.hide()
        self.setAccessibleName(tr("Compared with reference letters"))

    def show_reading(self, checked: Checked | None) -> None:
        self._checked = checked
        reading = checked.reading if checked is not None else None
        self.setVisible(reading is None or KINDS[reading.read_as.kind].of_person)
        compared = {own.name: own for own in reading.compared} if reading is not None else {}
        stopped = reading is None or bool(reading.stopped)
        follows = checked is not None and checked.first
        for place, (name, row) in enumerate(self.rows.items()):
            wanted = not stopped and (place < len(FIRST) or self._unfolded)
            figure = reading.figure(name) if reading is not None and wanted else None
            row.show_figure(figure, compared.get(name), follows=follows and name in SCORED)
        self.more.set_text(tr("Fewer figures") if self._unfolded else tr("More figures"))
        self.more.setVisible(not stopped)
        self.missing.setText(missing_said(checked.missing) if checked is not None else "")
        show_if(self.missing, not stopped and bool(self.missing.text()))
        self._say(checked)

    def _say(self, checked: Checked | None) -> None:
        reading = checked.reading if checked is not None else None
        compared = reading.compared if reading is not None else ()
        reference = checked.reference if checked is not None and compared else None
        self.badge.setVisible(reference is not None and reference.stand_in)
        if checked is None or reading is None or reading.stopped:
            self.heading.setText(tr("Compared with other letters"))
            self.legend.setText(tr("Nothing was scored.") if reading is not None else "")
            self.facts.clear()
            return
        body = reading.figure("agentic")
        sentences = plural(body.n if body else 0, "1 sentence", "%n sentences")
        mark = tr("{sentences}; mark: share of them, line: 95 % interval").format(sentences=sentences)
        if any(marked.passage for marked in reading.marks):  # the chips above the letter count them
            mark = tr("{mark}; passages that a model marked are not counted").format(mark=mark)
        if compared:
            n = max(figure.n for figure in compared)
            heading, whom = tr("Compared with {n} letters for {whom}"), checked.plural or checked.occupation
            self.heading.setText(safe_line(heading.format(n=number(n), whom=whom)))
            grey = tr("Grey: middle 80 % of those letters.")
            if reference is not None and reference.stand_in:
                grey = tr("Grey: middle 80 % of those letters. No person wrote them: lying outside says nothing.")
            self.legend.setText(f"{grey} {mark}")
            self.legend.setToolTip(safe_tip(tr(reading.reference)))
        else:
            self.heading.setText(tr("This letter by itself"))
            self.legend.setText(safe_line(f"{reading.reference} {mark}"))
            self.legend.setToolTip("")
        words, best = reading.figure("words"), reading.figure("superlatives")
        facts = [plural(round(words.value or 0), "1 word", "%n words")] if words is not None else []
        if best is not None and best.value is not None:
            facts.append(tr("{n} superlatives per 100 words").format(n=number(best.value, 1)))
        person = reading.person
        named = naming_said(reading.naming, person.first_name, person.last_name, person.title)
        facts.append(tr("named {ways}").format(ways=named) if person.full_name else tr("no name found"))
        if reading.without_grammar and not checked.first:
            facts.append(tr("read without grammar"))
        if reading.doubted:
            facts.append(plural(len(reading.doubted), "1 listed word left out", "%n listed words left out"))
        self.facts.setText(safe_line(" · ".join(facts)))
        self.facts.setToolTip(safe_tip(tr(safe_line(reading.said_of_marks) if not checked.first else "")))

    def _fold(self) -> None:
        self.figures.setVisible(self.figures.isHidden())
        self.fold.set_text(tr("Show figures") if self.figures.isHidden() else tr("Hide figures"))

    def _toggle(self) -> None:
        self._unfolded = not self._unfolded
        self.show_reading(self._checked)
